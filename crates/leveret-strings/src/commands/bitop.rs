//! BITOP.
use crate::call::{Answered, Call, Impact};
use crate::problem::Problem;
use crate::words::is_word;
use leveret_engine::{Deadline, Meta, Mode, ReadOptions, Value};
use leveret_protocol::resp::Arguments;

/// `BITOP AND|OR|XOR|NOT destination key …`. Shorter values have zeros behind them.
pub fn bitop(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let combine: fn(u8, u8) -> u8 = match request.get(1) {
        word if is_word(word, "AND") => |left, right| left & right,
        word if is_word(word, "OR") => |left, right| left | right,
        word if is_word(word, "XOR") => |left, right| left ^ right,
        // The result begins as zeros.
        word if is_word(word, "NOT") => |_, right| !right,
        _ => return Err(Problem::SYNTAX),
    };
    if is_word(request.get(1), "NOT") && request.len() != 4 {
        return Err(Problem::Text("ERR BITOP NOT must be called with a single source key."));
    }
    let mut result = Vec::new();
    for (index, key) in request.iter().skip(3).enumerate() {
        let mut value = Vec::new();
        if let Some(arena) = call.arena {
            arena.read_into(key, ReadOptions::new(), call.now, &mut value)?;
        }
        if index == 0 && request.len() > 4 {
            result = value;
            continue;
        }
        let len = value.len().max(result.len());
        value.resize(len, 0);
        result.resize(len, 0);
        if index == 0 && !is_word(request.get(1), "NOT") {
            result = value;
            continue;
        }
        result.iter_mut().zip(&value).for_each(|(left, right)| *left = combine(*left, *right));
    }
    let (target, len) = (request.get(2), result.len());
    let impact = if len > 0 {
        let arena = call.writable()?;
        arena.store(target, Value::Bytes(&result), Meta::default(), Deadline::NEVER, Mode::Set, call.now)?;
        Impact::Changed
    } else {
        match call.arena {
            Some(arena) if target.len() <= arena.key_max() && arena.delete(target, call.now)? => Impact::Removed,
            _ => Impact::None,
        }
    };
    call.reply.count(len);
    Ok(impact)
}
