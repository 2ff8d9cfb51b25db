//! The modes of memcached-tool, byte by byte against Debian's own script: asked of a real memcached and of `leveret
//! serve`. And what goes on where it ends: restore, ping, servers that misbehave.
use crate::common::{self, Host, Said};
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

const TOOL: &str = "/usr/share/memcached/scripts/memcached-tool";

/// A server on a Unix socket of the host's folder; it ends with the test.
pub struct Server {
    pub child: Child,
    socket: PathBuf,
}

impl Server {
    fn begin(mut command: Command, socket: PathBuf) -> Server {
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a server");
        let mut server = Server { child, socket };
        while UnixStream::connect(&server.socket).is_err() {
            assert!(server.child.try_wait().expect("a child").is_none(), "the server ended");
            thread::sleep(Duration::from_millis(5));
        }
        server
    }

    pub fn memcached(host: &Host) -> Server {
        let socket = host.file("memcached.sock");
        let mut command = Command::new("memcached");
        command.args(["-u", "root", "-o", "track_sizes", "-s"]).arg(&socket);
        Server::begin(command, socket)
    }

    pub fn leveret(host: &Host) -> Server {
        let socket = host.file("leveret.sock");
        let mut command = host.command(["serve", "-u", "root", "--arena", "served", "-s"]);
        command.arg(&socket);
        Server::begin(command, socket)
    }

    pub fn target(&self) -> &str {
        self.socket.to_str().expect("UTF-8")
    }

    /// Says it, and reads until the answer ends so.
    pub fn talk(&self, request: &[u8], end: &str) -> String {
        let mut stream = UnixStream::connect(&self.socket).expect("the server");
        stream.write_all(request).expect("sent");
        let mut said = Vec::new();
        let mut part = [0; 4096];
        while !said.ends_with(end.as_bytes()) {
            let len = stream.read(&mut part).expect("an answer");
            assert!(len > 0, "closed after {:?}", String::from_utf8_lossy(&said));
            said.extend_from_slice(&part[..len]);
        }
        String::from_utf8(said).expect("UTF-8")
    }

