//! RESP, the protocol of Redis clients. Requests are read and dispatched here. The crate `leveret-strings` executes
//! commands on keys; the files beside this one execute those on the connection and the server.
mod admin;
mod client;
mod config;
mod execute;
mod info;
mod own;
mod receive;
mod sign_in;
mod state;
mod told;
mod transaction;
mod waiting;

use super::{Dialect, Front};
use crate::context::Context;
use crate::conversation::{Conversation, KeysLeft, Pending};
use crate::counters::latency::CommandKind;
use crate::next::{Consumed, Done, Next};
use crate::redis::clients::Client;
use crate::redis::Redis;
use leveret_engine::{Error, Incoming};
use leveret_protocol::resp::{ArgumentsBuf, ReplyWriter, RequestBounds, RequestRead, RequestReader};
use leveret_protocol::{Limits, Parsed, KEY_MAX};
use state::{House, RespState};
use std::cell::{Cell, RefCell};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Instant;

/// A conversation in RESP.
#[derive(Debug)]
pub(crate) struct Resp {
    reader: RequestReader,
    state: RespState,
    /// A request whose value was received, and which has met a lock that was held: it is tried again.
    again: Option<ArgumentsBuf>,
}

impl Resp {
    /// For a new client.
    pub fn new(client: Arc<Client>, nonce: u128) -> Resp {
        Resp { reader: RequestReader::new(), state: RespState::new(client, nonce), again: None }
    }

    /// As others see it.
    pub fn client(&self) -> &Arc<Client> {
        &self.state.client
    }

    /// Whether a piece of a command is done, and the rest is not.
    pub fn is_walking(&self) -> bool {
        self.state.walking.is_some()
    }

    /// Bytes that it keeps for its client, beside those of the connection.
    pub fn kept_bytes(&self) -> usize {
        self.state.kept_bytes()
    }
}

impl Resp {
    /// The value that the next bytes from the socket belong to, if they can be received straight into the arena.
    pub fn incoming(&mut self) -> Option<&mut Incoming> {
        self.state.receiving.as_mut().filter(|incoming| incoming.missing() > 0)
    }

    /// Reads the request at the front of the input and has it executed. `received` is its value, if that has come already.
    #[inline]
    fn read(
        &mut self,
        talk: &mut Conversation,
        cx: &mut Context<'_>,
        redis: &Redis,
        input: &[u8],
        received: Option<&RefCell<Incoming>>,
    ) -> Consumed {
        let tail = Cell::new(None);
        let Resp { reader, state, again } = self;
        let may_send = cx.is_stream && state.answers_at_once();
        let (worker, shared, may_retry) = (cx.worker, cx.shared, cx.may_retry);
        let house = House { worker, shared, redis, tail: may_send.then_some(&tail), may_retry, received };
        let bounds = RequestBounds { is_unknown: !talk.is_known, ..RequestBounds::new(cx.arena.value_max()) };
        match reader.read(input, &bounds) {
            RequestRead::Request { request, consumed } => {
                let timed = cx.is_timed().then(Instant::now);
                let done = execute::request(state, talk, cx, house, request);
                if let Some(value) = tail.take() {
                    cx.tail.value = Some(value);
                    cx.tail.end.extend_from_slice(b"\r\n");
                }
                if cx.has_met_busy() && received.is_some() {
                    // The front of it is not in the input any more.
                    *again = Some(request.to_buf());
                    return Consumed::Read { taken: consumed, total: 1 };
                }
                if let (Some(begun), false) = (timed, cx.has_met_busy() || done == Done::Unfinished) {
                    cx.shared.latencies(cx.worker.index).note(CommandKind::Other, begun.elapsed());
                }
                Consumed::Done(consumed, done)
            }
            RequestRead::More { total } => {
                let may_receive = cx.is_stream && talk.is_known && state.transaction.is_none() && received.is_none();
                match may_receive.then(|| receive::begin(state, reader, cx, house, input)).flatten() {
                    Some(taken) => Consumed::Read { taken, total: 1 },
                    None => Consumed::Read { taken: 0, total },
                }
            }
            RequestRead::Nothing { consumed } => Consumed::Done(consumed, Done::Answered),
            RequestRead::Swallow { consumed, swallow } => {
                talk.pending = Pending::Refused(swallow);
                Consumed::Done(consumed, Done::Answered)
            }
            RequestRead::Refused(fault) => {
                fault.write(&mut ReplyWriter::new(cx.output, state.version));
                talk.is_at_fault = true;
                Consumed::Done(input.len(), Done::Over(Next::Close))
            }
        }
    }

