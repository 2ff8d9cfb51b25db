/* pool.h: Leveret::Pool, what the client classes (leveret/dalli and its kin) stand on: servers behind a ring, sockets
 * or memory. Strings in, bytes and flags out; values are the business of each client class. The methods are in pool.c,
 * pool_one.c, pool_many.c and pool_servers.c.
 */
#ifndef RUBY_LEVERET_POOL_H
#define RUBY_LEVERET_POOL_H

#include "value.h"

#include <sys/types.h>

/* A leveret_pool is used by one thread at a time, and a thread that waits for a socket lets the others run: so every
 * use takes the mutex. Operations in memory need it only while another thread has it. */
typedef struct pool {
	leveret_pool *pool;
	VALUE mutex;
	VALUE values;     /* #retrieve(bytes, flags) gives the value of bytes that are not just a String */
	VALUE allowed;    /* the classes that Marshal data of another entrance may name; nil: any */
	VALUE settings;   /* what it was told: an Array of Arrays */
	bool busy;        /* a thread has the mutex */
	uint32_t waiting; /* quiet requests of a batch that was not sent yet */
	size_t waiting_bytes;
	pid_t batch_of;   /* the process that has begun the batch: its fork inherits it, and must not send it */
	pid_t at_work_in; /* the process of which a thread uses `pool` without the GVL; 0: none does */
} pool;

/* The pool of a Leveret::Pool. In a process that was forked while its parent was at work in it: a new one, with its
 * settings. */
pool *pool_of(VALUE self);

/* Runs `body` with the mutex, after queued requests were sent, and returns its result. */
VALUE pool_locked(pool *pool, VALUE (*body)(VALUE), void *context);
/* The same, but what waits goes on waiting. */
void pool_locked_quietly(pool *pool, VALUE (*body)(VALUE), void *context);

/* With the mutex: begins a batch of this process. */
void pool_begin(pool *pool);
/* Whether this process has begun the batch, and not one that it was forked from. */
bool pool_is_ours(const pool *pool);
/* Sends the batch: without the GVL, unless it is all memory. Raises Failed in a fork of the process that has begun it. */
int32_t pool_run(pool *pool);
/* Runs what may wait and calls nothing of Ruby's. */
void pool_without_gvl(pool *pool, void (*function)(void *context), void *context);
/* The arena that may be used in place of the pool now, or NULL. */
leveret_arena *pool_arena(pool *pool);
/* With the mutex: a server's name in messages. */
VALUE pool_name(pool *pool, uint32_t index);

/* What user code has made of a key, or of a value, must be a String by now. */
static inline VALUE pool_string(VALUE given, const char *what)
{
	if (RB_LIKELY(RB_TYPE_P(given, T_STRING))) {
		return given;
	}
	VALUE string = rb_check_string_type(given);
	if (NIL_P(string)) {
		rb_raise(rb_eTypeError, "%s, not of %" PRIsVALUE, what, rb_obj_class(given));
	}
	return string;
}

static inline VALUE pool_key(VALUE key)
{
	return pool_string(key, "a key must be of class String (what did its to_s return?)");
}

static inline VALUE pool_bytes(VALUE bytes)
{
	return pool_string(
		bytes, "what is stored must be of class String (what did the serializer or the compressor return?)");
}

/* One of several operations that follow one another. */
static inline leveret_operation pool_operation(VALUE operation, leveret_operation first, leveret_operation last)
{
	int number = NUM2INT(operation);
	if (number < (int) first || number > (int) last) {
		rb_raise(rb_eArgError, "%d is no operation of this method", number);
	}
	return (leveret_operation) number;
}

/* One answer, taken over before the next batch begins. */
static inline VALUE taken(const leveret_bytes *bytes)
{
	return rb_str_new((const char *) bytes->data, (long) bytes->len);
}

/* A bit in the returned flags that is no flag of the wire: the bytes are Marshal, whatever the flags say. */
#define IS_MARSHAL (1ull << 32)

/* An answer's bytes for a client class: the value by its flags or its writer. */
VALUE pool_value(pool *pool, const leveret_meta *meta, VALUE bytes);

/* [bytes, flags, cas] for a codec of the application's own, or [value, nil, cas] for what another entrance has
 * stored. */
VALUE pool_row(pool *pool, const leveret_meta *meta, uint64_t cas, VALUE bytes);

/* Raises the error of a code: Leveret::Pool::Failed, NoServer or Refused. */
NORETURN(void pool_raise(pool *pool, int32_t code, uint32_t server, VALUE said));

static inline bool pool_is_answer(int32_t code)
{
	return code == LEVERET_CODE_SUCCESS || code == LEVERET_CODE_NOTFOUND || code == LEVERET_CODE_NOTSTORED
		|| code == LEVERET_CODE_DATA_EXISTS;
}

void pool_define_one(VALUE cPool);
void pool_define_many(VALUE cPool);
void pool_define_servers(VALUE cPool);

#endif
