//! The index: per shard a table of 64-byte buckets that grows by linear hashing, with overflow buckets behind full
//! ones. Slot words are the truth about which items live. This file changes them, under the shard's lock; `read.rs`
//! reads them without.
//!
//! Entries never move inside a chain, so a key has one slot at most and a reader that scans a chain misses nothing.
//! Only a split moves entries, and announces it in `move_seq`.
use crate::core::Core;
use crate::counters::Counter;
use crate::hash::{self, LINK, PLACE_BITS};
use crate::item::{Kind, View};
use crate::lock::Locked;
use crate::map::layout::{Bucket, SLOTS};
use crate::read::FREQUENCY_MAX;
use crate::sync::{AtomicU64, Ordering};

/// Buckets in a chain. Under linear hashing fewer than one item in a billion would need more; an attacker with
/// colliding keys evicts his own.
pub(crate) const CHAIN_MAX: usize = 8;

/// Share of the main buckets' slots in use, in percent, at which the table grows.
const LOAD_MAX: u64 = 80;

const PLACE: u64 = (1 << PLACE_BITS) - 1;

/// A slot word: tag and place of an item, a link, or 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SlotWord(pub u64);

impl SlotWord {
    pub const EMPTY: SlotWord = SlotWord(0);

    pub fn item(hash: u64, at: u64) -> SlotWord {
        SlotWord(hash::tag(hash) << PLACE_BITS | at >> 3)
    }

    /// The word of the same item at another place.
    pub fn moved_to(self, at: u64) -> SlotWord {
        SlotWord(self.0 & !PLACE | at >> 3)
    }

    fn link(bucket: u32) -> SlotWord {
        SlotWord(LINK << PLACE_BITS | u64::from(bucket))
    }

    #[inline]
    pub fn tag(self) -> u64 {
        self.0 >> PLACE_BITS
    }

    /// Offset of the item in the data region; not yet checked against anything.
    #[inline]
    pub fn at(self) -> u64 {
        (self.0 & PLACE) << 3
    }

    pub fn is_item(self) -> bool {
        self.0 != 0 && self.tag() != LINK
    }

    /// The overflow bucket that a link leads to.
    #[inline]
    pub fn linked(self) -> Option<u32> {
        (self.tag() == LINK).then_some((self.0 & PLACE).min(u64::from(u32::MAX)) as u32)
    }
}

impl Bucket {
    /// The overflow bucket that goes on where this one ends: its last slot leads there.
    #[inline]
    #[cfg_attr(model, track_caller)]
    pub fn link(&self, ordering: Ordering) -> Option<u32> {
        SlotWord(self.slots[SLOTS - 1].load(ordering)).linked()
    }
}

/// A slot of a bucket, and the word found in it.
#[derive(Clone, Copy)]
pub(crate) struct Spot<'a> {
    pub bucket: &'a Bucket,
    pub slot: usize,
    pub word: SlotWord,
}

impl Spot<'_> {
    pub fn cell(&self) -> &AtomicU64 {
        &self.bucket.slots[self.slot]
    }

    pub fn frequency(&self) -> u8 {
        self.bucket.frequency[self.slot].load(Ordering::Relaxed)
    }

    pub fn set_frequency(&self, frequency: u8) {
        self.bucket.frequency[self.slot].store(frequency, Ordering::Relaxed);
    }
}

/// What a search under the lock found.
pub(crate) struct Located<'a> {
    pub hash: u64,
    pub old: Option<Old<'a>>,
    /// The first empty slot of the chain, if the key has none.
    empty: Option<Spot<'a>>,
    last: &'a Bucket,
    length: usize,
}

/// The item that a key's slot points at.
#[derive(Clone, Copy)]
pub(crate) struct Old<'a> {
    pub spot: Spot<'a>,
    pub view: View,
    /// Neither expired nor flushed.
    pub is_alive: bool,
}

impl Located<'_> {
    /// The item, if it is alive.
    #[inline]
    pub fn live(&self) -> Option<&View> {
        self.old.as_ref().filter(|old| old.is_alive).map(|old| &old.view)
    }
}

impl Core {
    /// Number of main buckets of a shard; whatever the file says, a number that can be.
    #[inline]
    pub fn buckets(&self, shard: usize) -> u32 {
        self.shards.at(shard).buckets.load(Ordering::Acquire).clamp(1, self.map.geometry.buckets_max)
    }

