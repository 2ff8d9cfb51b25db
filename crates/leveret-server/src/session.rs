//! Requests and their answers: bytes in, bytes out, no socket. A session is one conversation and the protocol that it
//! speaks; `take` is the loop over its requests, compiled once for each protocol.
use crate::commands::dump;
use crate::context::Context;
use crate::conversation::{Conversation, Pending};
use crate::counters::traffic::ConnectionState;
use crate::dialects::{Dialect, Resp, Spoken};
use crate::next::{Consumed, Done, Next};
use crate::redis::clients::Client;
use crate::transport::Transport;
use crate::watch::Watching;
use crate::{receive, verbose, Worker};
use leveret_engine::{Incoming, Outgoing};
use leveret_protocol::{Limits, Parsed};
use std::mem;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a request is retried while another process holds the shard that it needs; then the client gets an error.
/// The lock time-out of the other entrances.
const BUSY_PATIENCE: Duration = Duration::from_secs(1);

/// One conversation.
#[derive(Debug)]
pub struct Session {
    talk: Conversation,
    /// The protocol, once the first byte has told it.
    spoken: Option<Spoken>,
}

impl Session {
    /// A new conversation.
    pub fn new(transport: Transport) -> Session {
        Session { talk: Conversation::new(transport), spoken: None }
    }

    /// A conversation with a Redis client, in RESP from the first byte on. `nonce`: the one at the moment of admission,
    /// if no password is required.
    pub(crate) fn with_redis(transport: Transport, client: Arc<Client>, nonce: u128) -> Session {
        let is_known = client.is_known.load(Relaxed);
        let resp = Spoken::Resp(Box::new(Resp::new(client, nonce)));
        Session { talk: Conversation { is_known, ..Conversation::new(transport) }, spoken: Some(resp) }
    }

    /// The client of Redis, if it is one.
    pub(crate) fn client(&self) -> Option<&Arc<Client>> {
        match &self.spoken {
            Some(Spoken::Resp(resp)) => Some(resp.client()),
            _ => None,
        }
    }

    /// Bytes that it keeps for its client, beside those of the connection.
    pub(crate) fn kept_bytes(&self) -> usize {
        match &self.spoken {
            Some(Spoken::Resp(resp)) => resp.kept_bytes(),
            _ => 0,
        }
    }

    /// That of the connection with this number.
    pub(crate) fn of(mut self, cfd: i32) -> Session {
        self.talk.cfd = cfd;
        self
    }

    /// The events to send, if this is a watcher's conversation.
    pub(crate) fn watching(&self) -> Option<&Watching> {
        self.talk.watching.as_ref()
    }

    /// What the connection waits for, given `rest_len` buffered bytes of a request.
    pub(crate) fn state(&self, rest_len: usize) -> ConnectionState {
        match self.talk.pending {
            Pending::Store(_) => ConnectionState::Value,
            Pending::Refused(_) => ConnectionState::Swallow,
            Pending::Keys(_) | Pending::Dump(_) => ConnectionState::Write,
            // A request whose line has come, or its header.
            Pending::Line(scanned) if scanned < rest_len => ConnectionState::Value,
            Pending::Line(_) | Pending::Nothing => ConnectionState::Read,
        }
    }

    /// Whether a request is answered in part, so that more is to be done than the input shows.
    pub(crate) fn is_midway(&self) -> bool {
        let is_walking = matches!(&self.spoken, Some(Spoken::Resp(resp)) if resp.is_walking());
        is_walking || matches!(self.talk.pending, Pending::Keys(_) | Pending::Dump(_))
    }

    /// Whether it ends because of what the client has sent.
    pub(crate) fn is_at_fault(&self) -> bool {
        self.talk.is_at_fault
    }

    /// The value that the next bytes from the socket belong to, if they can be received straight into the arena.
    pub fn incoming(&mut self) -> Option<&mut Incoming> {
        if let Some(Spoken::Resp(resp)) = &mut self.spoken {
            return resp.incoming();
        }
        match &mut self.talk.pending {
            Pending::Store(receiving) => Some(&mut receiving.incoming).filter(|incoming| incoming.missing() > 0),
            _ => None,
        }
    }

    /// A large value that follows the output, if there is one. The bytes after it come with the next `take`.
    pub fn value(&mut self) -> Option<Outgoing> {
        self.talk.tail.value.take()
    }

    /// Whether the consumed input contained a password, or the rest contains its front: then the caller wipes its
    /// buffers.
    pub fn heard_secret(&mut self) -> bool {
        mem::take(&mut self.talk.heard_secret)
    }

