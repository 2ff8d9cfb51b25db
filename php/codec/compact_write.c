/* codec/compact_write.c: arrays of null, bool, int, float, string and array in the compact form, in one pass.
 *
 * A string that came before is written as its number, and so are the keys of an array. Both are looked for in small
 * tables with one place for each hash: an entry that has lost its place is written again, which costs bytes only.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "compact_write.h"
#include "compact_format.h"
#include "cost.h"

#define STRING_PLACES_FIRST 64
#define STRING_PLACES_MAX 8192
#define SHAPE_PLACES 32
#define LEN_FIRST 256
/* Longer blocks are not asked for unless memory_limit has room for them. */
#define LEN_FREE (1024 * 1024)
#define LEN_MAX (1024 * 1024 * 1024)

typedef struct string_place {
	zend_string *string;
	uint32_t number;
} string_place;

typedef struct shape_place {
	const zend_array *array;
	uint32_t number;
} shape_place;

typedef struct writer {
	uint8_t *block, *at, *end;
	uint32_t strings, shapes; /* how many have a number */
	uint32_t places_max;      /* a power of two */
	string_place *places;
	shape_place shape_places[SHAPE_PLACES];
	string_place first[STRING_PLACES_FIRST];
} writer;

/* --- bytes --- */

static zend_never_inline bool grow(writer *to, size_t more)
{
	size_t len = (size_t) (to->at - to->block), max = 2 * (len + more);
	if (max > LEN_MAX || (max > LEN_FREE && max + PHP_LEVERET_PAGE > php_leveret_memory_left_for_block())) {
		return false;
	}
	to->block = erealloc2(to->block, max, len);
	to->at = to->block + len;
	to->end = to->block + max;
	return true;
}

static zend_always_inline bool reserve(writer *to, size_t more)
{
	return EXPECTED(more <= (size_t) (to->end - to->at)) || grow(to, more);
}

static zend_always_inline void put(writer *to, const void *bytes, size_t len)
{
	memcpy(to->at, bytes, len);
	to->at += len;
}

static zend_always_inline void put_number(writer *to, uint32_t number)
{
	while (number >= 0x80) {
		*to->at++ = (uint8_t) (number | 0x80);
		number >>= 7;
	}
	*to->at++ = (uint8_t) number;
}

/* --- values --- */

static zend_always_inline bool write_integer(writer *to, zend_long integer)
{
	if (!reserve(to, 1 + sizeof(integer))) {
		return false;
	}
	if (integer >= 0 && integer < 64) {
		*to->at++ = (uint8_t) (COMPACT_INT + integer);
	} else if (integer == (int8_t) integer) {
		*to->at++ = COMPACT_INT8;
		*to->at++ = (uint8_t) integer;
	} else if (integer == (int16_t) integer) {
		int16_t narrow = (int16_t) integer;
		*to->at++ = COMPACT_INT16;
		put(to, &narrow, sizeof(narrow));
	} else if (integer == (int32_t) integer) {
		int32_t narrow = (int32_t) integer;
		*to->at++ = COMPACT_INT32;
		put(to, &narrow, sizeof(narrow));
	} else {
		int64_t wide = integer;
		*to->at++ = COMPACT_INT64;
		put(to, &wide, sizeof(wide));
	}
	return true;
}

static zend_always_inline string_place *place_of(const writer *to, zend_ulong hash)
{
	return &to->places[(hash ^ hash >> 17) & (to->places_max - 1)];
}

/* Four times as many places; the strings move to theirs. */
static zend_never_inline void grow_places(writer *to)
{
	string_place *old = to->places;
	uint32_t count = to->places_max;
	to->places_max *= 4;
	to->places = ecalloc(to->places_max, sizeof(*to->places));
	for (uint32_t i = 0; i < count; i++) {
		if (old[i].string) {
			*place_of(to, ZSTR_H(old[i].string)) = old[i];
		}
	}
	if (old != to->first) {
		efree(old);
	}
}

