//! Arenas that are the same in every run. An arena draws its hash seed when it is made, and where each key lies hangs
//! on it; a run that shall be repeatable replaces it by its own, while the arena is still empty.

use std::fs::File;
use std::io::{Error, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::Path;

use leveret_engine::{Arena, OpenOptions};

use crate::arena_copy::ArenaImage;
use crate::layout::{region, seal_superblock, shards, CONTROL, HASH_SEED, SHARD_GIVEN, SHARD_SIZE, SUPERBLOCK_LEN};

/// Creates a new arena at `path`, replacing an existing one, with a hash seed made from `seed`.
pub fn create(path: &Path, options: &OpenOptions, seed: u64) -> std::io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let (arena, _) = Arena::open(path, options).map_err(|error| Error::other(error.to_string()))?;
    drop(arena);
    let file = File::options().read(true).write(true).open(path)?;
    let mut page = [0; SUPERBLOCK_LEN];
    file.read_exact_at(&mut page, 0)?;
    page[HASH_SEED..HASH_SEED + 8].copy_from_slice(&seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_ne_bytes());
    seal_superblock(&mut page);
    file.write_all_at(&page, 0)
}

/// History of an arena: the counters that wrap, or outgrow a field that keeps a part of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Age {
    /// Flushes.
    pub flushes: u32,
    /// Uses of segments, in each shard.
    pub generation: u64,
    /// Cas tokens that were drawn, in each shard.
    pub cas: u64,
}

/// The same, with the counters of an old arena.
pub fn create_aged(path: &Path, options: &OpenOptions, seed: u64, age: &Age) -> std::io::Result<()> {
    create(path, options, seed)?;
    if *age == Age::default() {
        return Ok(());
    }
    let image = ArenaImage::read_path(path)?;
    let (Some(control), Some(shards)) = (region(&image, CONTROL), shards(&image)) else {
        return Err(Error::other("a region is missing"));
    };
    let file = File::options().write(true).open(path)?;
    file.write_all_at(&u64::from(age.flushes).to_ne_bytes(), control.off)?;
    for shard in (shards.off..shards.off + shards.len).step_by(SHARD_SIZE as usize) {
        file.write_all_at(&age.generation.to_ne_bytes(), shard + SHARD_GIVEN)?;
        file.write_all_at(&age.cas.to_ne_bytes(), shard + SHARD_GIVEN + 8)?;
    }
    Ok(())
}

/// The same, and opens it.
pub fn open(path: &Path, options: &OpenOptions, seed: u64) -> std::io::Result<Arena> {
    create(path, options, seed)?;
    Arena::open(path, options).map(|(arena, _)| arena).map_err(|error| Error::other(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch;

    #[test]
    fn two_arenas_of_one_seed_put_their_items_in_the_same_places() {
        let folder = scratch::folder().unwrap();
        let index_of = |seed| {
            let path = folder.path().join("seeded.arena");
            let arena = open(&path, &OpenOptions::new().memory(8 << 20).cores(1), seed).unwrap();
            for index in 0..100u32 {
                arena
                    .set(&index.to_ne_bytes(), b"value", leveret_engine::Deadline::NEVER, leveret_engine::Time::now())
                    .unwrap();
            }
            let image = ArenaImage::read_path(&path).unwrap();
            let index = crate::layout::region(&image, crate::layout::INDEX).unwrap();
            (0..1000).map(|word| image.bytes::<8>(index.off + 8 * word)).collect::<Vec<_>>()
        };
        assert_eq!(index_of(1), index_of(1));
        assert_ne!(index_of(1), index_of(2));
    }
}
