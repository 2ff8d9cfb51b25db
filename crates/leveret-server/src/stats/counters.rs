//! What the server counts about requests; what the arena counts itself (reads, stores, evictions) is taken from there.
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Index of a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Count {
    /// Touches, those of gat included.
    CmdTouch,
    /// Meta commands.
    CmdMeta,
    /// Look-ups that met an item past its deadline.
    GetExpired,
    /// Look-ups that met an item from before a flush.
    GetFlushed,
    /// Touches that found none.
    TouchMisses,
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
    /// Values above the limit.
    StoreTooLarge,
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

    /// The present number.
    pub fn of(&self, counter: Count) -> u64 {
        self.0[counter as usize].load(Relaxed)
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

    /// What was counted since `earlier`.
    pub fn since(&self, earlier: &Totals, counter: Count) -> u64 {
        self.0[counter as usize].wrapping_sub(earlier.0[counter as usize])
    }
}
