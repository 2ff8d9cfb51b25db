//! What the entrance counts about commands: how often each was called, refused and failed, how long it took, and the prefixes of
//! errors.
//!
//! Reading a clock twice takes as long as a tenth of a GET. So of a command that is called often one call in `EACH` is timed,
//! the first one among them; commands that are rare or slow are timed each time.
use super::times::{CallTimes, Percentiles};
use leveret_strings::{CommandFlags, CommandGroup, CommandRow};
use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Number of different prefixes counted. Scripts and clients could invent more.
const PREFIXES_MAX: usize = 64;

/// One call in so many is timed.
const EACH: u64 = 64;

/// Counters of all workers.
#[derive(Debug)]
pub(crate) struct CommandCounters {
    /// The commands, in the order of the places where their names lie.
    commands: Box<[Counted]>,
    workers: Box<[Box<[Calls]>]>,
    errors: Mutex<BTreeMap<Box<[u8]>, u64>>,
    /// Calls until the last tick, and how many of them were in the second before.
    ticked: AtomicU64,
    per_second: AtomicU64,
}

#[derive(Debug)]
struct Counted {
    place: usize,
    name: &'static str,
    is_always_timed: bool,
}

/// Of one command, by one worker.
#[derive(Debug, Default)]
struct Calls {
    calls: AtomicU64,
    failed: AtomicU64,
    rejected: AtomicU64,
    /// Made by the first call.
    times: OnceLock<Box<CallTimes>>,
}

/// A call that has begun.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BegunCall<'c> {
    calls: Option<&'c Calls>,
    at: Option<Instant>,
}

/// The same, of all workers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    pub calls: u64,
    pub failed: u64,
    /// Refused before they were executed.
    pub rejected: u64,
    /// The time of all calls, as far as those that were timed tell it.
    pub took: Duration,
    pub percentiles: Percentiles,
}

impl CommandCounters {
    pub fn new(workers: usize) -> CommandCounters {
        let counted = |row: &CommandRow| Counted {
            place: row.name.as_ptr() as usize,
            name: row.name,
            is_always_timed: is_always_timed(row),
        };
        let mut commands: Box<[_]> = all_rows().map(counted).collect();
        commands.sort_unstable_by_key(|counted| counted.place);
        let of_worker = || commands.iter().map(|_| Calls::default()).collect();
        CommandCounters {
            workers: (0..workers.max(1)).map(|_| of_worker()).collect(),
            errors: Mutex::default(),
            commands,
            ticked: AtomicU64::new(0),
            per_second: AtomicU64::new(0),
        }
    }

