//! How a request ends, and what the caller of `Session::take` does next.

/// What the caller of `take` does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Reads on. The rest of the input is the front of a request that will have at least `total` bytes.
    Read {
        /// Bytes that the input must have before `take` can do anything with it.
        total: usize,
    },
    /// Sends `output`, on a stream also `Session::value` after it, then calls again with the same rest of the input:
    /// more of the answer follows.
    Send,
    /// Sends `output`, waits a moment, then calls again with the same rest of the input: the request at its front needs
    /// a part of the cache that another process holds. It was not executed.
    Busy,
    /// Lets other connections have their turn, then calls again with the rest (`-R`).
    Yield,
    /// Sends `output`; from now on this is a watcher's connection, see `Session::watching`.
    Watch,
    /// Sends `output` and closes.
    Close,
    /// As `Close`, and stops the whole server.
    Stop {
        /// `shutdown graceful`: as SIGUSR1.
        graceful: bool,
    },
}

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Done {
    /// It is answered.
    Answered,
    /// A part is answered: the same request goes on once the output is sent, or others had their turn.
    Unfinished,
    /// The conversation is over.
    Over(Next),
}

/// What became of the front of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Consumed {
    /// This many bytes of it were a request, and how the request ended.
    Done(usize, Done),
    /// `taken` bytes are processed; nothing can go on before the rest has `total` bytes.
    Read { taken: usize, total: usize },
}
