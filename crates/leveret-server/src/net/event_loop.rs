//! A worker thread: an epoll loop over its own connections. Sockets come from the accepting thread and never change
//! workers.
//!
//! mio registers edge-triggered, so the kernel does not look at a ready socket a second time when nothing new has come;
//! in return each turn goes on until recv gave less than there was room, or puts itself into the queue `again`. Only
//! reading is registered: a Unix socket that is registered for writing would wake us each time its client reads.
mod memory;

use super::buffers::Buffers;
use super::connection::{Connection, TurnEnd, Workbench};
use super::stream::Stream;
use super::udp::{self, UdpPort};
use crate::counters::traffic::{ConnectionInfo, ConnectionState, WorkerCounters};
use crate::entrance::Entrance;
use crate::inbox::{Accepted, Inbox, RunState};
use crate::log::{self, Level};
use crate::session::Session;
use crate::settings::Security;
use crate::transport::Transport;
use crate::watch::{reason as reason_of, transport, Event, EventKind, Kinds};
use crate::{Shared, Worker};
use leveret_engine::{never_wait, reason};
use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Token, Waker};
use rustix::fd::{AsFd, AsRawFd, OwnedFd};
use slab::Slab;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::Arc;
use std::time::{Duration, Instant};

const WAKE: Token = Token(usize::MAX);

/// Tokens from here on, except `WAKE`, are UDP sockets. Connections count from 0.
const UDP: usize = usize::MAX / 2;

/// Events fetched by one call.
const EVENTS: usize = 256;

/// So long connections that have more to do have their turns before the next events are asked for: whoever asks for little
/// does not wait for all who ask for much.
const SLICE: Duration = Duration::from_millis(2);

/// Time-out of a TLS handshake, which keeps a connection and up to 64 KiB from other clients.
const HANDSHAKE_SECS: u32 = 10;

/// A drain does not wait longer than this for clients that do not fetch their answers.
const DRAIN: Duration = Duration::from_secs(5);

/// A request that meets a held part of the cache is tried again after this time, then after twice as long, and so on.
const BUSY_FIRST: Duration = Duration::from_millis(1);

/// So often the time doubles.
const BUSY_DOUBLINGS: u32 = 5;

/// Interval of checks of parked connections: another worker may free the memory that they wait for.
const PARKED_TICK: Duration = Duration::from_millis(20);

/// Everything that a worker needs to start. Its own state is created in its thread and stays there.
pub struct Start {
    index: usize,
    shared: Arc<Shared>,
    control: Arc<RunState>,
    inbox: Arc<Inbox>,
    poll: Poll,
    udp: Vec<OwnedFd>,
}

/// The loop of a worker in its thread.
struct EventLoop {
    worker: Worker,
    control: Arc<RunState>,
    inbox: Arc<Inbox>,
    poll: Poll,
    connections: Slab<Connection>,
    ports: Vec<UdpPort>,
    /// Connections of watchers, which get the events found by the collecting thread.
    watching: Vec<usize>,
    /// Tokens of connections and UDP sockets that have more to do although nothing new has come, in the order of their turns.
    again: VecDeque<usize>,
    buffers: Buffers,
    draining_until: Option<Instant>,
    swept_secs: u32,
    /// Connections that are tried again, and when.
    later: BinaryHeap<Reverse<(Instant, usize)>>,
    /// Connections that need more memory than there is room for, as they came.
    parked: VecDeque<usize>,
    /// When there was last room for one of them.
    unparked_secs: u32,
    /// Bytes that its connections hold.
    held: u64,
    swept_held_secs: u32,
    /// When it was last said that clients hold too much.
    told_held_secs: u32,
    /// Connections whose TLS handshake may not be over, and when they came.
    handshakes: Vec<(usize, u32)>,
}

