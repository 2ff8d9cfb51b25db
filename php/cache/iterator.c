/* cache/iterator.c: foreach over Leveret\Cache: a walk through the arena, decoded one item at a time. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "access.h"
#include "base/walk.h"

#include "zend_exceptions.h"
#include "zend_interfaces.h"

typedef struct cache_iterator {
	zend_object_iterator base;
	php_leveret_walk walk; /* set by rewind, which comes before all else */
	zend_string *key;      /* of the current item; NULL: there is none */
	zval value;
} cache_iterator;

/* Takes `key` and `value` over; NULL: there is no current item. The old value goes last: its destructor may use this
 * very iterator. */
static void cache_set_current(cache_iterator *iterator, zend_string *key, const zval *value)
{
	zend_string *old_key = iterator->key;
	zval old_value;
	ZVAL_COPY_VALUE(&old_value, &iterator->value);
	iterator->key = key;
	if (key) {
		ZVAL_COPY_VALUE(&iterator->value, value);
	} else {
		ZVAL_UNDEF(&iterator->value);
	}
	if (old_key) {
		zend_string_release(old_key);
	}
	zval_ptr_dtor(&old_value);
}

/* Decoding may run user code, and that may use this very iterator: so nothing of it is read after the decoding, and the
 * outcome is put into it at once. False: the item is gone or unreadable. */
static bool take_record(cache_iterator *iterator, const leveret_record *record)
{
	leveret_reading reading = { .found = record->found, .how = LEVERET_READ_UNTRACED };
	zend_string *key = zend_string_init((const char *) (record + 1), record->key_len, 0);
	zval value;
	/* Rewritten or moved since the walk met it: what the key holds now. */
	if (php_leveret_read(iterator->walk.arena, key, &reading, &value) != PHP_LEVERET_HIT) {
		zend_string_release(key);
		return false;
	}
	cache_set_current(iterator, key, &value);
	return true;
}

static void iterator_move_forward(zend_object_iterator *base)
{
	cache_iterator *iterator = (cache_iterator *) base;
	cache_set_current(iterator, NULL, NULL);
	const leveret_record *record;
	while (!EG(exception) && (record = php_leveret_walk_next(&iterator->walk))) {
		if (take_record(iterator, record)) {
			return;
		}
	}
	if (iterator->walk.failure != LEVERET_OK && !EG(exception)) {
		leveret_status failure = iterator->walk.failure;
		iterator->walk.failure = LEVERET_OK;
		php_leveret_cache_throw(cache_of(Z_OBJ(base->data)), failure, ZSTR_EMPTY_ALLOC(), 0);
	}
}

static void iterator_rewind(zend_object_iterator *base)
{
	cache_iterator *iterator = (cache_iterator *) base;
	cache_object *cache = cache_of(Z_OBJ(base->data));
	bool usable = cache_begin(cache);
	php_leveret_walk_end(&iterator->walk);
	php_leveret_walk_start(&iterator->walk, cache->arena, 0, false);
	iterator->walk.walk.is_over = !usable;
	iterator_move_forward(base);
}

static int iterator_valid(zend_object_iterator *base)
{
	return ((cache_iterator *) base)->key ? SUCCESS : FAILURE;
}

static zval *iterator_value(zend_object_iterator *base)
{
	cache_iterator *iterator = (cache_iterator *) base;
	return iterator->key ? &iterator->value : NULL; /* getIterator() lets a script ask past the end */
}

static void iterator_key(zend_object_iterator *base, zval *key)
{
	cache_iterator *iterator = (cache_iterator *) base;
	if (iterator->key) {
		ZVAL_STR_COPY(key, iterator->key);
	} else {
		ZVAL_NULL(key);
	}
}

static void cache_iterator_free(zend_object_iterator *base)
{
	cache_iterator *iterator = (cache_iterator *) base;
	cache_set_current(iterator, NULL, NULL);
	php_leveret_walk_end(&iterator->walk);
	zval_ptr_dtor(&iterator->base.data);
}

static const zend_object_iterator_funcs iterator_funcs = {
	.dtor = cache_iterator_free,
	.valid = iterator_valid,
	.get_current_data = iterator_value,
	.get_current_key = iterator_key,
	.move_forward = iterator_move_forward,
	.rewind = iterator_rewind,
};

zend_object_iterator *php_leveret_cache_iterator_create(zend_class_entry *ce, zval *object, int by_ref)
{
	if (by_ref) {
		zend_throw_error(NULL, "Leveret\\Cache cannot be walked by reference: its values are copies, set() stores");
		return NULL;
	}
	cache_iterator *iterator = ecalloc(1, sizeof(*iterator));
	zend_iterator_init(&iterator->base);
	iterator->base.funcs = &iterator_funcs;
	ZVAL_OBJ_COPY(&iterator->base.data, Z_OBJ_P(object));
	ZVAL_UNDEF(&iterator->value);
	return &iterator->base;
}
