//! Values above a segment: whole segments filled without any lock, and the rest in an item that lists them.
//!
//! A segment being filled names its filler. It is taken and named under the lock of its shard, as it is freed: so a
//! free segment has no name, and one that is being filled without a name, or by the dead, is the trace of a kill.
//! Pieces that no living process fills and no item lists are freed by recovery and by whoever runs out of memory.
use crate::arena::Arena;
use crate::core::Core;
use crate::error::Error;
use crate::make_room;
use crate::segment::{Extent, SegmentId, State, StateWord};
use crate::shard;
use crate::shard::pieces::{self, Pieces};
use crate::sync::rest;
use crate::time::Time;

/// Pieces that all fills together may hold, as a share of the segments: a quarter. Without it, fills that wait for each
/// other could hold everything and none would finish.
const FILL_SHARE: usize = 4;
/// Rounds of making room for one piece.
const ROUNDS: usize = 64;

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

    /// What is handed over with the commit.
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
    /// Whatever was not handed over is free again.
    fn drop(&mut self) {
        if self.pieces.are_handed_over() {
            return;
        }
        // Killed here, whoever takes the lock next frees the rest. Without the lock only that help would be missing: no
        // other process touches pieces that a living one fills.
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
        let pieces = len.div_ceil(core.segments.size() as usize);
        let mut fill = Fill { arena: self.clone(), shard, len, pieces: Pieces::default() };
        for _ in 0..pieces {
            let (segment, word) = take_piece(core, shard, now)?;
            fill.pieces.add(segment, word);
            core.segments.header(segment).set_key_hash(hash);
        }
        fill.places_from(0).for_each(|(at, len)| core.touched.touch(&core.items.data, at, len as u64));
        Ok(fill)
    }
}

fn take_piece(core: &Core, shard: usize, now: Time) -> Result<(SegmentId, StateWord), Error> {
    for round in 0..ROUNDS {
        if core.segments.count_state(State::LargeFill) * FILL_SHARE
            < core.segments.active().max(core.segments.len() / 2)
        {
            if let Some(taken) = pieces::take_piece(&shard::lock(core, shard, now)?)? {
                return Ok(taken);
            }
            if !make_room::make_room(core, shard, now)? {
                break;
            }
        } else if round > 0 {
            // The other fills are alive; they end sooner or later.
            rest();
        }
        if round == 0 {
            sweep_fills(core, now);
        }
    }
    Err(Error::NoMemory)
}

/// Frees the pieces of fills whose process is dead, in every shard whose lock is to be had at once.
pub(crate) fn sweep_fills(core: &Core, now: Time) {
    // Who is dead is found out before a lock is taken.
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
                        // In so small an arena others may hold all that fills may have.
                        let _ = arena.set(&[thread % 4], &value, Deadline::NEVER, now);
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
