//! Receives large values straight into the arena: those of SET and its relatives, whose options may stand behind the value.
use super::state::{House, RespState};
use crate::context::Context;
use leveret_protocol::resp::RequestReader;
use leveret_strings::lookup;

/// Values of which at least this many bytes are outstanding are received straight into the arena.
const RECEIVED_DIRECTLY: usize = 64 << 10;

/// Begins to receive the argument under way, if it is the value of a store. Returns how many bytes of the input are processed.
#[cold]
pub(super) fn begin(
    state: &mut RespState,
    reader: &mut RequestReader,
    cx: &Context<'_>,
    house: House<'_>,
    input: &[u8],
) -> Option<usize> {
    let under_way = reader.under_way(input)?;
    let came = input.len().saturating_sub(under_way.begin);
    if under_way.len.saturating_sub(came) < RECEIVED_DIRECTLY || state.receiving.is_some() {
        return None;
    }
    let value_at = match lookup(under_way.before.name())?.name {
        "set" | "setnx" | "getset" => 2,
        "setex" | "psetex" => 3,
        _ => return None,
    };
    if under_way.before.len() != value_at {
        return None;
    }
    let arena = house.worker.database(state.database)?;
    let mut incoming = arena.incoming(under_way.before.get(1), under_way.len, cx.now)?;
    let front = reader.divert(input)?;
    let taken = front + incoming.append(&input[front..]);
    state.receiving = Some(incoming);
    Some(taken)
}