    #[inline]
    pub fn bucket(&self, shard: usize, bucket: u32) -> &Bucket {
        self.index.at(self.place_of(shard, bucket))
    }

    /// Where a main bucket lies in the index.
    #[inline]
    pub fn place_of(&self, shard: usize, bucket: u32) -> usize {
        shard * self.map.geometry.buckets_max as usize + bucket as usize
    }

    /// An overflow bucket; None when a damaged link leads nowhere.
    #[inline]
    pub fn overflow_bucket(&self, shard: usize, bucket: u32) -> Option<&Bucket> {
        self.overflow_place(shard, bucket).map(|place| self.overflow.at(place))
    }

    /// Where an overflow bucket lies in its region.
    #[inline]
    pub fn overflow_place(&self, shard: usize, bucket: u32) -> Option<usize> {
        let max = self.map.geometry.overflow_max();
        (bucket < max).then(|| shard * max as usize + bucket as usize)
    }

    /// The buckets of a chain, first to last.
    pub fn chain(&self, shard: usize, bucket: u32) -> impl Iterator<Item = &Bucket> {
        let mut next = Some(self.bucket(shard, bucket));
        let step = move || {
            let bucket = next?;
            next = bucket.link(Ordering::Acquire).and_then(|link| self.overflow_bucket(shard, link));
            Some(bucket)
        };
        std::iter::from_fn(step).take(CHAIN_MAX)
    }

    /// All item slots of a chain.
    pub fn spots(&self, shard: usize, bucket: u32) -> impl Iterator<Item = Spot<'_>> {
        let of_bucket = |bucket| {
            (0..SLOTS).map(move |slot| Spot {
                bucket,
                slot,
                word: SlotWord(bucket.slots[slot].load(Ordering::Acquire)),
            })
        };
        self.chain(shard, bucket).flat_map(of_bucket).filter(|spot| spot.word.is_item())
    }

    /// The item that a slot word of `shard` points at, if it can be one. Under the lock every word of a sound arena
    /// can.
    #[inline]
    pub fn item_behind(&self, shard: usize, word: SlotWord) -> Option<View> {
        let segment = self.segment_at(word.at())?;
        let state = self.state(segment);
        if !state.holds_items_of(shard) {
            return None;
        }
        self.view(segment, word.at())
    }
}

impl<'a> Locked<'a> {
    pub fn bucket_of(&self, hash: u64) -> u32 {
        hash::bucket(hash, self.core.buckets(self.index))
    }

