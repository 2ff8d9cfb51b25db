//! The protocols. A dialect reads requests and says answers; what a request does stands in `commands`. The first byte of
//! a connection tells which it speaks. Another protocol is another file here, and a line of `Spoken`.
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

    /// What stands before the value of a store of which only that has come. None: it is no store that may begin before its
    /// value is there. `room` is for a key that is written in another way.
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

    /// What is done before the request at the front of `input` is whole: Some ends it.
    fn before(&mut self, talk: &mut Conversation, cx: &mut Context<'_>, input: &[u8]) -> Option<Consumed>;

    /// Executes a request and says the answer.
    fn answer(&mut self, talk: &mut Conversation, cx: &mut Context<'_>, request: Self::Request<'_>) -> Done;

    /// Says what an operation failed with, and counts it.
    fn say_error(cx: &mut Context<'_>, error: &Error);

    /// Says why a request was refused.
    fn refuse(cx: &mut Context<'_>, refusal: &Self::Refusal<'_>, is_known: bool) -> Done;
}

/// What stands before the value of a store.
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
