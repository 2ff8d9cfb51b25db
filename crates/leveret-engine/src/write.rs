//! Writing: under the lock of the key's shard. Bytes go beyond what is published, then one store to the key's slot
//! commits. Nothing here waits while the lock is held. The closures that look at an item under it are short, and the
//! one system call, which maps pages that this process has not written to before, takes the place of the page faults
//! that would come there.
use crate::arena::Arena;
use crate::counters::Counter;
use crate::error::Error;
use crate::found::Found;
use crate::item::{Body, Kind, NewItem};
use crate::journal::{self, Deed, Ending, Topic, Way};
use crate::limits;
use crate::lookup;
use crate::meta::{Codec, Encoding, Marks, Meta};
use crate::read::ReadOptions;
use crate::shard::edit::{self, Located};
use crate::shard::pieces::Pieces;
use crate::shard::{self, put, token, Locked};
use crate::time::{Deadline, Time};
use crate::update::{self, Step};

/// How often an append that is made outside the lock may find that another writer was quicker, until it is told that
/// the key is busy.
const JOINS: usize = 1024;

/// What is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// Bytes, as they are.
    Bytes(&'a [u8]),
    /// A signed integer that can count in place.
    Integer(i64),
}

/// When a value is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Always.
    Set,
    /// When there is no item.
    Add,
    /// When there is one.
    Replace,
    /// Behind the value that is there; flags and deadline stay.
    Append,
    /// Before it.
    Prepend,
    /// When the item has this cas token.
    Cas(u64),
}

/// How a store ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// The value is there. `cas` is its token if that was asked for, else 0.
    Stored {
        /// The token.
        cas: u64,
    },
    /// Add: there is an item. Cas: another version is there.
    Exists,
    /// Replace, append, prepend, cas: there is no item.
    Missing,
}

/// All that a store may ask for: `Terms::new(Mode::Set).want_cas(true)`.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Terms {
    /// When it stores.
    pub mode: Mode,
    /// Only over the version with this cas: `Missing` when there is none, `Exists` when it is another one. `Mode::Cas`
    /// compares with its own unless one is given here.
    pub compare: Option<u64>,
    /// A `compare` below the item's cas stores all the same, and the new item is marked stale; it keeps the old one's
    /// deadline and its mark of who has won.
    pub older_is_stale: bool,
    /// The cas of the new version, in place of one that the arena draws; 0 is none.
    pub cas: Option<u64>,
    /// Whether `Stored` tells the cas.
    pub want_cas: bool,
    /// The longest value that append and prepend may make, below what the arena takes anyway.
    pub value_max: usize,
}

impl From<Mode> for Terms {
    fn from(mode: Mode) -> Terms {
        Terms::new(mode)
    }
}

impl Terms {
    /// What a mode alone asks for.
    pub const fn new(mode: Mode) -> Terms {
        Terms { mode, compare: None, older_is_stale: false, cas: None, want_cas: false, value_max: usize::MAX }
    }

    /// With another `mode`.
    pub const fn mode(self, mode: Mode) -> Terms {
        Terms { mode, ..self }
    }

    /// With another `compare`.
    pub const fn compare(self, compare: Option<u64>) -> Terms {
        Terms { compare, ..self }
    }

    /// With another `older_is_stale`.
    pub const fn older_is_stale(self, older_is_stale: bool) -> Terms {
        Terms { older_is_stale, ..self }
    }

    /// With another `cas`.
    pub const fn cas(self, cas: Option<u64>) -> Terms {
        Terms { cas, ..self }
    }

    /// With another `want_cas`.
    pub const fn want_cas(self, want_cas: bool) -> Terms {
        Terms { want_cas, ..self }
    }

    /// With another `value_max`.
    pub const fn value_max(self, value_max: usize) -> Terms {
        Terms { value_max, ..self }
    }

    /// The cas that the item must have.
    fn token(&self) -> Option<u64> {
        let of_mode = if let Mode::Cas(token) = self.mode { Some(token) } else { None };
        self.compare.or(of_mode)
    }
}

impl Arena {
    /// Stores a value. A `Set` that is refused, because the value is too large or finds no room, removes the old item:
    /// a failed set must not leave it stale.
    pub fn store(
        &self,
        key: &[u8],
        value: Value<'_>,
        meta: Meta,
        deadline: Deadline,
        mode: Mode,
        now: Time,
    ) -> Result<Stored, Error> {
        self.store_if(key, value, meta, deadline, &mode.into(), now)
    }

