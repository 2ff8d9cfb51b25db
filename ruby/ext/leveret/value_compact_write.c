/* value_compact_write.c: what JSON can say (value_json.c) in the compact form (docs/array-format.md): readers of other makes
 * get JSON.
 *
 * A string that was written before is written as its number, and so are the keys of a hash. They are compared with the
 * bytes that were written, not with Ruby's objects, which another thread may change. Both are looked for in tables with
 * one place for each hash: what has lost its place is written again.
 */
#include "value.h"

/* Counts and lengths that are written. */
#define COMPACT_LEN_MAX (1 << 30)
#define STRING_PLACES 256
#define SHAPE_PLACES 32
/* Keys of longer hashes are written each time. */
#define SHAPE_LEN_MAX 64
#define LEN_FIRST 512

typedef struct string_place {
	uint32_t hash, at, len, number; /* at: where the bytes are; 0: nothing is here */
} string_place;

typedef struct shape_place {
	uint32_t number, count; /* count: 0: nothing is here */
	uint32_t keys[SHAPE_LEN_MAX];
} shape_place;

/* Lies in a buffer of Ruby's: it is too large for the stack of a small thread. */
typedef struct writer {
	VALUE out;
	char *start, *at, *end; /* of `out` */
	uint32_t strings, shapes;
	string_place string_places[STRING_PLACES];
	shape_place shape_places[SHAPE_PLACES];
} writer;

/* --- bytes --- */

static void grow(writer *writer, size_t more)
{
	long len = writer->at - writer->start;
	rb_str_set_len(writer->out, len);
	/* Ruby gives no more than it is asked for. */
	rb_str_modify_expand(writer->out, len + (long) more);
	writer->start = RSTRING_PTR(writer->out);
	writer->at = writer->start + len;
	writer->end = writer->start + rb_str_capacity(writer->out);
}

static inline void reserve(writer *writer, size_t more)
{
	if (RB_UNLIKELY(more > (size_t) (writer->end - writer->at))) {
		grow(writer, more);
	}
}

static inline void put_byte(writer *writer, uint32_t byte)
{
	*writer->at++ = (char) byte;
}

static inline void put(writer *writer, const void *bytes, size_t len)
{
	memcpy(writer->at, bytes, len);
	writer->at += len;
}

static void put_number(writer *writer, uint32_t number)
{
	while (number >= 0x80) {
		put_byte(writer, number | 0x80);
		number >>= 7;
	}
	put_byte(writer, number);
}

static bool write_tag(writer *writer, uint32_t tag)
{
	reserve(writer, 1);
	put_byte(writer, tag);
	return true;
}

/* --- values --- */

static bool write_value(writer *writer, VALUE value, int depth);

static bool is_writable_text(VALUE string)
{
	return plain_text(string) && RSTRING_LEN(string) <= COMPACT_LEN_MAX;
}

static bool has_number(size_t len)
{
	return len > 1 && len <= LEVERET_COMPACT_STRING_MAX;
}

/* Where a string with a number is, or will be; *is_there says which. */
static string_place *place_of_string(writer *writer, const char *bytes, size_t len, bool *is_there)
{
	uint64_t hash = (uint64_t) rb_memhash(bytes, (long) len);
	string_place *place = &writer->string_places[hash % STRING_PLACES];
	*is_there = place->at && place->len == len && place->hash == (uint32_t) (hash >> 32)
		&& memcmp(writer->start + place->at, bytes, len) == 0;
	if (!*is_there) {
		place->hash = (uint32_t) (hash >> 32);
		place->at = 0;
	}
	return place;
}

static bool write_string(writer *writer, VALUE string)
{
	if (!is_writable_text(string)) {
		return false;
	}
	size_t len = (size_t) RSTRING_LEN(string);
	reserve(writer, len + 1 + LEVERET_COMPACT_NUMBER_LEN_MAX);
	const char *bytes = RSTRING_PTR(string);
	if (has_number(len)) {
		bool is_there;
		string_place *place = place_of_string(writer, bytes, len, &is_there);
		if (is_there && place->number < LEVERET_COMPACT_STRINGS_NEAR) {
			put_byte(writer, LEVERET_COMPACT_STRING_AT | place->number >> 8);
			put_byte(writer, place->number);
			return true;
		}
		if (is_there) {
			put_byte(writer, LEVERET_COMPACT_STRING_ID);
			put_number(writer, place->number);
			return true;
		}
		put_byte(writer, (uint32_t) (LEVERET_COMPACT_BYTE + len - 1));
		place->at = (uint32_t) (writer->at - writer->start);
		place->len = (uint32_t) len;
		place->number = writer->strings++;
	} else if (len <= 1) {
		put_byte(writer, len ? LEVERET_COMPACT_BYTE : LEVERET_COMPACT_EMPTY_STRING);
	} else {
		put_byte(writer, LEVERET_COMPACT_LONG_STRING);
		put_number(writer, (uint32_t) len);
	}
	put(writer, bytes, len);
	RB_GC_GUARD(string);
	return true;
}

