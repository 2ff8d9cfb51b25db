//! State shared by all pools of a process. A fork may inherit it locked by a thread that the child does not have, so it
//! is never waited for.
use std::sync::{Mutex, MutexGuard, TryLockError};

/// `None`: locked, perhaps for ever. Then the caller works without the remembered state.
pub(crate) fn unless_held<T>(shared: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match shared.try_lock() {
        Ok(guard) => Some(guard),
        // A panic cannot leave this state half changed.
        Err(TryLockError::Poisoned(guard)) => Some(guard.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_finds_it_held_goes_on_and_a_panic_keeps_nobody_out() {
        let shared = Mutex::new(1);
        let held = shared.lock().unwrap();
        assert!(unless_held(&shared).is_none());
        drop(held);
        std::thread::scope(|scope| {
            let panics = scope.spawn(|| {
                let _held = shared.lock();
                panic!("as a test does")
            });
            assert!(panics.join().is_err());
        });
        assert_eq!(unless_held(&shared).map(|guard| *guard), Some(1));
    }
}
