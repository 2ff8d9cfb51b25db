//! One process of the torture: own keys, shared keys, walks and flushes, until it is told to stop or is killed.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use leveret_engine::{Arena, OpenOptions, Time};
use nix::unistd::alarm;

use crate::oracle::Ledger;
use crate::own::{parse_own_key, version_of, Own, Trouble};
use crate::resp::{self, RespStore};
use crate::rng::Rng;
use crate::shared::{is_plausible, SharedKeys};
use crate::stores::Private;
use crate::values::show;

/// Parameters of a worker.
#[derive(Clone, Debug)]
pub struct Post {
    /// Folder of the arena and the ledger.
    pub folder: PathBuf,
    /// Size of the arena.
    pub memory: u64,
    /// Which keys are its own.
    pub slot: u64,
    /// Its chance.
    pub seed: u64,
}

/// The arena's file: the name that PHP's `apcu_*` uses too.
pub fn arena_path(folder: &Path) -> PathBuf {
    folder.join("apcu.arena")
}

/// The ledger's file.
pub fn ledger_path(folder: &Path) -> PathBuf {
    folder.join("ledger")
}

/// Slot 0 alone flushes: then it is known which flush an item must not survive.
const FLUSHER: u64 = 0;

/// Opens the arena as every process here does.
pub fn open(post: &Post) -> Result<Arena, String> {
    let options = OpenOptions::new().memory(post.memory);
    Arena::open(&arena_path(&post.folder), &options).map(|(arena, _)| arena).map_err(|error| format!("open: {error}"))
}

fn ledger(post: &Post) -> Result<Ledger, String> {
    Ledger::open(&ledger_path(&post.folder)).map_err(|error| format!("ledger: {error}"))
}

/// Works on the arena until the ledger says stop.
pub fn run(post: &Post) -> Result<String, String> {
    settle();
    let mut rng = Rng::new(post.seed);
    let arena = open(post)?;
    let mut shared = SharedKeys::new(rng.fork(1), post.memory);
    let mut own = Own::new(arena.clone(), ledger(post)?, post.slot, post.memory, rng.fork(2));
    finish_flush(&arena, &own, post)?;
    while rng.below(32) > 0 || !own.ledger().is_stopped() {
        if rng.below(100) < 60 {
            own.step()?;
            continue;
        }
        let begun = Instant::now();
        let answer = match rng.below(3000) {
            0 => walk(&arena, own.ledger(), post.slot),
            1 | 2 => {
                arena.tend(Time::now(), usize::MAX);
                Ok(())
            }
            3 if post.slot == FLUSHER => flush(&arena, own.ledger()),
            _ => shared.step(&arena, own.ledger()),
        };
        own.done(answer, begun.elapsed())?;
    }
    own.check_all()?;
    Ok(String::new())
}

/// The same work on own keys, as a client of Redis.
pub fn run_redis(post: &Post) -> Result<String, String> {
    settle();
    let mut rng = Rng::new(post.seed);
    let resp = RespStore::connect(&post.folder, rng.fork(1))?;
    let mut own = Own::new(resp, ledger(post)?, post.slot, post.memory, rng.fork(2));
    while rng.below(32) > 0 || !own.ledger().is_stopped() {
        own.step()?;
    }
    own.check_all()?;
    Ok(String::new())
}

/// The server of those clients.
pub fn serve_redis(post: &Post) -> Result<String, String> {
    settle();
    resp::serve(open(post)?, &post.folder)
}

/// The control group: the same work on own keys, in private memory.
pub fn run_control(post: &Post) -> Result<String, String> {
    settle();
    let mut rng = Rng::new(post.seed);
    let mut own = Own::new(Private::default(), ledger(post)?, post.slot, post.memory, rng.fork(2));
    while rng.below(32) > 0 || !own.ledger().is_stopped() {
        own.step()?;
    }
    Ok(String::new())
}

/// A worker lives until it is killed, at a lower priority than the killer, which would otherwise starve.
fn settle() {
    alarm::cancel();
    // Where that is not allowed the storm is only milder.
    let _ = rustix::process::nice(5);
}

