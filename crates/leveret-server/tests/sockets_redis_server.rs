//! What a server for clients of Redis is told at its start and asked at run time: settings of databases, passwords, statistics,
//! watchers; and commands that take long.
mod serving;
use leveret_engine::{Arena, Deadline, EvictionPolicy, OpenOptions, Time};
use leveret_server::redis::settings::{DatabaseSettings, RedisPlace, RedisSettings};
use leveret_server::{Settings, Shared};
use serving::{hold, Client, Server};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

fn redis() -> RedisSettings {
    RedisSettings::new(RedisPlace::Tcp { port: None, is_tls: false })
}

fn settings() -> Settings {
    Settings { redis: Some(redis()), threads: 2, ..Settings::default() }
}

/// A bulk string.
fn bulk(client: &mut Client<TcpStream>) -> String {
    let head = client.read_up_to_lines(1).remove(0);
    let len: usize = head.strip_prefix('$').unwrap_or_else(|| panic!("{head}")).parse().expect("a length");
    let mut text = vec![0; len + 2];
    client.stream.read_exact(&mut text).expect("it comes whole");
    String::from_utf8(text).expect("text").trim_end().to_owned()
}

/// The lines of a section of INFO.
fn info(client: &mut Client<TcpStream>, section: &str) -> BTreeMap<String, String> {
    client.send(format!("INFO {section}\r\n").as_bytes());
    let field = |line: &str| line.split_once(':').map(|(name, value)| (name.to_owned(), value.to_owned()));
    bulk(client).lines().filter_map(field).collect()
}

/// Waits until INFO tells so many connections that watch. A connection that has gone is noticed by its worker, not by us.
fn await_watchers(client: &mut Client<TcpStream>, wanted: &str, why: &str) {
    let mut seen = String::new();
    for _ in 0..6000 {
        seen = info(client, "clients")["watching_clients"].clone();
        if seen == wanted {
            return;
        }
        thread::sleep(Duration::from_millis(5));
    }
    panic!("{seen} watch instead of {wanted}: {why}");
}

#[test]
fn a_connection_that_has_ended_watches_no_more_however_it_ended() {
    let server = Server::start(settings());
    let mut other = server.connect_redis();
    await_watchers(&mut other, "0", "nobody has come");
    for (said, watches_on) in [
        ("UNWATCH\n< +OK", false),
        ("RESET\n< +RESET", false),
        ("MULTI\n< +OK\nEXEC\n< *0", false),
        ("MULTI\n< +OK\nDISCARD\n< +OK", false),
        ("MULTI\n< +OK\nGET\n< -ERR wrong number of arguments for 'get' command\nEXEC\n< -EXECABORT Transaction discarded because of previous errors.", false),
        ("EXEC\n< -ERR EXEC without MULTI", true),
        ("MULTI\n< +OK\nSET a b\n< +QUEUED", true),
        ("QUIT\n< +OK", false),
        ("*1000000000\n< -ERR Protocol error: invalid multibulk length", false),
    ] {
        let mut client = server.connect_redis();
        hold(&mut client, "WATCH a b c\n< +OK\nWATCH d\n< +OK");
        await_watchers(&mut other, "1", said);
        hold(&mut client, said);
        await_watchers(&mut other, if watches_on { "1" } else { "0" }, said);
        drop(client);
        await_watchers(&mut other, "0", said);
    }
    // It just goes, or is killed, in the middle of a transaction or of a request too.
    for left in ["", "MULTI\n< +OK\nSET a b\n< +QUEUED"] {
        for is_killed in [false, true] {
            let mut client = server.connect_redis();
            client.send(b"CLIENT ID\r\n");
            let id = client.read_up_to_lines(1).remove(0);
            hold(&mut client, &format!("WATCH a\n< +OK\n{left}"));
            client.send(b"*2\r\n$3\r\nGET\r\n$1");
            await_watchers(&mut other, "1", left);
            if is_killed {
                hold(&mut other, &format!("CLIENT KILL ID {}\n< :1", &id[1..]));
            } else {
                drop(client);
            }
            await_watchers(&mut other, "0", left);
        }
    }
}

