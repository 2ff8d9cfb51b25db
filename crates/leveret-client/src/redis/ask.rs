//! Requests: flushes queued output, connects if needed, and signs in.
use super::admitted::nonce_in;
use super::effect::RedisWords;
use super::failure::{RedisCode, RedisFailure};
use super::input::ReplyInput;
use super::socket::RedisSocket;
use super::target::RedisCredentials;
use super::{kept, RedisLink};
use leveret_protocol::resp::{parse_reply, write_arguments, write_request, ReplyBounds, ReplyValue};
use leveret_protocol::Received;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::time::Duration;

/// Redis' own bounds, of an argument and of how many there are.
const ARGUMENT_MAX: usize = 512 << 20;
const ARGUMENTS_MAX: usize = 1 << 20;

/// All that may be queued: what Redis takes as one request.
const QUEUE_MAX: usize = 1 << 30;

/// Bytes of the queue's buffer that stay allocated after a flush.
const QUEUE_KEPT: usize = 64 << 10;

/// Bounds of the replies to AUTH, SELECT and CLIENT SETNAME.
const GREETING: ReplyBounds = ReplyBounds { bulk_max: 64 << 10, elements_max: 64, depth_max: 2 };

/// Why a connection is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opening {
    /// The caller needs a connection.
    Wanted,
    /// A request needs one.
    Needed,
    /// The one that there was is lost.
    Again,
}

/// Part of a greeting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Greeting {
    SignIn,
    Select,
    Name,
}

