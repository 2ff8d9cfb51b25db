//! Room for items in the segments of a shard. Together they are a segmented log: items are only appended. Everything
//! written here, except state words, is a hint that the next lock owner can rebuild.
use crate::map::layout::OPEN_PER_SHARD;
use crate::policy::EvictionPolicy;
use crate::segment::{SegmentId, SegmentPool, State, StateWord};
use crate::shard::Locked;
use crate::sync::{AtomicU32, Ordering};

/// Free segments reserved for drains, as destinations of kept items.
pub(crate) const RESERVE: usize = 2;

/// Whether the free segments that are kept back for drains may be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spare {
    Keep,
    Take,
}

/// Room for one item.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub segment: SegmentId,
    pub at: u64,
    pub opened: Opened,
}

/// Whether the segment of a place was opened for it. As wide as a register: two flags of a byte each would be copied by a
/// wider read right behind their writes, which waits for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Opened {
    Before,
    Now,
    /// Now, and it takes no further item.
    ForOne,
}

/// Whether more than `count` segments are free, beside those that are kept back for drains.
pub(crate) fn has_spare(locked: &Locked<'_>, count: usize) -> bool {
    locked.core.segments.count_free(RESERVE + count + 1) > RESERVE + count
}

fn open_slots<'a>(locked: &Locked<'a>) -> &'a [AtomicU32; OPEN_PER_SHARD] {
    &locked.shard().open
}

/// The next number of a segment use in this shard, for ever new.
pub(crate) fn next_generation(locked: &Locked<'_>) -> u64 {
    locked.shard().given.generation.fetch_add(1, Ordering::Relaxed).wrapping_add(1)
}

/// The segment behind an entry of the open list, unless the list is out of date.
fn open_segment(locked: &Locked<'_>, entry: usize) -> Option<(SegmentId, StateWord)> {
    let segment = SegmentId(open_slots(locked)[entry].load(Ordering::Relaxed).checked_sub(1)?);
    let word = (segment.0 < locked.core.segments.len() as u32).then(|| locked.core.segments.state(segment))?;
    let current = word.kind() == Some(State::Open)
        && word.shard() == locked.index
        && locked.core.segments.epoch_of(segment) == locked.epoch;
    current.then_some((segment, word))
}

/// The half of the open list that belongs to a pool.
pub fn entries(pool: SegmentPool) -> std::ops::Range<usize> {
    let half = OPEN_PER_SHARD / 2;
    match pool {
        SegmentPool::Small => 0..half,
        SegmentPool::Main => half..OPEN_PER_SHARD,
    }
}

/// Room for `size` bytes: in an open segment of its class, for large items in the best fitting one of any class,
/// else in a new one. None: something must be evicted first.
#[inline(always)]
pub(crate) fn reserve(locked: &Locked<'_>, pool: SegmentPool, class: u8, size: u64, spare: Spare) -> Option<Place> {
    // A sixteenth of a segment is worth more than items that die together.
    if size <= locked.core.segments.size() / 16 {
        let wanted = StateWord::new(0, State::Open, locked.index, pool, class);
        for entry in &open_slots(locked)[entries(pool)] {
            let segment = SegmentId(entry.load(Ordering::Relaxed).wrapping_sub(1));
            if (segment.0 as usize) < locked.core.segments.len()
                && locked.core.segments.state(segment).is_like(wanted)
                && locked.core.segments.epoch_of(segment) == locked.epoch
            {
                let at = locked.core.segments.written_end(segment);
                if size <= locked.core.segments.end(segment) - at {
                    return Some(Place { segment, at, opened: Opened::Before });
                }
            }
        }
    }
    reserve_best(locked, pool, class, size, spare)
}

