//! A process that sees another's action also sees what that process did before, in another arena or outside of any.
use super::split::walk;
use super::world::{explore, get, set, Grain, NOW};
use crate::arena::Arena;
use crate::epoch;
use crate::map::layout::SLOTS;
use crate::sync::Ordering;
use crate::{Deadline, Delta, Item};

const KEY: &[u8] = b"key";
const LEN: usize = 8;

/// One process does something elsewhere, then `act` here; a process that `sees` the second action must see the first.
fn told(
    name: &str,
    prepare: impl Fn(&Arena),
    act: impl Fn(&Arena) + Send + Sync,
    sees: impl Fn(&Arena) -> bool + Send + Sync,
) {
    explore(name, Grain::Header, |world| {
        let [one, other] = [2, 3].map(|pid| world.registered(pid));
        let elsewhere = world.spare();
        prepare(&one);
        world.run([
            Box::new(|| {
                elsewhere.store(1, Ordering::Relaxed);
                act(&one);
            }),
            Box::new(|| assert!(!sees(&other) || elsewhere.load(Ordering::Relaxed) == 1, "the second thing alone")),
        ]);
    });
}

fn store(arena: &Arena) {
    set(arena, KEY, b'a', LEN);
}

fn is_gone(arena: &Arena) -> bool {
    get(arena, KEY).is_none()
}

fn flush(arena: &Arena) {
    arena.flush().expect("there");
}

fn delete(arena: &Arena, key: &[u8]) {
    assert_eq!(arena.delete(key, NOW), Ok(true));
}

#[test]
fn a_new_version_tells_of_what_was_before() {
    told("before: overwrite", store, |arena| set(arena, KEY, b'b', LEN), |arena| get(arena, KEY) == Some((b'b', LEN)));
}

#[test]
fn a_delete_tells_of_what_was_before() {
    told("before: delete", store, |arena| delete(arena, KEY), is_gone);
}

/// The last items behind a full bucket go, and their bucket with them.
#[test]
fn a_chain_that_ends_earlier_tells_of_what_was_before() {
    let keys = |arena: &Arena| -> Vec<[u8; 2]> {
        let bucket = |key: &[u8]| crate::hash::bucket(arena.core.hasher.hash(key), arena.core.index.buckets(0));
        (0u16..).map(u16::to_ne_bytes).filter(|key| bucket(key) == 0).take(SLOTS + 1).collect()
    };
    let fill = |arena: &Arena| keys(arena).iter().for_each(|key| set(arena, key, b'a', 1));
    let empty = |arena: &Arena| keys(arena)[SLOTS - 1..].iter().for_each(|key| delete(arena, key));
    told("before: unlink", fill, empty, |arena| get(arena, &keys(arena)[SLOTS]).is_none());
    told("before: unlink, walk", fill, empty, |arena| walk(arena).len() < SLOTS);
}

#[test]
fn a_count_tells_of_what_was_before() {
    let count = |arena: &Arena| drop(arena.count(KEY, Delta::Increment(1), Some((1, Deadline::NEVER)), NOW));
    let counted = |arena: &Arena| arena.get(KEY, NOW).and_then(|item: Item| item.number).expect("a number");
    told("before: count", count, count, |arena| counted(arena) == 2);
}

#[test]
fn a_flush_tells_of_what_was_before() {
    told("before: flush", store, flush, is_gone);
}

/// The first write after a flush empties the slots.
#[test]
fn a_slot_that_a_flush_has_emptied_tells_of_what_was_before() {
    let act = |arena: &Arena| {
        flush(arena);
        set(arena, b"new", b'b', LEN);
    };
    told("before: flush and store", store, act, is_gone);
}

/// The first write after it is another one's.
#[test]
fn a_slot_that_another_one_has_emptied_tells_of_what_was_before() {
    explore("before: flush, store of another", Grain::Header, |world| {
        let [one, other, third] = [2, 3, 4].map(|pid| world.registered(pid));
        let elsewhere = world.spare();
        store(&one);
        world.run([
            Box::new(|| {
                elsewhere.store(1, Ordering::Relaxed);
                flush(&one);
            }),
            Box::new(|| set(&other, b"new", b'b', LEN)),
            Box::new(|| assert!(!is_gone(&third) || elsewhere.load(Ordering::Relaxed) == 1)),
        ]);
    });
}

/// The next process carries out a delayed flush.
#[test]
fn a_flush_that_another_one_carries_out_tells_of_what_was_before() {
    explore("before: delayed flush", Grain::Header, |world| {
        let [one, other, third] = [2, 3, 4].map(|pid| world.registered(pid));
        let elsewhere = world.spare();
        store(&one);
        let looks = |arena: &Arena| assert!(!is_gone(arena) || elsewhere.load(Ordering::Relaxed) == 1);
        world.run([
            Box::new(|| {
                elsewhere.store(1, Ordering::Relaxed);
                epoch::begin_at(one.core.control(), NOW);
            }),
            Box::new(|| looks(&other)),
            Box::new(|| looks(&third)),
        ]);
    });
}
