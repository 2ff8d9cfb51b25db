/* cache/class.c: the class Leveret\Cache: the methods for one key and for the whole arena, and its registration. What
 * they promise is written in cache.stub.php.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/bytes.h"
#include "access.h"

#include "ext/spl/spl_exceptions.h"
#include "zend_exceptions.h"
#include "zend_interfaces.h"

#include "class_arginfo.h"

zend_class_entry *php_leveret_cache_exception_ce, *php_leveret_cache_arena_ce, *php_leveret_cache_key_too_long_ce,
	*php_leveret_cache_value_too_large_ce;
zend_class_entry *php_leveret_cache_unsupported_value_ce, *php_leveret_cache_not_an_integer_ce,
	*php_leveret_cache_no_memory_ce, *php_leveret_cache_busy_ce;

static zend_class_entry *item_ce, *cache_ce;
static zend_object_handlers cache_handlers;

/* --- one key --- */

/* set(), add() and replace() are one method in three modes. */
static zend_always_inline void store_method(INTERNAL_FUNCTION_PARAMETERS, leveret_mode mode)
{
	CACHE_BEGIN(cache);
	cache_ttl ttl = CACHE_TTL_NONE;
	cache_store_request request = { .mode = mode };
	ZEND_PARSE_PARAMETERS_START(2, 3)
		Z_PARAM_STR(request.key)
		Z_PARAM_ZVAL(request.value)
		Z_PARAM_OPTIONAL
		CACHE_PARAM_TTL(ttl)
	ZEND_PARSE_PARAMETERS_END();
	if (UNEXPECTED(!php_leveret_cache_deadline(&ttl, &request.deadline))) {
		RETURN_THROWS();
	}
	RETVAL_BOOL(php_leveret_cache_store_or_throw(cache, &request));
}

ZEND_METHOD(Leveret_Cache, __construct)
{
	cache_object *cache = cache_of(Z_OBJ_P(ZEND_THIS));
	zend_string *name = NULL;
	ZEND_PARSE_PARAMETERS_START(0, 1)
		Z_PARAM_OPTIONAL
		Z_PARAM_STR_OR_NULL(name)
	ZEND_PARSE_PARAMETERS_END();
	if (!php_leveret_cache_open(cache, name)) {
		RETURN_THROWS();
	}
	if (cache->name) {
		zend_string_release(cache->name);
	}
	cache->name = name ? zend_string_copy(name) : NULL;
}

ZEND_METHOD(Leveret_Cache, get)
{
	CACHE_BEGIN(cache);
	zend_string *key;
	zval *default_value = NULL;
	ZEND_PARSE_PARAMETERS_START(1, 2)
		Z_PARAM_STR(key)
		Z_PARAM_OPTIONAL
		Z_PARAM_ZVAL(default_value)
	ZEND_PARSE_PARAMETERS_END();
	if (cache_fetch(cache, key, return_value)) {
		return;
	}
	if (default_value && !EG(exception)) {
		RETURN_COPY_DEREF(default_value);
	}
	RETURN_NULL();
}

/* The version that is there now with its token. False: a miss, or an exception is pending. */
static bool find_item(cache_object *cache, zend_string *key, leveret_reading *reading, zval *value)
{
	leveret_status status;
	CACHE_ASK(
		cache, status, leveret_read_begin(cache->arena, php_leveret_string(key), LEVERET_READ_CAS, 0, 0, reading));
	if (EXPECTED(status == LEVERET_OK)) {
		return php_leveret_read(cache->arena, key, reading, value) == PHP_LEVERET_HIT;
	}
	if (status != LEVERET_MISS && !EG(exception)) {
		php_leveret_cache_throw(cache, status, key, 0);
	}
	return false;
}

ZEND_METHOD(Leveret_Item, __construct)
{
	ZEND_PARSE_PARAMETERS_NONE();
}

ZEND_METHOD(Leveret_Cache, getItem)
{
	CACHE_BEGIN(cache);
	zend_string *key;
	leveret_reading reading;
	const leveret_found *found = &reading.found;
	zval value;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR(key)
	ZEND_PARSE_PARAMETERS_END();
	if (!cache_check_key(cache, key) || !find_item(cache, key, &reading, &value)) {
		RETURN_NULL();
	}
	object_init_ex(return_value, item_ce);
	zend_object *item = Z_OBJ_P(return_value);
	ZVAL_STR_COPY(OBJ_PROP_NUM(item, 0), key);
	ZVAL_COPY_VALUE(OBJ_PROP_NUM(item, 1), &value);
	ZVAL_LONG(OBJ_PROP_NUM(item, 2), (zend_long) found->cas);
	ZVAL_LONG(OBJ_PROP_NUM(item, 3), (zend_long) leveret_unix_time(found->mtime));
	if (found->deadline.second == LEVERET_NEVER) {
		ZVAL_NULL(OBJ_PROP_NUM(item, 4));
	} else {
		ZVAL_LONG(OBJ_PROP_NUM(item, 4), (zend_long) leveret_unix_time(found->deadline.second));
	}
}