static zend_always_inline bool write_string(writer *to, zend_string *string)
{
	size_t len = ZSTR_LEN(string);
	if (UNEXPECTED(len > UINT32_MAX) || !reserve(to, 1 + COMPACT_NUMBER_LEN_MAX + len)) {
		return false;
	}
	if (UNEXPECTED(len <= 1)) {
		*to->at++ = len ? COMPACT_BYTE : COMPACT_EMPTY_STRING;
	} else if (len > COMPACT_STRING_MAX) {
		*to->at++ = COMPACT_LONG_STRING;
		put_number(to, (uint32_t) len);
	} else {
		string_place *place = place_of(to, zend_string_hash_val(string));
		if (place->string && zend_string_equals(place->string, string)) {
			if (EXPECTED(place->number < COMPACT_STRINGS_NEAR)) {
				*to->at++ = (uint8_t) (COMPACT_STRING_AT | place->number >> 8);
				*to->at++ = (uint8_t) place->number;
			} else {
				*to->at++ = COMPACT_STRING_ID;
				put_number(to, place->number);
			}
			return true;
		}
		place->string = string;
		place->number = to->strings++;
		if (UNEXPECTED(to->strings > to->places_max && to->places_max < STRING_PLACES_MAX)) {
			grow_places(to);
		}
		*to->at++ = (uint8_t) (COMPACT_BYTE + len - 1);
	}
	put(to, ZSTR_VAL(string), len);
	return true;
}

static bool write_array(writer *to, const zend_array *array, int depth);

static zend_always_inline bool write_value(writer *to, const zval *value, int depth)
{
	if (UNEXPECTED(Z_TYPE_P(value) == IS_REFERENCE)) {
		/* No other variable refers to it: it is a plain value. */
		if (Z_REFCOUNT_P(value) != 1) {
			return false;
		}
		value = Z_REFVAL_P(value);
	}
	switch (Z_TYPE_P(value)) {
		case IS_STRING:
			return write_string(to, Z_STR_P(value));
		case IS_LONG:
			return write_integer(to, Z_LVAL_P(value));
		case IS_ARRAY:
			return write_array(to, Z_ARR_P(value), depth + 1);
		default:
			break;
	}
	if (!reserve(to, 1 + sizeof(double))) {
		return false;
	}
	switch (Z_TYPE_P(value)) {
		case IS_NULL:
			*to->at++ = COMPACT_NULL;
			return true;
		case IS_FALSE:
			*to->at++ = COMPACT_FALSE;
			return true;
		case IS_TRUE:
			*to->at++ = COMPACT_TRUE;
			return true;
		case IS_DOUBLE:
			*to->at++ = COMPACT_FLOAT;
			put(to, &Z_DVAL_P(value), sizeof(double));
			return true;
		default:
			return false;
	}
}

/* --- arrays --- */

static bool write_list(writer *to, const zend_array *array, int depth)
{
	if (!reserve(to, 1 + COMPACT_NUMBER_LEN_MAX)) {
		return false;
	}
	*to->at++ = COMPACT_LIST;
	put_number(to, array->nNumUsed);
	for (uint32_t i = 0; i < array->nNumUsed; i++) {
		if (!write_value(to, HT_IS_PACKED(array) ? &array->arPacked[i] : &array->arData[i].val, depth)) {
			return false;
		}
	}
	return true;
}

/* Both without holes. */
static zend_always_inline bool have_same_keys(const zend_array *one, const zend_array *other)
{
	if (one->nNumUsed != other->nNumUsed) {
		return false;
	}
	for (uint32_t i = 0; i < one->nNumUsed; i++) {
		const Bucket *a = &one->arData[i], *b = &other->arData[i];
		if (a->h != b->h || (a->key != b->key && (!a->key || !b->key || !zend_string_equal_content(a->key, b->key)))) {
			return false;
		}
	}
	return true;
}

