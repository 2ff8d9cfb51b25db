/* memcached/stats.c: requests to all servers at once, without a key: statistics, versions, all keys, flush. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "memcached.h"

/* --- asking --- */

/* Answers come as servers are quick; libmemcached asks one server after the other, and that order shows. */
static void by_server(const memc_link *link, client_copies *copies)
{
	client_copies sorted = {
		.list = safe_emalloc(copies->count, sizeof(*sorted.list), 0),
		.count = 0,
		.room = copies->count,
	};
	for (uint32_t server = 0; server < leveret_pool_servers(link->pool); server++) {
		for (uint32_t i = 0; i < copies->count; i++) {
			if (copies->list[i].server == server) {
				sorted.list[sorted.count++] = copies->list[i];
			}
		}
	}
	efree(copies->list);
	*copies = sorted;
}

/* One request to every server; the answers are `copies`. False: none could be sent. */
static bool ask_all(
	memc_object *self, leveret_operation operation, leveret_bytes key, zend_long exptime, client_copies *copies)
{
	leveret_request request = { .operation = operation, .key = key, .exptime = exptime, .server = -1 };
	leveret_pool *pool = self->link->pool;
	memc_result(self, MEMC_SUCCESS);
	self->is_fetching = false;
	if (!leveret_pool_servers(pool)) {
		php_leveret_memc_failure(self, MEMC_NO_SERVERS);
		return false;
	}
	leveret_pool_begin(pool);
	int code = leveret_pool_add(pool, &request);
	if (code == MEMC_SUCCESS) {
		code = leveret_pool_run(pool);
	}
	php_leveret_memc_gather(self, copies, operation != LEVERET_OP_STATS, UINT32_MAX);
	if (leveret_pool_servers(pool) > 1 && copies->count > 1) {
		by_server(self->link, copies);
	}
	php_leveret_memc_failure(self, code);
	return true;
}

/* libmemcached contacts every server before it reads from one, and keeps its last error. A refusal by a server is no
 * error of the connection, so it counts least. */
static int step_of(zend_long code)
{
	enum { REFUSED, REACHING, READING };
	switch (code) {
		case MEMC_NOTFOUND:
		case MEMC_PROTOCOL_ERROR:
			return REFUSED;
		case MEMC_HOST_LOOKUP_FAILURE:
		case MEMC_CONNECTION_FAILURE:
		case MEMC_ERRNO:
		case MEMC_SERVER_MARKED_DEAD:
		case MEMC_SERVER_TEMPORARILY_DISABLED:
			return REACHING;
		default:
			return READING;
	}
}

/* The error of the server whose failure libmemcached would report, also for getLastError…(); MEMC_SUCCESS: none. */
static zend_long failure_of(memc_object *self, const client_copies *copies)
{
	const client_copy *failure = NULL;
	for (uint32_t i = 0; i < copies->count; i++) {
		const client_copy *copy = &copies->list[i];
		if (php_leveret_memc_is_failure(copy->code) && (!failure || step_of(copy->code) >= step_of(failure->code))) {
			failure = copy;
		}
	}
	if (!failure) {
		return MEMC_SUCCESS;
	}
	php_leveret_memc_result_of_copy(self, failure);
	return self->code;
}

/* "host:port" of a server, as getStats() and getVersion() name it. */
static zend_string *memc_stats_name_of(const memc_link *link, uint32_t index)
{
	leveret_server server = { 0 };
	leveret_pool_server(link->pool, index, &server);
	return zend_strpprintf(
		0, "%.*s:" ZEND_LONG_FMT, (int) server.host.len, (const char *) server.host.data, (zend_long) server.port);
}

/* A number stays one: the original gives the integers of statistics as integers. */
static void add_stat(zval *list, zend_string *name, zend_string *text)
{
	zend_long number;
	double fraction;
	switch (is_numeric_string(ZSTR_VAL(text), ZSTR_LEN(text), &number, &fraction, false)) {
		case IS_LONG:
			add_assoc_long_ex(list, ZSTR_VAL(name), ZSTR_LEN(name), number);
			return;
		case IS_DOUBLE:
			add_assoc_double_ex(list, ZSTR_VAL(name), ZSTR_LEN(name), fraction);
			return;
		default:
			add_assoc_str_ex(list, ZSTR_VAL(name), ZSTR_LEN(name), zend_string_copy(text));
	}
}

