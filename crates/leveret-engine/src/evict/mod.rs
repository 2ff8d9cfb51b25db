//! Eviction: two pools of segments, judged item by item. An item worth its memory (`worth.rs`) goes to the main pool,
//! at once or when its segment of the small pool is drained. The other items are dropped and leave a fingerprint
//! (`ghosts.rs`), which raises their worth if they return soon. Items of the main pool stay while they are worth their
//! memory.
//!
//! `survey.rs` chooses the segment, `drain.rs` empties it. In a full arena, a shard that opens a segment begins to
//! survey its segments for another one to drain. The writes that fill the new segment survey and drain in small pieces.
//! Everything else enters here, under the shard's lock: writes (`ahead`, `opened`), searches for room (`start_freeing`,
//! `continue_freeing`), maintenance (`reclaim_expired`) and recovery (`after_kill`).
pub(crate) mod ghosts;

mod worth;

mod drain;

mod survey;

use crate::growth;
use crate::policy::EvictionPolicy;
use crate::segment::{SegmentId, State};
use crate::shard::allocate::{self, Opened, Place};
use crate::shard::{pieces, Locked};
use crate::sync::Ordering;
use crate::time::{Deadline, Moment, Time};
#[cfg(all(test, model))]
pub(crate) use drain::gather;
pub(crate) use drain::{is_under_way, Drained};
use drain::{Keep, PIECE};
pub(crate) use survey::is_dead;
use survey::Survey;
pub(crate) use worth::pool_of_new;

/// Dead items that are dealt with at once where they are reclaimed: some ten microseconds.
const RECLAIMED_AT_ONCE: usize = 64;

/// A survey ends when this part (a third) of a segment has been written. The rest is for the drain.
const SURVEYED_AHEAD: u64 = 3;
/// Segments surveyed together at least.
const SURVEYED_AT_ONCE: u64 = 16;
/// And at most, however much one write has written: a lock is not held for longer.
const SURVEYED_AT_MOST: u64 = 256;
/// And by maintenance, under the lock all the same.
const SURVEYED_AT_LEISURE: usize = 1024;

/// Bytes that a drain passes for each byte written. Main segments keep nearly three quarters, at times seven eighths,
/// so this frees a segment while another one is filled.
const BYTES_AHEAD: u64 = 6;
/// Most items that one write handles under one lock, whatever their sizes.
const ITEMS_AHEAD: usize = 32;
/// Speed-up of a survey and the drain after it that begin when free segments have become rare. Where nearly all is worth
/// keeping, a drain frees an eighth of a segment, and eight must end while one is filled.
const SPEED_UP: u32 = 4;
/// Bytes that one write passes at most because of a speed-up. If all of them are kept, copying them takes some 30,000
/// instructions, and no lock is to be held for more than 50,000.
const SPED_UP_AT_MOST: u64 = 120 << 10;

/// Seconds after which an arena that could not grow tries to again.
const GROWN_AGAIN: u32 = 2;

/// One of this many writes checks whether a segment has expired.
const EXPIRY_EACH: u32 = 64;

/// Which segment of a shard is freed, and which of its items are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// One that is dead, or hardly alive: its living are kept.
    Wasted,
    /// This one, if it has no live item, or if a kill cut its drain short: then its live items are kept.
    Dead(SegmentId),
    /// The hollowest, if there is something to win: its living move together.
    Hollow,
    /// The segment whose items are worth least. Keeps half as much as a drain ahead would, so that one write does not
    /// need eight drains for one segment.
    Worst,
    /// The sealed one that is oldest, with all that lies in it, where drains that keep something have not made enough
    /// room.
    Oldest,
    /// An open segment with all its items, when no shard has another one to give: keeping an item would open the next
    /// segment.
    Open,
}