    /// Executes requests from the front of `input` and appends the answers to `output`. Returns how many bytes of the
    /// input are done with, and what to do next.
    pub fn take(&mut self, worker: &Worker, input: &[u8], output: &mut Vec<u8>) -> (usize, Next) {
        if self.spoken.is_none() {
            let Some(first) = input.first() else { return (0, Next::Read { total: 1 }) };
            self.spoken = Spoken::of(*first, &worker.shared);
            self.talk.is_known = worker.shared.users().is_none() && worker.shared.passwords().is_none();
        }
        match &mut self.spoken {
            Some(Spoken::Text(text)) => take(text, &mut self.talk, worker, input, output),
            Some(Spoken::Binary(binary)) => take(binary, &mut self.talk, worker, input, output),
            Some(Spoken::Resp(resp)) => take(&mut **resp, &mut self.talk, worker, input, output),
            None => {
                self.talk.is_at_fault = true;
                (0, Next::Close)
            }
        }
    }
}

/// The loop over the requests of one protocol.
fn take<D: Dialect>(
    dialect: &mut D,
    talk: &mut Conversation,
    worker: &Worker,
    input: &[u8],
    output: &mut Vec<u8>,
) -> (usize, Next) {
    let mut cx = Context::new(worker, output);
    let is_stream = matches!(talk.transport, Transport::Tcp | Transport::Unix);
    cx.is_stream = is_stream;
    cx.may_retry = is_stream && talk.busy_since.is_none_or(|since| since.elapsed() < BUSY_PATIENCE);
    cx.is_again.set(talk.busy_since.is_some());
    cx.cfd = talk.cfd;
    cx.output.append(&mut talk.tail.end);
    let limits = Limits { value_max: worker.value_max() };
    let mut at = 0;
    // memcached frames each request's answer of a datagram by itself.
    let requests = if matches!(talk.transport, Transport::Udp) { 1 } else { cx.shared.live.requests_per_turn() };
    // Number of requests from here on whose memory was prefetched.
    let mut asked = 0;
    for number in 0..requests {
        let mut is_complete = false;
        if !matches!(talk.pending, Pending::Nothing) {
            if let Pending::Dump(_) = talk.pending {
                if let Some(next) = go_on_dumping::<D>(talk, &mut cx) {
                    talk.note_busy(next == Next::Busy);
                    return (at, next);
                }
            }
            at += talk.pending.swallow(input.len() - at);
            is_complete = talk.pending.needs_no_input();
        }
        if at == input.len() && !is_complete && !dialect.needs_no_input() {
            return (at, Next::Read { total: 1 });
        }
        if cx.is_full() {
            return (at, Next::Send);
        }
        let rest = &input[at..];
        // A single request is not looked at twice: only behind one that had others behind it.
        if number > 0 && asked == 0 {
            asked = cx.ask_ahead(D::keys_ahead(rest), requests - number);
        }
        asked = asked.saturating_sub(1);
        cx.begin_request();
        let begin = cx.output.len();
        let is_told = cx.is_verbose();
        let is_new = is_told && verbose::is_new_request::<D>(talk, rest);
        if is_new && D::HAS_LINES {
            verbose::tell_request::<D>(talk, rest);
        }
        let step = step(dialect, talk, &mut cx, rest, &limits);
        let is_busy = cx.takes_back();
        cx.is_again.set(false);
        if is_busy || talk.busy_since.is_some() {
            talk.note_busy(is_busy);
            // The next request has patience of its own.
            cx.may_retry = is_stream;
        }
        if is_busy {
            let taken = match step {
                Consumed::Read { taken, .. } => taken,
                // The keys before it are answered.
                Consumed::Done(_, Done::Unfinished) => 0,
                // All of it comes again.
                Consumed::Done(..) => {
                    cx.output.truncate(begin);
                    talk.pending = Pending::Nothing;
                    0
                }
            };
            return (at + taken, Next::Busy);
        }
        if is_new && !D::HAS_LINES && !matches!(step, Consumed::Read { taken: 0, .. }) {
            verbose::tell_request::<D>(talk, rest);
        }
        if is_told && matches!(step, Consumed::Done(..)) {
            verbose::tell_answer::<D>(talk.cfd, &cx.output[begin.min(cx.output.len())..]);
        }
        match step {
            Consumed::Done(consumed, Done::Answered) => at += consumed,
            Consumed::Done(_, Done::Unfinished) => {
                if cx.tail.value.is_none() {
                    // An answer of one datagram is not cut by a turn.
                    let is_full = cx.is_full() || !is_stream;
                    return (at, if is_full { Next::Send } else { cx.yield_to_others() });
                }
            }
            Consumed::Done(consumed, Done::Over(next)) => return (at + consumed, next),
            Consumed::Read { taken, total } => return (at + taken, Next::Read { total }),
        }
        if cx.tail.value.is_some() {
            talk.tail = cx.tail;
            return (at, Next::Send);
        }
        if cx.ends_turn {
            break;
        }
    }
    let next = if is_stream { cx.yield_to_others() } else { Next::Yield };
    if matches!(talk.pending, Pending::Dump(_)) {
        return (at, Next::Send);
    }
    (at, if at == input.len() { Next::Read { total: 1 } } else { next })
}

