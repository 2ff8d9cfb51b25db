/* codec/compact_shapes.h: keys that this request has read before, found by their bytes in the compact form.
 *
 * The arrays of an application have few sets of keys. An array whose keys have the same bytes gets a copy of the hash
 * table that was made of them, as the rows within one value do: no key is hashed, looked for among PHP's strings, or
 * linked. Arrays use the strings of an entry, so it stays until the next request begins.
 */
#ifndef PHP_LEVERET_CODEC_COMPACT_SHAPES_H
#define PHP_LEVERET_CODEC_COMPACT_SHAPES_H

#include "base/globals.h"

struct php_leveret_shape {
	zend_array array;      /* each value is null */
	uint64_t start;        /* the first bytes */
	const uint8_t *bytes;  /* the count and the keys, each of them whole: none is the number of another string */
	zend_string **strings; /* those that get a number */
	uint32_t bytes_len, strings_len;
};

/* Fewer bytes than these are read as fast as they are compared. */
#define SHAPE_BYTES_MIN sizeof(uint64_t)
/* Places where an entry may stand, from the one of its first bytes on. */
#define SHAPE_PROBES 4

static zend_always_inline uint32_t shape_place(uint64_t start)
{
	return (uint32_t) (start * UINT64_C(0x9E3779B97F4A7C15) >> (64 - PHP_LEVERET_SHAPES_BITS));
}

/* The keys that `left` bytes begin with. NULL: they are not known. */
static zend_always_inline const php_leveret_shape *php_leveret_shape_find(const uint8_t *at, size_t left)
{
	if (UNEXPECTED(left < SHAPE_BYTES_MIN)) {
		return NULL;
	}
	uint64_t start;
	memcpy(&start, at, sizeof(start));
	for (uint32_t probe = 0, place = shape_place(start); probe < SHAPE_PROBES; probe++) {
		const php_leveret_shape *shape = LEVERET_G(shapes)[(place + probe) % PHP_LEVERET_SHAPES_MAX];
		if (!shape) {
			return NULL;
		}
		if (shape->start == start && shape->bytes_len <= left && memcmp(shape->bytes, at, shape->bytes_len) == 0) {
			return shape;
		}
	}
	return NULL;
}

/* `array`, without values yet, has just been made of these bytes, which gave so many strings a number. Not all are
 * kept. */
void php_leveret_shape_add(const uint8_t *bytes, size_t len, const zend_array *array, uint32_t strings_len);
/* When a request begins, or when a thread ends: no value of another request is left. */
void php_leveret_shapes_forget(zend_leveret_globals *globals);

#endif
