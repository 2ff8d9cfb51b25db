//! memcached 1.6: slab classes that grow by a quarter, pages of 1 MiB, and in each class a segmented LRU (hot, warm,
//! cold). An item costs its chunk: 48 bytes of header and 8 of cas beside key and value. The hash table is not counted,
//! as memcached's `-m` does not count it. The page mover moves a page each second, at most, from the class whose oldest
//! item is oldest to the one whose is youngest.

use super::list::{Links, List};
use super::{CachedItem, Policy};

const PAGE: u64 = 1 << 20;
/// Item header with its cas; the value's line end; the key's final zero.
const OVERHEAD: u64 = 48 + 8 + 2 + 1;
const CHUNK_MIN: u64 = 96;
/// `-f`.
const FACTOR: f64 = 1.25;
/// Shares of a class, in percent, that its hot and its warm list may have.
const HOT_PERCENT: u64 = 20;
const WARM_PERCENT: u64 = 40;
/// slab_automove_ratio: the youngest tail is younger than this share of the oldest.
const AGE_RATIO: f64 = 0.8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Segment {
    Hot,
    Warm,
    Cold,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    item: CachedItem,
    class: u8,
    segment: Segment,
    /// Read once, then twice: memcached's "fetched" and "active".
    reads: u8,
    touched: u32,
}

#[derive(Debug)]
struct Class {
    chunk: u64,
    pages: u64,
    used: u64,
    lists: [List; 3],
    counts: [u64; 3],
    evicted: bool,
}

impl Class {
    fn room(&self) -> u64 {
        self.pages * (PAGE / self.chunk)
    }
}

/// The cache.
#[derive(Debug)]
pub struct Memcached {
    pages_left: u64,
    classes: Vec<Class>,
    entries: Vec<Option<Entry>>,
    links: Links,
    moved_at: u32,
}

impl Memcached {
    /// An empty cache with `-m` of `capacity` bytes.
    pub fn new(capacity: u64) -> Memcached {
        let mut classes = Vec::new();
        let mut chunk = CHUNK_MIN;
        while chunk < PAGE / 2 {
            classes.push(chunk);
            chunk = ((chunk as f64 * FACTOR) as u64).next_multiple_of(8);
        }
        classes.extend([PAGE / 2, PAGE]);
        let class = |chunk| Class {
            chunk,
            pages: 0,
            used: 0,
            lists: [List::new(), List::new(), List::new()],
            counts: [0; 3],
            evicted: false,
        };
        Memcached {
            pages_left: capacity / PAGE,
            classes: classes.into_iter().map(class).collect(),
            entries: Vec::new(),
            links: Links::default(),
            moved_at: 0,
        }
    }

    fn entry(&self, key: u32) -> Option<Entry> {
        self.entries.get(key as usize).copied().flatten()
    }

    fn unlink(&mut self, entry: &Entry) {
        let class = &mut self.classes[entry.class as usize];
        class.lists[entry.segment as usize].remove(&mut self.links, entry.item.key);
        class.counts[entry.segment as usize] -= 1;
    }

    fn link(&mut self, entry: Entry) {
        let class = &mut self.classes[entry.class as usize];
        class.lists[entry.segment as usize].push(&mut self.links, entry.item.key);
        class.counts[entry.segment as usize] += 1;
        self.entries[entry.item.key as usize] = Some(entry);
    }

    fn remove(&mut self, entry: &Entry) {
        self.unlink(entry);
        self.classes[entry.class as usize].used -= 1;
        self.entries[entry.item.key as usize] = None;
    }

    fn oldest(&self, class: usize, segment: Segment) -> Option<Entry> {
        self.classes[class].lists[segment as usize].oldest().and_then(|key| self.entry(key))
    }

    /// What memcached's maintainer thread does all the time: hot and warm stay below their shares.
    fn juggle(&mut self, class: usize) {
        for (segment, percent) in [(Segment::Hot, HOT_PERCENT), (Segment::Warm, WARM_PERCENT)] {
            for _ in 0..8 {
                let is_over = self.classes[class].counts[segment as usize] * 100 > self.classes[class].used * percent;
                let Some(oldest) = self.oldest(class, segment).filter(|_| is_over) else { break };
                self.unlink(&oldest);
                let is_active = oldest.reads >= 2;
                let next = if is_active { Segment::Warm } else { Segment::Cold };
                self.link(Entry { segment: next, reads: oldest.reads.min(1), ..oldest });
            }
        }
    }

