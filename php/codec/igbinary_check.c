/* codec/igbinary_check.c: a walk over igbinary's data before igbinary reads it.
 *
 * igbinary 3.2.13 makes a value while it reads it, and does not survive all that damage can make of its data. Where the
 * elements of an object that has __unserialize() do not even begin, it frees what it has not set. An element with a key
 * that was there before takes the place of that one, which is freed, and references to it point at freed memory. It
 * calls itself for each level of nesting, however deep. The walk refuses all this. It cannot see what a class makes of
 * an element: where a property's type does not allow an object that has __unserialize(), igbinary frees it and marks it
 * later, which only igbinary can fix.
 *
 * An array may contain itself: igbinary writes an array again that it is still writing, as there is one where a tree's
 * nodes know their parents, by its number. What it makes of that, PHP's functions know as recursion.
 *
 *   data      00 00 00 01 or 02, one value, nothing behind it
 *   value     a type, a byte; then by type nothing, a number, bytes behind their length, or elements behind their count
 *   strings   those that are not empty are numbered, and named by their number where they come again
 *   slots     what references name by its number: arrays, objects and PHP references, numbered as they begin
 *
 * What igbinary_plain.c reads does not come here. Other data without references, such as objects, is walked over once,
 * and nothing is remembered but what is open: 15 to 28 % of the instructions that igbinary then takes to read it. Where
 * there are references, as there are when objects share a class's default array, a second walk looks at the keys: 50 to
 * 80 %. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "igbinary_check.h"
#include "cost.h"
#include "igbinary_format.h"

/* As deep as unserialize() goes by default. */
#define DEPTH_MAX 4096

/* With its place in igbinary's table of slots, of which there are two while it grows. */
#define REFERENCE_COST (sizeof(zend_reference) + 3 * 16)

/* An array or object whose elements are being walked over. */
typedef struct level {
	uint32_t left; /* elements to come when the one inside of it is done */
	uint32_t slot;
} level;

/* A string of the data, and its hash, 0 until it is a key. */
typedef struct text {
	const uint8_t *bytes;
	size_t len;
	uint64_t hash;
} text;

/* Of the second walk: strings by their number, and of each key that was met, with its array, a hash. Two keys with the
 * same hash count as the same: that happens by chance once in 2^64 pairs, and then a good value counts as damaged. */
typedef struct key_set {
	text *texts;
	uint64_t *seen;
	size_t mask;
	uint32_t shift; /* of a hash, what is above the bits of a place in `seen` */
} key_set;

/* Everything that handles it is inline, so that it lies in registers. */
typedef struct walk {
	const uint8_t *at, *end;
	uint32_t left; /* elements to come of the innermost array or object */
	uint32_t slot; /* its own */
	uint32_t depth;
	uint32_t strings, slots, keys, references;
	size_t cost;      /* of all arrays and strings */
	uint64_t largest; /* elements of the largest array, of which there may be a list and a table for a moment */
	level *open;      /* what is around it */
	key_set *set;     /* NULL: keys are not looked at */
} walk;

/* How long values of one length are, type and all; 0: others. */
static const uint8_t lengths[UINT8_MAX + 1] = { [NOTHING] = 1,
	[NO] = 1,
	[YES] = 1,
	[EMPTY_STRING] = 1,
	[LONG8P] = 2,
	[LONG8P + 1] = 2,
	[LONG8P + 2] = 3,
	[LONG8P + 3] = 3,
	[LONG8P + 4] = 5,
	[LONG32N] = 5,
	[DOUBLE] = 9,
	[LONG64P] = 9,
	[LONG64N] = 9 };

/* --- parts --- */

static zend_always_inline size_t room(const walk *walk)
{
	return (size_t) (walk->end - walk->at);
}

static zend_always_inline bool igbinary_check_take_type(walk *walk, uint8_t *type)
{
	if (UNEXPECTED(walk->at == walk->end)) {
		return false;
	}
	*type = *walk->at++;
	return true;
}

static zend_always_inline bool igbinary_check_skip(walk *walk, uint64_t len)
{
	if (UNEXPECTED(len > room(walk))) {
		return false;
	}
	walk->at += len;
	return true;
}

static zend_always_inline bool igbinary_check_take_number(walk *walk, int power, uint64_t *number)
{
	return php_leveret_igbinary_number(&walk->at, walk->end, power, number);
}

