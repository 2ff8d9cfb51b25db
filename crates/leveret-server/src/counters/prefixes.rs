//! `stats detail`: use of keys by prefix, the part before the delimiter (`-D`).
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Counters of one prefix.
#[derive(Clone, Copy, Debug, Default)]
pub struct Prefix {
    /// Keys asked for.
    pub gets: u64,
    /// Of these, found.
    pub hits: u64,
    /// Stores.
    pub sets: u64,
    /// Deletes.
    pub deletes: u64,
}

/// Number of prefixes kept: a client that sends ever new ones must not fill the memory.
const PREFIXES_MAX: usize = 10_000;

/// All prefixes, while they are collected.
#[derive(Debug)]
pub struct Prefixes {
    delimiter: u8,
    pub(crate) is_on: AtomicBool,
    counts: Mutex<HashMap<Vec<u8>, Prefix>>,
}

impl Prefixes {
    /// Nothing is collected yet, unless `is_on`.
    pub fn new(delimiter: u8, is_on: bool) -> Prefixes {
        Prefixes { delimiter, is_on: AtomicBool::new(is_on), counts: Mutex::default() }
    }

    /// Begins or ends the collection.
    pub fn switch(&self, is_on: bool) {
        self.is_on.store(is_on, Relaxed);
    }

    /// Whether keys are looked at.
    pub fn is_on(&self) -> bool {
        self.is_on.load(Relaxed)
    }

    /// Notes the use of a key, while they are collected.
    #[cold]
    pub fn note(&self, key: &[u8], change: impl FnOnce(&mut Prefix)) {
        let Some(len) = key.iter().position(|byte| *byte == self.delimiter).filter(|_| self.is_on()) else { return };
        // A binary key may hold bytes that a line of the dump must not.
        if key[..len].iter().any(|byte| *byte <= b' ' || *byte == 0x7f) {
            return;
        }
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.len() < PREFIXES_MAX || counts.contains_key(&key[..len]) {
            change(counts.entry(key[..len].to_vec()).or_default());
        }
    }

    /// Resets the counters.
    pub fn reset(&self) {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// `PREFIX name get n hit n set n del n`, a line each.
    pub fn dump(&self) -> String {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let mut names: Vec<_> = counts.iter().collect();
        names.sort_by(|one, other| one.0.cmp(other.0));
        let mut text = String::new();
        for (name, prefix) in names {
            let name = String::from_utf8_lossy(name);
            let Prefix { gets, hits, sets, deletes } = prefix;
            // Writing to memory does not fail.
            let _ = write!(text, "PREFIX {name} get {gets} hit {hits} set {sets} del {deletes}\r\n");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_counted_by_their_prefix() {
        let prefixes = Prefixes::new(b':', false);
        prefixes.note(b"user:1", |prefix| prefix.gets += 1);
        assert_eq!(prefixes.dump(), "");
        prefixes.switch(true);
        for key in [&b"user:1"[..], b"user:2:x", b"plain", b":", b"user 0\r\nEND:1"] {
            prefixes.note(key, |prefix| prefix.gets += 1);
        }
        assert_eq!(prefixes.dump(), "PREFIX  get 1 hit 0 set 0 del 0\r\nPREFIX user get 2 hit 0 set 0 del 0\r\n");
        prefixes.reset();
        assert_eq!(prefixes.dump(), "");
    }
}
