//! Reading the journal.
use super::{get, Entry, Topic, ENTRY_BYTES};
use crate::arena::Arena;
use crate::map::geometry::RegionId;
use crate::map::layout::JOURNAL_ENTRIES;
use crate::sync::{AtomicU32, Instant, Ordering};
use crate::time::Time;
use std::fmt;
use std::time::Duration;

/// Seconds that a wish lasts.
const LASTS: u32 = 3;
/// An entry that is not whole after this time is lost: its writer was killed, or sleeps.
const PATIENCE: Duration = Duration::from_millis(20);

/// A reader of the journal. It starts with its first `ask`.
pub struct Journal {
    arena: Arena,
    /// The number of the entry to read next.
    next: u64,
    /// Since when that one is awaited.
    awaited: Option<Instant>,
}

impl fmt::Debug for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Journal").field("arena", &self.arena.path()).field("next", &self.next).finish()
    }
}

impl Arena {
    /// This process's operations stay out of the journal until the last `Arena` of this one is dropped: for servers,
    /// which notify their watchers themselves.
    pub fn keep_out_of_journal(&self) {
        self.core.is_unwatched.store(true, Ordering::Relaxed);
    }

    /// A reader of what processes do with this arena from now on. None: there is no memory for the journal, or the arena
    /// was made by a version without one.
    pub fn journal(&self) -> Option<Journal> {
        let core = &*self.core;
        let ring = core.journal()?;
        let region = core.map.geometry.region(RegionId::Journal);
        if core.is_lost() || !core.map.host.allocate(&[(region.off, region.len)]) {
            return None;
        }
        Some(Journal { arena: self.clone(), next: ring.begun.load(Ordering::Relaxed), awaited: None })
    }
}

impl Journal {
    /// Asks all processes to tell what belongs to a topic, for three seconds.
    pub fn ask(&self, topic: Topic, now: Time) {
        let until: &AtomicU32 = &self.arena.core.control().watched[topic as usize];
        until.fetch_max(now.0.saturating_add(LASTS), Ordering::Relaxed);
    }

