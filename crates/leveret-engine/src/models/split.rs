//! The index grows under a reader: no item that lives is missed, and a walk meets each once.
use super::world::{drain, explore, get, place_of, set, Grain, World, NOW};
use crate::arena::Arena;
use crate::hash::bucket;
use crate::map::layout::SLOTS;
use crate::scan::Cursor;
use crate::shard::{self, edit};
use crate::sync::Ordering;

const LEN: usize = 8;

/// Two keys of bucket 0, of which the first will move to the bucket that a split makes.
fn keys(arena: &Arena) -> [[u8; 2]; 2] {
    let buckets = arena.core.map.geometry.first_buckets();
    let hash = |key: &[u8; 2]| arena.core.hasher.hash(key);
    let of = |target: u32| {
        (0u16..)
            .map(u16::to_ne_bytes)
            .find(|key| bucket(hash(key), buckets) == 0 && bucket(hash(key), buckets + 1) == target)
            .expect("some")
    };
    [of(buckets), of(0)]
}

/// An arena with both keys, whose index has room for one more bucket.
fn begin(world: &World) -> ([Arena; 2], [[u8; 2]; 2]) {
    let arenas = [2, 3].map(|pid| world.registered(pid));
    world.shard.chunks.store(2, Ordering::Relaxed);
    let keys = keys(&arenas[0]);
    // The mover last: behind it no other item is looked at.
    keys.iter().rev().for_each(|key| set(&arenas[0], key, b'a', LEN));
    (arenas, keys)
}

fn split(arena: &Arena) {
    edit::split(&shard::lock(&arena.core, 0, NOW).expect("nobody's patience ends"));
}

#[test]
fn what_a_split_moves_is_never_missed() {
    explore("split: get", Grain::Header, |world| {
        let ([writer, reader], [mover, stayer]) = begin(world);
        world.run([
            Box::new(|| split(&writer)),
            Box::new(|| {
                assert_eq!(get(&reader, &mover), Some((b'a', LEN)));
                assert_eq!(get(&reader, &stayer), Some((b'a', LEN)));
            }),
        ]);
        assert_eq!(reader.core.index.buckets(0), 9, "or the model shows nothing");
        assert!(reader.verify().is_clean());
    });
}

/// A delete that finds nothing takes no lock: it must not overlook what moves.
#[test]
fn what_a_split_moves_is_deleted() {
    explore("split: delete", Grain::Header, |world| {
        let ([writer, reader], [mover, _]) = begin(world);
        world.run([Box::new(|| split(&writer)), Box::new(|| assert_eq!(reader.delete(&mover, NOW), Ok(true)))]);
        assert_eq!(get(&reader, &mover), None);
        assert!(reader.verify().is_clean());
    });
}

/// The keys that a walk meets, in order.
pub(super) fn walk(arena: &Arena) -> Vec<Vec<u8>> {
    let mut met = Vec::new();
    let mut cursor = Cursor { level: 1, ..Cursor::default() };
    while arena.scan(&mut cursor, NOW, &mut |key, _| met.push(key.to_vec())).expect("there") {}
    met.sort();
    met
}

#[test]
fn a_walk_meets_each_item_once() {
    explore("split: walk", Grain::Header, |world| {
        let ([writer, reader], keys) = begin(world);
        let mut all = keys.map(|key| key.to_vec());
        all.sort();
        world.run([Box::new(|| split(&writer)), Box::new(|| assert_eq!(walk(&reader), all))]);
    });
}

/// Behind the look at one item stands a fence. Here nothing comes before the mover but the look at the lock.
#[test]
fn a_walk_meets_a_mover_once_that_is_alone() {
    explore("split: walk, a mover alone", Grain::Header, |world| {
        let [writer, reader] = [2, 3].map(|pid| world.registered(pid));
        world.shard.chunks.store(2, Ordering::Relaxed);
        let [mover, _] = keys(&writer);
        set(&writer, &mover, b'a', LEN);
        world.run([Box::new(|| split(&writer)), Box::new(|| assert_eq!(walk(&reader), [mover]))]);
    });
}

/// The item moves, and its next version takes its place, or another item does.
#[test]
fn a_walk_passes_by_nothing_that_is_written_anew() {
    explore("walk: drain and reuse", Grain::Header, |world| {
        let [writer, reader] = [2, 3].map(|pid| world.registered(pid));
        set(&writer, b"key", b'a', LEN);
        let (segment, _) = place_of(&writer, b"key");
        world.run([
            Box::new(|| {
                drain(&writer.core, segment);
                set(&writer, b"key", b'b', LEN);
            }),
            Box::new(|| assert_eq!(walk(&reader), [b"key"])),
        ]);
    });
    explore("walk: drain and another", Grain::Header, |world| {
        let [writer, reader] = [2, 3].map(|pid| world.registered(pid));
        set(&writer, b"key", b'a', LEN);
        let (segment, _) = place_of(&writer, b"key");
        world.run([
            Box::new(|| {
                drain(&writer.core, segment);
                set(&writer, b"new", b'b', LEN);
            }),
            Box::new(|| {
                let met = walk(&reader);
                assert!(met == [b"key"] || met == [b"key", b"new"], "{met:?}");
            }),
        ]);
    });
}

/// A full bucket gets an overflow bucket, which takes its last entry over.
#[test]
fn a_walk_overlooks_nothing_in_a_chain_that_grows() {
    explore("walk: overflow", Grain::Header, |world| {
        let [writer, reader] = [2, 3].map(|pid| world.registered(pid));
        let is_first = |key: &[u8; 2]| bucket(writer.core.hasher.hash(key), writer.core.index.buckets(0)) == 0;
        let keys: Vec<[u8; 2]> = (0u16..).map(u16::to_ne_bytes).filter(is_first).take(SLOTS + 1).collect();
        let (before, new) = (&keys[..SLOTS], &keys[SLOTS]);
        before.iter().for_each(|key| set(&writer, key, b'a', 1));
        world.run([
            Box::new(|| set(&writer, new, b'b', 1)),
            Box::new(|| {
                let mut met = walk(&reader);
                met.retain(|key| key != new);
                let mut all: Vec<Vec<u8>> = before.iter().map(|key| key.to_vec()).collect();
                all.sort();
                assert_eq!(met, all);
            }),
        ]);
    });
}
