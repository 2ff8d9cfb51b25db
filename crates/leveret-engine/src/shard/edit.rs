//! Editing the index of a shard, whose lock is held. `index/` says how it is built.
use crate::counters::Counter;
use crate::hash;
use crate::index::{SlotWord, Spot, CHAIN_MAX, FREQUENCY_MAX, UNREAD, WATCHED};
use crate::item::View;
use crate::map::layout::{Bucket, SLOTS};
use crate::policy::EvictionPolicy;
use crate::shard::{pieces, tell_evicted, Locked};
use crate::sync::{AtomicU64, Ordering};

/// Share of the main buckets' slots in use, in percent, at which the table grows.
const LOAD_MAX: u64 = 80;

/// Result of a search under the lock.
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

/// Searches the chain of a key. A key has one slot at most, so the first match ends the search.
pub(crate) fn locate<'a>(locked: &Locked<'a>, hash: u64, key: &[u8]) -> Located<'a> {
    let core = locked.core;
    let tag = hash::tag(hash);
    let mut located = Located {
        hash,
        old: None,
        empty: None,
        last: core.index.bucket(locked.index, locked.core.index.bucket_of(locked.index, hash)),
        length: 1,
    };
    loop {
        let bucket = located.last;
        // Relaxed: the lock orders these loads against every other writer.
        for slot in 0..SLOTS {
            let word = SlotWord(bucket.slots[slot].load(Ordering::Relaxed));
            if word.tag() == tag {
                let Some(view) = core.item_behind(locked.index, word) else { continue };
                if view.header.key_len() == key.len() && core.items.data.equals(view.key(), key) {
                    located.old =
                        Some(Old { spot: Spot { bucket, slot, word }, view, is_alive: locked.is_alive(&view) });
                    return located;
                }
            }
        }
        if located.empty.is_none() {
            let empty = bucket.slots.iter().position(|slot| slot.load(Ordering::Relaxed) == 0);
            located.empty = empty.map(|slot| Spot { bucket, slot, word: SlotWord::EMPTY });
        }
        match bucket.link(Ordering::Relaxed).and_then(|link| core.index.overflow_bucket(locked.index, link)) {
            Some(next) if located.length < CHAIN_MAX => located.last = next,
            _ => return located,
        }
        located.length += 1;
    }
}

/// The slot that points at the item at `at`, whose key has this hash.
pub(crate) fn spot_of<'a>(locked: &Locked<'a>, hash: u64, at: u64) -> Option<Spot<'a>> {
    let word = SlotWord::item(hash, at);
    let index = &locked.core.index;
    let mut bucket = index.bucket(locked.index, index.bucket_of(locked.index, hash));
    for _ in 0..CHAIN_MAX {
        if let Some(slot) = bucket.slots.iter().position(|slot| slot.load(Ordering::Relaxed) == word.0) {
            return Some(Spot { bucket, slot, word });
        }
        bucket = index.overflow_bucket(locked.index, bucket.link(Ordering::Relaxed)?)?;
    }
    None
}

/// Points the index at a new version of a key. This one store is the commit of every write.
pub(crate) fn commit<'a>(locked: &Locked<'a>, located: &Located<'a>, word: SlotWord) {
    if let Some(old) = &located.old {
        // The new version has no reads yet. The key's read frequency still counts for eviction.
        old.spot.set_frequency(old.spot.frequency() & FREQUENCY_MAX);
        old.spot.cell().store(word.0, Ordering::Release);
        return;
    }
    bump(&locked.shard().tally.occupied);
    if let Some(spot) = &located.empty {
        spot.set_frequency(0);
        spot.cell().store(word.0, Ordering::Release);
    } else if !extend_chain(locked, located, word) {
        // A full bucket without a link holds seven items, unless the file is damaged.
        let Some(spot) = least_useful_of(locked, located) else { return };
        make_way(locked, &spot);
        spot.set_frequency(0);
        spot.cell().store(word.0, Ordering::Release);
        uncount_item(locked, spot.word);
        forget(locked, spot.word);
    }
}

