//! Requests and their answers: bytes in, bytes out, no socket. `Session` is one conversation.
//!
//! `take` parses the next request, its family's file does it on the arena, and the answer goes straight into the
//! output: `classic` and `meta` for text, `binary`, `admin` for what concerns the server itself, `dump` for walks over
//! all items.
mod admin;
mod binary;
mod cas;
mod classic;
mod dump;
mod exptime;
pub mod flags;
mod meta;
mod users;

use crate::stats::{Count, Counters};
use crate::{Desk, Shared};
use dump::Dump;
use leveret_engine::{Arena, Found, Incoming, Outgoing, Time, AHEAD};
use leveret_protocol::{ahead, binary as wire, text, Limits, Parsed, Verb, BINARY_REQUEST, KEY_MAX};
use std::sync::{PoisonError, RwLock};
pub use users::{UserError, Users};

/// How a client reaches us: it decides what it may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// TCP.
    Tcp,
    /// A Unix socket.
    Unix,
    /// One datagram: a conversation that ends with its answer.
    Udp,
    /// No socket: this process itself.
    Local,
}

/// What the caller of `take` does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Reads on. The rest of the input is the front of a request that will have at least `total` bytes.
    Read {
        /// Bytes that the input must have before `take` can do anything with it.
        total: usize,
    },
    /// Sends what is in `output`, on a stream also `Session::value` behind it, then calls again with the same rest of
    /// the input: there is more to answer.
    Send,
    /// Lets other connections have their turn, then calls again with the rest (`-R`).
    Yield,
    /// Sends what is in `output` and closes.
    Close,
    /// As `Close`, and stops the whole server.
    Stop {
        /// `shutdown graceful`: as SIGUSR1.
        graceful: bool,
    },
}

/// How much output is collected before it must be sent.
const OUTPUT_FULL: usize = 1 << 20;

/// From this length on a value is not copied into the output: the kernel takes it out of the arena.
const SENT_DIRECTLY: u64 = 64 << 10;

/// If so much of a value has not come yet, it is received into the arena and not collected beside it.
const RECEIVED_DIRECTLY: usize = 64 << 10;

/// Longest request of a client that has not said who it is, as in memcached, whose read buffer does not grow for it:
/// strangers must not have a server collect megabytes for them.
const STRANGER_MAX: usize = 16 << 10;

/// One conversation: what a connection remembers between two reads.
#[derive(Debug)]
pub struct Session {
    transport: Transport,
    /// The protocol, once the first byte has told it.
    is_binary: Option<bool>,
    is_authenticated: bool,
    /// Bytes of a refused store that are still to come.
    swallow: usize,
    /// Bytes at the front of the input that hold no end of a line.
    scanned: usize,
    /// What was left of the line of a multi-key get when the output was full.
    unanswered: Option<usize>,
    /// What is to be sent behind the output.
    value: Option<Outgoing>,
    /// What stands behind a value that was sent from the arena. The client must not have it before the value is known
    /// to be whole: without it the client cannot take what it has for an answer.
    owed: Vec<u8>,
    /// A store whose value is being received into the arena.
    block: Option<Box<Block>>,
    dump: Option<Box<Dump>>,
}

/// A store that has begun: what stands before its value, and that as far as it has come.
#[derive(Debug)]
struct Block {
    front: Vec<u8>,
    incoming: Incoming,
    /// Bytes behind the value: a line end, in text.
    end_len: usize,
}

impl Block {
    /// Nothing has to come any more.
    fn is_whole(&self) -> bool {
        self.incoming.missing() == 0 && self.end_len == 0
    }
}

/// How a request ended.
enum Done {
    /// It is answered.
    Answered,
    /// The output is full, and the same request goes on after that was sent.
    Unfinished,
    /// The conversation is over.
    Over(Next),
}

/// What one call of `take` works with.
struct Turn<'t> {
    desk: &'t Desk,
    shared: &'t Shared,
    arena: &'t Arena,
    counters: &'t Counters,
    /// The clock, read once.
    now: Time,
    output: &'t mut Vec<u8>,
    /// Whether there is a stream that can take a value from the arena.
    is_stream: bool,
    /// The value that ends what is answered so far.
    value: Option<Outgoing>,
    /// What stands behind it.
    owed: Vec<u8>,
    /// The value of this store, which lies in the arena already.
    incoming: Option<Incoming>,
}

