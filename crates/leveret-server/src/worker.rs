//! What a worker executes requests with.
use crate::counters::budget::Budget;
use crate::overdue::Overdue;
use crate::Shared;
use leveret_engine::{Arena, Time};
use std::cell::Cell;
use std::sync::Arc;

/// A worker's place: what it shares with the others, its number, and the arena as of its last look. An arena whose file
/// was removed is replaced while the server runs; a worker changes over between two requests, which costs it one load
/// each time it wakes, and no request a lock.
pub struct Worker {
    /// What all conversations share.
    pub shared: Arc<Shared>,
    /// The worker's number: its own counters.
    pub index: usize,
    arena: Arena,
    edition: u32,
    value_max: usize,
    /// Bytes that all clients together may make the server hold.
    pub(crate) client_bytes_max: u64,
    /// So many requests from here on one is timed.
    until_timed: Cell<u32>,
    overdue: Overdue,
}

impl Worker {
    /// The worker of this number.
    pub fn new(shared: Arc<Shared>, index: usize) -> Worker {
        let (arena, edition) = shared.latest();
        let (value_max, client_bytes_max) = limits(&shared, &arena);
        Worker {
            shared,
            index,
            arena,
            edition,
            value_max,
            client_bytes_max,
            until_timed: Cell::new(0),
            overdue: Overdue::default(),
        }
    }

    /// The cache.
    #[inline]
    pub fn arena(&self) -> &Arena {
        &self.arena
    }

    /// Takes the arena that is served now.
    #[inline]
    pub fn refresh(&mut self) {
        if self.shared.edition() != self.edition {
            (self.arena, self.edition) = self.shared.latest();
            (self.value_max, self.client_bytes_max) = limits(&self.shared, &self.arena);
            self.overdue.clear();
        }
    }

    /// Has what is under `key` removed as soon as no other process holds its part of the cache.
    pub(crate) fn remove_later(&self, key: &[u8], now: Time) {
        self.overdue.add(key, now);
    }

    /// Whether something is to be removed.
    pub(crate) fn has_overdue(&self) -> bool {
        !self.overdue.is_empty()
    }

    /// Tries to remove it, once a second.
    pub(crate) fn remove_overdue(&self) {
        if self.has_overdue() {
            self.overdue.remove(&self.arena, self.shared.counters(self.index), Time::now());
        }
    }

    /// Whether the next request is one of those of which there is one in `each`.
    #[inline]
    pub(crate) fn is_each(&self, each: u32) -> bool {
        let until = self.until_timed.get();
        self.until_timed.set(if until == 0 { each - 1 } else { until - 1 });
        until == 0
    }

    /// The largest value that a client may store.
    #[inline]
    pub(crate) fn value_max(&self) -> usize {
        self.value_max
    }
}

fn limits(shared: &Shared, arena: &Arena) -> (usize, u64) {
    let value_max = shared.settings.value_max().min(arena.value_max());
    (value_max, Budget::limit(arena.memory(), value_max))
}
