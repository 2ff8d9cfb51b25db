//! What the server counts about requests; what the arena counts itself (reads, stores, evictions) is taken from there.
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Index of a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Count {
    /// Touches, those of gat included.
    CmdTouch,
    /// Meta commands.
    MetaCommands,
    /// Of these `me` alone: memcached calls nothing else a meta command when it counts.
    CmdMeta,
    /// Hits that the arena does not count: of items that a get has made, and of gets that leave no trace.
    GetHits,
    /// Misses that the arena does not count: of gets that leave no trace.
    GetMisses,
    /// Stores that were refused for the existing item, or for a bad data block: memcached counts attempted stores.
    SetsRefused,
    /// Items that a get has made, which are sets to the arena.
    SetsByGet,
    /// Items that a count has made and those that a delete has emptied, which are no sets to the arena.
    ItemsMade,
    /// Look-ups that met an item past its deadline.
    GetExpired,
    /// Look-ups that met an item from before a flush.
    GetFlushed,
    /// Touches that the arena does not count: of items that a get has made, or ended at once.
    TouchHits,
    /// Touches that found none.
    TouchMisses,
    /// Deletes that the arena does not count: of items that were emptied.
    DeleteHits,
    /// Deletes to the arena that no client has asked for: of items that a refused store meant to replace.
    Forgotten,
    /// Deletes that found none.
    DeleteMisses,
    /// Increments that found none.
    IncrMisses,
    /// Decrements that found none.
    DecrMisses,
    /// Stores over the version that was expected.
    CasHits,
    /// Stores over nothing.
    CasMisses,
    /// Stores over another version.
    CasBadval,
    /// Values above the limit, in text.
    StoreTooLarge,
    /// The same in the binary protocol, where memcached does not count them.
    BinaryTooLarge,
    /// Values that found no room.
    StoreNoMemory,
    /// Names and passwords that were given.
    AuthCmds,
    /// Those that were wrong.
    AuthErrors,
}

const COUNTERS: usize = Count::AuthErrors as usize + 1;

/// The counters of one worker, on cache lines of their own: no line travels between cores for the sake of statistics.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct Counters([AtomicU64; COUNTERS]);

impl Counters {
    /// Only its worker writes to it, so no locked instruction is needed.
    #[inline]
    pub fn add(&self, counter: Count, by: u64) {
        let cell = &self.0[counter as usize];
        cell.store(cell.load(Relaxed).wrapping_add(by), Relaxed);
    }

    /// Takes one back that this worker has added.
    pub fn take_back(&self, counter: Count) {
        self.add(counter, u64::MAX);
    }
}

/// Sums over all workers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals([u64; COUNTERS]);

impl Totals {
    /// Adds up.
    pub fn over(workers: &[Counters]) -> Totals {
        let mut totals = Totals::default();
        for worker in workers {
            for (sum, cell) in totals.0.iter_mut().zip(&worker.0) {
                *sum = sum.wrapping_add(cell.load(Relaxed));
            }
        }
        totals
    }

    /// The count since `earlier`.
    pub fn since(&self, earlier: &Totals, counter: Count) -> u64 {
        self.0[counter as usize].wrapping_sub(earlier.0[counter as usize])
    }
}
