//! Exact walk over all items: each key that exists throughout the walk is visited once, even if it is moved or
//! rewritten meanwhile. The walk covers the index, not the segments: for each bucket of the level at its start, all
//! buckets that splits can make of it. These buckets are one step. A step's items are written straight into the
//! caller's buffer, and removed again when the step has to be repeated.
use crate::arena::Arena;
use crate::core::Core;
use crate::error::Error;
use crate::fate::{self, Fate};
use crate::found::{Found, Item};
use crate::hash;
use crate::index::{SlotWord, Spot, FETCHED, FREQUENCY_MAX};
use crate::item::{Kind, View};
use crate::lookup;
use crate::read::ReadOptions;
use crate::shard;
use crate::sync::{fence, Ordering};
use crate::time::Time;
use std::mem::MaybeUninit;

/// Tries without a lock for one step.
const TRIES: usize = 8;
/// How often one step tries a busy lock. Between tries it reads without the lock: while the lock's owner is stopped,
/// the state that it guards does not change.
const ROUNDS: usize = 64;

/// Where a walk stands. All zero is its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(C)]
pub struct Cursor {
    /// Shard under way.
    pub shard: u32,
    /// Buckets of that shard's level when the walk reached it; 0 = not reached yet.
    pub level: u32,
    /// Next bucket of that level.
    pub bucket: u64,
}

/// One item in a walk's buffer. The key's bytes follow, then padding; the next record is `record_len` bytes on.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct WalkRecord {
    /// The item, for `Arena::copy`. The hash in its version is 0 where the walk had no use of it, so that
    /// `Arena::is_current` says no.
    pub found: Found,
    /// The bucket of the index where the item's chain begins, counted through all shards.
    pub bucket: u64,
    /// Bytes of the key.
    pub key_len: u32,
    /// Bytes up to the next record, a multiple of 8.
    pub record_len: u32,
}

const WORD: usize = size_of::<u64>();
const HEAD: usize = size_of::<WalkRecord>();
const _: () = assert!(HEAD % WORD == 0 && align_of::<WalkRecord>() == WORD);

/// What `Arena::scan_into` has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Scanned {
    /// Bytes of records at the front of the buffer.
    pub used: usize,
    /// Nothing is left.
    pub is_over: bool,
    /// Not 0: not even one step fits. The buffer needs this many bytes.
    pub needed: usize,
}

/// The caller's buffer while a walk writes into it.
struct Records<'a> {
    buffer: &'a mut [MaybeUninit<u64>],
    /// Bytes of the records, including those that did not fit.
    end: usize,
    /// The items are not described.
    keys_only: bool,
}

impl Records<'_> {
    /// The record at `at`, with its key, and where the next one begins.
    fn next(&self, at: usize) -> Option<(&Found, &[u8], usize)> {
        if at >= self.end {
            return None;
        }
        let first = self.buffer[at / WORD..(at + HEAD) / WORD].as_ptr().cast::<WalkRecord>();
        // SAFETY: `fill` wrote a record here: `end` is only cut back to where one begins, and all of them fitted.
        let record = unsafe { &*first };
        let key = &self.buffer[(at + HEAD) / WORD..(at + record.record_len as usize) / WORD];
        // SAFETY: `add` wrote the key's bytes behind the record, within `record_len`.
        let key = unsafe { std::slice::from_raw_parts(key.as_ptr().cast(), record.key_len as usize) };
        Some((&record.found, key, at + record.record_len as usize))
    }

    /// Makes room for a record and copies the key behind it. False: the buffer is full, and only the length counts.
    #[inline]
    fn add(&mut self, core: &Core, view: &View) -> bool {
        let key_len = view.header.key_len();
        let (begin, end) = (self.end / WORD, (self.end + HEAD + key_len).div_ceil(WORD));
        self.end = end * WORD;
        let Some(room) = self.buffer.get_mut(begin..end) else { return false };
        // SAFETY: behind the head the room has `key_len` bytes.
        unsafe { core.items.data.copy_out(view.key(), room[HEAD / WORD..].as_mut_ptr().cast(), key_len) };
        true
    }

    /// The key of the last record, which begins at `at`.
    #[inline]
    fn last_key(&self, at: usize, key_len: usize) -> &[u8] {
        let key = &self.buffer[(at + HEAD) / WORD..self.end / WORD];
        assert!(key_len <= size_of_val(key));
        // SAFETY: in bounds by the assertion, and written by `add`.
        unsafe { std::slice::from_raw_parts(key.as_ptr().cast(), key_len) }
    }

    /// The last record, which begins at `at`, to be filled where it lies.
    #[inline]
    fn fill(&mut self, at: usize, record: WalkRecord) -> &mut WalkRecord {
        let head = &mut self.buffer[at / WORD..(at + HEAD) / WORD];
        let first = head.as_mut_ptr().cast::<WalkRecord>();
        // SAFETY: a record's length, aligned as one, and written before it is referred to.
        unsafe {
            first.write(record);
            &mut *first
        }
    }
}

