/* cache.c: Leveret::Cache: its arena, and the methods of one key. */
#include "cache.h"

#include <math.h>

static ID id_to_i, id_keep;

/* --- the arena --- */

handle *handle_keep(handle *handle)
{
	handle->users++;
	return handle;
}

void handle_release(handle *handle)
{
	if (handle && --handle->users == 0) {
		leveret_close(handle->arena);
		xfree(handle);
	}
}

static void mark(void *pointer)
{
	cache *cache = pointer;
	rb_gc_mark(cache->name);
	rb_gc_mark(cache->dir);
	rb_gc_mark(cache->classes);
	frozen_mark(&cache->frozen);
}

static void release(void *pointer)
{
	cache *cache = pointer;
	frozen_forget(&cache->frozen);
	handle_release(cache->handle);
	xfree(cache);
}

static size_t size(const void *pointer)
{
	return sizeof(cache) + ((const cache *) pointer)->frozen.bytes;
}

static const rb_data_type_t type = {
	.wrap_struct_name = "Leveret::Cache",
	.function = { .dmark = mark, .dfree = release, .dsize = size },
	.flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

static VALUE allocate(VALUE class)
{
	cache *cache;
	VALUE self = TypedData_Make_Struct(class, struct cache, &type, cache);
	cache->name = cache->dir = cache->classes = Qnil;
	return self;
}

cache *cache_of(VALUE self)
{
	cache *cache = rb_check_typeddata(self, &type);
	if (RB_UNLIKELY(!cache->handle)) {
		rb_raise(rb_eArgError, "this Leveret::Cache was never initialized");
	}
	return cache;
}

static void open(cache *cache)
{
	char message[1024] = "";
	uint32_t created;
	leveret_open_options options = {
		.arena = bytes_of_string(cache->name),
		.dir = NIL_P(cache->dir) ? bytes_of("", 0) : bytes_of_string(cache->dir),
		.memory = cache->memory,
		.lock_timeout_ms = cache->lock_timeout_ms,
		.create = 1,
	};
	leveret_arena *arena;
	if (leveret_open(&options, &arena, &created, message, sizeof(message)) != LEVERET_OK) {
		rb_raise(rb_eLeveretArenaError, "%s", message);
	}
	handle *opened = ALLOC(handle);
	*opened = (handle) { .arena = arena, .key_max = leveret_key_max(arena), .users = 1 };
	handle_release(cache->handle);
	cache->handle = opened;
	cache->looked = leveret_now();
}

void cache_reopen(cache *cache)
{
	frozen_forget(&cache->frozen);
	open(cache);
}

static void look(cache *cache)
{
	uint32_t now = leveret_now();
	if (cache->looked != now) {
		cache->looked = now;
		if (leveret_check(ARENA(cache)) == LEVERET_LOST) {
			cache_reopen(cache);
		}
	}
}

cache *cache_begin(VALUE self)
{
	cache *cache = cache_of(self);
	if (RB_UNLIKELY(++cache->calls % 64 == 0)) {
		look(cache);
	}
	return cache;
}

/* Leveret::Cache#initialize in lib/leveret/cache.rb has checked them. */
static VALUE attach(
	VALUE self, VALUE name, VALUE dir, VALUE memory, VALUE lock_timeout_ms, VALUE frozen_bytes, VALUE classes)
{
	cache *cache = rb_check_typeddata(self, &type);
	uint64_t bytes = NUM2ULL(memory);
	uint32_t milliseconds = NUM2UINT(lock_timeout_ms);
	size_t limit = NIL_P(frozen_bytes) ? 0 : NUM2SIZET(frozen_bytes);
	name = rb_str_new_frozen(StringValue(name));
	dir = NIL_P(dir) ? Qnil : rb_str_new_frozen(StringValue(dir));
	/* After all user code. Kept values of one arena do not hold for another one. */
	if (cache->handle) {
		rb_raise(rb_eArgError, "this Leveret::Cache is initialized already: make a new one");
	}
	cache->name = name;
	cache->dir = dir;
	cache->memory = bytes;
	cache->lock_timeout_ms = milliseconds;
	cache->classes = class_list(classes);
	cache->is_frozen = !NIL_P(frozen_bytes);
	cache->frozen.limit = limit;
	open(cache);
	return self;
}

static VALUE no_copy(VALUE self, VALUE other)
{
	rb_raise(rb_eTypeError, "a Leveret::Cache cannot be copied: make a new one of the same arena");
}

/* --- ttl --- */

static double seconds_of(VALUE ttl)
{
	if (FIXNUM_P(ttl)) {
		return (double) FIX2LONG(ttl);
	}
	if (!RTEST(rb_obj_is_kind_of(ttl, rb_cNumeric)) && (RB_TYPE_P(ttl, T_STRING) || !rb_respond_to(ttl, id_to_i))) {
		rb_raise(rb_eTypeError, "a ttl is a number of seconds or nil, not %" PRIsVALUE, rb_obj_class(ttl));
	}
	double seconds = RB_FLOAT_TYPE_P(ttl)            ? RFLOAT_VALUE(ttl)
		: RTEST(rb_obj_is_kind_of(ttl, rb_cNumeric)) ? NUM2DBL(ttl)
													 : NUM2DBL(rb_funcall(ttl, id_to_i, 0));
	if (isnan(seconds)) {
		rb_raise(rb_eArgError, "a ttl cannot be NaN");
	}
	return ceil(seconds);
}

uint32_t cache_deadline(VALUE ttl, uint32_t now)
{
	if (NIL_P(ttl)) {
		return LEVERET_NEVER;
	}
	return leveret_deadline_of_ttl((int64_t) fmax(fmin(seconds_of(ttl), UINT32_MAX), 0), now);
}

/* --- reading --- */

/* Not inlined: hits in kept values need none of its stack. */
__attribute__((noinline)) static bool find_in_arena(cache *cache, VALUE key, const uint64_t *hash, VALUE *value)
{
	leveret_reading reading;
	leveret_status status;
	problem why = NULL;
	cache_check_key(cache, key);
	for (int tries = 0;; tries++) {
		status = leveret_read_begin(
			ARENA(cache), bytes_of_string(key), hash ? LEVERET_READ_HASHED : 0, hash ? *hash : 0, 0, &reading);
		if (status == LEVERET_OK) {
			status = value_read(ARENA(cache), key, &reading, cache->classes, value, &why);
		}
		if (RB_LIKELY(status != LEVERET_LOST) || tries == REOPENS_MAX) {
			break;
		}
		cache_reopen(cache);
		hash = NULL;
	}
	if (RB_UNLIKELY(why != NULL)) {
		value_warn(key, why);
		return false;
	}
	if (RB_UNLIKELY(status == LEVERET_LOST)) {
		leveret_raise(status, ARENA(cache), key, 0);
	}
	if (status == LEVERET_OK && RB_UNLIKELY(cache->is_frozen) && !RB_SPECIAL_CONST_P(*value)) {
		*value = frozen_keep(&cache->frozen, key, &reading.found, *value);
	}
	return status == LEVERET_OK;
}

bool cache_find(cache *cache, VALUE key, const uint64_t *hash, VALUE *value)
{
	return (cache->is_frozen && frozen_find(&cache->frozen, ARENA(cache), key, value))
		|| find_in_arena(cache, key, hash, value);
}

/*
 * The value of a key. What is there and cannot be read, as an object of PHP, is a miss with one warning.
 * @overload get(key, default = nil)
 *   @param key [String, Symbol] at most +stats[:key_max]+ bytes
 *   @param default [Object] what a miss answers
 *   @return [Object] the value, a copy of it or, with <tt>frozen: true</tt>, a frozen object
 *   @raise [KeyTooLongError] the key has more than +stats[:key_max]+ bytes
 *   @raise [ArenaError] the arena cannot be opened again after its file went away
 */
static VALUE get(int argc, VALUE *argv, VALUE self)
{
	rb_check_arity(argc, 1, 2);
	cache *cache = cache_begin(self);
	VALUE value, key = key_string(argv[0]);
	if (cache_find(cache, key, NULL, &value)) {
		return value;
	}
	return argc == 2 ? argv[1] : Qnil;
}

/*
 * The value of a key, or nil. A stored nil looks the same: see #get and #exist?.
 * @param key [String, Symbol] at most +stats[:key_max]+ bytes
 * @return [Object, nil]
 * @raise [KeyTooLongError] the key has more than +stats[:key_max]+ bytes
 * @raise [ArenaError] the arena cannot be opened again after its file went away
 */
static VALUE aref(VALUE self, VALUE key)
{
	return get(1, &key, self);
}

/*
 * Whether there is an item, also one whose value is nil or cannot be read. The value is not copied.
 * @param key [String, Symbol] at most +stats[:key_max]+ bytes
 * @return [Boolean]
 * @raise [KeyTooLongError] the key has more than +stats[:key_max]+ bytes
 * @raise [ArenaError] the arena cannot be opened again after its file went away
 */
static VALUE is_there(VALUE self, VALUE key)
{
	cache *cache = cache_begin(self);
	leveret_found found;
	leveret_status status;
	key = key_string(key);
	cache_check_key(cache, key);
	CACHE_ASK(cache, status, leveret_peek(ARENA(cache), bytes_of_string(key), 0, &found));
	return status == LEVERET_OK ? Qtrue : Qfalse;
}

/* --- storing --- */

/* `kept`: a deadline in place of the ttl, or NULL. */
static leveret_status store_until(
	cache *cache, VALUE key, VALUE value, VALUE ttl, const uint32_t *kept, leveret_mode mode, uint64_t cas)
{
	encoded encoded;
	leveret_status status;
	cache_check_key(cache, key);
	value_encode(value, &encoded);
	uint32_t now = leveret_now(), deadline = kept ? *kept : cache_deadline(ttl, now);
	CACHE_ASK(cache, status,
		leveret_store(ARENA(cache), bytes_of_string(key), encoded_bytes(&encoded), &encoded.meta, deadline, mode, cas,
			now, NULL));
	if (RB_UNLIKELY(status != LEVERET_OK && status != LEVERET_EXISTS && status != LEVERET_MISS)) {
		leveret_raise(status, ARENA(cache), key, encoded_bytes(&encoded).len);
	}
	RB_GC_GUARD(encoded.holder);
	return status;
}

leveret_status cache_store(cache *cache, VALUE key, VALUE value, VALUE ttl, leveret_mode mode, uint64_t cas)
{
	return store_until(cache, key, value, ttl, NULL, mode, cas);
}

static VALUE store(int argc, VALUE *argv, VALUE self, leveret_mode mode)
{
	rb_check_arity(argc, 2, 3);
	cache *cache = cache_begin(self);
	return cache_store(cache, key_string(argv[0]), argv[1], argc == 3 ? argv[2] : Qnil, mode, 0) == LEVERET_OK ? Qtrue
																											   : Qfalse;
}

/*
 * Stores a value, whatever is there.
 * @overload set(key, value, ttl = nil)
 *   @param key [String, Symbol] at most +stats[:key_max]+ bytes
 *   @param value [Object] what JSON or Marshal can say
 *   @param ttl [Numeric, #to_i, nil] seconds, rounded up; nil: no end; 0 or less: over at once
 *   @return [true]
 *   @raise [KeyTooLongError] the key has more than +stats[:key_max]+ bytes
 *   @raise [ValueTooLargeError] the value takes more than +stats[:value_max]+ bytes
 *   @raise [NoRoomError] no room could be made
 *   @raise [TypeError] the value cannot be marshalled, or the ttl is no number
 *   @raise [BusyError] the lock was held for longer than +lock_timeout+; nothing was changed
 *   @raise [ArenaError] the arena cannot be written
 */
static VALUE set(int argc, VALUE *argv, VALUE self)
{
	return store(argc, argv, self, LEVERET_SET);
}

/*
 * Stores a value where there is none. Of several processes that add at once one succeeds.
 * @overload add(key, value, ttl = nil)
 *   @param key [String, Symbol] at most +stats[:key_max]+ bytes
 *   @param value [Object] what JSON or Marshal can say
 *   @param ttl [Numeric, #to_i, nil] seconds, rounded up; nil: no end; 0 or less: over at once
 *   @return [Boolean] false: something is there, and stays
 *   @raise [KeyTooLongError] the key has more than +stats[:key_max]+ bytes
 *   @raise [ValueTooLargeError] the value takes more than +stats[:value_max]+ bytes
 *   @raise [NoRoomError] no room could be made
 *   @raise [TypeError] the value cannot be marshalled, or the ttl is no number
 *   @raise [BusyError] the lock was held for longer than +lock_timeout+; nothing was changed
 *   @raise [ArenaError] the arena cannot be written
 */
static VALUE add(int argc, VALUE *argv, VALUE self)
{
	return store(argc, argv, self, LEVERET_ADD);
}

/*
 * Stores a value in place of one that is there.
 * @overload replace(key, value, ttl = nil)
 *   @param key [String, Symbol] at most +stats[:key_max]+ bytes
 *   @param value [Object] what JSON or Marshal can say
 *   @param ttl [Numeric, #to_i, nil] seconds, rounded up; nil: no end; 0 or less: over at once
 *   @return [Boolean] false: there is nothing, and nothing was stored
 *   @raise [KeyTooLongError] the key has more than +stats[:key_max]+ bytes
 *   @raise [ValueTooLargeError] the value takes more than +stats[:value_max]+ bytes
 *   @raise [NoRoomError] no room could be made
 *   @raise [TypeError] the value cannot be marshalled, or the ttl is no number
 *   @raise [BusyError] the lock was held for longer than +lock_timeout+; nothing was changed
 *   @raise [ArenaError] the arena cannot be written
 */
static VALUE replace(int argc, VALUE *argv, VALUE self)
{
	return store(argc, argv, self, LEVERET_REPLACE);
}

/*
 * Stores a value that does not expire, whatever is there.
 * @param key [String, Symbol] at most +stats[:key_max]+ bytes
 * @param value [Object] what JSON or Marshal can say
 * @return [Object] the value
 * @raise [KeyTooLongError] the key has more than +stats[:key_max]+ bytes
 * @raise [ValueTooLargeError] the value takes more than +stats[:value_max]+ bytes
 * @raise [NoRoomError] no room could be made
 * @raise [TypeError] the value cannot be marshalled, or the ttl is no number
 * @raise [BusyError] the lock was held for longer than +lock_timeout+; nothing was changed
 * @raise [ArenaError] the arena cannot be written
 */
static VALUE aset(VALUE self, VALUE key, VALUE value)
{
	cache_store(cache_begin(self), key_string(key), value, Qnil, LEVERET_SET, 0);
	return value;
}

/*
 * Stores what the block makes of the value, if nobody has stored another one meanwhile. The block may take its time,
 * and do what it likes with the cache.
 * @overload cas(key, ttl = nil)
 *   @param key [String, Symbol] at most +stats[:key_max]+ bytes
 *   @param ttl [Numeric, #to_i, :keep, nil] seconds, rounded up; :keep: until what is there would end; nil: no end; 0
 *     or less: over at once
 *   @yieldparam value [Object] what is there
 *   @yieldreturn [Object] what is to be there
 *   @return [Boolean, nil] true: stored; false: it was changed or has gone meanwhile, so ask again; nil: there is
 *     nothing that can be read, and the block was not called
 *   @raise [LocalJumpError] there is no block
 *   @raise [KeyTooLongError] the key has more than +stats[:key_max]+ bytes
 *   @raise [ValueTooLargeError] the value takes more than +stats[:value_max]+ bytes
 *   @raise [NoRoomError] no room could be made
 *   @raise [TypeError] the value cannot be marshalled, or the ttl is no number
 *   @raise [BusyError] the lock was held for longer than +lock_timeout+; nothing was changed
 *   @raise [ArenaError] the arena cannot be written
 */
static VALUE cas(int argc, VALUE *argv, VALUE self)
{
	rb_check_arity(argc, 1, 2);
	rb_need_block();
	cache *cache = cache_begin(self);
	VALUE value, key = rb_str_new_frozen(key_string(argv[0]));
	leveret_reading reading;
	leveret_status status;
	problem why = NULL;
	cache_check_key(cache, key);
	CACHE_ASK(cache, status, leveret_read_begin(ARENA(cache), bytes_of_string(key), LEVERET_READ_CAS, 0, 0, &reading));
	if (status == LEVERET_OK) {
		status = value_read(ARENA(cache), key, &reading, cache->classes, &value, &why);
	}
	if (why) {
		value_warn(key, why);
	}
	if (status == LEVERET_MISS || status == LEVERET_LOST) {
		return Qnil;
	}
	if (status != LEVERET_OK) {
		leveret_raise(status, ARENA(cache), key, 0);
	}
	value = rb_yield(value);
	VALUE ttl = argc == 2 ? argv[1] : Qnil;
	const uint32_t *kept = ttl == ID2SYM(id_keep) ? &reading.found.deadline.second : NULL;
	return store_until(cache, key, value, ttl, kept, LEVERET_CAS, reading.found.cas) == LEVERET_OK ? Qtrue : Qfalse;
}

/* --- the rest --- */

/*
 * Deletes an item.
 * @param key [String, Symbol] at most +stats[:key_max]+ bytes
 * @return [Boolean] whether it was there
 * @raise [KeyTooLongError] the key has more than +stats[:key_max]+ bytes
 * @raise [BusyError] the lock was held for longer than +lock_timeout+; nothing was changed
 * @raise [ArenaError] the arena cannot be written
 */
static VALUE delete_key(VALUE self, VALUE key)
{
	cache *cache = cache_begin(self);
	leveret_status status;
	key = key_string(key);
	cache_check_key(cache, key);
	CACHE_ASK(cache, status, leveret_delete(ARENA(cache), bytes_of_string(key), 0));
	if (status != LEVERET_OK && status != LEVERET_MISS) {
		leveret_raise(status, ARENA(cache), key, 0);
	}
	return status == LEVERET_OK ? Qtrue : Qfalse;
}

/*
 * Gives an item another end; its value stays.
 * @overload touch(key, ttl = nil)
 *   @param key [String, Symbol] at most +stats[:key_max]+ bytes
 *   @param ttl [Numeric, #to_i, nil] seconds, rounded up; nil: no end; 0 or less: over at once
 *   @return [Boolean] whether it was there
 *   @raise [KeyTooLongError] the key has more than +stats[:key_max]+ bytes
 *   @raise [TypeError] the ttl is no number
 *   @raise [NoRoomError] no room could be made
 *   @raise [BusyError] the lock was held for longer than +lock_timeout+; nothing was changed
 *   @raise [ArenaError] the arena cannot be written
 */
static VALUE touch(int argc, VALUE *argv, VALUE self)
{
	rb_check_arity(argc, 1, 2);
	cache *cache = cache_begin(self);
	leveret_status status;
	VALUE key = key_string(argv[0]);
	cache_check_key(cache, key);
	uint32_t now = leveret_now(), deadline = cache_deadline(argc == 2 ? argv[1] : Qnil, now);
	CACHE_ASK(cache, status, leveret_touch(ARENA(cache), bytes_of_string(key), deadline, now));
	if (status != LEVERET_OK && status != LEVERET_MISS) {
		leveret_raise(status, ARENA(cache), key, 0);
	}
	return status == LEVERET_OK ? Qtrue : Qfalse;
}

static VALUE count(int argc, VALUE *argv, VALUE self, int sign)
{
	rb_check_arity(argc, 1, 3);
	cache *cache = cache_begin(self);
	VALUE key = key_string(argv[0]);
	int64_t result, step = argc > 1 ? NUM2LL(argv[1]) : 1;
	leveret_status status;
	cache_check_key(cache, key);
	if (sign < 0 && step == INT64_MIN) {
		rb_raise(rb_eRangeError, "a step of %" PRId64 " cannot be taken away", step);
	}
	uint32_t now = leveret_now(), deadline = cache_deadline(argc == 3 ? argv[2] : Qnil, now);
	CACHE_ASK(cache, status,
		leveret_count(ARENA(cache), bytes_of_string(key), sign * step, LEVERET_RUBY, 1, deadline, now, &result));
	if (status != LEVERET_OK) {
		leveret_raise(status, ARENA(cache), key, sizeof(step));
	}
	return LL2NUM(result);
}

/*
 * Adds to an integer of 64 bits, at once for all processes. Where there is none, the step is stored. Past its largest
 * number it goes on at the smallest.
 * @overload increment(key, step = 1, ttl = nil)
 *   @param key [String, Symbol] at most +stats[:key_max]+ bytes
 *   @param step [Integer] of 64 bits, may be negative
 *   @param ttl [Numeric, #to_i, nil] of an item that is made; one that is there keeps its own
 *   @return [Integer] the new number
 *   @raise [NotAnIntegerError] something else is there
 *   @raise [RangeError] the step takes more than 64 bits
 *   @raise [KeyTooLongError] the key has more than +stats[:key_max]+ bytes
 *   @raise [NoRoomError] no room could be made
 *   @raise [BusyError] the lock was held for longer than +lock_timeout+; nothing was changed
 *   @raise [ArenaError] the arena cannot be written
 */
static VALUE increment(int argc, VALUE *argv, VALUE self)
{
	return count(argc, argv, self, 1);
}

/*
 * Takes from an integer of 64 bits, as #increment adds to it. It may become negative.
 * @overload decrement(key, step = 1, ttl = nil)
 *   @param key [String, Symbol] at most +stats[:key_max]+ bytes
 *   @param step [Integer] of 64 bits, not the smallest of them
 *   @param ttl [Numeric, #to_i, nil] of an item that is made, with 0 less the step; one that is there keeps its own
 *   @return [Integer] the new number
 *   @raise [NotAnIntegerError] something else is there
 *   @raise [RangeError] the step takes more than 64 bits, or is the smallest number of 64 bits
 *   @raise [KeyTooLongError] the key has more than +stats[:key_max]+ bytes
 *   @raise [NoRoomError] no room could be made
 *   @raise [BusyError] the lock was held for longer than +lock_timeout+; nothing was changed
 *   @raise [ArenaError] the arena cannot be written
 */
static VALUE decrement(int argc, VALUE *argv, VALUE self)
{
	return count(argc, argv, self, -1);
}

void leveret_init_cache(void)
{
	id_to_i = rb_intern("to_i");
	id_keep = rb_intern("keep");
	frozen_init();
	VALUE cCache = rb_define_class_under(rb_mLeveret, "Cache", rb_cObject);
	rb_define_alloc_func(cCache, allocate);
	rb_define_private_method(cCache, "attach", attach, 6);
	rb_define_private_method(cCache, "initialize_copy", no_copy, 1);
	rb_define_method(cCache, "get", get, -1);
	rb_define_method(cCache, "[]", aref, 1);
	rb_define_method(cCache, "exist?", is_there, 1);
	rb_define_method(cCache, "set", set, -1);
	rb_define_method(cCache, "[]=", aset, 2);
	rb_define_method(cCache, "add", add, -1);
	rb_define_method(cCache, "replace", replace, -1);
	rb_define_method(cCache, "cas", cas, -1);
	rb_define_method(cCache, "delete", delete_key, 1);
	rb_define_method(cCache, "touch", touch, -1);
	rb_define_method(cCache, "increment", increment, -1);
	rb_define_method(cCache, "decrement", decrement, -1);
}
