//! Touches: an item gets another deadline.
use super::{find, told};
use crate::context::Context;
use crate::counters::requests::Count;
use leveret_engine::{Deadline, Error, Found};

/// Gives an item another deadline. Returns whether it is there.
pub(crate) fn touch(cx: &Context<'_>, key: &[u8], deadline: Deadline) -> Result<bool, Error> {
    cx.count(Count::CmdTouch);
    told::look(cx, key);
    let is_there = cx.arena.touch(key, deadline, cx.now)?;
    if !is_there {
        cx.count(Count::TouchMisses);
        find::note_dead(cx, key);
    }
    Ok(is_there)
}

/// The same, on the way to reading it.
pub(crate) fn to_read(cx: &Context<'_>, key: &[u8], deadline: Deadline) -> Result<bool, Error> {
    Ok(find::read(cx.arena.touch(key, deadline, cx.now).map(Some))?.unwrap_or(false))
}

/// The item as it is, looked at without a change: a touch is no get.
pub(crate) fn before(cx: &Context<'_>, key: &[u8]) -> Result<Found, Error> {
    Ok(find::read(cx.arena.amend(key, cx.now, &mut |_| None))?.unwrap_or_default())
}
