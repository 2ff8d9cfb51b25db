/* memcache/object.c: the classes MemcachePool and Memcache: their objects' servers and settings. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/basedir.h"
#include "base/bytes.h"
#include "memcache.h"
#include "module.h"

#include "class_arginfo.h"

/* pecl/memcache's own: seconds. */
#define TIMEOUT 1.0
#define RETRY 15

zend_class_entry *php_leveret_memcache_pool_ce, *php_leveret_memcache_ce;

/* --- servers --- */

static mmc_server new_server(void)
{
	return (mmc_server) {
		.port = MEMCACHE_G(default_port),
		.weight = 1,
		.timeout = TIMEOUT,
		.retry = RETRY,
		.is_persistent = true,
	};
}

/* What cannot be a server leaves no trace, not even a connection without servers. */
static bool is_good(mmc_server *server)
{
	if (server->port < 0 || server->port > 65535) {
		php_error_docref(NULL, E_WARNING, "invalid tcp port number");
		return false;
	}
	if (server->udp_port < 0 || server->udp_port > 65535) {
		php_error_docref(NULL, E_WARNING, "invalid udp port number");
		return false;
	}
	if (server->weight < 1 || server->weight > INT32_MAX) {
		php_error_docref(NULL, E_WARNING, "weight must be a positive integer");
		return false;
	}
	return php_leveret_may_add(php_leveret_string(server->host));
}

/* The connection that the server is to be added to. NULL: it cannot be. */
static mmc_link *link_for(zval *object, mmc_server *server)
{
	mmc_link *link = is_good(server) ? php_leveret_mmc_link_make(object) : NULL;
	if (link && server->udp_port && link->is_binary) {
		server->udp_port = 0;
		php_error_docref(NULL, E_NOTICE, "binary protocol isn't support over UDP, defaulting to TCP");
		/* A handler of errors may have taken the connection away. */
		link = php_leveret_mmc_link_of(object);
	}
	return link;
}

/* Adds a server and connects to it. What fails is told. */
static bool connect_to(zval *object, mmc_server *server)
{
	mmc_link *link = link_for(object, server);
	if (!link) {
		return false;
	}
	uint32_t index = php_leveret_mmc_link_add(link, server);
	if (EXPECTED(leveret_pool_connect(php_leveret_mmc_pool_of(link), index) == LEVERET_CODE_SUCCESS)) {
		return true;
	}
	mmc_failures failures = { 0 };
	php_leveret_mmc_failures_gather(link, &failures);
	zend_string *reason = failures.count ? zend_string_copy(failures.list[0].text) : ZSTR_EMPTY_ALLOC();
	zend_long number = failures.count ? failures.list[0].number : 0;
	php_leveret_mmc_failures_tell(object, &failures);
	if (!EG(exception)) {
		php_error_docref(NULL, E_WARNING, "Can't connect to %s:" ZEND_LONG_FMT ", %s (" ZEND_LONG_FMT ")",
			ZSTR_VAL(server->host), server->port, ZSTR_VAL(reason), number);
	}
	zend_string_release(reason);
	return false;
}

/* Memcache::connect() is true or false, memcache_connect() an object or false. */
static void connect_memcache(INTERNAL_FUNCTION_PARAMETERS, bool is_persistent)
{
	mmc_server server = new_server();
	zval *ignored;
	ZEND_PARSE_PARAMETERS_START(1, 8)
		Z_PARAM_STR(server.host)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG(server.port)
		Z_PARAM_DOUBLE(server.timeout)
		Z_PARAM_ZVAL(ignored)
		Z_PARAM_ZVAL(ignored)
		Z_PARAM_ZVAL(ignored)
		Z_PARAM_ZVAL(ignored)
		Z_PARAM_ZVAL(ignored)
	ZEND_PARSE_PARAMETERS_END();
	(void) ignored;
	server.is_persistent = is_persistent;
	if (getThis()) {
		RETURN_BOOL(connect_to(ZEND_THIS, &server));
	}
	object_init_ex(return_value, php_leveret_memcache_ce);
	if (!connect_to(return_value, &server)) {
		zval_ptr_dtor(return_value);
		RETURN_FALSE;
	}
}

/* clang-format off */
PHP_FUNCTION(memcache_connect) { connect_memcache(INTERNAL_FUNCTION_PARAM_PASSTHRU, false); }
PHP_FUNCTION(memcache_pconnect) { connect_memcache(INTERNAL_FUNCTION_PARAM_PASSTHRU, true); }
/* clang-format on */

/* NULL, or null: there is to be none. */
static bool is_good_callback(zval *callback)
{
	if (callback && Z_TYPE_P(callback) != IS_NULL && !zend_is_callable(callback, 0, NULL)) {
		php_error_docref(NULL, E_WARNING, "Invalid failure callback");
		return false;
	}
	return true;
}

/* Runs user code: the loader of a callback's class, and the destructor of the old one. Either may take the connection
 * away. */
