//! Values above a segment: whole segments filled without any lock, and the rest in an item that lists them.
//!
//! A segment being filled names its filler. It is taken and named under the lock of its shard, as it is freed: so a
//! free segment has no name, and one that is being filled without a name, or by the dead, is the trace of a kill.
//! Pieces that no living process fills and no item lists are freed by recovery and by whoever runs out of memory.
use crate::arena::Arena;
use crate::core::Core;
use crate::error::Error;
use crate::hash;
use crate::item::{Extent, Kind, View};
use crate::lock::Locked;
use crate::segment::{Pool, SegmentId, State, StateWord};
use crate::sync::{rest, Ordering};
use crate::time::Time;
use std::cell::Cell;

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
    extents: Vec<Extent>,
    /// The state words under which the segments were taken, whole: other shards give out the same generations.
    words: Vec<StateWord>,
    handed_over: Cell<bool>,
}

impl Fill {
    pub fn extents(&self) -> &[Extent] {
        &self.extents
    }

    /// Bytes of the value that belong into the segments.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Where the bytes behind the first `skip` belong.
    pub fn places_from(&self, skip: usize) -> impl Iterator<Item = (u64, usize)> + '_ {
        let size = self.arena.core.map.geometry.segment_size() as usize;
        self.extents.iter().enumerate().skip(skip / size).map(move |(index, extent)| {
            let begin = skip.max(index * size);
            let at = self.arena.core.start(SegmentId(extent.segment)) + (begin - index * size) as u64;
            (at, ((index + 1) * size).min(self.len) - begin)
        })
    }

    /// Copies bytes to their place behind the first `skip`; says how many there was room for.
    pub fn write(&self, skip: usize, bytes: &[u8]) -> usize {
        let mut rest = bytes;
        for (at, len) in self.places_from(skip) {
            let (here, later) = rest.split_at(len.min(rest.len()));
            self.arena.core.data.copy_in(at, here);
            rest = later;
        }
        bytes.len() - rest.len()
    }

    /// Makes the pieces part of the arena. The commit of the item that lists them follows at once, under the same lock.
    pub fn hand_over(&self, locked: &Locked<'_>) {
        for (extent, word) in self.extents.iter().zip(&self.words) {
            let segment = SegmentId(extent.segment);
            // Only a damaged file has another word there; then the piece is not ours, and readers of the value will see
            // that.
            if locked.core.change_state(segment, *word, word.with(State::Large)) {
                locked.core.header(segment).filler.store(0, Ordering::Release);
            }
        }
        self.handed_over.set(true);
    }
}

impl Drop for Fill {
    /// Whatever was not handed over is free again.
    fn drop(&mut self) {
        if self.handed_over.get() {
            return;
        }
        // Killed here, whoever takes the lock next frees the rest. Without the lock only that help would be missing: no
        // other process touches pieces that a living one fills.
        let core = &*self.arena.core;
        let _locked = core.try_lock(self.shard, Time::now());
        for (extent, word) in self.extents.iter().zip(&self.words) {
            core.end_fill(SegmentId(extent.segment), *word);
        }
    }
}

/// How a large value is divided: bytes in pieces, and in the tail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Division {
    pub pieces: usize,
    segment_size: u64,
    /// Bytes in the pieces together.
    pub piece_bytes: u64,
    pub tail: u64,
}

impl Division {
    /// The division that an item claims, unless its numbers contradict each other.
    pub fn new(total: u64, pieces: usize, tail: u64, segment_size: u64) -> Option<Division> {
        let piece_bytes = total.checked_sub(tail)?;
        let fits = pieces > 0 && piece_bytes.div_ceil(segment_size) == pieces as u64;
        fits.then_some(Division { pieces, segment_size, piece_bytes, tail })
    }

    /// Bytes of the whole value.
    pub fn total(&self) -> u64 {
        self.piece_bytes + self.tail
    }