impl Start {
    /// The worker of this index, with its UDP sockets, and its inbox.
    pub fn new(
        index: usize,
        shared: Arc<Shared>,
        control: Arc<RunState>,
        udp: Vec<OwnedFd>,
    ) -> io::Result<(Start, Arc<Inbox>)> {
        let poll = Poll::new()?;
        for (port, socket) in udp.iter().enumerate() {
            poll.registry().register(&mut SourceFd(&socket.as_raw_fd()), Token(UDP + port), Interest::READABLE)?;
        }
        let inbox = Arc::new(Inbox::new(Waker::new(poll.registry(), WAKE)?));
        Ok((Start { index, shared, control, inbox: inbox.clone(), poll, udp }, inbox))
    }

    /// Serves until the server is drained.
    pub fn run(self) -> io::Result<()> {
        let Start { index, shared, control, inbox, poll, udp } = self;
        let mut event_loop = EventLoop {
            worker: Worker::new(shared, index),
            control,
            inbox,
            poll,
            connections: Slab::new(),
            ports: udp.into_iter().map(UdpPort::new).collect(),
            watching: Vec::new(),
            again: VecDeque::new(),
            buffers: Buffers::new(),
            draining_until: None,
            swept_secs: 0,
            later: BinaryHeap::new(),
            parked: VecDeque::new(),
            unparked_secs: 0,
            held: 0,
            swept_held_secs: 0,
            told_held_secs: u32::MAX,
            handshakes: Vec::new(),
        };
        event_loop.run()
    }
}

impl EventLoop {
    fn run(&mut self) -> io::Result<()> {
        never_wait();
        let mut events = Events::with_capacity(EVENTS);
        loop {
            match self.poll.poll(&mut events, self.timeout()) {
                Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
                _ => {}
            }
            self.worker.refresh();
            let mut waiting = events.iter().count() + self.again.len();
            for event in &events {
                waiting -= 1;
                match event.token() {
                    WAKE => self.look_up(),
                    Token(token) if token >= UDP => self.answer_datagrams(token),
                    Token(key) => {
                        let Some(connection) = self.connections.get_mut(key) else { continue };
                        if event.is_read_closed() {
                            connection.half_close();
                        }
                        // A queued one has its turn when it comes to it.
                        if !connection.is_queued {
                            self.turn(key, waiting > 0);
                        }
                    }
                }
            }
            self.turn_queued_ones(waiting);
            self.turn_later_ones();
            self.worker.remove_overdue();
            if self.held > 0 || !self.parked.is_empty() {
                self.unpark();
                self.sweep_held();
            }
            self.sweep_handshakes();
            self.sweep_idle();
            if self.is_drained() {
                return Ok(());
            }
        }
    }

    fn timeout(&self) -> Option<Duration> {
        let later = self.later.peek().map(|Reverse((at, _))| at.saturating_duration_since(Instant::now()));
        let other = self.timeout_of_others();
        later.map_or(other, |later| Some(other.map_or(later, |other| other.min(later))))
    }

    fn timeout_of_others(&self) -> Option<Duration> {
        if !self.again.is_empty() {
            Some(Duration::ZERO)
        } else if let Some(until) = self.draining_until {
            Some(until.saturating_duration_since(Instant::now()))
        } else if !self.parked.is_empty() {
            Some(PARKED_TICK)
        } else if self.worker.shared.live.idle_timeout_secs() > 0 && !self.connections.is_empty()
            || !self.handshakes.is_empty()
            || self.held > 0
            || self.worker.has_overdue()
        {
            Some(Duration::from_secs(1))
        } else {
            None
        }
    }

    /// Gives connections that have more to do their turns, each one at most, for some time. So many wait, those included.
    fn turn_queued_ones(&mut self, mut waiting: usize) {
        if self.again.is_empty() {
            return;
        }
        let begun = Instant::now();
        for _ in 0..self.again.len() {
            let Some(token) = self.again.pop_front() else { return };
            waiting = waiting.saturating_sub(1);
            if token >= UDP {
                self.answer_datagrams(token);
            } else if let Some(connection) = self.connections.get_mut(token) {
                connection.is_queued = false;
                self.turn(token, waiting > 0);
            }
            if begun.elapsed() > SLICE {
                return;
            }
        }
    }