/// At the end of a write of `written` bytes to a place: continues the drain or the survey under way, far enough that it
/// ends before its room is needed. From time to time looks for expired segments.
#[inline]
pub(crate) fn ahead(locked: &Locked<'_>, place: &Place, written: u64) {
    opened(locked, place);
    if drain::has_work(locked) {
        go_on_ahead(locked, written);
    }
    let eviction = &locked.shard().eviction;
    let writes = eviction.writes.load(Ordering::Relaxed);
    eviction.writes.store(writes.wrapping_add(1), Ordering::Relaxed);
    if writes % EXPIRY_EACH == EXPIRY_EACH - 1 && eviction.next_expiry.load(Ordering::Relaxed) <= locked.time().0 {
        survey::begin(locked);
    }
}

/// A write to this place begins a survey for a segment to drain if it has opened one.
#[inline]
pub(crate) fn opened(locked: &Locked<'_>, place: &Place) {
    if place.opened != Opened::Before {
        begin_ahead(locked);
    }
}

/// Begins to free a segment, or goes on with the survey for it, a piece at a time. Nothing: the shard has none.
pub(crate) fn start_freeing(locked: &Locked<'_>, target: Target) -> Drained {
    match target {
        Target::Wasted => begin_wasted(locked),
        Target::Dead(segment) => begin_dead(locked, segment),
        Target::Hollow => match survey_for_room(locked) {
            Some(survey) => begin_with(locked, survey.compactible(), Keep::All),
            None => Drained::Surveying,
        },
        Target::Worst => begin_worst(locked),
        Target::Oldest => match survey_for_room(locked) {
            Some(survey) => begin_with(locked, survey.dead.or_else(|| survey.oldest()), Keep::Nothing),
            None => Drained::Surveying,
        },
        Target::Open => {
            let survey = survey::whole(locked);
            begin_with(locked, survey.dead.or(survey.fullest_open()), Keep::Nothing)
        }
    }
}

/// Goes on with the drain that is under way, as far as one lock allows.
pub(crate) fn continue_freeing(locked: &Locked<'_>) -> Drained {
    drain::go_on(locked, ITEMS_AHEAD)
}

/// A piece of the work of freeing segments that are past their deadline as a whole.
pub(crate) fn reclaim_expired(locked: &Locked<'_>) -> Drained {
    if drain::under_way(locked).is_none() {
        survey::begin(locked);
        let Some(survey) = survey::go_on(locked, SURVEYED_AT_LEISURE) else { return Drained::Surveying };
        let Some(segment) = survey.dead else { return Drained::Nothing };
        drain::begin(locked, segment, Keep::Nothing);
    }
    drain::go_on(locked, RECLAIMED_AT_ONCE)
}

/// Finishes drains that a kill interrupted, and clears the notes. The notes do not say whether a drain was an eviction
/// or only gathered the rest of a hollow segment, so all live items are kept: a kill must not cost acknowledged writes.
pub(crate) fn after_kill(locked: &Locked<'_>) {
    drain::note_nothing(locked);
    // Bounded by the number of segments: another process could write such state words for ever.
    for _ in 0..locked.core.segments.active() {
        let Some(segment) = survey::whole(locked).draining else { return };
        drain::gather(locked, segment);
    }
}

fn begin_wasted(locked: &Locked<'_>) -> Drained {
    let Some(survey) = survey_for_room(locked) else { return Drained::Surveying };
    if survey.dead.is_some() {
        return begin_with(locked, survey.dead, Keep::Nothing);
    }
    if survey.hardly_alive().is_some() {
        return begin_with(locked, survey.hardly_alive(), Keep::All);
    }
    // No need to look again soon.
    locked.shard().eviction.dead_bytes.store(0, Ordering::Relaxed);
    Drained::Nothing
}

/// The segment was found without the lock, so it is judged again.
fn begin_dead(locked: &Locked<'_>, segment: SegmentId) -> Drained {
    let core = locked.core;
    let word = core.segments.state(segment);
    let keep = match word.kind() {
        _ if word.shard() != locked.index => None,
        Some(State::Draining) if !is_under_way(core, segment, word) => Some(Keep::All),
        Some(State::Open | State::Sealed) if is_dead(core, segment, word, locked.epoch, locked) => Some(Keep::Nothing),
        _ => None,
    };
    match keep {
        Some(keep) => begin_with(locked, Some(segment), keep),
        None if pieces::sweep_fills(locked) => Drained::Freed,
        None => Drained::Nothing,
    }
}

