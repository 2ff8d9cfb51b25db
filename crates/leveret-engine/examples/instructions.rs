//! Runs one operation so often as the second argument says, for callgrind to count its instructions
//! (tests/instructions.rs).
use leveret_engine::{Arena, Deadline, OpenOptions, Time};
use std::path::Path;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, path, operation, times] = &arguments[..] else {
        panic!("usage: instructions ARENA get|miss|set|increment TIMES")
    };
    let (arena, _) = Arena::open(Path::new(path), &OpenOptions::new().memory(8 << 20)).expect("an arena");
    let now = Time::now();
    let key = b"0123456789abcdef0123456789abcdef";
    arena.set(key, b"0123456789", Deadline::NEVER, now).expect("room");
    arena.add_integer(b"n", 1, Some(Deadline::NEVER), now).expect("a number");
    let mut value = [0u8; 10];
    for _ in 0..times.parse::<u32>().expect("a number") {
        match operation.as_str() {
            "get" => {
                let found = arena.find(key, leveret_engine::Now).expect("a hit");
                // SAFETY: the value has ten bytes.
                assert!(unsafe { arena.copy(&found, value.as_mut_ptr()) });
            }
            "miss" => assert!(arena.find(b"no such key", leveret_engine::Now).is_none()),
            "set" => arena.set(key, b"0123456789", Deadline::NEVER, Time::now()).expect("room"),
            "increment" => drop(arena.add_integer(b"n", 1, None, Time::now()).expect("an integer")),
            other => panic!("no operation {other}"),
        }
    }
}
