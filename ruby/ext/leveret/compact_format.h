/* compact_format.h: the compact form, byte by byte in docs/array-format.md. */
#ifndef RUBY_LEVERET_COMPACT_FORMAT_H
#define RUBY_LEVERET_COMPACT_FORMAT_H

#define COMPACT_HEAD "\xCA\x01"
#define COMPACT_HEAD_LEN 2
/* In the place of the head's second byte, where PHP has stored objects. */
#define COMPACT_WITH_OBJECTS 2
/* As in PHP: an array's values are one deeper. */
#define COMPACT_DEPTH_MAX 128
/* Longer strings have no number. */
#define COMPACT_STRING_MAX 64
/* Numbers of strings that fit into two bytes, and numbers of keys that fit into the tag. */
#define COMPACT_STRINGS_NEAR (32 * 256)
#define COMPACT_SHAPES_NEAR 32
/* Bytes of a count, a length or a number. */
#define COMPACT_NUMBER_LEN_MAX 5
/* Counts and lengths that are written. */
#define COMPACT_LEN_MAX (1 << 30)

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
	COMPACT_LONG_STRING,
	COMPACT_STRING_ID,
	COMPACT_EMPTY_LIST,
	COMPACT_LIST,
	COMPACT_EMPTY_MAP,
	COMPACT_NEW_SHAPE,
	COMPACT_SHAPE_ID,
	COMPACT_NEW_OBJECT,
	COMPACT_OBJECT_ID,
	COMPACT_ENUM_CASE,
	COMPACT_INT = 0x40,
	COMPACT_BYTE = 0x80,
	COMPACT_STRING_AT = 0xC0,
	COMPACT_SHAPE_AT = 0xE0
};

#endif
