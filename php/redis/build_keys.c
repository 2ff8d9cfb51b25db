/* redis/build_keys.c: builders of commands on keys, strings, hashes and lists. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "builders.h"

/* --- strings --- */

/* More strict than zval_get_long(): a resource, say, is no time. */
static bool take_expiry(const zval *value, zend_long *seconds)
{
	double real;
	if (Z_TYPE_P(value) == IS_LONG || Z_TYPE_P(value) == IS_DOUBLE) {
		*seconds = zval_get_long((zval *) value);
	} else if (Z_TYPE_P(value) != IS_STRING) {
		return false;
	} else {
		switch (is_numeric_string(Z_STRVAL_P(value), Z_STRLEN_P(value), seconds, &real, false)) {
			case IS_DOUBLE:
				*seconds = zend_dval_to_lval(real);
				break;
			case IS_LONG:
				break;
			default:
				return false;
		}
	}
	return *seconds >= 1;
}

static bool refuse_expiry(zval *value)
{
	php_error_docref(NULL, E_WARNING, "%s passed as EXPIRY is invalid (must be an int, float, or numeric string >= 1)",
		zend_zval_type_name(value));
	return false;
}

static bool is_time_option(const zend_string *name)
{
	return redis_is(name, "EX") || redis_is(name, "PX") || redis_is(name, "EXAT") || redis_is(name, "PXAT");
}

REDIS_BUILDER(set)
{
	zend_string *key, *name, *time = NULL, *condition = NULL;
	zval *value, *options = NULL, *option, *equal = NULL;
	zend_long expiry = -1;
	bool keeps = false, gets = false;
	ZEND_PARSE_PARAMETERS_START(2, 3)
		Z_PARAM_STR(key)
		Z_PARAM_ZVAL(value)
		Z_PARAM_OPTIONAL
		Z_PARAM_ZVAL(options)
	ZEND_PARSE_PARAMETERS_END_EX(return false);
	if (options && Z_TYPE_P(options) == IS_ARRAY) {
		ZEND_HASH_FOREACH_STR_KEY_VAL(Z_ARRVAL_P(options), name, option) {
			ZVAL_DEREF(option);
			if (name && is_time_option(name)) {
				if (!take_expiry(option, &expiry)) {
					return refuse_expiry(option);
				}
				time = name;
			} else if (name && redis_is(name, "IFEQ")) {
				equal = option;
			} else if (Z_TYPE_P(option) == IS_STRING) {
				const zend_string *word = Z_STR_P(option);
				keeps |= redis_is(word, "KEEPTTL");
				gets |= redis_is(word, "GET");
				if (redis_is(word, "NX") || redis_is(word, "XX")) {
					condition = Z_STR_P(option);
				}
			}
		}
		ZEND_HASH_FOREACH_END();
	} else if (options && Z_TYPE_P(options) != IS_NULL && !take_expiry(options, &expiry)) {
		return refuse_expiry(options);
	}
	if (time && keeps) {
		return redis_warn("KEEPTTL can't be combined with EX or PX option");
	}
	if (condition && equal) {
		return redis_warn("IFEQ can't be combined with NX or XX option");
	}
	redis_words *words = &call->words;
	bool is_setex = expiry > 0 && !time && !condition && !keeps;
	if (is_setex) {
		words->list[0] = php_leveret_bytes("SETEX", strlen("SETEX"));
	}
	php_leveret_redis_add_key(words, key);
	if (is_setex) {
		php_leveret_redis_add_long(words, expiry);
	}
	php_leveret_redis_add_value(words, value);
	if (is_setex) {
		return true;
	}
	if (equal) {
		php_leveret_redis_add_literal(words, "IFEQ");
		php_leveret_redis_add_text(words, equal);
	} else if (condition) {
		php_leveret_redis_add_string(words, condition);
	}
	if (gets) {
		php_leveret_redis_add_literal(words, "GET");
		call->shape = php_leveret_redis_string;
	}
	if (time) {
		php_leveret_redis_add_string(words, time);
		php_leveret_redis_add_long(words, expiry);
	} else if (keeps) {
		php_leveret_redis_add_literal(words, "KEEPTTL");
	}
	return true;
}

