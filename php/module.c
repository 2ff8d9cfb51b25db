/* module.c: the module leveret: its INI directives, its part in the life of a process and of a request, phpinfo. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/arena.h"
#include "base/globals.h"
#include "base/ini.h"
#include "cache/access.h"
#include "codec/compact_shapes.h"
#include "codec/serializer.h"
#include "decoded/pool.h"
#include "decoded/table.h"
#include "php_leveret.h"
#include "release.h"
#include "provide.h"

#include "ext/standard/info.h"
#include "php_ini.h"

#define MIB (1024 * 1024)
#define GIB (1024 * (zend_long) MIB)

/* Two versions of PHP beside each other do not share what apcu_* keeps: they would not with APCu, and classes
 * differ. */
#define APCU_ARENA "apcu-" ZEND_TOSTR(PHP_MAJOR_VERSION) "." ZEND_TOSTR(PHP_MINOR_VERSION)

ZEND_DECLARE_MODULE_GLOBALS(leveret)

/* --- INI --- */

static bool module_is_one_of(const char *word, size_t len, const char *const *words)
{
	for (; *words; words++) {
		if (strlen(*words) == len && memcmp(*words, word, len) == 0) {
			return true;
		}
	}
	return false;
}

static PHP_INI_MH(on_update_serializer)
{
	static const char *const names[] = { "auto", "php", "igbinary", "msgpack", NULL };
	if (!php_leveret_ini_is_valid(module_is_one_of(ZSTR_VAL(new_value), ZSTR_LEN(new_value), names), entry, new_value,
			"auto, php, igbinary or msgpack")) {
		return FAILURE;
	}
	return OnUpdateString(entry, new_value, mh_arg1, mh_arg2, mh_arg3, stage);
}

static PHP_INI_MH(on_update_provide)
{
	if (!php_leveret_ini_is_valid(php_leveret_is_list_of_drop_ins(ZSTR_VAL(new_value)), entry, new_value,
			"a list of drop-in modules (apcu, memcached, memcache, redis) or empty")) {
		return FAILURE;
	}
	return OnUpdateString(entry, new_value, mh_arg1, mh_arg2, mh_arg3, stage);
}

static PHP_INI_MH(on_update_dir)
{
	if (!php_leveret_ini_is_valid(ZSTR_LEN(new_value) == 0 || ZSTR_VAL(new_value)[0] == '/', entry, new_value,
			"the absolute path of a folder, or empty")) {
		return FAILURE;
	}
	/* php-fpm sets it again for each request, mostly to its present value. */
	if (!LEVERET_G(dir) || strcmp(LEVERET_G(dir), ZSTR_VAL(new_value)) != 0) {
		php_leveret_place_changed();
	}
	return OnUpdateString(entry, new_value, mh_arg1, mh_arg2, mh_arg3, stage);
}

static PHP_INI_MH(on_update_apcu_arena)
{
	if (!LEVERET_G(apcu_arena_name) || strcmp(LEVERET_G(apcu_arena_name), ZSTR_VAL(new_value)) != 0) {
		php_leveret_place_changed();
	}
	return OnUpdateStringUnempty(entry, new_value, mh_arg1, mh_arg2, mh_arg3, stage);
}

static PHP_INI_MH(on_update_apcu_cli)
{
	static const char *const names[] = { "private", "shared", NULL };
	if (!php_leveret_ini_is_valid(
			module_is_one_of(ZSTR_VAL(new_value), ZSTR_LEN(new_value), names), entry, new_value, "private or shared")) {
		return FAILURE;
	}
	return OnUpdateString(entry, new_value, mh_arg1, mh_arg2, mh_arg3, stage);
}

static PHP_INI_MH(on_update_allowed_classes)
{
	php_leveret_allowed_classes_free(ZEND_MODULE_GLOBALS_BULK(leveret));
	return OnUpdateString(entry, new_value, mh_arg1, mh_arg2, mh_arg3, stage);
}

