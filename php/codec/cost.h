/* codec/cost.h: what a value will take of the request's memory, told from its bytes before it is made. A reader that meets memory_limit
 * ends the script, and a few bytes can ask for much: each empty bracket of JSON becomes an array. */
#ifndef PHP_LEVERET_CODEC_COST_H
#define PHP_LEVERET_CODEC_COST_H

#include "php.h"

/* Of so few bytes nothing is made that is larger than a chunk of PHP's heap. */
#define PHP_LEVERET_COST_FREE (32 * 1024)

/* Of an element in a table: itself, and two places of the hash. */
#define PHP_LEVERET_ELEMENT_COST (sizeof(Bucket) + 2 * sizeof(uint32_t))

/* An array's, for which as many elements are asked for at once: its table is a power of two. */
static zend_always_inline size_t php_leveret_table_cost(uint64_t count, size_t element_cost)
{
	size_t size = HT_MIN_SIZE;
	while (size < count) {
		size *= 2;
	}
	return sizeof(zend_array) + size * element_cost;
}

/* Of one that begins as a list: with the first other key both tables are there at once. */
static zend_always_inline size_t php_leveret_array_cost(uint64_t count)
{
	return php_leveret_table_cost(count, PHP_LEVERET_ELEMENT_COST + sizeof(zval));
}

/* What is above the bytes of a short string. */
#define PHP_LEVERET_STRING_COST (_ZSTR_HEADER_SIZE + 8)

/* How much the request may still take. */
size_t php_leveret_memory_left(void);
/* What a value of so many bytes may take. Of what a process of this host has stored nothing is foretold: where that does not fit, PHP
 * says so, as it does with the originals. */
static zend_always_inline size_t php_leveret_cost_max(size_t len, bool is_trusted)
{
	return is_trusted || len <= PHP_LEVERET_COST_FREE ? SIZE_MAX : php_leveret_memory_left();
}

/* Whether PHP's serialized data claims no more elements than its bytes can hold, over all arrays that are open at the same time, and
 * what it becomes costs no more than that. What a class has written in a form of its own is not looked at where a process of this host has
 * stored it. All else that may be wrong is for PHP's reader to find. */
bool php_leveret_php_fits(const char *data, size_t len, bool is_trusted, size_t cost_max);
/* The same of JSON, which claims nothing. */
bool php_leveret_json_fits(const char *data, size_t len, size_t cost_max);

#endif
