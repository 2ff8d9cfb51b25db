//! Stores, of all modes.
use super::told;
use crate::context::Context;
use crate::counters::requests::Count;
use leveret_compact::{may_be_compact, served};
use leveret_engine::{Deadline, Error, Incoming, Marks, Meta, Mode, ReadOptions, Stored, Terms, Value};
use leveret_protocol::StoreMode;

/// How often another writer may come between the look at an item and the store over it.
const JOIN_TRIES: usize = 1024;

/// Stores a value. With `vivify`, appending to a missing item creates it with that deadline.
pub(crate) fn store(
    cx: &mut Context<'_>,
    key: &[u8],
    value: &[u8],
    flags: u32,
    deadline: Deadline,
    terms: &Terms,
    vivify: Option<Deadline>,
) -> Result<Stored, Error> {
    cx.note_prefix(key, |prefix| prefix.sets += 1);
    let mut stored = try_to_store(cx, key, value, flags, deadline, terms);
    if let (Some(at), Ok(Stored::Missing), true) = (vivify, &stored, joins(terms.mode)) {
        let create = terms.mode(Mode::Add).compare(None);
        stored = try_to_store(cx, key, value, flags, at, &create);
        // Another client may have created it at the same time.
        if stored == Ok(Stored::Exists) {
            stored = try_to_store(cx, key, value, flags, deadline, terms);
        }
    }
    count(cx, terms, &stored);
    stored
}

/// A store that was too large must not leave the value that it meant to replace.
#[cold]
pub(crate) fn forget(cx: &Context<'_>, key: &[u8]) {
    told::refused(cx, key);
    match cx.arena.delete(key, cx.now) {
        Ok(true) => cx.count(Count::Forgotten),
        Ok(false) => {}
        // The whole request comes again, until the client has waited long enough for its answer.
        Err(Error::Busy) if !cx.may_retry => cx.worker.remove_later(0, key, cx.now),
        Err(error) => cx.note_failure(&error),
    }
}

/// Length of the value that is being stored.
pub(crate) fn value_len(cx: &Context<'_>, value: &[u8]) -> usize {
    cx.incoming.as_ref().map_or(value.len(), Incoming::value_len)
}

/// Whether the mode adds bytes to the existing value.
pub(crate) fn joins(mode: Mode) -> bool {
    matches!(mode, Mode::Append | Mode::Prepend)
}

pub(crate) fn mode_of(verb: StoreMode) -> Mode {
    match verb {
        StoreMode::Set => Mode::Set,
        StoreMode::Add => Mode::Add,
        StoreMode::Replace => Mode::Replace,
        StoreMode::Append => Mode::Append,
        StoreMode::Prepend => Mode::Prepend,
    }
}

/// Stores under the server's own limit (`-I`), which also applies to the value after appending.
fn try_to_store(
    cx: &mut Context<'_>,
    key: &[u8],
    value: &[u8],
    flags: u32,
    deadline: Deadline,
    terms: &Terms,
) -> Result<Stored, Error> {
    let meta = Meta::default().with_flags(flags);
    let terms = terms.value_max(cx.worker.value_max());
    let value_len = value_len(cx, value);
    told::look(cx, key);
    let is_joined_text = joins(terms.mode) && is_translated(cx, key);
    let stored = match cx.incoming.as_mut() {
        Some(incoming) => incoming.store(key, meta, deadline, &terms, cx.now),
        None if is_joined_text => join_translated(cx, key, value, &terms),
        None => cx.arena.store_if(key, Value::Bytes(value), meta, deadline, &terms, cx.now),
    };
    told::stored(cx, key, value_len, deadline, &terms, &stored);
    match stored {
        // Together they would be too long: to memcached that is one more item to which nothing can be joined.
        Err(Error::ValueTooLarge { .. }) if joins(terms.mode) && value_len <= terms.value_max => Ok(Stored::Missing),
        stored => stored,
    }
}

/// Whether clients get other bytes of an item than those that are stored: it is an array of PHP or Ruby.
fn is_translated(cx: &Context<'_>, key: &[u8]) -> bool {
    cx.arena.peek(key, cx.now).is_some_and(|found| may_be_compact(&found.meta))
}

/// Joins a value to the bytes that clients get of such an item, which are stored in its place. Flags and deadline stay.
#[cold]
fn join_translated(cx: &Context<'_>, key: &[u8], value: &[u8], terms: &Terms) -> Result<Stored, Error> {
    let options = ReadOptions::new().untraced().with_cas();
    for _ in 0..JOIN_TRIES {
        let Some(item) = cx.arena.get_with(key, options, cx.now)? else { return Ok(Stored::Missing) };
        if terms.compare.is_some_and(|token| token != item.cas) {
            return Ok(Stored::Exists);
        }
        // Damaged bytes are no item to clients.
        let Some(old) = served(&item.meta, item.value) else { return Ok(Stored::Missing) };
        let joined = if terms.mode == Mode::Append { [&old, value].concat() } else { [value, &old].concat() };
        if joined.len() > terms.value_max {
            return Err(Error::ValueTooLarge { len: joined.len(), max: terms.value_max });
        }
        let over_it = terms.mode(Mode::Replace).compare(Some(item.cas));
        let meta = item.meta.with_marks(Marks::NONE);
        match cx.arena.store_if(key, Value::Bytes(&joined), meta, item.deadline, &over_it, cx.now)? {
            // Another writer came in between.
            Stored::Exists => {}
            stored => return Ok(stored),
        }
    }
    Err(Error::Busy)
}

/// Counts a store as memcached does: also one that was refused is a `cmd_set`, and one that joins is no cas.
#[inline]
fn count(cx: &Context<'_>, terms: &Terms, stored: &Result<Stored, Error>) {
    if !matches!(stored, Ok(Stored::Stored { .. }) | Err(_)) {
        cx.count(Count::SetsRefused);
    }
    if terms.compare.is_some() && !joins(terms.mode) {
        cx.count(match stored {
            Ok(Stored::Stored { .. }) => Count::CasHits,
            Ok(Stored::Exists) => Count::CasBadval,
            _ => Count::CasMisses,
        });
    }
}
