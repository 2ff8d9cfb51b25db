//! Values that a refused store should have replaced, while another process held their shard for so long that the client
//! got its answer. They are removed once the lock is free.
use crate::counters::requests::{Count, Counters};
use leveret_engine::{Arena, Error, Stored, Time};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

/// Keys that are kept. Beyond them the oldest are given up: clients must not fill the memory.
const KEYS_MAX: usize = 1000;

/// Those of one worker.
#[derive(Debug, Default)]
pub(crate) struct Overdue {
    /// The database of each key, the key, and when its store was refused.
    keys: RefCell<VecDeque<(u32, Box<[u8]>, Time)>>,
    /// There are some: each turn of the event loop asks.
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
        keys.retain(|(of, known, _)| *of != database || **known != *key);
        if keys.len() == KEYS_MAX {
            keys.pop_front();
        }
        keys.push_back((database, key.into(), now));
        self.has_some.set(true);
    }

    /// Tries it, once a second.
    #[cold]
    pub fn remove<'a>(&self, arena_of: impl Fn(u32) -> Option<&'a Arena>, counters: &Counters, now: Time) {
        if self.tried.replace(now) == now {
            return;
        }
        let mut keys = self.keys.borrow_mut();
        keys.retain(|(database, key, refused)| {
            match arena_of(*database).map(|arena| remove(arena, key, *refused, now)) {
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
