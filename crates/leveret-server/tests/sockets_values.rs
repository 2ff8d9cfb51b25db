//! Large values, which go between sockets and the arena without a copy in between, while others overwrite them.
mod serving;
use leveret_engine::{Deadline, Time};
use leveret_server::Settings;
use serving::{serve_if_told, Client, Process, Server};
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

const KEYS: usize = 8;

#[test]
fn serve() {
    serve_if_told();
}

/// Every value of a test is one byte, many times over; round and writer make both.
fn value(writer: usize, round: usize) -> Vec<u8> {
    vec![(writer * 64 + round % 64) as u8; 66_000 + (round * 48_611 + writer * 300_007) % 900_000]
}

/// Reads one answer to a get of all keys. False: the server hung up before its end.
fn read_answer(stream: &mut impl BufRead) -> bool {
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).unwrap_or(0) == 0 || !line.ends_with('\n') {
            return false;
        }
        if line == "END\r\n" {
            return true;
        }
        let len: usize = line.trim_end().rsplit_once(' ').expect("VALUE key flags length").1.parse().expect("a length");
        let mut value = vec![0; len + 2];
        if stream.read_exact(&mut value).is_err() {
            return false;
        }
        assert_eq!(&value[len..], b"\r\n");
        assert!(value[..len] == vec![value[0]; len], "bytes of two values in {line:?}");
    }
}

fn connect(address: SocketAddr) -> BufReader<TcpStream> {
    BufReader::with_capacity(1 << 20, Client::tcp(address).stream)
}

fn get_all() -> Vec<u8> {
    let keys: Vec<String> = (0..KEYS).map(|key| format!(" k{key}")).collect();
    format!("get{}\r\n", keys.concat()).into_bytes()
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
                for round in 0.. {
                    let value = value(writer, round);
                    client.send(format!("set k{} 0 0 {}\r\n", round % KEYS, value.len()).as_bytes());
                    client.send(&value);
                    client.talk("\r\n", "STORED\r\n");
                    if is_over.load(Relaxed) {
                        return;
                    }
                }
            });
        }
        let reader = || {
            let mut client = connect(address);
            for _ in 0..30 {
                client.get_mut().write_all(&get_all().repeat(2)).expect("it reads");
                assert!(read_answer(&mut client) && read_answer(&mut client), "hung up");
            }
        };
        let readers: Vec<_> = (0..3).map(|_| scope.spawn(reader)).collect();
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
                    arena.set(format!("k{}", round % KEYS).as_bytes(), &value(writer, round), Deadline::NEVER, Time::now()).expect("room");
                    if is_over.load(Relaxed) {
                        return;
                    }
                }
            });
        }
        let (mut client, mut answers, mut hung_up) = (connect(address), 0, 0);
        while answers < 100 {
            if client.get_mut().write_all(&get_all()).is_ok() && read_answer(&mut client) {
                answers += 1;
            } else {
                hung_up += 1;
                client = connect(address);
            }
        }
        is_over.store(true, Relaxed);
        println!("{hung_up} connections ended in a value, {answers} answers were whole");
    });
    assert!(arena.verify().is_clean());
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
