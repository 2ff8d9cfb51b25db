/* value_compact.c: the compact form of arrays (docs/array-format.md). Lists are Arrays, maps are Hashes whose keys are
 * Strings and Integers. Every length and count is checked.
 */
#include "value.h"

/* Undefined wherever the bytes are damaged. */
typedef struct reader {
	const uint8_t *at, *end;
	VALUE strings; /* Strings by their numbers */
	VALUE shapes;  /* Arrays of keys by theirs */
	problem why;
} reader;

bool compact_is(VALUE bytes)
{
	const uint8_t *at = (const uint8_t *) RSTRING_PTR(bytes);
	return RSTRING_LEN(bytes) > LEVERET_COMPACT_HEAD_LEN && at[0] == LEVERET_COMPACT_MAGIC
		&& (at[1] == LEVERET_COMPACT_PLAIN || at[1] == LEVERET_COMPACT_WITH_OBJECTS);
}

static size_t left(const reader *reader)
{
	return (size_t) (reader->end - reader->at);
}

static bool take(reader *reader, void *to, size_t len)
{
	if (len > left(reader)) {
		return false;
	}
	memcpy(to, reader->at, len);
	reader->at += len;
	return true;
}

/* Seven bits a byte, the low ones first. */
static bool take_number(reader *reader, uint32_t *number)
{
	uint64_t value = 0;
	uint8_t byte = 0x80;
	for (int shift = 0; shift < 35 && byte >= 0x80; shift += 7) {
		if (!take(reader, &byte, 1)) {
			return false;
		}
		value |= (uint64_t) (byte & 0x7F) << shift;
	}
	*number = (uint32_t) value;
	return byte < 0x80 && value <= UINT32_MAX;
}

static VALUE new_string(reader *reader, size_t len)
{
	if (len > left(reader)) {
		return Qundef;
	}
	VALUE string = rb_utf8_str_new((const char *) reader->at, (long) len);
	reader->at += len;
	if (rb_enc_str_coderange(string) == ENC_CODERANGE_BROKEN) {
		rb_enc_associate(string, rb_ascii8bit_encoding());
	}
	return string;
}

/* A String of the caller's own: Ruby's can be changed. */
static VALUE known_string(const reader *reader, uint32_t number)
{
	return number < (size_t) RARRAY_LEN(reader->strings) ? rb_str_dup(RARRAY_AREF(reader->strings, number)) : Qundef;
}

static VALUE read_string(reader *reader, uint8_t tag)
{
	uint32_t number;
	uint8_t low;
	if (tag >= LEVERET_COMPACT_STRING_AT && tag < LEVERET_COMPACT_SHAPE_AT) {
		return take(reader, &low, 1) ? known_string(reader, (uint32_t) (tag - LEVERET_COMPACT_STRING_AT) << 8 | low)
									 : Qundef;
	}
	if (tag >= LEVERET_COMPACT_BYTE && tag < LEVERET_COMPACT_STRING_AT) {
		VALUE string = new_string(reader, (size_t) (tag - LEVERET_COMPACT_BYTE) + 1);
		if (string != Qundef && tag > LEVERET_COMPACT_BYTE) {
			rb_ary_push(reader->strings, string);
			string = rb_str_dup(string);
		}
		return string;
	}
	switch (tag) {
		case LEVERET_COMPACT_EMPTY_STRING:
			return new_string(reader, 0);
		case LEVERET_COMPACT_LONG_STRING:
			return take_number(reader, &number) ? new_string(reader, number) : Qundef;
		case LEVERET_COMPACT_STRING_ID:
			return take_number(reader, &number) ? known_string(reader, number) : Qundef;
		default:
			return Qundef;
	}
}

static bool is_integer(uint8_t tag)
{
	return (tag >= LEVERET_COMPACT_INT && tag < LEVERET_COMPACT_BYTE)
		|| (tag >= LEVERET_COMPACT_INT8 && tag <= LEVERET_COMPACT_INT64);
}

static VALUE read_integer(reader *reader, uint8_t tag)
{
	int8_t byte;
	int16_t narrow;
	int32_t wide;
	int64_t widest;
	switch (tag) {
		case LEVERET_COMPACT_INT8:
			return take(reader, &byte, sizeof(byte)) ? INT2FIX(byte) : Qundef;
		case LEVERET_COMPACT_INT16:
			return take(reader, &narrow, sizeof(narrow)) ? INT2FIX(narrow) : Qundef;
		case LEVERET_COMPACT_INT32:
			return take(reader, &wide, sizeof(wide)) ? LL2NUM(wide) : Qundef;
		case LEVERET_COMPACT_INT64:
			return take(reader, &widest, sizeof(widest)) ? LL2NUM(widest) : Qundef;
		default:
			return INT2FIX(tag - LEVERET_COMPACT_INT);
	}
}

static VALUE read_value(reader *reader, int depth);