/// One worker, many keys: what KEYS takes is taken in pieces, and its answer has each key once.
#[test]
fn other_clients_are_answered_while_all_keys_are_listed() {
    const KEYS: usize = 300_000;
    let server = Server::start(Settings { threads: 1, ..settings() });
    let arena = server.shared.arena();
    for number in 0..KEYS {
        arena.set(format!("kept:{number}").as_bytes(), b"v", Deadline::NEVER, Time::now()).expect("room");
    }
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        // Others come and go meanwhile.
        scope.spawn(|| {
            for number in 0_u64.. {
                let key = format!("gone:{}", number % 1000);
                let _ = arena.set(key.as_bytes(), b"v", Deadline::NEVER, Time::now());
                let _ = arena.delete(key.as_bytes(), Time::now());
                if is_over.load(Relaxed) {
                    break;
                }
            }
        });
        let (mut one, mut other) = (server.connect_redis(), server.connect_redis());
        hold(&mut other, "GET kept:1\n< $1|v");
        one.send(b"KEYS kept:*\r\nPING\r\n");
        one.stream.set_nonblocking(true).expect("a socket");
        let mut answered = 0;
        while one.stream.peek(&mut [0]).is_err() {
            hold(&mut other, "GET kept:1\n< $1|v");
            answered += 1;
        }
        one.stream.set_nonblocking(false).expect("a socket");
        is_over.store(true, Relaxed);
        assert!(answered >= 10, "{answered} answers while KEYS was under way");
        assert_eq!(one.read_up_to_lines(1), [format!("*{KEYS}")]);
        let mut found = BTreeSet::new();
        let text = one.read_up_to(b"+PONG\r\n");
        for key in text.lines().filter(|line| line.starts_with("kept:")) {
            assert!(found.insert(key.to_owned()), "{key} twice");
        }
        assert_eq!(found.len(), KEYS);
        // Pieces are one call.
        assert!(info(&mut one, "commandstats")["cmdstat_keys"].starts_with("calls=1,"));
        // In a transaction it is one piece.
        hold(&mut one, "MULTI\n< +OK\nKEYS kept:29999?\n< +QUEUED\nEXEC\n< *1");
        assert_eq!(one.read_up_to_lines(1), ["*10"]);
        one.read_up_to_lines(20);
        // A client that goes meanwhile is no harm, nor is one whose answers are off.
        let mut third = server.connect_redis();
        third.send(b"KEYS *\r\n");
        drop(third);
        hold(&mut one, "CLIENT REPLY SKIP\nKEYS *\nPING\n< +PONG");
    });
}

#[test]
fn command_statistics_have_times_and_say_what_was_refused() {
    let server = Server::start(settings());
    let mut client = server.connect_redis();
    for number in 0..300 {
        hold(&mut client, &format!("SET key:{number} v\n< +OK\nGET key:{number}\n< $1|v"));
    }
    hold(
        &mut client,
        "GET
         < -ERR wrong number of arguments for 'get' command
         INCR key:1
         < -ERR value is not an integer or out of range
         LPUSH list v
         < -UNSUPPORTED LPUSH: leveret serve keeps no queues, a cache that evicts would lose jobs; see docs/redis.md
         MSET a 1 b 2
         < +OK
         MULTI
         < +OK
         GET a
         < +QUEUED
         EXEC
         < *1
         < $1|1",
    );
    let stats = info(&mut client, "commandstats");
    let field = |command: &str, name: &str| -> f64 {
        let line = &stats[&format!("cmdstat_{command}")];
        let part = line.split(',').find_map(|part| part.strip_prefix(&format!("{name}=")));
        part.unwrap_or_else(|| panic!("{name} in {line}")).parse().expect("a number")
    };
    for (command, calls, rejected, failed) in [
        ("set", 300, 0, 0),
        ("get", 301, 1, 0),
        ("incr", 1, 0, 1),
        ("lpush", 0, 1, 0),
        ("mset", 1, 0, 0),
        ("exec", 1, 0, 0),
    ] {
        let told = ["calls", "rejected_calls", "failed_calls"].map(|name| field(command, name) as u32);
        assert_eq!(told, [calls, rejected, failed], "{command}");
        let mean = field(command, "usec") / f64::from(calls.max(1));
        assert!((mean - field(command, "usec_per_call")).abs() <= 1.0, "{command}: {stats:?}");
    }
    assert!(field("get", "usec_per_call") > 0.0);
    let latencies = info(&mut client, "latencystats");
    let percentiles: Vec<f64> = latencies["latency_percentiles_usec_get"]
        .split(',')
        .zip(["p50=", "p99=", "p99.9="])
        .map(|(part, name)| part.strip_prefix(name).expect(part).parse().expect("a number"))
        .collect();
    assert!(percentiles[0] > 0.0 && percentiles.windows(2).all(|pair| pair[0] <= pair[1]), "{percentiles:?}");
    assert!(!latencies.contains_key("latency_percentiles_usec_lpush"));
    hold(&mut client, "CONFIG RESETSTAT\n< +OK");
    assert!(!info(&mut client, "commandstats").contains_key("cmdstat_get"));
    assert!(!info(&mut client, "latencystats").contains_key("latency_percentiles_usec_get"));
}

