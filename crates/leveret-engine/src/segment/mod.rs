//! Segments: fixed-size pieces of the data region, used again and again. Each has a state word, which says everything
//! that a crash must not lose, and a header of hints.
mod header;
mod word;

use crate::map::geometry::{Geometry, RegionId};
use crate::map::layout::Control;
use crate::map::mapping::Table;
use crate::map::Map;
use crate::presence::Presence;
use crate::sync::{fence, AtomicU64, Ordering};
pub(crate) use header::{SegmentHeader, SegmentState};
pub(crate) use word::{class_of, SegmentPool, State, StateWord};

/// Number of a segment, below `segments_max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SegmentId(pub u32);

/// One use of a segment, as a piece of a large value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub segment: u32,
    pub generation: u32,
}

/// All segments of an arena.
pub(crate) struct Segments {
    control: Table<Control>,
    states: Table<SegmentState>,
    headers: Table<SegmentHeader>,
    used_map: Table<AtomicU64>,
    shift: u32,
    within_limit: usize,
}

impl Segments {
    pub fn new(map: &Map) -> Segments {
        let Geometry { segments_max, segment_shift, memory, .. } = map.geometry;
        let segments = segments_max as usize;
        // SAFETY: each of these types consists of atomics only.
        unsafe {
            Segments {
                control: map.table(RegionId::Control, 1),
                states: map.table(RegionId::SegmentStates, segments),
                headers: map.table(RegionId::SegmentHeaders, segments),
                used_map: map.table(RegionId::UsedMap, segments.div_ceil(64)),
                shift: segment_shift,
                within_limit: segments.min((memory >> segment_shift) as usize),
            }
        }
    }

    /// How many places there are. A file may have more of them than its memory limit pays for.
    #[inline]
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// How many the memory limit pays for: what shares of the memory are taken of.
    pub fn within_limit(&self) -> usize {
        self.within_limit
    }

    /// Allocated segments; clamped to the number of places, since the file may be damaged.
    #[inline]
    pub fn active(&self) -> usize {
        (self.control.at(0).active_segments.load(Ordering::Acquire) as usize).min(self.states.len())
    }

    /// The allocated segments.
    pub fn all(&self) -> impl Iterator<Item = SegmentId> {
        (0..self.active() as u32).map(SegmentId)
    }

    pub fn count_state(&self, kind: State) -> usize {
        self.all().filter(|segment| self.state(*segment).kind() == Some(kind)).count()
    }

    /// The hot words of a segment, for repeated reads.
    #[inline]
    pub fn at(&self, segment: SegmentId) -> &SegmentState {
        self.states.at(segment.0 as usize)
    }

    #[inline]
    pub fn header(&self, segment: SegmentId) -> &SegmentHeader {
        self.headers.at(segment.0 as usize)
    }

    #[cfg_attr(model, track_caller)]
    #[inline]
    pub fn state(&self, segment: SegmentId) -> StateWord {
        self.at(segment).word()
    }

    #[cfg_attr(model, track_caller)]
    pub fn set_state(&self, segment: SegmentId, word: StateWord) {
        self.at(segment).set(word);
    }

    /// Changes a state word if it is `seen`. False: it is another one by now.
    #[cfg_attr(model, track_caller)]
    pub fn change_state(&self, segment: SegmentId, seen: StateWord, next: StateWord) -> bool {
        self.at(segment).change(seen, next)
    }

    /// Flush epoch of everything in a segment.
    #[cfg_attr(model, track_caller)]
    #[inline]
    pub fn epoch_of(&self, segment: SegmentId) -> u32 {
        self.at(segment).epoch()
    }

    #[cfg_attr(model, track_caller)]
    pub fn set_epoch(&self, segment: SegmentId, epoch: u32) {
        self.at(segment).set_epoch(epoch);
    }

    /// Bytes of each.
    #[inline]
    pub fn size(&self) -> u64 {
        1 << self.shift
    }

    /// Offset of a segment's first byte in the data region.
    #[inline]
    pub fn start(&self, segment: SegmentId) -> u64 {
        u64::from(segment.0) << self.shift
    }

    #[inline]
    pub fn end(&self, segment: SegmentId) -> u64 {
        (u64::from(segment.0) + 1) << self.shift
    }

    /// The segment of a place in the data region; None when there can be no such segment.
    #[inline]
    pub fn containing(&self, at: u64) -> Option<SegmentId> {
        let segment = at >> self.shift;
        (segment < self.states.len() as u64).then_some(SegmentId(segment as u32))
    }

