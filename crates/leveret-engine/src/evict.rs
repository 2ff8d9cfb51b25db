//! Making room: two pools of segments, item by item. New items go to the small pool; what is worth its memory
//! (`worth.rs`) moves to the main pool when its segment is drained, the rest goes and leaves a fingerprint (a ghost)
//! that sends it to the main pool should it come back soon. In the main pool, what is worth its memory stays.
//!
//! Which segment is drained is decided here, how in `drain.rs`. In an arena that is full, a shard that opens a segment
//! begins to look for another to drain; the writes that fill the first one look and drain in small pieces. There are no
//! queues: the state words say which segment is oldest.
use crate::arena::Arena;
use crate::core::Core;
use crate::drain::{Drained, Keep};
use crate::error::Error;
use crate::lock::Locked;
use crate::segment::{Pool, SegmentId, State, StateWord, RESERVE};
use crate::sync::{AtomicU32, Ordering};
use crate::time::{Moment, Time};
use std::ops::Range;

/// Share of a shard's segments that the small pool may take before it is the one to be drained.
const SMALL_PERCENT: usize = 5;
/// Dead items that are dealt with at once where they are reclaimed: some ten microseconds.
const RECLAIMED_AT_ONCE: usize = 64;
/// Shards that a writer asks for room before it gives up this round.
const SHARDS_ASKED: usize = 4;

/// A look over the segments is over when so much of a segment has been written: a third. The rest is for the drain.
const LOOKED_AHEAD: u64 = 3;
/// Segments looked at together at least.
const LOOKED_AT_ONCE: u64 = 16;
/// And by whoever has nothing else to do, under the lock all the same.
const LOOKED_AT_LEISURE: usize = 1024;

/// What one look over a shard's segments shows.
struct Survey {
    /// A drain that a kill has cut short.
    draining: Option<SegmentId>,
    /// Past its deadline as a whole, flushed, or without a live item.
    dead: Option<SegmentId>,
    /// The sealed one with the fewest live bytes.
    hollowest: Option<(SegmentId, u32)>,
    oldest_small: Option<(SegmentId, u64)>,
    oldest_main: Option<(SegmentId, u64)>,
    fullest_open: Option<(SegmentId, u64)>,
    small: usize,
    all: usize,
    /// What all shards hold.
    held: usize,
    next_expiry: u32,
}

impl Default for Survey {
    fn default() -> Survey {
        Survey {
            draining: None,
            dead: None,
            hollowest: None,
            oldest_small: None,
            oldest_main: None,
            fullest_open: None,
            small: 0,
            all: 0,
            held: 0,
            next_expiry: u32::MAX,
        }
    }
}

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
                match core.try_lock(shard, now).map_or(Drained::Nothing, |locked| locked.reclaim_expired()) {
                    Drained::Nothing => break,
                    Drained::Freed => freed += 1,
                    Drained::Some | Drained::Stays => {}
                }
            }
        }
        freed
    }
}

impl Core {
    /// Makes room for a write that found none: by growing, else by draining a segment of this shard or of a richer one.
    /// No lock is held. False: nothing can be freed.
    pub fn make_room(&self, shard: usize, now: Time) -> Result<bool, Error> {
        // What has died is used again before more memory is asked for.
        let is_wasteful = self.shards.at(shard).dead_bytes.load(Ordering::Relaxed) >= self.map.geometry.segment_size();
        if is_wasteful && self.lock(shard, now)?.reuse() {
            return Ok(true);
        }
        if self.grow_data() {
            return Ok(true);
        }
        let holdings = self.holdings(now);
        // The dead of any shard before the living of this one.
        let with_dead =
            (0..holdings.len()).map(|step| (shard + step) % holdings.len()).filter(|other| holdings[*other].has_dead);
        for other in with_dead {
            let locked = if other == shard { Some(self.lock(shard, now)?) } else { self.try_lock(other, now) };
            if locked.is_some_and(|locked| locked.free_dead()) {
                return Ok(true);
            }
        }
        if !self.evicts {
            // What has died between the living is all that is left to win.
            let own = self.lock(shard, now)?.compact();
            let others = || (0..holdings.len()).filter(|other| *other != shard);
            return Ok(own || others().any(|other| self.try_lock(other, now).is_some_and(|locked| locked.compact())));
        }
        let fair = self.active_segments() / holdings.len();
        if holdings[shard].segments < fair {
            // Below its share, a shard takes from those above theirs, without waiting for any of them.
            let mut richest: Vec<usize> =
                (0..holdings.len()).filter(|other| holdings[*other].segments > fair).collect();
            richest.sort_by_key(|other| std::cmp::Reverse(holdings[*other].segments));
            for other in richest.into_iter().take(SHARDS_ASKED) {
                if self.try_lock(other, now).is_some_and(|locked| locked.evict()) {
                    return Ok(true);
                }
            }
        }
        if self.lock(shard, now)?.evict() {
            return Ok(true);
        }
        Ok((0..holdings.len())
            .filter(|other| *other != shard)
            .any(|other| self.try_lock(other, now).is_some_and(|locked| locked.evict())))
    }

