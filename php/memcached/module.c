/* memcached/module.c: the drop-in module memcached: what extension_loaded('memcached'), phpversion('memcached') and
 * ini_get() see. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "module.h"
#include "codec/serializer.h"
#include "memcached.h"
#include "php_leveret.h"
#include "release.h"

#include "ext/session/php_session.h"
#include "ext/standard/info.h"
#include "php_ini.h"

/* The version whose behaviour is kept. Applications compare it. */
#define MEMCACHED_VERSION "3.3.0"

ZEND_DECLARE_MODULE_GLOBALS(leveret_memcached)

/* False: then PHP keeps the value that was there. If asked to it gives one warning, in the words of all directives. */
static bool memc_is_one_of(
	zend_ini_entry *entry, zend_string *value, const char *const *words, const char *allowed, bool warns)
{
	for (; *words; words++) {
		if (zend_string_equals_cstr(value, *words, strlen(*words))) {
			return true;
		}
	}
	if (warns) {
		php_error_docref(
			NULL, E_WARNING, "%s must be %s, \"%s\" is not", ZSTR_VAL(entry->name), allowed, ZSTR_VAL(value));
	}
	return false;
}

/* Of this and of the serializer files are warned; to ini_set() the original says no more than false. */
static PHP_INI_MH(on_update_compression_type)
{
	bool has_zstd = leveret_has_codec(LEVERET_CODEC_ZSTD);
	const char *const words[] = { "fastlz", "zlib", has_zstd ? "zstd" : NULL, NULL };
	if (new_value
		&& !memc_is_one_of(entry, new_value, words, has_zstd ? "fastlz, zlib or zstd" : "fastlz or zlib",
			stage != PHP_INI_STAGE_RUNTIME)) {
		return FAILURE;
	}
	return OnUpdateString(entry, new_value, mh_arg1, mh_arg2, mh_arg3, stage);
}

static PHP_INI_MH(on_update_serializer)
{
	static const char *const words[] = { "php", "igbinary", "json", "json_array", "msgpack", "", NULL };
	if (new_value
		&& !memc_is_one_of(entry, new_value, words, "php, igbinary, json, json_array, msgpack or empty",
			stage != PHP_INI_STAGE_RUNTIME)) {
		return FAILURE;
	}
	return OnUpdateString(entry, new_value, mh_arg1, mh_arg2, mh_arg3, stage);
}

static PHP_INI_MH(on_update_hash_type)
{
	static const char *const words[] = { "ketama", "ketama_weighted", NULL };
	if (new_value && !memc_is_one_of(entry, new_value, words, "ketama or ketama_weighted", true)) {
		return FAILURE;
	}
	return OnUpdateString(entry, new_value, mh_arg1, mh_arg2, mh_arg3, stage);
}

static PHP_INI_MH(on_update_prefix)
{
	/* pecl/memcached says 250. */
	const size_t prefix_max = 251;
	if (new_value && ZSTR_LEN(new_value) > prefix_max) {
		php_error_docref(NULL, E_WARNING, "memcached.sess_prefix too long (max: 250)");
		return FAILURE;
	}
	for (size_t i = 0; new_value && i < ZSTR_LEN(new_value); i++) {
		if (!isgraph((unsigned char) ZSTR_VAL(new_value)[i])) {
			php_error_docref(NULL, E_WARNING, "memcached.sess_prefix cannot contain whitespace or control characters");
			return FAILURE;
		}
	}
	return OnUpdateString(entry, new_value, mh_arg1, mh_arg2, mh_arg3, stage);
}

/* Two directives of long ago, whose work sess_lock_wait_min and _max do. */
static PHP_INI_MH(on_update_deprecated)
{
	if (stage != PHP_INI_STAGE_STARTUP && new_value && ZSTR_LEN(new_value)
		&& !zend_string_equals_literal(new_value, "not set")) {
		php_error_docref(NULL, E_DEPRECATED,
			"%s is no longer used: set memcached.sess_lock_wait_min and memcached.sess_lock_wait_max",
			ZSTR_VAL(entry->name));
		return FAILURE;
	}
	return SUCCESS;
}

#define MEMC_ENTRY(name, value, handler, field) \
	STD_PHP_INI_ENTRY("memcached." name, value, PHP_INI_ALL, handler, field, zend_leveret_memcached_globals, \
		leveret_memcached_globals)
#define MEMC_BOOLEAN(name, value, field) \
	STD_PHP_INI_BOOLEAN("memcached." name, value, PHP_INI_ALL, OnUpdateBool, field, zend_leveret_memcached_globals, \
		leveret_memcached_globals)