    /// Stores bytes under a key, whatever was there.
    pub fn set(&self, key: &[u8], value: &[u8], deadline: Deadline, now: Time) -> Result<(), Error> {
        self.store(key, Value::Bytes(value), Meta::native(Encoding::RAW), deadline, Mode::Set, now).map(|_| ())
    }

    /// As `store`, on further terms.
    #[inline]
    pub fn store_if(
        &self,
        key: &[u8],
        value: Value<'_>,
        meta: Meta,
        deadline: Deadline,
        terms: &Terms,
        now: Time,
    ) -> Result<Stored, Error> {
        if journal::is_watched(&self.core, Topic::Stores) {
            return self.store_and_tell(key, value, meta, deadline, terms, now);
        }
        self.store_or_forget(key, value, meta, deadline, terms, now)
    }

    #[inline(always)]
    fn store_or_forget(
        &self,
        key: &[u8],
        value: Value<'_>,
        meta: Meta,
        deadline: Deadline,
        terms: &Terms,
        now: Time,
    ) -> Result<Stored, Error> {
        let stored = self.store_value(key, value, meta, deadline, terms, now);
        if stored.is_err() {
            self.forget_refused(key, terms, now, &stored)?;
        }
        stored
    }

    /// Stores, and writes into the journal how it ended.
    #[cold]
    fn store_and_tell(
        &self,
        key: &[u8],
        value: Value<'_>,
        meta: Meta,
        deadline: Deadline,
        terms: &Terms,
        now: Time,
    ) -> Result<Stored, Error> {
        let stored = self.store_or_forget(key, value, meta, deadline, terms, now);
        let way = match terms.mode {
            Mode::Append => Way::Append,
            Mode::Prepend => Way::Prepend,
            _ if terms.token().is_some() => Way::Cas,
            Mode::Add => Way::Add,
            Mode::Replace => Way::Replace,
            Mode::Set | Mode::Cas(_) => Way::Set,
        };
        let ending = match stored {
            Ok(Stored::Stored { .. }) => Ending::Stored,
            Ok(Stored::Exists) => Ending::Exists,
            Ok(Stored::Missing) => Ending::Missing,
            Err(Error::ValueTooLarge { .. }) => Ending::TooLarge,
            Err(_) => Ending::Failed,
        };
        let value_len = match value {
            Value::Bytes(bytes) => bytes.len(),
            Value::Integer(number) => number.to_string().len(),
        };
        let mut item = Found { value_len: value_len as u64, mtime: now, deadline, ..Found::default() };
        if ending == Ending::Stored && (matches!(way, Way::Append | Way::Prepend) || terms.older_is_stale) {
            // What was there before decides.
            item = self.peek(key, now).unwrap_or(item);
        }
        journal::tell(&self.core, Topic::Stores, Deed::Store(way, ending), key, &item, now);
        stored
    }

    /// What a plain set was to replace is out of date, though nothing takes its place.
    #[cold]
    pub(crate) fn forget_refused(
        &self,
        key: &[u8],
        terms: &Terms,
        now: Time,
        stored: &Result<Stored, Error>,
    ) -> Result<(), Error> {
        let is_refused = matches!(stored, Err(Error::ValueTooLarge { .. } | Error::NoMemory));
        if is_refused && terms.mode == Mode::Set && terms.compare.is_none() {
            self.delete(key, now)?;
        }
        Ok(())
    }

