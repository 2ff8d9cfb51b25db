//! One conversation: what a connection remembers between two reads, and the loop over its requests.
use super::classic::KeysLeft;
use super::dump::Dump;
use super::receive::Receiving;
use super::sasl::SignIn;
use super::turn::{Tail, Turn};
use super::{Done, Next, Transport};
use crate::network::State;
use crate::settings::Protocol;
use crate::stats::latency::Command;
use crate::watch::Watching;
use crate::{Desk, Shared};
use leveret_engine::{Incoming, Outgoing};
use leveret_protocol::{binary, text, Limits, Parsed, BINARY_REQUEST};
use std::mem;
use std::time::{Duration, Instant};

/// Longest request of a client that has not said who it is, as in memcached, whose read buffer does not grow for it:
/// strangers must not have a server collect megabytes for them.
const STRANGER_MAX: usize = 16 << 10;

/// A request is tried again for so long, while another process holds the part of the cache that it needs; then the
/// client is told. As long as other entrances wait for a lock.
const BUSY_PATIENCE: Duration = Duration::from_secs(1);

/// One conversation: what a connection remembers between two reads.
#[derive(Debug)]
pub struct Session {
    pub(super) transport: Transport,
    /// The protocol, once the first byte has told it.
    pub(super) spoken: Option<Spoken>,
    pub(super) is_authenticated: bool,
    pub(super) sign_in: SignIn,
    /// Some of the input was a password, or its front.
    heard_secret: bool,
    pub(super) pending: Pending,
    /// Since when a request meets a part of the cache that another process holds.
    busy_since: Option<Instant>,
    /// What is to be sent behind the output.
    tail: Tail,
    /// Its connection's number, which watchers of other connections are told.
    cfd: i32,
    /// It only listens from now on.
    pub(super) watching: Option<Watching>,
    /// It ends because of what the client has sent.
    is_at_fault: bool,
}

/// A conversation's protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spoken {
    /// The classic and the meta commands.
    Text,
    Binary,
}

/// What has begun and is not over. It is one thing at a time: the next request begins when this one is over.
#[derive(Debug, Default)]
pub(super) enum Pending {
    #[default]
    Nothing,
    /// A line, whose end is not among so many bytes at the front of the input.
    Line(usize),
    /// A refused store, of which so many bytes are still to come and to be thrown away.
    Refused(usize),
    /// A multi-key get of which a part is answered.
    Keys(KeysLeft),
    /// A store whose value is being received into the arena.
    Store(Box<Receiving>),
    /// A walk over all items.
    Dump(Box<Dump>),
}

/// What became of the front of the input.
pub(super) enum Step {
    /// So many bytes of it were a request, which ended so.
    Done(usize, Done),
    /// So many bytes of it are done with, and nothing can go on before the rest has so many.
    Read { taken: usize, total: usize },
}

impl Pending {
    /// Takes what there is, if it is the front of a line.
    fn take_line(&mut self) -> usize {
        let Pending::Line(scanned) = *self else { return 0 };
        *self = Pending::Nothing;
        scanned
    }

    /// Takes what there is, if it is the rest of a get.
    fn take_keys(&mut self) -> Option<KeysLeft> {
        if !matches!(self, Pending::Keys(_)) {
            return None;
        }
        let Pending::Keys(left) = mem::take(self) else { return None };
        Some(left)
    }

    /// Throws away what comes of a refused store; returns how much of so many bytes that is.
    fn swallow(&mut self, len: usize) -> usize {
        let Pending::Refused(missing) = self else { return 0 };
        let taken = len.min(*missing);
        *missing -= taken;
        if *missing == 0 {
            *self = Pending::Nothing;
        }
        taken
    }

    /// Whether it is over without another byte.
    fn needs_no_input(&self) -> bool {
        matches!(self, Pending::Store(receiving) if receiving.is_whole())
    }
}

impl Session {
    /// A conversation that has not begun.
    pub fn new(transport: Transport) -> Session {
        Session {
            transport,
            spoken: None,
            is_authenticated: false,
            sign_in: SignIn::default(),
            heard_secret: false,
            pending: Pending::Nothing,
            busy_since: None,
            tail: Tail::default(),
            cfd: 0,
            watching: None,
            is_at_fault: false,
        }
    }

    /// That of the connection with this number.
    pub(crate) fn of(self, cfd: i32) -> Session {
        Session { cfd, ..self }
    }

    /// What it has to tell, if it is a watcher's.
    pub(crate) fn watching(&self) -> Option<&Watching> {
        self.watching.as_ref()
    }

