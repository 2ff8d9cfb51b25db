/* cache_fetch.c: fetch: one process computes a missing value, the others wait for it (leveret_compute_next). */
#include "cache.h"

#include <ruby/thread.h>
#include <unistd.h>

typedef struct request {
	cache *cache;
	/* Kept apart from the cache's, which the block may reopen: a lease is released at its own arena. */
	handle *handle;
	VALUE key, ttl, value;
	leveret_bytes name;
	leveret_compute compute;
	leveret_step step;
} request;

/* Up to 20 ms without the GVL, so the thread can be interrupted that soon. The key is a frozen String of our own on the
 * caller's stack, so its bytes stay where they are. */
static void *take_step(void *context)
{
	request *request = context;
	request->step = leveret_compute_next(request->handle->arena, request->name, 0, &request->compute);
	return NULL;
}

/* The value is computed, so only errors that the caller can fix are raised: not a lack of memory or a held lock. */
static void keep(request *request)
{
	cache *cache = request->cache;
	encoded encoded;
	leveret_status status;
	value_encode(request->value, &encoded);
	uint32_t now = leveret_now(), deadline = cache_deadline(request->ttl, now);
	CACHE_ASK(cache, status,
		leveret_store(ARENA(cache), bytes_of_string(request->key), encoded_bytes(&encoded), &encoded.meta, deadline,
			LEVERET_SET, 0, now, NULL));
	if (status != LEVERET_OK && status != LEVERET_BUSY && status != LEVERET_NO_MEMORY) {
		leveret_raise(status, ARENA(cache), request->key, encoded_bytes(&encoded).len);
	}
	RB_GC_GUARD(encoded.holder);
}

static VALUE find_or_make(VALUE context)
{
	request *request = (void *) context;
	do {
		/* An interrupt that came before must not lose a lease: it is noticed after the call, where give_back() is in
		 * charge. */
		rb_thread_call_without_gvl(take_step, request, NULL, NULL);
		if (request->step == LEVERET_STEP_LOOK && cache_find(request->cache, request->key, NULL, &request->value)) {
			return request->value;
		}
	} while (request->step != LEVERET_STEP_COMPUTE);
	request->value = rb_yield(request->key);
	keep(request);
	return request->value;
}

static VALUE give_back(VALUE context)
{
	request *request = (void *) context;
	leveret_compute_end(request->handle->arena, &request->compute);
	handle_release(request->handle);
	return Qnil;
}

/*
 * The value of a key; where there is none, what the block makes, which is stored. One process of the host computes, the
 * others wait for its value: for that of a process that was killed no longer than until that is noticed. Waiting ends
 * at Timeout and Thread#kill. A value that finds no room, or no lock, is answered all the same.
 * @overload fetch(key, ttl = nil)
 *   @param key [String, Symbol] at most +stats[:key_max]+ bytes
 *   @param ttl [Numeric, #to_i, nil] seconds, rounded up; nil: no end; 0 or less: over at once
 *   @yieldparam key [String]
 *   @yieldreturn [Object] the value to store
 *   @return [Object] the value
 *   @raise [LocalJumpError] there is no block
 *   @raise [KeyTooLongError] the key has more than +stats[:key_max]+ bytes
 *   @raise [ValueTooLargeError] the block's value takes more than +stats[:value_max]+ bytes
 *   @raise [TypeError] the block's value cannot be marshalled, or the ttl is no number
 *   @raise [ArenaError] the arena cannot be opened again, or not be written
 */
static VALUE fetch(int argc, VALUE *argv, VALUE self)
{
	rb_check_arity(argc, 1, 2);
	rb_need_block();
	cache *cache = cache_begin(self);
	VALUE value, key = key_string(argv[0]);
	if (cache_find(cache, key, NULL, &value)) {
		return value;
	}
	key = rb_str_new_frozen(key);
	/* User code, as a marshal_load, may have changed it since. */
	cache_check_key(cache, key);
	request request = {
		.cache = cache,
		.handle = handle_keep(cache->handle),
		.key = key,
		.ttl = argc == 2 ? argv[1] : Qnil,
		.value = Qnil,
		.name = bytes_of_string(key),
	};
	value = rb_ensure(find_or_make, (VALUE) &request, give_back, (VALUE) &request);
	RB_GC_GUARD(key);
	RB_GC_GUARD(self);
	return value;
}

