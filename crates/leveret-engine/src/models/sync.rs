//! Replaces `crate::sync` in a model: atomics by address, and a clock that stands still. A sleep or a spin lets the
//! other threads run.
use super::checker::part;
use super::memory::low_half_of;
pub(crate) use super::memory::{
    compiler_fence, fence, AtomicBool, AtomicI64, AtomicPtr, AtomicU32, AtomicU64, AtomicU8, AtomicUsize, Ordering,
};
use crate::sync::Slept;
use std::cell::Cell;
use std::time::Duration;

pub(crate) use std::thread_local;

std::thread_local! {
    static CLOCK: Cell<u64> = const { Cell::new(0) };
}

/// Sleeps end when others have run.
pub(crate) fn sleep_on(word: &AtomicU32, seen: u32, _at_most: Duration) -> Slept {
    rest();
    if low_half_of(word) != seen {
        Slept::Changed
    } else {
        Slept::Over
    }
}

pub(crate) fn wake(_word: &AtomicU32, _how_many: u32) {}

pub(crate) fn rest() {
    if let Some((checker, thread)) = part() {
        checker.rest(thread);
    }
}

pub(crate) fn spin() {
    rest();
}

/// Stands still while threads run: no time-out ends. Where one process works alone, nobody else can make progress, so
/// there it advances with each look.
#[derive(Clone, Copy)]
pub(crate) struct Instant(u64);

impl Instant {
    pub fn now() -> Instant {
        Instant(CLOCK.get())
    }

    pub fn elapsed(self) -> Duration {
        if part().is_none() {
            CLOCK.set(CLOCK.get() + 100);
        }
        Duration::from_millis(CLOCK.get() - self.0)
    }
}
