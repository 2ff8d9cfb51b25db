/* decoded/copy.c: an array, and all that is in it, as one block of memory outside PHP's heap. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "copy.h"

/* Deeper nesting is decoded each time: the copy recurses on C's stack. */
#define DEPTH_MAX 128
/* Strings that repeat soon are kept once (column names, states, currencies): those of up to this length, in a table of
 * this many places. A full table of all strings would cost more than it saves. */
#define SHARED_LEN_MAX 64
#define SHARED_PLACES 256

typedef struct shared_string {
	zend_string *source;
	zend_string *copy; /* once it is filled */
} shared_string;

/* The block is measured first, then filled. */
typedef struct block {
	bool refcounted; /* which of the two forms */
	size_t bytes;    /* measuring: needed so far, */
	size_t most;     /* and what it may come to */
	char *at;        /* filling: the next free byte */
	shared_string shared[SHARED_PLACES];
} block;

static size_t string_size(const zend_string *string)
{
	return ZEND_MM_ALIGNED_SIZE(_ZSTR_STRUCT_SIZE(ZSTR_LEN(string)));
}

/* Most readers make hash tables of lists; as packed arrays they take 16 bytes an element instead of 40. Scripts cannot
 * tell. */
static bool is_list(const zend_array *array)
{
	return HT_IS_PACKED(array) || (HT_IS_WITHOUT_HOLES(array) && zend_array_is_list((zend_array *) array));
}

static size_t data_size(const zend_array *array)
{
	return ZEND_MM_ALIGNED_SIZE(is_list(array) ? HT_PACKED_SIZE_EX(array->nNumUsed, HT_MIN_MASK) : HT_USED_SIZE(array));
}

/* The place of a string among those that came lately, with *known = it is there. NULL: too long. Both passes meet the
 * strings in the same order, so both find the same ones known. */
static shared_string *shared_place(block *into, zend_string *string, bool *known)
{
	*known = false;
	if (ZSTR_LEN(string) > SHARED_LEN_MAX) {
		return NULL;
	}
	shared_string *place = &into->shared[zend_string_hash_val(string) % SHARED_PLACES];
	*known = place->source && zend_string_equals(place->source, string);
	if (!*known) {
		place->source = string;
	}
	return place;
}

static void measure_string(block *into, zend_string *string)
{
	bool known;
	shared_place(into, string, &known);
	if (!known) {
		into->bytes += string_size(string);
	}
}

/* False: a part of it belongs to this request (an object, a reference, a resource), or the nesting or the size is too
 * large: shared parts count each time, and an array that igbinary has read may contain itself, directly or through
 * others, many times. */
static bool measure(block *into, const zval *value, int depth)
{
	switch (Z_TYPE_P(value)) {
		case IS_NULL:
		case IS_FALSE:
		case IS_TRUE:
		case IS_LONG:
		case IS_DOUBLE:
			return true;
		case IS_STRING:
			measure_string(into, Z_STR_P(value));
			return true;
		case IS_ARRAY:
			break;
		default:
			return false;
	}
	const zend_array *array = Z_ARR_P(value);
	if (depth == DEPTH_MAX) {
		return false;
	}
	if (zend_hash_num_elements(array) == 0 && depth > 0) {
		return array->nNextFreeElement == zend_empty_array.nNextFreeElement;
	}
	into->bytes += sizeof(zend_array) + data_size(array);
	if (into->bytes > into->most) {
		return false;
	}

	zend_string *key;
	zval *element;
	ZEND_HASH_FOREACH_STR_KEY_VAL((zend_array *) array, key, element) {
		if (key) {
			measure_string(into, key);
		}
		if (!measure(into, element, depth + 1)) {
			return false;
		}
	}
	ZEND_HASH_FOREACH_END();
	return true;
}

static void *copy_take(block *into, size_t size)
{
	void *taken = into->at;
	into->at += size;
	return taken;
}

static zend_string *copy_string(block *into, zend_string *string)
{
	bool known;
	shared_string *place = shared_place(into, string, &known);
	if (known) {
		if (into->refcounted) {
			GC_ADDREF(place->copy);
		}
		return place->copy;
	}
	zend_string *copy = copy_take(into, string_size(string));
	GC_SET_REFCOUNT(copy, 1);
	/* Interned like a string of this request, not permanently (IS_STR_PERMANENT): code that keeps strings longer copies
	 * those. */
	GC_TYPE_INFO(copy) =
		into->refcounted ? GC_STRING : GC_STRING | ((IS_STR_INTERNED | IS_STR_PERSISTENT) << GC_FLAGS_SHIFT);
	ZSTR_H(copy) = zend_string_hash_val(string);
	ZSTR_LEN(copy) = ZSTR_LEN(string);
	memcpy(ZSTR_VAL(copy), ZSTR_VAL(string), ZSTR_LEN(string) + 1);
	if (place) {
		place->copy = copy;
	}
	return copy;
}

static zend_array *copy_array(block *into, const zend_array *source);

static void set_string(zval *to, zend_string *string, bool refcounted)
{
	Z_STR_P(to) = string;
	Z_TYPE_INFO_P(to) = refcounted ? IS_STRING_EX : IS_INTERNED_STRING_EX;
}

static void set_array(zval *to, zend_array *array, bool refcounted)
{
	Z_ARR_P(to) = array;
	Z_TYPE_INFO_P(to) = refcounted ? IS_ARRAY_EX : IS_ARRAY;
}

