//! Storing values: SET, SETEX, PSETEX, SETNX, GETSET.
use crate::call::{Answered, Call, Impact};
use crate::expiry::{Expiry, TimeUnit};
use crate::guarded;
use crate::options::SetOptions;
use crate::problem::Problem;
use leveret_compact::served;
use leveret_engine::{Deadline, Item, Mode, Stored, Terms};
use leveret_protocol::resp::Arguments;

/// `SET key value [NX|XX] [GET] [EX seconds|PX milliseconds|EXAT unix|PXAT unix|KEEPTTL]`.
pub fn set(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    set_on_terms::<true>(call, request)
}

/// As `set`, except that it does nothing if the request has the option GET: `Problem::ForOthers`.
pub fn set_silently(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    set_on_terms::<false>(call, request)
}

fn set_on_terms<const MAY_TELL_OLD: bool>(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let (key, bytes) = (request.get(1), request.get(2));
    if request.len() == 3 {
        guarded::store(call, key, bytes, Deadline::NEVER, &Terms::new(Mode::Set))?;
        call.reply.ok();
        return Ok(Impact::Changed);
    }
    let options = SetOptions::read(request)?;
    let deadline = match &options.expiry {
        Some(expiry) => expiry.deadline(call)?,
        None => Deadline::NEVER,
    };
    let terms = Terms::new(options.mode).keep_deadline(options.keeps_deadline);
    if options.tells_old && !MAY_TELL_OLD {
        return Err(Problem::ForOthers);
    }
    let stored = if options.tells_old && MAY_TELL_OLD {
        let (stored, old) = guarded::swap(call, key, bytes, deadline, &terms)?;
        say(call, old);
        stored
    } else {
        guarded::store(call, key, bytes, deadline, &terms)?
    };
    let is_stored = matches!(stored, Stored::Stored { .. });
    let is_past = is_stored && deadline.is_past(call.now);
    if is_past {
        call.writable()?.remove_dead(key, call.now)?;
    }
    match (options.tells_old, is_stored) {
        (true, _) => {}
        (false, true) => call.reply.ok(),
        (false, false) => call.reply.nil(),
    }
    // An item that expires at once was still created, and clients that watch an absent key learn that.
    Ok(if is_stored { Impact::Changed } else { Impact::None })
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
    guarded::store(call, request.get(1), request.get(3), deadline, &Terms::new(Mode::Set))?;
    call.reply.ok();
    Ok(Impact::Changed)
}

/// `SETNX key value`.
pub fn setnx(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let stored = guarded::store(call, request.get(1), request.get(2), Deadline::NEVER, &Terms::new(Mode::Add))?;
    let is_stored = matches!(stored, Stored::Stored { .. });
    call.reply.integer(i64::from(is_stored));
    Ok(if is_stored { Impact::Changed } else { Impact::None })
}

/// `GETSET key value`.
pub fn getset(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let old = guarded::swap(call, request.get(1), request.get(2), Deadline::NEVER, &Terms::new(Mode::Set))?.1;
    say(call, old);
    Ok(Impact::Changed)
}

/// Says the value that was there, as clients read it.
fn say(call: &mut Call<'_>, old: Option<Item>) {
    match old.and_then(|old| served(&old.meta, old.value)) {
        Some(value) => call.reply.bulk(&value),
        None => call.reply.nil(),
    }
}
