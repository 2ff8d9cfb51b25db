//! Changing an item that is there, and not its value: deadline, marks, cas.
use crate::arena::Arena;
use crate::counters::Counter;
use crate::delete;
use crate::error::Error;
use crate::found::{Found, Item};
use crate::hand_out::{HandOut, Handed};
use crate::item::{Body, Change, Kind, NewItem, View};
use crate::limits;
use crate::lookup;
use crate::meta::{Codec, Encoding, Marks, Meta};
use crate::read;
use crate::shard::edit::{Located, Old};
use crate::shard::{put, relocate, token, Locked};
use crate::time::{Deadline, Time};
use crate::update::{self, Step};

/// Attributes of an item that change without its value.
#[derive(Clone, Copy, Debug)]
pub struct Amendment {
    deadline: Deadline,
    marks: Marks,
    cas: NewCas,
    drop_value: bool,
}

impl Amendment {
    /// From `deadline` on it is dead; its marks and its cas are these.
    pub const fn new(deadline: Deadline, marks: Marks, cas: NewCas) -> Amendment {
        Amendment { deadline, marks, cas, drop_value: false }
    }

    /// Another deadline.
    pub const fn deadline(self, deadline: Deadline) -> Amendment {
        Amendment { deadline, ..self }
    }

    /// Other marks.
    pub const fn marks(self, marks: Marks) -> Amendment {
        Amendment { marks, ..self }
    }

    /// Another cas.
    pub const fn cas(self, cas: NewCas) -> Amendment {
        Amendment { cas, ..self }
    }

    /// Whether its value and flags are dropped, so that nothing is left of them but an empty value.
    pub const fn drop_value(self, drop_value: bool) -> Amendment {
        Amendment { drop_value, ..self }
    }
}

/// The cas of an amended item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewCas {
    /// Keep the cas: a caller that knows it may still store.
    Keep,
    /// A new one.
    Next,
    /// This one; 0 is no cas, and asks for a new one.
    Is(u64),
}

impl Arena {
    /// Changes an item's attributes: deadline, marks, cas. `change` gets the item with its cas, under the lock, perhaps
    /// more than once; `None` leaves the item as it is. Returns the changed item with its cas. An item whose new
    /// deadline is past is returned one last time. `None`: there is no such item.
    pub fn amend(
        &self,
        key: &[u8],
        now: Time,
        change: &mut dyn FnMut(&Found) -> Option<Amendment>,
    ) -> Result<Option<Found>, Error> {
        let core = &*self.core;
        limits::check_key(core, key)?;
        let hash = core.hasher.hash(key);
        update::update(core, key, now, |locked, located| {
            let Some(old) = located.old.filter(|old| old.is_alive) else { return Ok(Step::Done(None)) };
            let look = || read::find_locked(locked, hash, key, true, now);
            let Some(found) = look() else { return Ok(Step::Done(None)) };
            let Some(amendment) = change(&found) else { return Ok(Step::Done(Some(found))) };
            let Some(cas) = amend(locked, located, &old, &found, &amendment, key) else { return Ok(Step::NoRoom) };
            Ok(Step::Done(look().or(Some(ended(found, &amendment, cas)))))
        })
    }

    /// Gives an item the deadline that `decide` answers, and leaves all else of it. `decide` sees the item under the lock,
    /// perhaps more than once; None leaves it, and a deadline that is past deletes it. Returns the item as it was seen,
    /// with its deadline from then on. None: there is none.
    pub fn retime(
        &self,
        key: &[u8],
        now: Time,
        decide: &mut dyn FnMut(&Found) -> Option<Deadline>,
    ) -> Result<Option<Found>, Error> {
        self.retime_handing(key, now, decide, &mut ())
    }

    /// As `retime`, with the value that the item had then. Counts as a read. `Busy`, beside its other reasons: a value
    /// above 4 KiB was replaced again and again while it was copied.
    pub fn get_and_retime(
        &self,
        key: &[u8],
        now: Time,
        decide: &mut dyn FnMut(&Found) -> Option<Deadline>,
    ) -> Result<Option<Item>, Error> {
        let mut handed = Handed::new(self);
        let found = self.retime_handing(key, now, decide, &mut handed)?;
        Ok(handed.into_item(key).zip(found).map(|(item, found)| Item { deadline: found.deadline, ..item }))
    }

    fn retime_handing(
        &self,
        key: &[u8],
        now: Time,
        decide: &mut dyn FnMut(&Found) -> Option<Deadline>,
        handed: &mut impl HandOut,
    ) -> Result<Option<Found>, Error> {
        let core = &*self.core;
        limits::check_key(core, key)?;
        let hash = core.hasher.hash(key);
        // A miss needs no lock.
        if lookup::is_absent(core, hash, key, now) && !core.is_lost() {
            return Ok(None);
        }
        loop {
            let retimed = update::update(core, key, now, |locked, located| {
                if !handed.meet(locked, located) {
                    return Ok(Step::Done(None));
                }
                let is_there = |old: &Old<'_>| old.is_alive && !handed.hides(&old.view);
                let Some(old) = located.old.filter(is_there) else { return Ok(Step::Done(Some(None))) };
                let found = lookup::describe_known(core, hash, &old.spot, &old.view);
                let Some(deadline) = decide(&found) else { return Ok(Step::Done(Some(Some(found)))) };
                let deadline = core.items.kept(deadline);
                if deadline.is_past(now) {
                    delete::remove(locked, hash, &old, key, now);
                } else {
                    if !postpone(locked, &old.view, deadline) && !advance(locked, &old, deadline) {
                        return Ok(Step::NoRoom);
                    }
                    old.spot.note_read();
                    locked.count(Counter::Touches, 1);
                }
                Ok(Step::Done(Some(Some(Found { deadline, ..found }))))
            })?;
            match retimed {
                Some(found) => return Ok(found),
                None => handed.copy(key, now)?,
            }
        }
    }

