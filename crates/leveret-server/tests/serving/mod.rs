//! A server on free ports of loopback, in this process or in one of its own.
#![allow(dead_code)]
use leveret_engine::{Arena, OpenOptions};
use leveret_server::settings::{Listen, Security};
use leveret_server::{bind, Settings, Shared};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

/// A server in a thread of this process. Dropped, it is told `shutdown`.
pub struct Server {
    pub address: SocketAddr,
    /// Where clients of Redis come to, if the settings say so.
    pub redis: Option<SocketAddr>,
    pub endpoints: Vec<String>,
    pub shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    _dir: tempfile::TempDir,
}

impl Server {
    /// Listens to a free TCP port of loopback, and to whatever else `settings` says.
    pub fn start(settings: Settings) -> Server {
        let dir = tempfile::tempdir().expect("a folder");
        let settings = Settings { tcp_port: None, shutdown: true, ..settings };
        let bound = bind(&settings).expect("free ports");
        let address = bound.tcp_addresses().next().expect("a TCP port");
        let redis = bound.redis_addresses().next();
        let endpoints = bound.endpoints();
        let shared = Arc::new(Shared::new(arena(dir.path()), settings).expect("good settings"));
        let theirs = shared.clone();
        let thread = std::thread::spawn(move || bound.run(theirs).expect("a good end"));
        Server { address, redis, endpoints, shared, thread: Some(thread), _dir: dir }
    }

    pub fn connect(&self) -> Client<TcpStream> {
        Client::tcp(self.address)
    }

    /// As a client of Redis.
    pub fn connect_redis(&self) -> Client<TcpStream> {
        Client::tcp(self.redis.expect("the settings have a place for clients of Redis"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let (Some(thread), Ok(mut stream)) = (self.thread.take(), TcpStream::connect(self.address)) {
            let _ = stream.write_all(b"shutdown\r\n");
            let ended = thread.join();
            assert!(ended.is_ok() || std::thread::panicking(), "the server ends well");
        }
    }
}

pub fn arena(dir: &Path) -> Arena {
    let options = OpenOptions::new().memory(64 << 20);
    Arena::open(&dir.join("served.arena"), &options).expect("an arena").0
}

/// One conversation. It fails, rather than waits for ever, when no answer comes.
pub struct Client<S> {
    pub stream: S,
}

const PATIENCE: Option<Duration> = Some(Duration::from_secs(30));

impl Client<TcpStream> {
    pub fn tcp(address: SocketAddr) -> Client<TcpStream> {
        let stream = TcpStream::connect(address).expect("it listens");
        stream.set_nodelay(true).expect("a socket");
        stream.set_read_timeout(PATIENCE).expect("a socket");
        Client { stream }
    }
}

impl Client<UnixStream> {
    pub fn unix(path: &Path) -> Client<UnixStream> {
        let stream = UnixStream::connect(path).expect("it listens");
        stream.set_read_timeout(PATIENCE).expect("a socket");
        Client { stream }
    }
}

impl<S: Read + Write> Client<S> {
    pub fn send(&mut self, request: &[u8]) {
        self.stream.write_all(request).expect("it reads");
    }

    /// The next answer must be exactly this.
    pub fn expect(&mut self, answer: &[u8]) {
        let mut got = vec![0; answer.len()];
        let mut len = 0;
        while len < got.len() {
            match self.stream.read(&mut got[len..]).expect("an answer") {
                0 => panic!("hung up after {:?}", excerpt(&got[..len])),
                more => len += more,
            }
            if got[..len] != answer[..len] {
                panic!("got {:?} instead of {:?}", excerpt(&got[..len]), excerpt(answer));
            }
        }
    }

    pub fn talk(&mut self, request: &str, answer: &str) {
        self.send(request.as_bytes());
        self.expect(answer.as_bytes());
    }

    /// What is answered, up to what it ends with.
    pub fn read_up_to(&mut self, end: &[u8]) -> String {
        let mut answer = Vec::new();
        let mut buffer = [0; 65536];
        while !answer.ends_with(end) {
            match self.stream.read(&mut buffer).expect("an answer") {
                0 => panic!("closed after {:?}", String::from_utf8_lossy(&answer)),
                len => answer.extend_from_slice(&buffer[..len]),
            }
        }
        String::from_utf8(answer).expect("text")
    }

    /// What is answered, up to so many line ends.
    pub fn read_up_to_lines(&mut self, lines: usize) -> Vec<String> {
        let mut answer = Vec::new();
        let mut byte = [0];
        while answer.iter().filter(|byte| **byte == b'\n').count() < lines {
            match self.stream.read(&mut byte).expect("an answer") {
                0 => panic!("closed after {:?}", String::from_utf8_lossy(&answer)),
                _ => answer.push(byte[0]),
            }
        }
        String::from_utf8(answer).expect("text").lines().map(str::to_owned).collect()
    }

    /// All that comes until the server hangs up.
    pub fn read_to_end(&mut self) -> Vec<u8> {
        let mut all = Vec::new();
        match self.stream.read_to_end(&mut all) {
            Err(error) if error.kind() != std::io::ErrorKind::ConnectionReset => panic!("{error} instead of an end"),
            _ => all,
        }
    }
}

/// Waits until the kernel of this machine has brought all that was sent to the server's end: nothing waits for an ACK.
pub fn await_delivery(stream: &TcpStream) {
    let port_of = |address: std::io::Result<SocketAddr>| format!(":{:04X}", address.expect("connected").port());
    let (from, to) = (port_of(stream.local_addr()), port_of(stream.peer_addr()));
    let is_underway = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.len() > 4 && words[1].ends_with(&from) && words[2].ends_with(&to) && !words[4].starts_with("00000000:")
    };
    while std::fs::read_to_string("/proc/net/tcp").expect("a table").lines().any(is_underway) {
        std::thread::yield_now();
    }
}

/// All of 127.0.0.0/8 is this machine, so each process of tests has an address of its own: nobody else takes the port
/// of a server that is killed and comes back.
pub fn own_address() -> Ipv4Addr {
    let [_, a, b, c] = std::process::id().to_be_bytes();
    Ipv4Addr::new(127, a, b, c)
}

fn excerpt(bytes: &[u8]) -> String {
    let tail = &bytes[bytes.len().saturating_sub(200)..];
    format!("{} bytes, ending in {}", bytes.len(), String::from_utf8_lossy(tail))
}

/// A server in a process of its own, which can be sent signals. Its test file calls `serve_if_told` in a test, and is
/// run again with that test alone.
pub struct Process {
    child: Child,
    stdout: BufReader<ChildStdout>,
    pub endpoints: Vec<String>,
}

const ARGUMENTS: &str = "LEVERET_TEST_SERVE";

impl Process {
    /// Serves the arena in `dir`, with the options `name=value` that `serve_if_told` knows.
    pub fn start(test: &str, dir: &Path, options: &str) -> Process {
        Process::try_start(test, dir, options, &[]).expect("it starts")
    }

