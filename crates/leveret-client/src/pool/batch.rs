//! One batch: which requests were routed where, and the answers that have come.
use super::request::Operation;
use crate::code::Code;
use crate::codec::origin::REMOTE;
use leveret_engine::Meta;
use std::ops::Range;

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
        // What an arena answers says who wrote it: memory/execute.rs puts that in its place.
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

    /// Of what became of a copy nobody is told.
    pub fn is_silent(&self, record: &Record) -> bool {
        self.pending[record.request as usize].is_copy
    }

    /// A further copy of what `request` writes that its server has, or will have, answered for. Copies stand right
    /// behind what they are copies of.
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
    /// A further copy of what the request before it writes: nobody hears how it went, unless it has to stand for that
    /// one.
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
    /// In the server's output; not for gets, which are written anew.
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
