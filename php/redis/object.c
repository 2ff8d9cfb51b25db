/* redis/object.c: objects of the class Redis: their life, their server, and their properties. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "redis.h"
#include "base/arena.h"
#include "base/globals.h"
#include "module.h"

#include "ext/spl/spl_exceptions.h"
#include "ext/standard/file.h"
#include "zend_exceptions.h"

#include "class_arginfo.h"

zend_object_handlers php_leveret_redis_handlers;
static zend_class_entry *cluster_exception_ce;

#define REDIS_PORT 6379
#define SENTINEL_PORT 26379

/* --- life --- */

zend_object *php_leveret_redis_create(zend_class_entry *ce)
{
	redis_object *self = zend_object_alloc(sizeof(*self), ce);
	memset(self, 0, offsetof(redis_object, std));
	zend_object_std_init(&self->std, ce);
	object_properties_init(&self->std, ce);
	self->std.handlers = &php_leveret_redis_handlers;
	return &self->std;
}

void php_leveret_redis_keep(zend_string **place, zend_string *string)
{
	if (*place) {
		zend_string_release(*place);
	}
	*place = string;
}

void php_leveret_redis_free_strings(redis_object *self)
{
	php_leveret_redis_keep(&self->host, NULL);
	php_leveret_redis_keep(&self->persistent_id, NULL);
	php_leveret_redis_keep(&self->user, NULL);
	php_leveret_redis_keep(&self->password, NULL);
	php_leveret_redis_keep(&self->peer_name, NULL);
	php_leveret_redis_keep(&self->ca_file, NULL);
	php_leveret_redis_keep(&self->certificate, NULL);
	php_leveret_redis_keep(&self->key, NULL);
	php_leveret_redis_keep(&self->prefix, NULL);
	php_leveret_redis_keep(&self->error, NULL);
	php_leveret_redis_keep(&self->server_name, NULL);
	php_leveret_redis_keep(&self->server_version, NULL);
}

void php_leveret_redis_free_object(zend_object *object)
{
	redis_object *self = redis_from(object);
	php_leveret_redis_forget_queue(self);
	for (int i = 0; i < REDIS_SUBSCRIPTIONS; i++) {
		if (self->subscriptions[i]) {
			zend_array_release(self->subscriptions[i]);
		}
	}
	php_leveret_redis_free_strings(self);
	if (self->link) {
		leveret_redis_free(self->link);
	}
	zend_object_std_dtor(object);
}

void php_leveret_redis_begin(redis_object *self, zend_string *host, zend_long port)
{
	php_leveret_redis_forget_queue(self);
	php_leveret_redis_free_strings(self);
	if (!self->link) {
		self->link = leveret_redis_new();
	}
	self->host = host;
	self->port = port;
	self->database = 0;
	self->timeout = self->read_timeout = 0;
	self->is_persistent = false;
	self->is_tls_verified = true;
	self->serializer = self->compression = self->scan = 0;
	self->compression_level = 0;
	self->ignores_numbers = self->is_literal = self->nil_is_null = self->keepalive = false;
	self->mode = REDIS_ATOMIC;
	memset(&self->tuning, 0, sizeof(self->tuning));
	self->tuning.max_retries = 10;
	self->has_server = true;
}

/* --- what the link is told --- */

static int64_t microseconds(double seconds, bool is_default)
{
	if (seconds == 0 && is_default) {
		seconds = (double) FG(default_socket_timeout);
	}
	return seconds < 0 ? -1 : (int64_t) (seconds * 1e6);
}

void php_leveret_redis_tell_tuning(redis_object *self)
{
	self->tuning.connect_timeout_us = microseconds(self->timeout, true);
	self->tuning.read_timeout_us = microseconds(self->read_timeout, true);
	self->tuning.keepalive = self->keepalive;
	leveret_redis_set_tuning(self->link, &self->tuning);
}

static leveret_bytes bytes_of(const zend_string *string)
{
	return string ? php_leveret_string(string) : php_leveret_bytes(NULL, 0);
}

