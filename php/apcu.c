/* apcu.c: the functions that store, read and count. Each parses, calls the engine once per key, and converts the answer. */
#ifdef HAVE_CONFIG_H
# include "config.h"
#endif

#include "apcu.h"

#include <time.h>

PHP_FUNCTION(apcu_enabled)
{
	ZEND_PARSE_PARAMETERS_NONE();
	RETURN_BOOL(apcu_arena() != NULL);
}

PHP_FUNCTION(apcu_clear_cache)
{
	ZEND_PARSE_PARAMETERS_NONE();
	leveret_arena *arena = apcu_arena();
	RETURN_BOOL(!arena || apcu_noticed(arena, leveret_flush(arena)) == LEVERET_OK);
}

/* --- storing --- */

/* APCu keeps an item until it is older than its ttl: so one second more than other caches. */
static uint32_t deadline_after(zend_long ttl, uint32_t now)
{
	if (EXPECTED(ttl == 0)) {
		return LEVERET_NEVER;
	}
	if (now == 0) {
		now = leveret_now();
	}
	if (UNEXPECTED(ttl < 0)) {
		return now;
	}
	zend_long longest = LEVERET_NEVER - (zend_long) now - 2;
	return now + 1 + (uint32_t) MIN(ttl, longest);
}

/* False: not stored, perhaps with an exception. */
static bool store(leveret_arena *arena, leveret_bytes key, zval *value, zend_long ttl, leveret_mode mode)
{
	php_leveret_encoded encoded;
	if (UNEXPECTED(!php_leveret_encode(value, &encoded))) {
		return false;
	}
	uint32_t now = apcu_now();
	leveret_status status = leveret_store(arena, key, encoded.bytes, &encoded.meta, deadline_after(ttl, now), mode, 0, now, NULL);
	php_leveret_encoded_free(&encoded);
	return apcu_noticed(arena, status) == LEVERET_OK;
}

static void store_array(leveret_arena *arena, HashTable *values, zend_long ttl, leveret_mode mode, zval *failures)
{
	zend_ulong index;
	zend_string *key;
	zval *value;
	zval failed;
	ZVAL_LONG(&failed, -1);
	array_init(failures);
	ZEND_HASH_FOREACH_KEY_VAL(values, index, key, value) {
		bool stored = false;
		if (EXPECTED(key)) {
			stored = arena && store(arena, php_leveret_string(key), value, ttl, mode);
		} else if (arena) {
			char buffer[MAX_LENGTH_OF_LONG];
			char *digits = zend_print_long_to_buf(buffer + sizeof(buffer) - 1, (zend_long) index);
			stored = store(arena, php_leveret_bytes(digits, buffer + sizeof(buffer) - 1 - digits), value, ttl, mode);
		}
		if (UNEXPECTED(EG(exception))) {
			return;
		}
		if (UNEXPECTED(!stored)) {
			if (key) {
				zend_hash_update(Z_ARRVAL_P(failures), key, &failed);
			} else {
				zend_hash_index_update(Z_ARRVAL_P(failures), index, &failed);
			}
		}
	} ZEND_HASH_FOREACH_END();
}

static zend_always_inline void store_function(INTERNAL_FUNCTION_PARAMETERS, leveret_mode mode)
{
	zval *key, *value = NULL;
	zend_long ttl = 0;
	ZEND_PARSE_PARAMETERS_START(1, 3)
		Z_PARAM_ZVAL(key)
		Z_PARAM_OPTIONAL
		Z_PARAM_ZVAL(value)
		Z_PARAM_LONG(ttl)
	ZEND_PARSE_PARAMETERS_END();

	leveret_arena *arena = apcu_arena();
	if (EXPECTED(Z_TYPE_P(key) == IS_STRING)) {
		RETURN_BOOL(arena && value && store(arena, php_leveret_string(Z_STR_P(key)), value, ttl, mode));
	}
	if (Z_TYPE_P(key) == IS_ARRAY) {
		/* User code that a value's serialization runs may change the array of the caller. */
		HashTable *values = Z_ARRVAL_P(key);
		GC_TRY_ADDREF(values);
		store_array(arena, values, ttl, mode, return_value);
		zend_array_release(values);
		return;
	}
	php_error_docref(NULL, E_WARNING, "apc_store expects key parameter to be a string or an array of key/value pairs.");
	RETURN_FALSE;
}

