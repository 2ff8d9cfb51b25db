//! Somebody holds the lock files of arenas that are not there. In a program of its own: what is remembered is the process's.
use leveret_engine::{Arena, Deadline, OpenOptions, Time};
use rustix::fs::{flock, FlockOperation};
use std::fs::File;

/// Each opening waited five seconds and more: a page that opened five arenas took 25 s, and the next one as long again.
/// Without the memory of the first wait this test takes three hours.
#[test]
fn a_process_waits_once_for_makers_that_do_not_go_on() {
    let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
    let path = |name: usize| dir.path().join(format!("{name}.arena"));
    let held: Vec<File> = (0..10)
        .map(|name| {
            let file = File::create(dir.path().join(format!("{name}.arena.lock"))).expect("a file");
            flock(&file, FlockOperation::NonBlockingLockExclusive).expect("free");
            file
        })
        .collect();
    let mut options = OpenOptions::new().memory(8 << 20);
    for _ in 0..10 {
        for name in 0..held.len() {
            let refused = Arena::open(&path(name), &options).map(drop).expect_err("held").to_string();
            assert!(refused.contains("another process holds it"), "{refused}");
            // Larger ones are waited for longer.
            options = options.memory(1 << 40);
        }
    }
    // Nothing is given up for good.
    drop(held);
    let (arena, created) = Arena::open(&path(0), &options.memory(8 << 20)).expect("free");
    assert!(created);
    arena.set(b"k", b"v", Deadline::NEVER, Time::now()).expect("room");
}
