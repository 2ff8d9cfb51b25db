/* redis/scan.c: walks, raw commands, and messages of channels. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "redis.h"

PHP_METHOD(Redis, rawcommand)
{
	zval *arguments;
	uint32_t count;
	ZEND_PARSE_PARAMETERS_START(1, -1)
		Z_PARAM_VARIADIC('+', arguments, count)
	ZEND_PARSE_PARAMETERS_END();
	REDIS_SELF();
	if (Z_TYPE(arguments[0]) != IS_STRING) {
		php_error_docref(NULL, E_WARNING, "When sending a 'raw' command, the first argument must be a string!");
		RETURN_FALSE;
	}
	for (uint32_t i = 1; i < count; i++) {
		if (Z_TYPE(arguments[i]) != IS_STRING && Z_TYPE(arguments[i]) != IS_LONG && Z_TYPE(arguments[i]) != IS_DOUBLE) {
			php_error_docref(NULL, E_WARNING, "Raw command arguments must be scalar values!");
			RETURN_FALSE;
		}
	}
	if (!php_leveret_redis_is_ready(self)) {
		RETURN_FALSE;
	}
	redis_words words;
	php_leveret_redis_words_begin(&words, self, Z_STRVAL(arguments[0]));
	words.list[0] = php_leveret_string(Z_STR(arguments[0]));
	for (uint32_t i = 1; i < count; i++) {
		if (Z_TYPE(arguments[i]) == IS_DOUBLE) {
			php_leveret_redis_add_double(&words, Z_DVAL(arguments[i]));
		} else {
			php_leveret_redis_add_text(&words, &arguments[i]);
		}
	}
	/* A queued command never returns a status as text. */
	redis_shape shape = self->mode == REDIS_ATOMIC ? php_leveret_redis_any_literal : php_leveret_redis_any;
	php_leveret_redis_send(self, &words, shape, NULL, true, return_value);
	php_leveret_redis_words_free(&words);
}

/* --- walks --- */

/* The cursor of a script: null begins, 0 is the end. Above the largest integer it is a text. */
static uint64_t cursor_of(zval *cursor, bool *is_over)
{
	*is_over = false;
	if (Z_TYPE_P(cursor) == IS_STRING) {
		*is_over = zend_string_equals_literal(Z_STR_P(cursor), "0");
		return strtoull(Z_STRVAL_P(cursor), NULL, 10);
	}
	if (Z_TYPE_P(cursor) == IS_LONG) {
		*is_over = Z_LVAL_P(cursor) == 0;
		return (uint64_t) Z_LVAL_P(cursor);
	}
	return 0;
}

static void set_cursor(zval *reference, uint64_t cursor)
{
	if (cursor > ZEND_LONG_MAX) {
		ZEND_TRY_ASSIGN_REF_STR(reference, zend_ulong_to_str(cursor));
	} else {
		ZEND_TRY_ASSIGN_REF_LONG(reference, (zend_long) cursor);
	}
}

/* One step. False: no page has come, and an exception or an error tells why. */
static bool step(redis_object *self, redis_words *words, redis_shape shape, uint64_t *cursor, zval *page)
{
	redis_node reply;
	if (!php_leveret_redis_ask(self, words, false, &reply)) {
		return false;
	}
	bool is_page = php_leveret_redis_is_list(self, &reply) && reply.count == 2 && reply.items[0].text;
	if (is_page) {
		*cursor = strtoull(ZSTR_VAL(reply.items[0].text), NULL, 10);
		shape(self, &reply.items[1], NULL, page);
	}
	php_leveret_redis_node_free(&reply);
	return is_page;
}

