//! Large values, which go between sockets and the arena without a copy in between, while others overwrite them.
mod serving;
use leveret_engine::{Deadline, Time};
use leveret_server::Settings;
use serving::{await_delivery, serve_if_told, Client, Process, Server};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

const KEYS: usize = 8;

#[test]
fn serve() {
    serve_if_told();
}

/// How a client says what it wants.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Protocol {
    Classic,
    Meta,
    Binary,
}

use Protocol::{Binary, Classic, Meta};

const NOOP: u8 = 0x0a;

/// A request of the binary protocol without a cas, and an answer to one: they differ in the first byte.
fn frame(first: u8, opcode: u8, extras: &[u8], key: &[u8], value: &[u8]) -> Vec<u8> {
    let lengths = [&(key.len() as u16).to_be_bytes()[..], &[extras.len() as u8, 0, 0, 0]].concat();
    let body = ((extras.len() + key.len() + value.len()) as u32).to_be_bytes();
    [&[first, opcode][..], &lengths, &body, &[0; 12], extras, key, value].concat()
}

impl Protocol {
    /// A store, and all that it answers.
    fn set(self, key: &str, value: &[u8]) -> (Vec<u8>, Vec<u8>) {
        match self {
            Classic => (
                [format!("set {key} 0 0 {}\r\n", value.len()).as_bytes(), value, b"\r\n"].concat(),
                b"STORED\r\n".to_vec(),
            ),
            Meta => (
                [format!("ms {key} {} s\r\n", value.len()).as_bytes(), value, b"\r\n"].concat(),
                format!("HD s{}\r\n", value.len()).into(),
            ),
            // Quietly, since the answer would have a cas.
            Binary => {
                let set = frame(0x80, 0x11, &[0; 8], key.as_bytes(), value);
                ([set, frame(0x80, NOOP, b"", b"", b"")].concat(), frame(0x81, NOOP, b"", b"", b""))
            }
        }
    }

    fn get(self, key: &str) -> Vec<u8> {
        match self {
            Classic => format!("get {key}\r\n").into(),
            Meta => format!("mg {key} v\r\n").into(),
            Binary => frame(0x80, 0x00, b"", key.as_bytes(), b""),
        }
    }

    /// Reads the answer to a get: the value, empty if there is none. None: the server hung up before its end.
    fn read(self, stream: &mut impl BufRead) -> Option<Vec<u8>> {
        if self == Binary {
            let mut header = [0; 24];
            stream.read_exact(&mut header).ok()?;
            let mut body = vec![0; u32::from_be_bytes([header[8], header[9], header[10], header[11]]) as usize];
            stream.read_exact(&mut body).ok()?;
            return Some(if header[6..8] == [0, 0] { body.split_off(4) } else { Vec::new() });
        }
        let line = read_line(stream)?;
        let Some(len) = line.trim_end().rsplit(' ').next().and_then(|len| len.parse::<usize>().ok()) else {
            return Some(Vec::new());
        };
        let mut value = vec![0; len + 2];
        stream.read_exact(&mut value).ok()?;
        assert!(value.ends_with(b"\r\n"));
        value.truncate(len);
        (self == Meta || read_line(stream)? == "END\r\n").then_some(value)
    }
}

fn read_line(stream: &mut impl BufRead) -> Option<String> {
    let mut line = String::new();
    (stream.read_line(&mut line).unwrap_or(0) > 0 && line.ends_with('\n')).then_some(line)
}

/// Every value of a test is one byte, many times over; round and writer make both.
fn value(writer: usize, round: usize) -> Vec<u8> {
    vec![(writer * 64 + round % 64) as u8; 66_000 + (round * 48_611 + writer * 300_007) % 900_000]
}

fn connect(address: SocketAddr) -> BufReader<TcpStream> {
    BufReader::with_capacity(1 << 20, Client::tcp(address).stream)
}

/// Asks for all keys at once. False: the server hung up before the last answer's end.
fn read_all(protocol: Protocol, client: &mut BufReader<TcpStream>) -> bool {
    let requests: Vec<u8> = (0..KEYS).flat_map(|key| protocol.get(&format!("k{key}"))).collect();
    client.get_mut().write_all(&requests).is_ok()
        && (0..KEYS).all(|_| {
            let Some(value) = protocol.read(client) else { return false };
            assert!(value.iter().all(|byte| *byte == value[0]), "bytes of two values in {} bytes", value.len());
            true
        })
}

