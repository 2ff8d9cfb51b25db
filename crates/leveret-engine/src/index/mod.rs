//! The index: per shard a table of 64-byte buckets that grows by linear hashing, with overflow buckets behind full
//! ones. Slot words are the truth about which items live. `edit.rs` changes them, under the shard's lock; `read.rs`
//! reads them without.
//!
//! Entries never move inside a chain, so a key has one slot at most and a reader that scans a chain misses nothing.
//! Only a split moves entries, and announces it in `move_seq`.
mod slot;

use crate::hash;
use crate::map::geometry::{Geometry, RegionId};
use crate::map::layout::{Bucket, Shard, SLOTS};
use crate::map::mapping::Table;
use crate::map::Map;
use crate::sync::{AtomicU64, Ordering};
pub(crate) use slot::{SlotWord, Spot, FETCHED, FREQUENCY_MAX, UNREAD, WATCHED};

/// Longest chain of buckets. Under linear hashing fewer than one item in a billion needs more; an attacker with
/// colliding keys evicts only those keys.
pub(crate) const CHAIN_MAX: usize = 8;

/// The index of all shards.
pub(crate) struct Index {
    shards: Table<Shard>,
    main: Table<Bucket>,
    overflow: Table<Bucket>,
    overflow_map: Table<AtomicU64>,
    /// Main buckets that a shard's index may grow to.
    pub buckets_max: u32,
    /// Main buckets that a shard starts with.
    pub first_buckets: u32,
    /// The index is allocated in chunks of this many main buckets and half as many overflow buckets.
    pub chunk_buckets: u32,
}

impl Index {
    pub fn new(map: &Map) -> Index {
        let Geometry { buckets_max, chunk_buckets, .. } = map.geometry;
        let first_buckets = map.geometry.first_buckets();
        let shards = map.geometry.shards() as usize;
        let overflow = shards * map.geometry.overflow_max() as usize;
        // SAFETY: each of these types consists of atomics only.
        unsafe {
            Index {
                shards: map.table(RegionId::Shards, shards),
                main: map.table(RegionId::Index, shards * buckets_max as usize),
                overflow: map.table(RegionId::Overflow, overflow),
                overflow_map: map.table(RegionId::OverflowMap, shards * map.geometry.overflow_words()),
                buckets_max,
                first_buckets,
                chunk_buckets,
            }
        }
    }

    /// Overflow buckets that a shard may use.
    #[inline]
    pub fn overflow_max(&self) -> u32 {
        self.buckets_max / 2
    }

    /// Main buckets that are allocated to a shard.
    pub fn allocated(&self, shard: usize) -> u64 {
        u64::from(self.shards.at(shard).chunks.load(Ordering::Acquire)) * u64::from(self.chunk_buckets)
    }

    /// The bucket of a hash in its shard.
    #[inline]
    pub fn bucket_of(&self, shard: usize, hash: u64) -> u32 {
        hash::bucket(hash, self.buckets(shard))
    }

    /// Asks for the cache line of a hash's bucket.
    #[inline]
    pub fn ask_for(&self, shard: usize, hash: u64) {
        self.ask_for_bucket(shard, self.bucket_of(shard, hash));
    }

    /// Asks for the cache line of a main bucket.
    #[inline]
    pub fn ask_for_bucket(&self, shard: usize, bucket: u32) {
        self.main.ask_for(self.place_of(shard, bucket));
    }

    /// A word of the map of overflow buckets; word `n` of a shard tells of its buckets from `64 * n` on.
    pub fn overflow_word(&self, shard: usize, word: usize) -> &AtomicU64 {
        self.overflow_map.at(shard * self.overflow_words() + word)
    }

    /// Words of the map of overflow buckets that a shard has.
    pub fn overflow_words(&self) -> usize {
        (self.overflow_max() as usize).div_ceil(64)
    }

    /// Number of main buckets of a shard, clamped to a possible number since the file may be damaged.
    #[inline]
    pub fn buckets(&self, shard: usize) -> u32 {
        self.shards.at(shard).buckets.load(Ordering::Acquire).clamp(1, self.buckets_max)
    }

    #[inline]
    pub fn bucket(&self, shard: usize, bucket: u32) -> &Bucket {
        self.main.at(self.place_of(shard, bucket))
    }

    /// Where a main bucket lies in the index.
    #[inline]
    fn place_of(&self, shard: usize, bucket: u32) -> usize {
        shard * self.buckets_max as usize + bucket as usize
    }

    /// An overflow bucket; None when a damaged link leads nowhere.
    #[inline]
    pub fn overflow_bucket(&self, shard: usize, bucket: u32) -> Option<&Bucket> {
        self.overflow_place(shard, bucket).map(|place| self.overflow.at(place))
    }

    /// Where an overflow bucket lies in its region.
    #[inline]
    fn overflow_place(&self, shard: usize, bucket: u32) -> Option<usize> {
        let max = self.overflow_max();
        (bucket < max).then(|| shard * max as usize + bucket as usize)
    }

    /// Asks for the cache line of an overflow bucket.
    #[inline]
    pub fn ask_for_overflow(&self, shard: usize, bucket: u32) -> Option<()> {
        self.overflow_place(shard, bucket).map(|place| self.overflow.ask_for(place))
    }

    /// The buckets of a chain, first to last.
    pub fn chain(&self, shard: usize, bucket: u32) -> impl Iterator<Item = &Bucket> {
        let mut next = Some(self.bucket(shard, bucket));
        let step = move || {
            let bucket = next?;
            next = bucket.link(Ordering::Acquire).and_then(|link| self.overflow_bucket(shard, link));
            Some(bucket)
        };
        std::iter::from_fn(step).take(CHAIN_MAX)
    }

    /// Number of buckets in a chain.
    #[inline]
    pub fn chain_len(&self, shard: usize, bucket: u32) -> usize {
        match self.bucket(shard, bucket).link(Ordering::Acquire) {
            None => 1,
            Some(_) => self.chain(shard, bucket).count(),
        }
    }

    /// All item slots of a chain.
    pub fn spots(&self, shard: usize, bucket: u32) -> impl Iterator<Item = Spot<'_>> {
        let of_bucket = |bucket| {
            (0..SLOTS).map(move |slot| Spot {
                bucket,
                slot,
                word: SlotWord(bucket.slots[slot].load(Ordering::Acquire)),
            })
        };
        self.chain(shard, bucket).flat_map(of_bucket).filter(|spot| spot.word.is_item())
    }
}
