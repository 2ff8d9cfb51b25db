//! A shard whose lock is not to be had, because its owner was stopped in the middle of a store. What cannot be read
//! without the lock was once answered as a miss; but the item is there, and a client that adds, deletes or rebuilds on
//! a miss does so for nothing. Here another process is stopped while it holds the lock, and each such read must say
//! what is the matter.
mod common;
mod serving;
use common::Ours;
use leveret_engine::{Arena, Deadline, OpenOptions, Time};
use leveret_server::Settings;
use serving::{Client, Server};
use std::io::{ErrorKind, Read};
use std::os::unix::process::parent_id;
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

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
    let arena = ours.worker.arena().clone();
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

/// A request that needs a held lock waits without its worker: others are served, and it is answered in the end, once.
#[test]
fn who_waits_for_a_held_lock_keeps_no_other_client_waiting() {
    let server = Server::start(Settings { threads: 1, ..Settings::default() });
    let arena = server.shared.arena();
    let mut other = server.connect();
    other.talk(SET, "STORED\r\n");
    let large = format!("set k 0 0 300000\r\n{}\r\n", "v".repeat(300_000));
    let holder = Holder::stopped(&arena);
    // Keys that are not in the shard of `k`, so a store of them needs another lock.
    let mut free = (0..)
        .map(|number| format!("free{number}"))
        .filter(|key| arena.set(key.as_bytes(), b"", Deadline::NEVER, Time::now()).is_ok());
    let (free, absent) = (free.next().expect("some are"), free.next().expect("some are"));
    arena.delete(absent.as_bytes(), Time::now()).expect("another lock");
    let gat = format!("gat 100 {absent} k {absent}\r\n");
    let before = count_of(&mut other, "cmd_touch");
    let requests = [
        SET,
        "add k 0 0 1\r\nx\r\n",
        "append k 0 0 1\r\nx\r\n",
        "cas k 0 0 1 7\r\nx\r\n",
        &large,
        "delete k\r\n",
        "incr k 1\r\n",
        "touch k 100\r\n",
        &gat,
        "ms k 1\r\nx\r\n",
        "md k\r\n",
        "ma k\r\n",
        "set k 0 0 9999999\r\n",
    ];
    let mut waiting: Vec<_> = requests
        .iter()
        .map(|request| {
            let mut client = server.connect();
            client.send(request.as_bytes());
            client.stream.set_nonblocking(true).expect("a socket");
            client
        })
        .collect();
    let (mut served, mut answers) = (0, vec![String::new(); requests.len()]);
    while answers.iter().any(|answer| !answer.ends_with("\r\n")) {
        other.talk(&format!("set {free} 0 0 1\r\nx\r\n"), "STORED\r\n");
        served += 1;
        for (client, answer) in waiting.iter_mut().zip(&mut answers) {
            let mut part = [0; 1000];
            match client.stream.read(&mut part) {
                Ok(len) => {
                    assert!(len > 0, "closed");
                    *answer += std::str::from_utf8(&part[..len]).expect("text");
                }
                Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
            }
        }
    }
    // A value that is too large is refused whatever becomes of the old one.
    let (last, others) = answers.split_last().expect("some");
    assert_eq!(last, "SERVER_ERROR object too large for cache\r\n");
    assert!(others.iter().all(|answer| answer == BUSY), "{answers:#?}");
    assert!(served > 10, "the other client was served {served} times in all that time");
    // What was tried again and again was counted once: `touch` and the first two keys of the `gat`.
    assert_eq!(count_of(&mut other, "cmd_touch") - before, 3);
    // The same clients go on when the lock is free.
    drop(holder);
    for client in &mut waiting[..9] {
        client.stream.set_nonblocking(false).expect("a socket");
        client.talk("set k 0 0 1\r\n1\r\nincr k 1\r\n", "STORED\r\n2\r\n");
    }
    assert!(arena.verify().is_clean());
}

