//! Storing values: SET, SETEX, PSETEX, SETNX, GETSET.
use crate::call::{Answered, Call, Impact};
use crate::expiry::{Expiry, TimeUnit};
use crate::options::SetOptions;
use crate::problem::Problem;
use leveret_engine::{Deadline, Meta, Mode, Stored, Terms, Value};
use leveret_protocol::resp::Arguments;

/// `SET key value [NX|XX] [GET] [EX seconds|PX milliseconds|EXAT unix|PXAT unix|KEEPTTL]`.
pub fn set(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let (key, bytes) = (request.get(1), request.get(2));
    if request.len() == 3 {
        return store(call, key, bytes, Deadline::NEVER);
    }
    let options = SetOptions::read(request)?;
    let deadline = match &options.expiry {
        Some(expiry) => expiry.deadline(call)?,
        None => Deadline::NEVER,
    };
    let terms = match options.mode {
        Mode::Set => call.terms_of_set(key),
        mode => Terms::new(mode),
    };
    let terms = terms.keep_deadline(options.keeps_deadline);
    let (arena, value) = (call.writable()?, Value::Bytes(bytes));
    let stored = if options.tells_old {
        let (stored, old) = arena.swap(key, value, Meta::default(), deadline, &terms, call.now)?;
        match old {
            Some(old) => call.reply.bulk(&old.value),
            None => call.reply.nil(),
        }
        stored
    } else {
        arena.store_if(key, value, Meta::default(), deadline, &terms, call.now)?
    };
    let is_stored = matches!(stored, Stored::Stored { .. });
    if options.mode == Mode::Set && !is_stored {
        return Err(Problem::Overtaken);
    }
    let is_past = is_stored && deadline.is_past(call.now);
    if is_past {
        arena.remove_dead(key, call.now)?;
    }
    match (options.tells_old, is_stored) {
        (true, _) => {}
        (false, true) => call.reply.ok(),
        (false, false) => call.reply.nil(),
    }
    Ok(match (is_stored, is_past) {
        (false, _) => Impact::None,
        (true, true) => Impact::Removed,
        (true, false) => Impact::Changed,
    })
}

/// `SETEX key seconds value`.
pub fn setex(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    set_for(call, request, TimeUnit::Seconds)
}

/// `PSETEX key milliseconds value`.
pub fn psetex(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    set_for(call, request, TimeUnit::Milliseconds)
}

fn set_for(call: &mut Call<'_>, request: &Arguments<'_>, unit: TimeUnit) -> Answered {
    let deadline = Expiry { time: request.get(2), unit, is_unix: false }.deadline(call)?;
    store(call, request.get(1), request.get(3), deadline)
}

/// Sets a value, whatever is there.
#[inline]
fn store(call: &mut Call<'_>, key: &[u8], value: &[u8], deadline: Deadline) -> Answered {
    let terms = call.terms_of_set(key);
    let stored = call.writable()?.store_if(key, Value::Bytes(value), Meta::default(), deadline, &terms, call.now)?;
    if !matches!(stored, Stored::Stored { .. }) {
        return Err(Problem::Overtaken);
    }
    call.reply.ok();
    Ok(Impact::Changed)
}

/// `SETNX key value`.
pub fn setnx(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let (key, value) = (request.get(1), Value::Bytes(request.get(2)));
    let stored = call.writable()?.store(key, value, Meta::default(), Deadline::NEVER, Mode::Add, call.now)?;
    let is_stored = matches!(stored, Stored::Stored { .. });
    call.reply.integer(i64::from(is_stored));
    Ok(if is_stored { Impact::Changed } else { Impact::None })
}

/// `GETSET key value`.
pub fn getset(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let (key, value) = (request.get(1), Value::Bytes(request.get(2)));
    let terms = Terms::new(Mode::Set);
    match call.writable()?.swap(key, value, Meta::default(), Deadline::NEVER, &terms, call.now)?.1 {
        Some(old) => call.reply.bulk(&old.value),
        None => call.reply.nil(),
    }
    Ok(Impact::Changed)
}
