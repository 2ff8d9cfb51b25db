//! Lock-free look-up: a seqlock for each segment, whose sequence number is the segment's generation.
//!
//! It loads a slot word, the segment's state word, the slot again, then the item's bytes, then the state word again. If
//! the generation is the same, no byte that was read belongs to a later use of the segment: a writer that reuses the
//! segment stores the new generation first and fences before the first byte. The read takes effect at the second load
//! of the slot.
use crate::core::Core;
use crate::counters::Counter;
use crate::fate::{self, Fate};
use crate::found::{Found, Missed, Version};
use crate::hash;
use crate::index::{SlotWord, Spot, CHAIN_MAX, FETCHED, FREQUENCY_MAX};
use crate::item::{Kind, View};
use crate::map::layout::SLOTS;
use crate::segment::{SegmentState, StateWord};
use crate::sync::{fence, AtomicU64, Ordering};
use crate::time::{Moment, Time};

/// A read that meets a change of the index retries; after this many tries it returns a miss, counted in
/// `Stats::retries`.
const TRIES: usize = 64;
/// How one look-up has ended.
enum Lookup<'a> {
    Here(Spot<'a>),
    Absent,
    /// Something changed under the reader.
    Again,
}

/// Whether the item behind a slot is the one that is looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Match {
    Yes,
    No,
    /// The bytes may belong to another use of the segment.
    Unsure,
}

/// Whether there certainly is no live item under a key. One look: if it was disturbed, that says nothing.
#[inline(never)]
pub(crate) fn is_absent(core: &Core, hash: u64, key: &[u8], now: Time) -> bool {
    let shard = core.hasher.shard_of(hash);
    let seen @ (_, buckets) = layout_of(core, shard);
    let look = look::<true>(core, shard, buckets, hash, key, now, &mut Found::default());
    matches!(look, Lookup::Absent) && layout_of(core, shard) == seen
}

/// Finds the live item under a key, unless it is a typed one: describes it in `found` and says which slot led there.
#[inline(always)]
pub(crate) fn find<'a>(core: &'a Core, hash: u64, key: &[u8], now: impl Moment, found: &mut Found) -> Option<Spot<'a>> {
    find_of::<false>(core, hash, key, now, found)
}

/// As `find`, typed ones included.
#[inline(never)]
pub(crate) fn find_any<'a>(core: &'a Core, hash: u64, key: &[u8], now: Time, found: &mut Found) -> Option<Spot<'a>> {
    find_of::<true>(core, hash, key, now, found)
}

#[inline(always)]
fn find_of<'a, const TYPED: bool>(
    core: &'a Core,
    hash: u64,
    key: &[u8],
    now: impl Moment,
    found: &mut Found,
) -> Option<Spot<'a>> {
    let shard = core.hasher.shard_of(hash);
    for _ in 0..TRIES {
        let seen @ (_, buckets) = layout_of(core, shard);
        match look::<TYPED>(core, shard, buckets, hash, key, now, found) {
            Lookup::Here(spot) => return Some(spot),
            Lookup::Absent if layout_of(core, shard) == seen => return None,
            Lookup::Absent | Lookup::Again => {}
        }
    }
    core.shards.at(shard).counters[Counter::Retries as usize].fetch_add(1, Ordering::Relaxed);
    None
}

/// What changes with each split, which may move a key out from under a scan. All slots are loaded with Acquire, so
/// if one showed the split's clearing, a later load shows its number of buckets.
#[inline]
fn layout_of(core: &Core, shard: usize) -> (u64, u32) {
    (core.shards.at(shard).move_seq.load(Ordering::Relaxed), core.index.buckets(shard))
}

#[inline(always)]
fn look<'a, const TYPED: bool>(
    core: &'a Core,
    shard: usize,
    buckets: u32,
    hash: u64,
    key: &[u8],
    now: impl Moment,
    found: &mut Found,
) -> Lookup<'a> {
    let tag = hash::tag(hash);
    let mut bucket = core.index.bucket(shard, hash::bucket(hash, buckets));
    found.fetched = Missed::Absent as u8;
    for _ in 0..CHAIN_MAX {
        for slot in 0..SLOTS {
            let word = SlotWord(bucket.slots[slot].load(Ordering::Acquire));
            if word.tag() == tag {
                match examine::<TYPED>(core, shard, &bucket.slots[slot], word, hash, key, now, found) {
                    Match::Yes => {
                        let frequency = bucket.frequency[slot].load(Ordering::Relaxed);
                        found.hits = frequency & FREQUENCY_MAX;
                        found.fetched = u8::from(frequency & FETCHED != 0);
                        return Lookup::Here(Spot { bucket, slot, word });
                    }
                    Match::No => {}
                    Match::Unsure => return Lookup::Again,
                }
            }
        }
        match bucket.link(Ordering::Acquire).and_then(|link| core.index.overflow_bucket(shard, link)) {
            Some(following) => bucket = following,
            None => return Lookup::Absent,
        }
    }
    Lookup::Absent
}