/* PHP makes integers of such names; one that has come in all the same is for PHP's serializer. */
static bool is_integer(const zend_string *key)
{
	zend_ulong index;
	return ZEND_HANDLE_NUMERIC_STR(ZSTR_VAL(key), ZSTR_LEN(key), index);
}

static bool write_new_keys(writer *to, const zend_array *array)
{
	if (!reserve(to, 1 + COMPACT_NUMBER_LEN_MAX)) {
		return false;
	}
	*to->at++ = COMPACT_NEW_SHAPE;
	put_number(to, array->nNumOfElements);
	zend_ulong index;
	zend_string *key;
	ZEND_HASH_FOREACH_KEY((zend_array *) array, index, key) {
		if (!(key ? !is_integer(key) && write_string(to, key) : write_integer(to, (zend_long) index))) {
			return false;
		}
	}
	ZEND_HASH_FOREACH_END();
	to->shapes++;
	return true;
}

/* Gives the keys a number, or writes the one that they have. */
static bool write_keys(writer *to, const zend_array *array)
{
	/* Of an array with holes the buckets cannot be compared one by one. */
	if (HT_IS_PACKED(array) || !HT_IS_WITHOUT_HOLES(array)) {
		return write_new_keys(to, array);
	}
	zend_ulong hash = array->arData[0].h ^ array->arData[array->nNumUsed - 1].h << 1 ^ array->nNumUsed;
	shape_place *place = &to->shape_places[(hash ^ hash >> 13) % SHAPE_PLACES];
	if (place->array && have_same_keys(place->array, array)) {
		if (!reserve(to, 1 + COMPACT_NUMBER_LEN_MAX)) {
			return false;
		}
		if (EXPECTED(place->number < COMPACT_SHAPES_NEAR)) {
			*to->at++ = (uint8_t) (COMPACT_SHAPE_AT + place->number);
		} else {
			*to->at++ = COMPACT_SHAPE_ID;
			put_number(to, place->number);
		}
		return true;
	}
	place->array = array;
	place->number = to->shapes;
	return write_new_keys(to, array);
}

static bool is_list(const zend_array *array)
{
	if (!HT_IS_WITHOUT_HOLES(array)) {
		return false;
	}
	return HT_IS_PACKED(array) || (!array->arData[0].key && zend_array_is_list((zend_array *) array));
}

static bool write_array(writer *to, const zend_array *array, int depth)
{
	if (UNEXPECTED(array->nNumOfElements == 0)) {
		if (!reserve(to, 1)) {
			return false;
		}
		*to->at++ = COMPACT_EMPTY_LIST;
		return true;
	}
	if (UNEXPECTED(depth > COMPACT_DEPTH_MAX)) {
		return false;
	}
	if (is_list(array)) {
		return write_list(to, array, depth);
	}
	if (!write_keys(to, array)) {
		return false;
	}
	const zval *value;
	ZEND_HASH_FOREACH_VAL((zend_array *) array, value) {
		if (!write_value(to, value, depth)) {
			return false;
		}
	}
	ZEND_HASH_FOREACH_END();
	return true;
}

uint8_t *php_leveret_compact_write(const zend_array *array, size_t *len)
{
	writer to;
	to.block = to.at = emalloc(LEN_FIRST);
	to.end = to.block + LEN_FIRST;
	to.strings = to.shapes = 0;
	to.places_max = STRING_PLACES_FIRST;
	to.places = to.first;
	memset(to.first, 0, sizeof(to.first));
	memset(to.shape_places, 0, sizeof(to.shape_places));

	put(&to, COMPACT_HEAD, COMPACT_HEAD_LEN);
	bool written = write_array(&to, array, 1);
	if (to.places != to.first) {
		efree(to.places);
	}
	if (!written) {
		efree(to.block);
		return NULL;
	}
	*len = (size_t) (to.at - to.block);
	return to.block;
}
