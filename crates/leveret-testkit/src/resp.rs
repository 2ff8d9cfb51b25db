//! A torture worker's store behind a socket: the arena as clients of Redis have it, through a server that is killed and stopped
//! as everybody else is.
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use leveret_engine::{Arena, Deadline, Error, Time};
use leveret_server::redis::settings::{RedisPlace, RedisSettings};
use leveret_server::{Settings, Shared};
use nix::sys::signal::{raise, Signal};

use crate::oracle::Ledger;
use crate::process::HANG_SECS;
use crate::rng::Rng;
use crate::stores::KeyStore;

/// Where the server of a storm listens.
pub fn socket_path(folder: &Path) -> PathBuf {
    folder.join("redis.sock")
}

/// Serves an arena to clients of Redis, until killed.
pub fn serve(arena: Arena, folder: &Path) -> Result<String, String> {
    let settings = Settings {
        tcp_port: Some(0),
        udp_port: Some(0),
        threads: 2,
        item_size_max: arena.value_max(),
        redis: Some(RedisSettings::new(RedisPlace::Unix(socket_path(folder)))),
        ..Settings::default()
    };
    let bound = leveret_server::bind(&settings).map_err(|error| error.to_string())?;
    let shared = Shared::new(arena, settings).map_err(|error| error.to_string())?;
    bound.run(Arc::new(shared)).map(|()| String::new()).map_err(|error| error.to_string())
}

/// A reply.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Reply {
    Text(String),
    Error(String),
    Number(i64),
    Bytes(Vec<u8>),
    Nil,
    List(Vec<Reply>),
}

/// A connection to the server.
pub struct RespStore {
    stream: BufReader<UnixStream>,
    rng: Rng,
}

impl RespStore {
    /// Connects; the server may be dead just now.
    pub fn connect(folder: &Path, rng: Rng) -> Result<RespStore, String> {
        let begun = Instant::now();
        loop {
            match UnixStream::connect(socket_path(folder)) {
                Ok(stream) => return Ok(RespStore { stream: BufReader::new(stream), rng }),
                Err(error) if begun.elapsed() > Duration::from_secs(u64::from(HANG_SECS)) => {
                    return Err(format!("no server came: {error}"))
                }
                Err(_) => std::thread::sleep(Duration::from_millis(2)),
            }
        }
    }

    /// Asks several commands at once. If the server is killed meanwhile, so is this process: what became of the request
    /// is for those to find out who take the slot over.
    fn ask_all(&mut self, requests: &[&[&[u8]]]) -> Vec<Reply> {
        let mut sent = Vec::new();
        for words in requests {
            let _ = write!(sent, "*{}\r\n", words.len());
            for word in *words {
                let _ = write!(sent, "${}\r\n", word.len());
                sent.extend_from_slice(word);
                sent.extend_from_slice(b"\r\n");
            }
        }
        let mut talk = || -> io::Result<Vec<Reply>> {
            self.stream.get_mut().write_all(&sent)?;
            requests.iter().map(|_| read(&mut self.stream)).collect()
        };
        match talk() {
            Ok(replies) => replies,
            Err(error) if error.kind() == io::ErrorKind::InvalidData => panic!("{error}"),
            Err(_) => {
                let _ = raise(Signal::SIGKILL);
                unreachable!("killed")
            }
        }
    }

    fn ask(&mut self, words: &[&[u8]]) -> Reply {
        self.ask_all(&[words]).remove(0)
    }

    /// A counter.
    fn number(&mut self, key: &[u8]) -> Option<u64> {
        match self.ask(&[b"GET", key]) {
            Reply::Bytes(text) => Some(String::from_utf8_lossy(&text).trim_end().parse().unwrap_or(u64::MAX - 1)),
            Reply::Nil => None,
            other => panic!("a read was answered {other:?}"),
        }
    }

    /// One of several commands that do the same.
    fn pick<'a>(&mut self, names: &[&'a str]) -> &'a str {
        self.rng.pick::<&str>(names)
    }
}

fn read(stream: &mut impl BufRead) -> io::Result<Reply> {
    let invalid = |line: &[u8]| io::Error::new(io::ErrorKind::InvalidData, format!("a reply begins {line:?}"));
    let mut line = Vec::new();
    stream.read_until(b'\n', &mut line)?;
    let Some((kind, text)) = line.strip_suffix(b"\r\n").and_then(|line| line.split_first()) else {
        return Err(if line.is_empty() { io::ErrorKind::UnexpectedEof.into() } else { invalid(&line) });
    };
    let text = std::str::from_utf8(text).map_err(|_| invalid(&line))?.to_owned();
    let number = || text.parse::<i64>().map_err(|_| invalid(&line));
    Ok(match kind {
        b'+' => Reply::Text(text),
        b'-' => Reply::Error(text),
        b':' => Reply::Number(number()?),
        b'$' | b'*' if number()? < 0 => Reply::Nil,
        b'$' => {
            let mut bytes = vec![0; number()? as usize + 2];
            stream.read_exact(&mut bytes)?;
            bytes.truncate(bytes.len() - 2);
            Reply::Bytes(bytes)
        }
        b'*' => Reply::List((0..number()?).map(|_| read(stream)).collect::<io::Result<_>>()?),
        _ => return Err(invalid(&line)),
    })
}

/// The engine's refusals in Redis' words. Any other error is none that may be.
fn refusal(text: &str) -> Error {
    match text.split(' ').next() {
        Some("OOM") => Error::NoMemory,
        Some("BUSY" | "TRYAGAIN") => Error::Busy,
        _ => panic!("the server has answered {text}"),
    }
}

