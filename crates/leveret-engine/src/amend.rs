//! Changing an item that is there, and not its value: deadline, marks, cas.
use crate::arena::Arena;
use crate::core::Core;
use crate::counters::Counter;
use crate::error::Error;
use crate::found::{Found, Item};
use crate::index::{Located, Old};
use crate::item::{Body, NewItem, View};
use crate::lock::Locked;
use crate::meta::{Encoding, Meta};
use crate::read::hint;
use crate::segment::class_of;
use crate::sync::Ordering;
use crate::time::{Deadline, Time};
use crate::write::Step;

/// What an item becomes, its value aside.
#[derive(Clone, Copy, Debug)]
pub struct Amendment {
    /// From when on it is dead.
    pub deadline: Deadline,
    /// Its marks, `STALE` and `WON`.
    pub marks: u8,
    /// Its cas.
    pub cas: NewCas,
    /// Its value and flags are dropped, and nothing is left of them but an empty value.
    pub drop_value: bool,
}

/// The cas of an amended item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewCas {
    /// As it was: whoever has been told it may still store.
    Keep,
    /// A new one.
    Next,
    /// This one.
    Is(u64),
}

impl Arena {
    /// Changes what an item says of itself: deadline, marks, cas. `change` sees the item with its cas, under the lock,
    /// perhaps more than once, and answers None to leave it. Returns the item as it is then, with its cas; one whose
    /// new deadline is past at once for the last time. None: there is none.
    pub fn amend(
        &self,
        key: &[u8],
        now: Time,
        change: &mut dyn FnMut(&Found) -> Option<Amendment>,
    ) -> Result<Option<Found>, Error> {
        let core = &*self.core;
        core.check_key(key)?;
        let hash = core.hash(key);
        core.update(key, now, |locked, located| {
            let Some(old) = located.old.filter(|old| old.is_alive) else { return Ok(Step::Done(None)) };
            let look = || locked.find(hash, key, true, now);
            let Some(found) = look() else { return Ok(Step::Done(None)) };
            let Some(amendment) = change(&found) else { return Ok(Step::Done(Some(found))) };
            let Some(cas) = locked.amend(located, &old, &found, &amendment, key) else { return Ok(Step::NoRoom) };
            Ok(Step::Done(look().or(Some(found.amended(&amendment, cas)))))
        })
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
        self.core.check_key(key)?;
        self.core.update(key, now, |locked, located| {
            let Some(old) = located.old.filter(|old| old.is_alive) else { return Ok(Step::Done(false)) };
            before(locked);
            if !locked.postpone(&old.view, deadline) && !locked.replace_deadline(&old, deadline) {
                return Ok(Step::NoRoom);
            }
            // Whoever prolongs an item's life uses it, as whoever reads it.
            hint(old.spot.bucket, old.spot.slot);
            locked.count(Counter::Touches, 1);
            Ok(Step::Done(true))
        })
    }

    /// The item, with its new deadline. One that is past at once still gives the item, for the last time.
    pub fn get_and_touch(&self, key: &[u8], deadline: Deadline, now: Time) -> Result<Option<Item>, Error> {
        let core = &*self.core;
        let hash = core.hash(key);
        let mut found = None;
        let touched = self.touch_where(key, deadline, now, |locked| found = locked.find(hash, key, false, locked))?;
        // Touched and not found: flushed in between.
        let Some(found) = found.filter(|_| touched) else {
            core.reads.count_miss(&core.shards);
            return Ok(None);
        };
        core.reads.count_hit(&core.shards);
        let found = Found { deadline: deadline.0, ..found };
        // Recycled since: only then is it looked up once more.
        Ok(self.copy_to_vec(&found).map(|value| found.into_item(key, value)).or_else(|| self.get(key, now)))
    }
}

impl Locked<'_> {
    /// Writes an item again as the amendment says, and tells its cas. None: no room, nothing changed.
    fn amend(
        &self,
        located: &Located<'_>,
        old: &Old<'_>,
        found: &Found,
        amendment: &Amendment,
        key: &[u8],
    ) -> Option<u64> {
        let view = &old.view;
        let cas = match amendment.cas {
            NewCas::Keep => found.cas,
            NewCas::Next => self.next_cas(),
            NewCas::Is(cas) => cas,
        };
        if amendment.drop_value {
            let meta = Meta { flags: 0, encoding: Encoding::Raw as u8, codec: 0, marks: amendment.marks, ..found.meta };
            let deadline = amendment.deadline.0;
            let item =
                NewItem { key, meta, mtime: view.header.mtime, deadline, cas: Some(cas), body: Body::Bytes(&[]) };
            return self.put(located, &item, false, None).map(|_| cas);
        }
        if cas == found.cas && amendment.marks == found.meta.marks && self.postpone(view, amendment.deadline) {
            return Some(cas);
        }
        let pool = self.core.state(view.segment).pool();
        let size = Core::marked_size(view, amendment.marks);
        let place = self.reserve(pool, class_of(amendment.deadline, self), size, false)?;
        self.core.copy_marked(view, place.at, amendment.deadline.0, cas, amendment.marks);
        self.publish(place, size, amendment.deadline.0);
        old.spot.cell().store(old.spot.word.moved_to(place.at).0, Ordering::Release);
        self.unpublish(view.segment, view.size());
        Some(cas)
    }

    /// Moves a deadline back in place. Not forward: whoever keeps a decoded value trusts the deadline that it has seen.
    fn postpone(&self, view: &View, deadline: Deadline) -> bool {
        if deadline < view.header.deadline() {
            return false;
        }
        let header = self.core.header(view.segment);
        // The segment first: killed in between, it only lives longer than it needs to.
        header.max_deadline.fetch_max(deadline.0, Ordering::Relaxed);
        self.core.data.word(view.at + 12).store(deadline.0, Ordering::Release);
        true
    }

    /// Writes the same version again with an earlier deadline; its cas stays. False: no room.
    fn replace_deadline(&self, old: &Old<'_>, deadline: Deadline) -> bool {
        let pool = self.core.state(old.view.segment).pool();
        let Some((place, size)) = self.copy_to(pool, &old.view, deadline, false) else { return false };
        self.publish(place, size, deadline.0);
        old.spot.cell().store(old.spot.word.moved_to(place.at).0, Ordering::Release);
        self.unpublish(old.view.segment, old.view.size());
        true
    }
}
