//! What WATCH notes of a key, and whether EXEC finds it so.
use crate::engine_calls::EXACT;
use leveret_engine::{Arena, Deadline, Error, Time};

/// A key as WATCH saw it. The cas changes with each write and stays while an item is moved; a deadline changes alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchedState {
    /// Nothing was there, or something that had expired.
    Absent,
    /// This version was there.
    Present {
        /// Its token.
        cas: u64,
        /// From when on it is dead.
        deadline: Deadline,
    },
}

impl WatchedState {
    /// Of a key, now.
    pub fn of(arena: Option<&Arena>, key: &[u8], now: Time) -> Result<WatchedState, Error> {
        let found = match arena {
            Some(arena) => arena.find_with(key, EXACT, now)?,
            None => None,
        };
        Ok(found
            .map_or(WatchedState::Absent, |found| WatchedState::Present { cas: found.cas, deadline: found.deadline }))
    }

    /// Whether the key is as it was.
    pub fn is_unchanged(&self, arena: Option<&Arena>, key: &[u8], now: Time) -> Result<bool, Error> {
        Ok(WatchedState::of(arena, key, now)? == *self)
    }
}
