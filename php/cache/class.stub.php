<?php

/**
 * Leveret\Cache: the cache that every process of this host shares, as a PHP class.
 *
 *     $cache = new Leveret\Cache();
 *     $user = $cache->remember("user:$id", 300, fn () => $db->loadUser($id));
 *
 * Keys: any bytes, 0 to 64 KiB or a quarter of a segment (16 KiB in an arena of 64 MiB); stats() has the limit as key_max. In methods
 * that take many keys, an integer is its decimal text, because PHP makes integers of such array keys.
 *
 * Values: null, bool, int, float, string, arrays, enum cases and objects that can be serialized, at most an eighth of the arena. Each
 * read returns a copy. Integers are stored as numbers, so increment() counts them. Closures, generators and anonymous classes throw the
 * exception of serialize(). A resource throws UnsupportedValueException; inside an array, PHP's serializer stores it as 0. An object
 * whose class is not loaded, or not in leveret.allowed_classes, becomes a __PHP_Incomplete_Class. An item that cannot be unserialized is
 * a miss, with a warning. leveret.serializer=msgpack keeps no references and no enum cases.
 *
 * A default, has() or getItem() distinguishes a miss from a stored null.
 *
 * $ttl: seconds, a DateInterval, or null for no expiry. 0 or less: the item expires at once, as in PSR-16 and unlike apcu_store(), where
 * 0 means no expiry. A full arena also evicts items.
 *
 * A miss is not an error. An operation that fails throws a child of Leveret\Exception.
 *
 * @generate-class-entries
 */

namespace Leveret;

/** Parent of all exceptions: catch it to continue without the cache. */
class Exception extends \RuntimeException {}

/** The arena cannot be opened. The message says the fix. */
final class ArenaException extends Exception {}

/** The key is longer than key_max. */
final class KeyTooLongException extends Exception {}

/** The value is larger than value_max, an eighth of the arena. The old value is deleted. */
final class ValueTooLargeException extends Exception {}

/** Resources cannot be stored. */
final class UnsupportedValueException extends Exception {}

/** increment() or decrement() of an item that is not an integer. */
final class NotAnIntegerException extends Exception {}

/** No memory could be freed for the value. The old value is deleted. */
final class NoMemoryException extends Exception {}

/** Another process held a lock for longer than leveret.lock_timeout (1000 ms). The old value is kept. */
final class BusyException extends Exception {}

/** One version of an item, returned by getItem(). */
final class Item
{
    public readonly string $key;

    public readonly mixed $value;

    /** The version, for Cache::cas(). */
    public readonly int $cas;

    /** Unix time of the store, in seconds. */
    public readonly int $stored;

    /** Unix time of the expiry, in seconds; null for never. */
    public readonly ?int $expires;

    private function __construct() {}
}

/**
 * @strict-properties
 * @not-serializable
 */
final class Cache implements \IteratorAggregate
{
    /**
     * $arena: a name ("default", "arena:shop") or a path that ends in ".arena". Null: the INI setting leveret.arena. The first
     * process that opens an arena creates it, with leveret.memory bytes.
     *
     * @throws ArenaException
     */
    public function __construct(?string $arena = null) {}

    /** The value, or $default on a miss. */
    public function get(string $key, mixed $default = null): mixed {}

    /**
     * One entry for each key, in the order of $keys; $default for a miss.
     *
     * @return array<string|int, mixed>
     */
    public function getMultiple(iterable $keys, mixed $default = null): array {}

    /** The value with its version for cas() and its times; null on a miss. */
    public function getItem(string $key): ?Item {}

    /** Stores the value. A failure throws. */
    public function set(string $key, mixed $value, null|int|\DateInterval $ttl = null): true {}

    /** Stores each key => value in turn. The exception of a failure names the key; earlier ones are stored. */
    public function setMultiple(iterable $values, null|int|\DateInterval $ttl = null): true {}

    /** Stores if the key does not exist; otherwise false. Of several processes exactly one succeeds. */
    public function add(string $key, mixed $value, null|int|\DateInterval $ttl = null): bool {}

    /** Stores if the key exists; otherwise false. */
    public function replace(string $key, mixed $value, null|int|\DateInterval $ttl = null): bool {}

    /** Stores if the item still has the version $cas of getItem(); otherwise false. */
    public function cas(string $key, int $cas, mixed $value, null|int|\DateInterval $ttl = null): bool {}

    /** Whether the key existed. */
    public function delete(string $key): bool {}

    /** Deletes the keys and returns how many existed. */
    public function deleteMultiple(iterable $keys): int {}

    /** Whether the key exists. Counts neither as a hit nor as a miss. */
    public function has(string $key): bool {}

    /**
     * Adds $step atomically and returns the new value. A missing key is created with the value $step; $ttl applies only then. Wraps
     * from PHP_INT_MAX to PHP_INT_MIN.
     *
     * @throws NotAnIntegerException
     */
    public function increment(string $key, int $step = 1, null|int|\DateInterval $ttl = null): int {}

    /**
     * increment() by -$step. The value may be negative.
     *
     * @throws NotAnIntegerException
     */
    public function decrement(string $key, int $step = 1, null|int|\DateInterval $ttl = null): int {}

    /** Sets a new $ttl, counted from now. False if the key does not exist. */
    public function touch(string $key, null|int|\DateInterval $ttl = null): bool {}

    /**
     * The value. On a miss: the result of $compute($key), which is stored.
     *
     * One process computes, the others wait for its value, at most 10 seconds. If it throws, exits or ends, the next one computes. A
     * process that already computes another value does not wait: it computes too. $compute may call remember(). Its exceptions pass
     * through, and nothing is stored. A value that the arena refuses (too large, no memory, busy) is returned without being stored;
     * PHP's log has a line for the first such value of a process. A value that cannot be serialized throws.
     */
    public function remember(string $key, null|int|\DateInterval $ttl, callable $compute): mixed {}

    /** Deletes all items of the arena, also those of other programs. */
    public function clear(): true {}

    /**
     * All items, key => value, in no order. An item that exists during the whole walk appears exactly once; an item that is added or
     * deleted meanwhile may appear. Items may be changed during the walk. Keys are strings.
     */
    public function getIterator(): \Iterator {}

    /**
     * path; in bytes: key_max, value_max, memory_limit, memory_allocated (size of the file) and memory_free (before items are evicted);
     * items; counts since the arena was created: hits, misses, sets, deletes, increments, touches, evicted (because memory was full),
     * expired, recoveries (locks of ended processes), retries, lock_waits, flushes; created (Unix time in seconds); attached (living
     * processes).
     *
     * @return array<string, int|string>
     */
    public function stats(): array {}
}
