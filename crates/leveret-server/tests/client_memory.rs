//! All clients together cannot make the server hold more than its budget: whatever they send in parts, and however many
//! they are. First a connection is not read from until others have finished; only who holds memory and does not get on is
//! closed.
mod serving;
use serving::{serve_if_told, Client, Process};
use std::collections::BTreeMap;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};

#[test]
fn serve() {
    serve_if_told();
}

/// Of a server with 64 MiB, as its `stats` say too.
const BUDGET: u64 = 64 << 20;

/// What a server with a few hundred connections has beside the budget: buffers of its workers, which are 4 MiB at most
/// four times each, the kept fronts, and what the allocator does not give back.
const BESIDE: u64 = 48 << 20;

const CLIENTS: usize = 300;

fn stats(address: SocketAddr) -> BTreeMap<String, u64> {
    let mut client = Client::tcp(address);
    client.send(b"stats\r\n");
    let line = |line: &str| {
        let (name, value) = line.strip_prefix("STAT ")?.split_once(' ')?;
        Some((name.to_owned(), value.parse().ok()?))
    };
    client.read_up_to(b"END\r\n").lines().filter_map(line).collect()
}

/// A binary request: opcode, extras, key, value.
fn frame(opcode: u8, extras: &[u8], key: &str, value: &[u8]) -> Vec<u8> {
    let lengths = [&(key.len() as u16).to_be_bytes()[..], &[extras.len() as u8, 0, 0, 0]].concat();
    let body = ((extras.len() + key.len() + value.len()) as u32).to_be_bytes();
    [&[0x80, opcode][..], &lengths, &body, &[0; 12], extras, key.as_bytes(), value].concat()
}

/// Ways in which a client can make a server collect almost a megabyte.
const KINDS: [&str; 5] = ["set", "append", "binary set", "get", "ms"];

/// A request of this kind, its length about a megabyte.
fn request(kind: &str, number: usize) -> Vec<u8> {
    let value = vec![b'v'; 1_000_000];
    let key = format!("key{number}");
    let text = |line: String| [line.as_bytes(), &value, b"\r\n"].concat();
    match kind {
        "set" => text(format!("set {key} 0 0 1000000\r\n")),
        "append" => text(format!("append {key} 0 0 1000000\r\n")),
        "ms" => text(format!("ms {key} 1000000\r\n")),
        "binary set" => frame(0x01, &[0; 8], &key, &value),
        // Few keys, since this is about the line.
        _ => [&b"get absent"[..], &b" ".repeat(980_000), b"absent\r\n"].concat(),
    }
}

/// The front of the answer when it is done.
fn answer(kind: &str) -> &'static [u8] {
    match kind {
        "set" => b"STORED\r\n",
        // Of a key that is not there.
        "append" => b"NOT_STORED\r\n",
        "ms" => b"HD\r\n",
        "binary set" => &[0x81, 0x01, 0, 0, 0, 0, 0, 0],
        _ => b"END\r\n",
    }
}

/// Sends as much as goes out without waiting. Returns how much that was.
fn send_what_goes(stream: &mut TcpStream, bytes: &[u8]) -> usize {
    stream.set_nonblocking(true).expect("a socket");
    let mut sent = 0;
    while sent < bytes.len() {
        match stream.write(&bytes[sent..]) {
            Ok(len) => sent += len,
            Err(error) if error.kind() == ErrorKind::WouldBlock => break,
            Err(_) => break,
        }
    }
    stream.set_nonblocking(false).expect("a socket");
    sent
}

/// Whether the whole request was answered as it should; false: the connection was closed.
fn finishes(mut stream: TcpStream, rest: &[u8], want: &[u8]) -> bool {
    let mut got = vec![0; want.len()];
    if stream.write_all(rest).is_err() || stream.read_exact(&mut got).is_err() {
        return false;
    }
    assert_eq!(got, want, "{}", String::from_utf8_lossy(&got));
    true
}

/// 300 megabytes that are never whole are bounded, others are served meanwhile, and whoever goes on gets an answer.
#[test]
fn half_requests_of_hundreds_of_clients_are_bounded() {
    for kind in KINDS {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let server = Process::start("serve", dir.path(), "listen=127.0.0.1");
        let address = server.tcp();
        let before = server.own_memory();
        let mut halves = Vec::new();
        for number in 0..CLIENTS {
            let mut stream = Client::tcp(address).stream;
            let request = request(kind, number);
            let sent = send_what_goes(&mut stream, &request[..request.len() - 2]);
            halves.push((stream, request, sent));
        }
        // The workers have seen what came when this is answered by each of them.
        for number in 0..8 {
            let mut other = Client::tcp(address);
            other.talk(&format!("set small{number} 0 0 5\r\nvalue\r\n"), "STORED\r\n");
            other.talk(&format!("get small{number}\r\n"), &format!("VALUE small{number} 0 5\r\nvalue\r\nEND\r\n"));
        }
        let (stats_now, memory) = (stats(address), server.own_memory());
        assert_eq!(stats_now["client_memory_limit"], BUDGET);
        assert!(stats_now["client_memory"] <= BUDGET, "{kind}: {stats_now:?}");
        assert!(memory < before + BUDGET + BESIDE, "{kind}: {} MiB", (memory - before) >> 20);
        let threads: Vec<_> = halves
            .into_iter()
            .map(|(stream, request, sent)| std::thread::spawn(move || finishes(stream, &request[sent..], answer(kind))))
            .collect();
        let finished = threads.into_iter().filter_map(|thread| thread.join().expect("an answer").then_some(())).count();
        let after = stats(address);
        assert_eq!(finished as u64 + after["client_memory_closed"], CLIENTS as u64, "{kind}: {after:?}");
        assert!(finished > 0, "{kind}: {after:?}");
        assert!(server.own_memory() < before + BUDGET + BESIDE, "{kind}: {} MiB", server.own_memory() >> 20);
        if matches!(kind, "set" | "ms" | "binary set") {
            assert!(after["total_items"] >= finished as u64, "{kind}: {after:?}");
        }
    }
}

/// One who sends most of a value and then nothing does not keep the memory from others for ever.
#[test]
fn who_holds_memory_and_does_not_get_on_makes_room_for_others() {
    let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
    let server = Process::start("serve", dir.path(), "listen=127.0.0.1");
    let address = server.tcp();
    let mut silent: Vec<_> = (0..100)
        .map(|number| {
            let mut stream = Client::tcp(address).stream;
            let request = request("append", number);
            send_what_goes(&mut stream, &request[..request.len() - 2]);
            stream
        })
        .collect();
    let mut client = Client::tcp(address);
    let value = "v".repeat(1_000_000);
    client.talk("set k 0 0 1\r\nv\r\n", "STORED\r\n");
    client.talk(&format!("append k 0 0 1000000\r\n{value}\r\n"), "STORED\r\n");
    client.talk("mg k s\r\n", "HD s1000001\r\n");
    assert!(stats(address)["client_memory_closed"] > 0);
    silent.clear();
}
