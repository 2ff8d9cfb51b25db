//! memcached's protocols and Redis', sans I/O: bytes in, requests out; answers in, bytes out. Nothing here blocks, allocates on
//! the hot path, panics, or knows of sockets, clocks and the engine. The server reads requests and writes answers; the
//! client does the opposite with the same types.
//!
//! A connection speaks text (classic and meta commands, line by line) or binary; its first byte tells which. A UDP
//! datagram has a frame header in front of either. `resp` is Redis'.
#![forbid(unsafe_code)]

pub mod ahead;
pub mod binary;
mod key;
mod number;
pub mod percent;
pub mod resp;
pub mod text;
pub mod udp;

pub use key::WireKey;

/// Result of a parser at the front of the input: a request `R`, or a refused one with the reason `F`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parsed<R, F> {
    /// The beginning of a request. Parsing again makes sense once the input has `total` bytes (more than it has now).
    More {
        /// Length of the whole request if it is known already, else one byte more than there is.
        total: usize,
        /// This many bytes at the front of the input hold no line end. Pass it to `text::parse_after` next time, so
        /// that a line arriving byte by byte is not searched from its beginning each time.
        scanned: usize,
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
        refusal: F,
        /// Bytes to take off the front of the input.
        consumed: usize,
        /// Further bytes of the request: a data block to discard as it comes, never to keep.
        swallow: usize,
    },
}

/// Bounds that a server sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Longest value of an item, in bytes (memcached's `-I`).
    pub value_max: usize,
}

/// How a store treats an existing item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreMode {
    /// Always.
    Set,
    /// Only when there is no item.
    Add,
    /// Only when there is one.
    Replace,
    /// Behind the value.
    Append,
    /// Before the value.
    Prepend,
}

/// Longest key on the wire, in bytes.
pub const KEY_MAX: usize = 250;

/// First byte of every binary request.
pub const BINARY_REQUEST: u8 = 0x80;

/// Result of a client's parser at the front of a server's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received<A> {
    /// The beginning of an answer. Parsing again makes sense once the input has `total` bytes (more than it has now).
    More {
        /// Length of the whole answer if it is known already, else one byte more than there is.
        total: usize,
    },
    /// An answer, and how many bytes of the input it took.
    Answer {
        /// It borrows from the input.
        answer: A,
        /// Bytes to take off the front of the input.
        consumed: usize,
    },
    /// No server that can be understood speaks here: the connection is of no use any more.
    Broken(Broken),
}

/// Why a server's output cannot be an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// A line without an end.
    LongLine,
    /// A line or header with parts that cannot be read.
    BadLine,
    /// A value above `Limits::value_max`.
    LargeValue {
        /// As the server announced it.
        len: u64,
    },
    /// A data block that does not end where its line said.
    BadBlock,
}
