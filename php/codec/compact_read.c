/* codec/compact_read.c: the compact form as arrays, in a block of the pool (decoded/pool.h) or each in the request's heap.
 *
 * Nothing in the bytes is believed. An array whose keys came before gets a copy of the hash table that was made of them,
 * so no key is hashed or looked for twice.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "compact_read.h"
#include "compact_shapes.h"
#include "compact_tables.h"

/* --- strings --- */

static zend_never_inline void grow_strings(compact_reader *from)
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

static zend_always_inline void number_string(compact_reader *from, zend_string *string)
{
	if (UNEXPECTED(from->strings_len == from->strings_max)) {
		grow_strings(from);
	}
	from->strings[from->strings_len++] = string;
}

static zend_always_inline zend_string *pooled_string(compact_reader *from, size_t len)
{
	zend_string *string = php_leveret_room_take(&from->room, ZEND_MM_ALIGNED_SIZE(_ZSTR_STRUCT_SIZE(len)));
	if (UNEXPECTED(!string)) {
		return NULL;
	}
	GC_TYPE_INFO(string) = GC_STRING;
	ZSTR_H(string) = 0;
	ZSTR_LEN(string) = len;
	if (EXPECTED(len <= LEVERET_COMPACT_STRING_MAX && len + PHP_LEVERET_ROOM_SPARE <= compact_left(from))) {
		compact_copy_short(ZSTR_VAL(string), from->at, len);
	} else {
		memcpy(ZSTR_VAL(string), from->at, len);
	}
	ZSTR_VAL(string)[len] = '\0';
	return string;
}

/* A string with a count for the caller, or NULL. Of two bytes and more where no number is given to it. */
static zend_always_inline zend_string *new_string(compact_reader *from, size_t len)
{
	if (UNEXPECTED(len > compact_left(from))) {
		return NULL;
	}
	zend_string *string =
		from->is_pooled ? pooled_string(from, len) : zend_string_init((const char *) from->at, len, 0);
	from->at += len;
	return string;
}

static zend_always_inline zend_string *known_string(compact_reader *from, uint32_t number)
{
	if (UNEXPECTED(number >= from->strings_len)) {
		return NULL;
	}
	zend_string *string = from->strings[number];
	if (EXPECTED(!ZSTR_IS_INTERNED(string))) {
		GC_ADDREF(string);
		from->room.refcounts++;
	}
	return string;
}

static zend_never_inline zend_string *read_rare_string(compact_reader *from, uint8_t tag)
{
	uint32_t number;
	switch (tag) {
		case LEVERET_COMPACT_EMPTY_STRING:
			return ZSTR_EMPTY_ALLOC();
		case LEVERET_COMPACT_BYTE:
			return from->at < from->end ? ZSTR_CHAR(*from->at++) : NULL;
		case LEVERET_COMPACT_LONG_STRING:
			return compact_take_number(from, &number) ? new_string(from, number) : NULL;
		case LEVERET_COMPACT_STRING_ID:
			return compact_take_number(from, &number) ? known_string(from, number) : NULL;
		default:
			return NULL;
	}
}

/* Of the tags from LEVERET_COMPACT_BYTE to below LEVERET_COMPACT_SHAPE_AT. */
static zend_always_inline zend_string *read_near_string(compact_reader *from, uint8_t tag)
{
	if (tag >= LEVERET_COMPACT_STRING_AT) {
		if (UNEXPECTED(from->at == from->end)) {
			return NULL;
		}
		return known_string(from, (uint32_t) (tag - LEVERET_COMPACT_STRING_AT) << 8 | *from->at++);
	}
	if (UNEXPECTED(tag == LEVERET_COMPACT_BYTE)) {
		return read_rare_string(from, tag);
	}
	zend_string *string = new_string(from, (size_t) (tag - LEVERET_COMPACT_BYTE) + 1);
	if (EXPECTED(string)) {
		number_string(from, string);
	}
	return string;
}

/* A key that the script names anywhere is there already: then its array holds no count of it. */
static zend_string *new_key_string(compact_reader *from, size_t len)
{
	if (UNEXPECTED(len > compact_left(from))) {
		return NULL;
	}
	zend_string *key = zend_string_init_existing_interned((const char *) from->at, len, false);
	if (from->is_pooled && !ZSTR_IS_INTERNED(key)) {
		zend_string_efree(key);
		key = pooled_string(from, len);
	}
	from->at += len;
	if (EXPECTED(key)) {
		number_string(from, key);
	}
	return key;
}

