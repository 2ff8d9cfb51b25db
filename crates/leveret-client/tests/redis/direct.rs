//! The short cut: a link whose server is announced in an arena of this host uses the arena, as long as the server would answer
//! the same. Nobody answers at the sockets of these servers but where a test says so.
use super::fake::{serve, Act};
use super::{link, queue, read, server, Reply};
use leveret_client::redis::{RedisCredentials, RedisLink};
use leveret_engine::{Announcement, Arena, OpenOptions, Time};
use leveret_place::RespListener;
use std::net::TcpListener;
use std::path::Path;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const NONCE: u128 = 0x1234_5678_9abc_def0_1234_5678_9abc_def0;

fn folder() -> TempDir {
    tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm")
}

fn arena(folder: &TempDir, name: &str) -> Arena {
    let path = folder.path().join(format!("{name}.arena"));
    Arena::open(&path, &OpenOptions::new().memory(8 << 20)).expect("an arena").0
}

fn endpoint(port: u16) -> String {
    let network = std::fs::read_link("/proc/self/ns/net").expect("a network");
    format!("tcp 127.0.0.1:{port} {}", network.display())
}

fn announce(arena: &Arena, database: u32, port: u16, nonce: Option<u128>) -> Announcement {
    let listener = RespListener { database, endpoint: endpoint(port), nonce, databases: 16 };
    arena.announce(&listener.to_string()).expect("room")
}

fn direct(folder: &Path, port: u16, password: Option<&str>) -> RedisLink {
    let mut redis = link(port);
    let named = leveret_client::redis::RedisServer {
        has_short_cut: true,
        dir: Some(folder.to_owned()),
        ..server("127.0.0.1", port)
    };
    redis.set_server(named, password.map(credentials), 0);
    redis
}

fn credentials(password: &str) -> RedisCredentials {
    RedisCredentials { user: None, password: password.as_bytes().to_vec() }
}

/// None: it is for the server. Values are read from the arena, as callers do.
fn execute(redis: &mut RedisLink, line: &str) -> Option<Reply> {
    if let Some(key) = line.strip_prefix("GET ") {
        let item = redis.arena()?.get(key.as_bytes(), Time::now());
        return Some(item.map_or(Reply::Nil, |item| Reply::Text(item.value)));
    }
    let words: Vec<&[u8]> = line.split(' ').map(str::as_bytes).collect();
    let turn = redis.execute(&|index| words[index], words.len())?;
    Some(read(redis, turn).expect("a reply"))
}

fn text(text: &str) -> Option<Reply> {
    Some(Reply::Text(text.as_bytes().to_vec()))
}

fn status(text: &str) -> Option<Reply> {
    Some(Reply::Status(text.to_owned()))
}

