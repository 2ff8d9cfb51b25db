//! The cas tokens of items. Each item has one by its place, which nobody has to store; a copy of it elsewhere keeps
//! that token only if somebody has been told it. What is given to an item explicitly counts up above all of these.
use crate::core::Core;
use crate::found::Found;
use crate::item::{Kind, View, WANTED};
use crate::lock::Locked;
use crate::sync::Ordering;

/// Explicit cas numbers count up from here, above every token that comes from an item's place. Bit 62, since PHP's
/// integers are signed.
const EXPLICIT_CAS: u64 = 1 << 62;

impl Core {
    /// The cas of an item that a reader met, if it is one that a later copy will keep.
    pub fn stable_cas(&self, found: &Found, view: &View) -> Option<u64> {
        if view.kind == Kind::Number {
            // In this order the value belongs to the cas: an increment takes the cas away before it changes the value.
            let cas = self.data.long(view.payload() + 8);
            let before = cas.load(Ordering::Acquire);
            let value = self.number_of(view);
            let stable = before != 0 && value == found.number as u64 && cas.load(Ordering::Acquire) == before;
            return stable.then_some(before);
        }
        self.explicit_cas(view).or_else(|| view.header.is_wanted().then(|| self.natural_cas(view)))
    }

    /// The token that every item has by its place: unique for ever, since a shard uses a place once per generation. It
    /// stays below the explicit ones until a shard has written 2^57 bytes.
    pub fn natural_cas(&self, view: &View) -> u64 {
        let state = self.state(view.segment);
        let place = (view.at - self.start(view.segment)) >> 3;
        self.of_shard(state.generation(), state.shard()) << (self.map.geometry.segment_shift - 3) | place
    }

    /// A number that a shard has counted, made one of the whole arena: each key's go on growing, and no two shards have
    /// the same.
    fn of_shard(&self, number: u64, shard: usize) -> u64 {
        number << self.map.geometry.shard_shift | shard as u64
    }
}

impl Locked<'_> {
    /// The token that an item would show; None for a number that has none yet.
    pub fn cas_of(&self, view: &View) -> Option<u64> {
        match view.kind {
            Kind::Number => {
                Some(self.core.data.long(view.payload() + 8).load(Ordering::Relaxed)).filter(|cas| *cas != 0)
            }
            _ => Some(self.core.explicit_cas(view).unwrap_or_else(|| self.core.natural_cas(view))),
        }
    }

    /// The token of an item that somebody asks for, from now on kept by its copies.
    pub fn give_cas(&self, view: &View) -> u64 {
        if view.kind == Kind::Number {
            let cell = self.core.data.long(view.payload() + 8);
            if cell.load(Ordering::Relaxed) == 0 {
                cell.store(self.next_cas(), Ordering::Release);
            }
            return cell.load(Ordering::Relaxed);
        }
        if !view.header.has_cas() {
            self.core.data.word(view.at).fetch_or(WANTED, Ordering::Release);
        }
        self.core.explicit_cas(view).unwrap_or_else(|| self.core.natural_cas(view))
    }

    /// The next explicit cas.
    pub fn next_cas(&self) -> u64 {
        let number = self.shard().cas_counter.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        EXPLICIT_CAS | self.core.of_shard(number, self.index)
    }
}
