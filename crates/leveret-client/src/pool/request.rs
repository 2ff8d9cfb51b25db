//! Requests to a pool, and their results.
use crate::code::Code;
use leveret_engine::Meta;

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Read.
    Get,
    /// Store unconditionally.
    Set,
    /// Store if there is nothing.
    Add,
    /// Store if there is something.
    Replace,
    /// Append to the existing value.
    Append,
    /// Prepend to the existing value.
    Prepend,
    /// Store if `number` is still the item's version.
    Cas,
    /// Delete.
    Delete,
    /// Add `number`.
    Increment,
    /// Take `number` away.
    Decrement,
    /// Give a new exptime.
    Touch,
    /// Read, and give a new exptime.
    GetAndTouch,
    /// Forget everything: of one server, or of all.
    Flush,
    /// The server's version.
    Version,
    /// The server's statistics; the key is their subject.
    Stats,
    /// Every key of the server.
    Keys,
}

impl Operation {
    /// It concerns servers, not a key.
    pub(crate) fn is_for_servers(self) -> bool {
        matches!(self, Operation::Flush | Operation::Version | Operation::Stats | Operation::Keys)
    }

    /// Changes nothing. A repeated set may undo another client's write in between.
    pub(crate) fn only_reads(self) -> bool {
        matches!(self, Operation::Get | Operation::Version | Operation::Stats | Operation::Keys)
    }

    /// May stay in a buffer and count as done: no caller needs its answer. As in libmemcached, only these two.
    pub(crate) fn may_wait(self) -> bool {
        matches!(self, Operation::Set | Operation::Delete)
    }

    /// `Options::no_reply` takes its answer away. As libmemcached has it, a touch keeps it.
    pub(crate) fn heeds_no_reply(self) -> bool {
        !self.is_get() && !self.is_for_servers() && self != Operation::Touch
    }

    pub(crate) fn is_get(self) -> bool {
        matches!(self, Operation::Get | Operation::GetAndTouch)
    }

    pub(crate) fn is_store(self) -> bool {
        use Operation::{Add, Append, Cas, Prepend, Replace, Set};
        matches!(self, Set | Add | Replace | Append | Prepend | Cas)
    }
}

/// One request of a batch.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// What to do.
    pub operation: Operation,
    /// The key as it is sent.
    pub key: &'a [u8],
    /// Hashed instead of the key to find the server.
    pub group: Option<&'a [u8]>,
    /// For stores.
    pub value: &'a [u8],
    /// For stores: the flags; an arena also keeps the writer and the encoding.
    pub meta: Meta,
    /// As on the wire: 0 = never, up to 30 days = seconds from now, above = Unix time, negative = dead already.
    pub exptime: i64,
    /// The version for `Cas`, and for a `Delete` that is to have one (0 = any); the difference for counts.
    pub number: u64,
    /// Counts create a missing item with this value. The text protocol cannot.
    pub initial: Option<u64>,
    /// Gets tell the item's version.
    pub with_cas: bool,
    /// No answer is wanted.
    pub quiet: bool,
    /// For `Flush`, `Version`, `Stats` and `Keys`: this server only.
    pub server: Option<usize>,
}

impl<'a> Request<'a> {
    /// A request without anything particular.
    pub fn new(operation: Operation, key: &'a [u8]) -> Request<'a> {
        Request {
            operation,
            key,
            group: None,
            value: b"",
            meta: Meta::default(),
            exptime: 0,
            number: 0,
            initial: None,
            with_cas: false,
            quiet: false,
            server: None,
        }
    }
}

/// One answer. It borrows from the pool until the next batch begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer<'p> {
    /// Which request of the batch, counted from 0.
    pub request: usize,
    /// How it ended.
    pub code: Code,
    /// Index of the server that answered or failed.
    pub server: usize,
    /// The key of the request; for statistics, the name; for keys, each key.
    pub key: &'p [u8],
    /// The value; for errors, what the server said.
    pub value: &'p [u8],
    /// The item's flags; from an arena also the writer and the encoding.
    pub meta: Meta,
    /// The item's version, if it was asked for.
    pub cas: u64,
    /// Counts: the new number. `Code::Errno`: the errno.
    pub number: u64,
}
