//! One budget for all memory that the server holds for clients: incomplete input and unread answers. Items do not
//! count: they are in the arena, and a large one is received there.
//!
//! - **Back-pressure first.** A connection that needs a large buffer while three quarters of the budget are used is
//!   parked: the server stops reading from it until others have finished, first come, first served. Its further input
//!   waits in the kernel.
//! - **Small reads.** From half of the budget on, new requests are read in small pieces, so that a thousand connections
//!   that send large values at once hold little before each is admitted.
//! - **Closing last.** If a connection was parked for `PATIENCE_SECS` and nothing became free, or unrequested memory
//!   (answers, fronts of requests) exceeds the budget, the connections that have held memory longest are closed.
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// However small the arena is.
const AT_LEAST: u64 = 64 << 20;

/// However large the arena is.
const AT_MOST: u64 = 1 << 30;

/// This many of the longest values have room at once, at any `-I`.
const VALUES: u64 = 8;

/// Longest time that a connection may be parked without progress, and that others may hold memory meanwhile.
pub const PATIENCE_SECS: u32 = 5;

/// Memory held for clients, and the actions taken.
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

    /// Bytes free for large buffers. The last quarter is for unrequested memory.
    pub fn room(&self, limit: u64) -> u64 {
        (limit - limit / 4).saturating_sub(self.held())
    }

    /// Bytes that connections own.
    pub fn held(&self) -> u64 {
        self.held.load(Relaxed)
    }

    /// A connection's memory has changed. Returns the new sum.
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
