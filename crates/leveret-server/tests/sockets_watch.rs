//! Watchers over real sockets: what they are told, how many they may be, and that nobody waits for them.
mod serving;
use leveret_server::Settings;
use serving::{Client, Server};
use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader, Read};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// A connection that watches, line by line.
struct Watcher(BufReader<TcpStream>);

impl Watcher {
    fn start(server: &Server, kinds: &str) -> Watcher {
        let mut client = server.connect();
        client.talk(&format!("watch {kinds}\r\n"), "OK\r\n");
        Watcher(BufReader::new(client.stream))
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).expect("a line");
        assert!(line.ends_with('\n'), "it ends in {line:?}");
        line
    }

    /// The next line's fields but for those that no two runs share.
    fn fields(&mut self) -> String {
        let line = self.line();
        let of_run = ["ts", "gid", "cfd", "rport"];
        let kept =
            line.trim().split(' ').filter(|word| !of_run.iter().any(|name| word.starts_with(&format!("{name}="))));
        kept.collect::<Vec<_>>().join(" ")
    }
}

fn server() -> Server {
    Server::start(Settings { threads: 2, ..Settings::default() })
}

fn stat(server: &Server, name: &str) -> u64 {
    let mut client = server.connect();
    client.send(b"stats\r\nquit\r\n");
    let text = String::from_utf8(client.read_to_end()).expect("text");
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("STAT {name} ")).map(str::to_owned));
    line.expect("it is told").parse().expect("a number")
}

/// What the counters say comes to be true; when is not promised.
fn until(mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(30), "it does not come to be");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_watcher_is_told_what_it_asked_for() {
    let server = server();
    let mut all = Watcher::start(&server, "fetchers mutations deletions");
    let mut deletions = Watcher::start(&server, "deletions");
    let mut connections = Watcher::start(&server, "connevents");
    // Who looks on at what only proxies do is told nothing, and is no mistake.
    let _proxies = Watcher::start(&server, "proxyreqs proxyevents proxyuser");
    assert_eq!(connections.fields(), "type=conn_new rip=127.0.0.1 transport=tcp");
    let mut client = server.connect();
    client.talk("set a%b 0 0 3\r\nabc\r\n", "STORED\r\n");
    client.talk("get a%b\r\n", "VALUE a%b 0 3\r\nabc\r\nEND\r\n");
    client.talk("delete a%b\r\n", "DELETED\r\n");
    client.talk("delete a%b\r\n", "NOT_FOUND\r\n");
    client.talk("ms b 1 T100\r\nx\r\nmd b\r\n", "HD\r\nHD\r\n");
    client.talk("mget\r\n", "ERROR\r\n");
    client.send(b"quit\r\n");
    assert_eq!(client.read_to_end(), b"");
    let told: Vec<String> = (0..9).map(|_| all.fields()).collect();
    assert_eq!(
        told,
        [
            "type=item_get key=a%25b status=not_found clsid=0 size=0",
            "type=item_store key=a%25b status=stored cmd=set ttl=0 clsid=1 size=3",
            "type=item_get key=a%25b status=found clsid=1 size=3",
            "type=item_get key=a%25b status=found clsid=1 size=3",
            "type=deleted key=a%25b cmd=delete clsid=1 size=3",
            "type=item_get key=a%25b status=not_found clsid=0 size=0",
            "type=item_get key=b status=not_found clsid=0 size=0",
            "type=item_store key=b status=stored cmd=set ttl=100 clsid=1 size=1",
            "type=item_get key=b status=found clsid=1 size=1",
        ]
    );
    assert_eq!(deletions.fields(), "type=deleted key=a%25b cmd=delete clsid=1 size=3");
    assert_eq!(deletions.fields(), "type=deleted key=b cmd=md clsid=1 size=1");
    assert_eq!(connections.fields(), "type=conn_new rip=127.0.0.1 transport=tcp");
    assert_eq!(connections.fields(), "type=conn_close rip=127.0.0.1 transport=tcp reason=normal");
    // A line that is too long is the client's fault.
    let mut long = server.connect();
    long.send(&[b'y'; 5000]);
    let _ = long.read_to_end();
    assert_eq!(connections.fields(), "type=conn_new rip=127.0.0.1 transport=tcp");
    assert_eq!(connections.fields(), "type=conn_close rip=127.0.0.1 transport=tcp reason=error");
}

/// All of a connection's events in their order, whichever workers they and the watcher belong to.
#[test]
fn events_of_many_connections_come_whole_and_in_order() {
    const CLIENTS: usize = 8;
    const STORES: usize = 200;
    let server = server();
    let mut watcher = Watcher::start(&server, "mutations");
    std::thread::scope(|scope| {
        for name in 0..CLIENTS {
            let mut client = server.connect();
            scope.spawn(move || {
                for number in 0..STORES {
                    client.talk(&format!("set c{name} 0 0 {number}\r\n{}\r\n", "x".repeat(number)), "STORED\r\n");
                }
            });
        }
    });
    let mut next: HashMap<String, usize> = HashMap::new();
    let mut last_gid = 0;
    for _ in 0..CLIENTS * STORES {
        let line = watcher.line();
        let field = |name: &str| line.split_whitespace().find_map(|word| word.strip_prefix(name)).expect("it is there");
        let gid: u64 = field("gid=").parse().expect("a number");
        assert!(gid > last_gid, "{line}");
        last_gid = gid;
        let number = next.entry(field("key=").to_owned()).or_default();
        assert_eq!(field("size="), number.to_string(), "{line}");
        *number += 1;
    }
    assert!(next.len() == CLIENTS && next.values().all(|number| *number == STORES));
}

