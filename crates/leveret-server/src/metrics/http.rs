//! Metrics over HTTP, for a scraper on this machine. One thread has all connections; each may stay for some seconds and
//! say a few KiB, and beyond a number of them the next takes the place of the oldest. Workers never meet them.
use super::{text, Source};
use crate::net::listen::{self, Listener, SocketFile};
use crate::serve_error::ServeError;
use crate::settings::{MetricsAddress, Security};
use crate::{Settings, Shared};
use rustix::event::{poll, PollFd, PollFlags, Timespec};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::{read, Errno};
use rustix::net::{accept_with, send, shutdown, SendFlags, Shutdown, SocketFlags};
use std::io;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// A connection that is still open after this time is closed in any state.
const PATIENCE: Duration = Duration::from_secs(5);

/// Connections at the same time. A scraper sends its request at once, so it is answered before others can take its place.
const CONNECTIONS: usize = 32;

/// The longest request, with its headers.
const REQUEST_MAX: usize = 8 << 10;

/// Without free file descriptors accepting is tried again after this time.
const PAUSE: Duration = Duration::from_millis(100);

/// Takes the address.
pub(crate) fn bind(
    address: &MetricsAddress,
    settings: &Settings,
) -> Result<(Listener, Option<SocketFile>), ServeError> {
    match address {
        MetricsAddress::Tcp(address) => listen::tcp_listener(*address, settings.backlog, Security::Plain)
            .map(|listener| (listener, None))
            .map_err(|source| ServeError::Bind { address: format!("{address} (--metrics)"), source }),
        MetricsAddress::Unix(path) => {
            listen::unix(path, settings.unix_mode, settings.backlog).map(|(listener, file)| (listener, Some(file)))
        }
    }
}

/// The thread. Dropped, it ends.
pub(crate) struct Http {
    /// Closed, it wakes the thread.
    stop: Option<UnixStream>,
    thread: Option<JoinHandle<()>>,
}

