//! Makes room for a write that found none: by growth, by freeing dead segments of any shard, by eviction in this shard
//! or a richer one; and room for the index, at the limit in place of data. No lock is held when any of this begins.
use crate::core::Core;
use crate::error::Error;
use crate::evict::{self, Drained, Target};
use crate::growth;
use crate::patience::is_impatient;
use crate::policy::EvictionPolicy;
use crate::segment::{SegmentId, SegmentPool, State, StateWord};
use crate::shard::standstill::{work_in_all, Standstill, STARVED};
use crate::shard::{self, allocate, Locked};
use crate::sync::{rest, sleep_on, AtomicU32, Instant, Ordering};
use crate::time::{unix_micros, Time};
use std::time::Duration;

/// Shards above their share that a writer asks for room before it asks all.
const SHARDS_ASKED: usize = 4;
/// Rounds that may keep items worth their memory, besides two for each segment needed. Such a round can end without a
/// free segment; a round that keeps nothing frees one.
const ROUNDS_KEEPING: usize = 4;
/// Rounds before the time-out applies, also for each segment needed: another writer may take a freed segment.
const ROUNDS: usize = 64;
const ROUNDS_EACH: usize = 8;
/// Times that a writer lets others run before it sleeps.
const RESTS: usize = 64;
/// How long it sleeps at a time.
const NAP: Duration = Duration::from_millis(1);

/// Result of an attempt to make room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Room {
    Made,
    /// Others hold the locks of what might be freed, or segments that are free.
    Held,
    /// Nothing can be freed.
    None,
}

/// A write's search for room, from the first attempt to the last. No lock is held by it.
pub(crate) struct Search<'a> {
    core: &'a Core,
    shard: usize,
    now: Time,
    /// Segments that are needed.
    needed: usize,
    rounds: usize,
    waits: usize,
    /// When the wait began, and how long the others have made no progress.
    waited: Option<(Instant, Standstill)>,
    /// The progress number of the others.
    work: fn(&Core) -> u64,
}

impl<'a> Search<'a> {
    pub fn new(core: &'a Core, shard: usize, now: Time, needed: usize) -> Search<'a> {
        Search { core, shard, now, needed, rounds: 0, waits: 0, waited: None, work: work_in_all }
    }

    /// Counts only this kind of work as progress.
    pub fn for_work(self, work: fn(&Core) -> u64) -> Search<'a> {
        Search { work, ..self }
    }

    /// Makes some room, or waits for its holders. `NoMemory`: nothing may be evicted. `Busy`: for the whole lock
    /// time-out other processes held the memory or took what was freed.
    pub fn make_room(&mut self) -> Result<(), Error> {
        let keeps = self.rounds < ROUNDS_KEEPING + 2 * self.needed;
        self.rounds += 1;
        match make_room(self.core, self.shard, self.now, keeps)? {
            Room::Made if self.rounds <= ROUNDS + ROUNDS_EACH * self.needed => Ok(()),
            Room::None if self.core.policy() != EvictionPolicy::All => Err(self.refuse(Error::NoMemory)),
            // Also where nothing was found: others have emptied or taken it during the look.
            Room::Made | Room::Held | Room::None => self.wait(),
        }
    }

    /// Lets others go on. `Busy`: it has been long enough, or this thread does not wait.
    pub fn wait(&mut self) -> Result<(), Error> {
        if is_impatient() {
            return Err(Error::Busy);
        }
        if self.is_over() {
            return Err(self.refuse(Error::Busy));
        }
        self.waits += 1;
        if self.waits <= RESTS {
            rest();
        } else {
            sleep_on(&AtomicU32::new(0), 0, NAP);
            if let Some((_, stand)) = &mut self.waited {
                stand.look((self.work)(self.core));
            }
        }
        Ok(())
    }

    /// Whether the others have made no progress for the lock timeout. The first call begins the wait.
    pub fn is_over(&mut self) -> bool {
        let (core, timeout) = (self.core, self.core.lock_timeout);
        let (begun, stand) = self.waited.get_or_insert_with(|| {
            let now = Instant::now();
            (now, Standstill::new((self.work)(core), now))
        });
        stand.is_over(timeout, NAP) || begun.elapsed() >= timeout.saturating_mul(STARVED)
    }

