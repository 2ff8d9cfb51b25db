//! The only file that names atomics, and the rest by which threads and processes meet: sleeping on a word, the moments
//! that limit it, what each thread has for itself. Under `--cfg model` all of it is a model's (`models/`).
#[cfg(model)]
pub(crate) use crate::models::sync::*;
#[cfg(not(model))]
pub(crate) use {
    core::sync::atomic::{
        compiler_fence, fence, AtomicBool, AtomicI64, AtomicPtr, AtomicU32, AtomicU64, AtomicU8, AtomicUsize, Ordering,
    },
    real::{rest, sleep_on, spin, wake},
    std::thread_local,
    std::time::Instant,
};

/// How a sleep on a word ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slept {
    /// The word changed, before or during the sleep.
    Changed,
    /// It did not change during the whole time.
    Over,
    /// By a signal.
    #[cfg_attr(model, allow(dead_code))]
    Interrupted,
}

#[cfg(not(model))]
mod real {
    use super::{AtomicU32, Slept};
    use rustix::io::Errno;
    use rustix::thread::futex;
    use std::time::Duration;

    /// Sleeps while the word is `seen`, for less than a second, or until `wake`.
    pub(crate) fn sleep_on(word: &AtomicU32, seen: u32, at_most: Duration) -> Slept {
        let timeout = futex::Timespec { tv_sec: 0, tv_nsec: at_most.subsec_nanos().into() };
        match futex::wait(word, futex::Flags::empty(), seen, Some(&timeout)) {
            Ok(()) | Err(Errno::AGAIN) => Slept::Changed,
            Err(Errno::INTR) => Slept::Interrupted,
            Err(_) => Slept::Over,
        }
    }

    /// Wakes some of the threads that sleep on a word.
    pub(crate) fn wake(word: &AtomicU32, how_many: u32) {
        let _ = futex::wake(word, futex::Flags::empty(), how_many);
    }

    /// Lets others run.
    pub(crate) fn rest() {
        std::thread::yield_now();
    }

    /// Says that this is a loop that waits.
    #[inline(always)]
    pub(crate) fn spin() {
        std::hint::spin_loop();
    }
}
