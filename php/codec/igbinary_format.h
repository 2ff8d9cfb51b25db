/* codec/igbinary_format.h: the types of igbinary's format. */
#ifndef PHP_LEVERET_CODEC_IGBINARY_FORMAT_H
#define PHP_LEVERET_CODEC_IGBINARY_FORMAT_H

/* Of types with a length, a count or a number in 1, 2 or 4 bytes, the first and the last are named. */
enum {
	NOTHING = 0x00, REF8 = 0x01, REF32 = 0x03, NO = 0x04, YES = 0x05, LONG8P = 0x06, LONG32N = 0x0b, DOUBLE = 0x0c, EMPTY_STRING = 0x0d,
	STRING_ID8 = 0x0e, STRING_ID32 = 0x10, STRING8 = 0x11, STRING32 = 0x13, ARRAY8 = 0x14, ARRAY32 = 0x16, OBJECT8 = 0x17, OBJECT32 = 0x19,
	OBJECT_ID8 = 0x1a, OBJECT_ID32 = 0x1c, SERIALIZABLE8 = 0x1d, SERIALIZABLE32 = 0x1f, LONG64P = 0x20, LONG64N = 0x21,
	OBJECT_REF8 = 0x22, OBJECT_REF32 = 0x24, PHP_REFERENCE = 0x25, STRING64 = 0x26, ENUM_CASE = 0x27
};

#endif