/// Accounts for the item whose slot another key takes.
#[cold]
fn make_way(locked: &Locked<'_>, spot: &Spot<'_>) {
    match locked.core.item_behind(locked.index, spot.word) {
        Some(view) if locked.is_alive(&view) => tell_evicted::tell(locked, locked.core.hash_of(&view), spot, &view),
        Some(_) => locked.count(Counter::Expired, 1),
        None => {}
    }
}

/// Whether a new key finds no slot, and nothing may be evicted for it.
#[inline]
pub(crate) fn refuses(locked: &Locked<'_>, located: &Located<'_>) -> bool {
    let needs_bucket = located.old.is_none() && located.empty.is_none();
    needs_bucket && locked.core.policy() != EvictionPolicy::All && is_full(locked, located)
}

/// Whether no bucket can be added to a full chain, and no item of its last one may make way.
#[cold]
fn is_full(locked: &Locked<'_>, located: &Located<'_>) -> bool {
    let has_bucket = located.length < CHAIN_MAX && free_overflow(locked).is_some();
    !has_bucket && least_useful_of(locked, located).is_none()
}

/// The slot of a full chain's last bucket that is given to another key: a dead item's, else that of the item read least of
/// those that may be dropped.
fn least_useful_of<'a>(locked: &Locked<'a>, located: &Located<'a>) -> Option<Spot<'a>> {
    let last = located.last;
    let spots =
        (0..SLOTS).map(|slot| Spot { bucket: last, slot, word: SlotWord(last.slots[slot].load(Ordering::Relaxed)) });
    let is_alive =
        |spot: &Spot<'a>| locked.core.item_behind(locked.index, spot.word).is_some_and(|view| locked.is_alive(&view));
    let may_go =
        |spot: &Spot<'a>| locked.core.item_behind(locked.index, spot.word).is_none_or(|view| locked.may_evict(&view));
    let items = spots.filter(|spot| spot.word.is_item() && (!is_alive(spot) || may_go(spot)));
    items.min_by_key(|spot| (is_alive(spot), spot.frequency() & !(WATCHED | UNREAD)))
}

/// Adds an overflow bucket with `word` behind a full chain. One store links it: before that store no reader reaches it,
/// and the entry whose slot becomes the link is in both places.
fn extend_chain<'a>(locked: &Locked<'a>, located: &Located<'a>, word: SlotWord) -> bool {
    if located.length >= CHAIN_MAX {
        return false;
    }
    let Some(number) = take_overflow(locked) else { return false };
    let Some(bucket) = locked.core.index.overflow_bucket(locked.index, number) else { return false };
    let displaced = &located.last.slots[SLOTS - 1];
    clear(bucket);
    bucket.slots[0].store(displaced.load(Ordering::Relaxed), Ordering::Relaxed);
    bucket.frequency[0].store(located.last.frequency[SLOTS - 1].load(Ordering::Relaxed), Ordering::Relaxed);
    bucket.slots[1].store(word.0, Ordering::Relaxed);
    displaced.store(SlotWord::link(number).0, Ordering::Release);
    true
}

/// Takes a free overflow bucket. A kill before it is linked leaks 64 bytes until the next recovery.
fn take_overflow(locked: &Locked<'_>) -> Option<u32> {
    let number = free_overflow(locked)?;
    set_overflow_used(locked, number, true);
    locked.shard().tally.overflow_hint.store(number / 64, Ordering::Relaxed);
    Some(number)
}

/// A free overflow bucket.
fn free_overflow(locked: &Locked<'_>) -> Option<u32> {
    let index = &locked.core.index;
    let available = (index.allocated(locked.index) / 2).min(u64::from(index.overflow_max())) as usize;
    let used_words = available.div_ceil(64);
    if used_words == 0 {
        return None;
    }
    let hint = locked.shard().tally.overflow_hint.load(Ordering::Relaxed) as usize % used_words;
    for step in 0..used_words {
        let word = (hint + step) % used_words;
        let cell = index.overflow_word(locked.index, word);
        let free = !cell.load(Ordering::Relaxed);
        let number = word * 64 + free.trailing_zeros() as usize;
        if free != 0 && number < available {
            return Some(number as u32);
        }
    }
    None
}