impl Arena {
    /// Visits the items of the next step, which may have none. Skips typed items. False: the walk is complete. After an
    /// error the cursor has not moved: `Busy`, which only continuous writers can cause, is worth another call.
    pub fn scan(&self, cursor: &mut Cursor, now: Time, visit: &mut dyn FnMut(&[u8], &Found)) -> Result<bool, Error> {
        // Enough for nearly every step. Most have no item at all, so they must not cost an allocation.
        let (mut room, mut larger) = ([MaybeUninit::uninit(); 256], Vec::new());
        loop {
            let buffer = if larger.is_empty() { &mut room[..] } else { &mut larger[..] };
            let mut records = Records { buffer, end: 0, keys_only: false };
            let before = *cursor;
            let more = step(&self.core, cursor, now, 0, &mut records)?;
            if records.end > records.buffer.len() * WORD {
                *cursor = before;
                let needed = records.end / WORD;
                larger.resize(needed, MaybeUninit::uninit());
                continue;
            }
            let mut at = 0;
            while let Some((found, key, next)) = records.next(at) {
                visit(key, found);
                at = next;
            }
            return Ok(more);
        }
    }

    /// Writes the records of the next steps into `buffer`, until it is full or the walk is over. After an error the cursor
    /// stands where it did, as with `scan`.
    pub fn scan_into(&self, cursor: &mut Cursor, now: Time, buffer: &mut [MaybeUninit<u64>]) -> Result<Scanned, Error> {
        self.scan_records(cursor, now, buffer, false)
    }

    /// As `scan_into`, but of an item only the key is told: `found` is that of no item.
    pub fn scan_keys_into(
        &self,
        cursor: &mut Cursor,
        now: Time,
        buffer: &mut [MaybeUninit<u64>],
    ) -> Result<Scanned, Error> {
        self.scan_records(cursor, now, buffer, true)
    }

    fn scan_records(
        &self,
        cursor: &mut Cursor,
        now: Time,
        buffer: &mut [MaybeUninit<u64>],
        keys_only: bool,
    ) -> Result<Scanned, Error> {
        let core = &*self.core;
        let mut records = Records { buffer, end: 0, keys_only };
        let buckets_before = |shard: u32| {
            (0..core.shards.len().min(shard as usize)).map(|shard| u64::from(core.index.buckets(shard))).sum()
        };
        let (mut shard, mut first_bucket) = (cursor.shard, buckets_before(cursor.shard));
        loop {
            let (before, used) = (*cursor, records.end);
            if cursor.shard != shard {
                (shard, first_bucket) = (cursor.shard, buckets_before(cursor.shard));
            }
            match step(core, cursor, now, first_bucket, &mut records) {
                Ok(more) if records.end <= records.buffer.len() * WORD => {
                    if !more {
                        return Ok(Scanned { used: records.end, is_over: true, needed: 0 });
                    }
                }
                // This step did not fit, or failed: it is made again in the next call, after what came before it was
                // told.
                _ if used > 0 => {
                    *cursor = before;
                    return Ok(Scanned { used, ..Scanned::default() });
                }
                Ok(_) => {
                    *cursor = before;
                    return Ok(Scanned { needed: records.end, ..Scanned::default() });
                }
                Err(error) => {
                    *cursor = before;
                    return Err(error);
                }
            }
        }
    }

    /// An item that a walk has met, with its value: as it was met, or, when it was replaced meanwhile, as it is now.
    /// None: it is gone.
    pub fn walked(&self, key: &[u8], found: &Found, now: Time) -> Result<Option<Item>, Error> {
        if let Some(value) = self.copy_to_vec(found) {
            return Ok(Some(found.into_item(key, value)));
        }
        // Not `get`, for which a lock that is busy is a miss.
        let mut answer = Err(Error::Busy);
        for _ in 0..ROUNDS {
            answer = self.get_with(key, ReadOptions::new(), now);
            if answer != Err(Error::Busy) {
                break;
            }
        }
        answer
    }