#[test]
fn every_protocol_carries_large_values_as_they_are() {
    let server = Server::start(Settings::default());
    let clients = || [Classic, Meta, Binary].map(|protocol| (protocol, connect(server.address)));
    for len in [65_500, 65_536, 65_600, 131_072, 300_001, 1_000_000] {
        let value: Vec<u8> = (0..len).map(|at| (at * 7 % 251) as u8).collect();
        for (writing, mut writer) in clients() {
            let key = format!("{writing:?}{len}");
            let (request, answer) = writing.set(&key, &value);
            // Whole, and in pieces of which the first may end within what stands before the value.
            for cut in [request.len(), 10, 50, 1000, request.len() - 2, request.len() - 1] {
                writer.get_mut().write_all(&request[..cut]).unwrap();
                await_delivery(writer.get_ref());
                writer.get_mut().write_all(&request[cut..]).unwrap();
                let mut got = vec![0; answer.len()];
                writer.read_exact(&mut got).unwrap();
                assert_eq!(got, answer, "{key} cut at {cut}");
            }
            for (reading, mut reader) in clients() {
                reader.get_mut().write_all(&reading.get(&key).repeat(3)).unwrap();
                for _ in 0..3 {
                    assert!(reading.read(&mut reader).expect("an answer") == value, "{key} by {reading:?}");
                }
            }
        }
    }
    assert!(server.shared.arena().verify().is_clean());
}

#[test]
fn clients_that_overwrite_what_others_read_cost_them_neither_an_answer_nor_the_connection() {
    let server = Server::start(Settings { threads: 4, ..Settings::default() });
    let (address, is_over) = (server.address, AtomicBool::new(false));
    std::thread::scope(|scope| {
        for writer in 0..3 {
            let is_over = &is_over;
            scope.spawn(move || {
                let mut client = Client::tcp(address);
                let protocol = [Classic, Meta, Binary][writer];
                for round in 0.. {
                    let (request, answer) = protocol.set(&format!("k{}", round % KEYS), &value(writer, round));
                    client.send(&request);
                    client.expect(&answer);
                    if is_over.load(Relaxed) {
                        return;
                    }
                }
            });
        }
        let reader = |protocol: Protocol| {
            let mut client = connect(address);
            for _ in 0..20 {
                assert!(read_all(protocol, &mut client), "hung up");
            }
        };
        let readers: Vec<_> = [Classic, Meta, Binary].map(|protocol| scope.spawn(move || reader(protocol))).into();
        let ended: Vec<_> = readers.into_iter().map(|reader| reader.join()).collect();
        is_over.store(true, Relaxed);
        assert!(ended.iter().all(Result::is_ok));
    });
    assert!(server.shared.arena().verify().is_clean());
}

#[test]
fn processes_that_overwrite_what_clients_read_never_mix_two_values() {
    let dir = tempfile::tempdir().unwrap();
    let server = Process::start("serve", dir.path(), "");
    let arena = serving::arena(dir.path());
    let (address, is_over) = (server.tcp(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        for writer in 0..3 {
            let (arena, is_over) = (&arena, &is_over);
            scope.spawn(move || {
                for round in 0.. {
                    arena
                        .set(
                            format!("k{}", round % KEYS).as_bytes(),
                            &value(writer, round),
                            Deadline::NEVER,
                            Time::now(),
                        )
                        .expect("room");
                    if is_over.load(Relaxed) {
                        return;
                    }
                }
            });
        }
        for protocol in [Classic, Meta, Binary] {
            let (mut client, mut answers, mut hung_up) = (connect(address), 0, 0);
            while answers < 30 {
                if read_all(protocol, &mut client) {
                    answers += 1;
                } else {
                    hung_up += 1;
                    client = connect(address);
                }
            }
            println!("{protocol:?}: {hung_up} connections ended in a value, {answers} times all keys were whole");
        }
        is_over.store(true, Relaxed);
    });
    assert!(arena.verify().is_clean());
}

