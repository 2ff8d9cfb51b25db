/* redis/module.h: the INI settings redis.* of the drop-in module redis. */
#ifndef PHP_LEVERET_REDIS_MODULE_H
#define PHP_LEVERET_REDIS_MODULE_H

#include "php.h"

ZEND_BEGIN_MODULE_GLOBALS(leveret_redis)
	bool pooling_enabled;
	zend_long connection_limit;
	bool locking_enabled;
	zend_long lock_expire;
	zend_long lock_retries;
	zend_long lock_wait_time;
	bool early_refresh;
	char *compression;
	zend_long compression_level;
ZEND_END_MODULE_GLOBALS(leveret_redis)

ZEND_EXTERN_MODULE_GLOBALS(leveret_redis)

#define REDIS_G(v) ZEND_MODULE_GLOBALS_ACCESSOR(leveret_redis, v)

zend_result php_leveret_redis_startup(void);

#endif
