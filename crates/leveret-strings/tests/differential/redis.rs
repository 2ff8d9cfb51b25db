//! A redis-server of our own, on a socket in a temporary folder.
use leveret_protocol::resp::{parse_reply, ReplyBounds, RespVersion};
use leveret_protocol::Received;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

pub struct Redis {
    server: Child,
    stream: UnixStream,
    input: Vec<u8>,
    _folder: tempfile::TempDir,
}

impl Redis {
    /// None: it is not installed.
    pub fn start(databases: u32, value_max: usize) -> Option<Redis> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let socket = folder.path().join("redis.sock");
        let server = Command::new("redis-server")
            .args(["--port", "0", "--save", "", "--appendonly", "no", "--databases", &databases.to_string()])
            .args(["--proto-max-bulk-len", &value_max.to_string()])
            .arg("--dir")
            .arg(folder.path())
            .arg("--unixsocket")
            .arg(&socket)
            .stdout(Stdio::null())
            .spawn()
            .ok()?;
        for _ in 0..500 {
            if let Ok(stream) = UnixStream::connect(&socket) {
                stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a socket");
                return Some(Redis { server, stream, input: Vec::new(), _folder: folder });
            }
            thread::sleep(Duration::from_millis(10));
        }
        panic!("redis-server does not begin");
    }

    /// Empty databases, the first one, this version.
    pub fn begin(&mut self, version: RespVersion) {
        let hello = format!("HELLO {}\r\nSELECT 0\r\nFLUSHALL\r\n", version.number());
        self.talk(hello.as_bytes(), 3);
    }

    /// The bytes of each of so many replies.
    pub fn talk(&mut self, said: &[u8], replies: usize) -> Vec<Vec<u8>> {
        self.stream.write_all(said).expect("redis-server takes it");
        let mut answers = Vec::new();
        while answers.len() < replies {
            match parse_reply(&self.input, &ReplyBounds::default()) {
                Received::Answer { consumed, .. } => answers.push(self.input.drain(..consumed).collect()),
                Received::More { .. } => {
                    let mut piece = [0; 64 << 10];
                    let len = self.stream.read(&mut piece).unwrap_or_else(|error| {
                        panic!("{error}: {} of {replies} replies to {}", answers.len(), said.escape_ascii())
                    });
                    assert!(len > 0, "redis-server hung up after {}", said.escape_ascii());
                    self.input.extend_from_slice(&piece[..len]);
                }
                Received::Broken(why) => panic!("{why:?}: {}", self.input.escape_ascii()),
            }
        }
        assert!(self.input.is_empty(), "more replies than requests: {}", self.input.escape_ascii());
        answers
    }

    /// All that comes until the connection is closed, or nothing comes for a moment; whether it was closed. The next
    /// conversation has a new connection.
    pub fn talk_to_the_end(&mut self, said: &[u8]) -> (Vec<u8>, bool) {
        let path = self._folder.path().join("redis.sock");
        let mut stream = UnixStream::connect(path).expect("it is there");
        stream.set_read_timeout(Some(Duration::from_millis(60))).expect("a socket");
        // It may hang up in the middle.
        let _ = stream.write_all(said);
        let mut answer = Vec::new();
        let mut piece = [0; 4096];
        loop {
            match stream.read(&mut piece) {
                Ok(0) => return (answer, true),
                Ok(len) => answer.extend_from_slice(&piece[..len]),
                Err(error) if matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => {
                    return (answer, false)
                }
                Err(_) => return (answer, true),
            }
        }
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