/// It reads nothing while far more is told than the server keeps for it. Nobody waits: all stores are answered. Then it
/// is told how many lines it has missed, to the last, and goes on.
#[test]
fn a_slow_watcher_misses_lines_and_is_told_how_many() {
    let server = server();
    let mut slow = Watcher::start(&server, "mutations");
    let mut client = server.connect();
    let batch = format!("set {} 0 0 1 noreply\r\nx\r\n", "k".repeat(200)).repeat(500) + "mn\r\n";
    while stat(&server, "log_watcher_skipped") == 0 {
        client.talk(&batch, "MN\r\n");
    }
    let (mut told, mut missed, mut gids) = (0, 0, Vec::new());
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Relaxed) {
                client.talk("set mark 0 0 1\r\nx\r\n", "STORED\r\n");
            }
        });
        loop {
            let line = slow.line();
            if let Some(skipped) = line.trim().strip_prefix("skipped=") {
                missed += skipped.parse::<u64>().expect("a number");
                continue;
            }
            told += 1;
            gids.push(line.split(' ').find_map(|word| word.strip_prefix("gid=")?.parse::<u64>().ok()).expect("a gid"));
            if missed > 0 && line.contains("key=mark ") {
                break is_over.store(true, Relaxed);
            }
        }
    });
    let counted = gids[gids.len() - 1] - gids[0] + 1 + stat(&server, "log_worker_dropped");
    assert_eq!(told + missed, counted);
    assert!(gids.is_sorted());
}

/// What had to make room is told, each item once, and is gone.
#[test]
fn evictions_are_told() {
    const STORES: usize = 13_000;
    let server = server();
    let mut watcher = Watcher::start(&server, "evictions");
    let value = "x".repeat(8000);
    let mut client = server.connect();
    let mut told = HashSet::new();
    for number in 0..STORES / 500 {
        let set = |number: usize| format!("set key{number} 0 0 8000 noreply\r\n{value}\r\n");
        let batch: String = (number * 500..number * 500 + 500).map(set).collect();
        client.talk(&(batch + "mn\r\n"), "MN\r\n");
        let evicted = stat(&server, "evictions");
        while (told.len() as u64) < evicted {
            let line = watcher.fields();
            let key = line.strip_prefix("type=eviction key=").and_then(|rest| rest.split(' ').next()).expect("a key");
            assert!(line.ends_with(" clsid=1 size=8000") && line.contains(" fetch=no ttl=-1 la="), "{line}");
            client.talk(&format!("mg {key}\r\n"), "EN\r\n");
            assert!(told.insert(key.to_owned()), "{line}");
        }
    }
    assert!(told.len() > 1000, "{}", told.len());
}

#[test]
fn watchers_are_bounded_and_make_room() {
    let server = server();
    let mut watchers: Vec<Watcher> = (0..20).map(|_| Watcher::start(&server, "mutations")).collect();
    assert_eq!(stat(&server, "log_watchers"), 20);
    let mut late = server.connect();
    for _ in 0..100 {
        late.talk("watch mutations\r\n", "WATCHER_TOO_MANY log watcher limit reached\r\n");
    }
    late.talk("watch nonsense\r\n", "ERROR\r\n");
    late.talk("get a\r\n", "END\r\n");
    // One says `quit`, one is killed: both make room, and the others are told as before.
    let mut quits = watchers.remove(0).0.into_inner();
    std::io::Write::write_all(&mut quits, b"version\r\nquit\r\n").expect("it reads");
    assert_eq!(quits.read(&mut [0; 10]).expect("an end"), 0);
    drop(watchers.remove(0));
    until(|| stat(&server, "log_watchers") == 18);
    watchers.push(Watcher::start(&server, "mutations"));
    late.talk("set a 0 0 1\r\nx\r\n", "STORED\r\n");
    for watcher in &mut watchers {
        assert_eq!(watcher.fields(), "type=item_store key=a status=stored cmd=set ttl=0 clsid=1 size=1");
    }
    drop(watchers);
    until(|| stat(&server, "log_watchers") == 0);
    // The thread that told them has ended; there is another for the next.
    for round in 0..20 {
        let mut watcher = Watcher::start(&server, "mutations");
        late.talk(&format!("set r{round} 0 0 1\r\nx\r\n"), "STORED\r\n");
        assert!(watcher.line().contains(&format!("key=r{round} ")));
    }
}

#[test]
fn who_may_not_watch_is_told() {
    let server = Server::start(Settings { watch: false, threads: 1, ..Settings::default() });
    server.connect().talk("watch mutations\r\n", "CLIENT_ERROR watch commands not allowed\r\n");
}

/// A server that ends does not wait for its watchers.
#[test]
fn a_server_with_watchers_ends() {
    let server = server();
    let mut watcher = Watcher::start(&server, "fetchers");
    let idle: Client<TcpStream> = server.connect();
    drop(server);
    let mut rest = Vec::new();
    let _ = watcher.0.read_to_end(&mut rest);
    drop(idle);
}
