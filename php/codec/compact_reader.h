/* codec/compact_reader.h: what compact_read.c and compact_objects.c share. */
#ifndef PHP_LEVERET_CODEC_COMPACT_READER_H
#define PHP_LEVERET_CODEC_COMPACT_READER_H

#include "compact_format.h"
#include "compact_read.h"
#include "decoded/pool.h"

/* Strings and keys that are numbered before the heap is asked for room. */
#define STRINGS_FIRST 128
#define SHAPES_FIRST 16
#define CLASSES_FIRST 8

/* A class, and which properties the bytes have of its objects. */
typedef struct compact_class {
	zend_class_entry *ce;
	zend_string *name; /* where there is no ce */
	uint32_t count;
	bool is_whole;                /* no property is left to its default */
	uint32_t *places;             /* of declared ones in the object's table */
	const zend_array *properties; /* of stdClass: those of the first object */
} compact_class;

struct compact_reader {
	const uint8_t *at, *end;
	int depth;
	bool has_objects;
	bool is_pooled;     /* arrays and strings are taken from the room */
	bool is_for_php;    /* there is an object that only PHP's reader makes */
	HashTable *allowed; /* classes, in lower case; NULL: all */
	const php_leveret_compact_objects *objects;
	compact_class *classes; /* by their numbers */
	uint32_t classes_len, classes_max;
	HashTable *held; /* strings that have a number and are no part of the value; NULL: none */
	php_leveret_room room;
	/* By their numbers. The value that is being made holds each of them. */
	zend_string **strings;
	const zend_array **shapes;
	uint32_t strings_len, strings_max, shapes_len, shapes_max;
	zend_string *strings_first[STRINGS_FIRST];
	const zend_array *shapes_first[SHAPES_FIRST];
};

static zend_always_inline size_t compact_left(const compact_reader *from)
{
	return (size_t) (from->end - from->at);
}

static zend_always_inline bool compact_take(compact_reader *from, void *to, size_t len)
{
	if (UNEXPECTED(len > compact_left(from))) {
		return false;
	}
	memcpy(to, from->at, len);
	from->at += len;
	return true;
}

/* Copies by sixteens, and so up to fifteen bytes more. Of few bytes memcpy() makes `rep movsq`, which takes longer to
 * begin than to copy them. */
static zend_always_inline void compact_copy_short(char *to, const uint8_t *bytes, size_t len)
{
	for (const uint8_t *end = bytes + len; bytes < end; bytes += PHP_LEVERET_ROOM_SPARE) {
		memcpy(to, bytes, PHP_LEVERET_ROOM_SPARE);
		to += PHP_LEVERET_ROOM_SPARE;
	}
}

static inline bool compact_take_number(compact_reader *from, uint32_t *number)
{
	uint64_t value = 0;
	for (int shift = 0; shift < 7 * LEVERET_COMPACT_NUMBER_LEN_MAX; shift += 7) {
		if (UNEXPECTED(from->at == from->end)) {
			return false;
		}
		uint8_t byte = *from->at++;
		value |= (uint64_t) (byte & 0x7F) << shift;
		if (byte < 0x80) {
			*number = (uint32_t) value;
			return value <= UINT32_MAX;
		}
	}
	return false;
}

/* --- what compact_objects.c asks of compact_read.c --- */

/* The next value. False: *to is not set. */
bool php_leveret_compact_value(compact_reader *from, zval *to);
/* The next string, which is held until the value is read: it may have a number, and is no part of the value. NULL: there is
 * none. */
zend_string *php_leveret_compact_name(compact_reader *from);
/* The next class, without anything in it. Others may move. */
compact_class *php_leveret_compact_add_class(compact_reader *from);
/* A table of the next `count` names of properties; NULL: they are none. Then their values; false: the table is gone. */
zend_array *php_leveret_compact_keys(compact_reader *from, uint32_t count);
bool php_leveret_compact_values(compact_reader *from, zend_array *properties);
/* The next values under the same keys. */
zend_array *php_leveret_compact_like(compact_reader *from, const zend_array *like);

#endif
