/* pool.c: Leveret::Pool: the object, its settings, its mutex, and sending. */
#include "pool.h"

#include <pthread.h>
#include <ruby/thread.h>
#include <unistd.h>

static VALUE eFailed, eNoServer, eRefused, eUnauthenticated;

/* --- processes --- */

/* Asking the system each time takes as long as a get from memory. */
static pid_t this_process;

static void forked(void)
{
	this_process = getpid();
}

bool pool_is_ours(const pool *pool)
{
	return pool->batch_of == this_process;
}

void pool_begin(pool *pool)
{
	leveret_pool_begin(pool->pool);
	pool->batch_of = this_process;
}

/* The process was forked while a thread of its parent was at work in `pool->pool`, which may be half changed. */
static bool is_torn(const pool *pool)
{
	pid_t at_work = __atomic_load_n(&pool->at_work_in, __ATOMIC_ACQUIRE);
	return at_work != 0 && at_work != this_process;
}

/* --- settings: kept as they were made, for a pool in place of one that is torn --- */

typedef enum setting_kind { OPTION, SERVER, CREDENTIALS, TLS, PREFIX } setting_kind;

/* `row`: the kind, and Integers and frozen Strings. */
static int32_t apply(leveret_pool *pool, VALUE row)
{
	VALUE one = rb_ary_entry(row, 1), two = rb_ary_entry(row, 2), three = rb_ary_entry(row, 3),
		  four = rb_ary_entry(row, 4);
	switch ((setting_kind) FIX2INT(rb_ary_entry(row, 0))) {
		case OPTION:
			return leveret_pool_set_option(pool, (leveret_pool_option) FIX2INT(one), NUM2LL(two));
		case SERVER:
			return leveret_pool_add_server(pool, bytes_of_string(one), (uint16_t) FIX2INT(two), 0,
				(uint32_t) FIX2LONG(three), bytes_of_string(four));
		case CREDENTIALS:
			return leveret_pool_set_credentials(pool, FIX2INT(one), bytes_of_string(two), bytes_of_string(three), 1);
		case TLS:
			return leveret_pool_set_tls(pool, bytes_of_string(one), bytes_of_string(two), bytes_of_string(three),
				bytes_of_string(four), RTEST(rb_ary_entry(row, 5)));
		default:
			leveret_pool_set_prefix(pool, bytes_of_string(one));
			return LEVERET_CODE_SUCCESS;
	}
}

/* Whether the later of two settings takes the place of the earlier one. */
static bool replaces(VALUE row, VALUE earlier)
{
	VALUE kind = rb_ary_entry(row, 0);
	return kind == rb_ary_entry(earlier, 0)
		&& (kind == INT2FIX(TLS) || kind == INT2FIX(PREFIX)
			|| (kind != INT2FIX(SERVER) && rb_ary_entry(row, 1) == rb_ary_entry(earlier, 1)));
}

static void keep(pool *pool, VALUE row)
{
	for (long i = 0; i < RARRAY_LEN(pool->settings); i++) {
		if (replaces(row, RARRAY_AREF(pool->settings, i))) {
			rb_ary_store(pool->settings, i, row);
			return;
		}
	}
	rb_ary_push(pool->settings, row);
}

/* The torn one is left as it is, with its connections, which are the parent's. */
static void renew(pool *pool)
{
	pool->pool = leveret_pool_new();
	pool->at_work_in = 0;
	pool->waiting = 0;
	pool->busy = false;
	for (long i = 0; i < RARRAY_LEN(pool->settings); i++) {
		apply(pool->pool, RARRAY_AREF(pool->settings, i));
	}
}

typedef struct setting {
	pool *pool;
	VALUE row;
	int32_t code;
} setting;

static VALUE set_locked(VALUE context)
{
	setting *setting = (void *) context;
	setting->code = apply(setting->pool->pool, setting->row);
	if (setting->code == LEVERET_CODE_SUCCESS) {
		keep(setting->pool, setting->row);
	}
	return Qnil;
}

static bool set(VALUE self, VALUE row)
{
	setting setting = { .pool = pool_of(self), .row = row };
	pool_locked(setting.pool, set_locked, &setting);
	RB_GC_GUARD(row);
	return setting.code == LEVERET_CODE_SUCCESS;
}

/* --- the object --- */

static void mark(void *pointer)
{
	pool *pool = pointer;
	rb_gc_mark(pool->mutex);
	rb_gc_mark(pool->values);
	rb_gc_mark(pool->allowed);
	rb_gc_mark(pool->settings);
}

/* By the garbage collector: nothing is sent here, and nothing waited for. */
static void release(void *pointer)
{
	pool *pool = pointer;
	if (pool->pool && !is_torn(pool)) {
		leveret_pool_discard(pool->pool);
	}
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
	pool->mutex = pool->values = pool->allowed = pool->settings = Qnil;
	pool->pool = leveret_pool_new();
	pool->mutex = rb_mutex_new();
	pool->settings = rb_ary_new();
	return self;
}

