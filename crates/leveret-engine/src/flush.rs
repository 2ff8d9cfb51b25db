//! Flushing: one store makes every item of the arena a thing of the past. The first write to a shard after that sweeps
//! it out: one walk over its index costs less than finding the slot of each dead item later.
use crate::arena::Arena;
use crate::core::Core;
use crate::counters::Counter;
use crate::epoch;
use crate::error::Error;
use crate::sync::Ordering;
use crate::time::{Now, Time};

impl Arena {
    /// Forgets every item, at once.
    pub fn flush(&self) -> Result<(), Error> {
        if self.core.is_lost() {
            return Err(Error::Lost);
        }
        epoch::begin_next(self.core.control());
        count_flush(&self.core);
        Ok(())
    }

    /// Forgets, when `at` has come, every item stored before. Until then nothing changes; a later call replaces an
    /// earlier one.
    pub fn flush_at(&self, at: Time) -> Result<(), Error> {
        if at <= Time::now() {
            return self.flush();
        }
        if self.core.is_lost() {
            return Err(Error::Lost);
        }
        // One that is due takes place, though nobody may have looked since: what it ends must not come back.
        self.core.epoch(Now);
        epoch::begin_at(self.core.control(), at);
        // When it is ordered, as memcached does: one that is never carried out was asked for, too.
        count_flush(&self.core);
        Ok(())
    }
}

fn count_flush(core: &Core) {
    core.shards.at(0).counters[Counter::Flushes as usize].fetch_add(1, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Deadline, OpenOptions};

    /// A flush takes place when its time has come, whether anybody has looked since or not. One that nobody had seen
    /// was replaced by the next, and what it had ended was back.
    #[test]
    fn a_flush_that_is_due_is_not_replaced() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let (arena, _) = Arena::open(&dir.path().join("flush.arena"), &OpenOptions::new()).expect("an arena");
        let now = Time::now();
        arena.set(b"a", b"1", Deadline::NEVER, now).expect("room");
        let flush = &arena.core.control().flush;
        flush.store(u64::from(now.0) << 32 | flush.load(Ordering::Relaxed), Ordering::Relaxed);
        arena.flush_at(Time(now.0 + 1000)).expect("there");
        assert_eq!(arena.get(b"a", now), None);
        arena.set(b"b", b"2", Deadline::NEVER, now).expect("room");
        assert!(arena.get(b"b", now).is_some());
        assert_eq!(arena.get(b"b", Time(now.0 + 1000)), None);
    }
}
