//! Making room for a write that found none: by growing, by freeing what is dead in any shard, by evicting here or from
//! those who have more; and room for the index, at the limit in place of data. No lock is held when any of it begins.
use crate::arena::Arena;
use crate::core::Core;
use crate::error::Error;
use crate::growth;
use crate::segment::{Pool, State, StateWord};
use crate::shard::drain::{self, Drained};
use crate::shard::{self, evict, room};
use crate::sync::Ordering;
use crate::time::Time;

/// Shards that a writer asks for room before it gives up this round.
const SHARDS_ASKED: usize = 4;

/// The part of a shard in the arena.
#[derive(Clone, Copy, Default)]
struct Holding {
    segments: usize,
    /// Some can be freed without losing a live item.
    has_dead: bool,
}

impl Arena {
    /// Reclaims, in every shard, segments that are past their deadline as a whole. Returns how many.
    pub fn tend(&self, now: Time) -> usize {
        let core = &*self.core;
        let mut freed = 0;
        for shard in 0..core.shards.len() {
            loop {
                // A piece at a time, so that no writer waits long.
                match shard::try_lock(core, shard, now)
                    .map_or(Drained::Nothing, |locked| evict::reclaim_expired(&locked))
                {
                    Drained::Nothing => break,
                    Drained::Freed => freed += 1,
                    Drained::Some | Drained::Stays => {}
                }
            }
        }
        freed
    }
}

/// Makes room for a write that found none: by growing, else by draining a segment of this shard or of a richer one.
/// No lock is held. False: nothing can be freed.
pub(crate) fn make_room(core: &Core, shard: usize, now: Time) -> Result<bool, Error> {
    // What has died is used again before more memory is asked for.
    let is_wasteful = core.shards.at(shard).eviction.dead_bytes.load(Ordering::Relaxed) >= core.segments.size();
    if is_wasteful && evict::reuse(&shard::lock(core, shard, now)?) {
        return Ok(true);
    }
    if growth::grow_data(core) {
        return Ok(true);
    }
    let holdings = holdings(core, now);
    // The dead of any shard before the living of this one.
    let with_dead =
        (0..holdings.len()).map(|step| (shard + step) % holdings.len()).filter(|other| holdings[*other].has_dead);
    for other in with_dead {
        let locked =
            if other == shard { Some(shard::lock(core, shard, now)?) } else { shard::try_lock(core, other, now) };
        if locked.is_some_and(|locked| evict::free_dead(&locked)) {
            return Ok(true);
        }
    }
    if !core.evicts {
        // What has died between the living is all that is left to win.
        let own = evict::compact(&shard::lock(core, shard, now)?);
        let others = || (0..holdings.len()).filter(|other| *other != shard);
        return Ok(own
            || others().any(|other| shard::try_lock(core, other, now).is_some_and(|locked| evict::compact(&locked))));
    }
    let fair = core.segments.active() / holdings.len();
    if holdings[shard].segments < fair {
        // Below its share, a shard takes from those above theirs, without waiting for any of them.
        let mut richest: Vec<usize> = (0..holdings.len()).filter(|other| holdings[*other].segments > fair).collect();
        richest.sort_by_key(|other| std::cmp::Reverse(holdings[*other].segments));
        for other in richest.into_iter().take(SHARDS_ASKED) {
            if shard::try_lock(core, other, now).is_some_and(|locked| evict::evict(&locked)) {
                return Ok(true);
            }
        }
    }
    // Whoever has only open segments gives one up after all that have sealed ones.
    for evict in [evict::evict, evict::evict_open] {
        let mut others = (0..holdings.len()).filter(|other| *other != shard);
        if evict(&shard::lock(core, shard, now)?)
            || others.any(|other| shard::try_lock(core, other, now).is_some_and(|locked| evict(&locked)))
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What each shard holds, seen without a lock: a hint for where to look. Whose owner is dead is found out here,
/// since that takes system calls, and believed under the locks.
fn holdings(core: &Core, now: Time) -> Vec<Holding> {
    let epoch = core.epoch(now);
    let mut living = 0;
    let mut holdings = vec![Holding::default(); core.shards.len()];
    for segment in core.segments.all() {
        let word = core.segments.state(segment);
        let Some(holding) = holdings.get_mut(word.shard()) else { continue };
        let header = core.segments.header(segment);
        let (is_dead, is_held) = match word.kind() {
            Some(State::Open) => (!header.is_empty() && header.is_expired(now), true),
            Some(State::Sealed) => (header.live_items() == 0 || header.is_expired(now), true),
            Some(State::Draining) => (!drain::is_under_way(core, segment, word), true),
            Some(State::LargeFill) => (core.segments.is_left_by_filler(segment, &mut living, &core.presence), true),
            Some(State::Large) => (false, true),
            // Free, and passed by as long as a dead sender's name is on it.
            Some(State::Free) => {
                core.segments.end_sending_of_dead(segment, &core.presence);
                (false, false)
            }
            _ => (false, false),
        };
        let is_flushed =
            matches!(word.kind(), Some(State::Open | State::Sealed)) && core.segments.epoch_of(segment) != epoch;
        holding.has_dead |= is_dead || is_flushed;
        holding.segments += usize::from(is_held);
    }
    holdings
}

/// Sees to it, after a write with a new key, that the index can grow when it needs to.
#[inline]
pub(crate) fn prepare_index(core: &Core, shard: usize, now: Time) {
    let head = core.shards.at(shard);
    let chunks = head.chunks.load(Ordering::Relaxed);
    let buckets = u64::from(core.index.buckets(shard));
    let allocated = u64::from(chunks) * u64::from(core.map.geometry.chunk_buckets);
    // Some splits ahead: allocating takes longer than a write should wait.
    if buckets + 8 >= allocated && head.tally.occupied.load(Ordering::Relaxed).saturating_mul(5) > buckets * 24 {
        extend_index(core, shard, chunks, now);
    }
}

#[cold]
fn extend_index(core: &Core, shard: usize, chunks: u32, now: Time) {
    if (u64::from(chunks) + 1) * u64::from(core.map.geometry.chunk_buckets) > u64::from(core.map.geometry.buckets_max)
        || core.index_full[shard].lasts(now)
    {
        return;
    }
    if growth::grow_index(core, shard, chunks) {
        return;
    }
    // At the limit, data makes way for the index: chains would grow long and lose items otherwise.
    for _ in 0..8 {
        if growth::allocated(core) + core.map.geometry.chunk_len() <= core.map.geometry.memory {
            break;
        }
        if !retire_segment(core, shard, now) {
            break;
        }
    }
    if !growth::grow_index(core, shard, chunks) {
        core.index_full[shard].begin(now, 2);
    }
}

fn retire_segment(core: &Core, shard: usize, now: Time) -> bool {
    let Ok(locked) = shard::lock(core, shard, now) else { return false };
    // With a generation of its own, so that nobody who reads from its last use takes the hole's zeros for bytes.
    let retired = || StateWord::new(room::next_generation(&locked), State::Retired, shard, Pool::Small, 0);
    let taken = core.segments.take_free(retired(), &core.presence).or_else(|| {
        (core.evicts && evict::evict(&locked)).then(|| core.segments.take_free(retired(), &core.presence))?
    });
    drop(locked);
    let Some(segment) = taken else { return false };
    growth::punch(core, segment);
    true
}
