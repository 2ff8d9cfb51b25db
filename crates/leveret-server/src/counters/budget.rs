//! One budget for all memory that the server holds for clients: input that waits for its rest, answers that wait to be
//! read. An item is no part of it: it is in the arena, and a large one is received there.
//!
//! - **Back-pressure first.** A connection that needs a large buffer for which there is no room in three quarters of the
//!   budget is parked: it is not read from until others have finished, first come, first served. What its client sends
//!   waits in the kernel.
//! - **Tight.** From half of the budget on, new requests are read in small pieces, so that a thousand connections that
//!   send large values at once hold little before each is admitted.
//! - **Closing last.** If a connection was parked for `PATIENCE_SECS` and nothing became free, or what came without being
//!   asked for exceeds the budget (answers, fronts of requests), those connections are closed that have held memory for
//!   the longest.
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// However small the arena is.
const AT_LEAST: u64 = 64 << 20;

/// However large the arena is.
const AT_MOST: u64 = 1 << 30;

/// At least this many of the longest values fit at once, for any `-I`.
const VALUES: u64 = 8;

/// A connection may be parked for so long without anything becoming free. Others may hold memory for so long.
pub const PATIENCE_SECS: u32 = 5;

/// What clients hold, and what was done about it.
#[derive(Debug, Default)]
pub struct Budget {
    /// Bytes of buffers that connections own now.
    pub(crate) held: AtomicU64,
    /// How often a connection was parked.
    pub waits: AtomicU64,
    /// Connections that were closed for the memory they held.
    pub closed: AtomicU64,
    /// When a worker last said that a parked connection finds no room, in seconds since the server's start, and one.
    starving_secs: AtomicU32,
}

impl Budget {
    /// The bound, of a server with an arena of `memory` bytes and values of up to `value_max`.
    pub fn limit(memory: u64, value_max: usize) -> u64 {
        (memory / 4).clamp(AT_LEAST, AT_MOST).max(VALUES * value_max as u64)
    }

    /// Bytes that are free for large buffers. The last quarter is for what comes without being asked for.
    pub fn room(&self, limit: u64) -> u64 {
        (limit - limit / 4).saturating_sub(self.held())
    }

    /// Bytes that connections own.
    pub fn held(&self) -> u64 {
        self.held.load(Relaxed)
    }

    /// What a connection owns has changed. Returns the new sum.
    pub fn change(&self, before: u64, after: u64) -> u64 {
        // Less is counted as well, by wrapping.
        let change = after.wrapping_sub(before);
        self.held.fetch_add(change, Relaxed).wrapping_add(change)
    }

    /// A parked connection has waited for too long.
    pub fn starve(&self, now_secs: u32) {
        self.starving_secs.store(now_secs + 1, Relaxed);
    }

    /// Whether some worker has said so in this second or the last.
    pub fn is_starving(&self, now_secs: u32) -> bool {
        let since = self.starving_secs.load(Relaxed);
        since > 0 && now_secs < since + 1
    }

    /// `stats reset`.
    pub fn reset(&self) {
        self.waits.store(0, Relaxed);
        self.closed.store(0, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_follows_the_arena_and_the_longest_value() {
        for (memory, value_max, want) in [
            (1 << 20, 1 << 20, AT_LEAST),
            (64 << 20, 1 << 20, AT_LEAST),
            (64 << 20, 8 << 20, 64 << 20),
            (64 << 20, 128 << 20, 1 << 30),
            (1 << 30, 1 << 20, 256 << 20),
            (64 << 30, 1 << 20, AT_MOST),
        ] {
            assert_eq!(Budget::limit(memory, value_max), want, "{memory}, {value_max}");
        }
    }

    #[test]
    fn what_is_held_is_the_sum_of_changes() {
        let budget = Budget::default();
        assert_eq!((budget.change(0, 10), budget.change(0, 5), budget.change(10, 3)), (10, 15, 8));
        assert_eq!((budget.change(5, 0), budget.held()), (3, 3));
        assert!(!budget.is_starving(0));
        budget.starve(7);
        assert!(budget.is_starving(8) && !budget.is_starving(9));
    }
}