/// One line of a watcher, without what differs from run to run.
fn told(client: &mut Client<TcpStream>) -> String {
    let line = client.read_up_to_lines(1).remove(0);
    let is_told = |word: &&str| !["ts", "gid", "clsid", "cfd"].contains(&word.split('=').next().unwrap_or_default());
    line.split(' ').filter(is_told).collect::<Vec<_>>().join(" ")
}

#[test]
fn watchers_of_both_entrances_are_told_what_clients_of_redis_do() {
    let server = Server::start(settings());
    let mut of_memcached = server.connect();
    of_memcached.talk("watch fetchers mutations deletions\r\n", "OK\r\n");
    let mut of_redis = server.connect_redis();
    of_redis.talk("LEVERET WATCH fetchers mutations deletions\r\n", "+OK\r\n");
    let mut mutations = server.connect_redis();
    mutations.talk("leveret watch mutations\r\n", "+OK\r\n");
    let mut client = server.connect_redis();
    hold(
        &mut client,
        "GET none
         < $-1
         SET a hello EX 100
         < +OK
         SET a other NX
         < $-1
         APPEND a x
         < :6
         MGET a none
         < *2
         < $6|hellox
         < $-1
         RENAME a b
         < +OK
         SELECT 3
         < +OK
         INCR n
         < :1
         MOVE n 4
         < :1
         SELECT 0
         < +OK
         MULTI
         < +OK
         DEL b
         < +QUEUED
         EXEC
         < *1
         < :1
         EVAL \"return{redis.call('set',KEYS[1],'v')}\" 1 k
         < *1
         < +OK
         PING
         < +PONG",
    );
    let get = |key: &str, size: u32| match size {
        0 => format!("type=item_get key={key} status=not_found size=0"),
        size => format!("type=item_get key={key} status=found size={size}"),
    };
    let store = |key: &str, status: &str, cmd: &str, ttl: u32, size: u32| {
        format!("type=item_store key={key} status={status} cmd={cmd} ttl={ttl} size={size}")
    };
    let deleted = |key: &str, size: u32| format!("type=deleted key={key} cmd=delete size={size}");
    let wanted = [
        get("none", 0),
        get("a", 0),
        store("a", "stored", "set", 100, 5),
        get("a", 5),
        store("a", "not_stored", "set", 0, 0),
        get("a", 5),
        store("a", "stored", "append", 100, 6),
        get("a", 6),
        get("none", 0),
        get("a", 6),
        get("b", 0),
        deleted("a", 6),
        store("b", "stored", "set", 100, 6),
        get("n", 0) + " db=3",
        store("n", "stored", "set", 0, 1) + " db=3",
        get("n", 1) + " db=3",
        get("n", 0) + " db=4",
        deleted("n", 1) + " db=3",
        store("n", "stored", "set", 0, 1) + " db=4",
        get("b", 6),
        deleted("b", 6),
        get("k", 0),
        store("k", "stored", "set", 0, 1),
    ];
    // A deadline is at the end of a second, and a second may have passed.
    let same = |one: &str, other: &str| {
        ["99", "100", "101"].iter().any(|ttl| one == other.replace("ttl=100", &format!("ttl={ttl}")))
    };
    for line in &wanted {
        for watcher in [&mut of_memcached, &mut of_redis] {
            let got = told(watcher);
            assert!(same(&got, line), "{got} instead of {line}");
        }
    }
    for line in wanted.iter().filter(|line| line.starts_with("type=item_store")) {
        let got = told(&mut mutations);
        assert!(same(&got, line), "{got} instead of {line}");
    }
    let usage = "LEVERET WATCH [fetchers|mutations|deletions|evictions|connevents ...]";
    client.talk("LEVERET\r\n", &format!("-ERR unknown subcommand. Try {usage}\r\n"));
    hold(
        &mut client,
        "LEVERET WATCH nothing
         < -ERR there are no such events
         MULTI
         < +OK
         LEVERET WATCH
         < -ERR LEVERET WATCH inside MULTI is not allowed
         EXEC
         < -EXECABORT Transaction discarded because of previous errors.",
    );
    drop(server);
    let server = Server::start(Settings { watch: false, ..settings() });
    server.connect_redis().talk("LEVERET WATCH\r\n", "-NOPERM the server was started without watch (-W)\r\n");
    let password = Some("s3cret".to_owned());
    let server = Server::start(Settings { redis: Some(RedisSettings { password, ..redis() }), ..settings() });
    server.connect_redis().talk("LEVERET WATCH\r\n", "-NOAUTH Authentication required.\r\n");
}

