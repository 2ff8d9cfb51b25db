//! Changing a part of a value: APPEND, SETRANGE.
use crate::call::{Answered, Call, Impact};
use crate::engine_calls::{edit, read_value, Edited, TRIES};
use crate::problem::Problem;
use crate::watch::{WatchedState, EXACT};
use crate::words::integer;
use leveret_compact::may_be_compact;
use leveret_engine::{Deadline, Error, Meta, Mode, Stored, Terms, Value};
use leveret_protocol::resp::Arguments;

/// `APPEND key value`.
pub fn append(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let (key, bytes) = (request.get(1), request.get(2));
    let (arena, value_max) = (call.writable()?, call.host.value_max());
    for _ in 0..TRIES {
        let found = arena.find_with(key, EXACT, call.now)?;
        if call.guard_of(key).is_some_and(|state| state != WatchedState::found(found.as_ref())) {
            return Err(Problem::Lost);
        }
        if found.as_ref().is_some_and(|found| may_be_compact(&found.meta)) {
            return append_to_translated(call, key, bytes);
        }
        let (old_len, terms) = match &found {
            Some(found) => (found.value_len as usize, Terms::new(Mode::Append).compare(Some(found.cas))),
            None => (0, Terms::new(Mode::Add)),
        };
        let len = old_len + bytes.len();
        if len > value_max {
            return Err(Error::ValueTooLarge { len, max: value_max }.into());
        }
        let stored = match &found {
            Some(_) if bytes.is_empty() => Stored::Stored { cas: 0 },
            _ => arena.store_if(key, Value::Bytes(bytes), Meta::default(), Deadline::NEVER, &terms, call.now)?,
        };
        if let Stored::Stored { .. } = stored {
            call.reply.count(len);
            return Ok(Impact::Changed);
        }
    }
    Err(Error::Busy.into())
}

/// The same to an array of PHP or Ruby, which is then the text that clients read.
#[cold]
fn append_to_translated(call: &mut Call<'_>, key: &[u8], bytes: &[u8]) -> Answered {
    let (value_max, mut len) = (call.host.value_max(), 0);
    edit(call, key, &mut |value, _| {
        value.extend_from_slice(bytes);
        len = value.len();
        match len {
            len if len > value_max => Err(Error::ValueTooLarge { len, max: value_max }.into()),
            _ if bytes.is_empty() => Ok(Edited::Same),
            _ => Ok(Edited::Changed),
        }
    })?;
    call.reply.count(len);
    Ok(Impact::Changed)
}

/// `SETRANGE key offset value`.
pub fn setrange(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let (key, part) = (request.get(1), request.get(3));
    let offset = integer(request.get(2))?;
    let offset = usize::try_from(offset).map_err(|_| Problem::Text("ERR offset is out of range"))?;
    if part.is_empty() {
        let found = call.arena.and_then(|arena| arena.peek(key, call.now));
        let len = match found {
            Some(found) if may_be_compact(&found.meta) => read_value(call, key)?.map_or(0, |value| value.len()),
            found => found.map_or(0, |found| found.value_len as usize),
        };
        call.reply.count(len);
        return Ok(Impact::None);
    }
    let value_max = call.host.value_max();
    let len = offset.saturating_add(part.len());
    if len > value_max {
        return Err(Error::ValueTooLarge { len, max: value_max }.into());
    }
    let mut new_len = 0;
    edit(call, key, &mut |value, _| {
        if value.len() < len {
            value.resize(len, 0);
        }
        value[offset..len].copy_from_slice(part);
        new_len = value.len();
        Ok(Edited::Changed)
    })?;
    call.reply.count(new_len);
    Ok(Impact::Changed)
}
