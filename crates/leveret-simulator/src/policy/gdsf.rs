//! GreedyDual-Size-Frequency (Cherkasova 1998): an item's priority is the clock plus reads / bytes; the least goes, and
//! the clock takes over its priority. The best of the simple size-aware policies, and one ordered queue for all items:
//! nothing that many processes could share.

use super::{CachedItem, Policy};
use std::collections::BTreeSet;

#[derive(Clone, Copy, Debug)]
struct Entry {
    item: CachedItem,
    reads: u32,
    priority: u64,
}

/// The cache.
#[derive(Debug)]
pub struct Gdsf {
    capacity: u64,
    used: u64,
    clock: f64,
    entries: Vec<Option<Entry>>,
    /// By priority. Positive floats are ordered as their bits are.
    queue: BTreeSet<(u64, u32)>,
}

impl Gdsf {
    /// An empty cache of `capacity` bytes.
    pub fn new(capacity: u64) -> Gdsf {
        Gdsf { capacity, used: 0, clock: 0.0, entries: Vec::new(), queue: BTreeSet::new() }
    }

    fn entry(&self, key: u32) -> Option<Entry> {
        self.entries.get(key as usize).copied().flatten()
    }

    fn priority(&self, item: &CachedItem, reads: u32) -> u64 {
        (self.clock + f64::from(reads) / item.charge() as f64).to_bits()
    }

    fn remove(&mut self, entry: &Entry) {
        self.queue.remove(&(entry.priority, entry.item.key));
        self.entries[entry.item.key as usize] = None;
        self.used -= entry.item.charge();
    }

    fn insert(&mut self, item: &CachedItem, reads: u32) {
        let priority = self.priority(item, reads);
        self.queue.insert((priority, item.key));
        if self.entries.len() <= item.key as usize {
            self.entries.resize(item.key as usize + 1, None);
        }
        self.entries[item.key as usize] = Some(Entry { item: *item, reads, priority });
        self.used += item.charge();
    }
}

impl Policy for Gdsf {
    fn get(&mut self, key: u32, _: u16, now: u32) -> bool {
        let Some(entry) = self.entry(key) else { return false };
        self.remove(&entry);
        let is_alive = !entry.item.is_dead(now);
        if is_alive {
            self.insert(&entry.item, entry.reads + 1);
        }
        is_alive
    }

    fn store(&mut self, item: &CachedItem, _: u32) {
        let old = self.entry(item.key);
        if let Some(old) = &old {
            self.remove(old);
        }
        if item.charge() > self.capacity {
            return;
        }
        while self.used + item.charge() > self.capacity {
            let Some((priority, key)) = self.queue.first().copied() else { return };
            self.clock = f64::from_bits(priority);
            if let Some(victim) = self.entry(key) {
                self.remove(&victim);
            }
        }
        self.insert(item, old.map_or(1, |old| old.reads));
    }

    fn delete(&mut self, key: u32, _: u16, _: u32) {
        if let Some(old) = self.entry(key) {
            self.remove(&old);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_more_and_what_is_smaller_stays() {
        let mut gdsf = Gdsf::new(3000);
        let item = |key, value_len| CachedItem { key, key_len: 8, value_len, deadline: u32::MAX };
        gdsf.store(&item(0, 900), 0);
        gdsf.store(&item(1, 900), 0);
        gdsf.store(&item(2, 200), 0);
        assert!(gdsf.get(0, 8, 0));
        gdsf.store(&item(3, 900), 0);
        assert_eq!([0, 1, 2, 3].map(|key| gdsf.get(key, 8, 0)), [true, false, true, true]);
    }
}