    #[inline(always)]
    fn store_value(
        &self,
        key: &[u8],
        value: Value<'_>,
        meta: Meta,
        deadline: Deadline,
        terms: &Terms,
        now: Time,
    ) -> Result<Stored, Error> {
        let core = &*self.core;
        limits::check_key(core, key)?;
        let item = |meta, body| NewItem { key, meta, mtime: now.0, deadline: deadline.0, cas: terms.cas, body };
        let bytes = match value {
            Value::Integer(number) => {
                let meta = meta.with_encoding(Encoding::INTEGER).with_codec(Codec::NONE);
                let body = Body::Number { value: number as u64, width: 0 };
                return self.store_item(&item(meta, body), terms, now, None);
            }
            Value::Bytes(bytes) => bytes,
        };
        if bytes.len() > self.value_max() {
            return Err(Error::ValueTooLarge { len: bytes.len(), max: self.value_max() });
        }
        if matches!(terms.mode, Mode::Append | Mode::Prepend) {
            return self.join(key, bytes, terms, now);
        }
        if limits::fits_segment(core, key, bytes.len(), meta) {
            return self.store_item(&item(meta, Body::Bytes(bytes)), terms, now, None);
        }
        let whole = limits::in_segments(core, key, bytes.len(), meta);
        let fill = self.begin_fill(core.hasher.hash(key), whole, now)?;
        fill.write(0, &bytes[..whole]);
        let body = Body::Large { total: bytes.len() as u64, extents: fill.extents(), tail: &bytes[whole..] };
        self.store_item(&item(meta, body), terms, now, Some(fill.pieces()))
    }

    /// The writing section of a store.
    pub(crate) fn store_item(
        &self,
        item: &NewItem<'_>,
        terms: &Terms,
        now: Time,
        pieces: Option<&Pieces>,
    ) -> Result<Stored, Error> {
        update::update(&self.core, item.key, now, |locked, located| {
            let is_stale = match admits(locked, terms, located) {
                Ok(is_stale) => is_stale,
                Err(refused) => return Ok(Step::Done(refused)),
            };
            let stale = located.live().filter(|_| is_stale).map(|view| {
                // A value of before: it neither lives longer than the present one, nor does anybody win twice for it.
                let marks = locked.core.items.meta_of(view).marks;
                let won = if marks.contains(Marks::WON) { Marks::WON } else { Marks::NONE };
                let meta = item.meta.with_marks(item.meta.marks.with(Marks::STALE).with(won));
                NewItem { meta, deadline: view.header.deadline, ..*item }
            });
            let put = put::put(locked, located, stale.as_ref().unwrap_or(item), terms.want_cas, pieces);
            let Some(cas) = put else { return Ok(Step::NoRoom) };
            locked.count(Counter::Sets, 1);
            Ok(Step::Done(Stored::Stored { cas }))
        })
    }

    /// Append and prepend. Flags, deadline and encoding of the old item stay.
    fn join(&self, key: &[u8], bytes: &[u8], terms: &Terms, now: Time) -> Result<Stored, Error> {
        for _ in 0..JOINS {
            if let Some(stored) = self.join_in_segment(key, bytes, terms, now)? {
                return Ok(stored);
            }
            match self.join_anew(key, bytes, terms, now)? {
                // Another writer was quicker.
                Stored::Exists if terms.compare.is_none() => {}
                done => return Ok(done),
            }
        }
        Err(Error::Busy)
    }

    /// None: the joined value is too long for a segment, or the present one is a number or large already.
    fn join_in_segment(&self, key: &[u8], bytes: &[u8], terms: &Terms, now: Time) -> Result<Option<Stored>, Error> {
        let core = &*self.core;
        update::update(core, key, now, |locked, located| {
            let Some(view) = located.live() else { return Ok(Step::Done(Some(Stored::Missing))) };
            match admits(locked, terms, located) {
                Ok(false) => {}
                // What is joined was meant for another value.
                Ok(true) => return Ok(Step::Done(Some(Stored::Exists))),
                Err(refused) => return Ok(Step::Done(Some(refused))),
            }
            // The joined value is a new one: what was told of the old does not hold for it.
            let meta = core.items.meta_of(view).with_marks(Marks::NONE);
            let len = view.header.value_len() as usize + bytes.len();
            if view.kind != Kind::Bytes || !limits::fits_segment(core, key, len, meta) {
                return Ok(Step::Done(None));
            }
            if len > terms.value_max {
                return Err(Error::ValueTooLarge { len, max: terms.value_max });
            }
            let old = (view.value(), view.header.value_len());
            let (before, after): (&[u8], &[u8]) = if terms.mode == Mode::Append { (&[], bytes) } else { (bytes, &[]) };
            let body = Body::Joined { before, old, after };
            let item = NewItem { key, meta, mtime: now.0, deadline: view.header.deadline, cas: terms.cas, body };
            let Some(cas) = put::put(locked, located, &item, terms.want_cas, None) else { return Ok(Step::NoRoom) };
            locked.count(Counter::Sets, 1);
            Ok(Step::Done(Some(Stored::Stored { cas })))
        })
    }

