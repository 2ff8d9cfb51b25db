<?php

/** @generate-class-entries */

/**
 * Walks over the items, in no order. An item that lives through the whole walk appears exactly once; one that is stored or removed
 * meanwhile may or may not appear. User code that runs during the walk (__unserialize, the loop's body) may use the cache.
 *
 * key() is the item's key, current() an array with the fields that $format asks for, in this order: type ("user"), key, value,
 * num_hits, mtime, creation_time, deletion_time, access_time, ref_count, mem_size, ttl.
 */
class APCUIterator implements Iterator
{
    /**
     * @param array|string|null $search a regular expression for keys, a list of keys, or null for all
     * @param int $format APC_ITER_… flags
     * @param int $chunk_size accepted; the walk reads what fits into 64 KiB at a time
     * @param int $list APC_LIST_ACTIVE; the list of deleted items is always empty
     */
    public function __construct($search = null, int $format = APC_ITER_ALL, int $chunk_size = 0, int $list = APC_LIST_ACTIVE) {}

    public function rewind(): void {}

    public function next(): void {}

    public function valid(): bool {}

    public function key(): string|int {}

    public function current(): mixed {}

    /** Hits of the items that match; counted once, when first asked for. */
    public function getTotalHits(): int {}

    /** Bytes of the items that match; counted once, when first asked for. */
    public function getTotalSize(): int {}

    /** Number of the items that match; counted once, when first asked for. */
    public function getTotalCount(): int {}
}
