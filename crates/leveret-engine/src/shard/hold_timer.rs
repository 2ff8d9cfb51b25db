//! How long locks are held, for statistics: one section in 64 of each thread is timed, since a look at the clock takes as
//! long as some sections.
use crate::core::Core;
use crate::sync::{Instant, Ordering};
use std::cell::Cell;

/// One of this many sections is timed.
const EACH: u32 = 64;

/// Upper bounds of the buckets, in nanoseconds; longer holds have a bucket of their own.
const BOUNDS_NS: [u64; 7] = [1000, 10_000, 50_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// A thread's.
pub(super) struct Timer {
    /// Sections until one is timed, 1 at least.
    left: Cell<u32>,
    since: Cell<Option<Instant>>,
}

impl Timer {
    pub const fn new() -> Timer {
        Timer { left: Cell::new(EACH), since: Cell::new(None) }
    }

    /// A section begins.
    #[inline(always)]
    pub fn begin(&self) {
        // A model counts each access, the same ones each time.
        if cfg!(model) {
            return;
        }
        let left = self.left.get() - 1;
        self.left.set(left);
        if left == 0 {
            self.start();
        }
    }

    #[cold]
    fn start(&self) {
        self.left.set(EACH);
        self.since.set(Some(Instant::now()));
    }

    /// It ends.
    #[inline(always)]
    pub fn end(&self, core: &Core) {
        if let Some(since) = self.since.get() {
            self.stop(core, since);
        }
    }

    #[cold]
    fn stop(&self, core: &Core, since: Instant) {
        self.since.set(None);
        let ns = since.elapsed().as_nanos() as u64;
        let holds = &core.control().holds;
        let bucket = BOUNDS_NS.iter().position(|bound| ns <= *bound).unwrap_or(BOUNDS_NS.len());
        holds.buckets[bucket].fetch_add(1, Ordering::Relaxed);
        holds.ns.fetch_add(ns, Ordering::Relaxed);
    }

    /// The section will never end.
    pub fn forget(&self) {
        self.since.set(None);
    }
}

#[cfg(test)]
mod tests {
    use crate::{Arena, Deadline, OpenOptions, Time};

    #[test]
    fn one_section_in_64_is_timed() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let options = OpenOptions::new().memory(8 << 20).cores(1);
        let (arena, _) = Arena::open(&dir.path().join("timed.arena"), &options).expect("an arena");
        for number in 0..6400u32 {
            arena.set(&number.to_ne_bytes(), b"1", Deadline::NEVER, Time::now()).expect("room");
        }
        let stats = arena.stats();
        assert_eq!(stats.lock_holds.iter().sum::<u64>(), 100);
        assert!(stats.lock_hold_ns > 100, "each takes its time");
    }
}