pub(crate) fn clear_overflow_map(locked: &Locked<'_>) {
    for word in 0..locked.core.index.overflow_words() {
        locked.core.index.overflow_word(locked.index, word).store(0, Ordering::Relaxed);
    }
}

/// Notes whether an overflow bucket is in use. One that there cannot be is that of a damaged link.
pub(crate) fn set_overflow_used(locked: &Locked<'_>, number: u32, used: bool) {
    if number >= locked.core.index.overflow_max() {
        return;
    }
    let cell = locked.core.index.overflow_word(locked.index, number as usize / 64);
    if used {
        cell.fetch_or(1 << (number % 64), Ordering::Relaxed);
    } else {
        cell.fetch_and(!(1 << (number % 64)), Ordering::Relaxed);
    }
}

/// Empties a slot: the commit of a deletion or an eviction.
pub(crate) fn remove<'a>(locked: &Locked<'a>, hash: u64, spot: &Spot<'a>, view: &View) {
    spot.cell().store(0, Ordering::Release);
    uncount_item(locked, spot.word);
    pieces::retire_item(locked, view);
    if spot.bucket.slots.iter().all(|slot| slot.load(Ordering::Relaxed) == 0) {
        unlink_tail(locked, locked.core.index.bucket_of(locked.index, hash));
    }
}

/// Removes empty overflow buckets from the end of a chain. Never from its middle: a reader inside a bucket that is
/// reused at once would follow a foreign chain and miss the entries behind it.
fn unlink_tail(locked: &Locked<'_>, bucket: u32) {
    loop {
        let mut before_last: Option<&Bucket> = None;
        let mut last = locked.core.index.bucket(locked.index, bucket);
        let mut length = 1;
        while let Some(next) = last.link(Ordering::Relaxed) {
            let Some(next) = locked.core.index.overflow_bucket(locked.index, next) else { return };
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
            set_overflow_used(locked, number, false);
        }
    }
}

/// Whether the table is full enough to split a bucket.
pub(crate) fn wants_split(locked: &Locked<'_>) -> bool {
    let buckets = u64::from(locked.core.index.buckets(locked.index));
    locked.shard().tally.occupied.load(Ordering::Relaxed).saturating_mul(100) > buckets * SLOTS as u64 * LOAD_MAX
}