/// A value was sent in one go for as long as its client took all of it, and other clients of the worker waited for the end.
#[test]
fn a_large_value_that_is_read_at_once_keeps_no_other_client_waiting() {
    const LEN: usize = 7 << 20;
    const ROUNDS: usize = 40;
    let server = Server::start(Settings { threads: 1, ..Settings::default() });
    server.shared.arena().set(b"k", &vec![b'v'; LEN], Deadline::NEVER, Time::now()).expect("room");
    let reading = server.connect();
    let mut other = server.connect();
    let is_over = AtomicBool::new(false);
    let served = std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut client = reading;
            let mut answer = vec![0; format!("VALUE k 0 {LEN}\r\n").len() + LEN + "\r\nEND\r\n".len()];
            for _ in 0..ROUNDS {
                client.send(b"get k\r\n");
                client.stream.read_exact(&mut answer).expect("a value");
                assert!(answer.ends_with(b"v\r\nEND\r\n"));
            }
            is_over.store(true, Relaxed);
        });
        let mut served = 0;
        while !is_over.load(Relaxed) {
            other.talk("mn\r\n", "MN\r\n");
            served += 1;
        }
        reader.join().expect("no panic");
        served
    });
    // One turn of the other client for each of some turns of this one.
    assert!(served >= ROUNDS, "the other client was served {served} times beside {ROUNDS} values");
}

#[test]
fn a_large_store_that_ends_badly_or_not_at_all_changes_nothing() {
    let server = Server::start(Settings::default());
    let mut reader = server.connect();
    let old = vec![b'o'; 300_000];
    reader.send(&[b"set k 0 0 300000\r\n", &old[..], b"\r\n"].concat());
    reader.expect(b"STORED\r\n");
    let kept = [b"VALUE k 0 300000\r\n", &old[..], b"\r\nEND\r\n"].concat();
    let half = [b"set k 0 0 900000\r\n".as_slice(), &[b'n'; 450_000]].concat();
    for _ in 0..20 {
        server.connect().send(&half);
    }
    let mut slow: Vec<_> = (0..20).map(|_| server.connect()).collect();
    for client in &mut slow {
        client.send(&half);
        reader.send(b"get k\r\n");
        reader.expect(&kept);
    }
    // A block that does not end as its line said, and one that does.
    for (index, client) in slow.iter_mut().enumerate() {
        client.send(&[b'n'; 450_000]);
        if index % 2 == 0 {
            client.talk("xxmn\r\n", "CLIENT_ERROR bad data chunk\r\nMN\r\n");
        }
    }
    reader.send(b"get k\r\n");
    reader.expect(&kept);
    slow[1].talk("\r\nget no\r\n", "STORED\r\nEND\r\n");
    slow[3].send(b"\r");
    slow[3].talk("\nmn\r\n", "STORED\r\nMN\r\n");
    drop(slow);
    reader.send(b"get k\r\n");
    reader.expect(&[b"VALUE k 0 900000\r\n", vec![b'n'; 900_000].as_slice(), b"\r\nEND\r\n"].concat());
    assert!(server.shared.arena().verify().is_clean());
}

#[test]
fn a_server_that_is_killed_in_the_middle_of_large_stores_leaves_whole_values_and_all_room() {
    let dir = tempfile::tempdir().unwrap();
    let arena = serving::arena(dir.path());
    let old = value(0, 3);
    arena.set(b"k0", &old, Deadline::NEVER, Time::now()).expect("room");
    for _ in 0..3 {
        let server = Process::start("serve", dir.path(), "");
        let mut clients: Vec<_> = (0..8).map(|_| Client::tcp(server.tcp())).collect();
        for client in &mut clients {
            client.send(&[b"set k0 0 0 900000\r\n".as_slice(), &[b'n'; 450_000]].concat());
            client.stream.shutdown(std::net::Shutdown::Read).unwrap();
        }
        Client::tcp(server.tcp()).talk("mn\r\n", "MN\r\n");
        server.kill();
        assert!(arena.get(b"k0", Time::now()).expect("kept").value == old);
    }
    // More than the arena holds: whatever the dead had taken is used again.
    for round in 0..100 {
        arena.set(format!("other{round}").as_bytes(), &value(0, round), Deadline::NEVER, Time::now()).expect("room");
    }
    assert!(arena.verify().is_clean());
}
