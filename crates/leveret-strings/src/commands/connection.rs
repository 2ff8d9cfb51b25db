//! What needs no key: PING, ECHO, TIME, WAIT, ROLE.
use crate::call::{Answered, Call, Impact};
use crate::problem::Problem;
use crate::words::integer;
use leveret_protocol::resp::{parse_integer, Arguments};
use std::time::{SystemTime, UNIX_EPOCH};

/// `PING [text]`.
pub fn ping(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    match request.len() {
        1 => call.reply.simple("PONG"),
        2 => call.reply.bulk(request.get(1)),
        _ => return Err(Problem::Arity(call.name)),
    }
    Ok(Impact::None)
}

/// `ECHO text`.
pub fn echo(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    call.reply.bulk(request.get(1));
    Ok(Impact::None)
}

/// `TIME`.
pub fn time(call: &mut Call<'_>, _request: &Arguments<'_>) -> Answered {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    call.reply.array(2);
    call.reply.bulk_of(format_args!("{}", since.as_secs()));
    call.reply.bulk_of(format_args!("{}", since.subsec_micros()));
    Ok(Impact::None)
}

/// `WAIT replicas milliseconds`: there are no replicas to wait for.
pub fn wait(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    integer(request.get(1))?;
    match parse_integer(request.get(2)) {
        None => return Err(Problem::Text("ERR timeout is not an integer or out of range")),
        Some(..0) => return Err(Problem::Text("ERR timeout is negative")),
        Some(_) => call.reply.integer(0),
    }
    Ok(Impact::None)
}

/// `ROLE`.
pub fn role(call: &mut Call<'_>, _request: &Arguments<'_>) -> Answered {
    call.reply.array(3);
    call.reply.bulk(b"master");
    call.reply.integer(0);
    call.reply.array(0);
    Ok(Impact::None)
}
