//! Values above a segment: whole segments filled without a lock, and an item that lists them and holds the rest.
//!
//! A segment being filled names its filler. It is taken and named under the lock of its shard: so a free segment has no
//! name, and a segment being filled without a name, or by an exited process, is the trace of a kill. Recovery, and any
//! process that runs out of memory, frees pieces that no living process fills and no item lists.
use crate::arena::Arena;
use crate::core::Core;
use crate::error::Error;
use crate::growth;
use crate::make_room::Search;
use crate::patience::is_impatient;
use crate::segment::{Extent, SegmentId, State};
use crate::shard;
use crate::shard::allocate;
use crate::shard::pieces::{self, Pieces};
use crate::shard::standstill::work_of_fills;
use crate::time::Time;

/// A fill waits while other fills hold or have reserved this share of the segments: a quarter. A burst of large values
/// must not empty the cache.
const FILL_SHARE: usize = 4;
/// The share at which it is refused, a half, however long others hold it: all fills under way find room for their promises in the rest,
/// so none waits for another one, and the commit of each finds room for an item.
const FILL_MOST: usize = 2;

/// A large value on its way: segments that belong to this process until the commit.
pub(crate) struct Fill {
    arena: Arena,
    shard: usize,
    /// Bytes of the value that lie in whole segments; the last one may stay partly empty.
    len: usize,
    pieces: Pieces,
}

impl Fill {
    pub fn extents(&self) -> &[Extent] {
        self.pieces.extents()
    }

    /// The pieces for the commit.
    pub fn pieces(&self) -> &Pieces {
        &self.pieces
    }

    /// Bytes of the value that belong into the segments.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Where the bytes behind the first `skip` belong.
    pub fn places_from(&self, skip: usize) -> impl Iterator<Item = (u64, usize)> + '_ {
        let size = self.arena.core.segments.size() as usize;
        self.extents().iter().enumerate().skip(skip / size).map(move |(index, extent)| {
            let begin = skip.max(index * size);
            let at = self.arena.core.segments.start(SegmentId(extent.segment)) + (begin - index * size) as u64;
            (at, ((index + 1) * size).min(self.len) - begin)
        })
    }

    /// Copies bytes to their place behind the first `skip`; says how many there was room for.
    pub fn write(&self, skip: usize, bytes: &[u8]) -> usize {
        let mut rest = bytes;
        for (at, len) in self.places_from(skip) {
            let (here, later) = rest.split_at(len.min(rest.len()));
            self.arena.core.items.data.copy_in(at, here);
            rest = later;
        }
        bytes.len() - rest.len()
    }
}

impl Drop for Fill {
    /// Frees the pieces that were not committed.
    fn drop(&mut self) {
        if self.pieces.are_handed_over() {
            return;
        }
        // After a kill here, the next owner of the lock frees the rest. Without the lock only that help would be
        // missing: no other process touches pieces that a living one fills.
        let core = &*self.arena.core;
        let _locked = shard::try_lock(core, self.shard, Time::now());
        self.pieces.give_back(core);
    }
}

impl Arena {
    /// Takes segments for `len` bytes of a value.
    pub(crate) fn begin_fill(&self, hash: u64, len: usize, now: Time) -> Result<Fill, Error> {
        let core = &*self.core;
        let shard = core.hasher.shard_of(hash);
        let needed = len.div_ceil(core.segments.size() as usize);
        let mut fill = Fill { arena: self.clone(), shard, len, pieces: Pieces::default() };
        let take = |fill: &mut Fill, needed_now, search: &mut Search<'_>| loop {
            pieces::take(&shard::lock(core, shard, now)?, hash, &mut fill.pieces, needed)?;
            if fill.extents().len() >= needed_now {
                return Ok(());
            }
            search.make_room()?;
        };
        let mut waiting = Search::new(core, shard, now, 1).for_work(work_of_fills);
        loop {
            let share = admit(core, needed, now, &mut waiting)?;
            take(&mut fill, 1, &mut Search::new(core, shard, now, 1))?;
            // Other fills may have begun at the same moment. The last one to reserve sees the reservations of all.
            if promised(core).saturating_sub(needed) * share < usable(core) {
                break;
            }
            fill.pieces.give_back(core);
            fill.pieces = Pieces::default();
            waiting.wait()?;
        }
        take(&mut fill, needed, &mut Search::new(core, shard, now, needed))?;
        fill.places_from(0).for_each(|(at, len)| core.touched.touch(&core.items.data, at, len as u64));
        Ok(fill)
    }
}

