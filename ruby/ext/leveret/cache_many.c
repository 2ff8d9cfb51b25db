/* cache_many.c: the methods of Leveret::Cache that take many keys. */
#include "cache.h"

static VALUE flat(int argc, VALUE *argv)
{
	VALUE keys = rb_funcall(rb_ary_new_from_values(argc, argv), rb_intern("flatten"), 0);
	Check_Type(keys, T_ARRAY);
	return keys;
}

/*
 * The values of many keys.
 * @overload get_multi(*keys)
 *   @param keys [Array<String, Symbol>] also in arrays; each at most +stats[:key_max]+ bytes
 *   @return [Hash{String, Symbol => Object}] those that were found, by their keys as they were given
 *   @raise [KeyTooLongError] a key has more than +stats[:key_max]+ bytes
 *   @raise [ArenaError] the arena cannot be opened again after its file went away
 */
static VALUE get_multi(int argc, VALUE *argv, VALUE self)
{
	cache *cache = cache_begin(self);
	VALUE keys = flat(argc, argv), found = rb_hash_new();
	for (long from = 0; from < RARRAY_LEN(keys); from += LEVERET_AHEAD) {
		/* Strings whose bytes are used after all user code has run: to_str of one key may change another one, or create
		 * a new String. */
		VALUE own[LEVERET_AHEAD];
		leveret_bytes names[LEVERET_AHEAD];
		uint64_t hashes[LEVERET_AHEAD];
		long count = RARRAY_LEN(keys) - from < LEVERET_AHEAD ? RARRAY_LEN(keys) - from : LEVERET_AHEAD;
		for (long i = 0; i < count; i++) {
			own[i] = key_string(RARRAY_AREF(keys, from + i));
			cache_check_key(cache, own[i]);
		}
		for (long i = 0; i < count; i++) {
			names[i] = bytes_of_string(own[i]);
		}
		handle *asked = cache->handle;
		leveret_ask_for(asked->arena, names, (size_t) count, hashes);
		for (long i = 0; i < count; i++) {
			VALUE value, key = RARRAY_AREF(keys, from + i);
			if (cache_find(cache, own[i], cache->handle == asked ? &hashes[i] : NULL, &value)) {
				rb_hash_aset(found, key, value);
			}
		}
	}
	RB_GC_GUARD(keys);
	return found;
}

typedef struct many {
	cache *cache;
	VALUE ttl;
	long count;
} many;

static int set_pair(VALUE key, VALUE value, VALUE context)
{
	many *many = (void *) context;
	cache_store(many->cache, key_string(key), value, many->ttl, LEVERET_SET, 0);
	many->count++;
	return ST_CONTINUE;
}

/*
 * Stores many values, one after the other. When one fails its exception names the key; those before it are stored.
 * @overload set_multi(values, ttl = nil)
 *   @param values [Hash{String, Symbol => Object}]
 *   @param ttl [Numeric, #to_i, nil] seconds, rounded up; nil: no end; 0 or less: over at once
 *   @return [true]
 *   @raise [KeyTooLongError] a key has more than +stats[:key_max]+ bytes
 *   @raise [ValueTooLargeError] the value takes more than +stats[:value_max]+ bytes
 *   @raise [NoRoomError] no room could be made
 *   @raise [TypeError] the value cannot be marshalled, or the ttl is no number
 *   @raise [BusyError] the lock was held for longer than +lock_timeout+; nothing was changed
 *   @raise [ArenaError] the arena cannot be written
 */
static VALUE set_multi(int argc, VALUE *argv, VALUE self)
{
	rb_check_arity(argc, 1, 2);
	many many = { .cache = cache_begin(self), .ttl = argc == 2 ? argv[1] : Qnil };
	rb_hash_foreach(rb_Hash(argv[0]), set_pair, (VALUE) &many);
	return Qtrue;
}

/*
 * Deletes many items, one after the other.
 * @overload delete_multi(*keys)
 *   @param keys [Array<String, Symbol>] also in arrays
 *   @return [Integer] how many were there
 *   @raise [KeyTooLongError] a key has more than +stats[:key_max]+ bytes
 *   @raise [BusyError] the lock was held for longer than +lock_timeout+; nothing was changed
 *   @raise [ArenaError] the arena cannot be written
 */
static VALUE delete_multi(int argc, VALUE *argv, VALUE self)
{
	VALUE keys = flat(argc, argv);
	long count = 0;
	for (long i = 0; i < RARRAY_LEN(keys); i++) {
		count += rb_funcall(self, rb_intern("delete"), 1, RARRAY_AREF(keys, i)) == Qtrue;
	}
	return LONG2NUM(count);
}

void cache_define_many(VALUE cCache)
{
	rb_define_method(cCache, "get_multi", get_multi, -1);
	rb_define_method(cCache, "set_multi", set_multi, -1);
	rb_define_method(cCache, "delete_multi", delete_multi, -1);
}