    /// Where the items of a segment end. Clamped, since the file may be damaged: inside the segment, and rounded up to
    /// a multiple of 8, since below it an item may still lie.
    pub fn written_end(&self, segment: SegmentId) -> u64 {
        let written = (self.header(segment).written() + 7) & !7;
        self.start(segment) + written.min(self.size())
    }

    /// Bytes in front of `written_end`.
    pub fn written(&self, segment: SegmentId) -> u64 {
        self.written_end(segment) - self.start(segment)
    }

    /// Bytes behind its last item.
    pub fn room_in(&self, segment: SegmentId) -> u64 {
        self.end(segment) - self.written_end(segment)
    }

    /// A process that sets a bit checks the state word afterwards: a wrong "used" bit would lose the segment. A process
    /// that clears a bit has freed the segment before. Hence the orderings.
    #[cfg_attr(model, track_caller)]
    pub fn set_used(&self, segment: SegmentId, used: bool) {
        let word = self.used_map.at(segment.0 as usize / 64);
        let bit = 1u64 << (segment.0 % 64);
        if used {
            word.fetch_or(bit, Ordering::Acquire);
        } else {
            word.fetch_and(!bit, Ordering::Release);
        }
    }

    /// Free segments by the map, counting no further than `limit`.
    pub fn count_free(&self, limit: usize) -> usize {
        let active = self.active();
        let mut free = 0;
        for word in 0..active.div_ceil(64) {
            let inside = if active - word * 64 >= 64 { u64::MAX } else { (1 << (active % 64)) - 1 };
            free += (!self.used_map.at(word).load(Ordering::Relaxed) & inside).count_ones() as usize;
            if free >= limit {
                return free;
            }
        }
        free
    }

    /// Takes a free segment for `next`, whose generation must be new. The map is a hint; the state word decides. The
    /// caller holds the lock of the shard in `next`, whose recovery repairs the map after a kill between the two.
    pub fn take_free(&self, next: StateWord, presence: &Presence) -> Option<SegmentId> {
        let active = self.active();
        for word in 0..active.div_ceil(64) {
            let mut free = !self.used_map.at(word).load(Ordering::Relaxed);
            while free != 0 {
                let index = word * 64 + free.trailing_zeros() as usize;
                free &= free - 1;
                if index >= active {
                    return None;
                }
                let segment = SegmentId(index as u32);
                if self.is_sent_from(segment, presence) {
                    continue;
                }
                self.set_used(segment, true);
                let found = self.state(segment);
                if found.kind() == Some(State::Free) && self.change_state(segment, found, next) {
                    // A reader that sees a byte written from now on also sees the new generation. Pairs with the fence
                    // between a reader's copy and its second load of the state.
                    fence(Ordering::Release);
                    return Some(segment);
                }
            }
        }
        None
    }

    /// Frees a segment that no slot and no record points at. A free segment is empty: a kill right after it is taken
    /// leaves no bytes in it that look like items.
    pub fn set_free(&self, segment: SegmentId) {
        self.header(segment).clear();
        self.set_state(segment, self.state(segment).with(State::Free));
        self.set_used(segment, false);
    }

    /// Whether a process that may be alive sends from a segment. A sender may begin right after this check: it then
    /// finds the segment reused, before or after it sends.
    fn is_sent_from(&self, segment: SegmentId, presence: &Presence) -> bool {
        let name = self.header(segment).sender();
        name != 0 && !presence.is_known_dead(name)
    }

    /// Takes the name of a dead sender off a segment.
    pub fn end_sending_of_dead(&self, segment: SegmentId, presence: &Presence) {
        let name = self.header(segment).sender();
        if name != 0 && presence.is_dead(name) {
            self.header(segment).change_sender(name, 0);
        }
    }

    /// Frees a piece of a fill that does not go on.
    pub fn end_fill(&self, segment: SegmentId, word: StateWord) {
        self.header(segment).set_filler(0);
        self.free_piece(segment, word);
    }

    /// Frees a piece of a fill whose name was removed. False: another process was quicker.
    pub fn free_piece(&self, segment: SegmentId, word: StateWord) -> bool {
        let is_ours = self.change_state(segment, word, word.with(State::Free));
        if is_ours {
            self.set_used(segment, false);
        }
        is_ours
    }

    /// Whether a segment's filler is gone. `living`: the last filler found alive, since all pieces of a value have the
    /// same.
    pub fn is_left_by_filler(&self, segment: SegmentId, living: &mut u64, presence: &Presence) -> bool {
        let name = self.header(segment).filler();
        if name != 0 && (name == *living || !presence.is_dead(name)) {
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
        self.word_of(extent, shard).filter(|_| self.header(SegmentId(extent.segment)).key_hash() == hash)
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
}