static zend_string *read_key_string(compact_reader *from, uint8_t tag)
{
	if (tag >= LEVERET_COMPACT_STRING && tag < LEVERET_COMPACT_STRING_AT) {
		return new_key_string(from, (size_t) (tag - LEVERET_COMPACT_BYTE) + 1);
	}
	return tag >= LEVERET_COMPACT_BYTE && tag < LEVERET_COMPACT_SHAPE_AT ? read_near_string(from, tag)
																		 : read_rare_string(from, tag);
}

/* --- values --- */

static bool read_integer(compact_reader *from, uint8_t tag, zend_long *integer)
{
	int8_t byte;
	int16_t narrow;
	int32_t wide;
	int64_t widest;
	switch (tag) {
		case LEVERET_COMPACT_INT8:
			return compact_take(from, &byte, sizeof(byte)) && (*integer = byte, true);
		case LEVERET_COMPACT_INT16:
			return compact_take(from, &narrow, sizeof(narrow)) && (*integer = narrow, true);
		case LEVERET_COMPACT_INT32:
			return compact_take(from, &wide, sizeof(wide)) && (*integer = wide, true);
		case LEVERET_COMPACT_INT64:
			return compact_take(from, &widest, sizeof(widest)) && (*integer = (zend_long) widest, *integer == widest);
		default:
			return false;
	}
}

static bool read_list(compact_reader *from, zval *to);
static bool read_new_shape(compact_reader *from, zval *to);
static bool read_shape(compact_reader *from, uint32_t number, zval *to);

/* Tags without an operand in them. False: *to is not set. */
static zend_always_inline bool read_tagged(compact_reader *from, uint8_t tag, zval *to)
{
	zend_string *string;
	uint32_t number;
	switch (tag) {
		case LEVERET_COMPACT_NULL:
			ZVAL_NULL(to);
			return true;
		case LEVERET_COMPACT_FALSE:
			ZVAL_FALSE(to);
			return true;
		case LEVERET_COMPACT_TRUE:
			ZVAL_TRUE(to);
			return true;
		case LEVERET_COMPACT_INT8:
		case LEVERET_COMPACT_INT16:
		case LEVERET_COMPACT_INT32:
		case LEVERET_COMPACT_INT64:
			ZVAL_LONG(to, 0);
			return read_integer(from, tag, &Z_LVAL_P(to));
		case LEVERET_COMPACT_FLOAT:
			ZVAL_DOUBLE(to, 0);
			return compact_take(from, &Z_DVAL_P(to), sizeof(double));
		case LEVERET_COMPACT_EMPTY_STRING:
		case LEVERET_COMPACT_LONG_STRING:
		case LEVERET_COMPACT_STRING_ID:
			string = read_rare_string(from, tag);
			if (UNEXPECTED(!string)) {
				return false;
			}
			ZVAL_STR(to, string);
			return true;
		case LEVERET_COMPACT_EMPTY_LIST:
		case LEVERET_COMPACT_EMPTY_MAP:
			ZVAL_EMPTY_ARRAY(to);
			return true;
		case LEVERET_COMPACT_LIST:
			return read_list(from, to);
		case LEVERET_COMPACT_NEW_SHAPE:
			return read_new_shape(from, to);
		case LEVERET_COMPACT_SHAPE_ID:
			return compact_take_number(from, &number) && read_shape(from, number, to);
		case LEVERET_COMPACT_NEW_OBJECT:
		case LEVERET_COMPACT_OBJECT_ID:
		case LEVERET_COMPACT_ENUM_CASE:
			return from->has_objects && from->objects->read(from, tag, to);
		default:
			return false;
	}
}

