//! Full arenas: values of every size and mix, after any other sizes. A cache stores: no value of an allowed size is
//! refused while anything can be evicted, and the copying for that is bounded.
//!
//! A run is a sequence of phases at one arena, so each phase meets the leftovers of those before it.

use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Mutex;

use leveret_engine::{Arena, Deadline, OpenOptions, Time};

use crate::rng::Rng;
use crate::seeded;

/// How the sizes of a phase's values follow each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mix {
    /// One size.
    One(u64),
    /// Two sizes, by turns of chance.
    Two(u64, u64),
    /// Lognormal around a median, sigma 1.5.
    Lognormal(u64),
    /// From the first size to the second, step by step.
    Drift(u64, u64),
    /// This many whole segments, and a random tail: from none to one that fills a segment.
    Tails(u64),
    /// Every size of the ladder, by chance.
    Ladder,
}

/// What writers do beside storing new keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Manners {
    /// Half of the stores are of keys stored before.
    pub overwrites: bool,
    /// Values live for a second, an hour, a week or for ever.
    pub deadlines: bool,
    /// One in eight operations deletes a key.
    pub deletes: bool,
    /// One in five hundred operations flushes the arena.
    pub flushes: bool,
    /// Half of the keys are read after they were stored, so that they are worth keeping.
    pub reads: bool,
}

/// Stores of one mix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Phase {
    /// The sizes.
    pub mix: Mix,
    /// Threads that store.
    pub writers: u64,
    /// What else they do.
    pub manners: Manners,
    /// Bytes to be stored, as a percentage of the arena's memory.
    pub percent: u64,
}

/// Result of a phase.
#[derive(Clone, Debug, Default)]
pub struct PhaseOutcome {
    /// Stores that were asked for.
    pub stores: u64,
    /// Bytes of keys and values that were stored.
    pub bytes: u64,
    /// Bytes that were copied again.
    pub moved: u64,
    /// Items that had to go.
    pub evicted: u64,
    /// Bytes of living items at the end, as a percentage of all segments.
    pub used_percent: u64,
    /// The failures.
    pub failures: Vec<String>,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Manners { overwrites, deadlines, deletes, flushes, reads } = self.manners;
        write!(f, "{:?} × {} writers", self.mix, self.writers)?;
        for (word, is_so) in [
            ("overwrites", overwrites),
            ("deadlines", deadlines),
            ("deletes", deletes),
            ("flushes", flushes),
            ("reads", reads),
        ] {
            if is_so {
                write!(f, ", {word}")?;
            }
        }
        Ok(())
    }
}

/// The sizes of values from 0 to `max`, each 3 % above the one before.
pub fn ladder(max: u64) -> Vec<u64> {
    let mut sizes = vec![0];
    let mut size = 1;
    while size < max {
        sizes.push(size);
        size = (size * 103 / 100).max(size + 1);
    }
    sizes.push(max);
    sizes
}

/// A phase by chance, for an arena with these limits.
pub fn any_phase(rng: &mut Rng, value_max: u64, segment: u64) -> Phase {
    let sizes = ladder(value_max);
    // Short values take long to fill an arena with, and their sizes differ little: each third time only.
    let from = if rng.one_in(3) { 0 } else { sizes.partition_point(|size| *size < segment / 64) };
    let any = |rng: &mut Rng| sizes[rng.between(from as u64, sizes.len() as u64 - 1) as usize];
    // Around the fractions of a segment where another number of items fits.
    let awkward = |rng: &mut Rng| (segment / rng.between(1, 5)).saturating_add(rng.below(200)).saturating_sub(120);
    let mix = match rng.below(8) {
        0 | 1 => Mix::One(any(rng)),
        2 => Mix::One(awkward(rng).min(value_max)),
        3 if rng.one_in(2) => Mix::Two(awkward(rng).min(value_max), any(rng)),
        3 => Mix::Two(any(rng), any(rng)),
        4 => Mix::Lognormal(any(rng).clamp(64, value_max / 8)),
        5 => Mix::Drift(any(rng), any(rng)),
        6 => Mix::Tails(rng.between(0, value_max / segment - 1)),
        _ => Mix::Ladder,
    };
    let writers = *rng.pick(&[1, 1, 2, 3, 8, 32]);
    let manners = Manners {
        overwrites: rng.one_in(3),
        deadlines: rng.one_in(3),
        deletes: rng.one_in(4),
        flushes: rng.one_in(8),
        reads: rng.one_in(2),
    };
    Phase { mix, writers, manners, percent: rng.between(30, 150) }
}

