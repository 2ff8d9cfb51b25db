//! Limits of a turn of a connection, in bytes and in keys, for all kinds of requests.
use super::*;
use crate::{Settings, Shared, Transport};
use leveret_engine::{Arena, Deadline, OpenOptions, Time};
use rustix::event::{poll, PollFd, PollFlags};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsFd, OwnedFd};

/// All output of one connection, and its turns.
struct Talk {
    answer: Vec<u8>,
    turns: usize,
    most_written: u64,
}

fn pair() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let theirs = TcpStream::connect(listener.local_addr().expect("bound")).expect("it listens");
    let (ours, _) = listener.accept().expect("a client");
    ours.set_nonblocking(true).expect("a socket");
    (ours, theirs)
}

/// Has a connection of its own answer `requests` and `quit`, for a client that reads as fast as it can.
fn talk(shared: &Arc<Shared>, requests: &[u8], others_wait: bool) -> Talk {
    let (ours, mut theirs) = pair();
    let mut reading = theirs.try_clone().expect("a socket");
    let requests = [requests, b"quit\r\n"].concat();
    let writer = std::thread::spawn(move || theirs.write_all(&requests));
    let reader = std::thread::spawn(move || {
        let mut answer = Vec::new();
        reading.read_to_end(&mut answer).map(|_| answer)
    });
    let (worker, counters, mut buffers) = (Worker::new(shared.clone(), 0), shared.network.worker(0), Buffers::new());
    let stream = Stream::new(OwnedFd::from(ours), None).expect("no TLS");
    let mut connection = Connection::new(stream, Session::new(Transport::Tcp), 0);
    let (mut turns, mut most_written) = (0, 0);
    loop {
        let before = counters.bytes_written.load(Relaxed);
        let mut bench = Workbench {
            worker: &worker,
            counters,
            buffers: &mut buffers,
            others_wait,
            may_grow: true,
            is_tight: false,
        };
        let outcome = connection.turn(&mut bench);
        most_written = most_written.max(counters.bytes_written.load(Relaxed) - before);
        let wanted = match outcome {
            TurnEnd::Again => {
                turns += 1;
                continue;
            }
            TurnEnd::Idle => PollFlags::IN,
            TurnEnd::Blocked => PollFlags::OUT,
            TurnEnd::Closed => break,
            TurnEnd::Later | TurnEnd::Parked | TurnEnd::Failed | TurnEnd::Stop { .. } => panic!("{outcome:?}"),
        };
        poll(&mut [PollFd::new(&connection.socket().as_fd(), wanted)], None).expect("an event");
    }
    drop(connection);
    writer.join().expect("a thread").expect("all is read");
    Talk { answer: reader.join().expect("a thread").expect("an end"), turns, most_written }
}

fn shared(dir: &tempfile::TempDir) -> Arc<Shared> {
    let arena = Arena::open(&dir.path().join("turns.arena"), &OpenOptions::new().memory(64 << 20)).expect("an arena").0;
    Shared::new(arena, Settings::default()).expect("good settings").into()
}

/// A get of two megabytes of keys held its worker until all was sent: other clients waited up to seven seconds.
#[test]
fn a_turn_ends_after_so_many_bytes_and_so_many_keys() {
    let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
    let shared = shared(&dir);
    for (value_len, keys) in
        [(0, 50_000), (10, 50_000), (5_000, 4_000), (65_535, 200), (65_536, 200), (300_000, 60), (6_000_000, 4)]
    {
        shared.arena().set(b"k", &vec![b'v'; value_len], Deadline::NEVER, Time::now()).expect("room");
        let value = format!("VALUE k 0 {value_len}\r\n{}\r\n", "v".repeat(value_len));
        for (command, each) in [("get", "k"), ("gat 0", "k"), ("get", "absent")] {
            let line = format!("{command}{}\r\n", format!(" {each}").repeat(keys));
            let answer = if each == "k" { value.repeat(keys) } else { String::new() } + "END\r\n";
            for others_wait in [false, true] {
                let talk = talk(&shared, line.as_bytes(), others_wait);
                let what = format!("{command} {each}, {value_len} bytes, others wait: {others_wait}");
                assert!(talk.answer == answer.as_bytes(), "{what}");
                // Output collected when the turn reached its limit is sent with it.
                let most = 2 * TURN_BYTES + TURN_BYTES.min(value.len() as u64);
                assert!(talk.most_written <= most, "{what}: {} bytes in one turn", talk.most_written);
                let each_turn = 1024 * if others_wait { 1 } else { TURNS_ALONE as usize + 1 };
                assert!(talk.turns >= keys / each_turn, "{what}: {} turns", talk.turns);
            }
        }
    }
}