    /// A write is given up.
    pub fn refuse(&self, why: Error) -> Error {
        refuse(self.core, why)
    }
}

/// Counts a write that is given up. One that does not wait is tried again by its caller.
#[cold]
#[inline(never)]
pub(crate) fn refuse(core: &Core, why: Error) -> Error {
    let refused = &core.control().refused;
    let counter = match why {
        Error::NoMemory => &refused.no_memory,
        Error::Busy if !is_impatient() => &refused.busy,
        _ => return why,
    };
    counter.fetch_add(1, Ordering::Relaxed);
    refused.at.store(unix_micros() / 1_000_000, Ordering::Relaxed);
    why
}

/// The part of a shard in the arena.
#[derive(Clone, Copy, Default)]
struct Holding {
    segments: usize,
    /// One that can be freed without losing a live item.
    dead: Option<SegmentId>,
}

/// Makes room for a write that found none: by growth, otherwise by draining a segment of this shard or of a richer one.
/// No lock is held. `keeps`: drains keep items worth their memory.
fn make_room(core: &Core, shard: usize, now: Time, keeps: bool) -> Result<Room, Error> {
    // Dead bytes are reused before more memory is requested.
    let is_wasteful = core.shards.at(shard).eviction.dead_bytes.load(Ordering::Relaxed) >= core.segments.size();
    let own = || shard::lock(core, shard, now).map(Some);
    if is_wasteful && keeps && free(core, own, Target::Wasted)? == Room::Made {
        return Ok(Room::Made);
    }
    let growth = growth::grow_data(core);
    if growth == Ok(true) {
        return Ok(Room::Made);
    }
    let holdings = holdings(core, now);
    // Dead items of any shard before living ones of this shard.
    let in_turn = (0..holdings.len()).map(|step| (shard + step) % holdings.len());
    let with_dead = in_turn.filter_map(|other| Some((other, Target::Dead(holdings[other].dead?))));
    let try_free = |other, target| free(core, || Ok(shard::try_lock(core, other, now)), target);
    for (other, dead) in with_dead {
        let is_freed = if other == shard { free(core, own, dead)? } else { try_free(other, dead)? };
        if is_freed == Room::Made {
            return Ok(Room::Made);
        }
    }
    // A process that is growing the arena gets some time before live items are evicted.
    growth?;
    let others = || (0..holdings.len()).filter(|other| *other != shard);
    // The only dead bytes left may lie between live items. Failing that, shards with only open segments give one up,
    // after all shards with sealed ones.
    let policy = core.policy();
    let targets: &[Target] = match (policy, keeps) {
        (EvictionPolicy::None, _) => &[Target::Hollow],
        (EvictionPolicy::All, true) => &[Target::Worst, Target::Open],
        (EvictionPolicy::All, false) => &[Target::Oldest, Target::Open],
        // What may not go is moved together where nothing else is left.
        (EvictionPolicy::Volatile, true) => &[Target::Worst, Target::Oldest, Target::Open, Target::Hollow],
        (EvictionPolicy::Volatile, false) => &[Target::Oldest, Target::Open, Target::Hollow],
    };
    let fair = core.segments.active() / holdings.len();
    if policy != EvictionPolicy::None && holdings[shard].segments < fair {
        // Below its share, a shard takes from those above theirs, without waiting for any of them.
        let mut richest: Vec<usize> = (0..holdings.len()).filter(|other| holdings[*other].segments > fair).collect();
        richest.sort_by_key(|other| std::cmp::Reverse(holdings[*other].segments));
        for other in richest.into_iter().take(SHARDS_ASKED) {
            if try_free(other, targets[0])? == Room::Made {
                return Ok(Room::Made);
            }
        }
    }
    let mut room = Room::None;
    for target in targets {
        for other in std::iter::once(shard).chain(others()) {
            let freed = if other == shard { free(core, own, *target)? } else { try_free(other, *target)? };
            match freed {
                Room::Made => return Ok(Room::Made),
                Room::Held => room = Room::Held,
                Room::None => {}
            }
        }
    }
    // More are free than are kept back: those are being sent from, or have been freed just now.
    let is_held = core.segments.count_free(allocate::RESERVE + 1) > allocate::RESERVE;
    Ok(if is_held { Room::Held } else { room })
}