    /// What each shard holds, seen without a lock: a hint for where to look. Whose owner is dead is found out here,
    /// since that takes system calls, and believed under the locks.
    fn holdings(&self, now: Time) -> Vec<Holding> {
        let epoch = self.epoch(now);
        let mut living = 0;
        let mut holdings = vec![Holding::default(); self.shards.len()];
        for segment in self.segments() {
            let word = self.state(segment);
            let Some(holding) = holdings.get_mut(word.shard()) else { continue };
            let header = self.header(segment);
            let (is_dead, is_held) = match word.kind() {
                Some(State::Open) => (
                    header.write_off.load(Ordering::Relaxed) > 0
                        && header.max_deadline.load(Ordering::Relaxed) <= now.0,
                    true,
                ),
                Some(State::Sealed) => (
                    header.live_items.load(Ordering::Relaxed) == 0
                        || header.max_deadline.load(Ordering::Relaxed) <= now.0,
                    true,
                ),
                Some(State::Draining) => (!self.is_under_way(segment, word), true),
                Some(State::LargeFill) => (self.is_left_by_filler(segment, &mut living), true),
                Some(State::Large) => (false, true),
                // Free, and passed by as long as a dead sender's name is on it.
                Some(State::Free) => {
                    self.end_sending_of_dead(segment);
                    (false, false)
                }
                _ => (false, false),
            };
            let is_flushed =
                matches!(word.kind(), Some(State::Open | State::Sealed)) && self.epoch_of(segment) != epoch;
            holding.has_dead |= is_dead || is_flushed;
            holding.segments += usize::from(is_held);
        }
        holdings
    }

    /// Sees to it, after a write with a new key, that the index can grow when it needs to.
    #[inline]
    pub fn prepare_index(&self, shard: usize, now: Time) {
        let head = self.shards.at(shard);
        let chunks = head.chunks.load(Ordering::Acquire);
        let buckets = u64::from(self.buckets(shard));
        let allocated = u64::from(chunks) * u64::from(self.map.geometry.chunk_buckets);
        // Some splits ahead: allocating takes longer than a write should wait.
        if buckets + 8 >= allocated && head.occupied.load(Ordering::Relaxed).saturating_mul(5) > buckets * 24 {
            self.extend_index(shard, chunks, now);
        }
    }

    #[cold]
    fn extend_index(&self, shard: usize, chunks: u32, now: Time) {
        if (u64::from(chunks) + 1) * u64::from(self.map.geometry.chunk_buckets)
            > u64::from(self.map.geometry.buckets_max)
            || self.index_full[shard].lasts(now)
        {
            return;
        }
        if self.grow_index(shard, chunks) {
            return;
        }
        // At the limit, data makes way for the index: chains would grow long and lose items otherwise.
        for _ in 0..8 {
            if self.allocated() + self.map.geometry.chunk_len() <= self.map.geometry.memory {
                break;
            }
            if !self.retire_segment(shard, now) {
                break;
            }
        }
        if !self.grow_index(shard, chunks) {
            self.index_full[shard].begin(now, 2);
        }
    }

    fn retire_segment(&self, shard: usize, now: Time) -> bool {
        let Ok(locked) = self.lock(shard, now) else { return false };
        // With a generation of its own, so that nobody who reads from its last use takes the hole's zeros for bytes.
        let retired = || StateWord::new(locked.next_generation(), State::Retired, shard, Pool::Small, 0);
        let taken =
            self.take_free(retired()).or_else(|| (self.evicts && locked.evict()).then(|| self.take_free(retired()))?);
        drop(locked);
        let Some(segment) = taken else { return false };
        self.punch(segment);
        true
    }
}

