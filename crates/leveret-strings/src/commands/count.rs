//! Numbers: INCR, DECR, INCRBY, DECRBY, INCRBYFLOAT.
use crate::call::{Answered, Call, Impact};
use crate::decimal::Decimal;
use crate::engine_calls::{count_signed, SignedCount, EXACT, TRIES};
use crate::problem::Problem;
use crate::words::integer;
use leveret_engine::{Deadline, Error, Meta, Mode, Stored, Value};
use leveret_protocol::resp::Arguments;

/// `INCR key`.
pub fn incr(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    add(call, request.get(1), 1)
}

/// `DECR key`.
pub fn decr(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    add(call, request.get(1), -1)
}

/// `INCRBY key number`.
pub fn incrby(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    add(call, request.get(1), integer(request.get(2))?)
}

/// `DECRBY key number`.
pub fn decrby(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let by = integer(request.get(2))?.checked_neg().ok_or(Problem::Text("ERR decrement would overflow"))?;
    add(call, request.get(1), by)
}

fn add(call: &mut Call<'_>, key: &[u8], by: i64) -> Answered {
    match count_signed(call.writable()?, key, by, call.now)? {
        SignedCount::Value(value) => {
            call.reply.integer(value);
            Ok(Impact::Changed)
        }
        SignedCount::NotInteger => Err(Problem::NOT_INTEGER),
        SignedCount::Overflow => Err(Problem::Text("ERR increment or decrement would overflow")),
    }
}

/// `INCRBYFLOAT key number`.
pub fn incrbyfloat(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    const NOT_FLOAT: Problem = Problem::Text("ERR value is not a valid float");
    let (key, arena) = (request.get(1), call.writable()?);
    let mut text = Vec::new();
    for _ in 0..TRIES {
        text.clear();
        let found = arena.read_into(key, EXACT, call.now, &mut text)?;
        let old = match found {
            Some(_) => Decimal::parse(&text).ok_or(NOT_FLOAT)?,
            None => Decimal::ZERO,
        };
        let by = Decimal::parse(request.get(2)).ok_or(NOT_FLOAT)?;
        let sum = old.plus(&by).ok_or(Problem::Text("ERR increment would produce NaN or Infinity"))?.to_text();
        let (mode, deadline) =
            found.map_or((Mode::Add, Deadline::NEVER), |found| (Mode::Cas(found.cas), found.deadline));
        if let Stored::Stored { .. } =
            arena.store(key, Value::Bytes(&sum), Meta::default(), deadline, mode, call.now)?
        {
            call.reply.bulk(&sum);
            return Ok(Impact::Changed);
        }
    }
    Err(Error::Busy.into())
}
