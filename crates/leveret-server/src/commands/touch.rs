//! Touches: an item gets another deadline; and gets that touch.
use super::get::{self, Reply};
use super::told;
use crate::context::Context;
use crate::counters::requests::Count;
use leveret_engine::{Deadline, Error, Found, ReadOptions};

/// Gives an item another deadline. Returns whether it is there.
pub(crate) fn touch(cx: &Context<'_>, key: &[u8], deadline: Deadline) -> Result<bool, Error> {
    cx.count(Count::CmdTouch);
    told::look(cx, key);
    let is_there = cx.arena.touch(key, deadline, cx.now)?;
    if !is_there {
        cx.count(Count::TouchMisses);
        get::note_dead(cx, key);
    }
    Ok(is_there)
}

/// As `get::one`, and gives the item another deadline. One that is past at once still gives the item, for the last time.
pub(crate) fn and_get<R: Reply>(cx: &mut Context<'_>, key: &[u8], deadline: Deadline, reply: &R) -> Result<(), Error> {
    cx.note_prefix(key, |prefix| prefix.gets += 1);
    cx.count(Count::CmdTouch);
    told::look(cx, key);
    let is_past = deadline.is_past(cx.now);
    // To the statistics this is a touch and no get, and the touch marks the item as read.
    let is_there = is_past || to_read(cx, key, deadline)?;
    let untraced = ReadOptions::new().untraced();
    let found = match is_there {
        true if reply.tells_cas() => get::find(cx, key, cx.with_cas(untraced))?,
        true => get::find(cx, key, untraced)?,
        false => {
            get::note_dead(cx, key);
            None
        }
    };
    let Some(found) = found else {
        cx.count(Count::TouchMisses);
        reply.miss(cx.output, key);
        return Ok(());
    };
    let begin = cx.output.len();
    get::value(cx, key, found, reply)?;
    if is_past {
        // An error is the only answer, also if the value is to be sent from the arena.
        to_read(cx, key, deadline).inspect_err(|_| cx.unsay(begin))?;
    }
    cx.note_prefix_hit(key);
    Ok(())
}

/// Gives an item another deadline on the way to reading it.
pub(crate) fn to_read(cx: &Context<'_>, key: &[u8], deadline: Deadline) -> Result<bool, Error> {
    Ok(get::read(cx.arena.touch(key, deadline, cx.now).map(Some))?.unwrap_or(false))
}

/// The item as it is, looked at without a change: a touch is no get.
pub(crate) fn before(cx: &Context<'_>, key: &[u8]) -> Result<Found, Error> {
    Ok(get::read(cx.arena.amend(key, cx.now, &mut |_| None))?.unwrap_or_default())
}