static bool set_callback(zval *object, zval *callback)
{
	mmc_link *link = is_good_callback(callback) ? php_leveret_mmc_link_of(object) : NULL;
	if (!link) {
		return false;
	}
	zval old;
	ZVAL_COPY_VALUE(&old, &link->callback);
	ZVAL_UNDEF(&link->callback);
	if (callback && Z_TYPE_P(callback) != IS_NULL) {
		ZVAL_COPY(&link->callback, callback);
	}
	zval_ptr_dtor(&old);
	return true;
}

/* Each of them can be called again, so an existing server is not added twice. */
static bool add(zval *object, mmc_server *server, zval *callback)
{
	mmc_link *link = is_good_callback(callback) ? link_for(object, server) : NULL;
	if (!link) {
		return false;
	}
	php_leveret_mmc_link_add(link, server);
	return !callback || set_callback(object, callback);
}

/* A server that is added as off is so for this object only: it is not shared, as a persistent one would be. */
static void added_as(mmc_server *server, bool status)
{
	server->is_off = !status;
	server->is_persistent = server->is_persistent && status;
}

/* Both take the same arguments, but only addServer can add a server that is off. */
static void connect_or_add(INTERNAL_FUNCTION_PARAMETERS, bool connects)
{
	mmc_server server = new_server();
	bool status = true;
	ZEND_PARSE_PARAMETERS_START(1, 8 - connects)
		Z_PARAM_STR(server.host)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG(server.port)
		Z_PARAM_LONG(server.udp_port)
		Z_PARAM_BOOL(server.is_persistent)
		Z_PARAM_LONG(server.weight)
		Z_PARAM_DOUBLE(server.timeout)
		Z_PARAM_LONG(server.retry)
		Z_PARAM_BOOL(status)
	ZEND_PARSE_PARAMETERS_END();
	added_as(&server, status);
	RETURN_BOOL(connects ? connect_to(ZEND_THIS, &server) : add(ZEND_THIS, &server, NULL));
}

/* clang-format off */
PHP_METHOD(MemcachePool, connect) { connect_or_add(INTERNAL_FUNCTION_PARAM_PASSTHRU, true); }
PHP_METHOD(MemcachePool, addserver) { connect_or_add(INTERNAL_FUNCTION_PARAM_PASSTHRU, false); }
/* clang-format on */

static void mmc_object_add_server(INTERNAL_FUNCTION_PARAMETERS)
{
	mmc_server server = new_server();
	zval *object = getThis(), *callback = NULL;
	bool status = true;
	MMC_ARGUMENTS(1, 8)
		MMC_OBJECT_PARAM(object)
		Z_PARAM_STR(server.host)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG(server.port)
		Z_PARAM_BOOL(server.is_persistent)
		Z_PARAM_LONG(server.weight)
		Z_PARAM_DOUBLE(server.timeout)
		Z_PARAM_LONG(server.retry)
		Z_PARAM_BOOL(status)
		Z_PARAM_ZVAL(callback)
	ZEND_PARSE_PARAMETERS_END();
	added_as(&server, status);
	RETURN_BOOL(add(object, &server, callback));
}

/* clang-format off */
PHP_METHOD(Memcache, addserver) { mmc_object_add_server(INTERNAL_FUNCTION_PARAM_PASSTHRU); }
PHP_FUNCTION(memcache_add_server) { mmc_object_add_server(INTERNAL_FUNCTION_PARAM_PASSTHRU); }
/* clang-format on */

/* Index in the list; -1: there is none, and a warning was given. */
static int64_t find(mmc_link *link, const zend_string *host, zend_long port)
{
	int64_t index = php_leveret_mmc_link_find(link, host, port);
	if (index < 0) {
		php_error_docref(NULL, E_WARNING, "Server not found in pool");
	}
	return index;
}

PHP_FUNCTION(memcache_set_server_params)
{
	mmc_server wanted = new_server();
	zval *object = getThis(), *callback = NULL;
	bool status = true;
	MMC_ARGUMENTS(1, 6)
		MMC_OBJECT_PARAM(object)
		Z_PARAM_STR(wanted.host)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG(wanted.port)
		Z_PARAM_DOUBLE(wanted.timeout)
		Z_PARAM_LONG(wanted.retry)
		Z_PARAM_BOOL(status)
		Z_PARAM_ZVAL(callback)
	ZEND_PARSE_PARAMETERS_END();
	mmc_link *link = is_good_callback(callback) ? php_leveret_mmc_link_of(object) : NULL;
	int64_t index = link ? find(link, wanted.host, wanted.port) : -1;
	if (index < 0) {
		RETURN_FALSE;
	}
	mmc_server *server = &link->servers[index];
	server->timeout = wanted.timeout;
	server->retry = wanted.retry;
	server->is_off = !status;
	leveret_pool *pool = php_leveret_mmc_pool_of(link);
	if (status) {
		leveret_pool_mark_server(pool, (uint32_t) index, 1, 0);
	}
	php_leveret_mmc_link_tune(link, (uint32_t) index);
	RETURN_BOOL(!callback || set_callback(object, callback));
}