/// Executes the request at the front of `rest`, or continues the unfinished one.
#[inline]
fn step<D: Dialect>(
    dialect: &mut D,
    talk: &mut Conversation,
    cx: &mut Context<'_>,
    rest: &[u8],
    limits: &Limits,
) -> Consumed {
    let (mut scanned, is_first_look) = (0, matches!(talk.pending, Pending::Nothing));
    match talk.pending {
        Pending::Nothing => {}
        Pending::Line(len) => (scanned, talk.pending) = (len, Pending::Nothing),
        Pending::Store(_) => return receive::go_on(dialect, talk, cx, rest, limits),
        Pending::Keys(left) => {
            talk.pending = Pending::Nothing;
            let request_len = left.request_len.min(rest.len());
            return match dialect.resume(&rest[..request_len], left) {
                Some(request) => answered(dialect, talk, cx, request, request_len),
                None => Consumed::Done(request_len, Done::Over(Next::Close)),
            };
        }
        _ => {}
    }
    if let Some(step) = dialect.before(talk, cx, rest) {
        return step;
    }
    let timed = (cx.is_timed() && is_first_look).then(Instant::now);
    match D::parse(rest, scanned, limits) {
        Parsed::Request { request, consumed } => {
            let kind = D::kind(&request);
            let step = answered(dialect, talk, cx, request, consumed);
            if let (Some(begun), Consumed::Done(_, Done::Answered)) = (timed, step) {
                if !cx.has_met_busy() {
                    cx.shared.latencies(cx.worker.index).note(kind, begun.elapsed());
                }
            }
            step
        }
        Parsed::More { total, .. } if total > D::UNKNOWN_MAX && !talk.is_known => {
            Consumed::Done(0, Done::Over(Next::Close))
        }
        Parsed::More { total, scanned } => match receive::begin::<D>(talk, cx, rest, total, limits) {
            Some(taken) => Consumed::Read { taken, total: 1 },
            None => {
                if D::HAS_LINES {
                    talk.pending = Pending::Line(scanned);
                }
                Consumed::Read { taken: 0, total }
            }
        },
        Parsed::Refused { refusal, consumed, swallow } => {
            talk.pending = Pending::Refused(swallow);
            // An unknown client must not delete an item through a refused store.
            let done = D::refuse(cx, &refusal, talk.is_known);
            talk.is_at_fault = matches!(done, Done::Over(_));
            Consumed::Done(consumed, done)
        }
    }
}

/// Executes a request of `len` bytes. If only a part of it is answered, its length is kept with the rest.
#[inline]
fn answered<D: Dialect>(
    dialect: &mut D,
    talk: &mut Conversation,
    cx: &mut Context<'_>,
    request: D::Request<'_>,
    len: usize,
) -> Consumed {
    let done = dialect.answer(talk, cx, request);
    if let Done::Unfinished = done {
        if let Pending::Keys(left) = &mut talk.pending {
            left.request_len = len;
        }
    }
    Consumed::Done(len, done)
}

/// Goes on with a walk over all items. None: there is none, or it is over.
#[cold]
fn go_on_dumping<D: Dialect>(talk: &mut Conversation, cx: &mut Context<'_>) -> Option<Next> {
    let Pending::Dump(dump) = &mut talk.pending else { return None };
    match dump::go_on(dump, cx) {
        Ok(None) => {
            talk.pending = Pending::Nothing;
            None
        }
        Ok(next) => next,
        Err(error) => {
            cx.note_failure(&error);
            if cx.takes_back() {
                return Some(Next::Busy);
            }
            // Without an end, so that no client takes a part for the whole; and closed, for clients that only wait for
            // an end.
            D::say_error(cx, &error);
            Some(Next::Close)
        }
    }
}
