//! Which cache a server serves: one of its own for each place where servers listen, unless they are told otherwise.
use crate::common::{self, Host, Said};
use leveret_engine::{Arena, Deadline, OpenOptions, Time};
use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

/// A server that says where it listens; it ends with the test.
struct Server {
    child: Child,
    /// Kept open: it may have more to say.
    errors: BufReader<ChildStderr>,
    /// What it said when it was ready: `leveret: /dev/shm/x/default.arena (64.0 MiB) on tcp 127.0.0.1:11211 net:[1]`.
    said: String,
}

impl Server {
    fn begin(host: &Host, words: &str) -> Server {
        let words = ["serve", "-v", "-u", "root"].into_iter().chain(words.split(' '));
        let mut child = host.command(words).stderr(Stdio::piped()).spawn().expect("a server");
        let mut said = String::new();
        let mut errors = BufReader::new(child.stderr.take().expect("a pipe"));
        errors.read_line(&mut said).expect("a line");
        assert!(said.contains(" on "), "{said}");
        Server { child, errors, said }
    }

    fn arena<'a>(&'a self, host: &Host) -> &'a str {
        let path = self.said.split(' ').nth(1).expect("a path");
        path.strip_prefix(&format!("{}/", host.dir().display())).expect("in the folder of the test")
    }

    fn port(&self) -> u16 {
        let place = self.said.split("tcp 127.0.0.1:").nth(1).expect("TCP");
        place.split(' ').next().expect("a port").trim_end().parse().expect("a number")
    }

    fn signal(&mut self, name: &str) {
        Command::new("kill").args([name, &self.child.id().to_string()]).status().expect("kill");
        self.child.wait().expect("ended");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn talk(mut stream: impl Read + Write, request: &str) -> String {
    stream.write_all(format!("{request}\r\nmn\r\n").as_bytes()).expect("sent");
    let mut said = Vec::new();
    let mut part = [0; 4096];
    while !said.ends_with(b"MN\r\n") {
        let len = stream.read(&mut part).expect("an answer");
        assert!(len > 0, "closed after {:?}", String::from_utf8_lossy(&said));
        said.extend_from_slice(&part[..len]);
    }
    String::from_utf8(said).expect("UTF-8").trim_end_matches("MN\r\n").to_owned()
}

fn at(port: u16) -> TcpStream {
    TcpStream::connect(("127.0.0.1", port)).expect("a server")
}

/// Ends by itself: a server that starts after all fails the test, and does not hang it.
fn start_in_vain(host: &Host, words: &str) -> Said {
    let words = ["serve", "-u", "root"].into_iter().chain(words.split(' '));
    let mut command = Command::new("timeout");
    command
        .args(["60", env!("CARGO_BIN_EXE_leveret")])
        .args(words)
        .env("LEVERET_DIR", host.dir())
        .current_dir(host.dir());
    common::run(command, b"")
}

/// Ports that nobody has now.
fn free_ports<const COUNT: usize>() -> [u16; COUNT] {
    let taken = [(); COUNT].map(|()| TcpListener::bind("127.0.0.1:0").expect("a port"));
    taken.map(|listener| listener.local_addr().expect("an address").port())
}

fn arenas(host: &Host) -> Vec<String> {
    let names = fs::read_dir(host.dir())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"));
    let mut arenas: Vec<String> = names.filter(|name| name.ends_with(".arena")).collect();
    arenas.sort();
    arenas
}

/// All servers without --arena had one cache between them: what was set at one was read at the other, and flushed
/// there.
#[test]
fn servers_at_different_places_are_different_caches() {
    let host = Host::new();
    let [first, second] = free_ports();
    let (one, two) = (Server::begin(&host, &format!("-p {first}")), Server::begin(&host, &format!("-p {second}")));
    let (three, four) = (Server::begin(&host, "-s a.sock"), Server::begin(&host, "-s b.sock"));
    assert_eq!(talk(at(first), "set k 0 0 1\r\n1"), "STORED\r\n");
    assert_eq!(talk(at(second), "get k"), "END\r\n");
    assert_eq!(talk(UnixStream::connect(host.file("a.sock")).expect("a server"), "get k"), "END\r\n");
    assert_eq!(
        (one.arena(&host), two.arena(&host)),
        (&*format!("port-{first}.arena"), &*format!("port-{second}.arena"))
    );
    assert!(
        three.arena(&host).starts_with("unix-") && three.arena(&host) != four.arena(&host),
        "{} {}",
        three.said,
        four.said
    );
    assert_eq!(arenas(&host).len(), 4);
    // Other spellings of the path are the same socket, and the same cache.
    let name = three.arena(&host).to_owned();
    drop(three);
    let folder = host.dir().file_name().expect("a name").to_str().expect("UTF-8");
    assert_eq!(Server::begin(&host, &format!("-s ../{folder}/a.sock")).arena(&host), name);
}

/// Two services that were given the same arena by mistake shared it without a word.
#[test]
fn what_another_server_serves_is_shared_when_asked_for() {
    let host = Host::new();
    let [first, second, third] = free_ports();
    let mut one = Server::begin(&host, &format!("-p {first} --arena pages"));
    let said = start_in_vain(&host, &format!("-p {second} --arena pages"));
    let who = format!("served already, by process {} (tcp 127.0.0.1:{first})", one.child.id());
    assert!(said.code == 3 && said.error.contains(&who) && said.error.contains("--share"), "{said:?}");
    let two = Server::begin(&host, &format!("-p {second} --arena pages --share"));
    assert_eq!(talk(at(first), "set k 0 0 1\r\n1"), "STORED\r\n");
    assert_eq!(talk(at(second), "get k"), "VALUE k 0 1\r\n1\r\nEND\r\n");
    drop(two);
    // One that asks for passwords is seen too.
    let users = host.dir().join("users");
    fs::write(&users, "ann:secret\n").expect("written");
    fs::set_permissions(&users, Permissions::from_mode(0o600)).expect("ours");
    let guarded = Server::begin(&host, &format!("-p {third} --arena guarded -Y users"));
    let said = start_in_vain(&host, &format!("-p {second} --arena guarded"));
    assert!(said.code == 3 && said.error.contains(&format!("(tcp 127.0.0.1:{third})")), "{said:?}");
    drop(guarded);
    // A restart is no second server, however the first one ended.
    for ending in ["-TERM", "-KILL"] {
        one.signal(ending);
        one = Server::begin(&host, &format!("-p {second} --arena pages"));
        assert_eq!(talk(at(second), "get k"), "VALUE k 0 1\r\n1\r\nEND\r\n", "{ending}");
    }
}

#[test]
fn a_fresh_server_begins_empty_and_leaves_nothing() {
    let host = Host::new();
    let [first, second] = free_ports();
    host.run(["set", "k", "v", "--arena", "pages", "--memory", "16M"]).ends(0);
    let words = format!("-p {first} --arena pages -m 32 --fresh");
    let mut one = Server::begin(&host, &words);
    assert_eq!(talk(at(first), "get k\r\nset k 0 0 1\r\n1"), "END\r\nSTORED\r\n");
    assert_eq!(host.run(["stats", "--arena", "pages", "--json"]).json()["memory"].as_u64(), Some(32 << 20));
    one.signal("-TERM");
    assert_eq!(arenas(&host), [""; 0]);
    // A killed one could not clean up.
    Server::begin(&host, &words).signal("-KILL");
    assert_eq!(arenas(&host), ["pages.arena"]);
    let mut one = Server::begin(&host, &words);
    assert_eq!(talk(at(first), "get k"), "END\r\n");
    // Others are not harmed: neither those whose arena it would be, nor those that share its own.
    let said = start_in_vain(&host, &format!("-p {second} --arena pages --fresh"));
    said.complains(3, "served already");
    let two = Server::begin(&host, &format!("-p {second} --arena pages --share"));
    assert_eq!(talk(at(second), "set k 0 0 1\r\n2"), "STORED\r\n");
    one.signal("-TERM");
    assert_eq!(talk(at(second), "get k"), "VALUE k 0 1\r\n2\r\nEND\r\n");
    drop(two);
    // Nor does a start that fails leave anything.
    host.run(["rm", "pages", "--force"]).ends(0);
    start_in_vain(&host, &format!("-p {first} --fresh -Y none")).complains(2, "the file of users");
    assert_eq!(arenas(&host), [""; 0]);
    start_in_vain(&host, "--fresh --share").complains(2, "--fresh");
    start_in_vain(&host, "--fresh -e memory").complains(2, "--fresh");
}

/// The other databases of the same cache were kept.
#[test]
fn a_fresh_server_begins_with_empty_databases_and_leaves_none() {
    let host = Host::new();
    let [redis, other] = free_ports();
    for arena in ["pages", "pages.db1", "pages.db3", "pages.db4", "other.db1"] {
        host.run(["set", "k", "v", "--arena", arena, "--memory", "16M"]).ends(0);
    }
    let words = format!("-p 0 --redis {redis} --redis-databases 4 --arena pages -m 16");
    let answers = |words: &str| {
        let mut server = Server::begin(&host, words);
        let mut said = Vec::new();
        let mut client = at(redis);
        for number in [0, 1, 2, 3] {
            let request = format!("SELECT {number}\r\nGET k\r\nSET k new\r\nQUIT\r\n");
            client.write_all(request.as_bytes()).expect("sent");
            let mut answer = String::new();
            client.read_to_string(&mut answer).expect("an answer");
            said.push(answer.replace("\r\n", " "));
            client = at(redis);
        }
        server.signal("-TERM");
        said
    };
    let (miss, hit) = ("+OK $-1 +OK +OK ", |value: &str| format!("+OK ${} {value} +OK +OK ", value.len()));
    assert_eq!(answers(&words), [&*hit("v"), &*hit("v"), miss, &*hit("v")]);
    assert_eq!(answers(&words), [hit("new"), hit("new"), hit("new"), hit("new")]);
    // Nobody else's is taken away: neither a cache that another server serves, nor a database beyond those of this one.
    let mut another = Server::begin(&host, &format!("-p {other} --arena pages.db3"));
    let fresh = format!("{words} --fresh");
    start_in_vain(&host, &fresh).complains(3, "pages.db3.arena is served already");
    another.signal("-TERM");
    assert_eq!(answers(&fresh), [miss; 4]);
    assert_eq!(arenas(&host), ["other.db1.arena", "pages.db4.arena"]);
}

/// A server says which of its arenas were made by a version that knew no later layout, and serves them.
#[test]
fn an_older_layout_is_told_in_one_line_for_each_arena() {
    let host = Host::new();
    let [memcached, redis] = free_ports();
    for (name, layout) in [("pages", 1), ("pages.db1", 2), ("pages.db2", 1)] {
        let path = host.file(&format!("{name}.arena"));
        let options = OpenOptions::new().memory(8 << 20).layout(layout);
        let (arena, _) = Arena::open(&path, &options).expect("an arena");
        arena.set(b"k", name.as_bytes(), Deadline::NEVER, Time::now()).expect("room");
    }
    let words = format!("serve -v -u root -p {memcached} --redis {redis} --arena pages");
    let mut child = host.command(words.split(' ')).stderr(Stdio::piped()).spawn().expect("a server");
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines().map(|line| line.expect("UTF-8"));
    let older: Vec<String> = lines.by_ref().take_while(|line| !line.contains(" on ")).collect();
    assert_eq!(older.len(), 2, "{older:?}");
    for (line, name) in older.iter().zip(["pages", "pages.db2"]) {
        let path = host.file(&format!("{name}.arena"));
        assert!(line.contains(&format!("leveret: {} has layout 1", path.display())), "{line}");
        assert!(line.contains(&format!("'leveret renew {}'", path.display())), "{line}");
    }
    assert_eq!(talk(at(memcached), "get k"), "VALUE k 0 5\r\npages\r\nEND\r\n");
    // What is asked of it works.
    host.run(["renew".into(), host.file("pages.arena")]).ends(0);
    let line = lines.next().expect("a line");
    assert!(line.contains("from now on the new arena of that name is served"), "{line}");
    assert_eq!(talk(at(memcached), "get k"), "END\r\n");
    child.kill().expect("killed");
    child.wait().expect("ended");
    assert_eq!(lines.next(), None, "and says no more");
}

/// Each start at a free port would leave an arena that nobody finds again.
#[test]
fn at_a_free_port_the_cache_goes_with_the_server() {
    let host = Host::new();
    let mut server = Server::begin(&host, "-p -1");
    let port = server.port();
    assert_eq!(talk(at(port), "set k 0 0 1\r\n1"), "STORED\r\n");
    assert_eq!(arenas(&host), [format!("port-{port}.arena")]);
    server.signal("-TERM");
    assert_eq!(arenas(&host), [""; 0]);
    // One that was named stays.
    Server::begin(&host, "-p -1 --arena pages").signal("-TERM");
    assert_eq!(arenas(&host), ["pages.arena"]);
}

/// Some options were looked at after `-V` had answered, so that a service file with them seemed right.
#[test]
fn what_is_refused_is_refused_before_the_version_is_told() {
    let host = Host::new();
    for refused in [
        "-S",
        "-l notls:127.0.0.1",
        "-l mtls:127.0.0.1",
        "-o nonsense",
        "-I 256m",
        "-p 0",
        "-N 9",
        "-c 0",
        "--bad",
        "-U 1 -Y users",
        "--fresh --share",
    ] {
        for (before, behind) in [("", "-V"), ("", "--version"), ("-V", ""), ("", "-i"), ("--license", "")] {
            let words =
                ["serve", before].into_iter().chain(refused.split(' ')).chain([behind]).filter(|word| !word.is_empty());
            let said = host.run(words);
            assert!(said.code == 2 && said.text().is_empty(), "{before} {refused} {behind}: {said:?}");
        }
    }
    // What `-u` names is no matter of right and wrong but of the machine.
    let said = host.run(["serve", "-V", "-m", "1024", "-o", "modern", "-u", "nobody.here"]).ends(0);
    assert_eq!(said.text(), format!("leveret {} (memcached-compatible 1.6.45)\n", leveret_server::RELEASE));
}

/// Programs read which memcached it is from the first line of `memcached -h` or `-V`: Dalli's tests, init scripts.
#[test]
fn under_memcacheds_name_the_first_line_is_memcacheds() {
    let host = Host::new();
    let link = host.file("memcached");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_leveret"), &link).expect("a link");
    let run = |program: &Path, word: &str| {
        let mut command = Command::new(program);
        command.arg(word);
        common::run(command, b"").ends(0).text().to_owned()
    };
    for word in ["-h", "--help", "-V", "--version", "-i"] {
        let (theirs, ours) = (run(Path::new("memcached"), word), run(&link, word));
        let version = |text: &str| {
            text.lines()
                .next()
                .unwrap_or_default()
                .strip_prefix("memcached 1.6.")
                .map(|rest| rest.parse::<u32>().is_ok())
        };
        assert_eq!((version(&theirs), version(&ours)), (Some(true), Some(true)), "{word}: {theirs} {ours}");
        assert!(!run(Path::new(env!("CARGO_BIN_EXE_leveret")), "--help").contains("memcached 1.6"));
    }
    let help = run(&link, "-h");
    assert!(help.contains("\nUsage: leveret serve [OPTIONS]") && help.contains("--memory-limit"), "{help}");
}

/// The help promises that -vv shows requests and answers; it showed connections only.
#[test]
fn twice_verbose_shows_requests_and_answers_and_no_values() {
    let host = Host::new();
    let mut server = Server::begin(&host, "-v -l 127.0.0.1 -p -1");
    let large = "secret".repeat(30_000);
    let requests = [
        "get none",
        "set k 0 0 6\r\nsecret",
        "get k none k",
        "gets k",
        "set k 0 0 6 noreply\r\nsecret",
        &format!("set large 0 0 {}\r\n{large}", large.len()),
        "get large",
        "incr none 1",
        "mg k s v",
        "delete k\u{1b}[2J\u{202e}",
        "set k 0 0 2\r\nsecret",
        "set k 0 0 9999999",
    ];
    let mut stream = at(server.port());
    // Each by itself, so that its answer is known to be out.
    for request in &requests[..11] {
        talk(&mut stream, request);
    }
    stream.write_all(format!("{}\r\n", requests[11]).as_bytes()).expect("sent");
    drop(stream);
    let mut told = Vec::new();
    loop {
        let mut line = String::new();
        server.errors.read_line(&mut line).expect("a line");
        assert!(!line.is_empty() && !line.contains("secretsecret"), "{line:?} after {told:#?}");
        let line = line.trim_end().trim_start_matches(|letter: char| letter.is_ascii_digit());
        let (arrow, words) = line.split_at(1);
        let words = words.trim_start_matches(|letter: char| letter.is_ascii_digit());
        if words.ends_with("closed.") {
            break;
        }
        if words != " mn" && words != " MN" {
            told.push(format!("{arrow}{words}"));
        }
    }
    let large_line = format!("< set large 0 0 {}", large.len());
    let want = [
        "< new auto-negotiating client connection",
        "< get none",
        "> END",
        "< set k 0 0 6",
        "> STORED",
        "< get k none k",
        "> sending key k",
        "> sending key k",
        "> END",
        "< gets k",
        "> sending key k",
        "> END",
        "< set k 0 0 6 noreply",
        &large_line,
        "> STORED",
        "< get large",
        "> sending key large",
        "> END",
        "< incr none 1",
        "> NOT_FOUND",
        "< mg k s v",
        "> VA 6 s6",
        r"< delete k\x1b[2J\u{202e}",
        "> NOT_FOUND",
        "< set k 0 0 2",
        "> CLIENT_ERROR bad data chunk",
        "< et",
        "> ERROR",
        "< set k 0 0 9999999",
        "> SERVER_ERROR object too large for cache",
    ];
    assert_eq!(told, want, "{told:#?}");
}

/// As in memcached: the user that the server runs as writes the pid file, so it can remove it, and a server without one
/// runs. It was written as root, and stayed behind in a folder of root's without a word.
#[test]
fn the_pid_file_is_the_servers_and_a_server_without_one_runs() {
    let host = Host::new();
    for (place, is_written) in [("pid", true), ("none/pid", false)] {
        let path = host.dir().join(place);
        let words = ["serve", "-u", "root", "-l", "127.0.0.1", "-p", "-1", "-v", "-P"].map(String::from);
        let words = words.into_iter().chain([path.display().to_string()]);
        let words: Vec<String> = words.collect();
        let mut command = host.command(words.iter().map(String::as_str));
        let mut child = command.stderr(Stdio::piped()).spawn().expect("a server");
        let mut errors = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut said = String::new();
        while !said.contains(" on tcp ") {
            assert!(errors.read_line(&mut said).expect("a line") > 0, "ended after {said}");
        }
        let pid = fs::read_to_string(&path).ok();
        assert_eq!(pid, is_written.then(|| format!("{}\n", child.id())));
        assert_eq!(said.contains("could not write"), !is_written, "{said}");
        Command::new("kill").args(["-TERM", &child.id().to_string()]).status().expect("kill");
        assert!(child.wait().expect("ended").success());
        assert!(!path.exists());
    }
}

/// The second server of one leveret.toml, as the unit leveret@PORT starts it, ended with "cannot listen on 127.0.0.1:9150
/// (--metrics): in use already (choose another port with -p)".
#[test]
fn servers_of_one_file_keep_out_of_each_others_way() {
    let host = Host::new();
    let free = || {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.local_addr().expect("bound").port()
    };
    let (first, second, metrics, own_metrics) = (free(), free(), free(), free());
    let toml = host.file("leveret.toml");
    let text =
        format!("port = {first}\nlisten = ['127.0.0.1']\nmetrics = {metrics}\narena = 'shop'\nmemory-limit = '16'\n");
    fs::write(&toml, &text).expect("a file");
    let words = format!("--config {} ", toml.display());
    let one = Server::begin(&host, words.trim_end());
    assert_eq!((one.port(), one.arena(&host)), (first, "shop.arena"));
    let second_port = second.to_string();
    let mut command = host.command(["serve", "-v", "-u", "root", "--config", "leveret.toml", "-p", &second_port]);
    let mut child = command.stderr(Stdio::piped()).spawn().expect("a server");
    let errors = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut two = Server { child, errors, said: String::new() };
    for part in ["arena of ", "metrics of ", &format!("port-{second}.arena (16.0 MiB) on tcp 127.0.0.1:{second}")] {
        two.said.clear();
        two.errors.read_line(&mut two.said).expect("a line");
        assert!(two.said.contains(part), "{}", two.said);
    }
    drop(two);
    fs::write(&toml, format!("{text}[{second}]\nmetrics = {own_metrics}\narena = 'mail'\n")).expect("a file");
    let three = Server::begin(&host, &format!("{words}-p {second}"));
    assert_eq!((three.port(), three.arena(&host)), (second, "mail.arena"));
    for port in [metrics, own_metrics] {
        TcpStream::connect(("127.0.0.1", port)).expect("metrics");
    }
}
