/* apcu/functions.c: the functions that store, read and remove. Each parses, calls the engine once per key, and converts
 * the answer. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/bytes.h"
#include "codec/value.h"
#include "apcu.h"

PHP_FUNCTION(apcu_enabled)
{
	ZEND_PARSE_PARAMETERS_NONE();
	uint32_t now;
	RETURN_BOOL(apcu_begin(&now) != NULL);
}

PHP_FUNCTION(apcu_clear_cache)
{
	ZEND_PARSE_PARAMETERS_NONE();
	uint32_t now;
	leveret_arena *arena = apcu_begin(&now);
	RETURN_BOOL(!arena || apcu_noticed(arena, leveret_clear(arena)) == LEVERET_OK);
}

/* --- storing --- */

/* APCu keeps an item until it is older than its ttl: so one second more than other caches. */
uint32_t php_leveret_apcu_deadline(zend_long ttl, uint32_t now)
{
	if (EXPECTED(ttl == 0)) {
		return LEVERET_NEVER;
	}
	return leveret_deadline_of_ttl(ttl < 0 ? 0 : MIN(ttl, (zend_long) UINT32_MAX) + 1, now);
}

bool php_leveret_apcu_store_value(
	leveret_arena *arena, leveret_bytes key, zval *value, zend_long ttl, leveret_mode mode, uint32_t now)
{
	php_leveret_encoded encoded;
	if (UNEXPECTED(!php_leveret_encode(value, true, &encoded))) {
		return false;
	}
	leveret_status status = leveret_store(
		arena, key, encoded.bytes, &encoded.meta, php_leveret_apcu_deadline(ttl, now), mode, 0, now, NULL);
	size_t len = encoded.bytes.len;
	php_leveret_encoded_free(&encoded);
	return apcu_noticed(arena, php_leveret_stored(arena, status, len)) == LEVERET_OK;
}

