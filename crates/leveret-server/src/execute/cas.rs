//! The cas of items, and what `-C` makes of it: each item shows 0, and whoever compares has never seen the present one.
use super::Turn;
use crate::stats::Count;
use leveret_engine::{Deadline, Error, Found, Item, Missed, ReadOptions};

/// No item has it: neither a place in the arena nor a count of stores comes that far.
const NOBODYS: u64 = u64::MAX;

impl Turn<'_> {
    /// The item with its cas. The lock of its shard may be needed for that; if it is not to be had that is an error,
    /// and no miss: the item may be there.
    pub(super) fn find_cas(&self, key: &[u8]) -> Result<Option<Found>, Error> {
        self.find_with(key, self.with_cas(ReadOptions::new()))
    }

    /// As `find_cas`, without a trace: for who has looked the item up already, or wants to leave none.
    pub(super) fn peek_cas(&self, key: &[u8]) -> Result<Option<Found>, Error> {
        self.find_with(key, self.with_cas(ReadOptions::new().untraced()))
    }

    pub(super) fn with_cas(&self, options: ReadOptions) -> ReadOptions {
        if self.shared.settings.cas {
            options.with_cas()
        } else {
            options
        }
    }

    pub(super) fn find_with(&self, key: &[u8], options: ReadOptions) -> Result<Option<Found>, Error> {
        let mut found = Found::default();
        Ok(self.find_into(key, options, &mut found)?.then_some(found))
    }

    /// Looks an item up for a client, and counts what was found dead instead.
    #[inline]
    pub(super) fn find_into(&self, key: &[u8], options: ReadOptions, found: &mut Found) -> Result<bool, Error> {
        let is_there = told(self.arena.find_into(key, options, self.now, found).map(Some))?.unwrap_or(false);
        if !is_there && found.missed() != Missed::Absent {
            self.bury(key, found.missed());
        }
        Ok(is_there)
    }

    /// A change that found nothing to change: perhaps what was there is dead.
    pub(super) fn note_dead(&self, key: &[u8]) {
        let _ = self.find_with(key, ReadOptions::new().untraced());
    }

    #[cold]
    fn bury(&self, key: &[u8], missed: Missed) {
        if missed == Missed::Flushed {
            return self.count(Count::GetFlushed);
        }
        // So that it is met once. Another worker may have met it in the same moment.
        if matches!(self.arena.remove_dead(key, self.now), Ok(true)) {
            self.count(Count::GetExpired);
        }
    }

    /// The item with its cas, copied out whole.
    pub(super) fn gets(&self, key: &[u8]) -> Result<Option<Item>, Error> {
        if self.shared.settings.cas {
            told(self.arena.get_with(key, ReadOptions::new().with_cas(), self.now))
        } else {
            self.copy_out(key)
        }
    }

    /// The item, copied out whole: in the end under the lock, if it is recycled during each copy.
    pub(super) fn copy_out(&self, key: &[u8]) -> Result<Option<Item>, Error> {
        told(self.arena.get_with(key, ReadOptions::new(), self.now))
    }

    /// Gives an item another deadline, on the way to reading it. Returns whether it is there.
    pub(super) fn touch_to_read(&self, key: &[u8], deadline: Deadline) -> Result<bool, Error> {
        Ok(told(self.arena.touch(key, deadline, self.now).map(Some))?.unwrap_or(false))
    }

    /// What a client is told of an item's cas.
    pub(super) fn shown_cas(&self, cas: u64) -> u64 {
        if self.shared.settings.cas {
            cas
        } else {
            0
        }
    }

    /// What a client's token is compared as.
    pub(super) fn compared(&self, token: Option<u64>) -> Option<u64> {
        token.map(|token| if self.shared.settings.cas { token } else { NOBODYS })
    }

    /// The cas that a client chooses for what it stores.
    pub(super) fn chosen_cas(&self, cas: Option<u64>) -> Option<u64> {
        cas.filter(|_| self.shared.settings.cas)
    }
}

/// What a reader is told: in a cache that was removed there is nothing, which is a miss.
pub(super) fn told<T>(looked: Result<Option<T>, Error>) -> Result<Option<T>, Error> {
    match looked {
        Err(Error::Lost) => Ok(None),
        looked => looked,
    }
}
