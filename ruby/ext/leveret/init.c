/* init.c: what `require "leveret/leveret"` runs. */
#include "cache.h"
#include "pool.h"
#include <ruby/ractor.h>

VALUE rb_mLeveret;

RUBY_FUNC_EXPORTED void Init_leveret(void)
{
	/* Each Ractor has Cache objects of its own, and nothing else here is written after this function. */
	rb_ext_ractor_safe(true);
	leveret_declare(LEVERET_PROGRAM_RUBY);
	rb_mLeveret = rb_define_module("Leveret");
	leveret_init_errors();
	leveret_init_value();
	leveret_init_cache();
	VALUE cCache = rb_const_get(rb_mLeveret, rb_intern("Cache"));
	cache_define_many(cCache);
	cache_define_fetch(cCache);
	cache_define_walk(cCache);
	cache_define_stats(cCache);
	leveret_init_pool();
	VALUE cPool = rb_const_get(rb_mLeveret, rb_intern("Pool"));
	pool_define_one(cPool);
	pool_define_many(cPool);
	pool_define_servers(cPool);
}
