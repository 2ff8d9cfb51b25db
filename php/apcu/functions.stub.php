<?php

/** @generate-class-entries */

/*
 * The functions of APCu 5.1 on an arena in shared memory.
 *
 * The cache is the arena apcu-X.Y, where X.Y is PHP's version (leveret.apcu_arena names another). The first script that uses it creates it
 * with apc.shm_size bytes. All processes that may open its file share it. On the command line it is off unless apc.enable_cli=1, and then
 * private to the process unless leveret.apcu_cli=shared.
 *
 * Keys: any bytes, at most 65,535 or a quarter of a segment. Values: at most an eighth of the arena. A full cache evicts the least useful
 * items one at a time. $ttl: seconds, 0 = no expiry. If the cache is disabled or cannot be opened, the functions answer as APCu's do.
 *
 * A new or emptied cache loads the files NAME.data of the folder apc.preload_path: each is the value of the key NAME, serialized by PHP,
 * without objects and references.
 *
 * No effect: apc.entries_hint, apc.gc_ttl, apc.ttl, apc.expunge_threshold, apc.mmap_file_mask, apc.mmap_hugepage_size, apc.coredump_unmap,
 * apc.slam_defense. apc.serializer applies if leveret.serializer is auto.
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

/** Removes every item for every process. True also if the cache is disabled. */
function apcu_clear_cache(): bool {}

/** Counters of the cache and, unless $limited, each item in "cache_list". "expunges" counts evicted items. Disabled: a warning and false. */
function apcu_cache_info(bool $limited = false): array|false {}

/**
 * hits (exact up to 15, estimated above), access_time and mtime (both the time of the last store), creation_time, deletion_time
 * (0), ttl (seconds), refs (0). Times are Unix times. Null on a miss.
 */
function apcu_key_info(string $key): ?array {}

/** Size of the arena and its free memory in bytes, as one block. Disabled: a warning and false. */
function apcu_sma_info(bool $limited = false): array|false {}

/** Whether this script can use the cache. */
function apcu_enabled(): bool {}

/**
 * Stores a value, or each value of an array key => value. A resource causes a warning and is not stored. A value that cannot be
 * serialized, such as a closure, throws.
 *
 * @param array|string $key
 * @return bool|array for an array: the keys that were not stored, each with -1; empty if all were stored
 */
function apcu_store($key, mixed $value = UNKNOWN, int $ttl = 0): array|bool {}

/**
 * As apcu_store(), but only if the key has no item.
 *
 * @param array|string $key
 */
function apcu_add($key, mixed $value = UNKNOWN, int $ttl = 0): array|bool {}

/**
 * Adds $step to an integer and returns the new value. A missing item is created with the value $step and $ttl. Wraps at PHP_INT_MAX.
 * False if the value is not an integer.
 *
 * @param bool $success
 */
function apcu_inc(string $key, int $step = 1, &$success = null, int $ttl = 0): int|false {}

/**
 * As apcu_inc() with -$step.
 *
 * @param bool $success
 */
function apcu_dec(string $key, int $step = 1, &$success = null, int $ttl = 0): int|false {}

/** Replaces the integer $old by $new. False if the item is missing or has another value. */
function apcu_cas(string $key, int $old, int $new): bool {}

/**
 * The value, or false with $success = false. For an array of keys: the items found, key => value, and $success is true. PHP makes
 * integers of decimal keys in that array.
 *
 * @param array|string $key
 * @param bool $success
 */
function apcu_fetch($key, &$success = null): mixed {}

/**
 * Whether the key has an item. For an array of keys: the keys found, key => true.
 *
 * @param array|string $key
 */
function apcu_exists($key): array|bool {}

/**
 * True if the item was removed. For an array of keys: the keys that were not removed. For an APCUIterator: true if all its items were removed.
 *
 * @param APCUIterator|array|string $key
 */
function apcu_delete($key): array|bool {}

/**
 * The value. On a miss: the result of $callback($key), which is stored. One process computes; others wait for its value for at most
 * 10 seconds, or until it throws, exits or ends. $callback may use the cache and call apcu_entry(). Disabled: null, without a call.
 */
function apcu_entry(string $key, callable $callback, int $ttl = 0): mixed {}