REDIS_BUILDER(getex)
{
	zend_string *key, *name, *time = NULL;
	HashTable *options = NULL;
	zval *option;
	zend_long expiry = -1;
	bool persists = false;
	REDIS_PARSE("S|h", &key, &options);
	if (options) {
		ZEND_HASH_FOREACH_STR_KEY_VAL(options, name, option) {
			ZVAL_DEREF(option);
			if (name && is_time_option(name)) {
				time = name;
				expiry = zval_get_long(option);
				persists = false;
			} else if (name ? redis_is(name, "PERSIST")
							: Z_TYPE_P(option) == IS_STRING && redis_is(Z_STR_P(option), "PERSIST")) {
				persists = zend_is_true(option);
				time = NULL;
			}
		}
		ZEND_HASH_FOREACH_END();
	}
	if (time && expiry < 1) {
		return redis_warn("EXPIRE can't be < 1");
	}
	php_leveret_redis_add_key(&call->words, key);
	if (time) {
		php_leveret_redis_add_string(&call->words, time);
		php_leveret_redis_add_long(&call->words, expiry);
	} else if (persists) {
		php_leveret_redis_add_literal(&call->words, "PERSIST");
	}
	return true;
}

REDIS_BUILDER(count)
{
	zend_string *key;
	zend_long by = 1;
	REDIS_PARSE("S|l", &key, &by);
	if (by != 1) {
		const char *command = *call->row->command == 'I' ? "INCRBY" : "DECRBY";
		call->words.list[0] = php_leveret_bytes(command, strlen(command));
	}
	php_leveret_redis_add_key(&call->words, key);
	if (by != 1) {
		php_leveret_redis_add_long(&call->words, by);
	}
	return true;
}

REDIS_BUILDER(setbit)
{
	zend_string *key;
	zend_long offset;
	bool bit;
	REDIS_PARSE("Slb", &key, &offset, &bit);
	if (offset < 0 || offset > UINT32_MAX) {
		return redis_warn("Invalid OFFSET for bitop command (must be between 0-2^32-1)");
	}
	php_leveret_redis_add_key(&call->words, key);
	php_leveret_redis_add_long(&call->words, offset);
	php_leveret_redis_add_long(&call->words, bit);
	return true;
}

REDIS_BUILDER(bitcount)
{
	zend_string *key;
	zend_long from = 0, to = -1;
	bool by_bit = false;
	REDIS_PARSE("S|llb", &key, &from, &to, &by_bit);
	php_leveret_redis_add_key(&call->words, key);
	php_leveret_redis_add_long(&call->words, (int32_t) from);
	php_leveret_redis_add_long(&call->words, (int32_t) to);
	if (by_bit) {
		php_leveret_redis_add_literal(&call->words, "BIT");
	}
	return true;
}

REDIS_BUILDER(bitpos)
{
	zend_string *key;
	zend_long from = 0, to = -1;
	bool bit, by_bit = false;
	REDIS_PARSE("Sb|llb", &key, &bit, &from, &to, &by_bit);
	php_leveret_redis_add_key(&call->words, key);
	php_leveret_redis_add_long(&call->words, bit);
	if (ZEND_NUM_ARGS() > 2) {
		php_leveret_redis_add_long(&call->words, from);
		php_leveret_redis_add_long(&call->words, to);
	}
	if (by_bit) {
		php_leveret_redis_add_literal(&call->words, "BIT");
	}
	return true;
}

REDIS_BUILDER(bitop)
{
	uint32_t count = ZEND_NUM_ARGS();
	zval *arguments = ZEND_CALL_ARG(execute_data, 1);
	if (count < 3 || Z_TYPE(arguments[0]) != IS_STRING) {
		return false;
	}
	php_leveret_redis_add_string(&call->words, Z_STR(arguments[0]));
	for (uint32_t i = 1; i < count; i++) {
		php_leveret_redis_add_key_of(&call->words, &arguments[i]);
	}
	return true;
}