/// A received value whose lock was taken by another process just before the store was lost: the request was to be tried
/// again from the input, where the value no longer was, and the line end behind it was answered as a request. From then
/// on each answer was that of the request before.
#[test]
fn a_large_value_that_meets_a_busy_lock_is_answered_once_and_stored_whole() {
    const LEN: usize = 300_000;
    let value = |byte: u8| vec![byte; LEN];
    let text = |line: &str, byte| [line.as_bytes(), b"\r\n", &value(byte), b"\r\nmn\r\n"].concat();
    let mut head = frame(1, &[0; 8]);
    head[8..12].copy_from_slice(&(9 + LEN as u32).to_be_bytes());
    let no_op = [&[0x80, 10][..], &[0; 22]].concat();
    let requests = [
        text("set k 0 0 300000", b'a'),
        text("add k 0 0 300000", b'b'),
        text("replace k 0 0 300000", b'c'),
        text("ms k 300000", b'd'),
        text("set k 0 0 300000 noreply", b'e'),
        [head, value(b'f'), no_op].concat(),
    ];
    let text_ends = ["STORED\r\n", "NOT_STORED\r\n", "HD\r\n", "", BUSY].map(|answer| format!("{answer}MN\r\n"));
    for waits_in_vain in [false, true] {
        let server = Server::start(Settings { threads: 1, ..Settings::default() });
        let arena = server.shared.arena();
        let mut other = server.connect();
        other.talk(SET, "STORED\r\n");
        let mut clients: Vec<_> = requests.iter().map(|_| server.connect()).collect();
        // The front of each value is received into the arena before the lock is taken.
        let mut send = |part: fn(&[u8]) -> &[u8]| {
            clients.iter_mut().zip(&requests).for_each(|(client, request)| client.send(part(request)));
            (0..100).for_each(|_| other.talk("mn\r\n", "MN\r\n"));
        };
        send(|request| &request[..LEN / 2]);
        let holder = Holder::stopped(&arena);
        send(|request| &request[LEN / 2..]);
        let holder = Some(holder).filter(|_| waits_in_vain);
        let (binary, others) = clients.split_last_mut().expect("some");
        for (client, request) in others.iter_mut().zip(&requests) {
            let answer = client.read_up_to(b"MN\r\n");
            assert!(text_ends.contains(&answer), "{}: {answer}", request[..30].escape_ascii());
        }
        let mut answer = [0; 24];
        binary.stream.read_exact(&mut answer).expect("an answer");
        let mut body = vec![0; usize::from(answer[11])];
        binary.stream.read_exact(&mut body).expect("its text");
        assert!(answer[..2] == [0x81, 1] && [[0, 0], [0, 0x86]].contains(&[answer[6], answer[7]]), "{answer:?}");
        binary.stream.read_exact(&mut answer).expect("the next answer");
        assert_eq!(answer[..8], [0x81, 10, 0, 0, 0, 0, 0, 0]);
        drop(holder);
        for client in others {
            client.send(&text("set k 0 0 300000", b'x'));
            client.expect(b"STORED\r\nMN\r\n");
        }
        assert!(arena.get(b"k", Time::now()).expect("stored").value == value(b'x'));
        assert!(arena.verify().is_clean());
    }
}

/// A process that was stopped while it grew the arena kept the worker that needed room, and with it all other clients, for
/// the lock timeout.
#[test]
fn a_stopped_process_that_grows_the_arena_keeps_no_other_client_waiting() {
    const ITEMS: usize = 600;
    let server = Server::start(Settings { threads: 1, ..Settings::default() });
    let arena = server.shared.arena();
    let mut lock = arena.path().as_os_str().to_owned();
    lock.push(".lock");
    let flock = |words: &[&str]| {
        let mut command = Command::new("flock");
        command.arg(words[0]).arg(&lock).args(&words[1..]);
        command
    };
    let holder = Holder(flock(&["--no-fork", "sleep", "1000"]).spawn().expect("util-linux has it"));
    while flock(&["--nonblock", "true"]).status().expect("util-linux has it").success() {
        std::thread::sleep(Duration::from_millis(1));
    }
    holder.signal("-STOP");
    let (mut filling, mut other) = (server.connect(), server.connect());
    let value = "v".repeat(16 << 10);
    let mut longest = Duration::ZERO;
    std::thread::scope(|scope| {
        let filler = scope.spawn(move || {
            for number in 0..ITEMS {
                filling.talk(&format!("set k{number} 0 0 {}\r\n{value}\r\n", value.len()), "STORED\r\n");
            }
        });
        while !filler.is_finished() {
            let begun = Instant::now();
            other.talk("mn\r\n", "MN\r\n");
            longest = longest.max(begun.elapsed());
        }
        filler.join().expect("all is stored");
    });
    assert!(longest < Duration::from_millis(500), "another client waited {longest:?}");
    assert!(arena.stats().evicted > 0, "the arena cannot have grown");
    drop(holder);
    assert!(arena.verify().is_clean());
}

