//! Entering a shard: its lock, and recovery if the last owner left the guarded state half done.
use super::lock::{self, Guard, Left, Section};
use super::{recover, Locked};
use crate::core::Core;
use crate::error::Error;
use crate::open;
use crate::time::{Moment, Time};

/// Takes the lock of a shard, waiting for a living owner up to the lock timeout.
#[inline(always)]
pub(crate) fn lock(core: &Core, shard: usize, now: impl Moment) -> Result<Locked<'_>, Error> {
    let section = Section::of_this_thread();
    if section.is_entered() {
        leave_abandoned(core, section)?;
    }
    let (guard, left) = lock::take(core, shard, section)?;
    entered(core, shard, guard, left, now)
}

/// The lock if it is free, or its owner is dead, at once. Inside a section nothing is taken.
pub(crate) fn try_lock(core: &Core, shard: usize, now: impl Moment) -> Option<Locked<'_>> {
    let section = Section::of_this_thread();
    if section.is_entered() {
        return None;
    }
    let (guard, left) = lock::try_take(core, shard, section)?;
    entered(core, shard, guard, left, now).ok()
}

#[inline(always)]
fn entered<'a>(
    core: &'a Core,
    shard: usize,
    guard: Guard<'a>,
    left: Left,
    now: impl Moment,
) -> Result<Locked<'a>, Error> {
    // Made in its place: moved out of a `match`, its fields would be read again, wider than they were just written, which
    // stalls a write by a tenth.
    if core.is_lost() {
        drop(guard);
        return Err(Error::Lost);
    }
    let locked = Locked::new(core, shard, guard, now);
    if left == Left::HalfDone {
        recover::recover(&locked);
    }
    Ok(locked)
}

/// This thread is inside a section already: either this is a signal handler that interrupted it, or a longjmp left it.
#[cold]
fn leave_abandoned(core: &Core, section: Section) -> Result<(), Error> {
    // The lock still belongs to this thread, and the guarded state is as after a kill.
    let (number, shard) = section.abandoned()?;
    if number == core.number {
        recover_abandoned(core, shard, section);
        return Ok(());
    }
    match open::open_one(number)? {
        Some(core) => recover_abandoned(&core, shard, section),
        // The arena was closed, which ended this process's life sign there: the next process that needs the lock takes
        // it.
        None => section.forget(),
    }
    Ok(())
}

/// Recovers the shard whose lock this thread still holds in this arena, and gives it up.
fn recover_abandoned(core: &Core, shard: usize, section: Section) {
    recover::recover(&Locked::new(core, shard, Guard::resume(core, shard, section), Time::now()));
}
