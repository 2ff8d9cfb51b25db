/* redis/module.c: the drop-in module redis: what extension_loaded('redis'), phpversion('redis') and ini_get() see. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "module.h"
#include "php_leveret.h"
#include "release.h"
#include "redis.h"
#include "session.h"

#include "ext/standard/info.h"
#include "php_ini.h"

/* The version whose behaviour is kept. Applications compare it. */
#define REDIS_VERSION "6.2.0"

ZEND_DECLARE_MODULE_GLOBALS(leveret_redis)

#define ENTRY(name, value, handler, field) \
	STD_PHP_INI_ENTRY( \
		"redis." name, value, PHP_INI_ALL, handler, field, zend_leveret_redis_globals, leveret_redis_globals)
/* Settings of RedisArray and RedisCluster, which are not in this version, and of checks that the link does otherwise. */
#define UNUSED(name, value) PHP_INI_ENTRY("redis." name, value, PHP_INI_ALL, NULL)

PHP_INI_BEGIN()
	UNUSED("arrays.algorithm", "")
	UNUSED("arrays.auth", "")
	UNUSED("arrays.autorehash", "0")
	UNUSED("arrays.connecttimeout", "0")
	UNUSED("arrays.distributor", "")
	UNUSED("arrays.functions", "")
	UNUSED("arrays.hosts", "")
	UNUSED("arrays.index", "0")
	UNUSED("arrays.lazyconnect", "0")
	UNUSED("arrays.names", "")
	UNUSED("arrays.pconnect", "0")
	UNUSED("arrays.previous", "")
	UNUSED("arrays.readtimeout", "0")
	UNUSED("arrays.retryinterval", "0")
	UNUSED("arrays.consistent", "0")
	UNUSED("clusters.cache_slots", "0")
	UNUSED("clusters.auth", "")
	UNUSED("clusters.persistent", "0")
	UNUSED("clusters.read_timeout", "0")
	UNUSED("clusters.seeds", "")
	UNUSED("clusters.timeout", "0")
	ENTRY("pconnect.pooling_enabled", "1", OnUpdateBool, pooling_enabled)
	ENTRY("pconnect.connection_limit", "0", OnUpdateLong, connection_limit)
	UNUSED("pconnect.echo_check_liveness", "1")
	UNUSED("pconnect.pool_detect_dirty", "0")
	UNUSED("pconnect.pool_poll_timeout", "0")
	UNUSED("pconnect.pool_pattern", "")
	ENTRY("session.locking_enabled", "0", OnUpdateBool, locking_enabled)
	ENTRY("session.lock_expire", "0", OnUpdateLong, lock_expire)
	ENTRY("session.lock_retries", "100", OnUpdateLong, lock_retries)
	ENTRY("session.lock_wait_time", "20000", OnUpdateLong, lock_wait_time)
	ENTRY("session.early_refresh", "0", OnUpdateBool, early_refresh)
	ENTRY("session.compression", "none", OnUpdateString, compression)
	ENTRY("session.compression_level", "3", OnUpdateLong, compression_level)
PHP_INI_END()

static PHP_GINIT_FUNCTION(leveret_redis)
{
#if defined(COMPILE_DL_LEVERET) && defined(ZTS)
	ZEND_TSRMLS_CACHE_UPDATE();
#endif
	memset(leveret_redis_globals, 0, sizeof(*leveret_redis_globals));
}

static PHP_MINIT_FUNCTION(redis)
{
	REGISTER_INI_ENTRIES();
	php_leveret_redis_classes();
	php_leveret_redis_session();
	return SUCCESS;
}

static PHP_MSHUTDOWN_FUNCTION(redis)
{
	UNREGISTER_INI_ENTRIES();
	return SUCCESS;
}

static PHP_MINFO_FUNCTION(redis)
{
	bool has_zstd = php_leveret_redis_has_compression(REDIS_COMPRESSION_ZSTD);
	php_info_print_table_start();
	php_info_print_table_row(2, "Redis Support", "enabled");
	php_info_print_table_row(2, "Redis Version", REDIS_VERSION);
	php_info_print_table_row(2, "Provided by", "leveret " PHP_LEVERET_VERSION);
	php_info_print_table_row(2, "Available compression", has_zstd ? "lzf, zstd, lz4" : "lzf, lz4");
	php_info_print_table_end();
	DISPLAY_INI_ENTRIES();
}

static zend_module_entry redis_module_entry = { STANDARD_MODULE_HEADER, "redis", NULL, PHP_MINIT(redis),
	PHP_MSHUTDOWN(redis), NULL, NULL, PHP_MINFO(redis), REDIS_VERSION, PHP_MODULE_GLOBALS(leveret_redis),
	PHP_GINIT(leveret_redis), NULL, NULL, STANDARD_MODULE_PROPERTIES_EX };

zend_result php_leveret_redis_startup(void)
{
	return zend_startup_module(&redis_module_entry);
}