PHP_METHOD(Redis, scan)
{
	zend_string *key = NULL, *pattern = NULL, *type = NULL;
	zend_long count = 0;
	zval *reference;
	bool is_over;
	char kind = *ZSTR_VAL(EX(func)->common.function_name) | 0x20;
	bool has_key = strlen("scan") != ZSTR_LEN(EX(func)->common.function_name);
	redis_shape shape = !has_key ? php_leveret_redis_list_raw
		: kind == 's'            ? php_leveret_redis_list
		: kind == 'h'            ? php_leveret_redis_pairs_values
								 : php_leveret_redis_pairs_scores;
	zend_result parsed = has_key
		? zend_parse_parameters(ZEND_NUM_ARGS(), "S!z|S!l", &key, &reference, &pattern, &count)
		: zend_parse_parameters(ZEND_NUM_ARGS(), "z|S!lS!", &reference, &pattern, &count, &type);
	if (parsed == FAILURE) {
		RETURN_THROWS();
	}
	REDIS_SELF();
	if (!php_leveret_redis_is_ready(self)) {
		RETURN_FALSE;
	}
	if (self->mode != REDIS_ATOMIC) {
		php_error_docref(NULL, E_ERROR, "Can't call SCAN commands in multi or pipeline mode!");
		RETURN_FALSE;
	}
	uint64_t cursor = cursor_of(Z_REFVAL_P(reference), &is_over);
	if (is_over) {
		RETURN_FALSE;
	}
	zval page;
	bool is_good, is_empty;
	do {
		redis_words words;
		php_leveret_redis_words_begin(&words, self,
			!has_key          ? "SCAN"
				: kind == 's' ? "SSCAN"
				: kind == 'h' ? "HSCAN"
							  : "ZSCAN");
		if (key) {
			php_leveret_redis_add_key(&words, key);
		}
		php_leveret_redis_add_own(&words, zend_ulong_to_str(cursor));
		if (count) {
			php_leveret_redis_add_literal(&words, "COUNT");
			php_leveret_redis_add_long(&words, (int32_t) count);
		}
		if ((self->scan & REDIS_SCAN_PREFIX) && self->prefix) {
			php_leveret_redis_add_literal(&words, "MATCH");
			php_leveret_redis_add_key(&words, pattern ? pattern : ZSTR_EMPTY_ALLOC());
		} else if (pattern && ZSTR_LEN(pattern)) {
			php_leveret_redis_add_literal(&words, "MATCH");
			php_leveret_redis_add_string(&words, pattern);
		}
		if (type) {
			php_leveret_redis_add_literal(&words, "TYPE");
			php_leveret_redis_add_string(&words, type);
		}
		is_good = step(self, &words, shape, &cursor, &page);
		php_leveret_redis_words_free(&words);
		is_empty = is_good && Z_TYPE(page) == IS_ARRAY && zend_hash_num_elements(Z_ARRVAL(page)) == 0;
	} while (is_empty && (self->scan & REDIS_SCAN_RETRY) && cursor != 0);
	if (!is_good) {
		RETURN_FALSE;
	}
	set_cursor(reference, cursor);
	RETURN_COPY_VALUE(&page);
}

/* --- messages --- */

/* The list of callbacks that a method's name belongs to: its first letter may be p or s. */
static int subscriptions_of(const zend_string *method, const char *plain)
{
	return ZSTR_LEN(method) == strlen(plain) ? 0 : (*ZSTR_VAL(method) | 0x20) == 'p' ? 1 : 2;
}

static const char *const subscribe_words[] = { "SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE" };
static const char *const unsubscribe_words[] = { "UNSUBSCRIBE", "PUNSUBSCRIBE", "SUNSUBSCRIBE" };

