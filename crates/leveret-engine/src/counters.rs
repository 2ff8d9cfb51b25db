//! What an arena counts, by shard. Writers count under their shard's lock; reads are counted privately and published
//! now and then (`own.rs`), so that a get writes nothing that is shared.
use crate::map::layout::COUNTERS;

/// Index of a counter in its shard. Numbers are part of the layout: never reuse one.
#[derive(Clone, Copy, Debug)]
#[repr(usize)]
pub(crate) enum Counter {
    Hits = 0,
    Misses = 1,
    Sets = 2,
    Deletes = 3,
    Increments = 4,
    Touches = 5,
    Evicted = 6,
    Expired = 7,
    Recoveries = 8,
    Retries = 9,
    LockWaits = 10,
    Flushes = 11,
    /// Bytes of items written for callers, and those copied again by drains: their ratio is the write amplification.
    WrittenBytes = 12,
    MovedBytes = 13,
    /// Slots that pointed at nothing sensible, cleared by maintenance.
    Mended = 14,
    /// Of `Increments`.
    Decrements = 15,
}

const _: () = assert!((Counter::Decrements as usize) < COUNTERS);
