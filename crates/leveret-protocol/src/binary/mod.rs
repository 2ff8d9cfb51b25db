//! The binary protocol: 24 bytes of header, then extras, key and value. Upstream calls it deprecated; libmemcached,
//! Symfony and Dalli 3 speak it.
//!
//! ```text
//! 0        1         2          4            5          6           8         12         16      24
//! | magic | opcode | key length | extras len | data type | vbucket or | body   | opaque   | cas    | extras, key, value
//! |       |        |            |            | 0         | status     | length | (echoed) |        |
//! ```
mod answer_read;
mod answer_write;
mod opcode;
mod request_read;
mod request_write;

use crate::StoreMode;
pub use answer_read::{parse_answer, BinaryAnswer};
pub use answer_write::{write_status, AnswerHeader, ANSWER};
pub use request_read::{parse, parse_front, parse_head, Head};

/// Length of the header.
pub const HEADER_LEN: usize = 24;

/// A request of the binary protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BinaryRequest<'a> {
    /// As on the wire: the answer repeats it.
    pub opcode: u8,
    /// As on the wire: the answer repeats it.
    pub opaque: u32,
    /// The item's version that a change is meant for; 0 = any.
    pub cas: u64,
    /// A quiet variant: for gets a miss, for all others success, is not answered.
    pub quiet: bool,
    /// The command.
    pub command: BinaryCommand<'a>,
}

/// Command of a binary request. An exptime is as in the text protocol (the 32 bits read as signed).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryCommand<'a> {
    /// Get, GetQ, GetK, GetKQ and, with an exptime, GAT, GATQ, GATK, GATKQ.
    Get {
        /// The key.
        key: &'a [u8],
        /// The answer repeats the key (GetK, GATK).
        with_key: bool,
        /// The new exptime.
        touch: Option<i64>,
    },
    /// Set, Add, Replace, Append, Prepend.
    Store {
        /// Which of them.
        verb: StoreMode,
        /// The key.
        key: &'a [u8],
        /// The client's flags; 0 for append and prepend.
        flags: u32,
        /// When the item dies; 0 for append and prepend.
        exptime: i64,
        /// The value, whole.
        value: &'a [u8],
    },
    /// Delete.
    Delete {
        /// The key.
        key: &'a [u8],
    },
    /// Increment and Decrement.
    Count {
        /// The key.
        key: &'a [u8],
        /// Decrement.
        is_decrement: bool,
        /// By how much.
        delta: u64,
        /// Value and exptime of a number that is not there yet; None = it is not made.
        initial: Option<(u64, i64)>,
    },
    /// Touch.
    Touch {
        /// The key.
        key: &'a [u8],
        /// The new exptime.
        exptime: i64,
    },
    /// Flush.
    Flush {
        /// Seconds from now, or a Unix time; None = at once.
        exptime: Option<i64>,
    },
    /// Noop: marks a place among quiet requests.
    Noop,
    /// Version.
    Version,
    /// Stat: many answers, the last one empty.
    Stat {
        /// The subject; empty = the general list.
        subject: &'a [u8],
    },
    /// Verbosity.
    Verbosity {
        /// The new level.
        level: u32,
    },
    /// SASL: which mechanisms there are.
    SaslList,
    /// SASL: sign-in.
    SaslAuth {
        /// How that is said.
        mechanism: &'a [u8],
        /// What the mechanism begins with.
        message: &'a [u8],
    },
    /// SASL: goes on where the server has asked for more.
    SaslStep {
        /// As before.
        mechanism: &'a [u8],
        /// What the mechanism says next.
        message: &'a [u8],
    },
    /// Quit: the connection is closed; the loud one is answered first.
    Quit,
}

/// Status of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum Status {
    /// Done.
    Success = 0x00,
    /// No such item.
    KeyNotFound = 0x01,
    /// There is one already, or it is another version.
    KeyExists = 0x02,
    /// The value is too large.
    TooLarge = 0x03,
    /// The request makes no sense.
    InvalidArguments = 0x04,
    /// The condition of a store was not met.
    NotStored = 0x05,
    /// The value is not a number.
    NotNumber = 0x06,
    /// Credentials are wrong or missing.
    AuthError = 0x20,
    /// The sign-in needs another message.
    AuthContinue = 0x21,
    /// No such command.
    UnknownCommand = 0x81,
    /// There is no room.
    OutOfMemory = 0x82,
    /// Not now; another time perhaps.
    TemporaryFailure = 0x86,
}

/// The answer to a request that cannot be executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BinaryRefusal<'a> {
    /// Of the request.
    pub opcode: u8,
    /// Of the request.
    pub opaque: u32,
    /// Why; None = the bytes are no request at all and nothing is said.
    pub status: Option<Status>,
    /// A store that was too large removes the item that it meant to replace.
    pub forget: Option<&'a [u8]>,
    /// The connection cannot be understood any further and is closed after the answer.
    pub close: bool,
}
