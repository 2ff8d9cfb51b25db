//! Clients of Redis: connections, transactions, databases. What each command answers is tried in `leveret-strings`.
mod serving;
use leveret_server::redis::settings::{RedisPlace, RedisSettings};
use leveret_server::Settings;
use serving::{hold, Client, Server};
use std::io::Write;
use std::net::TcpStream;
use std::thread;

fn redis() -> RedisSettings {
    RedisSettings::new(RedisPlace::Tcp { port: None, is_tls: false })
}

fn settings() -> Settings {
    Settings { redis: Some(redis()), threads: 3, ..Settings::default() }
}

#[test]
fn each_database_is_an_arena_of_its_own_that_the_first_write_makes() {
    let server = Server::start(settings());
    let first = server.shared.arena().path().to_owned();
    let third = first.with_file_name("served.db3.arena");
    let mut client = server.connect_redis();
    hold(
        &mut client,
        "SET a zero
         < +OK
         SELECT 3
         < +OK
         GET a
         < $-1
         DBSIZE
         < :0
         DEL a
         < :0",
    );
    assert!(!third.exists(), "reading makes nothing");
    hold(
        &mut client,
        "SET a three
         < +OK
         GET a
         < $5|three
         SELECT 0
         < +OK
         GET a
         < $4|zero
         SELECT 16
         < -ERR DB index is out of range
         SELECT x
         < -ERR value is not an integer or out of range
         GET a
         < $4|zero
         MOVE a 4
         < :1
         EXISTS a
         < :0
         SELECT 4
         < +OK
         GET a
         < $4|zero
         FLUSHDB
         < +OK
         SELECT 3
         < +OK
         GET a
         < $5|three",
    );
    assert!(third.exists());
    // Other workers see what one of them has made.
    for _ in 0..6 {
        hold(&mut server.connect_redis(), "SELECT 3\n< +OK\nGET a\n< $5|three");
    }
    hold(&mut client, "FLUSHALL\n< +OK\nGET a\n< $-1");
}

#[test]
fn what_one_entrance_stores_the_other_reads() {
    let server = Server::start(settings());
    let (mut redis, mut memcached) = (server.connect_redis(), server.connect());
    hold(&mut redis, "SET text hello\n< +OK\nSET number 41\n< +OK\nINCR number\n< :42");
    memcached.talk("get text number\r\n", "VALUE text 0 5\r\nhello\r\nVALUE number 0 2\r\n42\r\nEND\r\n");
    memcached.talk("incr number 1\r\n", "43\r\n");
    memcached.talk("set theirs 7 0 3\r\nabc\r\n", "STORED\r\n");
    hold(&mut redis, "MGET number theirs\n< *2|$2|43|$3|abc");
    memcached.talk("flush_all\r\n", "OK\r\n");
    hold(&mut redis, "EXISTS text number theirs\n< :0");
}

#[test]
fn a_transaction_is_all_or_nothing() {
    let server = Server::start(settings());
    let mut client = server.connect_redis();
    hold(
        &mut client,
        "EXEC
         < -ERR EXEC without MULTI
         DISCARD
         < -ERR DISCARD without MULTI
         MULTI
         < +OK
         MULTI
         < -ERR MULTI calls can not be nested
         WATCH a
         < -ERR WATCH inside MULTI is not allowed
         SET a 1
         < +QUEUED
         INCR a
         < +QUEUED
         SET a b c d
         < +QUEUED
         SELECT 2
         < +QUEUED
         SET a two
         < +QUEUED
         EXEC
         < *5|+OK|:2|-ERR syntax error|+OK|+OK
         GET a
         < $3|two
         SELECT 0
         < +OK
         GET a
         < $1|2
         MULTI
         < +OK
         SET a 9
         < +QUEUED
         NOSUCH a
         < -ERR unknown command 'NOSUCH', with args beginning with: 'a' 
         SET a
         < -ERR wrong number of arguments for 'set' command
         EXEC
         < -EXECABORT Transaction discarded because of previous errors.
         MULTI
         < +OK
         LPUSH q job
         < -UNSUPPORTED LPUSH: leveret serve keeps no queues, a cache that evicts would lose jobs; see docs/redis.md
         EXEC
         < -EXECABORT Transaction discarded because of previous errors.
         MULTI
         < +OK
         SET a 9
         < +QUEUED
         DISCARD
         < +OK
         GET a
         < $1|2
         MULTI
         < +OK
         EXEC
         < *0",
    );
}

