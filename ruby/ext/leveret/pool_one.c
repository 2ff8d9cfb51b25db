/* pool_one.c: requests of one key. */
#include "pool.h"

static ID id_retrieve;

/* --- one request --- */

typedef struct call {
	pool *pool;
	leveret_request request;
	VALUE key, value; /* Strings, or Qnil */
	int32_t code;
	uint32_t server;
	VALUE bytes; /* the answer's; Qnil where there are none */
	leveret_meta meta;
	uint64_t cas, number;
} call;

static VALUE ask_locked(VALUE context)
{
	call *call = (void *) context;
	leveret_pool *pool = call->pool->pool;
	leveret_answer answer;
	pool_begin(call->pool);
	call->request.key = bytes_of_string(call->key);
	if (!NIL_P(call->value)) {
		call->request.value = bytes_of_string(call->value);
	}
	call->code = leveret_pool_add(pool, &call->request);
	if (call->code != LEVERET_CODE_SUCCESS) {
		return Qnil;
	}
	call->code = pool_run(call->pool);
	if (leveret_pool_next(pool, &answer)) {
		call->code = answer.code;
		call->server = answer.server;
		call->meta = answer.meta;
		call->cas = answer.cas;
		call->number = answer.number;
		call->bytes = rb_str_new((const char *) answer.value.data, (long) answer.value.len);
	}
	return Qnil;
}

/* Sends the request, and raises errors. */
static void ask(call *call)
{
	call->bytes = Qnil;
	call->request.meta.origin = LEVERET_RUBY;
	call->key = pool_key(call->key);
	pool_locked(call->pool, ask_locked, call);
	if (RB_UNLIKELY(!pool_is_answer(call->code))) {
		pool_raise(call->pool, call->code, call->server, call->bytes);
	}
}

VALUE pool_value(pool *pool, const leveret_meta *meta, VALUE bytes)
{
	VALUE value;
	problem why;
	bool has_flags_of_dalli = meta->origin == LEVERET_WIRE || meta->origin == LEVERET_REMOTE
		|| (meta->origin == LEVERET_RUBY && (meta->encoding == LEVERET_RAW || meta->encoding == LEVERET_MARSHAL));
	if (has_flags_of_dalli) {
		uint32_t flags =
			(meta->flags & (FLAG_MARSHAL | FLAG_COMPRESSED)) | (meta->encoding == LEVERET_MARSHAL ? FLAG_MARSHAL : 0);
		if (flags) {
			return rb_funcall(pool->values, id_retrieve, 2, bytes, UINT2NUM(flags));
		}
		if (rb_enc_str_asciionly_p(bytes)) {
			rb_enc_associate(bytes, rb_utf8_encoding());
		}
		return bytes;
	}
	if ((why = value_decode(meta, bytes, pool->allowed, &value)) != NULL) {
		rb_raise(rb_path2class("Leveret::UnmarshalError"), "%s", why);
	}
	return value;
}

static leveret_status find_in(const leveret_arena *arena, VALUE key, leveret_reading *reading, VALUE *bytes)
{
	leveret_status status = leveret_read_begin(arena, bytes_of_string(key), 0, 0, 0, reading);
	return status == LEVERET_OK ? value_read_bytes(arena, key, reading, bytes) : status;
}

/* get(key, miss): the value, or `miss`. */
static VALUE get(VALUE self, VALUE key, VALUE miss)
{
	pool *pool = pool_of(self);
	key = pool_key(key);
	leveret_arena *arena = pool_arena(pool);
	if (RB_LIKELY(arena != NULL)) {
		leveret_reading reading;
		VALUE bytes = Qnil;
		return find_in(arena, key, &reading, &bytes) == LEVERET_OK ? pool_value(pool, &reading.found.meta, bytes)
																   : miss;
	}
	call call = {
		.pool = pool,
		.key = key,
		.value = Qnil,
		.request = { .operation = LEVERET_OP_GET },
	};
	ask(&call);
	return call.code == LEVERET_CODE_SUCCESS ? pool_value(pool, &call.meta, call.bytes) : miss;
}