/* "unix:///path", "file:///path" and "/path" have no port. */
static bool is_path(const zend_string *host)
{
	return (ZSTR_LEN(host) > 0 && *ZSTR_VAL(host) == '/')
		|| (ZSTR_LEN(host) > 6
			&& (strncasecmp(ZSTR_VAL(host), "unix://", 7) == 0 || strncasecmp(ZSTR_VAL(host), "file://", 7) == 0));
}

void php_leveret_redis_tell_server(redis_object *self)
{
	leveret_redis_server server = {
		.host = php_leveret_string(self->host),
		.port = is_path(self->host) && self->port < 1 ? 0 : (uint32_t) (self->port ? self->port : REDIS_PORT),
		.is_persistent = self->is_persistent && REDIS_G(pooling_enabled),
		.persistent_id = self->persistent_id ? php_leveret_string(self->persistent_id) : php_leveret_bytes("", 0),
		.user = bytes_of(self->user),
		.password = bytes_of(self->password),
		.database = self->database,
		.short_cut = 1,
		.dir = php_leveret_dir(),
		.pool_limit = (uint32_t) MAX(REDIS_G(connection_limit), 0),
		.tls_verify = self->is_tls_verified,
		.tls_peer_name = bytes_of(self->peer_name),
		.tls_ca_file = bytes_of(self->ca_file),
		.tls_certificate = bytes_of(self->certificate),
		.tls_key = bytes_of(self->key),
	};
	php_leveret_redis_tell_tuning(self);
	leveret_redis_set_server(self->link, &server);
}

/* --- constructor and connect() --- */

bool php_leveret_redis_take_auth(zval *value, zend_string **user, zend_string **password)
{
	*user = *password = NULL;
	if (Z_TYPE_P(value) != IS_ARRAY) {
		if (Z_TYPE_P(value) == IS_NULL || Z_TYPE_P(value) == IS_FALSE) {
			return false;
		}
		*password = zval_get_string(value);
		return true;
	}
	HashTable *parts = Z_ARRVAL_P(value);
	uint32_t count = zend_hash_num_elements(parts);
	if (count != 1 && count != 2) {
		php_error_docref(NULL, E_WARNING, "When passing an array as auth it must have one or two elements!");
		return false;
	}
	zval *name = zend_hash_str_find(parts, "user", strlen("user"));
	zval *secret = zend_hash_str_find(parts, "pass", strlen("pass"));
	name = name ? name : zend_hash_index_find(parts, 0);
	secret = secret ? secret : zend_hash_index_find(parts, count - 1);
	if (count == 2 && name && Z_TYPE_P(name) != IS_NULL && Z_TYPE_P(name) != IS_FALSE) {
		*user = zval_get_string(name);
	}
	if (secret && Z_TYPE_P(secret) != IS_NULL && Z_TYPE_P(secret) != IS_FALSE) {
		*password = zval_get_string(secret);
		return true;
	}
	php_leveret_redis_keep(user, NULL);
	return false;
}

static void take_auth(redis_object *self, zval *value)
{
	zend_string *user, *password;
	if (php_leveret_redis_take_auth(value, &user, &password)) {
		php_leveret_redis_keep(&self->user, user);
		php_leveret_redis_keep(&self->password, password);
	}
}

bool php_leveret_redis_take_tls(redis_object *self, zval *options)
{
	zend_string *name;
	zval *value;
	if (Z_TYPE_P(options) != IS_ARRAY) {
		return false;
	}
	ZEND_HASH_FOREACH_STR_KEY_VAL(Z_ARRVAL_P(options), name, value) {
		ZVAL_DEREF(value);
		if (!name) {
			continue;
		} else if (zend_string_equals_literal(name, "verify_peer")) {
			self->is_tls_verified = zend_is_true(value);
		} else if (zend_string_equals_literal(name, "peer_name")) {
			php_leveret_redis_keep(&self->peer_name, zval_get_string(value));
		} else if (zend_string_equals_literal(name, "cafile")) {
			php_leveret_redis_keep(&self->ca_file, zval_get_string(value));
		} else if (zend_string_equals_literal(name, "local_cert")) {
			php_leveret_redis_keep(&self->certificate, zval_get_string(value));
		} else if (zend_string_equals_literal(name, "local_pk")) {
			php_leveret_redis_keep(&self->key, zval_get_string(value));
		}
	}
	ZEND_HASH_FOREACH_END();
	return true;
}

