//! Servers that lie, hang, answer late, or cut what they say.
use super::fake::{serve, Act};
use super::{call, link, patient, queue, read, say, Reply};
use leveret_client::redis::{RedisKind, RedisServer};
use std::time::Duration;

fn once(bytes: &[u8]) -> Vec<Act> {
    vec![Act::Hear, Act::Say(bytes.to_vec()), Act::End]
}

/// Replies of all shapes, and what they are.
fn shapes() -> Vec<(Vec<u8>, Reply)> {
    let text = |text: &str| Reply::Text(text.as_bytes().to_vec());
    let mut shapes = vec![
        (b"+OK\r\n".to_vec(), Reply::Status("OK".into())),
        (b"-ERR no\r\n".to_vec(), Reply::Error("ERR no".into())),
        (b":-12\r\n".to_vec(), Reply::Integer(-12)),
        (b"$0\r\n\r\n".to_vec(), text("")),
        (b"$5\r\na\r\nbc\r\n".to_vec(), text("a\r\nbc")),
        (b"$-1\r\n".to_vec(), Reply::Nil),
        (b"*-1\r\n".to_vec(), Reply::Nil),
        (b"*0\r\n".to_vec(), Reply::Many(vec![])),
        (b"*2\r\n*1\r\n$1\r\na\r\n*2\r\n:1\r\n*0\r\n".to_vec(), {
            Reply::Many(vec![Reply::Many(vec![text("a")]), Reply::Many(vec![Reply::Integer(1), Reply::Many(vec![])])])
        }),
        (b"%1\r\n+k\r\n#t\r\n".to_vec(), Reply::Many(vec![Reply::Status("k".into()), Reply::Integer(1)])),
        (b"=7\r\ntxt:abc\r\n".to_vec(), text("abc")),
        (b"!5\r\nERR a\r\n".to_vec(), Reply::Error("ERR a".into())),
        (b"|1\r\n+ttl\r\n:1\r\n~1\r\n,1.5\r\n".to_vec(), Reply::Many(vec![text("1.5")])),
        (b">2\r\n+message\r\n$1\r\nx\r\n:7\r\n".to_vec(), Reply::Integer(7)),
    ];
    let (nested, want) = (0..32).fold((Vec::new(), Reply::Integer(3)), |(bytes, want), _| {
        ([b"*1\r\n", bytes.as_slice()].concat(), Reply::Many(vec![want]))
    });
    shapes.push(([nested.as_slice(), b":3\r\n"].concat(), want));
    shapes
}

#[test]
fn replies_of_all_shapes_come_whole_however_they_are_cut_and_never_half() {
    for (bytes, want) in shapes() {
        let scripts = (0..=bytes.len()).flat_map(|at| {
            let (front, back) = bytes.split_at(at);
            let (front, back) = (Act::Say(front.to_vec()), Act::Say(back.to_vec()));
            let whole = vec![Act::Hear, front.clone(), Act::Rest(Duration::from_millis(1)), back, Act::Stay];
            [whole, vec![Act::Hear, front, Act::End]]
        });
        let fake = serve(scripts.collect());
        for at in 0..=bytes.len() {
            assert_eq!(say(&mut link(fake.port), "PING"), Ok(want.clone()), "{} cut at {at}", bytes.escape_ascii());
            let mut cut = link(fake.port);
            let told = say(&mut cut, "PING");
            if at == bytes.len() {
                assert_eq!(told, Ok(want.clone()));
            } else {
                let told = told.expect_err("the reply was cut");
                let known = [
                    "socket error on read socket".to_owned(),
                    format!("read error on connection to 127.0.0.1:{}", fake.port),
                ];
                assert!(known.contains(&told), "{} ended at {at}: {told}", bytes.escape_ascii());
                assert_eq!(cut.state().owed, 0);
                assert!(!cut.state().is_connected);
            }
        }
    }
}

#[test]
fn what_is_no_reply_ends_the_connection() {
    let deep = b"*1\r\n".repeat(33);
    let long = [b"+".as_slice(), &b"a".repeat(65 << 10), b"\r\n"].concat();
    for (bytes, byte) in [
        (&b"HTTP/1.1 400 Bad Request\r\n"[..], 'H'),
        (b"$536870913\r\n", '$'),
        (b"$-5\r\n", '$'),
        (b"*99999999999\r\n", '*'),
        (b"$3\r\nabcde", '$'),
        (b"*1\r\nx\r\n", 'x'),
        (b"\0\0\0\0", '\0'),
        (&deep, '*'),
        (&long, '+'),
    ] {
        let fake = serve(vec![once(bytes)]);
        let mut redis = link(fake.port);
        let want = format!("protocol error, got '{byte}' as reply type byte\n");
        let mut told = say(&mut redis, "GET a");
        if told == Ok(Reply::Text(b"abc".to_vec())) {
            told = Err(want.clone());
        }
        assert_eq!(told, Err(want), "{}", bytes[..bytes.len().min(40)].escape_ascii());
    }
}