impl Mix {
    fn len(&self, rng: &mut Rng, done: f64, value_max: u64, segment: u64) -> u64 {
        match *self {
            Mix::One(len) => len,
            Mix::Two(one, other) => *rng.pick(&[one, other]),
            Mix::Lognormal(median) => ((median as f64 * (1.5 * rng.normal()).exp()) as u64).min(value_max),
            Mix::Drift(from, to) => {
                let (from, to) = ((from + 1) as f64, (to + 1) as f64);
                (from * (to / from).powf(done.min(1.0))) as u64 - 1
            }
            Mix::Tails(whole) => (whole * segment + rng.below(segment)).min(value_max),
            Mix::Ladder => *rng.pick(&ladder(value_max)),
        }
    }
}

/// State of one writer.
struct Writer<'a> {
    arena: &'a Arena,
    phase: &'a Phase,
    segment: u64,
    bytes: &'a [u8],
    number: u64,
    rng: Rng,
    stored: u64,
}

impl Writer<'_> {
    fn key(&self, item: u64) -> Vec<u8> {
        format!("{}:{item}", self.number).into_bytes()
    }

    /// One store. The error says what was wrong.
    fn step(&mut self, done: f64) -> Result<u64, String> {
        let manners = self.phase.manners;
        let item = match manners.overwrites && self.stored > 0 && self.rng.one_in(2) {
            true => self.rng.below(self.stored),
            false => self.stored,
        };
        let len = self.phase.mix.len(&mut self.rng, done, self.bytes.len() as u64, self.segment) as usize;
        let (key, now) = (self.key(item), Time::now());
        let deadline = match self.rng.below(5) {
            _ if !manners.deadlines => Deadline::NEVER,
            0 => Deadline::after(now, 1),
            1 => Deadline::after(now, 3600),
            2 => Deadline::after(now, 7 * 86_400),
            _ => Deadline::NEVER,
        };
        let stored = self.arena.set(&key, &self.bytes[..len], deadline, now);
        stored.map_err(|error| format!("{len} bytes refused: {error}"))?;
        self.stored = self.stored.max(item + 1);
        // A single writer must find the item that it has just stored.
        if self.phase.writers == 1 && deadline == Deadline::NEVER || manners.reads && self.rng.one_in(2) {
            match self.arena.find(&key, now) {
                Some(found) if found.value_len != len as u64 => {
                    return Err(format!("{} bytes where {len} were stored", found.value_len));
                }
                None if self.phase.writers == 1 && !deadline.is_past(Time::now()) => {
                    return Err(format!("{len} bytes were stored and are not there"));
                }
                _ => {}
            }
        }
        if manners.deletes && self.rng.one_in(8) {
            let item = self.rng.below(self.stored);
            let key = self.key(item);
            self.arena.delete(&key, now).map_err(|error| format!("a delete failed: {error}"))?;
        }
        if manners.flushes && self.rng.one_in(500) {
            self.arena.flush().map_err(|error| format!("a flush failed: {error}"))?;
        }
        Ok((key.len() + len) as u64)
    }
}

/// Failures that are told of a phase.
const TOLD: usize = 5;

