/* cache_walk.c: each and keys: leveret_scan, a buffer at a time. */
#include "cache.h"

/* A thousand small items at a time; one step of the engine must fit, and asks for more where this is too little. */
#define BUFFER_LEN (64 * 1024)

typedef struct walk {
	cache *cache;
	handle *handle;
	VALUE into;      /* keys: an Array; each: nil */
} walk;

static void visit(walk *walk, const leveret_record *record)
{
	VALUE value, key = rb_utf8_str_new((const char *) (record + 1), record->key_len);
	problem why;
	if (!NIL_P(walk->into)) {
		rb_ary_push(walk->into, key);
		return;
	}
	/* What was recycled meanwhile has died or was stored anew: it may be left out. */
	leveret_status status = value_read(walk->handle->arena, &record->found, walk->cache->classes, &value, &why);
	if (why) {
		value_warn(key, why);
	}
	if (status == LEVERET_OK) {
		rb_yield_values(2, key, value);
	}
}

static VALUE run(VALUE context)
{
	walk *walk = (void *) context;
	leveret_cursor cursor = { 0 };
	leveret_status status = LEVERET_OK;
	/* A long String's bytes are a block of malloc, so they are aligned and stay where they are. */
	VALUE buffer = rb_str_buf_new(BUFFER_LEN);
	size_t len = BUFFER_LEN, used;
	uint32_t now = leveret_now();
	while (status == LEVERET_OK) {
		used = 0;
		status = leveret_scan(walk->handle->arena, &cursor, now, (uint8_t *) RSTRING_PTR(buffer), len, &used);
		if (status == LEVERET_NO_MEMORY && used > len) {
			len = used;
			buffer = rb_str_buf_new((long) len);
			status = LEVERET_OK;
			continue;
		}
		if (status != LEVERET_OK && status != LEVERET_MISS) {
			leveret_raise(status, walk->handle->arena, rb_str_new_cstr("(the walk over all items)"), 0);
		}
		for (size_t at = 0; at < used;) {
			const leveret_record *record = (const leveret_record *) (RSTRING_PTR(buffer) + at);
			at += record->record_len;
			visit(walk, record);
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
	rb_ensure(run, (VALUE) &walk, end, (VALUE) &walk);
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
