/* cache/access.h: an object of Leveret\Cache, and how it reaches its arena. cache/iterator.c walks over the arena;
 * cache/class.c, cache/many.c and cache/remember.c have the methods. */
#ifndef PHP_LEVERET_CACHE_ACCESS_H
#define PHP_LEVERET_CACHE_ACCESS_H

#include "base/arena.h"
#include "codec/value.h"

#include "ext/date/php_date.h"

/* An object keeps the handle of its arena, which is valid until the end of the request. If the arena is lost meanwhile
 * (its file was removed, replaced or truncated), the object opens it again and repeats the call: see CACHE_ASK and
 * CACHE_BEGIN. Code that runs user code between two steps at one arena keeps that arena's handle, not the object's. */
typedef struct cache_object {
	leveret_arena *arena;
	size_t key_max;
	uint32_t looked;   /* arena clock of the look at the files that found this arena there */
	zend_string *name; /* as the constructor was given it; NULL = leveret.arena */
	zend_object std;
} cache_object;

static zend_always_inline cache_object *cache_of(zend_object *object)
{
	return (cache_object *) ((char *) object - offsetof(cache_object, std));
}

/* False: an exception is pending, and the object is as it was. */
bool php_leveret_cache_open(cache_object *cache, zend_string *name);
/* For an answer of LEVERET_LOST. True: the arena is open again, the call is worth another try. False: an exception is
 * pending. */
bool php_leveret_cache_reopen(cache_object *cache);

/* Reopens the arena if its file has changed. False: an exception is pending. */
static zend_always_inline bool cache_begin(cache_object *cache)
{
	return EXPECTED(php_leveret_looked() == cache->looked) || php_leveret_cache_open(cache, cache->name);
}

/* How a method begins: its object. */
#define CACHE_BEGIN(cache) \
	cache_object *cache = cache_of(Z_OBJ_P(ZEND_THIS)); \
	if (UNEXPECTED(!cache_begin(cache))) { \
		RETURN_THROWS(); \
	}

/* Sets `status` to the result of `call` for the object's arena, which is reopened if it was lost. LOST remains only
 * with an exception pending. */
#define CACHE_ASK(cache, status, call) \
	do { \
		(status) = (call); \
	} while (UNEXPECTED((status) == LEVERET_LOST) && php_leveret_cache_reopen(cache))

/* Throws the exception of a status. `len`: bytes of the value, if the call had one. */
void php_leveret_cache_throw(cache_object *cache, leveret_status status, zend_string *key, size_t len);

static zend_always_inline bool cache_check_key(cache_object *cache, zend_string *key)
{
	if (UNEXPECTED(ZSTR_LEN(key) > cache->key_max)) {
		php_leveret_cache_throw(cache, LEVERET_KEY_TOO_LONG, key, 0);
		return false;
	}
	return true;
}

/* A $ttl as it was given. */
typedef struct cache_ttl {
	zend_object *interval; /* a DateInterval, else NULL */
	zend_long seconds;
	bool never; /* null */
} cache_ttl;

/* A method's $ttl before it is parsed, and how it is parsed. */
#define CACHE_TTL_NONE \
	(cache_ttl) \
	{ \
		NULL, 0, true \
	}
#define CACHE_PARAM_TTL(ttl) \
	Z_PARAM_OBJ_OF_CLASS_OR_LONG_OR_NULL((ttl).interval, php_date_get_interval_ce(), (ttl).seconds, (ttl).never)

/* False: an exception is pending. */
bool php_leveret_cache_deadline(const cache_ttl *ttl, uint32_t *deadline);

/* True: *value is set. False: a miss, or an exception is pending. `hash` is the key's in the arena `asked`: user code
 * and a lost arena may have given the object another one. NULL: it is not known. */
static zend_always_inline bool cache_fetch_asked(
	cache_object *cache, zend_string *key, const leveret_arena *asked, uint64_t hash, zval *value)
{
	php_leveret_fetch answer;
	if (UNEXPECTED(!cache_check_key(cache, key))) {
		return false;
	}
	do {
		answer = asked && EXPECTED(asked == cache->arena) ? php_leveret_fetch_hashed(cache->arena, key, hash, 0, value)
														  : php_leveret_fetch_value(cache->arena, key, 0, value);
	} while (UNEXPECTED(answer == PHP_LEVERET_ERROR) && !EG(exception) && php_leveret_cache_reopen(cache));
	return EXPECTED(answer == PHP_LEVERET_HIT);
}

static zend_always_inline bool cache_fetch(cache_object *cache, zend_string *key, zval *value)
{
	return cache_fetch_asked(cache, key, NULL, 0, value);
}

/* What to store, and how. */
typedef struct cache_store_request {
	zend_string *key;
	zval *value;
	uint32_t deadline;
	leveret_mode mode;
	uint64_t cas;
} cache_store_request;

/* OK, EXISTS or MISS; any other status is for php_leveret_cache_throw(), with *len. With an exception pending the
 * status means nothing. */
leveret_status php_leveret_cache_store(cache_object *cache, const cache_store_request *request, size_t *len);

/* True: stored. False: EXISTS or MISS, the answer of the mode; or an exception is pending. */
bool php_leveret_cache_store_or_throw(cache_object *cache, const cache_store_request *request);
/* False: it was not there, or an exception is pending. */
bool php_leveret_cache_delete_key(cache_object *cache, zend_string *key);

/* get_iterator of the class. */
zend_object_iterator *php_leveret_cache_iterator_create(zend_class_entry *ce, zval *object, int by_ref);

/* The exceptions; registered by cache/class.c. */
extern zend_class_entry *php_leveret_cache_exception_ce, *php_leveret_cache_arena_ce,
	*php_leveret_cache_key_too_long_ce, *php_leveret_cache_value_too_large_ce;
extern zend_class_entry *php_leveret_cache_unsupported_value_ce, *php_leveret_cache_not_an_integer_ce,
	*php_leveret_cache_no_memory_ce, *php_leveret_cache_busy_ce;

void php_leveret_cache_minit(void);

#endif