PHP_FUNCTION(apcu_store)
{
	store_function(INTERNAL_FUNCTION_PARAM_PASSTHRU, LEVERET_SET);
}

PHP_FUNCTION(apcu_add)
{
	store_function(INTERNAL_FUNCTION_PARAM_PASSTHRU, LEVERET_ADD);
}

/* --- reading --- */

static void fetch_array(leveret_arena *arena, HashTable *keys, zval *return_value)
{
	uint32_t now = apcu_now();
	zval *key, value;
	array_init_size(return_value, arena ? zend_hash_num_elements(keys) : 0);
	ZEND_HASH_FOREACH_VAL(keys, key) {
		ZVAL_DEREF(key);
		if (UNEXPECTED(Z_TYPE_P(key) != IS_STRING)) {
			php_error_docref(NULL, E_WARNING, "apc_fetch() expects a string or array of strings.");
		} else if (arena && php_leveret_fetch_value(arena, Z_STR_P(key), now, &value) == PHP_LEVERET_HIT) {
			/* A key that looks like an integer is one in PHP's arrays. */
			zend_symtable_update(Z_ARRVAL_P(return_value), Z_STR_P(key), &value);
		}
		if (UNEXPECTED(EG(exception))) {
			return;
		}
	} ZEND_HASH_FOREACH_END();
}

PHP_FUNCTION(apcu_fetch)
{
	zval *key, *success = NULL;
	ZEND_PARSE_PARAMETERS_START(1, 2)
		Z_PARAM_ZVAL(key)
		Z_PARAM_OPTIONAL
		Z_PARAM_ZVAL(success)
	ZEND_PARSE_PARAMETERS_END();

	leveret_arena *arena = apcu_arena();
	bool found = true;
	if (UNEXPECTED(Z_TYPE_P(key) == IS_ARRAY)) {
		HashTable *keys = Z_ARRVAL_P(key);
		GC_TRY_ADDREF(keys);
		fetch_array(arena, keys, return_value);
		zend_array_release(keys);
	} else {
		zend_string *temporary, *name = zval_get_tmp_string(key, &temporary);
		if (UNEXPECTED(EG(exception))) {
			RETURN_FALSE;
		}
		found = arena && php_leveret_fetch_value(arena, name, apcu_now(), return_value) == PHP_LEVERET_HIT;
		zend_tmp_string_release(temporary);
		if (!found) {
			ZVAL_FALSE(return_value);
		}
	}
	if (success) {
		ZEND_TRY_ASSIGN_REF_BOOL(success, found);
	}
}

static bool exists(leveret_arena *arena, zend_string *key)
{
	leveret_found found;
	return arena && apcu_noticed(arena, leveret_peek(arena, php_leveret_string(key), apcu_now(), &found)) == LEVERET_OK;
}

static void exists_array(leveret_arena *arena, HashTable *keys, zval *return_value)
{
	zval *key, yes;
	ZVAL_TRUE(&yes);
	array_init_size(return_value, arena ? zend_hash_num_elements(keys) : 0);
	ZEND_HASH_FOREACH_VAL(keys, key) {
		ZVAL_DEREF(key);
		if (UNEXPECTED(Z_TYPE_P(key) != IS_STRING)) {
			php_error_docref(NULL, E_WARNING, "apc_exists() expects a string or array of strings.");
		} else if (exists(arena, Z_STR_P(key))) {
			zend_symtable_update(Z_ARRVAL_P(return_value), Z_STR_P(key), &yes);
		}
	} ZEND_HASH_FOREACH_END();
}