#[test]
fn a_watched_key_that_has_changed_ends_a_transaction() {
    let server = Server::start(settings());
    let (mut one, mut other) = (server.connect_redis(), server.connect_redis());
    let is_done = |one: &mut Client<TcpStream>, other: &mut Client<TcpStream>, before: &str, by_other: &str| {
        hold(one, &format!("{before}\nWATCH a b\n< +OK"));
        hold(other, by_other);
        hold(one, "MULTI\n< +OK\nSET c 1\n< +QUEUED");
        one.send(b"EXEC\r\n");
        let answer = one.read_up_to(b"\r\n");
        match answer.as_str() {
            "*-1\r\n" => false,
            "*1\r\n" => {
                one.expect(b"+OK\r\n");
                true
            }
            "*1\r\n+OK\r\n" => true,
            other => panic!("{other:?}"),
        }
    };
    let there = "SET a 1\n< +OK";
    for (before, by_other, want) in [
        (there, "GET a\n< $1|1", true),
        (there, "SET c x\n< +OK", true),
        (there, "SET a 1\n< +OK", false),
        (there, "INCR a\n< :2", false),
        (there, "EXPIRE a 100\n< :1", false),
        (there, "DEL a\n< :1", false),
        (there, "FLUSHALL\n< +OK", false),
        (there, "SET b 1\n< +OK", false),
    ] {
        // `b` is absent, and `a` has no deadline.
        hold(&mut other, "FLUSHALL\n< +OK");
        assert_eq!(is_done(&mut one, &mut other, before, by_other), want, "{by_other}");
    }
    for (by_other, want) in [
        ("GET a\n< $-1", true),
        ("SET a 1\n< +OK", false),
        // Made and gone again: it is as absent as before, and has changed.
        ("SET a 1\n< +OK\nDEL a\n< :1", false),
        ("SET a 1\n< +OK\nGETDEL a\n< $1|1", false),
        ("SET a 1\n< +OK\nFLUSHDB\n< +OK", false),
        ("SET a 1\n< +OK\nRENAME a d\n< +OK\nDEL d\n< :1", false),
        ("SELECT 1\n< +OK\nSET a 1\n< +OK\nSELECT 0\n< +OK", true),
        ("SET x 1\n< +OK\nRENAME x a\n< +OK\nDEL a\n< :1", false),
        // It was not there to be removed.
        ("SET x 1\n< +OK\nDEL a x\n< :1", true),
        ("FLUSHALL\n< +OK", true),
        ("SET a 1 XX\n< $-1", true),
        ("SELECT 1\n< +OK\nSET a 1\n< +OK\nMOVE a 0\n< :1\nSELECT 0\n< +OK\nDEL a\n< :1", false),
    ] {
        hold(&mut other, "FLUSHALL\n< +OK");
        assert_eq!(is_done(&mut one, &mut other, "", by_other), want, "{by_other}");
    }
    hold(&mut other, "FLUSHALL\n< +OK");
    assert!(is_done(&mut one, &mut other, "WATCH x\n< +OK\nUNWATCH\n< +OK", "SET x 1\n< +OK"), "unwatched");
    hold(&mut other, "FLUSHALL\n< +OK");
    assert!(
        is_done(&mut one, &mut other, "WATCH x\n< +OK\nMULTI\n< +OK\nDISCARD\n< +OK", "SET x 1\n< +OK"),
        "discarded"
    );
}

/// Readers and writers of other workers, and of memcached's entrance, never see half of a transaction or of an MSET.
#[test]
fn nobody_sees_half_of_a_transaction() {
    const ROUNDS: usize = 400;
    let server = Server::start(settings());
    hold(&mut server.connect_redis(), "MSET x 500 y 500 p 0 q 0\n< +OK");
    thread::scope(|scope| {
        for number in 0..3 {
            let mut client = server.connect_redis();
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    client.send(b"MULTI\r\nDECRBY x 3\r\nINCRBY y 3\r\nEXEC\r\n");
                    client.read_up_to_lines(5 + 1);
                    let value = number * ROUNDS + round;
                    client.talk(&format!("MSET p {value} q {value}\r\n"), "+OK\r\n");
                }
            });
        }
        for _ in 0..2 {
            let (mut redis, mut memcached) = (server.connect_redis(), server.connect());
            scope.spawn(move || {
                for _ in 0..ROUNDS {
                    redis.send(b"MGET x y p q\r\n");
                    let answer = redis.read_up_to_lines(9);
                    let values: Vec<i64> =
                        answer.iter().skip(2).step_by(2).map(|text| text.parse().expect("a number")).collect();
                    assert_eq!(values[0] + values[1], 1000, "{answer:?}");
                    assert_eq!(values[2], values[3], "{answer:?}");
                    memcached.send(b"get p q\r\n");
                    let answer = memcached.read_up_to(b"END\r\n");
                    let values: Vec<&str> = answer.lines().skip(1).step_by(2).take(2).collect();
                    assert_eq!(values[0], values[1], "{answer}");
                }
            });
        }
    });
}

