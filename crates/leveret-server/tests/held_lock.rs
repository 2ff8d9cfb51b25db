//! A shard whose lock is not to be had, because its owner was stopped in the middle of a store. What cannot be read
//! without the lock was once answered as a miss; but the item is there, and a client that adds, deletes or rebuilds on
//! a miss does so for nothing. Here another process is stopped while it holds the lock, and each such read must say
//! what is the matter.
mod common;
use common::Ours;
use leveret_engine::{Arena, Deadline, OpenOptions, Time};
use leveret_server::Settings;
use std::os::unix::process::parent_id;
use std::path::Path;
use std::process::{Child, Command};
use std::time::Duration;

const PATH: &str = "LEVERET_TEST_STORES_INTO";
const BUSY: &str = "SERVER_ERROR another process holds this part of the cache, try again\r\n";
const SET: &str = "set k 7 0 5\r\nhello\r\n";

/// Not a test of its own: run as another process, it stores into one shard until it is killed or alone. Most of its
/// time it holds the lock, since a value that fits into a segment is copied under it.
#[test]
fn storing() {
    let Some(path) = std::env::var_os(PATH) else { return };
    let (arena, _) = Arena::open(Path::new(&path), &OpenOptions::new()).expect("an arena");
    let value = vec![b'v'; 10_000];
    let parent = parent_id();
    while parent_id() == parent {
        let _ = arena.set(b"k", &value, Deadline::NEVER, Time::now());
    }
}

/// The process that holds the lock of `k`, stopped. Dropped, it is killed.
struct Holder(Child);

impl Holder {
    fn stopped(arena: &Arena) -> Holder {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        let child =
            command.args(["--exact", "storing", "--nocapture"]).env(PATH, arena.path()).spawn().expect("started");
        let holder = Holder(child);
        let is_held = || arena.touch(b"k", Deadline::NEVER, Time::now()).is_err();
        loop {
            holder.signal("-STOP");
            // It stores without pause, and has been stopped inside of a store sooner or later.
            if is_held() {
                return holder;
            }
            holder.signal("-CONT");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn signal(&self, signal: &str) {
        assert!(Command::new("kill").args([signal, &self.0.id().to_string()]).status().expect("kill").success());
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn frame(opcode: u8, extras: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0x80, opcode, 0, 1, extras.len() as u8, 0, 0, 0, 0, 0, 0, 1 + extras.len() as u8];
    bytes.resize(24, 0);
    bytes.extend([extras, b"k"].concat());
    bytes
}

#[test]
fn a_read_that_needs_a_lock_which_is_not_to_be_had_is_an_error_and_no_miss() {
    let mut ours = Ours::new(Settings::default());
    assert_eq!(ours.say(SET), "STORED\r\n");
    let arena = ours.desk.arena().clone();
    let holder = Holder::stopped(&arena);
    // The holder's by now, perhaps. Whether there is one, and which, needs no lock.
    assert!(ours.say("get k\r\n").starts_with("VALUE k "));
    for request in ["gets k", "gets z k", "gat 100 k", "gats 100 k", "mg k c", "mg k v q c", "mg k T100", "me k"] {
        assert_eq!(ours.say(&format!("{request}\r\n")), BUSY, "{request}");
    }
    // One of the same shard, which is missing and to be made.
    let missing = (0..)
        .map(|number| format!("k{number}"))
        .find(|key| arena.set(key.as_bytes(), b"", Deadline::NEVER, Time::now()).is_err());
    assert_eq!(ours.say(&format!("mg {} N30\r\n", missing.expect("some are"))), BUSY);
    assert_eq!(ours.say("gets k\r\nmn\r\n"), format!("{BUSY}MN\r\n"));
    ours.reconnect();
    // get, getq, getk, getkq, gat, gatq: a quiet one is silent about misses only.
    for (opcode, extras) in
        [(0, &[][..]), (9, &[]), (0x0c, &[]), (0x0d, &[]), (0x1d, &[0, 0, 0, 9]), (0x1e, &[0, 0, 0, 9])]
    {
        let answer = ours.talk(&frame(opcode, extras));
        assert_eq!((answer[1], &answer[6..8], &answer[24..]), (opcode, &[0, 0x86][..], &b"Temporary failure"[..]));
    }
    // The dead are not waited for.
    drop(holder);
    ours.reconnect();
    assert_eq!(ours.say(SET), "STORED\r\n");
    assert!(ours.say("gets k\r\n").starts_with("VALUE k 7 5 "));
    assert!(arena.verify().is_clean());
}