    /// All items, copied out one by one. An error ends the walk.
    pub fn iter(&self, now: Time) -> Iter<'_> {
        Iter { arena: self, cursor: Cursor::default(), now, step: Vec::new().into_iter(), over: false }
    }
}

/// Writes down the items of the next step. False: the walk is over.
fn step(
    core: &Core,
    cursor: &mut Cursor,
    now: Time,
    first_bucket: u64,
    records: &mut Records<'_>,
) -> Result<bool, Error> {
    let shard = cursor.shard as usize;
    if core.is_lost() {
        return Err(Error::Lost);
    }
    if shard >= core.shards.len() {
        return Ok(false);
    }
    if cursor.level == 0 || !cursor.level.is_power_of_two() {
        *cursor = Cursor { shard: cursor.shard, level: 1 << core.index.buckets(shard).ilog2(), bucket: 0 };
    }
    items_of_class(core, shard, cursor, now, first_bucket, records)?;
    cursor.bucket = cursor.bucket.saturating_add(1);
    if cursor.bucket >= u64::from(cursor.level) {
        *cursor = Cursor { shard: cursor.shard + 1, level: 0, bucket: 0 };
    }
    Ok((cursor.shard as usize) < core.shards.len())
}

fn items_of_class(
    core: &Core,
    shard: usize,
    cursor: &Cursor,
    now: Time,
    first_bucket: u64,
    records: &mut Records<'_>,
) -> Result<(), Error> {
    let begin = records.end;
    for round in 0..ROUNDS * TRIES {
        let sequence = core.shards.at(shard).move_seq.load(Ordering::Relaxed);
        let buckets = core.index.buckets(shard);
        // Checked after the number of buckets: the lock of the writer of that number is either seen held or was
        // released, and the split is complete before the release.
        let is_split = !shard::lock::is_free(core, shard);
        let class = Class { shard, buckets, is_split, first_bucket };
        records.end = begin;
        if try_class(core, &class, cursor, now, records).is_some()
            && core.shards.at(shard).move_seq.load(Ordering::Relaxed) == sequence
            && core.index.buckets(shard) == buckets
        {
            return Ok(());
        }
        if round % TRIES == TRIES - 1 {
            // Written to faster than it can be read: under the lock it holds still.
            match shard::lock(core, shard, now) {
                Ok(_locked) => {
                    records.end = begin;
                    let class = Class { buckets: core.index.buckets(shard), ..class };
                    return try_class(core, &class, cursor, now, records).ok_or(Error::Busy);
                }
                Err(Error::Busy) => {}
                Err(error) => return Err(error),
            }
        }
    }
    Err(Error::Busy)
}

/// State of a step's shard while it is read.
struct Class {
    shard: usize,
    buckets: u32,
    /// A split may be under way: between its two halves a mover is in its old bucket, too.
    is_split: bool,
    first_bucket: u64,
}

/// None: something was recycled while it was read.
fn try_class(core: &Core, class: &Class, cursor: &Cursor, now: Time, records: &mut Records<'_>) -> Option<()> {
    let shard = class.shard;
    let mut bucket = cursor.bucket;
    ask_for_items(core, class, bucket.saturating_add(1));
    while bucket < u64::from(class.buckets) {
        let length = core.index.chain_len(shard, bucket as u32);
        for spot in core.index.spots(shard, bucket as u32) {
            let at = spot.word.at();
            let Some(segment) = core.segments.containing(at) else { continue };
            let of_segment = core.segments.at(segment);
            let state = of_segment.word();
            if SlotWord(spot.cell().load(Ordering::Acquire)) != spot.word {
                return None;
            }
            if !state.holds_items_of(shard) {
                // As in `lookup::examine`: the slot's word may be that of a later version at the same place.
                if state != of_segment.word() {
                    return None;
                }
                continue;
            }
            let epoch = of_segment.epoch();
            let begin = records.end;
            if let Some(view) = core.items.view(&core.segments, segment, at) {
                let is_alive = || fate::of_item(core, &view, epoch, || core.epoch(now), now) == Fate::Alive;
                let is_wanted = view.kind != Kind::Typed && is_alive();
                if is_wanted && !write_down(core, class, bucket, &spot, &view, (state.0, epoch), records) {
                    records.end = begin;
                }
            }
            fence(Ordering::Acquire);
            if !of_segment.is_still(state) {
                return None;
            }
        }
        // The chain grew by an overflow bucket, which took over an entry that may have been missed for that.
        if core.index.chain_len(shard, bucket as u32) != length {
            return None;
        }
        bucket += u64::from(cursor.level);
    }
    Some(())
}