/* get_cas(key): [value, cas], or nil. */
static VALUE get_cas(VALUE self, VALUE key)
{
	call call = {
		.pool = pool_of(self), .key = key, .value = Qnil, .request = { .operation = LEVERET_OP_GET, .with_cas = 1 }
	};
	ask(&call);
	return call.code == LEVERET_CODE_SUCCESS
		? rb_assoc_new(pool_value(call.pool, &call.meta, call.bytes), ULL2NUM(call.cas))
		: Qnil;
}

/* gat(key, exptime, miss) */
static VALUE gat(VALUE self, VALUE key, VALUE exptime, VALUE miss)
{
	call call = {
		.pool = pool_of(self),
		.key = key,
		.value = Qnil,
		.request = { .operation = LEVERET_OP_GET_AND_TOUCH, .exptime = NUM2LL(exptime) },
	};
	ask(&call);
	return call.code == LEVERET_CODE_SUCCESS ? pool_value(call.pool, &call.meta, call.bytes) : miss;
}

VALUE pool_row(pool *pool, const leveret_meta *meta, uint64_t cas, VALUE bytes)
{
	/* Without #retrieve the client interprets the flags itself: Dalli's compression bit may mean anything to it. */
	bool is_plain = meta->codec == LEVERET_CODEC_NONE || (NIL_P(pool->values) && meta->origin == LEVERET_RUBY);
	bool is_bytes = is_plain
		&& (meta->origin == LEVERET_WIRE || meta->origin == LEVERET_REMOTE
			|| (meta->origin == LEVERET_RUBY && (meta->encoding == LEVERET_RAW || meta->encoding == LEVERET_MARSHAL)));
	return rb_ary_new_from_args(
		3, is_bytes ? bytes : pool_value(pool, meta, bytes), is_bytes ? UINT2NUM(meta->flags) : Qnil, ULL2NUM(cas));
}

/* fetch(key, with_cas): [bytes, flags, cas], or [value, nil, cas] for what another entrance has stored; nil for a
 * miss. */
static VALUE fetch(VALUE self, VALUE key, VALUE with_cas)
{
	call call = {
		.pool = pool_of(self),
		.key = pool_key(key),
		.value = Qnil,
		.request = { .operation = LEVERET_OP_GET, .with_cas = RTEST(with_cas) },
	};
	leveret_arena *arena = RTEST(with_cas) ? NULL : pool_arena(call.pool);
	if (arena) {
		leveret_reading reading;
		VALUE bytes = Qnil;
		leveret_status status = find_in(arena, call.key, &reading, &bytes);
		return status == LEVERET_OK ? pool_row(call.pool, &reading.found.meta, 0, bytes) : Qnil;
	}
	ask(&call);
	return call.code == LEVERET_CODE_SUCCESS ? pool_row(call.pool, &call.meta, call.cas, call.bytes) : Qnil;
}

static leveret_meta meta_of(VALUE flags, VALUE bytes)
{
	uint64_t word = NUM2ULL(flags);
	bool is_compressed = word & FLAG_COMPRESSED,
		 begins_so = RSTRING_LEN(bytes) > 2 && memcmp(RSTRING_PTR(bytes), "\x04\x08", 2) == 0;
	bool is_marshal = word & IS_MARSHAL || (word & FLAG_MARSHAL && (is_compressed || begins_so));
	return (leveret_meta) {
		.flags = (uint32_t) word,
		.origin = LEVERET_RUBY,
		.encoding = is_marshal ? LEVERET_MARSHAL : LEVERET_RAW,
		.codec = is_compressed ? LEVERET_CODEC_PLAIN_ZLIB : LEVERET_CODEC_NONE,
	};
}

