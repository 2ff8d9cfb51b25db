//! Requests and their answers: bytes in, bytes out, no socket. `Session` is one conversation.
use crate::Settings;
use leveret_engine::Arena;

/// What all conversations of a server share. One per server, in an `Arc`.
pub struct Shared {
    /// The cache.
    pub arena: Arena,
    /// As given at the start.
    pub settings: Settings,
    // To come, by the owner of this folder: counters of each worker, the baseline of the arena's counters, users, verbosity.
}

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
    /// Sends what is in `output`, then calls again with the same rest of the input: there is more to answer.
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

/// One conversation: what a connection remembers between two reads.
#[derive(Debug)]
pub struct Session {
    /// How the client reaches us.
    pub transport: Transport,
}

impl Session {
    /// A conversation that has not begun.
    pub fn new(transport: Transport) -> Session {
        Session { transport }
    }

    /// Executes requests from the front of `input` and appends the answers to `output`. Returns how many bytes of the input
    /// are done with, and what to do next. `worker` is the index of the calling thread: its own counters.
    pub fn take(&mut self, shared: &Shared, worker: usize, input: &[u8], output: &mut Vec<u8>) -> (usize, Next) {
        let _ = (shared, worker, output);
        (0, Next::Read { total: input.len() + 1 })
    }
}
