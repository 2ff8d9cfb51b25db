/* codec/msgpack_check.c: a walk over msgpack's data before msgpack reads it.
 *
 * msgpack 2.2.0 writes objects and references as maps whose first key is nil, and does not survive all that damage can
 * make of these. So they are only for sites that have chosen msgpack; all others read the other types, when
 * it is whole. Each value takes a byte at least, so that no count that the walk has passed asks for more than is there.
 * But a map's table is made when its first element is whole, for as many elements as the map that began last: one large
 * map makes large tables of all that are around it. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "msgpack_check.h"
#include "cost.h"

/* As deep as msgpack's reader goes. */
#define DEPTH_MAX 1024

/* No table is made for more elements than that at once. */
#define MAP_MAX 65536

/* Of an array among those that references may name. */
#define NUMBER_COST 24

enum { NIL = 0xc0 };

typedef struct walk {
	const uint8_t *at, *end;
	size_t cost;
} walk;

/* A number of `width` bytes, the high one first. */
static bool msgpack_check_take_number(walk *walk, size_t width, uint64_t *number)
{
	if (width > (size_t) (walk->end - walk->at)) {
		return false;
	}
	for (*number = 0; width--; walk->at++) {
		*number = *number << 8 | *walk->at;
	}
	return true;
}

static bool msgpack_check_skip(walk *walk, uint64_t len)
{
	if (len > (uint64_t) (walk->end - walk->at)) {
		return false;
	}
	walk->at += len;
	return true;
}

static bool msgpack_check_take_string(walk *walk, size_t width)
{
	uint64_t len;
	if (!msgpack_check_take_number(walk, width, &len) || !msgpack_check_skip(walk, len)) {
		return false;
	}
	walk->cost += php_leveret_string_cost(len);
	return true;
}

/* *values: how many follow that are within this one; a map's keys are among them. */
static bool msgpack_check_take_type(walk *walk, uint8_t type, uint64_t *values, bool *is_map)
{
	*values = 0;
	*is_map = false;
	if (type <= 0x7f || type >= 0xe0 || type == NIL || type == 0xc2 || type == 0xc3) {
		return true;
	}
	if (type >= 0xa0 && type <= 0xbf) {
		walk->cost += php_leveret_string_cost(type & 0x1f);
		return msgpack_check_skip(walk, type & 0x1f);
	}
	if (type <= 0x9f) {
		*is_map = type <= 0x8f;
		*values = type & 0x0f;
		return true;
	}
	switch (type) {
		case 0xca:
			return msgpack_check_skip(walk, 4);
		case 0xcb:
			return msgpack_check_skip(walk, 8);
		case 0xcc:
		case 0xcd:
		case 0xce:
		case 0xcf:
			return msgpack_check_skip(walk, (uint64_t) 1 << (type - 0xcc));
		case 0xd0:
		case 0xd1:
		case 0xd2:
		case 0xd3:
			return msgpack_check_skip(walk, (uint64_t) 1 << (type - 0xd0));
		case 0xc4:
		case 0xc5:
		case 0xc6:
			return msgpack_check_take_string(walk, (size_t) 1 << (type - 0xc4));
		case 0xd9:
		case 0xda:
		case 0xdb:
			return msgpack_check_take_string(walk, (size_t) 1 << (type - 0xd9));
		case 0xdc:
		case 0xdd:
			return msgpack_check_take_number(walk, (size_t) 2 << (type - 0xdc), values);
		case 0xde:
		case 0xdf:
			*is_map = true;
			return msgpack_check_take_number(walk, (size_t) 2 << (type - 0xde), values);
		default:
			return false;
	}
}

static bool is_key(uint8_t type)
{
	return type <= 0x7f || type >= 0xe0 || (type >= 0xa0 && type <= 0xbf) || (type >= 0xcc && type <= 0xd3)
		|| (type >= 0xd9 && type <= 0xdb);
}

bool php_leveret_msgpack_check(const char *data, size_t len, bool with_objects, size_t cost_max)
{
	/* An object that serializes itself has nil as its second key too, and no third. */
	struct {
		uint64_t left;
		bool is_map, may_serialize, has_table;
	} open[DEPTH_MAX];
	walk walk = { .at = (const uint8_t *) data, .end = (const uint8_t *) data + len };
	uint32_t depth = 0;
	uint64_t last_map = 0; /* elements of the one that began last */
	bool is_first = false; /* of a map */
	do {
		if (walk.at == walk.end) {
			return false;
		}
		uint8_t type = *walk.at++;
		uint64_t values;
		bool is_map;
		if (depth > 0 && open[depth - 1].is_map && open[depth - 1].left % 2 == 0 && !is_key(type)) {
			if (type != NIL || !with_objects
				|| !(is_first || (open[depth - 1].may_serialize && open[depth - 1].left == 2))) {
				return false;
			}
			open[depth - 1].may_serialize = open[depth - 1].left == 4;
		}
		if (!msgpack_check_take_type(&walk, type, &values, &is_map)) {
			return false;
		}
		if (depth > 0) {
			open[depth - 1].left--;
		}
		is_first = is_map && values > 0;
		last_map = is_map ? values : last_map;
		if ((type >= 0x80 && type <= 0x9f) || (type >= 0xdc && type <= 0xdf)) {
			if (values > (uint64_t) (walk.end - walk.at) || depth == DEPTH_MAX) {
				return false;
			}
			/* While a list grows there is the old one too. Of a map there is no more before its first element. */
			walk.cost += is_map ? sizeof(zend_array) : php_leveret_table_cost(values, 3 * sizeof(zval) / 2);
			walk.cost += NUMBER_COST;
		}
		if (values > 0) {
			open[depth].is_map = is_map;
			open[depth].may_serialize = open[depth].has_table = false;
			open[depth++].left = is_map ? 2 * values : values;
			continue;
		}
		/* This one is whole, and so is each that it is the last of. */
		for (bool is_whole = true; is_whole && depth > 0; depth -= is_whole) {
			if (open[depth - 1].is_map && open[depth - 1].left % 2 == 0 && !open[depth - 1].has_table) {
				open[depth - 1].has_table = true;
				/* That of a map which has more grows, as a list does. */
				uint64_t first = MIN(last_map, MAP_MAX), all = MAX(first, open[depth - 1].left / 2 + 1);
				walk.cost += php_leveret_table_cost(
					all, all > first ? 3 * PHP_LEVERET_ELEMENT_COST / 2 : PHP_LEVERET_ELEMENT_COST);
			}
			is_whole = open[depth - 1].left == 0;
		}
	} while (depth > 0);
	return walk.at == walk.end && walk.cost <= cost_max;
}
