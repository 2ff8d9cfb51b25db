//! Deleting. A miss needs no lock.
use crate::arena::Arena;
use crate::counters::Counter;
use crate::error::Error;
use crate::journal::{self, Action, Topic};
use crate::limits;
use crate::lookup;
use crate::shard::{self, edit, token};
use crate::terms::Stored;
use crate::time::Time;

impl Arena {
    /// Removes an item. False: there was none.
    pub fn delete(&self, key: &[u8], now: Time) -> Result<bool, Error> {
        self.remove_if(key, now, |_| true)
    }

    /// Removes an item that has this cas token.
    pub fn delete_version(&self, key: &[u8], cas: u64, now: Time) -> Result<Stored, Error> {
        let mut present = false;
        let removed = self.remove_if(key, now, |found| {
            present = true;
            found == Some(cas)
        })?;
        Ok(match (removed, present) {
            (true, _) => Stored::Stored { cas: 0 },
            (false, true) => Stored::Exists,
            (false, false) => Stored::Missing,
        })
    }

    /// Removes the dead item under a key, which nobody would meet again before its memory is reclaimed. False: there is
    /// none, or a live one.
    pub fn remove_dead(&self, key: &[u8], now: Time) -> Result<bool, Error> {
        let core = &*self.core;
        limits::check_key(core, key)?;
        let hash = core.hasher.hash(key);
        let locked = shard::lock(core, core.hasher.shard_of(hash), now)?;
        let located = edit::locate(&locked, hash, key);
        let Some(old) = located.old.filter(|old| !old.is_alive) else { return Ok(false) };
        edit::remove(&locked, hash, &old.spot, &old.view);
        locked.count(Counter::Expired, 1);
        Ok(true)
    }

    fn remove_if(&self, key: &[u8], now: Time, mut may: impl FnMut(Option<u64>) -> bool) -> Result<bool, Error> {
        let core = &*self.core;
        limits::check_key(core, key)?;
        let hash = core.hasher.hash(key);
        // A miss needs no lock.
        if lookup::is_absent(core, hash, key, now) && !core.is_lost() {
            return Ok(false);
        }
        let locked = shard::lock(core, core.hasher.shard_of(hash), now)?;
        let located = edit::locate(&locked, hash, key);
        let Some(old) = located.old.filter(|old| old.is_alive) else { return Ok(false) };
        if !may(token::cas_of(&locked, &old.view)) {
            return Ok(false);
        }
        if journal::is_watched(core, Topic::Deletes) {
            let gone = lookup::describe_known(core, hash, &old.spot, &old.view);
            journal::tell(core, Topic::Deletes, Action::Deleted, key, &gone, now);
        }
        edit::remove(&locked, hash, &old.spot, &old.view);
        locked.count(Counter::Deletes, 1);
        Ok(true)
    }
}
