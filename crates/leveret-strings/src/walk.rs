//! Walks over all keys of a database. With a place to go on from they are done in pieces, so that a server's other clients are
//! answered between two of them.
use crate::call::Call;
use crate::key_walk::KeyWalk;
use crate::problem::Problem;
use leveret_engine::{Arena, Cursor, Error, Time};

/// How often a step is asked for again that other writers have not let through.
const PATIENCE: usize = 64;

/// Keys of one piece, and steps: an empty bucket costs nanoseconds. About half a millisecond.
const KEYS: usize = 1024;
const STEPS: usize = 1 << 14;

/// One step. `Busy`: other writers have not let it through.
pub fn step(arena: &Arena, cursor: &mut Cursor, now: Time, visit: &mut dyn FnMut(&[u8])) -> Result<bool, Error> {
    let mut answer = Err(Error::Busy);
    for _ in 0..PATIENCE {
        answer = arena.scan(cursor, now, &mut |key, _| visit(key));
        if answer != Err(Error::Busy) {
            break;
        }
    }
    answer
}

/// Called with the keys of a step.
pub type VisitStep<'v> = &'v mut dyn FnMut(&mut KeyWalk, &Arena, &[Vec<u8>]) -> Result<(), Problem>;

/// Walks over all keys of the selected database. The returned walk has the results of `visit`. `Unfinished`: call again to
/// continue.
pub fn walk(call: &mut Call<'_>, visit: VisitStep<'_>) -> Result<KeyWalk, Problem> {
    let Some(arena) = call.arena else { return Ok(KeyWalk::default()) };
    let mut whole = KeyWalk::default();
    let is_whole = call.walk.is_none();
    let walk = call.walk.as_deref_mut().unwrap_or(&mut whole);
    let (mut seen, mut steps) = (0, 0);
    loop {
        let mut keys = Vec::new();
        let mut next = walk.cursor;
        let more = step(arena, &mut next, call.now, &mut |key| keys.push(key.to_vec()))?;
        visit(walk, arena, &keys)?;
        // Only now: a step that failed is done again.
        walk.cursor = next;
        if walk.kept_bytes() > call.host.answer_max() {
            return Err(Problem::LongAnswer);
        }
        if !more {
            return Ok(std::mem::take(walk));
        }
        (seen, steps) = (seen + keys.len(), steps + 1);
        if !is_whole && (seen >= KEYS || steps >= STEPS) {
            return Err(Problem::Unfinished);
        }
    }
}