    /// Takes the received part of a large value, and executes its request once the value is complete.
    #[cold]
    fn go_on_receiving(
        &mut self,
        talk: &mut Conversation,
        cx: &mut Context<'_>,
        redis: &Redis,
        input: &[u8],
    ) -> Consumed {
        let Some(mut incoming) = self.state.receiving.take() else { return Consumed::Read { taken: 0, total: 1 } };
        let taken = incoming.append(input);
        if incoming.missing() > 0 {
            self.state.receiving = Some(incoming);
            return Consumed::Read { taken, total: 1 };
        }
        let cell = RefCell::new(incoming);
        let step = match self.again.take() {
            None => self.read(talk, cx, redis, &input[taken..], Some(&cell)),
            Some(again) => {
                let (worker, shared, may_retry) = (cx.worker, cx.shared, cx.may_retry);
                let house = House { worker, shared, redis, tail: None, may_retry, received: Some(&cell) };
                let done = execute::request(&mut self.state, talk, cx, house, again.arguments());
                if cx.has_met_busy() {
                    self.again = Some(again);
                    Consumed::Read { taken: 0, total: 1 }
                } else {
                    Consumed::Done(0, done)
                }
            }
        };
        match step {
            Consumed::Done(consumed, done) => Consumed::Done(taken + consumed, done),
            // The rest of the request has not come, or it is tried again.
            Consumed::Read { taken: more, total } => {
                self.state.receiving = Some(cell.into_inner());
                Consumed::Read { taken: taken + more, total }
            }
        }
    }
}

impl Dialect for Resp {
    /// None: `before` reads requests, since the reader remembers how far it has come.
    type Request<'a> = Infallible;
    type Refusal<'a> = Infallible;

    const HAS_LINES: bool = false;
    const UNKNOWN_MAX: usize = usize::MAX;

    fn parse(input: &[u8], _: usize, _: &Limits) -> Parsed<Infallible, Infallible> {
        Parsed::More { total: input.len() + 1, scanned: 0 }
    }

    fn resume(&self, _: &[u8], _: KeysLeft) -> Option<Infallible> {
        None
    }

    fn front<'a>(_: &'a [u8], _: &'a mut [u8; KEY_MAX], _: &Limits) -> Option<Front<'a>> {
        None
    }

    fn rejoin<'a>(front: &'a [u8], _: &'a [u8], _: &Limits) -> Parsed<Infallible, Infallible> {
        Parsed::More { total: front.len() + 1, scanned: 0 }
    }

    fn keys_ahead(input: &[u8]) -> impl Iterator<Item = &[u8]> {
        leveret_protocol::resp::keys_ahead(input)
    }

    fn kind(request: &Infallible) -> CommandKind {
        match *request {}
    }

    fn needs_no_input(&self) -> bool {
        self.reader.needs_no_input() || self.again.is_some()
    }

    #[inline]
    fn before(&mut self, talk: &mut Conversation, cx: &mut Context<'_>, input: &[u8]) -> Option<Consumed> {
        let Some(redis) = cx.shared.redis() else { return Some(Consumed::Done(0, Done::Over(Next::Close))) };
        if self.state.receiving.is_some() {
            return Some(self.go_on_receiving(talk, cx, redis, input));
        }
        Some(self.read(talk, cx, redis, input, None))
    }

    fn answer(&mut self, _: &mut Conversation, _: &mut Context<'_>, request: Infallible) -> Done {
        match request {}
    }

    fn say_error(cx: &mut Context<'_>, error: &Error) {
        cx.say(&format!("-ERR {error}"));
    }

    fn refuse(_: &mut Context<'_>, refusal: &Infallible, _: bool) -> Done {
        match *refusal {}
    }
}
