/* cache.c: the class Leveret\Cache: its methods and its registration. What they promise is written in cache.stub.php. */
#ifdef HAVE_CONFIG_H
# include "config.h"
#endif

#include "cache.h"

#include "ext/date/php_date.h"
#include "ext/spl/spl_exceptions.h"
#include "ext/spl/spl_iterators.h"
#include "zend_exceptions.h"
#include "zend_interfaces.h"

#include "cache_arginfo.h"

#include <time.h>

zend_class_entry *cache_exception_ce, *cache_arena_ce, *cache_key_too_long_ce, *cache_value_too_large_ce;
zend_class_entry *cache_unsupported_value_ce, *cache_not_an_integer_ce, *cache_no_memory_ce, *cache_busy_ce;

static zend_class_entry *item_ce, *cache_ce;
static zend_object_handlers cache_handlers;

#define TTL_NONE { NULL, 0, true }
#define PARAM_TTL(ttl) Z_PARAM_OBJ_OF_CLASS_OR_LONG_OR_NULL((ttl).interval, php_date_get_interval_ce(), (ttl).seconds, (ttl).never)

/* --- one key --- */

/* True: stored. False: EXISTS or MISS, the answer of the mode; or an exception is pending. */
static bool store_or_throw(cache_object *cache, const cache_store_request *request)
{
	size_t len = 0;
	leveret_status status = cache_store(cache, request, &len);
	if (UNEXPECTED(EG(exception))) {
		return false;
	}
	if (UNEXPECTED(status != LEVERET_OK && status != LEVERET_EXISTS && status != LEVERET_MISS)) {
		cache_throw(cache, status, request->key, len);
	}
	return status == LEVERET_OK;
}

/* set(), add() and replace() are one method in three modes. */
static zend_always_inline void store_method(INTERNAL_FUNCTION_PARAMETERS, leveret_mode mode)
{
	CACHE_BEGIN(cache);
	cache_ttl ttl = TTL_NONE;
	cache_store_request request = { .now = leveret_now(), .mode = mode };
	ZEND_PARSE_PARAMETERS_START(2, 3)
		Z_PARAM_STR(request.key)
		Z_PARAM_ZVAL(request.value)
		Z_PARAM_OPTIONAL
		PARAM_TTL(ttl)
	ZEND_PARSE_PARAMETERS_END();
	if (UNEXPECTED(!cache_deadline(&ttl, request.now, &request.deadline))) {
		RETURN_THROWS();
	}
	RETVAL_BOOL(store_or_throw(cache, &request));
}

/* False: it was not there, or an exception is pending. */
static bool delete_key(cache_object *cache, zend_string *key)
{
	leveret_status status;
	if (UNEXPECTED(!cache_check_key(cache, key))) {
		return false;
	}
	CACHE_ASK(cache, status, leveret_delete(cache->arena, php_leveret_string(key), 0));
	if (UNEXPECTED(status != LEVERET_OK && status != LEVERET_MISS) && !EG(exception)) {
		cache_throw(cache, status, key, 0);
	}
	return status == LEVERET_OK;
}

/* --- many keys --- */

/* Called with each key and value of an iterable. False ends the walk: an exception is pending. */
typedef bool (*visit_fn)(zval *key, zval *value, void *context);

typedef struct walk {
	visit_fn visit;
	void *context;
	bool with_keys;   /* of a Traversable: its keys cost a call each, so only where they are used */
} walk;

static int visit_current(zend_object_iterator *iterator, void *context)
{
	walk *walk = context;
	zval key, *value = iterator->funcs->get_current_data(iterator);
	ZVAL_NULL(&key);
	if (!EG(exception) && walk->with_keys) {
		if (iterator->funcs->get_current_key) {
			iterator->funcs->get_current_key(iterator, &key);
		} else {
			ZVAL_LONG(&key, iterator->index);
		}
	}
	bool go_on = !EG(exception) && value && walk->visit(&key, value, walk->context);
	zval_ptr_dtor(&key);
	return go_on ? ZEND_HASH_APPLY_KEEP : ZEND_HASH_APPLY_STOP;
}

