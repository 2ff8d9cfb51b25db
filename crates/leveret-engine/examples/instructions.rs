//! Runs one operation so often as the last argument says, for callgrind to count its instructions
//! (tests/instructions.rs). What runs within `measured` can be counted alone.
use leveret_engine::{Arena, Deadline, OpenOptions, Time};
use std::path::Path;

const KEY: &[u8] = b"0123456789abcdef0123456789abcdef";

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, path, operation, times] = &arguments[..] else {
        panic!("usage: instructions ARENA get|miss|set|increment|add|evict|overwrite|recover TIMES")
    };
    let (arena, _) = Arena::open(Path::new(path), &OpenOptions::new().memory(8 << 20)).expect("an arena");
    let now = Time::now();
    arena.set(KEY, b"0123456789", Deadline::NEVER, now).expect("room");
    arena.add_integer(b"n", 1, Some(Deadline::NEVER), now).expect("a number");
    let times: u32 = times.parse().expect("a number");
    let mut value = [0u8; 10];
    let add = |number: u32| arena.set(&number.to_ne_bytes(), &[1; 100], Deadline::NEVER, now).expect("room");
    let overwrite = || arena.set(KEY, b"0123456789", Deadline::NEVER, now).expect("room");
    // Every other item is read, so that drains keep some and let others go.
    let read = |number: u32| assert!(number % 2 == 1 || arena.find(&number.to_ne_bytes(), now).is_some());
    if operation == "evict" {
        let mut numbers = (0..=u32::MAX).rev();
        while arena.stats().evicted < 10_000 {
            numbers.by_ref().take(1000).for_each(|number| {
                add(number);
                read(number);
            });
        }
    }
    for number in 0..times {
        match operation.as_str() {
            "get" => {
                let found = arena.find(KEY, leveret_engine::Now).expect("a hit");
                // SAFETY: the value has ten bytes.
                assert!(unsafe { arena.copy(&found, value.as_mut_ptr()) });
            }
            "miss" => assert!(arena.find(b"no such key", leveret_engine::Now).is_none()),
            "set" => arena.set(KEY, b"0123456789", Deadline::NEVER, Time::now()).expect("room"),
            "increment" => drop(arena.add_integer(b"n", 1, None, Time::now()).expect("an integer")),
            "add" => measured(|| add(number)),
            "evict" => {
                measured(|| add(number));
                read(number);
            }
            "overwrite" => measured(overwrite),
            "recover" => {
                kill_a_writer(&arena);
                measured(overwrite);
            }
            other => panic!("no operation {other}"),
        }
    }
    if operation == "recover" {
        assert_eq!(arena.stats().recoveries, u64::from(times));
    }
}

#[inline(never)]
fn measured(operation: impl FnOnce()) {
    std::hint::black_box(operation)();
}

/// A child process that is killed while it holds the lock of the key's shard.
fn kill_a_writer(arena: &Arena) {
    // SAFETY: the child makes one call, in which it ends; this process has one thread.
    unsafe {
        match libc::fork() {
            0 => {
                let _ = arena.amend(KEY, Time::now(), &mut |_| {
                    libc::raise(libc::SIGKILL);
                    None
                });
                libc::_exit(1);
            }
            child => {
                let mut status = 0;
                assert!(child > 0 && libc::waitpid(child, &mut status, 0) == child);
                assert!(libc::WIFSIGNALED(status));
            }
        }
    }
}
