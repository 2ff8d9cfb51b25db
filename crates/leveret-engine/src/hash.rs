//! One 64-bit hash decides everything: the top bits the shard, the middle the tag in the slot, the low bits the bucket.
use crate::map::geometry::Geometry;
use crate::map::mapping::Data;
use std::mem::MaybeUninit;
use xxhash_rust::xxh3::{xxh3_64_with_seed, Xxh3};

/// Low bits of a slot word that hold the item's place, in units of 8 bytes.
pub(crate) const PLACE_BITS: u32 = 42;
const TAG_MAX: u64 = (1 << 22) - 1;

/// Tag of a slot word that is a link to an overflow bucket; no item has it.
pub(crate) const LINK: u64 = TAG_MAX;

/// The tag of a hash: 1 ..= 2^22 - 2, so that a slot word with an item is neither 0 nor a link.
#[inline]
pub(crate) fn tag(hash: u64) -> u64 {
    ((hash >> 34) & TAG_MAX).clamp(1, TAG_MAX - 1)
}

/// The bucket of a hash in a linear-hashing table of `buckets` buckets.
#[inline]
pub(crate) fn bucket(hash: u64, buckets: u32) -> u32 {
    let level = 1u32 << buckets.ilog2();
    let bucket = hash as u32 & (2 * level).wrapping_sub(1);
    if bucket < buckets {
        bucket
    } else {
        bucket & (level - 1)
    }
}

/// How an arena hashes its keys, and which shard a hash belongs to.
#[derive(Clone, Copy)]
pub(crate) struct Hasher {
    seed: u64,
    shard_shift: u32,
}

impl Hasher {
    pub fn new(geometry: &Geometry) -> Hasher {
        Hasher { seed: geometry.hash_seed, shard_shift: geometry.shard_shift }
    }

    #[inline]
    pub fn hash(&self, key: &[u8]) -> u64 {
        xxh3_64_with_seed(key, self.seed)
    }

    #[inline]
    pub fn shard_of(&self, hash: u64) -> usize {
        // Two steps, since a shift by 64 (one shard) is not defined.
        (hash >> 32 >> (32 - self.shard_shift)) as usize
    }

    /// The hash of a key that lies in the arena, read piece by piece since no slice may be formed over it.
    pub fn hash_at(&self, data: &Data, off: u64, len: usize) -> u64 {
        let mut room = [const { MaybeUninit::uninit() }; PIECE];
        if len <= PIECE {
            return self.hash(read(data, off, len, &mut room));
        }
        let mut state = Xxh3::with_seed(self.seed);
        let mut done = 0;
        while done < len {
            let step = (len - done).min(PIECE);
            state.update(read(data, off + done as u64, step, &mut room));
            done += step;
        }
        state.digest()
    }
}

const PIECE: usize = 512;

/// Copies `len` bytes of the arena, at most `PIECE`, into `room`.
#[inline]
fn read<'a>(data: &Data, off: u64, len: usize, room: &'a mut [MaybeUninit<u8>; PIECE]) -> &'a [u8] {
    let room = &mut room[..len];
    // SAFETY: the room has `len` bytes, all of which are written before the slice over them is made.
    unsafe {
        data.copy_out(off, room.as_mut_ptr().cast(), len);
        std::slice::from_raw_parts(room.as_ptr().cast(), len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_split_moves_items_to_the_new_bucket_only() {
        for buckets in 1..200u32 {
            for hash in 0..5000u64 {
                let before = bucket(hash, buckets);
                let after = bucket(hash, buckets + 1);
                assert!(before < buckets);
                assert!(after == before || after == buckets, "{hash} in {buckets}");
            }
        }
    }

    #[test]
    fn tags_are_never_zero_or_a_link() {
        for hash in [0, u64::MAX, LINK << 34, 1 << 34] {
            assert!((1..LINK).contains(&tag(hash)));
        }
    }
}