impl<'a> Locked<'a> {
    /// A look over all segments at once.
    fn survey(&self) -> Survey {
        let mut survey = Survey::default();
        self.look_over(&mut survey, 0..self.core.active_segments());
        survey
    }

    fn look_over(&self, survey: &mut Survey, segments: Range<usize>) {
        let core = self.core;
        for segment in segments.map(|segment| SegmentId(segment as u32)) {
            let word = core.state(segment);
            survey.held += usize::from(!matches!(word.kind(), Some(State::Free | State::Retired)));
            if word.shard() != self.index {
                continue;
            }
            match word.kind() {
                Some(State::Draining) if core.is_under_way(segment, word) => survey.all += 1,
                Some(State::Draining) => survey.draining = Some(segment),
                Some(State::Open | State::Sealed) => {
                    survey.all += 1;
                    survey.small += usize::from(word.pool() == Pool::Small);
                    self.look_at(survey, segment, word);
                }
                Some(State::Large | State::LargeFill) => survey.all += 1,
                _ => {}
            }
        }
    }

    /// One that is open or sealed.
    fn look_at(&self, survey: &mut Survey, segment: SegmentId, word: StateWord) {
        if self.is_dead(segment, word) {
            survey.dead = Some(segment);
            return;
        }
        let header = self.core.header(segment);
        if word.kind() == Some(State::Open) {
            if header.write_off.load(Ordering::Relaxed) > 0 {
                survey.next_expiry = survey.next_expiry.min(header.max_deadline.load(Ordering::Relaxed));
                let room = self.room_in(segment);
                if survey.fullest_open.is_none_or(|(_, least)| room < least) {
                    survey.fullest_open = Some((segment, room));
                }
            }
            return;
        }
        survey.next_expiry = survey.next_expiry.min(header.max_deadline.load(Ordering::Relaxed));
        let live = header.live_bytes.load(Ordering::Relaxed);
        if survey.hollowest.is_none_or(|(_, least)| live < least) {
            survey.hollowest = Some((segment, live));
        }
        let oldest = if word.pool() == Pool::Small { &mut survey.oldest_small } else { &mut survey.oldest_main };
        if oldest.is_none_or(|(_, generation)| word.generation() < generation) {
            *oldest = Some((segment, word.generation()));
        }
    }

    /// Whether a segment, open or sealed, is past its deadline as a whole, flushed, or without a live item.
    fn is_dead(&self, segment: SegmentId, word: StateWord) -> bool {
        let header = self.core.header(segment);
        let is_expired = || header.max_deadline.load(Ordering::Relaxed) <= self.time().0;
        self.core.epoch_of(segment) != self.epoch
            || match word.kind() {
                Some(State::Open) => header.write_off.load(Ordering::Relaxed) > 0 && is_expired(),
                _ => header.live_items.load(Ordering::Relaxed) == 0 || is_expired(),
            }
    }

    /// The segments are to be looked over in pieces, unless a drain is under way.
    pub fn begin_look(&self) {
        if self.is_looking() || self.under_way().is_some() {
            return;
        }
        self.note_looking();
        self.note_look(&Survey::default(), 0);
    }

    fn note_look(&self, survey: &Survey, next: usize) {
        let look = &self.shard().look;
        let name = |segment: Option<SegmentId>| segment.map_or(0, |segment| segment.0 + 1);
        for (cell, value) in [
            (&look.next, next as u32),
            (&look.dead, name(survey.dead)),
            (&look.hollowest, name(survey.hollowest.map(|(segment, _)| segment))),
            (&look.oldest_small, name(survey.oldest_small.map(|(segment, _)| segment))),
            (&look.oldest_main, name(survey.oldest_main.map(|(segment, _)| segment))),
            (&look.next_expiry, survey.next_expiry),
            (&look.small, survey.small as u32),
            (&look.all, survey.all as u32),
            (&look.held, survey.held as u32),
        ] {
            cell.store(value, Ordering::Relaxed);
        }
    }

