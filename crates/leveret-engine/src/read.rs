//! Reading: no lock, no wait, no write but a frequency hint. A seqlock for each segment, whose sequence number is its
//! generation.
//!
//! A slot word is loaded, the segment's state word, the slot again, then the item's bytes, then the state word again.
//! If the generation is the same, no byte that was read belongs to a later use of the segment: whoever reuses it stores
//! the new generation first and fences before the first byte. The read takes effect at the second load of the slot.
use crate::arena::Arena;
use crate::core::Core;
use crate::counters::Counter;
use crate::error::Error;
use crate::found::{Found, Item, Version};
use crate::hash;
use crate::index::{SlotWord, Spot, CHAIN_MAX};
use crate::item::{Kind, View};
use crate::lock::Locked;
use crate::map::layout::{Bucket, SLOTS};
use crate::segment::{SegmentId, StateWord};
use crate::sync::{fence, AtomicU64, Ordering};
use crate::time::{Deadline, Moment, Time};
use std::mem::MaybeUninit;

/// A read that meets a change of the index begins anew; after so many times it answers a miss, and `Stats::retries`
/// counts it.
const TRIES: usize = 64;
/// Copies that are recycled under the reader before it takes the lock.
const COPIES: usize = 2;

/// The frequency byte: four bits count reads up to 15, the next says that there was one.
pub(crate) const FREQUENCY_MAX: u8 = 15;
pub(crate) const FETCHED: u8 = 16;

enum Look<'a> {
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

/// How an item is looked for. As it comes: a get, which counts as a hit or a miss, and its item as read.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadOptions {
    hash: Option<u64>,
    is_untraced: bool,
    with_cas: bool,
}

impl ReadOptions {
    /// A get.
    pub const fn new() -> ReadOptions {
        ReadOptions { hash: None, is_untraced: false, with_cas: false }
    }

    /// Also tells the cas token. The first time that an item is asked for it, it is marked, under the lock, so that a
    /// copy of it keeps that token.
    pub const fn with_cas(self) -> ReadOptions {
        ReadOptions { with_cas: true, ..self }
    }

    /// Leaves no trace: no count, and the item is not taken for read.
    pub const fn untraced(self) -> ReadOptions {
        ReadOptions { is_untraced: true, ..self }
    }

    /// The key's hash, which `Arena::ask_for` has told.
    pub const fn hashed(self, hash: u64) -> ReadOptions {
        ReadOptions { hash: Some(hash), ..self }
    }
}

impl Arena {
    /// The item under `key`, copied out.
    pub fn get(&self, key: &[u8], now: Time) -> Option<Item> {
        self.get_with(key, ReadOptions::new(), now).ok().flatten()
    }

    /// As `get`, on further terms, and for those who may not take for a miss what could not be read: an item that was
    /// recycled during each copy, and whose lock was not to be had then.
    pub fn get_with(&self, key: &[u8], options: ReadOptions, now: Time) -> Result<Option<Item>, Error> {
        let mut value = Vec::new();
        Ok(self.read_into(key, options, now, &mut value)?.map(|found| found.into_item(key, value)))
    }

    /// Whether there is a live item under `key`; counts nothing.
    pub fn contains(&self, key: &[u8], now: Time) -> bool {
        self.peek(key, now).is_some()
    }

    /// As `get_with`; the value is appended to `out`.
    pub fn read_into(
        &self,
        key: &[u8],
        options: ReadOptions,
        now: Time,
        out: &mut Vec<u8>,
    ) -> Result<Option<Found>, Error> {
        for _ in 0..COPIES {
            let Some(found) = self.find_with(key, options, now)? else { return Ok(None) };
            if self.append_value(&found, out) {
                return Ok(Some(found));
            }
        }
        // Recycled twice in the middle of a copy: under the lock it cannot be.
        let hash = self.hash_of(key, options);
        let locked = self.core.lock(self.core.shard_of(hash), now)?;
        Ok(locked.find(hash, key, options.with_cas, now).filter(|found| self.append_value(found, out)))
    }

    /// The value of an item that was found; None when it was recycled meanwhile.
    pub fn copy_to_vec(&self, found: &Found) -> Option<Vec<u8>> {
        let mut value = Vec::new();
        self.append_value(found, &mut value).then_some(value)
    }

