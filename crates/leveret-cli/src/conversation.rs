//! A conversation in memcached's text protocol: over a socket, or with an arena in this process, which needs no server.
//!
//! Data from a socket is not trusted: lines have a maximum length, memory for a value grows as it arrives and not as
//! announced, and a silent server times out.
use crate::json;
use crate::output::Failure;
use crate::peer::Peer;
use crate::sign_in;
use crate::target;
use leveret_client::pool::TlsOptions;
use leveret_engine::reason;
use leveret_protocol::percent;
use leveret_server::printable::steers;
use leveret_server::{Next, Session, Settings, Shared, Transport, Worker};
use serde::Serialize;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// Longer than any line of memcached: a key is at most 250 bytes, written as three letters each.
const LINE_MAX: u64 = 64 << 10;
/// Advice for a server whose certificate is refused, or that does not speak TLS.
const TLS_ADVICE: &str = "is it a port with TLS? LEVERET_TLS_CA_FILE names the trusted authorities, LEVERET_TLS_PEER_NAME the name in its certificate";
/// The largest item that a memcached can have (`-I`).
pub const VALUE_MAX: u64 = 1 << 30;

/// Flags and value of an item, if it is there.
pub type Fetched = Option<(u32, Vec<u8>)>;

pub struct Exchange {
    stream: BufReader<Box<dyn ExchangeStream>>,
    who: String,
    timeout: Duration,
}

pub trait ExchangeStream: Read + Write + Send {}
impl<T: Read + Write + Send> ExchangeStream for T {}

impl Exchange {
    pub fn begin(peer: &Peer, timeout: Duration) -> Result<Exchange, Failure> {
        let stream: Box<dyn ExchangeStream> = match peer {
            Peer::Arena { path, .. } => {
                let shared =
                    Shared::local(target::attach(path, None)?, Settings { track_sizes: true, ..Settings::default() })
                        .map_err(|error| Failure::Unreachable(error.to_string()))?;
                Box::new(Local {
                    worker: Worker::new(shared, 0),
                    session: Session::new(Transport::Local),
                    input: Vec::new(),
                    output: Vec::new(),
                    given: 0,
                })
            }
            socket => {
                let (socket, patience) = (socket.clone(), timeout);
                within(timeout, move || connect(&socket, patience))
                    .unwrap_or_else(|| Err(io::ErrorKind::TimedOut.into()))
                    .map_err(|error| unreachable(&peer.shown(), timeout, &error))?
            }
        };
        let mut begun = Exchange { stream: BufReader::with_capacity(64 << 10, stream), who: peer.shown(), timeout };
        if let Some(user) = peer.user() {
            begun.sign_in(user)?;
        }
        Ok(begun)
    }

    fn sign_in(&mut self, user: &str) -> Result<(), Failure> {
        let mut request = sign_in::request(user)?;
        // A server without users would store the password as an item.
        self.say(b"version\r\n")?;
        let answer = self.line().map_err(|failure| {
            Failure::Unreachable(format!(
                "{failure}; a server that speaks the binary protocol alone (-S) cannot be asked by commands"
            ))
        })?;
        if !answer.starts_with(b"CLIENT_ERROR unauthenticated") {
            leveret_tls::wipe(&mut request);
            self.check(&answer)?;
            return Err(Failure::Refused(format!("{} asks for no password: leave {user}@ out", self.who)));
        }
        let said = self.say(&request);
        leveret_tls::wipe(&mut request);
        said?;
        let answer = self.line()?;
        match answer.trim_ascii_end() {
            b"STORED" => Ok(()),
            _ => Err(Failure::Refused(format!("{} does not let the user {user} in: {}", self.who, printable(&answer)))),
        }
    }

    pub fn who(&self) -> &str {
        &self.who
    }

    pub fn say(&mut self, request: &[u8]) -> Result<(), Failure> {
        let stream = self.stream.get_mut();
        stream
            .write_all(request)
            .and_then(|()| stream.flush())
            .map_err(|error| unreachable(&self.who, self.timeout, &error))
    }

    /// The next line, with its end.
    pub fn line(&mut self) -> Result<Vec<u8>, Failure> {
        let mut line = Vec::new();
        (&mut self.stream)
            .take(LINE_MAX)
            .read_until(b'\n', &mut line)
            .map_err(|error| unreachable(&self.who, self.timeout, &error))?;
        match line.last() {
            Some(b'\n') => Ok(line),
            _ if line.len() as u64 == LINE_MAX => Err(self.nonsense(&line)),
            _ => Err(Failure::Unreachable(format!("{} closed the connection in the middle of its answer", self.who))),
        }
    }

