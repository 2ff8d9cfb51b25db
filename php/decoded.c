/* decoded.c: the decoded-value cache.
 *
 * Unserializing a large array costs a thousand times more than finding it. So an array that is fetched a second time is copied
 * into one block outside PHP's heap, in the form in which OPcache keeps constant arrays: marked immutable, its strings marked
 * interned, nothing in it counted. PHP copies such an array when a script writes to it, and never frees it: freeing is ours,
 * after the request, when no variable is left that could point at it.
 *
 * A kept array is valid only while leveret_is_current says that the arena still holds that very version of the item.
 */
#ifdef HAVE_CONFIG_H
# include "config.h"
#endif

#include "php_leveret_globals.h"
#include "decoded.h"

/* Deeper nesting is decoded each time: the copy recurses on C's stack. */
#define DEPTH_MAX 128
/* Repeated strings up to this length are kept once: column names, states, currencies. Longer ones are seldom equal. */
#define SHARED_LEN_MAX 64

struct php_leveret_decoded {
	php_leveret_decoded *next;       /* the same key in another arena, or the next retired array */
	leveret_arena *arena;
	leveret_version version;
	zend_array *array;
	size_t bytes;                    /* of the block that this struct is the head of */
	bool used;                       /* served since the last sweep that had to make room */
	uint32_t key_len;
	char key[];                      /* then, 8-aligned, the array and all that it holds */
};

/* --- a block is measured first, then filled --- */

typedef struct php_leveret_block {
	HashTable strings;   /* short strings of the source -> their copy, null until it is made */
	size_t bytes;        /* measuring: needed so far */
	char *at;            /* filling: the next free byte */
} php_leveret_block;

static size_t string_size(const zend_string *string)
{
	return ZEND_MM_ALIGNED_SIZE(_ZSTR_STRUCT_SIZE(ZSTR_LEN(string)));
}

/* Unserialized lists are hash tables; as packed arrays they take 16 bytes an element instead of 40. Scripts cannot tell. */
static bool is_list(const zend_array *array)
{
	return HT_IS_PACKED(array) || (HT_IS_WITHOUT_HOLES(array) && zend_array_is_list((zend_array *) array));
}

static size_t data_size(const zend_array *array)
{
	return ZEND_MM_ALIGNED_SIZE(is_list(array) ? HT_PACKED_SIZE_EX(array->nNumUsed, HT_MIN_MASK) : HT_USED_SIZE(array));
}

static void measure_string(php_leveret_block *block, zend_string *string)
{
	if (ZSTR_LEN(string) > SHARED_LEN_MAX || zend_hash_add_empty_element(&block->strings, string)) {
		block->bytes += string_size(string);
	}
}

