//! Requests and their answers: bytes in, bytes out, no socket. `Session` is one conversation.
//!
//! `Session::take` parses the next request, its family's file does it on the arena, and the answer goes straight into
//! the output: `text`, `classic` and `meta` for text, `binary`, `admin` for what concerns the server itself, `dump` for
//! walks over all items, `receive` for large values on their way into the arena. `Turn` is what they work with.
mod admin;
mod binary;
mod cas;
mod classic;
mod dump;
mod exptime;
pub mod flags;
mod meta;
mod receive;
mod sasl;
mod sasldb;
mod session;
mod text;
mod turn;
mod users;
mod verbose;
mod watched;

pub(crate) use dump::TENDED_AT_ONCE;
pub use sasl::PasswordFile;
pub use session::Session;
use turn::Turn;
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
    /// Sends what is in `output`, waits a moment, then calls again with the same rest of the input: the request at its
    /// front meets a part of the cache that another process holds. It was not executed.
    Busy,
    /// Lets other connections have their turn, then calls again with the rest (`-R`).
    Yield,
    /// Sends what is in `output`; from now on this is a watcher's connection, see `Session::watching`.
    Watch,
    /// Sends what is in `output` and closes.
    Close,
    /// As `Close`, and stops the whole server.
    Stop {
        /// `shutdown graceful`: as SIGUSR1.
        graceful: bool,
    },
}

/// How a request ended.
enum Done {
    /// It is answered.
    Answered,
    /// A part is answered: the same request goes on once the output is sent, or others had their turn.
    Unfinished,
    /// The conversation is over.
    Over(Next),
}
