/* base/globals.h: the module's globals, one set per thread. */
#ifndef PHP_LEVERET_BASE_GLOBALS_H
#define PHP_LEVERET_BASE_GLOBALS_H

#include "php.h"
#include "leveret.h"

typedef struct php_leveret_opened php_leveret_opened;   /* base/arena.c */
typedef struct php_leveret_decoded php_leveret_decoded; /* decoded/table.c */
typedef struct php_leveret_block php_leveret_block;     /* decoded/pool.c */
typedef struct php_leveret_shape php_leveret_shape;     /* codec/compact_shapes.c */

/* The decoded-value cache remembers this many versions that were fetched once. */
#define PHP_LEVERET_SEEN_MAX 512
/* Keys of arrays that are kept in a request. */
#define PHP_LEVERET_SHAPES_BITS 6
#define PHP_LEVERET_SHAPES_MAX (1 << PHP_LEVERET_SHAPES_BITS)

ZEND_BEGIN_MODULE_GLOBALS(leveret)
	/* Read by each apcu_fetch: together, at the front. */
	leveret_arena *apcu_arena;   /* NULL until the first use, and while it cannot be opened */
	uint32_t decoded_entries;    /* arrays that the decoded-value cache can serve */
	uint32_t calls;              /* that use an arena */
	uint32_t checked_at;         /* arena clock: when the files of the open arenas were last looked at (base/arena.c) */
	uint32_t request_now;        /* arena clock at the start of the request */
	bool use_request_time;       /* apc.use_request_time */
	bool apcu_enabled;           /* apc.enabled, and on the command line apc.enable_cli */
	bool apcu_serializer_is_set; /* apc.serializer: somebody has set it */

	/* INI apc.* that base/ and codec/ read; 0 and NULL where the module apcu is not provided */
	zend_long apcu_memory; /* apc.shm_size */
	char *apcu_serializer; /* apc.serializer */

	/* base/arena.c */
	php_leveret_opened *opened;
	uint32_t apcu_retry_at; /* arena clock: no attempt to open the apcu arena before */
	bool apcu_failure_logged;
	bool apcu_size_logged;

	/* base/refused.c */
	bool no_memory_logged;
	bool too_large_logged;

	/* decoded/table.c */
	HashTable decoded; /* key -> php_leveret_decoded */
	php_leveret_decoded *decoded_retired;
	size_t decoded_bytes;       /* of both */
	bool decoded_refused;       /* an array found no room in this request */
	uint32_t decoded_failed_at; /* arena clock: when room could not be made within a request */
	uint64_t seen[PHP_LEVERET_SEEN_MAX];

	/* decoded/pool.c */
	php_leveret_block *pool; /* the block in use, one of a ring */
	size_t pool_bytes;       /* of all blocks */
	bool pool_is_outside;    /* the blocks are the C library's */
	uint32_t pool_ratio;     /* how much larger arrays were than their bytes, in 16ths */
	uint32_t pool_rests;     /* so many arrays are read without it: looking for a free block would cost more */

	/* codec/compact_shapes.c */
	php_leveret_shape *shapes[PHP_LEVERET_SHAPES_MAX];
	zend_ulong shapes_seen[PHP_LEVERET_SHAPES_MAX]; /* hashes of keys that came once, by the same place */
	size_t shapes_bytes;                            /* of all */
	bool shapes_used, shapes_are_outside;

	/* codec/serializer.c */
	HashTable *allowed_classes; /* NULL: every class */
	bool serializer_logged;

	/* codec/value.c */
	uint64_t apcu_unreadable; /* values that apcu_* could not read */

	/* INI leveret.* */
	char *dir;
	char *arena;
	zend_long memory;
	char *provide;
	bool apcu_persist;
	char *apcu_arena_name;
	char *apcu_cli;
	char *serializer;
	zend_long decoded_cache;
	char *allowed_classes_text;
	zend_long lock_timeout;
	char *tls_ca_file;
	char *tls_peer_name;
	char *tls_certificate;
	char *tls_key;
	bool tls_verify;
ZEND_END_MODULE_GLOBALS(leveret)

ZEND_EXTERN_MODULE_GLOBALS(leveret)

#define LEVERET_G(v) ZEND_MODULE_GLOBALS_ACCESSOR(leveret, v)

#if defined(ZTS) && defined(COMPILE_DL_LEVERET)
ZEND_TSRMLS_CACHE_EXTERN()
#endif

#endif
