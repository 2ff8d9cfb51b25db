/* redis/method.c: the handler of all methods that have a row, and pipelines and transactions. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "redis.h"

/* --- the handler --- */

static int compare_name(const char *name, size_t len, const redis_row *row)
{
	return zend_binary_strcasecmp(name, len, row->method, strlen(row->method));
}

static const redis_row *row_of(const zend_string *name)
{
	uint32_t from = 0, to = php_leveret_redis_row_count;
	while (from < to) {
		uint32_t middle = (from + to) / 2;
		int order = compare_name(ZSTR_VAL(name), ZSTR_LEN(name), &php_leveret_redis_rows[middle]);
		if (order == 0) {
			return &php_leveret_redis_rows[middle];
		}
		if (order < 0) {
			to = middle;
		} else {
			from = middle + 1;
		}
	}
	return NULL;
}

/* Which row a method is, by the address of its name: a subclass has the same. */
#define ROWS_KNOWN 64

ZEND_TLS struct known_row {
	const zend_string *name;
	const redis_row *row;
} known_rows[ROWS_KNOWN];

static const redis_row *row_of_function(const zend_function *function)
{
	const zend_string *name = function->common.function_name;
	struct known_row *known = &known_rows[(((uintptr_t) name) >> 4) % ROWS_KNOWN];
	if (UNEXPECTED(known->name != name)) {
		known->row = row_of(name);
		known->name = known->row && ZSTR_IS_INTERNED(name) ? name : NULL;
	}
	return known->row;
}

PHP_METHOD(Redis, tabled)
{
	REDIS_SELF();
	redis_call call = { .row = row_of_function(EX(func)) };
	ZEND_ASSERT(call.row);
	if (!php_leveret_redis_is_ready(self)) {
		RETURN_FALSE;
	}
	call.shape = call.row->shape;
	php_leveret_redis_words_begin(&call.words, self, call.row->command);
	bool is_built = call.row->letters ? php_leveret_redis_build_by_letters(INTERNAL_FUNCTION_PARAM_PASSTHRU, &call)
									  : call.row->build(INTERNAL_FUNCTION_PARAM_PASSTHRU, &call);
	if (is_built && !EG(exception)) {
		php_leveret_redis_send(self, &call.words, call.shape, call.context, false, return_value);
	} else {
		RETVAL_FALSE;
	}
	php_leveret_redis_words_free(&call.words);
	if (call.context) {
		zend_array_release(call.context);
	}
}

/* --- multi, exec, pipeline --- */

/* Connects, if that is not so. */
static bool connected(redis_object *self)
{
	if (!php_leveret_redis_is_ready(self)) {
		return false;
	}
	if (leveret_redis_connect(self->link) != LEVERET_REDIS_OK) {
		php_leveret_redis_failed(self);
		return false;
	}
	return true;
}

/* A command of one word: whether its reply is that status. */
static bool ask_for(redis_object *self, const char *command, const char *status)
{
	redis_words words;
	redis_node reply;
	php_leveret_redis_words_begin(&words, self, command);
	bool is_good = php_leveret_redis_ask(self, &words, false, &reply);
	if (is_good) {
		is_good = reply.kind == LEVERET_REDIS_STATUS && strncmp(ZSTR_VAL(reply.text), status, strlen(status)) == 0;
		if (reply.kind == LEVERET_REDIS_ERROR) {
			php_leveret_redis_take_error(self, &reply);
		}
		php_leveret_redis_node_free(&reply);
	}
	php_leveret_redis_words_free(&words);
	return is_good;
}

/* MULTI or EXEC among the commands of a pipeline. */
static bool queue_mark(redis_object *self, const char *command)
{
	redis_words words;
	php_leveret_redis_words_begin(&words, self, command);
	bool is_good = php_leveret_redis_request(self, &words, false);
	php_leveret_redis_words_free(&words);
	if (is_good) {
		php_leveret_redis_enqueue(self, NULL, NULL);
	}
	return is_good;
}

