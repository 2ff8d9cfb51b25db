//! Draining: a segment's items are moved or dropped, then the segment is free. Writes do this in pieces of a few items,
//! so that no lock is held for long. The next write continues where the last one stopped, in any process.
//!
//! The state word marks a segment as draining, and recovery needs nothing more: it discards the position and drains the
//! remaining items from the start. That is safe, since an item whose slot points elsewhere no longer belongs to this
//! segment. Every drain makes progress: it frees at least an eighth of a segment, and if there is no room for items
//! worth keeping, it keeps none.
use crate::core::Core;
use crate::counters::Counter;
use crate::evict::worth::{self, Worth};
use crate::index::{Spot, FREQUENCY_MAX, UNREAD};
use crate::item::layout::HEADER;
use crate::item::{Change, View};
use crate::policy::EvictionPolicy;
use crate::segment::{SegmentId, SegmentPool, State, StateWord};
use crate::shard::allocate::{self, Spare};
use crate::shard::{edit, relocate, tell_evicted, Locked};
use crate::sync::Ordering;

/// Items whose buckets are asked for together.
pub(super) const PIECE: usize = 8;

/// Items that a drain keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Keep {
    /// All live items. An item that finds no room stays, and so does its segment: memory is short, but not all of it is
    /// in use.
    All = 0,
    /// Live items that find room: the segment is mostly dead bytes.
    Alive = 1,
    /// Items worth their memory (`worth.rs`): at most three quarters of the written bytes of a small segment, or seven
    /// eighths of a main one.
    Worthy = 2,
    Nothing = 3,
}

/// Result of one piece of a drain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Drained {
    /// There is nothing to drain.
    Nothing,
    /// There is nothing to drain yet: the segments are being surveyed for the one to drain next.
    Surveying,
    /// A segment is being drained, and holds more items.
    UnderWay,
    /// The segment is free.
    Freed,
    /// The segment holds items still: there was no room for what may not be dropped, or a large value that went has made
    /// enough.
    Stays,
}

/// `Keep` in the low byte of `layout::Drain::state`, and the counts of the drain so far.
#[derive(Clone, Copy)]
struct DrainState(u32);

impl DrainState {
    /// Something could not be moved.
    const STAYS: u32 = 1 << 8;
    /// There is room enough: what the drain has not come to stays.
    const ENOUGH: u32 = 1 << 9;

    fn keep(self) -> Keep {
        match self.0 as u8 {
            1 => Keep::Alive,
            2 => Keep::Worthy,
            3 => Keep::Nothing,
            _ => Keep::All,
        }
    }
}

/// In place of a drain's note: a survey for the segment to drain next is under way.
const SURVEYING: u64 = u64::MAX;

/// Names a drain: its segment, and which use of it.
fn note(segment: SegmentId, word: StateWord) -> u64 {
    u64::from(segment.0 + 1) | word.generation() << 32
}

/// Whether a segment is being drained in pieces. False for a drain that a kill interrupted, which no write would
/// continue.
pub(crate) fn is_under_way(core: &Core, segment: SegmentId, word: StateWord) -> bool {
    word.kind() == Some(State::Draining)
        && word.shard() < core.shards.len()
        && core.shards.at(word.shard()).drain.word.load(Ordering::Relaxed) == note(segment, word)
}

/// The segment whose drain is under way.
pub(super) fn under_way(locked: &Locked<'_>) -> Option<SegmentId> {
    let segment = SegmentId((locked.shard().drain.word.load(Ordering::Relaxed) as u32).checked_sub(1)?);
    let is_it = (segment.0 as usize) < locked.core.segments.len() && {
        let word = locked.core.segments.state(segment);
        word.shard() == locked.index && is_under_way(locked.core, segment, word)
    };
    is_it.then_some(segment)
}

/// Whether a drain is under way, or the survey for the next one.
#[inline]
pub(super) fn has_work(locked: &Locked<'_>) -> bool {
    locked.shard().drain.word.load(Ordering::Relaxed) != 0
}

/// Whether the segments are being surveyed, piece by piece, for one to drain.
pub(super) fn is_surveying(locked: &Locked<'_>) -> bool {
    locked.shard().drain.word.load(Ordering::Relaxed) == SURVEYING
}

pub(super) fn note_survey(locked: &Locked<'_>) {
    locked.shard().drain.word.store(SURVEYING, Ordering::Relaxed);
}

