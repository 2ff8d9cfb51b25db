//! Conversations over real sockets: however the bytes are cut, whoever reads slowly or not at all, however many they
//! are.
mod serving;
use leveret_engine::{Deadline, Time};
use leveret_server::{bind, ServeError, Settings, Shared};
use serving::{Client, Server};
use std::io::{ErrorKind, Write};
use std::net::{Shutdown, SocketAddr, UdpSocket};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Numbers that look random and are the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

#[test]
fn one_cache_answers_at_every_address() {
    let listen = ["127.0.0.1", "::1"].map(|host| leveret_server::settings::Listen {
        host: host.to_owned(),
        port: None,
        security: leveret_server::settings::Security::default(),
    });
    let server = Server::start(Settings { listen: listen.into(), udp_port: None, threads: 2, ..Settings::default() });
    server.connect().talk("set a 1 0 3\r\nabc\r\n", "STORED\r\n");
    let addresses = |kind: &str| -> Vec<String> {
        let of = |endpoint: &String| Some(endpoint.strip_prefix(kind)?.split(' ').next()?.to_owned());
        server.endpoints.iter().filter_map(of).collect()
    };
    let tcp = addresses("tcp ");
    assert_eq!(tcp.len(), 2, "{:?}", server.endpoints);
    for address in tcp {
        Client::tcp(address.parse().unwrap()).talk("get a\r\n", "VALUE a 1 3\r\nabc\r\nEND\r\n");
    }
    let udp = addresses("udp ");
    assert!(!udp.is_empty(), "{:?}", server.endpoints);
    for address in udp {
        for request_id in 0..20 {
            let client = UdpSocket::bind(if address.starts_with('[') { "[::1]:0" } else { "127.0.0.1:0" }).unwrap();
            client.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
            client.send_to(&[&[0, request_id, 0, 0, 0, 1, 0, 0], b"get a\r\n".as_slice()].concat(), &address).unwrap();
            let mut answer = [0; 100];
            let len = client.recv(&mut answer).unwrap();
            assert_eq!(
                answer[..len],
                [&[0, request_id, 0, 0, 0, 1, 0, 0], b"VALUE a 1 3\r\nabc\r\nEND\r\n".as_slice()].concat()
            );
        }
    }
}

/// As memcached counts: so many requests that came together, by the number that one connection may have in a turn.
#[test]
fn turns_that_are_used_up_are_counted() {
    let server = Server::start(Settings { requests_per_turn: 5, threads: 1, ..Settings::default() });
    let mut client = server.connect();
    for (gets, want) in [(4, 0), (5, 1), (14, 3)] {
        client.talk(&"get k\r\n".repeat(gets), &"END\r\n".repeat(gets));
        client.send(b"stats\r\n");
        let stats = client.read_up_to(b"END\r\n");
        assert!(stats.contains(&format!("STAT conn_yields {want}\r\n")), "{gets}: {stats}");
    }
}

#[test]
fn listening_sockets_are_among_the_connections() {
    let server = Server::start(Settings { threads: 1, ..Settings::default() });
    let address = server.endpoints[0].split(' ').nth(1).expect("an address").to_owned();
    let mut client = server.connect();
    client.send(b"stats conns\r\n");
    let stats = client.read_up_to(b"END\r\n");
    let listening: Vec<_> = stats.lines().filter_map(|line| line.strip_suffix(":state conn_listening")).collect();
    assert_eq!(listening.len(), 1, "{stats}");
    assert!(stats.contains(&format!("{}:addr tcp:{address}\r\n", listening[0])), "{stats}");
}

