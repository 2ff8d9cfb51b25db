//! Reading: no lock, no wait, no write but a frequency hint. `lookup.rs` says why that works.
use crate::arena::Arena;
use crate::error::Error;
use crate::fate::{self, Fate};
use crate::found::{Found, Item, Version};
use crate::hash;
use crate::index::{SlotWord, CHAIN_MAX};
use crate::item::Kind;
use crate::journal::{self, Topic};
use crate::lookup;
use crate::segment::{SegmentId, StateWord};
use crate::shard::{self, token, Locked};
use crate::sync::{fence, Ordering};
use crate::time::{Moment, Now, Time};
use std::mem::MaybeUninit;

/// Copies that are recycled under the reader before it takes the lock.
const COPIES: usize = 2;

/// How an item is looked for. As it comes: a get, which counts as a hit or a miss, and its item as read.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadOptions {
    hash: Option<u64>,
    is_untraced: bool,
    with_cas: bool,
    typed: bool,
}

impl ReadOptions {
    /// A get.
    pub const fn new() -> ReadOptions {
        ReadOptions { hash: None, is_untraced: false, with_cas: false, typed: false }
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

    /// Typed items too (`Arena::store_typed`), of which `Found::is_typed` tells. To others there is none.
    pub const fn typed(self) -> ReadOptions {
        ReadOptions { typed: true, ..self }
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

    /// As `get`, with options, and with an error in place of a miss for an item that could not be read: it was recycled
    /// during each copy, and its lock was not free afterwards.
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
        let locked = shard::lock(&self.core, self.core.hasher.shard_of(hash), now)?;
        let found = if options.typed {
            find_any_locked(&locked, hash, key, options.with_cas, now)
        } else {
            find_locked(&locked, hash, key, options.with_cas, now)
        };
        Ok(found.filter(|found| self.append_value(found, out)))
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
        self.find_hashed(key, self.core.hasher.hash(key), now, &mut found).then_some(found)
    }

    /// Looks an item up without leaving a trace.
    #[inline]
    pub fn peek(&self, key: &[u8], now: impl Moment) -> Option<Found> {
        // Each is compiled once, and not by each crate that peeks.
        match now.known() {
            Some(now) => self.peek_then(key, now),
            None => self.peek_now(key),
        }
    }

    fn peek_then(&self, key: &[u8], now: Time) -> Option<Found> {
        let mut found = Found::default();
        lookup::find(&self.core, self.core.hasher.hash(key), key, now, &mut found).is_some().then_some(found)
    }

    fn peek_now(&self, key: &[u8]) -> Option<Found> {
        let mut found = Found::default();
        lookup::find(&self.core, self.core.hasher.hash(key), key, Now, &mut found).is_some().then_some(found)
    }

    /// As `find`, on further terms.
    pub fn find_with(&self, key: &[u8], options: ReadOptions, now: impl Moment) -> Result<Option<Found>, Error> {
        let mut found = Found::default();
        Ok(self.find_into(key, options, now, &mut found)?.then_some(found))
    }

    /// As `find_with`, into memory of the caller; on a miss only `missed` means something. Only a look for the cas token
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
        let is_there = match options {
            ReadOptions { typed: true, .. } => self.find_any(key, hash, options, now.time(), found),
            ReadOptions { is_untraced: true, .. } => lookup::find(&self.core, hash, key, now, found).is_some(),
            _ => self.find_hashed(key, hash, now, found),
        };
        if is_there && options.with_cas {
            return self.add_cas(key, hash, options.typed, now.time(), found);
        }
        Ok(is_there)
    }

    #[cold]
    fn find_any(&self, key: &[u8], hash: u64, options: ReadOptions, now: Time, found: &mut Found) -> bool {
        let core = &*self.core;
        let spot = lookup::find_any(core, hash, key, now, found);
        if !options.is_untraced {
            match &spot {
                Some(spot) => {
                    spot.note_read();
                    core.reads.count_hit();
                }
                None => core.reads.count_miss(),
            }
            if journal::is_watched(core, Topic::Reads) {
                journal::tell_read(core, key, spot.is_some(), found, now);
            }
        }
        spot.is_some()
    }

    #[inline]
    fn find_hashed(&self, key: &[u8], hash: u64, now: impl Moment, found: &mut Found) -> bool {
        let core = &*self.core;
        let is_there = match lookup::find(core, hash, key, now, found) {
            Some(spot) => {
                spot.note_read();
                core.reads.count_hit();
                true
            }
            None => {
                core.reads.count_miss();
                false
            }
        };
        if journal::is_watched(core, Topic::Reads) {
            journal::tell_read(core, key, is_there, found, now.time());
        }
        is_there
    }