static zend_always_inline bool igbinary_check_take_string(walk *walk, int power, bool with_keys)
{
	uint64_t len;
	if (!igbinary_check_take_number(walk, power, &len) || !igbinary_check_skip(walk, len)) {
		return false;
	}
	if (with_keys) {
		walk->set->texts[walk->strings] = (text) { .bytes = walk->at - len, .len = len };
	}
	walk->strings++;
	walk->cost += php_leveret_string_cost(len);
	return true;
}

/* A string, or the number of one, which becomes *number. */
static zend_always_inline bool take_name(walk *walk, uint8_t type, uint64_t *number, bool with_keys)
{
	if (type >= STRING_ID8 && type <= STRING_ID32) {
		return igbinary_check_take_number(walk, type - STRING_ID8, number) && *number < walk->strings;
	}
	*number = walk->strings;
	return type >= STRING8 && type <= STRING32 && igbinary_check_take_string(walk, type - STRING8, with_keys);
}

/* --- keys --- */

/* FNV-1a, and never 0. */
static uint64_t hash_of(const uint8_t *bytes, size_t len)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	for (size_t i = 0; i < len; i++) {
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	}
	return hash | 1;
}

static zend_always_inline uint64_t hash_of_text(text *text)
{
	if (text->hash == 0) {
		text->hash = hash_of(text->bytes, text->len);
	}
	return text->hash;
}

/* False: the array has this key already. */
static zend_always_inline bool is_new_key(const walk *walk, uint64_t key)
{
	const key_set *set = walk->set;
	/* Multiples of the golden ratio lie far apart, so numbers of one array do not meet those of another. */
	const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
	uint64_t hash = key + (walk->slot + UINT64_C(1)) * golden;
	hash += hash == 0;
	for (size_t at = (hash * golden) >> set->shift;; at = (at + 1) & set->mask) {
		if (EXPECTED(set->seen[at] == 0)) {
			set->seen[at] = hash;
			return true;
		}
		if (set->seen[at] == hash) {
			return false;
		}
	}
}

/* *has_value: an element follows. */
static zend_always_inline bool take_key(walk *walk, bool *has_value, bool with_keys)
{
	uint8_t type;
	uint64_t number;
	*has_value = true;
	if (!igbinary_check_take_type(walk, &type)) {
		return false;
	}
	if (php_leveret_igbinary_is_integer(type)) {
		if (!with_keys) {
			return igbinary_check_skip(walk, lengths[type] - 1);
		}
		/* igbinary reads an integer outside of PHP's range as 0. */
		return igbinary_check_take_number(walk, php_leveret_igbinary_power(type), &number)
			&& number <= (uint64_t) ZEND_LONG_MAX + type % 2 && is_new_key(walk, type % 2 ? 0 - number : number);
	}
	if (EXPECTED(type >= STRING_ID8 && type <= STRING32)) {
		return take_name(walk, type, &number, with_keys)
			&& (!with_keys || is_new_key(walk, hash_of_text(&walk->set->texts[number])));
	}
	/* No key, no element: the place of one that was unset. */
	*has_value = type != NOTHING;
	return type == NOTHING || (type == EMPTY_STRING && (!with_keys || is_new_key(walk, hash_of(NULL, 0))));
}

/* --- values --- */

static zend_always_inline bool open_array(walk *walk, int power)
{
	uint64_t count;
	uint32_t slot = walk->slots++;
	/* No element takes less than a byte. */
	if (!igbinary_check_take_number(walk, power, &count) || count > room(walk) || walk->depth == DEPTH_MAX) {
		return false;
	}
	if (walk->depth > 0) {
		walk->open[walk->depth - 1].left = walk->left;
	}
	walk->open[walk->depth++] = (level) { .slot = slot };
	walk->keys += (uint32_t) count;
	walk->cost += php_leveret_table_cost(count, PHP_LEVERET_ELEMENT_COST);
	walk->largest = MAX(walk->largest, count);
	walk->left = (uint32_t) count;
	walk->slot = slot;
	return true;
}

/* The part of an object after its class name. */
static zend_always_inline bool open_object(walk *walk, bool with_keys)
{
	uint8_t type;
	uint64_t number;
	if (!igbinary_check_take_type(walk, &type)) {
		return false;
	}
	walk->cost += sizeof(zend_object);
	if (type >= ARRAY8 && type <= ARRAY32) {
		return open_array(walk, type - ARRAY8);
	}
	walk->slots++;
	if (type >= SERIALIZABLE8 && type <= SERIALIZABLE32) {
		return igbinary_check_take_number(walk, type - SERIALIZABLE8, &number) && igbinary_check_skip(walk, number);
	}
	return type == ENUM_CASE && igbinary_check_take_type(walk, &type) && take_name(walk, type, &number, with_keys);
}