impl Turn<'_> {
    fn count(&self, counter: Count) {
        self.counters.add(counter, 1);
    }

    /// A line that is the same each time.
    fn say(&mut self, line: &str) {
        self.output.extend_from_slice(line.as_bytes());
        self.output.extend_from_slice(b"\r\n");
    }

    /// A line, unless the request said `noreply`.
    fn reply(&mut self, noreply: bool, line: &str) {
        if !noreply {
            self.say(line);
        }
    }

    /// Has a large value sent from where it lies, with the line end behind it; in the binary protocol nothing stands
    /// there, so its last byte is kept back. False: it must be copied into the output.
    #[inline]
    fn send_value(&mut self, found: &Found, is_binary: bool) -> bool {
        if found.value_len < SENT_DIRECTLY || !self.is_stream {
            return false;
        }
        self.value = self.arena.outgoing(found);
        let Some(value) = &mut self.value else { return false };
        if is_binary {
            value.split_last(&mut self.owed);
        } else {
            self.owed.extend_from_slice(b"\r\n");
        }
        true
    }

    fn is_full(&self) -> bool {
        self.output.len() >= OUTPUT_FULL
    }

    /// Asks for the memory of the gets at the front of `rest`, up to `most` of them. Returns how many it were; 0 for a
    /// single one, which has no other to wait together with.
    fn ask_ahead(&self, rest: &[u8], most: usize) -> usize {
        let mut keys = [&b""[..]; AHEAD];
        let found = keys.iter_mut().zip(ahead::keys(rest).take(most)).map(|(place, key)| *place = key).count();
        if found > 1 {
            self.arena.ask_for(keys[..found].iter().copied(), &mut [0; AHEAD])
        } else {
            0
        }
    }
}

impl Session {
    /// A conversation that has not begun.
    pub fn new(transport: Transport) -> Session {
        Session {
            transport,
            is_binary: None,
            is_authenticated: false,
            swallow: 0,
            scanned: 0,
            unanswered: None,
            value: None,
            owed: Vec::new(),
            block: None,
            dump: None,
        }
    }

    /// Executes requests from the front of `input` and appends the answers to `output`. Returns how many bytes of the
    /// input are done with, and what to do next.
    pub fn take(&mut self, desk: &Desk, input: &[u8], output: &mut Vec<u8>) -> (usize, Next) {
        let is_stream = matches!(self.transport, Transport::Tcp | Transport::Unix);
        let (shared, arena) = (&*desk.shared, desk.arena());
        let counters = shared.counters(desk.worker);
        let mut turn = Turn {
            desk,
            shared,
            arena,
            counters,
            now: Time::now(),
            output,
            is_stream,
            value: None,
            owed: Vec::new(),
            incoming: None,
        };
        turn.output.append(&mut self.owed);
        let limits = Limits { value_max: desk.value_max() };
        let mut at = 0;
        // memcached frames each request's answer of a datagram by itself.
        let requests = if self.transport == Transport::Udp { 1 } else { shared.settings.requests_per_turn.max(1) };
        // So many requests from here on have had their memory asked for.
        let mut asked = 0;
        for number in 0..requests {
            if self.dump.is_some() && !self.go_on_dumping(&mut turn) {
                return (at, Next::Send);
            }
            let here = self.swallow.min(input.len() - at);
            at += here;
            self.swallow -= here;
            if at == input.len() && !self.block.as_ref().is_some_and(|block| block.is_whole()) {
                return (at, Next::Read { total: 1 });
            }
            if turn.is_full() {
                return (at, Next::Send);
            }
            let rest = &input[at..];
            // A single request is not looked at twice: only behind one that had others behind it.
            if number > 0 && asked == 0 {
                asked = turn.ask_ahead(rest, requests - number);
            }
            asked = asked.saturating_sub(1);
            let (consumed, done) = match self.is_binary(shared, rest.first()) {
                Some(_) if self.block.is_some() => match self.go_on_receiving(&mut turn, rest, &limits) {
                    (taken, Ok(done)) => (taken, done),
                    (taken, Err(total)) => return (at + taken, Next::Read { total }),
                },
                Some(false) => match text::parse_after(rest, self.scanned, &limits) {
                    Parsed::More { total, .. } if total > STRANGER_MAX && self.is_stranger(shared) => {
                        return (at, Next::Close)
                    }
                    Parsed::More { total, scanned } => {
                        if let Some(taken) = self.begin_to_receive(&mut turn, rest, total, &limits) {
                            self.scanned = 0;
                            return (at + taken, Next::Read { total: 1 });
                        }
                        self.scanned = scanned;
                        return (at, Next::Read { total });
                    }
                    Parsed::Request { request, consumed } => (consumed, self.execute_text(&mut turn, request)),
                    Parsed::Refused { refusal, consumed, swallow } => {
                        self.swallow = swallow;
                        // A stranger must not delete by sending a store that is refused.
                        (consumed, turn.refuse_text(&refusal, !self.is_stranger(shared)))
                    }
                },
                Some(true) => match wire::parse(rest, &limits) {
                    Parsed::More { total, .. } => match self.begin_to_receive(&mut turn, rest, total, &limits) {
                        Some(taken) => return (at + taken, Next::Read { total: 1 }),
                        None => return (at, Next::Read { total }),
                    },
                    Parsed::Request { request, consumed } => (consumed, self.execute_binary(&mut turn, &request)),
                    Parsed::Refused { refusal, consumed, swallow } => {
                        self.swallow = swallow;
                        (consumed, turn.refuse_binary(&refusal))
                    }
                },
                None => return (at, Next::Close),
            };
            self.scanned = 0;
            match done {
                Done::Answered => at += consumed,
                Done::Unfinished if turn.value.is_none() => return (at, Next::Send),
                Done::Unfinished => {}
                Done::Over(next) => return (at + consumed, next),
            }
            if turn.value.is_some() {
                (self.value, self.owed) = (turn.value, turn.owed);
                return (at, Next::Send);
            }
        }
        if self.dump.is_some() {
            return (at, Next::Send);
        }
        (at, if at == input.len() { Next::Read { total: 1 } } else { Next::Yield })
    }