    fn fill(&self) {
        for (key, flags, exptime, value) in [
            ("plain", 0, 0, "hello"),
            ("user:7/ü%", 5, 3600, "\r\nEND\r\n"),
            ("empty", 4294967295u32, 0, ""),
            ("big", 1, 0, &*"v".repeat(5000)),
        ] {
            let request = format!("set {key} {flags} {exptime} {}\r\n{value}\r\n", value.len());
            assert_eq!(self.talk(request.as_bytes(), "\r\n"), "STORED\r\n");
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn tool(server: &Server, words: &[&str]) -> Said {
    answered(|| {
        let mut command = Command::new(TOOL);
        command.arg(&server.socket).args(words);
        common::run(command, b"")
    })
}

fn ours(host: &Host, server: &Server, words: &[&str]) -> Said {
    let (mode, rest) = words.split_first().expect("a mode");
    answered(|| host.run([&[*mode, server.target()], rest].concat()))
}

/// memcached 1.6.18 answers a dump with nothing, or `BUSY`, while its crawler is still ending the one before: asked
/// again, it answers.
fn answered(ask: impl Fn() -> Said) -> Said {
    for _ in 0..200 {
        let said = ask();
        let is_ending = said.bytes.is_empty() && (said.code == 0 || said.error.contains("BUSY"));
        if !is_ending {
            return said.ends(0);
        }
        thread::sleep(Duration::from_millis(20));
    }
    panic!("no answer");
}

/// Numbers that two calls in a row cannot have in common are a row of the same width without its digits.
fn without_moving_numbers(text: &str) -> Vec<String> {
    const MOVING: [&str; 12] = [
        "uptime",
        "time",
        "rusage_user",
        "rusage_system",
        "curr_connections",
        "total_connections",
        "bytes_read",
        "bytes_written",
        "connection_structures",
        "read_buf_count",
        "response_obj_count",
        "conn_structs",
    ];
    text.lines()
        .map(|line| {
            let name = line.split_whitespace().next().unwrap_or_default();
            let moves = MOVING.contains(&name)
                || name.starts_with("read_buf")
                || name.starts_with("response_obj")
                || name.starts_with("lru_");
            if moves {
                name.to_owned()
            } else {
                line.to_owned()
            }
        })
        .collect()
}

fn lines(said: &Said) -> BTreeSet<String> {
    said.text().split_inclusive('\n').map(str::to_owned).collect()
}

/// The blocks of a dump; memcached-tool's come in the order of a Perl hash.
fn blocks(said: &Said) -> BTreeSet<String> {
    format!("\r\n{}", said.text()).split("\r\nadd ").map(|block| block.trim_end().to_owned()).collect()
}

/// What both show of the same moment: ages grow and items are moved meanwhile, but not between two equal answers of the
/// tool.
fn at_one_moment<T: PartialEq>(ours: impl Fn() -> T, its: impl Fn() -> T) -> (T, T) {
    loop {
        let (before, ours) = (its(), ours());
        if its() == before {
            return (ours, before);
        }
    }
}

fn every_mode_is_byte_equal(host: &Host, server: &Server) {
    server.fill();
    for mode in ["display", "settings", "sizes", "stats"] {
        let shown = |said: Said| {
            if mode == "stats" {
                without_moving_numbers(said.text())
            } else {
                vec![said.text().to_owned()]
            }
        };
        let (ours, its) = at_one_moment(|| shown(ours(host, server, &[mode])), || shown(tool(server, &[mode])));
        assert_eq!(ours, its, "{mode}");
    }
    let (our_keys, its_keys) = (ours(host, server, &["keys"]), tool(server, &["keys"]));
    assert_eq!((lines(&our_keys), &our_keys.error), (lines(&its_keys), &its_keys.error));
    assert_eq!(our_keys.text().lines().count(), 4);
    let (our_dump, its_dump) = (ours(host, server, &["dump"]), tool(server, &["dump"]));
    assert_eq!((blocks(&our_dump), &our_dump.error), (blocks(&its_dump), &its_dump.error));
    for mode in ["keys", "dump"] {
        let (ours, its) = (ours(host, server, &[mode, "2"]), tool(server, &[mode, "2"]));
        assert_eq!((ours.text().contains("key") || mode == "dump", &ours.error), (true, &its.error), "{mode}");
    }
    assert_eq!(ours(host, server, &["keys", "2"]).text().lines().count(), 2);
}

#[test]
fn a_memcached_is_shown_as_memcached_tool_shows_it() {
    let host = Host::new();
    every_mode_is_byte_equal(&host, &Server::memcached(&host));
}

#[test]
fn so_is_leveret_serve() {
    let host = Host::new();
    every_mode_is_byte_equal(&host, &Server::leveret(&host));
}

#[test]
fn an_arena_needs_no_server_for_the_same_tables() {
    let host = Host::new();
    host.run(["set", "k", "v"]).ends(0);
    for (mode, heading) in [
        ("display", "  #  Item_Size  Max_age   Pages   Count   Full?  Evicted Evict_Time OOM\n"),
        ("settings", "#arena:default     Field       Value\n"),
        ("sizes", "#arena:default      Size       Count\n"),
    ] {
        let said = host.run([mode]).ends(0);
        assert!(said.text().starts_with(heading) && said.text().lines().count() > 1, "{}", said.text());
        assert_eq!(host.run([mode, "arena:default"]).ends(0).text(), said.text());
    }
    let said = host.run(["stats", "arena:default"]).ends(0);
    assert!(
        said.text().starts_with(&format!("#{:<22} {:>5} {:>13}\n", "arena:default", "Field", "Value")),
        "{}",
        said.text()
    );
    assert_eq!(host.run(["stats", "arena:default", "--json"]).ends(0).json()["curr_items"], 1);
    assert_eq!(host.run(["settings", "--json"]).ends(0).json()["maxbytes"], 64 << 20);
}

#[test]
fn a_dump_is_restored_everywhere() {
    let host = Host::new();
    let (memcached, leveret) = (Server::memcached(&host), Server::leveret(&host));
    memcached.fill();
    let dump = ours(&host, &memcached, &["dump"]).bytes;
    for target in [leveret.target(), "arena:copy"] {
        if target.starts_with("arena:") {
            host.run(["set", "x", "y", "--arena", "copy"]).ends(0);
            host.run(["delete", "x", "--arena", "copy"]).ends(0);
        }
        host.run_with_input(&["restore", target], &dump).ends(0);
        let copied = host.run(["dump", target]).ends(0);
        let original = Said { code: 0, bytes: dump.clone(), error: String::new() };
        assert_eq!(blocks(&copied), blocks(&original), "{target}");
        // Everything is there already.
        host.run_with_input(&["restore", target], &dump).ends(1);
        host.run_with_input(&["restore", "--replace", target], &dump).ends(0);
    }
    host.run_with_input(&["restore", leveret.target()], b"nonsense\r\n").complains(2, "item 1 of the dump");
}

/// Keys of any bytes, numbers, PHP's types, flags and ends: what one arena holds another holds after it.
#[test]
fn an_arena_is_restored_as_it_was() {
    use leveret_client::codec::{encoding, origin};
    use leveret_engine::{Codec, Deadline, Encoding, Meta, Mode, Time, Value};
    let host = Host::new();
    let (old, new) = (host.arena("old"), host.arena("new"));
    let now = Time::now();
    let all: Vec<u8> = (0..=255).collect();
    let large = vec![7; 300_000];
    let mortal = Deadline::after(now, 3600);
    let native = Meta::native;
    for (key, value, meta, deadline) in [
        (&b"plain"[..], Value::Bytes(b"text"), native(Encoding::RAW), Deadline::NEVER),
        (b"", Value::Bytes(b""), native(encoding::NULL), Deadline::NEVER),
        (b"with space\r\nand end", Value::Bytes(&all), Meta::default().with_flags(9), mortal),
        (&all, Value::Integer(-42), native(Encoding::INTEGER), mortal),
        (b"array", Value::Bytes(b"a:0:{}"), native(encoding::PHP).with_codec(Codec::new(3)), Deadline::NEVER),
        (
            b"of pecl",
            Value::Bytes(b"1.5"),
            native(Encoding::DOUBLE).with_origin(origin::PECL_MEMCACHED).with_flags(2),
            Deadline::NEVER,
        ),
        (b"large", Value::Bytes(&large), native(encoding::IGBINARY), Deadline::NEVER),
    ] {
        old.store(key, value, meta, deadline, Mode::Set, now).expect("room");
    }
    let dump = host.run(["dump", "--json", "--arena", "old"]).ends(0).bytes;
    let summary = host.run_with_input(&["restore", "--create", "--json", "--arena", "new"], &dump).ends(0).json();
    assert_eq!(summary, serde_json::json!({ "stored": 7, "expired": 0, "there": 0, "refused": 0, "left_out": 0 }));
    let items = |arena: &leveret_engine::Arena| {
        let item = |item: leveret_engine::Item| (item.key, item.value, item.number, item.meta, item.deadline);
        let mut items: Vec<_> = arena.iter(now).map(|found| item(found.expect("readable"))).collect();
        items.sort_by(|a, b| a.0.cmp(&b.0));
        items
    };
    assert_eq!(items(&new), items(&old));

    // What is there is kept, and what has died since is told apart.
    let dead = br#"{"key":"dead","value":"v","size":1,"dies":1}"#;
    let said = host.run_with_input(&["restore", "--arena", "new"], &[&dump[..], dead, b"\n"].concat()).ends(1);
    assert_eq!(said.error, "leveret: 0 items stored, 1 expired, 7 kept as they were (--replace stores over them)\n");

    // A server takes what its protocol can say, and hears how many it did not get.
    let server = Server::memcached(&host);
    let said = host.run_with_input(&["restore", server.target()], &dump).ends(1);
    assert!(said.error.contains("3 items stored") && said.error.contains("4 left out"), "{said:?}");
    let said = host.run(["dump", server.target()]).ends(0);
    assert!(said.text().contains("add array 4 0 6\r\na:0:{}\r\n"), "{said:?}");
    // And what a server holds goes the same way.
    let dump = host.run(["dump", "--json", server.target()]).ends(0).bytes;
    host.run_with_input(&["restore", "--create", "--arena", "third"], &dump).ends(0);
    assert_eq!(host.run(["get", "array", "--arena", "third"]).ends(0).bytes, b"a:0:{}");
}

#[test]
fn list_and_doctor_name_the_servers_of_an_arena() {
    let host = Host::new();
    host.run(["set", "k", "v", "--arena", "alone"]).ends(0);
    let server = Server::leveret(&host);
    // It answers, so it has announced itself.
    assert_eq!(server.talk(b"mn\r\n", "\r\n"), "MN\r\n");
    let place = format!("unix {}", server.target());
    let rows = host.run(["list", "--json"]).ends(0).json_lines();
    let of = |row: usize| rows[row]["servers"].clone();
    assert_eq!((of(0), of(1)), (serde_json::json!([]), serde_json::json!([place])));
    let table = host.run(["list"]).ends(0).text().to_owned();
    assert!(table.lines().any(|line| line.starts_with("served ") && line.ends_with(&place)), "{table}");
    assert!(host
        .run(["doctor", "--no-php"])
        .ends(0)
        .text()
        .contains(&format!("ok       arenas  served: served at {place}\n")));
    drop(server);
    assert_eq!(host.run(["list", "--json"]).ends(0).json_lines()[1]["servers"], serde_json::json!([]));
}

/// More keys than are asked for in one go, and a limit in the middle of such a go.
#[test]
fn a_dump_of_many_keys_loses_none() {
    let host = Host::new();
    for server in [Server::memcached(&host), Server::leveret(&host)] {
        let requests: String = (0..333).map(|number| format!("set key-{number} 0 0 3\r\n{number:03}\r\n")).collect();
        server.talk(requests.as_bytes(), &"STORED\r\n".repeat(333));
        let said = ours(&host, &server, &["dump"]);
        let want: BTreeSet<String> = (0..333).map(|number| format!("key-{number} 0 0 3\r\n{number:03}")).collect();
        assert_eq!(blocks(&said).into_iter().filter(|block| !block.is_empty()).collect::<BTreeSet<_>>(), want);
        assert_eq!(ours(&host, &server, &["dump", "77"]).text().matches("add key-").count(), 77);
    }
}

#[test]
fn ping_tells_a_server_that_answers_from_one_that_does_not() {
    let host = Host::new();
    let server = Server::leveret(&host);
    assert!(host.run(["ping", server.target(), "--timeout", "60s"]).ends(0).text().starts_with("healthy: "));
    host.run(["ping", host.file("nobody.sock").to_str().expect("UTF-8")]).complains(3, "cannot connect to");

    // It accepts and keeps silent; then it speaks another language.
    let socket = host.file("strange.sock");
    let listener = UnixListener::bind(&socket).expect("a socket");
    let path = socket.to_str().expect("UTF-8");
    assert_ne!(host.run(["ping", path, "--timeout", "50ms"]).code, 0);
    let strange = thread::spawn(move || {
        for stream in listener.incoming().take(3) {
            let mut stream = stream.expect("a client");
            let _ = stream.read(&mut [0; 100]);
            let _ = stream.write_all(b"220 mail.example ESMTP\r\n");
        }
    });
    host.run(["ping", path, "--timeout", "60s"]).complains(3, "does not speak memcached's protocol");
    host.run(["stats", path, "--timeout", "60s"]).ends(3);
    strange.join().expect("a thread");
}

fn serve(host: &Host, words: &[&str]) -> Said {
    host.run([&["serve", "-u", "root", "-s", "x.sock"], words].concat())
}

#[test]
fn what_serve_cannot_do_it_says_before_it_begins() {
    let host = Host::new();
    for (words, part) in [
        (&["-Z"][..], "ssl_chain_cert"),
        (&["-S"], "who may sign in?"),
        (&["-o", "nonsense"], "illegal suboption"),
        (&["-I", "33m"], "half of the memory"),
        (&["--config", "nowhere.toml"], "nowhere.toml"),
    ] {
        let said = serve(&host, words);
        assert!(matches!(said.code, 2 | 3) && said.error.contains(part), "{said:?}");
    }
    for words in [&["-I", "1000"][..], &["-c", "0"], &["-t", "0"], &["-B", "http"], &["--nosuch"]] {
        assert_eq!(serve(&host, words).code, 2, "{words:?}");
    }
    assert_eq!(
        serve(&host, &["-V"]).text(),
        format!("leveret {} (memcached-compatible 1.6.45)\n", leveret_server::RELEASE)
    );
    assert!(!Path::new("x.sock").exists());
}

/// `-d` ends once the server listens; Debian's file names what it listens on; -P the process, which SIGTERM ends.
#[test]
fn a_server_in_the_background_with_debians_file() {
    let host = Host::new();
    let (socket, pid_file) = (host.file("a socket"), host.file("serve.pid"));
    let conf = format!(
        "# a comment\n-d\nlogfile /dev/null\n-m 32\n-s '{}'\n-u root\n-P {}\n",
        socket.display(),
        pid_file.display()
    );
    std::fs::write(host.file("memcached.conf"), conf).expect("a file");
    host.command(["serve", "-d", "--memcached-conf", "memcached.conf"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("a start");
    let pid: u32 = std::fs::read_to_string(&pid_file).expect("a pid file").trim().parse().expect("a pid");
    let answer = host.run(["ping", socket.to_str().expect("UTF-8"), "--timeout", "60s"]);
    let memory = host.run(["list", "--json"]).json()["memory"].as_u64();
    assert!(Command::new("kill").arg(pid.to_string()).status().expect("kill").success());
    assert_eq!((answer.code, memory), (0, Some(32 << 20)), "{answer:?}");
    while Path::new(&format!("/proc/{pid}/fd")).exists() && pid_file.exists() {
        thread::sleep(Duration::from_millis(5));
    }
}