#[cold]
fn reserve_best(locked: &Locked<'_>, pool: SegmentPool, class: u8, size: u64, spare: Spare) -> Option<Place> {
    // A copy that gains a cas is larger than its item, which in a damaged file may fill its segment to the end.
    if size > locked.core.segments.size() {
        return None;
    }
    // The end of its items is read once: another process might change it between two loads.
    let open = || {
        entries(pool).filter_map(|entry| {
            let (segment, word) = open_segment(locked, entry)?;
            let at = locked.core.segments.written_end(segment);
            let place = Place { segment, at, opened: Opened::Before };
            Some((entry, word, locked.core.segments.end(segment) - at, place))
        })
    };
    let any_class = size > locked.core.segments.size() / 16;
    // What may go and what may not lie apart, so that a drain finds something to drop.
    let is_apart = any_class && locked.core.policy() == EvictionPolicy::Volatile;
    let is_like = |other: u8| other == class || any_class && !(is_apart && (other == 0 || class == 0));
    let suits = |word: StateWord, room: u64| size <= room && is_like(word.class());
    if let Some((.., place)) =
        open().filter(|(_, word, room, _)| suits(*word, *room)).min_by_key(|(_, _, room, _)| *room)
    {
        return Some(place);
    }
    if spare == Spare::Keep && locked.core.segments.count_free(RESERVE + 1) <= RESERVE {
        return None;
    }
    let segment = open_new(locked, pool, class)?;
    let place = Place { segment, at: locked.core.segments.start(segment), opened: Opened::Now };
    // Into an unused entry of the list, else in place of the fullest segment. That may be the new one: an item that nearly
    // fills its segment must not seal another one that is nearly empty, where each class of lifetimes has one.
    let unused = entries(pool).find(|entry| open_segment(locked, *entry).is_none());
    let entry = match unused {
        Some(entry) => entry,
        None => {
            let (entry, _, room, fullest) = open().min_by_key(|(_, _, room, _)| *room)?;
            if locked.core.segments.size() - size < room {
                return Some(Place { opened: Opened::ForOne, ..place });
            }
            seal(locked, fullest.segment);
            entry
        }
    };
    // In front: those before it are full for most that comes. A kill between the two leaves one segment listed
    // twice.
    let slots = open_slots(locked);
    let front = entries(pool).start;
    slots[entry].store(slots[front].load(Ordering::Relaxed), Ordering::Relaxed);
    slots[front].store(segment.0 + 1, Ordering::Relaxed);
    Some(place)
}

fn open_new(locked: &Locked<'_>, pool: SegmentPool, class: u8) -> Option<SegmentId> {
    let generation = next_generation(locked);
    let segment = locked
        .core
        .segments
        .take_free(StateWord::new(generation, State::Open, locked.index, pool, class), &locked.core.presence)?;
    // A kill right here leaves an open, empty segment of an epoch gone by, which the next survey frees.
    locked.core.segments.set_epoch(segment, locked.epoch);
    Some(segment)
}

pub(crate) fn seal(locked: &Locked<'_>, segment: SegmentId) {
    let expiry = locked.core.segments.header(segment).expiry();
    locked.shard().eviction.next_expiry.fetch_min(expiry, Ordering::Relaxed);
    locked.core.segments.set_state(segment, locked.core.segments.state(segment).with(State::Sealed));
}

/// Makes the bytes of a new item part of its segment. The slot that points at it comes after.
pub(crate) fn publish(locked: &Locked<'_>, place: Place, size: u64, deadline: u32) {
    let end = place.at + size - locked.core.segments.start(place.segment);
    locked.core.segments.header(place.segment).publish(end as u32, size, deadline);
    if place.opened == Opened::ForOne {
        seal(locked, place.segment);
    }
}

/// An item of `size` bytes in this segment is no longer reached by its slot.
pub(crate) fn unpublish(locked: &Locked<'_>, segment: SegmentId, size: u64) {
    locked.core.segments.header(segment).unpublish(size);
    let dead = &locked.shard().eviction.dead_bytes;
    dead.store(dead.load(Ordering::Relaxed).wrapping_add(size), Ordering::Relaxed);
}
