//! Counters of an arena, by shard. Writers count under their shard's lock. Reads are counted privately and published
//! from time to time (`process_local.rs`), so that a get writes nothing shared.
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
    Repaired = 14,
    /// Of `Increments`.
    Decrements = 15,
    /// Of `Evicted`, by how long ago the item was stored.
    EvictedInMinute = 16,
    EvictedInHour = 17,
    EvictedInDay = 18,
    /// Time that writers slept for a lock, in microseconds; the next ones count the `LockWaits` by duration.
    LockWaitUs = 19,
    LockWaitsOfMs = 20,
    LockWaitsOf10Ms = 21,
    LockWaitsOf100Ms = 22,
    /// Stores of keys that were evicted not long before.
    Returned = 23,
}

const _: () = assert!((Counter::Returned as usize) < COUNTERS);

impl Counter {
    /// Counter for the eviction of an item stored `secs` seconds ago. Older ones count in `Evicted` only.
    pub fn of_age(secs: u32) -> Option<Counter> {
        match secs {
            0..60 => Some(Counter::EvictedInMinute),
            60..3600 => Some(Counter::EvictedInHour),
            3600..86_400 => Some(Counter::EvictedInDay),
            _ => None,
        }
    }

    /// Counter for a wait of `us` microseconds. Shorter waits count in `LockWaits` only.
    pub fn of_wait(us: u64) -> Option<Counter> {
        match us {
            0..1000 => None,
            1000..10_000 => Some(Counter::LockWaitsOfMs),
            10_000..100_000 => Some(Counter::LockWaitsOf10Ms),
            _ => Some(Counter::LockWaitsOf100Ms),
        }
    }
}
