//! Flushing: one store makes every item of the arena a thing of the past. The first write to a shard after that sweeps
//! it out: one walk over its index costs less than finding the slot of each dead item later.
use crate::arena::Arena;
use crate::core::Core;
use crate::counters::Counter;
use crate::epoch;
use crate::error::Error;
use crate::shard;
use crate::sync::Ordering;
use crate::time::{Now, Time};
use std::time::{SystemTime, UNIX_EPOCH};

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

    /// Forgets every item, and counts hits, misses and stores from 0 again, as a new arena. Reads that other processes have not
    /// published yet are added later; a shard whose lock is not available keeps its counts.
    pub fn clear(&self) -> Result<(), Error> {
        self.flush()?;
        let core = &*self.core;
        core.reads.publish();
        for shard in 0..core.shards.len() {
            let Ok(locked) = shard::lock(core, shard, Now) else { continue };
            for counter in [Counter::Hits, Counter::Misses, Counter::Sets] {
                locked.shard().counters[counter as usize].store(0, Ordering::Relaxed);
            }
        }
        for reads in &core.control().reads {
            for count in [&reads.hits, &reads.misses, &reads.decoded] {
                count.store(0, Ordering::Relaxed);
            }
        }
        let unix = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        core.control().cleared_unix.store(unix, Ordering::Relaxed);
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
        // A due flush takes effect even if no process has looked since: flushed items must not return.
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

    /// Status pages divide by the time since `created_unix` if there were reads: counters and that time are reset
    /// together or not at all.
    #[test]
    fn clearing_counts_anew_and_flushing_does_not() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let (arena, _) = Arena::open(&dir.path().join("clear.arena"), &OpenOptions::new()).expect("an arena");
        let now = Time::now();
        let counts = || {
            let stats = arena.stats();
            (
                stats.hits,
                stats.misses,
                stats.sets,
                stats.hits_by_program.iter().chain(&stats.misses_by_program).sum::<u64>(),
            )
        };
        for key in 0..1000_u32 {
            arena.set(&key.to_ne_bytes(), b"v", Deadline::NEVER, now).expect("room");
            arena.get(&key.to_ne_bytes(), now);
            arena.get(b"none", now);
        }
        arena.add_integer(b"counter", 1, Some(Deadline::NEVER), now).expect("room");
        arena.add_integer(b"counter", 1, Some(Deadline::NEVER), now).expect("there");
        let before = (counts(), arena.stats().created_unix);
        assert_eq!(before.0, (1000, 1000, 1001, 2000));
        arena.flush().expect("there");
        let flush = &arena.core.control().flush;
        flush.store(u64::from(now.0) << 32 | flush.load(Ordering::Relaxed), Ordering::Relaxed);
        assert_eq!(arena.stats().items, 0);
        assert_eq!((counts(), arena.stats().created_unix), before);
        let cleared_unix = || arena.core.control().cleared_unix.load(Ordering::Relaxed);
        assert_eq!(cleared_unix(), 0);
        arena.clear().expect("there");
        assert_eq!((counts(), arena.stats().items), ((0, 0, 0, 0), 0));
        assert_ne!(cleared_unix(), 0);
        assert_eq!(arena.get(b"counter", now), None);
        assert_eq!(counts(), (0, 1, 0, 1));
    }

    /// A flush takes effect at its time, even if no process has looked since. A due flush that no process had seen was
    /// replaced by the next one, and the flushed items returned.
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
