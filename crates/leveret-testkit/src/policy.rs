//! The eviction policy beside others: the same requests, the same memory.
//!
//! The caches of the literature may use the arena's whole limit, and each item is charged as in the arena: its bytes
//! with header and padding, and its share of the index. All other memory of an arena (its metadata, the open and the
//! free segments, dead bytes, the whole segments of large values) counts against us only.

use std::collections::HashMap;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use leveret_engine::{Arena, Deadline, OpenOptions, Sampled, Sampler, Seen, Stats};
use leveret_simulator::policy::{Engine, Gdsf, Intervals, LruCache, Memcached, S3Fifo};
use leveret_simulator::{replay, CachedItem, Policy, ReplayOutcome, Scale, Trace, TraceOp, TraceRequest};

use crate::seeded;
use crate::traces::{Lifetimes, Sizes, StreamShape, TraceStream};

/// A stream, and the memory that it is replayed with.
#[derive(Clone, Debug)]
pub struct Contest {
    /// Its name in tables.
    pub name: &'static str,
    /// Bytes of each cache.
    pub memory: u64,
    /// The requests.
    pub shape: StreamShape,
}

impl Contest {
    /// Its requests.
    pub fn trace(&self) -> Trace {
        Trace::collect(TraceStream::new(self.shape.clone()))
    }
}

/// Result of one replay on an arena.
#[derive(Clone, Debug)]
pub struct Replay {
    /// Hits and misses.
    pub outcome: ReplayOutcome,
    /// Fewest bytes of living items in the arena at any look after it was first full, and the most.
    pub item_bytes_min: u64,
    /// See `item_bytes_min`.
    pub item_bytes_max: u64,
    /// The arena's statistics at the end.
    pub stats: Stats,
    /// Most bytes at any look in segments that had died as a whole and were not reclaimed.
    pub expired_bytes_max: u64,
}

/// Misses of the others.
#[derive(Clone, Copy, Debug)]
pub struct Others {
    /// An exact LRU.
    pub lru: ReplayOutcome,
    /// memcached's slabs and segmented LRU, modelled.
    pub memcached: ReplayOutcome,
    /// S3-FIFO of bytes.
    pub s3fifo: ReplayOutcome,
    /// GreedyDual-Size-Frequency.
    pub gdsf: ReplayOutcome,
    /// The lower bound for all policies.
    pub bound: u64,
}

impl Others {
    /// Replays a trace on all of them.
    pub fn of(trace: &Trace, memory: u64) -> Others {
        let run = |policy: &mut dyn Policy| replay(trace, policy, 1, &|_| {});
        Others {
            lru: run(&mut LruCache::new(memory)),
            memcached: run(&mut Memcached::new(memory)),
            s3fifo: run(&mut S3Fifo::new(memory)),
            gdsf: run(&mut Gdsf::new(memory)),
            bound: Intervals::of(trace).bound(memory).misses,
        }
    }

    /// The least miss ratio of those that do not look at sizes.
    pub fn best_size_blind(&self) -> f64 {
        [self.lru, self.memcached, self.s3fifo].iter().map(ReplayOutcome::miss_ratio).fold(1.0, f64::min)
    }
}

/// How often the statistics are looked at.
const LOOK_EVERY: u64 = 5000;

/// An arena whose statistics are looked at now and then.
struct Watched {
    engine: Engine,
    replay: Replay,
    requests: u64,
}

impl Policy for Watched {
    fn get(&mut self, key: u32, key_len: u16, now: u32) -> bool {
        self.requests += 1;
        if self.requests % LOOK_EVERY == 0 {
            let stats = self.engine.arena().stats();
            if stats.evicted > 0 {
                self.replay.item_bytes_min = self.replay.item_bytes_min.min(stats.item_bytes);
                self.replay.item_bytes_max = self.replay.item_bytes_max.max(stats.item_bytes);
            }
            self.replay.expired_bytes_max = self.replay.expired_bytes_max.max(stats.expired_bytes);
        }
        self.engine.get(key, key_len, now)
    }

    fn store(&mut self, item: &CachedItem, now: u32) {
        self.engine.store(item, now);
    }

    fn delete(&mut self, key: u32, key_len: u16, now: u32) {
        self.engine.delete(key, key_len, now);
    }
}

