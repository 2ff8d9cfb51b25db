//! One batch: the requests and which were routed where, what servers have sent, and the answers in that.
use crate::code::Code;
use crate::codec::origin::REMOTE;
use leveret_engine::Meta;
use std::ops::Range;

/// The operations of a request.
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
    /// The operation on the key.
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

/// The batch's requests, and the bytes of their keys.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub pending: Vec<Sent>,
    pub keys: Vec<u8>,
    pub records: Vec<Record>,
    /// Number of the first request on the wire, so that a late answer to another batch is known as one.
    pub opaque_base: u32,
}

impl Batch {
    pub fn key(&self, request: u32) -> &[u8] {
        &self.keys[self.pending[request as usize].key.clone()]
    }

    pub fn opaque(&self, request: u32) -> u32 {
        self.opaque_base.wrapping_add(request)
    }

    /// One answer to `request`, and there may be more.
    pub fn record(&mut self, request: u32, code: Code) -> &mut Record {
        let server = self.pending[request as usize].server;
        // An arena's answer names the writer: memory/execute.rs replaces this.
        let meta = Meta::default().with_origin(REMOTE);
        let record =
            Record { is_datagram: false, request, code, server, name: 0..0, value: 0..0, meta, cas: 0, number: 0 };
        self.records.push(record);
        self.records.last_mut().expect("pushed above")
    }

    /// The answer to `request`.
    pub fn finish(&mut self, request: u32, code: Code) -> &mut Record {
        self.pending[request as usize].is_waiting = false;
        self.record(request, code)
    }

    /// A get has no answer: that is a miss, of which only the only request of a batch is told.
    pub fn miss(&mut self, request: u32) {
        if self.pending.len() == 1 {
            self.finish(request, Code::NotFound);
        } else {
            self.pending[request as usize].is_waiting = false;
        }
    }

    /// A copy's result is not reported.
    pub fn is_silent(&self, record: &Record) -> bool {
        self.pending[record.request as usize].is_copy
    }

    /// A further copy of the write `request` whose server has answered or will answer. Copies directly follow their
    /// original.
    pub fn copy_of(&self, request: u32) -> Option<u32> {
        let asked = self.pending[request as usize].asked;
        let is_heard = |copy: u32| {
            self.pending[copy as usize].is_waiting || self.records.iter().any(|record| record.request == copy)
        };
        let behind = (request + 1..)
            .zip(&self.pending[request as usize + 1..])
            .take_while(|(_, pending)| pending.asked == asked);
        let mut copies = behind.filter(|(_, pending)| pending.is_copy && !pending.is_quiet).map(|(number, _)| number);
        copies.find(|number| is_heard(*number))
    }
}

/// A request of the batch that has been routed.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    /// Its number in the caller's count: a request to all servers is several here.
    pub asked: u32,
    pub operation: Operation,
    pub is_quiet: bool,
    /// A further copy of the write before it: its result is reported only if it stands in for that write.
    pub is_copy: bool,
    pub with_cas: bool,
    pub is_waiting: bool,
    pub server: u32,
    /// How many other servers have been tried.
    pub attempts: u32,
    pub exptime: i64,
    /// In the batch's key bytes.
    pub key: Range<usize>,
    pub group: Range<usize>,
    /// In the server's output; not for gets, which are written again.
    pub wire: Range<usize>,
}

impl Sent {
    /// The exptime that a get gives its item, if it does.
    pub fn new_exptime(&self) -> Option<i64> {
        (self.operation == Operation::GetAndTouch).then_some(self.exptime)
    }
}

/// An answer as it is kept: bytes lie in the input of the server.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    /// The bytes came by UDP, and lie there.
    pub is_datagram: bool,
    pub request: u32,
    pub code: Code,
    pub server: u32,
    pub name: Range<usize>,
    pub value: Range<usize>,
    pub meta: Meta,
    pub cas: u64,
    pub number: u64,
}

/// Not the number of a request: the end of a row of gets, which the server marks too (`END`, `MN`, the noop's answer).
pub(crate) const ROW_END: u32 = u32::MAX;

// Large enough for most batches; larger ones make it grow, and then it stays.
const INPUT_LEN: usize = 16 << 10;
const ROOM_MIN: usize = 4 << 10;

// An announced length is allocated step by step, as the bytes really come.
const GROWTH_MAX: usize = 4 << 20;

/// An output or input above this is given back to the system after its batch.
pub(crate) const BUFFER_KEPT: usize = 1 << 20;

/// Received bytes. Answers of the batch stay in place until the next one begins: only the reader copies them.
#[derive(Debug, Default)]
pub(crate) struct Input {
    /// Filled with zeros when it grows, not for each read.
    pub bytes: Vec<u8>,
    pub filled: usize,
    pub parsed: usize,
    /// The next answer is complete with this many bytes.
    pub wanted: usize,
    /// Gets of the row that is being answered, behind which others were answered.
    pub passed: Vec<u32>,
    /// Bytes of unrequested answers since this was cleared.
    pub idle: usize,
}

impl Input {
    pub fn clear(&mut self) {
        (self.filled, self.parsed, self.wanted, self.idle) = (0, 0, 0, 0);
        self.passed.clear();
        if self.bytes.capacity() > BUFFER_KEPT {
            self.bytes = Vec::new();
        }
    }

    /// Keeps bytes that did not come from outside.
    pub fn push(&mut self, bytes: &[u8]) -> Range<usize> {
        self.append(|kept| kept.extend_from_slice(bytes)).0
    }

    /// Keeps what `write` appends, and gives its answer.
    pub fn append<T>(&mut self, write: impl FnOnce(&mut Vec<u8>) -> T) -> (Range<usize>, T) {
        let begin = self.filled;
        self.bytes.truncate(begin);
        let answer = write(&mut self.bytes);
        (self.filled, self.parsed) = (self.bytes.len(), self.bytes.len());
        (begin..self.filled, answer)
    }

    /// Drops bytes that were not understood; answers before them stay.
    pub fn cut(&mut self) {
        (self.filled, self.wanted) = (self.parsed, 0);
    }

    /// Room for at least `ROOM_MIN` bytes, or for the answer that has been announced.
    pub fn room(&mut self) -> &mut [u8] {
        let believed = self.wanted.min(self.filled * 2 + GROWTH_MAX);
        let least = believed.max(self.filled + ROOM_MIN);
        if least > self.bytes.len() {
            self.bytes.resize(least.max(self.bytes.len() * 2).max(INPUT_LEN), 0);
        }
        &mut self.bytes[self.filled..]
    }
}
