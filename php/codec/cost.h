/* codec/cost.h: estimates the request's memory for a value from its bytes, before it is made. A reader that meets
 * memory_limit ends the script, and a few bytes can ask for much: each empty bracket of JSON becomes an array. */
#ifndef PHP_LEVERET_CODEC_COST_H
#define PHP_LEVERET_CODEC_COST_H

#include "php.h"

/* Of so few bytes nothing is made that is larger than a chunk of PHP's heap. */
#define PHP_LEVERET_COST_FREE (32 * 1024)

/* Larger blocks take whole pages of PHP's heap. */
#define PHP_LEVERET_BLOCK_MAX 2560
#define PHP_LEVERET_PAGE 4096

/* Of an element in a table: itself, and two places of the hash. */
#define PHP_LEVERET_ELEMENT_COST (sizeof(Bucket) + 2 * sizeof(uint32_t))

/* An array's, for which as many elements are asked for at once: its table is a power of two, and an empty array has
 * none. */
static zend_always_inline size_t php_leveret_table_cost(uint64_t count, size_t element_cost)
{
	if (count == 0) {
		return sizeof(zend_array);
	}
	size_t size = HT_MIN_SIZE;
	while (size < count) {
		size *= 2;
	}
	size_t bytes = size * element_cost;
	/* PHP's heap has blocks that just fit for tables; of lists, which have two places of a hash, up to a quarter more;
	 * above that, pages. */
	return sizeof(zend_array) + bytes
		+ (bytes > PHP_LEVERET_BLOCK_MAX        ? PHP_LEVERET_PAGE
				: element_cost < sizeof(Bucket) ? bytes / 4
												: 0);
}

/* Some of PHP's functions for strings ask for a few bytes more. */
static zend_always_inline size_t php_leveret_string_cost(size_t len)
{
	size_t bytes = _ZSTR_HEADER_SIZE + 8 + len;
	return bytes + (bytes > PHP_LEVERET_BLOCK_MAX ? PHP_LEVERET_PAGE : bytes / 4);
}

/* Memory that the request may still take; always a little, since small values may fit in memory that it has already. */
size_t php_leveret_memory_left(void);
/* The same for one block, and not a byte that is not left. */
size_t php_leveret_memory_left_for_block(void);
/* The same in the middle of reading a value. */
size_t php_leveret_memory_left_now(void);
/* Limit for a value of this length. Values stored by a process of this host are not limited: if one does not fit, PHP
 * reports that, as with the originals. */
static zend_always_inline size_t php_leveret_cost_max(size_t len, bool is_trusted)
{
	return is_trusted || len <= PHP_LEVERET_COST_FREE ? SIZE_MAX : php_leveret_memory_left();
}

/* Whether PHP's serialized data claims no more elements than its bytes can hold, over all arrays that are open at the
 * same time, and its cost is within the limit. Data in a class's own format is not checked if a process of this host
 * has stored it. PHP's reader finds all other errors. */
bool php_leveret_php_fits(const char *data, size_t len, bool is_trusted, size_t cost_max);
/* The same of JSON, which claims nothing. */
bool php_leveret_json_fits(const char *data, size_t len, size_t cost_max);

#endif
