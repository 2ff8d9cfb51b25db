/* pool.c: Leveret::Pool: its servers, and requests of one key. */
#include "pool.h"

#include <ruby/thread.h>
#include <unistd.h>

static VALUE eFailed, eNoServer, eRefused, eUnauthenticated;
static ID id_retrieve;

/* --- the object --- */

static void mark(void *pointer)
{
	pool *pool = pointer;
	rb_gc_mark(pool->mutex);
	rb_gc_mark(pool->values);
	rb_gc_mark(pool->allowed);
}

static void release(void *pointer)
{
	pool *pool = pointer;
	/* At the end of a program. What a fork has inherited is its parent's to send. */
	if (pool->waiting && pool->waits_in == getpid()) {
		leveret_pool_run(pool->pool);
	}
	leveret_pool_free(pool->pool);
	xfree(pool);
}

static const rb_data_type_t type = {
	.wrap_struct_name = "Leveret::Pool",
	.function = { .dmark = mark, .dfree = release },
	.flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

static VALUE allocate(VALUE class)
{
	pool *pool;
	VALUE self = TypedData_Make_Struct(class, struct pool, &type, pool);
	pool->mutex = pool->values = pool->allowed = Qnil;
	pool->pool = leveret_pool_new();
	pool->mutex = rb_mutex_new();
	return self;
}

pool *pool_of(VALUE self)
{
	return rb_check_typeddata(self, &type);
}

/* Pool.new(values, allowed = nil) */
static VALUE initialize(int argc, VALUE *argv, VALUE self)
{
	rb_check_arity(argc, 1, 2);
	pool *pool = pool_of(self);
	pool->values = argv[0];
	pool->allowed = argc == 2 ? argv[1] : Qnil;
	return self;
}

static VALUE set_option(VALUE self, VALUE option, VALUE value)
{
	pool *pool = pool_of(self);
	if (leveret_pool_set_option(pool->pool, (leveret_pool_option) NUM2INT(option), NUM2LL(value)) != LEVERET_CODE_SUCCESS) {
		rb_raise(rb_eArgError, "%" PRIsVALUE " is no value for option %" PRIsVALUE, value, option);
	}
	return Qnil;
}

/* add_server(host, port, weight, dir) */
static VALUE add_server(VALUE self, VALUE host, VALUE port, VALUE weight, VALUE dir)
{
	pool *pool = pool_of(self);
	leveret_bytes folder = NIL_P(dir) ? bytes_of("", 0) : bytes_of_string(StringValue(dir));
	StringValue(host);
	unsigned number = NUM2UINT(port);
	if (number > UINT16_MAX || leveret_pool_add_server(pool->pool, bytes_of_string(host), (uint16_t) number, 0, NUM2UINT(weight), folder) != LEVERET_CODE_SUCCESS) {
		rb_raise(rb_eArgError, "%" PRIsVALUE " with port %u cannot be a server", host, number);
	}
	return Qnil;
}

/* set_credentials(server, user, password): as whom the server with this index is asked. One that knows no passwords is used without. */
static VALUE set_credentials(VALUE self, VALUE server, VALUE user, VALUE password)
{
	StringValue(user);
	StringValue(password);
	if (leveret_pool_set_credentials(pool_of(self)->pool, NUM2INT(server), bytes_of_string(user), bytes_of_string(password), 1) != LEVERET_CODE_SUCCESS) {
		rb_raise(rb_eArgError, "a user name and a password have no zero bytes and at most 4096 bytes");
	}
	return Qnil;
}

static leveret_bytes bytes_or_none(VALUE text)
{
	return NIL_P(text) ? bytes_of("", 0) : bytes_of_string(text);
}

/* set_tls(ca_file, peer_name, certificate, key, verify): how servers named tls:// are spoken with; Strings or nil. */
static VALUE set_tls(VALUE self, VALUE ca_file, VALUE peer_name, VALUE certificate, VALUE key, VALUE verify)
{
	VALUE texts[] = { ca_file, peer_name, certificate, key };
	for (int number = 0; number < 4; number++) {
		if (!NIL_P(texts[number])) {
			StringValueCStr(texts[number]);
		}
	}
	int32_t code = leveret_pool_set_tls(pool_of(self)->pool, bytes_or_none(texts[0]), bytes_or_none(texts[1]), bytes_or_none(texts[2]), bytes_or_none(texts[3]), RTEST(verify));
	if (code != LEVERET_CODE_SUCCESS) {
		rb_raise(rb_eArgError, "a peer name is UTF-8");
	}
	return Qnil;
}

static VALUE clear_servers(VALUE self)
{
	leveret_pool_clear_servers(pool_of(self)->pool);
	return Qnil;
}

/* set_prefix(prefix): what each key begins with and does not tell where it lives. */
static VALUE set_prefix(VALUE self, VALUE prefix)
{
	StringValue(prefix);
	leveret_pool_set_prefix(pool_of(self)->pool, bytes_of_string(prefix));
	return Qnil;
}

/* --- what goes wrong --- */

static const char *meaning(int32_t code)
{
	switch (code) {
		case LEVERET_CODE_HOST_LOOKUP_FAILURE: return "its name has no address";
		case LEVERET_CODE_CONNECTION_FAILURE: return "it cannot be reached";
		case LEVERET_CODE_WRITE_FAILURE: return "sending failed";
		case LEVERET_CODE_UNKNOWN_READ_FAILURE: return "the connection ended before the answer";
		case LEVERET_CODE_PROTOCOL_ERROR: return "it cannot be understood";
		case LEVERET_CODE_ERRNO: return "a system call failed";
		case LEVERET_CODE_TIMEOUT: return "it did not answer in time";
		case LEVERET_CODE_AUTH_PROBLEM: return "it takes no user names and passwords (SASL)";
		case LEVERET_CODE_AUTH_FAILURE: return "it refuses this user name and password, or asks for them (SASL)";
		case LEVERET_CODE_SERVER_MARKED_DEAD: return "it failed too often";
		case LEVERET_CODE_SERVER_TEMPORARILY_DISABLED: return "it failed a moment ago";
		default: return NULL;
	}
}

static VALUE name_of(pool *pool, uint32_t index)
{
	leveret_server server;
	if (leveret_pool_server(pool->pool, index, &server) != LEVERET_CODE_SUCCESS) {
		return rb_utf8_str_new_cstr("the server");
	}
	VALUE host = rb_utf8_str_new((const char *) server.host.data, (long) server.host.len);
	return server.kind == LEVERET_SERVER_TCP ? rb_sprintf("%" PRIsVALUE ":%u", host, server.port) : host;
}

void pool_raise(pool *pool, int32_t code, uint32_t server, VALUE said)
{
	const char *why = meaning(code);
	char message[1024];
	VALUE class = eRefused, text = said;
	bool is_told = !NIL_P(said) && RSTRING_LEN(said) > 0;
	if (code == LEVERET_CODE_NO_SERVERS) {
		class = eNoServer;
		text = rb_utf8_str_new_cstr("there is no server");
	} else if (code == LEVERET_CODE_CONNECTION_FAILURE && is_told) {
		/* What is wrong with TLS. */
		class = eFailed;
		text = rb_enc_associate(said, rb_utf8_encoding());
	} else if (why) {
		class = code == LEVERET_CODE_AUTH_PROBLEM || code == LEVERET_CODE_AUTH_FAILURE ? eUnauthenticated : eFailed;
		text = leveret_pool_arena_trouble(message, sizeof(message)) ? rb_utf8_str_new_cstr(message) : rb_sprintf("%" PRIsVALUE ": %s", name_of(pool, server), why);
	} else if (!is_told) {
		text = rb_sprintf("the server has refused it (%d)", code);
	}
	VALUE error = rb_exc_new_str(class, text);
	rb_iv_set(error, "@code", INT2NUM(code));
	rb_exc_raise(error);
}

/* --- sending --- */

typedef struct sending {
	pool *pool;
	VALUE thread;
	int32_t code;
} sending;

/* Reads flags of its own thread, for which it needs no GVL. */
static uint32_t is_interrupted(void *thread)
{
	return (uint32_t) rb_thread_interrupted((VALUE) thread);
}

static void *run(void *context)
{
	sending *sending = context;
	sending->code = leveret_pool_run_until_interrupted(sending->pool->pool, is_interrupted, (void *) sending->thread);
	return NULL;
}

int32_t pool_run(pool *pool)
{
	if (leveret_pool_arena(pool->pool, 0)) {
		return leveret_pool_run(pool->pool);
	}
	/* What interrupts is raised as the GVL comes back, or was a trap: then it goes on. */
	sending sending = { .pool = pool, .thread = rb_thread_current() };
	do {
		rb_thread_call_without_gvl(run, &sending, RUBY_UBF_IO, NULL);
	} while (sending.code == -1);
	return sending.code;
}

typedef struct turn {
	pool *pool;
	VALUE (*body)(VALUE);
	void *context;
} turn;

static VALUE take_turn(VALUE context)
{
	turn *turn = (void *) context;
	if (turn->pool->waiting) {
		turn->pool->waiting = 0;
		if (turn->pool->waits_in == getpid()) {
			pool_run(turn->pool);
		}
	}
	return turn->body((VALUE) turn->context);
}

static VALUE end_turn(VALUE context)
{
	pool *pool = ((turn *) context)->pool;
	pool->busy = false;
	rb_mutex_unlock(pool->mutex);
	return Qnil;
}

VALUE pool_locked(pool *pool, VALUE (*body)(VALUE), void *context)
{
	turn turn = { .pool = pool, .body = body, .context = context };
	rb_mutex_lock(pool->mutex);
	pool->busy = true;
	return rb_ensure(take_turn, (VALUE) &turn, end_turn, (VALUE) &turn);
}

/* The arena that may be used in place of the pool now, or NULL. */
static leveret_arena *arena_of(pool *pool)
{
	return pool->busy || pool->waiting ? NULL : leveret_pool_arena(pool->pool, 0);
}

/* --- one request --- */

typedef struct call {
	pool *pool;
	leveret_request request;
	VALUE key, value;          /* Strings, or Qnil */
	int32_t code;
	uint32_t server;
	VALUE bytes;               /* the answer's; Qnil where there are none */
	leveret_meta meta;
	uint64_t cas, number;
} call;

static VALUE ask_locked(VALUE context)
{
	call *call = (void *) context;
	leveret_pool *pool = call->pool->pool;
	leveret_answer answer;
	leveret_pool_begin(pool);
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

/* Asks, and raises what is no answer. */
static void ask(call *call)
{
	call->bytes = Qnil;
	call->request.meta.origin = LEVERET_RUBY;
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
		uint32_t flags = (meta->flags & (FLAG_MARSHAL | FLAG_COMPRESSED)) | (meta->encoding == LEVERET_MARSHAL ? FLAG_MARSHAL : 0);
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

static leveret_status find_in(const leveret_arena *arena, VALUE key, leveret_found *found, VALUE *bytes)
{
	leveret_status status = LEVERET_RETRY;
	for (int tries = 0; tries < 64 && status == LEVERET_RETRY; tries++) {
		status = leveret_find(arena, bytes_of_string(key), 0, found);
		if (status == LEVERET_OK) {
			*bytes = rb_str_new(NULL, (long) found->value_len);
			status = leveret_copy(arena, found, RSTRING_PTR(*bytes));
		}
	}
	return status;
}

/* get(key, miss): the value, or `miss`. */
static VALUE get(VALUE self, VALUE key, VALUE miss)
{
	pool *pool = pool_of(self);
	leveret_arena *arena = arena_of(pool);
	if (RB_LIKELY(arena != NULL)) {
		leveret_found found;
		VALUE bytes = Qnil;
		return find_in(arena, key, &found, &bytes) == LEVERET_OK ? pool_value(pool, &found.meta, bytes) : miss;
	}
	call call = { .pool = pool, .key = key, .value = Qnil, .request = { .operation = LEVERET_OP_GET } };
	ask(&call);
	return call.code == LEVERET_CODE_SUCCESS ? pool_value(pool, &call.meta, call.bytes) : miss;
}

/* get_cas(key): [value, cas], or nil. */
static VALUE get_cas(VALUE self, VALUE key)
{
	call call = { .pool = pool_of(self), .key = key, .value = Qnil, .request = { .operation = LEVERET_OP_GET, .with_cas = 1 } };
	ask(&call);
	return call.code == LEVERET_CODE_SUCCESS ? rb_assoc_new(pool_value(call.pool, &call.meta, call.bytes), ULL2NUM(call.cas)) : Qnil;
}

/* gat(key, exptime, miss) */
static VALUE gat(VALUE self, VALUE key, VALUE exptime, VALUE miss)
{
	call call = { .pool = pool_of(self), .key = key, .value = Qnil, .request = { .operation = LEVERET_OP_GET_AND_TOUCH, .exptime = NUM2LL(exptime) } };
	ask(&call);
	return call.code == LEVERET_CODE_SUCCESS ? pool_value(call.pool, &call.meta, call.bytes) : miss;
}

VALUE pool_row(pool *pool, const leveret_meta *meta, uint64_t cas, VALUE bytes)
{
	/* Without #retrieve the client knows itself what the flags mean: Dalli's bit of what is compressed may be any other to it. */
	bool is_plain = meta->codec == LEVERET_CODEC_NONE || (NIL_P(pool->values) && meta->origin == LEVERET_RUBY);
	bool is_bytes = is_plain && (meta->origin == LEVERET_WIRE || meta->origin == LEVERET_REMOTE
		|| (meta->origin == LEVERET_RUBY && (meta->encoding == LEVERET_RAW || meta->encoding == LEVERET_MARSHAL)));
	return rb_ary_new_from_args(3, is_bytes ? bytes : pool_value(pool, meta, bytes), is_bytes ? UINT2NUM(meta->flags) : Qnil, ULL2NUM(cas));
}

/* fetch(key, with_cas): [bytes, flags, cas], or [value, nil, cas] for what another entrance has stored; nil for a miss. */
static VALUE fetch(VALUE self, VALUE key, VALUE with_cas)
{
	call call = { .pool = pool_of(self), .key = key, .value = Qnil, .request = { .operation = LEVERET_OP_GET, .with_cas = RTEST(with_cas) } };
	leveret_arena *arena = RTEST(with_cas) ? NULL : arena_of(call.pool);
	if (arena) {
		leveret_found found;
		VALUE bytes = Qnil;
		leveret_status status = find_in(arena, key, &found, &bytes);
		return status == LEVERET_OK ? pool_row(call.pool, &found.meta, 0, bytes) : Qnil;
	}
	ask(&call);
	return call.code == LEVERET_CODE_SUCCESS ? pool_row(call.pool, &call.meta, call.cas, call.bytes) : Qnil;
}

/* Of what is told as flags, this bit is no flag of the wire: the bytes are Marshal, whatever the flags say. */
#define IS_MARSHAL (1ull << 32)

static leveret_meta meta_of(VALUE flags, VALUE bytes)
{
	uint64_t word = NUM2ULL(flags);
	bool is_compressed = word & FLAG_COMPRESSED, begins_so = RSTRING_LEN(bytes) > 2 && memcmp(RSTRING_PTR(bytes), "\x04\x08", 2) == 0;
	bool is_marshal = word & IS_MARSHAL || (word & FLAG_MARSHAL && (is_compressed || begins_so));
	return (leveret_meta) { .flags = (uint32_t) word, .origin = LEVERET_RUBY, .encoding = is_marshal ? LEVERET_MARSHAL : LEVERET_RAW,
		.codec = is_compressed ? LEVERET_CODEC_PLAIN_ZLIB : LEVERET_CODEC_NONE };
}

/* The wire's border between seconds from now and a Unix time, and its longest key. */
#define RELATIVE_SECONDS_MAX (30 * 24 * 60 * 60)
#define WIRE_KEY_MAX 250

/* Whether an arena may be asked without a batch. Negative exptimes, which mean something else in each protocol, may not, nor what a
 * server would refuse. */
static bool is_simple(pool *pool, leveret_operation operation, VALUE key, VALUE bytes, int64_t exptime)
{
	return (operation == LEVERET_OP_SET || operation == LEVERET_OP_ADD || operation == LEVERET_OP_REPLACE) && exptime >= 0
		&& RSTRING_LEN(key) > 0 && RSTRING_LEN(key) <= WIRE_KEY_MAX && (size_t) RSTRING_LEN(bytes) <= leveret_pool_value_max(pool->pool);
}

static uint32_t deadline_of(int64_t exptime, uint32_t now)
{
	if (exptime == 0) {
		return LEVERET_NEVER;
	}
	return exptime <= RELATIVE_SECONDS_MAX ? now + (uint32_t) exptime : leveret_from_unix(exptime);
}

/* Stores without a batch where the pool is one arena. False: a batch is to do it, or to say why it cannot be. */
static bool store_in(pool *pool, const leveret_request *request, VALUE key, VALUE bytes, leveret_status *status, uint64_t *cas)
{
	leveret_arena *arena = arena_of(pool);
	if (!arena || !is_simple(pool, request->operation, key, bytes, request->exptime)) {
		return false;
	}
	leveret_mode mode = request->operation == LEVERET_OP_SET ? LEVERET_SET : request->operation == LEVERET_OP_ADD ? LEVERET_ADD : LEVERET_REPLACE;
	uint32_t now = leveret_now();
	*status = leveret_store(arena, bytes_of_string(key), bytes_of_string(bytes), &request->meta, deadline_of(request->exptime, now), mode, 0, now, cas);
	return *status == LEVERET_OK || *status == LEVERET_EXISTS || *status == LEVERET_MISS;
}

/* store(operation, key, bytes, flags, exptime, cas): the new version; nil: there is nothing to replace; false: not stored. */
static VALUE store(VALUE self, VALUE operation, VALUE key, VALUE bytes, VALUE flags, VALUE exptime, VALUE cas)
{
	call call = { .pool = pool_of(self), .key = key, .value = bytes, .request = { .operation = (leveret_operation) NUM2INT(operation),
		.exptime = NUM2LL(exptime), .number = NUM2ULL(cas), .with_cas = 1 } };
	call.request.meta = meta_of(flags, bytes);
	leveret_status status;
	if (store_in(call.pool, &call.request, key, bytes, &status, &call.cas)) {
		return status == LEVERET_OK ? ULL2NUM(call.cas) : Qfalse;
	}
	ask(&call);
	switch (call.code) {
		case LEVERET_CODE_SUCCESS: return ULL2NUM(call.cas);
		case LEVERET_CODE_NOTFOUND: return Qnil;
		default: return Qfalse;
	}
}

typedef struct quiet_store {
	pool *pool;
	leveret_request request;
	VALUE key, bytes;
} quiet_store;

#define WAITING_MAX 100
#define WAITING_BYTES_MAX (64 * 1024)

/* Not through pool_locked, which would send what waits. */
static VALUE add_quietly(VALUE context)
{
	quiet_store *store = (void *) context;
	pool *pool = store->pool;
	if (pool->waiting == 0 || pool->waits_in != getpid()) {
		leveret_pool_begin(pool->pool);
		pool->waits_in = getpid();
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
	turn turn = { .pool = store->pool };
	rb_mutex_lock(store->pool->mutex);
	store->pool->busy = true;
	rb_ensure(add_quietly, (VALUE) store, end_turn, (VALUE) &turn);
}

/* store_quietly(operation, key, bytes, flags, exptime): sent with others like it, before the next request that is not. */
static VALUE store_quietly(VALUE self, VALUE operation, VALUE key, VALUE bytes, VALUE flags, VALUE exptime)
{
	quiet_store store = { .pool = pool_of(self), .key = key, .bytes = bytes,
		.request = { .operation = (leveret_operation) NUM2INT(operation), .exptime = NUM2LL(exptime) } };
	store.request.meta = meta_of(flags, bytes);
	quietly(&store);
	return Qnil;
}

static VALUE delete_quietly(VALUE self, VALUE key)
{
	quiet_store store = { .pool = pool_of(self), .key = key, .bytes = Qnil, .request = { .operation = LEVERET_OP_DELETE } };
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

/* delete(key, cas): 0: whatever version is there. */
static VALUE delete(VALUE self, VALUE key, VALUE cas)
{
	call call = { .pool = pool_of(self), .key = key, .value = Qnil, .request = { .operation = LEVERET_OP_DELETE, .number = NUM2ULL(cas) } };
	ask(&call);
	return call.code == LEVERET_CODE_SUCCESS ? Qtrue : Qfalse;
}

static VALUE touch(VALUE self, VALUE key, VALUE exptime)
{
	call call = { .pool = pool_of(self), .key = key, .value = Qnil, .request = { .operation = LEVERET_OP_TOUCH, .exptime = NUM2LL(exptime) } };
	ask(&call);
	return call.code == LEVERET_CODE_SUCCESS ? Qtrue : Qfalse;
}

/* count(operation, key, amount, initial, exptime): the new number, or nil. */
static VALUE count(VALUE self, VALUE operation, VALUE key, VALUE amount, VALUE initial, VALUE exptime)
{
	call call = { .pool = pool_of(self), .key = key, .value = Qnil, .request = { .operation = (leveret_operation) NUM2INT(operation), .number = NUM2ULL(amount),
		.create = !NIL_P(initial), .initial = NIL_P(initial) ? 0 : NUM2ULL(initial), .exptime = NUM2LL(exptime) } };
	ask(&call);
	return call.code == LEVERET_CODE_SUCCESS ? ULL2NUM(call.number) : Qnil;
}

/* --- servers --- */

static VALUE names(VALUE self)
{
	pool *pool = pool_of(self);
	VALUE names = rb_ary_new();
	for (uint32_t i = 0; i < leveret_pool_servers(pool->pool); i++) {
		rb_ary_push(names, name_of(pool, i));
	}
	return names;
}

static VALUE locate(VALUE self, VALUE key)
{
	return LL2NUM(leveret_pool_locate(pool_of(self)->pool, bytes_of_string(StringValue(key))));
}

typedef struct routing {
	pool *pool;
	VALUE key;
	int64_t index;
} routing;

static VALUE route_locked(VALUE context)
{
	routing *routing = (void *) context;
	leveret_pool *pool = routing->pool->pool;
	leveret_server server;
	/* Lets those be tried again whose rest is over. */
	leveret_pool_begin(pool);
	routing->index = leveret_pool_route(pool, bytes_of_string(routing->key));
	if (routing->index >= 0 && leveret_pool_server(pool, (uint32_t) routing->index, &server) == LEVERET_CODE_SUCCESS && server.is_down) {
		routing->index = -1;
	}
	return Qnil;
}

/* route(key): the index of the server that a get would ask now, or nil if none is to be asked. */
static VALUE route(VALUE self, VALUE key)
{
	routing routing = { .pool = pool_of(self), .key = StringValue(key) };
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

/* rest(index, seconds): that server has failed, and is not asked for so long. */
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

static void *reach(void *context)
{
	connecting *connecting = context;
	connecting->code = leveret_pool_connect(connecting->pool->pool, connecting->index);
	return NULL;
}

static VALUE connect_locked(VALUE context)
{
	rb_thread_call_without_gvl(reach, (void *) context, RUBY_UBF_IO, NULL);
	return Qnil;
}

/* reach?(index): whether there is a connection to that server, or one can be made. */
static VALUE can_reach(VALUE self, VALUE index)
{
	connecting connecting = { .pool = pool_of(self), .index = NUM2UINT(index) };
	pool_locked(connecting.pool, connect_locked, &connecting);
	return connecting.code == LEVERET_CODE_SUCCESS ? Qtrue : Qfalse;
}

static VALUE quit_locked(VALUE context)
{
	leveret_pool_quit(((pool *) context)->pool);
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
	return arena_of(pool_of(self)) ? Qtrue : Qfalse;
}

/*
 * Document-class: Leveret::Pool
 * The servers of a client, and the requests to them: what the clients in lib/leveret are made of.
 * @private
 */
/*
 * Document-class: Leveret::Pool::Failed
 * A server could not be asked.
 * @private
 */
/*
 * Document-class: Leveret::Pool::NoServer
 * There is no server to ask.
 * @private
 */
/*
 * Document-class: Leveret::Pool::Refused
 * A server has answered that it does not do it.
 * @private
 */
/*
 * Document-class: Leveret::Pool::Unauthenticated
 * A server takes no passwords, or not this one.
 * @private
 */
void leveret_init_pool(void)
{
	id_retrieve = rb_intern("retrieve");
	VALUE cPool = rb_define_class_under(rb_mLeveret, "Pool", rb_cObject);
	eFailed = rb_define_class_under(cPool, "Failed", rb_eLeveretError);
	eNoServer = rb_define_class_under(cPool, "NoServer", eFailed);
	eRefused = rb_define_class_under(cPool, "Refused", rb_eLeveretError);
	eUnauthenticated = rb_define_class_under(cPool, "Unauthenticated", rb_eLeveretError);
	/* libmemcached's number. */
	rb_attr(eFailed, rb_intern("code"), 1, 0, 0);
	rb_attr(eRefused, rb_intern("code"), 1, 0, 0);
	rb_define_alloc_func(cPool, allocate);
	rb_define_method(cPool, "initialize", initialize, -1);
	rb_define_method(cPool, "set_option", set_option, 2);
	rb_define_method(cPool, "add_server", add_server, 4);
	rb_define_method(cPool, "set_credentials", set_credentials, 3);
	rb_define_method(cPool, "set_tls", set_tls, 5);
	rb_define_method(cPool, "clear_servers", clear_servers, 0);
	rb_define_method(cPool, "set_prefix", set_prefix, 1);
	rb_define_method(cPool, "names", names, 0);
	rb_define_method(cPool, "locate", locate, 1);
	rb_define_method(cPool, "route", route, 1);
	rb_define_method(cPool, "rest", rest, 2);
	rb_define_method(cPool, "memory?", is_memory, 0);
	rb_define_method(cPool, "reach?", can_reach, 1);
	rb_define_method(cPool, "quit", quit, 0);
	rb_define_method(cPool, "get", get, 2);
	rb_define_method(cPool, "fetch", fetch, 2);
	rb_define_method(cPool, "get_cas", get_cas, 1);
	rb_define_method(cPool, "gat", gat, 3);
	rb_define_method(cPool, "store", store, 6);
	rb_define_method(cPool, "store_quietly", store_quietly, 5);
	rb_define_method(cPool, "delete_quietly", delete_quietly, 1);
	rb_define_method(cPool, "flush_quiet", flush_quiet, 0);
	rb_define_method(cPool, "delete", delete, 2);
	rb_define_method(cPool, "touch", touch, 2);
	rb_define_method(cPool, "count", count, 5);
	pool_define_many(cPool);

	rb_define_const(cPool, "SET", INT2FIX(LEVERET_OP_SET));
	rb_define_const(cPool, "ADD", INT2FIX(LEVERET_OP_ADD));
	rb_define_const(cPool, "REPLACE", INT2FIX(LEVERET_OP_REPLACE));
	rb_define_const(cPool, "APPEND", INT2FIX(LEVERET_OP_APPEND));
	rb_define_const(cPool, "PREPEND", INT2FIX(LEVERET_OP_PREPEND));
	rb_define_const(cPool, "CAS", INT2FIX(LEVERET_OP_CAS));
	rb_define_const(cPool, "INCREMENT", INT2FIX(LEVERET_OP_INCREMENT));
	rb_define_const(cPool, "DECREMENT", INT2FIX(LEVERET_OP_DECREMENT));
	rb_define_const(cPool, "FLUSH", INT2FIX(LEVERET_OP_FLUSH));
	rb_define_const(cPool, "VERSION", INT2FIX(LEVERET_OP_VERSION));
	rb_define_const(cPool, "STATS", INT2FIX(LEVERET_OP_STATS));
	rb_define_const(cPool, "IS_MARSHAL", ULL2NUM(IS_MARSHAL));
	rb_define_const(cPool, "PROTOCOL", INT2FIX(LEVERET_POOL_PROTOCOL));
	rb_define_const(cPool, "RING", INT2FIX(LEVERET_POOL_RING));
	rb_define_const(cPool, "CONNECT_TIMEOUT_MS", INT2FIX(LEVERET_POOL_CONNECT_TIMEOUT_MS));
	rb_define_const(cPool, "POLL_TIMEOUT_MS", INT2FIX(LEVERET_POOL_POLL_TIMEOUT_MS));
	rb_define_const(cPool, "RETRY_TIMEOUT_S", INT2FIX(LEVERET_POOL_RETRY_TIMEOUT_S));
	rb_define_const(cPool, "FAILOVER_ATTEMPTS", INT2FIX(LEVERET_POOL_FAILOVER_ATTEMPTS));
	rb_define_const(cPool, "SHORT_CUT", INT2FIX(LEVERET_POOL_SHORT_CUT));
	rb_define_const(cPool, "KEEPALIVE", INT2FIX(LEVERET_POOL_KEEPALIVE));
	rb_define_const(cPool, "SEND_SIZE", INT2FIX(LEVERET_POOL_SEND_SIZE));
	rb_define_const(cPool, "RECV_SIZE", INT2FIX(LEVERET_POOL_RECV_SIZE));
	rb_define_const(cPool, "ARENA_MEMORY", INT2FIX(LEVERET_POOL_ARENA_MEMORY));
	rb_define_const(cPool, "HASH", INT2FIX(LEVERET_POOL_HASH));
	rb_define_const(cPool, "AUTO_EJECT", INT2FIX(LEVERET_POOL_AUTO_EJECT));
	rb_define_const(cPool, "FAILURE_LIMIT", INT2FIX(LEVERET_POOL_FAILURE_LIMIT));
	rb_define_const(cPool, "DEAD_TIMEOUT_S", INT2FIX(LEVERET_POOL_DEAD_TIMEOUT_S));
	rb_define_const(cPool, "UDP", INT2FIX(LEVERET_POOL_UDP));
	rb_define_const(cPool, "NOREPLY", INT2FIX(LEVERET_POOL_NOREPLY));
	rb_define_const(cPool, "SORT_HOSTS", INT2FIX(LEVERET_POOL_SORT_HOSTS));
	rb_define_const(cPool, "RING_MODULA", INT2FIX(LEVERET_RING_MODULA));
	rb_define_const(cPool, "RING_CONSISTENT", INT2FIX(LEVERET_RING_CONSISTENT));
	rb_define_const(cPool, "RING_KETAMA", INT2FIX(LEVERET_RING_KETAMA));
	rb_define_const(cPool, "TEXT", INT2FIX(LEVERET_PROTOCOL_TEXT));
	rb_define_const(cPool, "BINARY", INT2FIX(LEVERET_PROTOCOL_BINARY));
	rb_define_const(cPool, "META", INT2FIX(LEVERET_PROTOCOL_META));
	rb_define_const(cPool, "RING_DALLI", INT2FIX(LEVERET_RING_DALLI));
}
