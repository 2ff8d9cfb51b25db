/* pool_servers.c: the list of servers, the server of a key, and requests to one server. */
#include "pool.h"

static VALUE names_locked(VALUE context)
{
	pool *pool = (void *) context;
	VALUE names = rb_ary_new();
	for (uint32_t i = 0; i < leveret_pool_servers(pool->pool); i++) {
		rb_ary_push(names, pool_name(pool, i));
	}
	return names;
}

static VALUE names(VALUE self)
{
	pool *pool = pool_of(self);
	return pool_locked(pool, names_locked, pool);
}

typedef struct routing {
	pool *pool;
	VALUE key;
	int64_t index;
} routing;

static VALUE locate_locked(VALUE context)
{
	routing *routing = (void *) context;
	routing->index = leveret_pool_locate(routing->pool->pool, bytes_of_string(routing->key));
	return Qnil;
}

/* locate(key): the index of the server on which a key lives, dead or not; -1: there is none. */
static VALUE locate(VALUE self, VALUE key)
{
	routing routing = { .pool = pool_of(self), .key = pool_key(key) };
	pool_locked(routing.pool, locate_locked, &routing);
	return LL2NUM(routing.index);
}

static VALUE route_locked(VALUE context)
{
	routing *routing = (void *) context;
	leveret_pool *pool = routing->pool->pool;
	leveret_server server;
	/* Lets servers be tried again after their time-out. */
	pool_begin(routing->pool);
	routing->index = leveret_pool_route(pool, bytes_of_string(routing->key));
	if (routing->index >= 0 && leveret_pool_server(pool, (uint32_t) routing->index, &server) == LEVERET_CODE_SUCCESS
		&& server.is_down) {
		routing->index = -1;
	}
	return Qnil;
}

/* route(key): the index of the server that a get would ask now, or nil if none is to be asked. */
static VALUE route(VALUE self, VALUE key)
{
	routing routing = { .pool = pool_of(self), .key = pool_key(key) };
	pool_locked(routing.pool, route_locked, &routing);
	return routing.index < 0 ? Qnil : LL2NUM(routing.index);
}

typedef struct resting {
	pool *pool;
	uint32_t index;
	int64_t seconds;
} resting;

static VALUE rest_locked(VALUE context)
{
	resting *resting = (void *) context;
	leveret_pool_mark_server(resting->pool->pool, resting->index, 0, resting->seconds);
	return Qnil;
}

/* rest(index, seconds): that server has failed, and is not used for this time. */
static VALUE rest(VALUE self, VALUE index, VALUE seconds)
{
	resting resting = { .pool = pool_of(self), .index = NUM2UINT(index), .seconds = NUM2LL(seconds) };
	pool_locked(resting.pool, rest_locked, &resting);
	return Qnil;
}

typedef struct connecting {
	pool *pool;
	uint32_t index;
	int32_t code;
} connecting;

static void reach(void *context)
{
	connecting *connecting = context;
	connecting->code = leveret_pool_connect(connecting->pool->pool, connecting->index);
}

static VALUE connect_locked(VALUE context)
{
	pool_without_gvl(((connecting *) context)->pool, reach, (void *) context);
	return Qnil;
}

/* reach?(index): whether there is a connection to that server, or one can be made. */
static VALUE can_reach(VALUE self, VALUE index)
{
	connecting connecting = { .pool = pool_of(self), .index = NUM2UINT(index) };
	pool_locked(connecting.pool, connect_locked, &connecting);
	return connecting.code == LEVERET_CODE_SUCCESS ? Qtrue : Qfalse;
}

static void leave(void *context)
{
	leveret_pool_quit(((pool *) context)->pool);
}

static VALUE quit_locked(VALUE context)
{
	pool_without_gvl((pool *) context, leave, (void *) context);
	return Qnil;
}

static VALUE quit(VALUE self)
{
	pool *pool = pool_of(self);
	pool_locked(pool, quit_locked, pool);
	return Qnil;
}

static VALUE is_memory(VALUE self)
{
	return pool_arena(pool_of(self)) ? Qtrue : Qfalse;
}

typedef struct tour {
	pool *pool;
	leveret_operation operation;
	VALUE subject;
	int64_t exptime;
	int32_t server;
	VALUE told; /* statistics: a Hash; else what the server said, true for nothing, nil for no answer */
} tour;

static VALUE tour_locked(VALUE context)
{
	tour *tour = (void *) context;
	leveret_pool *pool = tour->pool->pool;
	leveret_answer answer;
	pool_begin(tour->pool);
	leveret_request request = {
		.operation = tour->operation,
		.key = bytes_of_string(tour->subject),
		.exptime = tour->exptime,
		.server = tour->server,
	};
	if (leveret_pool_add(pool, &request) != LEVERET_CODE_SUCCESS) {
		return Qnil;
	}
	pool_run(tour->pool);
	while (leveret_pool_next(pool, &answer)) {
		if (answer.code == LEVERET_CODE_STAT) {
			tour->told = NIL_P(tour->told) ? rb_hash_new() : tour->told;
			VALUE name = taken(&answer.key), value = taken(&answer.value);
			rb_hash_aset(
				tour->told, rb_enc_associate(name, rb_utf8_encoding()), rb_enc_associate(value, rb_utf8_encoding()));
		} else if (answer.code == LEVERET_CODE_END && NIL_P(tour->told)) {
			tour->told = rb_hash_new();
		} else if (answer.code == LEVERET_CODE_SUCCESS) {
			tour->told = answer.value.len ? rb_enc_associate(taken(&answer.value), rb_utf8_encoding()) : Qtrue;
		}
	}
	return Qnil;
}

/* ask_server(index, operation, subject, exptime) */
static VALUE ask_server(VALUE self, VALUE index, VALUE operation, VALUE subject, VALUE exptime)
{
	tour tour = {
		.pool = pool_of(self),
		.operation = pool_operation(operation, LEVERET_OP_FLUSH, LEVERET_OP_STATS),
		.subject = StringValue(subject),
		.exptime = NUM2LL(exptime),
		.server = NUM2INT(index),
		.told = Qnil,
	};
	pool_locked(tour.pool, tour_locked, &tour);
	return tour.told;
}

void pool_define_servers(VALUE cPool)
{
	rb_define_method(cPool, "names", names, 0);
	rb_define_method(cPool, "locate", locate, 1);
	rb_define_method(cPool, "route", route, 1);
	rb_define_method(cPool, "rest", rest, 2);
	rb_define_method(cPool, "memory?", is_memory, 0);
	rb_define_method(cPool, "reach?", can_reach, 1);
	rb_define_method(cPool, "quit", quit, 0);
	rb_define_method(cPool, "ask_server", ask_server, 4);
}
