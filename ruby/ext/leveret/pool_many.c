/* pool_many.c: requests of many keys in one batch, sent to all servers at once. */
#include "pool.h"

/* --- gets --- */

typedef struct gets {
	pool *pool;
	VALUE keys, bytes;       /* an Array of our own, of Strings; the answers' bytes at the places of their keys */
	leveret_answer *answers; /* at the same places */
	bool with_cas;
} gets;

static VALUE gets_locked(VALUE context)
{
	gets *gets = (void *) context;
	leveret_pool *pool = gets->pool->pool;
	leveret_answer answer;
	pool_begin(gets->pool);
	long count = RARRAY_LEN(gets->keys), added = 0;
	/* Answers name their request by its number among those that were added. */
	VALUE buffer;
	long *places = ALLOCV_N(long, buffer, count ? count : 1);
	for (long i = 0; i < count; i++) {
		leveret_request request = {
			.operation = LEVERET_OP_GET,
			.key = bytes_of_string(RARRAY_AREF(gets->keys, i)),
			.with_cas = gets->with_cas,
		};
		if (leveret_pool_add(pool, &request) == LEVERET_CODE_SUCCESS) {
			places[added++] = i;
		}
	}
	pool_run(gets->pool);
	while (leveret_pool_next(pool, &answer)) {
		if (answer.code == LEVERET_CODE_SUCCESS && answer.request < added) {
			long place = places[answer.request];
			gets->answers[place] = answer;
			rb_ary_store(gets->bytes, place, taken(&answer.value));
		}
	}
	ALLOCV_END(buffer);
	return Qnil;
}

/* Converts an answer. A stored nil is an Array of its own, to be distinguished from a miss. */
typedef VALUE (*row_of)(pool *pool, const leveret_meta *meta, uint64_t cas, VALUE bytes);

static VALUE value_of(pool *pool, const leveret_meta *meta, uint64_t cas, VALUE bytes)
{
	return rb_ary_new_from_args(1, pool_value(pool, meta, bytes));
}

static VALUE value_and_cas_of(pool *pool, const leveret_meta *meta, uint64_t cas, VALUE bytes)
{
	return rb_assoc_new(pool_value(pool, meta, bytes), ULL2NUM(cas));
}

/* The same keys, as Strings, in an Array of our own. */
static VALUE own_keys(VALUE keys)
{
	Check_Type(keys, T_ARRAY);
	VALUE own = rb_ary_new_capa(RARRAY_LEN(keys));
	for (long i = 0; i < RARRAY_LEN(keys); i++) {
		rb_ary_push(own, pool_key(RARRAY_AREF(keys, i)));
	}
	return own;
}

static VALUE get_all(VALUE self, VALUE keys, bool with_cas, row_of row)
{
	keys = own_keys(keys);
	VALUE buffer;
	gets gets = { .pool = pool_of(self), .keys = keys, .bytes = rb_ary_new(), .with_cas = with_cas };
	long count = RARRAY_LEN(keys);
	gets.answers = ALLOCV_N(leveret_answer, buffer, count ? count : 1);
	pool_locked(gets.pool, gets_locked, &gets);
	for (long i = 0; i < RARRAY_LEN(gets.bytes); i++) {
		VALUE bytes = RARRAY_AREF(gets.bytes, i);
		if (NIL_P(bytes)) {
			continue;
		}
		rb_ary_store(gets.bytes, i, row(gets.pool, &gets.answers[i].meta, gets.answers[i].cas, bytes));
	}
	ALLOCV_END(buffer);
	return gets.bytes;
}

/* get_multi(keys, with_cas): [value], or [value, cas], at the places of their keys; nil at those of a miss. */
static VALUE get_multi(VALUE self, VALUE keys, VALUE with_cas)
{
	return get_all(self, keys, RTEST(with_cas), RTEST(with_cas) ? value_and_cas_of : value_of);
}

/* fetch_multi(keys, with_cas): as fetch, at the places of the keys. */
static VALUE fetch_multi(VALUE self, VALUE keys, VALUE with_cas)
{
	return get_all(self, keys, RTEST(with_cas), pool_row);
}

/* --- stores and deletes --- */

typedef struct writes {
	pool *pool;
	leveret_operation operation;
	VALUE rows; /* an Array of [key, bytes, flags], or of keys; user code may change it at any time */
	int64_t exptime;
	long done;
	int32_t failed; /* the code of the last one that failed */
	uint32_t server;
} writes;

static void add_row(writes *writes, VALUE row)
{
	leveret_request request = { .operation = writes->operation, .exptime = writes->exptime };
	VALUE key = row, value = Qnil;
	if (RB_TYPE_P(row, T_ARRAY)) {
		uint32_t flags = NUM2UINT(rb_ary_entry(row, 2));
		value = pool_bytes(rb_ary_entry(row, 1));
		request.meta = (leveret_meta) {
			.flags = flags,
			.origin = LEVERET_RUBY,
			.encoding = flags & FLAG_MARSHAL ? LEVERET_MARSHAL : LEVERET_RAW,
			.codec = flags & FLAG_COMPRESSED ? LEVERET_CODEC_PLAIN_ZLIB : LEVERET_CODEC_NONE,
		};
		key = rb_ary_entry(row, 0);
	}
	key = pool_key(key);
	request.key = bytes_of_string(key);
	request.value = NIL_P(value) ? bytes_of("", 0) : bytes_of_string(value);
	int32_t code = leveret_pool_add(writes->pool->pool, &request);
	if (code != LEVERET_CODE_SUCCESS) {
		writes->failed = code;
	}
}

static VALUE writes_locked(VALUE context)
{
	writes *writes = (void *) context;
	leveret_answer answer;
	pool_begin(writes->pool);
	for (long i = 0; i < RARRAY_LEN(writes->rows); i++) {
		add_row(writes, rb_ary_entry(writes->rows, i));
	}
	pool_run(writes->pool);
	while (leveret_pool_next(writes->pool->pool, &answer)) {
		if (answer.code == LEVERET_CODE_SUCCESS) {
			writes->done++;
		} else if (!pool_is_answer(answer.code)) {
			writes->failed = answer.code;
			writes->server = answer.server;
		}
	}
	return Qnil;
}

static VALUE write_all(writes *writes)
{
	Check_Type(writes->rows, T_ARRAY);
	pool_locked(writes->pool, writes_locked, writes);
	if (writes->failed) {
		pool_raise(writes->pool, writes->failed, writes->server, Qnil);
	}
	return LONG2NUM(writes->done);
}

/* set_multi(rows, exptime): how many were stored. */
static VALUE set_multi(VALUE self, VALUE rows, VALUE exptime)
{
	writes writes = { .pool = pool_of(self), .operation = LEVERET_OP_SET, .rows = rows, .exptime = NUM2LL(exptime) };
	return write_all(&writes);
}

/* delete_multi(keys): how many were there. */
static VALUE delete_multi(VALUE self, VALUE keys)
{
	writes writes = { .pool = pool_of(self), .operation = LEVERET_OP_DELETE, .rows = keys };
	return write_all(&writes);
}

void pool_define_many(VALUE cPool)
{
	rb_define_method(cPool, "get_multi", get_multi, 2);
	rb_define_method(cPool, "fetch_multi", fetch_multi, 2);
	rb_define_method(cPool, "set_multi", set_multi, 2);
	rb_define_method(cPool, "delete_multi", delete_multi, 1);
}
