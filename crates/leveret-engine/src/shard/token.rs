//! The cas tokens of items. Each item has one by its place, which is not stored; a copy elsewhere keeps that token only
//! if it was handed out. Explicit tokens count up above all of these.
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

/// The token that every item has by its place: unique, since a shard uses a place once per generation. It stays below
/// the explicit ones until a shard has written 2^57 bytes, and begins again when it has used segments 2^40 times.
pub(crate) fn natural_cas(core: &Core, view: &View) -> u64 {
    let state = core.segments.state(view.segment);
    let place = (view.at - core.segments.start(view.segment)) >> 3;
    let token = of_shard(core, state.generation(), state.shard()) << (core.map.geometry.segment_shift - 3) | place;
    // 0 says that there is none. No item is so short that another one begins at place 1.
    token.max(1)
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

/// The token of an item, which its copies keep from now on.
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

#[cfg(test)]
mod tests {
    use crate::sync::Ordering;
    use crate::{Arena, Deadline, Mode, OpenOptions, ReadOptions, Stored, Time, Value};

    /// The first item of a shard's 2^40th segment had the token 0, which says that none was asked for.
    #[test]
    fn every_item_has_a_token_when_the_numbers_of_segments_begin_again() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let options = OpenOptions::new().memory(8 << 20).cores(1);
        let (arena, _) = Arena::open(&dir.path().join("token.arena"), &options).expect("an arena");
        for shard in 0..arena.core.shards.len() {
            arena.core.shards.at(shard).given.generation.store((1 << 40) - 2, Ordering::Relaxed);
        }
        let (now, mut told) = (Time::now(), std::collections::HashSet::new());
        // Each fills a segment.
        for key in 0..20u32 {
            let key = key.to_ne_bytes();
            arena.set(&key, &[1; 32_000], Deadline::NEVER, now).expect("room");
            let cas = || arena.get_with(&key, ReadOptions::new().with_cas(), now).expect("there").expect("there").cas;
            assert!(cas() != 0 && told.insert(cas()), "{}", cas());
            let stored =
                arena.store(&key, Value::Bytes(b"2"), Default::default(), Deadline::NEVER, Mode::Cas(cas()), now);
            assert!(matches!(stored, Ok(Stored::Stored { .. })), "{stored:?}");
        }
    }
}
