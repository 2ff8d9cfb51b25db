//! Detects that the owners a writer waits for have stopped. Only a stopped owner is a reason to give up: one that makes
//! progress will release its lock, even if many threads share a processor.
use crate::core::Core;
use crate::counters::Counter;
use crate::map::layout::Shard;
use crate::segment::State;
use crate::sync::{Instant, Ordering};
use std::time::Duration;

/// Upper bound of the whole wait, in lock timeouts, even if other owners make progress. A sound arena never reaches it; a
/// hostile one could delay a writer for ever.
pub(crate) const STARVED: u32 = 16;

/// A timeout counts only after one nap in `NAPS_SEEN` of those that fill it. On a loaded machine a nap takes longer than
/// asked for, and a suspended machine takes none.
const NAPS_SEEN: u32 = 8;

/// A wait without progress.
pub(crate) struct Standstill {
    /// The progress number at the last look.
    work: u64,
    since: Instant,
    /// Naps since then. The clock runs on while a whole machine is suspended; this count does not.
    naps: u32,
}

impl Standstill {
    /// Begins now. Only a change of `work` means something.
    pub fn new(work: u64, now: Instant) -> Standstill {
        Standstill { work, since: now, naps: 0 }
    }

    /// After a nap: whether there was progress since the last look.
    pub fn look(&mut self, work: u64) -> bool {
        let goes_on = work != self.work;
        if goes_on {
            *self = Standstill::new(work, Instant::now());
        }
        self.naps += 1;
        goes_on
    }

    /// Whether there was no progress for `timeout`, in naps of length `nap`.
    pub fn is_over(&self, timeout: Duration, nap: Duration) -> bool {
        self.since.elapsed() >= timeout && nap.saturating_mul(NAPS_SEEN.saturating_mul(self.naps)) >= timeout
    }
}

/// A number that changes with each operation under a shard's lock: store, delete, count, touch, piece of a drain. The lock
/// word cannot tell, since it names a process: its threads may have taken the lock a thousand times between two looks.
pub(crate) fn work_done(shard: &Shard) -> u64 {
    const DONE: [Counter; 7] = [
        Counter::Sets,
        Counter::Deletes,
        Counter::Increments,
        Counter::Touches,
        Counter::Evicted,
        Counter::Expired,
        Counter::MovedBytes,
    ];
    let counted = DONE.iter().map(|counter| shard.counters[*counter as usize].load(Ordering::Relaxed));
    let notes = [
        shard.drain.word.load(Ordering::Relaxed),
        u64::from(shard.drain.at.load(Ordering::Relaxed)),
        u64::from(shard.survey.next.load(Ordering::Relaxed)),
        u64::from(shard.eviction.writes.load(Ordering::Relaxed)),
    ];
    counted.chain(notes).fold(0, |sum: u64, word| sum.rotate_left(7) ^ word)
}

/// The same for all shards and all fills.
pub(crate) fn work_in_all(core: &Core) -> u64 {
    let works = (0..core.shards.len()).map(|shard| work_done(core.shards.at(shard)));
    works.fold(work_of_fills(core), |sum, work| sum.rotate_left(7) ^ work)
}

/// A number that changes when a fill of a large value begins, takes a segment or ends.
pub(crate) fn work_of_fills(core: &Core) -> u64 {
    let words = core.segments.all().map(|segment| core.segments.state(segment));
    let fills = words.filter(|word| word.kind() == Some(State::LargeFill));
    fills.fold(0, |sum: u64, word| sum.rotate_left(7) ^ word.generation())
}
