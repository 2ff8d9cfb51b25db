/* decoded/table.c: the decoded-value cache.
 *
 * Unserializing a large array costs a thousand times more than finding it. So an array that is fetched a second time is
 * copied into one block outside PHP's heap, and handed out without a copy: PHP makes one when a script writes to it. A
 * kept array is valid only while leveret_is_current says that the arena still holds that very version of the item.
 *
 * Freeing is ours alone, and a script may hold the array, or something from within it. A web server's process serves
 * many requests: there it is freed when the next request begins, and nothing of the one before is left. On the command
 * line one request may last for days: there the copy is refcounted, and is freed when no script holds any of it.
 * (Between requests refcounts would not do: PHP ends a request without giving back each of them.)
 *
 * A fatal error leaves arrays as they were in the middle of a call, marked as being walked: nothing is served or kept
 * after one.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "table.h"
#include "base/globals.h"
#include "copy.h"

#include "SAPI.h"

struct php_leveret_decoded {
	php_leveret_decoded *next; /* the same key in another arena or view, or the next retired array */
	uint64_t arena;            /* its number: handles come and go, and some are the clients' */
	uint32_t view;
	leveret_version version;
	zend_array *array;
	size_t bytes;    /* of the block that this struct is the head of */
	bool refcounted; /* the form of the copy */
	bool used;       /* served since the last sweep that had to make room */
	uint32_t key_len;
	char key[]; /* then, 8-aligned, the array and all that it holds */
};

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

static php_leveret_decoded *find_entry(uint64_t arena, uint32_t view, zend_string *key)
{
	php_leveret_decoded *entry = zend_hash_find_ptr(&LEVERET_G(decoded), key);
	while (entry && UNEXPECTED(entry->arena != arena || entry->view != view)) {
		entry = entry->next;
	}
	return entry;
}

bool php_leveret_decoded_find(leveret_arena *arena, uint32_t view, zend_string *key, uint32_t now, zval *return_value)
{
	php_leveret_decoded *entry = find_entry(leveret_arena_number(arena), view, key);
	if (!entry) {
		return false;
	}
	if (UNEXPECTED(CG(unclean_shutdown) || leveret_is_current(arena, &entry->version, now) != LEVERET_OK)) {
		retire(entry);
		return false;
	}
	entry->used = true;
	Z_ARR_P(return_value) = entry->array;
	Z_TYPE_INFO_P(return_value) = entry->refcounted ? IS_ARRAY_EX : IS_ARRAY;
	Z_TRY_ADDREF_P(return_value);
	return true;
}

/* Was this version offered before? Remembers it. A wrong answer (two versions with one mark) admits an array too early
 * or too late: no more than that. The lowest bit of a mark says that its version is of a kind that cannot be kept. */
static uint64_t *seen_before(const leveret_version *version, uint32_t view)
{
	uint64_t mark = (version->hash ^ version->slot * UINT64_C(0x9E3779B97F4A7C15)
						^ version->segment * UINT64_C(0xC2B2AE3D27D4EB4F) ^ (uint64_t) view << 32)
		& ~UINT64_C(1);
	uint64_t *place = &LEVERET_G(seen)[(mark >> 32) % PHP_LEVERET_SEEN_MAX];
	if ((*place & ~UINT64_C(1)) == mark) {
		return place;
	}
	*place = mark;
	return NULL;
}

/* --- making room --- */

typedef bool (*php_leveret_decoded_test)(php_leveret_decoded *entry, uint64_t arena);

static void retire_where(php_leveret_decoded_test test, uint64_t arena)
{
	php_leveret_decoded *first;
	ZEND_HASH_FOREACH_PTR(&LEVERET_G(decoded), first) {
		for (php_leveret_decoded *entry = first, *next; entry; entry = next) {
			next = entry->next;
			if (test(entry, arena)) {
				retire(entry);
			}
		}
	}
	ZEND_HASH_FOREACH_END();
}

static bool is_idle(php_leveret_decoded *entry, uint64_t arena)
{
	bool idle = !entry->used;
	entry->used = false;
	return idle;
}

static bool table_is_of(php_leveret_decoded *entry, uint64_t arena)
{
	return entry->arena == arena;
}

