//! Every cache at every size of memory, on all processors.
use crate::output::{Failure, LongWork};
use clap::ValueEnum;
use leveret_simulator::policy::{Engine, Gdsf, Intervals, LruCache, Memcached, S3Fifo};
use leveret_simulator::{replay, Policy, ReplayOutcome, Scale, Trace};
use serde::{Serialize, Serializer};
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// A cache that can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Curve {
    Arena,
    Lru,
    Memcached,
    #[value(name = "s3fifo")]
    S3Fifo,
    Gdsf,
    Bound,
}

impl Curve {
    pub fn name(self) -> &'static str {
        match self {
            Curve::Arena => "arena",
            Curve::Lru => "lru",
            Curve::Memcached => "memcached",
            Curve::S3Fifo => "s3fifo",
            Curve::Gdsf => "gdsf",
            Curve::Bound => "bound",
        }
    }
}

impl Serialize for Curve {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// One point of a curve.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct CurvePoint {
    pub policy: Curve,
    pub memory: u64,
    pub gets: u64,
    pub misses: u64,
    pub miss_ratio: f64,
    pub bytes: u64,
    pub missed_bytes: u64,
    pub byte_miss_ratio: f64,
    /// Bytes written for each byte stored; the arena's alone.
    pub write_amplification: Option<f64>,
}

/// By curve, then by memory.
pub fn all(trace: &Trace, curves: &[Curve], memory: &[u64]) -> Result<Vec<CurvePoint>, Failure> {
    let jobs: Vec<(Curve, u64)> =
        curves.iter().flat_map(|curve| memory.iter().map(move |memory| (*curve, *memory))).collect();
    let total = jobs.iter().filter(|(curve, _)| *curve != Curve::Bound).count() * trace.requests.len();
    let progress = LongWork::of_requests(total as u64);
    // Arenas without a name are one at a time: the first thread has them all.
    let (arenas, models): (Vec<_>, Vec<_>) = jobs.into_iter().partition(|(curve, _)| *curve == Curve::Arena);
    let intervals = curves.contains(&Curve::Bound).then(|| Intervals::of(trace));
    let runs = Mutex::new(Vec::new());
    let next = AtomicUsize::new(0);
    let keep = |run| runs.lock().unwrap_or_else(PoisonError::into_inner).push(run);
    let model = || {
        while let Some((curve, memory)) = models.get(next.fetch_add(1, Ordering::Relaxed)).copied() {
            keep(on_model(trace, curve, memory, intervals.as_ref(), &progress));
        }
    };
    thread::scope(|scope| -> Result<(), Failure> {
        for _ in 1..thread::available_parallelism().map_or(1, NonZero::get) {
            scope.spawn(model);
        }
        for (_, memory) in &arenas {
            keep(on_arena(trace, *memory, &progress)?);
        }
        model();
        Ok(())
    })?;
    let mut runs = runs.into_inner().unwrap_or_else(PoisonError::into_inner);
    runs.sort_by_key(|run| (curves.iter().position(|curve| *curve == run.policy), run.memory));
    Ok(runs)
}

fn on_arena(trace: &Trace, memory: u64, progress: &LongWork) -> Result<CurvePoint, Failure> {
    let scale = Scale::of(trace, memory);
    let mut engine = Engine::new(scale.memory)?;
    let outcome = replay(trace, &mut engine, scale.clones, &|count| progress.advance(count));
    if let Some(error) = engine.failed() {
        return Err(Failure::Unreachable(format!("an arena of {memory} bytes: {error}")));
    }
    let write_amplification = Some(engine.arena().stats().write_amplification());
    Ok(CurvePoint { write_amplification, ..run(trace, Curve::Arena, memory, outcome) })
}

fn on_model(
    trace: &Trace,
    curve: Curve,
    memory: u64,
    intervals: Option<&Intervals>,
    progress: &LongWork,
) -> CurvePoint {
    let scale = Scale::of(trace, memory);
    let on = |policy: &mut dyn Policy| replay(trace, policy, scale.clones, &|count| progress.advance(count));
    let outcome = match curve {
        Curve::Arena | Curve::Bound => {
            let sampled = memory as f64 * trace.sample.unwrap_or(1.0);
            intervals.map_or(ReplayOutcome::default(), |intervals| intervals.bound(sampled as u64))
        }
        Curve::Lru => on(&mut LruCache::new(scale.memory)),
        Curve::Memcached => on(&mut Memcached::new(scale.memory)),
        Curve::S3Fifo => on(&mut S3Fifo::new(scale.memory)),
        Curve::Gdsf => on(&mut Gdsf::new(scale.memory)),
    };
    run(trace, curve, memory, outcome)
}

fn run(trace: &Trace, policy: Curve, memory: u64, outcome: ReplayOutcome) -> CurvePoint {
    let outcome = outcome.with_gets_of(trace);
    CurvePoint {
        policy,
        memory,
        gets: outcome.gets,
        misses: outcome.misses,
        miss_ratio: outcome.miss_ratio(),
        bytes: outcome.bytes,
        missed_bytes: outcome.missed_bytes,
        byte_miss_ratio: outcome.byte_miss_ratio(),
        write_amplification: None,
    }
}
