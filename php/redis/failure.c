/* redis/failure.c: errors, and the queue of a pipeline or a transaction, which ends with the connection. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "redis.h"

#include "zend_exceptions.h"

zend_class_entry *php_leveret_redis_ce, *php_leveret_redis_exception_ce;

void php_leveret_redis_throw(const char *text)
{
	zend_throw_exception(php_leveret_redis_exception_ce, text, 0);
}

void php_leveret_redis_set_error(redis_object *self, zend_string *text)
{
	if (self->error) {
		zend_string_release(self->error);
	}
	self->error = text;
}

void php_leveret_redis_failed(redis_object *self)
{
	leveret_bytes text = leveret_redis_error(self->link);
	/* Held: throwing may run user code, which may use the link. */
	zend_string *copy = zend_string_init((const char *) text.data, text.len, 0);
	php_leveret_redis_forget_queue(self);
	self->mode = REDIS_ATOMIC;
	php_leveret_redis_throw(ZSTR_VAL(copy));
	zend_string_release(copy);
}

bool php_leveret_redis_is_ready(redis_object *self)
{
	if (UNEXPECTED(!self->has_server)) {
		php_leveret_redis_throw("Redis server went away");
		return false;
	}
	return true;
}

void php_leveret_redis_forget_queue(redis_object *self)
{
	uint32_t count = self->queued;
	self->queued = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (self->queue[i].context) {
			zend_array_release(self->queue[i].context);
		}
	}
	if (self->queue) {
		efree(self->queue);
	}
	self->queue = NULL;
	self->queue_room = 0;
}

void php_leveret_redis_enqueue(redis_object *self, redis_shape shape, void *context)
{
	if (self->queued == self->queue_room) {
		self->queue_room = self->queue_room ? self->queue_room * 2 : 8;
		self->queue = safe_erealloc(self->queue, self->queue_room, sizeof(*self->queue), 0);
	}
	redis_queued *queued = &self->queue[self->queued++];
	queued->shape = shape;
	queued->context = context;
	if (context) {
		GC_TRY_ADDREF((zend_array *) context);
	}
}