REDIS_BUILDER(lcs)
{
	zend_string *first, *second, *name;
	HashTable *options = NULL;
	zval *option;
	bool len = false, idx = false, with_len = false;
	zend_long least = 0;
	REDIS_PARSE("SS|h!", &first, &second, &options);
	if (options) {
		ZEND_HASH_FOREACH_STR_KEY_VAL(options, name, option) {
			const zend_string *word = name ? name : Z_TYPE_P(option) == IS_STRING ? Z_STR_P(option) : NULL;
			bool is_set = name ? zend_is_true(option) : true;
			if (word && redis_is(word, "LEN")) {
				idx = false;
				len = is_set;
			} else if (word && redis_is(word, "IDX")) {
				len = false;
				idx = is_set;
			} else if (name && redis_is(name, "MINMATCHLEN")) {
				least = zval_get_long(option);
			} else if (word && redis_is(word, "WITHMATCHLEN")) {
				with_len = is_set;
			} else if (name) {
				php_error_docref(NULL, E_WARNING, "Unknown LCS option '%s'", ZSTR_VAL(name));
			}
		}
		ZEND_HASH_FOREACH_END();
	}
	redis_words *words = &call->words;
	php_leveret_redis_add_key(words, first);
	php_leveret_redis_add_key(words, second);
	if (idx) {
		php_leveret_redis_add_literal(words, "IDX");
	}
	if (len) {
		php_leveret_redis_add_literal(words, "LEN");
	}
	if (with_len) {
		php_leveret_redis_add_literal(words, "WITHMATCHLEN");
	}
	if (least) {
		php_leveret_redis_add_literal(words, "MINMATCHLEN");
		php_leveret_redis_add_long(words, least);
	}
	return true;
}

/* --- keys --- */

REDIS_BUILDER(expire)
{
	zend_string *key, *mode = NULL;
	zend_long time;
	REDIS_PARSE("Sl|S!", &key, &time, &mode);
	if (mode && !redis_is(mode, "NX") && !redis_is(mode, "XX") && !redis_is(mode, "LT") && !redis_is(mode, "GT")) {
		php_error_docref(NULL, E_WARNING, "Unknown expiration modifier '%s'", ZSTR_VAL(mode));
		return false;
	}
	php_leveret_redis_add_key(&call->words, key);
	php_leveret_redis_add_long(&call->words, time);
	if (mode) {
		php_leveret_redis_add_string(&call->words, mode);
	}
	return true;
}

REDIS_BUILDER(copy)
{
	zend_string *from, *to, *name;
	HashTable *options = NULL;
	zval *option;
	zend_long database = -1;
	bool replaces = false;
	REDIS_PARSE("SS|h!", &from, &to, &options);
	if (options) {
		ZEND_HASH_FOREACH_STR_KEY_VAL(options, name, option) {
			if (name && redis_is(name, "db")) {
				database = zval_get_long(option);
			} else if (name && redis_is(name, "replace")) {
				replaces = zend_is_true(option);
			}
		}
		ZEND_HASH_FOREACH_END();
	}
	php_leveret_redis_add_key(&call->words, from);
	php_leveret_redis_add_key(&call->words, to);
	if (database > -1) {
		php_leveret_redis_add_literal(&call->words, "DB");
		php_leveret_redis_add_long(&call->words, database);
	}
	if (replaces) {
		php_leveret_redis_add_literal(&call->words, "REPLACE");
	}
	return true;
}

REDIS_BUILDER(select)
{
	zend_long database;
	REDIS_PARSE("l", &database);
	if (database < 0 || database > INT_MAX) {
		return false;
	}
	php_leveret_redis_add_long(&call->words, database);
	return true;
}

REDIS_BUILDER(flush)
{
	bool is_sync = false, is_null = true;
	REDIS_PARSE("|b!", &is_sync, &is_null);
	if (!is_null) {
		php_leveret_redis_add_literal(&call->words, is_sync ? "SYNC" : "ASYNC");
	}
	return true;
}

