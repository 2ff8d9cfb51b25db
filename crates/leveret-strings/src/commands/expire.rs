//! Deadlines of keys: EXPIRE, PEXPIRE, EXPIREAT, PEXPIREAT, PERSIST.
use crate::call::{Answered, Call, Impact};
use crate::clock;
use crate::expiry::TimeUnit;
use crate::problem::Problem;
use crate::words::{integer, is_word};
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
    arena.retime(key, call.now, &mut |found| {
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

#[derive(Clone, Copy, Default)]
struct Conditions {
    nx: bool,
    xx: bool,
    gt: bool,
    lt: bool,
}

impl Conditions {
    fn read(request: &Arguments<'_>) -> Result<Conditions, Problem> {
        let mut conditions = Conditions::default();
        for word in request.iter().skip(3) {
            let condition = match word {
                word if is_word(word, "NX") => &mut conditions.nx,
                word if is_word(word, "XX") => &mut conditions.xx,
                word if is_word(word, "GT") => &mut conditions.gt,
                word if is_word(word, "LT") => &mut conditions.lt,
                word => {
                    // As a string of C, and without line ends behind it.
                    let shown = word.split(|byte| *byte == 0).next().unwrap_or_default();
                    let len = shown.iter().rposition(|byte| !b"\r\n".contains(byte)).map_or(0, |last| last + 1);
                    return Err(Problem::Told([b"ERR Unsupported option ", &shown[..len]].concat()));
                }
            };
            *condition = true;
        }
        let Conditions { nx, xx, gt, lt } = conditions;
        if nx && (xx || gt || lt) {
            return Err(Problem::Text("ERR NX and XX, GT or LT options at the same time are not compatible"));
        }
        if gt && lt {
            return Err(Problem::Text("ERR GT and LT options at the same time are not compatible"));
        }
        Ok(conditions)
    }

    /// Whether `new` may follow `old`. A key without a deadline lives for ever.
    fn allow(self, old: Option<i64>, new: i64) -> bool {
        match old {
            Some(old) => !self.nx && (!self.gt || new > old) && (!self.lt || new < old),
            None => !self.xx && !self.gt,
        }
    }
}

/// `PERSIST key`.
pub fn persist(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let (key, mut is_changed) = (request.get(1), false);
    if let Some(arena) = call.arena.filter(|arena| key.len() <= arena.key_max()) {
        arena.retime(key, call.now, &mut |found| {
            is_changed = found.deadline != Deadline::NEVER;
            is_changed.then_some(Deadline::NEVER)
        })?;
    }
    call.reply.integer(i64::from(is_changed));
    Ok(if is_changed { Impact::Changed } else { Impact::None })
}
