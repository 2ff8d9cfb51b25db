//! Values above a segment: whole segments filled without any lock, and the rest in an item that lists them.
//!
//! A segment being filled names its filler. Pieces that no living process fills and no item lists are freed by recovery and
//! by whoever runs out of memory.
use crate::arena::process::OWNER;
use crate::arena::Core;
use crate::error::Error;
use crate::hash;
use crate::item::{Extent, Kind, View};
use crate::lock::Locked;
use crate::segment::{Pool, SegmentId, State, StateWord};
use crate::sync::Ordering;
use crate::time::Time;

/// Pieces that all fills together may hold, as a share of the segments: a quarter. Without it, fills that wait for each other
/// could hold everything and none would finish.
const FILL_SHARE: usize = 4;
/// Rounds of making room for one piece.
const ROUNDS: usize = 64;

/// A large value on its way: filled segments that belong to this process until the commit.
pub(crate) struct Fill<'a> {
    core: &'a Core,
    extents: Vec<Extent>,
}

impl Fill<'_> {
    pub fn extents(&self) -> &[Extent] {
        &self.extents
    }

    /// Makes the pieces part of the arena. The commit of the item that lists them follows at once, under the same lock.
    pub fn hand_over(&self, locked: &Locked<'_>) {
        for extent in &self.extents {
            let segment = SegmentId(extent.segment);
            locked.core.set_state(segment, locked.core.state(segment).with(State::Large));
            locked.core.header(segment).filler.store(0, Ordering::Release);
        }
    }
}

impl Drop for Fill<'_> {
    /// Whatever was not handed over is free again.
    fn drop(&mut self) {
        for extent in &self.extents {
            let segment = SegmentId(extent.segment);
            let word = self.core.state(segment);
            if word.kind() == Some(State::LargeFill) && word.generation() as u32 == extent.generation {
                self.core.end_fill(segment, word);
            }
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

impl Core {
    /// Fills segments with `bytes`; the last one may stay partly empty.
    pub fn fill(&self, hash: u64, bytes: &[u8], now: Time) -> Result<Fill<'_>, Error> {
        let shard = self.shard_of(hash);
        let owner = self.owner()?;
        let mut fill = Fill { core: self, extents: Vec::with_capacity(bytes.len().div_ceil(self.geometry.segment_size() as usize)) };
        for piece in bytes.chunks(self.geometry.segment_size() as usize) {
            let (segment, generation) = self.take_piece(shard, owner, now)?;
            self.header(segment).key_hash.store(hash, Ordering::Relaxed);
            self.touch_pages(self.start(segment), piece.len() as u64);
            self.data.copy_in(self.start(segment), piece);
            fill.extents.push(Extent { segment: segment.0, generation: generation as u32 });
        }
        Ok(fill)
    }

    fn take_piece(&self, shard: usize, owner: u64, now: Time) -> Result<(SegmentId, u64), Error> {
        let mut swept = false;
        for _ in 0..ROUNDS {
            if self.count_state(State::LargeFill) * FILL_SHARE < self.active_segments().max(self.states.len() / 2) {
                let generation = self.shards.at(shard).generation.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
                if let Some(segment) = self.take_free(StateWord::new(generation, State::LargeFill, shard, Pool::Small, 0)) {
                    if self.claim(segment, owner) {
                        return Ok((segment, generation));
                    }
                    // Somebody who found it without a filler has taken it to free it.
                    continue;
                }
                if !self.make_room(shard, now)? {
                    break;
                }
            } else if swept {
                // The other fills are alive; they end sooner or later.
                std::thread::yield_now();
            }
            if !swept {
                self.sweep_fills(owner);
                swept = true;
            }
        }
        Err(Error::NoMemory)
    }

    fn count_state(&self, kind: State) -> usize {
        (0..self.active_segments()).filter(|segment| self.state(SegmentId(*segment as u32)).kind() == Some(kind)).count()
    }

    /// Writes our name on a segment that nobody living fills.
    fn claim(&self, segment: SegmentId, owner: u64) -> bool {
        let cell = &self.header(segment).filler;
        let found = cell.load(Ordering::Acquire);
        let stale = found == 0 || found & OWNER == owner || self.is_dead(found);
        stale && cell.compare_exchange(found, owner, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    fn end_fill(&self, segment: SegmentId, word: StateWord) {
        self.header(segment).filler.store(0, Ordering::Release);
        let freed = self.states.at(segment.0 as usize).state.compare_exchange(
            word.0,
            word.with(State::Free).0,
            Ordering::AcqRel,
            Ordering::Relaxed,
        );
        if freed.is_ok() {
            self.set_used(segment, false);
        }
    }

    /// Frees the pieces of fills whose process is dead.
    pub fn sweep_fills(&self, owner: u64) {
        for segment in (0..self.active_segments()).map(|segment| SegmentId(segment as u32)) {
            let word = self.state(segment);
            if word.kind() != Some(State::LargeFill) || self.header(segment).filler.load(Ordering::Acquire) & OWNER == owner {
                continue;
            }
            // Without a filler it was taken an instant ago, or its taker was killed in that instant: whoever writes his name
            // first has it.
            if self.claim(segment, owner) {
                self.end_fill(segment, word);
            }
        }
    }
}

impl Locked<'_> {
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
        for segment in (0..self.core.active_segments()).map(|segment| SegmentId(segment as u32)) {
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
        self.core.spots(self.index, self.bucket_of(key_hash)).filter(|spot| spot.word.tag() == hash::tag(key_hash)).any(|spot| {
            let Some(view) = self.core.item_behind(self.index, spot.word) else { return false };
            view.kind == Kind::Large && (0..view.pieces()).any(|index| self.core.extent_of(&view, index) == piece)
        })
    }
}