fn flush(arena: &Arena, ledger: &Ledger) -> Result<(), Trouble> {
    let number = ledger.begin_flush();
    arena.flush()?;
    ledger.end_flush(number);
    Ok(())
}

/// A flush that a kill interrupted may or may not have happened; it is repeated before anything else.
fn finish_flush(arena: &Arena, own: &Own<Arena>, post: &Post) -> Result<(), String> {
    let ledger = own.ledger();
    if post.slot == FLUSHER && ledger.flushes_begun() > ledger.flushes_done() {
        arena.flush().map_err(|error| error.to_string())?;
        ledger.end_flush(ledger.flushes_begun());
    }
    Ok(())
}

/// Walks over all items. Each must belong under its key, and no own key may be met twice.
fn walk(arena: &Arena, ledger: &Ledger, slot: u64) -> Result<(), Trouble> {
    let (flushed, now) = (ledger.flushes_done(), Time::now());
    let mut met = HashSet::new();
    for item in arena.iter(now) {
        let item = item?;
        if let Some((owner, number)) = parse_own_key(&item.key) {
            let version = version_of(number, &item.key, &item.value)?;
            if owner == slot {
                if !met.insert(number) {
                    return Err(Trouble::Lie(format!("a walk met {} twice", show(&item.key))));
                }
                let judged = ledger.record(slot, number).judge(version, flushed, now);
                judged.map_err(|why| format!("a walk met {}: {why}", show(&item.key)))?;
            }
        } else if item.key.starts_with(b"shared:") {
            is_plausible(&item.key, &item.value)?;
        } else if !item.key.starts_with(b"php:") && !item.key.starts_with(b"ruby:") {
            return Err(Trouble::Lie(format!("a walk met {}, which nobody writes", show(&item.key))));
        }
    }
    Ok(())
}

/// After the storm: everything fits together, all own keys are as the oracle says, and no memory has leaked.
pub fn inspect(post: &Post, slots: u64) -> Result<String, String> {
    let arena = open(post)?;
    let report = arena.verify();
    if !report.is_clean() {
        return Err(format!("verify: {} problems: {}", report.problem_count, report.problems.join("; ")));
    }
    for slot in 0..slots {
        walk(&arena, &ledger(post)?, slot).map_err(|trouble| format!("after the storm: {trouble:?}"))?;
    }
    let stats = arena.stats();
    is_usable(&arena, post)?;
    let [hits, misses] = [stats.hits, stats.misses];
    Ok(format!(
        "{} items, {} hits, {} misses, {} evicted, {} expired, {} recoveries, {} lock waits, {} reads given up, {} slots mended",
        report.items, hits, misses, stats.evicted, stats.expired, stats.recoveries, stats.lock_waits, stats.retries, stats.mended
    ))
}

/// What thousands of kills may have leaked would be missing now: half of the arena must hold values again, all at once.
fn is_usable(arena: &Arena, post: &Post) -> Result<(), String> {
    arena.flush().map_err(|error| error.to_string())?;
    let len = arena.value_max() / 4;
    let count = post.memory as usize / 2 / len;
    let key = |index: usize| format!("after:{index}").into_bytes();
    let now = Time::now();
    for index in 0..count {
        let value = vec![index as u8; len];
        arena
            .set(&key(index), &value, leveret_engine::Deadline::NEVER, now)
            .map_err(|error| format!("after the storm, value {index} of {count}: {error}"))?;
    }
    let there = (0..count)
        .filter(|index| arena.get(&key(*index), now).is_some_and(|item| item.value == vec![*index as u8; len]))
        .count();
    if there < count {
        return Err(format!("after the storm only {there} of {count} values of {len} bytes fit: memory has leaked"));
    }
    Ok(())
}

/// Longest time without progress of a worker, while no process is killed or stopped. For loaded machines; not a
/// measurement.
pub const PATIENCE: Duration = Duration::from_secs(crate::process::HANG_SECS as u64);
