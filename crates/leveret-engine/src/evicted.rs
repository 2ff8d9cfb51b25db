//! Notification of evictions: a server may need to know which items this process's writes evict.
use crate::arena::Arena;
use crate::core::Core;
use crate::found::Found;
use crate::index::Spot;
use crate::item::View;
use crate::lookup;
use std::fmt;

/// An item that has to make room, before it goes.
pub struct Evicted<'a> {
    core: &'a Core,
    spot: &'a Spot<'a>,
    view: &'a View,
    hash: u64,
}

impl fmt::Debug for Evicted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Evicted").field("hash", &self.hash).finish_non_exhaustive()
    }
}

impl Evicted<'_> {
    /// Its key.
    pub fn key(&self) -> Vec<u8> {
        self.core.key_of(self.view)
    }

    /// The evicted item's attributes. Its value is no longer available.
    pub fn found(&self) -> Found {
        lookup::describe_known(self.core, self.hash, self.spot, self.view)
    }
}

impl Arena {
    /// Calls `tell` for each eviction by this process, until the last `Arena` of this one is dropped. The writing
    /// thread calls it while it holds a lock: it must be short and must not use the arena. Evictions by other processes
    /// are not reported. False: a callback is set already.
    pub fn on_evict(&self, tell: impl Fn(&Evicted<'_>) + Send + Sync + 'static) -> bool {
        let tell = move |core: &Core, hash, spot: &Spot<'_>, view: &View| tell(&Evicted { core, spot, view, hash });
        self.core.tell_evicted.set(Box::new(tell)).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Arena, Deadline, OpenOptions, Time};
    use std::collections::HashMap;
    use std::sync::{Arc, Mutex};

    #[test]
    fn evictions_are_counted_by_the_age_of_what_goes() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let options = OpenOptions::new().memory(8 << 20).cores(1);
        let (arena, _) = Arena::open(&dir.path().join("ages.arena"), &options).expect("an arena");
        let mut now = Time::now();
        let mut number = 0u32;
        // Most evicted items were stored in the phase before.
        for step in [0, 50, 3000, 80_000, 90_000] {
            now = Time(now.0 + step);
            for _ in 0..40_000 {
                number += 1;
                arena.set(&number.to_ne_bytes(), &[7; 300], Deadline::NEVER, now).expect("room");
            }
        }
        let stats = arena.stats();
        let young = [stats.evicted_in_minute, stats.evicted_in_hour, stats.evicted_in_day];
        assert!(young.iter().all(|count| *count > 1000), "{young:?}");
        let older = stats.evicted - young.iter().sum::<u64>();
        assert!(older > 1000, "{older} {young:?}");
        // Keys that went last come back, and are known.
        let lost: Vec<u32> =
            (number - 60_000..number).filter(|key| arena.peek(&key.to_ne_bytes(), now).is_none()).collect();
        for key in lost.iter().rev().take(1000) {
            arena.set(&key.to_ne_bytes(), &[7; 300], Deadline::NEVER, now).expect("room");
        }
        assert_eq!(stats.returned, 0);
        let returned = arena.stats().returned;
        assert!((500..=1000).contains(&returned), "{returned}");
    }

    /// Of each key that went: bytes of its value, and whether it was read.
    type Gone = HashMap<Vec<u8>, (u64, u8)>;

    #[test]
    fn each_eviction_is_told_once_with_what_went() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let options = OpenOptions::new().memory(8 << 20).cores(1);
        let (arena, _) = Arena::open(&dir.path().join("evicted.arena"), &options).expect("an arena");
        let now = Time::now();
        let gone: Arc<Mutex<Gone>> = Arc::default();
        let told = gone.clone();
        assert!(arena.on_evict(move |evicted| {
            let found = evicted.found();
            let before = told.lock().expect("whole").insert(evicted.key(), (found.value_len, found.fetched));
            assert_eq!(before, None, "no key was stored twice");
        }));
        assert!(!arena.on_evict(|_| {}));
        for number in 0..40_000u32 {
            arena
                .set(&number.to_ne_bytes(), &vec![7; 100 + number as usize % 400], Deadline::NEVER, now)
                .expect("room");
        }
        let gone = gone.lock().expect("whole");
        assert!(gone.len() > 1000);
        assert_eq!(gone.len() as u64, arena.stats().evicted);
        for number in 0..40_000u32 {
            let key = number.to_ne_bytes();
            let lost = gone.get(&key[..]);
            assert_eq!(arena.peek(&key, now).is_none(), lost.is_some());
            assert!(lost.is_none_or(|lost| *lost == (100 + u64::from(number) % 400, 0)));
        }
    }

    /// Tiny items fill the index before the memory: where chains were full, one eviction in twenty was not told.
    #[test]
    fn each_eviction_is_told_whether_memory_or_the_index_is_short() {
        for len in [0, 1, 8, 20, 100] {
            let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
            let options = OpenOptions::new().memory(8 << 20).cores(1);
            let (arena, _) = Arena::open(&dir.path().join("tiny.arena"), &options).expect("an arena");
            let now = Time::now();
            let told: Arc<Mutex<Vec<Vec<u8>>>> = Arc::default();
            let listener = told.clone();
            assert!(arena.on_evict(move |evicted| listener.lock().expect("whole").push(evicted.key())));
            let keys = || (0..250_000u32).map(u32::to_ne_bytes);
            keys().for_each(|key| arena.set(&key, &vec![7; len], Deadline::NEVER, now).expect("room"));
            let stats = arena.stats();
            let mut told = told.lock().expect("whole").clone();
            told.sort_unstable();
            let mut lost: Vec<_> =
                keys().filter(|key| arena.peek(key, now).is_none()).map(|key| key.to_vec()).collect();
            lost.sort_unstable();
            assert!(told == lost, "{len}: {} told, {} lost", told.len(), lost.len());
            assert_eq!((told.len() as u64, stats.evicted_in_minute), (stats.evicted, stats.evicted), "{len}");
        }
    }
}