pub(super) fn note_nothing(locked: &Locked<'_>) {
    locked.shard().drain.word.store(0, Ordering::Relaxed);
}

/// Drains a segment to its end and keeps live items. False: some items could not be moved.
pub(crate) fn gather(locked: &Locked<'_>, segment: SegmentId) -> bool {
    // One at a time has a note.
    if under_way(locked).is_some_and(|other| other != segment) {
        go_on(locked, usize::MAX);
    }
    begin(locked, segment, Keep::All);
    go_on(locked, usize::MAX) != Drained::Stays
}

/// The next pieces of work go to this segment. None is under way.
pub(super) fn begin(locked: &Locked<'_>, segment: SegmentId, keep: Keep) {
    let core = locked.core;
    let word = core.segments.state(segment);
    core.segments.set_state(segment, word.with(State::Draining));
    let head = locked.shard();
    let size = core.segments.size();
    let budget = match keep {
        Keep::Nothing => 0,
        Keep::All | Keep::Alive => size,
        Keep::Worthy => {
            let is_single = core.segments.header(segment).live_items() == 1;
            let most = if is_single { size } else { share_of(word.pool(), size) };
            let carried = u64::from(head.drain.carried.load(Ordering::Relaxed));
            (carried + share_of(word.pool(), core.segments.written(segment))).min(most)
        }
    };
    head.drain.budget.store(budget as u32, Ordering::Relaxed);
    head.drain.at.store(0, Ordering::Relaxed);
    head.drain.state.store(keep as u32, Ordering::Relaxed);
    head.drain.word.store(note(segment, word), Ordering::Relaxed);
}

/// How many of `bytes` written a drain by worth may keep. A share that was not used goes to the next drain: an item
/// that fills most of its segment is larger than one share.
fn share_of(pool: SegmentPool, bytes: u64) -> u64 {
    match pool {
        SegmentPool::Small => bytes / 4 * 3,
        SegmentPool::Main => bytes / 8 * 7,
    }
}

/// Bytes that the drain under way may still keep.
fn budget(locked: &Locked<'_>) -> u64 {
    u64::from(locked.shard().drain.budget.load(Ordering::Relaxed))
}

/// Halves the share of this segment's drain, which has just begun.
pub(super) fn keep_half(locked: &Locked<'_>, segment: SegmentId) {
    let pool = locked.core.segments.state(segment).pool();
    let half = share_of(pool, locked.core.segments.written(segment)) / 2;
    locked.shard().drain.budget.store(budget(locked).saturating_sub(half) as u32, Ordering::Relaxed);
}

/// Deals with the next `items` items of the segment whose drain is under way.
pub(super) fn go_on(locked: &Locked<'_>, items: usize) -> Drained {
    let Some(segment) = under_way(locked) else {
        if is_surveying(locked) {
            return Drained::Surveying;
        }
        note_nothing(locked);
        return Drained::Nothing;
    };
    let core = locked.core;
    let head = locked.shard();
    let (start, end) = (core.segments.start(segment), core.segments.written_end(segment));
    let mut at = start + u64::from(head.drain.at.load(Ordering::Relaxed)) / 8 * 8;
    let mut left = items;
    let mut is_whole = true;
    // After kills the count of living items is too high, never too low: at 0 no slot points here.
    while is_whole && at + HEADER <= end && core.segments.header(segment).live_items() != 0 {
        if left == 0 {
            head.drain.at.store((at - start) as u32, Ordering::Relaxed);
            return Drained::UnderWay;
        }
        let mut piece = [const { None }; PIECE];
        let mut count = 0;
        while count < PIECE.min(left) && at + HEADER <= end {
            let Some(view) = core.items.view(&core.segments, segment, at).filter(|view| at + view.size() <= end) else {
                is_whole = false;
                break;
            };
            at += view.size();
            let hash = core.hash_of(&view);
            core.index.ask_for(locked.index, hash);
            piece[count] = Some((hash, view));
            count += 1;
        }
        left -= count;
        for (hash, view) in piece.into_iter().flatten().filter(|(hash, _)| core.hasher.shard_of(*hash) == locked.index)
        {
            if let Some(spot) = edit::spot_of(locked, hash, view.at) {
                drain_item(locked, hash, &spot, &view);
                if has_enough(locked) {
                    return finish(locked, segment, true);
                }
            }
        }
    }
    finish(locked, segment, is_whole)
}