static VALUE read_list(reader *reader, int depth)
{
	uint32_t count;
	if (!take_number(reader, &count) || count == 0 || count > left(reader)) {
		return Qundef;
	}
	VALUE list = rb_ary_new_capa(count);
	while (count--) {
		VALUE value = read_value(reader, depth + 1);
		if (value == Qundef) {
			return Qundef;
		}
		rb_ary_push(list, value);
	}
	return list;
}

/* An Array of frozen Strings and of Integers, and a number for it. */
static VALUE read_keys(reader *reader)
{
	uint32_t count;
	uint8_t tag;
	if (!take_number(reader, &count) || count == 0 || count > left(reader) / 2) {
		return Qundef;
	}
	VALUE keys = rb_ary_new_capa(count);
	while (count--) {
		if (!take(reader, &tag, 1)) {
			return Qundef;
		}
		VALUE key = is_integer(tag) ? read_integer(reader, tag) : read_string(reader, tag);
		if (key == Qundef) {
			return Qundef;
		}
		rb_ary_push(keys, RB_TYPE_P(key, T_STRING) ? rb_str_freeze(key) : key);
	}
	rb_ary_push(reader->shapes, keys);
	return keys;
}

static VALUE read_map(reader *reader, VALUE keys, int depth)
{
	long count = RARRAY_LEN(keys);
	VALUE map = rb_hash_new();
	if ((size_t) count > left(reader)) {
		return Qundef;
	}
	for (long i = 0; i < count; i++) {
		VALUE value = read_value(reader, depth + 1);
		if (value == Qundef) {
			return Qundef;
		}
		rb_hash_aset(map, RARRAY_AREF(keys, i), value);
	}
	RB_GC_GUARD(keys);
	/* A key that comes twice. */
	return RHASH_SIZE(map) == (size_t) count ? map : Qundef;
}

static VALUE read_known_map(reader *reader, uint32_t number, int depth)
{
	return number < (size_t) RARRAY_LEN(reader->shapes) ? read_map(reader, RARRAY_AREF(reader->shapes, number), depth)
														: Qundef;
}

/* `depth`: of an array, if this is one. */
static VALUE read_value(reader *reader, int depth)
{
	uint8_t tag;
	uint32_t number;
	double real;
	VALUE keys;
	if (!take(reader, &tag, 1)) {
		return Qundef;
	}
	if (is_integer(tag)) {
		return read_integer(reader, tag);
	}
	if ((tag >= LEVERET_COMPACT_BYTE && tag < LEVERET_COMPACT_SHAPE_AT)
		|| (tag >= LEVERET_COMPACT_EMPTY_STRING && tag <= LEVERET_COMPACT_STRING_ID)) {
		return read_string(reader, tag);
	}
	switch (tag) {
		case LEVERET_COMPACT_NULL:
			return Qnil;
		case LEVERET_COMPACT_FALSE:
			return Qfalse;
		case LEVERET_COMPACT_TRUE:
			return Qtrue;
		case LEVERET_COMPACT_FLOAT:
			return take(reader, &real, sizeof(real)) ? DBL2NUM(real) : Qundef;
		case LEVERET_COMPACT_EMPTY_LIST:
			return rb_ary_new();
		case LEVERET_COMPACT_EMPTY_MAP:
			return rb_hash_new();
		default:
			break;
	}
	if (depth > LEVERET_COMPACT_DEPTH_MAX) {
		return Qundef;
	}
	if (tag >= LEVERET_COMPACT_SHAPE_AT) {
		return read_known_map(reader, tag - LEVERET_COMPACT_SHAPE_AT, depth);
	}
	switch (tag) {
		case LEVERET_COMPACT_LIST:
			return read_list(reader, depth);
		case LEVERET_COMPACT_NEW_SHAPE:
			keys = read_keys(reader);
			return keys == Qundef ? Qundef : read_map(reader, keys, depth);
		case LEVERET_COMPACT_SHAPE_ID:
			return take_number(reader, &number) ? read_known_map(reader, number, depth) : Qundef;
		case LEVERET_COMPACT_NEW_OBJECT:
		case LEVERET_COMPACT_OBJECT_ID:
		case LEVERET_COMPACT_ENUM_CASE:
			reader->why = "it holds an object of PHP";
			return Qundef;
		default:
			return Qundef;
	}
}

problem compact_read(VALUE bytes, VALUE *value)
{
	reader reader = {
		.at = (const uint8_t *) RSTRING_PTR(bytes) + LEVERET_COMPACT_HEAD_LEN,
		.end = (const uint8_t *) RSTRING_END(bytes),
		.strings = rb_ary_new(),
		.shapes = rb_ary_new(),
	};
	*value = read_value(&reader, 1);
	bool is_whole =
		*value != Qundef && reader.at == reader.end && (RB_TYPE_P(*value, T_ARRAY) || RB_TYPE_P(*value, T_HASH));
	RB_GC_GUARD(bytes);
	RB_GC_GUARD(reader.strings);
	RB_GC_GUARD(reader.shapes);
	return is_whole ? NULL : reader.why ? reader.why : "its array in compact form is damaged";
}
