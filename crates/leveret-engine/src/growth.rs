//! An arena starts small and grows to its limit: data segments in steps of at most 16 MiB, the index by chunks. Both
//! happen under the file lock and never under a shard's, since allocating takes milliseconds. A kill in the middle
//! leaves allocated bytes that the next grower allocates again.
use crate::core::Core;
use crate::error::Error;
use crate::map::geometry::RegionId;
use crate::map::host::FileLock;
use crate::map::layout::BUCKET_SIZE;
use crate::patience::is_impatient;
use crate::segment::{SegmentId, State};
use crate::sync::{sleep_on, AtomicU32, Ordering};
use crate::time::Time;
use std::time::Duration;

const STEP_MAX: u64 = 16 << 20;
/// A thread that does not wait sleeps once for the file lock, as for a shard's.
const NAP: Duration = Duration::from_millis(2);
/// Until such threads have met the lock held for this long, they return `Busy`. Then they go on without growing, which
/// costs living items. Shorter than the second for which `leveret serve` tries again.
const HELD_MAX: Duration = Duration::from_millis(500);

/// Bytes allocated: metadata, index chunks and data segments that were not retired.
pub(crate) fn allocated(core: &Core) -> u64 {
    let chunks: u64 =
        (0..core.shards.len()).map(|shard| u64::from(core.shards.at(shard).chunks.load(Ordering::Relaxed))).sum();
    let retired = core.segments.count_state(State::Retired);
    let used = core.segments.active().saturating_sub(retired);
    core.map
        .geometry
        .metadata_len()
        .saturating_add(chunks.saturating_mul(core.map.geometry.chunk_len()))
        .saturating_add((used as u64) * core.segments.size())
}

/// Takes the file lock, unless another process has grown the arena meanwhile. A holder needs some milliseconds, far
/// more on a busy machine, and giving up would evict live items: so the wait is the same as for a shard's lock. After a
/// holder made no progress for the whole time-out, no thread of this process waits for it during the next second.
/// `Busy`: this thread must not wait, and its caller tries again.
fn lock_for_growth(core: &Core, has_grown: impl Fn() -> bool) -> Result<Option<FileLock>, Error> {
    let is_stuck = core.growth_stuck.lasts(Time::now());
    if is_impatient() {
        return lock_at_once(core, is_stuck, has_grown);
    }
    let patience = if is_stuck { Duration::ZERO } else { core.lock_timeout };
    let lock = core.map.host.lock_file(patience, &has_grown);
    if lock.is_none() && !is_stuck && !has_grown() {
        core.growth_stuck.begin(Time::now(), 1);
    }
    Ok(lock)
}

/// For a thread that does not wait.
fn lock_at_once(core: &Core, is_stuck: bool, has_grown: impl Fn() -> bool) -> Result<Option<FileLock>, Error> {
    let mut lock = core.map.host.lock_file_at_once();
    let is_held = |lock: &Result<FileLock, Error>| matches!(lock, Err(Error::Busy)) && !has_grown();
    if !is_stuck && is_held(&lock) {
        let held = core.growth_held.again();
        if held.is_zero() {
            sleep_on(&AtomicU32::new(0), 0, NAP);
            lock = core.map.host.lock_file_at_once();
        }
        if held < HELD_MAX && is_held(&lock) {
            return Err(Error::Busy);
        }
    }
    if lock.is_ok() {
        core.growth_held.end();
    }
    Ok(lock.ok())
}

/// Whether no further data segment can ever be had.
pub(crate) fn is_at_limit(core: &Core) -> bool {
    core.segments.active() >= core.segments.len()
        || allocated(core).saturating_add(core.segments.size()) > core.map.geometry.memory
}

