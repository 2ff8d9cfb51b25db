//! The engine itself, on an arena of its own.

use super::{CachedItem, Policy};
use leveret_engine::{Arena, Deadline, Error, OpenError, OpenOptions, Time};

/// An arena as a cache to be compared.
pub struct Engine {
    arena: Arena,
    begin: Time,
    key: Vec<u8>,
    /// What values are made of: only their lengths matter.
    value: Vec<u8>,
    failed: Option<Error>,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("begin", &self.begin).finish_non_exhaustive()
    }
}

impl Engine {
    /// On an arena in memory that has no name and goes with this value. One at a time: a process has one such arena.
    pub fn new(memory: u64) -> Result<Engine, OpenError> {
        let (arena, _) = Arena::of_this_process(&OpenOptions::new().memory(memory))?;
        Ok(Engine::on(arena))
    }

    /// On an arena that is at hand.
    pub fn on(arena: Arena) -> Engine {
        Engine { arena, begin: Time::now(), key: Vec::new(), value: Vec::new(), failed: None }
    }

    /// The arena.
    pub fn arena(&self) -> &Arena {
        &self.arena
    }

    /// The engine's first error, except refusals of values that are too large.
    pub fn failed(&self) -> Option<&Error> {
        self.failed.as_ref()
    }

    /// Moments of the trace on the arena's clock: items die by the trace's.
    pub fn at(&self, now: u32) -> Time {
        Time(self.begin.0.saturating_add(now))
    }

    fn spell(&mut self, key: u32, key_len: u16) {
        // Four bytes tell all keys apart; shorter ones count as four.
        let len = usize::from(key_len).clamp(4, self.arena.key_max());
        self.key.clear();
        self.key.resize(len, b'.');
        self.key[..4].copy_from_slice(&key.to_le_bytes());
    }

    fn note(&mut self, done: Result<(), Error>) {
        if let Err(error) = done {
            if !matches!(error, Error::ValueTooLarge { .. }) {
                self.failed.get_or_insert(error);
            }
        }
    }
}

impl Policy for Engine {
    fn get(&mut self, key: u32, key_len: u16, now: u32) -> bool {
        self.spell(key, key_len);
        self.arena.find(&self.key, self.at(now)).is_some()
    }

    fn store(&mut self, item: &CachedItem, now: u32) {
        self.spell(item.key, item.key_len);
        let len = item.value_len as usize;
        if self.value.len() < len {
            self.value.resize(len, b'.');
        }
        let deadline = if item.deadline == u32::MAX { Deadline::NEVER } else { Deadline::at(self.at(item.deadline)) };
        let stored = self.arena.set(&self.key, &self.value[..len], deadline, self.at(now));
        self.note(stored);
    }

    fn delete(&mut self, key: u32, key_len: u16, now: u32) {
        self.spell(key, key_len);
        let deleted = self.arena.delete(&self.key, self.at(now)).map(|_| ());
        self.note(deleted);
    }
}
