/* php_leveret.h: what the files of this extension say to each other.
 *
 * One rule above all: exit, fatal errors and exceptions may longjmp through any call into PHP, so nothing here
 * holds a lock, a lease (but for the callbacks of remember() and apcu_entry(), see leveret_lease_release_all) or an
 * allocation outside PHP's own heap across such a call.
 */
#ifndef PHP_LEVERET_H
#define PHP_LEVERET_H

#include "php.h"
#include "leveret.h"

#include <time.h>

#define PHP_LEVERET_VERSION "0.1.0"

/* What a session handler's open function is given as the path. */
#if PHP_VERSION_ID >= 80600
# define PHP_LEVERET_SAVE_PATH ZSTR_VAL(save_path)
#else
# define PHP_LEVERET_SAVE_PATH save_path
#endif

static zend_always_inline leveret_bytes php_leveret_bytes(const void *data, size_t len)
{
	return (leveret_bytes) { .data = data, .len = len };
}

static zend_always_inline leveret_bytes php_leveret_string(const zend_string *string)
{
	return php_leveret_bytes(ZSTR_VAL(string), ZSTR_LEN(string));
}

/* A failed copy means that a writer recycled the segment between two steps of this reader. Nothing but a hostile arena does that so
 * often in a row; a miss is then the right answer. */
#define PHP_LEVERET_TRIES_MAX 64

/* The value of a found item as a new string. Not OK: *string is untouched. */
static zend_always_inline leveret_status php_leveret_copy_string(const leveret_arena *arena, const leveret_found *found, zend_string **string)
{
	zend_string *copy = zend_string_alloc(found->value_len, 0);
	leveret_status status = leveret_copy(arena, found, ZSTR_VAL(copy));
	if (UNEXPECTED(status != LEVERET_OK)) {
		zend_string_efree(copy);
		return status;
	}
	ZSTR_VAL(copy)[found->value_len] = '\0';
	*string = copy;
	return LEVERET_OK;
}

/* For how long somebody has waited: of no use but in differences. */
static inline uint64_t php_leveret_microseconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t) now.tv_sec * 1000000 + (uint64_t) now.tv_nsec / 1000;
}

/* --- core/arena.c: which arena, opened when first needed, by the user that runs the script --- */

/* The arena of the apcu module ("apcu", sized by apc.shm_size), or NULL: then one log line of this process has said why. */
leveret_arena *php_leveret_apcu_arena(void);
/* The arena NAME ("default", "arena:NAME", a path ending in .arena; NULL = leveret.arena) for Leveret\Cache, or NULL with
 * *error = a new string that says why and how to mend it. The handle is good until the end of the request. */
leveret_arena *php_leveret_arena(zend_string *name, zend_string **error);
/* An operation answered LEVERET_LOST: from now on the two functions above open the arena anew. The old handle goes on answering
 * LOST until the end of the request, so a caller that keeps one asks again. */
void php_leveret_arena_lost(leveret_arena *arena);

/* --- codec/value.c: zval <-> bytes --- */

/* A zval in the form in which the engine stores it. `bytes` points into `owned`, into the zval's own string, or at a field of this
 * struct: so it is used where it was filled in, and never copied. */
typedef struct php_leveret_encoded {
	leveret_bytes bytes;
	leveret_meta meta;
	void *owned;          /* block of the request's heap that php_leveret_encoded_free releases; NULL for strings and integers */
	int64_t integer;
} php_leveret_encoded;

/* Runs user code (__serialize). False: an exception is pending, or a warning was given; nothing to free. */
bool php_leveret_encode(zval *value, php_leveret_encoded *out);
void php_leveret_encoded_free(php_leveret_encoded *encoded);

typedef enum php_leveret_fetch {
	PHP_LEVERET_HIT,     /* *return_value is set */
	PHP_LEVERET_MISS,    /* no such item, or its data would not unserialize (a warning was given) */
	PHP_LEVERET_ERROR    /* LOST or an exception is pending */
} php_leveret_fetch;

/* Finds, allocates, copies, decodes; serves arrays from the decoded-value cache. Runs user code (__unserialize). */
php_leveret_fetch php_leveret_fetch_value(leveret_arena *arena, zend_string *key, uint32_t now, zval *return_value);
/* Asks for the memory of the keys from place `from` of an array on, and tells their hashes: a fetch of each then waits for less. The
 * hash of what is no string means nothing. */
void php_leveret_ask_for(leveret_arena *arena, HashTable *keys, uint32_t from, uint64_t hashes[LEVERET_AHEAD]);
/* As php_leveret_fetch_value, for a key whose hash is known. */
php_leveret_fetch php_leveret_fetch_hashed(leveret_arena *arena, zend_string *key, uint64_t hash, uint32_t now, zval *return_value);
/* The value of an item already found (iterators): copies and decodes. MISS when it was recycled meanwhile. */
php_leveret_fetch php_leveret_decode_found(leveret_arena *arena, const leveret_found *found, zval *return_value);

/* --- codec/count.c: integers that lie in the arena as text --- */

/* For when the operation without "text" has said that there is no integer: makes one of the text, if it is one, and tries again. */
leveret_status php_leveret_add_integer_text(leveret_arena *arena, leveret_bytes key, int64_t step, uint32_t deadline, uint32_t now, int64_t *result);
leveret_status php_leveret_cas_integer_text(leveret_arena *arena, leveret_bytes key, int64_t old_value, int64_t new_value, uint32_t now);

/* As leveret_add_integer (a missing one is created), whichever entrance has stored the integer. */
static zend_always_inline leveret_status php_leveret_add_integer(leveret_arena *arena, leveret_bytes key, int64_t step, uint32_t deadline, uint32_t now, int64_t *result)
{
	leveret_status status = leveret_add_integer(arena, key, step, true, deadline, now, result);
	return EXPECTED(status != LEVERET_NOT_NUMBER) ? status : php_leveret_add_integer_text(arena, key, step, deadline, now, result);
}

/* As leveret_cas_integer, likewise. */
static zend_always_inline leveret_status php_leveret_cas_integer(leveret_arena *arena, leveret_bytes key, int64_t old_value, int64_t new_value, uint32_t now)
{
	leveret_status status = leveret_cas_integer(arena, key, old_value, new_value, now);
	return EXPECTED(status != LEVERET_EXISTS) ? status : php_leveret_cas_integer_text(arena, key, old_value, new_value, now);
}

/* --- cache/class.c: the class Leveret\Cache --- */

void php_leveret_cache_minit(void);

#endif
