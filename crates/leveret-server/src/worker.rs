//! A worker's tools to execute requests.
use crate::counters::budget::Budget;
use crate::counters::traffic::WorkerCounters;
use crate::overdue::Overdue;
use crate::Shared;
use leveret_engine::{Arena, Error, Time};
use std::cell::{Cell, OnceCell};
use std::sync::Arc;

/// A worker: the state shared with the others, its number, and the arena that it last saw. An arena whose file was
/// removed is replaced while the server runs. A worker changes over between two requests, which costs one load at each
/// wake-up, and no lock.
pub struct Worker {
    /// What all conversations share.
    pub shared: Arc<Shared>,
    /// The worker's number: its own counters.
    pub index: usize,
    /// What its sockets count.
    pub(crate) traffic: Arc<WorkerCounters>,
    arena: Arena,
    edition: u32,
    databases: Vec<OnceCell<Arena>>,
    databases_edition: u32,
    value_max: usize,
    /// Bytes that all clients together may make the server hold.
    pub(crate) client_bytes_max: u64,
    /// Requests until the next one is timed.
    until_timed: Cell<u32>,
    overdue: Overdue,
}

impl Worker {
    /// The worker of this number.
    pub fn new(shared: Arc<Shared>, index: usize) -> Worker {
        let (arena, edition) = shared.latest();
        let (value_max, client_bytes_max) = limits(&shared, &arena);
        let (databases, databases_edition) = none_open(&shared);
        Worker {
            traffic: shared.network.worker(index).clone(),
            shared,
            index,
            arena,
            edition,
            databases,
            databases_edition,
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
        if self.shared.redis().is_some_and(|redis| redis.databases.edition() != self.databases_edition) {
            (self.databases, self.databases_edition) = none_open(&self.shared);
        }
    }

    /// Schedules the removal of the item under `key` for when no other process holds its shard.
    pub(crate) fn remove_later(&self, database: u32, key: &[u8], now: Time) {
        self.overdue.add(database, key, now);
    }

    /// Whether something is to be removed.
    #[inline]
    pub(crate) fn has_overdue(&self) -> bool {
        self.overdue.has_some()
    }

    /// Tries to remove it, once a second.
    #[inline]
    pub(crate) fn remove_overdue(&self) {
        if self.has_overdue() {
            self.overdue.remove(|number| self.database(number), self.shared.counters(self.index), Time::now());
        }
    }

    /// A database of `--redis` that is there.
    pub(crate) fn database(&self, number: u32) -> Option<&Arena> {
        if number == 0 {
            return Some(&self.arena);
        }
        let place = self.databases.get(number as usize)?;
        place.get().or_else(|| {
            let arena = self.shared.redis()?.databases.get(number)?;
            Some(place.get_or_init(|| arena))
        })
    }

    /// A database of `--redis`, which is made if it is not there.
    pub(crate) fn database_to_write(&self, number: u32) -> Result<&Arena, Error> {
        if let Some(arena) = self.database(number) {
            return Ok(arena);
        }
        let place = self.databases.get(number as usize).ok_or(Error::NoMemory)?;
        let arena = self.shared.database_to_write(number, self.arena.path())?;
        Ok(place.get_or_init(|| arena))
    }

    /// Bytes that the buffers of a connection may grow by; none, if it is another's turn to grow.
    #[cold]
    pub(crate) fn client_room(&self, may_grow: bool) -> u64 {
        let free = self.shared.network.budget.room(self.client_bytes_max);
        if may_grow {
            free
        } else {
            0
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

/// A new worker has no open databases.
fn none_open(shared: &Shared) -> (Vec<OnceCell<Arena>>, u32) {
    let Some(redis) = shared.redis() else { return (Vec::new(), 0) };
    // Asked first: one that is opened meanwhile is looked for once more.
    let edition = redis.databases.edition();
    ((0..redis.databases.count()).map(|_| OnceCell::new()).collect(), edition)
}
