//! Making room: two pools of segments, item by item. What is worth its memory (`worth.rs`) goes to the main pool, at
//! once or when its segment of the small pool is drained; the rest goes and leaves a fingerprint (a ghost) that makes it
//! worth more should it come back soon. In the main pool, what is worth its memory stays.
//!
//! Which segment is drained is decided here, how in `drain.rs`. In an arena that is full, a shard that opens a segment
//! begins to look for another to drain; the writes that fill the first one look and drain in small pieces. There are no
//! queues: the state words say which segment is oldest.
use crate::evict::drain::{self, Drained, Keep, PIECE};
use crate::growth;
use crate::segment::{Pool, SegmentId, State, StateWord};
use crate::shard::allocate::{self, Place};
use crate::shard::{pieces, Locked};
use crate::sync::{AtomicU32, Ordering};
use crate::time::{Deadline, Moment, Time};
use std::ops::Range;

/// Share of a shard's segments that the small pool may take before it is the one to be drained.
const SMALL_PERCENT: usize = 5;
/// Dead items that are dealt with at once where they are reclaimed: some ten microseconds.
const RECLAIMED_AT_ONCE: usize = 64;

/// A look over the segments is over when so much of a segment has been written: a third. The rest is for the drain.
const LOOKED_AHEAD: u64 = 3;
/// Segments looked at together at least.
const LOOKED_AT_ONCE: u64 = 16;
/// And at most, however much one write has written: a lock is not held for longer.
const LOOKED_AT_MOST: u64 = 256;
/// And by whoever has nothing else to do, under the lock all the same.
const LOOKED_AT_LEISURE: usize = 1024;

/// Bytes that a drain goes through for each byte that is written. Of main segments nearly three quarters are kept, now and
/// then seven eighths, so this is what it takes to free a segment while another one is filled.
const BYTES_AHEAD: u64 = 6;
/// Items that one write deals with at most under one lock, whatever their sizes.
pub(crate) const ITEMS_AHEAD: usize = 32;
/// How many times as fast a look and the drain after it go on that begin when free segments have become rare. Where nearly all
/// is worth keeping, a drain frees an eighth of a segment, and eight must end while one is filled.
const HASTE: u32 = 4;

/// Seconds after which an arena that could not grow tries to again.
const GROWN_AGAIN: u32 = 2;

/// A segment's live bytes, as a share of those that are written: so many parts of this. The unwritten rest does not
/// count, since gathering cannot win it back where items leave it again: a copy of one that takes more than half of a segment
/// takes a segment.
const PARTS: u64 = 64;
/// With fewer live parts, 11/16, a segment is gathered before anything has to go: it costs no more than a drain of the main
/// pool, and nothing living is lost.
const GATHERED: u64 = 44;
/// With no more live parts, 7/8, a segment is gathered where nothing may be evicted.
const COMPACTED: u64 = 56;

/// What one look over a shard's segments shows.
struct Survey {
    /// A drain that a kill has cut short.
    draining: Option<SegmentId>,
    /// Past its deadline as a whole, flushed, or without a live item.
    dead: Option<SegmentId>,
    /// The sealed one with the least share of live bytes, and the share.
    hollowest: Option<(SegmentId, u64)>,
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

/// At the end of a write of `written` bytes to a place: goes on with the drain that is under way, or with the look for it, so
/// far that it ends before its room is needed.
#[inline]
pub(crate) fn drain_ahead(locked: &Locked<'_>, place: &Place, written: u64) {
    begin_with(locked, place);
    if locked.shard().drain.word.load(Ordering::Relaxed) != 0 {
        drain_ahead_some(locked, written);
    }
}

/// A write to this place begins a look for a segment to drain if it has opened one.
#[inline]
pub(crate) fn begin_with(locked: &Locked<'_>, place: &Place) {
    if place.is_new {
        begin_ahead(locked);
    }
}

#[cold]
fn drain_ahead_some(locked: &Locked<'_>, written: u64) {
    if drain::is_looking(locked) {
        return look_ahead(locked, written);
    }
    let before = locked.shard().drain.at.load(Ordering::Relaxed);
    let passed = || u64::from(locked.shard().drain.at.load(Ordering::Relaxed).wrapping_sub(before));
    let bytes = written * BYTES_AHEAD * haste(locked);
    for _ in 0..ITEMS_AHEAD / PIECE {
        match drain::drain_on(locked, PIECE) {
            Drained::Some if passed() < bytes => {}
            // What was kept may have taken a free segment too: one drain for each segment that is opened would not
            // be enough.
            Drained::Freed => return begin_ahead(locked),
            _ => return,
        }
    }
}

/// A look over all segments at once.
fn survey(locked: &Locked<'_>) -> Survey {
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
                survey.small += usize::from(word.pool() == Pool::Small);
                look_at(locked, survey, segment, word);
            }
            Some(State::Large | State::LargeFill) => survey.all += 1,
            _ => {}
        }
    }
}

