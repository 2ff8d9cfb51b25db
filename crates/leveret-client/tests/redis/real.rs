//! Beside Debian's redis-server.
use super::{call, link, ok, queue, read, say, server, text, Reply};
use leveret_client::redis::{Redis, RedisCredentials, RedisServer};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

struct Served {
    child: Child,
    port: u16,
    folder: TempDir,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn start(port: u16, folder: &TempDir, more: &[&str]) -> Child {
    let child = Command::new("redis-server")
        .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
        .args(["--dir", folder.path().to_str().unwrap(), "--unixsocket", folder.path().join("s").to_str().unwrap()])
        .args(more)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let until = Instant::now() + Duration::from_secs(20);
    while link(port).connect().is_err() {
        assert!(Instant::now() < until, "redis-server does not come");
        std::thread::sleep(Duration::from_millis(20));
    }
    child
}

/// None: it is not installed.
fn serve(more: &[&str]) -> Option<Served> {
    Command::new("redis-server").arg("--version").stdout(Stdio::null()).status().ok()?;
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let folder = TempDir::new().unwrap();
    Some(Served { child: start(port, &folder, more), port, folder })
}

fn error(of: &str) -> Result<Reply, String> {
    Ok(Reply::Error(of.to_owned()))
}

#[test]
fn values_of_all_sizes_by_each_socket() {
    let Some(served) = serve(&[]) else { return };
    let mut unix = link(served.port);
    unix.set_server(server(served.folder.path().join("s").to_str().unwrap(), 0), None, 0);
    for redis in [&mut link(served.port), &mut unix] {
        for len in [0, 1, 100, 16_319, 16_320, 16_321, 16_383, 16_384, 16_385, 65_536, 1 << 20, 20 << 20] {
            let value: Vec<u8> = (0..len).map(|at: usize| (at * 31 + at / 251) as u8).collect();
            assert_eq!(call(redis, &[b"SET", b"k", &value]), ok());
            assert_eq!(call(redis, &[b"GET", b"k"]), Ok(Reply::Text(value.clone())), "{len}");
            // One that is passed over.
            for words in [[&b"GET"[..], b"k"], [b"ECHO", b"behind"]] {
                queue(redis, &words).unwrap();
            }
            let turn = redis.flush().unwrap();
            assert_eq!(redis.next(turn).unwrap().len, len);
            assert_eq!(read(redis, turn), Ok(Reply::Text(b"behind".to_vec())), "{len}");
        }
    }
}

#[test]
fn pipelines_larger_than_all_buffers() {
    let Some(served) = serve(&[]) else { return };
    let mut redis = link(served.port);
    let value = vec![b'v'; 100_000];
    assert_eq!(call(&mut redis, &[b"SET", b"k", &value]), ok());
    for _ in 0..300 {
        queue(&mut redis, &[b"GET", b"k"]).unwrap();
        queue(&mut redis, &[b"SET", b"l", &value]).unwrap();
    }
    let turn = redis.flush().unwrap();
    for _ in 0..300 {
        assert_eq!(read(&mut redis, turn), Ok(Reply::Text(value.clone())));
        assert_eq!(read(&mut redis, turn), ok());
    }
    assert_eq!(redis.state().owed, 0);
    queue(&mut redis, &[b"SET", b"k", b"dropped"]).unwrap();
    redis.drop_queue();
    assert_eq!(call(&mut redis, &[b"GET", b"k"]), Ok(Reply::Text(value)));
}

#[test]
fn a_link_knows_its_database_and_transactions() {
    let Some(served) = serve(&[]) else { return };
    let mut redis = link(served.port);
    assert_eq!(say(&mut redis, "SELECT 5"), ok());
    assert_eq!(say(&mut redis, "SELECT 99"), error("ERR DB index is out of range"));
    assert_eq!(redis.state().database, 5);
    assert_eq!(say(&mut redis, "SET a five"), ok());
    for line in ["MULTI", "SELECT 6", "SET a six", "SELECT 77"] {
        say(&mut redis, line).unwrap();
    }
    assert_eq!(redis.state().database, 5);
    say(&mut redis, "EXEC").unwrap();
    assert_eq!((redis.state().database, redis.state().in_multi), (6, false));
    // It is closed while it is idle: the next one is in the same database.
    assert_eq!(say(&mut redis, "CLIENT SETNAME me"), ok());
    assert!(matches!(say(&mut link(served.port), "CLIENT KILL TYPE normal SKIPME yes"), Ok(Reply::Integer(1..))));
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(say(&mut redis, "GET a"), Ok(Reply::Text(b"six".to_vec())));
    assert_eq!(say(&mut redis, "CLIENT GETNAME"), Ok(Reply::Text(b"me".to_vec())));
    for (line, text) in [("WATCH a", "GET a"), ("MULTI", "SET a b")] {
        assert_eq!(say(&mut redis, line), ok());
        say(&mut link(served.port), "CLIENT KILL TYPE normal SKIPME yes").unwrap();
        std::thread::sleep(Duration::from_millis(50));
        assert_eq!(say(&mut redis, text), Err("Connection lost and socket is in MULTI/watching mode".into()));
    }
    assert_eq!(say(&mut redis, "GET a"), Ok(Reply::Text(b"six".to_vec())));
}

#[test]
fn passwords() {
    let Some(served) = serve(&["--requirepass", "secret", "--user", "bob", "on", ">bobs", "~*", "+@all"]) else {
        return;
    };
    let say_with = |user: Option<&[u8]>, password: &[u8], line: &str| {
        let mut redis = link(served.port);
        let credentials = RedisCredentials { user: user.map(<[u8]>::to_vec), password: password.to_vec() };
        redis.set_server(server("127.0.0.1", served.port), Some(credentials), 3);
        let connected = redis.connect().map_err(|failure| text(&failure.text));
        connected.and_then(|()| say(&mut redis, line))
    };
    assert_eq!(say_with(None, b"secret", "SET a b"), ok());
    assert_eq!(say_with(Some(b"bob"), b"bobs", "GET a"), Ok(Reply::Text(b"b".to_vec())));
    assert_eq!(
        say_with(Some(b"bob"), b"secret", "GET a"),
        Err("WRONGPASS invalid username-password pair or user is disabled.".into())
    );
    assert_eq!(say(&mut link(served.port), "GET a"), error("NOAUTH Authentication required."));
    // Kept connections are those of one user.
    let persistent = RedisServer { is_persistent: true, ..server("127.0.0.1", served.port) };
    let ids: Vec<Reply> = (0..4)
        .map(|number| {
            let mut redis = link(served.port);
            redis.set_server(persistent.clone(), None, 0);
            if number > 0 {
                assert_eq!(say(&mut redis, "GET a"), error("NOAUTH Authentication required."));
            }
            redis.sign_in(RedisCredentials { user: None, password: b"secret".to_vec() }).unwrap();
            let turn = redis.flush().unwrap();
            assert_eq!(read(&mut redis, turn), ok());
            let id = say(&mut redis, "CLIENT ID").unwrap();
            assert_eq!(say(&mut redis, "SELECT 7"), ok());
            assert_eq!(say(&mut redis, "CLIENT SETNAME x"), ok());
            id
        })
        .collect();
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    let mut redis = link(served.port);
    redis.set_server(persistent, Some(RedisCredentials { user: None, password: b"secret".to_vec() }), 0);
    assert_eq!(say(&mut redis, "CLIENT ID"), Ok(ids[0].clone()));
    let Ok(Reply::Text(info)) = say(&mut redis, "CLIENT INFO") else { panic!("no info") };
    assert!(text(&info).contains(" name= ") && text(&info).contains(" db=0 "), "{}", text(&info));
}

#[test]
fn a_server_that_restarts_is_found_again() {
    let Some(mut served) = serve(&[]) else { return };
    let mut redis = link(served.port);
    assert_eq!(say(&mut redis, "SELECT 2"), ok());
    for _ in 0..3 {
        let _ = served.child.kill();
        let _ = served.child.wait();
        assert_eq!(say(&mut redis, "GET a"), Err("Connection lost".into()));
        served.child = start(served.port, &served.folder, &[]);
        assert_eq!(say(&mut redis, "SET a b"), ok());
        assert_eq!(redis.state().database, 2);
    }
}

#[test]
fn ten_thousand_kept_connections_are_few() {
    let Some(served) = serve(&[]) else { return };
    let persistent = RedisServer { is_persistent: true, ..server("127.0.0.1", served.port) };
    let mut ids = Vec::new();
    for _ in 0..10_000 {
        let mut redis = Redis::default();
        redis.set_server(persistent.clone(), None, 0);
        redis.connect().unwrap();
        if ids.len() < 10 {
            ids.push(say(&mut redis, "CLIENT ID").unwrap());
        }
    }
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
}