static bool take_backoff(redis_object *self, zval *options)
{
	zend_string *name;
	zval *value;
	if (Z_TYPE_P(options) != IS_ARRAY) {
		return false;
	}
	ZEND_HASH_FOREACH_STR_KEY_VAL(Z_ARRVAL_P(options), name, value) {
		if (!name) {
			continue;
		}
		zend_long number = zval_get_long(value);
		if (redis_is(name, "algorithm")) {
			if (number < 0 || number > LEVERET_REDIS_BACKOFF_CONSTANT) {
				return false;
			}
			self->tuning.backoff = (uint32_t) number;
		} else if (redis_is(name, "base") || redis_is(name, "cap")) {
			if (number < 0) {
				return false;
			}
			*(redis_is(name, "base") ? &self->tuning.backoff_base_ms : &self->tuning.backoff_cap_ms) =
				(uint32_t) MIN(number, UINT32_MAX);
		} else {
			php_error_docref(NULL, E_WARNING, "Skip unknown backoff option '%s'", ZSTR_VAL(name));
		}
	}
	ZEND_HASH_FOREACH_END();
	return true;
}

static bool is_number(const zval *value)
{
	return Z_TYPE_P(value) == IS_LONG || Z_TYPE_P(value) == IS_DOUBLE;
}

/* One option of a constructor. NULL, or the error. */
static const char *take_option(redis_object *self, zend_string *name, zval *value)
{
	if (redis_is(name, "host")) {
		if (Z_TYPE_P(value) != IS_STRING) {
			return "Invalid host";
		}
		php_leveret_redis_keep(&self->host, zval_get_string(value));
	} else if (redis_is(name, "port")) {
		if (Z_TYPE_P(value) != IS_LONG) {
			return "Invalid port";
		}
		self->port = Z_LVAL_P(value);
	} else if (redis_is(name, "connectTimeout")) {
		if (!is_number(value)) {
			return "Invalid connect timeout";
		}
		self->timeout = zval_get_double(value);
	} else if (redis_is(name, "readTimeout")) {
		if (!is_number(value)) {
			return "Invalid read timeout";
		}
		self->read_timeout = zval_get_double(value);
	} else if (redis_is(name, "persistent")) {
		if (Z_TYPE_P(value) == IS_STRING) {
			php_leveret_redis_keep(&self->persistent_id, zval_get_string(value));
		}
		self->is_persistent = Z_TYPE_P(value) == IS_STRING || zend_is_true(value);
	} else if (redis_is(name, "retryInterval")) {
		if (!is_number(value)) {
			return "Invalid retry interval";
		}
		self->tuning.retry_interval_ms = (uint32_t) MAX(zval_get_long(value), 0);
	} else if (redis_is(name, "ssl")) {
		if (!php_leveret_redis_take_tls(self, value)) {
			return "Invalid SSL context options";
		}
	} else if (redis_is(name, "auth")) {
		if (Z_TYPE_P(value) != IS_STRING && Z_TYPE_P(value) != IS_ARRAY) {
			return "Invalid auth credentials";
		}
		take_auth(self, value);
	} else if (redis_is(name, "backoff")) {
		if (!take_backoff(self, value)) {
			return "Invalid backoff options";
		}
	} else {
		php_error_docref(NULL, E_WARNING, "Skip unknown option '%s'", ZSTR_VAL(name));
	}
	return NULL;
}

bool php_leveret_redis_configure(redis_object *self, HashTable *options)
{
	zend_string *name;
	zval *value;
	ZEND_HASH_FOREACH_STR_KEY_VAL(options, name, value) {
		if (name) {
			ZVAL_DEREF(value);
			const char *problem = take_option(self, name, value);
			if (problem) {
				zend_value_error("%s", problem);
			}
			if (EG(exception)) {
				return false;
			}
		}
	}
	ZEND_HASH_FOREACH_END();
	return true;
}

static void construct(INTERNAL_FUNCTION_PARAMETERS, zend_long port)
{
	HashTable *options = NULL;
	ZEND_PARSE_PARAMETERS_START(0, 1)
		Z_PARAM_OPTIONAL
		Z_PARAM_ARRAY_HT_OR_NULL(options)
	ZEND_PARSE_PARAMETERS_END();
	REDIS_SELF();
	php_leveret_redis_begin(self, zend_string_init("127.0.0.1", strlen("127.0.0.1"), 0), port);
	if (options && !php_leveret_redis_configure(self, options)) {
		RETURN_THROWS();
	}
	php_leveret_redis_tell_server(self);
}