    /// Has a large value, of which only the front has come, received into the arena. Returns how much of the input is
    /// done with; None: it is collected as any other.
    fn begin_to_receive(&mut self, turn: &mut Turn<'_>, rest: &[u8], total: usize, limits: &Limits) -> Option<usize> {
        if total - rest.len() < RECEIVED_DIRECTLY || !turn.is_stream || self.is_stranger(turn.shared) {
            return None;
        }
        let mut room = [0; KEY_MAX];
        let (front_len, end_len, verb, key) = if self.is_binary == Some(true) {
            let (request, front_len) = wire::parse_front(rest)?;
            let wire::Command::Store { verb, key, .. } = request.command else { return None };
            (front_len, 0, verb, key)
        } else {
            let line_len = rest.iter().position(|byte| *byte == b'\n')? + 1;
            match text::parse_line(&rest[..line_len], *b"\r\n", limits) {
                Parsed::Request { request: text::Command::Store { verb, key, .. }, .. } => (line_len, 2, verb, key),
                Parsed::Request { request: text::Command::MetaStore(store), .. } => {
                    (line_len, 2, store.verb, store.key.decode(&mut room))
                }
                _ => return None,
            }
        };
        if matches!(verb, Verb::Append | Verb::Prepend) {
            return None;
        }
        let (front, begun) = rest.split_at(front_len);
        let mut incoming = turn.arena.incoming(key, total - front_len - end_len, turn.now)?;
        let taken = incoming.append(begun);
        self.block = Some(Box::new(Block { front: front.to_vec(), incoming, end_len }));
        Some(front_len + taken)
    }

    /// Executes the store whose value was received, once what stands behind it is there too. Err: how much must come
    /// first.
    fn go_on_receiving(&mut self, turn: &mut Turn<'_>, rest: &[u8], limits: &Limits) -> (usize, Result<Done, usize>) {
        let Some(mut block) = self.block.take() else { return (0, Err(1)) };
        let taken = block.incoming.append(rest);
        let is_missing = block.incoming.missing() > 0;
        let Some(end) = rest.get(taken..taken + block.end_len).filter(|_| !is_missing) else {
            let total = if is_missing { 1 } else { block.end_len };
            self.block = Some(block);
            return (taken, Err(total));
        };
        let Block { front, incoming, end_len } = *block;
        turn.incoming = Some(incoming);
        let done = match *end {
            [first, second] => match text::parse_line(&front, [first, second], limits) {
                Parsed::Request { request, .. } => self.execute_text(turn, request),
                Parsed::Refused { refusal, .. } => turn.refuse_text(&refusal, false),
                // The line was whole when this began.
                Parsed::More { .. } => Done::Over(Next::Close),
            },
            _ => match wire::parse_front(&front) {
                Some((request, _)) => self.execute_binary(turn, &request),
                None => Done::Over(Next::Close),
            },
        };
        turn.incoming = None;
        (taken + end_len, Ok(done))
    }

    /// The value that the next bytes from the socket belong to, if they can be received straight into the arena.
    pub fn incoming(&mut self) -> Option<&mut Incoming> {
        self.block.as_mut().map(|block| &mut block.incoming).filter(|incoming| incoming.missing() > 0)
    }

    /// Whether the client still has to say who it is (`-Y`).
    fn is_stranger(&self, shared: &Shared) -> bool {
        !self.is_authenticated && shared.users().is_some()
    }

    /// A large value that follows the output on its way, if there is one. What stands behind it comes at the next
    /// `take`.
    pub fn value(&mut self) -> Option<Outgoing> {
        self.value.take()
    }