pool *pool_of(VALUE self)
{
	pool *pool = rb_check_typeddata(self, &type);
	if (RB_UNLIKELY(is_torn(pool))) {
		renew(pool);
	}
	return pool;
}

/* Pool.new(values, allowed = nil) */
static VALUE initialize(int argc, VALUE *argv, VALUE self)
{
	rb_check_arity(argc, 1, 2);
	pool *pool = pool_of(self);
	pool->values = argv[0];
	pool->allowed = class_list(argc == 2 ? argv[1] : Qnil);
	return self;
}

static VALUE set_option(VALUE self, VALUE option, VALUE value)
{
	int name = NUM2INT(option);
	long long number = NUM2LL(value);
	if (name < LEVERET_POOL_PROTOCOL || name > LEVERET_POOL_ARENA_LOCK_TIMEOUT_MS
		|| !set(self, rb_ary_new_from_args(3, INT2FIX(OPTION), INT2FIX(name), LL2NUM(number)))) {
		rb_raise(rb_eArgError, "%lld is no value for option %d", number, name);
	}
	return Qnil;
}

/* add_server(host, port, weight, dir) */
static VALUE add_server(VALUE self, VALUE host, VALUE port, VALUE weight, VALUE dir)
{
	unsigned number = NUM2UINT(port), share = NUM2UINT(weight);
	host = rb_str_new_frozen(StringValue(host));
	dir = NIL_P(dir) ? rb_str_new(NULL, 0) : rb_str_new_frozen(StringValue(dir));
	if (number > UINT16_MAX
		|| !set(self, rb_ary_new_from_args(5, INT2FIX(SERVER), host, UINT2NUM(number), UINT2NUM(share), dir))) {
		rb_raise(rb_eArgError, "%" PRIsVALUE " with port %u cannot be a server", host, number);
	}
	return Qnil;
}

/* set_credentials(server, user, password): credentials for the server with this index. A server without passwords is
 * used without. */
static VALUE set_credentials(VALUE self, VALUE server, VALUE user, VALUE password)
{
	int index = NUM2INT(server);
	user = rb_str_new_frozen(StringValue(user));
	password = rb_str_new_frozen(StringValue(password));
	if (!set(self, rb_ary_new_from_args(4, INT2FIX(CREDENTIALS), INT2FIX(index), user, password))) {
		rb_raise(rb_eArgError, "a user name and a password have no zero bytes and at most 4096 bytes");
	}
	return Qnil;
}

/* set_tls(ca_file, peer_name, certificate, key, verify): how servers named tls:// are spoken with; Strings or nil. */
static VALUE set_tls(VALUE self, VALUE ca_file, VALUE peer_name, VALUE certificate, VALUE key, VALUE verify)
{
	VALUE texts[] = { ca_file, peer_name, certificate, key };
	for (int number = 0; number < 4; number++) {
		if (NIL_P(texts[number])) {
			texts[number] = rb_str_new(NULL, 0);
		} else {
			texts[number] = rb_str_new_frozen(StringValue(texts[number]));
			StringValueCStr(texts[number]);
		}
	}
	if (!set(self,
			rb_ary_new_from_args(
				6, INT2FIX(TLS), texts[0], texts[1], texts[2], texts[3], RTEST(verify) ? Qtrue : Qfalse))) {
		rb_raise(rb_eArgError, "a peer name is UTF-8");
	}
	return Qnil;
}

/* set_prefix(prefix): what each key begins with and does not tell where it lives. */
static VALUE set_prefix(VALUE self, VALUE prefix)
{
	set(self, rb_ary_new_from_args(2, INT2FIX(PREFIX), rb_str_new_frozen(StringValue(prefix))));
	return Qnil;
}

/* --- errors --- */

static const char *meaning(int32_t code)
{
	switch (code) {
		case LEVERET_CODE_HOST_LOOKUP_FAILURE:
			return "its name has no address";
		case LEVERET_CODE_CONNECTION_FAILURE:
			return "it cannot be reached";
		case LEVERET_CODE_WRITE_FAILURE:
			return "sending failed";
		case LEVERET_CODE_UNKNOWN_READ_FAILURE:
			return "the connection ended before the answer";
		case LEVERET_CODE_PROTOCOL_ERROR:
			return "it cannot be understood";
		case LEVERET_CODE_ERRNO:
			return "a system call failed";
		case LEVERET_CODE_TIMEOUT:
			return "it did not answer in time";
		case LEVERET_CODE_AUTH_PROBLEM:
			return "it takes no user names and passwords (SASL)";
		case LEVERET_CODE_AUTH_FAILURE:
			return "it refuses this user name and password, or asks for them (SASL)";
		case LEVERET_CODE_SERVER_MARKED_DEAD:
			return "it failed too often";
		case LEVERET_CODE_SERVER_TEMPORARILY_DISABLED:
			return "it failed a moment ago";
		default:
			return NULL;
	}
}

