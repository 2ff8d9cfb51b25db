//! Walking over all items, exactly: each key that lives through the walk is met once, even if it is moved or rewritten
//! meanwhile. The walk goes over the index, not the segments: for each bucket of the level at its start, over all
//! buckets that splits can make of it.
use crate::arena::Arena;
use crate::core::Core;
use crate::error::Error;
use crate::fate::{self, Fate};
use crate::found::{Found, Item};
use crate::hash;
use crate::index::{SlotWord, FETCHED, FREQUENCY_MAX};
use crate::item::Kind;
use crate::lookup;
use crate::read::ReadOptions;
use crate::shard;
use crate::sync::{fence, Ordering};
use crate::time::Time;

/// Tries without a lock for one step.
const TRIES: usize = 8;
/// How often one step asks for the lock when it is busy. In between it is tried without: while whoever has the lock
/// stands still, so does what it guards.
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

impl Arena {
    /// Visits the items of the next step; a step holds some items, or none. Typed items are passed by. False: the walk is over. After an error the
    /// cursor stands where it did: `Busy`, which only writers who never rest can bring about, is worth another call.
    pub fn scan(&self, cursor: &mut Cursor, now: Time, visit: &mut dyn FnMut(&[u8], &Found)) -> Result<bool, Error> {
        let core = &*self.core;
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
        for (key, found) in items_of_class(core, shard, cursor, now)? {
            visit(&key, &found);
        }
        cursor.bucket = cursor.bucket.saturating_add(1);
        if cursor.bucket >= u64::from(cursor.level) {
            *cursor = Cursor { shard: cursor.shard + 1, level: 0, bucket: 0 };
        }
        Ok((cursor.shard as usize) < core.shards.len())
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

fn items_of_class(core: &Core, shard: usize, cursor: &Cursor, now: Time) -> Result<Vec<(Vec<u8>, Found)>, Error> {
    for round in 0..ROUNDS * TRIES {
        let sequence = core.shards.at(shard).move_seq.load(Ordering::Relaxed);
        let buckets = core.index.buckets(shard);
        if let Some(items) = try_class(core, shard, buckets, cursor, now) {
            if core.shards.at(shard).move_seq.load(Ordering::Relaxed) == sequence
                && core.index.buckets(shard) == buckets
            {
                return Ok(items);
            }
        }
        if round % TRIES == TRIES - 1 {
            // Written to faster than it can be read: under the lock it holds still.
            match shard::lock(core, shard, now) {
                Ok(_locked) => {
                    return try_class(core, shard, core.index.buckets(shard), cursor, now).ok_or(Error::Busy);
                }
                Err(Error::Busy) => {}
                Err(error) => return Err(error),
            }
        }
    }
    Err(Error::Busy)
}

/// None: something was recycled while it was read.
fn try_class(core: &Core, shard: usize, buckets: u32, cursor: &Cursor, now: Time) -> Option<Vec<(Vec<u8>, Found)>> {
    let mut items = Vec::new();
    let mut bucket = cursor.bucket;
    while bucket < u64::from(buckets) {
        let length = core.index.chain(shard, bucket as u32).count();
        for spot in core.index.spots(shard, bucket as u32) {
            let at = spot.word.at();
            let Some(segment) = core.segments.containing(at) else { continue };
            let state = core.segments.state(segment);
            if SlotWord(spot.cell().load(Ordering::Acquire)) != spot.word {
                return None;
            }
            if !state.holds_items_of(shard) {
                // As in `lookup::examine`: the slot's word may be that of a later version at the same place.
                if state != core.segments.state(segment) {
                    return None;
                }
                continue;
            }
            let epoch = core.segments.epoch_of(segment);
            let mut item = None;
            if let Some(view) = core.items.view(&core.segments, segment, at) {
                let is_alive = || fate::of_item(core, &view, epoch, || core.epoch(now), now) == Fate::Alive;
                if view.kind != Kind::Typed && is_alive() {
                    let mut key = Vec::new();
                    core.items.data.append_to(view.key(), view.header.key_len(), &mut key);
                    let hash = core.hasher.hash(&key);
                    let frequency = spot.frequency();
                    let mut found = Found {
                        hits: frequency & FREQUENCY_MAX,
                        fetched: u8::from(frequency & FETCHED != 0),
                        ..Found::default()
                    };
                    found.version.name(hash, spot.word.0, state.0, epoch);
                    lookup::describe(core, &view, &mut found);
                    // Between the two halves of a split a mover is in its old bucket, too.
                    item = (u64::from(hash::bucket(hash, buckets)) == bucket).then_some((key, found));
                }
            }
            fence(Ordering::Acquire);
            if !core.segments.at(segment).is_still(state) {
                return None;
            }
            items.extend(item);
        }
        // The chain grew by an overflow bucket, which took over an entry that may have been missed for that.
        if core.index.chain(shard, bucket as u32).count() != length {
            return None;
        }
        bucket += u64::from(cursor.level);
    }
    Some(items)
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

    /// Whoever holds a lock stands still, yet what he guards was changing until then: the walk asked for the lock once,
    /// was told `Busy`, and ended with what it had.
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
                let met = items_of_class(core, 0, &cursor, now).expect("there");
                over.store(round, SeqCst);
                missed += full.iter().filter(|key| met.iter().filter(|(met, _)| met == *key).count() != 1).count();
            }
            assert_eq!(missed, 0);
        });
    }
}
