//! The pool against real memcached servers, over every protocol and transport.
use crate::common::{free_port, own_address, php, Folder, Memcached};
use leveret_client::pool::{Code, Operation, Options, Pool, Protocol, Request, ServerFailure, Tuning};
use leveret_engine::Meta;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

const PROTOCOLS: [Protocol; 3] = [Protocol::Text, Protocol::Binary, Protocol::Meta];

fn pool(protocol: Protocol, servers: &[&Memcached]) -> Pool {
    let mut pool = Pool::new(Options { protocol, ..Options::default() });
    for server in servers {
        pool.add_server(&server.host(), server.port(), 0, 1);
    }
    pool
}

pub type Told = (usize, Code, Vec<u8>, Vec<u8>, u32, u64);

/// Runs a batch; number, code, key, value, flags, number of each answer.
pub fn batch(pool: &mut Pool, requests: &[Request<'_>]) -> Vec<Told> {
    pool.begin();
    for request in requests {
        pool.add(request).unwrap();
    }
    pool.run();
    let mut told = Vec::new();
    while let Some(answer) = pool.next_answer() {
        told.push((
            answer.request,
            answer.code,
            answer.key.to_vec(),
            answer.value.to_vec(),
            answer.meta.flags,
            answer.number,
        ));
    }
    told
}

pub fn one(pool: &mut Pool, request: Request<'_>) -> Told {
    let mut told = batch(pool, &[request]);
    assert_eq!(told.len(), 1, "{told:?}");
    told.remove(0)
}

pub fn code(pool: &mut Pool, request: Request<'_>) -> Code {
    one(pool, request).1
}

pub fn set<'a>(key: &'a str, value: &'a [u8]) -> Request<'a> {
    Request { value, meta: Meta::default().with_flags(7), ..Request::new(Operation::Set, key.as_bytes()) }
}

pub fn request(operation: Operation, key: &str) -> Request<'_> {
    Request::new(operation, key.as_bytes())
}

