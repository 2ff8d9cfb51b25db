//! What all of a process's pools share, and a fork may find in the hands of a thread that the child does not have: nobody waits for it.
use std::sync::{Mutex, MutexGuard, TryLockError};

/// None: somebody has it, perhaps for ever. Then the caller does without what it would have remembered.
pub(super) fn unless_held<T>(shared: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match shared.try_lock() {
        Ok(guard) => Some(guard),
        // A panic cannot leave what is kept here half changed.
        Err(TryLockError::Poisoned(guard)) => Some(guard.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}
