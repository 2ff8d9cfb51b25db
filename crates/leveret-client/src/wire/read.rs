//! Finds out to which request an answer belongs, in each protocol. An answer that fits no request that awaits one breaks
//! the connection; it is never given to another.
use super::Expected;
use crate::code::Code;
use crate::pool::batch::{Batch, Input, Operation, ROW_END};
use crate::pool::options::{Options, Protocol};
use leveret_protocol::binary::{self, Status};
use leveret_protocol::text::{self, MetaCode};
use leveret_protocol::{percent, Limits, Received};
use std::ops::Range;

/// The answers cannot be understood any further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Garbled;

/// Limit of bytes that no request waits for; failing quiet requests have answers.
const IDLE_MAX: usize = 16 << 20;

/// Addressee of an answer.
enum Heard {
    /// A request that awaits it no longer.
    Answer,
    /// One that awaits more of it, such as a line of statistics.
    Part,
    /// None: a quiet request, or one of an earlier batch.
    Idle,
}

/// Either the answer was accepted, or more bytes are needed, or it is invalid.
type Accepted = Result<Heard, Option<usize>>;

/// Most statistics that one batch may request: all those of a thousand servers.
const STATISTICS_MAX: usize = 1 << 20;

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
            // An empty part may be at any address.
            if part.is_empty() {
                return 0..0;
            }
            let offset = part.as_ptr() as usize - bytes.as_ptr() as usize;
            begin + offset..begin + offset + part.len()
        };
        if protocol == Protocol::Text {
            if let Some(len) = accept_next(bytes, &limits, expected, batch, place) {
                (input.parsed, input.wanted, has_read) = (begin + len, 0, true);
                continue;
            }
        }
        let taken = match protocol {
            Protocol::Binary => match binary::parse_answer(bytes, &limits) {
                Received::Answer { answer, consumed } => {
                    accept_binary(&answer, expected, batch, place).map(|heard| (heard, consumed))
                }
                Received::More { total } => Err(Some(total)),
                Received::Broken(_) => Err(None),
            },
            Protocol::Text | Protocol::Meta => match text::parse_answer(bytes, &limits) {
                Received::Answer { answer, consumed } => {
                    accept_text(&answer, expected, &mut input.passed, batch, place).map(|heard| (heard, consumed))
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

/// Takes the item that is awaited next, if it was found: then there is nothing to look for. Gives its length; None = it
/// is not that.
fn accept_next(
    input: &[u8],
    limits: &Limits,
    expected: &mut Expected,
    batch: &mut Batch,
    place: impl Fn(&[u8]) -> Range<usize>,
) -> Option<usize> {
    let number = expected.front().copied().filter(|number| *number != ROW_END)?;
    if !batch.pending[number as usize].operation.is_get() {
        return None;
    }
    let (flags, value, len) = text::parse_value_of(batch.key(number), input, limits)?;
    expected.pop_front();
    let record = batch.finish(number, Code::Success);
    (record.meta.flags, record.value) = (flags, place(value));
    Some(len)
}

/// An answer of the text protocol belongs to the oldest waiting request, and a value must have the right key.
fn accept_text(
    answer: &text::TextAnswer<'_>,
    expected: &mut Expected,
    passed: &mut Vec<u32>,
    batch: &mut Batch,
    place: impl Fn(&[u8]) -> Range<usize>,
) -> Accepted {
    use text::TextAnswer as Says;
    if let Says::Meta(answer) = answer {
        return accept_meta(answer, expected, batch, place);
    }
    if let Says::Value { key, flags, value, cas } = answer {
        let row = expected
            .iter()
            .take_while(|number| **number != ROW_END && batch.pending[**number as usize].operation.is_get());
        let before = row.into_iter().position(|number| batch.key(*number) == *key);
        let number = if let Some(before) = before {
            passed.extend(expected.drain(..before));
            expected.pop_front().ok_or(None)?
        } else {
            // memcached answers in the order of the keys; servers in front of it may not. A key that was not requested
            // is an error.
            let at = passed.iter().position(|number| batch.key(*number) == *key).ok_or(None)?;
            passed.swap_remove(at)
        };
        let value = place(value);
        let record = batch.finish(number, Code::Success);
        (record.meta.flags, record.cas, record.value) = (*flags, cas.unwrap_or(0), value);
        return Ok(Heard::Answer);
    }
    let front = expected.front().copied().ok_or(None)?;
    let is_row = front == ROW_END || batch.pending[front as usize].operation.is_get();
    if is_row {
        let (code, text) = match answer {
            Says::End => (None, b"".as_slice()),
            Says::Error(text) => (Some(Code::ProtocolError), *text),
            Says::ClientError(text) => (Some(Code::ClientError), *text),
            Says::ServerError(text) => (Some(Code::ServerError), *text),
            _ => return Err(None),
        };
        while let Some(number) = expected.pop_front().filter(|number| *number != ROW_END) {
            passed.push(number);
        }
        for number in passed.drain(..) {
            match code {
                None => batch.miss(number),
                Some(code) => batch.finish(number, code).value = place(text),
            }
        }
        return Ok(Heard::Answer);
    }
    let operation = batch.pending[front as usize].operation;
    let (code, text) = match answer {
        Says::Stat { .. } if batch.records.len() == STATISTICS_MAX => return Err(None),
        Says::Stat { name, value } if operation == Operation::Stats => {
            let record = batch.record(front, Code::Stat);
            (record.name, record.value) = (place(name), place(value));
            return Ok(Heard::Part);
        }
        Says::Line(line) if operation == Operation::Keys => match line.strip_prefix(b"key=") {
            Some(rest) => {
                let len = rest.iter().position(|byte| *byte == b' ').unwrap_or(rest.len());
                batch.record(front, Code::Stat).name = place(&rest[..len]);
                return Ok(Heard::Part);
            }
            // Another one walks at this moment.
            None => (Code::ServerError, *line),
        },
        // memcached 1.6.45 says this before the first key.
        Says::Ok if operation == Operation::Keys => return Ok(Heard::Part),
        Says::End if operation == Operation::Keys => (Code::End, b"".as_slice()),
        Says::End | Says::Reset | Says::Ok if operation == Operation::Stats => (Code::End, b"".as_slice()),
        Says::Stored if operation.is_store() => (Code::Success, b"".as_slice()),
        Says::NotStored if operation.is_store() => (Code::NotStored, b"".as_slice()),
        Says::Exists if operation == Operation::Cas => (Code::DataExists, b"".as_slice()),
        Says::NotFound => (Code::NotFound, b"".as_slice()),
        Says::Deleted if operation == Operation::Delete => (Code::Success, b"".as_slice()),
        Says::Touched if operation == Operation::Touch => (Code::Success, b"".as_slice()),
        Says::Ok if operation == Operation::Flush => (Code::Success, b"".as_slice()),
        Says::Version(text) if operation == Operation::Version => (Code::Success, *text),
        Says::Number(number) if matches!(operation, Operation::Increment | Operation::Decrement) => {
            expected.pop_front();
            batch.finish(front, Code::Success).number = *number;
            return Ok(Heard::Answer);
        }
        Says::Error(text) => (Code::ProtocolError, *text),
        Says::ClientError(text) => (Code::ClientError, *text),
        Says::ServerError(text) => (server_error(text), *text),
        _ => return Err(None),
    };
    expected.pop_front();
    batch.finish(front, code).value = place(text);
    // Old servers parse the data block of a refused store as commands: their further output is not an answer.
    if operation.is_store() && matches!(code, Code::ClientError | Code::ProtocolError) {
        return Err(None);
    }
    Ok(Heard::Answer)
}

fn server_error(text: &[u8]) -> Code {
    match text {
        b"object too large for cache" => Code::TooBig,
        _ if text.starts_with(b"out of memory") => Code::ServerMemoryAllocationFailure,
        _ => Code::ServerError,
    }
}

/// An answer of the meta commands carries the number of its request.
fn accept_meta(
    answer: &text::MetaAnswer<'_>,
    expected: &mut Expected,
    batch: &mut Batch,
    place: impl Fn(&[u8]) -> Range<usize>,
) -> Accepted {
    if answer.code == MetaCode::Noop {
        return reach(ROW_END, expected, batch);
    }
    // Quiet requests have no number: their answers are not awaited.
    let Some(opaque) = answer.opaque else { return Ok(Heard::Idle) };
    let opaque = std::str::from_utf8(opaque).ok().and_then(|text| text.parse::<u32>().ok()).ok_or(None)?;
    let number = opaque.wrapping_sub(batch.opaque_base);
    if is_idle(number, batch) {
        return Ok(Heard::Idle);
    }
    // Only `MN` ends a row.
    let operation = batch.pending.get(number as usize).ok_or(None)?.operation;
    reach(number, expected, batch)?;
    let code = match answer.code {
        MetaCode::Done | MetaCode::Value => Code::Success,
        MetaCode::Miss | MetaCode::NotFound if operation.is_get() => {
            batch.miss(number);
            return Ok(Heard::Answer);
        }
        MetaCode::Miss | MetaCode::NotFound => Code::NotFound,
        MetaCode::NotStored => Code::NotStored,
        MetaCode::Exists => Code::DataExists,
        MetaCode::Noop => return Err(None),
    };
    let is_count = matches!(operation, Operation::Increment | Operation::Decrement);
    let counted = answer.value.filter(|_| is_count).map(|value| value.trim_ascii_end());
    let counted = match counted {
        Some(digits) => std::str::from_utf8(digits).ok().and_then(|text| text.parse().ok()).ok_or(None)?,
        None => 0,
    };
    let value = place(answer.value.unwrap_or(b""));
    let record = batch.finish(number, code);
    record.meta.flags = answer.facts.flags.unwrap_or(0);
    record.cas = answer.facts.cas.unwrap_or(0);
    (record.value, record.number) = (value, counted);
    Ok(Heard::Answer)
}

/// An answer of the binary protocol carries the number of its request.
fn accept_binary(
    answer: &binary::BinaryAnswer<'_>,
    expected: &mut Expected,
    batch: &mut Batch,
    place: impl Fn(&[u8]) -> Range<usize>,
) -> Accepted {
    let number = answer.opaque.wrapping_sub(batch.opaque_base);
    if is_idle(number, batch) {
        return Ok(Heard::Idle);
    }
    let operation = batch.pending.get(number as usize).map(|pending| pending.operation);
    let Some(operation) = operation else { return reach(number, expected, batch) };
    // Any number of answers, then one without a name.
    if operation == Operation::Stats
        && answer.status == 0
        && !answer.key.is_empty()
        && expected.front() == Some(&number)
    {
        if batch.records.len() == STATISTICS_MAX {
            return Err(None);
        }
        let record = batch.record(number, Code::Stat);
        (record.name, record.value) = (place(answer.key), place(answer.value));
        return Ok(Heard::Part);
    }
    reach(number, expected, batch)?;
    let code = match answer.status() {
        Some(Status::Success) if operation == Operation::Stats => Code::End,
        Some(Status::Success) => Code::Success,
        Some(Status::KeyNotFound) if operation.is_get() => {
            batch.miss(number);
            return Ok(Heard::Answer);
        }
        // As the text protocol says it.
        Some(Status::KeyNotFound) if operation == Operation::Replace => Code::NotStored,
        Some(Status::KeyExists) if operation == Operation::Add => Code::NotStored,
        Some(Status::KeyNotFound) => Code::NotFound,
        Some(Status::KeyExists) => Code::DataExists,
        Some(Status::TooLarge) => Code::TooBig,
        Some(Status::NotStored) => Code::NotStored,
        Some(Status::InvalidArguments | Status::NotNumber) => Code::ClientError,
        Some(Status::OutOfMemory) => Code::ServerMemoryAllocationFailure,
        Some(Status::AuthError | Status::AuthContinue) => Code::AuthFailure,
        Some(Status::UnknownCommand) => Code::ProtocolError,
        _ => Code::ServerError,
    };
    let is_count = matches!(operation, Operation::Increment | Operation::Decrement);
    let counted = if is_count && code == Code::Success { answer.number().ok_or(None)? } else { 0 };
    let value = place(answer.value);
    let record = batch.finish(number, code);
    record.meta.flags = answer.flags().unwrap_or(0);
    (record.cas, record.value, record.number) = (answer.cas, value, counted);
    Ok(Heard::Answer)
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

/// An answer to a quiet request, or to one of an earlier batch: no caller waits for it.
fn is_idle(number: u32, batch: &Batch) -> bool {
    match batch.pending.get(number as usize) {
        Some(pending) => pending.is_quiet,
        // Half the numbers lie before this batch.
        None => number != ROW_END && number > u32::MAX / 2,
    }
}

/// Servers list keys in the escapes of URLs. The plain key is not longer, so it takes the place of the escaped one.
fn unescape(batch: &mut Batch, input: &mut [u8]) {
    let Some(record) = batch.records.last_mut().filter(|record| record.code == Code::Stat) else { return };
    if batch.pending[record.request as usize].operation != Operation::Keys {
        return;
    }
    record.name.end = record.name.start + percent::decode_in_place(&mut input[record.name.clone()]);
}
