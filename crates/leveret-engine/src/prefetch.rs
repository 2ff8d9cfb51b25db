//! Many keys at once. A read waits for two places that depend on each other, the key's bucket and its item; reads of
//! many keys wait for each of them in turn. Asked for ahead, the buckets of all keys come together, and so do their
//! items.
use crate::arena::Arena;
use crate::core::Core;
use crate::hash;
use crate::index::SlotWord;
use crate::map::layout::{Bucket, SLOTS};
use crate::sync::Ordering;

/// Keys requested at once: twice as many as a processor can wait for in parallel, and few enough for its first cache.
pub const AHEAD: usize = 32;

impl Arena {
    /// Asks for the memory that a look at these keys will read, and tells their hashes; for up to `AHEAD` of them, what
    /// comes behind is left out. Returns how many it were. Only a hint: it counts nothing, and trusts nothing that it
    /// reads.
    pub fn ask_for<'k>(&self, keys: impl Iterator<Item = &'k [u8]>, hashes: &mut [u64]) -> usize {
        let core = &*self.core;
        let mut count = 0;
        for (hash, key) in hashes.iter_mut().take(AHEAD).zip(keys) {
            *hash = core.hasher.hash(key);
            let shard = core.hasher.shard_of(*hash);
            core.index.ask_for(shard, *hash);
            count += 1;
        }
        // Of those that are not in the bucket where their chain begins, where it goes on.
        let mut behind = [None; AHEAD];
        for (behind, hash) in behind.iter_mut().zip(&hashes[..count]) {
            let shard = core.hasher.shard_of(*hash);
            *behind = ask_for_item(core, *hash, core.index.bucket(shard, core.index.bucket_of(shard, *hash)));
        }
        for (behind, hash) in behind.iter().zip(&hashes[..count]) {
            // Chains of three are rare.
            if let Some(bucket) = behind {
                ask_for_item(core, *hash, bucket);
            }
        }
        count
    }
}

/// Asks for the item that a slot of this bucket points at, else for the bucket behind it, which is returned.
#[inline]
fn ask_for_item<'a>(core: &'a Core, hash: u64, bucket: &Bucket) -> Option<&'a Bucket> {
    let tag = hash::tag(hash);
    let mut is_here = false;
    for slot in 0..SLOTS {
        let word = SlotWord(bucket.slots[slot].load(Ordering::Relaxed));
        if word.tag() == tag {
            core.items.data.ask_for(word.at());
            is_here = true;
        }
    }
    if is_here {
        return None;
    }
    let link = bucket.link(Ordering::Relaxed)?;
    let shard = core.hasher.shard_of(hash);
    core.index.ask_for_overflow(shard, link)?;
    core.index.overflow_bucket(shard, link)
}