static void walk_iterable(zval *iterable, walk *walk)
{
	if (Z_TYPE_P(iterable) == IS_OBJECT) {
		spl_iterator_apply(iterable, visit_current, walk);
		return;
	}
	zend_ulong index;
	zend_string *name;
	zval key, *value;
	ZEND_HASH_FOREACH_KEY_VAL(Z_ARRVAL_P(iterable), index, name, value) {
		if (name) {
			ZVAL_STR(&key, name);
		} else {
			ZVAL_LONG(&key, index);
		}
		if (!walk->visit(&key, value, walk->context)) {
			return;
		}
	} ZEND_HASH_FOREACH_END();
}

/* A new reference to the key as a string, or NULL: an exception is pending. */
static zend_string *key_string(zval *key)
{
	ZVAL_DEREF(key);
	if (EXPECTED(Z_TYPE_P(key) == IS_STRING)) {
		return zend_string_copy(Z_STR_P(key));
	}
	if (Z_TYPE_P(key) == IS_LONG) {
		return zend_long_to_str(Z_LVAL_P(key));
	}
	zend_argument_type_error(1, "must have keys of type string or int, %s given", zend_zval_type_name(key));
	return NULL;
}

typedef struct get_context {
	cache_object *cache;
	zval *default_value;
	HashTable *found;
} get_context;

static bool visit_get(zval *unused, zval *wanted, void *context)
{
	get_context *get = context;
	zval value;
	zend_string *key = key_string(wanted);
	if (UNEXPECTED(!key)) {
		return false;
	}
	if (cache_fetch(get->cache, key, &value)) {
		zend_symtable_update(get->found, key, &value);
	} else if (EXPECTED(!EG(exception))) {
		if (get->default_value) {
			ZVAL_COPY(&value, get->default_value);
		} else {
			ZVAL_NULL(&value);
		}
		zend_symtable_update(get->found, key, &value);
	}
	zend_string_release(key);
	return !EG(exception);
}

typedef struct set_context {
	cache_object *cache;
	cache_store_request request;
} set_context;

static bool visit_set(zval *key, zval *value, void *context)
{
	set_context *set = context;
	set->request.key = key_string(key);
	if (UNEXPECTED(!set->request.key)) {
		return false;
	}
	set->request.value = value;
	store_or_throw(set->cache, &set->request);
	zend_string_release(set->request.key);
	return !EG(exception);
}

typedef struct delete_context {
	cache_object *cache;
	zend_long deleted;
} delete_context;

static bool visit_delete(zval *unused, zval *unwanted, void *context)
{
	delete_context *delete = context;
	zend_string *key = key_string(unwanted);
	if (UNEXPECTED(!key)) {
		return false;
	}
	delete->deleted += delete_key(delete->cache, key);
	zend_string_release(key);
	return !EG(exception);
}

/* --- the methods --- */