static php_leveret_range memory_range = { 8 * MIB, 1024 * GIB, "a size from 8M to 1024G" };
static php_leveret_range decoded_range = { 0, GIB, "a size from 0 (off) to 1G" };
static php_leveret_range timeout_range = { 1, 60000, "a number of milliseconds from 1 to 60000" };

#define INI_ENTRY(name, value, handler, field) \
	STD_PHP_INI_ENTRY(name, value, PHP_INI_SYSTEM, handler, field, zend_leveret_globals, leveret_globals)
#define INI_RANGE(name, value, field, range) \
	PHP_LEVERET_INI_ENTRY3(name, value, PHP_INI_SYSTEM, php_leveret_on_update_range, field, leveret_globals, &range)

PHP_INI_BEGIN()
	INI_ENTRY("leveret.dir", "", on_update_dir, dir)
	INI_ENTRY("leveret.arena", "default", OnUpdateStringUnempty, arena)
	INI_RANGE("leveret.memory", "64M", memory, memory_range)
	INI_ENTRY("leveret.provide", "apcu,memcached,memcache", on_update_provide, provide)
	STD_PHP_INI_BOOLEAN(
		"leveret.apcu_persist", "0", PHP_INI_SYSTEM, OnUpdateBool, apcu_persist, zend_leveret_globals, leveret_globals)
	INI_ENTRY("leveret.apcu_arena", APCU_ARENA, on_update_apcu_arena, apcu_arena_name)
	INI_ENTRY("leveret.apcu_cli", "private", on_update_apcu_cli, apcu_cli)
	INI_ENTRY("leveret.serializer", "auto", on_update_serializer, serializer)
	INI_RANGE("leveret.decoded_cache", "8M", decoded_cache, decoded_range)
	INI_ENTRY("leveret.allowed_classes", "", on_update_allowed_classes, allowed_classes_text)
	INI_RANGE("leveret.lock_timeout", "1000", lock_timeout, timeout_range)
	INI_ENTRY("leveret.tls_ca_file", "", OnUpdateString, tls_ca_file)
	INI_ENTRY("leveret.tls_peer_name", "", OnUpdateString, tls_peer_name)
	INI_ENTRY("leveret.tls_certificate", "", OnUpdateString, tls_certificate)
	INI_ENTRY("leveret.tls_key", "", OnUpdateString, tls_key)
	STD_PHP_INI_BOOLEAN(
		"leveret.tls_verify", "1", PHP_INI_SYSTEM, OnUpdateBool, tls_verify, zend_leveret_globals, leveret_globals)
PHP_INI_END()

/* --- the life of a process --- */

static PHP_GINIT_FUNCTION(leveret)
{
#if defined(COMPILE_DL_LEVERET) && defined(ZTS)
	ZEND_TSRMLS_CACHE_UPDATE();
#endif
	memset(leveret_globals, 0, sizeof(*leveret_globals));
	zend_hash_init(&leveret_globals->decoded, 8, NULL, NULL, 1);
}

/* By the thread whose globals they are, or by the one that shuts the process down, for others that have ended without a
 * word. */
static PHP_GSHUTDOWN_FUNCTION(leveret)
{
	php_leveret_pool_forget(leveret_globals);
	php_leveret_shapes_forget(leveret_globals);
	php_leveret_decoded_destroy(leveret_globals);
	php_leveret_arenas_close(leveret_globals);
	php_leveret_allowed_classes_free(leveret_globals);
}

static PHP_MINIT_FUNCTION(leveret)
{
	REGISTER_INI_ENTRIES();
	leveret_declare(LEVERET_PROGRAM_PHP);
	php_leveret_apcu_master_begin();
	php_leveret_cache_minit();
	php_leveret_serializers(); /* are looked for while there is one thread */
	/* A module that dl() loads goes with its request; one that it registers would stay and point into unloaded code. */
	if (type == MODULE_TEMPORARY) {
		if (*LEVERET_G(provide)) {
			zend_error(E_NOTICE, "leveret: loaded by dl(), so %s is not provided; use extension=leveret.so in php.ini",
				LEVERET_G(provide));
		}
		return SUCCESS;
	}
	return php_leveret_provide();
}

