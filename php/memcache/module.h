/* memcache/module.h: the INI settings memcache.* of the drop-in module memcache. */
#ifndef PHP_LEVERET_MEMCACHE_MODULE_H
#define PHP_LEVERET_MEMCACHE_MODULE_H

#include "php.h"

ZEND_BEGIN_MODULE_GLOBALS(leveret_memcache)
	bool allow_failover;
	zend_long max_failover_attempts;
	zend_long default_port;
	char *protocol;
	char *hash_strategy;
	char *hash_function;
	zend_long redundancy;
	zend_long session_redundancy;
	zend_long compress_threshold;
	zend_long lock_timeout;
	char *session_save_path;

	bool session_prefix_host_key;
	bool session_prefix_host_key_remove_www;
	bool session_prefix_host_key_remove_subdomain;
	char *session_prefix_static_key;
	bool prefix_host_key;
	bool prefix_host_key_remove_www;
	bool prefix_host_key_remove_subdomain;
	char *prefix_static_key;

	/* Accepted and shown; nothing here reads by chunks or selects. */
	zend_long chunk_size;
	char *select_api;

	zend_string *session_prefix; /* of this request's sessions; NULL = none */
	HashTable pools;             /* list of persistent servers -> mmc_pool */
ZEND_END_MODULE_GLOBALS(leveret_memcache)

ZEND_EXTERN_MODULE_GLOBALS(leveret_memcache)

#define MEMCACHE_G(v) ZEND_MODULE_GLOBALS_ACCESSOR(leveret_memcache, v)

zend_result php_leveret_memcache_startup(void);

#endif