#[test]
fn every_operation_over_every_protocol() {
    let server = Memcached::tcp();
    for protocol in PROTOCOLS {
        let pool = &mut pool(protocol, &[&server]);
        let with = |operation, key, value| Request { value, ..request(operation, key) };
        assert_eq!(code(pool, request(Operation::Flush, "")), Code::Success);
        assert_eq!(code(pool, request(Operation::Get, "k")), Code::NotFound, "{protocol:?}");
        assert_eq!(code(pool, with(Operation::Replace, "k", b"v")), Code::NotStored, "{protocol:?}");
        assert_eq!(code(pool, with(Operation::Append, "k", b"v")), Code::NotStored, "{protocol:?}");
        assert_eq!(code(pool, request(Operation::Delete, "k")), Code::NotFound);
        assert_eq!(code(pool, request(Operation::Touch, "k")), Code::NotFound);
        assert_eq!(code(pool, set("k", b"value")), Code::Success);
        assert_eq!(code(pool, with(Operation::Add, "k", b"v")), Code::NotStored, "{protocol:?}");
        assert_eq!(one(pool, request(Operation::Get, "k")), (0, Code::Success, b"k".to_vec(), b"value".to_vec(), 7, 0));
        assert_eq!(code(pool, with(Operation::Append, "k", b">")), Code::Success);
        assert_eq!(code(pool, with(Operation::Prepend, "k", b"<")), Code::Success);
        assert_eq!(one(pool, request(Operation::Get, "k")).3, b"<value>");
        assert_eq!(code(pool, Request { exptime: 60, ..request(Operation::Touch, "k") }), Code::Success);
        assert_eq!(one(pool, Request { exptime: 60, ..request(Operation::GetAndTouch, "k") }).3, b"<value>");

        pool.begin();
        pool.add(&Request { with_cas: true, ..request(Operation::Get, "k") }).unwrap();
        pool.run();
        let cas = pool.next_answer().unwrap().cas;
        assert_ne!(cas, 0, "{protocol:?}");
        assert_eq!(code(pool, Request { number: cas, ..with(Operation::Cas, "k", b"new") }), Code::Success);
        assert_eq!(code(pool, Request { number: cas, ..with(Operation::Cas, "k", b"newer") }), Code::DataExists);
        assert_eq!(code(pool, Request { number: cas, ..with(Operation::Cas, "none", b"v") }), Code::NotFound);

        assert_eq!(code(pool, Request { number: 1, ..request(Operation::Increment, "n") }), Code::NotFound);
        assert_eq!(code(pool, set("n", b"10")), Code::Success);
        assert_eq!(one(pool, Request { number: 5, ..request(Operation::Increment, "n") }).5, 15);
        assert_eq!(one(pool, Request { number: 20, ..request(Operation::Decrement, "n") }).5, 0);
        assert_eq!(code(pool, Request { number: 1, ..request(Operation::Increment, "k") }), Code::ClientError);
        let created = Request { number: 1, initial: Some(40), ..request(Operation::Increment, "made") };
        if protocol == Protocol::Text {
            pool.begin();
            assert_eq!(pool.add(&created), Err(Code::NotSupported));
        } else {
            assert_eq!(one(pool, created).5, 40, "{protocol:?}");
            assert_eq!(one(pool, created).5, 41);
        }
        assert_eq!(code(pool, request(Operation::Delete, "k")), Code::Success);
        assert_eq!(code(pool, request(Operation::Get, "k")), Code::NotFound);

        assert!(one(pool, request(Operation::Version, "")).3.starts_with(b"1."));
        let stats = batch(pool, &[request(Operation::Stats, "")]);
        assert!(stats.iter().any(|stat| stat.1 == Code::Stat && stat.2 == b"pid"), "{protocol:?} {stats:?}");
        assert_eq!(stats.last().unwrap().1, Code::End);
        assert_eq!(code(pool, set("a%b", b"1")), Code::Success);
        let keys = Request { server: Some(0), ..request(Operation::Keys, "") };
        pool.begin();
        match protocol {
            Protocol::Binary => assert_eq!(pool.add(&keys), Err(Code::NotSupported)),
            _ => {
                let told = batch(pool, &[keys]);
                assert!(told.iter().any(|told| (told.1, told.2.as_slice()) == (Code::Stat, b"a%b")), "{told:?}");
                assert_eq!(told.last().unwrap().1, Code::End);
            }
        }
        // And the connection still answers what is asked.
        assert_eq!(code(pool, set("k", b"1")), Code::Success);
        assert_eq!(one(pool, request(Operation::Get, "k")).3, b"1");
    }
}

#[test]
fn large_batches_over_four_servers_lose_and_mix_nothing() {
    let folder = Folder::new("batches");
    let servers =
        [Memcached::tcp(), Memcached::tcp(), Memcached::tcp(), Memcached::unix(&folder.0.join("memcached.sock"))];
    let keys: Vec<String> = (0..2000).map(|i| format!("key:{i}")).collect();
    // The largest fill every socket buffer in both directions.
    let value = |i: usize| format!("{i}:").repeat(1 + i * 31 % 4000).into_bytes();
    let values: Vec<Vec<u8>> = (0..keys.len()).map(value).collect();
    for protocol in PROTOCOLS {
        let pool = &mut pool(protocol, &servers.each_ref());
        let sets: Vec<Request<'_>> = keys.iter().zip(&values).map(|(key, value)| set(key, value)).collect();
        let told = batch(pool, &sets);
        assert_eq!(told.len(), keys.len());
        assert!(told.iter().all(|told| told.1 == Code::Success), "{protocol:?}");
        // Every third key is missing; some are asked twice; stores stand between.
        let deletes: Vec<Request<'_>> = keys.iter().step_by(3).map(|key| request(Operation::Delete, key)).collect();
        assert!(batch(pool, &deletes).iter().all(|told| told.1 == Code::Success));
        let mut requests: Vec<Request<'_>> = keys.iter().map(|key| request(Operation::Get, key)).collect();
        requests.insert(900, set("between", b"x"));
        requests.push(request(Operation::Get, "key:1"));
        let told: BTreeMap<usize, Told> = batch(pool, &requests).into_iter().map(|told| (told.0, told)).collect();
        for (number, asked) in requests.iter().enumerate() {
            match told.get(&number) {
                _ if asked.operation == Operation::Set => assert_eq!(told[&number].1, Code::Success),
                Some(told) => {
                    let index: usize = std::str::from_utf8(&told.2[4..]).unwrap().parse().unwrap();
                    assert_eq!(told.2, asked.key);
                    assert!(told.3 == values[index], "{protocol:?} {index}");
                }
                None => {
                    let index: usize = std::str::from_utf8(&asked.key[4..]).unwrap().parse().unwrap();
                    assert_eq!(index % 3, 0, "{protocol:?} lost {index}");
                }
            }
        }
        // Fetched while they come.
        pool.begin();
        for key in &keys {
            pool.add(&request(Operation::Get, key)).unwrap();
        }
        pool.start();
        let mut count = 0;
        while let Some(answer) = pool.next_answer() {
            assert!(answer.value == values[answer.request]);
            count += 1;
        }
        assert_eq!(count, keys.len() - keys.len().div_ceil(3));
        // And given up half way.
        pool.begin();
        for key in &keys {
            pool.add(&request(Operation::Get, key)).unwrap();
        }
        pool.start();
        pool.next_answer().unwrap();
        assert_eq!(one(pool, request(Operation::Get, "between")).3, b"x");
    }
}

