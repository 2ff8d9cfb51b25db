//! BITOP.
use crate::call::{Answered, Call, Impact};
use crate::engine_calls::read_value;
use crate::guarded;
use crate::problem::Problem;
use crate::words::is_word;
use leveret_engine::{Deadline, Mode, Terms};
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
        let mut value = read_value(call, key)?.unwrap_or_default();
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
        guarded::store(call, target, &result, Deadline::NEVER, &Terms::new(Mode::Set))?;
        Impact::Changed
    } else {
        match call.arena {
            Some(arena) if target.len() <= arena.key_max() && guarded::delete(call, arena, target)? => Impact::Removed,
            _ => Impact::None,
        }
    };
    call.reply.count(len);
    Ok(impact)
}