/// Replays a trace on a new arena at `path`. An error is a store that failed, or an arena that is not sound afterwards.
pub fn replay_on_arena(path: &Path, memory: u64, trace: &Trace, seed: u64) -> Result<Replay, String> {
    let options = OpenOptions::new().memory(memory).cores(1);
    let arena = seeded::open(path, &options, seed).map_err(|error| error.to_string())?;
    let stats = arena.stats();
    let begun = Replay {
        outcome: ReplayOutcome::default(),
        item_bytes_min: u64::MAX,
        item_bytes_max: 0,
        stats,
        expired_bytes_max: 0,
    };
    let mut watched = Watched { engine: Engine::on(arena), replay: begun, requests: 0 };
    let outcome = replay(trace, &mut watched, 1, &|_| {});
    let Watched { engine, replay, .. } = watched;
    if let Some(error) = engine.failed() {
        // A store that makes no progress is an error after a bounded number of rounds.
        return Err(error.to_string());
    }
    let report = engine.arena().verify();
    if !report.is_clean() {
        return Err(format!("verify: {}", report.problems.join("; ")));
    }
    Ok(Replay { outcome, stats: engine.arena().stats(), ..replay })
}

/// An arena that a sampler looks at now and then.
struct Recorded {
    engine: Engine,
    sampler: Sampler,
    requests: Vec<TraceRequest>,
    numbers: HashMap<u64, u32>,
    stores: u64,
    gets: u64,
    every: u64,
}

impl Recorded {
    fn pass(&mut self, now: u32) {
        let misses = self.engine.arena().stats().misses as f64 * self.sampler.share();
        let Recorded { sampler, requests, numbers, stores, .. } = self;
        let mut note = |seen: Seen| {
            let (op, count) = match seen.event {
                Sampled::Read(reads) => (TraceOp::Get, reads),
                // As `leveret record`: no more stores follow a miss than there are misses.
                Sampled::Stored if (*stores as f64) < misses => (TraceOp::Get, 1),
                Sampled::Deleted => (TraceOp::Delete, 1),
                _ => (TraceOp::Set, 1),
            };
            *stores += u64::from(seen.event == Sampled::Stored && op == TraceOp::Get);
            let next = numbers.len() as u32;
            let request = TraceRequest {
                at_secs: now,
                key: *numbers.entry(seen.hash).or_insert(next),
                value_len: seen.value_len as u32,
                ttl_secs: if seen.deadline == Deadline::NEVER { 0 } else { seen.deadline.second() - seen.mtime.0 },
                key_len: seen.key_len as u16,
                op,
            };
            requests.extend((0..count).map(|_| request));
        };
        sampler.pass(self.engine.at(now), &mut note).expect("the arena is there");
    }
}

impl Policy for Recorded {
    fn get(&mut self, key: u32, key_len: u16, now: u32) -> bool {
        self.gets += 1;
        if self.gets % self.every == 0 {
            self.pass(now);
        }
        self.engine.get(key, key_len, now)
    }

    fn store(&mut self, item: &CachedItem, now: u32) {
        self.engine.store(item, now);
    }

    fn delete(&mut self, key: u32, key_len: u16, now: u32) {
        self.engine.delete(key, key_len, now);
    }
}

/// Replays a trace on a new arena at `path`, and returns the recording made by sampling a share of the keys after each
/// `every` gets.
pub fn record(path: &Path, memory: u64, trace: &Trace, seed: u64, share: f64, every: u64) -> Trace {
    let options = OpenOptions::new().memory(memory).cores(1);
    let arena = seeded::open(path, &options, seed).expect("an arena");
    let mut recorded = Recorded {
        sampler: arena.sample(share),
        engine: Engine::on(arena),
        requests: Vec::new(),
        numbers: HashMap::new(),
        stores: 0,
        gets: 0,
        every,
    };
    recorded.pass(0);
    replay(trace, &mut recorded, 1, &|_| {});
    recorded.pass(trace.span_secs());
    let share = recorded.sampler.share();
    let gets = recorded.engine.arena().stats().hits + (recorded.stores as f64 / share) as u64;
    Trace { sample: Some(share), gets: Some(gets), ..Trace::collect(recorded.requests) }
}

