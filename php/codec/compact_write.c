/* codec/compact_write.c: arrays and plain objects of null, bool, int, float, string and the like in the compact form, in
 * one pass.
 *
 * A string that came before is written as its number, and so are the keys of an array, and a class with its properties.
 * They are looked for in small tables with one place for each hash: an entry that has lost its place is written again,
 * which costs bytes only.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "compact_write.h"
#include "compact_format.h"
#include "cost.h"
#include "plain_class.h"

#define STRING_PLACES_FIRST 64
#define STRING_PLACES_MAX 8192
#define SHAPE_PLACES 32
#define CLASS_PLACES 16
/* A longer name gets no number: the text for other makes repeats it each time, and would be much longer than the form. */
#define NAME_MAX_LEN 128
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

typedef struct class_place {
	const zend_class_entry *ce;
	const zend_array *properties; /* of objects of stdClass */
	uint32_t number;
} class_place;

typedef struct writer {
	uint8_t *block, *at, *end;
	bool has_objects;
	uint32_t strings, shapes, classes; /* how many have a number */
	uint32_t places_max;               /* a power of two */
	HashTable *shared;                 /* objects that may come again; NULL: there is none */
	uint32_t shared_arrays;            /* arrays around, that may come again with all that is in them */
	class_place class_places[CLASS_PLACES];
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
		*to->at++ = (uint8_t) (LEVERET_COMPACT_INT + integer);
	} else if (integer == (int8_t) integer) {
		*to->at++ = LEVERET_COMPACT_INT8;
		*to->at++ = (uint8_t) integer;
	} else if (integer == (int16_t) integer) {
		int16_t narrow = (int16_t) integer;
		*to->at++ = LEVERET_COMPACT_INT16;
		put(to, &narrow, sizeof(narrow));
	} else if (integer == (int32_t) integer) {
		int32_t narrow = (int32_t) integer;
		*to->at++ = LEVERET_COMPACT_INT32;
		put(to, &narrow, sizeof(narrow));
	} else {
		int64_t wide = integer;
		*to->at++ = LEVERET_COMPACT_INT64;
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
	if (UNEXPECTED(len > UINT32_MAX) || !reserve(to, 1 + LEVERET_COMPACT_NUMBER_LEN_MAX + len)) {
		return false;
	}
	if (UNEXPECTED(len <= 1)) {
		*to->at++ = len ? LEVERET_COMPACT_BYTE : LEVERET_COMPACT_EMPTY_STRING;
	} else if (len > LEVERET_COMPACT_STRING_MAX) {
		*to->at++ = LEVERET_COMPACT_LONG_STRING;
		put_number(to, (uint32_t) len);
	} else {
		string_place *place = place_of(to, zend_string_hash_val(string));
		if (place->string && zend_string_equals(place->string, string)) {
			if (EXPECTED(place->number < LEVERET_COMPACT_STRINGS_NEAR)) {
				*to->at++ = (uint8_t) (LEVERET_COMPACT_STRING_AT | place->number >> 8);
				*to->at++ = (uint8_t) place->number;
			} else {
				*to->at++ = LEVERET_COMPACT_STRING_ID;
				put_number(to, place->number);
			}
			return true;
		}
		place->string = string;
		place->number = to->strings++;
		if (UNEXPECTED(to->strings > to->places_max && to->places_max < STRING_PLACES_MAX)) {
			grow_places(to);
		}
		*to->at++ = (uint8_t) (LEVERET_COMPACT_BYTE + len - 1);
	}
	put(to, ZSTR_VAL(string), len);
	return true;
}

static bool write_array(writer *to, const zend_array *array, int depth);
static bool write_object(writer *to, zend_object *object, int depth);

static zend_always_inline bool write_inner_array(writer *to, const zend_array *array, int depth)
{
	bool is_shared = GC_REFCOUNT(array) > 1;
	to->shared_arrays += is_shared;
	bool written = write_array(to, array, depth);
	to->shared_arrays -= is_shared;
	return written;
}

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
			return write_inner_array(to, Z_ARR_P(value), depth + 1);
		case IS_OBJECT:
			return write_object(to, Z_OBJ_P(value), depth + 1);
		default:
			break;
	}
	if (!reserve(to, 1 + sizeof(double))) {
		return false;
	}
	switch (Z_TYPE_P(value)) {
		case IS_NULL:
			*to->at++ = LEVERET_COMPACT_NULL;
			return true;
		case IS_FALSE:
			*to->at++ = LEVERET_COMPACT_FALSE;
			return true;
		case IS_TRUE:
			*to->at++ = LEVERET_COMPACT_TRUE;
			return true;
		case IS_DOUBLE:
			*to->at++ = LEVERET_COMPACT_FLOAT;
			put(to, &Z_DVAL_P(value), sizeof(double));
			return true;
		default:
			return false;
	}
}

/* --- arrays --- */

