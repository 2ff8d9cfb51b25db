//! Answers of the binary protocol: each carries the number of its request.
use super::{is_idle, reach, Accepted, Expected, Heard, STATISTICS_MAX};
use crate::code::Code;
use crate::pool::batch::Batch;
use crate::pool::request::Operation;
use leveret_protocol::binary::{self, Status};
use std::ops::Range;

pub fn accept(
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