/// Until the belief of a moment ago has passed.
fn eventually(mut is_so: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(Instant::now() < until);
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

#[test]
fn each_database_is_the_arena_that_announces_its_number() {
    let (folder, port) = (folder(), free_port());
    let arenas: Vec<Arena> = ["any", "any.db1", "any.db2", "other"].map(|name| arena(&folder, name)).into();
    let mut announcements: Vec<Announcement> =
        (0..3).map(|number| announce(&arenas[number as usize], number, port, None)).collect();
    announcements.push(announce(&arenas[3], 0, port + 1, None));
    let mut redis = direct(folder.path(), port, None);
    redis.connect().expect("it is within reach, and nothing listens");
    assert!(redis.state().is_connected);
    for round in ["one", "two"] {
        for number in [0, 2, 1, 1, 0] {
            assert_eq!(execute(&mut redis, &format!("SELECT {number}")), status("OK"));
            assert_eq!(redis.arena().map(|arena| arena.path().to_owned()).as_deref(), Some(arenas[number].path()));
            assert_eq!(execute(&mut redis, &format!("SET key {round}{number}")), status("OK"));
            assert_eq!(redis.state().database, number as u32);
        }
        for number in 0..3 {
            assert_eq!(execute(&mut redis, &format!("SELECT {number}")), status("OK"));
            assert_eq!(execute(&mut redis, "GET key"), text(&format!("{round}{number}")));
            assert_eq!(execute(&mut redis, "EXISTS key none key"), Some(Reply::Integer(2)));
        }
    }
    for refused in [
        "SELECT 16",
        "SELECT -1",
        "SELECT x",
        "SELECT",
        "SELECT 0 1",
        "MSET a b",
        "EXISTS",
        "TTL a b",
        "SET a b GET",
        "GETDEL a",
        "INFO",
        "FLUSHALL",
        "KEYS *",
    ] {
        assert_eq!(execute(&mut redis, refused), None, "{refused}");
    }
    // One that was not made.
    assert_eq!(execute(&mut redis, "SELECT 7"), status("OK"));
    assert_eq!(execute(&mut redis, "GET key"), None);
    announcements.push(announce(&arena(&folder, "any.db7"), 7, port, None));
    eventually(|| execute(&mut redis, "GET key") == Some(Reply::Nil));
    assert!(arenas[3].iter(Time::now()).next().is_none(), "nobody has asked for the other port's");
    drop(announcements);
    eventually(|| execute(&mut redis, "GET key").is_none());
    assert_eq!(execute(&mut redis, "SELECT 0"), None);
}

#[test]
fn what_is_on_its_way_is_not_overtaken() {
    let (folder, fake) = (folder(), serve(vec![vec![Act::Hear, Act::Say(b"+OK\r\n+OK\r\n".to_vec()), Act::Stay]]));
    let served = arena(&folder, "served");
    let _announcement = announce(&served, 0, fake.port, None);
    let mut redis = direct(folder.path(), fake.port, None);
    assert_eq!(execute(&mut redis, "SET key value"), status("OK"));
    queue(&mut redis, &[b"SET", b"key", b"1"]).unwrap();
    assert_eq!(execute(&mut redis, "GET key"), None);
    assert!(redis.arena().is_none());
    queue(&mut redis, &[b"SET", b"key", b"2"]).unwrap();
    let turn = redis.flush().unwrap();
    for _ in 0..2 {
        assert_eq!(execute(&mut redis, "GET key"), None);
        assert_eq!(read(&mut redis, turn), Ok(Reply::Status("OK".into())));
    }
    assert_eq!(execute(&mut redis, "GET key"), text("value"));
    // A reply that nobody reads to its end is no other's.
    for _ in 0..3 {
        let words: [&[u8]; 2] = [b"TTL", b"key"];
        redis.execute(&|index| words[index], 2).expect("done here");
        assert_eq!(execute(&mut redis, "GET key"), text("value"));
    }
    // Another turn's number reads nothing.
    let words: [&[u8]; 2] = [b"TYPE", b"key"];
    let turn = redis.execute(&|index| words[index], 2).expect("done here");
    assert!(redis.next(turn - 1).is_err());
    assert_eq!(read(&mut redis, turn), Ok(Reply::Status("string".into())));
    assert!(redis.next(turn).is_err());
}

#[test]
fn states_that_the_server_knows_keep_to_the_socket() {
    let replies: &[(&str, bool, &[u8], bool)] = &[
        ("MULTI", false, b"+OK\r\n", false),
        ("DISCARD", false, b"+OK\r\n", true),
        ("WATCH k", false, b"+OK\r\n", false),
        ("UNWATCH", false, b"+OK\r\n", true),
        ("MULTI", false, b"-ERR no\r\n", true),
        ("PING", true, b"+PONG\r\n", true),
        ("GET k", true, b"$-1\r\n", true),
        ("CLIENT NO-TOUCH OFF", true, b"+OK\r\n", false),
    ];
    let acts =
        replies.iter().flat_map(|(_, _, reply, _)| [Act::Hear, Act::Say(reply.to_vec())]).chain([Act::Stay]).collect();
    let (folder, fake) = (folder(), serve(vec![acts]));
    let served = arena(&folder, "served");
    let _announcement = announce(&served, 0, fake.port, None);
    let mut redis = direct(folder.path(), fake.port, None);
    for (line, is_raw, _, is_direct) in replies {
        let words: Vec<&[u8]> = line.split(' ').map(str::as_bytes).collect();
        redis.request(&|index| words[index], words.len(), *is_raw).unwrap();
        let turn = redis.flush().unwrap();
        read(&mut redis, turn).unwrap();
        assert_eq!(execute(&mut redis, "GET key").is_some(), *is_direct, "behind {line}");
        assert_eq!(redis.arena().is_some(), *is_direct);
    }
    redis.close();
    assert_eq!(execute(&mut redis, "GET key"), Some(Reply::Nil));
}

#[test]
fn a_password_is_proved_once_by_the_nonce_of_the_connection() {
    let info = |nonce: u128| {
        let text = format!("# Leveret\r\nleveret_nonce:{nonce:032x}\r\n");
        format!("${}\r\n{text}\r\n", text.len()).into_bytes()
    };
    let greets =
        |nonce: u128| vec![Act::Hear, Act::Say(b"+OK\r\n".to_vec()), Act::Hear, Act::Say(info(nonce)), Act::Stay];
    let refuses = vec![Act::Hear, Act::Say(b"-WRONGPASS no\r\n".to_vec()), Act::Stay];
    // One that was let in before the password changed, one whose server does not tell, one that is right.
    let tells_nothing =
        vec![Act::Hear, Act::Say(b"+OK\r\n".to_vec()), Act::Hear, Act::Say(b"-NOPERM\r\n".to_vec()), Act::Stay];
    let ends = vec![Act::Hear, Act::Say(b"+OK\r\n".to_vec()), Act::Hear, Act::End];
    let (folder, fake) = (folder(), serve(vec![refuses, greets(NONCE + 1), tells_nothing, ends, greets(NONCE)]));
    let served = arena(&folder, "served");
    let announcement = announce(&served, 0, fake.port, Some(NONCE));
    let mut nobody = direct(folder.path(), fake.port, None);
    assert_eq!(execute(&mut nobody, "GET key"), None);
    let wrong = direct(folder.path(), fake.port, Some("secret")).connect().expect_err("refused");
    assert!(wrong.text.starts_with(b"WRONGPASS"));
    for is_right in [false, false, false, true] {
        let mut redis = direct(folder.path(), fake.port, Some("secret"));
        assert_eq!(execute(&mut redis, "GET key"), None, "nobody was let in");
        redis.connect().expect("the server agrees");
        assert_eq!(execute(&mut redis, "GET key"), is_right.then_some(Reply::Nil));
        // It is not asked again.
        assert_eq!(execute(&mut redis, "GET key"), is_right.then_some(Reply::Nil));
        assert_eq!(redis.state().received, if redis.state().is_connected { 5 } else { redis.state().received });
    }
    // From now on no connection is needed for it.
    let mut redis = direct(folder.path(), fake.port, Some("secret"));
    assert_eq!(execute(&mut redis, "GET key"), Some(Reply::Nil));
    redis.connect().expect("within reach");
    let mut other = direct(folder.path(), fake.port, Some("other"));
    assert_eq!(execute(&mut other, "GET key"), None);
    nobody.sign_in(credentials("secret")).expect("queued");
    let turn = nobody.flush().expect("nothing is sent");
    assert_eq!(read(&mut nobody, turn), Ok(Reply::Status("OK".into())));
    assert_eq!(execute(&mut nobody, "GET key"), Some(Reply::Nil));
    // Another password, or another start of the server.
    drop(announcement);
    let _announcement = announce(&served, 0, fake.port, Some(NONCE + 2));
    for link in [&mut redis, &mut nobody] {
        eventually(|| execute(link, "GET key").is_none());
    }
}

#[test]
fn credentials_that_no_server_has_asked_for_are_for_it_to_refuse() {
    let (folder, port) = (folder(), free_port());
    let _announcement = announce(&arena(&folder, "served"), 0, port, None);
    let mut redis = direct(folder.path(), port, Some("secret"));
    assert_eq!(execute(&mut redis, "GET key"), None);
    assert!(redis.connect().is_err());
    assert_eq!(execute(&mut direct(folder.path(), port, None), "GET key"), Some(Reply::Nil));
    assert_eq!(execute(&mut link(port), "GET key"), None, "a link that was not told to use arenas");
}
