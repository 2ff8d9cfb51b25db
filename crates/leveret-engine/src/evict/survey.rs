//! Which segment goes: what the segments of a shard hold, seen all at once or in pieces that the writes take one after
//! the other. There are no queues: the state words say which segment is oldest.
use crate::core::Core;
use crate::evict::drain::{self, Keep};
use crate::policy::EvictionPolicy;
use crate::segment::{SegmentId, SegmentPool, State, StateWord};
use crate::shard::Locked;
use crate::sync::{AtomicU32, Ordering};
use crate::time::Moment;
use std::ops::Range;

/// Share of a shard's segments that the small pool may take before it is the one to be drained.
const SMALL_PERCENT: usize = 5;

/// Denominator of the share of live bytes in a segment's written bytes. The unwritten rest does not count: gathering
/// cannot win it back, since the copy of an item larger than half a segment takes a whole segment again.
const PARTS: u64 = 64;
/// With fewer live parts, 11/16, a segment is gathered before anything has to go: it costs no more than a drain of the main
/// pool, and nothing living is lost.
const GATHERED: u64 = 44;
/// With no more live parts, 7/8, a segment is gathered where nothing may be evicted.
const COMPACTED: u64 = 56;

/// What the segments of a shard hold.
pub(super) struct Survey {
    /// A drain that a kill has cut short.
    pub draining: Option<SegmentId>,
    /// Past its deadline as a whole, flushed, or without a live item.
    pub dead: Option<SegmentId>,
    /// The sealed one with the least share of live bytes, and the share.
    hollowest: Option<(SegmentId, u64)>,
    oldest_small: Option<(SegmentId, u64)>,
    oldest_main: Option<(SegmentId, u64)>,
    fullest_open: Option<(SegmentId, u64)>,
    small: usize,
    pub all: usize,
    /// What all shards hold.
    pub held: usize,
    pub next_expiry: u32,
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

impl Survey {
    /// The hollowest segment, if it is hardly alive.
    pub fn hardly_alive(&self) -> Option<SegmentId> {
        self.hollow(PARTS / 4)
    }

    /// The hollowest segment, if gathering its living wins something.
    pub fn compactible(&self) -> Option<SegmentId> {
        self.hollow(COMPACTED + 1)
    }

    fn hollow(&self, below: u64) -> Option<SegmentId> {
        self.hollowest.filter(|(_, live)| *live < below).map(|(segment, _)| segment)
    }

    /// The open segment with the least room.
    pub fn fullest_open(&self) -> Option<SegmentId> {
        self.fullest_open.map(|(segment, _)| segment)
    }

    /// The sealed segment whose items are worth least, and which of them to keep.
    pub fn victim(&self) -> Option<(SegmentId, Keep)> {
        match self.hollow(GATHERED) {
            Some(segment) => Some((segment, Keep::Alive)),
            None => self.oldest().map(|segment| (segment, Keep::Worthy)),
        }
    }

