//! Looks an item up for a client, and counts dead items found in its place.
use super::told;
use crate::context::Context;
use crate::counters::requests::Count;
use leveret_engine::{Error, Found, Missed, ReadOptions};

/// The item under `key`.
pub(crate) fn find(cx: &Context<'_>, key: &[u8], options: ReadOptions) -> Result<Option<Found>, Error> {
    let mut found = Found::default();
    Ok(find_into(cx, key, options, &mut found)?.then_some(found))
}

/// Looks an item up for a client, and counts a dead item found in its place. Its cas may need the shard's lock; if the
/// lock is not free, that is an error and not a miss: the item may exist.
#[inline]
pub(crate) fn find_into(cx: &Context<'_>, key: &[u8], options: ReadOptions, found: &mut Found) -> Result<bool, Error> {
    let is_there = read(cx.arena.find_into(key, options, cx.now, found).map(Some))?.unwrap_or(false);
    if !is_there && found.missed() != Missed::Absent {
        retire(cx, key, found.missed());
    }
    Ok(is_there)
}

/// A change found no item: the item there may be dead.
pub(crate) fn note_dead(cx: &Context<'_>, key: &[u8]) {
    let _ = find(cx, key, ReadOptions::new().untraced());
}

#[cold]
fn retire(cx: &Context<'_>, key: &[u8], missed: Missed) {
    if missed == Missed::Flushed {
        return cx.count(Count::GetFlushed);
    }
    // So that it is met once. Another worker may have met it in the same moment.
    if matches!(cx.arena.remove_dead(key, cx.now), Ok(true)) {
        cx.count(Count::GetExpired);
    }
}

/// Result for a reader: a removed cache is empty, so a look-up there is a miss.
#[inline]
pub(crate) fn read<T>(looked: Result<Option<T>, Error>) -> Result<Option<T>, Error> {
    match looked {
        Err(Error::Lost) => Ok(None),
        looked => looked,
    }
}

/// The item under `key` and its cas, for debugging: leaves no trace and counts as no read.
pub(crate) fn examine(cx: &Context<'_>, key: &[u8]) -> Result<Option<(Found, u64)>, Error> {
    told::look(cx, key);
    let Some(seen) = cx.arena.peek(key, cx.now) else { return Ok(None) };
    let cas = read(cx.arena.amend(key, cx.now, &mut |_| None))?.map_or(0, |found| cx.shown_cas(found.cas));
    Ok(Some((seen, cas)))
}