PHP_FUNCTION(memcache_set_failure_callback)
{
	zval *object = getThis(), *callback;
	MMC_ARGUMENTS(1, 1)
		MMC_OBJECT_PARAM(object)
		Z_PARAM_ZVAL(callback)
	ZEND_PARSE_PARAMETERS_END();
	RETURN_BOOL(php_leveret_mmc_link_of(object) && set_callback(object, callback));
}

PHP_FUNCTION(memcache_get_server_status)
{
	zend_string *host;
	zend_long port = MEMCACHE_G(default_port);
	zval *object = getThis();
	leveret_server server;
	MMC_ARGUMENTS(1, 2)
		MMC_OBJECT_PARAM(object)
		Z_PARAM_STR(host)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG(port)
	ZEND_PARSE_PARAMETERS_END();
	mmc_link *link = php_leveret_mmc_link_of(object);
	int64_t index = link ? find(link, host, port) : -1;
	if (index < 0
		|| leveret_pool_server(php_leveret_mmc_pool_of(link), (uint32_t) index, &server) != LEVERET_CODE_SUCCESS) {
		RETURN_FALSE;
	}
	RETURN_LONG(!server.is_down);
}

PHP_METHOD(MemcachePool, findserver)
{
	zend_string *key;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR(key)
	ZEND_PARSE_PARAMETERS_END();
	mmc_link *link = php_leveret_mmc_link_of(ZEND_THIS);
	zend_string *full = link ? php_leveret_mmc_key(link, key) : NULL;
	if (!full) {
		RETURN_FALSE;
	}
	int64_t index = leveret_pool_route(php_leveret_mmc_pool_of(link), php_leveret_string(full));
	zend_string_release(full);
	if (index < 0) {
		RETURN_FALSE;
	}
	RETURN_STR(zend_strpprintf(0, "%s:" ZEND_LONG_FMT, ZSTR_VAL(link->servers[index].host), link->servers[index].port));
}

PHP_FUNCTION(memcache_close)
{
	zval *object = getThis();
	MMC_ARGUMENTS(0, 0)
		MMC_OBJECT_PARAM(object)
	ZEND_PARSE_PARAMETERS_END();
	mmc_link *link = php_leveret_mmc_link_of(object);
	if (!link) {
		RETURN_FALSE;
	}
	php_leveret_mmc_link_close(link);
	RETURN_TRUE;
}

/* --- settings --- */

PHP_FUNCTION(memcache_set_compress_threshold)
{
	zend_long threshold;
	double savings = 0.2;
	zval *object = getThis();
	MMC_ARGUMENTS(1, 2)
		MMC_OBJECT_PARAM(object)
		Z_PARAM_LONG(threshold)
		Z_PARAM_OPTIONAL
		Z_PARAM_DOUBLE(savings)
	ZEND_PARSE_PARAMETERS_END();
	mmc_link *link = php_leveret_mmc_link_of(object);
	if (!link) {
		RETURN_FALSE;
	}
	if (threshold < 0) {
		php_error_docref(NULL, E_WARNING, "threshold must be a positive integer");
		RETURN_FALSE;
	}
	/* As in the original this stands also where the other is refused. */
	link->threshold = threshold;
	if (!(savings >= 0 && savings <= 1)) {
		php_error_docref(NULL, E_WARNING, "min_savings must be a float in the 0..1 range");
		RETURN_FALSE;
	}
	link->savings = savings;
	RETURN_TRUE;
}

PHP_FUNCTION(memcache_set_sasl_auth_data)
{
	zend_string *name, *password;
	zval *object = getThis();
	MMC_ARGUMENTS(2, 2)
		MMC_OBJECT_PARAM(object)
		Z_PARAM_STR(name)
		Z_PARAM_STR(password)
	ZEND_PARSE_PARAMETERS_END();
	if (ZSTR_LEN(name) == 0 || ZSTR_LEN(password) == 0) {
		RETURN_FALSE;
	}
	/* Where pecl/memcache keeps them, from before there is a server. */
	zend_update_property_str(Z_OBJCE_P(object), Z_OBJ_P(object), "username", strlen("username"), name);
	zend_update_property_str(Z_OBJCE_P(object), Z_OBJ_P(object), "password", strlen("password"), password);
	mmc_link *link = php_leveret_mmc_link_if_any(object);
	if (link) {
		php_leveret_mmc_link_sign_in(link, name, password);
	}
	RETURN_TRUE;
}

PHP_FUNCTION(memcache_debug)
{
	bool on;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_BOOL(on)
	ZEND_PARSE_PARAMETERS_END();
	(void) on;
	php_error_docref(NULL, E_WARNING, "memcache_debug() is deprecated, please use a debugger (like Eclipse + CDT)");
	RETURN_FALSE;
}

/* --- the classes --- */

const zend_function_entry *php_leveret_memcache_functions(void)
{
	return ext_functions;
}

void php_leveret_memcache_classes(void)
{
	php_leveret_mmc_connections_init();
	php_leveret_memcache_pool_ce = register_class_MemcachePool();
	php_leveret_memcache_ce = register_class_Memcache(php_leveret_memcache_pool_ce);
}