#[test]
fn a_dead_server_fails_its_own_requests_only_and_comes_back() {
    let mut servers = [Memcached::tcp(), Memcached::tcp(), Memcached::tcp(), Memcached::tcp()];
    let keys: Vec<String> = (0..200).map(|i| format!("key:{i}")).collect();
    for protocol in PROTOCOLS {
        let mut options = pool(protocol, &[]).options().clone();
        options.retry_timeout = Duration::from_millis(50);
        options.recv_size = 64 << 10;
        let pool = &mut pool(protocol, &servers.each_ref());
        pool.set_options(options);
        // More than the socket buffers on the way hold.
        let value = |key: &str| key.repeat(20_000).into_bytes();
        let values: Vec<Vec<u8>> = keys.iter().map(|key| value(key)).collect();
        let sets: Vec<Request<'_>> = keys.iter().zip(&values).map(|(key, value)| set(key, value)).collect();
        assert!(batch(pool, &sets).iter().all(|told| told.1 == Code::Success));

        // It dies in the middle of a pipeline: when the first answers have been read, and most of them are still on
        // their way.
        let gets: Vec<Request<'_>> = keys.iter().map(|key| request(Operation::Get, key)).collect();
        pool.begin();
        for get in &gets {
            pool.add(get).unwrap();
        }
        pool.start();
        let mut found = vec![None; keys.len()];
        let mut told = 0;
        let port = servers[2].port();
        while let Some(answer) = pool.next_answer() {
            assert_eq!(found[answer.request], None, "told once");
            assert!(answer.code != Code::Success || answer.value == value(&keys[answer.request]));
            found[answer.request] = Some((answer.server, answer.code));
            told += 1;
            if told == 1 {
                servers[2].kill();
            }
        }
        assert_eq!(told, keys.len());
        assert!(
            found.iter().all(|found| found.is_some_and(|(server, code)| server == 2 || code == Code::Success)),
            "{protocol:?}"
        );
        assert!(
            found.iter().any(|found| found.is_some_and(|(server, code)| server == 2 && code != Code::Success)),
            "{protocol:?}"
        );
        // When it is back it is used again.
        servers[2] = Memcached::tcp_at(port);
        let until = Instant::now() + Duration::from_secs(20);
        while batch(pool, &sets).iter().any(|told| told.1 != Code::Success) {
            assert!(Instant::now() < until, "{protocol:?}: it does not come back");
            std::thread::sleep(Duration::from_millis(10));
        }
        assert!(batch(pool, &gets).iter().all(|told| told.1 == Code::Success));
    }
}

#[test]
fn a_server_that_was_restarted_while_idle_is_not_noticed() {
    for protocol in PROTOCOLS {
        let mut server = Memcached::tcp();
        let pool = &mut pool(protocol, &[&server]);
        assert_eq!(code(pool, set("k", b"1")), Code::Success);
        let port = server.port();
        server.kill();
        server = Memcached::tcp_at(port);
        assert_eq!(code(pool, set("k", b"2")), Code::Success, "{protocol:?}");
        assert_eq!(one(pool, request(Operation::Get, "k")).3, b"2");
        // No write is sent before the link has been looked at.
        server.kill();
        server = Memcached::tcp_at(port);
        assert_eq!(code(pool, Request { value: b"1", ..request(Operation::Add, "k") }), Code::Success, "{protocol:?}");
        server.kill();
        server = Memcached::tcp_at(port);
        assert_eq!(code(pool, request(Operation::Delete, "k")), Code::NotFound, "{protocol:?}");
        drop(server);
    }
}