/// Of databases that were there at the start, and of ones that a write makes.
#[test]
fn evictions_of_every_database_are_told() {
    let dir = tempfile::tempdir().expect("a folder");
    let there = dir.path().join("there.arena");
    Arena::open(&there, &OpenOptions::new().memory(8 << 20)).expect("an arena");
    let own = BTreeMap::from([
        (1, DatabaseSettings { arena: Some(there), ..DatabaseSettings::default() }),
        (3, DatabaseSettings { memory: Some(8 << 20), ..DatabaseSettings::default() }),
    ]);
    let server = Server::start(Settings { redis: Some(RedisSettings { own, ..redis() }), ..settings() });
    let mut watcher = server.connect_redis();
    watcher.talk("LEVERET WATCH evictions\r\n", "+OK\r\n");
    let mut client = server.connect_redis();
    let value = "x".repeat(8000);
    for database in [1, 3] {
        hold(&mut client, &format!("SELECT {database}\n< +OK"));
        let (mut told_of, mut number) = (BTreeSet::new(), 0);
        while told_of.len() < 200 {
            for _ in 0..100 {
                client.talk(&format!("SET of{database}:{number} {value}\r\n"), "+OK\r\n");
                number += 1;
            }
            let arena = server.shared.arenas().pop().expect("the last one that was made");
            while (told_of.len() as u64) < arena.stats().evicted {
                let line = told(&mut watcher);
                let key =
                    line.strip_prefix("type=eviction key=").and_then(|rest| rest.split(' ').next()).expect("a key");
                assert!(key.starts_with(&format!("of{database}%3A")), "{line}");
                assert!(line.ends_with(&format!(" size=8000 db={database}")), "{line}");
                assert!(told_of.insert(key.to_owned()), "{line}");
            }
        }
    }
}

#[test]
fn a_password_is_not_set_beside_an_open_port_of_memcached() {
    let server = Server::start(settings());
    let mut client = server.connect_redis();
    client.send(b"CONFIG SET requirepass s3cret\r\n");
    let answer = client.read_up_to_lines(1).remove(0);
    assert!(answer.starts_with("-ERR CONFIG SET failed (possibly related to argument 'requirepass')"), "{answer}");
    assert!(answer.contains("clients of memcached would need no password"), "{answer}");
    // None before, none now.
    hold(&mut client, "CONFIG SET requirepass \"\"\n< +OK");
    hold(&mut server.connect_redis(), "PING\n< +PONG");
}