    #[inline]
    fn hash_of(&self, key: &[u8], options: ReadOptions) -> u64 {
        match options.hash {
            Some(hash) => hash,
            None => self.core.hasher.hash(key),
        }
    }

    /// The cas token of an item that was found. False: it has gone meanwhile.
    fn add_cas(&self, key: &[u8], hash: u64, typed: bool, now: Time, found: &mut Found) -> Result<bool, Error> {
        let core = &*self.core;
        let view = core
            .segments
            .containing(SlotWord(found.version.slot).at())
            .and_then(|segment| core.items.view(&core.segments, segment, SlotWord(found.version.slot).at()));
        if let Some(cas) = view.and_then(|view| token::stable_cas(core, found, &view)) {
            // The token that was read must belong to this version.
            fence(Ordering::Acquire);
            if lookup::is_same_use(core, &found.version) {
                found.cas = cas;
                return Ok(true);
            }
        }
        let locked = shard::lock(core, core.hasher.shard_of(hash), now)?;
        let marked = if typed {
            find_any_locked(&locked, hash, key, true, now)
        } else {
            find_locked(&locked, hash, key, true, now)
        };
        drop(locked);
        // Of the same version the reads are those from before this look-up.
        let before = *found;
        *found = match marked {
            Some(marked) if marked.version == before.version => marked.with_reads_of(&before),
            marked => marked.unwrap_or_default(),
        };
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
        if !lookup::is_same_use(core, &found.version) {
            return false;
        }
        let at = SlotWord(found.version.slot).at() + u64::from(found.value_off);
        if found.kind == Kind::Bytes as u8 {
            if at + found.value_len > core.items.data.len() {
                return false;
            }
            // SAFETY: the source is inside the data region, the target by contract.
            unsafe { core.items.data.copy_out(at, dst, found.value_len as usize) };
            fence(Ordering::Acquire);
            return lookup::is_same_use(core, &found.version);
        }
        // SAFETY: by contract.
        unsafe { self.copy_rare(found, dst) }
    }

    /// # Safety
    /// As `copy`.
    unsafe fn copy_rare(&self, found: &Found, dst: *mut u8) -> bool {
        let core = &*self.core;
        if found.kind == Kind::Typed as u8 {
            let at = SlotWord(found.version.slot).at() + u64::from(found.value_off);
            if at + found.value_len > core.items.data.len() {
                return false;
            }
            // SAFETY: the source is inside the data region, the target by contract.
            unsafe { core.items.data.copy_out(at, dst, found.value_len as usize) };
            fence(Ordering::Acquire);
            return lookup::is_same_use(core, &found.version);
        }
        if found.is_number != 0 {
            let text = found.number_text();
            // SAFETY: `value_len` is the length of this text, by `describe`.
            unsafe { std::ptr::copy_nonoverlapping(text.as_ptr(), dst, text.len().min(found.value_len as usize)) };
            return true;
        }
        let Some(segment) = core.segments.containing(SlotWord(found.version.slot).at()) else { return false };
        let Some(view) = core.items.view(&core.segments, segment, SlotWord(found.version.slot).at()) else {
            return false;
        };
        if view.kind != Kind::Large {
            return false;
        }
        // The caller has room for `value_len` bytes: no other length is written, even if the arena's length changes.
        let Some(division) = core.items.division_of(&view).filter(|division| division.total() == found.value_len)
        else {
            return false;
        };
        let shard = StateWord(found.version.segment).shard();
        for index in 0..division.pieces {
            let extent = core.items.extent_of(&view, index);
            if core.segments.piece(extent, shard, found.version.hash).is_none() {
                return false;
            }
            let (begin, len) = division.piece(index);
            // SAFETY: `piece` has checked the segment; the target by contract, since the lengths add up to `value_len`.
            unsafe {
                core.items.data.copy_out(
                    core.segments.start(SegmentId(extent.segment)),
                    dst.add(begin as usize),
                    len as usize,
                )
            };
            fence(Ordering::Acquire);
            if !core.segments.is_extent(extent, shard) {
                return false;
            }
        }
        // SAFETY: as above; `view` lies inside its segment.
        unsafe {
            core.items.data.copy_out(view.value(), dst.add(division.piece_bytes as usize), division.tail as usize)
        };
        fence(Ordering::Acquire);
        lookup::is_same_use(core, &found.version)
    }

