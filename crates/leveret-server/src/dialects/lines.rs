//! Lines that the classic and the meta commands share.
use crate::context::Context;
use leveret_engine::Error;

/// Answer of a server without slabs when a store finds no room.
const OUT_OF_MEMORY: &str = "SERVER_ERROR out of memory storing object";
const TOO_LARGE: &str = "SERVER_ERROR object too large for cache";
pub(super) const NOT_NUMBER: &str = "CLIENT_ERROR cannot increment or decrement non-numeric value";

/// Error text of a failed operation.
#[cold]
pub(super) fn line_of(cx: &Context<'_>, error: &Error) -> &'static str {
    cx.note_failure(error);
    match error {
        Error::ValueTooLarge { .. } => TOO_LARGE,
        Error::NoMemory => OUT_OF_MEMORY,
        Error::KeyTooLong { .. } => "CLIENT_ERROR bad command line format",
        Error::Busy => "SERVER_ERROR another process holds this part of the cache, try again",
        Error::Lost => "SERVER_ERROR the cache was removed while the server ran",
        _ => "SERVER_ERROR this server cannot write to the cache",
    }
}

/// Says it.
#[cold]
pub(super) fn say_error(cx: &mut Context<'_>, error: &Error) {
    let line = line_of(cx, error);
    cx.say(line);
}
