//! A link to one Redis server, for one thread: requests are queued and flushed, replies are read token by token. What a
//! server sends is bounded and never believed; a connection whose replies were not all read is not used again.
//!
//! ```text
//! request -> output            flush -> the socket
//! next, copy <- input          ask.rs: queue, connecting, greeting; read.rs: tokens; effect.rs: what the link knows
//! execute    -> an arena of this host -> input          direct.rs
//! ```
mod admitted;
mod ask;
mod direct;
mod effect;
mod failure;
mod input;
mod kept;
mod read;
mod socket;
mod target;

pub use crate::memory::short_cut::Validity as ArenaValidity;
pub use failure::{RedisCode, RedisFailure};
pub use read::{RedisKind, RedisToken};
pub use target::{BackoffRule, RedisBackoff, RedisCredentials, RedisServer, RedisTuning};

use crate::link::endpoint::ServerEndpoint;
use ask::Opening;
use direct::DirectWay;
use effect::{RedisConversation, RedisEffect};
use input::ReplyInput;
use read::ReplyWalk;
use socket::RedisSocket;
use target::RedisIdentity;

/// A link to a server.
pub struct RedisLink {
    server: Option<RedisServer>,
    endpoint: Option<ServerEndpoint>,
    /// As texts name the server.
    name: String,
    tuning: RedisTuning,
    wanted: RedisIdentity,
    socket: Option<RedisSocket>,
    output: Vec<u8>,
    queue: RedisQueue,
    talk: RedisConversation,
    input: ReplyInput,
    walk: ReplyWalk,
    replies_sent: u64,
    replies_read: u64,
    turn: u64,
    /// The replies were written by the link: from the arena, or because they are known.
    is_answered_here: bool,
    direct: DirectWay,
    /// Connected without a socket: a living server of this host was found.
    is_connected_here: bool,
    /// By connections that are gone.
    sent: u64,
    received: u64,
}

/// State of the requests in the output.
#[derive(Debug)]
struct RedisQueue {
    len: u64,
    effects: Vec<(u64, RedisEffect)>,
    is_opaque: bool,
    /// The reply to its first request, where that is known. It is used if there is no other request.
    known_reply: Option<Vec<u8>>,
}

impl RedisQueue {
    fn new() -> RedisQueue {
        RedisQueue { len: 0, effects: Vec::new(), is_opaque: false, known_reply: None }
    }

    fn clear(&mut self) {
        self.effects.clear();
        (self.len, self.is_opaque, self.known_reply) = (0, false, None);
    }
}

/// State of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RedisState {
    /// It is connected: there is a socket, or its server's arena is used without one.
    pub is_connected: bool,
    /// The database that is selected, or will be once there is a connection.
    pub database: u32,
    /// The server has agreed to MULTI.
    pub in_multi: bool,
    /// Keys are watched.
    pub is_watching: bool,
    /// What the connection is, is not known.
    pub is_opaque: bool,
    /// Not all of a reply was read.
    pub is_within: bool,
    /// Requests that were not flushed.
    pub queued: u64,
    /// Replies that were not read to their end.
    pub owed: u64,
    /// Bytes of requests, over sockets.
    pub sent: u64,
    /// Bytes of replies, over sockets.
    pub received: u64,
}

impl Default for RedisLink {
    fn default() -> RedisLink {
        RedisLink {
            server: None,
            endpoint: None,
            name: String::new(),
            tuning: RedisTuning::default(),
            wanted: RedisIdentity::default(),
            socket: None,
            output: Vec::new(),
            queue: RedisQueue::new(),
            talk: RedisConversation::default(),
            input: ReplyInput::default(),
            walk: ReplyWalk::default(),
            replies_sent: 0,
            replies_read: 0,
            turn: 0,
            is_answered_here: false,
            direct: DirectWay::default(),
            is_connected_here: false,
            sent: 0,
            received: 0,
        }
    }
}

impl Drop for RedisLink {
    fn drop(&mut self) {
        self.hang_up();
    }
}