    /// What has been seen so far. A segment that is something else by now is left out.
    fn noted_look(&self) -> (Survey, usize) {
        let look = &self.shard().look;
        let number = |cell: &AtomicU32| cell.load(Ordering::Relaxed) as usize;
        let named = |cell: &AtomicU32| {
            let segment = SegmentId((number(cell) as u32).checked_sub(1)?);
            let word = ((segment.0 as usize) < self.core.states.len()).then(|| self.core.state(segment))?;
            let is_own = word.shard() == self.index && matches!(word.kind(), Some(State::Open | State::Sealed));
            is_own.then_some((segment, word))
        };
        let sealed = |cell| named(cell).filter(|(_, word)| word.kind() == Some(State::Sealed));
        let oldest = |cell, pool| {
            sealed(cell)
                .filter(|(_, word)| word.pool() == pool)
                .map(|(segment, word): (SegmentId, StateWord)| (segment, word.generation()))
        };
        let survey = Survey {
            dead: named(&look.dead).filter(|(segment, word)| self.is_dead(*segment, *word)).map(|(segment, _)| segment),
            hollowest: sealed(&look.hollowest)
                .map(|(segment, _)| (segment, self.core.header(segment).live_bytes.load(Ordering::Relaxed))),
            oldest_small: oldest(&look.oldest_small, Pool::Small),
            oldest_main: oldest(&look.oldest_main, Pool::Main),
            next_expiry: look.next_expiry.load(Ordering::Relaxed),
            small: number(&look.small),
            all: number(&look.all),
            held: number(&look.held),
            ..Survey::default()
        };
        (survey, number(&look.next))
    }

    /// Goes on with the look that is under way, over so many segments. Some: it is over, and its note is gone.
    fn look_on(&self, segments: usize) -> Option<Survey> {
        let (mut survey, next) = self.noted_look();
        let end = self.core.active_segments();
        let until = next.saturating_add(segments).min(end);
        self.look_over(&mut survey, next..until);
        if until < end {
            self.note_look(&survey, until);
            return None;
        }
        self.note_nothing();
        // Where one is dead there may be more.
        let next_expiry = if survey.dead.is_some() { 0 } else { survey.next_expiry };
        self.shard().next_expiry.store(next_expiry, Ordering::Relaxed);
        Some(survey)
    }

    /// Frees a segment that is dead, or hardly alive. False: there is none, and no need to look again soon.
    fn reuse(&self) -> bool {
        let survey = self.survey();
        let hardly_alive =
            survey.hollowest.filter(|(_, live)| u64::from(*live) < self.core.map.geometry.segment_size() / 4);
        if let Some(segment) = survey.dead {
            return self.drain(segment, Keep::Nothing);
        }
        if let Some((segment, _)) = hardly_alive {
            return self.drain(segment, Keep::All);
        }
        self.shard().dead_bytes.store(0, Ordering::Relaxed);
        false
    }

    /// Moves the living of the hollowest segment together. False: there is too little to win, or no room to move them
    /// to.
    fn compact(&self) -> bool {
        let segment_size = self.core.map.geometry.segment_size();
        let hollow = self.survey().hollowest.filter(|(_, live)| u64::from(*live) <= segment_size / 8 * 7);
        hollow.is_some_and(|(segment, _)| self.drain(segment, Keep::All))
    }

    /// Frees a segment without a live item, or one whose drain was cut short by a kill. False: there is none.
    fn free_dead(&self) -> bool {
        let survey = self.survey();
        self.shard().next_expiry.store(survey.next_expiry, Ordering::Relaxed);
        match (survey.draining, survey.dead) {
            (Some(segment), _) => self.drain(segment, Keep::All),
            (None, Some(segment)) => self.drain(segment, Keep::Nothing),
            (None, None) => self.sweep_fills(),
        }
    }

    /// Drains one segment of this shard to its end. False: it has none that could be.
    pub fn evict(&self) -> bool {
        self.shard().evicts.store(1, Ordering::Relaxed);
        if self.drain_on(usize::MAX) == Drained::Freed || self.free_dead() {
            return true;
        }
        let survey = self.survey();
        let victim = self.victim(&survey).or(survey.fullest_open.map(|(segment, _)| (segment, Keep::Worthy)));
        victim.is_some_and(|(segment, keep)| self.drain(segment, keep))
    }

