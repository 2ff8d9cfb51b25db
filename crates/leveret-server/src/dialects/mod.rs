//! The protocols. A dialect reads requests and writes answers; `commands` carries the requests out. The first byte of a
//! connection selects the dialect. A new protocol is a new file here, and a line of `Spoken`.
mod admin;
mod binary;
mod exptime;
mod lines;
mod meta;
mod redis;
mod text;

use crate::context::Context;
use crate::conversation::{Conversation, KeysLeft};
use crate::counters::latency::CommandKind;
use crate::next::{Consumed, Done};
use crate::settings::AllowedProtocol;
use crate::Shared;
pub(crate) use binary::Binary;
use leveret_engine::Error;
use leveret_protocol::{Limits, Parsed, StoreMode, BINARY_REQUEST, KEY_MAX};
pub(crate) use redis::Resp;
pub(crate) use text::Text;

/// One protocol. All calls are static: `Session::take` runs a loop that is compiled for it.
pub(crate) trait Dialect {
    type Request<'a>;
    type Refusal<'a>;

    /// A request begins with a line: it is told in the log as soon as that has come, and not searched twice for its end.
    const HAS_LINES: bool;

    /// Longest request of a client that has not signed in: unknown clients must not make a server collect megabytes.
    const UNKNOWN_MAX: usize;

    /// The request at the front of `input`, whose first `scanned` bytes hold no end of a line.
    fn parse<'a>(input: &'a [u8], scanned: usize, limits: &Limits) -> Parsed<Self::Request<'a>, Self::Refusal<'a>>;

    /// The get at the front of `input` of which a part is answered. None: this protocol has none.
    fn resume<'a>(&self, input: &'a [u8], left: KeysLeft) -> Option<Self::Request<'a>>;

    /// The part before the value of a store whose value is not complete. `None`: this request cannot begin before it is
    /// complete. `room`: for a key that is encoded otherwise.
    fn front<'a>(input: &'a [u8], room: &'a mut [u8; KEY_MAX], limits: &Limits) -> Option<Front<'a>>;

    /// The same store once its value lies in the arena and `end` has come behind it: its value is empty.
    fn rejoin<'a>(front: &'a [u8], end: &'a [u8], limits: &Limits) -> Parsed<Self::Request<'a>, Self::Refusal<'a>>;

    /// The keys of the gets at the front of `input`, one request after the other: a hint.
    fn keys_ahead(input: &[u8]) -> impl Iterator<Item = &[u8]>;

    /// What the request is, for the statistics of latencies.
    fn kind(request: &Self::Request<'_>) -> CommandKind;

    /// Whether the request at the front goes on without another byte.
    fn needs_no_input(&self) -> bool {
        false
    }

    /// Runs before the request at the front of `input` is complete. `Some` ends it: RESP, whose reader remembers how far it
    /// has come, reads and executes its requests here, and has no use for `parse` and `answer`.
    fn before(&mut self, talk: &mut Conversation, cx: &mut Context<'_>, input: &[u8]) -> Option<Consumed>;

    /// Executes a request and says the answer.
    fn answer(&mut self, talk: &mut Conversation, cx: &mut Context<'_>, request: Self::Request<'_>) -> Done;

    /// Answers a failed operation, and counts it.
    fn say_error(cx: &mut Context<'_>, error: &Error);

    /// Says why a request was refused.
    fn refuse(cx: &mut Context<'_>, refusal: &Self::Refusal<'_>, is_known: bool) -> Done;
}

/// The part of a store before its value.
pub(crate) struct Front<'a> {
    pub verb: StoreMode,
    pub key: &'a [u8],
    /// Its length.
    pub len: usize,
    /// Bytes behind the value: a line end, in text.
    pub end_len: usize,
}

/// The protocol of a conversation.
#[derive(Debug)]
pub(crate) enum Spoken {
    /// The classic and the meta commands.
    Text(Text),
    Binary(Binary),
    /// At the entrance for clients of Redis.
    Resp(Box<Resp>),
}

impl Spoken {
    /// That of a conversation with a client of memcached that begins with this byte; None: the server does not speak it (`-B`).
    pub fn of(first: u8, shared: &Shared) -> Option<Spoken> {
        let is_binary = first == BINARY_REQUEST;
        let is_allowed = match shared.settings.protocol {
            AllowedProtocol::Ascii => !is_binary,
            AllowedProtocol::Binary => is_binary,
            // Users are known by their `set`, which is text.
            AllowedProtocol::Auto => !is_binary || shared.users().is_none(),
        };
        let spoken = if is_binary { Spoken::Binary(Binary::default()) } else { Spoken::Text(Text::default()) };
        is_allowed.then_some(spoken)
    }
}
