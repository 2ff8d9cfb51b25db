//! Ends a process at any store: in long operations, in the recovery after them, and in the recovery of that. `./x kill`
//! ends real processes between any two instructions; here two successors in a row end too, and stores are delayed as
//! far as a compiler may delay them.
use super::death::{self, silence_ends, stopped_after};
use super::world::{drain, get, is_long, place_of, set, weaken_each, Grain, World, NOW};
use crate::arena::Arena;
use crate::found::Item;
use crate::growth;
use crate::shard::{self, edit};
use crate::sync::Ordering;
use crate::time::Deadline;
use crate::{Counted, Delta, Meta, Mode, ReadOptions, Stored, Value};
use std::panic::{catch_unwind, AssertUnwindSafe};

const LEN: usize = 8;

/// Items stored before; they must survive.
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

fn gets(arena: &Arena) -> Item {
    arena.get_with(KEY, ReadOptions::new().with_cas(), NOW).expect("free").expect("there")
}

const OPERATIONS: [Operation; 12] = [
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
            assert!(growth::grow_data(&arena.core) == Ok(true) && growth::grow_index(&arena.core, 0, 1) == Ok(true));
            set(arena, KEY, b'b', LEN);
        },
        before: Some((b'a', LEN)),
        after: Some((b'b', LEN)),
    },
    Operation {
        name: "touch",
        prepare: |_, arena| arena.set(KEY, &[b'a'; LEN], Deadline::of_second(NOW.0 + 10), NOW).expect("room"),
        work: |arena| assert_eq!(arena.touch(KEY, Deadline::of_second(NOW.0 + 20), NOW), Ok(true)),
        before: Some((b'a', LEN)),
        after: Some((b'a', LEN)),
    },
    Operation {
        name: "touch between two seconds",
        prepare: |_, arena| arena.set(KEY, &[b'a'; LEN], Deadline::at_millis(1_010_500), NOW).expect("room"),
        work: |arena| assert_eq!(arena.touch(KEY, Deadline::at_millis(1_020_250), NOW), Ok(true)),
        before: Some((b'a', LEN)),
        after: Some((b'a', LEN)),
    },
    Operation {
        name: "a deadline that an item has no place for",
        prepare: |_, arena| arena.set(KEY, &[b'a'; LEN], Deadline::of_second(NOW.0 + 10), NOW).expect("room"),
        work: |arena| {
            let late = Deadline::at_millis(1_020_250);
            assert!(arena.retime(KEY, NOW, &mut |_| Some(late)).expect("room").expect("there").deadline == late);
        },
        before: Some((b'a', LEN)),
        after: Some((b'a', LEN)),
    },
    Operation {
        name: "count",
        prepare: |_, arena| drop(arena.count(KEY, Delta::Increment(0), Some((9, Deadline::NEVER)), NOW)),
        work: |arena| assert_eq!(arena.count(KEY, Delta::Increment(2), None, NOW), Ok(Counted::Value(11))),
        before: Some((b'9', 1)),
        after: Some((b'1', 2)),
    },
    Operation {
        name: "count where a token was told",
        prepare: |world, arena| {
            arena.count(KEY, Delta::Increment(0), Some((9, Deadline::NEVER)), NOW).expect("room");
            world.spare().store(gets(arena).cas, Ordering::Relaxed);
        },
        work: |arena| assert_eq!(arena.count(KEY, Delta::Increment(2), None, NOW), Ok(Counted::Value(11))),
        before: Some((b'9', 1)),
        after: Some((b'1', 2)),
    },
];

/// An end after a number of stores, one of which was delayed (`death::stopped_after`).
#[derive(Clone, Copy, Debug)]
struct End {
    stores: u64,
    late: Option<usize>,
}

/// A process does something and is ended; the kernel takes note. Whether it came to its end, and how many stores might
/// have been put off.
fn stopped(world: &World, pid: u32, end: End, work: impl Fn(&Arena) + Sync) -> (bool, usize) {
    // A thread of its own: its private state dies with it.
    let arena = world.registered(pid);
    let (done, late) = std::thread::scope(|scope| {
        scope.spawn(|| stopped_after(end.stores, end.late, || work(&arena))).join().expect("no panic")
    });
    world.kernel.end(pid);
    world.kernel.clear_signs(pid);
    (done.is_some(), late)
}