/* False: *to is not set. */
static zend_always_inline bool compact_read_value(compact_reader *from, zval *to)
{
	if (UNEXPECTED(from->at == from->end)) {
		return false;
	}
	uint8_t tag = *from->at++;
	if (tag < LEVERET_COMPACT_INT) {
		return read_tagged(from, tag, to);
	}
	if (tag < LEVERET_COMPACT_BYTE) {
		ZVAL_LONG(to, tag - LEVERET_COMPACT_INT);
		return true;
	}
	if (tag < LEVERET_COMPACT_SHAPE_AT) {
		zend_string *string = read_near_string(from, tag);
		if (UNEXPECTED(!string)) {
			return false;
		}
		ZVAL_STR(to, string);
		return true;
	}
	return read_shape(from, tag - LEVERET_COMPACT_SHAPE_AT, to);
}

/* --- arrays --- */

/* Each element has `least` bytes or more. */
static zend_always_inline bool begin_array(compact_reader *from, uint32_t count, size_t least)
{
	if (UNEXPECTED(count == 0 || count > compact_left(from) / least || count > HT_MAX_SIZE
			|| from->depth == LEVERET_COMPACT_DEPTH_MAX)) {
		return false;
	}
	from->depth++;
	return true;
}

static bool read_list(compact_reader *from, zval *to)
{
	uint32_t count;
	if (!compact_take_number(from, &count) || !begin_array(from, count, 1)) {
		return false;
	}
	zend_array *array = compact_new_array(from, count, true);
	if (UNEXPECTED(!array)) {
		return false;
	}
	for (uint32_t i = 0; i < count; i++) {
		if (UNEXPECTED(!compact_read_value(from, &array->arPacked[i]))) {
			compact_drop_array(from, array, i);
			return false;
		}
	}
	array->nNumUsed = array->nNumOfElements = count;
	array->nNextFreeElement = count;
	from->depth--;
	ZVAL_ARR(to, array);
	return true;
}

/* False: *bucket has no key that would have to be let go. */
static zend_always_inline bool read_string_key(
	compact_reader *from, uint8_t tag, bool is_integer_refused, zend_array *array, Bucket *bucket)
{
	bucket->key = read_key_string(from, tag);
	if (UNEXPECTED(!bucket->key)) {
		return false;
	}
	zend_ulong number;
	bool good = !is_integer_refused || !ZEND_HANDLE_NUMERIC_STR(ZSTR_VAL(bucket->key), ZSTR_LEN(bucket->key), number);
	bucket->h = zend_string_hash_val(bucket->key);
	if (UNEXPECTED(!good || !compact_link_bucket(array, bucket))) {
		if (!from->is_pooled) {
			zend_string_release(bucket->key);
		}
		return false;
	}
	if (!ZSTR_IS_INTERNED(bucket->key)) {
		HT_FLAGS(array) &= ~HASH_FLAG_STATIC_KEYS;
	}
	return true;
}

/* The key of the next bucket. False: *bucket has no key that would have to be let go. */
static bool read_key(compact_reader *from, zend_array *array, Bucket *bucket)
{
	if (UNEXPECTED(from->at == from->end)) {
		return false;
	}
	uint8_t tag = *from->at++;
	zend_long index;
	if ((tag >= LEVERET_COMPACT_INT && tag < LEVERET_COMPACT_BYTE)
		|| (tag >= LEVERET_COMPACT_INT8 && tag <= LEVERET_COMPACT_INT64)) {
		index = tag - LEVERET_COMPACT_INT;
		if (tag < LEVERET_COMPACT_INT && !read_integer(from, tag, &index)) {
			return false;
		}
		bucket->key = NULL;
		bucket->h = (zend_ulong) index;
		if (index >= array->nNextFreeElement) {
			array->nNextFreeElement = index < ZEND_LONG_MAX ? index + 1 : ZEND_LONG_MAX;
		}
		return compact_link_bucket(array, bucket);
	}
	/* PHP would have an integer in its place. */
	return read_string_key(from, tag, true, array, bucket);
}

static void number_shape(compact_reader *from, const zend_array *array)
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

/* Of an array or, without integers, of an object. NULL: they are no keys. */
static zend_array *read_keys(compact_reader *from, uint32_t count, bool are_properties)
{
	zend_array *array = compact_new_array(from, count, false);
	if (UNEXPECTED(!array)) {
		return NULL;
	}
	HT_FLAGS(array) |= HASH_FLAG_STATIC_KEYS;
	for (uint32_t i = 0; i < count; i++) {
		Bucket *bucket = &array->arData[i];
		ZVAL_NULL(&bucket->val);
		bool read = are_properties ? from->at < from->end && read_string_key(from, *from->at++, false, array, bucket)
								   : read_key(from, array, bucket);
		if (UNEXPECTED(!read)) {
			compact_drop_array(from, array, i);
			return NULL;
		}
	}
	array->nNumUsed = array->nNumOfElements = count;
	return array;
}

