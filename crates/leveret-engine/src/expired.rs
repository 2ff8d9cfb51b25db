//! Search for expired items between live ones: `Arena::tend` frees only segments that are dead as a whole, and reads
//! leave an expired item where it is.
use crate::arena::Arena;
use crate::counters::Counter;
use crate::error::Error;
use crate::index::Spot;
use crate::scan::Cursor;
use crate::shard::{self, edit};
use crate::time::{Moment, Time};

/// What `Arena::sweep` has come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Swept {
    /// Items that were looked at.
    pub seen: u64,
    /// Expired ones that were removed, and flushed ones.
    pub removed: u64,
    /// Living ones that have a deadline.
    pub mortal: u64,
    /// The milliseconds that are left to these, in all.
    pub millis_left: u64,
    /// The round is over: the cursor stands at the start again.
    pub is_round: bool,
}

impl Arena {
    /// Removes expired items, in the order of the index from `cursor` on, until `budget` slots and buckets were looked at.
    /// Locks are held for one chain of buckets at a time and only where something has expired; a lock that is busy is
    /// passed by.
    pub fn sweep(&self, cursor: &mut Cursor, now: Time, budget: usize) -> Result<Swept, Error> {
        let core = &*self.core;
        if core.is_lost() {
            return Err(Error::Lost);
        }
        let mut swept = Swept::default();
        let mut left = budget.max(1);
        while left > 0 {
            let shard = cursor.shard as usize;
            if shard >= core.shards.len() {
                *cursor = Cursor::default();
                swept.is_round = true;
                break;
            }
            if cursor.bucket >= u64::from(core.index.buckets(shard)) {
                *cursor = Cursor { shard: cursor.shard + 1, ..Cursor::default() };
                continue;
            }
            let seen = self.sweep_chain(shard, cursor.bucket as u32, now, &mut swept);
            left = left.saturating_sub(seen + 1);
            cursor.bucket += 1;
        }
        Ok(swept)
    }

    /// Returns the number of items in the chain.
    fn sweep_chain(&self, shard: usize, bucket: u32, now: Time, swept: &mut Swept) -> usize {
        let core = &*self.core;
        // Without the lock this is a guess, which is made again under it before anything is removed.
        let deadline = |spot: &Spot<'_>| Some(core.items.deadline_of(&core.item_behind(shard, spot.word)?));
        let (mut seen, mut has_dead) = (0, false);
        for deadline in core.index.spots(shard, bucket).filter_map(|spot| deadline(&spot)) {
            seen += 1;
            has_dead |= deadline.is_past(now);
            if let Some(end) = deadline.millis().filter(|_| !deadline.is_past(now)) {
                swept.mortal += 1;
                swept.millis_left += end.saturating_sub(now.millis());
            }
        }
        swept.seen += seen as u64;
        let Some(locked) = has_dead.then(|| shard::try_lock(core, shard, now)).flatten() else { return seen };
        for spot in core.index.spots(shard, bucket) {
            let Some(view) = core.item_behind(shard, spot.word) else { continue };
            if !locked.is_alive(&view) {
                edit::remove(&locked, core.hash_of(&view), &spot, &view);
                locked.count(Counter::Expired, 1);
                swept.removed += 1;
            }
        }
        seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Deadline, OpenOptions};

    fn scratch() -> (Arena, tempfile::TempDir) {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let options = OpenOptions::new().memory(8 << 20).cores(2);
        (Arena::open(&dir.path().join("expired.arena"), &options).expect("an arena").0, dir)
    }

    /// A round in pieces of each size.
    fn round(arena: &Arena, now: Time, budget: usize) -> Swept {
        let (mut cursor, mut all) = (Cursor::default(), Swept::default());
        loop {
            let swept = arena.sweep(&mut cursor, now, budget).expect("there");
            // A chain more than the budget at most.
            assert!(swept.seen as usize <= budget.saturating_add(56), "{swept:?}");
            all.seen += swept.seen;
            all.removed += swept.removed;
            all.mortal += swept.mortal;
            all.millis_left += swept.millis_left;
            if swept.is_round {
                assert_eq!(cursor, Cursor::default());
                return all;
            }
        }
    }

    #[test]
    fn a_round_removes_what_has_expired_between_the_living() {
        for budget in [1, 7, 1000, usize::MAX] {
            let (arena, _dir) = scratch();
            let now = Time::now();
            let key = |number: u32| number.to_ne_bytes();
            for number in 0..6000 {
                let deadline = match number % 3 {
                    0 => Deadline::NEVER,
                    1 => Deadline::after(now, 10),
                    _ => Deadline::after(now, 30),
                };
                arena.set(&key(number), &[7; 100], deadline, now).expect("room");
            }
            let young = round(&arena, now, budget);
            assert_eq!((young.seen, young.removed, young.mortal), (6000, 0, 4000), "{budget}");
            // The time used of this second's budget.
            let most = 2000 * 10_000 + 2000 * 30_000;
            assert!((most - 4000 * 999..=most).contains(&young.millis_left), "{young:?}");
            let later = Time(now.0 + 10);
            let swept = round(&arena, later, budget);
            assert_eq!((swept.seen, swept.removed, swept.mortal, swept.millis_left), (6000, 2000, 2000, 2000 * 20_000));
            assert_eq!((arena.stats().items, arena.stats().expired), (4000, 2000));
            assert_eq!(round(&arena, later, budget).removed, 0);
            assert!((0..6000).all(|number| arena.contains(&key(number), later) == (number % 3 != 1)));
            assert!(arena.verify().is_clean(), "{:?}", arena.verify());
        }
    }

    #[test]
    fn a_cursor_from_anywhere_is_swept_on() {
        let (arena, _dir) = scratch();
        for shard in [0, arena.core.shards.len() as u32 - 1, u32::MAX] {
            let mut cursor = Cursor { shard, level: 3, bucket: u64::MAX };
            while !arena.sweep(&mut cursor, Time::now(), 100).expect("there").is_round {}
            assert_eq!(cursor, Cursor::default());
        }
    }

    /// A busy lock is passed by, and the item stays dead to all.
    #[test]
    fn a_busy_lock_is_passed_by() {
        let (arena, _dir) = scratch();
        let now = Time::now();
        arena.set(b"key", b"v", Deadline::after(now, 1), now).expect("room");
        let later = Time(now.0 + 1);
        let shard = arena.core.hasher.shard_of(arena.core.hasher.hash(b"key"));
        let locked = shard::lock(&arena.core, shard, now).expect("free");
        let removed =
            std::thread::scope(|scope| scope.spawn(|| round(&arena, later, 100).removed).join().expect("no panic"));
        assert_eq!(removed, 0);
        drop(locked);
        assert_eq!(round(&arena, later, 100).removed, 1);
    }
}