fn begin_worst(locked: &Locked<'_>) -> Drained {
    need_room(locked);
    let Some(survey) = survey_for_room(locked) else { return Drained::Surveying };
    if survey.dead.is_some() {
        return begin_with(locked, survey.dead, Keep::Nothing);
    }
    if pieces::sweep_fills(locked) {
        return Drained::Freed;
    }
    let Some((segment, keep)) = victim(locked, &survey) else { return Drained::Nothing };
    drain::begin(locked, segment, keep);
    if keep == Keep::Worthy {
        drain::keep_half(locked, segment);
    }
    Drained::UnderWay
}

/// The segment to drain next, and which items to keep.
fn victim(locked: &Locked<'_>, survey: &Survey) -> Option<(SegmentId, Keep)> {
    match locked.core.policy() {
        EvictionPolicy::All => survey.victim(),
        // Without a free segment only that helps which need not be moved.
        EvictionPolicy::Volatile if !allocate::has_spare(locked, 0) => {
            survey.oldest().map(|segment| (segment, Keep::Worthy))
        }
        EvictionPolicy::Volatile => survey.victim(),
        // It may have been changed since room was needed.
        EvictionPolicy::None => None,
    }
}

fn begin_with(locked: &Locked<'_>, segment: Option<SegmentId>, keep: Keep) -> Drained {
    let Some(segment) = segment else { return Drained::Nothing };
    drain::begin(locked, segment, keep);
    Drained::UnderWay
}

/// Continues the survey under way, or begins one, in pieces, so that the lock is not held for long. `Some`: it is
/// complete.
fn survey_for_room(locked: &Locked<'_>) -> Option<Survey> {
    survey::begin(locked);
    survey::go_on(locked, SURVEYED_AT_MOST as usize)
}

/// From here on segments are drained ahead of writes: for good in an arena at its limit. Else growing has failed just
/// now; a while later no segment is drained ahead, and the write that finds no room tries to grow again.
fn need_room(locked: &Locked<'_>) {
    let needed_until = &locked.shard().eviction.needed_until;
    if needed_until.load(Ordering::Relaxed) == Deadline::NEVER.second {
        return;
    }
    let until = match growth::is_at_limit(locked.core) {
        true => Deadline::NEVER,
        false => Deadline::after(Time::now(), GROWN_AGAIN),
    };
    needed_until.store(until.second, Ordering::Relaxed);
}

/// Whether free segments are so few that a living one must go soon.
fn is_short(locked: &Locked<'_>) -> bool {
    let needed_until = Deadline::of_second(locked.shard().eviction.needed_until.load(Ordering::Relaxed));
    !needed_until.is_past(Time::now()) && !allocate::has_spare(locked, locked.core.shards.len())
}

/// After a segment was opened, or a drain has ended: begins, in an arena that is full, a survey for one to drain that
/// will be needed. The writes that come do both bit by bit (`ahead`), and none of them waits for a whole survey or a
/// whole drain.
#[cold]
fn begin_ahead(locked: &Locked<'_>) {
    if is_short(locked) {
        let speed_up = if allocate::has_spare(locked, locked.core.shards.len() / 2) { 1 } else { SPEED_UP };
        locked.shard().survey.speed_up.store(speed_up, Ordering::Relaxed);
        survey::begin(locked);
    }
}

/// Clamped, since the arena may be damaged: no write does unbounded work.
fn speed_up(locked: &Locked<'_>) -> u64 {
    u64::from(locked.shard().survey.speed_up.load(Ordering::Relaxed).clamp(1, SPEED_UP))
}

/// Bytes that a drain passes for one write.
fn bytes_ahead(written: u64, speed_up: u64) -> u64 {
    let bytes = written * BYTES_AHEAD;
    bytes.max((bytes * speed_up).min(SPED_UP_AT_MOST))
}