    /// Gives those connections their turn whose moment has come.
    fn turn_later_ones(&mut self) {
        if self.later.is_empty() {
            return;
        }
        let now = Instant::now();
        while let Some(Reverse((at, key))) = self.later.peek().copied() {
            if at > now {
                return;
            }
            self.later.pop();
            // Its place may be another's by now, which a turn too much does not harm.
            if let Some(connection) = self.connections.get_mut(key) {
                connection.busy.1 = false;
                self.turn(key, true);
            }
        }
    }

    /// The accepting thread has woken us.
    fn look_up(&mut self) {
        self.inbox.answer();
        // Loaded first: connections put into the inbox before the drain are there by then.
        let is_draining = self.control.is_draining();
        for accepted in self.inbox.take() {
            self.welcome(accepted);
        }
        if self.worker.shared.redis().is_some_and(|redis| redis.clients.has_killed()) {
            self.close_killed();
        }
        for at in (0..self.watching.len()).rev() {
            // One that is blocked is told when it can take it, and one that is queued has its turn anyway.
            if let Some(connection) = self.watching.get(at).map(|key| &self.connections[*key]) {
                if !connection.is_blocked && !connection.is_queued {
                    self.turn(self.watching[at], true);
                }
            }
        }
        if is_draining && self.draining_until.is_none() {
            self.draining_until = Some(Instant::now() + DRAIN);
            for mut port in std::mem::take(&mut self.ports) {
                let may_go_on = || self.draining_until.is_some_and(|until| Instant::now() < until);
                while may_go_on() && matches!(port.turn(&self.worker), Ok(udp::Progress::More)) {}
            }
            let keys: Vec<usize> = self.connections.iter().map(|(key, _)| key).collect();
            for key in keys {
                self.turn(key, true);
            }
        }
    }

    fn welcome(&mut self, accepted: Accepted) {
        let Accepted { socket, transport, security, peer, entrance, endpoint } = accepted;
        let fd = socket.as_raw_fd();
        let now_secs = self.worker.shared.network.uptime_secs();
        let slot = self.connections.vacant_entry();
        if let Err(error) = self.poll.registry().register(&mut SourceFd(&fd), Token(slot.key()), Interest::READABLE) {
            log::tell(Level::Error, format_args!("a connection cannot be watched: {}", reason(&error)));
            self.worker.shared.network.closed();
            return;
        }
        let tls = self.worker.shared.tls().filter(|_| security != Security::Plain);
        if tls.is_some() {
            self.handshakes.push((slot.key(), now_secs));
        }
        let stream = match Stream::new(socket, tls.map(|tls| (tls.clone(), security))) {
            Ok(stream) => stream,
            Err(error) => {
                log::tell(Level::Error, format_args!("TLS: {error}"));
                self.worker.shared.network.closed();
                return;
            }
        };
        let session = match self.worker.shared.redis().filter(|_| entrance == Entrance::Redis) {
            Some(redis) => {
                let client = redis.welcome(self.worker.index, fd, peer, &endpoint);
                let nonce = redis.announced.nonce();
                let is_asked = redis.password().is_some() || self.worker.shared.users().is_some();
                client.is_known.store(!is_asked, Relaxed);
                Session::with_redis(transport, client, nonce)
            }
            None => Session::new(transport),
        };
        let mut connection = Connection::new(stream, session, now_secs);
        self.tell_connection(EventKind::Opened, fd, transport, peer, 0);
        let info =
            ConnectionInfo { fd, transport, peer, endpoint, last_active_secs: now_secs, state: ConnectionState::New };
        connection.info = self.counters().connections().insert(info);
        self.connections.insert(connection);
        if self.worker.shared.verbosity() > 1 {
            log::tell(Level::Debug, format_args!("<{fd} new auto-negotiating client connection"));
        }
    }

    fn counters(&self) -> &WorkerCounters {
        &self.worker.traffic
    }

