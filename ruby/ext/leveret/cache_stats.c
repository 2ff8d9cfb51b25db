/* cache_stats.c: the methods of Leveret::Cache about its whole arena: clear, path and stats. */
#include "cache.h"

/*
 * Empties the arena, for everybody who uses it.
 * @return [true]
 * @raise [ArenaError] the arena could not be emptied
 */
static VALUE clear(VALUE self)
{
	cache *cache = cache_begin(self);
	leveret_status status;
	CACHE_ASK(cache, status, leveret_flush(ARENA(cache)));
	frozen_forget(&cache->frozen);
	if (status != LEVERET_OK) {
		rb_raise(rb_eLeveretArenaError, "The arena could not be emptied");
	}
	return Qtrue;
}

static void put(VALUE hash, const char *name, VALUE value)
{
	rb_hash_aset(hash, ID2SYM(rb_intern(name)), value);
}

/*
 * Where the arena's file is.
 * @return [String] its path
 */
static VALUE path(VALUE self)
{
	char path[4096];
	size_t len = leveret_path(ARENA(cache_of(self)), path, sizeof(path));
	return rb_filesystem_str_new(path, (long) (len < sizeof(path) ? len : sizeof(path) - 1));
}

/*
 * What there is to know about the arena; it counts for all processes since its creation.
 *
 * * +path+: where its file is
 * * +key_max+, +value_max+: bytes of the longest key and of the largest value
 * * +memory_limit+, +memory_allocated+, +memory_free+: bytes; the last is an estimate of what can be stored before
 *   others are evicted
 * * +items+: how many there are
 * * +hits+, +misses+: reads that found an item, or none
 * * +sets+, +deletes+, +increments+, +touches+: those that succeeded; decrements are among the increments
 * * +evicted+: items that were dropped to make room; +expired+: items whose memory came back after their end
 * * +recoveries+: locks taken from dead processes; +lock_waits+: writes that had to sleep for a lock
 * * +retries+: reads given up because the index changed again and again
 * * +flushes+: how often it was emptied; +created+: Unix time of its creation or of the last of these
 * * +attached+: processes that have written and are alive to it
 * @return [Hash{Symbol => Integer, String}]
 * @raise [ArenaError] the arena cannot be read
 */
static VALUE stats(VALUE self)
{
	cache *cache = cache_begin(self);
	leveret_stats stats;
	leveret_status status;
	CACHE_ASK(cache, status, leveret_get_stats(ARENA(cache), &stats));
	if (status != LEVERET_OK) {
		rb_raise(rb_eLeveretArenaError, "The arena cannot be read");
	}
	VALUE hash = rb_hash_new();
	put(hash, "path", path(self));
	put(hash, "key_max", SIZET2NUM(cache->handle->key_max));
	put(hash, "value_max", ULL2NUM(leveret_value_max(ARENA(cache))));
	put(hash, "memory_limit", ULL2NUM(stats.memory_limit));
	put(hash, "memory_allocated", ULL2NUM(stats.memory_allocated));
	put(hash, "memory_free", ULL2NUM(stats.memory_free));
	put(hash, "items", ULL2NUM(stats.items));
	put(hash, "hits", ULL2NUM(stats.hits));
	put(hash, "misses", ULL2NUM(stats.misses));
	put(hash, "sets", ULL2NUM(stats.sets));
	put(hash, "deletes", ULL2NUM(stats.deletes));
	put(hash, "increments", ULL2NUM(stats.increments));
	put(hash, "touches", ULL2NUM(stats.touches));
	put(hash, "evicted", ULL2NUM(stats.evicted));
	put(hash, "expired", ULL2NUM(stats.expired));
	put(hash, "recoveries", ULL2NUM(stats.recoveries));
	put(hash, "retries", ULL2NUM(stats.retries));
	put(hash, "lock_waits", ULL2NUM(stats.lock_waits));
	put(hash, "flushes", ULL2NUM(stats.flushes));
	put(hash, "created", LL2NUM(stats.created_unix));
	put(hash, "attached", UINT2NUM(stats.attached));
	return hash;
}

void cache_define_stats(VALUE cCache)
{
	rb_define_method(cCache, "clear", clear, 0);
	rb_define_method(cCache, "path", path, 0);
	rb_define_method(cCache, "stats", stats, 0);
}
