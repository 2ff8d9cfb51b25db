//! Handing out the item that a writing section replaces, removes or gives another deadline, as that section met it.
//!
//! A short value is copied under the lock. A longer one is copied before, without the lock, and the section goes ahead
//! only if that version is still there.
use crate::arena::Arena;
use crate::error::Error;
use crate::found::{Found, Item};
use crate::item::{Kind, View};
use crate::lookup;
use crate::segment::StateWord;
use crate::shard::edit::Located;
use crate::shard::Locked;
use crate::time::Time;

/// Values up to this length are copied under the lock.
const COPIED_LOCKED: u64 = 4096;
/// How often a value that is copied outside the lock may be replaced meanwhile before the key counts as busy.
const COPIES_MAX: usize = 1024;

/// How a write hands out the live item that it finds, before it changes it.
pub(crate) trait HandOut {
    /// Whether anything is handed out.
    const HANDS_OUT: bool;

    /// False: the section changes nothing, and runs again after `copy`.
    fn meet(&mut self, locked: &Locked<'_>, located: &Located<'_>) -> bool;

    /// Whether the section takes this item for none.
    fn hides(&self, view: &View) -> bool;

    /// Copies the item without a lock.
    fn copy(&mut self, key: &[u8], now: Time) -> Result<(), Error>;
}

/// Nothing is handed out.
impl HandOut for () {
    const HANDS_OUT: bool = false;

    #[inline(always)]
    fn meet(&mut self, _: &Locked<'_>, _: &Located<'_>) -> bool {
        true
    }

    #[inline(always)]
    fn hides(&self, _: &View) -> bool {
        false
    }

    fn copy(&mut self, _: &[u8], _: Time) -> Result<(), Error> {
        Ok(())
    }
}

/// The item that a section has met, with its value.
pub(crate) struct Handed<'a> {
    arena: &'a Arena,
    found: Option<Found>,
    value: Vec<u8>,
    copies: usize,
}

impl<'a> Handed<'a> {
    pub fn new(arena: &'a Arena) -> Handed<'a> {
        Handed { arena, found: None, value: Vec::new(), copies: 0 }
    }

    /// The item, if there was one. Counts as a read.
    pub fn into_item(self, key: &[u8]) -> Option<Item> {
        match self.found {
            Some(_) => self.arena.core.reads.count_hit(),
            None => self.arena.core.reads.count_miss(),
        }
        self.found.map(|found| found.into_item(key, self.value))
    }
}

impl HandOut for Handed<'_> {
    const HANDS_OUT: bool = true;

    fn meet(&mut self, locked: &Locked<'_>, located: &Located<'_>) -> bool {
        let seen = self.found.take();
        let Some(old) = located.old.filter(|old| old.is_alive && !self.hides(&old.view)) else { return true };
        let found = lookup::describe_known(locked.core, located.hash, &old.spot, &old.view);
        let is_same = |seen: Found| {
            let same_use = StateWord(seen.version.segment).is_same_use(StateWord(found.version.segment));
            seen.version.slot == found.version.slot && same_use
        };
        let is_short = found.kind != Kind::Large as u8 && found.value_len <= COPIED_LOCKED;
        if is_short {
            self.value.clear();
        }
        let is_copied =
            if is_short { self.arena.append_value(&found, &mut self.value) } else { seen.is_some_and(is_same) };
        self.found = is_copied.then_some(found);
        is_copied
    }

    /// Typed items are hidden from callers that do not ask for them.
    fn hides(&self, view: &View) -> bool {
        view.kind == Kind::Typed
    }

    fn copy(&mut self, key: &[u8], now: Time) -> Result<(), Error> {
        self.copies += 1;
        if self.copies > COPIES_MAX {
            return Err(Error::Busy);
        }
        self.value.clear();
        let found = self.arena.peek(key, now);
        self.found = found.filter(|found| self.arena.append_value(found, &mut self.value));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Deadline, Mode, OpenOptions, Stored, Terms, Value};

    fn scratch() -> (Arena, tempfile::TempDir) {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let options = OpenOptions::new().memory(8 << 20).cores(2);
        (Arena::open(&dir.path().join("hand.arena"), &options).expect("an arena").0, dir)
    }

    /// Lengths around the border between both ways, and of values in several segments.
    const LENGTHS: [usize; 7] = [0, 1, 4095, 4096, 4097, 20_000, 200_000];

    #[test]
    fn what_is_taken_is_gone() {
        let (arena, _dir) = scratch();
        let now = Time::now();
        for len in LENGTHS {
            let value: Vec<u8> = (0..len).map(|at| at as u8).collect();
            arena.set(b"key", &value, Deadline::after(now, 9), now).expect("room");
            let item = arena.take(b"key", now).expect("free").expect("there");
            assert_eq!((item.value, item.deadline), (value, Deadline::after(now, 9)));
            assert_eq!(arena.take(b"key", now), Ok(None), "{len}");
        }
        arena.store(b"key", Value::Integer(-42), Default::default(), Deadline::NEVER, Mode::Set, now).expect("room");
        let item = arena.take(b"key", now).expect("free").expect("there");
        assert_eq!((&item.value[..], item.number), (&b"-42"[..], Some(-42)));
        assert_eq!(arena.stats().deletes, LENGTHS.len() as u64 + 1);
        assert!(arena.verify().is_clean(), "{:?}", arena.verify());
    }

