/* pool.h: Leveret::Pool, what the client classes (leveret/dalli and its kin) stand on: servers behind a ring, sockets or
 * memory. Strings in, bytes and flags out; values are the business of each client class. The methods are in pool.c,
 * pool_one.c, pool_many.c and pool_servers.c.
 */
#ifndef RUBY_LEVERET_POOL_H
#define RUBY_LEVERET_POOL_H

#include "value.h"

#include <sys/types.h>

/* A leveret_pool is used by one thread at a time, and a thread that waits for a socket lets the others run: so whoever
 * sends takes the mutex. What is done in memory needs it only while somebody has it. */
typedef struct pool {
	leveret_pool *pool;
	VALUE mutex;
	VALUE values;          /* #retrieve(bytes, flags) gives the value of bytes that are not just a String */
	VALUE allowed;         /* the classes that Marshal data of another entrance may name; nil: any */
	bool busy;             /* somebody has the mutex */
	uint32_t waiting;      /* quiet requests of a batch that was not sent yet */
	size_t waiting_bytes;
	pid_t waits_in;        /* the process that has added them */
} pool;

pool *pool_of(VALUE self);

/* Runs `body` with the mutex, after what waits has been sent, and gives what it returns. */
VALUE pool_locked(pool *pool, VALUE (*body)(VALUE), void *context);
/* The same, but what waits goes on waiting. */
void pool_locked_quietly(pool *pool, VALUE (*body)(VALUE), void *context);
/* Sends the batch: without the GVL, unless it is all memory. */
int32_t pool_run(pool *pool);
/* The arena that may be used in place of the pool now, or NULL. */
leveret_arena *pool_arena(pool *pool);
/* What a server is called in messages. */
VALUE pool_name(pool *pool, uint32_t index);

/* One answer, taken over before the next batch begins. */
static inline VALUE taken(const leveret_bytes *bytes)
{
	return rb_str_new((const char *) bytes->data, (long) bytes->len);
}

/* Of what is told as flags, this bit is no flag of the wire: the bytes are Marshal, whatever the flags say. */
#define IS_MARSHAL (1ull << 32)

/* An answer's bytes as a client class sees them: the value, for what its flags or its writer say. */
VALUE pool_value(pool *pool, const leveret_meta *meta, VALUE bytes);

/* [bytes, flags, cas] for a codec of the application's own, or [value, nil, cas] for what another entrance has stored. */
VALUE pool_row(pool *pool, const leveret_meta *meta, uint64_t cas, VALUE bytes);

/* Raises what a code means that is no answer: Leveret::Pool::Failed, NoServer or Refused. */
NORETURN(void pool_raise(pool *pool, int32_t code, uint32_t server, VALUE said));

static inline bool pool_is_answer(int32_t code)
{
	return code == LEVERET_CODE_SUCCESS || code == LEVERET_CODE_NOTFOUND || code == LEVERET_CODE_NOTSTORED || code == LEVERET_CODE_DATA_EXISTS;
}

void pool_define_one(VALUE cPool);
void pool_define_many(VALUE cPool);
void pool_define_servers(VALUE cPool);

#endif