/// What each connection is about, in memcached's words, and that its UDP sockets are there, one for each worker.
#[test]
fn connections_say_what_they_are_about() {
    let settings = Settings { threads: 2, udp_port: None, item_size_max: 1 << 20, ..Settings::default() };
    let server = Server::start(settings);
    let begun = |request: &[u8]| {
        let mut client = server.connect();
        client.send(request);
        client
    };
    let mut blocked = server.connect();
    blocked.talk(&format!("set big 0 0 1000000\r\n{}\r\n", "x".repeat(1_000_000)), "STORED\r\n");
    blocked.send("get big\r\n".repeat(60).as_bytes());
    let clients = [
        ("conn_new_cmd", begun(b"")),
        ("conn_read", begun(b"get a\r\nge")),
        ("conn_nread", begun(b"set a 0 0 10\r\nab")),
        ("conn_nread", begun(b"set a 0 0 200000\r\nab")),
        ("conn_swallow", begun(b"set a 0 0 2000000\r\nab")),
        ("conn_watch", begun(b"watch mutations\r\n")),
        ("conn_mwrite", blocked),
    ];
    let mut asks = server.connect();
    let address = |client: &Client<std::net::TcpStream>| client.stream.local_addr().expect("connected");
    let mut told = || -> Vec<(SocketAddr, String)> {
        asks.send(b"stats conns\r\n");
        let stats = asks.read_up_to(b"END\r\n");
        let of = |fd: &str, name: &str| {
            stats.lines().find_map(|line| line.strip_prefix(&format!("STAT {fd}:{name} ")).map(str::to_owned))
        };
        let fds = stats.lines().filter_map(|line| line.strip_prefix("STAT ")?.split_once(":addr tcp:"));
        assert_eq!(stats.lines().filter(|line| line.ends_with(":UDP UDP")).count(), 2, "{stats}");
        fds.map(|(fd, address)| (address.parse().expect("an address"), of(fd, "state").expect("it is told"))).collect()
    };
    for (state, client) in &clients {
        // When the server has read what was sent is not promised.
        let begun = std::time::Instant::now();
        while !told().contains(&(address(client), (*state).to_owned())) {
            assert!(begun.elapsed().as_secs() < 30, "{state}: {:?}", told());
        }
    }
    assert_eq!(told().iter().filter(|(_, state)| state == "conn_parse_cmd").count(), 1);
}

#[test]
fn direct_writes_are_seen_by_clients_and_theirs_directly() {
    let server = Server::start(Settings::default());
    let arena = server.shared.arena();
    arena.set(b"direct", b"from the host", leveret_engine::Deadline::NEVER, Time::now()).unwrap();
    let mut client = server.connect();
    client.talk("get direct\r\n", "VALUE direct 0 13\r\nfrom the host\r\nEND\r\n");
    client.talk("set wire 0 0 5\r\nhello\r\n", "STORED\r\n");
    assert_eq!(arena.get(b"wire", Time::now()).unwrap().value, b"hello");
}

#[test]
fn endpoints_are_announced_in_the_arena_while_they_are_served() {
    let server = Server::start(Settings { udp_port: None, ..Settings::default() });
    let arena = server.shared.arena();
    let announced = || arena.services().into_iter().map(|service| service.text).collect::<Vec<_>>();
    // The first clients may be answered before it is announced that they can come.
    while announced().len() < server.endpoints.len() {
        std::thread::yield_now();
    }
    assert_eq!(announced(), server.endpoints);
    drop(server);
    assert_eq!(announced(), Vec::<String>::new());
}

/// Requests of every length, and what they answer.
fn long_script() -> (Vec<u8>, Vec<u8>) {
    let (mut requests, mut answers) = (Vec::new(), Vec::new());
    for len in [0, 1, 100, 1000, 8192, 16_380, 16_384, 20_000, 65_536, 70_000, 300_000, 1_000_000] {
        let value: Vec<u8> = (0..len).map(|at| b'a' + (at * 7 % 26) as u8).collect();
        requests.extend_from_slice(&[format!("set k{len} 3 0 {len}\r\n").as_bytes(), &value, b"\r\n"].concat());
        answers.extend_from_slice(b"STORED\r\n");
        for keys in [1, 3] {
            requests.extend_from_slice(format!("get{}\r\n", format!(" k{len}").repeat(keys)).as_bytes());
            for _ in 0..keys {
                answers.extend_from_slice(&[format!("VALUE k{len} 3 {len}\r\n").as_bytes(), &value, b"\r\n"].concat());
            }
            answers.extend_from_slice(b"END\r\n");
        }
        requests.extend_from_slice(b"set refused 0 0 9999999\r\n");
        requests.extend_from_slice(&vec![b'\n'; 9_999_999]);
        requests.extend_from_slice(b"\r\nmn\r\nnonsense\r\n");
        answers.extend_from_slice(b"SERVER_ERROR object too large for cache\r\nMN\r\nERROR\r\n");
        if len % 3 > 0 {
            continue;
        }
        requests.extend_from_slice(format!("delete k{len}\r\nmg k{len} v\r\n").as_bytes());
        answers.extend_from_slice(b"DELETED\r\nEN\r\n");
    }
    (requests, answers)
}

