//! An exact LRU of bytes. Each hit moves its item to the front, space is made from the back, a dead item is a miss.

use super::list::{Links, List};
use super::{CachedItem, Policy};

/// The cache.
#[derive(Debug)]
pub struct LruCache {
    capacity: u64,
    used: u64,
    count: u64,
    items: Vec<Option<CachedItem>>,
    links: Links,
    list: List,
}

impl LruCache {
    /// An empty cache of `capacity` bytes.
    pub fn new(capacity: u64) -> LruCache {
        LruCache { capacity, used: 0, count: 0, items: Vec::new(), links: Links::default(), list: List::new() }
    }

    /// Items held now.
    pub fn items(&self) -> u64 {
        self.count
    }

    fn item(&self, key: u32) -> Option<CachedItem> {
        self.items.get(key as usize).copied().flatten()
    }

    fn remove(&mut self, item: &CachedItem) {
        self.items[item.key as usize] = None;
        self.used -= item.charge();
        self.count -= 1;
        self.list.remove(&mut self.links, item.key);
    }
}

impl Policy for LruCache {
    fn get(&mut self, key: u32, _: u16, now: u32) -> bool {
        let Some(item) = self.item(key) else { return false };
        if item.is_dead(now) {
            self.remove(&item);
            return false;
        }
        self.list.remove(&mut self.links, key);
        self.list.push(&mut self.links, key);
        true
    }

    fn store(&mut self, item: &CachedItem, now: u32) {
        self.delete(item.key, item.key_len, now);
        if item.charge() > self.capacity {
            return;
        }
        while self.used + item.charge() > self.capacity {
            let Some(victim) = self.list.oldest().and_then(|key| self.item(key)) else { return };
            self.remove(&victim);
        }
        if self.items.len() <= item.key as usize {
            self.items.resize(item.key as usize + 1, None);
        }
        self.items[item.key as usize] = Some(*item);
        self.used += item.charge();
        self.count += 1;
        self.list.push(&mut self.links, item.key);
    }

    fn delete(&mut self, key: u32, _: u16, _: u32) {
        if let Some(old) = self.item(key) {
            self.remove(&old);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::charge;

    fn item(key: u32, deadline: u32) -> CachedItem {
        CachedItem { key, key_len: 8, value_len: 100, deadline }
    }

    #[test]
    fn the_least_recently_used_goes_first_and_the_dead_are_misses() {
        let mut lru = LruCache::new(3 * charge(8, 100));
        (0..3).for_each(|key| lru.store(&item(key, u32::MAX), 0));
        assert!(lru.get(0, 8, 0));
        lru.store(&item(3, 5), 0);
        assert_eq!([0, 1, 2, 3].map(|key| lru.get(key, 8, 4)), [true, false, true, true]);
        assert!(!lru.get(3, 8, 5));
        assert_eq!(lru.items(), 2);
        lru.store(&CachedItem { value_len: 1000, ..item(9, u32::MAX) }, 0);
        assert!(!lru.get(9, 8, 0) && lru.get(0, 8, 0), "too large for the whole cache");
    }
}
