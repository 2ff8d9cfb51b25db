//! Between requests and bytes. `write` writes requests in the protocol of the server; `read` takes answers, each of which
//! `text`, `meta` or `binary` gives to its request.
mod binary;
pub(crate) mod datagrams;
mod meta;
pub(crate) mod read;
mod text;
pub(crate) mod write;

use crate::pool::batch::{Batch, ROW_END};
use std::collections::VecDeque;

/// Requests that await an answer, in the order in which they were sent.
pub(crate) type Expected = VecDeque<u32>;

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