#[test]
fn keys_of_a_dead_server_move_to_the_next_place_with_failover() {
    use leveret_client::ring::{PeclHash, Preset, Strategy};
    let mut servers = [Memcached::tcp(), Memcached::tcp(), Memcached::tcp()];
    let mut pool = pool(Protocol::Text, &servers.each_ref());
    let preset = Preset::PeclMemcache { strategy: Strategy::Consistent, hash: PeclHash::Crc32 };
    pool.set_options(Options {
        preset,
        failover_attempts: 20,
        retry_timeout: Duration::from_secs(60),
        ..Options::default()
    });
    let pool = &mut pool;
    let keys: Vec<String> = (0..300).map(|i| format!("key:{i}")).collect();
    let sets: Vec<Request<'_>> = keys.iter().map(|key| set(key, key.as_bytes())).collect();
    let gets: Vec<Request<'_>> = keys.iter().map(|key| request(Operation::Get, key)).collect();
    assert_eq!(batch(pool, &gets).len(), 0);
    servers[1].kill();
    for _ in 0..2 {
        let told = batch(pool, &sets);
        assert_eq!(told.len(), keys.len());
        assert!(told.iter().all(|told| told.1 == Code::Success), "{told:?}");
        let told = batch(pool, &gets);
        assert_eq!(told.len(), keys.len());
        assert!(told.iter().all(|told| told.3 == keys[told.0].as_bytes()));
    }
}

#[test]
fn what_lives_elsewhere_is_located_where_it_is_sent() {
    use leveret_client::ring::{PeclHash, Preset, Strategy};
    let preset = Preset::PeclMemcache { strategy: Strategy::Consistent, hash: PeclHash::Crc32 };
    let mut pool = Pool::new(Options { preset, elsewhere: true, ..Options::default() });
    for number in 1..5 {
        pool.add_server(&format!("192.0.2.{number}"), 11211, 0, 1);
    }
    for number in 0..100 {
        let key = format!("session:{number}");
        assert_eq!(pool.locate(key.as_bytes()), pool.route_now(key.as_bytes()), "{key}");
    }
}

#[test]
fn an_ejected_server_leaves_the_ring() {
    let mut servers = [Memcached::tcp(), Memcached::tcp(), Memcached::tcp()];
    let preset = leveret_client::ring::Preset::Libmemcached {
        distribution: leveret_client::ring::Distribution::Ketama,
        hash: leveret_client::ring::KeyHash::Md5,
    };
    let mut pool = pool(Protocol::Text, &servers.each_ref());
    pool.set_options(Options { preset, auto_eject: true, failure_limit: 1, ..Options::default() });
    let pool = &mut pool;
    servers[0].kill();
    let keys: Vec<String> = (0..100).map(|i| format!("key:{i}")).collect();
    let sets: Vec<Request<'_>> = keys.iter().map(|key| set(key, b"v")).collect();
    assert!(batch(pool, &sets).iter().any(|told| told.1 == Code::ConnectionFailure));
    assert!(batch(pool, &sets).iter().all(|told| told.1 == Code::Success));
    for server in &mut servers[1..] {
        server.kill();
    }
    batch(pool, &sets);
    batch(pool, &sets);
    assert!(batch(pool, &sets).iter().all(|told| told.1 == Code::ServerMarkedDead));
}