impl RedisLink {
    /// Sets the server, the credentials and the database. Closes an open connection.
    pub fn set_server(&mut self, server: RedisServer, credentials: Option<RedisCredentials>, database: u32) {
        self.close();
        self.name = server.name();
        let mut endpoint = ServerEndpoint::new(server.host.clone(), server.port);
        endpoint.dir.clone_from(&server.dir);
        self.endpoint = Some(endpoint);
        self.direct = DirectWay::default();
        self.server = Some(server);
        self.wanted = RedisIdentity { credentials, database, name: Vec::new() };
    }

    /// For connections from now on, and waits.
    pub fn set_tuning(&mut self, tuning: RedisTuning) {
        self.tuning = tuning;
    }

    /// Connects if there is no connection. If the server's arena can be used, a socket is opened only when it is needed.
    pub fn connect(&mut self) -> Result<(), RedisFailure> {
        if self.socket.is_none() && self.is_within_reach() {
            self.is_connected_here = true;
            return Ok(());
        }
        self.open(Opening::Wanted)
    }

    /// Ends the connection, or keeps it for the next link. Drops queued requests.
    pub fn close(&mut self) {
        self.drop_queue();
        self.hang_up();
    }

    /// Announces further replies beyond those to requests.
    pub fn expect(&mut self, replies: u32) {
        self.replies_sent += u64::from(replies);
        self.walk.expected = self.walk.expected.saturating_add(replies);
    }

    /// The present state.
    pub fn state(&self) -> RedisState {
        let socket = self.socket.as_ref();
        RedisState {
            is_connected: socket.is_some() || self.is_connected_here,
            database: self.wanted.database,
            in_multi: self.talk.in_multi,
            is_watching: self.talk.is_watching,
            is_opaque: socket.is_some_and(|socket| socket.is_opaque),
            is_within: self.walk.is_within(),
            queued: self.queue.len,
            owed: self.owed(),
            sent: self.sent + socket.map_or(0, |socket| socket.sent),
            received: self.received + socket.map_or(0, |socket| socket.received),
        }
    }

    /// Counts bytes from 0 again.
    pub fn clear_transferred(&mut self) {
        (self.sent, self.received) = (0, 0);
        if let Some(socket) = &mut self.socket {
            (socket.sent, socket.received) = (0, 0);
        }
    }

    /// The other end is still there: nothing is sent.
    pub fn is_alive(&mut self) -> bool {
        let is_owed = self.owed() > 0;
        self.socket.as_mut().is_some_and(|socket| socket.is_own() && (is_owed || socket.is_alive()))
    }

    /// Replies that were not read to their end.
    #[inline]
    fn owed(&self) -> u64 {
        self.replies_sent - self.replies_read
    }

    /// The connection has failed, and is not used again.
    fn fail(&mut self) {
        self.forget_replies();
        if let Some(socket) = self.socket.take() {
            self.sent += socket.sent;
            self.received += socket.received;
        }
        self.talk = RedisConversation::default();
        self.is_connected_here = false;
    }

    fn forget_replies(&mut self) {
        self.input.clear();
        self.walk = ReplyWalk::default();
        self.replies_read = self.replies_sent;
    }

    /// Lets go of the connection: the next link gets it, if it is in order.
    fn hang_up(&mut self) {
        let is_at_rest = self.is_answered_here || (self.owed() == 0 && self.is_read_out());
        let is_free = is_at_rest && !self.talk.has_state();
        if let (Some(server), true) = (self.server.as_ref().filter(|server| server.is_persistent), is_free) {
            if let Some(mut socket) = self.socket.take_if(|socket| socket.is_own() && !socket.is_opaque) {
                self.sent += std::mem::take(&mut socket.sent);
                self.received += std::mem::take(&mut socket.received);
                kept::put(server, socket);
            }
        }
        self.fail();
    }

    /// Nothing has come that is not used, but perhaps the end of a string that was handed out where it lies.
    fn is_read_out(&self) -> bool {
        self.input.len() as u64 == self.walk.rest()
    }
}
