/* apcu/module.c: the drop-in module apcu: what extension_loaded('apcu'), phpversion('apcu') and ini_get('apc.…')
 * see. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "module.h"
#include "base/arena.h"
#include "codec/serializer.h"
#include "apcu.h"
#include "preload.h"
#include "php_leveret.h"
#include "release.h"

#include "SAPI.h"
#include "ext/standard/info.h"
#include "php_ini.h"

#include "functions_arginfo.h"

/* The version whose behaviour is kept. Applications compare it. */
#define APCU_VERSION "5.1.24"

/* From this number on APCu takes a size for bytes; also the smallest arena. */
#define MEGABYTE (1024 * 1024)
#define ARENA_MIN (8 * (zend_long) MEGABYTE)

ZEND_DECLARE_MODULE_GLOBALS(leveret_apcu)

#define APC_ENTRY(name, value, mode, handler, field) \
	STD_PHP_INI_ENTRY("apc." name, value, mode, handler, field, zend_leveret_apcu_globals, leveret_apcu_globals)
#define SHARED_ENTRY(name, value, mode, handler, field) \
	STD_PHP_INI_ENTRY("apc." name, value, mode, handler, field, zend_leveret_globals, leveret_globals)
#define APC_BOOLEAN(name, value, mode, field) \
	STD_PHP_INI_BOOLEAN("apc." name, value, mode, OnUpdateBool, field, zend_leveret_apcu_globals, leveret_apcu_globals)

/* A default is not a choice of the user, and it returns after a request whose site had a value of its own. */
static PHP_INI_MH(on_update_serializer)
{
	bool is_set_by_site = stage != PHP_INI_STAGE_STARTUP && stage != PHP_INI_STAGE_DEACTIVATE;
	LEVERET_G(apcu_serializer_is_set) =
		is_set_by_site || cfg_get_entry(ZSTR_VAL(entry->name), ZSTR_LEN(entry->name)) != NULL;
	return OnUpdateStringUnempty(entry, new_value, mh_arg1, mh_arg2, mh_arg3, stage);
}

/* Accepts all that APCu accepts: ini_get() returns the written text, and an arena has at least its minimum size. Old
 * configurations give megabytes as a bare number, with a warning. Zero and less mean the default. */
static PHP_INI_MH(on_update_shm_size)
{
	zend_string *problem = NULL;
	zend_long size = new_value ? zend_ini_parse_quantity(new_value, &problem) : 0;
	/* Each further thread is given the value that was taken when the module began. */
	bool is_new = new_value != entry->value;
	if (problem) {
		if (is_new) {
			zend_error(E_WARNING, "apc.shm_size must be a size (with a suffix K, M or G), \"%s\" is not; %s",
				ZSTR_VAL(new_value), size > 0 ? "what it begins with is used" : "the default is used");
		}
		zend_string_release(problem);
	}
	if (size <= 0) {
		return FAILURE;
	}
	if (size < MEGABYTE && strspn(ZSTR_VAL(new_value), "0123456789") == ZSTR_LEN(new_value)) {
		size *= MEGABYTE;
		if (is_new) {
			zend_error(E_WARNING, "apc.shm_size=%s has no unit and is taken as megabytes; write %sM",
				ZSTR_VAL(new_value), ZSTR_VAL(new_value));
		}
	}
	*(zend_long *) ZEND_INI_GET_ADDR() = MAX(size, ARENA_MIN);
	return SUCCESS;
}