PHP_FUNCTION(apcu_exists)
{
	zval *key;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_ZVAL(key)
	ZEND_PARSE_PARAMETERS_END();

	leveret_arena *arena = apcu_arena();
	if (EXPECTED(Z_TYPE_P(key) == IS_STRING)) {
		RETURN_BOOL(exists(arena, Z_STR_P(key)));
	}
	if (Z_TYPE_P(key) == IS_ARRAY) {
		HashTable *keys = Z_ARRVAL_P(key);
		GC_TRY_ADDREF(keys);
		exists_array(arena, keys, return_value);
		zend_array_release(keys);
		return;
	}
	zend_string *name = zval_get_string(key);
	RETVAL_BOOL(!EG(exception) && exists(arena, name));
	zend_string_release(name);
}

/* --- removing --- */

static bool delete(leveret_arena *arena, zend_string *key)
{
	return arena && apcu_noticed(arena, leveret_delete(arena, php_leveret_string(key), apcu_now())) == LEVERET_OK;
}

static void delete_array(leveret_arena *arena, HashTable *keys, zval *failures)
{
	zval *key;
	array_init(failures);
	ZEND_HASH_FOREACH_VAL(keys, key) {
		ZVAL_DEREF(key);
		if (UNEXPECTED(Z_TYPE_P(key) != IS_STRING)) {
			php_error_docref(NULL, E_WARNING, "apc_delete() expects a string, array of strings, or APCIterator instance");
		} else if (delete(arena, Z_STR_P(key))) {
			continue;
		}
		Z_TRY_ADDREF_P(key);
		zend_hash_next_index_insert(Z_ARRVAL_P(failures), key);
	} ZEND_HASH_FOREACH_END();
}

PHP_FUNCTION(apcu_delete)
{
	zval *key;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_ZVAL(key)
	ZEND_PARSE_PARAMETERS_END();

	leveret_arena *arena = apcu_arena();
	switch (Z_TYPE_P(key)) {
		case IS_STRING:
			RETURN_BOOL(delete(arena, Z_STR_P(key)));
		case IS_ARRAY: {
			/* A warning may run a handler that changes the array of the caller. */
			HashTable *keys = Z_ARRVAL_P(key);
			GC_TRY_ADDREF(keys);
			delete_array(arena, keys, return_value);
			zend_array_release(keys);
			return;
		}
		case IS_OBJECT:
			if (instanceof_function(Z_OBJCE_P(key), php_leveret_apcu_iterator_ce)) {
				RETURN_BOOL(php_leveret_apcu_iterator_delete(Z_OBJ_P(key)));
			}
			php_error_docref(NULL, E_ERROR, "apc_delete object argument must be instance of APCUIterator.");
			RETURN_FALSE;
		default:
			php_error_docref(NULL, E_WARNING, "apc_delete() expects a string, array of strings, or APCIterator instance");
			RETURN_FALSE;
	}
}

/* --- counting --- */

static zend_always_inline void count_function(INTERNAL_FUNCTION_PARAMETERS, bool down)
{
	zend_string *key;
	zend_long step = 1, ttl = 0;
	zval *success = NULL;
	ZEND_PARSE_PARAMETERS_START(1, 4)
		Z_PARAM_STR(key)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG(step)
		Z_PARAM_ZVAL(success)
		Z_PARAM_LONG(ttl)
	ZEND_PARSE_PARAMETERS_END();

	leveret_arena *arena = apcu_arena();
	int64_t result = 0;
	bool counted = false;
	if (EXPECTED(arena)) {
		uint32_t now = apcu_now();
		/* Negated as unsigned: -PHP_INT_MIN wraps, as the addition does. */
		int64_t delta = down ? (int64_t) (0 - (uint64_t) step) : step;
		counted = apcu_noticed(arena, leveret_add_integer(arena, php_leveret_string(key), delta, 1,
			deadline_after(ttl, now), now, &result)) == LEVERET_OK;
	}
	if (success) {
		ZEND_TRY_ASSIGN_REF_BOOL(success, counted);
	}
	if (UNEXPECTED(!counted)) {
		RETURN_FALSE;
	}
	RETURN_LONG((zend_long) result);
}