/* clang-format off */
PHP_METHOD(Redis, __construct) { construct(INTERNAL_FUNCTION_PARAM_PASSTHRU, REDIS_PORT); }
PHP_METHOD(RedisSentinel, __construct) { construct(INTERNAL_FUNCTION_PARAM_PASSTHRU, SENTINEL_PORT); }
/* clang-format on */

/* The link ends with the object: in MULTI its connection is closed, which discards the transaction. */
PHP_METHOD(Redis, __destruct)
{
	ZEND_PARSE_PARAMETERS_NONE();
}

/* As PHP's streams do, which the original is made of: a name that is not known is warned of, too. */
static void tell_connect_failed(redis_object *self)
{
	static const char of_names[] = "php_network_getaddresses:";
	leveret_bytes told = leveret_redis_error(self->link);
	zend_string *text = zend_string_init((const char *) told.data, told.len, 0);
	php_leveret_redis_forget_queue(self);
	self->mode = REDIS_ATOMIC;
	self->has_server = false;
	/* Runs user code. */
	if (strncmp(ZSTR_VAL(text), of_names, strlen(of_names)) == 0) {
		php_error_docref(NULL, E_WARNING, "%s", ZSTR_VAL(text));
	}
	if (!EG(exception)) {
		php_leveret_redis_throw(ZSTR_VAL(text));
	}
	zend_string_release(text);
}

static void connect_to(INTERNAL_FUNCTION_PARAMETERS, bool is_persistent)
{
	zend_string *host, *persistent_id = NULL;
	zend_long port = -1, retry_interval = 0;
	double timeout = 0, read_timeout = 0;
	HashTable *context = NULL;
	zval *found;
	ZEND_PARSE_PARAMETERS_START(1, 7)
		Z_PARAM_STR(host)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG(port)
		Z_PARAM_DOUBLE(timeout)
		Z_PARAM_STR_OR_NULL(persistent_id)
		Z_PARAM_LONG(retry_interval)
		Z_PARAM_DOUBLE(read_timeout)
		Z_PARAM_ARRAY_HT_OR_NULL(context)
	ZEND_PARSE_PARAMETERS_END();
	REDIS_SELF();
	const char *problem = timeout > INT_MAX                          ? "Invalid connect timeout"
		: read_timeout > INT_MAX                                     ? "Invalid read timeout"
		: retry_interval < 0 || retry_interval > (zend_long) INT_MAX ? "Invalid retry interval"
																	 : NULL;
	if (problem) {
		zend_value_error("%s", problem);
		RETURN_THROWS();
	}
	php_leveret_redis_begin(self, zend_string_copy(host), port == -1 && !is_path(host) ? REDIS_PORT : port);
	self->timeout = timeout;
	self->read_timeout = read_timeout;
	self->tuning.retry_interval_ms = (uint32_t) retry_interval;
	self->tuning.backoff_base_ms = self->tuning.backoff_cap_ms = (uint32_t) retry_interval;
	self->is_persistent = is_persistent;
	if (is_persistent && persistent_id) {
		self->persistent_id = zend_string_copy(persistent_id);
	}
	if (context && (found = zend_hash_str_find(context, "stream", strlen("stream")))) {
		ZVAL_DEREF(found);
		php_leveret_redis_take_tls(self, found);
	}
	if (context && (found = zend_hash_str_find(context, "auth", strlen("auth")))) {
		ZVAL_DEREF(found);
		take_auth(self, found);
	}
	php_leveret_redis_tell_server(self);
	if (leveret_redis_connect(self->link) != LEVERET_REDIS_OK) {
		tell_connect_failed(self);
		RETURN_FALSE;
	}
	RETURN_TRUE;
}

/* clang-format off */
PHP_METHOD(Redis, connect) { connect_to(INTERNAL_FUNCTION_PARAM_PASSTHRU, false); }
PHP_METHOD(Redis, pconnect) { connect_to(INTERNAL_FUNCTION_PARAM_PASSTHRU, true); }
/* clang-format on */