    /// Appends the value of an item that was found to `out`. False: it was recycled meanwhile, and `out` is as it was.
    #[inline]
    pub fn append_value(&self, found: &Found, out: &mut Vec<u8>) -> bool {
        let len = found.value_len as usize;
        // A hostile arena may claim any length; what cannot be is refused before memory is asked for.
        if found.value_len > self.value_max() as u64 + 32
            || (out.capacity() - out.len() < len && out.try_reserve(len).is_err())
        {
            return false;
        }
        // SAFETY: there is room for `value_len` bytes behind the end, and `copy` has written them all when it says so.
        unsafe {
            let copied = self.copy(found, out.as_mut_ptr().add(out.len()));
            if copied {
                out.set_len(out.len() + len);
            }
            copied
        }
    }

    /// Copies the value of an item that was found to the front of `into`. None: it was recycled meanwhile; find it
    /// again.
    ///
    /// # Panics
    /// If `into` is shorter than `found.value_len`, as slices do.
    pub fn copy_into<'i>(&self, found: &Found, into: &'i mut [MaybeUninit<u8>]) -> Option<&'i [u8]> {
        let into = &mut into[..found.value_len as usize];
        // SAFETY: `into` has `value_len` bytes, all of which `copy` has written when it says so.
        unsafe {
            self.copy(found, into.as_mut_ptr().cast())
                .then(|| std::slice::from_raw_parts(into.as_ptr().cast(), into.len()))
        }
    }

    /// Looks an item up. Counts a hit or a miss.
    #[inline]
    pub fn find(&self, key: &[u8], now: impl Moment) -> Option<Found> {
        let mut found = Found::default();
        self.find_hashed(key, self.core.hash(key), now, &mut found).then_some(found)
    }

    /// Looks an item up without leaving a trace.
    pub fn peek(&self, key: &[u8], now: impl Moment) -> Option<Found> {
        let mut found = Found::default();
        self.core.meet(self.core.hash(key), key, now, &mut found).is_some().then_some(found)
    }

    /// As `find`, on further terms.
    pub fn find_with(&self, key: &[u8], options: ReadOptions, now: impl Moment) -> Result<Option<Found>, Error> {
        let mut found = Found::default();
        Ok(self.find_into(key, options, now, &mut found)?.then_some(found))
    }

    /// As `find_with`, into memory of the caller; on a miss what is there means nothing. Only a look for the cas token
    /// may fail.
    #[inline]
    pub fn find_into(
        &self,
        key: &[u8],
        options: ReadOptions,
        now: impl Moment,
        found: &mut Found,
    ) -> Result<bool, Error> {
        let hash = self.hash_of(key, options);
        let is_there = if options.is_untraced {
            self.core.meet(hash, key, now, found).is_some()
        } else {
            self.find_hashed(key, hash, now, found)
        };
        if is_there && options.with_cas {
            return self.add_cas(key, hash, now.time(), found);
        }
        Ok(is_there)
    }

    #[inline]
    fn find_hashed(&self, key: &[u8], hash: u64, now: impl Moment, found: &mut Found) -> bool {
        let core = &*self.core;
        match core.meet(hash, key, now, found) {
            Some(spot) => {
                hint(spot.bucket, spot.slot);
                core.reads.count_hit(&core.shards);
                true
            }
            None => {
                core.reads.count_miss(&core.shards);
                false
            }
        }
    }

    #[inline]
    fn hash_of(&self, key: &[u8], options: ReadOptions) -> u64 {
        match options.hash {
            Some(hash) => hash,
            None => self.core.hash(key),
        }
    }

    /// The cas token of an item that was found. False: it has gone meanwhile.
    fn add_cas(&self, key: &[u8], hash: u64, now: Time, found: &mut Found) -> Result<bool, Error> {
        let core = &*self.core;
        let view = core
            .segment_at(SlotWord(found.version.slot).at())
            .and_then(|segment| core.view(segment, SlotWord(found.version.slot).at()));
        if let Some(cas) = view.and_then(|view| core.stable_cas(found, &view)) {
            // Whatever was read of the token must belong to this version.
            fence(Ordering::Acquire);
            if core.is_same_use(&found.version) {
                found.cas = cas;
                return Ok(true);
            }
        }
        let marked = core.lock(core.shard_of(hash), now)?.find(hash, key, true, now);
        *found = marked.unwrap_or_default();
        Ok(marked.is_some())
    }

    /// Copies the value of an item that was found to `dst`. False: it was recycled meanwhile; find it again.
    ///
    /// # Safety
    /// `found` came from this arena, and `dst` has room for `found.value_len` bytes.
    #[inline]
    pub unsafe fn copy(&self, found: &Found, dst: *mut u8) -> bool {
        let core = &*self.core;
        // Before a byte is touched: the memory of a segment that was given to the index since would come back with a
        // look at it.
        if !core.is_same_use(&found.version) {
            return false;
        }
        let at = SlotWord(found.version.slot).at() + u64::from(found.value_off);
        if found.kind == Kind::Bytes as u8 {
            if at + found.value_len > core.data.len() {
                return false;
            }
            // SAFETY: the source is inside the data region, the target by contract.
            unsafe { core.data.copy_out(at, dst, found.value_len as usize) };
            fence(Ordering::Acquire);
            return core.is_same_use(&found.version);
        }
        // SAFETY: by contract.
        unsafe { self.copy_rare(found, dst) }
    }

    /// # Safety
    /// As `copy`.
    unsafe fn copy_rare(&self, found: &Found, dst: *mut u8) -> bool {
        let core = &*self.core;
        if found.is_number != 0 {
            let text = found.number_text();
            // SAFETY: `value_len` is the length of this text, by `describe`.
            unsafe { std::ptr::copy_nonoverlapping(text.as_ptr(), dst, text.len().min(found.value_len as usize)) };
            return true;
        }
        let Some(segment) = core.segment_at(SlotWord(found.version.slot).at()) else { return false };
        let Some(view) = core.view(segment, SlotWord(found.version.slot).at()) else { return false };
        if view.kind != Kind::Large {
            return false;
        }
        // The caller has made room for `value_len`: no other length is written, whatever the arena says by now.
        let Some(division) = core.division_of(&view).filter(|division| division.total() == found.value_len) else {
            return false;
        };
        let shard = StateWord(found.version.segment).shard();
        for index in 0..division.pieces {
            let extent = core.extent_of(&view, index);
            if core.piece(extent, shard, found.version.hash).is_none() {
                return false;
            }
            let (begin, len) = division.piece(index);
            // SAFETY: `piece` has checked the segment; the target by contract, since the lengths add up to `value_len`.
            unsafe { core.data.copy_out(core.start(SegmentId(extent.segment)), dst.add(begin as usize), len as usize) };
            fence(Ordering::Acquire);
            if !core.is_extent(extent, shard) {
                return false;
            }
        }
        // SAFETY: as above; `view` lies inside its segment.
        unsafe { core.data.copy_out(view.value(), dst.add(division.piece_bytes as usize), division.tail as usize) };
        fence(Ordering::Acquire);
        core.is_same_use(&found.version)
    }

    /// Whether the arena still holds this very version, alive. One index look-up: the item itself is not touched.
    /// Counts a hit.
    #[inline]
    pub fn is_current(&self, version: &Version, now: impl Moment) -> bool {
        let core = &*self.core;
        if Deadline(version.deadline).is_past(now) || core.epoch(now) != version.epoch {
            return false;
        }
        let shard = core.shard_of(version.hash);
        let mut bucket = core.bucket(shard, hash::bucket(version.hash, core.buckets(shard)));
        for _ in 0..CHAIN_MAX {
            for (slot, cell) in bucket.slots.iter().enumerate() {
                if cell.load(Ordering::Acquire) == version.slot {
                    // The same word may be another version in a segment that was used again; and the slot must still
                    // hold it after that look, or the item may have left in between.
                    let current = core.is_same_use(version) && cell.load(Ordering::Acquire) == version.slot;
                    if current {
                        hint(bucket, slot);
                        core.reads.count_hit(&core.shards);
                    }
                    return current;
                }
            }
            match bucket.link(Ordering::Acquire).and_then(|link| core.overflow_bucket(shard, link)) {
                Some(next) => bucket = next,
                None => return false,
            }
        }
        false
    }
}

