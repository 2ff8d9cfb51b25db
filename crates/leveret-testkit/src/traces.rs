//! Generated request streams in the shape of real key-value traffic, as traces that caches are compared on. Where the
//! numbers come from is said in docs/eviction.md.

use leveret_simulator::{TraceOp, TraceRequest};

use crate::rng::Rng;

/// How long values are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sizes {
    /// Lognormal: median and sigma.
    Lognormal(f64, f64),
    /// Lognormal, and the more popular a key is at first, the smaller: the median grows with this power of the rank.
    Growing(f64, f64, f64),
    /// Generalised Pareto: least, scale and shape.
    Pareto(f64, f64, f64),
}

/// How long items live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetimes {
    /// Until they are evicted.
    None,
    /// A minute to an hour, and four in ten for ever.
    Mixed,
    /// Few seconds to a day, and all of them some.
    Short,
}

/// The knobs of a stream.
#[derive(Clone, Debug)]
pub struct StreamShape {
    /// Seed of everything drawn.
    pub seed: u64,
    /// Requests in all.
    pub requests: u64,
    /// Keys that can be asked for again and again.
    pub keys: u64,
    /// Zipf's exponent.
    pub zipf: f64,
    /// Share of requests, in percent, that belong to runs over keys that never return.
    pub scan_percent: u64,
    /// Share of requests, in percent, for single keys that never return.
    pub once_percent: u64,
    /// Share of requests, in percent, that go round and round over `loop_keys` keys.
    pub loop_percent: u64,
    /// Keys of the loop.
    pub loop_keys: u64,
    /// Share of requests, in percent, that store their key without a get.
    pub set_percent: u64,
    /// Requests after which two keys exchange their popularity; 0 = never.
    pub drift_every: u64,
    /// Requests in a second: lifetimes are in seconds.
    pub requests_per_sec: u64,
    /// How long items live.
    pub lifetimes: Lifetimes,
    /// How long values are.
    pub sizes: Sizes,
    /// Bytes of keys: least and most.
    pub key_lens: (u64, u64),
}

impl Default for StreamShape {
    fn default() -> StreamShape {
        StreamShape {
            seed: 1,
            requests: 400_000,
            keys: 150_000,
            zipf: 1.0,
            scan_percent: 0,
            once_percent: 0,
            loop_percent: 0,
            loop_keys: 0,
            set_percent: 0,
            drift_every: 0,
            requests_per_sec: 500,
            lifetimes: Lifetimes::None,
            sizes: Sizes::Lognormal(230.0, 1.2),
            key_lens: (20, 50),
        }
    }
}

/// The stream itself.
#[derive(Debug)]
pub struct TraceStream {
    shape: StreamShape,
    rng: Rng,
    /// Running sums of the ranks' weights.
    cumulative: Vec<f64>,
    /// Which key has which rank.
    ranked: Vec<u32>,
    sent: u64,
    /// Keys so far that never return.
    once: u64,
    scan_left: u64,
    looped: u64,
}

/// Keys of a scan come in runs of this many: a crawler, a report, a batch job.
const SCAN_RUN: u64 = 50;
/// No value is longer.
const VALUE_MAX: f64 = 100_000.0;

impl TraceStream {
    /// The stream of this shape.
    pub fn new(shape: StreamShape) -> TraceStream {
        let mut sum = 0.0;
        let cumulative = (1..=shape.keys)
            .map(|rank| {
                sum += (rank as f64).powf(-shape.zipf);
                sum
            })
            .collect();
        let ranked = (0..shape.keys as u32).collect();
        TraceStream { rng: Rng::new(shape.seed), shape, cumulative, ranked, sent: 0, once: 0, scan_left: 0, looped: 0 }
    }

    fn next_key(&mut self) -> u64 {
        let shape = &self.shape;
        if self.scan_left == 0 && self.rng.below(100 * SCAN_RUN) < shape.scan_percent {
            self.scan_left = SCAN_RUN;
        }
        if self.scan_left > 0 || self.rng.below(100) < shape.once_percent {
            self.scan_left = self.scan_left.saturating_sub(1);
            self.once += 1;
            return shape.keys + shape.loop_keys + self.once;
        }
        if self.rng.below(100) < shape.loop_percent {
            self.looped += 1;
            return shape.keys + self.looped % shape.loop_keys;
        }
        let total = self.cumulative.last().copied().unwrap_or(0.0);
        let drawn = self.rng.unit() * total;
        let rank = self.cumulative.partition_point(|sum| *sum < drawn).min(self.ranked.len() - 1);
        u64::from(self.ranked[rank])
    }

    fn drift(&mut self) {
        if self.shape.drift_every > 0 && self.sent % self.shape.drift_every == 0 {
            let (one, other) = (self.rng.below(self.shape.keys) as usize, self.rng.below(self.shape.keys) as usize);
            self.ranked.swap(one, other);
        }
    }