static void free_retired(bool after_request)
{
	php_leveret_decoded **link = &LEVERET_G(decoded_retired);
	while (*link) {
		php_leveret_decoded *entry = *link;
		if (after_request || (entry->refcounted && !php_leveret_decoded_copy_is_held(entry->array))) {
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

/* Within a request: frees replaced values; if that is not enough, values not requested since the last time that it was
 * not enough. Finding the held ones walks through all values, so after a failure not again in the same second. */
static bool make_room(size_t bytes)
{
	uint32_t now = leveret_now();
	if (now == LEVERET_G(decoded_failed_at)) {
		return false;
	}
	free_retired(false);
	if (!has_room(bytes)) {
		retire_where(is_idle, 0);
		free_retired(false);
	}
	if (!has_room(bytes)) {
		LEVERET_G(decoded_failed_at) = now;
	}
	return has_room(bytes);
}

/* Does a request last for days here? So it is on the command line, and where FrankenPHP runs a worker: its script is
 * one request and serves many visitors. */
static bool requests_are_long(void)
{
	return strcmp(sapi_module.name, "cli") == 0 || strcmp(sapi_module.name, "frankenphp") == 0;
}

/* NULL: something in it cannot be kept (*fit = false), or there is no room now (*fit = true). */
static php_leveret_decoded *build(zend_string *key, zend_array *array, bool *fit)
{
	php_leveret_decoded *entry = NULL;
	bool refcounted = requests_are_long();
	size_t head = ZEND_MM_ALIGNED_SIZE(sizeof(*entry) + ZSTR_LEN(key)),
		   copy = php_leveret_decoded_copy_size(array, (size_t) LEVERET_G(decoded_cache));
	*fit = copy > 0;
	if (*fit && (has_room(head + copy) || (refcounted && make_room(head + copy)))) {
		entry = malloc(head + copy);
	}
	if (entry) {
		entry->bytes = head + copy;
		entry->refcounted = refcounted;
		entry->used = true;
		entry->array = php_leveret_decoded_copy(array, (char *) entry + head, refcounted);
		entry->key_len = ZSTR_LEN(key);
		memcpy(entry->key, ZSTR_VAL(key), ZSTR_LEN(key));
	}
	return entry;
}

void php_leveret_decoded_offer(
	uint64_t arena, uint32_t view, zend_string *key, const leveret_version *version, zend_array *array)
{
	if (LEVERET_G(decoded_cache) == 0 || zend_hash_num_elements(array) == 0 || CG(unclean_shutdown)) {
		return;
	}
	uint64_t *seen = seen_before(version, view);
	if (!seen || (*seen & 1)) {
		return;
	}
	/* User code that ran while this value was decoded may have fetched the same key, and left an entry. */
	php_leveret_decoded *entry = find_entry(arena, view, key);
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
	entry->view = view;
	entry->version = *version;
	entry->next = zend_hash_find_ptr(&LEVERET_G(decoded), key);
	zend_hash_str_update_ptr(&LEVERET_G(decoded), ZSTR_VAL(key), ZSTR_LEN(key), entry);
	LEVERET_G(decoded_bytes) += entry->bytes;
	LEVERET_G(decoded_entries)++;
}

/* --- between requests --- */

static bool is_any(php_leveret_decoded *entry, uint64_t arena)
{
	return true;
}

void php_leveret_decoded_request_ended(void)
{
	if (CG(unclean_shutdown)) {
		retire_where(is_any, 0);
	}
}

void php_leveret_decoded_sweep(void)
{
	/* A value found no room: values not requested since the last time that this happened make room. */
	if (LEVERET_G(decoded_refused)) {
		LEVERET_G(decoded_refused) = false;
		retire_where(is_idle, 0);
	}
	free_retired(true);
}

void php_leveret_decoded_forget(leveret_arena *arena)
{
	retire_where(table_is_of, leveret_arena_number(arena));
	free_retired(true);
}

static void free_chain(php_leveret_decoded *entry)
{
	while (entry) {
		php_leveret_decoded *next = entry->next;
		free(entry);
		entry = next;
	}
}

void php_leveret_decoded_destroy(zend_leveret_globals *globals)
{
	php_leveret_decoded *first;
	ZEND_HASH_FOREACH_PTR(&globals->decoded, first) {
		free_chain(first);
	}
	ZEND_HASH_FOREACH_END();
	zend_hash_destroy(&globals->decoded);
	free_chain(globals->decoded_retired);
}