REDIS_BUILDER(object)
{
	zend_string *word, *key;
	REDIS_PARSE("SS", &word, &key);
	if (redis_is(word, "ENCODING")) {
		call->shape = php_leveret_redis_string;
	} else if (!redis_is(word, "REFCOUNT") && !redis_is(word, "IDLETIME")) {
		return redis_warn("Invalid subcommand sent to OBJECT");
	}
	php_leveret_redis_add_string(&call->words, word);
	php_leveret_redis_add_key(&call->words, key);
	return true;
}

/* --- hashes --- */

REDIS_BUILDER(hset)
{
	zend_string *key, *name;
	zval *arguments, *value;
	uint32_t count;
	ZEND_PARSE_PARAMETERS_START(2, -1)
		Z_PARAM_STR(key)
		Z_PARAM_VARIADIC('*', arguments, count)
	ZEND_PARSE_PARAMETERS_END_EX(return false);
	if (count == 1) {
		if (Z_TYPE_P(arguments) != IS_ARRAY || zend_hash_num_elements(Z_ARRVAL_P(arguments)) == 0) {
			return false;
		}
		php_leveret_redis_add_key(&call->words, key);
		ZEND_HASH_FOREACH_STR_KEY_VAL(Z_ARRVAL_P(arguments), name, value) {
			if (name) {
				php_leveret_redis_add_string(&call->words, name);
				php_leveret_redis_add_value(&call->words, value);
			}
		}
		ZEND_HASH_FOREACH_END();
		return true;
	}
	if (count % 2 != 0) {
		return false;
	}
	php_leveret_redis_add_key(&call->words, key);
	for (uint32_t i = 0; i < count; i += 2) {
		php_leveret_redis_add_text(&call->words, &arguments[i]);
		php_leveret_redis_add_value(&call->words, &arguments[i + 1]);
	}
	return true;
}

REDIS_BUILDER(hmget)
{
	zend_string *key;
	HashTable *fields;
	zval *field;
	REDIS_PARSE("Sh", &key, &fields);
	zend_array *asked = zend_new_array(zend_hash_num_elements(fields));
	php_leveret_redis_add_key(&call->words, key);
	ZEND_HASH_FOREACH_VAL(fields, field) {
		ZVAL_DEREF(field);
		if (Z_TYPE_P(field) == IS_LONG || (Z_TYPE_P(field) == IS_STRING && Z_STRLEN_P(field) > 0)) {
			Z_TRY_ADDREF_P(field);
			zend_hash_next_index_insert(asked, field);
			php_leveret_redis_add_text(&call->words, field);
		}
	}
	ZEND_HASH_FOREACH_END();
	call->context = asked;
	return zend_hash_num_elements(asked) > 0;
}

REDIS_BUILDER(hrandfield)
{
	zend_string *key, *name;
	HashTable *options = NULL;
	zval *option;
	int32_t count = 0;
	bool with_values = false;
	REDIS_PARSE("S|h", &key, &options);
	if (options) {
		ZEND_HASH_FOREACH_STR_KEY_VAL(options, name, option) {
			if (name && redis_is(name, "count")) {
				count = (int32_t) zval_get_long(option);
			} else if (name && redis_is(name, "withvalues")) {
				with_values = zend_is_true(option);
			} else if (!name && Z_TYPE_P(option) == IS_STRING && redis_is(Z_STR_P(option), "WITHVALUES")) {
				with_values = true;
			}
		}
		ZEND_HASH_FOREACH_END();
	}
	php_leveret_redis_add_key(&call->words, key);
	if (count || with_values) {
		php_leveret_redis_add_long(&call->words, count ? count : 1);
		call->shape = php_leveret_redis_list_raw;
	}
	if (with_values) {
		php_leveret_redis_add_literal(&call->words, "WITHVALUES");
		call->shape = php_leveret_redis_pairs;
	}
	return true;
}