    /// A worker begins to execute a command. Only that worker ends it, so no locked instruction is needed.
    #[inline]
    pub fn begin(&self, worker: usize, name: &'static str) -> BegunCall<'_> {
        let Some(index) = self.index_of(name) else { return BegunCall { calls: None, at: None } };
        let calls = &self.workers[worker % self.workers.len()][index];
        let is_timed = calls.calls.load(Relaxed) % EACH == 0 || self.commands[index].is_always_timed;
        BegunCall { calls: Some(calls), at: is_timed.then(Instant::now) }
    }

    /// A command was refused before it was executed.
    #[cold]
    pub fn note_rejected(&self, worker: usize, name: &'static str) {
        if let Some(index) = self.index_of(name) {
            add(&self.workers[worker % self.workers.len()][index].rejected);
        }
    }

    #[inline]
    fn index_of(&self, name: &'static str) -> Option<usize> {
        self.commands.binary_search_by_key(&(name.as_ptr() as usize), |counted| counted.place).ok()
    }

    /// A client was answered with an error of this text.
    #[cold]
    pub fn note_error(&self, text: &[u8]) {
        let prefix = text.split(|byte| *byte == b' ').next().unwrap_or_default();
        let mut errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = errors.get_mut(prefix) {
            *count += 1;
        } else if errors.len() < PREFIXES_MAX {
            errors.insert(prefix.into(), 1);
        }
    }

    /// How often each prefix was answered.
    pub fn errors(&self) -> Vec<(Box<[u8]>, u64)> {
        let errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        errors.iter().map(|(prefix, count)| (prefix.clone(), *count)).collect()
    }

    /// Each command's counts.
    pub fn sums(&self) -> Vec<(&'static str, Sums)> {
        self.commands.iter().enumerate().map(|(index, counted)| (counted.name, self.sums_of(index))).collect()
    }

    fn sums_of(&self, index: usize) -> Sums {
        let sum = |of: fn(&Calls) -> &AtomicU64| {
            self.workers.iter().map(|worker| of(&worker[index]).load(Relaxed)).sum::<u64>()
        };
        let calls = sum(|calls| &calls.calls);
        let times =
            CallTimes::over(self.workers.iter().filter_map(|worker| worker[index].times.get().map(Box::as_ref)));
        Sums {
            calls,
            failed: sum(|calls| &calls.failed),
            rejected: sum(|calls| &calls.rejected),
            took: times.of_all(calls),
            percentiles: times.percentiles(),
        }
    }

    /// Calls of all commands.
    pub fn calls(&self) -> u64 {
        self.workers.iter().flat_map(|worker| worker.iter()).map(|calls| calls.calls.load(Relaxed)).sum()
    }

    /// Once a second: how many calls there were in it.
    pub fn tick(&self) {
        let calls = self.calls();
        let before = self.ticked.swap(calls, Relaxed);
        self.per_second.store(calls.saturating_sub(before), Relaxed);
    }

    /// Calls in the last whole second.
    pub fn per_second(&self) -> u64 {
        self.per_second.load(Relaxed)
    }

    /// CONFIG RESETSTAT.
    pub fn reset(&self) {
        for calls in self.workers.iter().flat_map(|worker| worker.iter()) {
            let counters = [&calls.calls, &calls.failed, &calls.rejected];
            counters.into_iter().for_each(|counter| counter.store(0, Relaxed));
            calls.times.get().into_iter().for_each(|times| times.reset());
        }
        self.errors.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl BegunCall<'_> {
    /// It has ended.
    #[inline]
    pub fn end(self, has_failed: bool) {
        self.end_after(Duration::ZERO, has_failed);
    }

    /// It has ended, and had taken so long before.
    #[inline]
    pub fn end_after(self, before: Duration, has_failed: bool) {
        let Some(calls) = self.calls else { return };
        add(&calls.calls);
        if has_failed {
            add(&calls.failed);
        }
        if let Some(took) = self.so_far() {
            calls.times.get_or_init(Box::default).note(before + took);
        }
    }

    /// How long it has taken until now, if it is timed.
    pub fn so_far(&self) -> Option<Duration> {
        self.at.map(|at| at.elapsed())
    }
}

/// Commands beside which a clock costs nothing, and whose times differ from call to call.
fn is_always_timed(row: &CommandRow) -> bool {
    let has_keys = row.keys != leveret_strings::KeyPlaces::NONE;
    let is_slow = !row.flags.has(CommandFlags::FAST) && !has_keys;
    row.flags.has(CommandFlags::GATE) || row.group == CommandGroup::Scripting || is_slow
}

/// All commands and subcommands. The name of each lies at a place of its own.
fn all_rows() -> impl Iterator<Item = &'static CommandRow> {
    leveret_strings::rows().flat_map(|row| std::iter::once(row).chain(row.subcommands()))
}

/// Their names.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    all_rows().map(|row| row.name)
}

#[inline]
fn add(counter: &AtomicU64) {
    counter.store(counter.load(Relaxed).wrapping_add(1), Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_call_in_many_is_timed_and_stands_for_all() {
        let counters = CommandCounters::new(2);
        let name = |name: &[u8]| leveret_strings::lookup(name).expect("a command").name;
        let (get, rename) = (name(b"get"), name(b"rename"));
        let mut timed = 0;
        for call in 0..10 * EACH {
            for worker in 0..2 {
                let begun = counters.begin(worker, get);
                timed += u32::from(begun.so_far().is_some());
                begun.end_after(Duration::from_micros(100), call % 10 == 0);
                assert!(counters.begin(worker, rename).so_far().is_some());
            }
        }
        counters.note_rejected(1, rename);
        assert_eq!(timed, 20);
        let sums = counters.sums();
        let of = |name: &str| sums.iter().find(|(known, _)| *known == name).expect("counted").1.clone();
        let sum = of("get");
        assert_eq!((sum.calls, sum.failed, sum.rejected), (20 * EACH, 2 * EACH, 0));
        let least = Duration::from_micros(100) * 20 * EACH as u32;
        assert!(sum.took >= least, "{:?}", sum.took);
        assert_eq!((of("rename").calls, of("rename").rejected), (0, 1));
        counters.reset();
        assert!(counters.sums().iter().all(|(_, sums)| *sums == Sums::default()));
        assert_eq!(counters.calls(), 0);
    }
}
