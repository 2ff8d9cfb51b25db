//! Whole databases: KEYS, SCAN, RANDOMKEY, DBSIZE, FLUSHDB, FLUSHALL.
use crate::call::{Answered, Call, Impact};
use crate::cursor;
use crate::glob;
use crate::problem::Problem;
use crate::walk::{step, walk};
use crate::words::{integer, is_word};
use leveret_engine::{Arena, Cursor, Time};
use leveret_protocol::resp::Arguments;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

/// Steps of one SCAN: the buckets of a small database are all looked at, so that a few keys come at once.
const STEPS_MAX: usize = 1 << 16;

/// `KEYS pattern`.
pub fn keys(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let pattern = request.get(1);
    let walk = walk(call, &mut |walk, _, keys| {
        let wanted = keys.iter().filter(|key| pattern == b"*" || glob::matches(pattern, key));
        wanted.for_each(|key| walk.keep(key));
        Ok(())
    })?;
    call.reply.array(walk.found().len());
    walk.found().iter().for_each(|key| call.reply.bulk(key));
    Ok(Impact::None)
}

/// `SCAN cursor [MATCH pattern] [COUNT number] [TYPE name]`.
pub fn scan(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let number = cursor::parse(request.get(1)).ok_or(Problem::Text("ERR invalid cursor"))?;
    let (mut pattern, mut count, mut is_of_type) = (None, 10_i64, true);
    let mut index = 2;
    while index < request.len() {
        let argument = (index + 1 < request.len()).then(|| request.get(index + 1)).ok_or(Problem::SYNTAX)?;
        match request.get(index) {
            word if is_word(word, "COUNT") => {
                count = integer(argument)?;
                if count < 1 {
                    return Err(Problem::SYNTAX);
                }
            }
            word if is_word(word, "MATCH") => pattern = Some(argument).filter(|pattern| *pattern != b"*"),
            word if is_word(word, "TYPE") => is_of_type = is_word(argument, "string"),
            _ => return Err(Problem::SYNTAX),
        }
        index += 2;
    }
    let mut place = cursor::place_of(number);
    let (mut seen, mut steps, mut more, mut found) = (0_i64, 0, false, Vec::new());
    if let Some(arena) = call.arena {
        loop {
            more = step(arena, &mut place, call.now, &mut |key| {
                seen += 1;
                if is_of_type && pattern.is_none_or(|pattern| glob::matches(pattern, key)) {
                    found.push(key.to_vec());
                }
            })?;
            steps += 1;
            // Among empty buckets a step costs nanoseconds.
            if !more || seen >= count || steps >= STEPS_MAX {
                break;
            }
        }
    }
    call.reply.array(2);
    let next = if more { cursor::number_of(&place) } else { 0 };
    call.reply.bulk_of(format_args!("{next}"));
    call.reply.array(found.len());
    found.iter().for_each(|key| call.reply.bulk(key));
    Ok(Impact::None)
}

/// `RANDOMKEY`.
pub fn randomkey(call: &mut Call<'_>, _request: &Arguments<'_>) -> Answered {
    let key = match call.arena {
        Some(arena) => any_key(arena, call.now)?,
        None => None,
    };
    match key {
        Some(key) => call.reply.bulk(&key),
        None => call.reply.nil(),
    }
    Ok(Impact::None)
}

/// A key of the first bucket with one, from any bucket on, once around.
fn any_key(arena: &Arena, now: Time) -> Result<Option<Vec<u8>>, Problem> {
    let random = RandomState::new().hash_one(0_u8);
    let stats = arena.stats();
    if stats.items == 0 {
        return Ok(None);
    }
    let shard = (random % stats.shards.max(1)) as u32;
    let level = 1_u32 << (stats.buckets / stats.shards.max(1)).max(1).ilog2().min(30);
    let mut place = Cursor { shard, level, bucket: random >> 32 & u64::from(level - 1) };
    let mut is_second_round = false;
    loop {
        let mut found = Vec::new();
        let more = step(arena, &mut place, now, &mut |key| found.push(key.to_vec()))?;
        if !found.is_empty() {
            let index = random as usize % found.len();
            return Ok(Some(found.swap_remove(index)));
        }
        if !more && std::mem::replace(&mut is_second_round, true) {
            return Ok(None);
        }
        if !more {
            place = Cursor::default();
        }
    }
}

/// `DBSIZE`.
pub fn dbsize(call: &mut Call<'_>, _request: &Arguments<'_>) -> Answered {
    let items = call.arena.map_or(0, |arena| arena.stats().items);
    call.reply.integer(i64::try_from(items).unwrap_or(i64::MAX));
    Ok(Impact::None)
}

/// `FLUSHDB [ASYNC|SYNC]`.
pub fn flushdb(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    check_flush(call, request)?;
    if let Some(arena) = call.arena {
        arena.flush()?;
    }
    call.reply.ok();
    Ok(Impact::Emptied)
}

/// `FLUSHALL [ASYNC|SYNC]`.
pub fn flushall(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    check_flush(call, request)?;
    let host = call.host;
    for database in 0..host.count() {
        if let Some(arena) = host.arena(database) {
            arena.flush()?;
        }
    }
    call.reply.ok();
    Ok(Impact::AllEmptied)
}

fn check_flush(call: &Call<'_>, request: &Arguments<'_>) -> Result<(), Problem> {
    if !call.host.may_flush() {
        let text = format!("NOPERM this user has no permissions to run the '{}' command", call.name);
        return Err(Problem::Told(text.into_bytes()));
    }
    match request.len() {
        1 => Ok(()),
        2 if is_word(request.get(1), "ASYNC") || is_word(request.get(1), "SYNC") => Ok(()),
        _ => Err(Problem::SYNTAX),
    }
}
