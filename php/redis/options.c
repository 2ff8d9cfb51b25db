/* redis/options.c: setOption() and getOption(). */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "redis.h"

enum {
	OPT_SERIALIZER = 1,
	OPT_PREFIX,
	OPT_READ_TIMEOUT,
	OPT_SCAN,
	OPT_SLAVE_FAILOVER,
	OPT_TCP_KEEPALIVE,
	OPT_COMPRESSION,
	OPT_REPLY_LITERAL,
	OPT_COMPRESSION_LEVEL,
	OPT_NULL_MULTIBULK_AS_NULL,
	OPT_MAX_RETRIES,
	OPT_BACKOFF_ALGORITHM,
	OPT_BACKOFF_BASE,
	OPT_BACKOFF_CAP,
	OPT_PACK_IGNORE_NUMBERS
};

enum { SCAN_NORETRY = 0, SCAN_NOPREFIX = 3 };

static bool has_serializer(zend_long number)
{
	return number == REDIS_SERIALIZER_NONE || number == REDIS_SERIALIZER_PHP || number == REDIS_SERIALIZER_JSON
		|| (number == REDIS_SERIALIZER_IGBINARY && php_leveret_has_serializer(LEVERET_IGBINARY))
		|| (number == REDIS_SERIALIZER_MSGPACK && php_leveret_has_serializer(LEVERET_MSGPACK));
}

static void set_prefix(redis_object *self, zval *value)
{
	zend_string *prefix = zval_get_string(value), *before = self->prefix;
	self->prefix = ZSTR_LEN(prefix) ? zend_string_copy(prefix) : NULL;
	zend_string_release(prefix);
	if (before) {
		zend_string_release(before);
	}
}

static bool set_scan(redis_object *self, zend_long number)
{
	switch (number) {
		case SCAN_NORETRY:
			self->scan &= ~REDIS_SCAN_RETRY;
			return true;
		case SCAN_NOPREFIX:
			self->scan &= ~REDIS_SCAN_PREFIX;
			return true;
		case REDIS_SCAN_RETRY:
		case REDIS_SCAN_PREFIX:
			self->scan |= (int) number;
			return true;
		default:
			return false;
	}
}

/* A number of retries or of milliseconds. */
static bool set_number(redis_object *self, uint32_t *place, zend_long number, zend_long most)
{
	if (number < 0 || number > most) {
		return false;
	}
	*place = (uint32_t) number;
	php_leveret_redis_tell_tuning(self);
	return true;
}

static bool set_option(redis_object *self, zend_long option, zval *value)
{
	zend_long number;
	switch (option) {
		case OPT_SERIALIZER:
			number = zval_get_long(value);
			if (!has_serializer(number)) {
				return false;
			}
			self->serializer = (int) number;
			return true;
		case OPT_COMPRESSION:
			number = zval_get_long(value);
			if (!php_leveret_redis_has_compression(number)) {
				return false;
			}
			self->compression = (int) number;
			return true;
		case OPT_COMPRESSION_LEVEL:
			self->compression_level = zval_get_long(value);
			return true;
		case OPT_PREFIX:
			set_prefix(self, value);
			return true;
		case OPT_READ_TIMEOUT:
			self->read_timeout = zval_get_double(value);
			php_leveret_redis_tell_tuning(self);
			return true;
		case OPT_TCP_KEEPALIVE:
			if (*ZSTR_VAL(self->host) == '/' && self->port < 1) {
				return false;
			}
			self->keepalive = zval_get_long(value) > 0;
			php_leveret_redis_tell_tuning(self);
			return true;
		case OPT_SCAN:
			return set_scan(self, zval_get_long(value));
		case OPT_REPLY_LITERAL:
			self->is_literal = zval_get_long(value) != 0;
			return true;
		case OPT_NULL_MULTIBULK_AS_NULL:
			self->nil_is_null = zval_get_long(value) != 0;
			return true;
		case OPT_PACK_IGNORE_NUMBERS:
			self->ignores_numbers = zend_is_true(value);
			return true;
		case OPT_SLAVE_FAILOVER:
			return false;
		case OPT_MAX_RETRIES:
			return set_number(self, &self->tuning.max_retries, zval_get_long(value), UINT32_MAX);
		case OPT_BACKOFF_ALGORITHM:
			return set_number(self, &self->tuning.backoff, zval_get_long(value), LEVERET_REDIS_BACKOFF_CONSTANT);
		case OPT_BACKOFF_BASE:
			return set_number(self, &self->tuning.backoff_base_ms, zval_get_long(value), UINT32_MAX);
		case OPT_BACKOFF_CAP:
			return set_number(self, &self->tuning.backoff_cap_ms, zval_get_long(value), UINT32_MAX);
		default:
			php_error_docref(NULL, E_WARNING, "Unknown option '" ZEND_LONG_FMT "'", option);
			return false;
	}
}

PHP_METHOD(Redis, setOption)
{
	zend_long option;
	zval *value;
	ZEND_PARSE_PARAMETERS_START(2, 2)
		Z_PARAM_LONG(option)
		Z_PARAM_ZVAL(value)
	ZEND_PARSE_PARAMETERS_END();
	REDIS_SELF();
	if (!php_leveret_redis_is_ready(self)) {
		RETURN_THROWS();
	}
	RETURN_BOOL(set_option(self, option, value));
}

PHP_METHOD(Redis, getOption)
{
	zend_long option;
	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_LONG(option)
	ZEND_PARSE_PARAMETERS_END();
	REDIS_SELF();
	if (!php_leveret_redis_is_ready(self)) {
		RETURN_THROWS();
	}
	switch (option) {
		case OPT_SERIALIZER:
			RETURN_LONG(self->serializer);
		case OPT_COMPRESSION:
			RETURN_LONG(self->compression);
		case OPT_COMPRESSION_LEVEL:
			RETURN_LONG(self->compression_level);
		case OPT_PREFIX:
			if (!self->prefix) {
				RETURN_NULL();
			}
			RETURN_STR_COPY(self->prefix);
		case OPT_READ_TIMEOUT:
			RETURN_DOUBLE(self->read_timeout);
		case OPT_TCP_KEEPALIVE:
			RETURN_LONG(self->keepalive);
		case OPT_SCAN:
			RETURN_LONG(self->scan);
		case OPT_REPLY_LITERAL:
			RETURN_LONG(self->is_literal);
		case OPT_NULL_MULTIBULK_AS_NULL:
			RETURN_LONG(self->nil_is_null);
		case OPT_PACK_IGNORE_NUMBERS:
			RETURN_BOOL(self->ignores_numbers);
		case OPT_MAX_RETRIES:
			RETURN_LONG(self->tuning.max_retries);
		case OPT_BACKOFF_ALGORITHM:
			RETURN_LONG(self->tuning.backoff);
		case OPT_BACKOFF_BASE:
			RETURN_LONG(self->tuning.backoff_base_ms);
		case OPT_BACKOFF_CAP:
			RETURN_LONG(self->tuning.backoff_cap_ms);
		default:
			RETURN_FALSE;
	}
}