/// The client was told that its value is too large, and the old one stayed for good, once the lock was held for as long as a
/// request is tried.
#[test]
fn what_a_refused_store_could_not_remove_is_removed_when_the_lock_is_free() {
    let server = Server::start(Settings { threads: 1, ..Settings::default() });
    let arena = server.shared.arena();
    let is_there = || arena.contains(b"k", Time::now());
    for is_replaced in [false, true] {
        let mut client = server.connect();
        client.talk(SET, "STORED\r\n");
        let mut watcher = server.connect();
        watcher.talk("watch mutations\r\n", "OK\r\n");
        let holder = Holder::stopped(&arena);
        client.talk("set k 0 0 9999999\r\n", "SERVER_ERROR object too large for cache\r\n");
        assert!(is_there(), "nobody could remove it");
        // It was told once, however often it was tried.
        let mut other = server.connect();
        let mut free = (0..).map(|number| format!("free{number}"));
        let free = free.find(|key| arena.set(key.as_bytes(), b"", Deadline::NEVER, Time::now()).is_ok());
        let free = free.expect("some are");
        other.talk(&format!("set {free} 0 0 1\r\nx\r\n"), "STORED\r\n");
        let mut told = String::new();
        while !told.lines().any(|line| line.contains(&format!("key={free} ")) && line.contains("cmd=set")) {
            told += &watcher.read_up_to(b"\n");
        }
        assert_eq!(told.matches("status=too_large").count(), 1, "{told}");
        // A value that comes in the same second goes as well.
        std::thread::sleep(Duration::from_millis(1100));
        drop(holder);
        if is_replaced {
            arena.set(b"k", b"newer", Deadline::NEVER, Time::now()).expect("a free lock");
            std::thread::sleep(Duration::from_secs(3));
            assert!(is_there(), "a newer value stays");
        }
        let begun = Instant::now();
        while !is_replaced && is_there() {
            assert!(begun.elapsed() < Duration::from_secs(10), "the old value is still there");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
    assert!(arena.verify().is_clean());
}

/// Each try counted: a second's wait was a hundred hits and a hundred gets of the prefix.
#[test]
fn a_request_that_is_tried_again_is_counted_once() {
    let server = Server::start(Settings { threads: 1, ..Settings::default() });
    let arena = server.shared.arena();
    let names: Vec<String> = (0..500).map(|number| format!("p:{number}")).collect();
    for name in &names {
        arena.set(name.as_bytes(), b"x", Deadline::NEVER, Time::now()).expect("room");
    }
    let mut client = server.connect();
    let holder = Holder::stopped(&arena);
    let held = names.iter().find(|name| arena.touch(name.as_bytes(), Deadline::NEVER, Time::now()).is_err());
    let held = held.expect("one of them is in that shard");
    client.talk("stats detail on\r\n", "OK\r\n");
    let before = count_of(&mut client, "get_hits");
    for request in ["gets KEY", "mg KEY c", "delete KEY", "set KEY 0 0 1\r\nx"] {
        client.talk(&format!("{}\r\n", request.replace("KEY", held)), BUSY);
    }
    assert_eq!(count_of(&mut client, "get_hits") - before, 2);
    client.talk("stats detail dump\r\n", "PREFIX p get 2 hit 0 set 1 del 1\r\nEND\r\n");
    drop(holder);
    client.send(format!("gets {held}\r\n").as_bytes());
    assert!(client.read_up_to(b"END\r\n").starts_with("VALUE p:"));
    client.talk("stats detail dump\r\n", "PREFIX p get 3 hit 1 set 1 del 1\r\nEND\r\n");
}

fn count_of(client: &mut Client<std::net::TcpStream>, name: &str) -> u64 {
    client.send(b"stats\r\n");
    let stats = client.read_up_to(b"END\r\n");
    let line = stats.lines().find_map(|line| line.strip_prefix(&format!("STAT {name} "))).expect("a line");
    line.parse().expect("a number")
}