    /// Reports entries since the last call, in the order in which they began, and returns how many were lost:
    /// overwritten, or not finished by their writers.
    pub fn read(&mut self, tell: &mut dyn FnMut(&Entry<'_>)) -> u64 {
        let arena = self.arena.clone();
        let Some(ring) = arena.core.journal() else { return 0 };
        let begun = ring.begun.load(Ordering::Relaxed);
        let mut lost = 0;
        let mut bytes = [0; ENTRY_BYTES];
        while self.next != begun {
            let behind = begun.wrapping_sub(self.next);
            if behind > JOURNAL_ENTRIES as u64 {
                lost += behind - JOURNAL_ENTRIES as u64;
                self.go_to(begun.wrapping_sub(JOURNAL_ENTRIES as u64));
            }
            if let Some(entry) = get(ring, self.next, &mut bytes) {
                tell(&entry);
            } else if ring.begun.load(Ordering::Relaxed).wrapping_sub(self.next) <= JOURNAL_ENTRIES as u64
                && self.awaited.get_or_insert_with(Instant::now).elapsed() < PATIENCE
            {
                return lost;
            } else {
                lost += 1;
            }
            self.go_to(self.next.wrapping_add(1));
        }
        lost
    }

    fn go_to(&mut self, next: u64) {
        self.next = next;
        self.awaited = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::{is_watched, FRONT};
    use crate::{Action, Deadline, Meta, Missed, Mode, ModeKind, OpenOptions, ReadOptions, StoreOutcome, Value};

    fn arena(dir: &tempfile::TempDir) -> Arena {
        Arena::open(&dir.path().join("journal.arena"), &OpenOptions::new().memory(8 << 20).cores(1))
            .expect("an arena")
            .0
    }

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm")
    }

    /// The new entries of a reader, and how many it lost.
    fn told(journal: &mut Journal) -> (Vec<(Action, Vec<u8>, u64)>, u64) {
        let mut all = Vec::new();
        let lost = journal.read(&mut |entry| all.push((entry.action, entry.key.to_vec(), entry.value_len)));
        (all, lost)
    }

    #[test]
    fn what_was_asked_for_is_told_as_it_was_done() {
        let (dir, now) = (folder(), Time::now());
        let arena = arena(&dir);
        let mut journal = arena.journal().expect("memory for it");
        let store = |mode, value: &[u8], deadline| {
            arena.store(b"key", Value::Bytes(value), Meta::default(), deadline, mode, now).expect("room")
        };
        store(Mode::Set, b"before", Deadline::NEVER);
        [Topic::Reads, Topic::Stores, Topic::Deletes].into_iter().for_each(|topic| journal.ask(topic, now));
        store(Mode::Add, b"another", Deadline::NEVER);
        store(Mode::Append, b" and", Deadline::NEVER);
        arena.find(b"key", now).expect("there");
        arena.find_with(b"key", ReadOptions::new().untraced(), now).expect("free").expect("there");
        store(Mode::Set, b"dead", Deadline::of_second(now.0 - 1));
        assert_eq!(arena.find(b"key", now), None);
        arena.store(b"number", Value::Integer(-12), Meta::default(), Deadline::NEVER, Mode::Set, now).expect("room");
        assert!(arena.delete(b"number", now).expect("free"));
        assert!(!arena.delete(b"number", now).expect("free"));
        let too_long = vec![0; arena.value_max() + 1];
        arena.set(&[b'k'; 300], &too_long, Deadline::NEVER, now).expect_err("too long");
        let key = || b"key".to_vec();
        let expected = vec![
            (Action::Store(ModeKind::Add, StoreOutcome::Exists), key(), 7),
            (Action::Store(ModeKind::Append, StoreOutcome::Stored), key(), 10),
            (Action::Read(Ok(())), key(), 10),
            (Action::Store(ModeKind::Set, StoreOutcome::Stored), key(), 4),
            (Action::Read(Err(Missed::Expired)), key(), 0),
            (Action::Store(ModeKind::Set, StoreOutcome::Stored), b"number".to_vec(), 3),
            (Action::Deleted, b"number".to_vec(), 3),
            (Action::Store(ModeKind::Set, StoreOutcome::TooLarge), vec![b'k'; 272], too_long.len() as u64),
        ];
        assert_eq!(told(&mut journal), (expected, 0));
        // No `ask` since.
        let later = Time(now.0 + 4);
        assert_eq!(arena.find(b"none", later), None);
        assert_eq!(told(&mut journal), (Vec::new(), 0));
        assert!(!is_watched(&arena.core, Topic::Reads), "and reads cost nothing again");
        assert!(is_watched(&arena.core, Topic::Stores), "which nobody has looked at since");
    }

    /// An entry has room for 272 bytes of a key.
    #[test]
    fn keys_and_numbers_at_their_ends_are_told() {
        let (dir, now) = (folder(), Time(u32::MAX - 1));
        let arena = arena(&dir);
        let mut journal = arena.journal().expect("memory for it");
        journal.ask(Topic::Stores, now);
        let mut expected = Vec::new();
        for key_len in [0, 1, 7, 8, 9, 271, 272, 273, arena.key_max()] {
            let key = vec![b'k'; key_len];
            for number in [0, -1, i64::MAX, i64::MIN] {
                let stored =
                    arena.store(&key, Value::Integer(number), Meta::default(), Deadline::NEVER, Mode::Set, now);
                stored.expect("room");
                let told = vec![b'k'; key_len.min(272)];
                expected.push((
                    Action::Store(ModeKind::Set, StoreOutcome::Stored),
                    told,
                    number.to_string().len() as u64,
                ));
            }
        }
        assert_eq!(told(&mut journal), (expected, 0));
    }

    #[test]
    fn a_process_that_keeps_out_tells_nothing() {
        let (dir, now) = (folder(), Time::now());
        let arena = arena(&dir);
        let mut journal = arena.journal().expect("memory for it");
        journal.ask(Topic::Reads, now);
        arena.keep_out_of_journal();
        assert_eq!(arena.find(b"none", now), None);
        assert_eq!(told(&mut journal), (Vec::new(), 0));
    }

    #[test]
    fn evictions_are_told_with_what_went() {
        let (dir, now) = (folder(), Time::now());
        let arena = arena(&dir);
        let mut journal = arena.journal().expect("memory for it");
        journal.ask(Topic::Evictions, now);
        let mut gone = 0;
        for number in 0..40_000u32 {
            arena.set(&number.to_ne_bytes(), &[7; 300], Deadline::NEVER, now).expect("room");
            let lost = journal.read(&mut |entry| {
                assert_eq!(
                    (entry.action, entry.value_len, entry.deadline),
                    (Action::Evicted(false), 300, Deadline::NEVER)
                );
                assert_eq!(entry.pid, std::process::id());
                let key = u32::from_ne_bytes(entry.key.try_into().expect("a number"));
                assert!(key <= number && arena.peek(entry.key, now).is_none());
                gone += 1;
            });
            assert_eq!(lost, 0);
        }
        assert_eq!((gone, gone > 1000), (arena.stats().evicted, true));
    }

    #[test]
    fn who_reads_too_slowly_is_told_the_newest_and_how_many_were_lost() {
        let (dir, now) = (folder(), Time::now());
        let arena = arena(&dir);
        let mut journal = arena.journal().expect("memory for it");
        journal.ask(Topic::Reads, now);
        for number in 0..5000u32 {
            assert_eq!(arena.find(&number.to_ne_bytes(), now), None);
        }
        let (all, lost) = told(&mut journal);
        assert_eq!((all.len(), lost), (JOURNAL_ENTRIES, 5000 - JOURNAL_ENTRIES as u64));
        assert_eq!(all.last().map(|(_, key, _)| &key[..]), Some(&4999u32.to_ne_bytes()[..]));
    }

    /// One writer was killed within its entry: the next ones are told all the same.
    #[test]
    fn an_entry_that_is_never_finished_is_lost_alone() {
        let (dir, now) = (folder(), Time::now());
        let arena = arena(&dir);
        let mut journal = arena.journal().expect("memory for it");
        journal.ask(Topic::Reads, now);
        arena.find(b"first", now);
        arena.core.journal().expect("there").begun.fetch_add(1, Ordering::Relaxed);
        arena.find(b"second", now);
        let (all, lost) = told(&mut journal);
        assert_eq!((all.len(), lost), (1, 0), "it may still come");
        std::thread::sleep(PATIENCE);
        let (all, lost) = told(&mut journal);
        assert_eq!((&all[0].1[..], lost), (&b"second"[..], 1));
    }

    /// For any bytes in the ring: no panic, no endless loop, and only whole entries are reported.
    #[test]
    fn what_is_not_whole_is_not_told() {
        let (dir, now) = (folder(), Time::now());
        let arena = arena(&dir);
        let mut journal = arena.journal().expect("memory for it");
        journal.ask(Topic::Reads, now);
        let ring = arena.core.journal().expect("there");
        let mut state = 88_172_645_463_325_252u64;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        for round in 0..200 {
            arena.find(b"whole", now);
            let place = &ring.entries[(ring.begun.load(Ordering::Relaxed) - 1) as usize % JOURNAL_ENTRIES];
            let word = random() as usize % (FRONT + 2);
            match word {
                0 => place.checksum.store(random(), Ordering::Relaxed),
                word => place.words[word - 1].store(random(), Ordering::Relaxed),
            }
            if round % 50 == 0 {
                ring.begun.store(random(), Ordering::Relaxed);
            }
        }
        let before = Instant::now();
        std::thread::sleep(PATIENCE);
        for _ in 0..300 {
            journal.awaited = Some(before);
            assert_eq!(told(&mut journal).0, Vec::new());
        }
    }

    #[test]
    fn many_threads_tell_whole_entries() {
        let (dir, now) = (folder(), Time::now());
        let arena = arena(&dir);
        let mut journal = arena.journal().expect("memory for it");
        journal.ask(Topic::Reads, now);
        const EACH: u32 = 20_000;
        std::thread::scope(|scope| {
            for thread in 0..4u8 {
                let arena = &arena;
                scope.spawn(move || {
                    for number in 0..EACH {
                        let mut key = vec![thread; number as usize % 200 + 5];
                        key[..4].copy_from_slice(&number.to_ne_bytes());
                        arena.find(&key, now);
                    }
                });
            }
            let mut next = [0u32; 4];
            let (mut seen, mut lost) = (0, 0);
            while seen + lost < u64::from(4 * EACH) {
                lost += journal.read(&mut |entry| {
                    let (number, rest) = entry.key.split_at(4);
                    let number = u32::from_ne_bytes(number.try_into().expect("four bytes"));
                    let thread = rest[0];
                    assert_eq!(rest, vec![thread; number as usize % 200 + 1]);
                    assert!(number >= next[usize::from(thread)], "in its thread's order");
                    next[usize::from(thread)] = number + 1;
                    seen += 1;
                });
            }
            assert!(seen > 0);
        });
    }
}
