//! How long the calls of a command took: their sum, and how many took how long, in buckets of which each is an eighth wider than
//! the one before.
use std::sync::atomic::AtomicU32;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// Below 2 to this power nanoseconds all is one bucket; from 2 to that power on, too: 17 seconds.
const FIRST_OCTAVE: u32 = 6;
const LAST_OCTAVE: u32 = 34;

/// Buckets of an octave.
const PARTS_BITS: u32 = 3;

const BUCKETS: usize = ((LAST_OCTAVE - FIRST_OCTAVE) << PARTS_BITS) as usize;

/// The calls that were timed.
#[derive(Debug)]
pub(crate) struct CallTimes {
    timed: AtomicU64,
    sum_ns: AtomicU64,
    buckets: [AtomicU32; BUCKETS],
}

/// Times below which half of the calls lay, 99 % and 99.9 %. None: none was timed.
pub(crate) type Percentiles = Option<[Duration; 3]>;

/// The same of several workers.
#[derive(Debug)]
pub(crate) struct TimesSum {
    timed: u64,
    sum_ns: u64,
    buckets: [u64; BUCKETS],
}

impl Default for CallTimes {
    fn default() -> CallTimes {
        CallTimes {
            timed: AtomicU64::new(0),
            sum_ns: AtomicU64::new(0),
            buckets: [const { AtomicU32::new(0) }; BUCKETS],
        }
    }
}

impl CallTimes {
    /// Notes a call. Only the worker whose times these are calls this.
    pub fn note(&self, took: Duration) {
        let ns = took.as_nanos() as u64;
        self.timed.store(self.timed.load(Relaxed).wrapping_add(1), Relaxed);
        self.sum_ns.store(self.sum_ns.load(Relaxed).wrapping_add(ns), Relaxed);
        let bucket = &self.buckets[bucket_of(ns)];
        bucket.store(bucket.load(Relaxed).saturating_add(1), Relaxed);
    }

    pub fn reset(&self) {
        [&self.timed, &self.sum_ns].into_iter().for_each(|counter| counter.store(0, Relaxed));
        self.buckets.iter().for_each(|bucket| bucket.store(0, Relaxed));
    }

    pub fn over<'t>(workers: impl Iterator<Item = &'t CallTimes>) -> TimesSum {
        let mut sum = TimesSum { timed: 0, sum_ns: 0, buckets: [0; BUCKETS] };
        for times in workers {
            sum.timed += times.timed.load(Relaxed);
            sum.sum_ns = sum.sum_ns.wrapping_add(times.sum_ns.load(Relaxed));
            let buckets = sum.buckets.iter_mut().zip(&times.buckets);
            buckets.for_each(|(all, one)| *all += u64::from(one.load(Relaxed)));
        }
        sum
    }
}

impl TimesSum {
    /// The time of so many calls, as the mean of those that were timed has it.
    pub fn of_all(&self, calls: u64) -> Duration {
        let ns = u128::from(self.sum_ns) * u128::from(calls) / u128::from(self.timed.max(1));
        Duration::from_nanos(u64::try_from(ns).unwrap_or(u64::MAX))
    }

    pub fn percentiles(&self) -> Percentiles {
        let total: u64 = self.buckets.iter().sum();
        let below = |thousandths: u64| {
            let rank = (total * thousandths).div_ceil(1000).max(1);
            let mut seen = 0;
            let bucket = self.buckets.iter().position(|count| {
                seen += count;
                seen >= rank
            });
            Duration::from_nanos(end_of(bucket.unwrap_or(BUCKETS - 1)))
        };
        (total > 0).then(|| [500, 990, 999].map(below))
    }
}

fn bucket_of(ns: u64) -> usize {
    let octave = ns.checked_ilog2().unwrap_or(0);
    if octave < FIRST_OCTAVE {
        return 0;
    }
    let part = (ns >> (octave - PARTS_BITS)) & ((1 << PARTS_BITS) - 1);
    ((u64::from(octave - FIRST_OCTAVE) << PARTS_BITS | part) as usize).min(BUCKETS - 1)
}

/// The longest time of a bucket, in nanoseconds.
fn end_of(bucket: usize) -> u64 {
    let (octave, part) = ((bucket >> PARTS_BITS) as u32 + FIRST_OCTAVE, bucket as u64 & ((1 << PARTS_BITS) - 1));
    (((1 << PARTS_BITS) + part + 1) << (octave - PARTS_BITS)) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_ends_at_most_an_eighth_above_what_it_holds() {
        let mut last = 0;
        for step in 0..4000_u32 {
            let ns = (64.0 * 1.005_f64.powi(step as i32)) as u64;
            let bucket = bucket_of(ns);
            assert!(bucket >= last, "{ns}");
            last = bucket;
            if ns < 1 << LAST_OCTAVE {
                assert!((ns..=ns + ns / 8 + 1).contains(&end_of(bucket)), "{ns}: {}", end_of(bucket));
            }
        }
        assert_eq!((bucket_of(0), bucket_of(63), bucket_of(u64::MAX)), (0, 0, BUCKETS - 1));
    }

    #[test]
    fn percentiles_are_those_of_the_calls() {
        let workers = [Box::<CallTimes>::default(), Box::default()];
        for call in 0..1000_u64 {
            workers[call as usize % 2].note(Duration::from_nanos(1000 * (call + 1)));
        }
        let sum = CallTimes::over(workers.iter().map(Box::as_ref));
        assert_eq!(sum.of_all(2000), Duration::from_nanos(2 * 1000 * 500_500));
        let percentiles = sum.percentiles().expect("timed");
        for (time, want) in percentiles.into_iter().zip([500_000, 990_000, 999_000_u64]) {
            assert!((want..=want + want / 8 + 1).contains(&(time.as_nanos() as u64)), "{time:?} {want}");
        }
        workers.iter().for_each(|times| times.reset());
        assert_eq!(CallTimes::over(workers.iter().map(Box::as_ref)).percentiles(), None);
    }
}