/// The state that an operation and some recoveries have left, each of which was ended, is judged. Whether the last one
/// came to its end, and how many of its stores might have been put off.
fn judge(operation: &Operation, ends: &[End]) -> (bool, usize) {
    let world = World::new(Grain::Header, None);
    let first = world.registered(1);
    KEPT.iter().for_each(|key| set(&first, key, b'k', LEN));
    (operation.prepare)(&world, &first);
    let mut last = (false, 0);
    let mut is_done = false;
    for (round, end) in ends.iter().enumerate() {
        last = match round {
            0 => stopped(&world, 2, *end, operation.work),
            // The next owner of the lock recovers.
            round => stopped(&world, 2 + round as u32, *end, |arena| drop(shard::lock(&arena.core, 0, NOW))),
        };
        is_done |= round == 0 && last.0;
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
    if let Some(found) = reader.peek(KEY, NOW) {
        let (segment, _) = place_of(&reader, KEY);
        let expiry = reader.core.segments.header(segment).expiry();
        assert!(found.deadline.second <= expiry, "{name} {ends:?}: lives longer than its segment");
    }
    let token = world.spare().load(Ordering::Relaxed);
    if token != 0 && seen == operation.after {
        let swapped = reader.store(KEY, Value::Bytes(b"s"), Meta::default(), Deadline::NEVER, Mode::Cas(token), NOW);
        assert_eq!(swapped, Ok(Stored::Exists), "{name} {ends:?}: a token of the value before");
    }
    set(&reader, KEY, b'z', LEN);
    assert_eq!(get(&reader, KEY), Some((b'z', LEN)), "{name} {ends:?}");
    assert!(reader.verify().is_clean(), "{name} {ends:?}: {:?}", reader.verify());
    // Nothing that an end has left lies in the way of a drain.
    drain(&reader.core, place_of(&reader, KEY).0);
    assert_eq!(get(&reader, KEY), Some((b'z', LEN)), "{name} {ends:?}: drained");
    last
}

/// How far apart the ends of an operation are at which its recoveries are ended as well.
fn step(round: usize) -> u64 {
    match (round, is_long()) {
        (0, _) | (_, true) => 1,
        _ => 7,
    }
}

fn search(operation: &Operation, depth: usize, ends: &mut Vec<End>, states: &mut u64) {
    for stores in (0..).step_by(step(ends.len()) as usize) {
        ends.push(End { stores, late: None });
        *states += 1;
        let (has_ended, late) = judge(operation, ends);
        if depth > 0 && !has_ended {
            search(operation, depth - 1, ends, states);
        }
        ends.pop();
        if has_ended {
            return;
        }
        // Of recoverers in the long form only.
        for late in 0..if ends.len() <= usize::from(is_long()) { late } else { 0 } {
            ends.push(End { stores, late: Some(late) });
            *states += 1;
            judge(operation, ends);
            ends.pop();
        }
    }
}

/// Without each Release in turn that the operations meet: ends at any store, with each that may be put off.
fn weaken() {
    let all = || OPERATIONS.iter().for_each(|operation| search(operation, 0, &mut Vec::new(), &mut 0));
    all();
    let met = std::mem::take(&mut *death::MET.lock().expect("no panic"));
    weaken_each("crash", met, |strength| {
        *death::WITHOUT.lock().expect("no panic") = Some(strength);
        let is_noticed = catch_unwind(AssertUnwindSafe(all)).is_err();
        *death::WITHOUT.lock().expect("no panic") = None;
        is_noticed
    });
}

#[test]
fn an_end_at_any_store_is_recovered_from_though_recoverers_end_too() {
    silence_ends();
    if std::env::var("LEVERET_MODEL").as_deref() == Ok("weak") {
        return weaken();
    }
    for operation in &OPERATIONS {
        let mut states = 0;
        search(operation, if is_long() { 2 } else { 1 }, &mut Vec::new(), &mut states);
        println!("crash {}: {states} ends", operation.name);
    }
}