impl Http {
    pub(crate) fn start(listener: Listener, shared: Arc<Shared>) -> io::Result<Http> {
        let (stop, stopped) = UnixStream::pair()?;
        let thread = thread::Builder::new()
            .name("leveret-metrics".to_owned())
            .spawn(move || serve(&listener.socket, &stopped, PATIENCE, || text(&[Source::server(&shared)])))?;
        Ok(Http { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn serve(listener: &OwnedFd, stopped: &UnixStream, patience: Duration, metrics: impl Fn() -> String) {
    let mut connections: Vec<Connection> = Vec::new();
    let mut paused_until: Option<Instant> = None;
    loop {
        let now = Instant::now();
        paused_until = paused_until.filter(|until| *until > now);
        let accepts = paused_until.is_none();
        let ends = connections.iter().map(|connection| connection.ends).chain(paused_until).min();
        // A moment more, so that what ends then has ended.
        let timeout = ends.map(|ends| ends.saturating_duration_since(now) + Duration::from_millis(1));
        let ready = {
            let mut polled = vec![PollFd::new(stopped, PollFlags::IN)];
            polled.push(PollFd::new(listener, if accepts { PollFlags::IN } else { PollFlags::empty() }));
            polled.extend(connections.iter().map(|connection| PollFd::new(&connection.socket, connection.waits_for())));
            match poll(&mut polled, timeout.and_then(|timeout| Timespec::try_from(timeout).ok()).as_ref()) {
                Err(Errno::INTR) => continue,
                // No memory: in a moment there may be some.
                Err(_) => {
                    thread::sleep(PAUSE);
                    continue;
                }
                Ok(_) => polled.iter().map(|fd| !fd.revents().is_empty()).collect::<Vec<bool>>(),
            }
        };
        if ready[0] {
            return;
        }
        let now = Instant::now();
        let mut ready_connections = ready[2..].iter();
        connections.retain_mut(|connection| {
            let is_ready = ready_connections.next().is_some_and(|ready| *ready);
            now < connection.ends && (!is_ready || connection.go_on(&metrics))
        });
        if ready[1] && accepts {
            match accept_with(listener, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK) {
                Ok(socket) => {
                    if connections.len() >= CONNECTIONS {
                        // The oldest that is not answered now: connections are in the order in which they came.
                        let is_answered = |connection: &Connection| matches!(connection.does, Does::Answers(..));
                        let oldest = connections.iter().position(|connection| !is_answered(connection)).unwrap_or(0);
                        connections.remove(oldest);
                    }
                    connections.push(Connection::new(socket, now + patience));
                }
                Err(Errno::MFILE | Errno::NFILE | Errno::NOBUFS | Errno::NOMEM) => paused_until = Some(now + PAUSE),
                // The client has gone again.
                Err(_) => {}
            }
        }
    }
}

struct Connection {
    socket: OwnedFd,
    ends: Instant,
    does: Does,
}

enum Does {
    /// What of the request has come.
    Reads(Vec<u8>),
    /// The answer, and how much of it was sent.
    Answers(Vec<u8>, usize),
    /// Nothing more is sent. A connection closed with something unread would take the answer back.
    Leaves,
}

impl Connection {
    fn new(socket: OwnedFd, ends: Instant) -> Connection {
        Connection { socket, ends, does: Does::Reads(Vec::new()) }
    }

    fn waits_for(&self) -> PollFlags {
        match self.does {
            Does::Answers(..) => PollFlags::OUT,
            _ => PollFlags::IN,
        }
    }

    /// Does what can be done without waiting. False: it has ended.
    fn go_on(&mut self, metrics: &impl Fn() -> String) -> bool {
        if let Does::Reads(request) = &mut self.does {
            let mut part = [0; 1024];
            match read(&self.socket, &mut part) {
                Ok(0) => return false,
                Ok(len) => request.extend_from_slice(&part[..len]),
                Err(error) => return is_passing(error),
            }
            match answer(request, metrics) {
                Some(answer) => self.does = Does::Answers(answer, 0),
                None => return true,
            }
        }
        if let Does::Answers(answer, sent) = &mut self.does {
            match send(self.socket.as_fd(), &answer[*sent..], SendFlags::NOSIGNAL) {
                Ok(len) => *sent += len,
                Err(error) => return is_passing(error),
            }
            if *sent < answer.len() {
                return true;
            }
            if shutdown(&self.socket, Shutdown::Write).is_err() {
                return false;
            }
            self.does = Does::Leaves;
            return true;
        }
        match read(&self.socket, &mut [0; 1024]) {
            Ok(len) => len > 0,
            Err(error) => is_passing(error),
        }
    }
}

fn is_passing(error: Errno) -> bool {
    matches!(error, Errno::AGAIN | Errno::INTR)
}

/// None: the request has not ended yet.
fn answer(request: &[u8], metrics: &impl Fn() -> String) -> Option<Vec<u8>> {
    let has = |end: &[u8]| request.windows(end.len()).any(|part| part == end);
    if !has(b"\r\n\r\n") && !has(b"\n\n") {
        return (request.len() >= REQUEST_MAX)
            .then(|| response("431 Request Header Fields Too Large", "", "The request is too long.\n", true));
    }
    let line = request.split(|byte| matches!(byte, b'\r' | b'\n')).next().unwrap_or_default();
    let words: Vec<&[u8]> = line.split(|byte| *byte == b' ').collect();
    let [method, target, protocol] = words[..] else {
        return Some(response("400 Bad Request", "", "This is HTTP: GET /metrics HTTP/1.1\n", true));
    };
    if !protocol.starts_with(b"HTTP/1.") {
        return Some(response("400 Bad Request", "", "This is HTTP: GET /metrics HTTP/1.1\n", true));
    }
    let has_body = match method {
        b"GET" => true,
        b"HEAD" => false,
        _ => return Some(response("405 Method Not Allowed", "Allow: GET, HEAD\r\n", "GET is all there is.\n", true)),
    };
    // Proxies name the server in the target.
    let target = match target.strip_prefix(b"http://") {
        Some(rest) => &rest[rest.iter().position(|byte| *byte == b'/').unwrap_or(rest.len())..],
        None => target,
    };
    let path = target.split(|byte| *byte == b'?').next().unwrap_or_default();
    Some(match path {
        b"/metrics" => response("200 OK", "", &metrics(), has_body),
        _ => response("404 Not Found", "", "The metrics are at /metrics.\n", has_body),
    })
}

fn response(status: &str, more: &str, body: &str, has_body: bool) -> Vec<u8> {
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n{more}Connection: close\r\n\r\n",
        body.len()
    );
    let body = if has_body { body } else { "" };
    [head.as_bytes(), body.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::os::unix::net::UnixListener;

    /// A small answer fits into a socket's buffers; this one does not.
    #[test]
    fn who_never_reads_is_left_while_others_are_answered() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("metrics");
        let listener = UnixListener::bind(&place).expect("a listener");
        listener.set_nonblocking(true).expect("non-blocking");
        let (stop, stopped) = UnixStream::pair().expect("a pair");
        let body = "m 1\n".repeat(1 << 20);
        let answer_len = body.len();
        let server = thread::spawn(move || {
            serve(&listener.into(), &stopped, Duration::from_millis(200), || body.clone());
        });
        let ask = || {
            let mut client = UnixStream::connect(&place).expect("a connection");
            client.write_all(b"GET /metrics HTTP/1.1\r\n\r\n").expect("sent");
            client
        };
        let mut deaf = ask();
        let heard = |mut client: UnixStream| {
            let mut said = Vec::new();
            let _ = client.read_to_end(&mut said);
            said.len()
        };
        // On a machine that has no time for it even a reader may be too slow.
        while heard(ask()) < answer_len {}
        // Without asking to read: until the other end has been closed.
        poll(&mut [PollFd::new(&deaf, PollFlags::empty())], None).expect("an end");
        let mut got = Vec::new();
        let _ = deaf.read_to_end(&mut got);
        assert!(got.len() < answer_len, "{} bytes", got.len());
        drop(stop);
        server.join().expect("ended");
    }

    /// 200 connections that sent half a request kept a scraper out for half a minute.
    #[test]
    fn connections_that_send_half_a_request_or_nothing_keep_nobody_out() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("metrics");
        let listener = UnixListener::bind(&place).expect("a listener");
        listener.set_nonblocking(true).expect("non-blocking");
        let (stop, stopped) = UnixStream::pair().expect("a pair");
        // No time-out may end during this test.
        let server = thread::spawn(move || {
            serve(&listener.into(), &stopped, Duration::from_secs(3600), || "m 1\n".to_owned());
        });
        let mut idle = Vec::new();
        for half in [&b""[..], b"GET /metr", b"GET /metrics HTTP/1.1\r\n", b"GET /metrics HTTP/1.1\r\n\r\n"] {
            for _ in 0..200 {
                let mut client = UnixStream::connect(&place).expect("a connection");
                // It may have been closed already, for those that came later.
                let _ = client.write_all(half);
                idle.push(client);
            }
            let mut scraper = UnixStream::connect(&place).expect("a connection");
            scraper.write_all(b"GET /metrics HTTP/1.1\r\n\r\n").expect("sent");
            let mut said = String::new();
            scraper.read_to_string(&mut said).expect("an answer");
            assert!(said.ends_with("m 1\n"), "{said:?}");
        }
        drop(stop);
        server.join().expect("ended");
    }

    #[test]
    fn requests_and_their_answers() {
        let long = [b"GET /metrics HTTP/1.1\r\nX: ".as_slice(), &[b'x'; REQUEST_MAX]].concat();
        for (request, want) in [
            (&b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"[..], Some("200 OK")),
            (b"GET /metrics?name[]=up HTTP/1.0\n\n", Some("200 OK")),
            (b"HEAD /metrics HTTP/1.1\r\n\r\n", Some("200 OK")),
            (b"GET / HTTP/1.1\r\n\r\n", Some("404 Not Found")),
            (b"POST /metrics HTTP/1.1\r\n\r\n", Some("405 Method Not Allowed")),
            (b"get key\r\n\r\n", Some("400 Bad Request")),
            (b"\xff\x00\n\n", Some("400 Bad Request")),
            (b"GET /metrics SPDY/3\r\n\r\n", Some("400 Bad Request")),
            (b"GET /metrics HTTP/1.1\r\n", None),
            (b"", None),
            (&long, Some("431 Request Header Fields Too Large")),
        ] {
            let said = answer(request, &|| "m 1\n".to_owned()).map(|said| String::from_utf8(said).expect("UTF-8"));
            let status =
                said.as_deref().map(|said| said.lines().next().unwrap_or_default()["HTTP/1.1 ".len()..].trim());
            assert_eq!(status, want, "{:?}", String::from_utf8_lossy(request));
            let ends = said.as_deref().map(|said| said.ends_with("\r\n\r\nm 1\n"));
            assert_eq!(ends, want.map(|want| want == "200 OK" && request[0] == b'G'), "{said:?}");
        }
    }
}
