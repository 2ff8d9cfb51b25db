/* redis/session_path.c: php-redis' syntax of session.save_path: "tcp://host:port?weight=2&auth[]=user&auth[]=pass",
 * "tls://host:port?stream[cafile]=/ca.pem", "unix:///path?database=3", several of them in a row. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "session_path.h"

#include "SAPI.h"
#include "ext/standard/url.h"
#include "php_variables.h"

#include <ctype.h>

/* Without a time-out of its own a connection waits as long as the system does. */
#define CONNECT_TIMEOUT_DEFAULT 86400

static zval *parameter(const HashTable *parameters, const char *name)
{
	zval *value = zend_hash_str_find(parameters, name, strlen(name));
	if (value) {
		ZVAL_DEREF(value);
	}
	return value;
}

static void take_long(const HashTable *parameters, const char *name, zend_long *number)
{
	const zval *value = parameter(parameters, name);
	*number = value ? zval_get_long((zval *) value) : *number;
}

static void take_double(const HashTable *parameters, const char *name, double *number)
{
	const zval *value = parameter(parameters, name);
	*number = value ? zval_get_double((zval *) value) : *number;
}

/* A list where a word belongs is as good as nothing. */
static void take_string(const HashTable *parameters, const char *name, zend_string **string)
{
	const zval *value = parameter(parameters, name);
	if (value && Z_TYPE_P(value) == IS_STRING) {
		*string = zend_string_copy(Z_STR_P(value));
	}
}

static bool is_yes(const zend_string *word)
{
	return redis_is(word, "1") || redis_is(word, "true") || redis_is(word, "yes");
}

/* The part of the URL behind '?'. A '#' in it begins nothing: passwords have them. */
static void take_query(const php_url *url, redis_place *place)
{
	zval parameters, *found;
	zend_string *persistent = NULL;
	/* treat_data() frees it. */
	char *query;
	spprintf(&query, 0, "%s%s%s", ZSTR_VAL(url->query), url->fragment ? "#" : "",
		url->fragment ? ZSTR_VAL(url->fragment) : "");
	array_init(&parameters);
	sapi_module.treat_data(PARSE_STRING, query, &parameters);
	const HashTable *names = Z_ARRVAL(parameters);
	take_long(names, "weight", &place->weight);
	take_long(names, "database", &place->database);
	take_long(names, "retry_interval", &place->retry_interval);
	take_double(names, "timeout", &place->timeout);
	take_double(names, "read_timeout", &place->read_timeout);
	take_string(names, "persistent_id", &place->persistent_id);
	take_string(names, "prefix", &place->prefix);
	take_string(names, "persistent", &persistent);
	if (persistent) {
		place->is_persistent = is_yes(persistent);
		zend_string_release(persistent);
	}
	if ((found = parameter(names, "auth"))) {
		php_leveret_redis_take_auth(found, &place->user, &place->password);
	}
	if ((found = parameter(names, "stream")) && Z_TYPE_P(found) == IS_ARRAY) {
		ZVAL_COPY(&place->stream, found);
	}
	zval_ptr_dtor(&parameters);
}

static bool is_tls(const zend_string *scheme)
{
	return redis_is(scheme, "ssl") || zend_binary_strncasecmp(ZSTR_VAL(scheme), ZSTR_LEN(scheme), "tls", 3, 3) == 0;
}

/* False: the link has no such way to a server. */
static bool take_address(const php_url *url, redis_place *place)
{
	bool is_plain = !url->scheme || redis_is(url->scheme, "tcp");
	if (!url->host) {
		place->host = url->path ? zend_string_copy(url->path) : NULL;
		return place->host && (is_plain || redis_is(url->scheme, "file"));
	}
	place->host = zend_strpprintf(0, "%s%s", is_plain ? "tcp://" : "tls://", ZSTR_VAL(url->host));
	place->port = url->port;
	return is_plain || is_tls(url->scheme);
}

static bool redis_read_place(const char *begin, size_t len, redis_place *place)
{
	*place = (redis_place) { .weight = 1, .database = -1, .timeout = CONNECT_TIMEOUT_DEFAULT };
	/* To PHP "unix:///path" is no URL, and "file:///path" is one. */
	zend_string *text = zend_string_init(begin, len, 0);
	if (len >= strlen("unix:") && memcmp(begin, "unix:", strlen("unix:")) == 0) {
		memcpy(ZSTR_VAL(text), "file", strlen("file"));
	}
	php_url *url = php_url_parse_ex(ZSTR_VAL(text), ZSTR_LEN(text));
	zend_string_release(text);
	if (!url) {
		return false;
	}
	bool is_good = take_address(url, place);
	if (is_good && url->query) {
		take_query(url, place);
	}
	php_url_free(url);
	return is_good && place->weight > 0 && place->weight <= INT32_MAX && place->timeout > 0
		&& place->timeout <= INT32_MAX && place->read_timeout <= INT32_MAX && place->database <= INT32_MAX
		&& !EG(exception);
}

static bool is_between(char byte)
{
	return byte == ',' || isspace((unsigned char) byte);
}

uint32_t php_leveret_redis_read_path(const char *path, redis_place **places, const char **wrong, size_t *wrong_len)
{
	uint32_t count = 0, room = 0;
	zend_long weights = 0;
	*places = NULL;
	*wrong = NULL;
	for (const char *at = path, *end; *at; at = end) {
		for (; is_between(*at); at++) {}
		for (end = at; *end && !is_between(*end); end++) {}
		if (end == at) {
			continue;
		}
		if (count == room) {
			room = room ? room * 2 : 2;
			*places = safe_erealloc(*places, room, sizeof(**places), 0);
		}
		redis_place *place = &(*places)[count++];
		bool is_good = redis_read_place(at, (size_t) (end - at), place);
		weights += is_good ? place->weight : 0;
		if (!is_good || weights > INT32_MAX) {
			*wrong = at;
			*wrong_len = (size_t) (end - at);
			php_leveret_redis_free_places(*places, count);
			return 0;
		}
	}
	return count;
}

void php_leveret_redis_free_places(redis_place *places, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		php_leveret_redis_keep(&places[i].host, NULL);
		php_leveret_redis_keep(&places[i].prefix, NULL);
		php_leveret_redis_keep(&places[i].persistent_id, NULL);
		php_leveret_redis_keep(&places[i].user, NULL);
		php_leveret_redis_keep(&places[i].password, NULL);
		zval_ptr_dtor(&places[i].stream);
	}
	if (places) {
		efree(places);
	}
}