    /// Searches the chain of a key. A key has one slot at most, so the first match ends the search.
    pub fn locate(&self, hash: u64, key: &[u8]) -> Located<'a> {
        let core = self.core;
        let tag = hash::tag(hash);
        let mut located =
            Located { hash, old: None, empty: None, last: core.bucket(self.index, self.bucket_of(hash)), length: 1 };
        loop {
            let bucket = located.last;
            // Relaxed: the lock orders these loads against every other writer.
            for slot in 0..SLOTS {
                let word = SlotWord(bucket.slots[slot].load(Ordering::Relaxed));
                if word.tag() == tag {
                    let Some(view) = core.item_behind(self.index, word) else { continue };
                    if view.header.key_len() == key.len() && core.data.equals(view.key(), key) {
                        located.old =
                            Some(Old { spot: Spot { bucket, slot, word }, view, is_alive: self.is_alive(&view) });
                        return located;
                    }
                }
            }
            if located.empty.is_none() {
                let empty = bucket.slots.iter().position(|slot| slot.load(Ordering::Relaxed) == 0);
                located.empty = empty.map(|slot| Spot { bucket, slot, word: SlotWord::EMPTY });
            }
            match bucket.link(Ordering::Relaxed).and_then(|link| core.overflow_bucket(self.index, link)) {
                Some(next) if located.length < CHAIN_MAX => located.last = next,
                _ => return located,
            }
            located.length += 1;
        }
    }

    /// Neither expired nor flushed.
    #[inline(always)]
    pub fn is_alive(&self, view: &View) -> bool {
        self.core.epoch_of(view.segment) == self.epoch && !view.header.deadline().is_past(self)
    }

    /// The slot that points at the item at `at`, whose key has this hash.
    pub fn spot_of(&self, hash: u64, at: u64) -> Option<Spot<'a>> {
        let word = SlotWord::item(hash, at);
        let mut bucket = self.core.bucket(self.index, self.bucket_of(hash));
        for _ in 0..CHAIN_MAX {
            if let Some(slot) = bucket.slots.iter().position(|slot| slot.load(Ordering::Relaxed) == word.0) {
                return Some(Spot { bucket, slot, word });
            }
            bucket = self.core.overflow_bucket(self.index, bucket.link(Ordering::Relaxed)?)?;
        }
        None
    }

    /// Points the index at a new version of a key. This one store is the commit of every write.
    pub fn commit(&self, located: &Located<'a>, word: SlotWord) {
        if let Some(old) = &located.old {
            // Nobody has read the new version yet. How often the key is read still counts for eviction.
            old.spot.set_frequency(old.spot.frequency() & FREQUENCY_MAX);
            old.spot.cell().store(word.0, Ordering::Release);
            return;
        }
        bump(&self.shard().occupied);
        if let Some(spot) = &located.empty {
            spot.set_frequency(0);
            spot.cell().store(word.0, Ordering::Release);
        } else if !self.extend_chain(located, word) {
            // A full bucket without a link holds seven items, unless the file is damaged.
            let Some(coldest) = self.coldest_of(located) else { return };
            coldest.set_frequency(0);
            coldest.cell().store(word.0, Ordering::Release);
            self.uncount_item(coldest.word);
            self.forget(coldest.word);
            self.count(Counter::Evicted, 1);
        }
    }

    /// Whether a new key finds no slot, and nothing may be evicted for it.
    #[inline]
    pub fn refuses(&self, located: &Located<'_>) -> bool {
        let needs_bucket = located.old.is_none() && located.empty.is_none();
        needs_bucket && !self.core.evicts && (located.length >= CHAIN_MAX || self.free_overflow().is_none())
    }

    fn coldest_of(&self, located: &Located<'a>) -> Option<Spot<'a>> {
        let last = located.last;
        let spots = (0..SLOTS).map(|slot| Spot {
            bucket: last,
            slot,
            word: SlotWord(last.slots[slot].load(Ordering::Relaxed)),
        });
        spots.filter(|spot| spot.word.is_item()).min_by_key(Spot::frequency)
    }

    /// Adds an overflow bucket with `word` behind a full chain. One store links it: before that store nobody reaches
    /// it, and the entry whose slot becomes the link is in both places.
    fn extend_chain(&self, located: &Located<'a>, word: SlotWord) -> bool {
        if located.length >= CHAIN_MAX {
            return false;
        }
        let Some(number) = self.take_overflow() else { return false };
        let Some(bucket) = self.core.overflow_bucket(self.index, number) else { return false };
        let displaced = &located.last.slots[SLOTS - 1];
        clear(bucket);
        bucket.slots[0].store(displaced.load(Ordering::Relaxed), Ordering::Relaxed);
        bucket.frequency[0].store(located.last.frequency[SLOTS - 1].load(Ordering::Relaxed), Ordering::Relaxed);
        bucket.slots[1].store(word.0, Ordering::Relaxed);
        displaced.store(SlotWord::link(number).0, Ordering::Release);
        true
    }

    /// Takes a free overflow bucket. A kill before it is linked leaks 64 bytes until the next recovery.
    fn take_overflow(&self) -> Option<u32> {
        let number = self.free_overflow()?;
        self.set_overflow_used(number, true);
        self.shard().overflow_hint.store(number / 64, Ordering::Relaxed);
        Some(number)
    }

    /// A free overflow bucket.
    fn free_overflow(&self) -> Option<u32> {
        let words = self.core.map.geometry.overflow_words();
        let available = u64::from(self.shard().chunks.load(Ordering::Acquire))
            * u64::from(self.core.map.geometry.chunk_buckets)
            / 2;
        let available = available.min(u64::from(self.core.map.geometry.overflow_max())) as usize;
        let used_words = available.div_ceil(64);
        if used_words == 0 {
            return None;
        }
        let hint = self.shard().overflow_hint.load(Ordering::Relaxed) as usize % used_words;
        for step in 0..used_words {
            let word = (hint + step) % used_words;
            let cell = self.core.overflow_map.at(self.index * words + word);
            let free = !cell.load(Ordering::Relaxed);
            let number = word * 64 + free.trailing_zeros() as usize;
            if free != 0 && number < available {
                return Some(number as u32);
            }
        }
        None
    }

    pub fn clear_overflow_map(&self) {
        let words = self.core.map.geometry.overflow_words();
        for word in self.index * words..(self.index + 1) * words {
            self.core.overflow_map.at(word).store(0, Ordering::Relaxed);
        }
    }

    /// Notes whether an overflow bucket is in use. One that there cannot be is that of a damaged link.
    pub fn set_overflow_used(&self, number: u32, used: bool) {
        if number >= self.core.map.geometry.overflow_max() {
            return;
        }
        let cell =
            self.core.overflow_map.at(self.index * self.core.map.geometry.overflow_words() + number as usize / 64);
        if used {
            cell.fetch_or(1 << (number % 64), Ordering::Relaxed);
        } else {
            cell.fetch_and(!(1 << (number % 64)), Ordering::Relaxed);
        }
    }

    /// Empties a slot: the commit of a deletion or an eviction.
    pub fn remove(&self, hash: u64, spot: &Spot<'a>, view: &View) {
        spot.cell().store(0, Ordering::Release);
        self.uncount_item(spot.word);
        self.bury(view);
        if spot.bucket.slots.iter().all(|slot| slot.load(Ordering::Relaxed) == 0) {
            self.unlink_tail(self.bucket_of(hash));
        }
    }

    /// Takes empty overflow buckets off the end of a chain. Never from its middle: a reader inside a bucket that is
    /// used again at once would follow a foreign chain and miss what stands behind.
    fn unlink_tail(&self, bucket: u32) {
        loop {
            let mut before_last: Option<&Bucket> = None;
            let mut last = self.core.bucket(self.index, bucket);
            let mut length = 1;
            while let Some(next) = last.link(Ordering::Relaxed) {
                let Some(next) = self.core.overflow_bucket(self.index, next) else { return };
                length += 1;
                if length > CHAIN_MAX {
                    return;
                }
                before_last = Some(last);
                last = next;
            }
            let Some(before) = before_last else { return };
            if last.slots.iter().any(|slot| slot.load(Ordering::Relaxed) != 0) {
                return;
            }
            let link = before.link(Ordering::Relaxed);
            before.slots[SLOTS - 1].store(0, Ordering::Release);
            if let Some(number) = link {
                self.set_overflow_used(number, false);
            }
        }
    }

    /// Whether the table is full enough to split a bucket.
    pub fn wants_split(&self) -> bool {
        let buckets = u64::from(self.core.buckets(self.index));
        self.shard().occupied.load(Ordering::Relaxed).saturating_mul(100) > buckets * SLOTS as u64 * LOAD_MAX
    }

    /// Splits the next bucket: copies its movers into the new bucket, publishes that, then clears them from the old
    /// one.
    pub fn split(&self) {
        let core = self.core;
        let buckets = core.buckets(self.index);
        let chunks = u64::from(self.shard().chunks.load(Ordering::Acquire));
        if u64::from(buckets)
            >= (chunks * u64::from(core.map.geometry.chunk_buckets)).min(u64::from(core.map.geometry.buckets_max))
        {
            return;
        }
        let source = buckets - (1 << buckets.ilog2());
        let target = core.bucket(self.index, buckets);
        clear(target);
        let mut last = target;
        let mut filled = 0;
        for spot in core.spots(self.index, source) {
            if !self.moves_to(&spot, buckets) {
                continue;
            }
            if filled == SLOTS {
                // Not linked to anything that a reader reaches, so the order of these stores does not matter.
                let Some((number, bucket)) =
                    self.take_overflow().and_then(|number| Some((number, core.overflow_bucket(self.index, number)?)))
                else {
                    self.release_chain(buckets);
                    return;
                };
                clear(bucket);
                bucket.slots[0].store(last.slots[SLOTS - 1].load(Ordering::Relaxed), Ordering::Relaxed);
                bucket.frequency[0].store(last.frequency[SLOTS - 1].load(Ordering::Relaxed), Ordering::Relaxed);
                last.slots[SLOTS - 1].store(SlotWord::link(number).0, Ordering::Relaxed);
                last = bucket;
                filled = 1;
            }
            last.slots[filled].store(spot.word.0, Ordering::Relaxed);
            last.frequency[filled].store(spot.frequency(), Ordering::Relaxed);
            filled += 1;
        }
        // Readers that see the new number find the movers in the new bucket, the others still in the old one.
        self.shard().buckets.store(buckets + 1, Ordering::Release);
        self.shard().move_seq.fetch_add(1, Ordering::AcqRel);
        self.clear_movers(source, buckets);
    }

    fn moves_to(&self, spot: &Spot<'_>, target: u32) -> bool {
        let view = self.core.item_behind(self.index, spot.word);
        view.is_some_and(|view| {
            hash::bucket(self.core.hash_at(view.key(), view.header.key_len()), target + 1) == target
        })
    }

    /// Clears from `source` what the split that made bucket `target` has moved there. Also the second half of a split
    /// whose owner was killed.
    pub fn clear_movers(&self, source: u32, target: u32) {
        for spot in self.core.spots(self.index, source) {
            if self.moves_to(&spot, target) {
                spot.cell().store(0, Ordering::Release);
            }
        }
        self.unlink_tail(source);
    }

    /// Gives the overflow buckets of a chain that was never published back.
    fn release_chain(&self, bucket: u32) {
        for bucket in self.core.chain(self.index, bucket) {
            if let Some(number) = bucket.link(Ordering::Relaxed) {
                self.set_overflow_used(number, false);
            }
        }
    }

    /// One more live item of this epoch.
    pub fn count_item(&self) {
        bump(&self.shard().items);
    }

    /// One slot less in use, and one live item less unless a flush has taken it off the count already.
    fn uncount_item(&self, word: SlotWord) {
        let shard = self.shard();
        subtract(&shard.occupied, 1);
        let counted = self
            .core
            .segment_at(word.at())
            .is_some_and(|segment| self.core.epoch_of(segment) == shard.counted_epoch.load(Ordering::Relaxed));
        if counted {
            subtract(&shard.items, 1);
        }
    }

    /// The item behind a word that no slot holds any more is dead.
    pub fn forget(&self, word: SlotWord) {
        if let Some(view) = self.core.item_behind(self.index, word) {
            self.bury(&view);
        }
    }

    /// An item that no slot reaches any more: its bytes are dead, and what hangs on it is freed.
    #[inline]
    pub fn bury(&self, view: &View) {
        self.unpublish(view.segment, view.size());
        if view.kind == Kind::Large {
            self.free_extents(view);
        }
    }
}