    /// Collects the next line, with its end, of a server that speaks when it has something to say. False: it has said
    /// nothing for a while, and the line goes on at the next call.
    pub fn listen(&mut self, line: &mut Vec<u8>) -> Result<bool, Failure> {
        let room = LINE_MAX.saturating_sub(line.len() as u64);
        match (&mut self.stream).take(room).read_until(b'\n', line) {
            Ok(_) if line.ends_with(b"\n") => Ok(true),
            Ok(_) if line.len() as u64 >= LINE_MAX => Err(self.nonsense(line)),
            Ok(_) => Err(Failure::Unreachable(format!("{} has ended the connection", self.who))),
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => Ok(false),
            Err(error) => Err(unreachable(&self.who, self.timeout, &error)),
        }
    }

    /// A value of `len` bytes and its line end.
    pub fn value(&mut self, len: u64) -> Result<Vec<u8>, Failure> {
        let mut value = Vec::new();
        (&mut self.stream)
            .take(len + 2)
            .read_to_end(&mut value)
            .map_err(|error| unreachable(&self.who, self.timeout, &error))?;
        if value.len() as u64 != len + 2 {
            return Err(Failure::Unreachable(format!("{} closed the connection in the middle of a value", self.who)));
        }
        if !value.ends_with(b"\r\n") {
            return Err(self.nonsense(&value[value.len() - 2..]));
        }
        value.truncate(value.len() - 2);
        Ok(value)
    }

    /// Each line up to END. An error line in place of an answer is an error; `visit` returns whether to continue.
    pub fn lines(&mut self, mut visit: impl FnMut(&[u8]) -> Result<bool, Failure>) -> Result<(), Failure> {
        loop {
            let line = self.line()?;
            if line.starts_with(b"END") {
                return Ok(());
            }
            self.check(&line)?;
            if !visit(&line)? {
                return Ok(());
            }
        }
    }

    /// Walks over a server's items. `visit` gets each entry and its line, and returns whether to continue.
    pub fn metadump(&mut self, mut visit: impl FnMut(DumpLine, &[u8]) -> Result<bool, Failure>) -> Result<(), Failure> {
        self.say(b"lru_crawler metadump all\r\n")?;
        let who = self.who.clone();
        self.lines(|line| {
            // memcached 1.6.45 says this before the first item.
            if line.trim_ascii_end() == b"OK" {
                return Ok(true);
            }
            let entry = DumpLine::read(line).ok_or_else(|| {
                Failure::Unreachable(format!(
                    "{who} dumps a line that is none of memcached's: '{}'",
                    printable(&line[..line.len().min(80)])
                ))
            })?;
            visit(entry, line)
        })
    }

    /// Items by their keys, which all are asked for before the first answer is read: flags and value each, None where
    /// there is none.
    pub fn get_all(&mut self, keys: &[&[u8]]) -> Result<Vec<Fetched>, Failure> {
        let requests: Vec<u8> = keys.iter().flat_map(|key| [b"get ", *key, b"\r\n"].concat()).collect();
        self.say(&requests)?;
        keys.iter().map(|key| self.item(key)).collect()
    }

    fn item(&mut self, key: &[u8]) -> Result<Fetched, Failure> {
        let line = self.line()?;
        if line.starts_with(b"END") {
            return Ok(None);
        }
        self.check(&line)?;
        let words: Vec<&[u8]> = line.trim_ascii_end().split(|byte| *byte == b' ').collect();
        let number = |word: &[u8]| std::str::from_utf8(word).ok().and_then(|word| word.parse::<u64>().ok());
        let &[b"VALUE", found, flags, len] = &words[..] else { return Err(self.nonsense(&line)) };
        let (Some(flags), Some(len)) = (number(flags).and_then(|flags| u32::try_from(flags).ok()), number(len)) else {
            return Err(self.nonsense(&line));
        };
        if found != key || len > VALUE_MAX {
            return Err(self.nonsense(&line));
        }
        let value = self.value(len)?;
        let end = self.line()?;
        if end.starts_with(b"END") {
            Ok(Some((flags, value)))
        } else {
            Err(self.nonsense(&end))
        }
    }

    /// The server may refuse with an error line.
    pub fn check(&self, line: &[u8]) -> Result<(), Failure> {
        if [&b"ERROR"[..], b"CLIENT_ERROR", b"SERVER_ERROR", b"BUSY"].iter().any(|word| line.starts_with(word)) {
            let advice = if line.starts_with(b"CLIENT_ERROR unauthenticated") {
                format!("; {}", sign_in::ADVICE)
            } else {
                String::new()
            };
            return Err(Failure::Refused(format!("{} answers: {}{advice}", self.who, printable(line))));
        }
        Ok(())
    }

