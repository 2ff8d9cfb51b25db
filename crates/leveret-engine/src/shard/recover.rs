//! Recovery: what the new owner of a lock does when the old one was killed. Every step may be repeated, since the
//! recoverer can be killed too. Nothing acknowledged is lost: acknowledgement follows the commit, and the commit is one
//! store.
use crate::counters::Counter;
use crate::evict;
use crate::map::layout::OPEN_PER_SHARD;
use crate::segment::State;
use crate::shard::{allocate, edit, pieces, Locked};
use crate::sync::Ordering;

#[cold]
pub(crate) fn recover(locked: &Locked<'_>) {
    relist_segments(locked);
    redo_split(locked);
    recount(locked);
    evict::after_kill(locked);
    pieces::free_orphans(locked);
    pieces::sweep_fills(locked);
    locked.count(Counter::Recoveries, 1);
}

/// Rebuilds the open list, the map of used segments and the generation counter from the state words.
fn relist_segments(locked: &Locked<'_>) {
    let mut entries = [0u32; OPEN_PER_SHARD];
    let mut generation = locked.shard().given.generation.load(Ordering::Relaxed);
    for segment in locked.core.segments.all() {
        let word = locked.core.segments.state(segment);
        // Other shards allocate and free meanwhile. A bit that says "free" wrongly costs a look; one that says
        // "used" wrongly would lose the segment, so that state is looked at again.
        locked.core.segments.set_used(segment, word.kind() != Some(State::Free));
        if locked.core.segments.state(segment).kind() == Some(State::Free) {
            locked.core.segments.set_used(segment, false);
        }
        if word.shard() != locked.index {
            continue;
        }
        generation = generation.max(word.generation());
        if word.kind() == Some(State::Open) {
            match entries[allocate::entries(word.pool())].iter_mut().find(|entry| **entry == 0) {
                Some(entry) => *entry = segment.0 + 1,
                None => allocate::seal(locked, segment),
            }
        }
    }
    for (entry, segment) in locked.shard().open.iter().zip(entries) {
        entry.store(segment, Ordering::Relaxed);
    }
    locked.shard().given.generation.fetch_max(generation, Ordering::Relaxed);
    locked.shard().eviction.next_expiry.store(0, Ordering::Relaxed);
}

/// The last split may have published its bucket without clearing the old one; the next may have begun to fill its own.
/// An arena of another build may have begun with a larger index: then its last bucket was not made by a split, and the
/// bucket that it would come from holds no such entries.
fn redo_split(locked: &Locked<'_>) {
    let buckets = locked.core.index.buckets(locked.index);
    if buckets > locked.core.index.first_buckets {
        let target = buckets - 1;
        edit::clear_movers(locked, target - (1 << target.ilog2()), target);
    }
    let index = &locked.core.index;
    if u64::from(buckets) < index.allocated(locked.index).min(u64::from(index.buckets_max)) {
        edit::clear(locked.core.index.bucket(locked.index, buckets));
    }
    // A reader that missed between the two halves of the split looks again.
    locked.shard().move_seq.fetch_add(1, Ordering::Relaxed);
}

/// Counts slots and items again and rebuilds the map of overflow buckets, in which a kill may have left a leak.
fn recount(locked: &Locked<'_>) {
    let core = locked.core;
    edit::clear_overflow_map(locked);
    let (mut occupied, mut items) = (0, 0);
    for bucket in 0..core.index.buckets(locked.index) {
        for link in core.index.chain(locked.index, bucket).filter_map(|bucket| bucket.link(Ordering::Relaxed)) {
            edit::set_overflow_used(locked, link, true);
        }
        for spot in core.index.spots(locked.index, bucket) {
            occupied += 1;
            let segment = core.segments.containing(spot.word.at());
            items += u64::from(segment.is_some_and(|segment| core.segments.epoch_of(segment) == locked.epoch));
        }
    }
    locked.shard().tally.occupied.store(occupied, Ordering::Relaxed);
    locked.shard().tally.items.store(items, Ordering::Relaxed);
    locked.shard().tally.epoch.store(locked.epoch, Ordering::Relaxed);
}