static bool write_integer(writer *writer, int64_t number)
{
	int8_t byte = (int8_t) number;
	int16_t narrow = (int16_t) number;
	int32_t wide = (int32_t) number;
	reserve(writer, 1 + sizeof(number));
	if (number >= 0 && number < 64) {
		put_byte(writer, (uint32_t) (LEVERET_COMPACT_INT + number));
	} else if (number == byte) {
		put_byte(writer, LEVERET_COMPACT_INT8);
		put(writer, &byte, sizeof(byte));
	} else if (number == narrow) {
		put_byte(writer, LEVERET_COMPACT_INT16);
		put(writer, &narrow, sizeof(narrow));
	} else if (number == wide) {
		put_byte(writer, LEVERET_COMPACT_INT32);
		put(writer, &wide, sizeof(wide));
	} else {
		put_byte(writer, LEVERET_COMPACT_INT64);
		put(writer, &number, sizeof(number));
	}
	return true;
}

static bool write_float(writer *writer, double number)
{
	reserve(writer, 1 + sizeof(number));
	put_byte(writer, LEVERET_COMPACT_FLOAT);
	put(writer, &number, sizeof(number));
	return isfinite(number);
}

static bool write_array(writer *writer, VALUE array, int depth)
{
	long len = RARRAY_LEN(array);
	if (!plain_array(array) || len > COMPACT_LEN_MAX) {
		return false;
	}
	if (len == 0) {
		return write_tag(writer, LEVERET_COMPACT_EMPTY_LIST);
	}
	reserve(writer, 1 + LEVERET_COMPACT_NUMBER_LEN_MAX);
	put_byte(writer, LEVERET_COMPACT_LIST);
	put_number(writer, (uint32_t) len);
	for (long i = 0; i < len; i++) {
		/* Another thread may have made it shorter. */
		if (i >= RARRAY_LEN(array) || !write_value(writer, RARRAY_AREF(array, i), depth + 1)) {
			return false;
		}
	}
	return true;
}

/* --- hashes --- */

/* A name that PHP may make an integer of has no place among keys. */
static bool is_integer(const char *bytes, long len)
{
	long first = len > 1 && *bytes == '-';
	for (long i = first; i < len; i++) {
		if (bytes[i] < '0' || bytes[i] > '9') {
			return false;
		}
	}
	return len > 0;
}

typedef struct pairs {
	writer *writer;
	int depth;
	bool good;
	uint32_t count; /* to come, or that have come */
	uint32_t known; /* so many keys have a number */
	uint32_t keys[SHAPE_LEN_MAX];
} pairs;

/* A key that has come before adds its number. The shortest ones have none, so theirs are numbers that no other has. */
static void find_key(pairs *pairs, const char *bytes, size_t len)
{
	if (len <= 1) {
		pairs->keys[pairs->known++] = UINT32_MAX - (len ? (uint8_t) *bytes : UINT8_MAX + 1);
	} else if (has_number(len)) {
		bool is_there;
		const string_place *place = place_of_string(pairs->writer, bytes, len, &is_there);
		if (is_there) {
			pairs->keys[pairs->known++] = place->number;
		}
	}
}

static int look_at_key(VALUE key, VALUE value, VALUE context)
{
	pairs *pairs = (void *) context;
	pairs->good = RB_TYPE_P(key, T_STRING) && is_writable_text(key) && !is_integer(RSTRING_PTR(key), RSTRING_LEN(key));
	if (!pairs->good) {
		return ST_STOP;
	}
	if (pairs->known == pairs->count && pairs->count < SHAPE_LEN_MAX) {
		find_key(pairs, RSTRING_PTR(key), (size_t) RSTRING_LEN(key));
	}
	pairs->count++;
	return ST_CONTINUE;
}

/* One of another thread's is one too many. */
static int take_pair(pairs *pairs, bool written)
{
	pairs->good = written && pairs->count > 0;
	pairs->count--;
	return pairs->good ? ST_CONTINUE : ST_STOP;
}

static int write_key(VALUE key, VALUE value, VALUE context)
{
	pairs *pairs = (void *) context;
	return take_pair(pairs, RB_TYPE_P(key, T_STRING) && write_string(pairs->writer, key));
}

static int write_element(VALUE key, VALUE value, VALUE context)
{
	pairs *pairs = (void *) context;
	return take_pair(pairs, write_value(pairs->writer, value, pairs->depth + 1));
}

static bool write_each(pairs *pairs, VALUE hash, int (*write)(VALUE, VALUE, VALUE))
{
	uint32_t count = pairs->count;
	rb_hash_foreach(hash, write, (VALUE) pairs);
	bool written = pairs->good && pairs->count == 0;
	pairs->count = count;
	return written;
}