static PHP_MSHUTDOWN_FUNCTION(leveret)
{
	UNREGISTER_INI_ENTRIES();
	return SUCCESS;
}

/* --- the life of a request --- */

static PHP_RINIT_FUNCTION(leveret)
{
#if defined(COMPILE_DL_LEVERET) && defined(ZTS)
	ZEND_TSRMLS_CACHE_UPDATE();
#endif
	LEVERET_G(request_now) = leveret_now();
	php_leveret_arenas_check();
	php_leveret_pool_forget(ZEND_MODULE_GLOBALS_BULK(leveret));
	php_leveret_shapes_forget(ZEND_MODULE_GLOBALS_BULK(leveret));
	php_leveret_decoded_sweep();
	php_leveret_arenas_sweep(php_leveret_decoded_forget);
	return SUCCESS;
}

static PHP_RSHUTDOWN_FUNCTION(leveret)
{
	php_leveret_leases_release();
	php_leveret_arenas_tell();
	return SUCCESS;
}

/* Runs when the executor is gone, and no session handler in PHP code runs any more. PHP itself still holds strings of
 * the request, the names of stream wrappers among them: so nothing that a script may hold is freed before the next
 * request begins. */
static ZEND_MODULE_POST_ZEND_DEACTIVATE_D(leveret)
{
	php_leveret_leases_release();
	php_leveret_decoded_request_ended();
	return SUCCESS;
}

/* --- phpinfo --- */

static PHP_MINFO_FUNCTION(leveret)
{
	char decoded[64], layout[16];
	php_info_print_table_start();
	php_info_print_table_row(2, "leveret support", "enabled");
	php_info_print_table_row(2, "Version", PHP_LEVERET_VERSION);
	snprintf(layout, sizeof(layout), "%u", leveret_layout_version());
	php_info_print_table_row(2, "Layout version", layout);
	php_info_print_table_row(2, "Serializers", php_leveret_serializers());
	php_leveret_provide_info();
	php_leveret_arena_info();
	snprintf(decoded, sizeof(decoded), "%u arrays, %zu bytes in this process", LEVERET_G(decoded_entries),
		LEVERET_G(decoded_bytes));
	php_info_print_table_row(2, "Decoded-value cache", decoded);
	php_info_print_table_end();
	DISPLAY_INI_ENTRIES();
}

/* apcu/iterator.c matches keys by pcre's functions; the drop-in modules memcached and memcache are made of json,
 * session and spl. */
static const zend_module_dep leveret_deps[] = { ZEND_MOD_REQUIRED("pcre") ZEND_MOD_REQUIRED("json") ZEND_MOD_REQUIRED(
	"session") ZEND_MOD_REQUIRED("spl") ZEND_MOD_OPTIONAL("igbinary") ZEND_MOD_OPTIONAL("msgpack") ZEND_MOD_END };

zend_module_entry leveret_module_entry = { STANDARD_MODULE_HEADER_EX, NULL, leveret_deps, "leveret", NULL,
	PHP_MINIT(leveret), PHP_MSHUTDOWN(leveret), PHP_RINIT(leveret), PHP_RSHUTDOWN(leveret), PHP_MINFO(leveret),
	PHP_LEVERET_VERSION, PHP_MODULE_GLOBALS(leveret), PHP_GINIT(leveret), PHP_GSHUTDOWN(leveret),
	ZEND_MODULE_POST_ZEND_DEACTIVATE_N(leveret), STANDARD_MODULE_PROPERTIES_EX };

#ifdef COMPILE_DL_LEVERET
#ifdef ZTS
ZEND_TSRMLS_CACHE_DEFINE()
#endif
ZEND_GET_MODULE(leveret)
#endif
