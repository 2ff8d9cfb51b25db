//! Deletes, and those of the meta commands after which the item stays, stale or empty.
use super::{get, told};
use crate::context::Context;
use crate::counters::requests::Count;
use leveret_engine::{Amendment, Deadline, Error, Marks, NewCas, Stored};

/// What becomes of an item that a delete leaves there.
pub(crate) struct Retained {
    /// It is stale, with a new cas.
    pub is_stale: bool,
    /// The item keeps its key and its cas; it never expires, unless it gets a new deadline.
    pub drops_value: bool,
    /// Its new deadline.
    pub deadline: Option<Deadline>,
    /// Its new cas.
    pub cas: Option<u64>,
}

/// Deletes an item, if it is still this version. `cmd` is what watchers are told.
pub(crate) fn delete(cx: &Context<'_>, key: &[u8], version: Option<u64>, cmd: u8) -> Result<Stored, Error> {
    cx.note_prefix(key, |prefix| prefix.deletes += 1);
    let before = told::before_delete(cx, key);
    let deleted = match version {
        Some(cas) => cx.arena.delete_version(key, cas, cx.now)?,
        None if cx.arena.delete(key, cx.now)? => Stored::Stored { cas: 0 },
        None => Stored::Missing,
    };
    match deleted {
        Stored::Stored { .. } => told::deleted(cx, before, key, cmd),
        _ => note_missing(cx, key, &deleted),
    }
    Ok(deleted)
}

/// As `delete`, but the item stays there.
pub(crate) fn retain(cx: &Context<'_>, key: &[u8], version: Option<u64>, retained: &Retained) -> Result<Stored, Error> {
    cx.note_prefix(key, |prefix| prefix.deletes += 1);
    told::look(cx, key);
    let mut is_other = false;
    let amended = cx.arena.amend(key, cx.now, &mut |item| {
        is_other = version.is_some_and(|cas| cas != cx.shown_cas(item.cas));
        if is_other {
            return None;
        }
        let kept = if retained.drops_value { Deadline::NEVER } else { item.deadline };
        let marks = if retained.is_stale { Marks::STALE } else { Marks::NONE };
        let drawn = if retained.is_stale { NewCas::Next } else { NewCas::Keep };
        let cas = cx.chosen_cas(retained.cas).map_or(drawn, NewCas::Is);
        Some(Amendment::new(retained.deadline.unwrap_or(kept), marks, cas).drop_value(retained.drops_value))
    })?;
    let outcome = match (amended, is_other) {
        (_, true) => Stored::Exists,
        (Some(found), false) => Stored::Stored { cas: found.cas },
        (None, false) => Stored::Missing,
    };
    match outcome {
        Stored::Stored { .. } if retained.drops_value => {
            cx.count(Count::ItemsMade);
            if !retained.is_stale {
                cx.count(Count::DeleteHits);
            }
        }
        Stored::Stored { .. } => {}
        _ => note_missing(cx, key, &outcome),
    }
    Ok(outcome)
}

fn note_missing(cx: &Context<'_>, key: &[u8], outcome: &Stored) {
    if *outcome == Stored::Missing {
        cx.count(Count::DeleteMisses);
        get::note_dead(cx, key);
    }
}