PHP_FUNCTION(apcu_inc)
{
	count_function(INTERNAL_FUNCTION_PARAM_PASSTHRU, false);
}

PHP_FUNCTION(apcu_dec)
{
	count_function(INTERNAL_FUNCTION_PARAM_PASSTHRU, true);
}

PHP_FUNCTION(apcu_cas)
{
	zend_string *key;
	zend_long old_value, new_value;
	ZEND_PARSE_PARAMETERS_START(3, 3)
		Z_PARAM_STR(key)
		Z_PARAM_LONG(old_value)
		Z_PARAM_LONG(new_value)
	ZEND_PARSE_PARAMETERS_END();

	leveret_arena *arena = apcu_arena();
	RETURN_BOOL(arena && apcu_noticed(arena,
		leveret_cas_integer(arena, php_leveret_string(key), old_value, new_value, apcu_now())) == LEVERET_OK);
}

/* --- computing what is missing --- */

static uint64_t milliseconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t) now.tv_sec * 1000 + (uint64_t) now.tv_nsec / 1000000;
}

/* True: *return_value is set (a hit), or an exception is pending. False: this process is to compute, with *leased saying whether
 * others wait for it. */
static bool wait_for_value(leveret_arena *arena, zend_string *key, zval *return_value, leveret_ticket *ticket, bool *leased)
{
	leveret_bytes name = php_leveret_string(key);
	uint64_t start = milliseconds();
	leveret_status lease = LEVERET_WAIT;
	*leased = false;
	for (;;) {
		if (php_leveret_fetch_value(arena, key, apcu_now(), return_value) == PHP_LEVERET_HIT || UNEXPECTED(EG(exception))) {
			if (*leased) {
				leveret_lease_release(arena, ticket);
			}
			return true;
		}
		/* Having the lease, we have looked once more: the former holder may have stored just before it let go. */
		if (lease != LEVERET_WAIT) {
			return false;
		}
		lease = leveret_lease_acquire(arena, name, (uint32_t) (milliseconds() - start), ticket);
		*leased = lease == LEVERET_OK;
	}
}

PHP_FUNCTION(apcu_entry)
{
	zend_string *key;
	zend_fcall_info call;
	zend_fcall_info_cache callee;
	zend_long ttl = 0;
	ZEND_PARSE_PARAMETERS_START(2, 3)
		Z_PARAM_STR(key)
		Z_PARAM_FUNC(call, callee)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG(ttl)
	ZEND_PARSE_PARAMETERS_END();

	leveret_arena *arena = apcu_arena();
	leveret_ticket ticket;
	bool leased;
	if (!arena || wait_for_value(arena, key, return_value, &ticket, &leased)) {
		return;
	}
	/* An exit or a fatal error in the callback jumps past us: RSHUTDOWN then releases the lease. */
	zval argument;
	ZVAL_STR(&argument, key);
	call.retval = return_value;
	call.params = &argument;
	call.param_count = 1;
	if (zend_call_function(&call, &callee) == SUCCESS && !EG(exception)) {
		if (UNEXPECTED(Z_ISREF_P(return_value))) {
			zend_unwrap_reference(return_value);
		}
		/* Never over a value that the callback itself, or somebody else, has stored meanwhile. */
		store(arena, php_leveret_string(key), return_value, ttl, LEVERET_ADD);
	}
	if (leased) {
		leveret_lease_release(arena, &ticket);
	}
}