/* The wire's longest key. */
#define WIRE_KEY_MAX 250

/* Whether the request may go to an arena without a batch. Negative exptimes, which mean something else in each
 * protocol, may not, nor values that a server would refuse. */
static bool is_simple(pool *pool, leveret_operation operation, VALUE key, VALUE bytes, int64_t exptime)
{
	return (operation == LEVERET_OP_SET || operation == LEVERET_OP_ADD || operation == LEVERET_OP_REPLACE)
		&& exptime >= 0 && RSTRING_LEN(key) > 0 && RSTRING_LEN(key) <= WIRE_KEY_MAX
		&& (size_t) RSTRING_LEN(bytes) <= leveret_pool_value_max(pool->pool);
}

/* Stores without a batch where the pool is one arena. False: a batch is to do it, or to say why it cannot be. */
static bool store_in(
	pool *pool, const leveret_request *request, VALUE key, VALUE bytes, leveret_status *status, uint64_t *cas)
{
	leveret_arena *arena = pool_arena(pool);
	if (!arena || !is_simple(pool, request->operation, key, bytes, request->exptime)) {
		return false;
	}
	leveret_mode mode = request->operation == LEVERET_OP_SET ? LEVERET_SET
		: request->operation == LEVERET_OP_ADD               ? LEVERET_ADD
															 : LEVERET_REPLACE;
	uint32_t now = leveret_now();
	*status = leveret_store(arena, bytes_of_string(key), bytes_of_string(bytes), &request->meta,
		leveret_deadline_of_exptime(request->exptime, now), mode, 0, now, cas);
	return *status == LEVERET_OK || *status == LEVERET_EXISTS || *status == LEVERET_MISS;
}

/* store(operation, key, bytes, flags, exptime, cas): the new version; nil: there is nothing to replace; false: not
 * stored. */
static VALUE store(VALUE self, VALUE operation, VALUE key, VALUE bytes, VALUE flags, VALUE exptime, VALUE cas)
{
	call call = {
		.pool = pool_of(self),
		.key = pool_key(key),
		.value = pool_bytes(bytes),
		.request = { .operation = pool_operation(operation, LEVERET_OP_SET, LEVERET_OP_CAS),
			.exptime = NUM2LL(exptime),
			.number = NUM2ULL(cas),
			.with_cas = 1 },
	};
	call.request.meta = meta_of(flags, call.value);
	leveret_status status;
	if (store_in(call.pool, &call.request, call.key, call.value, &status, &call.cas)) {
		return status == LEVERET_OK ? ULL2NUM(call.cas) : Qfalse;
	}
	ask(&call);
	switch (call.code) {
		case LEVERET_CODE_SUCCESS:
			return ULL2NUM(call.cas);
		case LEVERET_CODE_NOTFOUND:
			return Qnil;
		default:
			return Qfalse;
	}
}

typedef struct quiet_store {
	pool *pool;
	leveret_request request;
	VALUE key, bytes;
} quiet_store;

#define WAITING_MAX 100
#define WAITING_BYTES_MAX (64 * 1024)

static VALUE add_quietly(VALUE context)
{
	quiet_store *store = (void *) context;
	pool *pool = store->pool;
	if (pool->waiting == 0 || !pool_is_ours(pool)) {
		pool_begin(pool);
		pool->waiting = 0;
		pool->waiting_bytes = 0;
	}
	store->request.key = bytes_of_string(store->key);
	store->request.value = NIL_P(store->bytes) ? bytes_of("", 0) : bytes_of_string(store->bytes);
	store->request.quiet = 1;
	if (leveret_pool_add(pool->pool, &store->request) == LEVERET_CODE_SUCCESS) {
		pool->waiting++;
		pool->waiting_bytes += store->request.value.len;
	}
	if (pool->waiting >= WAITING_MAX || pool->waiting_bytes >= WAITING_BYTES_MAX) {
		pool->waiting = 0;
		pool_run(pool);
	}
	return Qnil;
}

