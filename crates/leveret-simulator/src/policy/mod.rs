//! Caches for replaying a trace. Each may use the same memory, and each item costs as much as in the real cache.

mod arena;
mod bound;
mod gdsf;
mod list;
mod lru;
mod memcached;
mod s3fifo;

pub use arena::Engine;
pub use bound::Intervals;
pub use gdsf::Gdsf;
pub use lru::LruCache;
pub use memcached::Memcached;
pub use s3fifo::S3Fifo;

/// The item to store.
#[derive(Clone, Copy, Debug)]
pub struct CachedItem {
    /// The key's number.
    pub key: u32,
    /// Bytes of the key.
    pub key_len: u16,
    /// Bytes of the value.
    pub value_len: u32,
    /// Second from which the item is dead; `u32::MAX` = never.
    pub deadline: u32,
}

/// A cache of a certain size.
pub trait Policy {
    /// Whether the key is there and alive; counts as a read.
    fn get(&mut self, key: u32, key_len: u16, now: u32) -> bool;

    /// Stores an item, or replaces it.
    fn store(&mut self, item: &CachedItem, now: u32);

    /// Removes an item, if it is there.
    fn delete(&mut self, key: u32, key_len: u16, now: u32);
}

/// Header of an item in an arena, docs/memory-layout.md.
const HEADER: u64 = 16;
/// A bucket of 64 bytes holds 7 items and splits at 80 %: 11.4 bytes.
const INDEX_SHARE: u64 = 11;

/// Bytes of an item in an arena: key, value, header, padding and its share of the index. Also charged to the caches of
/// the literature, which define no cost.
pub fn charge(key_len: u64, value_len: u64) -> u64 {
    (HEADER + key_len + value_len).next_multiple_of(8) + INDEX_SHARE
}

impl CachedItem {
    fn charge(&self) -> u64 {
        charge(u64::from(self.key_len), u64::from(self.value_len))
    }

    fn is_dead(&self, now: u32) -> bool {
        self.deadline <= now
    }
}