PHP_INI_BEGIN()
	APC_BOOLEAN("enabled", "1", PHP_INI_SYSTEM, enabled)
	SHARED_ENTRY("shm_size", "32M", PHP_INI_SYSTEM, on_update_shm_size, apcu_memory)
	APC_ENTRY("entries_hint", "0", PHP_INI_SYSTEM, OnUpdateLong, entries_hint)
	APC_ENTRY("gc_ttl", "3600", PHP_INI_SYSTEM, OnUpdateLong, gc_ttl)
	APC_ENTRY("ttl", "0", PHP_INI_SYSTEM, OnUpdateLong, ttl)
	APC_ENTRY("expunge_threshold", "0.5", PHP_INI_SYSTEM, OnUpdateReal, expunge_threshold)
	APC_ENTRY("mmap_file_mask", NULL, PHP_INI_SYSTEM, OnUpdateString, mmap_file_mask)
	APC_ENTRY("mmap_hugepage_size", "0", PHP_INI_SYSTEM, OnUpdateLong, mmap_hugepage_size)
	APC_BOOLEAN("enable_cli", "0", PHP_INI_SYSTEM, enable_cli)
	APC_BOOLEAN("slam_defense", "0", PHP_INI_SYSTEM, slam_defense)
	APC_ENTRY("preload_path", NULL, PHP_INI_SYSTEM, OnUpdateString, preload_path)
	APC_BOOLEAN("coredump_unmap", "0", PHP_INI_SYSTEM, coredump_unmap)
	STD_PHP_INI_BOOLEAN(
		"apc.use_request_time", "0", PHP_INI_ALL, OnUpdateBool, use_request_time, zend_leveret_globals, leveret_globals)
	SHARED_ENTRY("serializer", "php", PHP_INI_SYSTEM, on_update_serializer, apcu_serializer)
PHP_INI_END()

/* As APCu: of all that is no web server, it is the command line alone for which there is a switch. */
static bool is_enabled(void)
{
	return APCU_G(enabled) && (strcmp(sapi_module.name, "cli") != 0 || APCU_G(enable_cli));
}

static PHP_GINIT_FUNCTION(leveret_apcu)
{
#if defined(COMPILE_DL_LEVERET) && defined(ZTS)
	ZEND_TSRMLS_CACHE_UPDATE();
#endif
	memset(leveret_apcu_globals, 0, sizeof(*leveret_apcu_globals));
}

static PHP_MINIT_FUNCTION(apcu)
{
	REGISTER_INI_ENTRIES();
	php_leveret_apcu_fill_by(php_leveret_apcu_preload);
	register_functions_symbols(module_number);
	php_leveret_apcu_iterator_minit(module_number);
	if (php_leveret_apcu_is_private()) {
		php_leveret_apcu_begin_private(is_enabled());
	}
	return SUCCESS;
}

static PHP_MSHUTDOWN_FUNCTION(apcu)
{
	php_leveret_apcu_end_private();
	UNREGISTER_INI_ENTRIES();
	return SUCCESS;
}

/* At each request and not in MINIT, which one thread alone passes through. */
static PHP_RINIT_FUNCTION(apcu)
{
	LEVERET_G(apcu_enabled) = is_enabled();
	return SUCCESS;
}

static PHP_MINFO_FUNCTION(apcu)
{
	char unreadable[64];
	snprintf(unreadable, sizeof(unreadable), "%" PRIu64 " in this process", LEVERET_G(apcu_unreadable));
	php_info_print_table_start();
	php_info_print_table_row(2, "APCu Support", LEVERET_G(apcu_enabled) ? "Enabled" : "Disabled");
	php_info_print_table_row(2, "Version", APCU_VERSION);
	php_info_print_table_row(2, "Provided by", "leveret " PHP_LEVERET_VERSION);
	php_info_print_table_row(2, "Serialization Support", php_leveret_serializers());
	php_leveret_apcu_arena_info();
	php_info_print_table_row(2, "Unreadable values", unreadable);
	php_info_print_table_end();
	DISPLAY_INI_ENTRIES();
}

static zend_module_entry apcu_module_entry = { STANDARD_MODULE_HEADER, "apcu", ext_functions, PHP_MINIT(apcu),
	PHP_MSHUTDOWN(apcu), PHP_RINIT(apcu), NULL, PHP_MINFO(apcu), APCU_VERSION, PHP_MODULE_GLOBALS(leveret_apcu),
	PHP_GINIT(leveret_apcu), NULL, NULL, STANDARD_MODULE_PROPERTIES_EX };

zend_result php_leveret_apcu_startup(void)
{
	return zend_startup_module(&apcu_module_entry);
}