#[test]
fn a_conversation_is_the_same_however_it_is_cut() {
    let requests = b"SET k v\r\n*3\r\n$3\r\nSET\r\n$1\r\na\r\n$5\r\n\r\n\"x'\r\n*2\r\n$3\r\nget\r\n$1\r\na\r\nMULTI\r\nAPPEND a 1\r\nEXEC\r\nPING \"a b\"\r\n\r\n*0\r\nGET a\r\n";
    let answers = b"+OK\r\n+OK\r\n$5\r\n\r\n\"x'\r\n+OK\r\n+QUEUED\r\n*1\r\n:6\r\n$3\r\na b\r\n$6\r\n\r\n\"x'1\r\n";
    let server = Server::start(settings());
    for piece in [1, 2, 3, 7, 20, requests.len()] {
        let mut client = server.connect_redis();
        for bytes in requests.chunks(piece) {
            client.stream.write_all(bytes).expect("it reads");
        }
        client.expect(answers);
    }
}

#[test]
fn who_must_sign_in_can_do_nothing_before() {
    let settings =
        Settings { redis: Some(RedisSettings { password: Some("s3cret".to_owned()), ..redis() }), ..settings() };
    let server = Server::start(settings);
    let mut client = server.connect_redis();
    hold(
        &mut client,
        "PING
         < -NOAUTH Authentication required.
         GET a
         < -NOAUTH Authentication required.
         AUTH wrong
         < -WRONGPASS invalid username-password pair or user is disabled.
         AUTH ann s3cret
         < -WRONGPASS invalid username-password pair or user is disabled.
         AUTH s3cret
         < +OK
         PING
         < +PONG
         RESET
         < +RESET
         PING
         < -NOAUTH Authentication required.
         AUTH default s3cret
         < +OK
         CONFIG SET requirepass other
         < +OK
         PING
         < +PONG",
    );
    let mut late = server.connect_redis();
    hold(&mut late, "AUTH s3cret\n< -WRONGPASS invalid username-password pair or user is disabled.");
    late.send(b"HELLO 3 AUTH default other SETNAME late\r\n");
    assert!(late.read_up_to(b"modules\r\n*0\r\n").starts_with("%7\r\n$6\r\nserver\r\n"));
    hold(&mut late, "CLIENT GETNAME\n< $4|late\nGET missing\n< _");
    // Megabytes of a stranger are not collected.
    let mut stranger = server.connect_redis();
    stranger.send(b"*2\r\n$4\r\nAUTH\r\n$1000000\r\n");
    assert_eq!(stranger.read_to_end(), b"-ERR Protocol error: unauthenticated bulk length\r\n");
    let mut stranger = server.connect_redis();
    stranger.send(b"*11\r\n");
    assert_eq!(stranger.read_to_end(), b"-ERR Protocol error: unauthenticated multibulk length\r\n");
}

#[test]
fn errors_show_wrong_options_as_redis_does() {
    let server = Server::start(settings());
    let mut client = server.connect_redis();
    hold(
        &mut client,
        r#"HELLO 3 "a\x00b"
         < -ERR Syntax error in HELLO option 'a'
         CLIENT SETINFO "Lib\x00b" x
         < -ERR Unrecognized option 'Lib'
         CLIENT LIST TYPE "Foo\x00b"
         < -ERR Unknown client type 'Foo'
         CLIENT LIST ID 0 -1 9223372036854775807
         < $0|
         CLIENT LIST ID 1 x
         < -ERR Invalid client ID"#,
    );
    client.send(b"CLIENT ID\r\n");
    let id = client.read_up_to_lines(1).remove(0).split_off(1);
    client.send(format!("CLIENT LIST ID {id} 0 {id}\r\n").as_bytes());
    let lines = client.read_up_to_lines(4);
    assert!(lines[1].starts_with(&format!("id={id} ")) && lines[2].starts_with(&format!("id={id} ")), "{lines:?}");
}

