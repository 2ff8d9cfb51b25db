//! memcached's protocols, sans I/O: bytes in, requests out; answers in, bytes out. Nothing here blocks, allocates on the hot
//! path, panics, or knows of sockets, clocks and the engine. The server reads requests and writes answers; the client does the
//! opposite with the same types.
//!
//! A connection speaks text (classic and meta commands, line by line) or binary; its first byte tells which. A UDP datagram
//! has a frame header in front of either.
#![forbid(unsafe_code)]

pub mod text;

/// What a parser found at the front of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parsed<'a, R> {
    /// The beginning of a request. Parsing again makes sense once the input has `total` bytes (more than it has now).
    More {
        /// Length of the whole request if it is known already, else one byte more than there is.
        total: usize,
    },
    /// A request, and how many bytes of the input it took, its data block included.
    Request {
        /// It borrows from the input.
        request: R,
        /// Bytes to take off the front of the input.
        consumed: usize,
    },
    /// Bytes that no server would execute.
    Refused {
        /// What to answer.
        refusal: Refusal<'a>,
        /// Bytes to take off the front of the input.
        consumed: usize,
        /// How many further bytes belong to it: a data block that is to be thrown away as it comes, never kept.
        swallow: usize,
    },
}

/// The answer to what cannot be executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal<'a> {
    /// The line that memcached answers, without its end; for the binary protocol the text of the status.
    pub answer: &'static str,
    /// The request said `noreply` (or was quiet), so the line is not sent.
    pub is_silent: bool,
    /// A store that was too large removes the item that it meant to replace.
    pub forget: Option<&'a [u8]>,
    /// The connection cannot be understood any further and is closed after the answer.
    pub close: bool,
}

/// Bounds that a server sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Longest value of an item, in bytes (memcached's `-I`).
    pub value_max: usize,
}

/// Longest key on the wire, in bytes.
pub const KEY_MAX: usize = 250;

/// First byte of every binary request.
pub const BINARY_REQUEST: u8 = 0x80;