/// The answers to many requests in one packet are bounded in the same way as those of one long line.
#[test]
fn many_requests_for_large_values_are_many_turns() {
    let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
    let shared = shared(&dir);
    for (value_len, requests) in [(200_000, 200), (6_000_000, 10)] {
        shared.arena().set(b"k", &vec![b'v'; value_len], Deadline::NEVER, Time::now()).expect("room");
        for request in ["get k\r\n", "mg k v\r\n"] {
            let talk = talk(&shared, request.repeat(requests).as_bytes(), false);
            assert!(talk.answer.len() > requests * value_len);
            assert!(talk.most_written <= 2 * TURN_BYTES, "{request:?}: {} bytes in one turn", talk.most_written);
            assert!(talk.turns as u64 >= (requests * value_len) as u64 / (2 * TURN_BYTES));
        }
    }
}

/// A client that does not read has the value copied for it, and that takes turns too.
#[test]
fn a_large_value_for_a_client_that_does_not_read_is_kept_in_pieces() {
    const LEN: usize = 6_000_000;
    let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
    let shared = shared(&dir);
    shared.arena().set(b"k", &vec![b'v'; LEN], Deadline::NEVER, Time::now()).expect("room");
    let (ours, mut theirs) = pair();
    theirs.write_all(b"get k\r\nmn\r\n").expect("sent");
    let (worker, counters, mut buffers) = (Worker::new(shared.clone(), 0), shared.network.worker(0), Buffers::new());
    let mut connection =
        Connection::new(Stream::new(OwnedFd::from(ours), None).expect("no TLS"), Session::new(Transport::Tcp), 0);
    let mut turn = |connection: &mut Connection| {
        let buffers = &mut buffers;
        let worker = &worker;
        let (others_wait, may_grow, is_tight) = (false, true, false);
        connection.turn(&mut Workbench { worker, counters, buffers, others_wait, may_grow, is_tight })
    };
    poll(&mut [PollFd::new(&connection.socket().as_fd(), PollFlags::IN)], None).expect("an event");
    let mut held = 0;
    loop {
        let outcome = turn(&mut connection);
        let now_held = connection.unsent.len();
        assert!(now_held - held <= TURN_BYTES as usize + 100, "{} bytes in one turn", now_held - held);
        held = now_held;
        match outcome {
            TurnEnd::Again => {}
            TurnEnd::Blocked => break,
            outcome => panic!("{outcome:?}"),
        }
    }
    assert!(connection.value.is_none() && held > 0);
    let reader = std::thread::spawn(move || {
        let mut answer = vec![0; format!("VALUE k 0 {LEN}\r\n").len() + LEN + "\r\nEND\r\nMN\r\n".len()];
        theirs.read_exact(&mut answer).map(|()| answer)
    });
    while !reader.is_finished() {
        turn(&mut connection);
    }
    let answer = reader.join().expect("a thread").expect("all of it");
    assert!(answer.ends_with(b"v\r\nEND\r\nMN\r\n"));
    assert_eq!(answer.iter().filter(|byte| **byte == b'v').count(), LEN);
}