ZEND_METHOD(Leveret_Cache, set)
{
	store_method(INTERNAL_FUNCTION_PARAM_PASSTHRU, LEVERET_SET);
}

ZEND_METHOD(Leveret_Cache, add)
{
	store_method(INTERNAL_FUNCTION_PARAM_PASSTHRU, LEVERET_ADD);
}

ZEND_METHOD(Leveret_Cache, replace)
{
	store_method(INTERNAL_FUNCTION_PARAM_PASSTHRU, LEVERET_REPLACE);
}

ZEND_METHOD(Leveret_Cache, cas)
{
	CACHE_BEGIN(cache);
	zend_long cas;
	cache_ttl ttl = CACHE_TTL_NONE;
	cache_store_request request = { .mode = LEVERET_CAS };
	ZEND_PARSE_PARAMETERS_START(3, 4)
		Z_PARAM_STR(request.key)
		Z_PARAM_LONG(cas)
		Z_PARAM_ZVAL(request.value)
		Z_PARAM_OPTIONAL
		CACHE_PARAM_TTL(ttl)
	ZEND_PARSE_PARAMETERS_END();
	request.cas = (uint64_t) cas;
	if (!php_leveret_cache_deadline(&ttl, &request.deadline)) {
		RETURN_THROWS();
	}
	RETVAL_BOOL(php_leveret_cache_store_or_throw(cache, &request));
}

ZEND_METHOD(Leveret_Cache, delete)
{
	CACHE_BEGIN(cache);
	zend_string *key;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR(key)
	ZEND_PARSE_PARAMETERS_END();
	RETVAL_BOOL(php_leveret_cache_delete_key(cache, key));
}

ZEND_METHOD(Leveret_Cache, has)
{
	CACHE_BEGIN(cache);
	zend_string *key;
	leveret_found found;
	leveret_status status;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR(key)
	ZEND_PARSE_PARAMETERS_END();
	if (UNEXPECTED(!cache_check_key(cache, key))) {
		RETURN_THROWS();
	}
	CACHE_ASK(cache, status, leveret_peek(cache->arena, php_leveret_string(key), 0, &found));
	RETURN_BOOL(status == LEVERET_OK);
}

static void count_method(INTERNAL_FUNCTION_PARAMETERS, bool down)
{
	CACHE_BEGIN(cache);
	zend_string *key;
	zend_long step = 1;
	cache_ttl ttl = CACHE_TTL_NONE;
	uint32_t deadline;
	int64_t result;
	leveret_status status;
	ZEND_PARSE_PARAMETERS_START(1, 3)
		Z_PARAM_STR(key)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG(step)
		CACHE_PARAM_TTL(ttl)
	ZEND_PARSE_PARAMETERS_END();
	if (UNEXPECTED(!cache_check_key(cache, key)) || UNEXPECTED(!php_leveret_cache_deadline(&ttl, &deadline))) {
		RETURN_THROWS();
	}
	if (down) {
		step =
			(zend_long) (0 - (zend_ulong) step); /* PHP_INT_MIN has no opposite; unsigned it wraps, as the sum does */
	}
	CACHE_ASK(cache, status,
		leveret_count(cache->arena, php_leveret_string(key), step, LEVERET_NATIVE, true, deadline, 0, &result));
	if (EXPECTED(status == LEVERET_OK)) {
		RETURN_LONG((zend_long) result);
	}
	if (!EG(exception)) {
		php_leveret_cache_throw(cache, status, key, sizeof(int64_t));
	}
}

ZEND_METHOD(Leveret_Cache, increment)
{
	count_method(INTERNAL_FUNCTION_PARAM_PASSTHRU, false);
}

ZEND_METHOD(Leveret_Cache, decrement)
{
	count_method(INTERNAL_FUNCTION_PARAM_PASSTHRU, true);
}

ZEND_METHOD(Leveret_Cache, touch)
{
	CACHE_BEGIN(cache);
	zend_string *key;
	cache_ttl ttl = CACHE_TTL_NONE;
	uint32_t deadline;
	leveret_status status;
	ZEND_PARSE_PARAMETERS_START(1, 2)
		Z_PARAM_STR(key)
		Z_PARAM_OPTIONAL
		CACHE_PARAM_TTL(ttl)
	ZEND_PARSE_PARAMETERS_END();
	if (UNEXPECTED(!cache_check_key(cache, key)) || UNEXPECTED(!php_leveret_cache_deadline(&ttl, &deadline))) {
		RETURN_THROWS();
	}
	CACHE_ASK(cache, status, leveret_touch(cache->arena, php_leveret_string(key), deadline, 0));
	if (UNEXPECTED(status != LEVERET_OK && status != LEVERET_MISS) && !EG(exception)) {
		php_leveret_cache_throw(cache, status, key, 0);
	}
	RETURN_BOOL(status == LEVERET_OK);
}