#[test]
fn connections_are_listed_named_and_killed() {
    let server = Server::start(settings());
    let (mut one, mut other) = (server.connect_redis(), server.connect_redis());
    hold(&mut other, "CLIENT SETNAME other\n< +OK\nSELECT 5\n< +OK\nCLIENT SETINFO LIB-NAME test\n< +OK\nMULTI\n< +OK\nGET a\n< +QUEUED");
    one.talk("CLIENT SETNAME a b\r\n", "-ERR wrong number of arguments for 'client|setname' command\r\n");
    one.send(b"CLIENT ID\r\n");
    let id: u64 = one.read_up_to(b"\r\n")[1..].trim().parse().expect("a number");
    one.send(b"CLIENT LIST\r\n");
    let list = one.read_up_to(b"lib-ver=\n\r\n");
    let line = list.lines().find(|line| line.contains(" name=other ")).expect("it is listed");
    assert!(line.contains(" db=5 ") && line.contains(" multi=1 ") && line.contains(" lib-name=test "), "{line}");
    assert!(list.contains(&format!("id={id} ")), "{list}");
    hold(&mut one, "CLIENT KILL ID 999999\n< :0\nCLIENT KILL 127.0.0.1:1\n< -ERR No such client");
    let other_id = line.split_once("id=").and_then(|(_, rest)| rest.split(' ').next()).expect("an id");
    hold(&mut one, &format!("CLIENT KILL ID {other_id}\n< :1"));
    assert!(other.read_to_end().is_empty());
    hold(&mut one, &format!("CLIENT KILL ID {id} SKIPME no\n< :1"));
    assert!(one.read_to_end().is_empty());
    let mut third = server.connect_redis();
    hold(&mut third, "CLIENT REPLY SKIP\nPING\nECHO a\n< $1|a\nCLIENT REPLY OFF\nPING\nECHO b\nCLIENT REPLY ON\n< +OK\nECHO c\n< $1|c");
    hold(&mut third, "QUIT\n< +OK");
    assert!(third.read_to_end().is_empty());
}

#[test]
fn what_cannot_be_understood_ends_the_connection() {
    let server = Server::start(settings());
    for (input, answer) in [
        (&b"*1\r\n:5\r\n"[..], &b"-ERR Protocol error: expected '$', got ':'\r\n"[..]),
        (b"*9999999999\r\n", b"-ERR Protocol error: invalid multibulk length\r\n"),
        (b"*1\r\n$-1\r\n", b"-ERR Protocol error: invalid bulk length\r\n"),
        (b"SET a \"x\r\n", b"-ERR Protocol error: unbalanced quotes in request\r\n"),
        (b"POST / HTTP/1.1\r\nHost: x\r\n\r\n", b""),
    ] {
        let mut client = server.connect_redis();
        client.send(b"PING\r\n");
        client.expect(b"+PONG\r\n");
        client.send(input);
        assert_eq!(client.read_to_end(), answer, "{:?}", String::from_utf8_lossy(input));
    }
}

#[test]
fn a_value_that_is_too_large_is_refused_and_the_next_request_answered() {
    let server = Server::start(settings());
    let mut client = server.connect_redis();
    // An eighth of the arena.
    for len in [(8 << 20) + 1, 40 << 20] {
        client.send(format!("SET a 1\r\n*3\r\n$3\r\nSET\r\n$1\r\na\r\n${len}\r\n").as_bytes());
        client.send(&vec![b'x'; len]);
        client.send(b"\r\nGET a\r\n");
        client.expect(b"+OK\r\n-ERR string exceeds maximum allowed size (proto-max-bulk-len)\r\n$-1\r\n");
    }
    // Just below the limit it is stored, and comes back as it was.
    let len = 8 << 20;
    let value: Vec<u8> = (0..len).map(|at: usize| (at % 251) as u8).collect();
    for round in 0..3 {
        client.send(format!("*5\r\n$3\r\nSET\r\n$1\r\nb\r\n${len}\r\n").as_bytes());
        client.send(&value);
        client.send(b"\r\n$2\r\nEX\r\n$3\r\n100\r\nGET b\r\nPING\r\n");
        client.expect(&[format!("+OK\r\n${len}\r\n").as_bytes(), &value, b"\r\n+PONG\r\n"].concat());
        assert!(round < 3);
    }
}