#[cold]
fn go_on_ahead(locked: &Locked<'_>, written: u64) {
    if drain::is_surveying(locked) {
        return survey_ahead(locked, written);
    }
    let before = locked.shard().drain.at.load(Ordering::Relaxed);
    let passed = || u64::from(locked.shard().drain.at.load(Ordering::Relaxed).wrapping_sub(before));
    let bytes = bytes_ahead(written, speed_up(locked));
    for _ in 0..ITEMS_AHEAD / PIECE {
        match drain::go_on(locked, PIECE) {
            Drained::UnderWay if passed() < bytes => {}
            // The kept items may have taken a free segment too: one drain for each opened segment would not be enough.
            Drained::Freed => return begin_ahead(locked),
            _ => return,
        }
    }
}

/// A write of `written` bytes goes on with the survey that is under way.
fn survey_ahead(locked: &Locked<'_>, written: u64) {
    let pace = locked.core.segments.active() as u64 * SURVEYED_AHEAD * written / locked.core.segments.size();
    let segments = pace.clamp(SURVEYED_AT_ONCE * speed_up(locked), SURVEYED_AT_MOST);
    let Some(survey) = survey::go_on(locked, segments as usize) else { return };
    // Below its share a shard leaves its segments alone: the write that finds no room takes one of a richer
    // shard's.
    let is_poor = (survey.all + 1) * locked.core.shards.len() < survey.held;
    let dead = survey.dead.map(|segment| (segment, Keep::Nothing));
    let living = || if is_poor || !is_short(locked) { None } else { victim(locked, &survey) };
    if let Some((segment, keep)) = dead.or_else(living) {
        drain::begin(locked, segment, keep);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::{SegmentPool, StateWord};
    use crate::shard::{self, recover};
    use crate::{Arena, OpenOptions};

    fn free(locked: &Locked<'_>, target: Target) {
        assert_eq!(start_freeing(locked, target), Drained::UnderWay);
        assert_eq!(drain::go_on(locked, usize::MAX), Drained::Freed);
    }

    /// One store moved 172 KiB under one lock, in segments of 1 MiB.
    #[test]
    fn a_speed_up_adds_no_more_than_a_lock_allows() {
        for written in (0..=1 << 20).step_by(7).chain([16, 5 << 10, 8 << 10, 1 << 20]) {
            for speed_up in 1..=u64::from(SPEED_UP) {
                let bytes = bytes_ahead(written, speed_up);
                assert!(
                    bytes >= written * BYTES_AHEAD,
                    "{written} at {speed_up}: a segment would fill sooner than one is freed"
                );
                assert!(bytes == written * BYTES_AHEAD || bytes <= SPED_UP_AT_MOST, "{written} at {speed_up}: {bytes}");
                assert!(bytes <= written * BYTES_AHEAD * speed_up, "{written} at {speed_up}: {bytes}");
            }
        }
    }

    /// A kill while a hollow segment is gathered leaves the segment half moved. Recovery took that for an eviction and
    /// dropped unread items: acknowledged writes, in an arena with plenty of room.
    #[test]
    fn a_drain_that_a_kill_cut_short_keeps_what_is_alive() {
        let finishers: [fn(&Locked<'_>); 3] = [
            |locked| recover::recover(locked),
            |locked| after_kill(locked),
            |locked| {
                while let Some(segment) = survey::whole(locked).draining {
                    free(locked, Target::Dead(segment));
                }
            },
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
            assert!(survey::whole(&locked).draining.is_some());
            finish(&locked);
            assert!(survey::whole(&locked).draining.is_none());
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
            assert_eq!(start_freeing(&locked, Target::Hollow), Drained::Nothing);
        }
    }

    /// Writers gather the rest of hollow segments before they ask for more memory. If other shards took the last free
    /// segments meanwhile, items without room were dropped, in an arena that could still grow.
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
                StateWord::new(
                    allocate::next_generation(&locked),
                    State::LargeFill,
                    locked.index,
                    SegmentPool::Small,
                    0,
                ),
                &core.presence,
            )
            .is_some()
        {}
        assert_eq!(start_freeing(&locked, Target::Wasted), Drained::UnderWay);
        assert_eq!(drain::go_on(&locked, usize::MAX), Drained::Stays);
        drop(locked);
        assert_eq!(arena.get(b"left", now).expect("nothing had to go").value, b"over");
        assert_eq!(arena.stats().evicted, 0);
    }
}