    fn evict(&mut self, class: usize) -> bool {
        let victim = [Segment::Cold, Segment::Warm, Segment::Hot].into_iter().find_map(|seg| self.oldest(class, seg));
        let Some(victim) = victim else { return false };
        self.remove(&victim);
        self.classes[class].evicted = true;
        true
    }

    fn take_page_of_richest(&mut self) {
        let richest = (0..self.classes.len()).max_by_key(|class| self.classes[*class].pages).unwrap_or(0);
        if self.classes[richest].pages > 1 {
            self.take_page(richest);
            self.pages_left += 1;
        }
    }

    fn take_page(&mut self, class: usize) {
        self.classes[class].pages -= 1;
        while self.classes[class].used > self.classes[class].room() && self.evict(class) {}
    }

    fn rebalance(&mut self, now: u32) {
        if now == self.moved_at {
            return;
        }
        self.moved_at = now;
        let age = |class: usize| {
            self.oldest(class, Segment::Cold).map(|oldest| f64::from(now - oldest.touched)).filter(|age| *age > 0.0)
        };
        let ages = || (0..self.classes.len()).filter_map(|class| Some((class, age(class)?)));
        let oldest = ages().filter(|(class, _)| self.classes[*class].pages > 2).max_by(|a, b| a.1.total_cmp(&b.1));
        let youngest = ages().filter(|(class, _)| self.classes[*class].evicted).min_by(|a, b| a.1.total_cmp(&b.1));
        if let (Some((from, old)), Some((to, young))) = (oldest, youngest) {
            if young < old * AGE_RATIO {
                self.take_page(from);
                self.classes[to].pages += 1;
            }
        }
        self.classes.iter_mut().for_each(|class| class.evicted = false);
    }
}

impl Policy for Memcached {
    fn get(&mut self, key: u32, _: u16, now: u32) -> bool {
        let Some(entry) = self.entry(key) else { return false };
        if entry.item.is_dead(now) {
            self.remove(&entry);
            return false;
        }
        let entry = Entry { reads: (entry.reads + 1).min(2), touched: now, ..entry };
        self.entries[key as usize] = Some(entry);
        if entry.segment == Segment::Cold && entry.reads == 2 {
            self.unlink(&entry);
            self.link(Entry { segment: Segment::Warm, reads: 1, ..entry });
        }
        true
    }

    fn store(&mut self, item: &CachedItem, now: u32) {
        self.delete(item.key, item.key_len, now);
        self.rebalance(now);
        let size = OVERHEAD + u64::from(item.key_len) + u64::from(item.value_len);
        let Some(class) = self.classes.iter().position(|class| class.chunk >= size) else { return };
        while self.classes[class].used >= self.classes[class].room() {
            // Each class may have one page, even beyond the limit: here at the cost of the richest class, so that
            // memory stays equal.
            if self.pages_left == 0 && self.classes[class].pages == 0 {
                self.take_page_of_richest();
            }
            if self.pages_left > 0 {
                self.pages_left -= 1;
                self.classes[class].pages += 1;
            } else if !self.evict(class) {
                return;
            }
        }
        if self.entries.len() <= item.key as usize {
            self.entries.resize(item.key as usize + 1, None);
        }
        self.classes[class].used += 1;
        self.link(Entry { item: *item, class: class as u8, segment: Segment::Hot, reads: 0, touched: now });
        self.juggle(class);
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
    fn an_item_takes_its_chunk() {
        let mut cache = Memcached::new(2 << 20);
        let item = |key| CachedItem { key, key_len: 20, value_len: 100, deadline: u32::MAX };
        (0..20_000).for_each(|key| cache.store(&item(key), 0));
        // 59 + 20 + 100 = 179 bytes lie in a chunk of 192.
        let held = (0..20_000).filter(|key| cache.get(*key, 20, 0)).count();
        assert_eq!(held as u64, 2 * (PAGE / 192));
    }

    #[test]
    fn what_was_read_twice_outlives_a_scan() {
        let mut cache = Memcached::new(2 << 20);
        let item = |key| CachedItem { key, key_len: 20, value_len: 100, deadline: u32::MAX };
        (0..5000).for_each(|key| cache.store(&item(key), 0));
        (0..100).for_each(|key| assert!(cache.get(key, 20, 1) && cache.get(key, 20, 2)));
        (1000..30_000).for_each(|key| cache.store(&item(key), 3));
        assert!((0..100).all(|key| cache.get(key, 20, 4)));
        assert!(!cache.get(1000, 20, 4));
    }
}