PHP_METHOD(Redis, close)
{
	ZEND_PARSE_PARAMETERS_NONE();
	REDIS_SELF();
	if (!self->has_server) {
		RETURN_FALSE;
	}
	php_leveret_redis_forget_queue(self);
	self->mode = REDIS_ATOMIC;
	leveret_redis_close(self->link);
	RETURN_TRUE;
}

PHP_METHOD(Redis, auth)
{
	zval *credentials;
	zend_string *user, *password;
	uint64_t turn;
	redis_node reply;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_ZVAL(credentials)
	ZEND_PARSE_PARAMETERS_END();
	REDIS_SELF();
	if (!php_leveret_redis_is_ready(self) || !php_leveret_redis_take_auth(credentials, &user, &password)) {
		RETURN_FALSE;
	}
	php_leveret_redis_keep(&self->user, user);
	php_leveret_redis_keep(&self->password, password);
	RETVAL_FALSE;
	if (leveret_redis_auth(self->link, bytes_of(user), bytes_of(password)) != LEVERET_REDIS_OK) {
		php_leveret_redis_failed(self);
	} else if (self->mode & REDIS_PIPELINE) {
		php_leveret_redis_enqueue(self, php_leveret_redis_bool, NULL);
		RETURN_OBJ_COPY(&self->std);
	} else if (php_leveret_redis_flush(self, &turn) && php_leveret_redis_read(self, turn, &reply)) {
		php_leveret_redis_bool(self, &reply, NULL, return_value);
		php_leveret_redis_node_free(&reply);
	}
}

/* --- the classes --- */

static void refuse(const char *class, zend_class_entry *exception)
{
	zend_throw_exception_ex(exception, 0,
		"%s is not in this version of Leveret: take redis out of leveret.provide and load the original", class);
}

/* clang-format off */
PHP_METHOD(RedisArray, __construct) { refuse("RedisArray", php_leveret_redis_exception_ce); }
PHP_METHOD(RedisCluster, __construct) { refuse("RedisCluster", cluster_exception_ce); }
/* clang-format on */

static void declare(zend_class_entry *ce, const char *name, zend_long value)
{
	zend_declare_class_constant_long(ce, name, strlen(name), value);
}

void php_leveret_redis_classes(void)
{
	zend_class_entry *ce = register_class_Redis();
	ce->create_object = php_leveret_redis_create;
	php_leveret_redis_ce = ce;
	php_leveret_redis_exception_ce = register_class_RedisException(spl_ce_RuntimeException);
	if (php_leveret_has_serializer(LEVERET_IGBINARY)) {
		declare(ce, "SERIALIZER_IGBINARY", REDIS_SERIALIZER_IGBINARY);
	}
	if (php_leveret_has_serializer(LEVERET_MSGPACK)) {
		declare(ce, "SERIALIZER_MSGPACK", REDIS_SERIALIZER_MSGPACK);
	}
	declare(ce, "COMPRESSION_LZF", REDIS_COMPRESSION_LZF);
	declare(ce, "COMPRESSION_LZ4", REDIS_COMPRESSION_LZ4);
	if (php_leveret_redis_has_compression(REDIS_COMPRESSION_ZSTD)) {
		declare(ce, "COMPRESSION_ZSTD", REDIS_COMPRESSION_ZSTD);
		declare(ce, "COMPRESSION_ZSTD_MIN", -131072);
		declare(ce, "COMPRESSION_ZSTD_DEFAULT", 3);
		declare(ce, "COMPRESSION_ZSTD_MAX", 22);
	}
	memcpy(&php_leveret_redis_handlers, zend_get_std_object_handlers(), sizeof(php_leveret_redis_handlers));
	php_leveret_redis_handlers.offset = offsetof(redis_object, std);
	php_leveret_redis_handlers.free_obj = php_leveret_redis_free_object;
	php_leveret_redis_handlers.clone_obj = NULL;
	register_class_RedisSentinel()->create_object = php_leveret_redis_create;
	register_class_RedisArray();
	register_class_RedisCluster();
	cluster_exception_ce = register_class_RedisClusterException(spl_ce_RuntimeException);
}
