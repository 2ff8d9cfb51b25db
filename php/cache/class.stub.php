<?php

/**
 * Leveret\Cache: the cache that every process of this host shares, as a PHP class.
 *
 *     $cache = new Leveret\Cache();
 *     $user = $cache->remember("user:$id", 300, fn () => $db->loadUser($id));
 *
 * Keys are any bytes, from none up to 64 KiB or a quarter of a segment (16 KiB in an arena of 64 MB), whichever is less;
 * stats() tells it as key_max. In the methods that take many keys, an integer stands for its decimal text, because PHP
 * makes integers of such array keys; the arrays that come back have PHP's array keys, the iterator gives strings.
 *
 * Values are null, bool, int, float, string, arrays, enum cases and every object that can be serialized. Each read
 * gives a copy: what a script changes in it stays with the script. Integers are stored as numbers, so increment()
 * counts what set() stored. Closures, generators, anonymous classes and objects of classes that forbid it are refused
 * with the exception of serialize(). A resource is refused with UnsupportedValueException; within an array or object the
 * serializer decides, and PHP's makes the integer 0 of it. An object of a class that is not loaded, or is not named in
 * leveret.allowed_classes, comes back as __PHP_Incomplete_Class, as in unserialize(). An item that cannot be unserialized
 * counts as missing, with a warning. (All this is said of PHP's serializer. leveret.serializer=auto takes igbinary where it
 * is loaded, which behaves alike; msgpack is less faithful: it keeps no references and cannot bring back enum cases.)
 *
 * null is a value like any other. A miss is told from it by a default of one's own, by has() or by getItem().
 *
 * A $ttl is a number of seconds of any size, a DateInterval, or null for an item that does not expire. There is no other
 * default. 0 or less means that the item is over at once, so nothing remains under the key, as in PSR-16 and unlike
 * apcu_store(), where 0 means no expiry. A full arena also evicts items that are less useful than others.
 *
 * A miss is an answer. What prevents an operation is thrown, always as a child of Leveret\Exception.
 *
 * @generate-class-entries
 */

namespace Leveret;

/** The parent of all: catch this one to go on without the cache. */
class Exception extends \RuntimeException {}

/** The arena could not be opened, or was lost and could not be opened again. The message says the fix. */
final class ArenaException extends Exception {}

/** The key is longer than this arena takes. */
final class KeyTooLongException extends Exception {}

/** The value is larger than this arena takes. The old value is deleted, so that no process reads old data. */
final class ValueTooLargeException extends Exception {}

/** A value that is not a value: a resource. */
final class UnsupportedValueException extends Exception {}

/** increment() or decrement() of an item that is no integer. */
final class NotAnIntegerException extends Exception {}

/** Nothing in the arena could make room for the value. What was stored under the key before is gone. */
final class NoMemoryException extends Exception {}

/** Another process held the lock of this part of the arena for longer than leveret.lock_timeout. Nothing was changed. */
final class BusyException extends Exception {}

/** One version of one item, as getItem() found it. */
final class Item
{
    public readonly string $key;

    public readonly mixed $value;

    /** Names this version: Cache::cas() stores only while the arena still holds it. */
    public readonly int $cas;

    /** When the value was stored, in Unix time. */
    public readonly int $stored;

    /** When the item is over, in Unix time; null for never. */
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
     * $arena is a name, as "default" or "arena:shop", or a path that ends in ".arena"; null takes the INI setting
     * leveret.arena. The first process that asks for an arena creates it, with leveret.memory bytes.
     *
     * @throws ArenaException
     */
    public function __construct(?string $arena = null) {}

    /** The value, or $default on a miss. */
    public function get(string $key, mixed $default = null): mixed {}

    /**
     * An entry for each key asked for, in that order, $default where nothing was found.
     *
     * @return array<string|int, mixed>
     */
    public function getMultiple(iterable $keys, mixed $default = null): array {}

    /** The value together with the token for cas() and the times; null on a miss. */
    public function getItem(string $key): ?Item {}

    /** Stores unconditionally. Never false: failures are thrown. */
    public function set(string $key, mixed $value, null|int|\DateInterval $ttl = null): true {}

    /** Stores each key => value, one after the other. When one fails its exception names the key; those before it are stored. */
    public function setMultiple(iterable $values, null|int|\DateInterval $ttl = null): true {}

    /** Stores if the key is not there. False: it is, and was left as it was. Of several processes exactly one succeeds. */
    public function add(string $key, mixed $value, null|int|\DateInterval $ttl = null): bool {}

    /** Stores if the key is there. False: it is not. */
    public function replace(string $key, mixed $value, null|int|\DateInterval $ttl = null): bool {}

    /** Stores if the key still holds the version that getItem() found. False: it was changed or is gone; look again. */
    public function cas(string $key, int $cas, mixed $value, null|int|\DateInterval $ttl = null): bool {}

    /** True: it was there and is gone. False: it was not there. */
    public function delete(string $key): bool {}

    /** Deletes each of the keys, and says how many were there. */
    public function deleteMultiple(iterable $keys): int {}

    /** Whether the key is there. Counts neither as hit nor as miss. By the next call it may be gone. */
    public function has(string $key): bool {}

    /**
     * Adds $step in one step that no other process can come between, and gives the new value. A missing key is created with
     * $step as its value, and only then $ttl counts. Beyond PHP_INT_MAX it goes on at PHP_INT_MIN.
     *
     * @throws NotAnIntegerException
     */
    public function increment(string $key, int $step = 1, null|int|\DateInterval $ttl = null): int {}

    /**
     * increment() by -$step. The value may become negative.
     *
     * @throws NotAnIntegerException
     */
    public function decrement(string $key, int $step = 1, null|int|\DateInterval $ttl = null): int {}

    /** Gives the item a new end, counted from now. False: there is no such item. */
    public function touch(string $key, null|int|\DateInterval $ttl = null): bool {}

    /**
     * The value, or on a miss what $compute($key) returns, which is stored and returned.
     *
     * One process computes, the others wait for its value. When it throws, exits or dies, the next one computes. No process waits
     * longer than ten seconds, nor while it computes another value itself: it then computes too. $compute may call remember(),
     * also for the same key, whose value then is what the outer call stores. What $compute throws goes through and nothing is
     * stored. A value that the arena cannot take (it is too large, or memory or a lock was not to be had) is returned all the
     * same, and the first of a process that is too large or finds no memory is a line in PHP's log. A value that cannot be
     * serialized throws, as in set().
     */
    public function remember(string $key, null|int|\DateInterval $ttl, callable $compute): mixed {}

    /** Deletes every item of the arena, of all programs, at once. */
    public function clear(): true {}

    /**
     * All items, key => value, in no order. Every item that is there from the beginning of the walk to its end comes exactly
     * once; one that is added, or deleted, meanwhile may come or not. The items may be changed during the walk.
     */
    public function getIterator(): \Iterator {}

    /**
     * path, key_max, value_max and memory_limit; items, memory_allocated (of the file) and memory_free (to be filled before others
     * must go), in bytes; counts since the arena was created: hits, misses, sets, deletes, increments, touches, evicted
     * (forgotten because memory was full), expired, recoveries (after killed processes), retries, lock_waits, flushes;
     * created (Unix time since which they are counted), attached (living processes).
     *
     * @return array<string, int|string>
     */
    public function stats(): array {}
}