/// Allocates more data segments. False: the arena has reached its limit; or it cannot grow just now, since the file
/// system has no room, the lock file is held or no descriptor is left. `Busy`: the lock file is held, and this thread does
/// not wait.
#[cold]
pub(crate) fn grow_data(core: &Core) -> Result<bool, Error> {
    let seen = core.segments.active();
    if is_at_limit(core) {
        return Ok(false);
    }
    let lock = lock_for_growth(core, || core.segments.active() > seen)?;
    let active = core.segments.active();
    if lock.is_none() || active > seen {
        return Ok(active > seen);
    }
    let room = core.map.geometry.memory.saturating_sub(allocated(core)) >> core.map.geometry.segment_shift;
    // Doubling: small arenas stay small, large ones grow in few steps.
    let step = (active as u64)
        .min(STEP_MAX >> core.map.geometry.segment_shift)
        .max(1)
        .min(room)
        .min((core.segments.len() - active) as u64);
    if step == 0 {
        return Ok(false);
    }
    let off = core.map.geometry.region(RegionId::Data).off + ((active as u64) << core.map.geometry.segment_shift);
    if !core.map.host.allocate(&[(off, step << core.map.geometry.segment_shift)]) {
        return Ok(false);
    }
    core.control().active_segments.store(active as u32 + step as u32, Ordering::Release);
    Ok(true)
}

/// Allocates more of a shard's index: a chunk, of a large index an eighth of what there is, since each growth takes the
/// file lock. False: no room within the limit, or on the file system. `Busy`: as above.
#[cold]
pub(crate) fn grow_index(core: &Core, shard: usize, seen: u32) -> Result<bool, Error> {
    let chunk = core.map.geometry.chunk_buckets;
    let most = (core.map.geometry.buckets_max / chunk).saturating_sub(seen);
    if most == 0 {
        return Ok(false);
    }
    let has_grown = || core.shards.at(shard).chunks.load(Ordering::Relaxed) != seen;
    let lock = lock_for_growth(core, has_grown)?;
    if lock.is_none() || has_grown() {
        return Ok(has_grown());
    }
    let room = core.map.geometry.memory.saturating_sub(allocated(core)) / core.map.geometry.chunk_len();
    let step = (seen / 8).clamp(1, most);
    for step in [step, 1] {
        if u64::from(step) <= room && allocate_chunks(core, shard, seen, step) {
            core.shards.at(shard).chunks.store(seen + step, Ordering::Release);
            return Ok(true);
        }
    }
    Ok(false)
}

/// Promises memory to chunks of a shard's index, from `first` on. False: the file system has no room.
fn allocate_chunks(core: &Core, shard: usize, first: u32, count: u32) -> bool {
    let geometry = &core.map.geometry;
    let chunk = u64::from(geometry.chunk_buckets);
    let (first, count) = (u64::from(first) * chunk, u64::from(count) * chunk);
    let main = shard as u64 * u64::from(geometry.buckets_max) + first;
    let overflow = shard as u64 * u64::from(geometry.overflow_max()) + first / 2;
    let part = |id, at, len| (geometry.region(id).off + at * BUCKET_SIZE, len * BUCKET_SIZE);
    core.map.host.allocate(&[part(RegionId::Index, main, count), part(RegionId::Overflow, overflow, count / 2)])
}

/// Gives the memory of a retired segment back to the file system.
pub(crate) fn punch(core: &Core, segment: SegmentId) {
    let off = core.map.geometry.region(RegionId::Data).off + core.segments.start(segment);
    core.map.host.give_back(off, core.segments.size());
}

#[cfg(all(test, not(model)))]
mod tests {
    use super::*;
    use crate::{Arena, Deadline, OpenOptions};
    use std::path::Path;
    use std::time::Instant;

    const ITEMS: u32 = 300;
    const SIZE: usize = 16 << 10;

    fn open(path: &Path, lock_timeout: Duration) -> Arena {
        let options = OpenOptions::new().memory(64 << 20).cores(1).lock_timeout(lock_timeout);
        Arena::open(path, &options).expect("an arena").0
    }

    fn key(number: u32) -> [u8; 4] {
        number.to_ne_bytes()
    }

    /// Stores far more than a new arena has room for before it grows.
    fn fill(arena: &Arena) {
        for number in 0..ITEMS {
            arena
                .set(&key(number), &[number as u8; SIZE], Deadline::NEVER, Time::now())
                .expect("room, made one way or the other");
        }
    }

