//! Ghosts: fingerprints of the keys that were evicted. One that comes back soon is worth more (`worth.rs`).
use crate::counters::Counter;
use crate::shard::Locked;
use crate::sync::Ordering;

fn ghost_set(locked: &Locked<'_>, hash: u64) -> (usize, u32) {
    let sets = locked.core.map.geometry.ghosts as usize / 4;
    // Other bits than those that choose the bucket and the shard.
    let first = locked.index * locked.core.map.geometry.ghosts as usize + (hash >> 8) as usize % sets * 4;
    (first, (hash >> 24) as u32 | 1)
}

/// Notes that a key was evicted.
pub(crate) fn remember(locked: &Locked<'_>, hash: u64) {
    let (first, fingerprint) = ghost_set(locked, hash);
    let turn = locked.shard().eviction.ghost_turn.fetch_add(1, Ordering::Relaxed) as usize;
    locked.core.ghosts.at(first + turn % 4).store(fingerprint, Ordering::Relaxed);
}

/// Whether a key was evicted not long ago; forgets that.
pub(crate) fn was_evicted_lately(locked: &Locked<'_>, hash: u64) -> bool {
    let (first, fingerprint) = ghost_set(locked, hash);
    let ghost = (first..first + 4)
        .map(|at| locked.core.ghosts.at(at))
        .find(|ghost| ghost.load(Ordering::Relaxed) == fingerprint);
    let Some(ghost) = ghost else { return false };
    ghost.store(0, Ordering::Relaxed);
    locked.count(Counter::Returned, 1);
    true
}
