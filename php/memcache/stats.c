/* memcache/stats.c: requests to servers without a key: statistics, version, flush. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/bytes.h"
#include "memcache.h"

/* One request to one server, its answers in `copies`. The code of the first one, or why there is none. */
static int32_t ask(mmc_link *link, leveret_operation operation, leveret_bytes subject, zend_long exptime,
	uint32_t server, client_copies *copies, mmc_failures *failures)
{
	leveret_request request = {
		.operation = operation,
		.key = subject,
		.exptime = exptime,
		.server = (int32_t) server,
	};
	leveret_pool *pool = php_leveret_mmc_begin(link);
	int32_t code = leveret_pool_add(pool, &request);
	if (code == LEVERET_CODE_SUCCESS) {
		php_leveret_mmc_run(link, copies, failures);
		code = copies->count ? copies->list[0].code : LEVERET_CODE_FAILURE;
	}
	return code;
}

/* --- statistics --- */

/* The arguments of a statistics command, or NULL: unknown type, and a warning was raised. */
static zend_string *subject_of(const zend_string *type, zend_long slab, zend_long limit)
{
	static const char *const types[] = { "reset", "malloc", "slabs", "cachedump", "items", "sizes" };
	if (!type) {
		return ZSTR_EMPTY_ALLOC();
	}
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		if (zend_string_equals_cstr(type, types[i], strlen(types[i]))) {
			return strcmp(types[i], "cachedump") == 0
				? zend_strpprintf(0, "cachedump " ZEND_LONG_FMT " " ZEND_LONG_FMT, slab, limit)
				: zend_string_init(types[i], strlen(types[i]), 0);
		}
	}
	php_error_docref(NULL, E_WARNING, "Invalid stats type");
	return NULL;
}

/* "items:1:age" is the element "age" of the array 1 of the array "items". */
static void add_row(zval *list, const char *name, size_t len, zend_string *value)
{
	const char *colon;
	zval row;
	while ((colon = memchr(name, ':', len))) {
		zend_string *group = zend_string_init(name, (size_t) (colon - name), 0);
		zval *inner = zend_symtable_find(Z_ARRVAL_P(list), group);
		if (!inner || Z_TYPE_P(inner) != IS_ARRAY) {
			array_init(&row);
			inner = zend_symtable_update(Z_ARRVAL_P(list), group, &row);
		}
		zend_string_release(group);
		len -= (size_t) (colon + 1 - name);
		name = colon + 1;
		list = inner;
	}
	ZVAL_STR_COPY(&row, value);
	zend_symtable_str_update(Z_ARRVAL_P(list), name, len, &row);
}

/* An item of a cachedump: "[5 b; 0 s]" is its length and its exptime. */
static bool mmc_add_item(zval *list, const client_copy *copy)
{
	unsigned long long len;
	long long exptime;
	zval row;
	if (sscanf(ZSTR_VAL(copy->data), "[%llu b; %lld s]", &len, &exptime) != 2) {
		return false;
	}
	array_init_size(&row, 2);
	add_next_index_str(&row, zend_strpprintf(0, "%llu", len));
	add_next_index_str(&row, zend_strpprintf(0, "%lld", exptime));
	zend_symtable_update(Z_ARRVAL_P(list), copy->key, &row);
	return true;
}

/* One server's statistics: an array, true (reset) or false. */
static void stats_of(mmc_link *link, zend_string *subject, uint32_t server, zval *value, mmc_failures *failures)
{
	client_copies copies = { 0 };
	bool is_dump = strncmp(ZSTR_VAL(subject), "cachedump", strlen("cachedump")) == 0;
	int32_t code = ask(link, LEVERET_OP_STATS, php_leveret_string(subject), 0, server, &copies, failures);
	if (code == LEVERET_CODE_STAT) {
		array_init(value);
		for (uint32_t i = 0; i < copies.count && copies.list[i].code == LEVERET_CODE_STAT; i++) {
			if (!is_dump || !mmc_add_item(value, &copies.list[i])) {
				add_row(value, ZSTR_VAL(copies.list[i].key), ZSTR_LEN(copies.list[i].key), copies.list[i].data);
			}
		}
	} else {
		ZVAL_BOOL(value, code == LEVERET_CODE_END && strcmp(ZSTR_VAL(subject), "reset") == 0);
	}
	php_leveret_client_copies_free(&copies);
}