/// Writes one item down. False: it belongs to another bucket.
#[inline]
fn write_down(
    core: &Core,
    class: &Class,
    bucket: u64,
    spot: &Spot<'_>,
    view: &View,
    (segment, epoch): (u64, u32),
    records: &mut Records<'_>,
) -> bool {
    let (begin, key_len) = (records.end, view.header.key_len());
    let fits = records.add(core, view);
    let mut hash = 0;
    // The pieces of a large value are known by its key's hash.
    if class.is_split || view.kind == Kind::Large {
        hash = if fits { core.hasher.hash(records.last_key(begin, key_len)) } else { core.hash_of(view) };
        if u64::from(hash::bucket(hash, class.buckets)) != bucket {
            return false;
        }
    }
    if fits {
        let (found, record_len) = (Found::default(), (records.end - begin) as u32);
        let bucket = class.first_bucket + bucket;
        let keys_only = records.keys_only;
        let record = records.fill(begin, WalkRecord { found, bucket, key_len: key_len as u32, record_len });
        if keys_only {
            return true;
        }
        let frequency = spot.frequency();
        record.found.hits = frequency & FREQUENCY_MAX;
        record.found.fetched = u8::from(frequency & FETCHED != 0);
        record.found.version.name(hash, spot.word.0, segment, epoch);
        lookup::describe(core, view, &mut record.found);
    }
    true
}

/// Asks for the memory of the items in a bucket, which the next step reads. A hint: it trusts nothing.
#[inline]
fn ask_for_items(core: &Core, class: &Class, bucket: u64) {
    if bucket < u64::from(class.buckets) {
        let bucket = core.index.bucket(class.shard, bucket as u32);
        let words = bucket.slots.iter().map(|slot| SlotWord(slot.load(Ordering::Relaxed)));
        words.filter(|word| word.is_item()).for_each(|word| core.items.data.ask_for_key(word.at()));
    }
}

/// All items of an arena.
pub struct Iter<'a> {
    arena: &'a Arena,
    cursor: Cursor,
    now: Time,
    step: std::vec::IntoIter<(Vec<u8>, Found)>,
    over: bool,
}

