//! Generated request streams in the shape of real key-value traffic: a Zipf popularity whose top drifts, scans of keys
//! that are asked for once, lognormal values, a mix of lifetimes. The literature's numbers: Zipf 0.8 to 1.2, 2 to 8 %
//! one-hit keys, values with a median of 230 bytes and a sigma of 1.2, keys of 20 to 50 bytes.

use crate::rng::Rng;

/// The knobs of a stream.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Seed of everything drawn.
    pub seed: u64,
    /// Requests in all.
    pub requests: u64,
    /// Keys that can be asked for again and again.
    pub keys: u64,
    /// Zipf's exponent.
    pub zipf: f64,
    /// Share of requests, in percent, for keys that never return.
    pub scan_percent: u64,
    /// Every so many requests two keys exchange their popularity; 0 = never.
    pub drift_every: u64,
    /// Requests in a second: lifetimes are in seconds.
    pub requests_per_sec: u64,
    /// Whether items have lifetimes at all.
    pub lifetimes: bool,
    /// The values' median length; sigma is 1.2.
    pub value_median: f64,
}

impl Default for Shape {
    fn default() -> Shape {
        Shape {
            seed: 1,
            requests: 400_000,
            keys: 150_000,
            zipf: 1.0,
            scan_percent: 5,
            drift_every: 20,
            requests_per_sec: 500,
            lifetimes: true,
            value_median: 230.0,
        }
    }
}

/// One request: look the key up and, on a miss, store the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The key's number; `key` makes its bytes.
    pub id: u64,
    /// Seconds since the stream began.
    pub at_secs: u32,
    /// Length of the value that belongs to the key.
    pub value_len: usize,
    /// Lifetime of the value, if it has one.
    pub ttl_secs: Option<u32>,
}

impl Request {
    /// The key's bytes: 20 to 50 of them.
    pub fn key(&self) -> Vec<u8> {
        let len = 20 + (Rng::new(self.id).bits() % 31) as usize;
        let mut key = format!("{:020x}", self.id).into_bytes();
        key.resize(len, b'.');
        key
    }
}

/// The stream itself.
#[derive(Debug)]
pub struct Trace {
    shape: Shape,
    rng: Rng,
    /// Running sums of the ranks' weights.
    cumulative: Vec<f64>,
    /// Which key has which rank.
    ranked: Vec<u32>,
    sent: u64,
    scanned: u64,
    scan_left: u64,
}

/// Keys of a scan come in runs of this many: a crawler, a report, a batch job.
const SCAN_RUN: u64 = 50;

impl Trace {
    /// The stream of this shape.
    pub fn new(shape: Shape) -> Trace {
        let mut sum = 0.0;
        let cumulative = (1..=shape.keys)
            .map(|rank| {
                sum += (rank as f64).powf(-shape.zipf);
                sum
            })
            .collect();
        let ranked = (0..shape.keys as u32).collect();
        Trace { rng: Rng::new(shape.seed), shape, cumulative, ranked, sent: 0, scanned: 0, scan_left: 0 }
    }

    fn next_id(&mut self) -> u64 {
        if self.scan_left == 0 && self.rng.below(100 * SCAN_RUN) < self.shape.scan_percent {
            self.scan_left = SCAN_RUN;
        }
        if self.scan_left > 0 {
            self.scan_left -= 1;
            self.scanned += 1;
            return self.shape.keys + self.scanned;
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
}

impl Iterator for Trace {
    type Item = Request;

    fn next(&mut self) -> Option<Request> {
        if self.sent == self.shape.requests {
            return None;
        }
        self.drift();
        let id = self.next_id();
        let at_secs = (self.sent / self.shape.requests_per_sec) as u32;
        self.sent += 1;
        // What belongs to the key is drawn from the key: each request for it agrees.
        let mut own = Rng::new(id ^ self.shape.seed.rotate_left(32));
        let value_len = (self.shape.value_median * (1.2 * own.normal()).exp()).min(100_000.0) as usize;
        let ttl_secs = match own.below(10) {
            _ if !self.shape.lifetimes => None,
            0..=3 => None,
            4 | 5 => Some(3600),
            6 | 7 => Some(300),
            _ => Some(60),
        };
        Some(Request { id, at_secs, value_len, ttl_secs })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn the_stream_has_the_shape_asked_for() {
        let shape = Shape { requests: 200_000, drift_every: 0, ..Shape::default() };
        let mut seen: HashMap<u64, u64> = HashMap::new();
        let mut lens = Vec::new();
        for request in Trace::new(shape.clone()) {
            *seen.entry(request.id).or_default() += 1;
            lens.push(request.value_len);
            assert!((20..=50).contains(&request.key().len()));
        }
        // Zipf 1.0 over 150,000 keys: the first key gets 1 / (ln n + 0.577) of the requests that are no scan.
        let expected = 200_000.0 * 0.95 / ((shape.keys as f64).ln() + 0.577);
        assert!((seen[&0] as f64 / expected - 1.0).abs() < 0.1, "{} against {expected}", seen[&0]);
        let scanned = seen.keys().filter(|id| **id >= shape.keys).count() as f64 / 200_000.0;
        assert!((0.035..0.065).contains(&scanned), "{scanned}");
        assert!(seen.iter().all(|(id, count)| *id < shape.keys || *count == 1), "a scanned key returns");
    }

    #[test]
    fn a_key_keeps_its_value_and_the_popular_keys_change() {
        let mut values: HashMap<u64, (usize, Option<u32>)> = HashMap::new();
        let mut early: HashMap<u64, u64> = HashMap::new();
        let mut late: HashMap<u64, u64> = HashMap::new();
        let shape = Shape { keys: 2000, drift_every: 10, requests: 100_000, ..Shape::default() };
        for (index, request) in Trace::new(shape).enumerate() {
            assert_eq!(
                *values.entry(request.id).or_insert((request.value_len, request.ttl_secs)),
                (request.value_len, request.ttl_secs)
            );
            *(if index < 10_000 { &mut early } else { &mut late }).entry(request.id).or_default() += 1;
        }
        let top =
            |counts: &HashMap<u64, u64>| counts.iter().max_by_key(|(id, count)| (**count, **id)).map(|(id, _)| *id);
        assert_ne!(top(&early), top(&late));
    }
}
