//! The flush word: items of an older epoch are flushed. No lock: one atomic word, changed by compare-exchange. A
//! process that sees a flush also sees every write before it.
use crate::map::layout::Control;
use crate::sync::Ordering;
use crate::time::{Moment, Time};

/// The flush epoch of this moment; carries out a delayed flush whose time has come.
#[inline]
pub(crate) fn present(control: &Control, now: impl Moment) -> u32 {
    let flush = control.flush.load(Ordering::Acquire);
    if flush >> 32 == 0 {
        return flush as u32;
    }
    carry_out_due(control, flush, now.time())
}

/// The epoch while a delayed flush is pending. The first process that sees its time has come carries it out.
#[cold]
fn carry_out_due(control: &Control, seen: u64, now: Time) -> u32 {
    let epoch = seen as u32;
    if seen >> 32 > u64::from(now.0) {
        return epoch;
    }
    let next = epoch.wrapping_add(1);
    match control.flush.compare_exchange(seen, u64::from(next), Ordering::Relaxed, Ordering::Acquire) {
        Ok(_) => next,
        Err(found) => found as u32,
    }
}

/// Begins the next epoch and cancels a pending flush.
pub(crate) fn begin_next(control: &Control) {
    change(control, |seen| u64::from((seen as u32).wrapping_add(1)));
}

/// Schedules the next epoch for `at`, in place of a pending flush.
pub(crate) fn begin_at(control: &Control, at: Time) {
    change(control, |seen| u64::from(at.0) << 32 | u64::from(seen as u32));
}

fn change(control: &Control, next: impl Fn(u64) -> u64) {
    let flush = &control.flush;
    let mut seen = flush.load(Ordering::Relaxed);
    while let Err(found) = flush.compare_exchange(seen, next(seen), Ordering::Release, Ordering::Relaxed) {
        seen = found;
    }
}
