//! One connection to a server: bytes out, bytes in, with time-outs.
use super::effect::RedisEffect;
use super::failure::{told_by_system, RedisCode, RedisFailure};
use super::input::{ReplyInput, ROOM};
use super::target::{RedisIdentity, RedisServer, RedisTuning};
use crate::link::endpoint::ServerEndpoint;
use crate::link::fault::{Fault, Moved};
use crate::link::stream::Secured;
use crate::link::{self, names, Link, READABLE, WRITABLE};
use crate::pool::options::Options;
use leveret_engine::process_id;
use rustix::event::PollFd;
use std::time::{Duration, Instant};

/// Bytes of replies kept while requests are still being sent; then the server has to wait.
const EARLY_MAX: usize = 256 << 20;

/// As good as for ever, for clocks that are added to.
const FOR_EVER: Duration = Duration::from_secs(10 * 365 * 86_400);

/// A connection, and its state at the server.
pub(crate) struct RedisSocket {
    link: Link,
    pub received: u64,
    pub sent: u64,
    /// As the server knows it.
    pub identity: RedisIdentity,
    /// A raw command may have changed its state: the connection is not kept for others.
    pub is_opaque: bool,
    /// The announced nonce for which the server was last asked over this connection.
    pub asked_nonce: Option<u128>,
    /// The process that has opened it: a child must not speak on its parent's.
    pid: u32,
}

/// How sending ended early.
pub(crate) struct Unsent {
    /// Bytes that the kernel has taken.
    pub taken: usize,
    pub is_late: bool,
}

/// How reading ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unread {
    Late,
    Ended,
}

impl RedisSocket {
    /// Connects, and waits for it.
    pub fn connect(
        endpoint: &mut ServerEndpoint,
        server: &RedisServer,
        tuning: &RedisTuning,
    ) -> Result<RedisSocket, RedisFailure> {
        let options = Options { keep_alive: tuning.keep_alive, ..Options::default() };
        let until = Instant::now() + tuning.connect_timeout.unwrap_or(FOR_EVER);
        let failed = |text: String| RedisFailure::new(RedisCode::Connect, text);
        let told = |fault| failed(told_by_system(fault, &server.host));
        endpoint.resolve().map_err(told)?;
        loop {
            let tried = open(endpoint, server, &options, until);
            let failure = match tried {
                Ok(link) => return Ok(RedisSocket::new(link)),
                Err(Failed::Told(text)) => failed(text),
                Err(Failed::System(fault)) => told(fault),
            };
            if !endpoint.try_next() {
                return Err(failure);
            }
        }
    }

    fn new(link: Link) -> RedisSocket {
        RedisSocket {
            link,
            received: 0,
            sent: 0,
            identity: RedisIdentity::default(),
            is_opaque: false,
            asked_nonce: None,
            pid: process_id(),
        }
    }

    /// It was opened by this process.
    #[inline]
    pub fn is_own(&self) -> bool {
        self.pid == process_id()
    }

    /// The server has agreed.
    pub fn note(&mut self, effect: &RedisEffect) {
        self.identity.note(effect);
    }

    /// The server is connected, and has sent nothing that was not requested.
    pub fn is_alive(&mut self) -> bool {
        self.is_own() && self.link.is_quiet()
    }

    /// Sends all bytes. Keeps replies that arrive meanwhile.
    pub fn send(&mut self, bytes: &[u8], input: &mut ReplyInput, patience: Option<Duration>) -> Result<(), Unsent> {
        let mut sent = 0;
        let mut until = None;
        while sent < bytes.len() || self.link.holds_back() {
            let is_late = match self.link.send(&bytes[sent..]) {
                // TLS may have taken all and sent less.
                Ok(Moved::Bytes(len)) if len > 0 || !self.link.holds_back() => {
                    (sent, until) = (sent + len, None);
                    self.sent += len as u64;
                    continue;
                }
                Ok(Moved::Closed) | Err(_) => false,
                Ok(_) => {
                    let until = *until.get_or_insert_with(|| Instant::now() + patience.unwrap_or(FOR_EVER));
                    if self.receive_while_sending(input, until) {
                        continue;
                    }
                    Instant::now() >= until
                }
            };
            return Err(Unsent { taken: sent, is_late });
        }
        Ok(())
    }

    /// Waits until the socket takes more. False: it is over.
    fn receive_while_sending(&mut self, input: &mut ReplyInput, until: Instant) -> bool {
        let is_full = input.len() >= EARLY_MAX;
        let events = if is_full { WRITABLE } else { WRITABLE | READABLE };
        let mut polled = [PollFd::new(&self.link, events)];
        if !link::wait(&mut polled, until.saturating_duration_since(Instant::now())) {
            return false;
        }
        if !polled[0].revents().contains(READABLE) {
            return true;
        }
        match self.link.recv(input.room(ROOM)) {
            Ok(Moved::Bytes(len)) => {
                input.came(len);
                self.received += len as u64;
                true
            }
            Ok(Moved::Closed) | Err(_) => false,
            Ok(Moved::Blocked | Moved::Interrupted) => true,
        }
    }

    /// Receives more than there is.
    #[inline]
    pub fn receive(&mut self, input: &mut ReplyInput, patience: Option<Duration>) -> Result<(), Unread> {
        let len = self.receive_into(input.room(1), patience)?;
        input.came(len);
        Ok(())
    }

    /// Receives at least a byte.
    pub fn receive_into(&mut self, room: &mut [u8], patience: Option<Duration>) -> Result<usize, Unread> {
        let mut until = None;
        loop {
            let patience = patience.unwrap_or(FOR_EVER);
            let moved = match until {
                // The wait is in the same system call.
                None => self.link.recv_alone(room, patience),
                Some(_) => self.link.recv(room),
            };
            match moved {
                Ok(Moved::Bytes(len)) => {
                    self.received += len as u64;
                    return Ok(len);
                }
                Ok(Moved::Closed) | Err(_) => return Err(Unread::Ended),
                Ok(Moved::Blocked) if until.is_none() => return Err(Unread::Late),
                Ok(Moved::Blocked | Moved::Interrupted) => {
                    // A signal came in between: the rest of the time is waited for apart.
                    let until = *until.get_or_insert_with(|| Instant::now() + patience);
                    let left = until.saturating_duration_since(Instant::now());
                    if left.is_zero() || !link::wait(&mut [PollFd::new(&self.link, READABLE)], left) {
                        return Err(Unread::Late);
                    }
                }
            }
        }
    }
}

enum Failed {
    System(Fault),
    Told(String),
}

fn open(endpoint: &ServerEndpoint, server: &RedisServer, options: &Options, until: Instant) -> Result<Link, Failed> {
    let secured = names::secured_host(&server.host).map(|host| Secured::new(&server.tls, host));
    let tls = secured.transpose().map_err(Failed::Told)?;
    let mut link = Link::connect(endpoint.tried(), options, true, tls, None).map_err(Failed::System)?;
    while !link.is_connected {
        let finished = link.finish_connect();
        if let Err(fault) = finished {
            return Err(match link.trouble() {
                Some(why) => Failed::Told(why.to_owned()),
                None => Failed::System(fault),
            });
        }
        if link.is_connected {
            break;
        }
        let left = until.saturating_duration_since(Instant::now());
        let events = if link.wants_to_send(false) { WRITABLE } else { READABLE };
        if left.is_zero() || !link::wait(&mut [PollFd::new(&link, events)], left) {
            return Err(Failed::Told("Connection timed out".to_owned()));
        }
    }
    Ok(link)
}