static bool write_list(writer *to, const zend_array *array, int depth)
{
	if (!reserve(to, 1 + LEVERET_COMPACT_NUMBER_LEN_MAX)) {
		return false;
	}
	*to->at++ = LEVERET_COMPACT_LIST;
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

/* `place`, if there is one, is given up where a key is too long. */
static bool write_new_keys(writer *to, const zend_array *array, shape_place *place)
{
	if (!reserve(to, 1 + LEVERET_COMPACT_NUMBER_LEN_MAX)) {
		return false;
	}
	*to->at++ = LEVERET_COMPACT_NEW_SHAPE;
	put_number(to, array->nNumOfElements);
	zend_ulong index;
	zend_string *key;
	ZEND_HASH_FOREACH_KEY((zend_array *) array, index, key) {
		if (!(key ? !is_integer(key) && write_string(to, key) : write_integer(to, (zend_long) index))) {
			return false;
		}
		if (UNEXPECTED(place && key && ZSTR_LEN(key) > NAME_MAX_LEN)) {
			place->array = NULL;
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
		return write_new_keys(to, array, NULL);
	}
	zend_ulong hash = array->arData[0].h ^ array->arData[array->nNumUsed - 1].h << 1 ^ array->nNumUsed;
	shape_place *place = &to->shape_places[(hash ^ hash >> 13) % SHAPE_PLACES];
	if (place->array && have_same_keys(place->array, array)) {
		if (!reserve(to, 1 + LEVERET_COMPACT_NUMBER_LEN_MAX)) {
			return false;
		}
		if (EXPECTED(place->number < LEVERET_COMPACT_SHAPES_NEAR)) {
			*to->at++ = (uint8_t) (LEVERET_COMPACT_SHAPE_AT + place->number);
		} else {
			*to->at++ = LEVERET_COMPACT_SHAPE_ID;
			put_number(to, place->number);
		}
		return true;
	}
	place->array = array;
	place->number = to->shapes;
	return write_new_keys(to, array, place);
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
		*to->at++ = LEVERET_COMPACT_EMPTY_LIST;
		return true;
	}
	if (UNEXPECTED(depth > LEVERET_COMPACT_DEPTH_MAX)) {
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

/* --- objects --- */

static bool write_property(writer *to, const zval *value, int depth)
{
	return write_value(to, value, depth);
}

static bool write_name(writer *to, zend_string *name)
{
	return ZSTR_LEN(name) <= NAME_MAX_LEN && write_string(to, name);
}

/* Whether it may come once more, and has come before. */
static bool came_before(writer *to, zend_object *object)
{
	if (GC_REFCOUNT(object) == 1 && to->shared_arrays == 0) {
		return false;
	}
	if (!to->shared) {
		ALLOC_HASHTABLE(to->shared);
		zend_hash_init(to->shared, 8, NULL, NULL, 0);
	}
	return !zend_hash_index_add_empty_element(to->shared, object->handle);
}

static bool write_enum_case(writer *to, zend_object *object)
{
	if (!reserve(to, 1)) {
		return false;
	}
	*to->at++ = LEVERET_COMPACT_ENUM_CASE;
	return write_name(to, object->ce->name) && write_name(to, Z_STR_P(zend_enum_fetch_case_name(object)));
}

/* A class, and the names of `count` properties follow. */
static bool begin_class(writer *to, const zend_class_entry *ce, uint32_t count)
{
	if (!reserve(to, 1)) {
		return false;
	}
	*to->at++ = LEVERET_COMPACT_NEW_OBJECT;
	if (!write_name(to, ce->name) || !reserve(to, LEVERET_COMPACT_NUMBER_LEN_MAX)) {
		return false;
	}
	put_number(to, count);
	to->classes++;
	return true;
}

static bool write_class_number(writer *to, uint32_t number)
{
	if (!reserve(to, 1 + LEVERET_COMPACT_NUMBER_LEN_MAX)) {
		return false;
	}
	*to->at++ = LEVERET_COMPACT_OBJECT_ID;
	put_number(to, number);
	return true;
}

static class_place *class_place_of(writer *to, const zend_class_entry *ce)
{
	return &to->class_places[((uintptr_t) ce >> 6 ^ (uintptr_t) ce >> 12) % CLASS_PLACES];
}

/* Objects of stdClass have all their properties in a table. */
static bool write_standard_object(writer *to, zend_object *object, int depth)
{
	const zend_array *properties = object->properties;
	class_place *place = class_place_of(to, object->ce);
	uint32_t count = properties ? properties->nNumOfElements : 0;
	bool is_known = count > 0 && !HT_IS_PACKED(properties) && HT_IS_WITHOUT_HOLES(properties);
	if (is_known && place->ce == object->ce && have_same_keys(place->properties, properties)) {
		if (!write_class_number(to, place->number)) {
			return false;
		}
	} else {
		zend_string *name;
		if (is_known) {
			*place = (class_place) { object->ce, properties, to->classes };
		}
		if (!begin_class(to, object->ce, count)) {
			return false;
		}
		if (count > 0) {
			ZEND_HASH_FOREACH_STR_KEY((zend_array *) properties, name) {
				if (!name || !write_name(to, name)) {
					return false;
				}
			}
			ZEND_HASH_FOREACH_END();
		}
	}
	if (count > 0) {
		const zval *value;
		ZEND_HASH_FOREACH_VAL((zend_array *) properties, value) {
			if (!write_property(to, value, depth)) {
				return false;
			}
		}
		ZEND_HASH_FOREACH_END();
	}
	return true;
}

/* Some functions make a table of the properties: it must have no others than the class declares. */
static bool has_declared_only(const zend_object *object)
{
	const zval *value;
	if (object->properties) {
		ZEND_HASH_FOREACH_VAL(object->properties, value) {
			if (Z_TYPE_P(value) != IS_INDIRECT) {
				return false;
			}
		}
		ZEND_HASH_FOREACH_END();
	}
	return true;
}

/* How many of the declared properties have a value, and whether all have. */
static uint32_t count_properties(const zend_object *object, bool *are_all)
{
	uint32_t count = 0, declared = 0;
	for (int i = 0; i < object->ce->default_properties_count; i++) {
		if (object->ce->properties_info_table[i]) {
			declared++;
			count += Z_TYPE(object->properties_table[i]) != IS_UNDEF;
		} else if (Z_TYPE(object->properties_table[i]) != IS_UNDEF) {
			/* Hidden by one of a class below: its name is not to be had so easily. */
			return UINT32_MAX;
		}
	}
	*are_all = count == declared;
	return count;
}

static bool write_declared_object(writer *to, zend_object *object, int depth)
{
	zend_class_entry *ce = object->ce;
	bool are_all;
	uint32_t count = count_properties(object, &are_all);
	class_place *place = class_place_of(to, ce);
	if (count == UINT32_MAX || !has_declared_only(object)) {
		return false;
	}
	if (place->ce == ce && are_all) {
		if (!write_class_number(to, place->number)) {
			return false;
		}
	} else {
		/* Of the class of an object that is known no more is asked. */
		if (!php_leveret_is_plain_class(ce)) {
			return false;
		}
		if (are_all) {
			*place = (class_place) { ce, NULL, to->classes };
		}
		if (!begin_class(to, ce, count)) {
			return false;
		}
		for (int i = 0; i < ce->default_properties_count; i++) {
			const zend_property_info *info = ce->properties_info_table[i];
			if (info && Z_TYPE(object->properties_table[i]) != IS_UNDEF && !write_name(to, info->name)) {
				return false;
			}
		}
	}
	for (int i = 0; i < ce->default_properties_count; i++) {
		const zval *value = &object->properties_table[i];
		ZVAL_DEREF(value);
		if (Z_TYPE_P(value) != IS_UNDEF
			&& (!php_leveret_fits(ce->properties_info_table[i], value)
				|| !write_property(to, &object->properties_table[i], depth))) {
			return false;
		}
	}
	return true;
}

static bool write_object(writer *to, zend_object *object, int depth)
{
	if (UNEXPECTED(depth > LEVERET_COMPACT_DEPTH_MAX)) {
		return false;
	}
	to->has_objects = true;
	if (object->ce->ce_flags & ZEND_ACC_ENUM) {
		return write_enum_case(to, object);
	}
	if (object->handlers != &std_object_handlers || came_before(to, object)) {
		return false;
	}
#if PHP_VERSION_ID >= 80400
	if (zend_object_is_lazy(object)) {
		return false;
	}
#endif
	return object->ce == zend_standard_class_def ? write_standard_object(to, object, depth)
												 : write_declared_object(to, object, depth);
}

/* --- the whole --- */

uint8_t *php_leveret_compact_write(const zval *value, size_t *len)
{
	writer to;
	to.block = to.at = emalloc(LEN_FIRST);
	to.end = to.block + LEN_FIRST;
	to.has_objects = false;
	to.strings = to.shapes = to.classes = 0;
	to.places_max = STRING_PLACES_FIRST;
	to.places = to.first;
	to.shared = NULL;
	to.shared_arrays = 0;
	memset(to.first, 0, sizeof(to.first));
	memset(to.shape_places, 0, sizeof(to.shape_places));
	memset(to.class_places, 0, sizeof(to.class_places));

	to.at += LEVERET_COMPACT_HEAD_LEN;
	/* The outermost array comes once, whoever else has it. */
	bool written =
		Z_TYPE_P(value) == IS_ARRAY ? write_array(&to, Z_ARR_P(value), 1) : write_object(&to, Z_OBJ_P(value), 1);
	if (to.places != to.first) {
		efree(to.places);
	}
	if (to.shared) {
		zend_hash_destroy(to.shared);
		FREE_HASHTABLE(to.shared);
	}
	if (!written) {
		efree(to.block);
		return NULL;
	}
	to.block[0] = LEVERET_COMPACT_MAGIC;
	to.block[1] = to.has_objects ? LEVERET_COMPACT_WITH_OBJECTS : LEVERET_COMPACT_PLAIN;
	*len = (size_t) (to.at - to.block);
	return to.block;
}