/* --- the whole arena --- */

ZEND_METHOD(Leveret_Cache, clear)
{
	CACHE_BEGIN(cache);
	leveret_status status;
	ZEND_PARSE_PARAMETERS_NONE();
	CACHE_ASK(cache, status, leveret_flush(cache->arena));
	if (UNEXPECTED(status != LEVERET_OK) && !EG(exception)) {
		php_leveret_cache_throw(cache, status, ZSTR_EMPTY_ALLOC(), 0);
	}
	RETURN_TRUE;
}

ZEND_METHOD(Leveret_Cache, stats)
{
	CACHE_BEGIN(cache);
	leveret_status status;
	leveret_stats stats;
	char path[MAXPATHLEN];
	ZEND_PARSE_PARAMETERS_NONE();
	CACHE_ASK(cache, status, leveret_get_stats(cache->arena, &stats));
	if (UNEXPECTED(status != LEVERET_OK)) {
		if (!EG(exception)) {
			php_leveret_cache_throw(cache, status, ZSTR_EMPTY_ALLOC(), 0);
		}
		RETURN_THROWS();
	}
	leveret_path(cache->arena, path, sizeof(path));
	array_init(return_value);
	add_assoc_string(return_value, "path", path);
	const struct {
		const char *name;
		uint64_t value;
	} numbers[] = {
		{ "key_max", cache->key_max },
		{ "value_max", leveret_value_max(cache->arena) },
		{ "memory_limit", stats.memory_limit },
		{ "memory_allocated", stats.memory_allocated },
		{ "memory_free", stats.memory_free },
		{ "items", stats.items },
		{ "hits", stats.hits },
		{ "misses", stats.misses },
		{ "sets", stats.sets },
		{ "deletes", stats.deletes },
		{ "increments", stats.increments },
		{ "touches", stats.touches },
		{ "evicted", stats.evicted },
		{ "expired", stats.expired },
		{ "recoveries", stats.recoveries },
		{ "retries", stats.retries },
		{ "lock_waits", stats.lock_waits },
		{ "flushes", stats.flushes },
		{ "created", (uint64_t) stats.created_unix },
		{ "attached", stats.attached },
	};
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		add_assoc_long(return_value, numbers[i].name, (zend_long) numbers[i].value);
	}
}

ZEND_METHOD(Leveret_Cache, getIterator)
{
	ZEND_PARSE_PARAMETERS_NONE();
	zend_create_internal_iterator_zval(return_value, ZEND_THIS);
}

/* --- registration --- */

static zend_object *cache_create(zend_class_entry *ce)
{
	cache_object *cache = zend_object_alloc(sizeof(cache_object), ce);
	zend_object_std_init(&cache->std, ce);
	object_properties_init(&cache->std, ce);
	cache->std.handlers = &cache_handlers;
	return &cache->std;
}

static void cache_free(zend_object *object)
{
	cache_object *cache = cache_of(object);
	if (cache->name) {
		zend_string_release(cache->name);
	}
	zend_object_std_dtor(object);
}

void php_leveret_cache_minit(void)
{
	php_leveret_cache_exception_ce = register_class_Leveret_Exception(spl_ce_RuntimeException);
	php_leveret_cache_arena_ce = register_class_Leveret_ArenaException(php_leveret_cache_exception_ce);
	php_leveret_cache_key_too_long_ce = register_class_Leveret_KeyTooLongException(php_leveret_cache_exception_ce);
	php_leveret_cache_value_too_large_ce =
		register_class_Leveret_ValueTooLargeException(php_leveret_cache_exception_ce);
	php_leveret_cache_unsupported_value_ce =
		register_class_Leveret_UnsupportedValueException(php_leveret_cache_exception_ce);
	php_leveret_cache_not_an_integer_ce = register_class_Leveret_NotAnIntegerException(php_leveret_cache_exception_ce);
	php_leveret_cache_no_memory_ce = register_class_Leveret_NoMemoryException(php_leveret_cache_exception_ce);
	php_leveret_cache_busy_ce = register_class_Leveret_BusyException(php_leveret_cache_exception_ce);
	item_ce = register_class_Leveret_Item();

	cache_ce = register_class_Leveret_Cache(zend_ce_aggregate);
	cache_ce->create_object = cache_create;
	cache_ce->get_iterator = php_leveret_cache_iterator_create;
	memcpy(&cache_handlers, &std_object_handlers, sizeof(cache_handlers));
	cache_handlers.offset = offsetof(cache_object, std);
	cache_handlers.free_obj = cache_free;
	cache_handlers.clone_obj = NULL;
}