static void quietly(quiet_store *store)
{
	pool_locked_quietly(store->pool, add_quietly, store);
}

/* store_quietly(operation, key, bytes, flags, exptime): sent with others like it, before the next request that is
 * not. */
static VALUE store_quietly(VALUE self, VALUE operation, VALUE key, VALUE bytes, VALUE flags, VALUE exptime)
{
	quiet_store store = {
		.pool = pool_of(self),
		.key = pool_key(key),
		.bytes = pool_bytes(bytes),
		.request = { .operation = pool_operation(operation, LEVERET_OP_SET, LEVERET_OP_CAS),
			.exptime = NUM2LL(exptime) },
	};
	store.request.meta = meta_of(flags, store.bytes);
	quietly(&store);
	return Qnil;
}

static VALUE delete_quietly(VALUE self, VALUE key)
{
	quiet_store store = {
		.pool = pool_of(self), .key = pool_key(key), .bytes = Qnil, .request = { .operation = LEVERET_OP_DELETE }
	};
	quietly(&store);
	return Qnil;
}

static VALUE nothing(VALUE context)
{
	return Qnil;
}

/* Sends what waits. */
static VALUE flush_quiet(VALUE self)
{
	pool_locked(pool_of(self), nothing, NULL);
	return Qnil;
}

/* delete(key, cas): 0: any version. */
static VALUE delete_key(VALUE self, VALUE key, VALUE cas)
{
	call call = {
		.pool = pool_of(self),
		.key = key,
		.value = Qnil,
		.request = { .operation = LEVERET_OP_DELETE, .number = NUM2ULL(cas) },
	};
	ask(&call);
	return call.code == LEVERET_CODE_SUCCESS ? Qtrue : Qfalse;
}

static VALUE touch(VALUE self, VALUE key, VALUE exptime)
{
	call call = {
		.pool = pool_of(self),
		.key = key,
		.value = Qnil,
		.request = { .operation = LEVERET_OP_TOUCH, .exptime = NUM2LL(exptime) },
	};
	ask(&call);
	return call.code == LEVERET_CODE_SUCCESS ? Qtrue : Qfalse;
}

/* count(operation, key, amount, initial, exptime): the new number, or nil. */
static VALUE count(VALUE self, VALUE operation, VALUE key, VALUE amount, VALUE initial, VALUE exptime)
{
	call call = {
		.pool = pool_of(self),
		.key = key,
		.value = Qnil,
		.request = { .operation = pool_operation(operation, LEVERET_OP_INCREMENT, LEVERET_OP_DECREMENT),
			.number = NUM2ULL(amount),
			.create = !NIL_P(initial),
			.initial = NIL_P(initial) ? 0 : NUM2ULL(initial),
			.exptime = NUM2LL(exptime) },
	};
	ask(&call);
	return call.code == LEVERET_CODE_SUCCESS ? ULL2NUM(call.number) : Qnil;
}

void pool_define_one(VALUE cPool)
{
	id_retrieve = rb_intern("retrieve");
	rb_define_method(cPool, "get", get, 2);
	rb_define_method(cPool, "fetch", fetch, 2);
	rb_define_method(cPool, "get_cas", get_cas, 1);
	rb_define_method(cPool, "gat", gat, 3);
	rb_define_method(cPool, "store", store, 6);
	rb_define_method(cPool, "store_quietly", store_quietly, 5);
	rb_define_method(cPool, "delete_quietly", delete_quietly, 1);
	rb_define_method(cPool, "flush_quiet", flush_quiet, 0);
	rb_define_method(cPool, "delete", delete_key, 2);
	rb_define_method(cPool, "touch", touch, 2);
	rb_define_method(cPool, "count", count, 5);
	rb_define_const(cPool, "IS_MARSHAL", ULL2NUM(IS_MARSHAL));
}
