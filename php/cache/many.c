/* cache/many.c: the methods of Leveret\Cache that take many keys: any iterable, whose own code may run at each step. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "access.h"

#include "ext/spl/spl_iterators.h"

/* Called with each key, and its value where there are values. False ends the walk: an exception is pending. */
typedef bool (*visit_fn)(zend_string *key, zval *value, void *context);

typedef struct walk {
	visit_fn visit;
	void *context;
	bool with_values; /* the iterable is key => value; else its values are the keys, and its own are not asked for */
} walk;

/* A new reference to the key as a string, or NULL: an exception is pending. */
static zend_string *cache_key_string(zval *key)
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

static bool visit(const walk *walk, zval *key, zval *value)
{
	zend_string *name = cache_key_string(walk->with_values ? key : value);
	bool go_on = name && walk->visit(name, value, walk->context);
	if (name) {
		zend_string_release(name);
	}
	return go_on;
}

static int visit_current(zend_object_iterator *iterator, void *context)
{
	const walk *walk = context;
	zval key, value, *current = iterator->funcs->get_current_data(iterator);
	if (EG(exception) || !current) {
		return ZEND_HASH_APPLY_STOP;
	}
	/* An iterator's key() may drop it. */
	ZVAL_COPY(&value, current);
	ZVAL_NULL(&key);
	if (walk->with_values) {
		if (iterator->funcs->get_current_key) {
			iterator->funcs->get_current_key(iterator, &key);
		} else {
			ZVAL_LONG(&key, iterator->index);
		}
	}
	bool go_on = !EG(exception) && visit(walk, &key, &value);
	zval_ptr_dtor(&value);
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
		if (!visit(walk, &key, value)) {
			return;
		}
	}
	ZEND_HASH_FOREACH_END();
}

typedef struct get_context {
	cache_object *cache;
	zval *default_value;
	HashTable *found;
} get_context;

/* `asked`, `hash`: as in cache_fetch_asked(). */
static zend_always_inline bool cache_get_one(get_context *get, zend_string *key, leveret_arena *asked, uint64_t hash)
{
	zval value;
	if (!cache_fetch_asked(get->cache, key, asked, hash, &value)) {
		if (UNEXPECTED(EG(exception))) {
			return false;
		}
		if (get->default_value) {
			ZVAL_COPY(&value, get->default_value);
		} else {
			ZVAL_NULL(&value);
		}
	}
	zend_symtable_update(get->found, key, &value);
	return !EG(exception);
}

static bool visit_get(zend_string *key, zval *unused, void *context)
{
	return cache_get_one(context, key, NULL, 0);
}

/* The keys of an array are all there before the first is read. */
static void get_array(get_context *get, HashTable *keys)
{
	walk one = { visit_get, get, false };
	leveret_arena *asked = NULL;
	uint64_t hashes[LEVERET_AHEAD];
	bool go_on = true;
	for (uint32_t i = 0; i < keys->nNumUsed && go_on; i++) {
		if (i % LEVERET_AHEAD == 0) {
			asked = get->cache->arena;
			php_leveret_ask_for(asked, keys, i, hashes);
		}
		zval *key = ZEND_HASH_ELEMENT(keys, i);
		if (EXPECTED(Z_TYPE_P(key) == IS_STRING)) {
			go_on = cache_get_one(get, Z_STR_P(key), asked, hashes[i % LEVERET_AHEAD]);
		} else if (Z_TYPE_P(key) != IS_UNDEF) {
			/* A number; or a reference, which user code may have given another key since its hash was told. */
			go_on = visit(&one, NULL, key);
		}
	}
}

typedef struct set_context {
	cache_object *cache;
	cache_store_request request;
} set_context;

static bool visit_set(zend_string *key, zval *value, void *context)
{
	set_context *set = context;
	set->request.key = key;
	set->request.value = value;
	php_leveret_cache_store_or_throw(set->cache, &set->request);
	return !EG(exception);
}

/* All keys are known before the first value is stored. The array does not change during the walk, whatever __serialize
 * does. */
static void set_array(set_context *set, HashTable *values)
{
	walk one = { visit_set, set, true };
	uint32_t asked = 0, from = 0;
	zend_ulong index;
	zend_string *name;
	zval key, *value;
	ZEND_HASH_FOREACH_KEY_VAL(values, index, name, value) {
		if (asked-- == 0) {
			asked = php_leveret_ask_for_names(set->cache->arena, values, &from) - 1;
		}
		if (EXPECTED(name)) {
			ZVAL_STR(&key, name);
		} else {
			ZVAL_LONG(&key, index);
		}
		if (!visit(&one, &key, value)) {
			return;
		}
	}
	ZEND_HASH_FOREACH_END();
}

typedef struct delete_context {
	cache_object *cache;
	zend_long deleted;
} delete_context;

static bool visit_delete(zend_string *key, zval *unused, void *context)
{
	delete_context *delete = context;
	delete->deleted += php_leveret_cache_delete_key(delete->cache, key);
	return !EG(exception);
}

/* --- the methods --- */

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
	/* One key has no other to wait together with. */
	if (Z_TYPE_P(keys) == IS_ARRAY && zend_hash_num_elements(Z_ARRVAL_P(keys)) > 1) {
		get_array(&context, Z_ARRVAL_P(keys));
	} else {
		walk_iterable(keys, &(walk) { visit_get, &context, false });
	}
}

ZEND_METHOD(Leveret_Cache, setMultiple)
{
	CACHE_BEGIN(cache);
	zval *values;
	cache_ttl ttl = CACHE_TTL_NONE;
	set_context context = { cache, { .mode = LEVERET_SET } };
	ZEND_PARSE_PARAMETERS_START(1, 2)
		Z_PARAM_ITERABLE(values)
		Z_PARAM_OPTIONAL
		CACHE_PARAM_TTL(ttl)
	ZEND_PARSE_PARAMETERS_END();
	if (!php_leveret_cache_deadline(&ttl, &context.request.deadline)) {
		RETURN_THROWS();
	}
	/* A list has numbers for keys. */
	if (Z_TYPE_P(values) == IS_ARRAY && zend_hash_num_elements(Z_ARRVAL_P(values)) > 1
		&& !HT_IS_PACKED(Z_ARRVAL_P(values))) {
		set_array(&context, Z_ARRVAL_P(values));
	} else {
		walk_iterable(values, &(walk) { visit_set, &context, true });
	}
	RETURN_TRUE;
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