bool php_leveret_compact_values(compact_reader *from, zend_array *array)
{
	for (uint32_t i = 0; i < array->nNumUsed; i++) {
		if (UNEXPECTED(!php_leveret_compact_value(from, &array->arData[i].val))) {
			ZVAL_NULL(&array->arData[i].val);
			compact_drop_array(from, array, array->nNumUsed);
			return false;
		}
	}
	return true;
}

/* The keys are known from another array of this request. */
static bool read_known_shape(compact_reader *from, const php_leveret_shape *shape, zval *to)
{
	from->at += shape->bytes_len;
	while (UNEXPECTED(shape->strings_len > from->strings_max - from->strings_len)) {
		grow_strings(from);
	}
	memcpy(from->strings + from->strings_len, shape->strings, shape->strings_len * sizeof(*shape->strings));
	from->strings_len += shape->strings_len;
	number_shape(from, &shape->array);
	return read_shape(from, from->shapes_len - 1, to);
}

/* All keys, then all values: so an array within may have the same keys. */
static bool read_new_shape(compact_reader *from, zval *to)
{
	const uint8_t *start = from->at;
	const php_leveret_shape *known = php_leveret_shape_find(start, compact_left(from));
	if (EXPECTED(known)) {
		return read_known_shape(from, known, to);
	}
	uint32_t count, strings_len = from->strings_len;
	if (!compact_take_number(from, &count) || !begin_array(from, count, 2)) {
		return false;
	}
	zend_array *array = read_keys(from, count, false);
	if (UNEXPECTED(!array)) {
		return false;
	}
	php_leveret_shape_add(start, (size_t) (from->at - start), array, from->strings_len - strings_len);
	number_shape(from, array);
	if (UNEXPECTED(!php_leveret_compact_values(from, array))) {
		return false;
	}
	from->depth--;
	ZVAL_ARR(to, array);
	return true;
}

zend_array *php_leveret_compact_like(compact_reader *from, const zend_array *like)
{
	zend_array *array = compact_array_like(from, like);
	if (UNEXPECTED(!array)) {
		return NULL;
	}
	/* In a block a key's own count is enough: its arrays are never destroyed. */
	bool counts_keys = !(HT_FLAGS(like) & HASH_FLAG_STATIC_KEYS) && !from->is_pooled;
	const Bucket *as = like->arData;
	for (Bucket *bucket = array->arData, *end = bucket + like->nNumUsed; bucket < end; bucket++, as++) {
		bucket->h = as->h;
		bucket->key = as->key;
		Z_NEXT(bucket->val) = Z_NEXT(as->val);
		if (UNEXPECTED(!compact_read_value(from, &bucket->val))) {
			compact_drop_array(from, array, (uint32_t) (bucket - array->arData));
			return NULL;
		}
		if (counts_keys && bucket->key) {
			zend_string_addref(bucket->key);
		}
	}
	return array;
}

static bool read_shape(compact_reader *from, uint32_t number, zval *to)
{
	if (UNEXPECTED(number >= from->shapes_len) || !begin_array(from, from->shapes[number]->nNumUsed, 1)) {
		return false;
	}
	zend_array *array = php_leveret_compact_like(from, from->shapes[number]);
	if (UNEXPECTED(!array)) {
		return false;
	}
	from->depth--;
	ZVAL_ARR(to, array);
	return true;
}

/* --- for objects --- */

bool php_leveret_compact_value(compact_reader *from, zval *to)
{
	return compact_read_value(from, to);
}

zend_string *php_leveret_compact_name(compact_reader *from)
{
	zend_string *name = from->at < from->end ? read_key_string(from, *from->at++) : NULL;
	if (name && !ZSTR_IS_INTERNED(name)) {
		if (!from->held) {
			ALLOC_HASHTABLE(from->held);
			zend_hash_init(from->held, 8, NULL, ZVAL_PTR_DTOR, 0);
		}
		zval held;
		ZVAL_STR(&held, name);
		zend_hash_next_index_insert_new(from->held, &held);
	}
	return name;
}