ZEND_METHOD(Leveret_Cache, __construct)
{
	cache_object *cache = cache_of(Z_OBJ_P(ZEND_THIS));
	zend_string *name = NULL;
	ZEND_PARSE_PARAMETERS_START(0, 1)
		Z_PARAM_OPTIONAL
		Z_PARAM_STR_OR_NULL(name)
	ZEND_PARSE_PARAMETERS_END();
	if (!cache_open(cache, name)) {
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

ZEND_METHOD(Leveret_Cache, getMultiple)
{
	CACHE_BEGIN(cache);
	zval *keys;
	get_context context = { .cache = cache };
	ZEND_PARSE_PARAMETERS_START(1, 2)
		Z_PARAM_ITERABLE(keys)
		Z_PARAM_OPTIONAL
		Z_PARAM_ZVAL(context.default_value)
	ZEND_PARSE_PARAMETERS_END();
	array_init_size(return_value, Z_TYPE_P(keys) == IS_ARRAY ? zend_hash_num_elements(Z_ARRVAL_P(keys)) : 0);
	context.found = Z_ARRVAL_P(return_value);
	walk_iterable(keys, &(walk) { visit_get, &context, false });
}

/* Writers can recycle a version between finding and copying it, but not that often in a row unless the arena is hostile. */
#define FIND_TRIES_MAX 64

/* The version that is there now with its token. OK, MISS, or an exception is pending. */
static leveret_status find_item(cache_object *cache, zend_string *key, leveret_found *found, zval *value)
{
	leveret_status status;
	php_leveret_fetch answer = PHP_LEVERET_MISS;
	leveret_arena *arena;
	int tries = 0;
	do {
		CACHE_ASK(cache, status, leveret_find_cas(cache->arena, php_leveret_string(key), 0, found));
		arena = cache->arena;
		if (status == LEVERET_OK) {
			answer = php_leveret_decode_found(arena, found, value);
		}
		/* Recycled between the two steps: the key may have a newer version. When it has not, the bytes were unreadable. */
	} while (status == LEVERET_OK && answer == PHP_LEVERET_MISS && ++tries < FIND_TRIES_MAX
		&& leveret_is_current(arena, &found->version, 0) != LEVERET_OK);
	if (status == LEVERET_OK) {
		return answer == PHP_LEVERET_HIT ? LEVERET_OK : LEVERET_MISS;
	}
	if (status != LEVERET_MISS && !EG(exception)) {
		cache_throw(cache, status, key, 0);
	}
	return status;
}

ZEND_METHOD(Leveret_Item, __construct)
{
	ZEND_PARSE_PARAMETERS_NONE();
}

ZEND_METHOD(Leveret_Cache, getItem)
{
	CACHE_BEGIN(cache);
	zend_string *key;
	leveret_found found;
	zval value;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR(key)
	ZEND_PARSE_PARAMETERS_END();
	if (!cache_check_key(cache, key) || find_item(cache, key, &found, &value) != LEVERET_OK) {
		RETURN_NULL();
	}
	object_init_ex(return_value, item_ce);
	zend_object *item = Z_OBJ_P(return_value);
	ZVAL_STR_COPY(OBJ_PROP_NUM(item, 0), key);
	ZVAL_COPY_VALUE(OBJ_PROP_NUM(item, 1), &value);
	ZVAL_LONG(OBJ_PROP_NUM(item, 2), (zend_long) found.cas);
	ZVAL_LONG(OBJ_PROP_NUM(item, 3), (zend_long) leveret_unix_time(found.mtime));
	if (found.deadline == LEVERET_NEVER) {
		ZVAL_NULL(OBJ_PROP_NUM(item, 4));
	} else {
		ZVAL_LONG(OBJ_PROP_NUM(item, 4), (zend_long) leveret_unix_time(found.deadline));
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

ZEND_METHOD(Leveret_Cache, setMultiple)
{
	CACHE_BEGIN(cache);
	zval *values;
	cache_ttl ttl = TTL_NONE;
	set_context context = { cache, { .now = leveret_now(), .mode = LEVERET_SET } };
	ZEND_PARSE_PARAMETERS_START(1, 2)
		Z_PARAM_ITERABLE(values)
		Z_PARAM_OPTIONAL
		PARAM_TTL(ttl)
	ZEND_PARSE_PARAMETERS_END();
	if (!cache_deadline(&ttl, context.request.now, &context.request.deadline)) {
		RETURN_THROWS();
	}
	walk_iterable(values, &(walk) { visit_set, &context, true });
	RETURN_TRUE;
}

ZEND_METHOD(Leveret_Cache, cas)
{
	CACHE_BEGIN(cache);
	zend_long cas;
	cache_ttl ttl = TTL_NONE;
	cache_store_request request = { .now = leveret_now(), .mode = LEVERET_CAS };
	ZEND_PARSE_PARAMETERS_START(3, 4)
		Z_PARAM_STR(request.key)
		Z_PARAM_LONG(cas)
		Z_PARAM_ZVAL(request.value)
		Z_PARAM_OPTIONAL
		PARAM_TTL(ttl)
	ZEND_PARSE_PARAMETERS_END();
	request.cas = (uint64_t) cas;
	if (!cache_deadline(&ttl, request.now, &request.deadline)) {
		RETURN_THROWS();
	}
	RETVAL_BOOL(store_or_throw(cache, &request));
}

ZEND_METHOD(Leveret_Cache, delete)
{
	CACHE_BEGIN(cache);
	zend_string *key;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR(key)
	ZEND_PARSE_PARAMETERS_END();
	RETVAL_BOOL(delete_key(cache, key));
}

ZEND_METHOD(Leveret_Cache, deleteMultiple)
{
	CACHE_BEGIN(cache);
	zval *keys;
	delete_context context = { cache, 0 };
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_ITERABLE(keys)
	ZEND_PARSE_PARAMETERS_END();
	walk_iterable(keys, &(walk) { visit_delete, &context, false });
	RETURN_LONG(context.deleted);
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
	cache_ttl ttl = TTL_NONE;
	uint32_t now = leveret_now(), deadline;
	int64_t result;
	leveret_status status;
	ZEND_PARSE_PARAMETERS_START(1, 3)
		Z_PARAM_STR(key)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG(step)
		PARAM_TTL(ttl)
	ZEND_PARSE_PARAMETERS_END();
	if (UNEXPECTED(!cache_check_key(cache, key)) || UNEXPECTED(!cache_deadline(&ttl, now, &deadline))) {
		RETURN_THROWS();
	}
	if (down) {
		step = (zend_long) (0 - (zend_ulong) step);   /* PHP_INT_MIN has no opposite; unsigned it wraps, as the sum does */
	}
	CACHE_ASK(cache, status, php_leveret_add_integer(cache->arena, php_leveret_string(key), step, deadline, now, &result));
	if (EXPECTED(status == LEVERET_OK)) {
		RETURN_LONG((zend_long) result);
	}
	if (!EG(exception)) {
		cache_throw(cache, status, key, sizeof(int64_t));
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
	cache_ttl ttl = TTL_NONE;
	uint32_t now = leveret_now(), deadline;
	leveret_status status;
	ZEND_PARSE_PARAMETERS_START(1, 2)
		Z_PARAM_STR(key)
		Z_PARAM_OPTIONAL
		PARAM_TTL(ttl)
	ZEND_PARSE_PARAMETERS_END();
	if (UNEXPECTED(!cache_check_key(cache, key)) || UNEXPECTED(!cache_deadline(&ttl, now, &deadline))) {
		RETURN_THROWS();
	}
	CACHE_ASK(cache, status, leveret_touch(cache->arena, php_leveret_string(key), deadline, now));
	if (UNEXPECTED(status != LEVERET_OK && status != LEVERET_MISS) && !EG(exception)) {
		cache_throw(cache, status, key, 0);
	}
	RETURN_BOOL(status == LEVERET_OK);
}

/* --- remember() --- */

static uint64_t milliseconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t) now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* False: an exception is pending (exit() counts as one). A fatal error does not come back here. */
static bool compute(zend_fcall_info *call, zend_fcall_info_cache *callee, zend_string *key, zval *value)
{
	zval argument;
	ZVAL_STR(&argument, key);
	ZVAL_UNDEF(value);
	call->retval = value;
	call->params = &argument;
	call->param_count = 1;
	zend_call_function(call, callee);
	if (UNEXPECTED(EG(exception)) || UNEXPECTED(Z_ISUNDEF_P(value))) {
		zval_ptr_dtor(value);
		ZVAL_UNDEF(value);
		return false;
	}
	if (Z_ISREF_P(value)) {
		zend_unwrap_reference(value);
	}
	return true;
}

/* The value is at hand, so only what the caller can mend is worth an exception: not a want of memory or of a lock. */
static void keep(cache_object *cache, zend_string *key, zval *value, const cache_ttl *ttl)
{
	cache_store_request request = { .key = key, .value = value, .now = leveret_now(), .mode = LEVERET_SET };
	size_t len = 0;
	if (!cache_deadline(ttl, request.now, &request.deadline)) {
		return;
	}
	leveret_status status = cache_store(cache, &request, &len);
	if (!EG(exception) && status != LEVERET_OK && status != LEVERET_BUSY && status != LEVERET_NO_MEMORY) {
		cache_throw(cache, status, key, len);
	}
}

ZEND_METHOD(Leveret_Cache, remember)
{
	CACHE_BEGIN(cache);
	zend_string *key;
	cache_ttl ttl = TTL_NONE;
	zend_fcall_info call;
	zend_fcall_info_cache callee;
	ZEND_PARSE_PARAMETERS_START(3, 3)
		Z_PARAM_STR(key)
		PARAM_TTL(ttl)
		Z_PARAM_FUNC(call, callee)
	ZEND_PARSE_PARAMETERS_END();
	if (cache_fetch(cache, key, return_value) || EG(exception)) {
		return;
	}

	/* Kept apart from cache->arena, which the callback may open anew: a lease goes back to where it came from. */
	leveret_arena *arena = cache->arena;
	leveret_ticket ticket;
	leveret_status lease;
	leveret_found found;
	uint64_t start = milliseconds();
	bool done;
	do {
		lease = leveret_lease_acquire(arena, php_leveret_string(key), (uint32_t) (milliseconds() - start), &ticket);
		/* While we asked, the one before us may have stored. Looked for by a peek, so that each wait does not count as a miss. */
		done = leveret_peek(arena, php_leveret_string(key), 0, &found) == LEVERET_OK && (cache_fetch(cache, key, return_value) || EG(exception));
	} while (!done && lease == LEVERET_WAIT);

	if (!done && compute(&call, &callee, key, return_value)) {
		keep(cache, key, return_value, &ttl);
	}
	if (lease == LEVERET_OK) {
		leveret_lease_release(arena, &ticket);
	}
}

/* --- the whole arena --- */

ZEND_METHOD(Leveret_Cache, clear)
{
	CACHE_BEGIN(cache);
	leveret_status status;
	ZEND_PARSE_PARAMETERS_NONE();
	CACHE_ASK(cache, status, leveret_flush(cache->arena));
	if (UNEXPECTED(status != LEVERET_OK) && !EG(exception)) {
		cache_throw(cache, status, ZSTR_EMPTY_ALLOC(), 0);
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
			cache_throw(cache, status, ZSTR_EMPTY_ALLOC(), 0);
		}
		RETURN_THROWS();
	}
	leveret_path(cache->arena, path, sizeof(path));
	array_init(return_value);
	add_assoc_string(return_value, "path", path);
	const struct { const char *name; uint64_t value; } numbers[] = {
		{ "key_max", cache->key_max }, { "value_max", leveret_value_max(cache->arena) }, { "memory_limit", stats.memory_limit },
		{ "memory_allocated", stats.memory_allocated }, { "memory_free", stats.memory_free }, { "items", stats.items },
		{ "hits", stats.hits }, { "misses", stats.misses }, { "sets", stats.sets }, { "deletes", stats.deletes },
		{ "increments", stats.increments }, { "touches", stats.touches }, { "evicted", stats.evicted }, { "expired", stats.expired },
		{ "recoveries", stats.recoveries }, { "retries", stats.retries }, { "lock_waits", stats.lock_waits }, { "flushes", stats.flushes },
		{ "created", (uint64_t) stats.created_unix }, { "attached", stats.attached },
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
	cache_exception_ce = register_class_Leveret_Exception(spl_ce_RuntimeException);
	cache_arena_ce = register_class_Leveret_ArenaException(cache_exception_ce);
	cache_key_too_long_ce = register_class_Leveret_KeyTooLongException(cache_exception_ce);
	cache_value_too_large_ce = register_class_Leveret_ValueTooLargeException(cache_exception_ce);
	cache_unsupported_value_ce = register_class_Leveret_UnsupportedValueException(cache_exception_ce);
	cache_not_an_integer_ce = register_class_Leveret_NotAnIntegerException(cache_exception_ce);
	cache_no_memory_ce = register_class_Leveret_NoMemoryException(cache_exception_ce);
	cache_busy_ce = register_class_Leveret_BusyException(cache_exception_ce);
	item_ce = register_class_Leveret_Item();

	cache_ce = register_class_Leveret_Cache(zend_ce_aggregate);
	cache_ce->create_object = cache_create;
	cache_ce->get_iterator = cache_iterator_create;
	memcpy(&cache_handlers, &std_object_handlers, sizeof(cache_handlers));
	cache_handlers.offset = XtOffsetOf(cache_object, std);
	cache_handlers.free_obj = cache_free;
	cache_handlers.clone_obj = NULL;
}