/// Empties a bucket that nobody reaches.
pub(crate) fn clear(bucket: &Bucket) {
    for slot in &bucket.slots {
        slot.store(0, Ordering::Relaxed);
    }
    for frequency in &bucket.frequency {
        frequency.store(0, Ordering::Relaxed);
    }
}

/// Under the lock a plain load and store will do.
fn bump(counter: &AtomicU64) {
    counter.store(counter.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
}

fn subtract(counter: &AtomicU64, by: u64) {
    counter.store(counter.load(Ordering::Relaxed).saturating_sub(by), Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use crate::sync::Ordering;
    use crate::{Arena, Deadline, OpenOptions, Time};

    /// The number of a link is looked at more than once, and somebody may have changed it in between: what marks its
    /// bucket panicked.
    #[test]
    fn a_link_to_nowhere_marks_no_bucket() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let options = OpenOptions { memory: 8 << 20, cores: 1, ..OpenOptions::default() };
        let (arena, _) = Arena::open(&dir.path().join("link.arena"), &options).expect("an arena");
        arena.set(b"a", b"1", Deadline::NEVER, Time::now()).expect("room");
        let locked = arena.core.lock(0, Time::now()).expect("free");
        for number in [arena.core.map.geometry.overflow_max(), u32::MAX] {
            locked.set_overflow_used(number, true);
        }
        let used =
            (0..arena.core.overflow_map.len()).map(|word| arena.core.overflow_map.at(word).load(Ordering::Relaxed));
        assert_eq!(used.sum::<u64>(), 0);
    }
}