#[test]
fn quiet_and_buffered_writes_arrive() {
    let servers = [Memcached::tcp(), Memcached::tcp()];
    for protocol in PROTOCOLS {
        let pool = &mut pool(protocol, &servers.each_ref());
        let keys: Vec<String> = (0..100).map(|i| format!("{protocol:?}:{i}")).collect();
        let quiet: Vec<Request<'_>> = keys.iter().map(|key| Request { quiet: true, ..set(key, b"1") }).collect();
        assert_eq!(batch(pool, &quiet).len(), 0);
        let gets: Vec<Request<'_>> = keys.iter().map(|key| request(Operation::Get, key)).collect();
        assert_eq!(batch(pool, &gets).len(), keys.len());

        let options = pool.options().clone();
        pool.set_options(Options { buffer_writes: true, ..options });
        pool.begin();
        pool.add(&set(&keys[0], b"22")).unwrap();
        assert_eq!(pool.run(), Code::Buffered);
        assert!(pool.next_answer().is_none(), "nothing is owed, so nothing is waited for");
        assert_eq!(one(pool, request(Operation::Get, &keys[0])).3, b"22", "{protocol:?}: a read sends what waits");
        pool.begin();
        pool.add(&set(&keys[1], b"33")).unwrap();
        assert_eq!(pool.run(), Code::Buffered);
        assert_eq!(pool.flush_buffers(), Code::Success);
    }
}

/// A batch that is left before it is sent whole: what was left of it went out over the next connection, in front of the
/// next request.
#[test]
fn the_rest_of_an_abandoned_batch_is_not_sent() {
    let server = Memcached::tcp();
    for protocol in PROTOCOLS {
        let pool = &mut pool(protocol, &[&server]);
        let keys: Vec<String> = (0..200_000).map(|i| format!("{protocol:?}:{i:0200}")).collect();
        one(pool, set("kept", b"value"));
        pool.begin();
        for key in &keys {
            pool.add(&request(Operation::Get, key)).unwrap();
        }
        assert_eq!(pool.start(), None);
        assert_eq!(one(pool, request(Operation::Get, "kept")).3, b"value", "{protocol:?}");
    }
}

#[test]
fn keys_that_cannot_be_sent_and_pools_without_servers_are_errors() {
    let mut pool = Pool::new(Options::default());
    pool.begin();
    assert_eq!(pool.add(&request(Operation::Get, "k")), Err(Code::NoServers));
    pool.add_server(&own_address().to_string(), free_port(), 0, 1);
    pool.begin();
    let long = "k".repeat(251);
    for bad in ["", "a b", "a\r\nflush_all", long.as_str()] {
        for operation in [Operation::Get, Operation::Set, Operation::Delete, Operation::Increment, Operation::Touch] {
            assert_eq!(pool.add(&request(operation, bad)), Err(Code::BadKey), "{bad}");
        }
    }
    assert_eq!(pool.add(&request(Operation::Get, "schlüssel")), Ok(()));
    assert_eq!(pool.run(), Code::SomeErrors);
    assert_eq!(pool.next_answer().map(|answer| answer.code), Some(Code::ConnectionFailure));
    assert_eq!(pool.next_answer(), None);
    assert_eq!(code(&mut pool, request(Operation::Get, "k")), Code::ServerTemporarilyDisabled);

    let mut pool = Pool::new(Options::default());
    pool.add_server("/nowhere/memcached.sock", 0, 0, 1);
    let told = one(&mut pool, request(Operation::Get, "k"));
    assert_eq!((told.1, told.5), (Code::Errno, 2), "No such file or directory");
    let mut pool = Pool::new(Options::default());
    pool.add_server("no-such-host.invalid", 11211, 0, 1);
    assert_eq!(code(&mut pool, request(Operation::Get, "k")), Code::HostLookupFailure);
}

/// Where a key lies: one letter per server.
fn places(servers: &[Memcached], key: &str) -> String {
    servers.iter().map(|server| if server.raw(key).is_some() { 'x' } else { '.' }).collect()
}