    /// The sealed segment whose items are worth least, and what is to be kept of them.
    fn victim(&self, survey: &Survey) -> Option<(SegmentId, Keep)> {
        // To gather what is left of it costs no more than a drain of the main pool, and nothing living has to go.
        let hollow = self.core.map.geometry.segment_size() as u32 / 16 * 11;
        if let Some((segment, _)) = survey.hollowest.filter(|(_, live)| *live < hollow) {
            return Some((segment, Keep::Alive));
        }
        let small_is_due = survey.small * 100 > survey.all * SMALL_PERCENT;
        let (first, second) = if small_is_due {
            (survey.oldest_small, survey.oldest_main)
        } else {
            (survey.oldest_main, survey.oldest_small)
        };
        first.or(second).map(|(segment, _)| (segment, Keep::Worthy))
    }

    /// Whether free segments are so few that a living one must go soon.
    fn is_short(&self) -> bool {
        let spare = RESERVE + self.core.shards.len();
        self.shard().evicts.load(Ordering::Relaxed) != 0 && self.core.count_free(spare + 1) <= spare
    }

    /// After a segment was opened, or a drain has ended: begins, in an arena that is full, to look for one to drain that
    /// will be needed. The writes that come do both bit by bit (`drain_ahead`), and none of them waits for a whole look
    /// or a whole drain.
    #[cold]
    pub fn begin_ahead(&self) {
        if self.is_short() {
            self.begin_look();
        }
    }

    /// A write of `written` bytes goes on with the look that is under way.
    pub fn look_ahead(&self, written: u64) {
        let pace = self.core.active_segments() as u64 * LOOKED_AHEAD * written / self.core.map.geometry.segment_size();
        let Some(survey) = self.look_on(pace.max(LOOKED_AT_ONCE) as usize) else { return };
        // Below its share a shard leaves its segments alone: the write that finds no room takes one of a richer
        // shard's.
        let is_poor = (survey.all + 1) * self.core.shards.len() < survey.held;
        let dead = survey.dead.map(|segment| (segment, Keep::Nothing));
        let living = || if is_poor || !self.is_short() { None } else { self.victim(&survey) };
        if let Some((segment, keep)) = dead.or_else(living) {
            self.begin_drain(segment, keep);
        }
    }

    /// A piece of the work of freeing segments that are past their deadline as a whole.
    fn reclaim_expired(&self) -> Drained {
        if self.under_way().is_none() {
            self.begin_look();
            let Some(survey) = self.look_on(LOOKED_AT_LEISURE) else { return Drained::Some };
            let Some(segment) = survey.dead else { return Drained::Nothing };
            self.begin_drain(segment, Keep::Nothing);
        }
        self.drain_on(RECLAIMED_AT_ONCE)
    }

    /// Continues what kills have left behind. Nobody knows any more whether such a drain was an eviction or only
    /// gathered what was left of a hollow segment, so whatever is alive is kept: a kill must not cost acknowledged
    /// writes.
    pub fn finish_drains(&self) {
        // No more than there are, though somebody may go on writing such state words.
        for _ in 0..self.core.active_segments() {
            let Some(segment) = self.survey().draining else { return };
            self.drain(segment, Keep::All);
        }
    }

    fn ghost_set(&self, hash: u64) -> (usize, u32) {
        let sets = self.core.map.geometry.ghosts as usize / 4;
        // Other bits than those that choose the bucket and the shard.
        let first = self.index * self.core.map.geometry.ghosts as usize + (hash >> 8) as usize % sets * 4;
        (first, (hash >> 24) as u32 | 1)
    }

    /// Notes that a key was evicted from the small pool.
    pub fn remember(&self, hash: u64) {
        let (first, fingerprint) = self.ghost_set(hash);
        let turn = self.shard().ghost_turn.fetch_add(1, Ordering::Relaxed) as usize;
        self.core.ghosts.at(first + turn % 4).store(fingerprint, Ordering::Relaxed);
    }