static shape_place *place_of_shape(writer *writer, const pairs *pairs)
{
	return &writer
				->shape_places[(pairs->count + 7 * pairs->keys[0] + 31 * pairs->keys[pairs->count - 1]) % SHAPE_PLACES];
}

static bool write_known_keys(writer *writer, const pairs *pairs)
{
	if (pairs->known != pairs->count) {
		return false;
	}
	const shape_place *place = place_of_shape(writer, pairs);
	if (place->count != pairs->count || memcmp(place->keys, pairs->keys, pairs->count * sizeof(*pairs->keys)) != 0) {
		return false;
	}
	reserve(writer, 1 + LEVERET_COMPACT_NUMBER_LEN_MAX);
	if (place->number < LEVERET_COMPACT_SHAPES_NEAR) {
		put_byte(writer, LEVERET_COMPACT_SHAPE_AT + place->number);
	} else {
		put_byte(writer, LEVERET_COMPACT_SHAPE_ID);
		put_number(writer, place->number);
	}
	return true;
}

/* The keys get a number, by which they are found as soon as each of them has one itself. */
static bool write_new_keys(pairs *pairs, VALUE hash)
{
	writer *writer = pairs->writer;
	reserve(writer, 1 + LEVERET_COMPACT_NUMBER_LEN_MAX);
	put_byte(writer, LEVERET_COMPACT_NEW_SHAPE);
	put_number(writer, pairs->count);
	if (!write_each(pairs, hash, write_key)) {
		return false;
	}
	uint32_t count = pairs->count;
	pairs->count = pairs->known = 0;
	rb_hash_foreach(hash, look_at_key, (VALUE) pairs);
	if (!pairs->good || pairs->count != count) {
		return false;
	}
	if (pairs->known == count) {
		shape_place *place = place_of_shape(writer, pairs);
		place->number = writer->shapes;
		place->count = count;
		memcpy(place->keys, pairs->keys, count * sizeof(*place->keys));
	}
	writer->shapes++;
	return true;
}

static bool write_hash(writer *writer, VALUE hash, int depth)
{
	if (!plain_hash(hash) || RHASH_SIZE(hash) > COMPACT_LEN_MAX) {
		return false;
	}
	if (RHASH_SIZE(hash) == 0) {
		return write_tag(writer, LEVERET_COMPACT_EMPTY_MAP);
	}
	pairs pairs;
	pairs.writer = writer;
	pairs.depth = depth;
	pairs.good = true;
	pairs.count = pairs.known = 0;
	rb_hash_foreach(hash, look_at_key, (VALUE) &pairs);
	if (!pairs.good || pairs.count == 0) {
		return false;
	}
	return (write_known_keys(writer, &pairs) || write_new_keys(&pairs, hash))
		&& write_each(&pairs, hash, write_element);
}

/* What contains itself is too deep at some point. */
static bool write_value(writer *writer, VALUE value, int depth)
{
	if (depth >= DEPTH_MAX) {
		return false;
	}
	switch (rb_type(value)) {
		case T_STRING:
			return write_string(writer, value);
		case T_FIXNUM:
			return write_integer(writer, FIX2LONG(value));
		case T_FLOAT:
			return write_float(writer, RFLOAT_VALUE(value));
		case T_ARRAY:
			return write_array(writer, value, depth);
		case T_HASH:
			return write_hash(writer, value, depth);
		case T_NIL:
			return write_tag(writer, LEVERET_COMPACT_NULL);
		case T_TRUE:
			return write_tag(writer, LEVERET_COMPACT_TRUE);
		case T_FALSE:
			return write_tag(writer, LEVERET_COMPACT_FALSE);
		default:
			return false;
	}
}

bool compact_write(VALUE value, VALUE *bytes)
{
	VALUE held;
	writer *writer = rb_alloc_tmp_buffer(&held, sizeof(*writer));
	writer->strings = writer->shapes = 0;
	memset(writer->string_places, 0, sizeof(writer->string_places));
	for (int i = 0; i < SHAPE_PLACES; i++) {
		writer->shape_places[i].count = 0;
	}
	writer->out = rb_str_buf_new(LEN_FIRST);
	writer->start = writer->at = RSTRING_PTR(writer->out);
	writer->end = writer->start + rb_str_capacity(writer->out);
	put_byte(writer, LEVERET_COMPACT_MAGIC);
	put_byte(writer, LEVERET_COMPACT_PLAIN);
	VALUE out = writer->out;
	bool written = write_value(writer, value, 0) && writer->at - writer->start <= COMPACT_LEN_MAX;
	rb_str_set_len(out, writer->at - writer->start);
	rb_free_tmp_buffer(&held);
	*bytes = out;
	RB_GC_GUARD(out);
	return written;
}
