//! Numbers: INCR, DECR, INCRBY, DECRBY, INCRBYFLOAT.
use crate::call::{Answered, Call, Impact};
use crate::decimal::Decimal;
use crate::engine_calls::{edit, Edited};
use crate::guarded;
use crate::problem::Problem;
use crate::words::integer;
use leveret_engine::CountedSigned;
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
    match guarded::count(call, key, by)? {
        CountedSigned::Value(value) => {
            call.reply.integer(value);
            Ok(Impact::Changed)
        }
        CountedSigned::NotNumber => Err(Problem::NOT_INTEGER),
        CountedSigned::Overflow => Err(Problem::Text("ERR increment or decrement would overflow")),
    }
}

/// `INCRBYFLOAT key number`.
pub fn incrbyfloat(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    const NOT_FLOAT: Problem = Problem::Text("ERR value is not a valid float");
    const NOT_FINITE: Problem = Problem::Text("ERR increment would produce NaN or Infinity");
    let mut told = Vec::new();
    edit(call, request.get(1), &mut |value, is_there| {
        let old = if is_there { Decimal::parse(value).ok_or(NOT_FLOAT)? } else { Decimal::ZERO };
        let by = Decimal::parse(request.get(2)).ok_or(NOT_FLOAT)?;
        told = old.plus(&by).ok_or(NOT_FINITE)?.to_text();
        value.clone_from(&told);
        Ok(Edited::Changed)
    })?;
    call.reply.bulk(&told);
    Ok(Impact::Changed)
}
