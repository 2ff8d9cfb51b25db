//! Gets by UDP. The answer to a datagram may come in many, in any order, or not at all: then it is asked again, and at
//! last over the stream. Stores stay with the stream, which says whether they have arrived.
//!
//! A datagram asks for one key. memcached answers several keys by several rows of datagrams, each counted from 0 under
//! the same request number: once one is lost, a datagram of another value fits into its place.
use super::read;
use crate::link::READABLE;
use crate::pool::batch::{Batch, Input, ROW_END};
use crate::pool::options::{Options, Protocol};
use leveret_protocol::text::{self, TextKey};
use leveret_protocol::udp::{Assembled, Frame, Reassembly, DATAGRAM_MAX};
use rustix::event::PollFd;
use rustix::io::Errno;
use rustix::net::sockopt::{self, Timeout};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType};
use std::hash::{BuildHasher, RandomState};
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

/// Datagrams that are read at once: as many as one answer may have.
const RECEIVED_MAX: usize = u16::MAX as usize;

// How often a datagram is sent before the stream takes over.
const TRIES: u32 = 2;

// More than a server puts into a datagram.
const ROOM: usize = 2048;

// A datagram on its way back is here within this, or lost.
const PATIENCE_MIN: Duration = Duration::from_millis(20);
const PATIENCE_MAX: Duration = Duration::from_millis(250);

/// Requests to a server by UDP in this batch.
#[derive(Default)]
pub(crate) struct Datagrams {
    socket: Option<OwnedFd>,
    /// Receive time-out of the socket, unless a call does not block.
    waits: Duration,
    ids: Ids,
    asked: Vec<Asked>,
    /// Whole answers of this batch.
    pub input: Input,
}

/// Unpredictable numbers, none of which returns within 65,535 others: a late datagram cannot match another answer.
#[derive(Default)]
struct Ids {
    last: u16,
    /// Odd; 0 = none was given yet.
    step: u16,
}

impl Ids {
    fn next(&mut self) -> u16 {
        if self.step == 0 {
            let random = RandomState::new().hash_one(());
            (self.last, self.step) = (random as u16, (random >> 16) as u16 | 1);
        }
        self.last = self.last.wrapping_add(self.step);
        self.last
    }
}

struct Asked {
    /// Another one for each try.
    id: u16,
    /// Without the frame.
    line: Vec<u8>,
    request: u32,
    answer: Reassembly,
    tries: u32,
    until: Option<Instant>,
}

impl Datagrams {
    pub fn begin(&mut self) {
        self.asked.clear();
        self.input.clear();
    }

    pub fn is_busy(&self) -> bool {
        !self.asked.is_empty()
    }