    /// Whether the arena still holds this very version, alive. One index look-up: the item itself is not touched.
    /// Counts a hit.
    #[inline]
    pub fn is_current(&self, version: &Version, now: impl Moment) -> bool {
        let core = &*self.core;
        if fate::judge(version.deadline, version.epoch, || core.epoch(now), now) != Fate::Alive {
            return false;
        }
        let shard = core.hasher.shard_of(version.hash);
        let mut bucket = core.index.bucket(shard, hash::bucket(version.hash, core.index.buckets(shard)));
        for _ in 0..CHAIN_MAX {
            for (slot, cell) in bucket.slots.iter().enumerate() {
                if cell.load(Ordering::Acquire) == version.slot {
                    // The same word may be another version in a segment that was used again.
                    let current = lookup::is_same_use(core, version);
                    if current {
                        bucket.note_read(slot);
                        core.reads.count_decoded();
                    }
                    return current;
                }
            }
            match bucket.link(Ordering::Acquire).and_then(|link| core.index.overflow_bucket(shard, link)) {
                Some(next) => bucket = next,
                None => return false,
            }
        }
        false
    }
}

/// As `find_locked`, typed items included.
fn find_any_locked(locked: &Locked<'_>, hash: u64, key: &[u8], with_cas: bool, now: Time) -> Option<Found> {
    let mut found = Found::default();
    let spot = lookup::find_any(locked.core, hash, key, now, &mut found)?;
    if with_cas {
        found.cas = token::give_cas(locked, &locked.core.item_behind(locked.index, spot.word)?);
    }
    Some(found)
}

/// The live item under a key of this shard, on request with its token, which copies of it keep from then on. Counts
/// nothing. A typed one is none.
pub(crate) fn find_locked(
    locked: &Locked<'_>,
    hash: u64,
    key: &[u8],
    with_cas: bool,
    now: impl Moment,
) -> Option<Found> {
    let mut found = Found::default();
    let spot = lookup::find(locked.core, hash, key, now, &mut found)?;
    if with_cas {
        found.cas = token::give_cas(locked, &locked.core.item_behind(locked.index, spot.word)?);
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::State;
    use crate::{Deadline, OpenOptions};
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    /// A get whose item is recycled during each copy, and that then finds the lock held, was a miss. The item still
    /// exists, so callers that can get an error get one. The copies fail here because the value's piece is another one.
    #[test]
    fn what_could_not_be_copied_is_no_miss_while_the_lock_is_held() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let options = OpenOptions::new().memory(8 << 20).cores(1).lock_timeout(Duration::from_millis(20));
        let (arena, _) = Arena::open(&dir.path().join("read.arena"), &options).expect("an arena");
        let (core, now) = (&*arena.core, Time::now());
        arena.set(b"key", &vec![1; 100_000], Deadline::NEVER, now).expect("room");
        let mut segments = core.segments.all();
        let piece =
            segments.find(|segment| core.segments.state(*segment).kind() == Some(State::Large)).expect("a piece");
        let word = core.segments.state(piece);
        core.segments.set_state(piece, StateWord(word.0 + 1));
        let locked = shard::lock(core, core.hasher.shard_of(core.hasher.hash(b"key")), now).expect("free");
        std::thread::scope(|scope| {
            let reader = scope.spawn(|| (arena.get_with(b"key", ReadOptions::new(), now), arena.get(b"key", now)));
            assert_eq!(reader.join().expect("no panic"), (Err(Error::Busy), None));
        });
        drop(locked);
        assert_eq!(arena.get_with(b"key", ReadOptions::new(), now), Ok(None));
        core.segments.set_state(piece, word);
        assert_eq!(arena.get_with(b"key", ReadOptions::new(), now).expect("free").expect("there").value.len(), 100_000);
    }

    /// A value that was recycled under its reader twice is read under the lock. That path did not read the token, and
    /// the item came back with token 0, which no cas ever matches.
    #[test]
    fn an_item_has_its_token_however_often_its_copy_is_recycled() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let options = OpenOptions::new().memory(8 << 20).cores(1);
        let (arena, _) = Arena::open(&dir.path().join("read.arena"), &options).expect("an arena");
        let set = |byte| arena.set(b"key", &vec![byte; 500_000], Deadline::NEVER, Time::now());
        set(0).expect("room");
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for writer in 0..2u8 {
                let (set, is_over) = (&set, &is_over);
                scope.spawn(move || {
                    while !is_over.load(Ordering::Relaxed) {
                        // Two values at once are half of such an arena's share for values under way.
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
