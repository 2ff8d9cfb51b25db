//! The command LEVERET, which Redis has not: by `LEVERET WATCH kind…` the connection is told what other clients do, in the lines
//! of memcached's `watch`. `leveret watch` asks so where clients of memcached have no port.
use super::state::RespState;
use crate::commands::watch::{watch, Unwatched};
use crate::context::Context;
use crate::conversation::Conversation;
use crate::next::{Done, Next};
use leveret_protocol::resp::Arguments;

/// Whether it is this command.
pub(super) fn is_own(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(b"leveret")
}

/// LEVERET WATCH [kind…]. Err: the error that the client is told.
#[cold]
pub(super) fn run(
    state: &RespState,
    talk: &mut Conversation,
    cx: &mut Context<'_>,
    request: Arguments<'_>,
) -> Result<Done, &'static str> {
    if !talk.is_known {
        return Err("NOAUTH Authentication required.");
    }
    if request.len() < 2 || !request.get(1).eq_ignore_ascii_case(b"WATCH") {
        return Err(
            "ERR unknown subcommand. Try LEVERET WATCH [fetchers|mutations|deletions|evictions|connevents ...]",
        );
    }
    if state.transaction.is_some() {
        return Err("ERR LEVERET WATCH inside MULTI is not allowed");
    }
    let watching = watch(cx, talk.transport, request.iter().skip(2)).map_err(|unwatched| match unwatched {
        Unwatched::Forbidden => "NOPERM the server was started without watch (-W)",
        Unwatched::Unknown => "ERR there are no such events",
        Unwatched::TooMany => "ERR too many watch already",
        Unwatched::Impossible => "ERR this server cannot be watched",
    })?;
    talk.watching = Some(watching);
    cx.say("+OK");
    Ok(Done::Over(Next::Watch))
}