PHP_METHOD(Memcached, getStats)
{
	zend_string *type = NULL;
	client_copies copies = { 0 };
	ZEND_PARSE_PARAMETERS_START(0, 1)
		Z_PARAM_OPTIONAL
		Z_PARAM_STR_OR_NULL(type)
	ZEND_PARSE_PARAMETERS_END();
	MEMC_SELF();
	memc_link *link = self->link;
	if (!ask_all(self, LEVERET_OP_STATS, type ? php_leveret_string(type) : php_leveret_bytes("", 0), 0, &copies)) {
		RETURN_FALSE;
	}
	zend_long failure = failure_of(self, &copies);
	if (failure == MEMC_NOTFOUND) {
		/* The binary protocol's answer to an unknown subject, which libmemcached takes for an empty list. */
		memc_result(self, MEMC_SUCCESS);
	} else if (failure == MEMC_PROTOCOL_ERROR) {
		/* The text protocol's. */
		memc_result(self, MEMC_INVALID_ARGUMENTS);
	}
	if (php_leveret_memc_is_failure(self->code)) {
		php_leveret_client_copies_free(&copies);
		RETURN_FALSE;
	}
	array_init(return_value);
	for (uint32_t i = 0; i < copies.count; i++) {
		client_copy *copy = &copies.list[i];
		if (copy->code != MEMC_STAT) {
			/* The end of a server's list. */
			continue;
		}
		zend_string *name = memc_stats_name_of(link, copy->server);
		zval *list = zend_hash_find(Z_ARRVAL_P(return_value), name);
		if (!list) {
			zval fresh;
			array_init(&fresh);
			list = zend_hash_add(Z_ARRVAL_P(return_value), name, &fresh);
		}
		add_stat(list, copy->key, copy->data);
		zend_string_release(name);
	}
	php_leveret_client_copies_free(&copies);
}

PHP_METHOD(Memcached, getVersion)
{
	client_copies copies = { 0 };
	ZEND_PARSE_PARAMETERS_NONE();
	MEMC_SELF();
	memc_link *link = self->link;
	if (!ask_all(self, LEVERET_OP_VERSION, php_leveret_bytes("", 0), 0, &copies)) {
		RETURN_FALSE;
	}
	/* As in the original all must answer. */
	if (failure_of(self, &copies) || !copies.count) {
		self->code = MEMC_SOME_ERRORS;
		php_leveret_client_copies_free(&copies);
		RETURN_FALSE;
	}
	array_init(return_value);
	for (uint32_t i = 0; i < copies.count; i++) {
		client_copy *copy = &copies.list[i];
		zend_string *name = memc_stats_name_of(link, copy->server);
		zval text;
		ZVAL_STR_COPY(&text, copy->data);
		zend_hash_update(Z_ARRVAL_P(return_value), name, &text);
		zend_string_release(name);
	}
	php_leveret_client_copies_free(&copies);
}

PHP_METHOD(Memcached, getAllKeys)
{
	client_copies copies = { 0 };
	ZEND_PARSE_PARAMETERS_NONE();
	MEMC_SELF();
	if (!ask_all(self, LEVERET_OP_KEYS, php_leveret_bytes("", 0), 0, &copies)) {
		RETURN_FALSE;
	}
	failure_of(self, &copies);
	array_init(return_value);
	for (uint32_t i = 0; i < copies.count; i++) {
		if (copies.list[i].code == MEMC_STAT) {
			add_next_index_str(return_value, zend_string_copy(copies.list[i].key));
		}
	}
	php_leveret_client_copies_free(&copies);
	if (php_leveret_memc_is_failure(self->code) && self->code != MEMC_SOME_ERRORS) {
		zval_ptr_dtor(return_value);
		RETURN_FALSE;
	}
}

PHP_METHOD(Memcached, flush)
{
	zend_long delay = 0;
	client_copies copies = { 0 };
	ZEND_PARSE_PARAMETERS_START(0, 1)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG(delay)
	ZEND_PARSE_PARAMETERS_END();
	MEMC_SELF();
	if (!ask_all(self, LEVERET_OP_FLUSH, php_leveret_bytes("", 0), delay, &copies)) {
		RETURN_FALSE;
	}
	if (failure_of(self, &copies)) {
		self->code = MEMC_SOME_ERRORS;
	}
	php_leveret_client_copies_free(&copies);
	RETURN_BOOL(!php_leveret_memc_is_failure(self->code));
}