/* One message to its callback. False: it is none that is known, or an exception is pending. */
static bool tell_message(redis_object *self, int which, const redis_node *message)
{
	zval arguments[4], answer, *callback;
	uint32_t count = message->count;
	for (uint32_t i = 0; i < count; i++) {
		if (!message->items[i].text) {
			return false;
		}
	}
	const zend_string *kind = message->items[0].text;
	bool is_pattern = redis_is(kind, "pmessage");
	if (count != (is_pattern ? 4u : 3u)) {
		return false;
	}
	callback = zend_hash_find(self->subscriptions[which], message->items[1].text);
	if (!callback) {
		return false;
	}
	zval held;
	ZVAL_COPY(&held, callback);
	ZVAL_OBJ_COPY(&arguments[0], &self->std);
	for (uint32_t i = 1; i < count; i++) {
		if (i + 1 == count) {
			php_leveret_redis_string(self, &message->items[i], NULL, &arguments[i]);
		} else {
			ZVAL_STR_COPY(&arguments[i], message->items[i].text);
		}
	}
	ZVAL_UNDEF(&answer);
	zend_result called = call_user_function(NULL, NULL, &held, &answer, count, arguments);
	zval_ptr_dtor(&answer);
	for (uint32_t i = 0; i < count; i++) {
		zval_ptr_dtor(&arguments[i]);
	}
	zval_ptr_dtor(&held);
	return called == SUCCESS && !EG(exception);
}

/* Whether it is a message, and not what SUBSCRIBE or UNSUBSCRIBE answer. */
static bool is_message(const redis_node *reply)
{
	return reply->count >= 3 && reply->items[0].text
		&& (redis_is(reply->items[0].text, "message") || redis_is(reply->items[0].text, "pmessage")
			|| redis_is(reply->items[0].text, "smessage"));
}

PHP_METHOD(Redis, subscribe)
{
	HashTable *channels;
	zend_fcall_info call;
	zend_fcall_info_cache cache;
	zval *channel;
	ZEND_PARSE_PARAMETERS_START(2, 2)
		Z_PARAM_ARRAY_HT(channels)
		Z_PARAM_FUNC(call, cache)
	ZEND_PARSE_PARAMETERS_END();
	REDIS_SELF();
	uint32_t count = zend_hash_num_elements(channels);
	if (!php_leveret_redis_is_ready(self) || count == 0) {
		RETURN_FALSE;
	}
	int which = subscriptions_of(EX(func)->common.function_name, "subscribe");
	bool is_nested = self->subscriptions[which] != NULL;
	redis_words words;
	redis_node reply;
	uint64_t turn;
	php_leveret_redis_words_begin(&words, self, subscribe_words[which]);
	if (!is_nested) {
		self->subscriptions[which] = zend_new_array(count);
	}
	ZEND_HASH_FOREACH_VAL(channels, channel) {
		zend_string *name = zval_get_string(channel);
		php_leveret_redis_add_key(&words, name);
		zend_string_release(name);
		leveret_bytes full = words.list[words.count - 1];
		zend_string *key = zend_string_init((const char *) full.data, full.len, 0);
		Z_TRY_ADDREF(call.function_name);
		zend_hash_update(self->subscriptions[which], key, &call.function_name);
		zend_string_release(key);
	}
	ZEND_HASH_FOREACH_END();
	bool is_good = leveret_redis_request(self->link, words.list, words.count, false) == LEVERET_REDIS_OK;
	php_leveret_redis_words_free(&words);
	if (!is_good) {
		php_leveret_redis_failed(self);
		RETURN_FALSE;
	}
	leveret_redis_expect(self->link, count - 1);
	is_good = php_leveret_redis_flush(self, &turn);
	for (uint32_t i = 0; i < count && is_good; i++) {
		is_good = php_leveret_redis_read(self, turn, &reply);
		if (is_good) {
			is_good = php_leveret_redis_is_list(self, &reply) && reply.count >= 2;
			php_leveret_redis_node_free(&reply);
		}
	}
	if (is_nested) {
		RETURN_BOOL(is_good);
	}
	/* Until each channel has been unsubscribed from. */
	while (is_good && self->subscriptions[which] && zend_hash_num_elements(self->subscriptions[which])) {
		leveret_redis_expect(self->link, 1);
		is_good = php_leveret_redis_flush(self, &turn) && php_leveret_redis_read(self, turn, &reply);
		if (is_good) {
			is_good = !is_message(&reply) || tell_message(self, which, &reply);
			php_leveret_redis_node_free(&reply);
		}
	}
	if (self->subscriptions[which]) {
		zend_array_release(self->subscriptions[which]);
		self->subscriptions[which] = NULL;
	}
	RETURN_BOOL(is_good);
}

