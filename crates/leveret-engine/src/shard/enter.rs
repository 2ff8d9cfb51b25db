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
    let section = take(core, shard, now)?;
    Ok(Locked::new(core, shard, section, now))
}

/// Takes the lock of a shard as `lock` does, for the time of `work`. Its section is made in its place: moved out of a `Result`,
/// its fields would be read again, wider than they were just written, which stalls a write by a tenth.
#[inline(always)]
pub(crate) fn under_lock<T>(
    core: &Core,
    shard: usize,
    now: impl Moment,
    work: impl FnOnce(&Locked<'_>) -> T,
) -> Result<T, Error> {
    let section = take(core, shard, now)?;
    let locked = Locked::new(core, shard, section, now);
    Ok(work(&locked))
}

/// The lock if it is free, or its owner is dead, at once. Inside a section nothing is taken.
pub(crate) fn try_lock(core: &Core, shard: usize, now: impl Moment) -> Option<Locked<'_>> {
    let section = Section::of_this_thread();
    if section.is_entered() {
        return None;
    }
    let left = lock::try_take(core, shard, section)?;
    entered(core, shard, section, left, now).ok()?;
    Some(Locked::new(core, shard, section, now))
}

/// The lock is this thread's afterwards, and what it guards is whole. A `Guard` must follow at once.
#[inline(always)]
fn take(core: &Core, shard: usize, now: impl Moment) -> Result<Section, Error> {
    let section = Section::of_this_thread();
    if section.is_entered() {
        leave_abandoned(core, section)?;
    }
    let left = lock::take(core, shard, section)?;
    entered(core, shard, section, left, now)?;
    Ok(section)
}

/// The lock was taken. `Lost`: it is given up again.
#[inline(always)]
fn entered(core: &Core, shard: usize, section: Section, left: Left, now: impl Moment) -> Result<(), Error> {
    if core.is_lost() {
        drop(Guard::of_entered(core, shard, section));
        return Err(Error::Lost);
    }
    if left == Left::HalfDone {
        mend(core, shard, section, now.time());
    }
    Ok(())
}

/// Recovers a shard whose lock this thread has, and keeps the lock.
#[cold]
fn mend(core: &Core, shard: usize, section: Section, now: Time) {
    let locked = Locked::new(core, shard, section, now);
    recover::recover(&locked);
    std::mem::forget(locked);
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
    recover::recover(&Locked::new(core, shard, section, Time::now()));
}
