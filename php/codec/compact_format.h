/* codec/compact_format.h: the compact form of plain arrays, byte by byte in docs/array-format.md. */
#ifndef PHP_LEVERET_CODEC_COMPACT_FORMAT_H
#define PHP_LEVERET_CODEC_COMPACT_FORMAT_H

#include "php.h"

/* Nothing that PHP's serialize() writes begins with the first byte. The second is the version: the later one where
 * objects are in it. */
#define COMPACT_MAGIC 0xCA
#define COMPACT_PLAIN 1
#define COMPACT_WITH_OBJECTS 2
#define COMPACT_HEAD_LEN 2

enum {
	COMPACT_NULL,
	COMPACT_FALSE,
	COMPACT_TRUE,
	COMPACT_INT8,
	COMPACT_INT16,
	COMPACT_INT32,
	COMPACT_INT64,
	COMPACT_FLOAT,
	COMPACT_EMPTY_STRING,
	COMPACT_LONG_STRING, /* length, bytes */
	COMPACT_STRING_ID,   /* number of a string that came before */
	COMPACT_EMPTY_LIST,
	COMPACT_LIST,       /* count, values */
	COMPACT_EMPTY_MAP,  /* Ruby's: to PHP the same as an empty list */
	COMPACT_NEW_SHAPE,  /* count, keys, values */
	COMPACT_SHAPE_ID,   /* number of keys that came before, values */
	COMPACT_NEW_OBJECT, /* class, count, names of properties, values */
	COMPACT_OBJECT_ID,  /* number of a class and its properties, values */
	COMPACT_ENUM_CASE,  /* class, name */
	COMPACT_TAGS,
	/* Tags with an operand in them. */
	COMPACT_INT = 0x40,       /* 0 to 63 */
	COMPACT_BYTE = 0x80,      /* a string of one byte, which has no number */
	COMPACT_STRING = 0x81,    /* of 2 to 64 bytes, which gets the next number */
	COMPACT_STRING_AT = 0xC0, /* number of a string, its high five bits; a byte */
	COMPACT_SHAPE_AT = 0xE0   /* number of keys, 0 to 31 */
};

/* Longer strings have no number. */
#define COMPACT_STRING_MAX 64
/* Numbers of strings that fit into two bytes, and numbers of keys that fit into the tag. */
#define COMPACT_STRINGS_NEAR (32 * 256)
#define COMPACT_SHAPES_NEAR 32
/* Arrays in arrays: a scalar in a list is at depth 1. */
#define COMPACT_DEPTH_MAX 128
/* A count, a length or a number: seven bits a byte, the low ones first; up to 2^32 - 1. */
#define COMPACT_NUMBER_LEN_MAX 5

static zend_always_inline bool php_leveret_is_compact(const char *data, size_t len)
{
	return len > COMPACT_HEAD_LEN && (uint8_t) data[0] == COMPACT_MAGIC
		&& (data[1] == COMPACT_PLAIN || data[1] == COMPACT_WITH_OBJECTS);
}

#endif
