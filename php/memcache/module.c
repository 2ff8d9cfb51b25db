/* memcache/module.c: the drop-in module memcache: what extension_loaded('memcache'), phpversion('memcache') and
 * ini_get() see. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "module.h"
#include "base/ini.h"
#include "memcache.h"
#include "php_leveret.h"
#include "release.h"

#include "ext/standard/info.h"
#include "php_ini.h"

/* The version whose behaviour is kept. Applications compare it. */
#define MEMCACHE_VERSION "8.2"

ZEND_DECLARE_MODULE_GLOBALS(leveret_memcache)

/* --- INI --- */

static void mmc_refuse(const zend_ini_entry *entry, const char *allowed, const zend_string *value)
{
	/* pecl/memcache calls both by one name. */
	const char *name = zend_string_equals_literal(entry->name, "memcache.session_redundancy") ? "memcache.redundancy"
																							  : ZSTR_VAL(entry->name);
	php_error_docref(NULL, E_WARNING, "%s must be %s ('%s' given)", name, allowed, value ? ZSTR_VAL(value) : "");
}

/* An allowed value of a directive, in any case. */
typedef struct choice {
	const char *one, *other;
} choice;

static const choice protocols = { "ascii", "binary" }, strategies = { "standard", "consistent" },
					functions = { "crc32", "fnv" };

static bool mmc_is_of(const zend_string *text, const choice *words)
{
	return php_leveret_is_word(ZSTR_VAL(text), ZSTR_LEN(text), words->one)
		|| php_leveret_is_word(ZSTR_VAL(text), ZSTR_LEN(text), words->other);
}

static PHP_INI_MH(on_update_choice)
{
	const choice *words = mh_arg3;
	if (!new_value || !mmc_is_of(new_value, words)) {
		char allowed[64];
		snprintf(allowed, sizeof(allowed), "in set {%s, %s}", words->one, words->other);
		mmc_refuse(entry, allowed, new_value);
		return FAILURE;
	}
	return OnUpdateString(entry, new_value, mh_arg1, mh_arg2, mh_arg3, stage);
}

/* An integer, and not below mh_arg3. Nothing at all, as Off is written in a file, is 0. */
static PHP_INI_MH(on_update_positive)
{
	zend_long number = 0, *target = (zend_long *) ZEND_INI_GET_ADDR();
	bool is_number = new_value
		&& (ZSTR_LEN(new_value) == 0
			|| is_numeric_string(ZSTR_VAL(new_value), ZSTR_LEN(new_value), &number, NULL, false) == IS_LONG);
	if (!is_number || number < (zend_long) (intptr_t) mh_arg3) {
		mmc_refuse(entry, "a positive integer", new_value);
		return FAILURE;
	}
	*target = number;
	return SUCCESS;
}

static PHP_INI_MH(on_update_static_key)
{
	if (new_value && memchr(ZSTR_VAL(new_value), '.', ZSTR_LEN(new_value))) {
		/* Whichever of the two directives it is: pecl/memcache's words. */
		php_error_docref(NULL, E_WARNING, "memcache.session_prefix_static_key cannot have dot inside (.)");
		return FAILURE;
	}
	if (new_value && strpbrk(ZSTR_VAL(new_value), "\r\n")) {
		php_error_docref(NULL, E_WARNING, "%s cannot have line ends", ZSTR_VAL(entry->name));
		return FAILURE;
	}
	return OnUpdateString(entry, new_value, mh_arg1, mh_arg2, mh_arg3, stage);
}

#define MMC_ENTRY(name, value, handler, field) \
	STD_PHP_INI_ENTRY( \
		"memcache." name, value, PHP_INI_ALL, handler, field, zend_leveret_memcache_globals, leveret_memcache_globals)
#define MMC_BOOLEAN(name, value, field) \
	STD_PHP_INI_BOOLEAN("memcache." name, value, PHP_INI_ALL, OnUpdateBool, field, zend_leveret_memcache_globals, \
		leveret_memcache_globals)
#define MMC_CHOICE(name, value, words, field) \
	PHP_LEVERET_INI_ENTRY3( \
		"memcache." name, value, PHP_INI_ALL, on_update_choice, field, leveret_memcache_globals, &words)
#define MMC_POSITIVE(name, value, least, field) \
	PHP_LEVERET_INI_ENTRY3( \
		"memcache." name, value, PHP_INI_ALL, on_update_positive, field, leveret_memcache_globals, (intptr_t) (least))

