/* core/globals.h: the module's globals, one set per thread. */
#ifndef PHP_LEVERET_GLOBALS_H
#define PHP_LEVERET_GLOBALS_H

#include "php_leveret.h"

typedef struct php_leveret_opened php_leveret_opened;      /* core/arena.c */
typedef struct php_leveret_decoded php_leveret_decoded;    /* decoded/table.c */

/* The decoded-value cache remembers this many versions that were fetched once. */
#define PHP_LEVERET_SEEN_MAX 512

ZEND_BEGIN_MODULE_GLOBALS(leveret)
	/* Read by each apcu_fetch: together, at the front. */
	leveret_arena *apcu_arena;        /* NULL until the first use, and while it cannot be opened */
	uint32_t decoded_entries;         /* arrays that the decoded-value cache can serve */
	uint32_t calls;                   /* that use an arena */
	uint32_t checked_at;              /* arena clock: when the files of the open arenas were last looked at (core/arena.c) */
	uint32_t request_now;             /* arena clock at the start of the request */
	bool use_request_time;            /* apc.use_request_time */
	bool apcu_enabled;                /* apc.enabled, and on the command line apc.enable_cli */

	/* core/arena.c */
	php_leveret_opened *opened;
	uint32_t apcu_retry_at;           /* arena clock: no attempt to open the apcu arena before */
	bool apcu_failure_logged;
	bool apcu_size_logged;

	/* decoded/table.c */
	HashTable decoded;                /* key -> php_leveret_decoded */
	php_leveret_decoded *decoded_retired;
	size_t decoded_bytes;             /* of both */
	bool decoded_refused;             /* an array found no room in this request */
	uint32_t decoded_failed_at;       /* arena clock: when room could not be made within a request */
	uint64_t seen[PHP_LEVERET_SEEN_MAX];

	/* codec/serializer.c */
	HashTable *allowed_classes;       /* NULL: every class */
	bool serializer_logged;

	/* INI leveret.* */
	char *dir;
	char *arena;
	zend_long memory;
	char *provide;
	bool apcu_persist;
	char *serializer;
	zend_long decoded_cache;
	char *allowed_classes_text;
	zend_long lock_timeout;

	/* INI apc.*; those that the engine makes pointless are accepted and shown, and do nothing */
	bool apc_enabled;
	zend_long apc_shm_size;
	zend_long apc_entries_hint;
	zend_long apc_gc_ttl;
	zend_long apc_ttl;
	double apc_expunge_threshold;
	char *apc_mmap_file_mask;
	zend_long apc_mmap_hugepage_size;
	bool apc_enable_cli;
	bool apc_slam_defense;
	char *apc_preload_path;
	bool apc_coredump_unmap;
	char *apc_serializer;
	bool apc_serializer_is_set;
ZEND_END_MODULE_GLOBALS(leveret)

ZEND_EXTERN_MODULE_GLOBALS(leveret)

#define LEVERET_G(v) ZEND_MODULE_GLOBALS_ACCESSOR(leveret, v)

#if defined(ZTS) && defined(COMPILE_DL_LEVERET)
ZEND_TSRMLS_CACHE_EXTERN()
#endif

/* --- core/module.c --- */

/* This process's token as a web-server master, drawn before it forks; 0 on the command line. */
extern uint64_t php_leveret_master;
/* INI handler of sizes and numbers: refuses, with one warning, what lies outside the limits given as mh_arg3. */
typedef struct php_leveret_range { zend_long min, max; const char *text; } php_leveret_range;
ZEND_INI_MH(php_leveret_on_update_range);

/* An INI setting whose handler wants a third argument, which PHP's own STD_PHP_INI_ENTRY has no place for. */
#ifdef ZTS
# define PHP_LEVERET_INI_ENTRY3(name, value, mode, handler, field, globals, arg3) \
	ZEND_INI_ENTRY3(name, value, mode, handler, (void *) offsetof(zend_##globals, field), (void *) &globals##_id, (void *) (arg3))
#else
# define PHP_LEVERET_INI_ENTRY3(name, value, mode, handler, field, globals, arg3) \
	ZEND_INI_ENTRY3(name, value, mode, handler, (void *) offsetof(zend_##globals, field), (void *) &globals, (void *) (arg3))
#endif

/* --- core/arena.c --- */

leveret_bytes php_leveret_dir(void);      /* leveret.dir */
void php_leveret_dir_changed(void);       /* web servers may set it anew for each request: one value for each site */
void php_leveret_arenas_check(void);      /* one stat(2) each: an arena whose file is gone counts as lost */
void php_leveret_arenas_look(void);       /* the same, if it was not done in this second */
/* For each call that uses an arena: a request may last for days, so now and then it looks whether the files are still those that others
 * open. Gives the arena clock of the last look, for what must be as fresh as that and no fresher. */
static zend_always_inline uint32_t php_leveret_looked(void)
{
	if (UNEXPECTED(++LEVERET_G(calls) % 64 == 0)) {
		php_leveret_arenas_look();
	}
	return LEVERET_G(checked_at);
}
void php_leveret_leases_release(void);    /* RSHUTDOWN: exit and fatal errors leave leases behind */
void php_leveret_arenas_sweep(void);      /* between requests: closes what was lost */
void php_leveret_arenas_close(zend_leveret_globals *globals);      /* thread or process end */
void php_leveret_arena_info(const char *name, zend_long memory);   /* phpinfo rows; opens no arena that is not there */

/* --- codec/serializer.c --- */

/* Appends nothing, replaces nothing: *out is a new block of the request's heap that holds `bytes`. False: an exception is pending. */
bool php_leveret_serialize(zval *value, php_leveret_encoded *out);
/* The same by a serializer of the caller's choice, which must be there. */
bool php_leveret_serialize_as(leveret_encoding encoding, zval *value, php_leveret_encoded *out);
bool php_leveret_has_serializer(leveret_encoding encoding);
/* False: *return_value is not set; an exception is pending, or the data is not readable or not allowed, as *problem says.
 * data[len] is NUL. */
bool php_leveret_unserialize(uint8_t encoding, const char *data, size_t len, zval *return_value, const char **problem);
/* codec/plain.c: false: *return_value is not set, and php_var_unserialize is to decide. */
bool php_leveret_read_plain(const char *data, size_t len, zval *return_value);
const char *php_leveret_serializers(void);   /* for phpinfo: "php, igbinary" */
void php_leveret_allowed_classes_free(zend_leveret_globals *globals);

/* --- core/provide.c --- */

bool php_leveret_is_list_of_drop_ins(const char *list);
zend_result php_leveret_provide(void);       /* registers the modules that leveret.provide names, but for those whose real one is there */
void php_leveret_provide_info(void);         /* phpinfo rows */

/* --- apcu/module.c --- */

zend_result php_leveret_apcu_startup(void);

/* --- apcu/preload.c --- */

/* Stores what lies in the folder apc.preload_path, in a cache that was just made or emptied by a restart. */
void php_leveret_apcu_preload(leveret_arena *arena);

/* --- memcached/module.c --- */

zend_result php_leveret_memcached_startup(void);

/* --- memcache/module.c --- */

zend_result php_leveret_memcache_startup(void);

#endif
