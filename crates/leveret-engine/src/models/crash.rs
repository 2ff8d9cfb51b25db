//! Ends at any store: the long operations, the recovery of what they leave, and the recovery of that. `./x kill` ends
//! real processes between any two instructions; here two successors in a row are ended too.
use super::death::{silence_ends, stopped_after};
use super::world::{drain, get, is_long, place_of, set, Grain, World, NOW};
use crate::arena::Arena;
use crate::counters::Counter;
use crate::growth;
use crate::shard::{self, edit};
use crate::sync::Ordering;

const LEN: usize = 8;

/// What is stored before, and what must be there afterwards whatever happens.
const KEPT: [&[u8]; 3] = [b"one", b"two", b"three"];
/// What the operations are about.
const KEY: &[u8] = b"key";

struct Operation {
    name: &'static str,
    prepare: fn(&World, &Arena),
    work: fn(&Arena),
    /// Values of `KEY` that may be seen, those of after the operation last.
    before: Option<(u8, usize)>,
    after: Option<(u8, usize)>,
}

const OPERATIONS: [Operation; 7] = [
    Operation {
        name: "set over an item",
        prepare: |_, arena| set(arena, KEY, b'a', LEN),
        work: |arena| set(arena, KEY, b'b', LEN),
        before: Some((b'a', LEN)),
        after: Some((b'b', LEN)),
    },
    Operation {
        name: "delete",
        prepare: |_, arena| set(arena, KEY, b'a', LEN),
        work: |arena| assert_eq!(arena.delete(KEY, NOW), Ok(true)),
        before: Some((b'a', LEN)),
        after: None,
    },
    Operation {
        name: "split",
        prepare: |world, arena| {
            set(arena, KEY, b'a', LEN);
            world.shard.chunks.store(2, Ordering::Relaxed);
        },
        work: |arena| {
            let locked = shard::lock(&arena.core, 0, NOW).expect("free");
            (0..8).for_each(|_| edit::split(&locked));
        },
        before: Some((b'a', LEN)),
        after: Some((b'a', LEN)),
    },
    Operation {
        name: "drain",
        prepare: |_, arena| set(arena, KEY, b'a', LEN),
        work: |arena| drain(&arena.core, place_of(arena, KEY).0),
        before: Some((b'a', LEN)),
        after: Some((b'a', LEN)),
    },
    Operation {
        name: "large value over a large value",
        prepare: |_, arena| set(arena, KEY, b'a', 600),
        work: |arena| set(arena, KEY, b'b', 600),
        before: Some((b'a', 600)),
        after: Some((b'b', 600)),
    },
    Operation {
        name: "a new item in a full chain",
        prepare: |_, arena| {
            let bucket = |key: &[u8]| crate::hash::bucket(arena.core.hasher.hash(key), arena.core.index.buckets(0));
            let same = (0u16..).map(u16::to_ne_bytes).filter(|key| bucket(key) == bucket(KEY));
            same.take(8).for_each(|key| set(arena, &key, b'f', 1));
        },
        work: |arena| set(arena, KEY, b'b', LEN),
        before: None,
        after: Some((b'b', LEN)),
    },
    Operation {
        name: "growth",
        prepare: |_, arena| set(arena, KEY, b'a', LEN),
        work: |arena| {
            assert!(growth::grow_data(&arena.core) && growth::grow_index(&arena.core, 0, 1));
            set(arena, KEY, b'b', LEN);
        },
        before: Some((b'a', LEN)),
        after: Some((b'b', LEN)),
    },
];

/// A process does something and is ended after so many stores; the kernel takes note. Whether it came to its end.
fn stopped(world: &World, pid: u32, stores: u64, work: impl Fn(&Arena) + Sync) -> bool {
    // A thread of its own: what it keeps for itself dies with it.
    let arena = world.registered(pid);
    let has_ended = std::thread::scope(|scope| {
        scope.spawn(|| stopped_after(stores, || work(&arena)).is_some()).join().expect("no panic")
    });
    world.kernel.end(pid);
    world.kernel.clear_signs(pid);
    has_ended
}

/// The state that an operation and some recoveries have left, each ended after so many stores, is judged. Whether the
/// last one came to its end.
fn judge(operation: &Operation, ends: &[u64]) -> bool {
    let world = World::new(Grain::Header, None);
    let first = world.registered(1);
    KEPT.iter().for_each(|key| set(&first, key, b'k', LEN));
    (operation.prepare)(&world, &first);
    let mut has_ended = false;
    let mut is_done = false;
    for (round, stores) in ends.iter().enumerate() {
        has_ended = match round {
            0 => {
                is_done = stopped(&world, 2, *stores, operation.work);
                is_done
            }
            // Whoever wants the lock recovers.
            round => stopped(&world, 2 + round as u32, *stores, |arena| drop(shard::lock(&arena.core, 0, NOW))),
        };
    }
    let (name, reader) = (operation.name, world.registered(6));
    let seen = get(&reader, KEY);
    assert!(seen == operation.after || !is_done && seen == operation.before, "{name} {ends:?}: {seen:?}");
    for key in KEPT {
        assert_eq!(get(&reader, key), Some((b'k', LEN)), "{name} {ends:?}: {key:?}");
    }
    drop(shard::lock(&reader.core, 0, NOW).expect("the lock of a dead owner"));
    assert!(get(&reader, KEY) == seen, "{name} {ends:?}: recovery changed what is seen");
    assert!(reader.verify().is_clean(), "{name} {ends:?}: {:?}", reader.verify());
    set(&reader, KEY, b'z', LEN);
    assert_eq!(get(&reader, KEY), Some((b'z', LEN)), "{name} {ends:?}");
    assert!(reader.verify().is_clean(), "{name} {ends:?}: {:?}", reader.verify());
    has_ended && world.count(Counter::Recoveries) < u64::MAX
}

/// How far apart the ends of an operation are at which its recoveries are ended as well.
fn step(round: usize) -> u64 {
    match (round, is_long()) {
        (0, _) | (_, true) => 1,
        _ => 7,
    }
}

fn search(operation: &Operation, depth: usize, ends: &mut Vec<u64>, states: &mut u64) {
    for stores in (0..).step_by(step(ends.len()) as usize) {
        ends.push(stores);
        *states += 1;
        let has_ended = judge(operation, ends);
        if depth > 0 && !has_ended {
            search(operation, depth - 1, ends, states);
        }
        ends.pop();
        if has_ended {
            return;
        }
    }
}

#[test]
fn an_end_at_any_store_is_recovered_from_though_recoverers_end_too() {
    if std::env::var("LEVERET_MODEL").as_deref() == Ok("weak") {
        return; // One process works at a time: no ordering matters.
    }
    silence_ends();
    for operation in &OPERATIONS {
        let mut states = 0;
        search(operation, if is_long() { 2 } else { 1 }, &mut Vec::new(), &mut states);
        println!("crash {}: {states} ends", operation.name);
    }
}
