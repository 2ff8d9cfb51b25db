//! S3-FIFO (Yang et al., SOSP 2023), in bytes: a small queue of a tenth of the memory, a main queue, and ghosts of what
//! left the small one, as many bytes of them as the main queue has.

use super::list::{Links, List};
use super::{CachedItem, Policy};

/// Reads are counted no further.
const READS_MAX: u8 = 3;
/// Reads in the small queue that move an item to the main one.
const READS_TO_STAY: u8 = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Small,
    Main,
    Ghost,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    item: CachedItem,
    place: Place,
    reads: u8,
}

/// The cache.
#[derive(Debug)]
pub struct S3Fifo {
    capacity: u64,
    entries: Vec<Option<Entry>>,
    links: Links,
    lists: [List; 3],
    used: [u64; 3],
}

impl S3Fifo {
    /// An empty cache of `capacity` bytes.
    pub fn new(capacity: u64) -> S3Fifo {
        S3Fifo {
            capacity,
            entries: Vec::new(),
            links: Links::default(),
            lists: [List::new(), List::new(), List::new()],
            used: [0; 3],
        }
    }

    fn entry(&self, key: u32) -> Option<Entry> {
        self.entries.get(key as usize).copied().flatten()
    }

    fn remove(&mut self, entry: &Entry) {
        self.lists[entry.place as usize].remove(&mut self.links, entry.item.key);
        self.used[entry.place as usize] -= entry.item.charge();
        self.entries[entry.item.key as usize] = None;
    }

    fn insert(&mut self, item: &CachedItem, place: Place, reads: u8) {
        if self.entries.len() <= item.key as usize {
            self.entries.resize(item.key as usize + 1, None);
        }
        self.entries[item.key as usize] = Some(Entry { item: *item, place, reads });
        self.lists[place as usize].push(&mut self.links, item.key);
        self.used[place as usize] += item.charge();
    }

    fn oldest(&self, place: Place) -> Option<Entry> {
        self.lists[place as usize].oldest().and_then(|key| self.entry(key))
    }

    fn evict(&mut self) {
        if self.used[Place::Small as usize] > self.capacity / 10 || self.used[Place::Main as usize] == 0 {
            while let Some(oldest) = self.oldest(Place::Small) {
                self.remove(&oldest);
                if oldest.reads < READS_TO_STAY {
                    self.insert(&oldest.item, Place::Ghost, 0);
                    self.bound_ghosts();
                    return;
                }
                self.insert(&oldest.item, Place::Main, 0);
            }
        }
        while let Some(oldest) = self.oldest(Place::Main) {
            self.remove(&oldest);
            if oldest.reads == 0 {
                return;
            }
            self.insert(&oldest.item, Place::Main, oldest.reads - 1);
        }
    }

    fn bound_ghosts(&mut self) {
        while self.used[Place::Ghost as usize] > self.capacity / 10 * 9 {
            let Some(oldest) = self.oldest(Place::Ghost) else { return };
            self.remove(&oldest);
        }
    }
}

impl Policy for S3Fifo {
    fn get(&mut self, key: u32, _: u16, now: u32) -> bool {
        let Some(entry) = self.entry(key).filter(|entry| entry.place != Place::Ghost) else { return false };
        if entry.item.is_dead(now) {
            self.remove(&entry);
            return false;
        }
        self.entries[key as usize] = Some(Entry { reads: (entry.reads + 1).min(READS_MAX), ..entry });
        true
    }

    fn store(&mut self, item: &CachedItem, _: u32) {
        let old = self.entry(item.key);
        if let Some(old) = &old {
            self.remove(old);
        }
        if item.charge() > self.capacity {
            return;
        }
        while self.used[Place::Small as usize] + self.used[Place::Main as usize] + item.charge() > self.capacity {
            self.evict();
        }
        // A rewritten item stays in its queue; an item that was evicted recently is known to be requested again.
        match old {
            Some(Entry { place: Place::Small, reads, .. }) => self.insert(item, Place::Small, reads),
            Some(Entry { place: Place::Main, reads, .. }) => self.insert(item, Place::Main, reads),
            Some(Entry { place: Place::Ghost, .. }) => self.insert(item, Place::Main, 0),
            None => self.insert(item, Place::Small, 0),
        }
    }

    fn delete(&mut self, key: u32, _: u16, _: u32) {
        if let Some(old) = self.entry(key).filter(|old| old.place != Place::Ghost) {
            self.remove(&old);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scan_passes_by_what_is_read() {
        let item = |key| CachedItem { key, key_len: 8, value_len: 80, deadline: u32::MAX };
        let mut cache = S3Fifo::new(100 * item(0).charge());
        for _ in 0..3 {
            for key in 0..50 {
                if !cache.get(key, 8, 0) {
                    cache.store(&item(key), 0);
                }
            }
        }
        (1000..3000).for_each(|key| cache.store(&item(key), 0));
        assert!((0..50).all(|key| cache.get(key, 8, 0)));
        assert!((1000..2900).all(|key| !cache.get(key, 8, 0)));
    }
}
