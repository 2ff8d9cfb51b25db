//! Arenas of every size, for every number of processors: their numbers must fit each other, and they must hold as much
//! as they report.
use crate::hash::PLACE_BITS;
use crate::map::file::{boot_id, fill};
use crate::map::geometry::{Geometry, RegionId, PAGE};
use crate::{Arena, Deadline, Error, Mode, OpenOptions, Stored, Time, Value, MEMORY_MAX, MEMORY_MIN};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const CORES: [u32; 10] = [1, 2, 3, 7, 16, 64, 127, 128, 256, u32::MAX];

/// From the smallest arena to the largest: round sizes, both sides of each at which segments become larger, and odd ones.
fn sizes() -> Vec<u64> {
    let powers = (23..=40).map(|power| 1u64 << power);
    let around =
        |size: u64| [size - PAGE, size - 1, size, size + 1, size + PAGE + 4097, size / 10 * 13, size / 10 * 19];
    let mut sizes: Vec<u64> = powers.flat_map(around).filter(|size| (MEMORY_MIN..=MEMORY_MAX).contains(size)).collect();
    sizes.sort_unstable();
    sizes
}

#[test]
fn the_numbers_of_every_shape_fit_each_other() {
    for memory in sizes() {
        for cores in CORES {
            let shape = format!("{memory} bytes, {cores} cores");
            let geometry = Geometry::new(memory, cores, 7, [1; 16], [2; 16], 3).expect("in range");
            // A superblock is refused unless its regions follow each other without a gap or an overlap.
            assert_eq!(Geometry::decode(&geometry.encode(), geometry.file_len), Ok(geometry.clone()), "{shape}");
            assert!(geometry.file_len >> 3 < 1 << PLACE_BITS, "{shape}: a slot holds every place");
            let segments = u64::from(geometry.segments_max);
            assert_eq!(segments, memory / geometry.segment_size(), "{shape}");
            let shards = u64::from(geometry.shards());
            assert!(shards.is_power_of_two() && shards <= 256.min(2 * u64::from(cores)), "{shape}: {shards} shards");
            assert!(shards <= segments / 64, "{shape}: {shards} shards of {segments} segments");
            assert!(geometry.first_buckets() <= geometry.buckets_max, "{shape}");
            let first_index = shards * u64::from(geometry.first_chunks()) * geometry.chunk_len();
            let first_data = (2 * shards * geometry.segment_size()).max(1 << 20);
            assert!(geometry.metadata_len() + first_index + first_data <= memory / 2, "{shape}: half is left to grow");
            // A large value's record lists its segments, beside the longest key, in a segment of its own.
            let listed = 8 * (geometry.value_max() / geometry.segment_size() + 1);
            assert!(listed + geometry.key_max() as u64 + 256 <= geometry.segment_size(), "{shape}: {listed} bytes");
            assert!(geometry.value_max() >= (memory / 8).min(64 << 30), "{shape}");
            // Pages are promised in whole ones, wherever an index chunk or a segment ends.
            let data = geometry.region(RegionId::Data);
            assert!(data.off % PAGE == 0 && geometry.segment_size() % PAGE == 0, "{shape}");
        }
    }
}

