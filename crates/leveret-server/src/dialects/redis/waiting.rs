//! What waits for EXEC: commands, and keys that must not have changed.
use crate::redis::Redis;
use crate::Worker;
use leveret_engine::Time;
use leveret_protocol::resp::{Arguments, ArgumentsBuf};
use leveret_strings::{WatchGuard, WatchedState};

/// Limits of a transaction's queue: bytes, and commands.
const QUEUE_BYTES_MAX: usize = 64 << 20;
const QUEUE_MAX: usize = 1 << 20;

/// Commands that wait for EXEC.
#[derive(Debug, Default)]
pub(super) struct Transaction {
    pub queue: Vec<ArgumentsBuf>,
    bytes: usize,
    /// A command was refused: EXEC will be, too.
    pub is_spoiled: bool,
}

/// A key that must not have changed when EXEC comes.
#[derive(Debug)]
pub(super) struct Watched {
    database: u32,
    key: Box<[u8]>,
    seen: WatchedState,
    /// How often keys like it had been written.
    writes: u64,
}

impl Transaction {
    /// Puts a command behind the others. False: there is no room for it, and EXEC will be refused.
    pub fn push(&mut self, request: Arguments<'_>) -> bool {
        let command = request.to_buf();
        let bytes = self.bytes + command.size();
        let has_room = bytes <= QUEUE_BYTES_MAX && self.queue.len() < QUEUE_MAX;
        self.is_spoiled |= !has_room;
        // What follows a command that was refused is not executed.
        if !self.is_spoiled {
            self.bytes = bytes;
            self.queue.push(command);
        }
        has_room
    }

    pub fn kept_bytes(&self) -> usize {
        self.bytes + self.queue.capacity() * size_of::<ArgumentsBuf>()
    }
}

impl Watched {
    pub fn new(database: u32, key: &[u8], seen: WatchedState, writes: u64) -> Watched {
        Watched { database, key: key.into(), seen, writes }
    }

    /// What the first write of the transaction compares with.
    pub fn guard(&self) -> WatchGuard<'_> {
        WatchGuard { database: self.database, key: &self.key, state: self.seen }
    }

    pub fn is_of(&self, database: u32, key: &[u8]) -> bool {
        self.database == database && *self.key == *key
    }

    /// Whether it is as it was. Asked while no other worker is in a turn.
    pub fn holds(&self, worker: &Worker, redis: &Redis, now: Time) -> bool {
        let is_same = self.seen.is_unchanged(worker.database(self.database), &self.key, now).unwrap_or(false);
        let writes = redis.writes.of(self.database, &self.key);
        is_same && (self.seen != WatchedState::Absent || writes == self.writes)
    }
}