/// Waits until the fills under way leave enough for one of `needed` segments. Returns the share that they may have.
fn admit(core: &Core, needed: usize, now: Time, waiting: &mut Search<'_>) -> Result<usize, Error> {
    // An event loop must not wait, and after one time-out later fills need not wait again.
    let mut is_late = is_impatient() || core.fills_stuck.lasts(now);
    loop {
        let (held, usable) = (promised(core), usable(core));
        let share = if is_late { FILL_MOST } else { FILL_SHARE };
        if held * share < usable && held + needed + allocate::RESERVE < usable {
            return Ok(share);
        }
        if growth::grow_data(core)? {
            continue;
        }
        // All allocated memory would not suffice, so evicting is useless.
        if held == 0 {
            return Err(waiting.refuse(Error::NoMemory));
        }
        sweep_fills(core, now);
        if is_late {
            return Err(waiting.refuse(Error::Busy));
        }
        if waiting.is_over() {
            core.fills_stuck.begin(Time::now(), 1);
            is_late = true;
        } else {
            waiting.wait()?;
        }
    }
}

/// Segments that fills under way hold or will hold.
fn promised(core: &Core) -> usize {
    let fills = core.segments.all().filter(|segment| core.segments.state(*segment).kind() == Some(State::LargeFill));
    let (held, promised) = fills.fold((0, 0usize), |(held, promised), segment| {
        let more = (core.segments.header(segment).promised() as usize).min(core.segments.within_limit());
        (held + 1, promised.saturating_add(more))
    });
    held.max(promised)
}

/// Segments that can hold values.
fn usable(core: &Core) -> usize {
    core.segments.active().saturating_sub(core.segments.count_state(State::Retired))
}

