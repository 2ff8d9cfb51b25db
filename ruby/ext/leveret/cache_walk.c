/* cache_walk.c: each and keys. */
#include "cache.h"

typedef struct walk {
	cache *cache;
	handle *handle;
	VALUE into; /* keys: an Array; each: nil */
} walk;

static void visit(walk *walk, const leveret_record *record)
{
	VALUE value, key = rb_utf8_str_new((const char *) (record + 1), record->key_len);
	problem why;
	if (!NIL_P(walk->into)) {
		rb_ary_push(walk->into, key);
		return;
	}
	leveret_reading reading = { .found = record->found, .how = LEVERET_READ_UNTRACED };
	leveret_status status = value_read(walk->handle->arena, key, &reading, walk->cache->classes, &value, &why);
	if (why) {
		value_warn(key, why);
	}
	if (status == LEVERET_OK) {
		rb_yield_values(2, key, value);
	}
}

static VALUE visit_all(VALUE context)
{
	walk *walk = (void *) context;
	leveret_walk items = { .now = leveret_now() };
	const leveret_record *record;
	leveret_status status;
	VALUE buffer = Qnil;
	while ((status = leveret_walk_next(walk->handle->arena, &items, &record)) != LEVERET_MISS) {
		if (status == LEVERET_OK) {
			visit(walk, record);
		} else if (status == LEVERET_NO_MEMORY) {
			/* A long String's bytes are a block of malloc, so they are aligned and stay where they are. */
			buffer = rb_str_buf_new((long) items.needed);
			items.buffer = (uint8_t *) RSTRING_PTR(buffer);
			items.len = items.needed;
		} else {
			leveret_raise(status, walk->handle->arena, rb_str_new_cstr("(the walk over all items)"), 0);
		}
	}
	RB_GC_GUARD(buffer);
	return Qnil;
}

static VALUE end(VALUE context)
{
	handle_release(((walk *) context)->handle);
	return Qnil;
}

static void go(VALUE self, VALUE into)
{
	cache *cache = cache_begin(self);
	walk walk = { .cache = cache, .handle = handle_keep(cache->handle), .into = into };
	rb_ensure(visit_all, (VALUE) &walk, end, (VALUE) &walk);
}

/*
 * Gives each item that can be read to the block, in no order. What is stored or deleted meanwhile may be left out.
 * @yieldparam key [String] in UTF-8, or not valid where it is not text
 * @yieldparam value [Object]
 * @return [self, Enumerator] an Enumerator where there is no block
 * @raise [ArenaError] the arena cannot be read
 */
static VALUE each(VALUE self)
{
	RETURN_ENUMERATOR(self, 0, 0);
	go(self, Qnil);
	return self;
}

/*
 * All keys, in no order, also those of values that cannot be read.
 * @return [Array<String>]
 * @raise [ArenaError] the arena cannot be read
 */
static VALUE keys(VALUE self)
{
	VALUE keys = rb_ary_new();
	go(self, keys);
	return keys;
}

void cache_define_walk(VALUE cCache)
{
	rb_include_module(cCache, rb_mEnumerable);
	rb_define_method(cCache, "each", each, 0);
	rb_define_method(cCache, "keys", keys, 0);
}
