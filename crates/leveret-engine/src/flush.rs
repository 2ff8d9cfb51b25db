//! Flushing: one store makes every item of the arena a thing of the past. Their memory is reclaimed as it is needed.
use crate::arena::{Arena, Core};
use crate::error::Error;
use crate::stats::Counter;
use crate::sync::Ordering;
use crate::time::Time;

impl Arena {
    /// Forgets every item, at once.
    pub fn flush(&self) -> Result<(), Error> {
        if self.core.is_lost() {
            return Err(Error::Lost);
        }
        let flush = &self.core.control().flush;
        let mut seen = flush.load(Ordering::Acquire);
        while let Err(found) = flush.compare_exchange(seen, u64::from((seen as u32).wrapping_add(1)), Ordering::AcqRel, Ordering::Acquire) {
            seen = found;
        }
        self.core.note_flush();
        Ok(())
    }

    /// Forgets, when `at` has come, every item stored before. Until then nothing changes; a later call replaces an earlier one.
    pub fn flush_at(&self, at: Time) -> Result<(), Error> {
        if at <= Time::now() {
            return self.flush();
        }
        if self.core.is_lost() {
            return Err(Error::Lost);
        }
        let flush = &self.core.control().flush;
        let mut seen = flush.load(Ordering::Acquire);
        while let Err(found) =
            flush.compare_exchange(seen, u64::from(at.0) << 32 | u64::from(seen as u32), Ordering::AcqRel, Ordering::Acquire)
        {
            seen = found;
        }
        Ok(())
    }
}

impl Core {
    /// The epoch, when a delayed flush is pending. Whoever first sees that its time has come carries it out.
    #[cold]
    pub fn due_flush(&self, seen: u64, now: Time) -> u32 {
        let epoch = seen as u32;
        if seen >> 32 > u64::from(now.0) {
            return epoch;
        }
        let next = epoch.wrapping_add(1);
        match self.control().flush.compare_exchange(seen, u64::from(next), Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => {
                self.note_flush();
                next
            }
            Err(found) => found as u32,
        }
    }

    fn note_flush(&self) {
        let unix = Time::now().to_unix().max(0) as u64;
        self.control().flushed_unix.store(unix, Ordering::Relaxed);
        self.shards.at(0).counters[Counter::Flushes as usize].fetch_add(1, Ordering::Relaxed);
    }
}
