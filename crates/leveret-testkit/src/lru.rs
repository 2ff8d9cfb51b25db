//! An exact LRU of bytes: the yardstick of the eviction policy. Each hit moves its item to the front, space is made
//! from the back, a dead item is a miss. No cache for many processes could afford it; every good policy has to beat it.

use std::collections::HashMap;

const NONE: usize = usize::MAX;

/// What the simulation keeps of an item.
#[derive(Clone, Debug)]
struct Node {
    id: u64,
    bytes: u64,
    /// Second from which it is dead.
    deadline: Option<u32>,
    newer: usize,
    older: usize,
}

/// The cache: ids with a weight, the least recently used at the back.
#[derive(Debug)]
pub struct Lru {
    capacity: u64,
    used: u64,
    nodes: Vec<Node>,
    free: Vec<usize>,
    by_id: HashMap<u64, usize>,
    newest: usize,
    oldest: usize,
}

impl Lru {
    /// An empty cache of so many bytes.
    pub fn new(capacity: u64) -> Lru {
        Lru {
            capacity,
            used: 0,
            nodes: Vec::new(),
            free: Vec::new(),
            by_id: HashMap::new(),
            newest: NONE,
            oldest: NONE,
        }
    }

    /// Whether the item is there and alive; a hit makes it the newest.
    pub fn hit(&mut self, id: u64, now_secs: u32) -> bool {
        let Some(&at) = self.by_id.get(&id) else { return false };
        if self.nodes[at].deadline.is_some_and(|deadline| deadline <= now_secs) {
            self.remove(at);
            return false;
        }
        self.unlink(at);
        self.link_newest(at);
        true
    }

    /// Stores an item, making room from the oldest on. What is larger than the whole cache is not kept.
    pub fn store(&mut self, id: u64, bytes: u64, deadline: Option<u32>) {
        if let Some(&at) = self.by_id.get(&id) {
            self.remove(at);
        }
        if bytes > self.capacity {
            return;
        }
        while self.used + bytes > self.capacity {
            self.remove(self.oldest);
        }
        let node = Node { id, bytes, deadline, newer: NONE, older: NONE };
        let at = match self.free.pop() {
            Some(at) => {
                self.nodes[at] = node;
                at
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() - 1
            }
        };
        self.used += bytes;
        self.by_id.insert(id, at);
        self.link_newest(at);
    }

    /// Items held now.
    pub fn items(&self) -> usize {
        self.by_id.len()
    }

    fn remove(&mut self, at: usize) {
        self.unlink(at);
        self.used -= self.nodes[at].bytes;
        self.by_id.remove(&self.nodes[at].id);
        self.free.push(at);
    }

    fn unlink(&mut self, at: usize) {
        let (newer, older) = (self.nodes[at].newer, self.nodes[at].older);
        match newer {
            NONE => self.newest = older,
            newer => self.nodes[newer].older = older,
        }
        match older {
            NONE => self.oldest = newer,
            older => self.nodes[older].newer = newer,
        }
    }

    fn link_newest(&mut self, at: usize) {
        self.nodes[at].newer = NONE;
        self.nodes[at].older = self.newest;
        match self.newest {
            NONE => self.oldest = at,
            newest => self.nodes[newest].newer = at,
        }
        self.newest = at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    #[test]
    fn the_least_recently_used_goes_first() {
        let mut lru = Lru::new(30);
        for id in 0..3 {
            lru.store(id, 10, None);
        }
        assert!(lru.hit(0, 0));
        lru.store(3, 10, None);
        assert_eq!([0, 1, 2, 3].map(|id| lru.hit(id, 0)), [true, false, true, true]);
        lru.store(4, 25, None);
        assert_eq!(lru.items(), 1);
        lru.store(5, 31, None);
        assert!(!lru.hit(5, 0) && lru.hit(4, 0), "too large for the whole cache");
    }

    #[test]
    fn a_dead_item_is_a_miss() {
        let mut lru = Lru::new(30);
        lru.store(1, 10, Some(5));
        assert!(lru.hit(1, 4) && !lru.hit(1, 5));
        assert_eq!(lru.items(), 0);
    }

    #[test]
    fn agrees_with_a_list_kept_the_slow_way() {
        let (mut lru, mut rng) = (Lru::new(100), Rng::new(5));
        let mut slow: Vec<(u64, u64)> = Vec::new();
        for _ in 0..20_000 {
            let (id, bytes) = (rng.below(40), rng.between(1, 20));
            let place = slow.iter().position(|(other, _)| *other == id);
            assert_eq!(lru.hit(id, 0), place.is_some());
            match place {
                Some(place) => {
                    let item = slow.remove(place);
                    slow.push(item);
                }
                None => {
                    lru.store(id, bytes, None);
                    while slow.iter().map(|(_, bytes)| bytes).sum::<u64>() + bytes > 100 {
                        slow.remove(0);
                    }
                    slow.push((id, bytes));
                }
            }
        }
    }
}
