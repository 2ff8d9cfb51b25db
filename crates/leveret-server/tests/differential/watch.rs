//! The same random conversation with Debian's memcached and with a server, and a watcher at each: what they are told is
//! the same, line by line, but for moments, numbers of connections and classes. Left out is what the two cannot have in
//! common: a miss is a miss here, and there one of an item that is dead or flushed is told apart; and how long an item
//! that is dead at once would have lived is a number that wraps around there.
use crate::binary::Binary;
use crate::common::Memcached;
use crate::random::Random;
use crate::serving::{Client, Server};
use crate::text::Text;
use crate::{Beside, Language, ALONE};
use leveret_server::Settings;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;

/// Of a line what both servers tell.
fn comparable(line: &str) -> String {
    let word = |word: &str| -> Option<String> {
        let (name, value) = word.split_once('=')?;
        match (name, value) {
            ("ts" | "gid" | "cfd" | "clsid", _) => None,
            ("status", "expired" | "flushed") => Some("status=not_found".to_owned()),
            ("ttl", ttl) if ttl.parse::<i64>().is_ok_and(|ttl| !(0..1 << 31).contains(&ttl)) => {
                Some("ttl=past".to_owned())
            }
            // Of an item that counting has made memcached always tells 0.
            ("ttl", _) if line.contains("cmd=add ") => None,
            // Seconds may pass between the two servers.
            ("ttl", ttl) if ttl != "0" => Some(format!("ttl={}", (ttl.parse::<i64>().unwrap_or(-99) + 25) / 50)),
            _ => Some(word.to_owned()),
        }
    };
    line.split(' ').filter_map(word).collect::<Vec<_>>().join(" ")
}

/// What a watcher is told up to the look-up of a key that nobody asked for before.
fn told(watcher: &mut impl Read) -> Vec<String> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 65536];
    while !String::from_utf8_lossy(&bytes).ends_with("\n") || !String::from_utf8_lossy(&bytes).contains("key=the.end") {
        match watcher.read(&mut buffer).expect("lines") {
            0 => panic!("the watcher was sent away"),
            len => bytes.extend_from_slice(&buffer[..len]),
        }
    }
    let text = String::from_utf8(bytes).expect("ASCII");
    let lines = text.strip_prefix("OK\r\n").expect("it may watch").lines();
    lines.take_while(|line| !line.contains("key=the.end")).map(comparable).collect()
}

fn watch_both<L: Language>(seed: u64, steps: u32, has_cas: bool) {
    let room = ["-o", "worker_logbuf_size=4096,watcher_logbuf_size=16384"];
    let options = [ALONE, &room, if has_cas { &[] } else { &["-C"] }].concat();
    let mut theirs = Memcached::start(&options);
    let server = Server::start(Settings { cas: has_cas, threads: 1, ..Settings::default() });
    let mut ours = server.connect();
    let words = b"watch fetchers mutations\r\n";
    let mut their_watcher: UnixStream = theirs.another();
    their_watcher.write_all(words).expect("it reads");
    their_watcher.read_exact(&mut [0; 4]).expect("OK");
    let mut our_watcher = server.connect();
    our_watcher.send(words);
    our_watcher.expect(b"OK\r\n");
    let mut language = L::new(Random::new(seed), has_cas, Beside::Debian12);
    let (mark, end) = L::mark();
    for _ in 0..steps {
        let said = language.say();
        // How long an item lives that such an `mg` makes depends in 1.6.18 on which flag comes first.
        if String::from_utf8_lossy(&said).contains("N1000 T500") {
            continue;
        }
        let (_, is_open) = theirs.talk(&said, &mark, &end);
        ours.send(&[&said[..], &mark].concat());
        if is_open {
            read_up_to(&mut ours, &end);
        } else {
            theirs.reconnect();
            ours = server.connect();
        }
    }
    let last = b"get the.end\r\n";
    theirs.reconnect();
    theirs.talk(last, b"", b"END\r\n");
    server.connect().talk("get the.end\r\n", "END\r\n");
    let prefix = b"OK\r\n".as_slice();
    let want = told(&mut prefix.chain(&mut their_watcher));
    let got = told(&mut prefix.chain(&mut our_watcher.stream));
    for at in 0..got.len().max(want.len()) {
        let lines = |of: &[String]| of[at.saturating_sub(5).min(of.len())..(at + 2).min(of.len())].to_vec();
        assert_eq!(
            got.get(at),
            want.get(at),
            "seed {seed}: left ours, right memcached's, {:#?}",
            (lines(&got), lines(&want))
        );
    }
    assert!(want.len() > steps as usize / 2, "{} lines", want.len());
}

fn read_up_to(client: &mut Client<std::net::TcpStream>, end: &[u8]) {
    let mut answer = Vec::new();
    let mut buffer = [0; 65536];
    while !answer.ends_with(end) {
        match client.stream.read(&mut buffer).expect("an answer") {
            0 => panic!("hung up"),
            len => answer.extend_from_slice(&buffer[..len]),
        }
    }
}

#[test]
fn watchers_of_memcached_and_of_a_server_are_told_the_same() {
    let seed = std::env::var("LEVERET_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(20261123);
    println!("LEVERET_SEED={seed}");
    watch_both::<Text>(seed, 1500, true);
    watch_both::<Text>(seed + 1, 500, false);
    watch_both::<Binary>(seed + 2, 800, true);
}
