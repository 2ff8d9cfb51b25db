/* cache.h: state of a Leveret::Cache, and how its methods reach the arena. They are in cache.c, cache_many.c,
 * cache_fetch.c, cache_walk.c and cache_stats.c. */
#ifndef RUBY_LEVERET_CACHE_H
#define RUBY_LEVERET_CACHE_H

#include "frozen.h"
#include "value.h"

/* An open arena. A call that waits without the GVL keeps it open, while another thread may reopen the arena. */
typedef struct handle {
	leveret_arena *arena;
	size_t key_max;
	uint32_t users;
} handle;

typedef struct cache {
	handle *handle;
	VALUE name, dir; /* as they were given */
	VALUE classes;   /* those that Marshal data may name; nil: any */
	uint64_t memory;
	uint32_t lock_timeout_ms;
	uint32_t calls, looked; /* every 64 calls the clock is read, and each second of it begins with a look at the file */
	bool is_frozen;
	frozen_values frozen;
} cache;

/* The cache behind `self`. ArgumentError for one that was never initialized. */
cache *cache_of(VALUE self);
/* As a method begins: now and then a look whether the file is still the one that others open. */
cache *cache_begin(VALUE self);
/* For an answer of LEVERET_LOST: opens the arena again, at most `tries` times in a row. Raises where it cannot be
 * opened. */
void cache_reopen(cache *cache);

#define REOPENS_MAX 8

/* Sets `status` to the result of `call` for the cache's arena, which is reopened if it was lost. */
#define CACHE_ASK(cache, status, call) \
	do { \
		int tries_ = 0; \
		while (((status) = (call)) == LEVERET_LOST && tries_++ < REOPENS_MAX) { \
			cache_reopen(cache); \
		} \
	} while (0)

#define ARENA(cache) ((cache)->handle->arena)

static inline void cache_check_key(const cache *cache, VALUE key)
{
	if (RB_UNLIKELY((size_t) RSTRING_LEN(key) > cache->handle->key_max)) {
		leveret_raise(LEVERET_KEY_TOO_LONG, ARENA(cache), key, 0);
	}
}

/* The deadline of a ttl: seconds (Numeric, or an object with to_i, such as a Duration), nil for never. */
uint32_t cache_deadline(VALUE ttl, uint32_t now);

/* `hash`: of the key in this arena, or NULL. False: a miss. */
bool cache_find(cache *cache, VALUE key, const uint64_t *hash, VALUE *value);

/* OK, EXISTS or MISS; raises every other result. */
leveret_status cache_store(cache *cache, VALUE key, VALUE value, VALUE ttl, leveret_mode mode, uint64_t cas);

handle *handle_keep(handle *handle);
void handle_release(handle *handle);

void cache_define_many(VALUE cCache);
void cache_define_fetch(VALUE cCache);
void cache_define_walk(VALUE cCache);
void cache_define_stats(VALUE cCache);

#endif
