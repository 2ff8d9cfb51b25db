//! Many values at once: MSET, MSETNX. The server's gate makes them one step for its clients.
use crate::call::{Answered, Call, Impact};
use crate::guarded;
use crate::problem::Problem;
use leveret_engine::{Deadline, Meta, Mode, Stored, Terms, Value};
use leveret_protocol::resp::Arguments;

/// Keys and their values.
fn pairs<'r>(call: &Call<'_>, request: &Arguments<'r>) -> Result<impl Iterator<Item = (&'r [u8], &'r [u8])>, Problem> {
    if request.len() % 2 == 0 {
        return Err(Problem::Arity(call.name));
    }
    let request = *request;
    Ok((1..request.len()).step_by(2).map(move |index| (request.get(index), request.get(index + 1))))
}

fn keys<'r>(request: &Arguments<'r>) -> impl Iterator<Item = &'r [u8]> {
    request.iter().skip(1).step_by(2)
}

/// `MSET key value …`.
pub fn mset(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let pairs = pairs(call, request)?;
    for (key, value) in pairs {
        guarded::store(call, key, value, Deadline::NEVER, &Terms::new(Mode::Set))?;
        // These writes cannot be undone.
        call.guards = &[];
    }
    call.reply.ok();
    Ok(Impact::Changed)
}

/// `MSETNX key value …`.
pub fn msetnx(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let pairs = pairs(call, request)?;
    let arena = call.writable()?;
    if keys(request).any(|key| arena.contains(key, call.now)) {
        call.reply.integer(0);
        return Ok(Impact::None);
    }
    let terms = Terms::new(Mode::Add).want_cas(true);
    let mut written: Vec<(&[u8], u64)> = Vec::new();
    for (key, value) in pairs {
        // A key that is named twice has its last value.
        let own = written.iter().rposition(|(other, _)| *other == key);
        let terms = own.map_or(terms, |own| Terms::new(Mode::Cas(written[own].1)).want_cas(true));
        let stored = arena.store_if(key, Value::Bytes(value), Meta::default(), Deadline::NEVER, &terms, call.now);
        match stored {
            Ok(Stored::Stored { cas }) => written.push((key, cas)),
            // A direct writer was quicker.
            Ok(_) if call.guard_of(key).is_some() => {
                undo(call, &written)?;
                return Err(Problem::Lost);
            }
            Ok(_) => {
                undo(call, &written)?;
                call.reply.integer(0);
                return Ok(Impact::Removed);
            }
            Err(error) => {
                undo(call, &written)?;
                return Err(error.into());
            }
        }
    }
    call.reply.integer(1);
    Ok(Impact::Changed)
}

fn undo(call: &mut Call<'_>, written: &[(&[u8], u64)]) -> Result<(), Problem> {
    let arena = call.writable()?;
    for (key, cas) in written {
        arena.delete_version(key, *cas, call.now)?;
    }
    Ok(())
}
