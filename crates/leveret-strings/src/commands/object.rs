//! OBJECT: what Redis would say of how a value is kept.
use crate::call::{Answered, Call, Impact};
use crate::engine_calls::is_edited;
use crate::problem::Problem;
use leveret_engine::{EvictionPolicy, Found};
use leveret_protocol::resp::{parse_integer, Arguments};

/// Longest text that Redis keeps in the object itself.
const EMBEDDED_MAX: u64 = 44;

/// Longest text of a number.
const NUMBER_MAX: u64 = 20;

const NO_IDLE_TIME: Problem = Problem::Text(
    "ERR An LFU maxmemory policy is selected, idle time not tracked. Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust.",
);

const NO_FREQUENCY: Problem = Problem::Text(
    "ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust.",
);

fn find(call: &mut Call<'_>, key: &[u8]) -> Option<Found> {
    let found = call.arena.and_then(|arena| arena.peek(key, call.now));
    if found.is_none() {
        call.reply.nil();
    }
    found
}

/// `OBJECT ENCODING key`.
pub fn encoding(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let Some(found) = find(call, request.get(2)) else { return Ok(Impact::None) };
    let is_number = found.number().is_some()
        || found.value_len <= NUMBER_MAX && {
            let text = call.arena.and_then(|arena| arena.copy_to_vec(&found)).unwrap_or_default();
            parse_integer(&text).is_some()
        };
    call.reply.bulk(match found.value_len {
        _ if is_edited(found.meta) => b"raw",
        _ if is_number => b"int",
        0..=EMBEDDED_MAX => b"embstr",
        _ => b"raw",
    });
    Ok(Impact::None)
}

/// `OBJECT FREQ key`.
pub fn freq(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let Some(found) = find(call, request.get(2)) else { return Ok(Impact::None) };
    if call.host.policy(call.database) == EvictionPolicy::None {
        return Err(NO_FREQUENCY);
    }
    call.reply.integer(i64::from(found.hits));
    Ok(Impact::None)
}

/// `OBJECT IDLETIME key`.
pub fn idletime(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let Some(found) = find(call, request.get(2)) else { return Ok(Impact::None) };
    if call.host.policy(call.database) != EvictionPolicy::None {
        return Err(NO_IDLE_TIME);
    }
    call.reply.integer(i64::from(call.now.0.saturating_sub(found.mtime.0)));
    Ok(Impact::None)
}

/// `OBJECT REFCOUNT key`.
pub fn refcount(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    if find(call, request.get(2)).is_some() {
        call.reply.integer(1);
    }
    Ok(Impact::None)
}

/// `OBJECT HELP`.
pub fn help(call: &mut Call<'_>, _request: &Arguments<'_>) -> Answered {
    call.reply.help(
        "OBJECT",
        &[
            "ENCODING <key>",
            "    Tell how Redis would keep the value: int, embstr or raw.",
            "FREQ <key>",
            "    Tell how often the key was read, as far as eviction knows it.",
            "IDLETIME <key>",
            "    Tell the seconds since the key was written, where the policy is noeviction.",
            "REFCOUNT <key>",
            "    Answer 1.",
        ],
    );
    Ok(Impact::None)
}