#[test]
fn the_network_may_cut_requests_anywhere() {
    let server = Server::start(Settings::default());
    let (requests, answers) = long_script();
    for (seed, piece_max) in [(1, 1 << 20), (2, 200_000), (3, 20_000), (4, 3000)] {
        println!("seed {seed}");
        let mut random = Random(seed);
        let mut client = server.connect();
        let mut writer = client.stream.try_clone().unwrap();
        let theirs = requests.clone();
        let sending = std::thread::spawn(move || {
            let mut rest = theirs.as_slice();
            while !rest.is_empty() {
                let (piece, later) = rest.split_at(random.below(piece_max.min(rest.len())) + 1);
                writer.write_all(piece).unwrap();
                rest = later;
            }
        });
        client.expect(&answers);
        sending.join().unwrap();
    }
}

#[test]
fn a_request_may_come_byte_by_byte() {
    let server = Server::start(Settings::default());
    let mut client = server.connect();
    for _ in 0..3 {
        for byte in b"set slow 0 0 10\r\n0123456789\r\n" {
            client.send(&[*byte]);
        }
        client.expect(b"STORED\r\n");
        for byte in b"get slow\r\n" {
            client.send(&[*byte]);
        }
        client.expect(b"VALUE slow 0 10\r\n0123456789\r\nEND\r\n");
    }
}

#[test]
fn thousands_of_requests_in_one_breath_are_answered_in_order() {
    let server = Server::start(Settings { threads: 1, ..Settings::default() });
    let mut client = server.connect();
    let mut other = server.connect();
    let (mut requests, mut answers) = (String::new(), String::new());
    for number in 0..20_000 {
        requests += &format!("set n{number} 0 0 5\r\n{number:05}\r\nget n{number}\r\n");
        answers += &format!("STORED\r\nVALUE n{number} 0 5\r\n{number:05}\r\nEND\r\n");
    }
    let mut writer = client.stream.try_clone().unwrap();
    let sending = std::thread::spawn(move || writer.write_all(requests.as_bytes()).unwrap());
    for _ in 0..100 {
        other.talk("mn\r\n", "MN\r\n");
    }
    client.expect(answers.as_bytes());
    sending.join().unwrap();
}

