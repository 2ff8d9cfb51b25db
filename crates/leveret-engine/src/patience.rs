//! Whether a thread waits for locks. An event loop does not: while it waited for one shard, whose owner may have been
//! stopped, all its clients would wait.
use crate::sync::thread_local;
use std::cell::Cell;

thread_local! {
    static IS_IMPATIENT: Cell<bool> = const { Cell::new(false) };
}

/// From now on this thread does not wait for locks that others hold: an operation that meets one returns `Error::Busy`
/// after one short sleep, and at once if it met the same one less than a second ago. The caller tries again.
pub fn never_wait() {
    IS_IMPATIENT.with(|is_impatient| is_impatient.set(true));
}

pub(crate) fn is_impatient() -> bool {
    IS_IMPATIENT.with(Cell::get)
}