PHP_METHOD(Redis, multi)
{
	zend_long mode = REDIS_MULTI;
	ZEND_PARSE_PARAMETERS_START(0, 1)
		Z_PARAM_OPTIONAL
		Z_PARAM_LONG(mode)
	ZEND_PARSE_PARAMETERS_END();
	REDIS_SELF();
	if (!connected(self)) {
		RETURN_FALSE;
	}
	if (mode == REDIS_PIPELINE) {
		if (self->mode & REDIS_MULTI) {
			php_error_docref(NULL, E_ERROR, "Can't activate pipeline in multi mode!");
			RETURN_FALSE;
		}
		self->mode |= REDIS_PIPELINE;
	} else if (mode != REDIS_MULTI) {
		php_error_docref(NULL, E_WARNING, "Unknown mode sent to Redis::multi");
		RETURN_FALSE;
	} else if (!(self->mode & REDIS_MULTI)) {
		bool is_good = self->mode & REDIS_PIPELINE ? queue_mark(self, "MULTI") : ask_for(self, "MULTI", "OK");
		if (!is_good) {
			RETURN_FALSE;
		}
		self->mode |= REDIS_MULTI;
	}
	RETURN_OBJ_COPY(&self->std);
}

PHP_METHOD(Redis, pipeline)
{
	ZEND_PARSE_PARAMETERS_NONE();
	REDIS_SELF();
	if (!connected(self)) {
		RETURN_FALSE;
	}
	if (self->mode & REDIS_MULTI) {
		php_error_docref(NULL, E_ERROR, "Can't activate pipeline in multi mode!");
		RETURN_FALSE;
	}
	self->mode |= REDIS_PIPELINE;
	RETURN_OBJ_COPY(&self->std);
}

PHP_METHOD(Redis, discard)
{
	ZEND_PARSE_PARAMETERS_NONE();
	REDIS_SELF();
	if (!php_leveret_redis_is_ready(self)) {
		RETURN_FALSE;
	}
	bool is_good = false;
	if (self->mode & REDIS_PIPELINE) {
		leveret_redis_drop(self->link);
		is_good = true;
	} else if (self->mode & REDIS_MULTI) {
		is_good = ask_for(self, "DISCARD", "OK");
	}
	if (is_good) {
		php_leveret_redis_forget_queue(self);
		self->mode = REDIS_ATOMIC;
	}
	RETURN_BOOL(is_good);
}

/* The replies of a transaction inside a pipeline: QUEUED for each of its commands, then EXEC's, which stands for all of
 * them. *at is MULTI's mark, and then EXEC's. False: *value is not set. */
static bool take_transaction(redis_object *self, const redis_queued *queue, uint32_t queued, const redis_node *replies,
	uint32_t *at, zval *value)
{
	if (replies[*at].kind != LEVERET_REDIS_STATUS) {
		return false;
	}
	while (++*at < queued && queue[*at].shape) {
		const redis_node *reply = &replies[*at];
		if (reply->kind == LEVERET_REDIS_ERROR) {
			php_leveret_redis_take_error(self, reply);
		}
		if (reply->kind != LEVERET_REDIS_STATUS) {
			return false;
		}
	}
	if (*at == queued) {
		return false;
	}
	const redis_node *reply = &replies[*at];
	if (reply->kind == LEVERET_REDIS_ARRAY) {
		php_leveret_redis_any(self, reply, NULL, value);
	} else {
		array_init(value);
	}
	return true;
}

/* Values of replies that are all there: decoding runs user code, which may use the object. */
static void take_replies(redis_object *self, redis_node *replies, uint32_t count, zval *return_value)
{
	redis_queued *queue = self->queue;
	uint32_t queued = self->queued;
	zval values;
	bool is_good = true;
	/* The object may queue again meanwhile. */
	self->queue = NULL;
	self->queued = self->queue_room = 0;
	if (queued == 0) {
		RETURN_EMPTY_ARRAY();
	}
	array_init_size(&values, queued);
	zend_hash_real_init_packed(Z_ARRVAL(values));
	GC_ADDREF(&self->std);
	ZEND_HASH_FILL_PACKED(Z_ARRVAL(values))
	{
		for (uint32_t i = 0; i < queued && i < count && is_good; i++) {
			zval value;
			ZVAL_FALSE(&value);
			if (queue[i].shape) {
				queue[i].shape(self, &replies[i], queue[i].context, &value);
			} else {
				is_good = take_transaction(self, queue, queued, replies, &i, &value);
			}
			if (is_good) {
				ZEND_HASH_FILL_SET(&value);
				ZEND_HASH_FILL_NEXT();
			}
		}
	}
	ZEND_HASH_FILL_END();
	if (is_good) {
		ZVAL_COPY_VALUE(return_value, &values);
	} else {
		zval_ptr_dtor(&values);
		ZVAL_FALSE(return_value);
	}
	for (uint32_t i = 0; i < queued; i++) {
		if (queue[i].context) {
			zend_array_release(queue[i].context);
		}
	}
	efree(queue);
	OBJ_RELEASE(&self->std);
}

