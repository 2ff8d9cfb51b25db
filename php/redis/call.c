/* redis/call.c: one command on its way: queued, sent, its reply read. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "redis.h"
/* --- replies --- */

static void free_node(redis_node *node)
{
	if (node->text) {
		zend_string_release(node->text);
	}
	for (uint32_t i = 0; i < node->count; i++) {
		free_node(&node->items[i]);
	}
	if (node->items) {
		efree(node->items);
	}
}

void php_leveret_redis_node_free(redis_node *node)
{
	free_node(node);
	memset(node, 0, sizeof(*node));
}

/* Room for the elements comes with them: how many there are is the server's word. */
#define ITEMS_AT_FIRST 16

static leveret_redis_code read_items(redis_object *self, uint64_t turn, redis_node *node, uint64_t count);

static leveret_redis_code read_node(redis_object *self, uint64_t turn, redis_node *node)
{
	leveret_redis_token token;
	leveret_redis_code code = leveret_redis_next(self->link, turn, &token);
	if (code != LEVERET_REDIS_OK) {
		return code;
	}
	node->kind = token.kind;
	node->number = token.number;
	switch (token.kind) {
		case LEVERET_REDIS_ARRAY:
		case LEVERET_REDIS_MAP:
		case LEVERET_REDIS_SET:
		case LEVERET_REDIS_PUSH:
			return read_items(self, turn, node, (uint64_t) token.number);
		case LEVERET_REDIS_BULK:
		case LEVERET_REDIS_VERBATIM:
		case LEVERET_REDIS_STATUS:
		case LEVERET_REDIS_ERROR:
		case LEVERET_REDIS_DOUBLE:
		case LEVERET_REDIS_BIG_NUMBER:
			node->text = zend_string_alloc(token.text.len, 0);
			ZSTR_VAL(node->text)[token.text.len] = '\0';
			if (token.text.data) {
				memcpy(ZSTR_VAL(node->text), token.text.data, token.text.len);
				return LEVERET_REDIS_OK;
			}
			return leveret_redis_copy(self->link, turn, ZSTR_VAL(node->text), ZSTR_LEN(node->text));
		default:
			return LEVERET_REDIS_OK;
	}
}

static leveret_redis_code read_items(redis_object *self, uint64_t turn, redis_node *node, uint64_t count)
{
	uint32_t room = 0;
	for (uint64_t i = 0; i < count; i++) {
		if (node->count == room) {
			room = room ? room * 2 : (uint32_t) MIN(count, ITEMS_AT_FIRST);
			node->items = safe_erealloc(node->items, room, sizeof(*node->items), 0);
		}
		redis_node *item = &node->items[node->count++];
		memset(item, 0, sizeof(*item));
		leveret_redis_code code = read_node(self, turn, item);
		if (code != LEVERET_REDIS_OK) {
			return code;
		}
	}
	return LEVERET_REDIS_OK;
}

bool php_leveret_redis_read(redis_object *self, uint64_t turn, redis_node *node)
{
	memset(node, 0, sizeof(*node));
	if (read_node(self, turn, node) == LEVERET_REDIS_OK) {
		return true;
	}
	php_leveret_redis_node_free(node);
	php_leveret_redis_failed(self);
	return false;
}

/* --- sending --- */

bool php_leveret_redis_request(redis_object *self, redis_words *words, bool is_raw)
{
	if (leveret_redis_request(self->link, words->list, words->count, is_raw) == LEVERET_REDIS_OK) {
		return true;
	}
	php_leveret_redis_failed(self);
	return false;
}

bool php_leveret_redis_flush(redis_object *self, uint64_t *turn)
{
	if (leveret_redis_flush(self->link, turn) == LEVERET_REDIS_OK) {
		return true;
	}
	php_leveret_redis_failed(self);
	return false;
}

bool php_leveret_redis_ask(redis_object *self, redis_words *words, bool is_raw, redis_node *reply)
{
	uint64_t turn;
	if (!is_raw && leveret_redis_execute(self->link, words->list, words->count, &turn)) {
		return php_leveret_redis_read(self, turn, reply);
	}
	return php_leveret_redis_request(self, words, is_raw) && php_leveret_redis_flush(self, &turn)
		&& php_leveret_redis_read(self, turn, reply);
}

static void send_alone(
	redis_object *self, redis_words *words, redis_shape shape, void *context, bool is_raw, zval *return_value)
{
	redis_node reply;
	zval value;
	ZVAL_FALSE(&value);
	/* Held: code of the value (__wakeup) may let go of the object. */
	GC_ADDREF(&self->std);
	if ((is_raw || !php_leveret_redis_read_arena(self, words, shape, &value))
		&& php_leveret_redis_ask(self, words, is_raw, &reply)) {
		shape(self, &reply, context, &value);
		php_leveret_redis_node_free(&reply);
	}
	ZVAL_COPY_VALUE(return_value, &value);
	OBJ_RELEASE(&self->std);
}

void php_leveret_redis_send(
	redis_object *self, redis_words *words, redis_shape shape, void *context, bool is_raw, zval *return_value)
{
	redis_node reply;
	if (self->mode & REDIS_PIPELINE) {
		if (php_leveret_redis_request(self, words, is_raw)) {
			php_leveret_redis_enqueue(self, shape, context);
			RETURN_OBJ_COPY(&self->std);
		}
		RETURN_FALSE;
	}
	RETVAL_FALSE;
	if (self->mode == REDIS_ATOMIC) {
		send_alone(self, words, shape, context, is_raw, return_value);
		return;
	}
	if (!php_leveret_redis_ask(self, words, is_raw, &reply)) {
		return;
	}
	if (reply.kind == LEVERET_REDIS_STATUS && zend_string_equals_literal(reply.text, "QUEUED")) {
		php_leveret_redis_enqueue(self, shape, context);
		RETVAL_OBJ_COPY(&self->std);
	} else if (reply.kind == LEVERET_REDIS_ERROR) {
		php_leveret_redis_take_error(self, &reply);
	}
	php_leveret_redis_node_free(&reply);
}