    /// Gives a connection its turn, and handles the result.
    fn turn(&mut self, key: usize, others_wait: bool) {
        let Some(connection) = self.connections.get_mut(key).filter(|connection| !connection.busy.1) else { return };
        let counters = &*self.worker.traffic;
        let now_secs = self.worker.shared.network.uptime_secs();
        let buffers = &mut self.buffers;
        let held = self.worker.shared.network.budget.held.load(Relaxed);
        let is_tight = held > self.worker.client_bytes_max / 2;
        // Free memory goes to the first parked connection.
        let may_grow = self.parked.front().is_none_or(|first| *first == key);
        let mut bench = Workbench { worker: &self.worker, counters, buffers, others_wait, may_grow, is_tight };
        let held_before = connection.kept_bytes();
        let outcome = connection.turn(&mut bench);
        if outcome != TurnEnd::Parked {
            connection.parked_secs = None;
        }
        let state = connection.state(outcome == TurnEnd::Blocked);
        if (connection.last_active_secs, connection.shown) != (now_secs, state) {
            (connection.last_active_secs, connection.shown) = (now_secs, state);
            if let Some(info) = counters.connections().get_mut(connection.info) {
                (info.last_active_secs, info.state) = (now_secs, state);
            }
        }
        if connection.is_watching() && !self.watching.contains(&key) {
            self.watching.push(key);
        }
        if held_before != 0 || connection.kept_bytes() != 0 {
            self.note_held(key, held_before, now_secs);
        }
        let Some(connection) = self.connections.get_mut(key) else { return };
        connection.busy = if outcome == TurnEnd::Later { (connection.busy.0 + 1, true) } else { (0, false) };
        match outcome {
            TurnEnd::Later => {
                let wait = BUSY_FIRST * (1 << (connection.busy.0 - 1).min(BUSY_DOUBLINGS));
                self.later.push(Reverse((Instant::now() + wait, key)));
            }
            TurnEnd::Parked => self.park(key),
            TurnEnd::Idle if self.draining_until.is_some() => self.close(key, reason_of::SHUTDOWN),
            outcome @ (TurnEnd::Idle | TurnEnd::Again | TurnEnd::Blocked) => {
                let is_blocked = outcome == TurnEnd::Blocked;
                if is_blocked != connection.is_blocked {
                    connection.is_blocked = is_blocked;
                    let interest = if is_blocked { Interest::WRITABLE } else { Interest::READABLE };
                    let fd = connection.socket().as_raw_fd();
                    if self.poll.registry().reregister(&mut SourceFd(&fd), Token(key), interest).is_err() {
                        return self.close(key, reason_of::ERROR);
                    }
                }
                if outcome == TurnEnd::Again && !connection.is_queued {
                    connection.is_queued = true;
                    self.again.push_back(key);
                }
            }
            TurnEnd::Closed => self.close(key, reason_of::NORMAL),
            TurnEnd::Failed => self.close(key, reason_of::ERROR),
            TurnEnd::Stop { graceful } => {
                self.close(key, reason_of::SHUTDOWN);
                self.control.ask_to_stop(graceful);
            }
        }
    }

    /// Gives a UDP socket its turn.
    fn answer_datagrams(&mut self, token: usize) {
        let Some(port) = self.ports.get_mut(token - UDP) else { return };
        match port.turn(&self.worker) {
            Ok(udp::Progress::Drained) => {}
            // Its event of this round may come as well. A turn too much finds nothing.
            Ok(udp::Progress::More) if self.again.contains(&token) => {}
            Ok(udp::Progress::More) => self.again.push_back(token),
            Ok(udp::Progress::Stop { graceful }) => {
                self.again.push_back(token);
                self.control.ask_to_stop(graceful);
            }
            Err(error) => {
                log::tell(Level::Error, format_args!("a UDP socket has failed: {}", reason(&error)));
                let _ = self.poll.registry().deregister(&mut SourceFd(&port.as_fd().as_raw_fd()));
            }
        }
    }

