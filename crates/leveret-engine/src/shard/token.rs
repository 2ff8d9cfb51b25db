//! The cas tokens of items. Each item has one by its place, which nobody has to store; a copy of it elsewhere keeps
//! that token only if somebody has been told it. What is given to an item explicitly counts up above all of these.
use crate::core::Core;
use crate::found::Found;
use crate::item::layout::WANTED;
use crate::item::{Kind, View};
use crate::shard::Locked;
use crate::sync::Ordering;

/// Explicit cas numbers count up from here, above every token that comes from an item's place. Bit 62: in
/// many languages integers have a sign.
const EXPLICIT_CAS: u64 = 1 << 62;

/// The cas of an item that a reader met, if it is one that a later copy will keep.
pub(crate) fn stable_cas(core: &Core, found: &Found, view: &View) -> Option<u64> {
    if view.kind == Kind::Number {
        // In this order the value belongs to the cas: an increment takes the cas away before it changes the value.
        let cas = core.items.number_cas_cell(view);
        let before = cas.load(Ordering::Acquire);
        let value = core.items.number_of(view);
        let stable = before != 0 && value == found.number as u64 && cas.load(Ordering::Relaxed) == before;
        return stable.then_some(before);
    }
    core.items.explicit_cas(view).or_else(|| view.header.shape.is_wanted().then(|| natural_cas(core, view)))
}

/// The token that every item has by its place: unique for ever, since a shard uses a place once per generation. It
/// stays below the explicit ones until a shard has written 2^57 bytes.
pub(crate) fn natural_cas(core: &Core, view: &View) -> u64 {
    let state = core.segments.state(view.segment);
    let place = (view.at - core.segments.start(view.segment)) >> 3;
    of_shard(core, state.generation(), state.shard()) << (core.map.geometry.segment_shift - 3) | place
}

/// A number that a shard has counted, made one of the whole arena: each key's go on growing, and no two shards have
/// the same.
fn of_shard(core: &Core, number: u64, shard: usize) -> u64 {
    number << core.map.geometry.shard_shift | shard as u64
}

/// The token that an item would show; None for a number that has none yet.
pub(crate) fn cas_of(locked: &Locked<'_>, view: &View) -> Option<u64> {
    match view.kind {
        Kind::Number => Some(locked.core.items.number_cas_cell(view).load(Ordering::Relaxed)).filter(|cas| *cas != 0),
        _ => Some(locked.core.items.explicit_cas(view).unwrap_or_else(|| natural_cas(locked.core, view))),
    }
}

/// The token of an item that somebody asks for, from now on kept by its copies.
pub(crate) fn give_cas(locked: &Locked<'_>, view: &View) -> u64 {
    if view.kind == Kind::Number {
        let cell = locked.core.items.number_cas_cell(view);
        if cell.load(Ordering::Relaxed) == 0 {
            cell.store(next_cas(locked), Ordering::Release);
        }
        return cell.load(Ordering::Relaxed);
    }
    if !view.header.shape.has_cas() {
        locked.core.items.shape_cell(view).fetch_or(WANTED, Ordering::Relaxed);
    }
    locked.core.items.explicit_cas(view).unwrap_or_else(|| natural_cas(locked.core, view))
}

/// The next explicit cas.
pub(crate) fn next_cas(locked: &Locked<'_>) -> u64 {
    let number = locked.shard().given.cas.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
    EXPLICIT_CAS | of_shard(locked.core, number, locked.index)
}