/// Frees a segment of a shard in pieces and releases its lock between them: first the segment being drained already,
/// otherwise the target.
fn free<'a>(core: &Core, lock: impl Fn() -> Result<Option<Locked<'a>>, Error>, target: Target) -> Result<Room, Error> {
    let (mut has_begun, mut tried) = (false, 0);
    while let Some(locked) = lock()? {
        let drained = match evict::continue_freeing(&locked) {
            // Another process has completed it.
            Drained::Nothing if has_begun => Drained::Freed,
            Drained::Nothing | Drained::Surveying => {
                has_begun = true;
                evict::start_freeing(&locked, target)
            }
            drained => drained,
        };
        match drained {
            Drained::Freed => return Ok(Room::Made),
            Drained::Nothing => return Ok(Room::None),
            // A large value was freed, or another process gained a segment meanwhile.
            Drained::Stays if core.segments.count_free(allocate::RESERVE + 1) > allocate::RESERVE => {
                return Ok(Room::Made)
            }
            // The rest of that segment may not be evicted; another segment may be entirely evictable. Each is tried
            // once.
            Drained::Stays if has_begun && tried < core.segments.active() && may_try_another(core, target) => {
                (has_begun, tried) = (false, tried + 1);
            }
            Drained::Stays if has_begun => return Ok(Room::None),
            Drained::Surveying | Drained::UnderWay | Drained::Stays => {}
        }
    }
    Ok(Room::Held)
}

fn may_try_another(core: &Core, target: Target) -> bool {
    core.policy() == EvictionPolicy::Volatile && matches!(target, Target::Worst | Target::Oldest | Target::Open)
}

/// Segments held by each shard, read without a lock: a hint for where to look. Dead owners are detected here, since
/// that takes system calls, and the result is used under the locks.
fn holdings(core: &Core, now: Time) -> Vec<Holding> {
    let epoch = core.epoch(now);
    let mut living = 0;
    let mut holdings = vec![Holding::default(); core.shards.len()];
    for segment in core.segments.all() {
        let word = core.segments.state(segment);
        let Some(holding) = holdings.get_mut(word.shard()) else { continue };
        let (is_dead, is_held) = match word.kind() {
            Some(State::Open | State::Sealed) => (evict::is_dead(core, segment, word, epoch, now), true),
            Some(State::Draining) => (!evict::is_under_way(core, segment, word), true),
            Some(State::LargeFill) => (core.segments.is_left_by_filler(segment, &mut living, &core.presence), true),
            Some(State::Large) => (false, true),
            // Free, and passed by as long as a dead sender's name is on it.
            Some(State::Free) => {
                core.segments.end_sending_of_dead(segment, &core.presence);
                (false, false)
            }
            _ => (false, false),
        };
        if is_dead {
            holding.dead = Some(segment);
        }
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
    // `Busy`: the next write tries again.
    if growth::grow_index(core, shard, chunks) != Ok(false) {
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
    if growth::grow_index(core, shard, chunks) == Ok(false) {
        core.index_full[shard].begin(now, 2);
    }
}

fn retire_segment(core: &Core, shard: usize, now: Time) -> bool {
    let own = || shard::lock(core, shard, now).map(Some);
    let take = || {
        let locked = shard::lock(core, shard, now).ok()?;
        // A generation of its own, so that no reader of the last use takes the hole's zeros for bytes.
        let retired = StateWord::new(allocate::next_generation(&locked), State::Retired, shard, SegmentPool::Small, 0);
        core.segments.take_free(retired, &core.presence)
    };
    let evicted =
        || core.policy() != EvictionPolicy::None && free(core, own, Target::Worst).is_ok_and(|room| room == Room::Made);
    let taken = take().or_else(|| evicted().then(take)?);
    let Some(segment) = taken else { return false };
    growth::punch(core, segment);
    true
}