compact_class *php_leveret_compact_add_class(compact_reader *from)
{
	if (from->classes_len == 0) {
		from->classes_max = CLASSES_FIRST;
		from->classes = safe_emalloc(from->classes_max, sizeof(*from->classes), 0);
	} else if (from->classes_len == from->classes_max) {
		from->classes_max *= 4;
		from->classes = safe_erealloc(from->classes, from->classes_max, sizeof(*from->classes), 0);
	}
	compact_class *class = &from->classes[from->classes_len++];
	memset(class, 0, sizeof(*class));
	return class;
}

static void classes_free(compact_reader *from)
{
	for (uint32_t i = 0; i < from->classes_len; i++) {
		if (from->classes[i].places) {
			efree(from->classes[i].places);
		}
	}
	if (from->classes_len) {
		efree(from->classes);
	}
	if (from->held) {
		zend_hash_destroy(from->held);
		FREE_HASHTABLE(from->held);
	}
}

zend_array *php_leveret_compact_keys(compact_reader *from, uint32_t count)
{
	return read_keys(from, count, true);
}

/* --- the whole --- */

static bool read_whole(compact_reader *from, const char *data, size_t len, zval *return_value)
{
	from->at = (const uint8_t *) data + LEVERET_COMPACT_HEAD_LEN;
	from->end = (const uint8_t *) data + len;
	from->depth = 0;
	from->is_for_php = false;
	from->classes_len = 0;
	from->held = NULL;
	from->strings = from->strings_first;
	from->shapes = from->shapes_first;
	from->strings_len = from->shapes_len = 0;
	from->strings_max = STRINGS_FIRST;
	from->shapes_max = SHAPES_FIRST;

	bool read = php_leveret_compact_value(from, return_value);
	bool is_whole =
		from->at == from->end && (!read || Z_TYPE_P(return_value) == IS_ARRAY || Z_TYPE_P(return_value) == IS_OBJECT);
	if (read && !is_whole) {
		if (!from->is_pooled) {
			zval_ptr_dtor(return_value);
		}
		read = false;
	}
	if (!read) {
		ZVAL_UNDEF(return_value);
	}
	if (UNEXPECTED(from->has_objects)) {
		classes_free(from);
	}
	if (from->strings != from->strings_first) {
		efree(from->strings);
	}
	if (from->shapes != from->shapes_first) {
		efree((void *) from->shapes);
	}
	return read;
}

/* False: the data is damaged, or the room is full. */
static bool read_into_room(compact_reader *from, const char *data, size_t len, zval *return_value)
{
	if (!read_whole(from, data, len, return_value)) {
		return false;
	}
	if (Z_REFCOUNTED_P(return_value)) {
		php_leveret_room_keep(&from->room, len, Z_ARR_P(return_value));
		Z_ADDREF_P(return_value);
	}
	return true;
}

php_leveret_compact php_leveret_compact_read(
	const char *data, size_t len, HashTable *allowed, const php_leveret_compact_objects *objects, zval *return_value)
{
	compact_reader from;
	if (!php_leveret_is_compact(data, len)) {
		return PHP_LEVERET_COMPACT_DAMAGED;
	}
	from.has_objects = data[1] == LEVERET_COMPACT_WITH_OBJECTS;
	from.allowed = allowed;
	from.objects = objects;
	/* An object is freed when nobody holds it. */
	from.is_pooled = !from.has_objects;
	bool has_room = from.is_pooled && php_leveret_room_begin(len, &from.room);
	while (has_room) {
		if (EXPECTED(read_into_room(&from, data, len, return_value))) {
			return PHP_LEVERET_COMPACT_READ;
		}
		if (!from.room.is_full) {
			return PHP_LEVERET_COMPACT_DAMAGED;
		}
		has_room = php_leveret_room_enlarge(&from.room, len);
	}
	from.is_pooled = false;
	if (read_whole(&from, data, len, return_value)) {
		return PHP_LEVERET_COMPACT_READ;
	}
	return from.is_for_php ? PHP_LEVERET_COMPACT_FOR_PHP : PHP_LEVERET_COMPACT_DAMAGED;
}