fn drain_item<'a>(locked: &Locked<'a>, hash: u64, spot: &Spot<'a>, view: &View) {
    let head = locked.shard();
    let state = DrainState(head.drain.state.load(Ordering::Relaxed));
    let keep = state.keep();
    let pool = locked.core.segments.state(view.segment).pool();
    let frequency = spot.frequency();
    let reads = frequency & FREQUENCY_MAX;
    if !locked.is_alive(view) {
        edit::remove(locked, hash, spot, view);
        locked.count(Counter::Expired, 1);
        return;
    }
    // What may not be dropped is kept beyond the budget.
    let is_bound = !locked.may_evict(view);
    // The last free segments are for that alone, or nothing could be moved any more.
    let is_scarce = || locked.core.policy() == EvictionPolicy::Volatile && !is_bound && !allocate::has_spare(locked, 0);
    let (is_worthy, target) = match keep {
        Keep::Worthy | Keep::Alive if is_scarce() => (false, pool),
        Keep::Worthy if !is_bound => (judge(locked, reads, view, pool), SegmentPool::Main),
        _ => (true, pool),
    };
    let budget = if is_bound { budget(locked).max(view.size()) } else { budget(locked) };
    if is_worthy && view.size() <= budget && keep_item(locked, target, spot, view) {
        head.drain.budget.store((budget - view.size()) as u32, Ordering::Relaxed);
        if keep == Keep::Worthy && !is_bound {
            let aged = match pool {
                SegmentPool::Small => reads / 2,
                SegmentPool::Main => worth::aged(reads, frequency & UNREAD == 0),
            };
            spot.set_frequency(spot.frequency() & !FREQUENCY_MAX | aged | UNREAD);
        }
    } else if keep == Keep::All || is_bound {
        head.drain.state.store(state.0 | DrainState::STAYS, Ordering::Relaxed);
    } else {
        tell_evicted::tell(locked, hash, spot, view);
        edit::remove(locked, hash, spot, view);
        // A large value's own segments are enough room: the items behind it in this segment may stay.
        if view.pieces() > 0 && allocate::has_spare(locked, locked.core.shards.len()) {
            head.drain.state.store(state.0 | DrainState::ENOUGH, Ordering::Relaxed);
        }
    }
}

fn has_enough(locked: &Locked<'_>) -> bool {
    locked.shard().drain.state.load(Ordering::Relaxed) & DrainState::ENOUGH != 0
}

/// Whether an item is worth its memory. Each one that a drain meets teaches what that means.
fn judge(locked: &Locked<'_>, frequency: u8, view: &View, pool: SegmentPool) -> bool {
    let elsewhere = view.pieces() as u64 * locked.core.segments.size();
    let is_worthy = worth::is_worth_keeping(locked, Worth::of(frequency, view.size() + elsewhere), pool);
    worth::learn_worth(locked, is_worthy, view.size(), pool, frequency);
    is_worthy
}

fn finish(locked: &Locked<'_>, segment: SegmentId, is_whole: bool) -> Drained {
    let head = locked.shard();
    let state = DrainState(head.drain.state.load(Ordering::Relaxed));
    if state.keep() == Keep::Worthy {
        head.drain.carried.store(budget(locked) as u32, Ordering::Relaxed);
    }
    if state.0 & (DrainState::STAYS | DrainState::ENOUGH) != 0 && locked.core.segments.header(segment).live_items() != 0
    {
        // All items that may be evicted are gone: the rest have no deadline.
        let is_volatile = locked.core.policy() == EvictionPolicy::Volatile;
        if is_volatile && state.keep() != Keep::All && state.0 & DrainState::ENOUGH == 0 {
            let word = locked.core.segments.state(segment);
            locked.core.segments.set_state(segment, word.with_class(0));
        }
        allocate::seal(locked, segment);
        note_nothing(locked);
        return Drained::Stays;
    }
    if !is_whole {
        clear_slots_into(locked, segment);
    }
    locked.core.segments.set_free(segment);
    note_nothing(locked);
    Drained::Freed
}

/// Moves an item to fresh room of `pool`. False: there is none.
fn keep_item(locked: &Locked<'_>, pool: SegmentPool, spot: &Spot<'_>, view: &View) -> bool {
    let deadline = locked.core.items.deadline_of(view);
    let change = Change { deadline, cas: relocate::told_cas(locked, view), marks: None };
    let moved = relocate::relocate(locked, pool, spot, view, &change, Spare::Take);
    moved.inspect(|(_, size)| locked.count(Counter::MovedBytes, *size)).is_some()
}

