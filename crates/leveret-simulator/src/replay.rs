//! A trace on a cache.

use crate::outcome::ReplayOutcome;
use crate::policy::{CachedItem, Policy};
use crate::trace::{Trace, TraceOp};

/// How a sample represents the whole: on `memory` bytes, each key counts as several, so that neither arenas nor slabs
/// get smaller than their minimum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    /// Bytes of the caches to be compared.
    pub memory: u64,
    /// Keys for each key of the trace.
    pub clones: u32,
}

/// Caches below this would not behave as those that they stand for.
const MEMORY_MIN: u64 = 32 << 20;

impl Scale {
    /// For a cache of `memory` bytes.
    pub fn of(trace: &Trace, memory: u64) -> Scale {
        let sample = trace.sample.unwrap_or(1.0);
        let sampled = memory as f64 * sample;
        let clones = (MEMORY_MIN.min(memory) as f64 / sampled).ceil().max(1.0);
        Scale { memory: ((sampled * clones) as u64).min(memory), clones: clones as u32 }
    }
}

/// How often `progress` hears of the requests done.
const PROGRESS: usize = 1 << 16;

/// Replays a trace; after a miss the item is stored. `progress` hears how many requests were done since it last heard.
pub fn replay(trace: &Trace, policy: &mut dyn Policy, clones: u32, progress: &dyn Fn(u64)) -> ReplayOutcome {
    let mut outcome = ReplayOutcome::default();
    for (number, request) in trace.requests.iter().enumerate() {
        let now = request.at_secs;
        let deadline = if request.ttl_secs == 0 { u32::MAX } else { now.saturating_add(request.ttl_secs) };
        let bytes = u64::from(request.key_len) + u64::from(request.value_len);
        for clone in 0..clones {
            let key = request.key.wrapping_mul(clones).wrapping_add(clone);
            let item = CachedItem { key, key_len: request.key_len, value_len: request.value_len, deadline };
            match request.op {
                TraceOp::Delete => policy.delete(key, request.key_len, now),
                TraceOp::Set => policy.store(&item, now),
                TraceOp::Get => {
                    outcome.gets += 1;
                    outcome.bytes += bytes;
                    if !policy.get(key, request.key_len, now) {
                        outcome.misses += 1;
                        outcome.missed_bytes += bytes;
                        policy.store(&item, now);
                    }
                }
            }
        }
        if (number + 1) % PROGRESS == 0 {
            progress(PROGRESS as u64);
        }
    }
    progress((trace.requests.len() % PROGRESS) as u64);
    let clones = u64::from(clones);
    // What the trace asks for; the misses of a key's clones are its share of one.
    let share = |count: u64| (count + clones / 2) / clones;
    ReplayOutcome {
        gets: outcome.gets / clones,
        misses: share(outcome.misses),
        bytes: outcome.bytes / clones,
        missed_bytes: share(outcome.missed_bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{charge, LruCache};
    use crate::trace::TraceRequest;

    fn trace() -> Trace {
        let get = |key, op| TraceRequest { at_secs: 0, key, value_len: 92, ttl_secs: 0, key_len: 8, op };
        Trace::collect([
            get(0, TraceOp::Get),
            get(0, TraceOp::Get),
            get(1, TraceOp::Set),
            get(1, TraceOp::Get),
            get(0, TraceOp::Delete),
            get(0, TraceOp::Get),
        ])
    }

    #[test]
    fn gets_and_their_misses_are_counted() {
        let outcome = replay(&trace(), &mut LruCache::new(10_000), 1, &|_| {});
        assert_eq!(outcome, ReplayOutcome { gets: 4, misses: 2, bytes: 400, missed_bytes: 200 });
    }

    /// A sample of a quarter, on an eighth of the least memory: eight keys for each, four of them for the sample.
    #[test]
    fn clones_stand_for_the_keys_of_a_sample() {
        let sampled = Trace { sample: Some(0.25), gets: Some(40), ..trace() };
        let scale = Scale::of(&sampled, MEMORY_MIN);
        assert_eq!(scale, Scale { memory: MEMORY_MIN, clones: 4 });
        let outcome = replay(&sampled, &mut LruCache::new(8 * charge(8, 92)), scale.clones, &|_| {});
        assert_eq!((outcome.gets, outcome.misses), (4, 2));
        assert_eq!(
            outcome.with_gets_of(&sampled),
            ReplayOutcome { gets: 10, misses: 2, bytes: 1000, missed_bytes: 200 }
        );
        assert_eq!(Scale::of(&trace(), 1 << 20), Scale { memory: 1 << 20, clones: 1 });
    }
}