/// Splits the next bucket: copies its movers into the new bucket, publishes that, then clears them from the old
/// one. Which items move their keys tell, in memory that was last used when they were written: so a split asks for what
/// the next one will read.
pub(crate) fn split(locked: &Locked<'_>) {
    let core = locked.core;
    let buckets = core.index.buckets(locked.index);
    if u64::from(buckets) >= core.index.allocated(locked.index).min(u64::from(core.index.buckets_max)) {
        return;
    }
    let source = buckets - (1 << buckets.ilog2());
    let target = core.index.bucket(locked.index, buckets);
    clear(target);
    let mut last = target;
    let mut filled = 0;
    // A bit for each item of the chain.
    let mut movers = 0u64;
    const { assert!(CHAIN_MAX * SLOTS <= u64::BITS as usize) };
    for (number, spot) in core.index.spots(locked.index, source).enumerate() {
        if !moves_to(locked, &spot, buckets) {
            continue;
        }
        movers |= 1 << number;
        if filled == SLOTS {
            // Not linked to anything that a reader reaches, so the order of these stores does not matter.
            let Some((number, bucket)) = take_overflow(locked)
                .and_then(|number| Some((number, core.index.overflow_bucket(locked.index, number)?)))
            else {
                release_chain(locked, buckets);
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
    locked.shard().buckets.store(buckets + 1, Ordering::Release);
    locked.shard().move_seq.fetch_add(1, Ordering::Relaxed);
    for (number, spot) in core.index.spots(locked.index, source).enumerate() {
        if movers >> number & 1 != 0 {
            spot.cell().store(0, Ordering::Release);
        }
    }
    unlink_tail(locked, source);
    ask_for_next_splits(locked);
}

/// Asks for the items that the next split reads, for the overflow bucket of the one after that, and for the bucket of the
/// third: each split finds here what the ones before it have asked for.
fn ask_for_next_splits(locked: &Locked<'_>) {
    let (core, shard) = (locked.core, locked.index);
    let buckets = core.index.buckets(shard);
    let source = buckets - (1 << buckets.ilog2());
    for spot in core.index.spots(shard, source) {
        core.items.data.ask_for_key(spot.word.at());
    }
    if let Some(link) = core.index.bucket(shard, source + 1).link(Ordering::Relaxed) {
        core.index.ask_for_overflow(shard, link);
    }
    core.index.ask_for_bucket(shard, source + 2);
}

fn moves_to(locked: &Locked<'_>, spot: &Spot<'_>, target: u32) -> bool {
    let view = locked.core.item_behind(locked.index, spot.word);
    view.is_some_and(|view| hash::bucket(locked.core.hash_of(&view), target + 1) == target)
}

/// Clears from `source` what the split that made bucket `target` has moved there: the second half of a split whose owner
/// was killed.
pub(crate) fn clear_movers(locked: &Locked<'_>, source: u32, target: u32) {
    for spot in locked.core.index.spots(locked.index, source) {
        if moves_to(locked, &spot, target) {
            spot.cell().store(0, Ordering::Release);
        }
    }
    unlink_tail(locked, source);
}

/// Gives the overflow buckets of a chain that was never published back.
fn release_chain(locked: &Locked<'_>, bucket: u32) {
    for bucket in locked.core.index.chain(locked.index, bucket) {
        if let Some(number) = bucket.link(Ordering::Relaxed) {
            set_overflow_used(locked, number, false);
        }
    }
}

/// One more live item of this epoch.
pub(crate) fn count_item(locked: &Locked<'_>) {
    bump(&locked.shard().tally.items);
}

/// One slot less in use, and one live item less unless a flush has taken it off the count already.
fn uncount_item(locked: &Locked<'_>, word: SlotWord) {
    let shard = locked.shard();
    subtract(&shard.tally.occupied, 1);
    let counted = locked
        .core
        .segments
        .containing(word.at())
        .is_some_and(|segment| locked.core.segments.epoch_of(segment) == shard.tally.epoch.load(Ordering::Relaxed));
    if counted {
        subtract(&shard.tally.items, 1);
    }
}

/// The item behind a word that no slot holds any more is dead.
pub(crate) fn forget(locked: &Locked<'_>, word: SlotWord) {
    if let Some(view) = locked.core.item_behind(locked.index, word) {
        pieces::retire_item(locked, &view);
    }
}

/// Empties a bucket that no reader reaches.
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
    use super::*;
    use crate::shard;
    use crate::sync::Ordering;
    use crate::{Arena, Deadline, OpenOptions, Time};

    /// The number of a link is read more than once, and another process may have changed it in between: marking its
    /// bucket panicked.
    #[test]
    fn a_link_to_nowhere_marks_no_bucket() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let options = OpenOptions::new().memory(8 << 20).cores(1);
        let (arena, _) = Arena::open(&dir.path().join("link.arena"), &options).expect("an arena");
        arena.set(b"a", b"1", Deadline::NEVER, Time::now()).expect("room");
        let locked = shard::lock(&arena.core, 0, Time::now()).expect("free");
        for number in [arena.core.index.overflow_max(), u32::MAX] {
            set_overflow_used(&locked, number, true);
        }
        let index = &arena.core.index;
        let used = (0..index.overflow_words()).map(|word| index.overflow_word(0, word).load(Ordering::Relaxed));
        assert_eq!(used.sum::<u64>(), 0);
    }
}
