//! Reports an eviction to all its recipients: the callback, watchers, counters, and the list of ghosts.
use crate::counters::Counter;
use crate::evict::ghosts;
use crate::index::Spot;
use crate::item::View;
use crate::journal::{self, Action, Topic};
use crate::lookup;
use crate::shard::Locked;
use crate::time::Moment;

/// Tells of a living item that is about to be evicted. The item and its slot are still whole.
pub(crate) fn tell(locked: &Locked<'_>, hash: u64, spot: &Spot<'_>, view: &View) {
    let core = locked.core;
    if let Some(tell) = core.tell_evicted.get() {
        tell(core, hash, spot, view);
    }
    if journal::is_watched(core, Topic::Evictions) {
        let gone = lookup::describe_known(core, hash, spot, view);
        let (key, action) = (core.key_of(view), Action::Evicted(gone.is_fetched()));
        journal::tell(core, Topic::Evictions, action, &key, &gone, locked.time());
    }
    locked.count(Counter::Evicted, 1);
    if let Some(counter) = Counter::of_age(locked.time().0.saturating_sub(view.header.mtime)) {
        locked.count(counter, 1);
    }
    ghosts::remember(locked, hash);
}

#[cfg(test)]
mod tests {
    use crate::evict::ghosts;
    use crate::index::CHAIN_MAX;
    use crate::map::layout::SLOTS;
    use crate::shard::{self, edit};
    use crate::{Arena, Deadline, OpenOptions, Time};
    use std::sync::{Arc, Mutex};

    /// An arena, and the keys of its first shard's first bucket. Without free overflow buckets a chain is full at once.
    fn arena(dir: &tempfile::TempDir, has_overflow: bool) -> (Arena, impl Iterator<Item = [u8; 4]>) {
        let options = OpenOptions::new().memory(8 << 20).cores(1);
        let (arena, _) = Arena::open(&dir.path().join("chain.arena"), &options).expect("an arena");
        if !has_overflow {
            let locked = shard::lock(&arena.core, 0, Time::now()).expect("free");
            (0..arena.core.index.overflow_max()).for_each(|number| edit::set_overflow_used(&locked, number, true));
        }
        let core = Arc::clone(&arena.core);
        let is_of_first = move |key: &[u8; 4]| {
            let hash = core.hasher.hash(key);
            core.hasher.shard_of(hash) == 0 && core.index.bucket_of(0, hash) == 0
        };
        (arena, (0u32..).map(u32::to_ne_bytes).filter(is_of_first))
    }

    /// A key that took the slot of another one in a full chain was counted as an eviction, but not reported, not
    /// counted by age, and not remembered. A dead item in that chain was counted as evicted, and live ones were evicted
    /// before it.
    #[test]
    fn an_item_that_leaves_a_full_chain_is_evicted_as_any_other() {
        for has_overflow in [false, true] {
            // Every slot but the last of each bucket, which is the link, and all of the last bucket.
            let full = if has_overflow { (SLOTS - 1) * CHAIN_MAX + 1 } else { SLOTS };
            let last = full - SLOTS;
            for dead in (last..full).map(Some).chain([None]) {
                let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
                let (arena, mut keys) = arena(&dir, has_overflow);
                let told = Arc::new(Mutex::new(Vec::new()));
                let listener = Arc::clone(&told);
                assert!(arena.on_evict(move |evicted| listener.lock().expect("whole").push(evicted.key())));
                let now = Time::now();
                let stored: Vec<[u8; 4]> = keys.by_ref().take(full).collect();
                for (number, key) in stored.iter().enumerate() {
                    let deadline = if dead == Some(number) { Deadline::after(now, 1) } else { Deadline::NEVER };
                    arena.set(key, b"v", deadline, now).expect("room");
                }
                assert_eq!(arena.stats().items, full as u64);
                let later = Time(now.0 + 2);
                arena.set(&keys.next().expect("one more"), b"v", Deadline::NEVER, later).expect("a slot");
                let told = told.lock().expect("whole").clone();
                let gone: Vec<_> = stored.iter().filter(|key| arena.peek(*key, later).is_none()).collect();
                let stats = arena.stats();
                assert_eq!((gone.len(), stats.items), (1, full as u64));
                assert_eq!((stats.evicted, stats.expired), if dead.is_some() { (0, 1) } else { (1, 0) });
                assert_eq!(stats.evicted_in_minute, stats.evicted);
                match dead {
                    Some(dead) => assert!(told.is_empty() && gone[0] == &stored[dead]),
                    None => {
                        assert_eq!(told, [gone[0].to_vec()]);
                        let locked = shard::lock(&arena.core, 0, later).expect("free");
                        assert!(ghosts::was_evicted_lately(&locked, arena.core.hasher.hash(gone[0])));
                    }
                }
            }
        }
    }
}
