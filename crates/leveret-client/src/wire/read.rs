//! Finds out to which request an answer belongs. An answer that fits no request that awaits one breaks the connection; it
//! is never given to another.
use super::{binary, text, Expected, Heard};
use crate::code::Code;
use crate::pool::batch::{Batch, Input};
use crate::pool::options::{Options, Protocol};
use crate::pool::request::Operation;
use leveret_protocol::{percent, Limits, Received};

/// The answers cannot be understood any further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Garbled;

/// Limit of bytes that no request waits for; failing quiet requests have answers.
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
            // An empty part may be at any address.
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
    record.name.end = record.name.start + percent::decode_in_place(&mut input[record.name.clone()]);
}
