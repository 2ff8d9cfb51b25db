//! Debian's memcached and PHP, started for one test.
#![allow(dead_code)]
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

/// A memcached of this test's own; killed with it.
pub struct Memcached {
    process: Child,
    pub place: Place,
}

#[derive(Clone, Debug)]
pub enum Place {
    Tcp(u16),
    Unix(PathBuf),
}

impl Memcached {
    /// At a free loopback port, UDP at the same number.
    pub fn tcp() -> Memcached {
        Memcached::tcp_at(free_port())
    }

    pub fn tcp_at(port: u16) -> Memcached {
        Memcached::start(Place::Tcp(port), &["-l", "127.0.0.1", "-p", &port.to_string(), "-U", &port.to_string()])
    }

    pub fn unix(path: &Path) -> Memcached {
        Memcached::start(Place::Unix(path.to_path_buf()), &["-s", path.to_str().unwrap(), "-a", "0777"])
    }

    fn start(place: Place, listen: &[&str]) -> Memcached {
        let process =
            Command::new("memcached").args(["-u", "root", "-m", "128", "-t", "1"]).args(listen).spawn().expect("memcached is installed");
        let server = Memcached { process, place };
        for _ in 0..500 {
            if server.connect().is_ok() {
                return server;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("memcached does not start at {:?}", server.place);
    }

    pub fn port(&self) -> u16 {
        match &self.place {
            Place::Tcp(port) => *port,
            Place::Unix(_) => 0,
        }
    }

    /// What the client under test is told.
    pub fn host(&self) -> String {
        match &self.place {
            Place::Tcp(_) => "127.0.0.1".to_string(),
            Place::Unix(path) => path.display().to_string(),
        }
    }

    fn connect(&self) -> std::io::Result<Box<dyn Stream>> {
        Ok(match &self.place {
            Place::Tcp(port) => Box::new(TcpStream::connect(("127.0.0.1", *port))?),
            Place::Unix(path) => Box::new(std::os::unix::net::UnixStream::connect(path)?),
        })
    }

    /// Flags and value as they lie in the server.
    pub fn raw(&self, key: &str) -> Option<(u32, Vec<u8>)> {
        let mut stream = self.connect().unwrap();
        write!(stream, "get {key}\r\n").unwrap();
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        let ["VALUE", _, flags, len] = words[..] else { return None };
        let mut value = vec![0; len.parse().unwrap()];
        reader.read_exact(&mut value).unwrap();
        Some((flags.parse().unwrap(), value))
    }

    pub fn store(&self, key: &str, flags: u32, value: &[u8]) {
        let mut stream = self.connect().unwrap();
        write!(stream, "set {key} {flags} 0 {}\r\n", value.len()).unwrap();
        stream.write_all(value).unwrap();
        stream.write_all(b"\r\n").unwrap();
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line).unwrap();
        assert_eq!(line, "STORED\r\n", "{key}");
    }

    /// SIGKILL: nothing is said to the peers.
    pub fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Drop for Memcached {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

trait Stream: Read + Write {}
impl<T: Read + Write> Stream for T {}

/// A port that was free a moment ago. It lies below those that the kernel gives to clients, and is given once in a process: a
/// server that is killed finds its port free when it comes back.
pub fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    loop {
        let first = 15_000 + (std::process::id() % 1000) as u16 * 16;
        let port = first + NEXT.fetch_add(1, Ordering::Relaxed) % 1000;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() && UdpSocket::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// Runs a script with Debian's extensions and nothing else; gives its output.
pub fn php(script: &str, arguments: &[&str]) -> String {
    let checked = format!(
        "foreach (['memcached', 'memcache'] as $name) {{ if (!extension_loaded($name) || extension_loaded('leveret')) {{ exit(\"$name is not the peer's\"); }} }} {script}"
    );
    let extensions = ["msgpack", "igbinary", "memcached", "memcache"].map(|name| format!("extension={name}"));
    let output = Command::new("php")
        .args(["-n", "-d", "display_errors=stderr", "-d", "error_reporting=8191"])
        .args(extensions.iter().flat_map(|setting| ["-d", setting]))
        .args(["-r", &checked, "--"])
        .args(arguments)
        .stderr(Stdio::inherit())
        .output()
        .expect("php is installed");
    String::from_utf8(output.stdout).unwrap()
}
