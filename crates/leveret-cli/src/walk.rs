//! Every item of an arena, once.
use crate::output::{Failure, LongWork};
use leveret_engine::{Arena, Cursor, Found, Time};

/// Calls `visit` for each item until `limit` visits have counted (`Ok(true)`). Steps of the engine's walk are copied
/// out first, so that a slow reader of our output does not hold up other processes.
pub fn walk(
    arena: &Arena,
    limit: Option<u64>,
    mut visit: impl FnMut(&[u8], &Found) -> Result<bool, Failure>,
) -> Result<(), Failure> {
    let limit = limit.unwrap_or(u64::MAX);
    let progress = LongWork::of_items(arena.stats().items.min(limit));
    let mut cursor = Cursor::default();
    let mut step = Vec::new();
    let mut counted = 0;
    loop {
        let more = arena.scan(&mut cursor, Time::now(), &mut |key, found| step.push((key.to_vec(), *found)))?;
        for (key, found) in step.drain(..) {
            progress.advance(1);
            counted += u64::from(visit(&key, &found)?);
            if counted == limit {
                return Ok(());
            }
        }
        if !more {
            return Ok(());
        }
    }
}