/// From 64 KiB on a value is sent from where it lies, and the answers behind it stay in their order.
#[test]
fn large_values_come_whole_among_other_answers() {
    let server = Server::start(Settings { item_size_max: 4 << 20, ..settings() });
    let mut client = server.connect_redis();
    let value: Vec<u8> = (0..3_000_000).map(|at: usize| (at % 249) as u8).collect();
    for len in [65_535, 65_536, 65_537, 262_144, 1_000_003, 3_000_000] {
        let value = &value[..len];
        client.send(format!("*3\r\n$3\r\nSET\r\n$1\r\na\r\n${len}\r\n").as_bytes());
        client.send(value);
        client.send(b"\r\n");
        client.expect(b"+OK\r\n");
        client.send(b"PING\r\nGET a\r\nPING\r\nGET a\r\nMGET a b a\r\nSTRLEN a\r\nMULTI\r\nGET a\r\nEXEC\r\n");
        let bulk = [format!("${len}\r\n").as_bytes(), value, b"\r\n"].concat();
        let want: &[&[u8]] = &[b"+PONG\r\n", &bulk, b"+PONG\r\n", &bulk, b"*3\r\n", &bulk, b"$-1\r\n", &bulk];
        client.expect(&want.concat());
        client.expect(&[format!(":{len}\r\n+OK\r\n+QUEUED\r\n*1\r\n").as_bytes(), &bulk].concat());
    }
}