#[test]
fn a_late_answer_is_nobodys() {
    let late = vec![Act::Hear, Act::Rest(Duration::from_millis(300)), Act::Say(b"$5\r\nfirst\r\n".to_vec()), Act::Stay];
    let fake = serve(vec![late, vec![Act::Hear, Act::Say(b"$6\r\nsecond\r\n".to_vec()), Act::Stay]]);
    let mut redis = link(fake.port);
    redis.set_tuning(patient(50));
    assert_eq!(say(&mut redis, "GET a"), Err(format!("read error on connection to 127.0.0.1:{}", fake.port)));
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(say(&mut redis, "GET b"), Ok(Reply::Text(b"second".to_vec())));
}

#[test]
fn replies_that_nobody_read_are_not_those_of_the_next_request() {
    let first = vec![Act::Hear, Act::Say(b"*2\r\n$1\r\na\r\n$1\r\nb\r\n".to_vec()), Act::Stay];
    let fake = serve(vec![first, vec![Act::Hear, Act::Say(b":1\r\n".to_vec()), Act::Stay]]);
    let mut redis = link(fake.port);
    queue(&mut redis, &[b"MGET", b"a", b"b"]).unwrap();
    let turn = redis.flush().unwrap();
    assert_eq!(redis.next(turn).unwrap().kind, RedisKind::Array);
    assert_eq!(redis.next(turn).unwrap().text, Some(&b"a"[..]));
    assert_eq!(say(&mut redis, "INCR n"), Ok(Reply::Integer(1)));
    assert_eq!(read(&mut redis, turn), Err("Connection lost".to_owned()));
}

#[test]
fn a_server_that_says_more_than_it_was_asked_is_left() {
    let chatty = vec![Act::Hear, Act::Say(b":1\r\n:2\r\n".to_vec()), Act::Stay];
    let fake = serve(vec![chatty, vec![Act::Hear, Act::Say(b":3\r\n".to_vec()), Act::Stay]]);
    let mut redis = link(fake.port);
    assert_eq!(say(&mut redis, "INCR n"), Ok(Reply::Integer(1)));
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(say(&mut redis, "INCR n"), Ok(Reply::Integer(3)));
}

#[test]
fn a_kept_connection_is_handed_on_only_if_nothing_is_owed() {
    let fake = serve(vec![
        vec![Act::Hear, Act::Say(b"+a\r\n".to_vec()), Act::Hear, Act::Say(b"*2\r\n+b\r\n+b\r\n".to_vec()), Act::Stay],
        vec![Act::Hear, Act::Say(b"+c\r\n".to_vec()), Act::Stay],
    ]);
    let named = |id: &[u8]| RedisServer {
        is_persistent: true,
        persistent_id: id.to_vec(),
        ..super::server("127.0.0.1", fake.port)
    };
    for (read_whole, want) in [(true, "a"), (false, ""), (true, "c")] {
        let mut redis = link(fake.port);
        redis.set_server(named(b"x"), None, 0);
        if read_whole {
            assert_eq!(say(&mut redis, "PING"), Ok(Reply::Status(want.into())));
        } else {
            queue(&mut redis, &[b"PING"]).unwrap();
            let turn = redis.flush().unwrap();
            assert_eq!(redis.next(turn).unwrap().kind, RedisKind::Array);
        }
    }
}

#[test]
fn in_a_transaction_nothing_is_asked_again() {
    let fake = serve(vec![vec![Act::Hear, Act::Say(b"+OK\r\n".to_vec()), Act::End], once(b"+OK\r\n")]);
    let mut redis = link(fake.port);
    assert_eq!(say(&mut redis, "MULTI"), super::ok());
    assert!(redis.state().in_multi);
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(say(&mut redis, "SET a b"), Err("Connection lost and socket is in MULTI/watching mode".to_owned()));
    assert!(!redis.state().in_multi);
    assert_eq!(say(&mut redis, "SET a b"), super::ok());
    assert_eq!(fake.heard.recv(), Ok(b"*1\r\n$5\r\nMULTI\r\n".to_vec()));
}

#[test]
fn who_cannot_be_reached_is_told_of() {
    let mut redis = link(1);
    assert_eq!(redis.connect().unwrap_err().text, b"Connection refused");
    assert_eq!(say(&mut redis, "PING"), Err("Redis server 127.0.0.1:1 went away".to_owned()));
    redis.set_server(super::server("/nowhere/redis.sock", 0), None, 0);
    assert_eq!(redis.connect().unwrap_err().text, b"No such file or directory");
    let mut nobody = leveret_client::redis::RedisLink::default();
    assert_eq!(call(&mut nobody, &[b"PING"]), Err("Redis server went away".to_owned()));
}
