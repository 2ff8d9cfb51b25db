/* codec/cost.c: PHP's serialized data and JSON, walked over before they are read. igbinary's and msgpack's data are
 * walked over anyway. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "cost.h"

/* A chunk of PHP's heap: smaller values may fit in a chunk that the request has already. */
#define CHUNK (2 * 1024 * 1024)
#define LEFT_MAX ((size_t) 1 << 30)

static size_t left_beside(size_t spare)
{
	zend_long limit = PG(memory_limit);
	if (limit <= 0) {
		return LEFT_MAX;
	}
	size_t used = zend_memory_usage(true) + spare;
	return (size_t) limit > used ? MIN((size_t) limit - used, LEFT_MAX) : 0;
}

size_t php_leveret_memory_left(void)
{
	/* The last chunk is never full: values larger than its rest need another one. */
	return MAX(left_beside(CHUNK), CHUNK / 2);
}

size_t php_leveret_memory_left_for_block(void)
{
	/* It takes the next chunk, or pages of its own beside one. */
	return left_beside(CHUNK);
}

size_t php_leveret_memory_left_now(void)
{
	/* The next chunk is counted whole, and another one is left for the script after this value is given up. */
	return left_beside(2 * CHUNK);
}

/* --- PHP's serialized data: a row of tokens, of which arrays and objects say how many are theirs --- */

typedef struct walk {
	const char *at, *end;
	uint64_t owed; /* tokens that arrays and objects have claimed, and that have not come */
	uint32_t depth;
	bool is_trusted;
	size_t cost;
} walk;

static bool cost_take(walk *walk, char expected)
{
	return walk->at < walk->end && *walk->at == expected && ++walk->at;
}

static bool cost_take_number(walk *walk, uint64_t *number, char stop)
{
	uint64_t value = 0;
	const char *start = walk->at;
	cost_take(walk, '+');
	while (walk->at < walk->end && *walk->at >= '0' && *walk->at <= '9' && value < UINT32_MAX) {
		value = value * 10 + (uint64_t) (*walk->at++ - '0');
	}
	*number = value;
	return walk->at > start && cost_take(walk, stop);
}

/* LENGTH:" and as many bytes are behind it. */
static bool take_length(walk *walk, uint64_t *len)
{
	if (!cost_take_number(walk, len, ':') || !cost_take(walk, '"') || *len > (size_t) (walk->end - walk->at)) {
		return false;
	}
	walk->cost += php_leveret_string_cost(*len);
	return true;
}

/* LENGTH:"bytes" */
static bool cost_take_string(walk *walk)
{
	uint64_t len;
	if (!take_length(walk, &len)) {
		return false;
	}
	walk->at += len;
	return cost_take(walk, '"');
}

/* LENGTH:"bytes" with some bytes as \hh. PHP reads that, and nothing writes it any more. */
static bool take_escaped(walk *walk)
{
	uint64_t len;
	if (!take_length(walk, &len)) {
		return false;
	}
	while (len-- && walk->at < walk->end) {
		size_t step = *walk->at == '\\' ? 3 : 1;
		if (step > (size_t) (walk->end - walk->at)) {
			return false;
		}
		walk->at += step;
	}
	return cost_take(walk, '"');
}

/* COUNT:{ */
static bool take_claim(walk *walk)
{
	uint64_t count;
	if (!cost_take_number(walk, &count, ':') || !cost_take(walk, '{')) {
		return false;
	}
	walk->depth++;
	walk->owed += 2 * count;
	/* PHP's reader makes no list. */
	walk->cost += php_leveret_table_cost(count, PHP_LEVERET_ELEMENT_COST);
	/* A key and a value have three bytes each, or more: i:0;N; */
	return walk->owed <= (uint64_t) (walk->end - walk->at) / 3;
}

/* LENGTH:{bytes} of a class that reads them itself, as old versions of PHP's own classes do: with the same reader, from
 * any place on. */
static bool take_custom(walk *walk)
{
	uint64_t len, count, claimed = 0;
	if (!cost_take_number(walk, &len, ':') || !cost_take(walk, '{') || len > (size_t) (walk->end - walk->at)) {
		return false;
	}
	const char *end = walk->at + len;
	while (walk->at < end) {
		char type = *walk->at++;
		if ((type == 'a' || type == '"') && cost_take(walk, ':') && cost_take_number(walk, &count, ':')
			&& cost_take(walk, '{')) {
			claimed += count;
			walk->cost += php_leveret_table_cost(count, PHP_LEVERET_ELEMENT_COST);
		}
	}
	walk->at = end;
	return (walk->is_trusted || claimed <= len / 6) && cost_take(walk, '}');
}

static bool take_token(walk *walk)
{
	char type = *walk->at++;
	if (type == '}') {
		return walk->depth-- > 0;
	}
	walk->owed -= walk->owed > 0;
	switch (type) {
		case 'N':
			return cost_take(walk, ';');
		case 'b':
		case 'i':
		case 'd':
		case 'r':
		case 'R': {
			const char *stop = memchr(walk->at, ';', (size_t) (walk->end - walk->at));
			walk->at = stop ? stop + 1 : walk->end;
			return stop != NULL;
		}
		case 's':
			return cost_take(walk, ':') && cost_take_string(walk) && cost_take(walk, ';');
		case 'S':
			return cost_take(walk, ':') && take_escaped(walk) && cost_take(walk, ';');
		case 'E':
			return cost_take(walk, ':') && cost_take_string(walk) && cost_take(walk, ';');
		case 'a':
			return cost_take(walk, ':') && take_claim(walk);
		case 'O':
			walk->cost += sizeof(zend_object);
			return cost_take(walk, ':') && cost_take_string(walk) && cost_take(walk, ':') && take_claim(walk);
		case 'C':
			return cost_take(walk, ':') && cost_take_string(walk) && cost_take(walk, ':') && take_custom(walk);
		default:
			return false;
	}
}

bool php_leveret_php_fits(const char *data, size_t len, bool is_trusted, size_t cost_max)
{
	walk walk = { .at = data, .end = data + len, .is_trusted = is_trusted };
	/* PHP's reader ignores bytes after the value. */
	do {
		if (walk.at == walk.end || !take_token(&walk)) {
			return false;
		}
	} while (walk.depth > 0);
	return walk.cost <= cost_max;
}

/* --- JSON --- */

bool php_leveret_json_fits(const char *data, size_t len, size_t cost_max)
{
	if (cost_max == SIZE_MAX) {
		return true;
	}
	size_t cost = 0;
	bool in_string = false;
	for (const char *at = data, *end = data + len; at < end; at++) {
		if (in_string) {
			in_string = *at != '"';
			at += *at == '\\';
			continue;
		}
		switch (*at) {
			case '"':
				in_string = true;
				cost += php_leveret_string_cost(0);
				break;
			case '[':
				/* Empty arrays cost nothing. */
				cost += at + 1 < end && at[1] == ']' ? 0 : php_leveret_table_cost(1, sizeof(zval));
				break;
			case '{':
				cost += sizeof(zend_object) + php_leveret_table_cost(1, PHP_LEVERET_ELEMENT_COST);
				break;
			/* An element of a list; that of an object has both signs. Tables are powers of two, and the old one is
			 * there while the new one is filled. */
			case ',':
				cost += 3 * sizeof(zval);
				break;
			case ':':
				cost += PHP_LEVERET_ELEMENT_COST;
				break;
		}
	}
	return cost + len <= cost_max;
}