/// Memory, policy and arena of a database are as its settings say; the others are as database 0 is.
#[test]
fn databases_have_what_their_settings_say() {
    let dir = tempfile::tempdir().expect("a folder");
    let elsewhere = dir.path().join("sessions.arena");
    let own = BTreeMap::from([
        (0, DatabaseSettings { policy: Some(EvictionPolicy::Volatile), ..DatabaseSettings::default() }),
        (
            2,
            DatabaseSettings {
                memory: Some(16 << 20),
                policy: Some(EvictionPolicy::None),
                arena: Some(elsewhere.clone()),
            },
        ),
        (3, DatabaseSettings { memory: Some(24 << 20), ..DatabaseSettings::default() }),
    ]);
    let with_own = Settings { redis: Some(RedisSettings { own, ..redis() }), ..settings() };
    let server = Server::start(with_own.clone());
    let first = server.shared.arena();
    assert_eq!(first.policy(), EvictionPolicy::Volatile);
    let mut client = server.connect_redis();
    // Told before it is made, too.
    for (number, policy) in [(0, "volatile-lfu"), (2, "noeviction"), (3, "allkeys-lfu"), (4, "allkeys-lfu")] {
        let said = format!(
            "SELECT {number}\n< +OK\nCONFIG GET maxmemory-policy\n< *2|$16|maxmemory-policy|${}|{policy}",
            policy.len()
        );
        hold(&mut client, &said);
        assert_eq!(info(&mut client, "memory")["maxmemory_policy"], policy);
        if number > 0 {
            hold(&mut client, "SET k v\n< +OK");
        }
        hold(&mut client, &said);
    }
    let open = |path: &std::path::Path| Arena::open(path, &OpenOptions::new().create(false)).expect("it was made").0;
    let beside = |number: u32| first.path().with_file_name(format!("served.db{number}.arena"));
    assert!(!beside(2).exists());
    for (path, memory, policy) in [
        (elsewhere.clone(), 16 << 20, EvictionPolicy::None),
        (beside(3), 24 << 20, EvictionPolicy::All),
        (beside(4), first.memory(), EvictionPolicy::All),
    ] {
        let arena = open(&path);
        assert_eq!((arena.memory(), arena.policy()), (memory, policy), "{}", path.display());
        assert!(arena.get(b"k", Time::now()).is_some());
    }
    // Set at run time it holds until the next start. A database that is not there is made: it is no other one's policy.
    hold(&mut client, "SELECT 2\n< +OK\nCONFIG SET maxmemory-policy allkeys-lfu\n< +OK");
    hold(&mut client, "SELECT 5\n< +OK\nCONFIG SET maxmemory-policy noeviction\n< +OK\nCONFIG SET maxmemory-policy lru\n< -ERR CONFIG SET failed (possibly related to argument 'maxmemory-policy') - argument(s) must be one of the following: allkeys-lfu, volatile-lfu, noeviction");
    assert_eq!((open(&elsewhere).policy(), open(&beside(5)).policy()), (EvictionPolicy::All, EvictionPolicy::None));
    assert_eq!(first.policy(), EvictionPolicy::Volatile);
    let shared = Shared::new(first.clone(), with_own.clone()).expect("the same once more");
    assert_eq!(open(&elsewhere).policy(), EvictionPolicy::None);
    drop(shared);
    // A file that is no arena.
    std::fs::write(&elsewhere, b"no arena").expect("written");
    let error = Shared::new(first, with_own).err().expect("refused").to_string();
    assert!(error.starts_with("database 2: ") && error.contains("sessions.arena"), "{error}");
}

/// What an arena of an older Leveret lacks is said; all else is served.
#[test]
fn an_arena_of_layout_1_is_served_and_keeps_no_policy() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("old.arena");
    let old = Arena::open(&path, &OpenOptions::new().memory(16 << 20).layout(1)).expect("an arena").0;
    let policy = Some(EvictionPolicy::None);
    let own = BTreeMap::from([(2, DatabaseSettings { arena: Some(path), policy, ..DatabaseSettings::default() })]);
    let with_policy = Settings { redis: Some(RedisSettings { own: own.clone(), ..redis() }), ..settings() };
    let first = Arena::open(&dir.path().join("first.arena"), &OpenOptions::new().memory(16 << 20)).expect("an arena").0;
    let error = Shared::new(first, with_policy).err().expect("refused").to_string();
    assert!(error.starts_with("the policy of database 2: the arena has layout 1"), "{error}");
    let own = own.into_iter().map(|(number, own)| (number, DatabaseSettings { policy: None, ..own })).collect();
    let server = Server::start(Settings { redis: Some(RedisSettings { own, ..redis() }), ..settings() });
    let mut client = server.connect_redis();
    hold(&mut client, "SELECT 2\n< +OK\nSET k v PX 60000\n< +OK\nGET k\n< $1|v\nINCR n\n< :1\nMULTI\n< +OK\nRENAME n m\n< +QUEUED\nEXEC\n< *1\n< +OK");
    hold(&mut client, "CONFIG GET maxmemory-policy\n< *2|$16|maxmemory-policy|$11|allkeys-lfu");
    client.send(b"CONFIG SET maxmemory-policy noeviction\r\n");
    let answer = client.read_up_to_lines(1).remove(0);
    assert!(answer.contains("layout 1") && answer.contains("leveret renew"), "{answer}");
    assert!(old.get(b"k", Time::now()).is_some());
}