/// Runs a phase on an arena that may be full already.
pub fn run(arena: &Arena, phase: &Phase, rng: &Rng) -> PhaseOutcome {
    let before = arena.stats();
    let bytes: Vec<u8> = (0..arena.value_max()).map(|at| at as u8).collect();
    let wanted = arena.memory() / 100 * phase.percent;
    let (stores, stored) = (AtomicU64::new(0), AtomicU64::new(0));
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for number in 0..phase.writers {
            let (stores, stored, failures) = (&stores, &stored, &failures);
            let mut writer = Writer {
                arena,
                phase,
                segment: before.segment_bytes,
                bytes: &bytes,
                number,
                rng: rng.fork(number),
                stored: 0,
            };
            scope.spawn(move || loop {
                let done = stored.load(Ordering::Relaxed);
                // Also where values are empty.
                if done >= wanted || stores.fetch_add(1, Ordering::Relaxed) * 48 >= wanted {
                    return;
                }
                match writer.step(done as f64 / wanted as f64) {
                    Ok(bytes) => drop(stored.fetch_add(bytes, Ordering::Relaxed)),
                    Err(why) => {
                        let mut failures = failures.lock().expect("no panic");
                        failures.push(why);
                        if failures.len() > TOLD {
                            return;
                        }
                    }
                }
            });
        }
    });
    let after = arena.stats();
    let mut outcome = PhaseOutcome {
        stores: stores.into_inner(),
        bytes: stored.into_inner(),
        moved: after.moved_bytes - before.moved_bytes,
        evicted: after.evicted - before.evicted,
        used_percent: after.item_bytes * 100 / (after.segments * after.segment_bytes).max(1),
        failures: failures.into_inner().expect("no panic"),
    };
    outcome.failures.truncate(TOLD);
    outcome
}

/// The most that an arena may have copied after it was given `bytes` of keys and values in `stores`: docs/eviction.md says why.
pub fn moved_max(arena: &Arena, stores: u64, bytes: u64) -> u64 {
    let stats = arena.stats();
    // An item has at most 64 bytes beside key and value, of headers and padding.
    7 * (bytes + 64 * stores) + 2 * stats.shards * stats.segment_bytes
}

/// A random sequence of phases at a new arena. Returns the failures, each with its phase; `show` gets each phase.
pub fn run_any(
    folder: &Path,
    memory: u64,
    seed: u64,
    phases: u64,
    mut show: impl FnMut(&Phase, &PhaseOutcome),
) -> Result<(), String> {
    let path = folder.join(format!("full-{seed}.arena"));
    let mut rng = Rng::new(seed);
    let cores = *rng.pick(&[1, 2, 4, 16]);
    let options = OpenOptions::new().memory(memory).cores(cores);
    let arena = seeded::open(&path, &options, seed).map_err(|error| error.to_string())?;
    let (value_max, segment) = (arena.value_max() as u64, arena.stats().segment_bytes);
    let (mut stores, mut bytes) = (0, 0);
    for number in 0..phases {
        let phase = any_phase(&mut rng, value_max, segment);
        let outcome = run(&arena, &phase, &rng.fork(number));
        show(&phase, &outcome);
        (stores, bytes) = (stores + outcome.stores, bytes + outcome.bytes);
        let moved = arena.stats().moved_bytes;
        let mut wrong = outcome.failures;
        if moved > moved_max(&arena, stores, bytes) {
            wrong.push(format!("{moved} bytes were copied for {bytes} in {stores} stores"));
        }
        let verdict = arena.verify();
        if !verdict.is_clean() {
            wrong.push(format!("the arena is damaged: {verdict:?}"));
        }
        if !wrong.is_empty() {
            let place = format!("{} MiB, {cores} cores, phase {number} of seed {seed}", memory >> 20);
            return Err(format!("{place}: {phase}: {}", wrong.join("; ")));
        }
    }
    drop(arena);
    std::fs::remove_file(&path).map_err(|error| error.to_string())
}