    /// Where piece `index` begins in the value, and how long it is.
    pub fn piece(&self, index: usize) -> (u64, u64) {
        let begin = index as u64 * self.segment_size;
        (begin, self.segment_size.min(self.piece_bytes - begin))
    }
}

impl Arena {
    /// Takes segments for `len` bytes of a value.
    pub(crate) fn begin_fill(&self, hash: u64, len: usize, now: Time) -> Result<Fill, Error> {
        let core = &*self.core;
        let shard = core.shard_of(hash);
        let pieces = len.div_ceil(core.map.geometry.segment_size() as usize);
        let (extents, words) = (Vec::with_capacity(pieces), Vec::with_capacity(pieces));
        let mut fill = Fill { arena: self.clone(), shard, len, extents, words, handed_over: Cell::new(false) };
        for _ in 0..pieces {
            let (segment, word) = core.take_piece(shard, now)?;
            fill.extents.push(Extent { segment: segment.0, generation: word.generation() as u32 });
            fill.words.push(word);
            core.header(segment).key_hash.store(hash, Ordering::Relaxed);
        }
        fill.places_from(0).for_each(|(at, len)| core.touched.touch(&core.data, at, len as u64));
        Ok(fill)
    }
}

impl Core {
    fn take_piece(&self, shard: usize, now: Time) -> Result<(SegmentId, StateWord), Error> {
        for round in 0..ROUNDS {
            if self.count_state(State::LargeFill) * FILL_SHARE < self.active_segments().max(self.states.len() / 2) {
                if let Some(taken) = self.lock(shard, now)?.take_piece()? {
                    return Ok(taken);
                }
                if !self.make_room(shard, now)? {
                    break;
                }
            } else if round > 0 {
                // The other fills are alive; they end sooner or later.
                rest();
            }
            if round == 0 {
                self.sweep_fills(now);
            }
        }
        Err(Error::NoMemory)
    }

    fn end_fill(&self, segment: SegmentId, word: StateWord) {
        self.header(segment).filler.store(0, Ordering::Release);
        if self.change_state(segment, word, word.with(State::Free)) {
            self.set_used(segment, false);
        }
    }

    /// Whether nobody fills a segment any more. `living`: the last filler that was found to live, since the pieces of a
    /// value have the same.
    pub fn is_left_by_filler(&self, segment: SegmentId, living: &mut u64) -> bool {
        let name = self.header(segment).filler.load(Ordering::Acquire);
        if name != 0 && (name == *living || !self.presence.is_dead(name)) {
            *living = name;
            return false;
        }
        true
    }

    /// Whether a segment still is this piece of a large value.
    pub fn is_extent(&self, extent: Extent, shard: usize) -> bool {
        self.word_of(extent, shard).is_some()
    }

    /// The state word of a piece of a large value, if it still is one, of a value under a key with this hash. The hash
    /// besides the generation: a damaged counter may have given one out twice.
    pub fn piece(&self, extent: Extent, shard: usize, hash: u64) -> Option<StateWord> {
        self.word_of(extent, shard)
            .filter(|_| self.header(SegmentId(extent.segment)).key_hash.load(Ordering::Relaxed) == hash)
    }

    fn word_of(&self, extent: Extent, shard: usize) -> Option<StateWord> {
        if extent.segment as usize >= self.states.len() {
            return None;
        }
        let word = self.state(SegmentId(extent.segment));
        let is_it =
            word.kind() == Some(State::Large) && word.shard() == shard && word.generation() as u32 == extent.generation;
        is_it.then_some(word)
    }

    /// Frees the pieces of fills whose process is dead, in every shard whose lock is to be had at once.
    fn sweep_fills(&self, now: Time) {
        // Who is dead is found out before a lock is taken.
        let (mut left, mut living) = (false, 0);
        for segment in self.segments().filter(|segment| self.state(*segment).kind() == Some(State::LargeFill)) {
            left |= self.is_left_by_filler(segment, &mut living);
        }
        if !left {
            return;
        }
        for shard in 0..self.shards.len() {
            if let Some(locked) = self.try_lock(shard, now) {
                locked.sweep_fills();
            }
        }
    }
}