/// Notes a read. Racy by design: late or lost it harms nobody, and a hot item soon stops being written at all.
#[inline]
pub(crate) fn hint(bucket: &Bucket, slot: usize) {
    let frequency = bucket.frequency[slot].load(Ordering::Relaxed);
    // A store over a hot item clears `FETCHED` and leaves the count where it was, which may be the highest.
    if frequency != (FREQUENCY_MAX | FETCHED) {
        let count = ((frequency & FREQUENCY_MAX) + 1).min(FREQUENCY_MAX);
        bucket.frequency[slot].store(count | FETCHED, Ordering::Relaxed);
    }
}

impl Core {
    /// Whether there certainly is no live item under a key. One look: if it was disturbed, that says nothing.
    #[inline(never)]
    pub fn is_absent(&self, hash: u64, key: &[u8], now: Time) -> bool {
        let shard = self.shard_of(hash);
        let seen @ (_, buckets) = self.layout_of(shard);
        let look = self.look(shard, buckets, hash, key, now, &mut Found::default());
        matches!(look, Look::Absent) && self.layout_of(shard) == seen
    }

    /// Finds the live item under a key: describes it in `found` and says which slot led there.
    #[inline(always)]
    pub fn meet(&self, hash: u64, key: &[u8], now: impl Moment, found: &mut Found) -> Option<Spot<'_>> {
        let shard = self.shard_of(hash);
        for _ in 0..TRIES {
            let seen @ (_, buckets) = self.layout_of(shard);
            match self.look(shard, buckets, hash, key, now, found) {
                Look::Here(spot) => return Some(spot),
                Look::Absent if self.layout_of(shard) == seen => return None,
                Look::Absent | Look::Again => {}
            }
        }
        self.shards.at(shard).counters[Counter::Retries as usize].fetch_add(1, Ordering::Relaxed);
        None
    }

    /// What changes with each split, which may move a key out from under a scan. All slots are loaded with Acquire, so
    /// if one showed the split's clearing, a later load shows its number.
    #[inline]
    fn layout_of(&self, shard: usize) -> (u64, u32) {
        (self.shards.at(shard).move_seq.load(Ordering::Acquire), self.buckets(shard))
    }

    #[inline(always)]
    fn look(&self, shard: usize, buckets: u32, hash: u64, key: &[u8], now: impl Moment, found: &mut Found) -> Look<'_> {
        let tag = hash::tag(hash);
        let mut bucket = self.bucket(shard, hash::bucket(hash, buckets));
        for _ in 0..CHAIN_MAX {
            for slot in 0..SLOTS {
                let word = SlotWord(bucket.slots[slot].load(Ordering::Acquire));
                if word.tag() == tag {
                    match self.examine(shard, &bucket.slots[slot], word, hash, key, now, found) {
                        Match::Yes => {
                            let frequency = bucket.frequency[slot].load(Ordering::Relaxed);
                            found.hits = frequency & FREQUENCY_MAX;
                            found.fetched = u8::from(frequency & FETCHED != 0);
                            return Look::Here(Spot { bucket, slot, word });
                        }
                        Match::No => {}
                        Match::Unsure => return Look::Again,
                    }
                }
            }
            match bucket.link(Ordering::Acquire).and_then(|link| self.overflow_bucket(shard, link)) {
                Some(following) => bucket = following,
                None => return Look::Absent,
            }
        }
        Look::Absent
    }

    /// Whether the item behind a slot word has this key and is alive.
    #[inline(always)]
    #[allow(clippy::too_many_arguments)]
    fn examine(
        &self,
        shard: usize,
        cell: &AtomicU64,
        word: SlotWord,
        hash: u64,
        key: &[u8],
        now: impl Moment,
        found: &mut Found,
    ) -> Match {
        let Some(segment) = self.segment_at(word.at()) else { return Match::No };
        let cells = self.states.at(segment.0 as usize);
        let state = StateWord(cells.state.load(Ordering::Acquire));
        if cell.load(Ordering::Acquire) != word.0 {
            return Match::Unsure;
        }
        if !state.holds_items_of(shard) {
            // Only if it still is so: a segment that was free a moment ago may hold the key's next version by now, at
            // the very place of the one before, and then the slot has its word again.
            return if state.0 == cells.state.load(Ordering::Relaxed) { Match::No } else { Match::Unsure };
        }
        let epoch = cells.epoch.load(Ordering::Relaxed);
        let mut answer = Match::No;
        if let Some(view) = self.view(segment, word.at()) {
            let same_key = view.header.key_len() == key.len() && self.data.equals(view.key(), key);
            let is_sound = view.kind != Kind::Large || self.division_of(&view).is_some();
            if same_key && is_sound && !view.header.deadline().is_past(now) && epoch == self.epoch(now) {
                let version = Version { hash, slot: word.0, segment: state.0, epoch, deadline: view.header.deadline };
                self.describe(&view, version, found);
                answer = Match::Yes;
            }
        }
        // Also a "no" counts only if it was read from the segment that the slot meant.
        fence(Ordering::Acquire);
        if state.is_same_use(StateWord(cells.state.load(Ordering::Relaxed))) {
            answer
        } else {
            Match::Unsure
        }
    }

    #[inline]
    pub fn describe(&self, view: &View, version: Version, found: &mut Found) {
        found.version = version;
        found.value_len = view.header.value_len();
        found.number = 0;
        found.cas = 0;
        found.meta = self.meta_of(view);
        found.mtime = view.header.mtime;
        found.deadline = view.header.deadline;
        found.value_off = view.value_off;
        found.is_number = 0;
        found.kind = view.kind as u8;
        match view.kind {
            Kind::Bytes => {}
            Kind::Number => {
                found.is_number = 1;
                found.number = self.number_of(view) as i64;
                // memcached never shortens a number that was counted down: it pads the text with spaces.
                found.value_len = (found.digit_count() as u64).max(view.header.value_len().min(20));
            }
            Kind::Large => found.value_len = self.division_of(view).map_or(0, |division| division.total()),
        }
    }

    /// Whether the segment of a version has not been used anew since.
    #[inline]
    pub fn is_same_use(&self, version: &Version) -> bool {
        match self.segment_at(SlotWord(version.slot).at()) {
            Some(segment) => StateWord(version.segment)
                .is_same_use(StateWord(self.states.at(segment.0 as usize).state.load(Ordering::Relaxed))),
            None => false,
        }
    }
}

