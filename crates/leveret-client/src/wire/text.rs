//! Answers of the text protocol: each belongs to the oldest waiting request, and a value must have the right key.
use super::{meta, Accepted, Expected, Heard, STATISTICS_MAX};
use crate::code::Code;
use crate::pool::batch::{Batch, ROW_END};
use crate::pool::request::Operation;
use leveret_protocol::{text, Limits};
use std::ops::Range;

/// Takes the item that is awaited next, if it was found: then there is nothing to look for. Gives its length; None = it
/// is not that.
pub fn accept_next(
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

pub fn accept(
    answer: &text::TextAnswer<'_>,
    expected: &mut Expected,
    passed: &mut Vec<u32>,
    batch: &mut Batch,
    place: impl Fn(&[u8]) -> Range<usize>,
) -> Accepted {
    use text::TextAnswer as Says;
    if let Says::Meta(answer) = answer {
        return meta::accept(answer, expected, batch, place);
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
