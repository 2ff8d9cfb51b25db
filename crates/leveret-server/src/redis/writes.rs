//! Counts of writes, which a WATCH of an absent key compares: a key that was made and has gone again has changed, and leaves
//! nothing else to compare.
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

const CELLS: usize = 1024;

/// How often keys were written by clients of the entrance, while anybody watched.
#[derive(Debug)]
pub(crate) struct WriteCounts {
    cells: Box<[AtomicU64]>,
    hasher: RandomState,
    /// Connections that watch.
    watchers: AtomicU64,
}

impl Default for WriteCounts {
    fn default() -> WriteCounts {
        WriteCounts {
            cells: (0..CELLS).map(|_| AtomicU64::new(0)).collect(),
            hasher: RandomState::new(),
            watchers: AtomicU64::new(0),
        }
    }
}

impl WriteCounts {
    /// A connection begins to watch, or ends.
    pub fn watch(&self, begins: bool) {
        let by = if begins { 1 } else { u64::MAX };
        self.watchers.fetch_add(by, Relaxed);
    }

    /// Connections that watch.
    pub fn watchers(&self) -> u64 {
        self.watchers.load(Relaxed)
    }

    /// Whether anybody watches.
    #[inline]
    pub fn are_watched(&self) -> bool {
        self.watchers.load(Relaxed) > 0
    }

    /// Counts a write to a key of a database. Called within a turn: comparisons run alone.
    pub fn note(&self, database: u32, key: &[u8]) {
        self.cell(database, key).fetch_add(1, Relaxed);
    }

    /// The count that this key's writes add to.
    pub fn of(&self, database: u32, key: &[u8]) -> u64 {
        self.cell(database, key).load(Relaxed)
    }

    fn cell(&self, database: u32, key: &[u8]) -> &AtomicU64 {
        &self.cells[self.hasher.hash_one((database, key)) as usize % CELLS]
    }
}