    /// The protocol of the conversation; None: the server does not speak it (`-B`).
    fn is_binary(&mut self, shared: &Shared, first: Option<&u8>) -> Option<bool> {
        if let Some(known) = self.is_binary {
            return Some(known);
        }
        let is_binary = first == Some(&BINARY_REQUEST);
        let allowed = match shared.settings.protocol {
            crate::settings::Protocol::Auto => true,
            crate::settings::Protocol::Ascii => !is_binary,
            crate::settings::Protocol::Binary => is_binary,
        };
        // Users are known by their `set`, which is text.
        if !allowed || is_binary && shared.users().is_some() {
            return None;
        }
        self.is_binary = Some(is_binary);
        self.is_binary
    }

    fn execute_text(&mut self, turn: &mut Turn<'_>, command: text::Command<'_>) -> Done {
        use text::Command::*;
        if let Some(users) = turn.shared.users().filter(|_| !self.is_authenticated) {
            return self.authenticate(turn, users, command);
        }
        match command {
            Get { keys, with_cas } => return self.get(turn, keys, with_cas),
            GetAndTouch { exptime, keys, with_cas } => return self.get_and_touch(turn, exptime, keys, with_cas),
            Store { verb, compare, key, flags, exptime, value, noreply } => {
                let line = turn.store(verb, compare, key, flags, exptime, value);
                turn.reply(noreply, line);
            }
            Delete { key, noreply } => {
                let line = turn.delete(key);
                turn.reply(noreply, line);
            }
            Count { key, delta, is_decrement, noreply } => turn.count_text(key, delta, is_decrement, noreply),
            Touch { key, exptime, noreply } => {
                let line = turn.touch(key, exptime);
                turn.reply(noreply, line);
            }
            FlushAll { exptime, noreply } => {
                let line = turn.flush_all(exptime);
                turn.reply(noreply, line);
            }
            MetaGet(get) => turn.meta_get(&get),
            MetaStore(store) => turn.meta_store(&store),
            MetaDelete(delete) => turn.meta_delete(&delete),
            MetaCount(count) => turn.meta_count(&count),
            MetaDebug { key } => turn.meta_debug(&key),
            MetaNoop => turn.say("MN"),
            Quit => return Done::Over(Next::Close),
            // As a dump: one small datagram with a forged sender must not send megabytes to somebody else.
            Stats { words } if self.transport == Transport::Udp && words.clone().next().is_some_and(walks) => {
                turn.say("ERROR")
            }
            Stats { words } => turn.stats(words),
            LruCrawler(crawl) => return self.crawl(turn, crawl),
            Version
            | Shutdown { .. }
            | Verbosity { .. }
            | CacheMemlimit { .. }
            | Slabs { .. }
            | Lru { .. }
            | Watch { .. } => {
                return turn.administer(command);
            }
        }
        Done::Answered
    }

    /// Whom `-Y` asks for a name and a password.
    fn authenticate(&mut self, turn: &mut Turn<'_>, users: &RwLock<Users>, command: text::Command<'_>) -> Done {
        match command {
            text::Command::Store { verb: leveret_protocol::Verb::Set, compare: None, value, noreply, .. } => {
                turn.count(Count::AuthCmds);
                if users.read().unwrap_or_else(PoisonError::into_inner).admit(value) {
                    self.is_authenticated = true;
                    turn.reply(noreply, "STORED");
                } else {
                    turn.count(Count::AuthErrors);
                    turn.say("CLIENT_ERROR authentication failure");
                }
                Done::Answered
            }
            text::Command::Quit => Done::Over(Next::Close),
            _ => {
                turn.say("CLIENT_ERROR unauthenticated");
                Done::Answered
            }
        }
    }
}

/// Whether the answer to such a `stats` is as long as the arena is full, or switches that on.
fn walks(subject: &[u8]) -> bool {
    subject == b"cachedump" || subject.starts_with(b"sizes")
}

impl Turn<'_> {
    fn refuse_text(&mut self, refusal: &text::Refusal<'_>, may_forget: bool) -> Done {
        if let Some(key) = refusal.forget.filter(|_| may_forget) {
            // A store that failed must not leave the value that it meant to replace.
            let _ = self.arena.delete(key.decode(&mut [0; leveret_protocol::KEY_MAX]), self.now);
            self.count(Count::StoreTooLarge);
        }
        if !refusal.is_silent && !refusal.answer.is_empty() {
            self.say(refusal.answer);
        }
        if refusal.close {
            Done::Over(Next::Close)
        } else {
            Done::Answered
        }
    }

    fn refuse_binary(&mut self, refusal: &wire::Refusal<'_>) -> Done {
        if let Some(key) = refusal.forget {
            let _ = self.arena.delete(key, self.now);
            self.count(Count::StoreTooLarge);
        }
        if let Some(status) = refusal.status {
            wire::write_status(self.output, refusal.opcode, refusal.opaque, status);
        }
        if refusal.close {
            Done::Over(Next::Close)
        } else {
            Done::Answered
        }
    }
}