PHP_METHOD(Redis, unsubscribe)
{
	HashTable *channels;
	zval *channel;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_ARRAY_HT(channels)
	ZEND_PARSE_PARAMETERS_END();
	REDIS_SELF();
	uint32_t count = zend_hash_num_elements(channels);
	if (!php_leveret_redis_is_ready(self) || count == 0) {
		RETURN_FALSE;
	}
	int which = subscriptions_of(EX(func)->common.function_name, "unsubscribe");
	redis_words words;
	uint64_t turn;
	php_leveret_redis_words_begin(&words, self, unsubscribe_words[which]);
	ZEND_HASH_FOREACH_VAL(channels, channel) {
		php_leveret_redis_add_key_of(&words, channel);
	}
	ZEND_HASH_FOREACH_END();
	bool is_good = leveret_redis_request(self->link, words.list, words.count, false) == LEVERET_REDIS_OK;
	php_leveret_redis_words_free(&words);
	if (!is_good) {
		php_leveret_redis_failed(self);
		RETURN_FALSE;
	}
	leveret_redis_expect(self->link, count - 1);
	is_good = php_leveret_redis_flush(self, &turn);
	array_init(return_value);
	for (uint32_t i = 0; i < count && is_good; i++) {
		redis_node reply;
		is_good = php_leveret_redis_read(self, turn, &reply);
		if (!is_good) {
			break;
		}
		is_good = reply.count >= 2 && reply.items[1].text;
		if (is_good) {
			zend_string *name = reply.items[1].text;
			bool was = self->subscriptions[which] && zend_hash_del(self->subscriptions[which], name) == SUCCESS;
			add_assoc_bool_ex(return_value, ZSTR_VAL(name), ZSTR_LEN(name), was);
		}
		php_leveret_redis_node_free(&reply);
	}
	if (!is_good) {
		zval_ptr_dtor(return_value);
		RETURN_FALSE;
	}
}

/* --- RedisSentinel --- */

PHP_METHOD(RedisSentinel, tabled)
{
	static const struct {
		const char *method, *word;
		redis_shape shape;
	} rows[] = {
		{ "ckquorum", "ckquorum", php_leveret_redis_bool },
		{ "failover", "failover", php_leveret_redis_bool },
		{ "flushconfig", "flushconfig", php_leveret_redis_bool },
		{ "getMasterAddrByName", "get-master-addr-by-name", php_leveret_redis_list_raw },
		{ "master", "master", php_leveret_redis_pairs },
		{ "masters", "masters", php_leveret_redis_masters },
		{ "myid", "myid", php_leveret_redis_string },
		{ "ping", NULL, php_leveret_redis_bool },
		{ "reset", "reset", php_leveret_redis_int },
		{ "sentinels", "sentinels", php_leveret_redis_masters },
		{ "slaves", "slaves", php_leveret_redis_masters },
	};
	REDIS_SELF();
	zend_string *name = NULL;
	size_t i = 0;
	while (!redis_is(EX(func)->common.function_name, rows[i].method)) {
		i++;
		ZEND_ASSERT(i < sizeof(rows) / sizeof(*rows));
	}
	bool takes_name = EX(func)->common.num_args > 0;
	if (zend_parse_parameters(ZEND_NUM_ARGS(), takes_name ? "S" : "", &name) == FAILURE) {
		RETURN_THROWS();
	}
	if (!php_leveret_redis_is_ready(self)) {
		RETURN_FALSE;
	}
	redis_words words;
	php_leveret_redis_words_begin(&words, self, rows[i].word ? "SENTINEL" : "PING");
	if (rows[i].word) {
		php_leveret_redis_add_literal(&words, rows[i].word);
	}
	if (name) {
		php_leveret_redis_add_string(&words, name);
	}
	php_leveret_redis_send(self, &words, rows[i].shape, NULL, false, return_value);
	php_leveret_redis_words_free(&words);
}