/// Clears every slot of the shard that points into a segment. Only a damaged file needs it.
#[cold]
fn clear_slots_into(locked: &Locked<'_>, segment: SegmentId) {
    for bucket in 0..locked.core.index.buckets(locked.index) {
        for spot in locked.core.index.spots(locked.index, bucket) {
            if locked.core.segments.containing(spot.word.at()) == Some(segment) {
                spot.cell().store(0, Ordering::Release);
                edit::forget(locked, spot.word);
                locked.count(Counter::Repaired, 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::evict::ITEMS_AHEAD;
    use crate::shard;
    use crate::shard::recover;
    use crate::{Arena, Deadline, OpenOptions, Time};

    /// An arena that evicts already, and the number of the next key.
    fn full(dir: &tempfile::TempDir, memory: u64, cores: u32) -> (Arena, u32) {
        let options = OpenOptions::new().memory(memory).cores(cores);
        let (arena, _) = Arena::open(&dir.path().join("drain.arena"), &options).expect("an arena");
        let mut number = 0;
        while arena.stats().evicted < 10_000 {
            (0..1000).for_each(|step| store(&arena, number + step));
            number += 1000;
        }
        (arena, number)
    }

    fn store(arena: &Arena, number: u32) {
        arena.set(&number.to_ne_bytes(), &[7; 100], Deadline::NEVER, Time::now()).expect("room");
    }

    /// A store that found no room emptied a whole segment under the lock, some 250 items here, before it could end.
    #[test]
    fn no_store_into_a_full_arena_empties_a_segment() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let (arena, first) = full(&dir, 8 << 20, 1);
        let mut most = 0;
        for number in first..first + 20_000 {
            let before = arena.stats().evicted;
            store(&arena, number);
            most = most.max(arena.stats().evicted - before);
        }
        assert!(most > 0 && most <= ITEMS_AHEAD as u64, "one store let {most} items go");
        assert!(arena.verify().is_clean(), "{:?}", arena.verify());
    }

    /// Where all that was stored is read, drains keep nearly all, and free an eighth of a segment each. Stores that found no
    /// free one then did eight drains at once: a millisecond.
    #[test]
    fn no_store_does_whole_drains_where_nearly_all_is_worth_keeping() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let (arena, first) = full(&dir, 16 << 20, 1);
        let mut worst = Vec::new();
        for round in 0..4 {
            let numbers = first + round * 80_000..first + (round + 1) * 80_000;
            for number in numbers.clone() {
                let before = arena.stats();
                store(&arena, number);
                let stats = arena.stats();
                let moved = (stats.moved_bytes - before.moved_bytes) / 128;
                worst.push(stats.evicted - before.evicted + moved);
            }
            numbers.for_each(|number| drop(arena.get(&number.to_ne_bytes(), Time::now())));
        }
        worst.sort_unstable();
        println!("W {:?}", worst.iter().rev().take(8).collect::<Vec<_>>());
        // Now and then a shard with less than its share waits for one that has more.
        let rare = &worst[worst.len() * 9999 / 10_000 - 1];
        assert!(*rare <= ITEMS_AHEAD as u64, "the slowest of ten thousand stores dealt with {rare} items");
    }

    /// A process killed in the middle of a drain holds a lock: the segment's remaining items are kept, and its note is
    /// cleared.
    #[test]
    fn recovery_keeps_what_a_drain_has_not_come_to() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let (arena, first) = full(&dir, 8 << 20, 1);
        let core = &*arena.core;
        let under_way = |shard| super::under_way(&shard::lock(core, shard, Time::now()).expect("free")).is_some();
        let shard = (first..)
            .inspect(|number| store(&arena, *number))
            .find_map(|_| (0..core.shards.len()).find(|shard| under_way(*shard)));
        let items = |arena: &Arena| arena.stats().items;
        let (before, evicted) = (items(&arena), arena.stats().evicted);
        let locked = shard::lock(core, shard.expect("one is begun with each segment"), Time::now()).expect("free");
        recover::recover(&locked);
        assert_eq!(super::under_way(&locked), None);
        drop(locked);
        assert_eq!((items(&arena), arena.stats().evicted), (before, evicted));
        assert!(arena.verify().is_clean(), "{:?}", arena.verify());
    }
}
