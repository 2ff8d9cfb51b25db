/* decoded.c: the decoded-value cache.
 *
 * Unserializing a large array costs a thousand times more than finding it. So an array that is fetched a second time is copied
 * into one block outside PHP's heap, and handed out without a copy: PHP makes one when a script writes to it. A kept array is
 * valid only while leveret_is_current says that the arena still holds that very version of the item.
 *
 * Freeing is ours alone, and a script may hold the array, or a string or an array from within it. There are two forms:
 *
 * - Web servers serve many requests: the form of OPcache's constant arrays, marked immutable, strings marked interned, nothing in
 *   it counted. It is freed after a request, when no variable is left.
 * - On the command line one request may last for days: everything in it is counted, beginning with our own 1, so that it can be
 *   seen whether a script holds any part, and freed at any time when none does. (Between requests this form would not do: PHP ends
 *   a request without giving back each count.)
 */
#ifdef HAVE_CONFIG_H
# include "config.h"
#endif

#include "php_leveret_globals.h"
#include "decoded.h"

#include "SAPI.h"

/* Deeper nesting is decoded each time: the copy recurses on C's stack. */
#define DEPTH_MAX 128
/* Strings that come again soon are kept once (column names, states, currencies): those of up to this length, looked for in so many
 * places. A full table of all strings would cost more than it saves. */
#define SHARED_LEN_MAX 64
#define SHARED_PLACES 256

struct php_leveret_decoded {
	php_leveret_decoded *next;       /* the same key in another arena, or the next retired array */
	leveret_arena *arena;
	leveret_version version;
	zend_array *array;
	size_t bytes;                    /* of the block that this struct is the head of */
	bool counted;                    /* which of the two forms */
	bool used;                       /* served since the last sweep that had to make room */
	uint32_t key_len;
	char key[];                      /* then, 8-aligned, the array and all that it holds */
};

/* --- a block is measured first, then filled --- */

typedef struct php_leveret_shared {
	zend_string *source;
	zend_string *copy;   /* once it is filled */
} php_leveret_shared;