/// Frees the pieces of fills whose process is dead, in every shard whose lock is free.
pub(crate) fn sweep_fills(core: &Core, now: Time) {
    // Dead owners are detected before a lock is taken.
    let (mut left, mut living) = (false, 0);
    for segment in core.segments.all().filter(|segment| core.segments.state(*segment).kind() == Some(State::LargeFill))
    {
        left |= core.segments.is_left_by_filler(segment, &mut living, &core.presence);
    }
    if !left {
        return;
    }
    for shard in 0..core.shards.len() {
        if let Some(locked) = shard::try_lock(core, shard, now) {
            pieces::sweep_fills(&locked);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::Ordering;
    use crate::{Deadline, OpenOptions};

    fn scratch() -> (Arena, tempfile::TempDir) {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let options = OpenOptions::new().memory(8 << 20).cores(2);
        (Arena::open(&dir.path().join("large.arena"), &options).expect("an arena").0, dir)
    }

    /// A storm of kills and stops once left a piece in two values. A writer was stopped between its commit and the end
    /// of its fill; meanwhile its value was deleted and the segment taken by a fill of another shard, under the same
    /// generation, which each shard counts for itself. The late end took that for its own piece and freed it under the
    /// filler.
    #[test]
    fn a_fill_that_ends_late_leaves_the_next_use_of_its_segments_alone() {
        let (arena, _dir) = scratch();
        let core = &*arena.core;
        let hash = core.hasher.hash(b"key");
        let (first, second) = (core.hasher.shard_of(hash), (core.hasher.shard_of(hash) + 1) % core.shards.len());
        let fill = arena.begin_fill(hash, 1000, Time::now()).expect("room");
        let taken = fill.extents()[0];
        let locked = shard::lock(core, first, Time::now()).expect("free");
        fill.pieces().hand_over(&locked);
        core.segments.set_free(SegmentId(taken.segment));
        drop(locked);
        core.shards.at(second).given.generation.store(u64::from(taken.generation) - 1, Ordering::Relaxed);
        let next = pieces::take_piece(&shard::lock(core, second, Time::now()).expect("free"))
            .expect("registered")
            .expect("room");
        assert_eq!(
            (next.0 .0, next.1.generation() as u32),
            (taken.segment, taken.generation),
            "the same segment and generation"
        );
        drop(fill);
        assert_eq!(core.segments.state(next.0), next.1);
        core.segments.end_fill(next.0, next.1);
    }

    /// A store refused because others hold the memory does not make the old value stale: only a value that the arena
    /// can never take does.
    #[test]
    fn a_store_that_others_keep_waiting_leaves_the_old_value() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let options = OpenOptions::new().memory(8 << 20).cores(2).lock_timeout(std::time::Duration::from_millis(50));
        let (arena, _) = Arena::open(&dir.path().join("large.arena"), &options).expect("an arena");
        let now = Time::now();
        arena.set(b"small", b"old", Deadline::NEVER, now).expect("room");
        let max = arena.value_max();
        let held: Vec<Fill> = (0..16u64).map_while(|hash| arena.begin_fill(hash << 40, max, now).ok()).collect();
        assert!((4..8).contains(&held.len()), "{} of the largest values at once", held.len());
        let large = vec![1; max];
        assert_eq!(arena.set(b"small", &large, Deadline::NEVER, now), Err(Error::Busy));
        assert_eq!(arena.get(b"small", now).expect("nothing has changed").value, b"old");
        arena.set(b"other", b"small values find room", Deadline::NEVER, now).expect("room");
        let stats = arena.stats();
        assert_eq!((stats.refused_no_memory, stats.refused_busy), (0, 2));
        drop(held);
        arena.set(b"small", &large, Deadline::NEVER, now).expect("room");
        assert!(arena.set(b"small", &[large, vec![1]].concat(), Deadline::NEVER, now).is_err());
        assert_eq!(arena.get(b"small", now), None, "as memcached forgets it");
    }

    /// A value too large even for an empty arena that cannot grow evicts nothing.
    #[test]
    fn a_value_beyond_what_is_allocated_evicts_nothing() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let options = OpenOptions::new().memory(64 << 20).cores(2);
        let (arena, _) = Arena::open(&dir.path().join("large.arena"), &options).expect("an arena");
        let now = Time::now();
        (0..200u32).for_each(|key| arena.set(&key.to_ne_bytes(), &[1; 4000], Deadline::NEVER, now).expect("room"));
        // Without its file it can no longer grow.
        std::fs::remove_file(arena.path()).expect("removed");
        let allocated = arena.core.segments.active() * arena.core.segments.size() as usize;
        assert!(allocated < arena.value_max());
        let refused = arena.set(b"large", &vec![1; arena.value_max()], Deadline::NEVER, now);
        assert_eq!((refused, arena.stats().evicted, arena.stats().items), (Err(Error::NoMemory), 0, 200));
        arena.set(b"large", &vec![1; allocated / 2], Deadline::NEVER, now).expect("room");
    }

    #[test]
    fn threads_of_one_process_do_not_take_each_others_pieces_for_abandoned() {
        const THREADS: u8 = 8;
        let (arena, _dir) = scratch();
        let now = Time::now();
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let arena = &arena;
                scope.spawn(move || {
                    for round in 0..100u8 {
                        let value = vec![thread ^ round << 3; 300_000 + usize::from(round) * 4001];
                        arena.set(&[thread % 4], &value, Deadline::NEVER, now).expect("room");
                        for key in 0..4 {
                            let Some(item) = arena.get(&[key], now) else { continue };
                            assert!(item.value.iter().all(|byte| *byte == item.value[0]), "two values in one");
                        }
                    }
                });
            }
        });
        assert!(arena.verify().is_clean(), "{:?}", arena.verify());
        assert_eq!(arena.core.segments.count_state(State::LargeFill), 0);
    }
}
