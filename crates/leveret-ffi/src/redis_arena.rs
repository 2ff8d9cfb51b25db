//! A link's short cut: keys are read and written in the arena of a server of this host.
use crate::redis::leveret_redis;
use crate::types::slice;
use crate::{leveret_arena, leveret_bytes};
use leveret_engine::Time;
use std::ptr::{from_mut, null_mut};

/// Executes a command of `count` words in the arena of the selected database, if the server's arena is used and the command is
/// one on strings. 1: done, and *turn names the reply for leveret_redis_next. 0: nothing was done; it is to be queued and
/// flushed. SELECT of a database that the server has is one too.
///
/// # Safety
/// Pointers are live; `words` points at `count` of them, which can be read.
#[no_mangle]
pub unsafe extern "C" fn leveret_redis_execute(
    redis: *mut leveret_redis,
    words: *const leveret_bytes,
    count: usize,
    turn: *mut u64,
) -> u32 {
    // SAFETY: by contract.
    let (redis, words) = unsafe { (&mut *redis, slice(words, count)) };
    // SAFETY: by contract.
    let word = |index: usize| words.get(index).map_or(&[][..], |word| unsafe { word.as_slice() });
    let Some(number) = redis.link.execute(&word, count) else { return 0 };
    // SELECT alone leads to another arena.
    if word(0) == b"SELECT" {
        redis.validity = None;
    }
    // SAFETY: by contract.
    unsafe { turn.write(number) };
    1
}

/// The arena of the selected database, if this host's `leveret serve --redis` has it and it may be used in the server's place
/// now: then keys may be read and written there without the link. Else NULL. Cheap. Valid until the next call with the link.
/// Not to be closed.
///
/// # Safety
/// `redis` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_redis_arena(redis: *mut leveret_redis) -> *mut leveret_arena {
    // SAFETY: by contract.
    let redis = unsafe { &mut *redis };
    let holds = redis.validity.is_some_and(|validity| validity.holds(Time(0)));
    if !holds || redis.arena.as_ref().is_none_or(|arena| arena.0.is_lost()) {
        look(redis);
    }
    redis.arena.as_mut().map_or(null_mut(), from_mut)
}

// Apart, so that the way without it saves no registers.
#[inline(never)]
fn look(redis: &mut leveret_redis) {
    let found = redis.link.arena();
    // Handles of one arena share its path, so one look tells whether it is still the same.
    let is_same = match (&redis.arena, found) {
        (Some(given), Some(found)) => std::ptr::eq(given.0.path(), found.path()),
        (None, None) => true,
        _ => false,
    };
    if !is_same {
        redis.arena = found.map(|arena| leveret_arena(arena.clone()));
    }
    redis.validity = redis.arena.as_ref().and(redis.link.arena_validity());
}