    /// Err: what it said before it ended.
    pub fn try_start(test: &str, dir: &Path, options: &str, variables: &[(&str, &Path)]) -> Result<Process, String> {
        let mut command = Command::new(std::env::current_exe().expect("this test"));
        command.args(["--exact", test, "--nocapture", "--test-threads=1"]).current_dir(dir).env(ARGUMENTS, options);
        command.envs(variables.iter().copied()).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("this test runs again");
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut process = Process { child, stdout, endpoints: Vec::new() };
        let mut said = String::new();
        loop {
            let mut line = String::new();
            if process.stdout.read_line(&mut line).expect("a line") == 0 {
                return Err(said);
            }
            if let Some((_, endpoint)) = line.trim().split_once("endpoint ") {
                process.endpoints.push(endpoint.to_owned());
            }
            if line.trim().ends_with("serving") {
                return Ok(process);
            }
            said += &line;
        }
    }

    pub fn tcp(&self) -> SocketAddr {
        let of = |endpoint: &String| endpoint.strip_prefix("tcp ")?.split(' ').next()?.parse().ok();
        self.endpoints.iter().find_map(of).expect("a TCP address")
    }

    /// Bytes of memory that it has for itself: without the arena.
    pub fn own_memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).expect("it is told");
        line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") * 1024
    }

    pub fn signal(&self, signal: &str) {
        let killed = Command::new("kill").args([signal, &self.child.id().to_string()]).status().expect("kill");
        assert!(killed.success());
    }

    /// SIGKILL, and it is gone.
    pub fn kill(mut self) {
        self.child.kill().expect("its parent may");
        self.child.wait().expect("its parent may");
    }

    /// Whether it ended well.
    pub fn wait(mut self) -> bool {
        let mut rest = String::new();
        let _ = self.stdout.read_to_string(&mut rest);
        self.child.wait().expect("its parent may").success()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The other side of `Process`: nothing, unless this process is such a server.
pub fn serve_if_told() {
    let Ok(options) = std::env::var(ARGUMENTS) else { return };
    let mut settings = Settings { tcp_port: None, threads: 2, ..Settings::default() };
    for (name, value) in options.split_whitespace().filter_map(|option| option.split_once('=')) {
        match name {
            "listen" => {
                settings.listen = vec![Listen { host: value.to_owned(), port: None, security: Security::default() }]
            }
            "port" => settings.tcp_port = value.parse().ok(),
            "unix" => settings.unix_path = Some(value.into()),
            "udp" => settings.udp_port = value.parse().ok(),
            "memory_file" => settings.memory_file = Some(value.into()),
            _ => panic!("unknown option {name}"),
        }
    }
    let served = bind(&settings).and_then(|bound| {
        for endpoint in bound.endpoints() {
            println!("\nendpoint {endpoint}");
        }
        let here = std::env::current_dir().expect("a folder");
        let shared = Arc::new(Shared::new(arena(&here), settings).expect("good settings"));
        println!("\nserving");
        bound.run(shared)
    });
    if let Err(error) = served {
        println!("\n{error}");
        std::process::exit(3);
    }
    std::process::exit(0);
}

/// Each line of `conversation` is a request, or an answer if it begins with `< `. A `|` in an answer is a line end.
pub fn hold(client: &mut Client<TcpStream>, conversation: &str) {
    for line in conversation.lines().map(str::trim_start).filter(|line| !line.is_empty()) {
        match line.strip_prefix("< ") {
            None => client.send(format!("{line}\r\n").as_bytes()),
            Some(answer) => client.expect(format!("{}\r\n", answer.replace('|', "\r\n")).as_bytes()),
        }
    }
}
