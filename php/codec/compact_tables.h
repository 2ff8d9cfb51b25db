/* codec/compact_tables.h: lists and hash tables while compact_read.c fills them, in the pool or in the heap. */
#ifndef PHP_LEVERET_CODEC_COMPACT_TABLES_H
#define PHP_LEVERET_CODEC_COMPACT_TABLES_H

#include "compact_reader.h"

/* Type and flags of arrays in the pool. */
#define COMPACT_POOLED_ARRAY (GC_ARRAY | (GC_NOT_COLLECTABLE << GC_FLAGS_SHIFT))

/* As PHP makes them, but with no more elements than it will have. */
static inline zend_array *compact_pooled_array(compact_reader *from, uint32_t count, bool is_list)
{
	uint32_t size = HT_MIN_SIZE;
	while (size < count) {
		size *= 2;
	}
	uint32_t mask = is_list ? HT_MIN_MASK : HT_SIZE_TO_MASK(size);
	size_t elements = (size_t) count * (is_list ? sizeof(zval) : sizeof(Bucket));
	zend_array *array = php_leveret_room_take(&from->room, sizeof(*array) + HT_HASH_SIZE(mask) + elements);
	if (UNEXPECTED(!array)) {
		return NULL;
	}
	GC_TYPE_INFO(array) = COMPACT_POOLED_ARRAY;
	array->u.flags = is_list ? HASH_FLAG_PACKED | HASH_FLAG_STATIC_KEYS : 0;
	array->nTableMask = mask;
	array->nTableSize = size;
	array->nInternalPointer = 0;
	array->nNextFreeElement = ZEND_LONG_MIN;
	array->pDestructor = ZVAL_PTR_DTOR;
	HT_SET_DATA_ADDR(array, array + 1);
	if (is_list) {
		HT_HASH_RESET_PACKED(array);
	} else {
		HT_HASH_RESET(array);
	}
	return array;
}

/* NULL: the pool has no room. */
static zend_always_inline zend_array *compact_new_array(compact_reader *from, uint32_t count, bool is_list)
{
	if (from->is_pooled) {
		return compact_pooled_array(from, count, is_list);
	}
	zend_array *array = zend_new_array(count);
	if (is_list) {
		zend_hash_real_init_packed(array);
	} else {
		zend_hash_real_init_mixed(array);
	}
	return array;
}

/* The first `count` elements are values, and no more are to come. */
static inline void compact_drop_array(const compact_reader *from, zend_array *array, uint32_t count)
{
	/* A room is dropped as a whole. */
	if (!from->is_pooled) {
		array->nNumUsed = array->nNumOfElements = count;
		zend_array_destroy(array);
	}
}

/* A table with the keys of another one as soon as they are copied. NULL: the pool has no room. */
static zend_always_inline zend_array *compact_array_like(compact_reader *from, const zend_array *like)
{
	size_t hash_len = HT_HASH_SIZE(like->nTableMask);
	zend_array *array;
	char *data;
	if (from->is_pooled) {
		array = php_leveret_room_take(&from->room, sizeof(*array) + hash_len + like->nNumUsed * sizeof(Bucket));
		if (UNEXPECTED(!array)) {
			return NULL;
		}
		data = (char *) (array + 1);
	} else {
		array = emalloc(sizeof(*array));
		data = emalloc(HT_SIZE_EX(like->nTableSize, like->nTableMask));
	}
	*array = *like;
	GC_SET_REFCOUNT(array, 1);
	GC_TYPE_INFO(array) = from->is_pooled ? COMPACT_POOLED_ARRAY : GC_ARRAY;
	memcpy(data, HT_GET_DATA_ADDR(like), hash_len);
	HT_SET_DATA_ADDR(array, data);
	return array;
}

/* *bucket has a key and a hash. False: there is such a key already. */
static zend_always_inline bool compact_link_bucket(zend_array *array, Bucket *bucket)
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

#endif