    /// Closes a connection. Closing the socket removes it from epoll: no other descriptor refers to it.
    fn close(&mut self, key: usize, reason: u8) {
        let connection = self.connections.remove(key);
        let held = connection.kept_bytes();
        self.held = self.held.wrapping_sub(held);
        self.budget().change(held, 0);
        if let Some((redis, client)) = self.worker.shared.redis().zip(connection.client()) {
            redis.farewell(client);
        }
        self.watching.retain(|watching| *watching != key);
        if let Some(info) = self.counters().connections().try_remove(connection.info) {
            self.tell_connection(EventKind::Closed, info.fd, info.transport, info.peer, reason);
        }
        self.worker.shared.network.closed();
        if self.worker.shared.verbosity() > 1 {
            log::tell(Level::Debug, format_args!("<{} connection closed.", connection.socket().as_raw_fd()));
        }
    }

    /// Closes connections that CLIENT KILL has named.
    fn close_killed(&mut self) {
        let is_killed = |connection: &Connection| connection.client().is_some_and(|client| client.is_killed());
        let killed = self.connections.iter().filter(|(_, connection)| is_killed(connection));
        for key in killed.map(|(key, _)| key).collect::<Vec<_>>() {
            self.close(key, reason_of::NORMAL);
        }
    }

    /// Closes connections whose TLS handshake takes too long.
    fn sweep_handshakes(&mut self) {
        let now = self.worker.shared.network.uptime_secs();
        let limit = match self.worker.shared.live.idle_timeout_secs() {
            0 => HANDSHAKE_SECS,
            idle => HANDSHAKE_SECS.min(idle),
        };
        if self.handshakes.first().is_none_or(|(_, since)| now.saturating_sub(*since) <= limit) {
            return;
        }
        // They came in this order.
        let late = self.handshakes.partition_point(|(_, since)| now.saturating_sub(*since) > limit);
        for (key, since) in self.handshakes.drain(..late).collect::<Vec<_>>() {
            let Some(connection) = self.connections.get_mut(key) else { continue };
            // Its place may be another's by now.
            if connection.since_secs == since && connection.stream().is_handshaking() {
                connection.stream().give_up();
                self.close(key, reason_of::ERROR);
            }
        }
    }

    /// Closes, once a second at most, connections that have been silent for too long. Skips connections with unread
    /// output: the client may be slow.
    fn sweep_idle(&mut self) {
        let (limit, now) = (self.worker.shared.live.idle_timeout_secs(), self.worker.shared.network.uptime_secs());
        if limit == 0 || now == self.swept_secs {
            return;
        }
        self.swept_secs = now;
        let idle = |connection: &Connection| {
            !connection.is_watching()
                && !connection.is_blocked
                && connection.parked_secs.is_none()
                && now.saturating_sub(connection.last_active_secs) > limit
        };
        let keys: Vec<usize> =
            self.connections.iter().filter(|(_, connection)| idle(connection)).map(|(key, _)| key).collect();
        for key in keys {
            WorkerCounters::add(&self.counters().idle_kicks, 1);
            self.close(key, reason_of::IDLE_TIMEOUT);
        }
    }

    /// Tells watchers of a connection that comes or goes.
    fn tell_connection(&self, kind: EventKind, cfd: i32, transport: Transport, peer: Option<SocketAddr>, reason: u8) {
        let Worker { shared, index, .. } = &self.worker;
        if !shared.watch.wanted().has(Kinds::CONNEVENTS) {
            return;
        }
        let host = peer.map_or_else(|| "unix".to_owned(), |peer| peer.ip().to_canonical().to_string());
        let status = if transport == Transport::Tcp { transport::TCP } else { transport::LOCAL };
        let size = peer.map_or(0, |peer| u64::from(peer.port()));
        shared.watch.tell(
            *index,
            &Event {
                kind,
                key: host.as_bytes(),
                status,
                cmd: reason,
                size,
                ttl: 0,
                idle: 0,
                cfd,
                database: 0,
                by: None,
            },
        );
    }

    fn is_drained(&self) -> bool {
        self.draining_until.is_some_and(|until| self.connections.is_empty() || Instant::now() >= until)
    }
}
