//! Between requests and bytes: writes requests in the protocol of the pool, and finds out to which request an answer
//! belongs. An answer that fits no request that awaits one breaks the connection; it is never given to another.
mod binary;
pub(crate) mod datagrams;
mod meta;
mod text;
mod write;

use crate::code::Code;
use crate::codec::origin::REMOTE;
use crate::link::input::{Input, ROW_END};
use crate::pool::options::{Options, Protocol};
use crate::pool::request::{Operation, Pending, Record};
use leveret_engine::Meta;
use leveret_protocol::{Limits, Received};
use std::collections::VecDeque;
pub(crate) use write::{end_row, from_text, is_one_row, new_exptime, write};

/// The batch's requests, and the bytes of their keys.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub pending: Vec<Pending>,
    pub keys: Vec<u8>,
    pub records: Vec<Record>,
    /// Number of the first request on the wire, so that a late answer to another batch is known as one.
    pub opaque_base: u32,
}

impl Batch {
    pub fn key(&self, request: u32) -> &[u8] {
        &self.keys[self.pending[request as usize].key.clone()]
    }

    fn opaque(&self, request: u32) -> u32 {
        self.opaque_base.wrapping_add(request)
    }

    /// One answer to `request`, and there may be more.
    pub fn record(&mut self, request: u32, code: Code) -> &mut Record {
        let server = self.pending[request as usize].server;
        // What an arena answers says who wrote it: execute.rs puts that in its place.
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

/// The answers cannot be understood any further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Garbled;

/// Requests that await an answer, in the order in which they were sent.
pub(crate) type Expected = VecDeque<u32>;

/// For whom an answer was.
enum Heard {
    /// A request that awaits it no longer.
    Answer,
    /// One that awaits more of it, such as a line of statistics.
    Part,
    /// Nobody: a quiet request, or one of an earlier batch.
    Idle,
}

/// Either the answer was accepted, or so many bytes must be there before there is one, or nothing fits.
type Accepted = Result<Heard, Option<usize>>;

/// So many statistics one batch may ask for: all that a thousand servers have.
const STATISTICS_MAX: usize = 1 << 20;

/// So many bytes for which nobody waits are believed; quiet requests that fail have answers.
const IDLE_MAX: usize = 16 << 20;

/// Takes the answers that are whole out of the input. True = a request has all of its answer.
pub(crate) fn read(
    input: &mut Input,
    expected: &mut Expected,
    batch: &mut Batch,
    protocol: Protocol,
    options: &Options,
) -> Result<bool, Garbled> {
    let mut has_read = false;
    let limits = Limits { value_max: options.value_max };
    while input.filled > input.parsed && input.filled >= input.wanted {
        let (begin, bytes) = (input.parsed, &input.bytes[input.parsed..input.filled]);
        let told = batch.records.len();
        let place = |part: &[u8]| {
            // What is empty may lie anywhere.
            if part.is_empty() {
                return 0..0;
            }
            let offset = part.as_ptr() as usize - bytes.as_ptr() as usize;
            begin + offset..begin + offset + part.len()
        };
        if protocol == Protocol::Text {
            if let Some(len) = text::accept_next(bytes, &limits, expected, batch, place) {
                (input.parsed, input.wanted, has_read) = (begin + len, 0, true);
                continue;
            }
        }
        let taken = match protocol {
            Protocol::Binary => match leveret_protocol::binary::parse_answer(bytes, &limits) {
                Received::Answer { answer, consumed } => {
                    binary::accept(&answer, expected, batch, place).map(|heard| (heard, consumed))
                }
                Received::More { total } => Err(Some(total)),
                Received::Broken(_) => Err(None),
            },
            Protocol::Text | Protocol::Meta => match leveret_protocol::text::parse_answer(bytes, &limits) {
                Received::Answer { answer, consumed } => {
                    text::accept(&answer, expected, &mut input.passed, batch, place).map(|heard| (heard, consumed))
                }
                Received::More { total } => Err(Some(total)),
                Received::Broken(_) => Err(None),
            },
        };
        match taken {
            Ok((heard, consumed)) => {
                input.parsed += consumed;
                input.wanted = 0;
                match heard {
                    Heard::Answer => has_read = true,
                    Heard::Part if batch.records.len() > told => unescape(batch, &mut input.bytes),
                    Heard::Part => {}
                    Heard::Idle => input.idle += consumed,
                }
                if input.idle > IDLE_MAX {
                    return Err(Garbled);
                }
            }
            Err(Some(total)) => {
                input.wanted = begin + total;
                break;
            }
            Err(None) => return Err(Garbled),
        }
    }
    Ok(has_read)
}

/// Servers list keys in the escapes of URLs. The plain key is not longer, so it takes the place of the escaped one.
fn unescape(batch: &mut Batch, input: &mut [u8]) {
    let Some(record) = batch.records.last_mut().filter(|record| record.code == Code::Stat) else { return };
    if batch.pending[record.request as usize].operation != Operation::Keys {
        return;
    }
    let (mut from, mut to) = (record.name.start, record.name.start);
    while from < record.name.end {
        let digits = input.get(from + 1..from + 3).filter(|_| input[from] == b'%');
        let byte = digits.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        input[to] = byte.unwrap_or(input[from]);
        from += if byte.is_some() { 3 } else { 1 };
        to += 1;
    }
    record.name.end = to;
}

/// Takes the request with this number off the queue; quiet gets before it are misses.
fn reach(wanted: u32, expected: &mut Expected, batch: &mut Batch) -> Accepted {
    let before = expected.iter().position(|number| *number == wanted).ok_or(None)?;
    let is_gets = |number: &u32| *number != ROW_END && batch.pending[*number as usize].operation.is_get();
    // Nothing is a miss unless the whole answer fits.
    if !expected.iter().take(before).all(is_gets) {
        return Err(None);
    }
    for number in expected.drain(..before) {
        batch.miss(number);
    }
    expected.pop_front();
    Ok(Heard::Answer)
}

/// An answer to a quiet request, or to one of an earlier batch: nobody waits for it.
fn is_idle(number: u32, batch: &Batch) -> bool {
    match batch.pending.get(number as usize) {
        Some(pending) => pending.is_quiet,
        // Half the numbers lie before this batch.
        None => number != ROW_END && number > u32::MAX / 2,
    }
}