impl RedisLink {
    /// Queues a request of `len` words, the name of the command first. `is_raw`: an application has written it as it is.
    pub fn request<'w>(
        &mut self,
        word: &impl Fn(usize) -> &'w [u8],
        len: usize,
        is_raw: bool,
    ) -> Result<(), RedisFailure> {
        self.abandon_replies()?;
        self.push(word, len, is_raw)
    }

    fn push<'w>(&mut self, word: &impl Fn(usize) -> &'w [u8], len: usize, is_raw: bool) -> Result<(), RedisFailure> {
        let mut total = self.output.len();
        for index in 0..len {
            let argument = word(index).len();
            total = total.saturating_add(argument + 32);
            if argument > ARGUMENT_MAX {
                return Err(RedisFailure::too_large("an argument is longer than Redis takes"));
            }
        }
        if len == 0 || len > ARGUMENTS_MAX {
            return Err(RedisFailure::too_large("a command has 1 to 1048576 arguments"));
        }
        if total > QUEUE_MAX {
            return Err(RedisFailure::too_large("more than 1 GiB waits to be sent"));
        }
        let words = RedisWords::of(word, len, is_raw);
        self.queue.is_opaque |= words.is_opaque;
        if let Some(effect) = words.effect {
            self.queue.effects.push((self.queue.len, effect));
        }
        self.queue.len += 1;
        write_request(&mut self.output, (0..len).map(word));
        Ok(())
    }

    /// Queues AUTH. A kept connection that is signed in so may take the place of this one.
    pub fn sign_in(&mut self, credentials: RedisCredentials) -> Result<(), RedisFailure> {
        self.abandon_replies()?;
        let is_admitted = self.is_admitted(&credentials);
        let is_plain = self.queue.len == 0 && !self.talk.has_state();
        let words = [Some(&b"AUTH"[..]), credentials.user.as_deref(), Some(&credentials.password)];
        let words: Vec<&[u8]> = words.into_iter().flatten().collect();
        self.push(&|index| words[index], words.len(), false)?;
        if is_admitted || is_plain && self.take_signed_in(&credentials) {
            self.wanted.credentials = Some(credentials);
            self.queue.known_reply = Some(b"+OK\r\n".to_vec());
        } else if is_plain && self.socket.is_none() && self.is_connected_here {
            self.queue.known_reply = self.open_with(credentials);
        }
        Ok(())
    }

    /// Opens the first socket of a link that used only the arena: a greeting with its old credentials could be refused where
    /// these are accepted. Returns the reply to AUTH. None: there is none, so the request is sent as any other.
    fn open_with(&mut self, credentials: RedisCredentials) -> Option<Vec<u8>> {
        let old = self.wanted.credentials.replace(credentials);
        match self.open(Opening::Wanted) {
            Ok(()) => {
                self.is_connected_here = false;
                Some(b"+OK\r\n".to_vec())
            }
            Err(failure) => {
                // The caller's connection is as it was.
                (self.wanted.credentials, self.is_connected_here) = (old, true);
                let is_refused = failure.code == RedisCode::Auth;
                is_refused.then(|| [b"-", failure.text.as_slice(), b"\r\n"].concat())
            }
        }
    }

    /// Replaces this connection by a kept one that is signed in with these credentials, if there is one.
    fn take_signed_in(&mut self, credentials: &RedisCredentials) -> bool {
        let Some(server) = self.server.as_ref().filter(|server| server.is_persistent) else { return false };
        let is_opaque = self.socket.as_ref().is_some_and(|socket| socket.is_opaque);
        if is_opaque {
            return false;
        }
        let Some(other) = kept::take(server, Some(credentials)) else { return false };
        self.hang_up();
        self.socket = Some(other);
        true
    }

    /// Drops the queued requests.
    pub fn drop_queue(&mut self) {
        self.output.clear();
        self.output.shrink_to(QUEUE_KEPT);
        self.queue.clear();
    }

    /// Closes a connection whose replies were not all read: the next request would read them as its own.
    #[inline]
    fn abandon_replies(&mut self) -> Result<(), RedisFailure> {
        match self.owed() {
            0 => Ok(()),
            _ => self.abandon_owed(),
        }
    }

    #[cold]
    fn abandon_owed(&mut self) -> Result<(), RedisFailure> {
        if self.is_answered_here {
            self.forget_replies();
            return Ok(());
        }
        let has_state = self.talk.has_state();
        self.fail();
        match has_state {
            true => Err(RedisFailure::lost_with_state()),
            false => Ok(()),
        }
    }

    /// Sends the queued requests. Returns the number that `read` of their replies needs.
    pub fn flush(&mut self) -> Result<u64, RedisFailure> {
        self.turn += 1;
        if self.queue.len > 0 {
            let done = self.flush_queue();
            self.drop_queue();
            done?;
        }
        Ok(self.turn)
    }

    fn flush_queue(&mut self) -> Result<(), RedisFailure> {
        if let Some(known) = self.queue.known_reply.take().filter(|_| self.queue.len == 1) {
            self.is_answered_here = true;
            self.input.replace(&mut |reply| reply.extend_from_slice(&known));
            self.queue.effects.clear();
            self.replies_sent += self.queue.len;
            return Ok(());
        }
        if self.is_answered_here {
            self.forget_replies();
            self.is_answered_here = false;
        }
        self.send_queue()?;
        for (number, effect) in self.queue.effects.drain(..) {
            self.talk.ask(self.replies_sent + number, effect);
        }
        self.replies_sent += self.queue.len;
        if self.queue.is_opaque {
            self.socket.iter_mut().for_each(|socket| socket.is_opaque = true);
        }
        Ok(())
    }

    fn send_queue(&mut self) -> Result<(), RedisFailure> {
        let mut opening = Opening::Needed;
        if self.socket.is_none() && std::mem::take(&mut self.is_connected_here) {
            // For the caller this is a lost connection.
            match self.open(Opening::Again) {
                Err(failure) if failure.code == RedisCode::Connect => opening = Opening::Again,
                opened => opened?,
            }
        }
        // The end of the last string, if it was not passed yet. Bytes after it were not requested.
        let is_at_rest = self.socket.is_none() || (self.settle().is_ok() && self.input.len() == 0);
        if !is_at_rest || self.socket.as_mut().is_some_and(|socket| !socket.is_alive()) {
            let has_state = self.talk.has_state();
            self.fail();
            if has_state {
                return Err(RedisFailure::lost_with_state());
            }
            opening = Opening::Again;
        }
        let (mut tried, mut waited) = (0, Duration::ZERO);
        loop {
            if self.socket.is_none() && opening == Opening::Again {
                if tried >= self.tuning.retries_max {
                    return Err(RedisFailure::lost());
                }
                waited = self.tuning.backoff.wait(tried, waited, RandomState::new().build_hasher().finish());
                std::thread::sleep(waited);
                tried += 1;
            }
            if self.socket.as_ref().is_none_or(|socket| socket.identity != self.wanted) {
                match self.open(opening) {
                    Err(failure) if opening == Opening::Again && failure.code == RedisCode::Connect => continue,
                    opened => opened?,
                }
            }
            let Some(socket) = &mut self.socket else { return Err(RedisFailure::lost()) };
            match socket.send(&self.output, &mut self.input, self.tuning.read_timeout) {
                Ok(()) => return Ok(()),
                // The kernel has taken nothing: nothing can be done twice.
                Err(unsent) if unsent.taken == 0 && !unsent.is_late && !self.talk.has_state() => {
                    self.fail();
                    opening = Opening::Again;
                }
                Err(_) => {
                    let has_state = self.talk.has_state();
                    self.fail();
                    return Err(if has_state { RedisFailure::lost_with_state() } else { RedisFailure::lost() });
                }
            }
        }
    }

    /// Opens a connection that is signed in and has the link's database and name.
    pub(super) fn open(&mut self, opening: Opening) -> Result<(), RedisFailure> {
        let (Some(server), Some(endpoint)) = (&self.server, &mut self.endpoint) else {
            return Err(RedisFailure::no_server());
        };
        if self.socket.is_none() {
            let kept = if server.is_persistent { kept::take(server, self.wanted.credentials.as_ref()) } else { None };
            let socket = match kept {
                Some(kept) => kept,
                None => match RedisSocket::connect(endpoint, server, &self.tuning) {
                    Err(_) if opening == Opening::Needed => {
                        return Err(RedisFailure::new(
                            RedisCode::Connect,
                            format!("Redis server {} went away", self.name),
                        ));
                    }
                    connected => connected?,
                },
            };
            self.input.clear();
            self.socket = Some(socket);
        }
        self.greet(opening).inspect_err(|_| self.fail())
    }

    /// Sends the sign-in, the database and the client's name, as far as the connection does not have them.
    fn greet(&mut self, opening: Opening) -> Result<(), RedisFailure> {
        let is_known = self.socket.as_ref().is_none_or(|socket| socket.identity == self.wanted);
        if !is_known && self.end_reply().is_none() {
            return Err(RedisFailure::lost());
        }
        let Some(socket) = self.socket.as_mut().filter(|socket| socket.identity != self.wanted) else {
            return Ok(());
        };
        let (mut said, mut asked) = (Vec::new(), Vec::new());
        let wanted = &self.wanted;
        if let Some(credentials) =
            wanted.credentials.as_ref().filter(|_| wanted.credentials != socket.identity.credentials)
        {
            let words = [Some(&b"AUTH"[..]), credentials.user.as_deref(), Some(&credentials.password)];
            write_arguments(&mut said, &Vec::from_iter(words.into_iter().flatten()));
            asked.push(Greeting::SignIn);
        }
        if wanted.database != socket.identity.database {
            write_arguments(&mut said, &[b"SELECT".as_slice(), wanted.database.to_string().as_bytes()]);
            asked.push(Greeting::Select);
        }
        if wanted.name != socket.identity.name {
            write_arguments(&mut said, &[&b"CLIENT"[..], b"SETNAME", &wanted.name]);
            asked.push(Greeting::Name);
        }
        let patience = self.tuning.read_timeout;
        let lost = || match opening {
            Opening::Needed => RedisFailure::new(RedisCode::Connect, format!("Redis server {} went away", self.name)),
            _ => RedisFailure::new(RedisCode::Connect, "Connection lost"),
        };
        socket.send(&said, &mut self.input, patience).map_err(|_| lost())?;
        for asked in asked {
            let reply = read_reply(socket, &mut self.input, patience).ok_or_else(lost)?;
            match (asked, reply) {
                (Greeting::SignIn, ReplyValue::Error(text)) => {
                    let text =
                        if opening == Opening::Again { b"AUTH failed while reconnecting".to_vec() } else { text };
                    return Err(RedisFailure::new(RedisCode::Auth, text));
                }
                (Greeting::Select, ReplyValue::Error(text)) => {
                    let text =
                        if opening == Opening::Again { b"SELECT failed while reconnecting".to_vec() } else { text };
                    return Err(RedisFailure::new(RedisCode::Select, text));
                }
                (Greeting::SignIn, _) => socket.identity.credentials.clone_from(&wanted.credentials),
                (Greeting::Select, _) => socket.identity.database = wanted.database,
                // A server that gives no names is as good.
                (Greeting::Name, _) => socket.identity.name.clone_from(&wanted.name),
            }
        }
        Ok(())
    }

    /// The nonce under which the server has accepted this connection's credentials. None: the server does not say, or the
    /// connection has failed. `announced` is the nonce in its arena. No request may be under way.
    pub(super) fn told_nonce(&mut self, announced: u128) -> Option<u128> {
        let (socket, patience) = (self.socket.as_mut()?, self.tuning.read_timeout);
        socket.asked_nonce = Some(announced);
        // The caller counts the bytes of its own requests only.
        let counted = (socket.sent, socket.received);
        let mut said = Vec::new();
        write_arguments(&mut said, &[&b"INFO"[..], b"leveret"]);
        let is_sent = socket.send(&said, &mut self.input, patience).is_ok();
        let reply = if is_sent { read_reply(socket, &mut self.input, patience) } else { None };
        (socket.sent, socket.received) = counted;
        match reply {
            Some(ReplyValue::Bulk(info)) => nonce_in(&info),
            Some(_) => None,
            None => {
                self.fail();
                None
            }
        }
    }
}

fn read_reply(socket: &mut RedisSocket, input: &mut ReplyInput, patience: Option<Duration>) -> Option<ReplyValue> {
    loop {
        match parse_reply(input.unread(), &GREETING) {
            Received::Answer { answer, consumed } => {
                input.consume(consumed);
                return Some(answer);
            }
            Received::More { .. } => socket.receive(input, patience).ok()?,
            Received::Broken(_) => return None,
        }
    }
}
