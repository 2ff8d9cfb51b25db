//! From one key or database to another: RENAME, RENAMENX, COPY, MOVE. The server's gate makes them one step for its
//! clients. A kill in between leaves both items.
use crate::call::{Answered, Call, Impact};
use crate::problem::Problem;
use crate::watch::EXACT;
use crate::words::{database_number, is_word};
use leveret_engine::{Arena, Encoding, Found, Mode, Stored, Value};
use leveret_protocol::resp::Arguments;

/// `RENAME key new`.
pub fn rename(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    if rename_as(call, request, Mode::Set)? {
        call.reply.ok();
        return Ok(Impact::Removed);
    }
    call.reply.ok();
    Ok(Impact::None)
}

/// `RENAMENX key new`.
pub fn renamenx(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let is_renamed = rename_as(call, request, Mode::Add)?;
    call.reply.integer(i64::from(is_renamed));
    Ok(if is_renamed { Impact::Removed } else { Impact::None })
}

fn rename_as(call: &mut Call<'_>, request: &Arguments<'_>, mode: Mode) -> Result<bool, Problem> {
    const NO_KEY: Problem = Problem::Text("ERR no such key");
    let (old, new) = (request.get(1), request.get(2));
    let arena = call.arena.ok_or(NO_KEY)?;
    let mut value = Vec::new();
    let found = arena.read_into(old, EXACT, call.now, &mut value)?.ok_or(NO_KEY)?;
    if old == new || !store(call, arena, new, &found, &value, mode)? {
        return Ok(false);
    }
    arena.delete_version(old, found.cas, call.now)?;
    Ok(true)
}

/// `COPY key new [DB number] [REPLACE]`.
pub fn copy(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let (old, new) = (request.get(1), request.get(2));
    let (mut database, mut mode) = (call.database, Mode::Add);
    let mut index = 3;
    while index < request.len() {
        match request.get(index) {
            word if is_word(word, "REPLACE") => mode = Mode::Set,
            word if is_word(word, "DB") && index + 1 < request.len() => {
                index += 1;
                database = database_number(request.get(index), call.host.count())?;
            }
            _ => return Err(Problem::SYNTAX),
        }
        index += 1;
    }
    if database == call.database && old == new {
        return Err(SAME);
    }
    let mut value = Vec::new();
    let found = match call.arena {
        Some(arena) => arena.read_into(old, EXACT, call.now, &mut value)?,
        None => None,
    };
    let is_copied = match found {
        Some(found) => store(call, call.host.make(database)?, new, &found, &value, mode)?,
        None => false,
    };
    call.reply.integer(i64::from(is_copied));
    Ok(if is_copied { Impact::Changed } else { Impact::None })
}

/// `MOVE key database`.
pub fn move_key(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let key = request.get(1);
    let database = database_number(request.get(2), call.host.count())?;
    if database == call.database {
        return Err(SAME);
    }
    let mut value = Vec::new();
    let source = match call.arena {
        Some(arena) => arena.read_into(key, EXACT, call.now, &mut value)?.map(|found| (arena, found)),
        None => None,
    };
    let is_moved = match source {
        Some((arena, found)) if store(call, call.host.make(database)?, key, &found, &value, Mode::Add)? => {
            arena.delete_version(key, found.cas, call.now)?;
            true
        }
        _ => false,
    };
    call.reply.integer(i64::from(is_moved));
    Ok(if is_moved { Impact::Removed } else { Impact::None })
}

const SAME: Problem = Problem::Text("ERR source and destination objects are the same");

/// Stores a copy of an item with its deadline and attributes.
fn store(call: &Call<'_>, arena: &Arena, key: &[u8], found: &Found, value: &[u8], mode: Mode) -> Result<bool, Problem> {
    // A count of memcached's has no sign, and is its text here.
    let number = found.number().filter(|_| found.meta.encoding == Encoding::INTEGER);
    let value = number.map_or(Value::Bytes(value), Value::Integer);
    let stored = arena.store(key, value, found.meta, found.deadline, mode, call.now)?;
    Ok(matches!(stored, Stored::Stored { .. }))
}
