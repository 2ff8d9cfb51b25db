//! For how long those that a writer waits for have done nothing. Only that is a reason to give up: whoever goes on will be
//! done some time, however many threads share a processor.
use crate::core::Core;
use crate::counters::Counter;
use crate::map::layout::Shard;
use crate::segment::State;
use crate::sync::{Instant, Ordering};
use std::time::Duration;

/// After so many lock timeouts a writer gives up what is never its turn, though others go on. In a sound arena nobody is
/// passed over so often; in a hostile one it may never end.
pub(crate) const STARVED: u32 = 16;

/// Of so many naps that would make up the timeout one at least must have been: with many threads on few processors, a nap
/// takes longer than it should.
const NAPS_SEEN: u32 = 8;

/// A wait in which nothing is done.
pub(crate) struct Standstill {
    /// What was seen at the last look.
    work: u64,
    since: Instant,
    /// Naps since then. A machine that was stopped as a whole lets the clock run, but nobody naps meanwhile.
    naps: u32,
}

impl Standstill {
    /// It begins now, with so much done. The number means nothing but that something has been done when it changes.
    pub fn new(work: u64, now: Instant) -> Standstill {
        Standstill { work, since: now, naps: 0 }
    }

    /// After a nap: whether something has been done since the last look.
    pub fn look(&mut self, work: u64) -> bool {
        let goes_on = work != self.work;
        if goes_on {
            *self = Standstill::new(work, Instant::now());
        }
        self.naps += 1;
        goes_on
    }

    /// It has lasted for so long, and was looked at all the time, after naps of this length.
    pub fn is_over(&self, timeout: Duration, nap: Duration) -> bool {
        self.since.elapsed() >= timeout && nap.saturating_mul(NAPS_SEEN.saturating_mul(self.naps)) >= timeout
    }
}

/// Changes with whatever is done under the lock of a shard: stores, deletes, counts, touches, and each piece of a drain. The
/// lock word alone does not tell: it names a process, whose threads, or one of them again and again, may have taken the lock a
/// thousand times between two looks.
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

/// Changes with whatever is done in any shard, and with each fill.
pub(crate) fn work_in_all(core: &Core) -> u64 {
    let works = (0..core.shards.len()).map(|shard| work_done(core.shards.at(shard)));
    works.fold(work_of_fills(core), |sum, work| sum.rotate_left(7) ^ work)
}

/// Changes when a fill begins, gets a segment or ends.
pub(crate) fn work_of_fills(core: &Core) -> u64 {
    let words = core.segments.all().map(|segment| core.segments.state(segment));
    let fills = words.filter(|word| word.kind() == Some(State::LargeFill));
    fills.fold(0, |sum: u64, word| sum.rotate_left(7) ^ word.generation())
}