/// Nobody asks for them, and living keys lie among them.
#[test]
fn expired_keys_leave_dbsize_by_themselves() {
    let server = Server::start(settings());
    let mut client = server.connect_redis();
    let mut requests = String::new();
    for number in 0..2000 {
        requests += &format!("SET mortal{number} x PX {}\r\nSET lasting{number} x\r\n", 1 + number % 50);
    }
    client.send(requests.as_bytes());
    client.expect("+OK\r\n".repeat(4000).as_bytes());
    hold(&mut client, "SELECT 7\n< +OK\nSET a x PX 10\n< +OK\nSET b x EX 1000\n< +OK");
    for (database, want) in [(0, ":2000\r\n"), (7, ":1\r\n")] {
        hold(&mut client, &format!("SELECT {database}\n< +OK"));
        let mut tries = 0;
        loop {
            client.send(b"DBSIZE\r\n");
            if client.read_up_to(b"\r\n") == want {
                break;
            }
            tries += 1;
            assert!(tries < 600, "expired keys are counted for ever");
            thread::sleep(std::time::Duration::from_millis(50));
        }
    }
    // What has a deadline is told as the last round over the whole database has found it.
    for _ in 0..600 {
        client.send(b"INFO keyspace\r\n");
        let info = client.read_up_to_lines(5).join("\n");
        assert!(info.contains("db7:keys=1,expires="), "{info}");
        if info.contains("db0:keys=2000,expires=0,avg_ttl=0") {
            return;
        }
        thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("deadlines of keys that are gone are told for ever");
}

/// Who uses the arena itself does not pass the gate: the first write of a transaction to a watched key compares once more.
#[test]
fn no_update_is_lost_beside_a_process_that_uses_the_arena_itself() {
    const ROUNDS: u64 = 300;
    let server = Server::start(settings());
    hold(&mut server.connect_redis(), "SET count 0\n< +OK");
    let arena = server.shared.arena();
    thread::scope(|scope| {
        for _ in 0..3 {
            let mut client = server.connect_redis();
            scope.spawn(move || {
                let mut done = 0;
                while done < ROUNDS {
                    client.send(b"WATCH count\r\nGET count\r\n");
                    let answer = client.read_up_to_lines(3);
                    let count: u64 = answer[2].trim().parse().expect("a number");
                    client.send(format!("MULTI\r\nSET count {}\r\nEXEC\r\n", count + 1).as_bytes());
                    if client.read_up_to_lines(3)[2] == "*1" {
                        client.expect(b"+OK\r\n");
                        done += 1;
                    }
                }
            });
        }
        scope.spawn(|| {
            for _ in 0..ROUNDS {
                let now = leveret_engine::Time::now();
                arena.count_signed(b"count", 1, now).expect("counted");
                thread::yield_now();
            }
        });
    });
    let total = (ROUNDS * 4).to_string();
    hold(&mut server.connect_redis(), &format!("GET count\n< ${}|{total}", total.len()));
}

#[test]
fn scripts_of_locks_are_evaluated_and_others_refused_by_name() {
    let server = Server::start(settings());
    let mut client = server.connect_redis();
    let release = "if redis.call('get',KEYS[1]) == ARGV[1] then return redis.call('del',KEYS[1]) else return 0 end";
    hold(&mut client, "SET lock me\n< +OK");
    hold(
        &mut client,
        &format!("EVAL \"{release}\" 1 lock you\n< :0\nEVAL \"{release}\" 1 lock me\n< :1\nEXISTS lock\n< :0"),
    );
    client.send(format!("SCRIPT LOAD \"{release}\"\r\n").as_bytes());
    let digest = client.read_up_to_lines(2)[1].clone();
    hold(&mut client, &format!("SET lock me\n< +OK\nEVALSHA {digest} 1 lock me\n< :1"));
    client.send(b"EVAL \"return redis.call('lpush',KEYS[1],1)\" 1 q\r\n");
    assert!(client.read_up_to(b"\r\n").starts_with("-UNSUPPORTED"));
}

/// Large values go into the arena as they come, with their options behind them, and those that are replaced come back whole.
#[test]
fn large_values_are_received_with_options_behind_them() {
    let server = Server::start(settings());
    let mut client = server.connect_redis();
    let value: Vec<u8> = (0..2_000_000).map(|at: usize| (at % 247) as u8).collect();
    for (number, len) in [200_000, 1_000_000, 2_000_000].into_iter().enumerate() {
        let (value, key) = (&value[..len], format!("k{number}"));
        let bulk = [format!("${len}\r\n").as_bytes(), value, b"\r\n"].concat();
        let put = |client: &mut Client<TcpStream>, front: &str, behind: &str| {
            client.send(front.as_bytes());
            for piece in bulk.chunks(300_000) {
                client.send(piece);
            }
            client.send(behind.as_bytes());
        };
        let head = format!("${}\r\n{key}\r\n", key.len());
        put(&mut client, &format!("*5\r\n$3\r\nSET\r\n{head}"), "$2\r\nEX\r\n$3\r\n100\r\n");
        client.expect(b"+OK\r\n");
        client.send(format!("TTL {key}\r\n").as_bytes());
        let ttl = client.read_up_to(b"\r\n");
        assert!(ttl == ":100\r\n" || ttl == ":101\r\n", "{ttl}");
        // Not stored, and the next request is answered.
        put(&mut client, &format!("*4\r\n$3\r\nSET\r\n{head}"), "$2\r\nNX\r\nPING\r\n");
        client.expect(b"$-1\r\n+PONG\r\n");
        put(&mut client, &format!("*4\r\n$3\r\nSET\r\n{head}"), "$3\r\nBAD\r\nPING\r\n");
        client.expect(b"-ERR syntax error\r\n+PONG\r\n");
        put(&mut client, &format!("*4\r\n$3\r\nSET\r\n{head}"), "$3\r\nGET\r\n");
        client.expect(&bulk);
        put(&mut client, &format!("*3\r\n$6\r\nGETSET\r\n{head}"), &format!("STRLEN {key}\r\n"));
        client.expect(&[&bulk, format!(":{len}\r\n").as_bytes()].concat());
        put(&mut client, &format!("*4\r\n$5\r\nSETEX\r\n{head}$2\r\n50\r\n"), "");
        client.expect(b"+OK\r\n");
        put(
            &mut client,
            &format!("MULTI\r\n*3\r\n$3\r\nSET\r\n{head}"),
            &format!("EXEC\r\nGET {key}\r\nDEL {key}\r\n"),
        );
        client.expect(&[b"+OK\r\n+QUEUED\r\n*1\r\n+OK\r\n".as_slice(), &bulk, b":1\r\n"].concat());
        // Who goes away in the middle leaves nothing.
        let mut leaver = server.connect_redis();
        leaver.send(format!("*3\r\n$3\r\nSET\r\n{head}").as_bytes());
        leaver.send(&bulk[..len / 2]);
        drop(leaver);
        hold(&mut client, &format!("EXISTS {key}\n< :0"));
    }
}
