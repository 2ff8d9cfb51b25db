/* codec/compact_read.c: the compact form as arrays of the request's heap.
 *
 * Nothing in the bytes is believed. An array whose keys came before gets a copy of the hash table that was made of them,
 * so no key is hashed or looked for twice.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "compact_read.h"
#include "compact_format.h"
#include "cost.h"
#include "row.h"

/* Strings and keys that are numbered before the heap is asked for room. */
#define STRINGS_FIRST 128
#define SHAPES_FIRST 16

typedef struct reader {
	const uint8_t *at, *end;
	php_leveret_rows rows; /* what it may cost */
	/* By their numbers. The value that is being made holds each of them. */
	zend_string **strings;
	const zend_array **shapes;
	uint32_t strings_len, strings_max, shapes_len, shapes_max;
	zend_string *strings_first[STRINGS_FIRST];
	const zend_array *shapes_first[SHAPES_FIRST];
} reader;

static zend_always_inline size_t bytes_left(const reader *from)
{
	return (size_t) (from->end - from->at);
}

static zend_always_inline bool take(reader *from, void *to, size_t len)
{
	if (UNEXPECTED(len > bytes_left(from))) {
		return false;
	}
	memcpy(to, from->at, len);
	from->at += len;
	return true;
}

static bool take_number(reader *from, uint32_t *number)
{
	uint64_t value = 0;
	for (int shift = 0; shift < 7 * COMPACT_NUMBER_LEN_MAX; shift += 7) {
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

/* --- strings --- */

static zend_never_inline void grow_strings(reader *from)
{
	uint32_t max = from->strings_max * 4;
	if (from->strings == from->strings_first) {
		from->strings = safe_emalloc(max, sizeof(*from->strings), 0);
		memcpy(from->strings, from->strings_first, sizeof(from->strings_first));
	} else {
		from->strings = safe_erealloc(from->strings, max, sizeof(*from->strings), 0);
	}
	from->strings_max = max;
}

static zend_always_inline void number_string(reader *from, zend_string *string)
{
	if (UNEXPECTED(from->strings_len == from->strings_max)) {
		grow_strings(from);
	}
	from->strings[from->strings_len++] = string;
}

/* With its place among the strings by number, of which there are two tables while that grows. */
static zend_always_inline bool pay_for_string(reader *from, size_t len)
{
	return php_leveret_rows_pay(&from->rows, php_leveret_string_cost(len) + 5 * sizeof(*from->strings));
}

/* A string with a count for the caller, or NULL. Of two bytes and more where no number is given to it. */
static zend_always_inline zend_string *new_string(reader *from, size_t len)
{
	if (UNEXPECTED(len > bytes_left(from)) || !pay_for_string(from, len)) {
		return NULL;
	}
	zend_string *string = zend_string_init((const char *) from->at, len, 0);
	from->at += len;
	return string;
}

static zend_always_inline zend_string *known_string(const reader *from, uint32_t number)
{
	return EXPECTED(number < from->strings_len) ? zend_string_copy(from->strings[number]) : NULL;
}

static zend_never_inline zend_string *read_rare_string(reader *from, uint8_t tag)
{
	uint32_t number;
	switch (tag) {
		case COMPACT_EMPTY_STRING:
			return ZSTR_EMPTY_ALLOC();
		case COMPACT_BYTE:
			return from->at < from->end ? ZSTR_CHAR(*from->at++) : NULL;
		case COMPACT_LONG_STRING:
			return take_number(from, &number) ? new_string(from, number) : NULL;
		case COMPACT_STRING_ID:
			return take_number(from, &number) ? known_string(from, number) : NULL;
		default:
			return NULL;
	}
}

/* Of the tags from COMPACT_BYTE to below COMPACT_SHAPE_AT. */
static zend_always_inline zend_string *read_near_string(reader *from, uint8_t tag)
{
	if (tag >= COMPACT_STRING_AT) {
		if (UNEXPECTED(from->at == from->end)) {
			return NULL;
		}
		return known_string(from, (uint32_t) (tag - COMPACT_STRING_AT) << 8 | *from->at++);
	}
	if (UNEXPECTED(tag == COMPACT_BYTE)) {
		return read_rare_string(from, tag);
	}
	zend_string *string = new_string(from, (size_t) (tag - COMPACT_BYTE) + 1);
	if (EXPECTED(string)) {
		number_string(from, string);
	}
	return string;
}

/* A key that the script names anywhere is there already: then its array holds no count of it. */
static zend_string *read_key_string(reader *from, uint8_t tag)
{
	if (tag >= COMPACT_STRING && tag < COMPACT_STRING_AT) {
		size_t len = (size_t) (tag - COMPACT_BYTE) + 1;
		if (UNEXPECTED(len > bytes_left(from)) || !pay_for_string(from, len)) {
			return NULL;
		}
		zend_string *key = zend_string_init_existing_interned((const char *) from->at, len, false);
		from->at += len;
		number_string(from, key);
		return key;
	}
	return tag >= COMPACT_BYTE && tag < COMPACT_SHAPE_AT ? read_near_string(from, tag) : read_rare_string(from, tag);
}

/* --- values --- */

static bool read_integer(reader *from, uint8_t tag, zend_long *integer)
{
	int8_t byte;
	int16_t narrow;
	int32_t wide;
	int64_t widest;
	switch (tag) {
		case COMPACT_INT8:
			return take(from, &byte, sizeof(byte)) && (*integer = byte, true);
		case COMPACT_INT16:
			return take(from, &narrow, sizeof(narrow)) && (*integer = narrow, true);
		case COMPACT_INT32:
			return take(from, &wide, sizeof(wide)) && (*integer = wide, true);
		case COMPACT_INT64:
			return take(from, &widest, sizeof(widest)) && (*integer = (zend_long) widest, *integer == widest);
		default:
			return false;
	}
}

static bool read_list(reader *from, zval *to);
static bool read_new_shape(reader *from, zval *to);
static bool read_shape(reader *from, uint32_t number, zval *to);

/* Tags without an operand in them. False: *to is not set. */
static zend_always_inline bool read_tagged(reader *from, uint8_t tag, zval *to)
{
	zend_string *string;
	uint32_t number;
	switch (tag) {
		case COMPACT_NULL:
			ZVAL_NULL(to);
			return true;
		case COMPACT_FALSE:
			ZVAL_FALSE(to);
			return true;
		case COMPACT_TRUE:
			ZVAL_TRUE(to);
			return true;
		case COMPACT_INT8:
		case COMPACT_INT16:
		case COMPACT_INT32:
		case COMPACT_INT64:
			ZVAL_LONG(to, 0);
			return read_integer(from, tag, &Z_LVAL_P(to));
		case COMPACT_FLOAT:
			ZVAL_DOUBLE(to, 0);
			return take(from, &Z_DVAL_P(to), sizeof(double));
		case COMPACT_EMPTY_STRING:
		case COMPACT_LONG_STRING:
		case COMPACT_STRING_ID:
			string = read_rare_string(from, tag);
			if (UNEXPECTED(!string)) {
				return false;
			}
			ZVAL_STR(to, string);
			return true;
		case COMPACT_EMPTY_LIST:
		case COMPACT_EMPTY_MAP:
			ZVAL_EMPTY_ARRAY(to);
			return true;
		case COMPACT_LIST:
			return read_list(from, to);
		case COMPACT_NEW_SHAPE:
			return read_new_shape(from, to);
		case COMPACT_SHAPE_ID:
			return take_number(from, &number) && read_shape(from, number, to);
		default:
			return false;
	}
}

/* False: *to is not set. */
static zend_always_inline bool compact_read_value(reader *from, zval *to)
{
	if (UNEXPECTED(from->at == from->end)) {
		return false;
	}
	uint8_t tag = *from->at++;
	if (tag < COMPACT_INT) {
		return read_tagged(from, tag, to);
	}
	if (tag < COMPACT_BYTE) {
		ZVAL_LONG(to, tag - COMPACT_INT);
		return true;
	}
	if (tag < COMPACT_SHAPE_AT) {
		zend_string *string = read_near_string(from, tag);
		if (UNEXPECTED(!string)) {
			return false;
		}
		ZVAL_STR(to, string);
		return true;
	}
	return read_shape(from, tag - COMPACT_SHAPE_AT, to);
}

/* --- arrays --- */

/* Each element has `least` bytes or more. */
static bool begin_array(reader *from, uint32_t count, size_t least, size_t element_cost)
{
	if (UNEXPECTED(count == 0 || count > bytes_left(from) / least || count > HT_MAX_SIZE
			|| from->rows.depth == COMPACT_DEPTH_MAX)
		|| !php_leveret_rows_pay(&from->rows, php_leveret_table_cost(count, element_cost))) {
		return false;
	}
	from->rows.depth++;
	return true;
}

/* The first `count` elements are values, and no more are to come. */
static void drop_array(zend_array *array, uint32_t count)
{
	array->nNumUsed = array->nNumOfElements = count;
	zend_array_destroy(array);
}

static bool read_list(reader *from, zval *to)
{
	uint32_t count;
	if (!take_number(from, &count) || !begin_array(from, count, 1, sizeof(zval))) {
		return false;
	}
	zend_array *array = zend_new_array(count);
	zend_hash_real_init_packed(array);
	for (uint32_t i = 0; i < count; i++) {
		if (UNEXPECTED(!compact_read_value(from, &array->arPacked[i]))) {
			drop_array(array, i);
			return false;
		}
	}
	array->nNumUsed = array->nNumOfElements = count;
	array->nNextFreeElement = count;
	from->rows.depth--;
	ZVAL_ARR(to, array);
	return true;
}

/* *bucket has a key and a hash. False: the key exists already. */
static zend_always_inline bool link_bucket(zend_array *array, Bucket *bucket)
{
	uint32_t slot = (uint32_t) bucket->h | array->nTableMask;
	uint32_t first = HT_HASH_EX(array->arData, slot);
	for (uint32_t at = first; at != HT_INVALID_IDX; at = Z_NEXT(HT_HASH_TO_BUCKET_EX(array->arData, at)->val)) {
		const Bucket *other = HT_HASH_TO_BUCKET_EX(array->arData, at);
		if (UNEXPECTED(other->h == bucket->h)
			&& (other->key == bucket->key
				|| (other->key && bucket->key && zend_string_equal_content(other->key, bucket->key)))) {
			return false;
		}
	}
	Z_NEXT(bucket->val) = first;
	HT_HASH_EX(array->arData, slot) = HT_IDX_TO_HASH(bucket - array->arData);
	return true;
}

/* The key of the next bucket. False: *bucket has no key that would have to be let go. */
static bool read_key(reader *from, zend_array *array, Bucket *bucket)
{
	if (UNEXPECTED(from->at == from->end)) {
		return false;
	}
	uint8_t tag = *from->at++;
	zend_long index;
	if ((tag >= COMPACT_INT && tag < COMPACT_BYTE) || (tag >= COMPACT_INT8 && tag <= COMPACT_INT64)) {
		index = tag - COMPACT_INT;
		if (tag < COMPACT_INT && !read_integer(from, tag, &index)) {
			return false;
		}
		bucket->key = NULL;
		bucket->h = (zend_ulong) index;
		if (index >= array->nNextFreeElement) {
			array->nNextFreeElement = index < ZEND_LONG_MAX ? index + 1 : ZEND_LONG_MAX;
		}
		return link_bucket(array, bucket);
	}
	bucket->key = read_key_string(from, tag);
	if (UNEXPECTED(!bucket->key)) {
		return false;
	}
	/* PHP would have an integer in its place. */
	zend_ulong number;
	bool good = !ZEND_HANDLE_NUMERIC_STR(ZSTR_VAL(bucket->key), ZSTR_LEN(bucket->key), number);
	bucket->h = zend_string_hash_val(bucket->key);
	if (UNEXPECTED(!good || !link_bucket(array, bucket))) {
		zend_string_release(bucket->key);
		return false;
	}
	if (!ZSTR_IS_INTERNED(bucket->key)) {
		HT_FLAGS(array) &= ~HASH_FLAG_STATIC_KEYS;
	}
	return true;
}

static void number_shape(reader *from, const zend_array *array)
{
	if (UNEXPECTED(from->shapes_len == from->shapes_max)) {
		uint32_t max = from->shapes_max * 4;
		bool is_first = from->shapes == from->shapes_first;
		const zend_array **old = is_first ? NULL : from->shapes;
		from->shapes = (const zend_array **) safe_erealloc((void *) old, max, sizeof(*from->shapes), 0);
		if (is_first) {
			memcpy(from->shapes, from->shapes_first, sizeof(from->shapes_first));
		}
		from->shapes_max = max;
	}
	from->shapes[from->shapes_len++] = array;
}

/* All keys, then all values: so an array within may have the same keys. */
static bool read_new_shape(reader *from, zval *to)
{
	uint32_t count;
	if (!take_number(from, &count) || !begin_array(from, count, 2, PHP_LEVERET_ELEMENT_COST)) {
		return false;
	}
	zend_array *array = zend_new_array(count);
	zend_hash_real_init_mixed(array);
	HT_FLAGS(array) |= HASH_FLAG_STATIC_KEYS;
	for (uint32_t i = 0; i < count; i++) {
		Bucket *bucket = &array->arData[i];
		ZVAL_NULL(&bucket->val);
		if (UNEXPECTED(!read_key(from, array, bucket))) {
			drop_array(array, i);
			return false;
		}
	}
	array->nNumUsed = array->nNumOfElements = count;
	number_shape(from, array);
	for (uint32_t i = 0; i < count; i++) {
		if (UNEXPECTED(!compact_read_value(from, &array->arData[i].val))) {
			ZVAL_NULL(&array->arData[i].val);
			zend_array_destroy(array);
			return false;
		}
	}
	from->rows.depth--;
	ZVAL_ARR(to, array);
	return true;
}

static bool read_shape(reader *from, uint32_t number, zval *to)
{
	if (UNEXPECTED(number >= from->shapes_len)) {
		return false;
	}
	const zend_array *like = from->shapes[number];
	uint32_t count = like->nNumUsed;
	if (!begin_array(from, count, 1, PHP_LEVERET_ELEMENT_COST)) {
		return false;
	}
	size_t hash_len = HT_HASH_SIZE(like->nTableMask);
	zend_array *array = emalloc(sizeof(*array));
	char *data = emalloc(HT_SIZE_EX(like->nTableSize, like->nTableMask));
	*array = *like;
	GC_SET_REFCOUNT(array, 1);
	memcpy(data, HT_GET_DATA_ADDR(like), hash_len);
	HT_SET_DATA_ADDR(array, data);
	bool is_static = HT_FLAGS(like) & HASH_FLAG_STATIC_KEYS;
	const Bucket *as = like->arData;
	for (Bucket *bucket = array->arData, *end = bucket + count; bucket < end; bucket++, as++) {
		bucket->h = as->h;
		bucket->key = as->key;
		Z_NEXT(bucket->val) = Z_NEXT(as->val);
		if (UNEXPECTED(!compact_read_value(from, &bucket->val))) {
			drop_array(array, (uint32_t) (bucket - array->arData));
			return false;
		}
		if (!is_static && bucket->key) {
			zend_string_addref(bucket->key);
		}
	}
	from->rows.depth--;
	ZVAL_ARR(to, array);
	return true;
}

bool php_leveret_compact_read(const char *data, size_t len, size_t cost_max, zval *return_value)
{
	reader from;
	if (!php_leveret_is_compact(data, len)) {
		return false;
	}
	from.at = (const uint8_t *) data + COMPACT_HEAD_LEN;
	from.end = (const uint8_t *) data + len;
	from.rows.depth = 0;
	from.rows.left = cost_max;
	from.rows.is_short = false;
	from.strings = from.strings_first;
	from.shapes = from.shapes_first;
	from.strings_len = from.shapes_len = 0;
	from.strings_max = STRINGS_FIRST;
	from.shapes_max = SHAPES_FIRST;

	bool read = compact_read_value(&from, return_value);
	if (read && (from.at != from.end || Z_TYPE_P(return_value) != IS_ARRAY)) {
		zval_ptr_dtor(return_value);
		read = false;
	}
	if (!read) {
		ZVAL_UNDEF(return_value);
	}
	if (from.strings != from.strings_first) {
		efree(from.strings);
	}
	if (from.shapes != from.shapes_first) {
		efree(from.shapes);
	}
	return read;
}
