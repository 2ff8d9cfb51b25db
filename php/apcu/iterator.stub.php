<?php

/** @generate-class-entries */

/**
 * Iterates over the items, in no order. An item that exists during the whole walk appears exactly once; an item that is stored or removed
 * meanwhile may appear. The loop's body and __unserialize() may use the cache.
 *
 * key() is the item's key, current() an array with the fields of $format in this order: type ("user"), key, value,
 * num_hits, mtime, creation_time, deletion_time, access_time, ref_count, mem_size, ttl.
 */
class APCUIterator implements Iterator
{
    /**
     * @param array|string|null $search a regular expression for keys, a list of keys, or null for all
     * @param int $format APC_ITER_… flags
     * @param int $chunk_size no effect: the walk reads 64 KiB at a time
     * @param int $list APC_LIST_ACTIVE, or APC_LIST_DELETED, which is always empty
     */
    public function __construct($search = null, int $format = APC_ITER_ALL, int $chunk_size = 0, int $list = APC_LIST_ACTIVE) {}

    public function rewind(): void {}

    public function next(): void {}

    public function valid(): bool {}

    public function key(): string|int {}

    public function current(): mixed {}

    /** Hits of the matching items, counted at the first call. */
    public function getTotalHits(): int {}

    /** Bytes of the matching items, counted at the first call. */
    public function getTotalSize(): int {}

    /** Number of the matching items, counted at the first call. */
    public function getTotalCount(): int {}
}