/* --- a lease as an object: for callers that decide themselves what counts as found --- */

typedef struct lease {
	handle *handle; /* NULL: it was given back */
	leveret_ticket ticket;
	pid_t holder;
} lease;

static void lease_give_back(lease *lease)
{
	if (lease->handle) {
		/* A lease inherited by a fork belongs to the parent. */
		if (lease->holder == getpid()) {
			leveret_lease_release(lease->handle->arena, &lease->ticket);
		}
		handle_release(lease->handle);
		lease->handle = NULL;
	}
}

/* Called by the garbage collector: a release is a store and a wake-up, which never wait. */
static void lease_release(void *pointer)
{
	lease_give_back(pointer);
	xfree(pointer);
}

static const rb_data_type_t lease_type = {
	.wrap_struct_name = "Leveret::Lease",
	.function = { .dfree = lease_release },
	.flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

/*
 * Document-class: Leveret::Lease
 * The right to compute the value of a key (Leveret::Cache#lease). A process that dies gives it back, and so does the
 * garbage collector.
 */
static VALUE cLease;

typedef struct asking {
	handle *handle;
	leveret_bytes name;
	uint32_t waited_ms;
	leveret_status answer;
	leveret_ticket ticket;
} asking;

/* As take_step. */
static void *acquire(void *context)
{
	asking *asking = context;
	asking->answer = leveret_lease_acquire(asking->handle->arena, asking->name, asking->waited_ms, &asking->ticket);
	return NULL;
}

/*
 * Asks for the right to compute the value of a key, for those who decide themselves what counts as found. #fetch does
 * all of this.
 * @param key [String, Symbol] at most +stats[:key_max]+ bytes
 * @param waited_ms [Integer] milliseconds since the first time it was asked for
 * @return [Lease, false, nil] a Lease: compute, store, release it; false: somebody else computes, and up to 20 ms have
 *   passed, so look and ask again; nil: compute without one
 * @raise [KeyTooLongError] the key has more than +stats[:key_max]+ bytes
 */
static VALUE take_lease(VALUE self, VALUE key, VALUE waited_ms)
{
	cache *cache = cache_begin(self);
	lease *lease;
	/* Created first, so that a granted lease is released if anything raises from here on. */
	VALUE object = TypedData_Make_Struct(cLease, struct lease, &lease_type, lease);
	key = rb_str_new_frozen(key_string(key));
	cache_check_key(cache, key);
	asking asking = { .name = bytes_of_string(key), .waited_ms = NUM2UINT(waited_ms) };
	asking.handle = handle_keep(cache->handle);
	rb_thread_call_without_gvl2(acquire, &asking, NULL, NULL);
	RB_GC_GUARD(key);
	if (asking.answer != LEVERET_OK) {
		handle_release(asking.handle);
		rb_thread_check_ints();
		return asking.answer == LEVERET_WAIT ? Qfalse : Qnil;
	}
	lease->handle = asking.handle;
	lease->ticket = asking.ticket;
	lease->holder = getpid();
	return object;
}

/*
 * Gives the right back, so that others need not wait. More than once does no harm.
 * @return [nil]
 */
static VALUE release(VALUE self)
{
	lease_give_back(rb_check_typeddata(self, &lease_type));
	return Qnil;
}

void cache_define_fetch(VALUE cCache)
{
	cLease = rb_define_class_under(rb_mLeveret, "Lease", rb_cObject);
	rb_undef_alloc_func(cLease);
	rb_define_method(cLease, "release", release, 0);
	rb_define_method(cCache, "lease", take_lease, 2);
	rb_define_method(cCache, "fetch", fetch, -1);
}
