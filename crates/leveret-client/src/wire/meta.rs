//! Answers of the meta commands: each carries the number of its request.
use super::{is_idle, reach, Accepted, Expected, Heard};
use crate::code::Code;
use crate::pool::batch::{Batch, ROW_END};
use crate::pool::request::Operation;
use leveret_protocol::text::{self, MetaCode};
use std::ops::Range;

pub fn accept(
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