    /// The sealed segment that has been written longest ago, of the pool that is due.
    pub fn oldest(&self) -> Option<SegmentId> {
        let small_is_due = self.small * 100 > self.all * SMALL_PERCENT;
        let (first, second) =
            if small_is_due { (self.oldest_small, self.oldest_main) } else { (self.oldest_main, self.oldest_small) };
        first.or(second).map(|(segment, _)| segment)
    }
}

/// All segments at once.
pub(super) fn whole(locked: &Locked<'_>) -> Survey {
    let mut survey = Survey::default();
    look_over(locked, &mut survey, 0..locked.core.segments.active());
    survey
}

fn look_over(locked: &Locked<'_>, survey: &mut Survey, segments: Range<usize>) {
    let core = locked.core;
    for segment in segments.map(|segment| SegmentId(segment as u32)) {
        let word = core.segments.state(segment);
        survey.held += usize::from(!matches!(word.kind(), Some(State::Free | State::Retired)));
        if word.shard() != locked.index {
            continue;
        }
        match word.kind() {
            Some(State::Draining) if drain::is_under_way(core, segment, word) => survey.all += 1,
            Some(State::Draining) => survey.draining = Some(segment),
            Some(State::Open | State::Sealed) => {
                survey.all += 1;
                survey.small += usize::from(word.pool() == SegmentPool::Small);
                look_at(locked, survey, segment, word);
            }
            Some(State::Large | State::LargeFill) => survey.all += 1,
            _ => {}
        }
    }
}

/// One that is open or sealed.
fn look_at(locked: &Locked<'_>, survey: &mut Survey, segment: SegmentId, word: StateWord) {
    if is_dead(locked.core, segment, word, locked.epoch, locked) {
        survey.dead = Some(segment);
        return;
    }
    let header = locked.core.segments.header(segment);
    let is_victim = holds_victims(locked, word);
    if word.kind() == Some(State::Open) {
        if !header.is_empty() {
            survey.next_expiry = survey.next_expiry.min(header.expiry());
            let room = locked.core.segments.room_in(segment);
            if is_victim && survey.fullest_open.is_none_or(|(_, least)| room < least) {
                survey.fullest_open = Some((segment, room));
            }
        }
        return;
    }
    survey.next_expiry = survey.next_expiry.min(header.expiry());
    let live = live_parts(locked, segment);
    if survey.hollowest.is_none_or(|(_, least)| live < least) {
        survey.hollowest = Some((segment, live));
    }
    let oldest = if word.pool() == SegmentPool::Small { &mut survey.oldest_small } else { &mut survey.oldest_main };
    if is_victim && oldest.is_none_or(|(_, generation)| word.generation() < generation) {
        *oldest = Some((segment, word.generation()));
    }
}

/// Whether a drain of this segment may drop living items. Items without a deadline have segments of their own.
fn holds_victims(locked: &Locked<'_>, word: StateWord) -> bool {
    match locked.core.policy() {
        EvictionPolicy::All => true,
        EvictionPolicy::Volatile => word.class() != 0,
        EvictionPolicy::None => false,
    }
}

/// How many of `PARTS` written bytes of a segment live.
fn live_parts(locked: &Locked<'_>, segment: SegmentId) -> u64 {
    let header = locked.core.segments.header(segment);
    u64::from(header.live_bytes()) * PARTS / header.written().clamp(1, locked.core.segments.size())
}

/// Whether a segment, open or sealed, is past its deadline as a whole, flushed, or without a live item.
pub(crate) fn is_dead(core: &Core, segment: SegmentId, word: StateWord, epoch: u32, now: impl Moment) -> bool {
    let header = core.segments.header(segment);
    core.segments.epoch_of(segment) != epoch
        || match word.kind() {
            Some(State::Open) => !header.is_empty() && header.is_expired(now.time()),
            _ => header.live_items() == 0 || header.is_expired(now.time()),
        }
}

/// The segments are to be surveyed in pieces, unless a drain is under way.
pub(super) fn begin(locked: &Locked<'_>) {
    if drain::is_surveying(locked) || drain::under_way(locked).is_some() {
        return;
    }
    drain::note_survey(locked);
    note(locked, &Survey::default(), 0);
}

fn note(locked: &Locked<'_>, survey: &Survey, next: usize) {
    let notes = &locked.shard().survey;
    let name = |segment: Option<SegmentId>| segment.map_or(0, |segment| segment.0 + 1);
    for (cell, value) in [
        (&notes.next, next as u32),
        (&notes.dead, name(survey.dead)),
        (&notes.hollowest, name(survey.hollowest.map(|(segment, _)| segment))),
        (&notes.oldest_small, name(survey.oldest_small.map(|(segment, _)| segment))),
        (&notes.oldest_main, name(survey.oldest_main.map(|(segment, _)| segment))),
        (&notes.next_expiry, survey.next_expiry),
        (&notes.small, survey.small as u32),
        (&notes.all, survey.all as u32),
        (&notes.held, survey.held as u32),
    ] {
        cell.store(value, Ordering::Relaxed);
    }
}

/// The survey's notes so far. Segments whose state has changed since are left out.
fn noted(locked: &Locked<'_>) -> (Survey, usize) {
    let notes = &locked.shard().survey;
    let number = |cell: &AtomicU32| cell.load(Ordering::Relaxed) as usize;
    let named = |cell: &AtomicU32| {
        let segment = SegmentId((number(cell) as u32).checked_sub(1)?);
        let word = ((segment.0 as usize) < locked.core.segments.len()).then(|| locked.core.segments.state(segment))?;
        let is_own = word.shard() == locked.index && matches!(word.kind(), Some(State::Open | State::Sealed));
        is_own.then_some((segment, word))
    };
    let sealed = |cell| named(cell).filter(|(_, word)| word.kind() == Some(State::Sealed));
    let oldest = |cell, pool| {
        sealed(cell)
            .filter(|(_, word)| word.pool() == pool)
            .map(|(segment, word): (SegmentId, StateWord)| (segment, word.generation()))
    };
    let survey = Survey {
        dead: named(&notes.dead)
            .filter(|(segment, word)| is_dead(locked.core, *segment, *word, locked.epoch, locked))
            .map(|(segment, _)| segment),
        hollowest: sealed(&notes.hollowest).map(|(segment, _)| (segment, live_parts(locked, segment))),
        oldest_small: oldest(&notes.oldest_small, SegmentPool::Small),
        oldest_main: oldest(&notes.oldest_main, SegmentPool::Main),
        next_expiry: notes.next_expiry.load(Ordering::Relaxed),
        small: number(&notes.small),
        all: number(&notes.all),
        held: number(&notes.held),
        ..Survey::default()
    };
    (survey, number(&notes.next))
}

/// Continues the survey under way over `segments` segments. `Some`: it is complete, and its notes are cleared.
pub(super) fn go_on(locked: &Locked<'_>, segments: usize) -> Option<Survey> {
    let (mut survey, next) = noted(locked);
    let end = locked.core.segments.active();
    let until = next.saturating_add(segments).min(end);
    look_over(locked, &mut survey, next..until);
    if until < end {
        note(locked, &survey, until);
        return None;
    }
    drain::note_nothing(locked);
    // Where one is dead there may be more.
    let next_expiry = if survey.dead.is_some() { 0 } else { survey.next_expiry };
    locked.shard().eviction.next_expiry.store(next_expiry, Ordering::Relaxed);
    Some(survey)
}
