//! The eviction policy against an exact LRU: the same requests, the same memory, the same charge for each item.
//!
//! The LRU may use the arena's whole limit. For each item it is charged what the item takes in the arena: the item's
//! bytes with header and padding, and its share of the index at the load at which the index grows. Everything else that
//! an arena spends (its metadata, the open and the free segments, dead bytes, the whole segments of large values) is
//! our disadvantage alone.

use std::path::Path;

use leveret_engine::{Deadline, OpenOptions, Stats, Time};

use crate::lru::Lru;
use crate::seeded;
use crate::traces::{Shape, Trace};

/// Header of an item, docs/memory-layout.md.
const HEADER: u64 = 16;
/// A bucket of 64 bytes holds 7 items and splits at 80 %: 11.4 bytes.
const INDEX_SHARE: u64 = 11;

/// What one replay showed.
#[derive(Clone, Debug)]
pub struct Replay {
    /// Requests.
    pub requests: u64,
    /// Of these, misses in the arena.
    pub misses: u64,
    /// Misses of the exact LRU.
    pub lru_misses: u64,
    /// Items in the LRU at the end.
    pub lru_items: u64,
    /// Fewest items in the arena at any look after it was first full, and the most.
    pub items_min: u64,
    /// See `items_min`.
    pub items_max: u64,
    /// The arena's statistics at the end.
    pub stats: Stats,
    /// Most bytes at any look in segments that had died as a whole and were not reclaimed.
    pub expired_bytes_max: u64,
}

impl Replay {
    /// Share of the requests that missed.
    pub fn miss_ratio(&self) -> f64 {
        self.misses as f64 / self.requests as f64
    }

    /// The same for the LRU.
    pub fn lru_miss_ratio(&self) -> f64 {
        self.lru_misses as f64 / self.requests as f64
    }

    /// Bytes written for each byte stored: 1 when nothing is ever moved.
    pub fn write_amplification(&self) -> f64 {
        1.0 + self.stats.moved_bytes as f64 / self.stats.written_bytes.max(1) as f64
    }
}

/// What an item costs, in the arena as in the LRU.
pub fn charge(key_len: usize, value_len: usize) -> u64 {
    (HEADER + key_len as u64 + value_len as u64).next_multiple_of(8) + INDEX_SHARE
}

/// How often the statistics are looked at.
const LOOK_EVERY: u64 = 5000;

/// Replays a stream on a new arena at `path` and on an LRU. An error is a store that failed or a value that was wrong.
pub fn replay(path: &Path, memory: u64, shape: &Shape) -> Result<Replay, String> {
    let options = OpenOptions { memory, cores: 1, ..OpenOptions::default() };
    let arena = seeded::open(path, &options, shape.seed).map_err(|error| error.to_string())?;
    let begin = Time::now();
    let mut lru = Lru::new(memory);
    let mut replay = Replay {
        requests: 0,
        misses: 0,
        lru_misses: 0,
        lru_items: 0,
        items_min: u64::MAX,
        items_max: 0,
        stats: Stats::default(),
        expired_bytes_max: 0,
    };
    for request in Trace::new(shape.clone()) {
        replay.requests += 1;
        let key = request.key();
        let now = Time(begin.0 + request.at_secs);
        let deadline = request.ttl_secs.map_or(Deadline::NEVER, |ttl| Deadline::after(now, ttl));
        match arena.get(&key, now) {
            Some(item)
                if item.value.len() == request.value_len
                    && item.value.first() == value_byte(&key, request.value_len).as_ref() => {}
            Some(item) => {
                return Err(format!(
                    "request {}: {} bytes came back instead of {}",
                    replay.requests,
                    item.value.len(),
                    request.value_len
                ))
            }
            None => {
                replay.misses += 1;
                let value = vec![value_byte(&key, request.value_len).unwrap_or(0); request.value_len];
                // A store that makes no progress is an error after a bounded number of rounds.
                arena
                    .set(&key, &value, deadline, now)
                    .map_err(|error| format!("request {}: {error}", replay.requests))?;
            }
        }
        if !lru.hit(request.id, request.at_secs) {
            replay.lru_misses += 1;
            let dies = request.ttl_secs.map(|ttl| request.at_secs + ttl);
            lru.store(request.id, charge(key.len(), request.value_len), dies);
        }
        if replay.requests % LOOK_EVERY == 0 {
            let stats = arena.stats();
            if stats.evicted > 0 {
                replay.items_min = replay.items_min.min(stats.items);
                replay.items_max = replay.items_max.max(stats.items);
            }
            replay.expired_bytes_max = replay.expired_bytes_max.max(stats.expired_bytes);
        }
    }
    replay.stats = arena.stats();
    replay.lru_items = lru.items() as u64;
    let report = arena.verify();
    if report.is_clean() {
        Ok(replay)
    } else {
        Err(format!("verify: {}", report.problems.join("; ")))
    }
}

fn value_byte(key: &[u8], len: usize) -> Option<u8> {
    (len > 0).then(|| key[19])
}

/// The streams that a run replays: name, arena size, shape.
pub fn streams(requests: u64, seed: u64) -> Vec<(&'static str, u64, Shape)> {
    let base = Shape { requests, seed, ..Shape::default() };
    vec![
        ("zipf 1.0, 5 % scans", 8 << 20, base.clone()),
        ("zipf 0.8, 2 % scans", 8 << 20, Shape { zipf: 0.8, scan_percent: 2, ..base.clone() }),
        // So few keys make up its traffic that small values would hardly fill the arena.
        ("zipf 1.2, 8 % scans", 8 << 20, Shape { zipf: 1.2, scan_percent: 8, value_median: 900.0, ..base.clone() }),
        ("no lifetimes", 8 << 20, Shape { lifetimes: false, ..base.clone() }),
        ("no scans, slow drift", 8 << 20, Shape { scan_percent: 0, drift_every: 200, ..base.clone() }),
        ("fast drift", 8 << 20, Shape { drift_every: 4, ..base.clone() }),
        ("16 MiB", 16 << 20, Shape { keys: 300_000, requests: 2 * requests, ..base.clone() }),
        ("larger values", 16 << 20, Shape { value_median: 900.0, ..base }),
    ]
}