    fn value_len(&self, key: u64, own: &mut Rng) -> f64 {
        match self.shape.sizes {
            Sizes::Lognormal(median, sigma) => median * (sigma * own.normal()).exp(),
            Sizes::Growing(median, sigma, power) => {
                let rank = (key + 1) as f64 / self.shape.keys as f64;
                median * rank.powf(power) * (sigma * own.normal()).exp()
            }
            Sizes::Pareto(least, scale, shape) => least + scale / shape * ((1.0 - own.unit()).powf(-shape) - 1.0),
        }
    }

    fn ttl_secs(&self, own: &mut Rng) -> u32 {
        let drawn = own.below(10);
        match (self.shape.lifetimes, drawn) {
            (Lifetimes::None, _) | (Lifetimes::Mixed, 0..=3) => 0,
            (Lifetimes::Mixed, 4 | 5) => 3600,
            (Lifetimes::Mixed, 6 | 7) => 300,
            (Lifetimes::Mixed, _) => 60,
            (Lifetimes::Short, 0) => 10,
            (Lifetimes::Short, 1 | 2) => 60,
            (Lifetimes::Short, 3..=5) => 600,
            (Lifetimes::Short, 6 | 7) => 3600,
            (Lifetimes::Short, _) => 86_400,
        }
    }
}

impl Iterator for TraceStream {
    type Item = TraceRequest;

    fn next(&mut self) -> Option<TraceRequest> {
        if self.sent == self.shape.requests {
            return None;
        }
        self.drift();
        let key = self.next_key();
        let at_secs = (self.sent / self.shape.requests_per_sec) as u32;
        self.sent += 1;
        let is_set = self.rng.below(100) < self.shape.set_percent;
        // What belongs to the key is drawn from the key: each request for it agrees.
        let mut own = Rng::new(key ^ self.shape.seed.rotate_left(32));
        let value_len = self.value_len(key, &mut own).min(VALUE_MAX) as u32;
        let ttl_secs = self.ttl_secs(&mut own);
        let key_len = own.between(self.shape.key_lens.0, self.shape.key_lens.1) as u16;
        let op = if is_set { TraceOp::Set } else { TraceOp::Get };
        Some(TraceRequest { at_secs, key: key as u32, value_len, ttl_secs, key_len, op })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn the_stream_has_the_shape_asked_for() {
        let shape = StreamShape { requests: 200_000, scan_percent: 5, ..StreamShape::default() };
        let mut seen: HashMap<u32, u64> = HashMap::new();
        for request in TraceStream::new(shape.clone()) {
            *seen.entry(request.key).or_default() += 1;
            assert!((20..=50).contains(&request.key_len));
        }
        // Zipf 1.0 over 150,000 keys: the first key gets 1 / (ln n + 0.577) of the requests that are no scan.
        let expected = 200_000.0 * 0.95 / ((shape.keys as f64).ln() + 0.577);
        assert!((seen[&0] as f64 / expected - 1.0).abs() < 0.1, "{} against {expected}", seen[&0]);
        let is_repeated = |key: u32| u64::from(key) < shape.keys;
        let scanned = seen.keys().filter(|key| !is_repeated(**key)).count() as f64 / 200_000.0;
        assert!((0.035..0.065).contains(&scanned), "{scanned}");
        assert!(seen.iter().all(|(key, count)| is_repeated(*key) || *count == 1), "a scanned key returns");
    }

    #[test]
    fn sizes_have_the_medians_of_their_kind() {
        let median = |sizes| {
            let shape = StreamShape { requests: 20_000, once_percent: 100, keys: 1, sizes, ..StreamShape::default() };
            let mut lens: Vec<u32> = TraceStream::new(shape).map(|request| request.value_len).collect();
            lens.sort_unstable();
            f64::from(lens[lens.len() / 2])
        };
        assert!((median(Sizes::Lognormal(230.0, 1.2)) / 230.0 - 1.0).abs() < 0.05);
        // scale / shape * (2^shape - 1)
        let want = 214.476 / 0.348_238 * (2f64.powf(0.348_238) - 1.0) + 15.0;
        assert!((median(Sizes::Pareto(15.0, 214.476, 0.348_238)) / want - 1.0).abs() < 0.05);
    }

    #[test]
    fn a_key_keeps_its_value_and_the_popular_keys_change() {
        let mut values: HashMap<u32, (u32, u32)> = HashMap::new();
        let mut early: HashMap<u32, u64> = HashMap::new();
        let mut late: HashMap<u32, u64> = HashMap::new();
        let lifetimes = Lifetimes::Mixed;
        let shape = StreamShape { keys: 2000, drift_every: 10, requests: 100_000, lifetimes, ..StreamShape::default() };
        for (index, request) in TraceStream::new(shape).enumerate() {
            let own = (request.value_len, request.ttl_secs);
            assert_eq!(*values.entry(request.key).or_insert(own), own);
            *(if index < 10_000 { &mut early } else { &mut late }).entry(request.key).or_default() += 1;
        }
        let top =
            |counts: &HashMap<u32, u64>| counts.iter().max_by_key(|(key, count)| (**count, **key)).map(|(key, _)| *key);
        assert_ne!(top(&early), top(&late));
    }
}