#[test]
fn who_never_reads_is_not_read_from_and_harms_nobody() {
    let server = Server::start(Settings { threads: 1, ..Settings::default() });
    let value = "v".repeat(1 << 19);
    server.connect().talk(&format!("set big 0 0 {}\r\n{value}\r\n", value.len()), "STORED\r\n");
    let mut greedy: Vec<_> = (0..4).map(|_| server.connect()).collect();
    let mut asked = [0; 4];
    for (client, asked) in greedy.iter_mut().zip(&mut asked) {
        client.stream.set_nonblocking(true).unwrap();
        // Until the kernel takes no more from this client: so the server has stopped reading. If it did not, this would
        // be a hundred terabytes of answers.
        let line = b"get big\r\n";
        let mut part = 0;
        while *asked < 200_000_000 {
            match client.stream.write(&line[part..]) {
                Ok(len) => {
                    part = (part + len) % line.len();
                    *asked += u64::from(part == 0);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => panic!("{error}"),
            }
        }
        assert!(*asked < 200_000_000);
        // A cut request is completed below.
        if part > 0 {
            *asked += 1;
        }
        server.connect().talk("mn\r\n", "MN\r\n");
    }
    // One of them begins to read: it gets all that it has asked for first.
    let client = &mut greedy[0];
    client.stream.set_nonblocking(false).unwrap();
    let answer = format!("VALUE big 0 {}\r\n{value}\r\nEND\r\n", value.len());
    for _ in 0..asked[0].min(50) {
        client.expect(answer.as_bytes());
    }
    server.connect().talk("mn\r\n", "MN\r\n");
}

#[test]
fn who_has_sent_all_still_gets_the_answers() {
    let server = Server::start(Settings::default());
    let value = "v".repeat(1_000_000);
    let mut client = server.connect();
    let set = format!("set big 0 0 {}\r\n{value}\r\n", value.len());
    client.send(set.as_bytes());
    client.send(b"get big\r\nget big\r\nget big\r\nget nothing\r\n");
    client.stream.shutdown(Shutdown::Write).unwrap();
    let answer = format!("VALUE big 0 {}\r\n{value}\r\nEND\r\n", value.len());
    client.expect(format!("STORED\r\n{}END\r\n", answer.repeat(3)).as_bytes());
    assert_eq!(client.read_to_end(), b"");
}

#[test]
fn a_conversation_ends_as_memcached_ends_it() {
    let server = Server::start(Settings::default());
    for (said, answer) in [
        (b"quit\r\n".as_slice(), b"".as_slice()),
        (b"version\r\nquit\r\nversion\r\n", b"VERSION 1.6.45\r\n"),
        (b"GET / HTTP/1.1\r\n\r\n", b""),
        (&[b'x'; 3000], b""),
        // A binary request with a length that cannot be.
        (&[[0x80, 0x00, 0xff, 0xff].as_slice(), &[0xff; 20]].concat(), b""),
    ] {
        let mut client = server.connect();
        client.send(said);
        let got = client.read_to_end();
        assert!(
            got.starts_with(answer),
            "{:?} after {:?}",
            String::from_utf8_lossy(&got),
            String::from_utf8_lossy(said)
        );
    }
    server.connect().talk("mn\r\n", "MN\r\n");
}

#[test]
fn more_connections_than_the_limit_are_told_so() {
    let server = Server::start(Settings { conn_limit: 5, ..Settings::default() });
    let mut clients: Vec<_> = (0..5).map(|_| server.connect()).collect();
    for client in &mut clients {
        client.talk("mn\r\n", "MN\r\n");
    }
    assert_eq!(server.connect().read_to_end(), b"ERROR Too many open connections\r\n");
    let network = &server.shared.network;
    assert_eq!((network.curr_connections.load(Relaxed), network.rejected_connections.load(Relaxed)), (5, 1));
    assert_eq!(network.connections().len(), 5);
    let mut leaving = clients.pop().unwrap();
    leaving.send(b"quit\r\n");
    assert_eq!(leaving.read_to_end(), b"");
    // It hangs up before it counts.
    while network.curr_connections.load(Relaxed) > 4 {
        std::thread::yield_now();
    }
    server.connect().talk("mn\r\n", "MN\r\n");
    // Leave one place for the `shutdown` that ends the server.
    clients.pop();
    while network.curr_connections.load(Relaxed) > 3 {
        std::thread::yield_now();
    }
}

#[test]
fn connections_above_the_limit_may_wait_instead() {
    let server = Server::start(Settings { conn_limit: 3, maxconns_fast: false, ..Settings::default() });
    let mut clients: Vec<_> = (0..3).map(|_| server.connect()).collect();
    for client in &mut clients {
        client.talk("mn\r\n", "MN\r\n");
    }
    let mut waiting = server.connect();
    waiting.send(b"mn\r\n");
    while server.shared.network.is_accepting.load(Relaxed) {
        std::thread::yield_now();
    }
    clients.pop();
    waiting.expect(b"MN\r\n");
    assert_eq!(server.shared.network.rejected_connections.load(Relaxed), 0);
}

#[test]
fn a_flood_of_connections_leaves_nothing_behind() {
    let server = Server::start(Settings { threads: 2, ..Settings::default() });
    for round in 0..2000 {
        let mut client = server.connect();
        match round % 4 {
            0 => {}
            1 => client.send(b"set half 0 0 100\r\nabc"),
            2 => client.send(b"version\r\nversion\r\n"),
            _ => client.talk("mn\r\n", "MN\r\n"),
        }
    }
    while server.shared.network.curr_connections.load(Relaxed) > 0 {
        std::thread::yield_now();
    }
    assert!(server.shared.network.connections().is_empty());
    assert_eq!(server.shared.network.total_connections.load(Relaxed), 2000);
}

#[test]
fn who_says_nothing_for_too_long_is_sent_away() {
    let server = Server::start(Settings { idle_timeout_secs: 1, ..Settings::default() });
    assert_eq!(server.connect().read_to_end(), b"");
    assert_eq!(server.shared.network.traffic().idle_kicks, 1);
}

/// A server on a Unix socket, whose buffers are small.
fn serve_unix(dir: &Path, settings: Settings) -> (PathBuf, Arc<Shared>, std::thread::JoinHandle<()>) {
    let path = dir.join("socket");
    let settings = Settings { unix_path: Some(path.clone()), shutdown: true, ..settings };
    let bound = bind(&settings).expect("a free path");
    let shared = Arc::new(Shared::new(serving::arena(dir), settings).expect("settings that do"));
    let thread = std::thread::spawn({
        let shared = Arc::clone(&shared);
        move || bound.run(shared).expect("ended by us")
    });
    (path, shared, thread)
}

/// One that reads 200 KB a second was cut in the middle of its answer.
#[test]
fn who_has_an_answer_to_read_is_waited_for() {
    let dir = tempfile::tempdir().expect("a folder");
    let (path, _, server) = serve_unix(dir.path(), Settings { idle_timeout_secs: 1, ..Settings::default() });
    let mut client = Client::unix(&path);
    let value = "v".repeat(900_000);
    client.talk(&format!("set k 0 0 900000\r\n{value}\r\n"), "STORED\r\n");
    client.send(&b"get k\r\n".repeat(4));
    std::thread::sleep(Duration::from_secs(4));
    let answer = format!("VALUE k 0 900000\r\n{value}\r\nEND\r\n");
    client.talk("", &answer.repeat(4));
    client.talk("shutdown\r\n", "");
    server.join().expect("no panic");
}

/// A thousand clients that asked for values of a megabyte and did not read took more memory than there was, and the server
/// ended for all.
#[test]
fn clients_that_do_not_read_take_no_more_than_there_is_for_them() {
    let dir = tempfile::tempdir().expect("a folder");
    let (path, shared, server) = serve_unix(dir.path(), Settings::default());
    let kept = || shared.network.budget.held();
    let mut client = Client::unix(&path);
    let value = "v".repeat(1_000_000);
    client.talk(&format!("set k 0 0 1000000\r\n{value}\r\n"), "STORED\r\n");
    let mut deaf: Vec<_> = (0..400).map(|_| Client::unix(&path)).collect();
    deaf.iter_mut().for_each(|client| client.send(b"get k\r\nget k\r\n"));
    let network = &shared.network;
    let closed = || network.total_connections.load(Relaxed) - network.curr_connections.load(Relaxed);
    let begun = Instant::now();
    while closed() < 50 {
        assert!(begun.elapsed() < Duration::from_secs(60), "{} closed, {} kept", closed(), kept());
        std::thread::sleep(Duration::from_millis(10));
    }
    client.talk("mn\r\n", "MN\r\n");
    assert!((50 << 20..=66 << 20).contains(&kept()), "{}", kept());
    drop(deaf);
    while kept() > 0 {
        assert!(begun.elapsed() < Duration::from_secs(60), "{}", kept());
        std::thread::sleep(Duration::from_millis(10));
    }
    client.talk("get k\r\n", &format!("VALUE k 0 1000000\r\n{value}\r\nEND\r\n"));
    client.talk("shutdown\r\n", "");
    server.join().expect("no panic");
}

#[test]
fn a_socket_whose_server_is_stuck_is_not_waited_for() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("socket");
    let address = socket2::SockAddr::unix(&path).expect("short");
    let stuck =
        || socket2::Socket::new(socket2::Domain::UNIX, socket2::Type::STREAM.nonblocking(), None).expect("a socket");
    let listener = stuck();
    listener.bind(&address).and_then(|()| listener.listen(1)).expect("free");
    let waiting: Vec<_> = (0..10).map(|_| stuck()).collect();
    assert!(waiting.iter().any(|socket| socket.connect(&address).is_err()), "its backlog is full");
    let settings = Settings { unix_path: Some(path), ..Settings::default() };
    let refused = bind(&settings).unwrap_err().to_string();
    assert!(refused.contains("another server listens there, and is stuck"), "{refused}");
}

