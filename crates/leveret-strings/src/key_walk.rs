//! What a walk over all keys keeps from one piece to the next.
use leveret_engine::Cursor;

/// How far a walk has come, and what it has found.
#[derive(Debug, Default)]
pub struct KeyWalk {
    /// The place to go on from.
    pub(crate) cursor: Cursor,
    found: Vec<Box<[u8]>>,
    bytes: usize,
    counted: i64,
}

impl KeyWalk {
    /// Bytes that it keeps.
    pub fn kept_bytes(&self) -> usize {
        self.bytes
    }

    /// The keys that were kept.
    pub fn found(&self) -> &[Box<[u8]>] {
        &self.found
    }

    /// Keeps a key for the answer.
    pub fn keep(&mut self, key: &[u8]) {
        // With what a piece of memory costs.
        self.bytes += key.len() + 32;
        self.found.push(key.into());
    }

    /// Counts something.
    pub fn count(&mut self, by: i64) {
        self.counted += by;
    }

    /// What was counted.
    pub fn counted(&self) -> i64 {
        self.counted
    }
}