    #[test]
    fn a_swap_hands_out_the_old_value_whatever_became_of_the_new_one() {
        let (arena, _dir) = scratch();
        let (now, never) = (Time::now(), Deadline::NEVER);
        let swap = |key: &[u8], value: &[u8], terms: Terms| {
            let swapped = arena.swap(key, Value::Bytes(value), Default::default(), never, &terms, now).expect("room");
            (swapped.0, swapped.1.map(|item| item.value))
        };
        let stored = Stored::Stored { cas: 0 };
        for len in LENGTHS {
            let (old, new) = (vec![1; len], vec![2; 200_001 - len]);
            assert_eq!(swap(b"none", &new, Terms::new(Mode::Replace)), (Stored::Missing, None));
            assert_eq!(swap(b"key", &old, Terms::new(Mode::Add)), (stored, None));
            assert_eq!(swap(b"key", &new, Terms::new(Mode::Add)), (Stored::Exists, Some(old.clone())));
            assert_eq!(swap(b"key", &new, Terms::new(Mode::Cas(1))), (Stored::Exists, Some(old.clone())));
            assert_eq!(swap(b"key", &new, Terms::new(Mode::Set)), (stored, Some(old)));
            assert_eq!(swap(b"key", b"last", Terms::new(Mode::Replace)), (stored, Some(new)));
            assert_eq!(arena.take(b"key", now).expect("free").expect("there").value, b"last");
        }
        assert!(arena.verify().is_clean(), "{:?}", arena.verify());
    }

    #[test]
    fn a_kept_deadline_is_the_old_items() {
        let (arena, _dir) = scratch();
        let now = Time::now();
        let keeps = |mode| Terms::new(mode).keep_deadline(true);
        let set = |value: &[u8], deadline, terms: Terms| {
            arena.store_if(b"key", Value::Bytes(value), Default::default(), deadline, &terms, now).expect("room");
            arena.get(b"key", now).expect("there").deadline
        };
        let (soon, late) = (Deadline::after(now, 100), Deadline::after(now, 1000));
        assert_eq!(set(b"missing: the store's own", late, keeps(Mode::Set)), late);
        for value in [&b"small"[..], &[1; 200_000]] {
            for (old, new) in [(soon, late), (late, soon), (Deadline::NEVER, soon), (soon, Deadline::NEVER)] {
                assert_eq!(set(b"v", old, Terms::new(Mode::Set)), old);
                assert_eq!(set(value, new, keeps(Mode::Replace)), old);
                assert_eq!(set(value, new, keeps(Mode::Set)), old);
                assert_eq!(set(value, new, Terms::new(Mode::Set)), new);
            }
        }
        arena.set(b"key", b"dead", Deadline::at(now), now).expect("room");
        assert_eq!(set(b"a dead one has none to keep", soon, keeps(Mode::Set)), soon);
        assert!(arena.verify().is_clean(), "{:?}", arena.verify());
    }

    /// Two threads swap their own numbers into a key and add up the numbers they get back: each number comes out once,
    /// in a sequence without gaps.
    #[test]
    fn no_value_is_handed_out_twice_or_lost() {
        let (arena, _dir) = scratch();
        let (now, never) = (Time::now(), Deadline::NEVER);
        for len in [8, 30_000, 100_000] {
            let swapper = |first: u64| {
                let mut met = Vec::new();
                for number in (first..400).step_by(2) {
                    let value = number.to_ne_bytes().repeat(len / 8);
                    let terms = Terms::new(Mode::Set);
                    let (_, old) =
                        arena.swap(b"key", Value::Bytes(&value), Default::default(), never, &terms, now).expect("room");
                    met.extend(old.map(|item| item.value));
                }
                met
            };
            let (left, right) = std::thread::scope(|scope| {
                let other = scope.spawn(|| swapper(1));
                (swapper(0), other.join().expect("no panic"))
            });
            let last = arena.take(b"key", now).expect("free").expect("there").value;
            let mut all: Vec<u64> = [left, right, vec![last]]
                .concat()
                .iter()
                .map(|value| {
                    assert!(value.chunks(8).all(|chunk| chunk == &value[..8]), "two values in one");
                    u64::from_ne_bytes(value[..8].try_into().expect("eight bytes"))
                })
                .collect();
            all.sort_unstable();
            assert_eq!(all, (0..400).collect::<Vec<_>>(), "values of {len} bytes");
        }
    }
}
