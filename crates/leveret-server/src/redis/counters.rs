//! What the entrance counts about commands: how often each was called and failed, and the prefixes of errors.
use leveret_strings::CommandRow;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};

/// Number of different prefixes counted. Scripts and clients could invent more.
const PREFIXES_MAX: usize = 64;

/// Counters of all workers.
#[derive(Debug)]
pub(crate) struct CommandCounters {
    /// Where the names of the commands lie, in order, with the names.
    names: Box<[(usize, &'static str)]>,
    workers: Box<[Box<[Calls]>]>,
    errors: Mutex<BTreeMap<Box<[u8]>, u64>>,
    /// Calls until the last tick, and how many of them were in the second before.
    ticked: AtomicU64,
    per_second: AtomicU64,
}

/// Of one command, by one worker.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    calls: AtomicU64,
    failed: AtomicU64,
}

/// The same, of all workers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    pub calls: u64,
    pub failed: u64,
}

impl CommandCounters {
    pub fn new(workers: usize) -> CommandCounters {
        let mut names: Box<[_]> = names().map(|name| (name.as_ptr() as usize, name)).collect();
        names.sort_unstable();
        let of_worker = || names.iter().map(|_| Calls::default()).collect();
        CommandCounters {
            workers: (0..workers.max(1)).map(|_| of_worker()).collect(),
            errors: Mutex::default(),
            names,
            ticked: AtomicU64::new(0),
            per_second: AtomicU64::new(0),
        }
    }

    /// A command was executed. Only its worker calls this, so no locked instruction is needed.
    #[inline]
    pub fn note_call(&self, worker: usize, name: &'static str, has_failed: bool) {
        let place = name.as_ptr() as usize;
        let Ok(index) = self.names.binary_search_by_key(&place, |(place, _)| *place) else { return };
        let calls = &self.workers[worker % self.workers.len()][index];
        add(&calls.calls);
        if has_failed {
            add(&calls.failed);
        }
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
        let sum = |index: usize, of: fn(&Calls) -> &AtomicU64| {
            self.workers.iter().map(|worker| of(&worker[index]).load(Relaxed)).sum::<u64>()
        };
        let sums = |index| Sums { calls: sum(index, |calls| &calls.calls), failed: sum(index, |calls| &calls.failed) };
        self.names.iter().enumerate().map(|(index, (_, name))| (*name, sums(index))).collect()
    }

    /// Calls of all commands.
    pub fn calls(&self) -> u64 {
        self.sums().iter().map(|(_, sums)| sums.calls).sum()
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
            [&calls.calls, &calls.failed].into_iter().for_each(|counter| counter.store(0, Relaxed));
        }
        self.errors.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// The names of all commands and subcommands. Each lies at a place of its own.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let with_subcommands = |row: &'static CommandRow| std::iter::once(row).chain(row.subcommands());
    leveret_strings::rows().flat_map(with_subcommands).map(|row| row.name)
}

#[inline]
fn add(counter: &AtomicU64) {
    counter.store(counter.load(Relaxed).wrapping_add(1), Relaxed);
}