static void store_array(
	leveret_arena *arena, HashTable *values, zend_long ttl, leveret_mode mode, uint32_t now, zval *failures)
{
	zend_ulong index;
	zend_string *key;
	zval *value;
	zval failed;
	ZVAL_LONG(&failed, -1);
	array_init(failures);
	/* A list has numbers for keys, and a single key nothing to wait together with. */
	bool asks = arena && zend_hash_num_elements(values) > 1 && !HT_IS_PACKED(values);
	uint32_t asked = 0, from = 0;
	ZEND_HASH_FOREACH_KEY_VAL(values, index, key, value) {
		bool stored = false;
		if (asks && asked-- == 0) {
			asked = php_leveret_ask_for_names(arena, values, &from) - 1;
		}
		if (EXPECTED(key)) {
			stored = arena && php_leveret_apcu_store_value(arena, php_leveret_string(key), value, ttl, mode, now);
		} else if (arena) {
			char buffer[MAX_LENGTH_OF_LONG];
			char *digits = zend_print_long_to_buf(buffer + sizeof(buffer) - 1, (zend_long) index);
			stored = php_leveret_apcu_store_value(
				arena, php_leveret_bytes(digits, buffer + sizeof(buffer) - 1 - digits), value, ttl, mode, now);
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
	}
	ZEND_HASH_FOREACH_END();
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

	uint32_t now;
	leveret_arena *arena = apcu_begin(&now);
	if (EXPECTED(Z_TYPE_P(key) == IS_STRING)) {
		RETURN_BOOL(arena && value
			&& php_leveret_apcu_store_value(arena, php_leveret_string(Z_STR_P(key)), value, ttl, mode, now));
	}
	if (Z_TYPE_P(key) == IS_ARRAY) {
		store_array(arena, Z_ARRVAL_P(key), ttl, mode, now, return_value);
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

static void fetch_array(leveret_arena *arena, HashTable *keys, uint32_t now, zval *return_value)
{
	uint64_t hashes[LEVERET_AHEAD];
	zval value;
	array_init_size(return_value, arena ? zend_hash_num_elements(keys) : 0);
	for (uint32_t i = 0; i < keys->nNumUsed; i++) {
		if (i % LEVERET_AHEAD == 0 && EXPECTED(arena)) {
			php_leveret_ask_for(arena, keys, i, hashes);
		}
		zval *element = ZEND_HASH_ELEMENT(keys, i), *key = element;
		ZVAL_DEREF(key);
		if (UNEXPECTED(Z_TYPE_P(key) != IS_STRING)) {
			if (Z_TYPE_P(key) != IS_UNDEF) {
				php_error_docref(NULL, E_WARNING, "apc_fetch() expects a string or array of strings.");
			}
		} else if (EXPECTED(arena)) {
			/* Held: user code (__wakeup) may assign something else where the script has a reference to it. */
			zend_string *name = zend_string_copy(Z_STR_P(key));
			/* So the hash of such a key may now be that of another one. */
			php_leveret_fetch answer = EXPECTED(key == element)
				? php_leveret_fetch_hashed(arena, name, hashes[i % LEVERET_AHEAD], now, &value)
				: php_leveret_fetch_value(arena, name, now, &value);
			if (EXPECTED(answer == PHP_LEVERET_HIT)) {
				/* A key that looks like an integer is one in PHP's arrays. */
				zend_symtable_update(Z_ARRVAL_P(return_value), name, &value);
			}
			zend_string_release(name);
		}
		if (UNEXPECTED(EG(exception))) {
			return;
		}
	}
}

PHP_FUNCTION(apcu_fetch)
{
	zval *key, *success = NULL;
	ZEND_PARSE_PARAMETERS_START(1, 2)
		Z_PARAM_ZVAL(key)
		Z_PARAM_OPTIONAL
		Z_PARAM_ZVAL(success)
	ZEND_PARSE_PARAMETERS_END();

	uint32_t now;
	leveret_arena *arena = apcu_begin(&now);
	bool found = true;
	if (UNEXPECTED(Z_TYPE_P(key) == IS_ARRAY)) {
		fetch_array(arena, Z_ARRVAL_P(key), now, return_value);
	} else {
		zend_string *temporary, *name = zval_get_tmp_string(key, &temporary);
		if (UNEXPECTED(EG(exception))) {
			RETURN_FALSE;
		}
		found = arena && php_leveret_fetch_value(arena, name, now, return_value) == PHP_LEVERET_HIT;
		zend_tmp_string_release(temporary);
		if (!found) {
			ZVAL_FALSE(return_value);
		}
	}
	if (success) {
		ZEND_TRY_ASSIGN_REF_BOOL(success, found);
	}
}

static bool exists(leveret_arena *arena, zend_string *key, uint32_t now)
{
	leveret_found found;
	return arena && apcu_noticed(arena, leveret_peek(arena, php_leveret_string(key), now, &found)) == LEVERET_OK;
}

static void exists_array(leveret_arena *arena, HashTable *keys, uint32_t now, zval *return_value)
{
	zval *key, yes;
	ZVAL_TRUE(&yes);
	array_init_size(return_value, arena ? zend_hash_num_elements(keys) : 0);
	ZEND_HASH_FOREACH_VAL(keys, key) {
		ZVAL_DEREF(key);
		if (UNEXPECTED(Z_TYPE_P(key) != IS_STRING)) {
			php_error_docref(NULL, E_WARNING, "apc_exists() expects a string or array of strings.");
		} else if (exists(arena, Z_STR_P(key), now)) {
			zend_symtable_update(Z_ARRVAL_P(return_value), Z_STR_P(key), &yes);
		}
		if (UNEXPECTED(EG(exception))) {
			return;
		}
	}
	ZEND_HASH_FOREACH_END();
}

PHP_FUNCTION(apcu_exists)
{
	zval *key;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_ZVAL(key)
	ZEND_PARSE_PARAMETERS_END();

	uint32_t now;
	leveret_arena *arena = apcu_begin(&now);
	if (EXPECTED(Z_TYPE_P(key) == IS_STRING)) {
		RETURN_BOOL(exists(arena, Z_STR_P(key), now));
	}
	if (Z_TYPE_P(key) == IS_ARRAY) {
		exists_array(arena, Z_ARRVAL_P(key), now, return_value);
		return;
	}
	zend_string *name = zval_get_string(key);
	RETVAL_BOOL(!EG(exception) && exists(arena, name, now));
	zend_string_release(name);
}

/* --- removing --- */

static bool delete_key(leveret_arena *arena, zend_string *key, uint32_t now)
{
	return arena && apcu_noticed(arena, leveret_delete(arena, php_leveret_string(key), now)) == LEVERET_OK;
}

static void delete_array(leveret_arena *arena, HashTable *keys, uint32_t now, zval *failures)
{
	zval *key;
	array_init(failures);
	ZEND_HASH_FOREACH_VAL(keys, key) {
		ZVAL_DEREF(key);
		if (UNEXPECTED(Z_TYPE_P(key) != IS_STRING)) {
			php_error_docref(
				NULL, E_WARNING, "apc_delete() expects a string, array of strings, or APCIterator instance");
		} else if (delete_key(arena, Z_STR_P(key), now)) {
			continue;
		}
		if (UNEXPECTED(EG(exception))) {
			return;
		}
		Z_TRY_ADDREF_P(key);
		zend_hash_next_index_insert(Z_ARRVAL_P(failures), key);
	}
	ZEND_HASH_FOREACH_END();
}

PHP_FUNCTION(apcu_delete)
{
	zval *key;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_ZVAL(key)
	ZEND_PARSE_PARAMETERS_END();

	uint32_t now;
	leveret_arena *arena = apcu_begin(&now);
	switch (Z_TYPE_P(key)) {
		case IS_STRING:
			RETURN_BOOL(delete_key(arena, Z_STR_P(key), now));
		case IS_ARRAY:
			delete_array(arena, Z_ARRVAL_P(key), now, return_value);
			return;
		case IS_OBJECT:
			if (instanceof_function(Z_OBJCE_P(key), php_leveret_apcu_iterator_ce)) {
				RETURN_BOOL(php_leveret_apcu_iterator_delete(Z_OBJ_P(key)));
			}
			php_error_docref(NULL, E_ERROR, "apc_delete object argument must be instance of APCUIterator.");
			RETURN_FALSE;
		default:
			php_error_docref(
				NULL, E_WARNING, "apc_delete() expects a string, array of strings, or APCIterator instance");
			RETURN_FALSE;
	}
}