    /// Gives an item another deadline. False: there is no item.
    pub fn touch(&self, key: &[u8], deadline: Deadline, now: Time) -> Result<bool, Error> {
        self.touch_where(key, deadline, now, |_| {})
    }

    /// `before` runs under the lock, when the item is there and has its old deadline.
    fn touch_where(
        &self,
        key: &[u8],
        deadline: Deadline,
        now: Time,
        mut before: impl FnMut(&Locked<'_>),
    ) -> Result<bool, Error> {
        limits::check_key(&self.core, key)?;
        let deadline = self.core.items.kept(deadline);
        update::update(&self.core, key, now, |locked, located| {
            let is_there = |old: &Old<'_>| old.is_alive && old.view.kind != Kind::Typed;
            let Some(old) = located.old.filter(is_there) else { return Ok(Step::Done(false)) };
            before(locked);
            if !postpone(locked, &old.view, deadline) && !advance(locked, &old, deadline) {
                return Ok(Step::NoRoom);
            }
            // Extending an item's life counts as a read.
            old.spot.note_read();
            locked.count(Counter::Touches, 1);
            Ok(Step::Done(true))
        })
    }

    /// The item, with its new deadline. One that is past at once still gives the item, for the last time.
    pub fn get_and_touch(&self, key: &[u8], deadline: Deadline, now: Time) -> Result<Option<Item>, Error> {
        let core = &*self.core;
        let hash = core.hasher.hash(key);
        let mut found = None;
        let touched =
            self.touch_where(key, deadline, now, |locked| found = read::find_locked(locked, hash, key, false, locked))?;
        // Touched and not found: flushed in between.
        let Some(found) = found.filter(|_| touched) else {
            core.reads.count_miss();
            return Ok(None);
        };
        core.reads.count_hit();
        let found = Found { deadline, ..found };
        // Recycled since: only then is it looked up once more.
        Ok(self.copy_to_vec(&found).map(|value| found.into_item(key, value)).or_else(|| self.get(key, now)))
    }
}

/// The version that an amendment ended at once: its value is still the old one's.
fn ended(found: Found, amendment: &Amendment, cas: u64) -> Found {
    let meta = found.meta.with_marks(amendment.marks);
    let found = Found { cas, deadline: amendment.deadline, meta, ..found };
    if !amendment.drop_value {
        return found;
    }
    Found { meta: bare(meta), value_len: 0, number: 0, is_number: 0, kind: Kind::Bytes as u8, ..found }
}

/// Attributes of a value that was dropped.
fn bare(meta: Meta) -> Meta {
    meta.with_flags(0).with_encoding(Encoding::RAW).with_codec(Codec::NONE)
}

/// Writes an item again as the amendment says, and tells its cas. None: no room, nothing changed.
fn amend(
    locked: &Locked<'_>,
    located: &Located<'_>,
    old: &Old<'_>,
    found: &Found,
    amendment: &Amendment,
    key: &[u8],
) -> Option<u64> {
    let view = &old.view;
    let cas = match amendment.cas {
        NewCas::Keep => found.cas,
        NewCas::Next | NewCas::Is(0) => token::next_cas(locked),
        NewCas::Is(cas) => cas,
    };
    if amendment.drop_value {
        let meta = bare(found.meta).with_marks(amendment.marks);
        let deadline = amendment.deadline;
        let item = NewItem { key, meta, mtime: view.header.mtime, deadline, cas: Some(cas), body: Body::Bytes(&[]) };
        return put::put(locked, located, &item, false, None).map(|_| cas);
    }
    if cas == found.cas && amendment.marks == found.meta.marks && postpone(locked, view, amendment.deadline) {
        return Some(cas);
    }
    let change = Change { deadline: amendment.deadline, cas: Some(cas), marks: Some(amendment.marks) };
    put::rewrite(locked, old, &change).then_some(cas)
}

/// Moves a deadline back in place. Never forward: a process that keeps a decoded value relies on the deadline that it
/// has seen. False: the deadline would move forward, or has milliseconds and the item has no room for them.
fn postpone(locked: &Locked<'_>, view: &View, deadline: Deadline) -> bool {
    let items = &locked.core.items;
    if deadline < items.deadline_of(view) {
        return false;
    }
    let header = locked.core.segments.header(view.segment);
    // The segment first: killed in between, it only lives longer than it needs to.
    header.prolong(deadline.second);
    items.set_deadline(view, deadline)
}

/// Writes the same version again with an earlier deadline; its cas stays. False: no room.
fn advance(locked: &Locked<'_>, old: &Old<'_>, deadline: Deadline) -> bool {
    let change = Change { deadline, cas: relocate::told_cas(locked, &old.view), marks: None };
    put::rewrite(locked, old, &change)
}
