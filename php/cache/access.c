/* cache/access.c: how an object of Leveret\Cache reaches its arena: opening, exceptions, ttl, storing, removing. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/bytes.h"
#include "base/globals.h"
#include "base/text.h"
#include "access.h"

#include "zend_exceptions.h"
#include "zend_interfaces.h"

/* --- errors --- */

/* A key as it may stand in a message: any bytes, of any length. */
static zend_string *printable(zend_string *key)
{
	smart_str text = { 0 };
	php_leveret_append_word(&text, "\"");
	smart_str_append_escaped_truncated(&text, key, 60);
	php_leveret_append_word(&text, "\"");
	return smart_str_extract(&text);
}

void php_leveret_cache_throw(cache_object *cache, leveret_status status, zend_string *key, size_t len)
{
	zend_string *name = printable(key);
	switch (status) {
		case LEVERET_KEY_TOO_LONG:
			zend_throw_exception_ex(php_leveret_cache_key_too_long_ce, 0,
				"The key %s is %zu bytes long and this arena takes %zu: use a shorter one, such as a hash of it",
				ZSTR_VAL(name), ZSTR_LEN(key), cache->key_max);
			break;
		case LEVERET_TOO_LARGE:
			zend_throw_exception_ex(php_leveret_cache_value_too_large_ce, 0,
				"The value of %s takes %zu bytes and this arena takes %" PRIu64
				" for one value: store it in parts, or use a larger arena (leveret.memory sizes new ones)",
				ZSTR_VAL(name), len, leveret_value_max(cache->arena));
			break;
		case LEVERET_NO_MEMORY:
			zend_throw_exception_ex(php_leveret_cache_no_memory_ce, 0,
				"Nothing in this arena of %" PRIu64
				" bytes could make room for the %zu bytes of %s: use a larger arena (leveret.memory sizes new ones), and see that its file system has room",
				leveret_memory(cache->arena), len, ZSTR_VAL(name));
			break;
		case LEVERET_BUSY:
			zend_throw_exception_ex(php_leveret_cache_busy_ce, 0,
				"Another process has held the lock of the part of the arena that %s belongs to for more than %d ms (leveret.lock_timeout), so nothing was changed: try again, and if it stays so look for a stopped process",
				ZSTR_VAL(name), (int) LEVERET_G(lock_timeout));
			break;
		case LEVERET_NOT_NUMBER:
			zend_throw_exception_ex(php_leveret_cache_not_an_integer_ce, 0,
				"The value of %s is no integer, so it cannot be counted: set() an integer first", ZSTR_VAL(name));
			break;
		case LEVERET_FAILED:
			zend_throw_exception_ex(php_leveret_cache_arena_ce, 0,
				"This process could not enter itself in the arena's table of processes, so it cannot write: too many processes use this arena, or its file system has no file locks");
			break;
		default:
			zend_throw_exception_ex(php_leveret_cache_exception_ce, 0,
				"The arena gave the answer %d for %s, which this version does not know", (int) status, ZSTR_VAL(name));
	}
	zend_string_release(name);
}

/* --- the arena --- */

bool php_leveret_cache_open(cache_object *cache, zend_string *name)
{
	zend_string *error = NULL;
	leveret_arena *arena = php_leveret_arena(name, &error);
	if (UNEXPECTED(!arena)) {
		zend_throw_exception(php_leveret_cache_arena_ce, error ? ZSTR_VAL(error) : "The arena cannot be opened", 0);
		if (error) {
			zend_string_release(error);
		}
		return false;
	}
	cache->arena = arena;
	cache->key_max = leveret_key_max(arena);
	cache->looked = LEVERET_G(checked_at);
	return true;
}

bool php_leveret_cache_reopen(cache_object *cache)
{
	php_leveret_arena_lost(cache->arena);
	return php_leveret_cache_open(cache, cache->name);
}

/* --- ttl --- */

/* A month or a day has no fixed length: what counts is the interval that begins now. */
static bool interval_seconds(zend_object *interval, zend_long *seconds)
{
	zval start, end, argument;
	php_date_instantiate(php_date_get_immutable_ce(), &start);
	php_date_initialize(Z_PHPDATE_P(&start), "now", sizeof("now") - 1, NULL, NULL, 0);
	ZVAL_OBJ(&argument, interval);
	ZVAL_UNDEF(&end);
	zend_call_method_with_1_params(Z_OBJ(start), Z_OBJCE(start), NULL, "add", &end, &argument);
	bool added = !EG(exception) && Z_TYPE(end) == IS_OBJECT;
	if (added) {
		*seconds = (zend_long) (Z_PHPDATE_P(&end)->time->sse - Z_PHPDATE_P(&start)->time->sse);
	}
	zval_ptr_dtor(&end);
	zval_ptr_dtor(&start);
	return added;
}

bool php_leveret_cache_deadline(const cache_ttl *ttl, uint32_t *deadline)
{
	zend_long seconds = ttl->seconds;
	if (ttl->interval) {
		if (!interval_seconds(ttl->interval, &seconds)) {
			return false;
		}
	} else if (ttl->never) {
		*deadline = LEVERET_NEVER;
		return true;
	}
	*deadline = leveret_deadline_of_ttl(seconds, 0);
	return true;
}

/* --- storing --- */

static bool encode(zend_string *key, zval *value, php_leveret_encoded *encoded)
{
	ZVAL_DEREF(value);
	if (EXPECTED(Z_TYPE_P(value) != IS_RESOURCE) && EXPECTED(php_leveret_encode(value, false, encoded))) {
		return true;
	}
	if (!EG(exception)) {
		zend_string *name = printable(key);
		zend_throw_exception_ex(php_leveret_cache_unsupported_value_ce, 0,
			"A value of type %s cannot be stored (under the key %s): store what it was made from",
			zend_zval_type_name(value), ZSTR_VAL(name));
		zend_string_release(name);
	}
	return false;
}

leveret_status php_leveret_cache_store(cache_object *cache, const cache_store_request *request, size_t *len)
{
	leveret_status status = LEVERET_FAILED;
	php_leveret_encoded encoded;
	if (UNEXPECTED(!cache_check_key(cache, request->key))
		|| UNEXPECTED(!encode(request->key, request->value, &encoded))) {
		return status;
	}
	*len = encoded.bytes.len;
	CACHE_ASK(cache, status,
		leveret_store(cache->arena, php_leveret_string(request->key), encoded.bytes, &encoded.meta, request->deadline,
			request->mode, request->cas, 0, NULL));
	php_leveret_encoded_free(&encoded);
	return php_leveret_stored(cache->arena, status, *len);
}

bool php_leveret_cache_store_or_throw(cache_object *cache, const cache_store_request *request)
{
	size_t len = 0;
	leveret_status status = php_leveret_cache_store(cache, request, &len);
	if (UNEXPECTED(EG(exception))) {
		return false;
	}
	if (UNEXPECTED(status != LEVERET_OK && status != LEVERET_EXISTS && status != LEVERET_MISS)) {
		php_leveret_cache_throw(cache, status, request->key, len);
	}
	return status == LEVERET_OK;
}

/* --- removing --- */

bool php_leveret_cache_delete_key(cache_object *cache, zend_string *key)
{
	leveret_status status;
	if (UNEXPECTED(!cache_check_key(cache, key))) {
		return false;
	}
	CACHE_ASK(cache, status, leveret_delete(cache->arena, php_leveret_string(key), 0));
	if (UNEXPECTED(status != LEVERET_OK && status != LEVERET_MISS) && !EG(exception)) {
		php_leveret_cache_throw(cache, status, key, 0);
	}
	return status == LEVERET_OK;
}
