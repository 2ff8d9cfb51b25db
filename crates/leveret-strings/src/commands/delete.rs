//! Whether keys are there, and that they are no more: DEL, UNLINK, EXISTS, TOUCH, TYPE.
use crate::call::{Answered, Call, Impact};
use crate::guarded;
use leveret_protocol::resp::Arguments;

/// `DEL key …`, `UNLINK key …`.
pub fn delete(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let mut deleted = 0;
    if let Some(arena) = call.arena {
        for key in request.iter().skip(1) {
            // A key that no item can have is not there.
            if key.len() <= arena.key_max() {
                deleted += i64::from(guarded::delete(call, arena, key)?);
                // These deletions cannot be undone.
                if deleted > 0 {
                    call.guards = &[];
                }
            }
        }
    }
    call.reply.integer(deleted);
    Ok(if deleted > 0 { Impact::Removed } else { Impact::None })
}

/// `EXISTS key …`.
pub fn exists(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let count = match call.arena {
        Some(arena) => request.iter().skip(1).filter(|key| arena.contains(key, call.now)).count(),
        None => 0,
    };
    call.reply.count(count);
    Ok(Impact::None)
}

/// `TOUCH key …`.
pub fn touch(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let count = match call.arena {
        Some(arena) => request.iter().skip(1).filter(|key| arena.find(key, call.now).is_some()).count(),
        None => 0,
    };
    call.reply.count(count);
    Ok(Impact::None)
}

/// `TYPE key`.
pub fn type_of(call: &mut Call<'_>, request: &Arguments<'_>) -> Answered {
    let is_there = call.arena.is_some_and(|arena| arena.contains(request.get(1), call.now));
    call.reply.simple(if is_there { "string" } else { "none" });
    Ok(Impact::None)
}