    /// Whether a key was evicted from the small pool not long ago; forgets that.
    pub fn was_evicted_lately(&self, hash: u64) -> bool {
        // Nothing ever was: the look would be a cache miss for each new key of an arena that is not full yet.
        if self.shard().ghost_turn.load(Ordering::Relaxed) == 0 {
            return false;
        }
        let (first, fingerprint) = self.ghost_set(hash);
        let ghost = (first..first + 4)
            .map(|at| self.core.ghosts.at(at))
            .find(|ghost| ghost.load(Ordering::Relaxed) == fingerprint);
        ghost.inspect(|ghost| ghost.store(0, Ordering::Relaxed)).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Deadline, OpenOptions};

    /// A kill in the middle of gathering what was left of a hollow segment leaves it half moved. Whoever finished that
    /// took it for an eviction and dropped what nobody had read: acknowledged writes, in an arena with plenty of room.
    #[test]
    fn a_drain_that_a_kill_cut_short_keeps_what_is_alive() {
        let finishers: [fn(&Locked<'_>); 3] =
            [|locked| locked.recover(), |locked| locked.finish_drains(), |locked| assert!(locked.free_dead())];
        for finish in finishers {
            let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
            let options = OpenOptions { memory: 8 << 20, cores: 1, ..OpenOptions::default() };
            let (arena, _) = Arena::open(&dir.path().join("drain.arena"), &options).expect("an arena");
            let now = Time::now();
            let keys: Vec<String> = (0..100).map(|number| format!("key-{number}")).collect();
            keys.iter().for_each(|key| arena.set(key.as_bytes(), &[7; 200], Deadline::NEVER, now).expect("room"));
            let core = &*arena.core;
            let locked = core.lock(0, now).expect("free");
            let segments = core.segments().map(|segment| (segment, core.state(segment)));
            let of_shard =
                segments.filter(|(_, word)| word.kind() == Some(State::Open) && word.shard() == locked.index);
            for (segment, word) in
                of_shard.filter(|(segment, _)| core.header(*segment).live_items.load(Ordering::Relaxed) > 0)
            {
                core.set_state(segment, word.with(State::Draining));
            }
            assert!(locked.survey().draining.is_some());
            finish(&locked);
            assert!(locked.survey().draining.is_none());
            drop(locked);
            assert_eq!(keys.iter().filter(|key| arena.contains(key.as_bytes(), now)).count(), keys.len());
            assert_eq!(arena.stats().evicted, 0);
            assert!(arena.verify().is_clean(), "{:?}", arena.verify());
        }
    }

    /// A count of live bytes in a damaged file was added to before it was compared.
    #[test]
    fn damaged_counts_stop_no_writer() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let options = OpenOptions { memory: 8 << 20, cores: 1, evict: false, ..OpenOptions::default() };
        let (arena, _) = Arena::open(&dir.path().join("counts.arena"), &options).expect("an arena");
        for number in 0..100u32 {
            arena.set(&number.to_ne_bytes(), &[1; 20_000], Deadline::NEVER, Time::now()).expect("room");
        }
        let core = &*arena.core;
        core.segments().for_each(|segment| core.header(segment).live_bytes.store(u32::MAX, Ordering::Relaxed));
        for shard in 0..core.shards.len() {
            assert!(!core.lock(shard, Time::now()).expect("free").compact());
        }
    }

    /// Writers gather what is left of hollow segments before they ask for more memory. When other shards had taken the
    /// last free segments meanwhile, what found no room was dropped, in an arena that could still grow.
    #[test]
    fn gathering_hollow_segments_drops_nothing() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let options = OpenOptions { memory: 8 << 20, cores: 1, ..OpenOptions::default() };
        let (arena, _) = Arena::open(&dir.path().join("hollow.arena"), &options).expect("an arena");
        let now = Time::now();
        arena.set(b"left", b"over", Deadline::NEVER, now).expect("room");
        let core = &*arena.core;
        let locked = core.lock(core.shard_of(core.hash(b"left")), now).expect("free");
        let segments = || core.segments();
        let open = segments()
            .find(|segment| core.header(*segment).live_items.load(Ordering::Relaxed) > 0)
            .expect("it holds the item");
        locked.seal(open);
        while core
            .take_free(StateWord::new(locked.next_generation(), State::LargeFill, locked.index, Pool::Small, 0))
            .is_some()
        {}
        assert!(!locked.reuse());
        drop(locked);
        assert_eq!(arena.get(b"left", now).expect("nothing had to go").value, b"over");
        assert_eq!(arena.stats().evicted, 0);
    }
}