PHP_INI_BEGIN()
	MEMC_BOOLEAN("sess_locking", "1", sess_locking)
	MEMC_ENTRY("sess_lock_wait_min", "150", OnUpdateLongGEZero, sess_lock_wait_min)
	MEMC_ENTRY("sess_lock_wait_max", "150", OnUpdateLongGEZero, sess_lock_wait_max)
	MEMC_ENTRY("sess_lock_retries", "5", OnUpdateLong, sess_lock_retries)
	MEMC_ENTRY("sess_lock_expire", "0", OnUpdateLongGEZero, sess_lock_expire)
	MEMC_BOOLEAN("sess_binary_protocol", "1", sess_binary_protocol)
	MEMC_BOOLEAN("sess_consistent_hash", "1", sess_consistent_hash)
	MEMC_ENTRY("sess_consistent_hash_type", "ketama", on_update_hash_type, sess_consistent_hash_type)
	MEMC_ENTRY("sess_number_of_replicas", "0", OnUpdateLongGEZero, sess_number_of_replicas)
	MEMC_BOOLEAN("sess_randomize_replica_read", "0", sess_randomize_replica_read)
	MEMC_BOOLEAN("sess_remove_failed_servers", "0", sess_remove_failed_servers)
	MEMC_ENTRY("sess_server_failure_limit", "0", OnUpdateLongGEZero, sess_server_failure_limit)
	MEMC_ENTRY("sess_connect_timeout", "0", OnUpdateLong, sess_connect_timeout)
	MEMC_ENTRY("sess_sasl_username", "", OnUpdateString, sess_sasl_username)
	MEMC_ENTRY("sess_sasl_password", "", OnUpdateString, sess_sasl_password)
	MEMC_BOOLEAN("sess_persistent", "0", sess_persistent)
	MEMC_ENTRY("sess_prefix", "memc.sess.key.", on_update_prefix, sess_prefix)
	PHP_INI_ENTRY("memcached.sess_lock_wait", "not set", PHP_INI_ALL, on_update_deprecated)
	PHP_INI_ENTRY("memcached.sess_lock_max_wait", "not set", PHP_INI_ALL, on_update_deprecated)

	MEMC_ENTRY("compression_type", "fastlz", on_update_compression_type, compression_type)
	MEMC_ENTRY("compression_factor", "1.3", OnUpdateReal, compression_factor)
	MEMC_ENTRY("compression_level", "3", OnUpdateLong, compression_level)
	MEMC_ENTRY("compression_threshold", "2000", OnUpdateLong, compression_threshold)
	MEMC_ENTRY("serializer", "", on_update_serializer, serializer)
	MEMC_ENTRY("store_retry_count", "0", OnUpdateLong, store_retry_count)
	MEMC_ENTRY("item_size_limit", "0", OnUpdateLongGEZero, item_size_limit)
	MEMC_BOOLEAN("default_consistent_hash", "0", default_consistent_hash)
	MEMC_BOOLEAN("default_binary_protocol", "0", default_binary_protocol)
	MEMC_ENTRY("default_connect_timeout", "0", OnUpdateLong, default_connect_timeout)
PHP_INI_END()

static PHP_GINIT_FUNCTION(leveret_memcached)
{
#if defined(COMPILE_DL_LEVERET) && defined(ZTS)
	ZEND_TSRMLS_CACHE_UPDATE();
#endif
	memset(leveret_memcached_globals, 0, sizeof(*leveret_memcached_globals));
	php_leveret_memcached_links_init(&leveret_memcached_globals->links);
	php_leveret_memcached_session_init(&leveret_memcached_globals->session_pools);
}

static PHP_GSHUTDOWN_FUNCTION(leveret_memcached)
{
	zend_hash_destroy(&leveret_memcached_globals->links);
	zend_hash_destroy(&leveret_memcached_globals->session_pools);
}

static PHP_MINIT_FUNCTION(memcached)
{
	REGISTER_INI_ENTRIES();
	php_leveret_memcached_class();
	php_leveret_memcached_session();
	return SUCCESS;
}

static PHP_MSHUTDOWN_FUNCTION(memcached)
{
	UNREGISTER_INI_ENTRIES();
	return SUCCESS;
}

static PHP_MINFO_FUNCTION(memcached)
{
	php_info_print_table_start();
	php_info_print_table_row(2, "memcached support", "enabled");
	php_info_print_table_row(2, "Version", MEMCACHED_VERSION);
	php_info_print_table_row(2, "Provided by", "leveret " PHP_LEVERET_VERSION);
	php_info_print_table_row(2, "SASL support", "yes");
	php_info_print_table_row(2, "Session support", "yes");
	php_info_print_table_row(2, "igbinary support", php_leveret_has_serializer(LEVERET_IGBINARY) ? "yes" : "no");
	php_info_print_table_row(2, "json support", "yes");
	php_info_print_table_row(2, "msgpack support", php_leveret_has_serializer(LEVERET_MSGPACK) ? "yes" : "no");
	php_info_print_table_row(2, "zstd support", leveret_has_codec(LEVERET_CODEC_ZSTD) ? "yes" : "no");
	php_info_print_table_end();
	DISPLAY_INI_ENTRIES();
}

static zend_module_entry memcached_module_entry = { STANDARD_MODULE_HEADER, "memcached", NULL, PHP_MINIT(memcached),
	PHP_MSHUTDOWN(memcached), NULL, NULL, PHP_MINFO(memcached), MEMCACHED_VERSION,
	PHP_MODULE_GLOBALS(leveret_memcached), PHP_GINIT(leveret_memcached), PHP_GSHUTDOWN(leveret_memcached), NULL,
	STANDARD_MODULE_PROPERTIES_EX };

zend_result php_leveret_memcached_startup(void)
{
	return zend_startup_module(&memcached_module_entry);
}
