//! How a model ends a process: between two of its stores, whichever. What the process was about to do does not happen;
//! what unwinding would do in its name does not either.
//!
//! A compiler may put a store off until after later ones, as far as the next with Release (or a fence): then a process
//! that ends has done those and not the one. So one store of each such run may be taken back at the end.
use super::checker::{Part, Strength};
use core::sync::atomic::Ordering;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::panic::{catch_unwind, panic_any, AssertUnwindSafe, Location};
use std::sync::Mutex;

/// A store that may be delayed, and the value before it.
struct Late {
    address: *mut u8,
    size: usize,
    before: [u8; 8],
}

thread_local! {
    /// Stores that the process of this thread still does.
    static LEFT: Cell<u64> = const { Cell::new(u64::MAX) };
    static IS_DEAD: Cell<bool> = const { Cell::new(false) };
    static LATE: RefCell<Vec<Late>> = const { RefCell::new(Vec::new()) };
}

/// The effect removed from the ordering of one place.
pub(crate) static WITHOUT: Mutex<Option<Strength>> = Mutex::new(None);
/// Where processes that are to end have stored with Release.
pub(crate) static MET: Mutex<BTreeSet<Strength>> = Mutex::new(BTreeSet::new());

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

fn is_to_end() -> bool {
    LEFT.get() != u64::MAX && !IS_DEAD.get()
}

/// Whether earlier stores stay before this store.
fn keeps(ordering: Ordering, place: &'static Location<'static>) -> bool {
    if !matches!(ordering, Ordering::Release | Ordering::AcqRel | Ordering::SeqCst) {
        return false;
    }
    let strength = Strength { file: place.file(), line: place.line(), column: place.column(), part: Part::Release };
    MET.lock().expect("no panic").insert(strength);
    *WITHOUT.lock().expect("no panic") != Some(strength)
}

/// A store is about to take place in plain memory.
#[track_caller]
pub(crate) fn note_store(address: *mut u8, size: usize, ordering: Ordering) {
    if !is_to_end() {
        return;
    }
    let is_kept = keeps(ordering, Location::caller());
    let mut before = [0; 8];
    // SAFETY: a word of the model's memory, which one process works in at a time.
    unsafe { address.copy_to(before.as_mut_ptr(), size) };
    LATE.with_borrow_mut(|late| {
        if is_kept {
            late.clear();
        }
        // Two stores to one word keep their order.
        late.retain(|other| other.address != address);
        // What follows a change with Acquire does not come before it.
        if matches!(ordering, Ordering::Relaxed | Ordering::Release) {
            late.push(Late { address, size, before });
        }
    });
}

#[track_caller]
pub(crate) fn note_fence(ordering: Ordering) {
    if is_to_end() && keeps(ordering, Location::caller()) {
        LATE.with_borrow_mut(Vec::clear);
    }
}

/// Runs `work` until its number of stores is reached. `None`: it was stopped there, and only its memory is left. For
/// one process at a time. `late`: which of the last stores was delayed, counted from the last; also returns how many
/// could have been.
pub(crate) fn stopped_after<T>(stores: u64, late: Option<usize>, work: impl FnOnce() -> T) -> (Option<T>, usize) {
    LATE.with_borrow_mut(Vec::clear);
    LEFT.set(stores);
    let done = catch_unwind(AssertUnwindSafe(work));
    LEFT.set(u64::MAX);
    IS_DEAD.set(false);
    let put_off = LATE.take();
    match done {
        Ok(value) => (Some(value), 0),
        Err(why) if why.is::<Died>() => {
            if let Some(late) = late.and_then(|late| put_off.iter().rev().nth(late)) {
                // SAFETY: as in `note_store`.
                unsafe { late.address.copy_from(late.before.as_ptr(), late.size) };
            }
            (None, put_off.len())
        }
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