static void exec_pipeline(redis_object *self, zval *return_value)
{
	uint64_t turn;
	uint32_t count = self->queued, have = 0;
	self->mode = REDIS_ATOMIC;
	if (count == 0) {
		leveret_redis_drop(self->link);
		RETURN_EMPTY_ARRAY();
	}
	RETVAL_FALSE;
	if (!php_leveret_redis_flush(self, &turn)) {
		return;
	}
	redis_node *replies = safe_emalloc(count, sizeof(*replies), 0);
	while (have < count && php_leveret_redis_read(self, turn, &replies[have])) {
		have++;
	}
	if (have == count) {
		take_replies(self, replies, count, return_value);
	}
	while (have > 0) {
		php_leveret_redis_node_free(&replies[--have]);
	}
	efree(replies);
}

static void exec_transaction(redis_object *self, zval *return_value)
{
	redis_words words;
	redis_node reply;
	php_leveret_redis_words_begin(&words, self, "EXEC");
	bool is_good = php_leveret_redis_ask(self, &words, false, &reply);
	php_leveret_redis_words_free(&words);
	self->mode &= ~REDIS_MULTI;
	RETVAL_FALSE;
	if (!is_good) {
		return;
	}
	if (reply.kind == LEVERET_REDIS_ARRAY) {
		take_replies(self, reply.items, reply.count, return_value);
	} else {
		php_leveret_redis_forget_queue(self);
	}
	php_leveret_redis_node_free(&reply);
}

PHP_METHOD(Redis, exec)
{
	ZEND_PARSE_PARAMETERS_NONE();
	REDIS_SELF();
	if (!php_leveret_redis_is_ready(self)) {
		RETURN_FALSE;
	}
	if ((self->mode & REDIS_MULTI) && (self->mode & REDIS_PIPELINE)) {
		if (queue_mark(self, "EXEC")) {
			self->mode &= ~REDIS_MULTI;
			RETURN_OBJ_COPY(&self->std);
		}
		RETURN_FALSE;
	}
	RETVAL_FALSE;
	if (self->mode & REDIS_MULTI) {
		exec_transaction(self, return_value);
	} else if (self->mode & REDIS_PIPELINE) {
		exec_pipeline(self, return_value);
	}
}

PHP_METHOD(Redis, reset)
{
	ZEND_PARSE_PARAMETERS_NONE();
	REDIS_SELF();
	if (!php_leveret_redis_is_ready(self)) {
		RETURN_FALSE;
	}
	if (self->mode & REDIS_PIPELINE) {
		php_error_docref(NULL, E_ERROR, "Reset isn't allowed in pipeline mode!");
		RETURN_FALSE;
	}
	if (ask_for(self, "RESET", "RESET")) {
		php_leveret_redis_forget_queue(self);
		self->mode = REDIS_ATOMIC;
		RETURN_TRUE;
	}
	if (self->mode == REDIS_ATOMIC) {
		RETURN_FALSE;
	}
	php_leveret_redis_throw("Reset failed in multi mode!");
}

/* --- get(): from the arena of a server of this host, or by its command --- */

PHP_METHOD(Redis, get)
{
	zend_string *key;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR(key)
	ZEND_PARSE_PARAMETERS_END();
	REDIS_SELF();
	if (!php_leveret_redis_is_ready(self)) {
		RETURN_THROWS();
	}
	key = php_leveret_redis_full_key(self, key);
	if (UNEXPECTED(self->mode != REDIS_ATOMIC || !php_leveret_redis_get_from_arena(self, key, return_value))) {
		/* These own nothing, so there is nothing to free. */
		redis_words words;
		words.self = self;
		words.list = words.first_list;
		words.list[0] = php_leveret_bytes("GET", strlen("GET"));
		words.list[1] = php_leveret_string(key);
		words.count = 2;
		php_leveret_redis_send(self, &words, php_leveret_redis_string, NULL, false, return_value);
	}
	zend_string_release(key);
}
