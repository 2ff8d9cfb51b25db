//! Writes, under the lock of the key's shard. Bytes go behind the published ones, then one store to the key's slot
//! commits. Nothing here waits while the lock is held. The closures that inspect an item under it are short. The one
//! system call maps pages that this process has not written to before, in place of their page faults.
use crate::arena::Arena;
use crate::counters::Counter;
use crate::error::Error;
use crate::found::{Found, Item};
use crate::hand_out::{HandOut, Handed};
use crate::item::{Body, NewItem, View};
use crate::journal::{self, Action, ModeKind, StoreOutcome, Topic};
use crate::limits;
use crate::meta::{Codec, Encoding, Marks, Meta};
use crate::shard::edit::Located;
use crate::shard::pieces::Pieces;
use crate::shard::{put, token, Locked};
use crate::terms::{Mode, Stored, Terms, Value};
use crate::time::{Deadline, Time};
use crate::update::{self, Step};

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

    /// As `store_if`, of bytes that only readers with `ReadOptions::typed` see: all others get a miss, and walks skip
    /// it. Writers meet it: it exists for `Mode::Add`, may be replaced and deleted, and can be neither counted nor
    /// appended to. It lies in one segment. `OldLayout`: the arena has layout 1.
    pub fn store_typed(
        &self,
        key: &[u8],
        value: &[u8],
        meta: Meta,
        deadline: Deadline,
        terms: &Terms,
        now: Time,
    ) -> Result<Stored, Error> {
        let core = &*self.core;
        limits::check_key(core, key)?;
        if self.layout() < 2 {
            return Err(Error::OldLayout { layout: self.layout() });
        }
        if !limits::fits_segment(core, key, value.len(), meta) {
            return Err(Error::ValueTooLarge { len: value.len(), max: core.segments.size() as usize - key.len() - 64 });
        }
        let body = Body::Typed(value);
        let item = NewItem { key, meta, mtime: now.0, deadline, cas: terms.cas, body };
        self.store_item(&item, terms, now, None, &mut ())
    }

    /// Stores bytes under a key unconditionally.
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
        self.store_handing(key, value, meta, deadline, terms, now, &mut ())
    }

    /// As `store_if`, and hands out the live item that the store met, whether or not it took its place. Counts as a read.
    /// Append and prepend hand out nothing. `Busy`, beside its other reasons: a value above 4 KiB was replaced again and
    /// again while it was copied.
    pub fn swap(
        &self,
        key: &[u8],
        value: Value<'_>,
        meta: Meta,
        deadline: Deadline,
        terms: &Terms,
        now: Time,
    ) -> Result<(Stored, Option<Item>), Error> {
        self.handing_out(key, |handed| self.store_handing(key, value, meta, deadline, terms, now, handed))
    }

    /// A store that hands out the item which it met.
    pub(crate) fn handing_out(
        &self,
        key: &[u8],
        store: impl FnOnce(&mut Handed<'_>) -> Result<Stored, Error>,
    ) -> Result<(Stored, Option<Item>), Error> {
        let mut handed = Handed::new(self);
        let stored = store(&mut handed)?;
        Ok((stored, handed.into_item(key)))
    }

    #[inline(always)]
    #[allow(clippy::too_many_arguments)]
    fn store_handing(
        &self,
        key: &[u8],
        value: Value<'_>,
        meta: Meta,
        deadline: Deadline,
        terms: &Terms,
        now: Time,
        handed: &mut impl HandOut,
    ) -> Result<Stored, Error> {
        let stored = self.store_value(key, value, meta, deadline, terms, now, handed);
        let value_len = || match value {
            Value::Bytes(bytes) => bytes.len(),
            Value::Integer(number) => number.to_string().len(),
        };
        self.end_store(key, value_len, deadline, terms, now, stored)
    }

    /// The end of each store of a value: one that was refused leaves no old value behind, and the journal tells of it.
    #[inline(always)]
    pub(crate) fn end_store(
        &self,
        key: &[u8],
        value_len: impl FnOnce() -> usize,
        deadline: Deadline,
        terms: &Terms,
        now: Time,
        mut stored: Result<Stored, Error>,
    ) -> Result<Stored, Error> {
        // In its place: a result that was just written is not moved.
        if let Err(error) = &stored {
            if let Err(worse) = self.forget_refused(key, terms, now, error) {
                stored = Err(worse);
            }
        }
        if journal::is_watched(&self.core, Topic::Stores) {
            self.tell_store(key, value_len(), deadline, terms, now, &stored);
        }
        stored
    }

    /// Writes into the journal how a store ended.
    #[cold]
    fn tell_store(
        &self,
        key: &[u8],
        value_len: usize,
        deadline: Deadline,
        terms: &Terms,
        now: Time,
        stored: &Result<Stored, Error>,
    ) {
        let way = match terms.mode {
            Mode::Append => ModeKind::Append,
            Mode::Prepend => ModeKind::Prepend,
            _ if terms.token().is_some() => ModeKind::Cas,
            Mode::Add => ModeKind::Add,
            Mode::Replace => ModeKind::Replace,
            Mode::Set | Mode::Cas(_) => ModeKind::Set,
        };
        let ending = match stored {
            Ok(Stored::Stored { .. }) => StoreOutcome::Stored,
            Ok(Stored::Exists) => StoreOutcome::Exists,
            Ok(Stored::Missing) => StoreOutcome::Missing,
            Err(Error::ValueTooLarge { .. }) => StoreOutcome::TooLarge,
            Err(_) => StoreOutcome::Failed,
        };
        let mut item = Found { value_len: value_len as u64, mtime: now, deadline, ..Found::default() };
        let is_derived =
            matches!(way, ModeKind::Append | ModeKind::Prepend) || terms.older_is_stale || terms.keep_deadline;
        if ending == StoreOutcome::Stored && is_derived {
            // The existing item decides.
            item = self.peek(key, now).unwrap_or(item);
        }
        journal::tell(&self.core, Topic::Stores, Action::Store(way, ending), key, &item, now);
    }

    /// The item that a plain set was to replace is stale, though nothing replaces it.
    #[cold]
    fn forget_refused(&self, key: &[u8], terms: &Terms, now: Time, error: &Error) -> Result<(), Error> {
        let is_refused = matches!(error, Error::ValueTooLarge { .. } | Error::NoMemory);
        if is_refused && terms.mode == Mode::Set && terms.compare.is_none() {
            self.delete(key, now)?;
        }
        Ok(())
    }

    #[inline(always)]
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn store_value(
        &self,
        key: &[u8],
        value: Value<'_>,
        meta: Meta,
        deadline: Deadline,
        terms: &Terms,
        now: Time,
        handed: &mut impl HandOut,
    ) -> Result<Stored, Error> {
        let core = &*self.core;
        limits::check_key(core, key)?;
        let item = |meta, body| NewItem { key, meta, mtime: now.0, deadline, cas: terms.cas, body };
        let bytes = match value {
            Value::Integer(number) => {
                let meta = meta.with_encoding(Encoding::INTEGER).with_codec(Codec::NONE);
                let body = Body::Number { value: number as u64, width: 0 };
                return self.store_item(&item(meta, body), terms, now, None, handed);
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
            return self.store_item(&item(meta, Body::Bytes(bytes)), terms, now, None, handed);
        }
        let whole = limits::in_segments(core, key, bytes.len(), meta);
        let fill = self.begin_fill(core.hasher.hash(key), whole, now)?;
        fill.write(0, &bytes[..whole]);
        let body = Body::Large { total: bytes.len() as u64, extents: fill.extents(), tail: &bytes[whole..] };
        self.store_item(&item(meta, body), terms, now, Some(fill.pieces()), handed)
    }

    /// The writing section of a store.
    pub(crate) fn store_item<H: HandOut>(
        &self,
        item: &NewItem<'_>,
        terms: &Terms,
        now: Time,
        pieces: Option<&Pieces>,
        handed: &mut H,
    ) -> Result<Stored, Error> {
        if !H::HANDS_OUT {
            return self.store_item_silently(item, terms, now, pieces);
        }
        let section = |locked: &Locked<'_>, located: &Located<'_>| store_section(locked, located, item, terms, pieces);
        loop {
            let mut is_met = true;
            let stored = update::update(&self.core, item.key, now, |locked, located| {
                is_met = handed.meet(locked, located);
                if is_met {
                    section(locked, located)
                } else {
                    Ok(Step::Done(Stored::Missing))
                }
            });
            if is_met || stored.is_err() {
                return stored;
            }
            handed.copy(item.key, now)?;
        }
    }

    /// The same that hands out nothing: compiled once, and not by each crate that stores.
    fn store_item_silently(
        &self,
        item: &NewItem<'_>,
        terms: &Terms,
        now: Time,
        pieces: Option<&Pieces>,
    ) -> Result<Stored, Error> {
        let section = |locked: &Locked<'_>, located: &Located<'_>| store_section(locked, located, item, terms, pieces);
        update::update(&self.core, item.key, now, section)
    }
}

#[inline(always)]
fn store_section(
    locked: &Locked<'_>,
    located: &Located<'_>,
    item: &NewItem<'_>,
    terms: &Terms,
    pieces: Option<&Pieces>,
) -> Result<Step<Stored>, Error> {
    let is_stale = match admits(locked, terms, located) {
        Ok(is_stale) => is_stale,
        Err(refused) => return Ok(Step::Done(refused)),
    };
    let is_heir = is_stale || terms.keep_deadline;
    let heir = located.live().filter(|_| is_heir).map(|view| {
        let meta = if is_stale { stale(locked, item.meta, view) } else { item.meta };
        NewItem { meta, deadline: locked.core.items.deadline_of(view), ..*item }
    });
    let put = put::put(locked, located, heir.as_ref().unwrap_or(item), terms.want_cas, pieces);
    let Some(cas) = put else { return Ok(Step::NoRoom) };
    locked.count(Counter::Sets, 1);
    Ok(Step::Done(Stored::Stored { cas }))
}

/// Of a value of before: it neither lives longer than the present one, nor does anybody win twice for it.
fn stale(locked: &Locked<'_>, meta: Meta, present: &View) -> Meta {
    let marks = locked.core.items.meta_of(present).marks;
    let won = if marks.contains(Marks::WON) { Marks::WON } else { Marks::NONE };
    meta.with_marks(meta.marks.with(Marks::STALE).with(won))
}

/// Whether a store may go ahead, and if so whether the new item is stale from the start.
#[inline(always)]
pub(crate) fn admits(locked: &Locked<'_>, terms: &Terms, located: &Located<'_>) -> Result<bool, Stored> {
    let live = located.live();
    match (terms.mode, live) {
        (Mode::Add, Some(_)) => return Err(Stored::Exists),
        (Mode::Replace | Mode::Cas(_), None) => return Err(Stored::Missing),
        _ => {}
    }
    let Some(token) = terms.token() else { return Ok(false) };
    let Some(view) = live else { return Err(Stored::Missing) };
    // A counted number has no cas before it is requested: then one above all that were handed out.
    let cas = if terms.older_is_stale { Some(token::give_cas(locked, view)) } else { token::cas_of(locked, view) };
    match cas {
        Some(cas) if cas == token => Ok(false),
        Some(cas) if terms.older_is_stale && token < cas => Ok(true),
        _ => Err(Stored::Exists),
    }
}
