//! Nanoseconds of the engine alone: `./x bench engine`. Every answer is checked.
#![allow(missing_docs, reason = "criterion_group! makes a function without a word of it")]
use criterion::{criterion_group, criterion_main, Criterion};
use leveret_engine::{Arena, Deadline, Mode, OpenOptions, Time, Value};
use std::hint::black_box;

fn arena(memory: u64) -> (tempfile::TempDir, Arena) {
    let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
    let options = OpenOptions::new().memory(memory);
    let (arena, _) = Arena::open(&dir.path().join("bench.arena"), &options).expect("a new arena");
    (dir, arena)
}

fn keys(count: u64) -> Vec<Vec<u8>> {
    // The odd multiplier visits all keys in an order that no prefetcher knows.
    (0..count).map(|number| format!("{:032x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15)).into_bytes()).collect()
}

fn reads(c: &mut Criterion) {
    let (_dir, arena) = arena(256 << 20);
    let keys = keys(200_000);
    for key in &keys {
        arena.set(key, b"0123456789", Deadline::NEVER, Time::now()).expect("room");
    }
    let mut value = [0u8; 10];
    let mut get = |key: &[u8]| {
        let found = arena.find(key, leveret_engine::Now).expect("a hit");
        // SAFETY: every value has ten bytes.
        assert!(unsafe { arena.copy(&found, value.as_mut_ptr()) } && value == *b"0123456789");
    };
    c.bench_function("get, one hot key", |b| b.iter(|| get(black_box(&keys[0]))));
    let mut hot = keys[..1000].iter().cycle();
    c.bench_function("get, 1,000 keys", |b| b.iter(|| get(hot.next().expect("endless"))));
    let mut all = keys.iter().cycle();
    c.bench_function("get, 200,000 keys", |b| b.iter(|| get(all.next().expect("endless"))));
    c.bench_function("miss", |b| {
        b.iter(|| assert!(arena.find(black_box(b"no such key at all, 32 bytes ..."), Time::now()).is_none()))
    });
}

fn writes(c: &mut Criterion) {
    let (_dir, arena) = arena(256 << 20);
    let keys = keys(200_000);
    let mut all = keys.iter().cycle();
    c.bench_function("set 10 bytes, 200,000 keys", |b| {
        b.iter(|| arena.set(all.next().expect("endless"), b"0123456789", Deadline::NEVER, Time::now()).expect("room"))
    });
    let block = vec![7u8; 8192];
    let mut some = keys[..10_000].iter().cycle();
    c.bench_function("set 8 KiB, 10,000 keys", |b| {
        b.iter(|| arena.set(some.next().expect("endless"), &block, Deadline::NEVER, Time::now()).expect("room"))
    });
    arena.store(b"n", Value::Integer(0), Default::default(), Deadline::NEVER, Mode::Set, Time::now()).expect("room");
    c.bench_function("increment", |b| b.iter(|| arena.add_integer(b"n", 1, None, Time::now()).expect("an integer")));
    c.bench_function("set and delete", |b| {
        b.iter(|| {
            arena.set(b"gone", b"x", Deadline::NEVER, Time::now()).expect("room");
            assert!(arena.delete(b"gone", Time::now()).expect("deleted"));
        })
    });
}

criterion_group!(engine, reads, writes);
criterion_main!(engine);