/* A reference: it names an element that has begun. */
static zend_always_inline bool take_reference(walk *walk, int power)
{
	uint64_t slot;
	walk->references++;
	return igbinary_check_take_number(walk, power, &slot) && slot < walk->slots;
}

static zend_always_inline bool igbinary_check_take_value(walk *walk, bool with_keys)
{
	uint8_t type;
	uint64_t number;
	if (!igbinary_check_take_type(walk, &type)) {
		return false;
	}
	bool is_php_reference = type == PHP_REFERENCE;
	if (UNEXPECTED(is_php_reference)) {
		walk->cost += REFERENCE_COST;
		if (!igbinary_check_take_type(walk, &type)) {
			return false;
		}
	}
	if (lengths[type]) {
		walk->slots += is_php_reference;
		return igbinary_check_skip(walk, lengths[type] - 1);
	}
	switch (type) {
		case STRING_ID8:
		case STRING_ID8 + 1:
		case STRING_ID32:
		case STRING8:
		case STRING8 + 1:
		case STRING32:
			walk->slots += is_php_reference;
			return take_name(walk, type, &number, with_keys);
		case STRING64:
			walk->slots += is_php_reference;
			return igbinary_check_take_string(walk, 3, with_keys);
		case REF8:
		case REF8 + 1:
		case REF32:
			return take_reference(walk, type - REF8);
		case OBJECT_REF8:
		case OBJECT_REF8 + 1:
		case OBJECT_REF32:
			return take_reference(walk, type - OBJECT_REF8);
		case ARRAY8:
		case ARRAY8 + 1:
		case ARRAY32:
			return open_array(walk, type - ARRAY8);
		case OBJECT8:
		case OBJECT8 + 1:
		case OBJECT32:
			return igbinary_check_take_string(walk, type - OBJECT8, with_keys) && open_object(walk, with_keys);
		case OBJECT_ID8:
		case OBJECT_ID8 + 1:
		case OBJECT_ID32:
			return igbinary_check_take_number(walk, type - OBJECT_ID8, &number) && number < walk->strings
				&& open_object(walk, with_keys);
		default:
			return false;
	}
}

/* Returns to the element around the completed one. */
static zend_always_inline void close_array(walk *walk)
{
	if (--walk->depth > 0) {
		walk->left = walk->open[walk->depth - 1].left;
		walk->slot = walk->open[walk->depth - 1].slot;
	}
}

static zend_always_inline bool take_all(walk *walk, bool with_keys)
{
	uint64_t version;
	bool has_value;
	if (!igbinary_check_take_number(walk, 2, &version) || (version != 1 && version != 2)
		|| !igbinary_check_take_value(walk, with_keys)) {
		return false;
	}
	while (walk->depth > 0) {
		if (walk->left == 0) {
			close_array(walk);
			continue;
		}
		walk->left--;
		if (!take_key(walk, &has_value, with_keys) || (has_value && !igbinary_check_take_value(walk, with_keys))) {
			return false;
		}
	}
	return walk->at == walk->end;
}

static zend_never_inline bool has_no_key_twice(walk walk, uint32_t keys, uint32_t strings, size_t cost_max)
{
	uint32_t bits = 4;
	while ((UINT64_C(1) << bits) < (uint64_t) keys * 4 / 3 + 1) {
		bits++;
	}
	size_t size = (size_t) 1 << bits;
	/* Its own tables, which are gone when igbinary begins. */
	if ((strings + (size_t) 1) * sizeof(text) + size * sizeof(uint64_t) > cost_max) {
		return false;
	}
	key_set set = {
		.texts = safe_emalloc(strings + 1, sizeof(text), 0),
		.seen = ecalloc(size, sizeof(uint64_t)),
		.mask = size - 1,
		.shift = 64 - bits,
	};
	walk.set = &set;
	bool is_good = take_all(&walk, true);
	efree(set.texts);
	efree(set.seen);
	return is_good;
}

bool php_leveret_igbinary_check(const char *data, size_t len, size_t cost_max)
{
	level open[DEPTH_MAX];
	const walk start = { .at = (const uint8_t *) data, .end = (const uint8_t *) data + len, .open = open };
	walk first = start;
	return len <= UINT32_MAX && take_all(&first, false)
		&& first.cost + php_leveret_table_cost(first.largest, sizeof(zval)) <= cost_max
		&& (first.references == 0 || has_no_key_twice(start, first.keys, first.strings, cost_max));
}