static void stats(INTERNAL_FUNCTION_PARAMETERS, bool of_all)
{
	zval *object = getThis();
	zend_string *type = NULL;
	zend_long slab = 0, limit = 100;
	mmc_failures failures = { 0 };
	MMC_ARGUMENTS(0, 3)
		MMC_OBJECT_PARAM(object)
		Z_PARAM_OPTIONAL
		Z_PARAM_STR(type)
		Z_PARAM_LONG(slab)
		Z_PARAM_LONG(limit)
	ZEND_PARSE_PARAMETERS_END();
	mmc_link *link = php_leveret_mmc_link_of(object);
	zend_string *subject = link ? subject_of(type, slab, limit) : NULL;
	RETVAL_FALSE;
	if (!subject) {
		return;
	}
	if (of_all && link->count) {
		array_init(return_value);
	}
	for (uint32_t i = 0; i < link->count; i++) {
		zval value;
		stats_of(link, subject, i, &value, &failures);
		if (of_all) {
			zend_string *name =
				zend_strpprintf(0, "%s:" ZEND_LONG_FMT, ZSTR_VAL(link->servers[i].host), link->servers[i].port);
			zend_hash_update(Z_ARRVAL_P(return_value), name, &value);
			zend_string_release(name);
		} else if (Z_TYPE(value) != IS_FALSE) {
			RETVAL_COPY_VALUE(&value);
			break;
		}
	}
	zend_string_release(subject);
	php_leveret_mmc_failures_tell(object, &failures);
}

/* clang-format off */
PHP_FUNCTION(memcache_get_stats) { stats(INTERNAL_FUNCTION_PARAM_PASSTHRU, false); }
PHP_FUNCTION(memcache_get_extended_stats) { stats(INTERNAL_FUNCTION_PARAM_PASSTHRU, true); }
/* clang-format on */

/* --- version, flush --- */

PHP_FUNCTION(memcache_get_version)
{
	zval *object = getThis();
	mmc_failures failures = { 0 };
	MMC_ARGUMENTS(0, 0)
		MMC_OBJECT_PARAM(object)
	ZEND_PARSE_PARAMETERS_END();
	mmc_link *link = php_leveret_mmc_link_of(object);
	RETVAL_FALSE;
	for (uint32_t i = 0; link && i < link->count && Z_TYPE_P(return_value) == IS_FALSE; i++) {
		client_copies copies = { 0 };
		if (ask(link, LEVERET_OP_VERSION, php_leveret_bytes("", 0), 0, i, &copies, &failures) == LEVERET_CODE_SUCCESS) {
			RETVAL_STR_COPY(copies.list[0].data);
		}
		php_leveret_client_copies_free(&copies);
	}
	php_leveret_mmc_failures_tell(object, &failures);
}

PHP_FUNCTION(memcache_flush)
{
	zval *object = getThis();
	zend_long delay = 0;
	mmc_failures failures = { 0 };
	MMC_ARGUMENTS(0, 1)
		MMC_OBJECT_PARAM(object)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG(delay)
	ZEND_PARSE_PARAMETERS_END();
	mmc_link *link = php_leveret_mmc_link_of(object);
	if (!link) {
		RETURN_FALSE;
	}
	bool done = true;
	for (uint32_t i = 0; i < link->count; i++) {
		client_copies copies = { 0 };
		done =
			ask(link, LEVERET_OP_FLUSH, php_leveret_bytes("", 0), delay, i, &copies, &failures) == LEVERET_CODE_SUCCESS
			&& done;
		php_leveret_client_copies_free(&copies);
	}
	php_leveret_mmc_failures_tell(object, &failures);
	RETURN_BOOL(done);
}