    /// Takes the value apart and stores it anew, if nobody changes it meanwhile.
    fn join_anew(&self, key: &[u8], bytes: &[u8], terms: &Terms, now: Time) -> Result<Stored, Error> {
        let Some(old) = self.get_with(key, ReadOptions::new().untraced().with_cas(), now)? else {
            return Ok(Stored::Missing);
        };
        if terms.compare.is_some_and(|token| token != old.cas) {
            return Ok(Stored::Exists);
        }
        let len = old.value.len() + bytes.len();
        if len > terms.value_max {
            return Err(Error::ValueTooLarge { len, max: terms.value_max });
        }
        let whole = if terms.mode == Mode::Append {
            [&old.value[..], bytes].concat()
        } else {
            [bytes, &old.value[..]].concat()
        };
        // A number that text is joined to is a string from now on.
        let meta = if old.number.is_some() { old.meta.with_encoding(Encoding::RAW) } else { old.meta };
        let meta = meta.with_marks(Marks::NONE);
        let terms = Terms::new(Mode::Cas(old.cas)).cas(terms.cas).want_cas(terms.want_cas);
        self.store_value(key, Value::Bytes(&whole), meta, old.deadline, &terms, now)
    }

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
            journal::tell(core, Topic::Deletes, Deed::Deleted, key, &gone, now);
        }
        edit::remove(&locked, hash, &old.spot, &old.view);
        locked.count(Counter::Deletes, 1);
        Ok(true)
    }
}

/// Whether a store may go ahead, and if so whether what it stores is stale from the start.
#[inline(always)]
fn admits(locked: &Locked<'_>, terms: &Terms, located: &Located<'_>) -> Result<bool, Stored> {
    let live = located.live();
    match (terms.mode, live) {
        (Mode::Add, Some(_)) => return Err(Stored::Exists),
        (Mode::Replace | Mode::Cas(_), None) => return Err(Stored::Missing),
        _ => {}
    }
    let Some(token) = terms.token() else { return Ok(false) };
    let Some(view) = live else { return Err(Stored::Missing) };
    // A number that was counted has no cas before somebody asks for it: then one above all that were told before.
    let cas = if terms.older_is_stale { Some(token::give_cas(locked, view)) } else { token::cas_of(locked, view) };
    match cas {
        Some(cas) if cas == token => Ok(false),
        Some(cas) if terms.older_is_stale && token < cas => Ok(true),
        _ => Err(Stored::Exists),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::SlotWord;
    use crate::sync::Ordering;
    use crate::{hash, OpenOptions};

    /// In a damaged file a key has two slots, and the first one leads to a large value whose numbers contradict each
    /// other: readers pass it by, writers do not. An append compared the token of the one with that of the other for
    /// ever.
    #[test]
    fn an_append_comes_to_an_end_in_a_damaged_file() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let options = OpenOptions::new().memory(8 << 20).cores(1);
        let (arena, _) = Arena::open(&dir.path().join("write.arena"), &options).expect("an arena");
        let (core, now) = (&*arena.core, Time::now());
        let hash = core.hasher.hash(b"key");
        let shard = core.hasher.shard_of(hash);
        let slots = &core.index.bucket(shard, hash::bucket(hash, core.index.buckets(shard))).slots;
        arena.set(b"key", &[1; 100_000], Deadline::NEVER, now).expect("room");
        let large = slots[0].swap(0, Ordering::Relaxed);
        arena.set(b"key", b"small", Deadline::NEVER, now).expect("room");
        slots[1].store(slots[0].swap(large, Ordering::Relaxed), Ordering::Relaxed);
        let at = SlotWord(large).at();
        let view = core.items.view(&core.segments, core.segments.containing(at).expect("inside"), at).expect("an item");
        core.items.data.long(view.payload()).store(7, Ordering::Relaxed);
        assert_eq!(arena.get(b"key", now).expect("the second").value, b"small");
        let appended = arena.store(b"key", Value::Bytes(b"more"), Meta::default(), Deadline::NEVER, Mode::Append, now);
        assert_eq!(appended, Err(Error::Busy));
    }
}