#[test]
fn workers_share_the_connections_evenly() {
    let server = Server::start(Settings { threads: 3, ..Settings::default() });
    let mut clients: Vec<_> = (0..9).map(|_| server.connect()).collect();
    for client in &mut clients {
        client.talk("mn\r\n", "MN\r\n");
    }
    let mut read: Vec<u64> =
        (0..3).map(|worker| server.shared.network.worker(worker).bytes_read.load(Relaxed)).collect();
    read.dedup();
    assert_eq!(read, [12]);
}

#[test]
fn a_unix_socket_has_its_mode_and_replaces_only_a_dead_one() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("socket");
    let settings = Settings { unix_path: Some(path.clone()), unix_mode: 0o770, ..Settings::default() };
    drop(UnixListener::bind(&path).unwrap());
    let bound = bind(&settings).expect("nobody listens at the old one");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o770);
    let refused = bind(&settings).unwrap_err();
    assert!(matches!(refused, ServeError::Occupied { .. }), "{refused}");
    drop(bound);
    assert!(!path.exists());
    std::fs::write(&path, "precious").unwrap();
    assert!(matches!(bind(&settings).unwrap_err(), ServeError::Occupied { .. }));
    assert_eq!(std::fs::read(&path).unwrap(), b"precious");
}

#[test]
fn a_unix_socket_carries_the_same_conversation() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("socket");
    let settings = Settings { unix_path: Some(path.clone()), shutdown: true, ..Settings::default() };
    let bound = bind(&settings).unwrap();
    let shared = Arc::new(leveret_server::Shared::new(serving::arena(dir.path()), settings).unwrap());
    let thread = std::thread::spawn(move || bound.run(shared));
    let (requests, answers) = long_script();
    let mut client = Client::unix(&path);
    let mut writer: UnixStream = client.stream.try_clone().unwrap();
    let sending = std::thread::spawn(move || writer.write_all(&requests).unwrap());
    client.expect(&answers);
    sending.join().unwrap();
    client.send(b"shutdown\r\n");
    assert_eq!(client.read_to_end(), b"");
    thread.join().unwrap().unwrap();
    assert!(!path.exists());
}