#[test]
fn copies_lie_where_the_originals_put_them_and_are_read_when_the_first_is_dead() {
    use leveret_client::ring::{Distribution, KeyHash, PeclHash, Preset, Strategy};
    let mut servers = [Memcached::tcp(), Memcached::tcp(), Memcached::tcp(), Memcached::tcp()];
    let ours = |preset: Preset, protocol| Options {
        preset,
        protocol,
        replicas: 1,
        redundancy: 2,
        failover_attempts: 20,
        ..Options::default()
    };
    let pecl = ours(Preset::PeclMemcache { strategy: Strategy::Consistent, hash: PeclHash::Crc32 }, Protocol::Text);
    let libmemcached =
        ours(Preset::Libmemcached { distribution: Distribution::Modula, hash: KeyHash::OneAtATime }, Protocol::Binary);
    let list: Vec<String> = servers.iter().map(|server| server.port().to_string()).collect();
    let host = servers[0].host();
    let mut arguments: Vec<&str> = list.iter().map(String::as_str).collect();
    let keys: Vec<String> = (0..60).map(|i| format!("key:{i}")).collect();
    arguments.push(&host);
    arguments.extend(keys.iter().map(String::as_str));
    php(
        "[$ports, $host, $keys] = [array_slice($argv, 1, 4), $argv[5], array_slice($argv, 6)];
        ini_set('memcache.redundancy', 2); ini_set('memcache.hash_strategy', 'consistent');
        $memcache = new MemcachePool; $memcached = new Memcached;
        foreach ($ports as $port) { @$memcache->addServer($host, $port); $memcached->addServer($host, $port); }
        $memcached->setOption(Memcached::OPT_BINARY_PROTOCOL, true); $memcached->setOption(Memcached::OPT_NUMBER_OF_REPLICAS, 1);
        foreach ($keys as $key) { $memcache->set(\"pecl-$key\", '1'); $memcached->set(\"lib-$key\", '1'); }",
        &arguments,
    );
    let named = |name: &str| keys.iter().map(|key| format!("{name}-{key}")).collect::<Vec<_>>();
    let places_of =
        |servers: &[Memcached], keys: &[String]| keys.iter().map(|key| places(servers, key)).collect::<Vec<_>>();
    let theirs = [places_of(&servers, &named("pecl")), places_of(&servers, &named("lib"))];
    for ((options, name), theirs) in [(pecl, "pecl"), (libmemcached, "lib")].into_iter().zip(theirs) {
        let mut pool = Pool::new(options);
        for server in &servers {
            pool.add_server(&server.host(), server.port(), 0, 1);
        }
        let keys = named(name);
        assert!(theirs.iter().all(|place| place.matches('x').count() == 2), "{name} {theirs:?}");
        for server in 0..servers.len() {
            assert_eq!(
                code(&mut pool, Request { server: Some(server), ..request(Operation::Flush, "") }),
                Code::Success
            );
        }
        let sets: Vec<Request<'_>> = keys.iter().map(|key| set(key, key.as_bytes())).collect();
        let told = batch(&mut pool, &sets);
        assert_eq!(told.len(), keys.len());
        // A quiet copy is not answered: what is asked next over the same connection is answered after it.
        batch(&mut pool, &[request(Operation::Version, "")]);
        assert_eq!(places_of(&servers, &keys), theirs, "{name}");

        servers[1].kill();
        let gets: Vec<Request<'_>> = keys.iter().map(|key| request(Operation::Get, key)).collect();
        let told = batch(&mut pool, &gets);
        assert_eq!(told.len(), keys.len());
        assert!(told.iter().all(|told| told.3 == keys[told.0].as_bytes()), "{name}");
        let port = servers[1].port();
        servers[1] = Memcached::tcp_at(port);
    }
}

#[test]
fn a_server_is_connected_to_at_once_and_its_failure_is_told() {
    let server = Memcached::tcp();
    let mut pool = pool(Protocol::Text, &[&server]);
    pool.add_server(&own_address().to_string(), free_port(), 0, 1);
    // As users of pecl/memcache may write it.
    pool.add_server(&format!("tcp://{}:{}", server.host(), server.port()), 11211, 0, 1);
    for index in [0, 0, 2] {
        assert_eq!((pool.connect(index), pool.failures()), (Code::Success, [].as_slice()));
    }
    assert_eq!(pool.connect(1), Code::ConnectionFailure);
    let refused = rustix::io::Errno::CONNREFUSED.raw_os_error();
    assert_eq!(pool.failures(), [ServerFailure { server: 1, code: Code::ConnectionFailure, errno: refused }]);
    assert!(pool.server(1).unwrap().is_down);
}

#[test]
fn another_server_takes_over_and_the_failure_is_told_all_the_same() {
    let server = Memcached::tcp();
    let preset = leveret_client::ring::Preset::from_name("php-memcache", None).unwrap();
    let mut pool = Pool::new(Options { failover_attempts: 20, preset, ..Options::default() });
    pool.add_server(&server.host(), server.port(), 0, 1);
    pool.add_server(&own_address().to_string(), free_port(), 0, 1);
    let key = (0..).map(|number| format!("key{number}")).find(|key| pool.locate(key.as_bytes()) == Some(1)).unwrap();
    assert_eq!(pool.route_now(key.as_bytes()), Some(1));
    assert_eq!(code(&mut pool, set(&key, b"x")), Code::Success);
    assert_eq!(pool.failures().iter().map(|failure| failure.server).collect::<Vec<_>>(), [1]);
    assert_eq!((pool.locate(key.as_bytes()), pool.route_now(key.as_bytes())), (Some(1), Some(0)));
}

#[test]
pub fn one_server_has_a_patience_and_a_rest_of_its_own() {
    let silent = std::net::TcpListener::bind((own_address(), 0)).unwrap();
    // The pool's own patience is longer than any test.
    let hour = Duration::from_secs(3600);
    let mut pool =
        Pool::new(Options { io_timeout: hour, retry_timeout: Duration::ZERO, timeout_limit: 1, ..Options::default() });
    pool.add_server(&own_address().to_string(), silent.local_addr().unwrap().port(), 0, 1);
    pool.tune(0, Tuning { timeout: Some(Duration::from_millis(20)), retry_timeout: None });
    assert_eq!(code(&mut pool, request(Operation::Get, "k")), Code::Timeout);
    assert!(!pool.server(0).unwrap().is_down);
    pool.tune(0, Tuning { timeout: Some(Duration::from_millis(20)), retry_timeout: Some(hour) });
    assert_eq!(code(&mut pool, request(Operation::Get, "k")), Code::Timeout);
    assert!(pool.server(0).unwrap().is_down);
    pool.mark(0, None);
    assert!(!pool.server(0).unwrap().is_down);
    pool.mark(0, Some(hour));
    assert_eq!(code(&mut pool, request(Operation::Get, "k")), Code::ServerTemporarilyDisabled);
    pool.mark(0, Some(Duration::ZERO));
    assert!(pool.server(0).unwrap().is_down);
    assert_eq!(code(&mut pool, request(Operation::Get, "k")), Code::Timeout);
}

/// A write that moved from a dead server went to the one that had just had its copy: a count was done twice there, and
/// an add met what it had itself added. A session's lock was then held by nobody until it expired.
#[test]
fn what_moves_from_a_dead_server_is_not_done_again_where_its_copy_was() {
    use leveret_client::ring::{PeclHash, Preset, Strategy};
    for protocol in PROTOCOLS {
        let mut server = Memcached::tcp();
        let preset = Preset::PeclMemcache { strategy: Strategy::Consistent, hash: PeclHash::Crc32 };
        let ask = |key: &str, operation, value: &[u8]| {
            // Nothing is known yet of the server where nobody listens.
            let mut pool = Pool::new(Options {
                preset: preset.clone(),
                protocol,
                redundancy: 2,
                failover_attempts: 20,
                ..Options::default()
            });
            pool.add_server(&server.host(), server.port(), 0, 1);
            pool.add_server(&own_address().to_string(), free_port(), 0, 1);
            let number = u64::from(operation == Operation::Increment);
            one(&mut pool, Request { value, number, ..request(operation, key) })
        };
        for key in (0..20).map(|number| format!("{protocol:?}:{number}")) {
            assert_eq!(ask(&key, Operation::Add, b"5").1, Code::Success, "{key}");
            assert_eq!(ask(&key, Operation::Add, b"5").1, Code::NotStored, "{key}");
            assert_eq!(ask(&key, Operation::Increment, b"").5, 6, "{key}");
            assert_eq!(ask(&key, Operation::Append, b"0").1, Code::Success, "{key}");
            assert_eq!(ask(&key, Operation::Get, b"").3, b"60", "{key}");
            assert_eq!(ask(&key, Operation::Delete, b"").1, Code::Success, "{key}");
            assert_eq!(ask(&key, Operation::Delete, b"").1, Code::NotFound, "{key}");
        }
        server.kill();
    }
}