impl Iterator for Iter<'_> {
    type Item = Result<Item, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some((key, found)) = self.step.next() {
                // A version that was replaced since the step was read is read in its present form, or is gone.
                match self.arena.walked(&key, &found, self.now) {
                    Ok(Some(item)) => return Some(Ok(item)),
                    Ok(None) => continue,
                    Err(error) => {
                        self.over = true;
                        return Some(Err(error));
                    }
                }
            }
            if self.over {
                return None;
            }
            let mut step = Vec::new();
            match self.arena.scan(&mut self.cursor, self.now, &mut |key, found| step.push((key.to_vec(), *found))) {
                Ok(more) => self.over = !more,
                Err(error) => {
                    self.over = true;
                    return Some(Err(error));
                }
            }
            self.step = step.into_iter();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counters::Counter;
    use crate::map::layout::SLOTS;
    use crate::{Deadline, OpenOptions};
    use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

    fn await_round(number: &AtomicU32, round: u32) {
        while number.load(SeqCst) < round {
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_cursor_from_anywhere_ends() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let options = OpenOptions { memory: 8 << 20, cores: 1, ..OpenOptions::default() };
        let (arena, _) = Arena::open(&dir.path().join("walk.arena"), &options).expect("an arena");
        for shard in [0, arena.core.shards.len() as u32 - 1, u32::MAX] {
            let mut cursor = Cursor { shard, level: 1, bucket: u64::MAX };
            while arena.scan(&mut cursor, Time::now(), &mut |_, _| {}).expect("there") {}
        }
    }

    /// The owner of a lock is stopped, but the state that it guards was changing before: the walk tried the lock once,
    /// got `Busy`, and ended early.
    #[test]
    fn a_busy_lock_ends_no_walk() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let lock_timeout = std::time::Duration::from_millis(1);
        let options = OpenOptions { memory: 8 << 20, cores: 1, lock_timeout, ..OpenOptions::default() };
        let (arena, _) = Arena::open(&dir.path().join("walk.arena"), &options).expect("an arena");
        let (core, now) = (&*arena.core, Time::now());
        (0..1000u32).for_each(|number| arena.set(&number.to_ne_bytes(), b"v", Deadline::NEVER, now).expect("room"));
        let waits = || core.shards.at(0).counters[Counter::LockWaits as usize].load(Ordering::Relaxed);
        let before = waits();
        let (holds, is_over) = (AtomicU32::new(0), AtomicU32::new(0));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let _locked = shard::lock(core, 0, now).expect("free");
                holds.store(1, SeqCst);
                // As splits do, one after the other, until the walk has asked for the lock.
                while waits() == before && is_over.load(SeqCst) == 0 {
                    for _ in 0..1000 {
                        core.shards.at(0).move_seq.fetch_add(1, Ordering::Relaxed);
                    }
                }
                await_round(&is_over, 1);
            });
            await_round(&holds, 1);
            // Until both were at work at the same time, which one processor alone never has.
            for _ in 0..1000 {
                if waits() != before {
                    break;
                }
                let walked: Result<Vec<_>, _> = arena.iter(now).collect();
                assert_eq!(walked.map(|items| items.len()), Ok(1000));
            }
            is_over.store(1, SeqCst);
        });
    }

    /// The walker looked where the chain leads before it came to the last slot of a bucket. Meanwhile that slot became
    /// the link to an overflow bucket, and the item that had been in it was met in neither. Here a bucket is filled,
    /// gets its link in the middle of a walk, each time at another moment, and is emptied again: the walk must meet all
    /// seven.
    #[test]
    fn a_walk_meets_the_item_that_makes_way_for_a_link() {
        const ROUNDS: u32 = 500;
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let options = OpenOptions { memory: 8 << 20, cores: 1, ..OpenOptions::default() };
        let (arena, _) = Arena::open(&dir.path().join("walk.arena"), &options).expect("an arena");
        let core = &*arena.core;
        let now = Time::now();
        let place = |key: &Vec<u8>| {
            (core.hasher.shard_of(core.hasher.hash(key)), hash::bucket(core.hasher.hash(key), core.index.buckets(0)))
        };
        // Long keys: it takes the walk a while to come to the last slot.
        let all = (0u32..).map(|number| number.to_le_bytes().repeat(1000));
        let keys: Vec<Vec<u8>> = all.filter(|key| place(key) == (0, 5)).take(SLOTS + 1).collect();
        let (one_more, full) = keys.split_last().expect("eight keys");
        let (filled, begun, over) = (AtomicU32::new(0), AtomicU32::new(0), AtomicU32::new(0));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for round in 1..=ROUNDS {
                    full.iter().for_each(|key| arena.set(key, b"v", Deadline::NEVER, now).expect("room"));
                    filled.store(round, SeqCst);
                    await_round(&begun, round);
                    (0..round % 100 * 4).for_each(|_| std::hint::spin_loop());
                    arena.set(one_more, b"v", Deadline::NEVER, now).expect("room");
                    await_round(&over, round);
                    keys.iter().for_each(|key| assert!(arena.delete(key, now).expect("free")));
                }
            });
            let cursor = Cursor { shard: 0, level: 1 << core.index.buckets(0).ilog2(), bucket: 5 };
            let mut missed = 0;
            for round in 1..=ROUNDS {
                await_round(&filled, round);
                begun.store(round, SeqCst);
                let mut room = vec![MaybeUninit::uninit(); 8192];
                let mut records = Records { buffer: &mut room, end: 0, keys_only: false };
                items_of_class(core, 0, &cursor, now, 0, &mut records).expect("there");
                over.store(round, SeqCst);
                let (mut met, mut at) = (Vec::new(), 0);
                while let Some((_, key, next)) = records.next(at) {
                    met.push(key);
                    at = next;
                }
                missed += full.iter().filter(|key| met.iter().filter(|met| *met == key).count() != 1).count();
            }
            assert_eq!(missed, 0);
        });
    }
}
