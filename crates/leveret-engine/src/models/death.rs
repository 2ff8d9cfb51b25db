//! How a model ends a process: between two of its stores, whichever. What the process was about to do does not happen;
//! what unwinding would do in its name does not either.
use std::cell::Cell;
use std::panic::{catch_unwind, panic_any, AssertUnwindSafe};

thread_local! {
    /// Stores that the process of this thread still does.
    static LEFT: Cell<u64> = const { Cell::new(u64::MAX) };
    static IS_DEAD: Cell<bool> = const { Cell::new(false) };
}

struct Died;

/// Whether the next store takes place.
pub(crate) fn allows_a_store() -> bool {
    if IS_DEAD.get() {
        return false;
    }
    let left = LEFT.get();
    if left == u64::MAX {
        return true;
    }
    if left == 0 {
        IS_DEAD.set(true);
        panic_any(Died);
    }
    LEFT.set(left - 1);
    true
}

/// Does `work` until it has stored so many times. None: it was stopped there, and nothing but its memory is left of it.
/// Only where one process works at a time.
pub(crate) fn stopped_after<T>(stores: u64, work: impl FnOnce() -> T) -> Option<T> {
    LEFT.set(stores);
    let done = catch_unwind(AssertUnwindSafe(work));
    LEFT.set(u64::MAX);
    IS_DEAD.set(false);
    match done {
        Ok(value) => Some(value),
        Err(why) if why.is::<Died>() => None,
        Err(why) => std::panic::resume_unwind(why),
    }
}

/// Says nothing when a process is ended.
pub(crate) fn silence_ends() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !info.payload().is::<Died>() {
            usual(info);
        }
    }));
}