    /// For `poll`, while something is awaited.
    pub fn polled(&self) -> Option<PollFd<'_>> {
        self.socket.as_ref().filter(|_| self.is_busy()).map(|socket| PollFd::new(socket, READABLE))
    }

    pub fn close(&mut self) {
        self.socket = None;
        self.asked.clear();
    }

    /// When the most urgent datagram is given up.
    pub fn deadline(&self) -> Option<Instant> {
        self.asked.iter().filter_map(|asked| asked.until).min()
    }

    /// Asks for a key with the next `send`.
    pub fn ask(&mut self, request: u32, key: TextKey<'_>, batch: &Batch) {
        let pending = &batch.pending[request as usize];
        let mut line = Vec::with_capacity(key.as_bytes().len() + 32);
        text::begin_keys(&mut line, pending.with_cas, pending.new_exptime());
        text::add_key(&mut line, key);
        text::end_keys(&mut line);
        self.asked.push(Asked { id: 0, line, request, answer: Reassembly::new(0, 0), tries: 0, until: None });
    }

    /// Sends datagrams that were not sent, or not answered in time. Returns the requests that must go over the stream.
    pub fn send(&mut self, address: Option<SocketAddr>, now: Instant, options: &Options) -> Vec<u32> {
        let mut given_up = Vec::new();
        let patience = patience(options);
        // Without an address or a socket the stream takes over, and reports the failure.
        if self.socket.is_none() {
            self.socket = address.and_then(|address| open(address).ok());
            self.waits = Duration::ZERO;
        }
        let (socket, ids) = (self.socket.as_ref(), &mut self.ids);
        let mut datagram = Vec::with_capacity(DATAGRAM_MAX);
        self.asked.retain_mut(|asked| {
            if asked.until.is_some_and(|until| until > now) {
                return true;
            }
            asked.id = ids.next();
            asked.answer = Reassembly::new(asked.id, options.value_max);
            asked.tries += 1;
            asked.until = Some(now + patience * asked.tries);
            datagram.clear();
            datagram.extend_from_slice(&Frame::request(asked.id).bytes());
            datagram.extend_from_slice(&asked.line);
            let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
            let is_sent = asked.tries <= TRIES
                && socket.is_some_and(|socket| rustix::net::send(socket, &datagram, flags).is_ok());
            if !is_sent {
                given_up.push(asked.request);
            }
            is_sent
        });
        given_up
    }

    /// Takes received datagrams. `alone`: nothing else is awaited, so it waits for the first while a datagram may be on
    /// its way. Returns the requests that must go over the stream.
    pub fn recv(&mut self, alone: bool, batch: &mut Batch, options: &Options) -> Vec<u32> {
        let mut given_up = Vec::new();
        let mut room = [0; ROOM];
        let mut flags =
            if alone && self.can_wait(patience(options)) { RecvFlags::empty() } else { RecvFlags::DONTWAIT };
        // Once all have come there is nothing to look for; and a flood of others' must not keep the caller.
        for _ in 0..RECEIVED_MAX {
            let Some(socket) = self.socket.as_ref().filter(|_| !self.asked.is_empty()) else { break };
            let received = rustix::net::recv(socket, &mut room[..], flags);
            flags = RecvFlags::DONTWAIT;
            let len = match received {
                // Cut off: no server sends that much.
                Ok((ROOM, _)) => continue,
                Ok((len, _)) => len,
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN) => break,
                // No listener there: the stream will report it.
                Err(_) => {
                    given_up.extend(self.asked.drain(..).map(|asked| asked.request));
                    self.socket = None;
                    break;
                }
            };
            let Some((frame, _)) = Frame::parse(&room[..len]) else { continue };
            let Some(place) = self.asked.iter().position(|asked| asked.id == frame.request_id) else { continue };
            match self.asked[place].answer.accept(&room[..len]) {
                Assembled::Foreign | Assembled::Part => {}
                Assembled::TooLarge => given_up.push(self.asked.swap_remove(place).request),
                Assembled::Whole => {
                    let Asked { request, answer, .. } = self.asked.swap_remove(place);
                    if !self.accept(request, answer, batch, options) {
                        given_up.push(request);
                    }
                }
            }
        }
        given_up
    }

    /// Sets the receive time-out.
    fn can_wait(&mut self, patience: Duration) -> bool {
        let Some(socket) = &self.socket else { return false };
        if self.waits != patience && sockopt::set_socket_timeout(socket, Timeout::Recv, Some(patience)).is_ok() {
            self.waits = patience;
        }
        self.waits == patience
    }

    /// Reads a whole answer. False = it answers something else, or is garbled.
    fn accept(&mut self, request: u32, answer: Reassembly, batch: &mut Batch, options: &Options) -> bool {
        let place = self.input.push(&answer.finish().unwrap_or_default());
        self.input.parsed = place.start;
        let first = batch.records.len();
        let mut expected = [request, ROW_END].into_iter().collect();
        let _ = read::read(&mut self.input, &mut expected, batch, Protocol::Text, options);
        (self.input.parsed, self.input.wanted) = (place.end, 0);
        for record in &mut batch.records[first..] {
            record.is_datagram = true;
        }
        !expected.contains(&request)
    }
}

/// How long the answer to a datagram is waited for at first.
fn patience(options: &Options) -> Duration {
    (options.io_timeout / 8).clamp(PATIENCE_MIN, PATIENCE_MAX)
}

fn open(address: SocketAddr) -> Result<OwnedFd, Errno> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let socket = rustix::net::socket_with(family, SocketType::DGRAM, SocketFlags::CLOEXEC, None)?;
    rustix::net::connect(&socket, &address)?;
    Ok(socket)
}
