//! How long keys live: TTL, PTTL, EXPIRETIME, PEXPIRETIME.
use crate::call::{Answered, Call, Impact};
use crate::clock;
use leveret_protocol::resp::Arguments;

/// `TTL key`.
pub fn ttl(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    tell(call, request.get(1), |unix_ms| rounded(left(unix_ms)))
}

/// `PTTL key`.
pub fn pttl(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    tell(call, request.get(1), left)
}

/// `EXPIRETIME key`.
pub fn expiretime(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    tell(call, request.get(1), rounded)
}

/// `PEXPIRETIME key`.
pub fn pexpiretime(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    tell(call, request.get(1), |unix_ms| unix_ms)
}

/// -2: there is no such key; -1: it has no deadline.
fn tell(call: &mut Call<'_>, key: &[u8], told: fn(i64) -> i64) -> Answered {
    let found = call.arena.and_then(|arena| arena.peek(key, call.now));
    call.reply.integer(found.map_or(-2, |found| clock::unix_ms_of(found.deadline).map_or(-1, told)));
    Ok(Impact::None)
}

fn left(unix_ms: i64) -> i64 {
    unix_ms.saturating_sub(clock::unix_ms()).max(0)
}

/// Seconds, as Redis rounds them.
fn rounded(milliseconds: i64) -> i64 {
    milliseconds.saturating_add(500) / 1000
}