/// One that is open or sealed.
fn look_at(locked: &Locked<'_>, survey: &mut Survey, segment: SegmentId, word: StateWord) {
    if is_dead(locked, segment, word) {
        survey.dead = Some(segment);
        return;
    }
    let header = locked.core.segments.header(segment);
    if word.kind() == Some(State::Open) {
        if !header.is_empty() {
            survey.next_expiry = survey.next_expiry.min(header.expiry());
            let room = locked.core.segments.room_in(segment);
            if survey.fullest_open.is_none_or(|(_, least)| room < least) {
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
    let oldest = if word.pool() == Pool::Small { &mut survey.oldest_small } else { &mut survey.oldest_main };
    if oldest.is_none_or(|(_, generation)| word.generation() < generation) {
        *oldest = Some((segment, word.generation()));
    }
}

/// How many of `PARTS` written bytes of a segment live.
fn live_parts(locked: &Locked<'_>, segment: SegmentId) -> u64 {
    let header = locked.core.segments.header(segment);
    u64::from(header.live_bytes()) * PARTS / header.written().clamp(1, locked.core.segments.size())
}

/// Whether a segment, open or sealed, is past its deadline as a whole, flushed, or without a live item.
fn is_dead(locked: &Locked<'_>, segment: SegmentId, word: StateWord) -> bool {
    let header = locked.core.segments.header(segment);
    let is_expired = || header.expiry() <= locked.time().0;
    locked.core.segments.epoch_of(segment) != locked.epoch
        || match word.kind() {
            Some(State::Open) => !header.is_empty() && is_expired(),
            _ => header.live_items() == 0 || is_expired(),
        }
}

/// The segments are to be looked over in pieces, unless a drain is under way.
pub(crate) fn begin_look(locked: &Locked<'_>) {
    if drain::is_looking(locked) || drain::under_way(locked).is_some() {
        return;
    }
    drain::note_looking(locked);
    note_look(locked, &Survey::default(), 0);
}

fn note_look(locked: &Locked<'_>, survey: &Survey, next: usize) {
    let look = &locked.shard().look;
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
fn noted_look(locked: &Locked<'_>) -> (Survey, usize) {
    let look = &locked.shard().look;
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
        dead: named(&look.dead).filter(|(segment, word)| is_dead(locked, *segment, *word)).map(|(segment, _)| segment),
        hollowest: sealed(&look.hollowest).map(|(segment, _)| (segment, live_parts(locked, segment))),
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
fn look_on(locked: &Locked<'_>, segments: usize) -> Option<Survey> {
    let (mut survey, next) = noted_look(locked);
    let end = locked.core.segments.active();
    let until = next.saturating_add(segments).min(end);
    look_over(locked, &mut survey, next..until);
    if until < end {
        note_look(locked, &survey, until);
        return None;
    }
    drain::note_nothing(locked);
    // Where one is dead there may be more.
    let next_expiry = if survey.dead.is_some() { 0 } else { survey.next_expiry };
    locked.shard().eviction.next_expiry.store(next_expiry, Ordering::Relaxed);
    Some(survey)
}

/// Begins to free a segment that is dead, or hardly alive. Nothing: there is none, and no need to look again soon.
pub(crate) fn begin_reuse(locked: &Locked<'_>) -> Drained {
    let survey = survey(locked);
    let hardly_alive = survey.hollowest.filter(|(_, live)| *live < PARTS / 4);
    if let Some(segment) = survey.dead {
        return begin(locked, segment, Keep::Nothing);
    }
    if let Some((segment, _)) = hardly_alive {
        return begin(locked, segment, Keep::All);
    }
    locked.shard().eviction.dead_bytes.store(0, Ordering::Relaxed);
    Drained::Nothing
}

/// Begins to move the living of the hollowest segment together. Nothing: there is too little to win.
pub(crate) fn begin_compacting(locked: &Locked<'_>) -> Drained {
    let hollow = survey(locked).hollowest.filter(|(_, live)| *live <= COMPACTED);
    hollow.map_or(Drained::Nothing, |(segment, _)| begin(locked, segment, Keep::All))
}

/// Begins to free a segment without a live item, or one whose drain was cut short by a kill.
pub(crate) fn begin_freeing_dead(locked: &Locked<'_>) -> Drained {
    let survey = survey(locked);
    locked.shard().eviction.next_expiry.store(survey.next_expiry, Ordering::Relaxed);
    match (survey.draining, survey.dead) {
        (Some(segment), _) => begin(locked, segment, Keep::All),
        (None, Some(segment)) => begin(locked, segment, Keep::Nothing),
        (None, None) if pieces::sweep_fills(locked) => Drained::Freed,
        (None, None) => Drained::Nothing,
    }
}

/// Looks, in pieces, for a sealed segment of this shard to drain, and begins. A write that needs room now keeps half of
/// what a drain ahead would keep: it does no eight drains for a segment. Nothing: the shard has none.
pub(crate) fn begin_evicting(locked: &Locked<'_>) -> Drained {
    need_room(locked);
    let survey = match look_for_room(locked) {
        Some(survey) => survey,
        None => return Drained::Some,
    };
    if let Some(segment) = survey.dead {
        return begin(locked, segment, Keep::Nothing);
    }
    if pieces::sweep_fills(locked) {
        return Drained::Freed;
    }
    let Some((segment, keep)) = victim(&survey) else { return Drained::Nothing };
    begin(locked, segment, keep);
    if keep == Keep::Worthy {
        drain::keep_half(locked, segment);
    }
    Drained::Some
}

/// Goes on with the look that is under way, or begins one; a piece at a time, so that nobody holds the lock for long. Some: it
/// is over.
fn look_for_room(locked: &Locked<'_>) -> Option<Survey> {
    begin_look(locked);
    look_on(locked, LOOKED_AT_MOST as usize)
}

/// Begins to free an open segment with all that lies in it, where no shard has another to give: whatever was kept would open
/// the next one. Nothing: none has an item in it.
pub(crate) fn begin_evicting_open(locked: &Locked<'_>) -> Drained {
    let survey = survey(locked);
    let segment = survey.dead.or(survey.fullest_open.map(|(segment, _)| segment));
    segment.map_or(Drained::Nothing, |segment| begin(locked, segment, Keep::Nothing))
}

/// Begins to free a sealed segment with all that lies in it, where drains that keep something have not made enough room.
/// Nothing: the shard has none.
pub(crate) fn begin_evicting_all(locked: &Locked<'_>) -> Drained {
    let Some(survey) = look_for_room(locked) else { return Drained::Some };
    match survey.dead.or_else(|| oldest(&survey)) {
        Some(segment) => begin(locked, segment, Keep::Nothing),
        None => Drained::Nothing,
    }
}

fn begin(locked: &Locked<'_>, segment: SegmentId, keep: Keep) -> Drained {
    drain::begin_drain(locked, segment, keep);
    Drained::Some
}

/// The sealed segment whose items are worth least, and what is to be kept of them.
fn victim(survey: &Survey) -> Option<(SegmentId, Keep)> {
    if let Some((segment, _)) = survey.hollowest.filter(|(_, live)| *live < GATHERED) {
        return Some((segment, Keep::Alive));
    }
    oldest(survey).map(|segment| (segment, Keep::Worthy))
}

/// The sealed segment that has been written longest ago, of the pool that is due.
fn oldest(survey: &Survey) -> Option<SegmentId> {
    let small_is_due = survey.small * 100 > survey.all * SMALL_PERCENT;
    let (first, second) = if small_is_due {
        (survey.oldest_small, survey.oldest_main)
    } else {
        (survey.oldest_main, survey.oldest_small)
    };
    first.or(second).map(|(segment, _)| segment)
}

/// From here on segments are drained ahead of writes: for good in an arena at its limit. Else growing has failed just
/// now; a while later no segment is drained ahead, and the write that finds no room tries to grow again.
fn need_room(locked: &Locked<'_>) {
    let needed_until = &locked.shard().eviction.needed_until;
    if needed_until.load(Ordering::Relaxed) == Deadline::NEVER.0 {
        return;
    }
    let until = match growth::is_at_limit(locked.core) {
        true => Deadline::NEVER,
        false => Deadline::after(Time::now(), GROWN_AGAIN),
    };
    needed_until.store(until.0, Ordering::Relaxed);
}

/// Whether free segments are so few that a living one must go soon.
fn is_short(locked: &Locked<'_>) -> bool {
    let needed_until = Deadline(locked.shard().eviction.needed_until.load(Ordering::Relaxed));
    !needed_until.is_past(Time::now()) && !allocate::has_spare(locked, locked.core.shards.len())
}

/// After a segment was opened, or a drain has ended: begins, in an arena that is full, to look for one to drain that
/// will be needed. The writes that come do both bit by bit (`drain_ahead`), and none of them waits for a whole look
/// or a whole drain.
#[cold]
fn begin_ahead(locked: &Locked<'_>) {
    if is_short(locked) {
        let haste = if allocate::has_spare(locked, locked.core.shards.len() / 2) { 1 } else { HASTE };
        locked.shard().look.haste.store(haste, Ordering::Relaxed);
        begin_look(locked);
    }
}

/// Whatever a damaged arena says: no write does more than it should.
fn haste(locked: &Locked<'_>) -> u64 {
    u64::from(locked.shard().look.haste.load(Ordering::Relaxed).clamp(1, HASTE))
}

/// A write of `written` bytes goes on with the look that is under way.
pub(crate) fn look_ahead(locked: &Locked<'_>, written: u64) {
    let pace = locked.core.segments.active() as u64 * LOOKED_AHEAD * written / locked.core.segments.size();
    let Some(survey) = look_on(locked, pace.clamp(LOOKED_AT_ONCE * haste(locked), LOOKED_AT_MOST) as usize) else {
        return;
    };
    // Below its share a shard leaves its segments alone: the write that finds no room takes one of a richer
    // shard's.
    let is_poor = (survey.all + 1) * locked.core.shards.len() < survey.held;
    let dead = survey.dead.map(|segment| (segment, Keep::Nothing));
    let living = || if is_poor || !is_short(locked) { None } else { victim(&survey) };
    if let Some((segment, keep)) = dead.or_else(living) {
        drain::begin_drain(locked, segment, keep);
    }
}

/// A piece of the work of freeing segments that are past their deadline as a whole.
pub(crate) fn reclaim_expired(locked: &Locked<'_>) -> Drained {
    if drain::under_way(locked).is_none() {
        begin_look(locked);
        let Some(survey) = look_on(locked, LOOKED_AT_LEISURE) else { return Drained::Some };
        let Some(segment) = survey.dead else { return Drained::Nothing };
        drain::begin_drain(locked, segment, Keep::Nothing);
    }
    drain::drain_on(locked, RECLAIMED_AT_ONCE)
}

/// Continues what kills have left behind. Nobody knows any more whether such a drain was an eviction or only
/// gathered what was left of a hollow segment, so whatever is alive is kept: a kill must not cost acknowledged
/// writes.
pub(crate) fn finish_drains(locked: &Locked<'_>) {
    // No more than there are, though somebody may go on writing such state words.
    for _ in 0..locked.core.segments.active() {
        let Some(segment) = survey(locked).draining else { return };
        drain::drain(locked, segment, Keep::All);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::StateWord;
    use crate::shard;
    use crate::shard::{allocate, recover};
    use crate::{Arena, Deadline, OpenOptions, Time};

    fn free(locked: &Locked<'_>, begin: fn(&Locked<'_>) -> Drained) {
        assert_eq!(begin(locked), Drained::Some);
        assert_eq!(drain::drain_on(locked, usize::MAX), Drained::Freed);
    }

    /// A kill in the middle of gathering what was left of a hollow segment leaves it half moved. Whoever finished that
    /// took it for an eviction and dropped what nobody had read: acknowledged writes, in an arena with plenty of room.
    #[test]
    fn a_drain_that_a_kill_cut_short_keeps_what_is_alive() {
        let finishers: [fn(&Locked<'_>); 3] = [
            |locked| recover::recover(locked),
            |locked| finish_drains(locked),
            |locked| free(locked, begin_freeing_dead),
        ];
        for finish in finishers {
            let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
            let options = OpenOptions::new().memory(8 << 20).cores(1);
            let (arena, _) = Arena::open(&dir.path().join("drain.arena"), &options).expect("an arena");
            let now = Time::now();
            let keys: Vec<String> = (0..100).map(|number| format!("key-{number}")).collect();
            keys.iter().for_each(|key| arena.set(key.as_bytes(), &[7; 200], Deadline::NEVER, now).expect("room"));
            let core = &*arena.core;
            let locked = shard::lock(core, 0, now).expect("free");
            let segments = core.segments.all().map(|segment| (segment, core.segments.state(segment)));
            let of_shard =
                segments.filter(|(_, word)| word.kind() == Some(State::Open) && word.shard() == locked.index);
            for (segment, word) in of_shard.filter(|(segment, _)| core.segments.header(*segment).live_items() > 0) {
                core.segments.set_state(segment, word.with(State::Draining));
            }
            assert!(survey(&locked).draining.is_some());
            finish(&locked);
            assert!(survey(&locked).draining.is_none());
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
        let options = OpenOptions::new().memory(8 << 20).cores(1).evict(false);
        let (arena, _) = Arena::open(&dir.path().join("counts.arena"), &options).expect("an arena");
        for number in 0..100u32 {
            arena.set(&number.to_ne_bytes(), &[1; 20_000], Deadline::NEVER, Time::now()).expect("room");
        }
        let core = &*arena.core;
        core.segments.all().for_each(|segment| core.segments.header(segment).damage_live_bytes());
        for shard in 0..core.shards.len() {
            let locked = shard::lock(core, shard, Time::now()).expect("free");
            assert_eq!(begin_compacting(&locked), Drained::Nothing);
        }
    }

    /// Writers gather what is left of hollow segments before they ask for more memory. When other shards had taken the
    /// last free segments meanwhile, what found no room was dropped, in an arena that could still grow.
    #[test]
    fn gathering_hollow_segments_drops_nothing() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let options = OpenOptions::new().memory(8 << 20).cores(1);
        let (arena, _) = Arena::open(&dir.path().join("hollow.arena"), &options).expect("an arena");
        let now = Time::now();
        let core = &*arena.core;
        let shard_of = |key: &[u8]| core.hasher.shard_of(core.hasher.hash(key));
        arena.set(b"left", b"over", Deadline::NEVER, now).expect("room");
        let beside: Vec<_> =
            (0..100u32).map(u32::to_ne_bytes).filter(|key| shard_of(key) == shard_of(b"left")).collect();
        beside.iter().for_each(|key| arena.set(key, b"dies", Deadline::NEVER, now).expect("room"));
        beside.iter().for_each(|key| assert_eq!(arena.delete(key, now), Ok(true)));
        let locked = shard::lock(core, shard_of(b"left"), now).expect("free");
        let segments = || core.segments.all();
        let open =
            segments().find(|segment| core.segments.header(*segment).live_items() > 0).expect("it holds the item");
        allocate::seal(&locked, open);
        while core
            .segments
            .take_free(
                StateWord::new(allocate::next_generation(&locked), State::LargeFill, locked.index, Pool::Small, 0),
                &core.presence,
            )
            .is_some()
        {}
        assert_eq!(begin_reuse(&locked), Drained::Some);
        assert_eq!(drain::drain_on(&locked, usize::MAX), Drained::Stays);
        drop(locked);
        assert_eq!(arena.get(b"left", now).expect("nothing had to go").value, b"over");
        assert_eq!(arena.stats().evicted, 0);
    }
}
