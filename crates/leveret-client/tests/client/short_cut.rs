//! A server that is told to be at an address of this host is used through its arena, as long as it provably is that
//! server.
use crate::common::{answers, Folder, Memcached};
use leveret_client::pool::{Code, Operation, Options, Pool, Protocol, Request};
use leveret_engine::{Announcement, Arena, Time};
use std::collections::HashMap;
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::time::{Duration, Instant};

fn pool_in(folder: &Folder, host: &str, port: u16) -> Pool {
    let mut pool = Pool::new(Options::default());
    pool.add_server_in(&folder.0, host, port, 0, 1);
    pool
}

fn network() -> String {
    std::fs::read_link("/proc/self/ns/net").unwrap().to_string_lossy().into_owned()
}

/// Until the belief of a moment ago has passed.
fn eventually(mut is_so: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(Instant::now() < until);
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn an_announced_tcp_endpoint_leads_to_its_arena_until_it_is_withdrawn() {
    let folder = Folder::new("tcp");
    folder.arena("bystander");
    let arena = folder.arena("served");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    assert!(pool_in(&folder, "127.0.0.2", port).arena(Time::now()).is_none(), "nothing is announced");
    let announcement = arena.announce(&format!("tcp 127.0.0.1:{port} {}", network())).unwrap();
    let mut pool = pool_in(&folder, "127.0.0.1", port);
    assert_eq!(pool.arena(Time::now()).expect("announced").path(), arena.path());
    let mut off = pool_in(&folder, "127.0.0.1", port);
    off.set_options(Options { short_cut: false, ..Options::default() });
    assert!(off.arena(Time::now()).is_none());
    let mut two = pool_in(&folder, "127.0.0.1", port);
    two.add_server("127.0.0.1", port, 0, 1);
    assert!(two.arena(Time::now()).is_none(), "there is no one arena of several servers");
    drop(announcement);
    eventually(|| pool.arena(Time::now()).is_none());
    // The port belongs to another program now; requests go there.
    drop(listener);
    pool.begin();
    pool.add(&Request::new(Operation::Get, b"key")).unwrap();
    pool.run();
    assert_eq!(pool.next_answer().unwrap().code, Code::ConnectionFailure);
}

#[test]
fn a_unix_socket_is_asked_who_listens() {
    let folder = Folder::new("unix");
    let arena = folder.arena("served");
    let path = folder.0.join("leveret.sock");
    let _listener = UnixListener::bind(&path).unwrap();
    let _announcement = arena.announce(&format!("unix {}", path.display())).unwrap();
    assert!(
        pool_in(&folder, path.to_str().unwrap(), 0).arena(Time::now()).is_some(),
        "this process listens, and has announced"
    );
    assert!(pool_in(&folder, &format!("unix://{}", path.display()), 0).arena(Time::now()).is_some());
    let other = folder.0.join("other.sock");
    let _other = UnixListener::bind(&other).unwrap();
    assert!(pool_in(&folder, other.to_str().unwrap(), 0).arena(Time::now()).is_none());
}

/// A server that nobody serves but its arena: whoever asks its socket waits in vain.
struct Announced {
    arena: Arena,
    port: u16,
    _listener: TcpListener,
    _announcements: Vec<Announcement>,
}

impl Announced {
    fn new(folder: &Folder, name: &str, particulars: &[&str]) -> Announced {
        let arena = folder.arena(name);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let endpoint = format!("tcp 127.0.0.1:{port} {}", network());
        let announce = |text: &&str| arena.announce(text).unwrap();
        let announcements = particulars.iter().chain([&endpoint.as_str()]).map(announce).collect();
        Announced { arena, port, _listener: listener, _announcements: announcements }
    }
}

/// Each key goes where the ring says: to memory where its server is this host's, over the socket where it is memcached.
#[test]
fn a_pool_of_several_servers_uses_the_arenas_among_them() {
    let folder = Folder::new("several");
    let (left, right) = (Announced::new(&folder, "left", &[]), Announced::new(&folder, "right", &[]));
    let memcached = Memcached::tcp();
    let keys: Vec<String> = (0..60).map(|number| format!("key-{number}")).collect();
    for protocol in [Protocol::Text, Protocol::Binary, Protocol::Meta] {
        let mut pool = Pool::new(Options { protocol, ..Options::default() });
        pool.add_server_in(&folder.0, "127.0.0.1", left.port, 0, 1);
        pool.add_server_in(&folder.0, &memcached.host(), memcached.port(), 0, 1);
        pool.add_server_in(&folder.0, "127.0.0.1", right.port, 0, 1);
        let of_all =
            |operation| keys.iter().map(move |key| Request::new(operation, key.as_bytes())).collect::<Vec<_>>();
        let values: Vec<Vec<u8>> = keys.iter().map(|key| format!("{protocol:?} {key}").into_bytes()).collect();
        let sets: Vec<_> =
            of_all(Operation::Set).into_iter().zip(&values).map(|(set, value)| Request { value, ..set }).collect();
        assert!(answers(&mut pool, &sets).iter().all(|answer| answer.0 == Code::Success), "{protocol:?}");
        let found = answers(&mut pool, &of_all(Operation::Get));
        for ((code, found, _), value) in found.iter().zip(&values) {
            assert_eq!((*code, found), (Code::Success, value), "{protocol:?}");
        }
        let mut counts = [0; 3];
        for (key, value) in keys.iter().zip(&values) {
            let place = pool.locate(key.as_bytes()).unwrap();
            let in_arena = |arena: &Arena| arena.get(key.as_bytes(), Time::now()).map(|item| item.value);
            let stored = [in_arena(&left.arena), memcached.raw(key).map(|(_, value)| value), in_arena(&right.arena)];
            assert_eq!(stored[place].as_ref(), Some(value), "{protocol:?} {key} on {place}");
            counts[place] += 1;
        }
        assert!(counts.iter().all(|count| *count > 5), "{counts:?}");
        // One word for one thing, wherever it happens.
        let counted: Vec<_> =
            of_all(Operation::Increment).into_iter().map(|count| Request { number: 30, ..count }).collect();
        let texts = answers(&mut pool, &counted);
        assert!(texts.iter().all(|answer| *answer == texts[0] && answer.0 == Code::ClientError), "{texts:?}");
        let numbers: Vec<_> =
            of_all(Operation::Replace).into_iter().map(|set| Request { value: b"12", ..set }).collect();
        for (requests, want) in [
            (of_all(Operation::Add), (Code::NotStored, 0)),
            (numbers, (Code::Success, 0)),
            (counted, (Code::Success, 42)),
            (of_all(Operation::Touch), (Code::Success, 0)),
            (of_all(Operation::Delete), (Code::Success, 0)),
            (of_all(Operation::Delete), (Code::NotFound, 0)),
            (of_all(Operation::Append), (Code::NotStored, 0)),
        ] {
            let got = answers(&mut pool, &requests);
            assert!(
                got.iter().all(|(code, _, number)| (*code, *number) == want),
                "{protocol:?} {:?}: {got:?}",
                requests[0].operation
            );
        }
    }
}

/// A value above the server's own limit is the server's to refuse; so is everything where it answers otherwise than its
/// arena.
#[test]
fn what_the_server_would_refuse_it_is_asked_for() {
    let folder = Folder::new("limits");
    let (small, other) =
        (Announced::new(&folder, "small", &["limit 1000"]), Announced::new(&folder, "other", &["without cas"]));
    let store = |server: &Announced, len: usize| {
        let mut pool = pool_in(&folder, "127.0.0.1", server.port);
        pool.set_options(Options { io_timeout: Duration::from_millis(50), ..Options::default() });
        answers(&mut pool, &[Request { value: &vec![b'x'; len], ..Request::new(Operation::Set, b"key") }]).remove(0).0
    };
    assert_eq!(store(&small, 1000), Code::Success);
    assert_eq!(small.arena.get(b"key", Time::now()).map(|item| item.value.len()), Some(1000));
    // Nobody answers at these sockets.
    assert_eq!(store(&small, 1001), Code::Timeout);
    assert_eq!(store(&other, 1), Code::Timeout);
}

/// A get that is added behind a store which had to go over the socket waits for it.
#[test]
fn what_goes_over_the_socket_is_not_overtaken() {
    let folder = Folder::new("order");
    let server = Announced::new(&folder, "served", &["limit 10"]);
    let mut pool = pool_in(&folder, "127.0.0.1", server.port);
    pool.set_options(Options { io_timeout: Duration::from_millis(50), ..Options::default() });
    let set = |value| Request { value, ..Request::new(Operation::Set, b"key") };
    let get = Request::new(Operation::Get, b"key");
    let codes = |answers: Vec<(Code, Vec<u8>, u64)>| answers.into_iter().map(|answer| answer.0).collect::<Vec<_>>();
    assert_eq!(
        codes(answers(&mut pool, &[set(b"short"), get, set(b"long enough"), get])),
        [Code::Success, Code::Success, Code::Timeout, Code::Timeout]
    );
}

/// Gets wait for each other, so that they can be read from memory together: not behind a write to the same server, nor
/// in another order.
#[test]
fn gets_of_one_batch_find_what_stood_there_when_they_were_added() {
    let folder = Folder::new("together");
    let (served, memcached) = (Announced::new(&folder, "served", &[]), Memcached::tcp());
    let values: Vec<String> = (0..90).map(|number| "value ".repeat(number)).collect();
    for protocol in [Protocol::Text, Protocol::Binary, Protocol::Meta] {
        let keys: Vec<String> = (0..90).map(|number| format!("{protocol:?}-{number}")).collect();
        let request = |operation, number: usize| Request::new(operation, keys[number].as_bytes());
        for (host, port) in
            [("arena:own", 0), ("127.0.0.1", served.port), (memcached.host().as_str(), memcached.port())]
        {
            let mut pool = pool_in(&folder, host, port);
            pool.set_options(Options { protocol, ..Options::default() });
            let mut wanted: HashMap<&[u8], &[u8]> = HashMap::new();
            let mut sets = Vec::new();
            for number in (0..90).filter(|number| number % 3 != 0) {
                wanted.insert(keys[number].as_bytes(), values[number].as_bytes());
                sets.push(Request { value: values[number].as_bytes(), ..request(Operation::Set, number) });
            }
            assert!(answers(&mut pool, &sets).iter().all(|answer| answer.0 == Code::Success), "{protocol:?} {host}");

            let mut requests: Vec<_> = (0..200).map(|number| request(Operation::Get, number * 7 % 90)).collect();
            requests[60] = Request { value: b"new", ..request(Operation::Set, 1) };
            requests[100] = Request { exptime: 100, ..request(Operation::GetAndTouch, 4) };
            requests[101] = Request { with_cas: true, ..request(Operation::Get, 4) };
            requests[130] = request(Operation::Delete, 2);
            requests.insert(40, Request::new(Operation::Get, b"bad key"));
            let mut want = Vec::new();
            pool.begin();
            for request in &requests {
                let added = pool.add(request);
                assert_eq!(
                    added.is_err(),
                    protocol == Protocol::Text && request.key == b"bad key",
                    "{protocol:?} {host}"
                );
                if added.is_err() {
                    continue;
                }
                let found = wanted.get(request.key).copied();
                want.push(match request.operation {
                    Operation::Set => wanted.insert(request.key, request.value).map(|_| &b""[..]),
                    Operation::Delete => wanted.remove(request.key).map(|_| &b""[..]),
                    _ => found,
                });
            }
            assert_eq!(pool.run(), Code::Success, "{protocol:?} {host}");
            let mut told = vec![None; want.len()];
            while let Some(answer) = pool.next_answer() {
                assert_eq!(answer.code, Code::Success, "{protocol:?} {host}");
                assert!(told[answer.request].replace(answer.value.to_vec()).is_none(), "answered once");
                let asked = &requests[answer.request + usize::from(protocol == Protocol::Text && answer.request >= 40)];
                assert_eq!(answer.key, asked.key);
                assert!(!asked.with_cas || answer.cas != 0, "{protocol:?} {host}");
            }
            let want: Vec<_> = want.into_iter().map(|value| value.map(<[u8]>::to_vec)).collect();
            assert_eq!(told, want, "{protocol:?} {host}");
        }
    }
}

/// There is nobody else to ask for them.
#[test]
fn each_get_of_an_arena_that_cannot_be_opened_fails() {
    let folder = Folder::new("unopened");
    std::fs::write(folder.0.join("other.arena"), "no arena").unwrap();
    let mut pool = pool_in(&folder, "arena:other", 0);
    let keys: Vec<String> = (0..40).map(|number| format!("key-{number}")).collect();
    let gets: Vec<_> = keys.iter().map(|key| Request::new(Operation::Get, key.as_bytes())).collect();
    assert!(answers(&mut pool, &gets).iter().all(|answer| answer.0 == Code::ConnectionFailure));
    assert_eq!(pool.failures().len(), keys.len());
}
