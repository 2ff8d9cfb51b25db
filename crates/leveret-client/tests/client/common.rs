//! Debian's memcached and PHP, started for one test.
use leveret_client::pool::{Code, Pool, Request};
use leveret_engine::{Arena, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

/// A folder for arenas; it goes with the test.
pub struct Folder(pub PathBuf);

impl Folder {
    /// `name` tells the folders of one program apart.
    pub fn new(name: &str) -> Folder {
        let path = PathBuf::from("/dev/shm").join(format!("leveret-client-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn arena(&self, name: &str) -> Arena {
        Arena::open(&self.0.join(format!("{name}.arena")), &OpenOptions::new().memory(8 << 20)).unwrap().0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What requests come to, in their order: code, value, count. A get that finds nothing is NotFound, statistics are
/// their end.
pub fn answers(pool: &mut Pool, requests: &[Request<'_>]) -> Vec<(Code, Vec<u8>, u64)> {
    pool.begin();
    for request in requests {
        pool.add(request).unwrap();
    }
    pool.run();
    let mut answers = vec![(Code::NotFound, Vec::new(), 0); requests.len()];
    while let Some(answer) = pool.next_answer() {
        if answer.code != Code::Stat {
            answers[answer.request] = (answer.code, answer.value.to_vec(), answer.number);
        }
    }
    answers
}

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
    /// At a free port of this process's address, UDP at the same number.
    pub fn tcp() -> Memcached {
        Memcached::tcp_at(free_port())
    }

    pub fn tcp_at(port: u16) -> Memcached {
        Memcached::start(
            Place::Tcp(port),
            &["-l", &own_address().to_string(), "-p", &port.to_string(), "-U", &port.to_string()],
        )
    }

    /// With further words on its command line.
    pub fn tcp_with(port: u16, options: &[&str]) -> Memcached {
        let (address, number) = (own_address().to_string(), port.to_string());
        Memcached::start(Place::Tcp(port), &[&["-l", &address, "-p", &number], options].concat())
    }

    pub fn unix(path: &Path) -> Memcached {
        Memcached::start(Place::Unix(path.to_path_buf()), &["-s", path.to_str().unwrap(), "-a", "0777"])
    }

    fn start(place: Place, listen: &[&str]) -> Memcached {
        let process = Command::new("memcached")
            .args(["-u", "root", "-m", "128", "-t", "1"])
            .args(listen)
            .spawn()
            .expect("memcached is installed");
        let mut server = Memcached { process, place };
        let until = Instant::now() + Duration::from_secs(60);
        while server.connect().is_err() {
            let ended = server.process.try_wait().unwrap();
            assert!(
                ended.is_none() && Instant::now() < until,
                "memcached does not start at {:?}: {ended:?}",
                server.place
            );
            std::thread::sleep(Duration::from_millis(10));
        }
        server
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
            Place::Tcp(_) => own_address().to_string(),
            Place::Unix(path) => path.display().to_string(),
        }
    }

    fn connect(&self) -> std::io::Result<Box<dyn Stream>> {
        Ok(match &self.place {
            Place::Tcp(port) => Box::new(TcpStream::connect((own_address(), *port))?),
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

/// All of 127.0.0.0/8 is this machine, so each process of tests has an address of its own: nobody else takes a port
/// there, not even that of a server that is killed and comes back.
pub fn own_address() -> Ipv4Addr {
    let [_, a, b, c] = std::process::id().to_be_bytes();
    Ipv4Addr::new(127, a, b, c)
}

/// A port of `own_address` that no other caller gets.
pub fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(15_000);
    NEXT.fetch_add(1, Ordering::Relaxed)
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