    /// Writers once gave up waiting after 50 ms, and dropped living items of an arena that was nearly empty.
    #[test]
    fn a_holder_of_the_file_lock_that_is_slow_costs_no_item() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let arena = open(&dir.path().join("slow.arena"), Duration::from_secs(3600));
        let lock = FileLock::wait(arena.path(), Duration::ZERO).expect("free");
        std::thread::scope(|scope| {
            scope.spawn(|| fill(&arena));
            std::thread::sleep(Duration::from_millis(300));
            drop(lock);
        });
        assert_eq!(arena.stats().evicted, 0);
        let is_there = |number: &u32| {
            arena.get(&key(*number), Time::now()).is_some_and(|found| found.value == [*number as u8; SIZE])
        };
        assert_eq!((0..ITEMS).filter(is_there).count(), ITEMS as usize);
    }

    #[test]
    fn a_holder_of_the_file_lock_that_does_not_go_on_stops_no_writer() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let arena = open(&dir.path().join("stopped.arena"), Duration::from_millis(20));
        let _lock = FileLock::wait(arena.path(), Duration::ZERO).expect("free");
        fill(&arena);
        assert!(arena.stats().evicted > 0, "it cannot have grown");
        assert!(arena.get(&key(ITEMS - 1), Time::now()).is_some());
        assert!(arena.verify().is_clean());
    }

    /// The event loop of a server waited for the holder for the whole timeout, with all its clients.
    #[test]
    fn a_thread_that_does_not_wait_is_kept_by_no_holder_of_the_file_lock() {
        const LOOSE: Duration = Duration::from_millis(300);
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let arena = open(&dir.path().join("loop.arena"), Duration::from_secs(3600));
        let lock = FileLock::wait(arena.path(), Duration::ZERO).expect("free");
        let store = |number: u32, len: usize| {
            let begun = Instant::now();
            let stored = arena.set(&key(number), &vec![number as u8; len], Deadline::NEVER, Time::now());
            assert!(begun.elapsed() < LOOSE, "a store took {:?}", begun.elapsed());
            stored
        };
        std::thread::scope(|scope| {
            let stored = scope.spawn(|| {
                crate::never_wait();
                let mut busy_since = None;
                let mut longest = Duration::ZERO;
                for number in 0..ITEMS {
                    while store(number, SIZE).map_err(|error| assert_eq!(error, Error::Busy)).is_err() {
                        // Before living items go the holder has time.
                        assert_eq!(arena.stats().evicted, 0);
                        longest = busy_since.get_or_insert_with(Instant::now).elapsed();
                        std::thread::sleep(Duration::from_millis(1));
                    }
                }
                assert!(longest > HELD_MAX / 2 && longest < 10 * HELD_MAX, "busy for {longest:?}");
                assert!(arena.stats().evicted > 0, "it cannot have grown");
                // A large value asks for segments by another way.
                store(0, 300_000).expect("room is made");
                drop(lock);
                let seen = arena.core.segments.active();
                let until = Instant::now() + Duration::from_secs(60);
                while arena.core.segments.active() == seen {
                    assert!(Instant::now() < until, "{seen} segments, and no more");
                    (0..ITEMS).for_each(|number| assert!(store(number, SIZE).is_ok()));
                }
            });
            stored.join().expect("no panic");
        });
        assert!(arena.verify().is_clean());
    }

    /// One growth that failed ended growing for good, for every process: segments were drained ahead from then on, and no
    /// write ever found none.
    #[test]
    fn an_arena_that_could_not_grow_for_a_while_grows_later() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let arena = open(&dir.path().join("later.arena"), Duration::from_millis(20));
        let lock = FileLock::wait(arena.path(), Duration::ZERO).expect("free");
        fill(&arena);
        assert!(arena.stats().evicted > 0, "it cannot have grown");
        drop(lock);
        let seen = arena.core.segments.active();
        let begun = Instant::now();
        while arena.core.segments.active() == seen {
            assert!(begun.elapsed() < Duration::from_secs(60), "{seen} segments, and no more");
            fill(&arena);
            std::thread::sleep(Duration::from_millis(100));
        }
        // From now on it has room for all.
        fill(&arena);
        let is_there = |number: u32| arena.get(&key(number), Time::now()).is_some();
        assert_eq!((0..ITEMS).filter(|number| is_there(*number)).count(), ITEMS as usize);
    }
}
