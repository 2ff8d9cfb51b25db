//! Putting a new version of a key in the place of the old one.
use crate::counters::Counter;
use crate::evict;
use crate::index::SlotWord;
use crate::item::{Body, Change, Kind, NewItem};
use crate::segment::class_of;
use crate::shard::allocate::{self, Place, Spare};
use crate::shard::edit::{self, Located, Old};
use crate::shard::pieces::{self, Pieces};
use crate::shard::{relocate, token, Locked};

/// Writes a new version of the located key and commits it. Returns its cas (0 unless wanted). None: no room,
/// nothing changed.
pub(crate) fn put(
    locked: &Locked<'_>,
    located: &Located<'_>,
    item: &NewItem<'_>,
    want_cas: bool,
    pieces: Option<&Pieces>,
) -> Option<u64> {
    let core = locked.core;
    let old = located.old.as_ref();
    if edit::refuses(locked, located) {
        return None;
    }
    // Tokens of a key only grow. An item whose token was not handed out sets no lower bound.
    let told = old.is_some_and(|old| {
        old.view.kind == Kind::Number || old.view.header.shape.has_cas() || old.view.header.shape.is_wanted()
    });
    let needs_cas = told || want_cas && matches!(item.body, Body::Number { .. });
    // 0 is no token: readers are told it where they have asked for none.
    let cas = item.cas.filter(|cas| *cas != 0).or_else(|| needs_cas.then(|| token::next_cas(locked)));
    let plan = core.items.plan(item, cas.is_some());
    let size = plan.size();
    let pool = match old {
        Some(old) => core.segments.state(old.view.segment).pool(),
        None => {
            let elsewhere = pieces.map_or(0, |pieces| pieces.extents().len() as u64 * core.segments.size());
            evict::pool_of_new(locked, located.hash, size + elsewhere)
        }
    };
    let place = allocate::reserve(locked, pool, class_of(item.deadline, locked), size, Spare::Keep)?;
    core.touched.touch(&core.items.data, place.at, size);
    core.items.write(place.at, item, &plan, cas);
    if let Some(pieces) = pieces {
        // Before the commit: a kill in between leaves pieces that no record lists, which recovery frees.
        pieces.hand_over(locked);
    }
    allocate::publish(locked, place, size, item.deadline.second);
    let cas = if want_cas {
        core.items.view(&core.segments, place.segment, place.at).map_or(0, |view| token::give_cas(locked, &view))
    } else {
        0
    };
    edit::commit(locked, located, SlotWord::item(located.hash, place.at));
    match old {
        None => edit::count_item(locked),
        Some(old) => {
            pieces::retire_item(locked, &old.view);
            if !old.is_alive {
                count_revival(locked, old);
            }
        }
    }
    locked.count(Counter::WrittenBytes, size);
    tidy(locked, old.is_none(), &place, size);
    Some(cas)
}

/// Writes the same item again, changed, elsewhere in its pool. False: no room, nothing changed.
pub(crate) fn rewrite(locked: &Locked<'_>, old: &Old<'_>, change: &Change) -> bool {
    let pool = locked.core.segments.state(old.view.segment).pool();
    let moved = relocate::relocate(locked, pool, &old.spot, &old.view, change, Spare::Keep);
    if let Some((place, _)) = &moved {
        allocate::unpublish(locked, old.view.segment, old.view.size());
        evict::opened(locked, place);
    }
    moved.is_some()
}

/// A key whose item was dead has a live one. If that had only expired it was still counted.
fn count_revival(locked: &Locked<'_>, old: &Old<'_>) {
    old.spot.set_frequency(0);
    if locked.core.segments.epoch_of(old.view.segment) == locked.epoch {
        locked.count(Counter::Expired, 1);
    } else {
        edit::count_item(locked);
    }
}

/// Housekeeping at the end of a write of `written` bytes, when its own work is done: go on with a drain, now and then
/// look for expired memory, grow the index.
fn tidy(locked: &Locked<'_>, is_new: bool, place: &Place, written: u64) {
    evict::ahead(locked, place, written);
    if is_new {
        // Two at most: a shard that has fallen behind catches up over its next new keys.
        for _ in 0..2 {
            if !edit::wants_split(locked) {
                break;
            }
            edit::split(locked);
        }
    }
}