/* False: something in it belongs to this request (an object, a reference, a resource) or it is nested too deeply. */
static bool measure(php_leveret_block *block, const zval *value, int depth)
{
	switch (Z_TYPE_P(value)) {
		case IS_NULL:
		case IS_FALSE:
		case IS_TRUE:
		case IS_LONG:
		case IS_DOUBLE:
			return true;
		case IS_STRING:
			measure_string(block, Z_STR_P(value));
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
	block->bytes += sizeof(zend_array) + data_size(array);

	zend_string *key;
	zval *element;
	ZEND_HASH_FOREACH_STR_KEY_VAL((zend_array *) array, key, element) {
		if (key) {
			measure_string(block, key);
		}
		if (!measure(block, element, depth + 1)) {
			return false;
		}
	} ZEND_HASH_FOREACH_END();
	return true;
}

static void *take(php_leveret_block *block, size_t size)
{
	void *taken = block->at;
	block->at += size;
	return taken;
}

static zend_string *copy_string(php_leveret_block *block, zend_string *string)
{
	zval *shared = ZSTR_LEN(string) <= SHARED_LEN_MAX ? zend_hash_find(&block->strings, string) : NULL;
	if (shared && Z_TYPE_P(shared) == IS_PTR) {
		return Z_PTR_P(shared);
	}
	zend_string *copy = take(block, string_size(string));
	GC_SET_REFCOUNT(copy, 2);
	/* Interned like a string of this request, not for ever (IS_STR_PERMANENT): who keeps strings longer knows to copy those. */
	GC_TYPE_INFO(copy) = GC_STRING | ((IS_STR_INTERNED | IS_STR_PERSISTENT) << GC_FLAGS_SHIFT);
	ZSTR_H(copy) = zend_string_hash_val(string);
	ZSTR_LEN(copy) = ZSTR_LEN(string);
	memcpy(ZSTR_VAL(copy), ZSTR_VAL(string), ZSTR_LEN(string) + 1);
	if (shared) {
		ZVAL_PTR(shared, copy);
	}
	return copy;
}

static zend_array *copy_array(php_leveret_block *block, const zend_array *source);

static void copy_value(php_leveret_block *block, zval *to, const zval *from)
{
	ZVAL_COPY_VALUE(to, from);
	if (Z_TYPE_P(from) == IS_STRING) {
		ZVAL_INTERNED_STR(to, copy_string(block, Z_STR_P(from)));
	} else if (Z_TYPE_P(from) == IS_ARRAY) {
		if (zend_hash_num_elements(Z_ARR_P(from)) == 0) {
			ZVAL_EMPTY_ARRAY(to);
		} else {
			Z_ARR_P(to) = copy_array(block, Z_ARR_P(from));
			Z_TYPE_INFO_P(to) = IS_ARRAY;
		}
	}
}

static void fill_list(php_leveret_block *block, zend_array *copy, const zend_array *source)
{
	HT_FLAGS(copy) |= HASH_FLAG_PACKED;
	copy->nTableMask = HT_MIN_MASK;
	HT_SET_DATA_ADDR(copy, take(block, data_size(source)));
	HT_HASH_RESET_PACKED(copy);
	for (uint32_t i = 0; i < copy->nNumUsed; i++) {
		copy_value(block, &copy->arPacked[i], HT_IS_PACKED(source) ? &source->arPacked[i] : &source->arData[i].val);
	}
}

static void fill_hash(php_leveret_block *block, zend_array *copy, const zend_array *source)
{
	void *data = take(block, data_size(source));
	memcpy(data, HT_GET_DATA_ADDR(source), HT_USED_SIZE(source));
	HT_SET_DATA_ADDR(copy, data);
	for (uint32_t i = 0; i < copy->nNumUsed; i++) {
		Bucket *bucket = &copy->arData[i];
		if (Z_TYPE(bucket->val) == IS_UNDEF) {
			continue;
		}
		if (bucket->key) {
			bucket->key = copy_string(block, bucket->key);
		}
		copy_value(block, &bucket->val, &source->arData[i].val);   /* leaves the link of the hash chain, Z_NEXT, alone */
	}
}

static zend_array *copy_array(php_leveret_block *block, const zend_array *source)
{
	zend_array *copy = take(block, sizeof(*copy));
	memcpy(copy, source, sizeof(*copy));
	GC_SET_REFCOUNT(copy, 2);
	GC_TYPE_INFO(copy) = GC_ARRAY | ((IS_ARRAY_IMMUTABLE | IS_ARRAY_PERSISTENT | GC_NOT_COLLECTABLE) << GC_FLAGS_SHIFT);
	/* No script's loop walks it: iterators separate an array first. */
	copy->u.flags = HASH_FLAG_STATIC_KEYS;
	copy->nInternalPointer = 0;
	if (is_list(source)) {
		fill_list(block, copy, source);
	} else {
		fill_hash(block, copy, source);
	}
	return copy;
}

/* NULL with *room = true: it is not of the kind that can be kept. NULL with *room = false: there is no room for it now. */
static php_leveret_decoded *build(zend_string *key, zend_array *array, bool *room)
{
	php_leveret_decoded *entry = NULL;
	php_leveret_block block = { .bytes = ZEND_MM_ALIGNED_SIZE(sizeof(*entry) + ZSTR_LEN(key)) };
	zval value;
	ZVAL_ARR(&value, array);
	/* Outside PHP's heap, so that reaching memory_limit cannot cut this short and leave the block behind. */
	zend_hash_init(&block.strings, 32, NULL, NULL, 1);
	*room = true;
	if (measure(&block, &value, 0)) {
		*room = LEVERET_G(decoded_bytes) + block.bytes <= (size_t) LEVERET_G(decoded_cache);
		entry = *room ? malloc(block.bytes) : NULL;
	}
	if (entry) {
		block.at = (char *) entry + ZEND_MM_ALIGNED_SIZE(sizeof(*entry) + ZSTR_LEN(key));
		entry->bytes = block.bytes;
		entry->array = copy_array(&block, array);
		entry->used = true;
		entry->key_len = ZSTR_LEN(key);
		memcpy(entry->key, ZSTR_VAL(key), ZSTR_LEN(key));
		ZEND_ASSERT(block.at == (char *) entry + block.bytes);
	}
	zend_hash_destroy(&block.strings);
	return entry;
}

/* --- the entries --- */

/* Takes an entry out of the table; its memory stays. */
static void unlink_entry(php_leveret_decoded *entry)
{
	php_leveret_decoded *first = zend_hash_str_find_ptr(&LEVERET_G(decoded), entry->key, entry->key_len);
	if (first != entry) {
		while (first->next != entry) {
			first = first->next;
		}
		first->next = entry->next;
	} else if (entry->next) {
		zend_hash_str_update_ptr(&LEVERET_G(decoded), entry->key, entry->key_len, entry->next);
	} else {
		zend_hash_str_del(&LEVERET_G(decoded), entry->key, entry->key_len);
	}
	LEVERET_G(decoded_entries)--;
}

static void free_entry(php_leveret_decoded *entry)
{
	LEVERET_G(decoded_bytes) -= entry->bytes;
	free(entry);
}

/* A script may hold the array: it is freed after the request. */
static void retire(php_leveret_decoded *entry)
{
	unlink_entry(entry);
	entry->next = LEVERET_G(decoded_retired);
	LEVERET_G(decoded_retired) = entry;
}

static php_leveret_decoded *find_entry(leveret_arena *arena, zend_string *key)
{
	php_leveret_decoded *entry = zend_hash_find_ptr(&LEVERET_G(decoded), key);
	while (entry && UNEXPECTED(entry->arena != arena)) {
		entry = entry->next;
	}
	return entry;
}

zend_array *php_leveret_decoded_find(leveret_arena *arena, zend_string *key, uint32_t now)
{
	php_leveret_decoded *entry = find_entry(arena, key);
	if (!entry) {
		return NULL;
	}
	if (EXPECTED(leveret_is_current(arena, &entry->version, now) == LEVERET_OK)) {
		entry->used = true;
		return entry->array;
	}
	retire(entry);
	return NULL;
}

/* Was this version offered before? Remembers it. A wrong answer (two versions with one mark) admits an array too early or too
 * late: no more than that. The lowest bit of a mark says that its version is of a kind that cannot be kept. */
static uint64_t *seen_before(const leveret_version *version)
{
	uint64_t mark = (version->hash ^ version->slot * UINT64_C(0x9E3779B97F4A7C15) ^ version->segment * UINT64_C(0xC2B2AE3D27D4EB4F)) & ~UINT64_C(1);
	uint64_t *place = &LEVERET_G(seen)[(mark >> 32) % PHP_LEVERET_SEEN_MAX];
	if ((*place & ~UINT64_C(1)) == mark) {
		return place;
	}
	*place = mark;
	return NULL;
}

void php_leveret_decoded_offer(leveret_arena *arena, zend_string *key, const leveret_found *found, zend_array *array)
{
	if (LEVERET_G(decoded_cache) == 0 || zend_hash_num_elements(array) == 0) {
		return;
	}
	uint64_t *seen = seen_before(&found->version);
	if (!seen || (*seen & 1)) {
		return;
	}
	/* User code that ran while this value was decoded may have fetched the same key, and left an entry. */
	php_leveret_decoded *entry = find_entry(arena, key);
	if (entry) {
		retire(entry);
	}
	bool room;
	entry = build(key, array, &room);
	if (!entry) {
		LEVERET_G(decoded_refused) |= !room;
		*seen |= room;
		return;
	}
	entry->arena = arena;
	entry->version = found->version;
	entry->next = zend_hash_find_ptr(&LEVERET_G(decoded), key);
	zend_hash_str_update_ptr(&LEVERET_G(decoded), ZSTR_VAL(key), ZSTR_LEN(key), entry);
	LEVERET_G(decoded_bytes) += entry->bytes;
	LEVERET_G(decoded_entries)++;
}

/* --- after the request --- */

typedef bool (*php_leveret_decoded_test)(php_leveret_decoded *entry, leveret_arena *arena);

static void drop_where(php_leveret_decoded_test test, leveret_arena *arena)
{
	php_leveret_decoded *first;
	ZEND_HASH_FOREACH_PTR(&LEVERET_G(decoded), first) {
		for (php_leveret_decoded *entry = first, *next; entry; entry = next) {
			next = entry->next;
			if (test(entry, arena)) {
				unlink_entry(entry);
				free_entry(entry);
			}
		}
	} ZEND_HASH_FOREACH_END();
}

static bool is_idle(php_leveret_decoded *entry, leveret_arena *arena)
{
	bool idle = !entry->used;
	entry->used = false;
	return idle;
}

static bool is_of(php_leveret_decoded *entry, leveret_arena *arena)
{
	return entry->arena == arena;
}

static bool is_any(php_leveret_decoded *entry, leveret_arena *arena)
{
	return true;
}

void php_leveret_decoded_sweep(void)
{
	while (LEVERET_G(decoded_retired)) {
		php_leveret_decoded *entry = LEVERET_G(decoded_retired);
		LEVERET_G(decoded_retired) = entry->next;
		free_entry(entry);
	}
	/* Something found no room: what nobody has asked for since the last time that this happened makes some. */
	if (LEVERET_G(decoded_refused)) {
		LEVERET_G(decoded_refused) = false;
		drop_where(is_idle, NULL);
	}
}

void php_leveret_decoded_forget(leveret_arena *arena)
{
	drop_where(is_of, arena);
}

void php_leveret_decoded_destroy(void)
{
	php_leveret_decoded_sweep();
	drop_where(is_any, NULL);
	zend_hash_destroy(&LEVERET_G(decoded));
}