/// Bytes of which no part is like another.
fn bytes(len: usize) -> Vec<u8> {
    (0..len as u64).map(|at| (at.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8).collect()
}

/// Stores into each shard, and a value of each border; reads all back, also by a second opening.
fn round_trip(path: &Path, memory: u64, cores: u32, bytes: &[u8]) {
    let shape = format!("{memory} bytes, {cores} cores");
    let options = OpenOptions::new().memory(memory).cores(cores);
    let (arena, created) = Arena::open(path, &options).unwrap_or_else(|error| panic!("{shape}: {error}"));
    assert!(created && arena.memory() == memory, "{shape}");
    let (never, now) = (Deadline::NEVER, Time::now());
    let (segment, value_max) = (arena.core.segments.size() as usize, arena.value_max());
    let long = vec![7; arena.key_max()];
    let mut lens = vec![0, 1, segment / 3, segment / 2 + 1, segment - long.len(), 2 * segment - 100];
    lens.extend((segment - 128..segment + 64).step_by(8));
    lens.extend([2 * segment - 1, 3 * segment, 3 * segment + 1]);
    if value_max <= bytes.len() {
        lens.extend([value_max - segment - 1, value_max - 1, value_max]);
    }
    for key in [&b""[..], b"key", &long] {
        for len in &lens {
            let stored = arena.set(key, &bytes[..*len], never, now);
            assert_eq!(stored, Ok(()), "{shape}: {len} bytes under a key of {}", key.len());
            let is_there = arena.get(key, now).is_some_and(|item| item.value == bytes[..*len]);
            assert!(is_there, "{shape}: {len} bytes under a key of {}", key.len());
        }
    }
    if value_max < bytes.len() {
        let refused = Err(Error::ValueTooLarge { len: value_max + 1, max: value_max });
        assert_eq!(arena.set(b"key", &bytes[..=value_max], never, now), refused, "{shape}");
    }
    let too_long = vec![7; arena.key_max() + 1];
    let refused = Err(Error::KeyTooLong { len: too_long.len(), max: arena.key_max() });
    assert_eq!(arena.set(&too_long, b"", never, now), refused, "{shape}");
    // A key for each shard.
    let mut reached = vec![false; arena.core.shards.len()];
    let mut keys = Vec::new();
    for number in 0u64.. {
        let key = number.to_ne_bytes();
        let shard = arena.core.hasher.shard_of(arena.core.hasher.hash(&key));
        if !std::mem::replace(&mut reached[shard], true) {
            let stored = arena.store(&key, Value::Integer(number as i64), Default::default(), never, Mode::Add, now);
            assert_eq!(stored, Ok(Stored::Stored { cas: 0 }), "{shape}: shard {shard}");
            keys.push(number);
            if keys.len() == reached.len() {
                break;
            }
        }
    }
    assert_eq!(arena.stats().evicted, 0, "{shape}: nothing had to go");
    assert_eq!(arena.verify().problems, Vec::<String>::new(), "{shape}");
    drop(arena);
    // The sizes of an existing arena win.
    let (arena, created) = Arena::open(path, &OpenOptions::new().cores(1)).expect("an arena");
    assert!(!created && arena.memory() == memory && arena.core.shards.len() == keys.len(), "{shape}");
    for number in &keys {
        let item = arena.get(&number.to_ne_bytes(), now);
        assert_eq!(item.and_then(|item| item.number), Some(*number as i64), "{shape}");
    }
    assert_eq!(arena.iter(now).count(), keys.len() + if value_max < bytes.len() { 2 } else { 3 }, "{shape}");
    drop(arena);
    crate::remove(path).expect("there");
}

/// Sparse files: a large arena takes a 63rd of its memory, and the stored bytes.
#[test]
fn an_arena_of_any_shape_takes_what_it_promises() {
    let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
    let path = dir.path().join("shapes.arena");
    let bytes = bytes((8 << 20) + 1);
    // In each run another third of the sizes, each for another number of processors.
    let draw = now_nanos();
    let sizes = sizes().into_iter().filter(|size| *size <= 4 << 30).skip(draw % 3).step_by(3);
    for (index, memory) in sizes.enumerate() {
        let cores = CORES[(index + draw) % CORES.len()];
        round_trip(&path, memory, cores, &bytes);
    }
}

/// An arena whose file has places for several times its memory, as one has whose memory can be raised. All shares are of
/// the memory, and nothing grows into the other places.
#[test]
fn places_are_no_memory() {
    let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
    for (memory, cores, times) in [(8 << 20, 1, 4), (8 << 20, 16, 2), (20 << 20, 2, 8), (64 << 20, 2, 4)] {
        let shape = format!("{memory} bytes, {cores} cores, {times} times the places");
        let path = dir.path().join("places.arena");
        let geometry = Geometry::new(memory, cores, 7, [1; 16], boot_id(), 3).expect("in range").with_places(times);
        let file = fs::File::options().read(true).write(true).create_new(true).open(&path).expect("a file");
        file.set_permissions(fs::Permissions::from_mode(0o600)).expect("its mode");
        fill(&file.into(), &geometry, &OpenOptions::new(), &path).expect("room");
        let (arena, created) =
            Arena::open(&path, &OpenOptions::new()).unwrap_or_else(|error| panic!("{shape}: {error}"));
        assert!(
            !created
                && arena.memory() == memory
                && arena.core.segments.len() as u64 * arena.core.segments.size() > memory
        );
        let (never, now) = (Deadline::NEVER, Time::now());
        let fits = (memory >> geometry.segment_shift) as usize;

        // A quarter of it in values of four segments: received and sent values each take their share of the memory.
        let len = 4 * arena.core.segments.size() as usize - 200;
        let names: Vec<String> = (0..fits / 16).map(|number| format!("large {number}")).collect();
        let coming: Vec<_> = names.iter().map_while(|name| arena.incoming(name.as_bytes(), len, now)).collect();
        assert!((1..=fits / 16 / 3).contains(&coming.len()), "{shape}: {} at a time", coming.len());
        drop(coming);
        for name in &names {
            arena.set(name.as_bytes(), &vec![3; len], never, now).expect("room");
        }
        let sent = names.iter().filter_map(|name| arena.find(name.as_bytes(), now));
        let going: Vec<_> = sent.map_while(|found| arena.outgoing(&found)).collect();
        assert!((1..=fits / 8 / 3).contains(&going.len()), "{shape}: {} at a time", going.len());
        drop(going);

        // Far more than there is room for, small values and large ones.
        for number in 0..3 * memory / 1000 {
            arena.set(&number.to_ne_bytes(), &[5; 900], never, now).expect("room");
        }
        for number in 0..20u8 {
            arena.set(&[number], &vec![7; arena.value_max() - usize::from(number)], never, now).expect("room");
        }
        let stats = arena.stats();
        assert!(stats.evicted > 0 && stats.memory_allocated <= memory, "{shape}: {}", stats.memory_allocated);
        assert!(stats.memory_allocated > memory / 10 * 9, "{shape}: {}", stats.memory_allocated);
        assert!(arena.core.segments.active() <= fits, "{shape}");
        assert_eq!(arena.verify().problems, Vec::<String>::new(), "{shape}");
        drop(arena);
        crate::remove(&path).expect("there");
    }
}

fn now_nanos() -> usize {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.subsec_nanos() as usize)
}

/// Takes 4 GB of memory: `cargo test -p leveret-engine --lib shapes -- --ignored`.
#[test]
#[ignore = "takes 4 GB of memory"]
fn the_same_of_large_ones() {
    let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
    let path = dir.path().join("shapes.arena");
    let bytes = bytes((1 << 30) + 1);
    for (memory, cores) in [(1 << 30, 256), (8 << 30, 1), (8 << 30, 256), (33 << 30, 16), (64 << 30, 256)] {
        round_trip(&path, memory, cores, &bytes);
    }
}