/// Misses of a trace at this memory: on an arena, and with an LRU. A recording represents all keys.
pub fn curves(trace: &Trace, memory: u64) -> [f64; 2] {
    let scale = Scale::of(trace, memory);
    let on = |policy: &mut dyn Policy| replay(trace, policy, scale.clones, &|_| {}).with_gets_of(trace).miss_ratio();
    let mut engine = Engine::new(scale.memory).expect("an arena");
    [on(&mut engine), on(&mut LruCache::new(scale.memory))]
}

/// Replays a trace at a rate of requests, on an arena that other processes may inspect; missed items are stored.
pub fn replay_in_time(arena: Arena, trace: &Trace, requests_per_sec: u64) -> ReplayOutcome {
    struct Paced {
        engine: Engine,
        begun: Instant,
        gets: u64,
        rate: u64,
    }
    impl Policy for Paced {
        fn get(&mut self, key: u32, key_len: u16, _: u32) -> bool {
            self.gets += 1;
            let due = Duration::from_nanos(self.gets * 1_000_000_000 / self.rate);
            if let Some(early) = due.checked_sub(self.begun.elapsed()).filter(|early| early.as_micros() > 500) {
                thread::sleep(early);
            }
            self.engine.get(key, key_len, self.begun.elapsed().as_secs() as u32)
        }

        fn store(&mut self, item: &CachedItem, now: u32) {
            let left = if item.deadline == u32::MAX { item.deadline } else { item.deadline - now };
            let now = self.begun.elapsed().as_secs() as u32;
            self.engine.store(&CachedItem { deadline: left.saturating_add(now), ..*item }, now);
        }

        fn delete(&mut self, key: u32, key_len: u16, _: u32) {
            self.engine.delete(key, key_len, self.begun.elapsed().as_secs() as u32);
        }
    }
    let mut paced = Paced { engine: Engine::on(arena), begun: Instant::now(), gets: 0, rate: requests_per_sec.max(1) };
    replay(trace, &mut paced, 1, &|_| {})
}

/// The streams that policies are compared on: eight generated ones, and two with the published figures of Twitter's and
/// Meta's caches. Keys and memory go with the number of requests, so that each cache is filled several times.
pub fn contests(requests: u64, seed: u64) -> Vec<Contest> {
    let memory = (requests * 8).next_power_of_two().max(8 << 20);
    let keys = memory / 48;
    let base = StreamShape { requests, seed, keys, requests_per_sec: requests / 800, ..StreamShape::default() };
    let contest = |name, shape| Contest { name, memory, shape };
    vec![
        contest("zipf 0.7", StreamShape { zipf: 0.7, keys: keys / 2, ..base.clone() }),
        contest("zipf 0.9", StreamShape { zipf: 0.9, ..base.clone() }),
        contest("zipf 1.1", StreamShape { zipf: 1.1, sizes: Sizes::Lognormal(460.0, 1.2), ..base.clone() }),
        contest("scans", StreamShape { scan_percent: 10, ..base.clone() }),
        contest("a loop", StreamShape { zipf: 0.9, loop_percent: 30, loop_keys: keys / 12, ..base.clone() }),
        contest("shifting popularity", StreamShape { drift_every: 2, ..base.clone() }),
        contest("popular ones small", StreamShape { sizes: Sizes::Growing(400.0, 1.0, 0.3), ..base.clone() }),
        contest(
            "lifetimes, one-hit",
            StreamShape { lifetimes: Lifetimes::Mixed, once_percent: 15, drift_every: 20, ..base.clone() },
        ),
        contest(
            "Twitter's kind",
            StreamShape {
                zipf: 1.1,
                sizes: Sizes::Lognormal(230.0, 1.0),
                key_lens: (20, 70),
                lifetimes: Lifetimes::Short,
                set_percent: 20,
                drift_every: 10,
                ..base.clone()
            },
        ),
        contest(
            "Meta's kind (ETC)",
            StreamShape {
                zipf: 0.9,
                sizes: Sizes::Pareto(15.0, 214.476, 0.348_238),
                key_lens: (16, 48),
                set_percent: 3,
                once_percent: 5,
                ..base
            },
        ),
    ]
}
