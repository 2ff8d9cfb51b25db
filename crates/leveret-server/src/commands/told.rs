//! Events for watchers, in memcached's terms: every request for a key is a look-up, and a store first looks for the
//! existing item.
use crate::context::Context;
use crate::watch::{self, cmd, status, Event, EventKind, Kinds, DEAD};
use leveret_engine::{Deadline, Error, Found, Missed, Mode, ReadOptions, Stored, Terms, Time};

/// Events of one turn that share a clock reading, which would be half of an event's cost.
const TOLD_AT_ONCE: u32 = 8;

/// Reports a look-up and the size that it found.
#[inline]
pub(super) fn found(cx: &Context<'_>, key: &[u8], is_there: bool, found: &Found) {
    if cx.watched.has(Kinds::FETCHERS) {
        tell_get(cx, key, is_there, found);
    }
}

/// Reports the look-up before a change. It leaves no trace, and is skipped without watchers.
#[inline]
pub(super) fn look(cx: &Context<'_>, key: &[u8]) {
    if cx.watched.has(Kinds::FETCHERS) && !cx.is_again.get() {
        let mut found = Found::default();
        let options = ReadOptions::new().untraced();
        let is_there = cx.arena.find_into(key, options, cx.now, &mut found).unwrap_or(false);
        tell_get(cx, key, is_there, &found);
    }
}

/// The item to be deleted, if a watcher needs it.
#[inline]
pub(super) fn before_delete(cx: &Context<'_>, key: &[u8]) -> Option<Found> {
    look(cx, key);
    if cx.watched.has(Kinds::DELETIONS) {
        cx.arena.peek(key, cx.now)
    } else {
        None
    }
}

/// Tells of a deletion of what `before_delete` has met.
#[inline]
pub(super) fn deleted(cx: &Context<'_>, before: Option<Found>, key: &[u8], cmd: u8) {
    if let Some(found) = before {
        tell(cx, &Event { cmd, size: found.value_len, ..event(EventKind::Deleted, key) });
    }
}

/// Tells of a store and how it ended.
#[inline]
pub(super) fn stored(
    cx: &Context<'_>,
    key: &[u8],
    value_len: usize,
    deadline: Deadline,
    terms: &Terms,
    stored: &Result<Stored, Error>,
) {
    // One that is tried again has not ended.
    let is_busy = cx.may_retry && matches!(stored, Err(Error::Busy));
    if cx.watched.has(Kinds::MUTATIONS) && !is_busy {
        tell_store(cx, key, value_len, deadline, terms, stored);
    }
}

/// Tells of an item that counting has made: memcached looks again before it adds it.
#[inline]
pub(super) fn counted_first(cx: &Context<'_>, key: &[u8], deadline: Deadline) {
    found(cx, key, false, &Found::default());
    if cx.watched.has(Kinds::MUTATIONS) {
        let size = cx.arena.peek(key, cx.now).map_or(0, |found| found.value_len);
        let ttl = ttl_of(deadline, cx.now);
        tell(
            cx,
            &Event { status: status::STORED, cmd: cmd::ADD, size, ttl, cfd: cx.cfd, ..event(EventKind::Store, key) },
        );
    }
}

/// Tells of a store that was refused for its length.
#[cold]
pub(super) fn refused(cx: &Context<'_>, key: &[u8]) {
    if cx.watched.has(Kinds::MUTATIONS) && !cx.is_again.get() {
        tell(cx, &Event { status: status::TOO_LARGE, cmd: cmd::SET, ..event(EventKind::Store, key) });
    }
    look(cx, key);
}

#[inline(never)]
fn tell_get(cx: &Context<'_>, key: &[u8], is_there: bool, found: &Found) {
    let (status, size) = match (is_there, found.missed()) {
        (true, _) => (status::FOUND, found.value_len),
        (false, Missed::Absent) => (status::NOT_FOUND, 0),
        (false, Missed::Expired) => (status::EXPIRED, 0),
        (false, Missed::Flushed) => (status::FLUSHED, 0),
    };
    tell(cx, &Event { status, size, cfd: cx.cfd, ..event(EventKind::Get, key) });
}

#[inline(never)]
fn tell_store(
    cx: &Context<'_>,
    key: &[u8],
    value_len: usize,
    deadline: Deadline,
    terms: &Terms,
    stored: &Result<Stored, Error>,
) {
    let cmd = match (terms.mode, terms.compare) {
        (Mode::Set, None) => cmd::SET,
        (Mode::Set | Mode::Add | Mode::Replace, Some(_)) | (Mode::Cas(_), _) => cmd::CAS,
        (Mode::Add, _) => cmd::ADD,
        (Mode::Replace, _) => cmd::REPLACE,
        (Mode::Append, _) => cmd::APPEND,
        (Mode::Prepend, _) => cmd::PREPEND,
    };
    let status = match stored {
        Ok(Stored::Stored { .. }) => status::STORED,
        Ok(Stored::Exists) if terms.compare.is_some() => status::EXISTS,
        Ok(Stored::Missing) if cmd == cmd::CAS => status::NOT_FOUND,
        Ok(_) => status::NOT_STORED,
        Err(Error::ValueTooLarge { .. }) => status::TOO_LARGE,
        Err(_) => status::NO_MEMORY,
    };
    let mut size = value_len as u64;
    let mut ttl = ttl_of(deadline, cx.now);
    if matches!(terms.mode, Mode::Append | Mode::Prepend) || terms.older_is_stale {
        // The existing item decides.
        if let (status::STORED, Some(found)) = (status, cx.arena.peek(key, cx.now)) {
            (size, ttl) = (found.value_len, ttl_of(found.deadline, cx.now));
        }
    }
    tell(cx, &Event { status, cmd, size, ttl, cfd: cx.cfd, ..event(EventKind::Store, key) });
}

/// Tells of an event in this turn.
pub(crate) fn tell(cx: &Context<'_>, event: &Event<'_>) {
    let (told, micros) = cx.told.get();
    let micros = if told % TOLD_AT_ONCE == 0 { watch::now_micros() } else { micros };
    cx.told.set((told.wrapping_add(1), micros));
    cx.shared.watch.tell_of(cx.worker.index, micros, event);
}

/// One that says nothing but its key yet.
pub(crate) fn event(kind: EventKind, key: &[u8]) -> Event<'_> {
    Event { kind, key, status: 0, cmd: 0, size: 0, ttl: 0, idle: 0, cfd: 0, database: 0, by: None }
}

/// 0: for ever.
pub(crate) fn ttl_of(deadline: Deadline, now: Time) -> u32 {
    match deadline.time() {
        None => 0,
        Some(at) if at <= now => DEAD,
        Some(at) => at.0 - now.0,
    }
}
