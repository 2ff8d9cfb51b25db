<?php

/** @generate-class-entries */

/*
 * The functions of APCu 5.1 over an arena in shared memory.
 *
 * The cache is the arena "apcu" (file apcu.arena), made with apc.shm_size bytes by the first script that uses it and shared by all
 * processes that may open the file: FPM, command line, cron. On the command line it is off unless apc.enable_cli=1.
 *
 * Keys are any bytes, up to 65535 or a quarter of a segment. A value may take up to an eighth of the arena. A full cache gives up
 * the least useful items, one by one; it is never emptied as a whole. ttl is in seconds, 0 = no end; an item is gone when it is
 * older than its ttl. Where the cache is disabled or cannot be opened, the functions answer as APCu's do then: see each of them.
 *
 * A cache that was made, or emptied by a restart, begins with the files NAME.data of the folder apc.preload_path: each is the value of
 * the key NAME, serialized by PHP, without objects and references.
 *
 * Accepted without effect, as the engine has no use for them: apc.entries_hint, apc.gc_ttl, apc.ttl, apc.expunge_threshold,
 * apc.mmap_file_mask, apc.mmap_hugepage_size, apc.coredump_unmap; apc.slam_defense, which would refuse stores of other processes in the
 * same second (apcu_entry lets one compute and the others wait). apc.serializer counts where leveret.serializer is auto; of APCu's
 * "default", which copies values, the one trait is not there that a recursive array comes back as its own element.
 */

/**
 * @var int
 * @cvalue APC_LIST_ACTIVE
 */
const APC_LIST_ACTIVE = UNKNOWN;
/**
 * @var int
 * @cvalue APC_LIST_DELETED
 */
const APC_LIST_DELETED = UNKNOWN;
/**
 * @var int
 * @cvalue APC_ITER_TYPE
 */
const APC_ITER_TYPE = UNKNOWN;
/**
 * @var int
 * @cvalue APC_ITER_KEY
 */
const APC_ITER_KEY = UNKNOWN;
/**
 * @var int
 * @cvalue APC_ITER_VALUE
 */
const APC_ITER_VALUE = UNKNOWN;
/**
 * @var int
 * @cvalue APC_ITER_NUM_HITS
 */
const APC_ITER_NUM_HITS = UNKNOWN;
/**
 * @var int
 * @cvalue APC_ITER_MTIME
 */
const APC_ITER_MTIME = UNKNOWN;
/**
 * @var int
 * @cvalue APC_ITER_CTIME
 */
const APC_ITER_CTIME = UNKNOWN;
/**
 * @var int
 * @cvalue APC_ITER_DTIME
 */
const APC_ITER_DTIME = UNKNOWN;
/**
 * @var int
 * @cvalue APC_ITER_ATIME
 */
const APC_ITER_ATIME = UNKNOWN;
/**
 * @var int
 * @cvalue APC_ITER_REFCOUNT
 */
const APC_ITER_REFCOUNT = UNKNOWN;
/**
 * @var int
 * @cvalue APC_ITER_MEM_SIZE
 */
const APC_ITER_MEM_SIZE = UNKNOWN;
/**
 * @var int
 * @cvalue APC_ITER_TTL
 */
const APC_ITER_TTL = UNKNOWN;
/**
 * @var int
 * @cvalue APC_ITER_NONE
 */
const APC_ITER_NONE = UNKNOWN;
/**
 * @var int
 * @cvalue APC_ITER_ALL
 */
const APC_ITER_ALL = UNKNOWN;

/** Removes every item, at once and for every process. Always true when the cache is disabled. */
function apcu_clear_cache(): bool {}

/**
 * Counters of the cache and, unless $limited, each item in "cache_list". "expunges" counts evicted items. Disabled: a warning and false.
 */
function apcu_cache_info(bool $limited = false): array|false {}

/**
 * hits (exact up to 15, an estimate above), access_time and mtime (both the time of the last store), creation_time, deletion_time
 * (0), ttl, refs (0); times are Unix times. Null when there is no such item.
 */
function apcu_key_info(string $key): ?array {}

/** Size of the arena and what is free in it, as one block. Disabled: a warning and false. */
function apcu_sma_info(bool $limited = false): array|false {}

/** Whether the cache can be used by this script. */
function apcu_enabled(): bool {}

/**
 * Stores a value, or each value of an array of key => value. Resources give a warning and are not stored; closures and what else
 * cannot be serialized throw, as serialize() does.
 *
 * @param array|string $key
 * @return bool|array for an array the keys that could not be stored, each with -1: an empty array says that all is well
 */
function apcu_store($key, mixed $value = UNKNOWN, int $ttl = 0): array|bool {}

/**
 * As apcu_store, but only where there is no item yet.
 *
 * @param array|string $key
 */
function apcu_add($key, mixed $value = UNKNOWN, int $ttl = 0): array|bool {}

/**
 * Adds to an integer; makes the item with the value $step (and $ttl) when there is none. Wraps at PHP_INT_MAX. False when the value
 * is no integer.
 *
 * @param bool $success
 */
function apcu_inc(string $key, int $step = 1, &$success = null, int $ttl = 0): int|false {}

/**
 * As apcu_inc with -$step.
 *
 * @param bool $success
 */
function apcu_dec(string $key, int $step = 1, &$success = null, int $ttl = 0): int|false {}

/** Replaces the integer $old by $new. False, and nothing is made, when the item is missing, another integer or no integer. */
function apcu_cas(string $key, int $old, int $new): bool {}

/**
 * The value, or false with $success = false. For an array of keys those found, key => value, and $success is true. A key that
 * looks like an integer is an integer in that array, so that $found[$key] is there.
 *
 * @param array|string $key
 * @param bool $success
 */
function apcu_fetch($key, &$success = null): mixed {}

/**
 * Whether there is an item; for an array of keys those found, key => true.
 *
 * @param array|string $key
 */
function apcu_exists($key): array|bool {}

/**
 * True when the item was removed. For an array of keys those not removed; for an APCUIterator true when all that it names are gone.
 *
 * @param APCUIterator|array|string $key
 */
function apcu_delete($key): array|bool {}

/**
 * The value; when there is none, what $callback($key) returns, which is then stored. One process computes while others wait for it,
 * up to 10 seconds; a process that dies, throws or exits in $callback frees the others. $callback may use the cache, and may call
 * apcu_entry. Disabled: null, and $callback is not called.
 */
function apcu_entry(string $key, callable $callback, int $ttl = 0): mixed {}