fn accepted(reply: Reply) -> Result<Reply, Error> {
    match reply {
        Reply::Error(text) => Err(refusal(&text)),
        reply => Ok(reply),
    }
}

/// Early by more than two clocks differ: a cache may forget, but never keep.
fn unix_millis(deadline: Deadline) -> Option<String> {
    deadline.unix_millis().map(|millis| (millis - 20).to_string())
}

impl KeyStore for RespStore {
    fn get(&mut self, key: &[u8], _now: Time) -> Option<Vec<u8>> {
        let reply = match self.pick(&["GET", "MGET", "GETRANGE", "EXEC"]) {
            "GET" => self.ask(&[b"GET", key]),
            "MGET" => self.ask(&[b"MGET", b"no such key", key]),
            "GETRANGE" => match self.ask(&[b"GETRANGE", key, b"0", b"-1"]) {
                Reply::Bytes(bytes) if bytes.is_empty() => Reply::Nil,
                reply => reply,
            },
            _ => self.ask_all(&[&[b"MULTI"], &[b"GET", key], &[b"EXEC"]]).remove(2),
        };
        match reply {
            Reply::Bytes(value) => Some(value),
            Reply::Nil => None,
            Reply::List(mut replies) => match replies.pop() {
                Some(Reply::Bytes(value)) => Some(value),
                Some(Reply::Nil) => None,
                other => panic!("a read was answered {other:?}"),
            },
            other => panic!("a read was answered {other:?}"),
        }
    }

    fn set(&mut self, key: &[u8], value: &[u8], deadline: Deadline, _now: Time) -> Result<(), Error> {
        let reply = match unix_millis(deadline) {
            Some(millis) => self.ask(&[b"SET", key, value, b"PXAT", millis.as_bytes()]),
            None => match self.pick(&["SET", "MSET", "EXEC"]) {
                "SET" => self.ask(&[b"SET", key, value]),
                "MSET" => self.ask(&[b"MSET", key, value]),
                _ => match self.ask_all(&[&[b"MULTI"], &[b"SET", key, value], &[b"EXEC"]]).remove(2) {
                    Reply::List(mut replies) if replies.len() == 1 => replies.remove(0),
                    other => panic!("EXEC was answered {other:?}"),
                },
            },
        };
        match accepted(reply)? {
            Reply::Text(text) if text == "OK" => Ok(()),
            other => panic!("SET was answered {other:?}"),
        }
    }

    /// Redis creates what is not there, with the piece that was to follow.
    fn append(&mut self, key: &[u8], more: &[u8], _now: Time) -> Result<bool, Error> {
        match accepted(self.ask(&[b"APPEND", key, more]))? {
            Reply::Number(len) if len >= more.len() as i64 => Ok(true),
            other => panic!("APPEND was answered {other:?}"),
        }
    }

    fn delete(&mut self, key: &[u8], _now: Time) -> Result<bool, Error> {
        let name = self.pick(&["DEL", "UNLINK", "GETDEL"]);
        match accepted(self.ask(&[name.as_bytes(), key]))? {
            Reply::Number(count @ (0 | 1)) => Ok(count == 1),
            Reply::Bytes(_) => Ok(true),
            Reply::Nil => Ok(false),
            other => panic!("{name} was answered {other:?}"),
        }
    }

    fn touch(&mut self, key: &[u8], deadline: Deadline, _now: Time) -> Result<bool, Error> {
        let reply = match unix_millis(deadline) {
            Some(millis) => self.ask(&[b"PEXPIREAT", key, millis.as_bytes()]),
            None => self.ask(&[b"PERSIST", key]),
        };
        match accepted(reply)? {
            Reply::Number(count @ (0 | 1)) => Ok(count == 1),
            other => panic!("PEXPIREAT was answered {other:?}"),
        }
    }

    /// INCR would create it with 1, so by WATCH: what is forgotten in between fails the transaction.
    fn count(&mut self, key: &[u8], initial: u64, _now: Time) -> Result<u64, Error> {
        loop {
            self.ask(&[b"WATCH", key]);
            let value = self.number(key);
            let next = value.map_or(initial, |value| value + 1);
            let text = next.to_string();
            match self.ask_all(&[&[b"MULTI"], &[b"SET", key, text.as_bytes()], &[b"EXEC"]]).remove(2) {
                Reply::Nil => continue,
                Reply::List(mut replies) if replies.len() == 1 => {
                    accepted(replies.remove(0))?;
                    return Ok(next);
                }
                other => panic!("EXEC was answered {other:?}"),
            }
        }
    }

    fn flushes_done(&self, ledger: &Ledger) -> u64 {
        ledger.flushes_done()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_read_whole_or_not_at_all() {
        let bytes = b"*5\r\n+OK\r\n:-7\r\n$3\r\na\r\n\r\n$-1\r\n-OOM no\r\n";
        let want = Reply::List(vec![
            Reply::Text("OK".to_owned()),
            Reply::Number(-7),
            Reply::Bytes(b"a\r\n".to_vec()),
            Reply::Nil,
            Reply::Error("OOM no".to_owned()),
        ]);
        assert_eq!(read(&mut &bytes[..]).expect("a reply"), want);
        for cut in 0..bytes.len() {
            assert!(read(&mut &bytes[..cut]).is_err(), "{cut}");
        }
        assert_eq!(read(&mut &b"?1\r\n"[..]).expect_err("no reply").kind(), io::ErrorKind::InvalidData);
    }
}
