/* codec/igbinary_format.h: the types of igbinary's format, and its numbers. */
#ifndef PHP_LEVERET_CODEC_IGBINARY_FORMAT_H
#define PHP_LEVERET_CODEC_IGBINARY_FORMAT_H

#include "php.h"

/* Of types with a length, a count or a number in 1, 2 or 4 bytes, the first and the last are named. */
enum {
	NOTHING = 0x00,
	REF8 = 0x01,
	REF32 = 0x03,
	NO = 0x04,
	YES = 0x05,
	LONG8P = 0x06,
	LONG32N = 0x0b,
	DOUBLE = 0x0c,
	EMPTY_STRING = 0x0d,
	STRING_ID8 = 0x0e,
	STRING_ID32 = 0x10,
	STRING8 = 0x11,
	STRING32 = 0x13,
	ARRAY8 = 0x14,
	ARRAY32 = 0x16,
	OBJECT8 = 0x17,
	OBJECT32 = 0x19,
	OBJECT_ID8 = 0x1a,
	OBJECT_ID32 = 0x1c,
	SERIALIZABLE8 = 0x1d,
	SERIALIZABLE32 = 0x1f,
	LONG64P = 0x20,
	LONG64N = 0x21,
	OBJECT_REF8 = 0x22,
	OBJECT_REF32 = 0x24,
	PHP_REFERENCE = 0x25,
	STRING64 = 0x26,
	ENUM_CASE = 0x27
};

/* A number of 1, 2, 4 or 8 bytes, the high one first. */
static zend_always_inline bool php_leveret_igbinary_number(
	const uint8_t **at, const uint8_t *end, int power, uint64_t *number)
{
	const uint8_t *from = *at;
	size_t width = (size_t) 1 << power;
	if (UNEXPECTED(width > (size_t) (end - from))) {
		return false;
	}
	uint64_t value = *from;
	for (size_t i = 1; UNEXPECTED(i < width); i++) {
		value = value << 8 | from[i];
	}
	*at = from + width;
	*number = value;
	return true;
}

static zend_always_inline bool php_leveret_igbinary_is_integer(uint8_t type)
{
	return (type >= LONG8P && type <= LONG32N) || type == LONG64P || type == LONG64N;
}

/* Of an integer's number; of each two types the second is for negative ones. */
static zend_always_inline int php_leveret_igbinary_power(uint8_t type)
{
	return type >= LONG64P ? 3 : (type - LONG8P) / 2;
}

#endif
