//! Values that a refused store should have replaced, while another process held their shard for so long that the client
//! got its answer. They are removed once the lock is free.
use crate::counters::requests::{Count, Counters};
use leveret_engine::{Arena, Error, Stored, Time};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

/// Keys that are kept. Beyond them the oldest are given up: clients must not fill the memory.
const KEYS_MAX: usize = 1000;

#[derive(Debug)]
struct RefusedKey {
    database: u32,
    key: Box<[u8]>,
    /// When its store was refused.
    refused: Time,
}

/// The keys of one worker.
#[derive(Debug, Default)]
pub(crate) struct Overdue {
    keys: RefCell<VecDeque<RefusedKey>>,
    /// Whether there are any, for each turn of the event loop.
    has_some: Cell<bool>,
    tried: Cell<Time>,
}

impl Overdue {
    #[inline]
    pub fn has_some(&self) -> bool {
        self.has_some.get()
    }

    /// Schedules the removal of the present item under `key`.
    #[cold]
    pub fn add(&self, database: u32, key: &[u8], now: Time) {
        let mut keys = self.keys.borrow_mut();
        keys.retain(|known| known.database != database || *known.key != *key);
        if keys.len() == KEYS_MAX {
            keys.pop_front();
        }
        keys.push_back(RefusedKey { database, key: key.into(), refused: now });
        self.has_some.set(true);
    }

    /// Tries it, once a second.
    #[cold]
    pub fn remove<'a>(&self, arena_of: impl Fn(u32) -> Option<&'a Arena>, counters: &Counters, now: Time) {
        if self.tried.replace(now) == now {
            return;
        }
        let mut keys = self.keys.borrow_mut();
        keys.retain(|known| {
            match arena_of(known.database).map(|arena| remove(arena, &known.key, known.refused, now)) {
                Some(Ok(is_removed)) => {
                    counters.add(Count::Forgotten, u64::from(is_removed));
                    false
                }
                Some(Err(error)) => error == Error::Busy,
                None => false,
            }
        });
        self.has_some.set(!keys.is_empty());
    }

    /// None of them is in the arena that is served from now on.
    pub fn clear(&mut self) {
        self.keys.get_mut().clear();
        self.has_some.set(false);
    }
}

/// Removes an item from before the refused store, or from the same second. A newer item stays.
fn remove(arena: &Arena, key: &[u8], refused: Time, now: Time) -> Result<bool, Error> {
    match arena.amend(key, now, &mut |_| None)? {
        Some(found) if found.mtime <= refused => {
            Ok(matches!(arena.delete_version(key, found.cas, now)?, Stored::Stored { .. }))
        }
        _ => Ok(false),
    }
}
