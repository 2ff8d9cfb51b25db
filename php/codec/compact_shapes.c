/* codec/compact_shapes.c: keeping the keys of arrays. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "compact_shapes.h"
#include "compact_format.h"
#include "decoded/pool.h"

/* Longer ones are rare, and the table stays small beside memory_limit. */
#define BYTES_MAX 1024
#define KEYS_MAX 64
#define ALL_BYTES_MAX ((size_t) 128 * 1024)

static size_t key_size(const zend_string *key)
{
	return key && !ZSTR_IS_INTERNED(key) ? ZEND_MM_ALIGNED_SIZE(_ZSTR_STRUCT_SIZE(ZSTR_LEN(key))) : 0;
}

static bool has_number(const zend_string *key)
{
	return key && ZSTR_LEN(key) >= 2 && ZSTR_LEN(key) <= LEVERET_COMPACT_STRING_MAX;
}

/* Bytes of the copies of keys. False: a key was the number of a string that is not in these bytes. */
static bool measure_keys(const zend_array *array, uint32_t strings_len, size_t *size)
{
	uint32_t with_number = 0;
	*size = 0;
	for (uint32_t i = 0; i < array->nNumUsed; i++) {
		with_number += has_number(array->arData[i].key);
		*size += key_size(array->arData[i].key);
	}
	return with_number == strings_len;
}

/* Interned like a string of this request, see decoded/copy.c. */
static zend_string *copy_key(char **at, const zend_string *key)
{
	zend_string *copy = (zend_string *) *at;
	*at += key_size(key);
	GC_SET_REFCOUNT(copy, 1);
	GC_TYPE_INFO(copy) = GC_STRING | ((IS_STR_INTERNED | IS_STR_PERSISTENT) << GC_FLAGS_SHIFT);
	ZSTR_H(copy) = ZSTR_H(key);
	ZSTR_LEN(copy) = ZSTR_LEN(key);
	memcpy(ZSTR_VAL(copy), ZSTR_VAL(key), ZSTR_LEN(key) + 1);
	return copy;
}

static php_leveret_shape **free_place(uint64_t start)
{
	for (uint32_t probe = 0, place = shape_place(start); probe < SHAPE_PROBES; probe++) {
		php_leveret_shape **shape = &LEVERET_G(shapes)[(place + probe) % PHP_LEVERET_SHAPES_MAX];
		if (!*shape) {
			return shape;
		}
	}
	return NULL;
}

static void fill_shape(php_leveret_shape *shape, const zend_array *array, const uint8_t *bytes)
{
	size_t data_len = HT_HASH_SIZE(array->nTableMask) + array->nNumUsed * sizeof(Bucket);
	char *data = (char *) (shape + 1), *at = data + data_len;
	shape->array = *array;
	memcpy(data, HT_GET_DATA_ADDR(array), data_len);
	HT_SET_DATA_ADDR(&shape->array, data);
	HT_FLAGS(&shape->array) |= HASH_FLAG_STATIC_KEYS;
	shape->strings = (zend_string **) at;
	at += shape->strings_len * sizeof(*shape->strings);
	zend_string **string = shape->strings;
	for (uint32_t i = 0; i < array->nNumUsed; i++) {
		Bucket *bucket = &shape->array.arData[i];
		bool is_numbered = has_number(bucket->key);
		if (key_size(bucket->key)) {
			bucket->key = copy_key(&at, bucket->key);
		}
		if (is_numbered) {
			*string++ = bucket->key;
		}
	}
	memcpy(&shape->start, bytes, sizeof(shape->start));
	memcpy(at, bytes, shape->bytes_len);
	shape->bytes = (const uint8_t *) at;
}

/* Keys that come once only, such as the ids of a list, would take the places of others. */
static bool came_before(uint64_t start, const uint8_t *bytes, size_t len)
{
	zend_ulong mark = zend_inline_hash_func((const char *) bytes, len),
			   *seen = &LEVERET_G(shapes_seen)[shape_place(start)];
	bool came = *seen == mark;
	*seen = mark;
	LEVERET_G(shapes_used) = true;
	return came;
}

void php_leveret_shape_add(const uint8_t *bytes, size_t len, const zend_array *array, uint32_t strings_len)
{
	uint64_t start;
	size_t keys;
	if (len < SHAPE_BYTES_MIN || len > BYTES_MAX || array->nNumUsed > KEYS_MAX) {
		return;
	}
	memcpy(&start, bytes, sizeof(start));
	php_leveret_shape **place = free_place(start);
	if (!place || !came_before(start, bytes, len) || !measure_keys(array, strings_len, &keys)) {
		return;
	}
	size_t size = sizeof(**place) + HT_HASH_SIZE(array->nTableMask) + array->nNumUsed * sizeof(Bucket)
		+ strings_len * sizeof(zend_string *) + keys + len;
	if (LEVERET_G(shapes_bytes) + size > ALL_BYTES_MAX) {
		return;
	}
	LEVERET_G(shapes_are_outside) = php_leveret_blocks_are_outside();
	php_leveret_shape *shape = pemalloc(size, LEVERET_G(shapes_are_outside));
	shape->bytes_len = (uint32_t) len;
	shape->strings_len = strings_len;
	fill_shape(shape, array, bytes);
	LEVERET_G(shapes_bytes) += size;
	*place = shape;
}

void php_leveret_shapes_forget(zend_leveret_globals *globals)
{
	if (globals->shapes_used) {
		/* Those of the heap went with it. */
		for (uint32_t i = 0; i < PHP_LEVERET_SHAPES_MAX && globals->shapes_are_outside; i++) {
			free(globals->shapes[i]);
		}
		memset(globals->shapes, 0, sizeof(globals->shapes));
		memset(globals->shapes_seen, 0, sizeof(globals->shapes_seen));
		globals->shapes_bytes = 0;
		globals->shapes_used = false;
	}
}