    /// What it waits for, with so many bytes of a request there already.
    pub(crate) fn state(&self, rest_len: usize) -> State {
        match self.pending {
            Pending::Store(_) => State::Value,
            Pending::Refused(_) => State::Swallow,
            Pending::Keys(_) | Pending::Dump(_) => State::Write,
            // A request whose line has come, or its header.
            Pending::Line(scanned) if scanned < rest_len => State::Value,
            Pending::Line(_) | Pending::Nothing => State::Read,
        }
    }

    /// Whether a request is answered in part, so that more is to be done than the input shows.
    pub(crate) fn is_midway(&self) -> bool {
        matches!(self.pending, Pending::Keys(_) | Pending::Dump(_))
    }

    /// Whether it ends because of what the client has sent.
    pub(crate) fn is_at_fault(&self) -> bool {
        self.is_at_fault
    }

    /// Executes requests from the front of `input` and appends the answers to `output`. Returns how many bytes of the
    /// input are done with, and what to do next.
    pub fn take(&mut self, desk: &Desk, input: &[u8], output: &mut Vec<u8>) -> (usize, Next) {
        let is_stream = matches!(self.transport, Transport::Tcp | Transport::Unix);
        let mut turn = Turn::new(desk, output, is_stream);
        turn.may_retry = is_stream && self.busy_since.is_none_or(|since| since.elapsed() < BUSY_PATIENCE);
        turn.is_again.set(self.busy_since.is_some());
        turn.cfd = self.cfd;
        turn.output.append(&mut self.tail.end);
        let limits = Limits { value_max: desk.value_max() };
        let mut at = 0;
        // memcached frames each request's answer of a datagram by itself.
        let requests = if self.transport == Transport::Udp { 1 } else { turn.shared.live.requests_per_turn() };
        // So many requests from here on have had their memory asked for.
        let mut asked = 0;
        for number in 0..requests {
            if let Some(next) = self.go_on_dumping(&mut turn) {
                self.note_busy(next == Next::Busy);
                return (at, next);
            }
            at += self.pending.swallow(input.len() - at);
            if at == input.len() && !self.pending.needs_no_input() {
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
            let timed = (desk.is_timed() && matches!(self.pending, Pending::Nothing)).then(Instant::now);
            turn.begin_request();
            let (is_told, begin) = (turn.is_verbose(), turn.output.len());
            let is_new = is_told && self.is_new_request(turn.shared, rest);
            if is_new && self.spoken == Some(Spoken::Text) {
                self.tell_request(&turn, rest);
            }
            let step = match self.spoken(turn.shared, rest.first()) {
                None => {
                    self.is_at_fault = true;
                    return (at, Next::Close);
                }
                Some(_) if matches!(self.pending, Pending::Store(_)) => self.go_on_receiving(&mut turn, rest, &limits),
                Some(Spoken::Text) => self.step_text(&mut turn, rest, &limits),
                Some(Spoken::Binary) => self.step_binary(&mut turn, rest, &limits),
            };
            let is_busy = turn.takes_back();
            turn.is_again.set(false);
            if is_busy || self.busy_since.is_some() {
                self.note_busy(is_busy);
            }
            if is_busy {
                let taken = match step {
                    Step::Read { taken, .. } => taken,
                    // The keys before it are answered.
                    Step::Done(consumed, Done::Unfinished) => {
                        self.note_line(consumed);
                        0
                    }
                    // All of it comes again.
                    Step::Done(..) => {
                        turn.output.truncate(begin);
                        self.pending = Pending::Nothing;
                        0
                    }
                };
                return (at + taken, Next::Busy);
            }
            if let (Some(begun), Step::Done(_, Done::Answered)) = (timed, &step) {
                desk.shared.latencies(desk.worker).note(Command::of(rest), begun.elapsed());
            }
            if is_new && self.spoken == Some(Spoken::Binary) && !matches!(step, Step::Read { taken: 0, .. }) {
                self.tell_request(&turn, rest);
            }
            if is_told && matches!(step, Step::Done(..)) {
                self.tell_answer(&turn, begin);
            }
            match step {
                Step::Done(consumed, Done::Answered) => at += consumed,
                Step::Done(consumed, Done::Unfinished) => {
                    self.note_line(consumed);
                    if turn.tail.value.is_none() {
                        // An answer of one datagram is not cut by a turn.
                        let is_full = turn.is_full() || !is_stream;
                        return (at, if is_full { Next::Send } else { turn.yield_to_others() });
                    }
                }
                Step::Done(consumed, Done::Over(next)) => return (at + consumed, next),
                Step::Read { taken, total } => return (at + taken, Next::Read { total }),
            }
            if turn.tail.value.is_some() {
                self.tail = turn.tail;
                return (at, Next::Send);
            }
        }
        let next = if is_stream { turn.yield_to_others() } else { Next::Yield };
        if matches!(self.pending, Pending::Dump(_)) {
            return (at, Next::Send);
        }
        (at, if at == input.len() { Next::Read { total: 1 } } else { next })
    }

    /// The line of a get of which a part is answered has this length.
    fn note_line(&mut self, line_len: usize) {
        if let Pending::Keys(left) = &mut self.pending {
            left.of_line(line_len);
        }
    }

    fn note_busy(&mut self, is_busy: bool) {
        self.busy_since = if is_busy { self.busy_since.or_else(|| Some(Instant::now())) } else { None };
    }

    #[inline]
    fn step_text(&mut self, turn: &mut Turn<'_>, rest: &[u8], limits: &Limits) -> Step {
        if let Some(left) = self.pending.take_keys() {
            return self.go_on_with_keys(turn, rest, &left);
        }
        self.heard_secret |= self.is_stranger(turn.shared);
        match text::parse_after(rest, self.pending.take_line(), limits) {
            Parsed::Request { request, consumed } => Step::Done(consumed, self.execute_text(turn, request)),
            Parsed::More { total, .. } if total > STRANGER_MAX && self.is_stranger(turn.shared) => {
                Step::Done(0, Done::Over(Next::Close))
            }
            Parsed::More { total, scanned } => match self.begin_to_receive(turn, rest, total, limits) {
                Some(taken) => Step::Read { taken, total: 1 },
                None => {
                    self.pending = Pending::Line(scanned);
                    Step::Read { taken: 0, total }
                }
            },
            Parsed::Refused { refusal, consumed, swallow } => {
                self.pending = Pending::Refused(swallow);
                self.is_at_fault = refusal.close;
                // A stranger must not delete by sending a store that is refused.
                Step::Done(consumed, turn.refuse_text(&refusal, !self.is_stranger(turn.shared)))
            }
        }
    }

    #[inline]
    fn step_binary(&mut self, turn: &mut Turn<'_>, rest: &[u8], limits: &Limits) -> Step {
        if turn.shared.passwords().is_some() {
            if let Some(head) = binary::parse_head(rest) {
                self.heard_secret |= head.is_sign_in();
                if let Some(step) = self.meet(turn, &head, rest) {
                    return step;
                }
            }
        }
        match binary::parse(rest, limits) {
            Parsed::Request { request, consumed } => Step::Done(consumed, self.execute_binary(turn, &request)),
            Parsed::More { total, .. } => match self.begin_to_receive(turn, rest, total, limits) {
                Some(taken) => Step::Read { taken, total: 1 },
                None => Step::Read { taken: 0, total },
            },
            Parsed::Refused { refusal, consumed, swallow } => {
                self.pending = Pending::Refused(swallow);
                self.is_at_fault = refusal.close;
                Step::Done(consumed, turn.refuse_binary(&refusal))
            }
        }
    }

    /// The value that the next bytes from the socket belong to, if they can be received straight into the arena.
    pub fn incoming(&mut self) -> Option<&mut Incoming> {
        match &mut self.pending {
            Pending::Store(receiving) => Some(&mut receiving.incoming).filter(|incoming| incoming.missing() > 0),
            _ => None,
        }
    }

    /// A large value that follows the output on its way, if there is one. What stands behind it comes at the next
    /// `take`.
    pub fn value(&mut self) -> Option<Outgoing> {
        self.tail.value.take()
    }

    /// Whether a password was in what was taken, or its front is in what is left: then the caller wipes its buffers.
    pub fn heard_secret(&mut self) -> bool {
        mem::take(&mut self.heard_secret)
    }

    /// Whether the client still has to say who it is (`-Y`, `-S`).
    pub(super) fn is_stranger(&self, shared: &Shared) -> bool {
        !self.is_authenticated && (shared.users().is_some() || shared.passwords().is_some())
    }

    /// The protocol of the conversation; None: the server does not speak it (`-B`).
    pub(super) fn spoken(&mut self, shared: &Shared, first: Option<&u8>) -> Option<Spoken> {
        if self.spoken.is_some() {
            return self.spoken;
        }
        let spoken = if first == Some(&BINARY_REQUEST) { Spoken::Binary } else { Spoken::Text };
        let is_allowed = match (shared.settings.protocol, spoken) {
            (Protocol::Ascii, Spoken::Binary) | (Protocol::Binary, Spoken::Text) => false,
            // Users are known by their `set`, which is text.
            (_, Spoken::Binary) => shared.users().is_none(),
            _ => true,
        };
        self.spoken = Some(spoken).filter(|_| is_allowed);
        self.spoken
    }
}
