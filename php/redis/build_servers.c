/* redis/build_servers.c: builders of commands that servers have among themselves. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "builders.h"

REDIS_BUILDER(waitaof)
{
	zend_long local, replicas, timeout;
	REDIS_PARSE("lll", &local, &replicas, &timeout);
	if (local < 0 || replicas < 0 || timeout < 0) {
		return redis_warn("No arguments can be negative");
	}
	php_leveret_redis_add_long(&call->words, local);
	php_leveret_redis_add_long(&call->words, replicas);
	php_leveret_redis_add_long(&call->words, timeout);
	return true;
}

REDIS_BUILDER(replicaof)
{
	zend_string *host = NULL;
	zend_long port = 6379;
	REDIS_PARSE("|S!l", &host, &port);
	if (port < 0 || port > UINT16_MAX) {
		php_error_docref(NULL, E_WARNING, "Invalid port " ZEND_LONG_FMT, port);
		return false;
	}
	if (ZEND_NUM_ARGS() == 2 && host) {
		php_leveret_redis_add_string(&call->words, host);
		php_leveret_redis_add_long(&call->words, port);
	} else {
		php_leveret_redis_add_literal(&call->words, "NO");
		php_leveret_redis_add_literal(&call->words, "ONE");
	}
	return true;
}

REDIS_BUILDER(failover)
{
	HashTable *to = NULL;
	bool aborts = false;
	zend_long timeout = 0;
	REDIS_PARSE("|h!bl", &to, &aborts, &timeout);
	redis_words *words = &call->words;
	if (to) {
		zval *host = zend_hash_str_find(to, "host", strlen("host")),
			 *port = zend_hash_str_find(to, "port", strlen("port"));
		zval *force = zend_hash_str_find(to, "force", strlen("force"));
		if (!host || !port || !zval_get_long(port)) {
			return redis_warn("host and port must be provided!");
		}
		php_leveret_redis_add_literal(words, "TO");
		php_leveret_redis_add_text(words, host);
		php_leveret_redis_add_long(words, zval_get_long(port));
		if (force && zend_is_true(force)) {
			php_leveret_redis_add_literal(words, "FORCE");
		}
	}
	if (aborts) {
		php_leveret_redis_add_literal(words, "ABORT");
	}
	if (timeout > 0) {
		php_leveret_redis_add_literal(words, "TIMEOUT");
		php_leveret_redis_add_long(words, timeout);
	}
	return true;
}

REDIS_BUILDER(restore)
{
	zend_string *key, *data, *name;
	zend_long ttl, idle = -1, frequency = -1;
	HashTable *options = NULL;
	zval *value;
	bool replaces = false, is_absolute = false;
	REDIS_PARSE("SlS|h!", &key, &ttl, &data, &options);
	if (options) {
		ZEND_HASH_FOREACH_STR_KEY_VAL(options, name, value) {
			ZVAL_DEREF(value);
			if (name && redis_is(name, "IDLETIME")) {
				zend_long number = zval_get_long(value);
				if (number < 0) {
					redis_warn("IDLETIME must be >= 0");
				} else {
					idle = number;
					frequency = -1;
				}
			} else if (name && redis_is(name, "FREQ")) {
				zend_long number = zval_get_long(value);
				if (number < 0 || number > 255) {
					redis_warn("FREQ must be >= 0 and <= 255");
				} else {
					frequency = number;
					idle = -1;
				}
			} else if (name) {
				redis_refuse_word("RESTORE option", name);
			} else if (Z_TYPE_P(value) == IS_STRING) {
				bool is_replace = redis_is(Z_STR_P(value), "REPLACE"), is_abs = redis_is(Z_STR_P(value), "ABSTTL");
				replaces |= is_replace;
				is_absolute |= is_abs;
				if (!is_replace && !is_abs) {
					redis_refuse_word("RESTORE option", Z_STR_P(value));
				}
			}
		}
		ZEND_HASH_FOREACH_END();
	}
	redis_words *words = &call->words;
	php_leveret_redis_add_key(words, key);
	php_leveret_redis_add_long(words, ttl);
	php_leveret_redis_add_string(words, data);
	if (replaces) {
		php_leveret_redis_add_literal(words, "REPLACE");
	}
	if (is_absolute) {
		php_leveret_redis_add_literal(words, "ABSTTL");
	}
	if (idle > -1 || frequency > -1) {
		php_leveret_redis_add_literal(words, idle > -1 ? "IDLETIME" : "FREQ");
		php_leveret_redis_add_long(words, idle > -1 ? idle : frequency);
	}
	return true;
}

REDIS_BUILDER(migrate)
{
	zend_string *host, *user = NULL, *password = NULL;
	zend_long port, database, timeout;
	zval *keys, *credentials = NULL, *key;
	bool copies = false, replaces = false;
	REDIS_PARSE("Slzll|bbz!", &host, &port, &keys, &database, &timeout, &copies, &replaces, &credentials);
	if (credentials && !php_leveret_redis_take_auth(credentials, &user, &password)) {
		redis_warn("AUTH must be a string or an array with one or two strings");
	}
	bool is_array = Z_TYPE_P(keys) == IS_ARRAY;
	redis_words *words = &call->words;
	if (is_array && zend_hash_num_elements(Z_ARRVAL_P(keys)) == 0) {
		return redis_warn("Keys array cannot be empty");
	}
	php_leveret_redis_add_string(words, host);
	php_leveret_redis_add_long(words, port);
	if (is_array) {
		php_leveret_redis_add_literal(words, "");
	} else {
		php_leveret_redis_add_key_of(words, keys);
	}
	php_leveret_redis_add_long(words, database);
	php_leveret_redis_add_long(words, timeout);
	if (copies) {
		php_leveret_redis_add_literal(words, "COPY");
	}
	if (replaces) {
		php_leveret_redis_add_literal(words, "REPLACE");
	}
	if (password) {
		php_leveret_redis_add_literal(words, user ? "AUTH2" : "AUTH");
		if (user) {
			php_leveret_redis_add_own(words, user);
		}
		php_leveret_redis_add_own(words, password);
	}
	if (is_array) {
		php_leveret_redis_add_literal(words, "KEYS");
		ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(keys), key) {
			php_leveret_redis_add_key_of(words, key);
		}
		ZEND_HASH_FOREACH_END();
	}
	return true;
}
