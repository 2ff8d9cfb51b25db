//! Deleting. A miss needs no lock.
use crate::arena::Arena;
use crate::counters::Counter;
use crate::error::Error;
use crate::found::Item;
use crate::hand_out::{HandOut, Handed};
use crate::journal::{self, Action, Topic};
use crate::limits;
use crate::lookup;
use crate::shard::edit::{self, Old};
use crate::shard::{self, token, Locked};
use crate::terms::Stored;
use crate::time::Time;

impl Arena {
    /// Removes an item. False: there was none.
    pub fn delete(&self, key: &[u8], now: Time) -> Result<bool, Error> {
        self.remove_if(key, now, |_| true, &mut ())
    }

    /// Removes an item and hands it out. Counts as a read. `Busy`, beside its other reasons: a value above 4 KiB was
    /// replaced again and again while it was copied.
    pub fn take(&self, key: &[u8], now: Time) -> Result<Option<Item>, Error> {
        let mut handed = Handed::new(self);
        self.remove_if(key, now, |_| true, &mut handed)?;
        Ok(handed.into_item(key))
    }

    /// Removes an item that has this cas token.
    pub fn delete_version(&self, key: &[u8], cas: u64, now: Time) -> Result<Stored, Error> {
        let mut present = false;
        let is_it = |found| {
            present = true;
            found == Some(cas)
        };
        let removed = self.remove_if(key, now, is_it, &mut ())?;
        Ok(match (removed, present) {
            (true, _) => Stored::Stored { cas: 0 },
            (false, true) => Stored::Exists,
            (false, false) => Stored::Missing,
        })
    }

    /// Removes the dead item under a key, which would otherwise stay until its memory is reclaimed. False: there is no
    /// item, or it is live.
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

    fn remove_if(
        &self,
        key: &[u8],
        now: Time,
        mut may: impl FnMut(Option<u64>) -> bool,
        handed: &mut impl HandOut,
    ) -> Result<bool, Error> {
        let core = &*self.core;
        limits::check_key(core, key)?;
        let hash = core.hasher.hash(key);
        // A miss needs no lock.
        if lookup::is_absent(core, hash, key, now) && !core.is_lost() {
            return Ok(false);
        }
        loop {
            let locked = shard::lock(core, core.hasher.shard_of(hash), now)?;
            let located = edit::locate(&locked, hash, key);
            if !handed.meet(&locked, &located) {
                drop(locked);
                handed.copy(key, now)?;
                continue;
            }
            let is_there = |old: &Old<'_>| old.is_alive && !handed.hides(&old.view);
            let Some(old) = located.old.filter(is_there) else { return Ok(false) };
            if !may(token::cas_of(&locked, &old.view)) {
                return Ok(false);
            }
            remove(&locked, hash, &old, key, now);
            return Ok(true);
        }
    }
}

/// Removes a live item, and tells of it.
pub(crate) fn remove(locked: &Locked<'_>, hash: u64, old: &Old<'_>, key: &[u8], now: Time) {
    if journal::is_watched(locked.core, Topic::Deletes) {
        let gone = lookup::describe_known(locked.core, hash, &old.spot, &old.view);
        journal::tell(locked.core, Topic::Deletes, Action::Deleted, key, &gone, now);
    }
    edit::remove(locked, hash, &old.spot, &old.view);
    locked.count(Counter::Deletes, 1);
}
