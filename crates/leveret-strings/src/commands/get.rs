//! Reading values: GET, MGET, GETEX, GETDEL, GETRANGE, STRLEN.
use crate::call::{Answered, Call, Impact};
use crate::engine_calls::read_value;
use crate::guarded;
use crate::options::{part, GetexOptions};
use crate::problem::Problem;
use crate::words::integer;
use leveret_compact::{may_be_compact, served};
use leveret_engine::{Arena, Deadline, Found, ReadOptions, AHEAD};
use leveret_protocol::resp::Arguments;

/// Tries to copy an item that is recycled meanwhile, before the copy that cannot be.
const TRIES: usize = 3;

/// From this length on a value may be sent from where it lies.
const SENT_DIRECTLY: u64 = 64 << 10;

/// `GET key`.
pub fn get(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let options = call.read_options();
    value(call, request.get(1), options, true)?;
    Ok(Impact::None)
}

/// `MGET key …`.
pub fn mget(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let mut keys = request.iter().skip(1);
    let mut hashes = [0; AHEAD];
    let answer_end = call.reply.len().saturating_add(call.host.answer_max());
    call.reply.array(keys.len());
    while keys.len() > 0 {
        // The memory of the next ones is asked for together.
        let asked = match call.arena {
            Some(arena) if keys.len() > 1 => arena.ask_for(keys.clone(), &mut hashes),
            _ => 0,
        };
        for (index, key) in keys.by_ref().take(asked.max(1)).enumerate() {
            let options = call.read_options();
            let options = if index < asked { options.hashed(hashes[index]) } else { options };
            value(call, key, options, false)?;
            if call.reply.len() > answer_end {
                return Err(Problem::LongAnswer);
            }
        }
    }
    Ok(Impact::None)
}

/// `STRLEN key`.
pub fn strlen(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let key = request.get(1);
    let found = call.arena.and_then(|arena| arena.find(key, call.now));
    let len = match (call.arena, found) {
        (Some(arena), Some(found)) if may_be_compact(&found.meta) => {
            whole(call, arena, key)?.map_or(0, |value| value.len())
        }
        (_, found) => found.map_or(0, |found| found.value_len as usize),
    };
    call.reply.integer(len as i64);
    Ok(Impact::None)
}

/// `GETRANGE key start end`.
pub fn getrange(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let (start, end) = (integer(request.get(2))?, integer(request.get(3))?);
    let value = read_value(call, request.get(1))?.unwrap_or_default();
    call.reply.bulk(part(&value, start, end));
    Ok(Impact::None)
}

/// `GETDEL key`.
pub fn getdel(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let key = request.get(1);
    let taken = match call.arena.filter(|arena| key.len() <= arena.key_max()) {
        Some(arena) => guarded::take(call, arena, key)?,
        None => None,
    };
    let Some(item) = taken else {
        call.reply.nil();
        return Ok(Impact::None);
    };
    match served(&item.meta, item.value) {
        Some(value) => call.reply.bulk(&value),
        None => call.reply.nil(),
    }
    Ok(Impact::Removed)
}

/// `GETEX key [EX seconds|PX milliseconds|EXAT unix|PXAT unix|PERSIST]`.
pub fn getex(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let options = GetexOptions::read(request)?;
    let key = request.get(1);
    let deadline = match options {
        GetexOptions::Plain => {
            let options = call.read_options();
            value(call, key, options, true)?;
            return Ok(Impact::None);
        }
        GetexOptions::Persist => Deadline::NEVER,
        GetexOptions::Expiry(expiry) => {
            // The time of a missing key is not looked at.
            let is_there = call.arena.is_some_and(|arena| arena.contains(key, call.now));
            if !is_there {
                call.reply.nil();
                return Ok(Impact::None);
            }
            expiry.deadline(call)?
        }
    };
    let mut is_changed = false;
    let mut retime = |found: &Found| {
        is_changed = found.deadline != deadline;
        is_changed.then_some(deadline)
    };
    let item = match call.arena.filter(|arena| key.len() <= arena.key_max()) {
        Some(arena) => guarded::get_and_retime(call, arena, key, &mut retime)?,
        None => None,
    };
    let Some(item) = item else {
        call.reply.nil();
        return Ok(Impact::None);
    };
    match served(&item.meta, item.value) {
        Some(value) => call.reply.bulk(&value),
        None => call.reply.nil(),
    }
    Ok(match is_changed {
        true if deadline.is_past(call.now) => Impact::Removed,
        true => Impact::Changed,
        false => Impact::None,
    })
}

/// Says the value under a key, or that there is none. `is_last`: nothing of the reply follows it.
#[inline]
fn value(call: &mut Call<'_>, key: &[u8], options: ReadOptions, is_last: bool) -> Result<(), Problem> {
    let mut found = Found::default();
    match call.arena {
        Some(arena) if arena.find_into(key, options, call.now, &mut found)? => say(call, arena, key, found, is_last),
        _ => {
            call.reply.nil();
            Ok(())
        }
    }
}

#[inline]
fn say(call: &mut Call<'_>, arena: &Arena, key: &[u8], mut found: Found, is_last: bool) -> Result<(), Problem> {
    let untraced = ReadOptions::new().untraced();
    let begin = call.reply.len();
    if may_be_compact(&found.meta) {
        return say_whole(call, arena, key);
    }
    for _ in 0..TRIES {
        call.reply.bulk_header(found.value_len as usize);
        if is_last && found.value_len >= SENT_DIRECTLY && call.host.send(arena, &found) {
            return Ok(());
        }
        if arena.append_value(&found, call.reply.out()) {
            call.reply.out().extend_from_slice(b"\r\n");
            return Ok(());
        }
        // It was recycled.
        call.reply.truncate(begin);
        if !arena.find_into(key, untraced, call.now, &mut found)? {
            call.reply.nil();
            return Ok(());
        }
    }
    say_whole(call, arena, key)
}

/// As `say`, for an item that was recycled during each copy, or whose bytes are not those that clients get.
#[cold]
fn say_whole(call: &mut Call<'_>, arena: &Arena, key: &[u8]) -> Result<(), Problem> {
    match whole(call, arena, key)? {
        Some(value) => call.reply.bulk(&value),
        None => call.reply.nil(),
    }
    Ok(())
}

fn whole(call: &Call<'_>, arena: &Arena, key: &[u8]) -> Result<Option<Vec<u8>>, Problem> {
    let mut value = Vec::new();
    let found = arena.read_into(key, ReadOptions::new().untraced(), call.now, &mut value)?;
    Ok(found.and_then(|found| served(&found.meta, value)))
}
