//! A conversation with an arena of its own, and one with Debian's memcached.
#![allow(dead_code)]
use leveret_engine::{Arena, OpenOptions};
use leveret_server::{Next, Session, Settings, Shared, Transport, Worker};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// An arena, and one session with it.
pub struct Ours {
    pub worker: Worker,
    session: Session,
    pending: Vec<u8>,
    pub over: bool,
    _dir: tempfile::TempDir,
}

impl Ours {
    pub fn new(settings: Settings) -> Ours {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let options = OpenOptions::new().memory(64 << 20).evict(settings.evictions);
        let (arena, _) = Arena::open(&dir.path().join("talk.arena"), &options).expect("an arena");
        let shared = Shared::new(arena, settings).expect("good settings");
        Ours {
            worker: Worker::new(shared.into(), 0),
            session: Session::new(Transport::Local),
            pending: Vec::new(),
            over: false,
            _dir: dir,
        }
    }

    /// Another connection to the same server.
    pub fn reconnect(&mut self) {
        self.session = Session::new(Transport::Local);
        self.pending.clear();
        self.over = false;
    }

    /// What is answered to a datagram with these bytes in it, without its frame.
    pub fn datagram(&self, input: &[u8]) -> Vec<u8> {
        let mut output = Vec::new();
        Session::new(Transport::Udp).take(&self.worker, input, &mut output);
        output
    }

    /// What is answered to these bytes, as they come in one piece.
    pub fn talk(&mut self, input: &[u8]) -> Vec<u8> {
        self.pending.extend_from_slice(input);
        let mut answer = Vec::new();
        while !self.over {
            let mut output = Vec::new();
            let (consumed, next) = self.session.take(&self.worker, &self.pending, &mut output);
            answer.append(&mut output);
            self.pending.drain(..consumed);
            match next {
                Next::Read { total } => {
                    assert!(total > self.pending.len() || self.pending.is_empty(), "it waits for what it has");
                    break;
                }
                Next::Send | Next::Yield | Next::Busy => {}
                Next::Close | Next::Watch | Next::Stop { .. } => self.over = true,
            }
        }
        answer
    }

    pub fn say(&mut self, input: &str) -> String {
        String::from_utf8_lossy(&self.talk(input.as_bytes())).into_owned()
    }
}

/// The memcached that the server follows, where `./x test` has left it; `version` says which one. None: it could not be
/// had, and `./x test` counts that as skipped.
pub fn followed() -> Option<PathBuf> {
    let folder = format!("../../build/memcached-{}", leveret_server::VERSION);
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join("memcached");
    program.exists().then_some(program)
}

/// A memcached on a Unix socket, ended with its test.
pub struct Memcached {
    child: Child,
    pub stream: UnixStream,
    path: PathBuf,
    _dir: tempfile::TempDir,
}

impl Memcached {
    /// Debian 12's.
    pub fn start(options: &[&str]) -> Memcached {
        Memcached::start_in(options, &[])
    }

    /// Debian 12's, with these variables of the environment.
    pub fn start_in(options: &[&str], variables: &[(&str, &Path)]) -> Memcached {
        Memcached::start_as(Path::new("memcached"), options, variables)
    }

    pub fn start_as(program: &Path, options: &[&str], variables: &[(&str, &Path)]) -> Memcached {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("socket");
        let mut command = Command::new(program);
        command
            .arg("-s")
            .arg(&path)
            .args(["-u", "root", "-t", "1"])
            .args(options)
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stderr(Stdio::null());
        let mut child = command.spawn().expect("memcached is installed: ./x test installs it");
        for _ in 0..500 {
            if let Ok(stream) = UnixStream::connect(&path) {
                stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a socket");
                return Memcached { child, stream, path, _dir: dir };
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = child.kill();
        let _ = child.wait();
        panic!("memcached did not start");
    }

    pub fn reconnect(&mut self) {
        self.stream = self.another();
    }

    /// Another connection.
    pub fn another(&self) -> UnixStream {
        let stream = UnixStream::connect(&self.path).expect("it runs");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a socket");
        stream
    }

    /// What is answered to these bytes and, behind them, to `mark`, which both servers answer with `end`. None: it hung
    /// up; then the answer so far.
    pub fn talk(&mut self, input: &[u8], mark: &[u8], end: &[u8]) -> (Vec<u8>, bool) {
        let mut answer = Vec::new();
        if self.stream.write_all(&[input, mark].concat()).is_err() {
            return (answer, false);
        }
        let mut buffer = [0; 65536];
        loop {
            match self.stream.read(&mut buffer) {
                Ok(0) => return (answer, false),
                Ok(len) => answer.extend_from_slice(&buffer[..len]),
                Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => return (answer, false),
                Err(error) => panic!("{error} after {:?}", String::from_utf8_lossy(&answer)),
            }
            if answer.ends_with(end) {
                answer.truncate(answer.len() - end.len());
                return (answer, true);
            }
        }
    }
}

impl Drop for Memcached {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
