//! Deadlines of keys: EXPIRE, PEXPIRE, EXPIREAT, PEXPIREAT, PERSIST.
use crate::call::{Answered, Call, Impact};
use crate::clock;
use crate::expiry::TimeUnit;
use crate::guarded;
use crate::options::Conditions;
use crate::problem::Problem;
use crate::words::integer;
use leveret_engine::Deadline;
use leveret_protocol::resp::Arguments;

/// `EXPIRE key seconds [NX|XX|GT|LT]`.
pub fn expire(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    change(call, request, TimeUnit::Seconds, clock::unix_ms())
}

/// `PEXPIRE key milliseconds [NX|XX|GT|LT]`.
pub fn pexpire(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    change(call, request, TimeUnit::Milliseconds, clock::unix_ms())
}

/// `EXPIREAT key unix [NX|XX|GT|LT]`.
pub fn expireat(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    change(call, request, TimeUnit::Seconds, 0)
}

/// `PEXPIREAT key unix [NX|XX|GT|LT]`.
pub fn pexpireat(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    change(call, request, TimeUnit::Milliseconds, 0)
}

/// `base`: the Unix time from which the request's time counts.
fn change(call: &mut Call<'_>, request: &Arguments<'_>, unit: TimeUnit, base: i64) -> Answered {
    let conditions = Conditions::read(request)?;
    let invalid = || Problem::ExpireTime(call.name);
    let time = unit.milliseconds(integer(request.get(2))?).ok_or_else(invalid)?;
    let unix_ms = time.checked_add(base).ok_or_else(invalid)?;
    let is_past = unix_ms <= clock::unix_ms();
    let deadline = if is_past { clock::past(call.now) } else { clock::deadline_of(unix_ms) };
    let (key, mut is_changed) = (request.get(1), false);
    let Some(arena) = call.arena.filter(|arena| key.len() <= arena.key_max()) else {
        call.reply.integer(0);
        return Ok(Impact::None);
    };
    guarded::retime(call, arena, key, &mut |found| {
        is_changed = conditions.allow(clock::unix_ms_of(found.deadline), unix_ms);
        is_changed.then_some(deadline)
    })?;
    call.reply.integer(i64::from(is_changed));
    Ok(match (is_changed, is_past) {
        (false, _) => Impact::None,
        (true, true) => Impact::Removed,
        (true, false) => Impact::Changed,
    })
}

/// `PERSIST key`.
pub fn persist(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let (key, mut is_changed) = (request.get(1), false);
    if let Some(arena) = call.arena.filter(|arena| key.len() <= arena.key_max()) {
        guarded::retime(call, arena, key, &mut |found| {
            is_changed = found.deadline != Deadline::NEVER;
            is_changed.then_some(Deadline::NEVER)
        })?;
    }
    call.reply.integer(i64::from(is_changed));
    Ok(if is_changed { Impact::Changed } else { Impact::None })
}