impl Locked<'_> {
    /// The live item under a key of this shard, on request with its token, which copies of it keep from then on. Counts
    /// nothing.
    pub fn find(&self, hash: u64, key: &[u8], with_cas: bool, now: impl Moment) -> Option<Found> {
        let mut found = Found::default();
        let spot = self.core.meet(hash, key, now, &mut found)?;
        if with_cas {
            found.cas = self.give_cas(&self.core.item_behind(self.index, spot.word)?);
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::State;
    use crate::OpenOptions;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    /// A get whose item is recycled during each copy, and that then finds the lock held, was a miss. Nothing is
    /// forgotten there, so whoever asks in a way that can tell is told. The copies fail here because the value's piece
    /// is another one.
    #[test]
    fn what_could_not_be_copied_is_no_miss_while_the_lock_is_held() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let options = OpenOptions {
            memory: 8 << 20,
            cores: 1,
            lock_timeout: Duration::from_millis(20),
            ..OpenOptions::default()
        };
        let (arena, _) = Arena::open(&dir.path().join("read.arena"), &options).expect("an arena");
        let (core, now) = (&*arena.core, Time::now());
        arena.set(b"key", &vec![1; 100_000], Deadline::NEVER, now).expect("room");
        let mut segments = core.segments();
        let piece = segments.find(|segment| core.state(*segment).kind() == Some(State::Large)).expect("a piece");
        let word = core.state(piece);
        core.set_state(piece, StateWord(word.0 + 1));
        let locked = core.lock(core.shard_of(core.hash(b"key")), now).expect("free");
        std::thread::scope(|scope| {
            let reader = scope.spawn(|| (arena.get_with(b"key", ReadOptions::new(), now), arena.get(b"key", now)));
            assert_eq!(reader.join().expect("no panic"), (Err(Error::Busy), None));
        });
        drop(locked);
        assert_eq!(arena.get_with(b"key", ReadOptions::new(), now), Ok(None));
        core.set_state(piece, word);
        assert_eq!(arena.get_with(b"key", ReadOptions::new(), now).expect("free").expect("there").value.len(), 100_000);
    }

    /// A value that was recycled under its reader twice is read under the lock. There nobody asked for the token, and
    /// the item came back with token 0, which no cas ever meets.
    #[test]
    fn an_item_has_its_token_however_often_its_copy_is_recycled() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let options = OpenOptions { memory: 8 << 20, cores: 1, ..OpenOptions::default() };
        let (arena, _) = Arena::open(&dir.path().join("read.arena"), &options).expect("an arena");
        let set = |byte| arena.set(b"key", &vec![byte; 500_000], Deadline::NEVER, Time::now());
        set(0).expect("room");
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for writer in 0..2u8 {
                let (set, is_over) = (&set, &is_over);
                scope.spawn(move || {
                    while !is_over.load(Ordering::Relaxed) {
                        // Two values at once are half of what such an arena gives to those under way.
                        let _ = set(writer);
                    }
                });
            }
            let items: Vec<Item> = (0..1000)
                .filter_map(|_| arena.get_with(b"key", ReadOptions::new().with_cas(), Time::now()).expect("free"))
                .collect();
            is_over.store(true, Ordering::Relaxed);
            assert!(!items.is_empty());
            assert_eq!(items.iter().filter(|item| item.cas == 0).count(), 0);
        });
    }
}
