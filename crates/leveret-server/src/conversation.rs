//! State of a conversation between two reads, the same for all protocols.
use crate::commands::dump::Dump;
use crate::context::Tail;
use crate::transport::Transport;
use crate::watch::Watching;
use leveret_engine::Incoming;
use std::mem;
use std::time::Instant;

/// State of a conversation.
#[derive(Debug)]
pub(crate) struct Conversation {
    pub transport: Transport,
    /// The client has signed in, or need not (`-Y`, `-S`).
    pub is_known: bool,
    /// Some of the input was a password, or its front.
    pub heard_secret: bool,
    pub pending: Pending,
    /// Since when a request meets a part of the cache that another process holds.
    pub busy_since: Option<Instant>,
    /// Sent after the output.
    pub tail: Tail,
    /// The connection's number, which watchers of other connections are told.
    pub cfd: i32,
    /// It only listens from now on.
    pub watching: Option<Watching>,
    /// It ends because of what the client has sent.
    pub is_at_fault: bool,
}

/// The unfinished request. There is only one: the next request begins when it is finished.
#[derive(Debug, Default)]
pub(crate) enum Pending {
    #[default]
    Nothing,
    /// A line whose end is not among this many bytes at the front of the input.
    Line(usize),
    /// A refused store of which this many bytes are still to be received and discarded.
    Refused(usize),
    /// A multi-key get of which a part is answered.
    Keys(KeysLeft),
    /// A store whose value is being received into the arena.
    Store(Box<ReceivedStore>),
    /// A walk over all items.
    Dump(Box<Dump>),
}

/// A get of which a part is answered: the request stays in the input, and is not parsed again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeysLeft {
    /// Length of the request.
    pub request_len: usize,
    /// Bytes of its keys that are not answered.
    pub rest_len: usize,
}

/// An unfinished store: the bytes before its value, and the part of the value received so far.
#[derive(Debug)]
pub(crate) struct ReceivedStore {
    pub front: Vec<u8>,
    pub incoming: Incoming,
    /// Bytes behind the value: a line end, in text.
    pub end_len: usize,
}

impl ReceivedStore {
    /// Nothing has to come any more.
    pub fn is_whole(&self) -> bool {
        self.incoming.missing() == 0 && self.end_len == 0
    }
}

impl Pending {
    /// Takes what there is, if it is a store.
    pub fn take_store(&mut self) -> Option<Box<ReceivedStore>> {
        match mem::take(self) {
            Pending::Store(receiving) => Some(receiving),
            other => {
                *self = other;
                None
            }
        }
    }

    /// Discards what arrives of a refused store: returns how many of `len` bytes belong to it.
    pub fn swallow(&mut self, len: usize) -> usize {
        let Pending::Refused(missing) = self else { return 0 };
        let taken = len.min(*missing);
        *missing -= taken;
        if *missing == 0 {
            *self = Pending::Nothing;
        }
        taken
    }

    /// Whether it is over without another byte.
    pub fn needs_no_input(&self) -> bool {
        matches!(self, Pending::Store(receiving) if receiving.is_whole())
    }
}

impl Conversation {
    /// A new conversation.
    pub fn new(transport: Transport) -> Conversation {
        Conversation {
            transport,
            is_known: false,
            heard_secret: false,
            pending: Pending::Nothing,
            busy_since: None,
            tail: Tail::default(),
            cfd: 0,
            watching: None,
            is_at_fault: false,
        }
    }

    pub fn note_busy(&mut self, is_busy: bool) {
        self.busy_since = if is_busy { self.busy_since.or_else(|| Some(Instant::now())) } else { None };
    }
}