    /// It says something that no memcached says.
    pub fn nonsense(&self, said: &[u8]) -> Failure {
        Failure::Unreachable(format!(
            "{} does not speak memcached's protocol: it says '{}'",
            self.who,
            printable(&said[..said.len().min(80)])
        ))
    }
}

/// A line of a dump.
#[derive(Debug, PartialEq)]
pub struct DumpLine {
    /// The key, decoded.
    pub key: Vec<u8>,
    /// Unix time, or -1.
    pub exp: i64,
    la: i64,
    cas: u64,
    fetched: bool,
    size: u64,
}

/// The same as a line of --json, with the value if it was fetched.
#[derive(Serialize)]
pub struct JsonEntry<'a> {
    #[serde(flatten)]
    key: json::Bytes<'a>,
    exp: i64,
    la: i64,
    cas: u64,
    fetched: bool,
    size: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    flags: Option<u32>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    value: Option<json::Bytes<'a>>,
}

impl DumpLine {
    /// `key=KEY exp=N la=N cas=N fetch=yes|no cls=N size=N`, in any order after the key; unknown words are skipped.
    fn read(line: &[u8]) -> Option<DumpLine> {
        let text = std::str::from_utf8(line.trim_ascii_end()).ok()?;
        let mut words = text.split(' ');
        let key = percent::decode(words.next()?.strip_prefix("key=")?.as_bytes())?;
        let mut entry = DumpLine { key, exp: -1, la: 0, cas: 0, fetched: false, size: 0 };
        for (name, value) in words.filter_map(|word| word.split_once('=')) {
            match name {
                "exp" => entry.exp = value.parse().ok()?,
                "la" => entry.la = value.parse().ok()?,
                "cas" => entry.cas = value.parse().ok()?,
                "fetch" => entry.fetched = value == "yes",
                "size" => entry.size = value.parse().ok()?,
                _ => {}
            }
        }
        Some(entry)
    }

    pub fn json<'a>(&'a self, item: Option<(u32, &'a [u8])>) -> JsonEntry<'a> {
        let DumpLine { exp, la, cas, fetched, size, .. } = *self;
        let (flags, value) = item.unzip();
        JsonEntry { key: json::key(&self.key), exp, la, cas, fetched, size, flags, value: value.map(json::value) }
    }
}

fn printable(line: &[u8]) -> String {
    String::from_utf8_lossy(line.trim_ascii_end())
        .chars()
        .map(|letter| if steers(letter) { '?' } else { letter })
        .collect()
}

fn unreachable(who: &str, timeout: Duration, error: &io::Error) -> Failure {
    let reason = reason(error);
    Failure::Unreachable(match error.kind() {
        // A read or write that has run out of time calls it so.
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
            format!("{who} does not answer within {} ms", timeout.as_millis())
        }
        io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound => {
            format!("cannot connect to {who}: {reason}; is a server running there?")
        }
        io::ErrorKind::InvalidData if who.starts_with("tls://") => {
            format!("cannot talk to {who}: {reason}; {TLS_ADVICE}")
        }
        io::ErrorKind::PermissionDenied if who.starts_with('/') => {
            format!("cannot talk to {who}: {reason}; the socket is for its owner, or with '-a 770' of the server for its group")
        }
        _ => format!("cannot talk to {who}: {reason}"),
    })
}

/// Runs `work` in a thread of its own, with a time-out. Resolving a name, or connecting to a socket whose server does
/// not accept, has no time-out of its own; the thread ends with the process.
pub fn within<T: Send + 'static>(timeout: Duration, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(work()));
    receiver.recv_timeout(timeout).ok()
}

fn connect(peer: &Peer, timeout: Duration) -> io::Result<Box<dyn ExchangeStream>> {
    match peer {
        Peer::Tcp { host, port, has_tls, .. } => {
            let stream = connect_tcp(host, *port, timeout)?;
            stream.set_nodelay(true)?;
            stream.set_read_timeout(Some(timeout))?;
            stream.set_write_timeout(Some(timeout))?;
            if *has_tls {
                return Ok(Box::new(
                    tls_options().over(host, stream).map_err(|why| io::Error::new(io::ErrorKind::InvalidData, why))?,
                ));
            }
            Ok(Box::new(stream))
        }
        Peer::Unix { path, .. } | Peer::Arena { path, .. } => {
            if path.metadata().is_ok_and(|found| !found.file_type().is_socket()) {
                return Err(io::Error::other("there is a file or folder that is no socket"));
            }
            let stream = UnixStream::connect(path)?;
            stream.set_read_timeout(Some(timeout))?;
            stream.set_write_timeout(Some(timeout))?;
            Ok(Box::new(stream))
        }
    }
}

