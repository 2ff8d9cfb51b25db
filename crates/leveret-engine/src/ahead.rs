//! Many keys at once. A read waits for two places that depend on each other, the key's bucket and its item; reads of
//! many keys wait for each of them in turn. Asked for ahead, the buckets of all keys come together, and so do their
//! items.
use crate::arena::Arena;
use crate::core::Core;
use crate::hash;
use crate::index::SlotWord;
use crate::map::layout::SLOTS;
use crate::sync::Ordering;

/// Keys that are asked for at once: twice what a processor can wait for at the same time, and few enough to stay in its
/// first cache.
pub const AHEAD: usize = 32;

impl Arena {
    /// Asks for the memory that a look at these keys will read, and tells their hashes; for up to `AHEAD` of them, what
    /// comes behind is left out. Returns how many it were. Only a hint: it counts nothing, and trusts nothing that it
    /// reads.
    pub fn ask_for<'k>(&self, keys: impl Iterator<Item = &'k [u8]>, hashes: &mut [u64]) -> usize {
        let core = &*self.core;
        let mut count = 0;
        for (hash, key) in hashes.iter_mut().take(AHEAD).zip(keys) {
            *hash = core.hash(key);
            let shard = core.shard_of(*hash);
            core.index.ask_for(core.place_of(shard, hash::bucket(*hash, core.buckets(shard))));
            count += 1;
        }
        hashes[..count].iter().for_each(|hash| core.ask_for_item(*hash));
        count
    }
}

impl Core {
    /// Overflow buckets are left out: few keys are in one.
    #[inline]
    fn ask_for_item(&self, hash: u64) {
        let shard = self.shard_of(hash);
        let bucket = self.bucket(shard, hash::bucket(hash, self.buckets(shard)));
        let tag = hash::tag(hash);
        for slot in 0..SLOTS {
            let word = SlotWord(bucket.slots[slot].load(Ordering::Relaxed));
            if word.tag() == tag {
                self.data.ask_for(word.at());
            }
        }
    }
}