#[test]
fn an_occupied_port_is_refused_with_a_cure() {
    let server = Server::start(Settings::default());
    let refused = bind(&Settings { tcp_port: Some(server.address.port()), ..Settings::default() }).unwrap_err();
    assert!(refused.to_string().contains("-p"), "{refused}");
}

/// Millions of items whose time has passed at once kept the accepting thread from its other work until all were reclaimed.
/// Piece by piece connections are accepted meanwhile, and nothing is left for later.
#[test]
fn connections_are_accepted_while_what_has_expired_is_reclaimed() {
    const ITEMS: u32 = 300_000;
    let server = Server::start(Settings { udp_port: None, threads: 1, ..Settings::default() });
    let arena = server.shared.arena();
    let now = Time::now();
    for number in 0..ITEMS {
        arena.set(&number.to_ne_bytes(), &[7; 40], Deadline::after(now, 5), now).expect("room");
    }
    let patience = Instant::now();
    let mut answered = 0;
    while arena.stats().items > 0 {
        let mut client = server.connect();
        client.talk("mn\r\n", "MN\r\n");
        if answered == 0 {
            client.talk("lru_crawler crawl all\r\n", "OK\r\n");
        }
        answered += 1;
        assert!(patience.elapsed() < Duration::from_secs(120), "{} items are left", arena.stats().items);
    }
    let stats = arena.stats();
    assert!(answered > 0 && stats.evicted == 0 && stats.expired == u64::from(ITEMS), "{stats:?}");
    assert!(arena.verify().is_clean());
}