/// From the environment, as in php.ini. Empty counts as unset.
fn tls_options() -> TlsOptions {
    let path = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let text = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    TlsOptions {
        ca_file: path("LEVERET_TLS_CA_FILE"),
        peer_name: text("LEVERET_TLS_PEER_NAME"),
        certificate: path("LEVERET_TLS_CERTIFICATE"),
        key: path("LEVERET_TLS_KEY"),
        verify: text("LEVERET_TLS_VERIFY").as_deref() != Some("0"),
    }
}

/// The first address of the name that answers.
fn connect_tcp(host: &str, port: u16, timeout: Duration) -> io::Result<TcpStream> {
    let begun = Instant::now();
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    for address in (host, port).to_socket_addrs()? {
        let left =
            timeout.checked_sub(begun.elapsed()).filter(|left| !left.is_zero()).ok_or(io::ErrorKind::TimedOut)?;
        match TcpStream::connect_timeout(&address, left) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// The other end of a conversation without a socket: written requests are executed when their answers are read.
struct Local {
    worker: Worker,
    session: Session,
    input: Vec<u8>,
    output: Vec<u8>,
    /// Bytes of `output` that have been read.
    given: usize,
}

impl Read for Local {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.given == self.output.len() {
            self.output.clear();
            self.given = 0;
            self.answer();
        }
        let len = buffer.len().min(self.output.len() - self.given);
        buffer[..len].copy_from_slice(&self.output[self.given..self.given + len]);
        self.given += len;
        Ok(len)
    }
}

impl Local {
    /// Executes what there is, until there is something to read or nothing to do.
    fn answer(&mut self) {
        while self.output.is_empty() {
            let (consumed, next) = self.session.take(&self.worker, &self.input, &mut self.output);
            self.input.drain(..consumed);
            match next {
                Next::Send | Next::Yield | Next::Busy => {}
                Next::Read { .. } | Next::Close | Next::Watch | Next::Stop { .. } => return,
            }
        }
    }
}

impl Write for Local {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.input.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_hangs_is_not_waited_for() {
        let (never, hangs) = mpsc::channel::<()>();
        assert_eq!(within(Duration::from_millis(1), move || hangs.recv().is_ok()), None);
        assert_eq!(within(Duration::from_secs(3600), || 7), Some(7));
        drop(never);
    }

    const PATIENCE: Duration = Duration::from_secs(60);

    /// A server that says these bytes and then keeps its end open or closes it.
    fn server(says: &'static [u8], stays: bool, timeout: Duration) -> (Exchange, UnixStream) {
        let (ours, mut theirs) = UnixStream::pair().expect("a pair of sockets");
        ours.set_read_timeout(Some(timeout)).expect("a timeout");
        theirs.write_all(says).expect("written");
        if !stays {
            theirs.shutdown(std::net::Shutdown::Both).expect("closed");
        }
        (Exchange { stream: BufReader::new(Box::new(ours)), who: "it".to_owned(), timeout }, theirs)
    }

    fn said(failure: Failure) -> String {
        match failure {
            Failure::Unreachable(text) | Failure::Refused(text) => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn silence_closed_ends_and_nonsense_are_clear_errors() {
        let (mut silent, _end) = server(b"STAT a", true, Duration::from_millis(50));
        assert_eq!(said(silent.line().expect_err("silence")), "it does not answer within 50 ms");
        let (mut closed, _end) = server(b"STAT a", false, PATIENCE);
        assert_eq!(said(closed.line().expect_err("an end")), "it closed the connection in the middle of its answer");
        let (mut short, _end) = server(b"12345", false, PATIENCE);
        assert_eq!(
            said(short.value(1 << 30).expect_err("an end")),
            "it closed the connection in the middle of a value"
        );
        let (mut wrong, _end) = server(b"12345\r\n", true, PATIENCE);
        assert_eq!(said(wrong.value(4).expect_err("nonsense")), "it does not speak memcached's protocol: it says '5'");
        let (mut busy, _end) = server(b"BUSY\x1b[2J currently processing\r\n", true, PATIENCE);
        assert_eq!(said(busy.lines(|_| Ok(true)).expect_err("a refusal")), "it answers: BUSY?[2J currently processing");
    }

    #[test]
    fn a_line_without_an_end_is_given_up() {
        let (mut endless, mut end) = server(b"", true, PATIENCE);
        let writer = thread::spawn(move || {
            let _ = end.write_all(&vec![b'x'; LINE_MAX as usize + 10]);
            end
        });
        assert!(said(endless.line().expect_err("too long"))
            .starts_with("it does not speak memcached's protocol: it says 'xxx"));
        writer.join().expect("a thread");
    }
}
