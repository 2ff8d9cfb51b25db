//! What WATCH notes of a key, whether EXEC finds it so, and that its first write does.
use leveret_engine::{Arena, Deadline, Error, Found, Item, ReadOptions, Time};

/// Leaves no trace, and tells the cas.
pub const EXACT: ReadOptions = ReadOptions::new().untraced().with_cas();

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
        Ok(WatchedState::found(found.as_ref()))
    }

    /// Of an item that was found with its cas.
    pub fn found(found: Option<&Found>) -> WatchedState {
        found.map_or(WatchedState::Absent, |found| WatchedState::Present { cas: found.cas, deadline: found.deadline })
    }

    /// The same of an item that was read with its cas.
    pub fn of_item(item: Option<&Item>) -> WatchedState {
        item.map_or(WatchedState::Absent, |item| WatchedState::Present { cas: item.cas, deadline: item.deadline })
    }

    /// Whether the key is as it was.
    pub fn is_unchanged(&self, arena: Option<&Arena>, key: &[u8], now: Time) -> Result<bool, Error> {
        Ok(WatchedState::of(arena, key, now)? == *self)
    }
}

/// A key that a transaction watches, as EXEC has found it. Until the transaction has written something, its commands store
/// over that version only: a direct writer may have come in between.
#[derive(Clone, Copy, Debug)]
pub struct WatchGuard<'w> {
    /// The database of the key.
    pub database: u32,
    /// The key.
    pub key: &'w [u8],
    /// What WATCH saw.
    pub state: WatchedState,
}