VALUE pool_name(pool *pool, uint32_t index)
{
	leveret_server server;
	if (leveret_pool_server(pool->pool, index, &server) != LEVERET_CODE_SUCCESS) {
		return rb_utf8_str_new_cstr("the server");
	}
	VALUE host = rb_utf8_str_new((const char *) server.host.data, (long) server.host.len);
	return server.kind == LEVERET_SERVER_TCP ? rb_sprintf("%" PRIsVALUE ":%u", host, server.port) : host;
}

typedef struct naming {
	pool *pool;
	uint32_t index;
} naming;

static VALUE name_locked(VALUE context)
{
	naming *naming = (void *) context;
	return pool_name(naming->pool, naming->index);
}

NORETURN(static void raise_code(VALUE class, int32_t code, VALUE text));

static void raise_code(VALUE class, int32_t code, VALUE text)
{
	VALUE error = rb_exc_new_str(class, text);
	rb_iv_set(error, "@code", INT2NUM(code));
	rb_exc_raise(error);
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
		/* A TLS error. */
		class = eFailed;
		text = rb_enc_associate(said, rb_utf8_encoding());
	} else if (why) {
		naming naming = { .pool = pool, .index = server };
		class = code == LEVERET_CODE_AUTH_PROBLEM || code == LEVERET_CODE_AUTH_FAILURE ? eUnauthenticated : eFailed;
		text = leveret_pool_arena_trouble(message, sizeof(message))
			? rb_utf8_str_new_cstr(message)
			: rb_sprintf("%" PRIsVALUE ": %s", pool_locked(pool, name_locked, &naming), why);
	} else if (!is_told) {
		text = rb_sprintf("the server has refused it (%d)", code);
	}
	raise_code(class, code, text);
}

/* --- sending --- */

typedef struct work {
	pool *pool;
	void (*work)(void *context);
	void *context;
} work;

static void *run_work(void *context)
{
	work *work = context;
	__atomic_store_n(&work->pool->at_work_in, this_process, __ATOMIC_RELEASE);
	work->work(work->context);
	__atomic_store_n(&work->pool->at_work_in, 0, __ATOMIC_RELEASE);
	return NULL;
}

void pool_without_gvl(pool *pool, void (*function)(void *), void *context)
{
	work work = { .pool = pool, .work = function, .context = context };
	rb_thread_call_without_gvl(run_work, &work, RUBY_UBF_IO, NULL);
}

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

static void run(void *context)
{
	sending *sending = context;
	sending->code = leveret_pool_run_until_interrupted(sending->pool->pool, is_interrupted, (void *) sending->thread);
}

int32_t pool_run(pool *pool)
{
	sending sending = { .pool = pool, .thread = rb_thread_current(), .code = -1 };
	while (sending.code == -1) {
		/* User code, as a trap, may have forked since the batch began, or while it was sent. */
		if (!pool_is_ours(pool)) {
			raise_code(eFailed, LEVERET_CODE_CONNECTION_FAILURE,
				rb_utf8_str_new_cstr(
					"this process was forked in the middle of a request, which is its parent's: ask again"));
		}
		if (leveret_pool_arena(pool->pool, 0)) {
			return leveret_pool_run(pool->pool);
		}
		/* What interrupts is raised as the GVL comes back, or was a trap: then it goes on. */
		pool_without_gvl(pool, run, &sending);
	}
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
		/* Requests inherited by a fork are sent by the parent. */
		if (pool_is_ours(turn->pool)) {
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

static VALUE with_mutex(turn *turn, VALUE (*body)(VALUE), VALUE context)
{
	pool *pool = turn->pool;
	rb_mutex_lock(pool->mutex);
	/* A trap may have forked while this thread waited. */
	if (RB_UNLIKELY(is_torn(pool))) {
		renew(pool);
	}
	pool->busy = true;
	return rb_ensure(body, context, end_turn, (VALUE) turn);
}

VALUE pool_locked(pool *pool, VALUE (*body)(VALUE), void *context)
{
	turn turn = { .pool = pool, .body = body, .context = context };
	return with_mutex(&turn, take_turn, (VALUE) &turn);
}

void pool_locked_quietly(pool *pool, VALUE (*body)(VALUE), void *context)
{
	turn turn = { .pool = pool };
	with_mutex(&turn, body, (VALUE) context);
}

leveret_arena *pool_arena(pool *pool)
{
	return pool->busy || pool->waiting ? NULL : leveret_pool_arena(pool->pool, 0);
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
	forked();
	pthread_atfork(NULL, NULL, forked);
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
	rb_define_method(cPool, "set_prefix", set_prefix, 1);

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
