//! From one key or database to another: RENAME, RENAMENX, COPY, MOVE. The server's gate makes them one step for its
//! clients. A kill in between leaves both items.
use crate::call::{Answered, Call, Impact};
use crate::guarded::{self, StoredItem, Undo};
use crate::problem::Problem;
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
    let found = guarded::read(call, arena, old, &mut value)?.ok_or(NO_KEY)?;
    if old == new {
        return Ok(false);
    }
    let Some(undo) = store(call, (call.database, arena), new, &found, &value, mode)? else { return Ok(false) };
    remove_source(call, (arena, old, found.cas), (arena, new, undo))?;
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
        Some(arena) => guarded::read(call, arena, old, &mut value)?,
        None => None,
    };
    let is_copied = match found {
        Some(found) => store(call, (database, call.host.make(database)?), new, &found, &value, mode)?.is_some(),
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
        Some(arena) => guarded::read(call, arena, key, &mut value)?.map(|found| (arena, found)),
        None => None,
    };
    let mut is_moved = false;
    if let Some((arena, found)) = source {
        let target = call.host.make(database)?;
        if let Some(undo) = store(call, (database, target), key, &found, &value, Mode::Add)? {
            remove_source(call, (arena, key, found.cas), (target, key, undo))?;
            is_moved = true;
        }
    }
    call.reply.integer(i64::from(is_moved));
    Ok(if is_moved { Impact::Removed } else { Impact::None })
}

const SAME: Problem = Problem::Text("ERR source and destination objects are the same");

/// Stores what was read of an item, its deadline and all that it says of itself. None: there is one, and it stays.
fn store(
    call: &Call<'_>,
    target: (u32, &Arena),
    key: &[u8],
    found: &Found,
    value: &[u8],
    mode: Mode,
) -> Result<Option<Undo>, Problem> {
    // A count of memcached's has no sign, and is its text here.
    let number = found.number().filter(|_| found.meta.encoding == Encoding::INTEGER);
    let value = number.map_or(Value::Bytes(value), Value::Integer);
    guarded::put_item(call, target, key, &StoredItem { value, meta: found.meta, deadline: found.deadline }, mode)
}

/// Removes the item that was copied, if it is still that version. What a direct writer has put there since stays, unless it is
/// watched: then the copy is undone, as it is where a lock is held, so that the command may be run again.
fn remove_source(
    call: &Call<'_>,
    (arena, key, cas): (&Arena, &[u8], u64),
    (target, copy, undo): (&Arena, &[u8], Undo),
) -> Result<(), Problem> {
    let problem = match arena.delete_version(key, cas, call.now) {
        Ok(Stored::Stored { .. }) => return Ok(()),
        Ok(_) if call.guard_of(key).is_none() => return Ok(()),
        Ok(_) => Problem::Lost,
        Err(error) => error.into(),
    };
    undo.undo(target, copy, call)?;
    Err(problem)
}