impl Locked<'_> {
    /// A segment of this shard with our name on it. Under the lock, so that a segment being filled without a name is
    /// always the trace of a kill.
    fn take_piece(&self) -> Result<Option<(SegmentId, StateWord)>, Error> {
        let owner = self.core.presence.owner()?;
        let word = StateWord::new(self.next_generation(), State::LargeFill, self.index, Pool::Small, 0);
        Ok(self.core.take_free(word).map(|segment| {
            self.core.header(segment).filler.store(owner, Ordering::Release);
            (segment, word)
        }))
    }

    /// Frees the pieces of this shard's fills whose process is known to be dead. True: there were some.
    pub fn sweep_fills(&self) -> bool {
        let mut freed = false;
        for segment in self.core.segments() {
            let word = self.core.state(segment);
            if word.kind() != Some(State::LargeFill) || word.shard() != self.index {
                continue;
            }
            let name = self.core.header(segment).filler.load(Ordering::Acquire);
            if name != 0 && !self.core.presence.is_known_dead(name) {
                continue;
            }
            // Both only if nobody was quicker: without the lock a living filler may just be letting go.
            let _ = self.core.header(segment).filler.compare_exchange(name, 0, Ordering::AcqRel, Ordering::Relaxed);
            if self.core.change_state(segment, word, word.with(State::Free)) {
                self.core.set_used(segment, false);
                freed = true;
            }
        }
        freed
    }

    /// Frees the pieces of a large value that no slot reaches any more.
    pub fn free_extents(&self, view: &View) {
        for index in 0..view.pieces() {
            let extent = self.core.extent_of(view, index);
            if self.core.is_extent(extent, self.index) {
                self.core.set_free(SegmentId(extent.segment));
            }
        }
    }

    /// Frees pieces of this shard that no item lists: the traces of kills between filling, committing and freeing.
    pub fn free_orphans(&self) {
        for segment in self.core.segments() {
            let word = self.core.state(segment);
            if word.kind() == Some(State::Large) && word.shard() == self.index && !self.is_listed(segment, word) {
                self.core.set_free(segment);
            }
        }
    }

    /// Whether a live item lists this piece.
    pub fn is_listed(&self, segment: SegmentId, word: StateWord) -> bool {
        let key_hash = self.core.header(segment).key_hash.load(Ordering::Relaxed);
        let piece = Extent { segment: segment.0, generation: word.generation() as u32 };
        self.core.spots(self.index, self.bucket_of(key_hash)).filter(|spot| spot.word.tag() == hash::tag(key_hash)).any(
            |spot| {
                let Some(view) = self.core.item_behind(self.index, spot.word) else { return false };
                view.kind == Kind::Large && (0..view.pieces()).any(|index| self.core.extent_of(&view, index) == piece)
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Deadline, OpenOptions};

    fn scratch() -> (Arena, tempfile::TempDir) {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let options = OpenOptions { memory: 8 << 20, cores: 2, ..OpenOptions::default() };
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
        let hash = core.hash(b"key");
        let (first, second) = (core.shard_of(hash), (core.shard_of(hash) + 1) % core.shards.len());
        let fill = arena.begin_fill(hash, 1000, Time::now()).expect("room");
        let taken = fill.extents[0];
        let locked = core.lock(first, Time::now()).expect("free");
        fill.hand_over(&locked);
        core.set_free(SegmentId(taken.segment));
        drop(locked);
        core.shards.at(second).generation.store(u64::from(taken.generation) - 1, Ordering::Relaxed);
        let next = core.lock(second, Time::now()).expect("free").take_piece().expect("registered").expect("room");
        assert_eq!(
            (next.0 .0, next.1.generation() as u32),
            (taken.segment, taken.generation),
            "the same segment and generation"
        );
        drop(fill);
        assert_eq!(core.state(next.0), next.1);
        core.end_fill(next.0, next.1);
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
        assert_eq!(arena.core.count_state(State::LargeFill), 0);
    }
}