/// The slot leads to a segment that holds no items. That counts only if it still is so: a segment that was free a
/// moment ago may hold the key's next version by now, at the very place of the one before, and then the slot has its word
/// again.
#[cold]
fn unless_changed(of_segment: &SegmentState, state: StateWord) -> Match {
    if of_segment.is(state) {
        Match::No
    } else {
        Match::Unsure
    }
}

/// Whether this reader accepts an item that is neither bytes nor a number.
#[inline(never)]
fn is_sound_rare<const TYPED: bool>(core: &Core, view: &View) -> bool {
    match view.kind {
        Kind::Large => core.items.division_of(view).is_some(),
        Kind::Typed => TYPED,
        Kind::Bytes | Kind::Number => true,
    }
}

/// Whether the item behind a slot word has this key and is alive. `TYPED`: also if it is a typed one.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
fn examine<const TYPED: bool>(
    core: &Core,
    shard: usize,
    cell: &AtomicU64,
    word: SlotWord,
    hash: u64,
    key: &[u8],
    now: impl Moment,
    found: &mut Found,
) -> Match {
    let Some(segment) = core.segments.containing(word.at()) else { return Match::No };
    let of_segment = core.segments.at(segment);
    let state = of_segment.word();
    if cell.load(Ordering::Acquire) != word.0 {
        return Match::Unsure;
    }
    if !state.holds_items_of(shard) {
        return unless_changed(of_segment, state);
    }
    let epoch = of_segment.epoch();
    let mut answer = Match::No;
    if let Some(view) = core.items.view(&core.segments, segment, word.at()) {
        let same_key = view.header.key_len() == key.len() && core.items.data.equals(view.key(), key);
        let is_sound = || matches!(view.kind, Kind::Bytes | Kind::Number) || is_sound_rare::<TYPED>(core, &view);
        if same_key && is_sound() {
            match fate::of_item(core, &view, epoch, || core.epoch(now), now) {
                Fate::Alive => {
                    found.version.name(hash, word.0, state.0, epoch);
                    describe(core, &view, found);
                    answer = Match::Yes;
                }
                Fate::Expired => found.fetched = Missed::Expired as u8,
                Fate::Flushed => found.fetched = Missed::Flushed as u8,
            }
        }
    }
    // Also a "no" counts only if it was read from the segment that the slot meant.
    fence(Ordering::Acquire);
    if of_segment.is_still(state) {
        answer
    } else {
        Match::Unsure
    }
}

/// Fills in all but the name of the version.
#[inline]
pub(crate) fn describe(core: &Core, view: &View, found: &mut Found) {
    let (meta, deadline) = core.items.told_of(view);
    found.version.deadline = deadline;
    found.value_len = view.header.value_len();
    found.number = 0;
    found.cas = 0;
    found.meta = meta;
    found.mtime = Time(view.header.mtime);
    found.deadline = deadline;
    found.value_off = view.value_off;
    found.is_number = 0;
    found.kind = view.kind as u8;
    match view.kind {
        Kind::Bytes | Kind::Typed => {}
        Kind::Number => {
            found.is_number = 1;
            found.number = core.items.number_of(view) as i64;
            // memcached never shortens a number that was counted down: it pads the text with spaces.
            found.value_len = (found.digit_count() as u64).max(view.header.value_len().min(20));
        }
        Kind::Large => found.value_len = core.items.division_of(view).map_or(0, |division| division.total()),
    }
}

/// Attributes of an item found under the lock, and how it was read.
pub(crate) fn describe_known(core: &Core, hash: u64, spot: &Spot<'_>, view: &View) -> Found {
    let of_segment = core.segments.at(view.segment);
    let mut found = Found::default();
    found.version.name(hash, spot.word.0, of_segment.word().0, of_segment.epoch());
    describe(core, view, &mut found);
    let frequency = spot.frequency();
    found.hits = frequency & FREQUENCY_MAX;
    found.fetched = u8::from(frequency & FETCHED != 0);
    found
}

/// Whether the version's segment has not been reused since.
#[inline]
pub(crate) fn is_same_use(core: &Core, version: &Version) -> bool {
    match core.segments.containing(SlotWord(version.slot).at()) {
        Some(segment) => core.segments.at(segment).is_still(StateWord(version.segment)),
        None => false,
    }
}