static void copy_value(block *into, zval *to, const zval *from)
{
	ZVAL_COPY_VALUE(to, from);
	if (Z_TYPE_P(from) == IS_STRING) {
		set_string(to, copy_string(into, Z_STR_P(from)), into->refcounted);
	} else if (Z_TYPE_P(from) == IS_ARRAY) {
		if (zend_hash_num_elements(Z_ARR_P(from)) == 0) {
			ZVAL_EMPTY_ARRAY(to);
		} else {
			set_array(to, copy_array(into, Z_ARR_P(from)), into->refcounted);
		}
	}
}

static void fill_list(block *into, zend_array *copy, const zend_array *source)
{
	HT_FLAGS(copy) |= HASH_FLAG_PACKED;
	copy->nTableMask = HT_MIN_MASK;
	HT_SET_DATA_ADDR(copy, copy_take(into, data_size(source)));
	HT_HASH_RESET_PACKED(copy);
	for (uint32_t i = 0; i < copy->nNumUsed; i++) {
		copy_value(into, &copy->arPacked[i], HT_IS_PACKED(source) ? &source->arPacked[i] : &source->arData[i].val);
	}
}

static void fill_hash(block *into, zend_array *copy, const zend_array *source)
{
	void *data = copy_take(into, data_size(source));
	memcpy(data, HT_GET_DATA_ADDR(source), HT_USED_SIZE(source));
	HT_SET_DATA_ADDR(copy, data);
	for (uint32_t i = 0; i < copy->nNumUsed; i++) {
		Bucket *bucket = &copy->arData[i];
		if (Z_TYPE(bucket->val) == IS_UNDEF) {
			continue;
		}
		if (bucket->key) {
			bucket->key = copy_string(into, bucket->key);
		}
		copy_value(into, &bucket->val, &source->arData[i].val); /* leaves the link of the hash chain, Z_NEXT, alone */
	}
}

static zend_array *copy_array(block *into, const zend_array *source)
{
	zend_array *copy = copy_take(into, sizeof(*copy));
	memcpy(copy, source, sizeof(*copy));
	/* An immutable array has refcount 2, so that code that checks only the refcount copies it before writing. */
	GC_SET_REFCOUNT(copy, into->refcounted ? 1 : 2);
	GC_TYPE_INFO(copy) = GC_ARRAY
		| ((GC_NOT_COLLECTABLE | (into->refcounted ? 0 : IS_ARRAY_IMMUTABLE | IS_ARRAY_PERSISTENT)) << GC_FLAGS_SHIFT);
	/* Without the count of the loops that walk it by reference: they walk a copy. */
	copy->u.flags = into->refcounted ? 0 : HASH_FLAG_STATIC_KEYS;
	copy->nInternalPointer = 0;
	if (is_list(source)) {
		fill_list(into, copy, source);
	} else {
		fill_hash(into, copy, source);
	}
	return copy;
}

size_t php_leveret_decoded_copy_size(const zend_array *array, size_t most)
{
	block measured = { .most = most };
	zval value;
	ZVAL_ARR(&value, (zend_array *) array);
	return measure(&measured, &value, 0) ? measured.bytes : 0;
}

zend_array *php_leveret_decoded_copy(const zend_array *array, void *memory, bool refcounted)
{
	block filled = { .refcounted = refcounted, .at = memory };
	return copy_array(&filled, array);
}

/* Puts the copy's own references to its strings, one for each place that a string has in it, on (1) or off (-1). */
static void count_strings(const zend_array *array, int by)
{
	zend_string *key;
	zval *element;
	ZEND_HASH_FOREACH_STR_KEY_VAL((zend_array *) array, key, element) {
		if (key) {
			GC_SET_REFCOUNT(key, GC_REFCOUNT(key) + by);
		}
		if (Z_TYPE_P(element) == IS_STRING) {
			GC_SET_REFCOUNT(Z_STR_P(element), Z_REFCOUNT_P(element) + by);
		} else if (Z_TYPE_P(element) == IS_ARRAY && Z_REFCOUNTED_P(element)) {
			count_strings(Z_ARR_P(element), by);
		}
	}
	ZEND_HASH_FOREACH_END();
}

/* While the copy's own references to its strings are off. An array has one place only, and its own refcount stays
 * on. */
static bool has_other_counts(const zend_array *array)
{
	zend_string *key;
	zval *element;
	if (GC_REFCOUNT(array) != 1) {
		return true;
	}
	ZEND_HASH_FOREACH_STR_KEY_VAL((zend_array *) array, key, element) {
		if ((key && GC_REFCOUNT(key) != 0)
			|| (Z_REFCOUNTED_P(element)
				&& (Z_TYPE_P(element) == IS_ARRAY ? has_other_counts(Z_ARR_P(element)) : Z_REFCOUNT_P(element) != 0))) {
			return true;
		}
	}
	ZEND_HASH_FOREACH_END();
	return false;
}

bool php_leveret_decoded_copy_is_held(const zend_array *array)
{
	if (GC_REFCOUNT(array) != 1) {
		return true;
	}
	zend_array *own = (zend_array *) array;
	count_strings(own, -1);
	bool held = has_other_counts(own);
	count_strings(own, 1);
	return held;
}