PHP_INI_BEGIN()
	STD_PHP_INI_ENTRY("memcache.allow_failover", "1", PHP_INI_ALL, OnUpdateBool, allow_failover,
		zend_leveret_memcache_globals, leveret_memcache_globals)
	MMC_POSITIVE("max_failover_attempts", "20", 1, max_failover_attempts)
	MMC_ENTRY("default_port", "11211", OnUpdateLong, default_port)
	MMC_POSITIVE("chunk_size", "32768", 1, chunk_size)
	MMC_CHOICE("protocol", "ascii", protocols, protocol)
	MMC_CHOICE("hash_strategy", "consistent", strategies, hash_strategy)
	MMC_CHOICE("hash_function", "crc32", functions, hash_function)
	MMC_POSITIVE("redundancy", "1", 1, redundancy)
	MMC_POSITIVE("session_redundancy", "2", 1, session_redundancy)
	MMC_POSITIVE("compress_threshold", "20000", 0, compress_threshold)
	MMC_POSITIVE("lock_timeout", "15", 1, lock_timeout)
	MMC_ENTRY("select_api", NULL, OnUpdateString, select_api)
	MMC_BOOLEAN("session_prefix_host_key", "0", session_prefix_host_key)
	MMC_BOOLEAN("session_prefix_host_key_remove_www", "1", session_prefix_host_key_remove_www)
	MMC_BOOLEAN("session_prefix_host_key_remove_subdomain", "0", session_prefix_host_key_remove_subdomain)
	MMC_ENTRY("session_prefix_static_key", NULL, on_update_static_key, session_prefix_static_key)
	MMC_ENTRY("session_save_path", NULL, OnUpdateString, session_save_path)
	MMC_BOOLEAN("prefix_host_key", "0", prefix_host_key)
	MMC_BOOLEAN("prefix_host_key_remove_www", "1", prefix_host_key_remove_www)
	MMC_BOOLEAN("prefix_host_key_remove_subdomain", "0", prefix_host_key_remove_subdomain)
	MMC_ENTRY("prefix_static_key", NULL, on_update_static_key, prefix_static_key)
PHP_INI_END()

/* --- the life of a process --- */

static PHP_GINIT_FUNCTION(leveret_memcache)
{
#if defined(COMPILE_DL_LEVERET) && defined(ZTS)
	ZEND_TSRMLS_CACHE_UPDATE();
#endif
	memset(leveret_memcache_globals, 0, sizeof(*leveret_memcache_globals));
	php_leveret_memcache_pools_init(&leveret_memcache_globals->pools);
}

static PHP_GSHUTDOWN_FUNCTION(leveret_memcache)
{
	zend_hash_destroy(&leveret_memcache_globals->pools);
}

static PHP_MINIT_FUNCTION(memcache)
{
	REGISTER_INI_ENTRIES();
	php_leveret_memcache_classes();
	php_leveret_memcache_session();
	REGISTER_LONG_CONSTANT("MEMCACHE_COMPRESSED", MMC_COMPRESSED, CONST_CS | CONST_PERSISTENT);
	REGISTER_LONG_CONSTANT("MEMCACHE_USER1", MMC_USER1, CONST_CS | CONST_PERSISTENT);
	REGISTER_LONG_CONSTANT("MEMCACHE_USER2", MMC_USER2, CONST_CS | CONST_PERSISTENT);
	REGISTER_LONG_CONSTANT("MEMCACHE_USER3", MMC_USER3, CONST_CS | CONST_PERSISTENT);
	REGISTER_LONG_CONSTANT("MEMCACHE_USER4", MMC_USER4, CONST_CS | CONST_PERSISTENT);
	REGISTER_LONG_CONSTANT("MEMCACHE_HAVE_SESSION", 1, CONST_CS | CONST_PERSISTENT);
	return SUCCESS;
}

static PHP_MSHUTDOWN_FUNCTION(memcache)
{
	UNREGISTER_INI_ENTRIES();
	return SUCCESS;
}

static PHP_RINIT_FUNCTION(memcache)
{
	php_leveret_mmc_prefix_begin();
	return SUCCESS;
}

static PHP_RSHUTDOWN_FUNCTION(memcache)
{
	php_leveret_mmc_prefix_end();
	return SUCCESS;
}

static PHP_MINFO_FUNCTION(memcache)
{
	php_info_print_table_start();
	php_info_print_table_row(2, "memcache support", "enabled");
	php_info_print_table_row(2, "Version", MEMCACHE_VERSION);
	php_info_print_table_row(2, "Provided by", "leveret " PHP_LEVERET_VERSION);
	php_info_print_table_end();
	DISPLAY_INI_ENTRIES();
}

static zend_module_entry memcache_module_entry = { STANDARD_MODULE_HEADER, "memcache", NULL, PHP_MINIT(memcache),
	PHP_MSHUTDOWN(memcache), PHP_RINIT(memcache), PHP_RSHUTDOWN(memcache), PHP_MINFO(memcache), MEMCACHE_VERSION,
	PHP_MODULE_GLOBALS(leveret_memcache), PHP_GINIT(leveret_memcache), PHP_GSHUTDOWN(leveret_memcache), NULL,
	STANDARD_MODULE_PROPERTIES_EX };

zend_result php_leveret_memcache_startup(void)
{
	memcache_module_entry.functions = php_leveret_memcache_functions();
	return zend_startup_module(&memcache_module_entry);
}
