/* memcached/module.h: the INI settings memcached.* of the drop-in module memcached. */
#ifndef PHP_LEVERET_MEMCACHED_MODULE_H
#define PHP_LEVERET_MEMCACHED_MODULE_H

#include "php.h"

ZEND_BEGIN_MODULE_GLOBALS(leveret_memcached)
	char *compression_type;
	zend_long compression_threshold;
	double compression_factor;
	zend_long compression_level;
	char *serializer;
	zend_long store_retry_count;
	zend_long item_size_limit;
	bool default_consistent_hash;
	bool default_binary_protocol;
	zend_long default_connect_timeout;

	bool sess_locking;
	zend_long sess_lock_wait_min;
	zend_long sess_lock_wait_max;
	zend_long sess_lock_retries;
	zend_long sess_lock_expire;
	bool sess_binary_protocol;
	bool sess_consistent_hash;
	char *sess_consistent_hash_type;
	zend_long sess_number_of_replicas;
	bool sess_randomize_replica_read;
	bool sess_remove_failed_servers;
	zend_long sess_server_failure_limit;
	zend_long sess_connect_timeout;
	char *sess_sasl_username;
	char *sess_sasl_password;
	bool sess_persistent;
	char *sess_prefix;

	HashTable links;         /* persistent id -> memc_link */
	HashTable session_pools; /* session.save_path -> leveret_pool, with sess_persistent */
ZEND_END_MODULE_GLOBALS(leveret_memcached)

ZEND_EXTERN_MODULE_GLOBALS(leveret_memcached)

#define MEMCACHED_G(v) ZEND_MODULE_GLOBALS_ACCESSOR(leveret_memcached, v)

zend_result php_leveret_memcached_startup(void);

#endif
