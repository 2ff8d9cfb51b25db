/* redis/tell.c: what objects of the class Redis tell of their connection. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "redis.h"

/* The object, if it has a reachable server: these calls connect. */
static bool is_connected(redis_object *self)
{
	return self->has_server && leveret_redis_connect(self->link) == LEVERET_REDIS_OK;
}

#define REDIS_CONNECTED() \
	ZEND_PARSE_PARAMETERS_NONE(); \
	REDIS_SELF(); \
	if (!is_connected(self)) { \
		RETURN_FALSE; \
	}

PHP_METHOD(Redis, getHost)
{
	REDIS_CONNECTED();
	RETURN_STR_COPY(self->host);
}

PHP_METHOD(Redis, getPort)
{
	REDIS_CONNECTED();
	RETURN_LONG(self->port);
}

PHP_METHOD(Redis, getDBNum)
{
	REDIS_CONNECTED();
	leveret_redis_state state;
	leveret_redis_get_state(self->link, &state);
	RETURN_LONG(state.database);
}

PHP_METHOD(Redis, getTimeout)
{
	REDIS_CONNECTED();
	RETURN_DOUBLE(self->timeout);
}

PHP_METHOD(Redis, getReadTimeout)
{
	REDIS_CONNECTED();
	RETURN_DOUBLE(self->read_timeout);
}

PHP_METHOD(Redis, getPersistentID)
{
	REDIS_CONNECTED();
	if (!self->persistent_id) {
		RETURN_NULL();
	}
	RETURN_STR_COPY(self->persistent_id);
}

PHP_METHOD(Redis, getAuth)
{
	REDIS_CONNECTED();
	if (!self->password) {
		RETURN_NULL();
	}
	if (!self->user) {
		RETURN_STR_COPY(self->password);
	}
	array_init_size(return_value, 2);
	add_next_index_str(return_value, zend_string_copy(self->user));
	add_next_index_str(return_value, zend_string_copy(self->password));
}

PHP_METHOD(Redis, isConnected)
{
	ZEND_PARSE_PARAMETERS_NONE();
	REDIS_SELF();
	leveret_redis_state state = { 0 };
	if (self->has_server) {
		leveret_redis_get_state(self->link, &state);
	}
	RETURN_BOOL(state.is_connected);
}

PHP_METHOD(Redis, getMode)
{
	ZEND_PARSE_PARAMETERS_NONE();
	REDIS_SELF();
	if (!php_leveret_redis_is_ready(self)) {
		RETURN_THROWS();
	}
	RETURN_LONG(self->mode & REDIS_PIPELINE ? REDIS_PIPELINE : self->mode);
}

PHP_METHOD(Redis, getLastError)
{
	ZEND_PARSE_PARAMETERS_NONE();
	REDIS_SELF();
	if (!php_leveret_redis_is_ready(self)) {
		RETURN_THROWS();
	}
	if (!self->error) {
		RETURN_NULL();
	}
	RETURN_STR_COPY(self->error);
}

PHP_METHOD(Redis, clearLastError)
{
	ZEND_PARSE_PARAMETERS_NONE();
	REDIS_SELF();
	if (!php_leveret_redis_is_ready(self)) {
		RETURN_THROWS();
	}
	php_leveret_redis_keep(&self->error, NULL);
	RETURN_TRUE;
}

PHP_METHOD(Redis, getTransferredBytes)
{
	ZEND_PARSE_PARAMETERS_NONE();
	REDIS_SELF();
	leveret_redis_state state;
	if (!php_leveret_redis_is_ready(self)) {
		RETURN_THROWS();
	}
	leveret_redis_get_state(self->link, &state);
	array_init_size(return_value, 2);
	add_next_index_long(return_value, (zend_long) state.sent);
	add_next_index_long(return_value, (zend_long) state.received);
}

PHP_METHOD(Redis, clearTransferredBytes)
{
	ZEND_PARSE_PARAMETERS_NONE();
	REDIS_SELF();
	if (!php_leveret_redis_is_ready(self)) {
		RETURN_THROWS();
	}
	leveret_redis_clear_transferred(self->link);
}

/* --- HELLO: the server's name and version, asked for once --- */

static void keep_hello(redis_object *self, const redis_node *reply)
{
	for (uint32_t i = 0; i + 1 < reply->count; i += 2) {
		zend_string *name = reply->items[i].text, *value = reply->items[i + 1].text;
		if (name && value && zend_string_equals_literal(name, "server")) {
			php_leveret_redis_keep(&self->server_name, zend_string_copy(value));
		} else if (name && value && zend_string_equals_literal(name, "version")) {
			php_leveret_redis_keep(&self->server_version, zend_string_copy(value));
		}
	}
}

static void server_word(INTERNAL_FUNCTION_PARAMETERS, const char *method, bool is_version)
{
	ZEND_PARSE_PARAMETERS_NONE();
	REDIS_SELF();
	if (!self->has_server) {
		RETURN_FALSE;
	}
	if (self->mode != REDIS_ATOMIC) {
		php_error_docref(NULL, E_ERROR, "Can't call %s in multi or pipeline mode!", method);
		RETURN_FALSE;
	}
	if (!self->server_name) {
		redis_words words;
		redis_node reply;
		php_leveret_redis_words_begin(&words, self, "HELLO");
		bool is_good = php_leveret_redis_ask(self, &words, false, &reply);
		php_leveret_redis_words_free(&words);
		if (!is_good) {
			RETURN_FALSE;
		}
		if (php_leveret_redis_is_list(self, &reply)) {
			keep_hello(self, &reply);
		}
		php_leveret_redis_node_free(&reply);
	}
	zend_string *word = is_version ? self->server_version : self->server_name;
	if (!word) {
		RETURN_FALSE;
	}
	RETURN_STR_COPY(word);
}

/* clang-format off */
PHP_METHOD(Redis, serverName) { server_word(INTERNAL_FUNCTION_PARAM_PASSTHRU, "serverName", false); }
PHP_METHOD(Redis, serverVersion) { server_word(INTERNAL_FUNCTION_PARAM_PASSTHRU, "serverVersion", true); }
/* clang-format on */