typedef struct php_leveret_block {
	bool counted;        /* which of the two forms */
	size_t bytes;        /* measuring: needed so far */
	char *at;            /* filling: the next free byte */
	php_leveret_shared shared[SHARED_PLACES];
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

/* The place of a string among those that came lately, with *known = it is there. NULL: too long. Both passes meet the strings in the
 * same order, so both find the same ones known. */
static php_leveret_shared *shared_place(php_leveret_block *block, zend_string *string, bool *known)
{
	*known = false;
	if (ZSTR_LEN(string) > SHARED_LEN_MAX) {
		return NULL;
	}
	php_leveret_shared *place = &block->shared[zend_string_hash_val(string) % SHARED_PLACES];
	*known = place->source && zend_string_equals(place->source, string);
	if (!*known) {
		place->source = string;
	}
	return place;
}

static void measure_string(php_leveret_block *block, zend_string *string)
{
	bool known;
	shared_place(block, string, &known);
	if (!known) {
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
	bool known;
	php_leveret_shared *place = shared_place(block, string, &known);
	if (known) {
		return place->copy;
	}
	zend_string *copy = take(block, string_size(string));
	GC_SET_REFCOUNT(copy, 1);
	/* Interned like a string of this request, not for ever (IS_STR_PERMANENT): who keeps strings longer knows to copy those. */
	GC_TYPE_INFO(copy) = block->counted ? GC_STRING : GC_STRING | ((IS_STR_INTERNED | IS_STR_PERSISTENT) << GC_FLAGS_SHIFT);
	ZSTR_H(copy) = zend_string_hash_val(string);
	ZSTR_LEN(copy) = ZSTR_LEN(string);
	memcpy(ZSTR_VAL(copy), ZSTR_VAL(string), ZSTR_LEN(string) + 1);
	if (place) {
		place->copy = copy;
	}
	return copy;
}

static zend_array *copy_array(php_leveret_block *block, const zend_array *source);

static void set_string(zval *to, zend_string *string, bool counted)
{
	Z_STR_P(to) = string;
	Z_TYPE_INFO_P(to) = counted ? IS_STRING_EX : IS_INTERNED_STRING_EX;
}

static void set_array(zval *to, zend_array *array, bool counted)
{
	Z_ARR_P(to) = array;
	Z_TYPE_INFO_P(to) = counted ? IS_ARRAY_EX : IS_ARRAY;
}

static void copy_value(php_leveret_block *block, zval *to, const zval *from)
{
	ZVAL_COPY_VALUE(to, from);
	if (Z_TYPE_P(from) == IS_STRING) {
		set_string(to, copy_string(block, Z_STR_P(from)), block->counted);
	} else if (Z_TYPE_P(from) == IS_ARRAY) {
		if (zend_hash_num_elements(Z_ARR_P(from)) == 0) {
			ZVAL_EMPTY_ARRAY(to);
		} else {
			set_array(to, copy_array(block, Z_ARR_P(from)), block->counted);
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
	/* An immutable array says 2, so that who looks at the count alone makes a copy before writing. */
	GC_SET_REFCOUNT(copy, block->counted ? 1 : 2);
	GC_TYPE_INFO(copy) = GC_ARRAY | ((GC_NOT_COLLECTABLE | (block->counted ? 0 : IS_ARRAY_IMMUTABLE | IS_ARRAY_PERSISTENT)) << GC_FLAGS_SHIFT);
	/* Without the count of the loops that walk it by reference: they walk a copy. */
	copy->u.flags = block->counted ? 0 : HASH_FLAG_STATIC_KEYS;
	copy->nInternalPointer = 0;
	if (is_list(source)) {
		fill_list(block, copy, source);
	} else {
		fill_hash(block, copy, source);
	}
	return copy;
}

/* Does a script hold the array or anything in it? Each of its counts is 1 then and only then when none does. */
static bool is_held(const zend_array *array)
{
	zend_string *key;
	zval *element;
	if (GC_REFCOUNT(array) != 1) {
		return true;
	}
	ZEND_HASH_FOREACH_STR_KEY_VAL((zend_array *) array, key, element) {
		if ((key && GC_REFCOUNT(key) != 1)
				|| (Z_REFCOUNTED_P(element) && (Z_TYPE_P(element) == IS_ARRAY ? is_held(Z_ARR_P(element)) : Z_REFCOUNT_P(element) != 1))) {
			return true;
		}
	} ZEND_HASH_FOREACH_END();
	return false;
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

/* No more served, but a script may hold it: waits until it can be freed. */
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

bool php_leveret_decoded_find(leveret_arena *arena, zend_string *key, uint32_t now, zval *return_value)
{
	php_leveret_decoded *entry = find_entry(arena, key);
	if (!entry) {
		return false;
	}
	if (UNEXPECTED(leveret_is_current(arena, &entry->version, now) != LEVERET_OK)) {
		retire(entry);
		return false;
	}
	entry->used = true;
	set_array(return_value, entry->array, entry->counted);
	Z_TRY_ADDREF_P(return_value);
	return true;
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

/* --- making room --- */

typedef bool (*php_leveret_decoded_test)(php_leveret_decoded *entry, leveret_arena *arena);

static void retire_where(php_leveret_decoded_test test, leveret_arena *arena)
{
	php_leveret_decoded *first;
	ZEND_HASH_FOREACH_PTR(&LEVERET_G(decoded), first) {
		for (php_leveret_decoded *entry = first, *next; entry; entry = next) {
			next = entry->next;
			if (test(entry, arena)) {
				retire(entry);
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
	return !arena || entry->arena == arena;
}

static void free_retired(bool after_request)
{
	php_leveret_decoded **link = &LEVERET_G(decoded_retired);
	while (*link) {
		php_leveret_decoded *entry = *link;
		if (after_request || (entry->counted && !is_held(entry->array))) {
			*link = entry->next;
			LEVERET_G(decoded_bytes) -= entry->bytes;
			free(entry);
		} else {
			link = &entry->next;
		}
	}
}

static bool has_room(size_t bytes)
{
	return LEVERET_G(decoded_bytes) + bytes <= (size_t) LEVERET_G(decoded_cache);
}

/* Within a request: frees what was replaced; and if that is not enough, what nobody has asked for since the last time that it was
 * not. Looking for what is held walks through all of it, so after a failure not again in the same second. */
static bool make_room(size_t bytes)
{
	uint32_t now = leveret_now();
	if (now == LEVERET_G(decoded_failed_at)) {
		return false;
	}
	free_retired(false);
	if (!has_room(bytes)) {
		retire_where(is_idle, NULL);
		free_retired(false);
	}
	if (!has_room(bytes)) {
		LEVERET_G(decoded_failed_at) = now;
	}
	return has_room(bytes);
}

/* NULL: something in it cannot be kept (*fit = false), or there is no room now (*fit = true). */
static php_leveret_decoded *build(zend_string *key, zend_array *array, bool *fit)
{
	php_leveret_decoded *entry = NULL;
	size_t head = ZEND_MM_ALIGNED_SIZE(sizeof(*entry) + ZSTR_LEN(key));
	php_leveret_block block = { .counted = strcmp(sapi_module.name, "cli") == 0, .bytes = head };
	zval value;
	ZVAL_ARR(&value, array);
	*fit = measure(&block, &value, 0);
	if (*fit && (has_room(block.bytes) || (block.counted && make_room(block.bytes)))) {
		entry = malloc(block.bytes);
	}
	if (entry) {
		memset(block.shared, 0, sizeof(block.shared));
		block.at = (char *) entry + head;
		entry->bytes = block.bytes;
		entry->counted = block.counted;
		entry->used = true;
		entry->array = copy_array(&block, array);
		entry->key_len = ZSTR_LEN(key);
		memcpy(entry->key, ZSTR_VAL(key), ZSTR_LEN(key));
		ZEND_ASSERT(block.at == (char *) entry + block.bytes);
	}
	return entry;
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
	bool fit;
	entry = build(key, array, &fit);
	if (!entry) {
		*seen |= !fit;
		LEVERET_G(decoded_refused) |= fit;
		return;
	}
	entry->arena = arena;
	entry->version = found->version;
	entry->next = zend_hash_find_ptr(&LEVERET_G(decoded), key);
	zend_hash_str_update_ptr(&LEVERET_G(decoded), ZSTR_VAL(key), ZSTR_LEN(key), entry);
	LEVERET_G(decoded_bytes) += entry->bytes;
	LEVERET_G(decoded_entries)++;
}

/* --- when no variable is left --- */

void php_leveret_decoded_sweep(void)
{
	/* Something found no room: what nobody has asked for since the last time that this happened makes some. */
	if (LEVERET_G(decoded_refused)) {
		LEVERET_G(decoded_refused) = false;
		retire_where(is_idle, NULL);
	}
	free_retired(true);
}

void php_leveret_decoded_forget(leveret_arena *arena)
{
	retire_where(is_of, arena);
	free_retired(true);
}

void php_leveret_decoded_destroy(void)
{
	php_leveret_decoded_forget(NULL);
	zend_hash_destroy(&LEVERET_G(decoded));
}
