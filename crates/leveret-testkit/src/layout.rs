//! What the harness knows of an arena's bytes: the superblock's directory of regions, as docs/memory-layout.md draws
//! it. Nothing here is shared with the engine, which would otherwise judge itself.

use crate::arena_copy::ArenaImage;

const DIRECTORY: u64 = 1024;
const REGION_COUNT: u64 = 124;
const SHARD_SHIFT: u64 = 100;
/// Bytes of a shard's header.
pub const SHARD_SIZE: u64 = 512;

/// Length of the superblock.
pub const SUPERBLOCK_LEN: usize = 4096;
/// Where the superblock keeps the hash seed.
pub const HASH_SEED: usize = 72;
const CRC: usize = 128;

/// Makes the checksum of a changed superblock right again.
pub fn seal_superblock(page: &mut [u8; SUPERBLOCK_LEN]) {
    page[CRC..CRC + 4].fill(0);
    let crc = crc32fast::hash(page);
    page[CRC..CRC + 4].copy_from_slice(&crc.to_ne_bytes());
}

/// A region of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileRegion {
    /// Its number in the directory.
    pub id: u32,
    /// Where it begins.
    pub off: u64,
    /// How long it is.
    pub len: u64,
}

/// Number of the region whose first word counts the flushes.
pub const CONTROL: u32 = 1;
/// Number of the region of shard headers.
pub const SHARDS: u32 = 3;
/// Where a shard keeps the number of its last reused segment, and of the last cas that it has drawn.
pub const SHARD_GIVEN: u64 = 128;
/// Number of the region of segment headers, and the length of each.
pub const SEGMENT_HEADERS: u32 = 5;
/// A header's first word says where the items of its segment end.
pub const SEGMENT_HEADER_LEN: u64 = 64;
/// Number of the index's region.
pub const INDEX: u32 = 13;
/// Number of the region of overflow buckets.
pub const OVERFLOW: u32 = 14;
/// Number of the region of items.
pub const DATA: u32 = 15;

/// The regions of an arena.
pub fn regions(image: &ArenaImage) -> Vec<FileRegion> {
    let u32_at = |off| u32::from_ne_bytes(image.bytes(off));
    let u64_at = |off| u64::from_ne_bytes(image.bytes(off));
    let entry = |index| DIRECTORY + 24 * index;
    (0..u64::from(u32_at(REGION_COUNT)).min(32))
        .map(|index| FileRegion {
            id: u32_at(entry(index)),
            off: u64_at(entry(index) + 8),
            len: u64_at(entry(index) + 16),
        })
        .collect()
}

/// The region with this number.
pub fn region(image: &ArenaImage, id: u32) -> Option<FileRegion> {
    regions(image).into_iter().find(|region| region.id == id)
}

/// The shards in use, one behind the other.
pub fn shards(image: &ArenaImage) -> Option<FileRegion> {
    let count = 1u64 << u32::from_ne_bytes(image.bytes(SHARD_SHIFT)).min(16);
    region(image, SHARDS).map(|region| FileRegion { len: count * SHARD_SIZE, ..region })
}

/// Whether one of these shards is locked. Its first word is its lock.
pub fn is_one_locked(shards: &[u8]) -> bool {
    shards.chunks_exact(SHARD_SIZE as usize).any(|shard| shard[..8] != [0; 8])
}

/// How many shards are locked.
pub fn locked_shards(image: &ArenaImage) -> usize {
    let Some(shards) = region(image, SHARDS) else { return 0 };
    let count = 1u64 << u32::from_ne_bytes(image.bytes(SHARD_SHIFT)).min(16);
    (0..count).filter(|shard| u64::from_ne_bytes(image.bytes(shards.off + shard * SHARD_SIZE)) != 0).count()
}
