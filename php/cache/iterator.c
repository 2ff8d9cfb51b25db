/* cache/iterator.c: foreach over Leveret\Cache: leveret_scan() into a buffer of PHP's own, decoded one item at a time. */
#ifdef HAVE_CONFIG_H
# include "config.h"
#endif

#include "cache.h"

#include "zend_exceptions.h"
#include "zend_interfaces.h"

#define SCAN_BUFFER_SIZE (16 * 1024)

typedef struct cache_iterator {
	zend_object_iterator base;
	leveret_arena *arena;   /* the one that this walk began in; set by rewind, which comes before all else */
	leveret_cursor cursor;
	bool over;              /* the cursor has come to the end; the buffer may still hold records */
	uint8_t *buffer;
	size_t size, used, at;  /* bytes; `at` is the next record */
	zend_string *key;       /* of the current item; NULL: there is none */
	zval value;
} cache_iterator;

/* Takes `key` and `value` over; NULL: there is no current item. The old value goes last: its destructor may use this very iterator. */
static void set_current(cache_iterator *iterator, zend_string *key, const zval *value)
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

/* Fills the buffer with the next records. They may be none, then `over` says whether there will be more. */
static void scan(cache_iterator *iterator)
{
	cache_object *cache = cache_of(Z_OBJ(iterator->base.data));
	uintptr_t used = 0;
	leveret_status status;
	iterator->at = iterator->used = 0;
	status = leveret_scan(iterator->arena, &iterator->cursor, 0, iterator->buffer, iterator->size, &used);
	switch (status) {
		case LEVERET_MISS:
			iterator->over = true;
			ZEND_FALLTHROUGH;
		case LEVERET_OK:
			iterator->used = used;
			return;
		case LEVERET_NO_MEMORY:
			if (used > iterator->size) {
				iterator->size = used;
				iterator->buffer = erealloc(iterator->buffer, iterator->size);
				return;
			}
			break;
		case LEVERET_LOST:   /* and with the arena all that was left to walk over */
			iterator->over = true;
			php_leveret_arena_lost(iterator->arena);
			return;
		default:
			break;
	}
	iterator->over = true;
	cache_throw(cache, status, ZSTR_EMPTY_ALLOC(), 0);
}

/* Decoding may run user code, and that may use this very iterator: so nothing of it is read after the decoding, and the
 * outcome is put into it at once. False: the item is gone or unreadable. */
static bool take_record(cache_iterator *iterator)
{
	cache_object *cache = cache_of(Z_OBJ(iterator->base.data));
	const leveret_record *record = (const leveret_record *) (iterator->buffer + iterator->at);
	leveret_found found = record->found;
	zend_string *key = zend_string_init((const char *) (record + 1), record->key_len, 0);
	leveret_arena *arena = iterator->arena;
	zval value;
	iterator->at += record->record_len;
	bool hit = php_leveret_decode_found(arena, &found, &value) == PHP_LEVERET_HIT;
	/* Rewritten or moved since it was scanned: what the key holds now. */
	if (!hit && !EG(exception) && leveret_is_current(arena, &found.version, 0) == LEVERET_MISS) {
		hit = cache_fetch(cache, key, &value);
	}
	if (!hit) {
		zend_string_release(key);
		return false;
	}
	set_current(iterator, key, &value);
	return true;
}

static void iterator_move_forward(zend_object_iterator *base)
{
	cache_iterator *iterator = (cache_iterator *) base;
	set_current(iterator, NULL, NULL);
	while (!EG(exception)) {
		if (iterator->at < iterator->used) {
			if (take_record(iterator)) {
				return;
			}
		} else if (iterator->over) {
			return;
		} else {
			scan(iterator);
		}
	}
}

static void iterator_rewind(zend_object_iterator *base)
{
	cache_iterator *iterator = (cache_iterator *) base;
	cache_object *cache = cache_of(Z_OBJ(base->data));
	iterator->over = !cache_begin(cache);
	iterator->arena = cache->arena;
	iterator->cursor = (leveret_cursor) { 0 };
	iterator->at = iterator->used = 0;
	iterator_move_forward(base);
}

static int iterator_valid(zend_object_iterator *base)
{
	return ((cache_iterator *) base)->key ? SUCCESS : FAILURE;
}

static zval *iterator_value(zend_object_iterator *base)
{
	cache_iterator *iterator = (cache_iterator *) base;
	return iterator->key ? &iterator->value : NULL;   /* getIterator() lets a script ask past the end */
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

static void iterator_free(zend_object_iterator *base)
{
	cache_iterator *iterator = (cache_iterator *) base;
	set_current(iterator, NULL, NULL);
	efree(iterator->buffer);
	zval_ptr_dtor(&iterator->base.data);
}

static const zend_object_iterator_funcs iterator_funcs = {
	.dtor = iterator_free,
	.valid = iterator_valid,
	.get_current_data = iterator_value,
	.get_current_key = iterator_key,
	.move_forward = iterator_move_forward,
	.rewind = iterator_rewind,
};

zend_object_iterator *cache_iterator_create(zend_class_entry *ce, zval *object, int by_ref)
{
	if (by_ref) {
		zend_throw_error(NULL, "Leveret\\Cache cannot be walked by reference: its values are copies, set() stores");
		return NULL;
	}
	cache_iterator *iterator = ecalloc(1, sizeof(*iterator));
	zend_iterator_init(&iterator->base);
	iterator->base.funcs = &iterator_funcs;
	ZVAL_OBJ_COPY(&iterator->base.data, Z_OBJ_P(object));
	iterator->size = SCAN_BUFFER_SIZE;
	iterator->buffer = emalloc(iterator->size);
	ZVAL_UNDEF(&iterator->value);
	return &iterator->base;
}
