//! Segments: fixed-size pieces of the data region, together a segmented log: items are only ever appended. The state
//! word says everything that a crash must not lose; the rest (who is open, how much is alive) is a hint that the next
//! lock owner can rebuild.
use crate::core::Core;
use crate::lock::Locked;
use crate::map::layout::{SegmentHeader, OPEN_PER_SHARD};
use crate::sync::{compiler_fence, fence, AtomicU32, Ordering};
use crate::time::{Deadline, Moment};

/// Number of a segment, below `segments_max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SegmentId(pub u32);

/// What a segment is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum State {
    Free = 0,
    /// Items are appended, under the lock of its shard.
    Open = 1,
    Sealed = 2,
    /// Its live items are being moved out or dropped; with no lock owner this is the trace of a kill, and is continued.
    Draining = 3,
    /// One process fills it with a piece of a large value and holds no lock.
    LargeFill = 4,
    /// A piece of a large value.
    Large = 5,
    /// Its memory was given to the index.
    Retired = 6,
}

/// Small: everything new. Main: what was asked for again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Pool {
    Small = 0,
    Main = 1,
}

/// `generation:40 | state:4 | shard:12 | pool:1 | class:7`. The generation is the shard's running number of segment
/// uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StateWord(pub u64);

const GENERATION: u64 = (1 << 40) - 1;
const SHARD: u64 = 0xfff << 44;

impl StateWord {
    pub fn new(generation: u64, state: State, shard: usize, pool: Pool, class: u8) -> StateWord {
        StateWord(
            generation & GENERATION
                | (state as u64) << 40
                | (shard as u64) << 44
                | (pool as u64) << 56
                | u64::from(class & 127) << 57,
        )
    }

    pub fn with(self, state: State) -> StateWord {
        StateWord(self.0 & !(15 << 40) | (state as u64) << 40)
    }

    pub fn generation(self) -> u64 {
        self.0 & GENERATION
    }

    #[inline]
    pub fn kind(self) -> Option<State> {
        Some(match self.0 >> 40 & 15 {
            0 => State::Free,
            1 => State::Open,
            2 => State::Sealed,
            3 => State::Draining,
            4 => State::LargeFill,
            5 => State::Large,
            6 => State::Retired,
            _ => return None,
        })
    }

    /// Whether slots of `shard` may point into it. One comparison, since every get asks.
    #[inline]
    pub fn holds_items_of(self, shard: usize) -> bool {
        // Open, Sealed and Draining are 1, 2 and 3.
        (((self.0 >> 40) as u16).wrapping_sub((shard << 4) as u16 | 1)) < 3
    }

    pub fn shard(self) -> usize {
        ((self.0 & SHARD) >> 44) as usize
    }

    pub fn pool(self) -> Pool {
        if self.0 >> 56 & 1 == 0 {
            Pool::Small
        } else {
            Pool::Main
        }
    }

    pub fn class(self) -> u8 {
        (self.0 >> 57) as u8
    }

    /// Whether both say the same but for the generation.
    #[inline]
    pub fn is_like(self, other: StateWord) -> bool {
        (self.0 ^ other.0) & !GENERATION == 0
    }

    /// Whether bytes read under `self` are still those of the same use of the segment.
    #[inline]
    pub fn is_same_use(self, later: StateWord) -> bool {
        (self.0 ^ later.0) & (GENERATION | SHARD) == 0
    }
}

/// Items that die at about the same time share a segment, so that it can be freed whole.
#[inline]
pub(crate) fn class_of(deadline: Deadline, now: impl Moment) -> u8 {
    match deadline.time().map(|at| at.0.saturating_sub(now.time().0)) {
        None => 0,
        Some(0..=300) => 1,
        Some(301..=7200) => 2,
        Some(_) => 3,
    }
}

/// Free segments that only drains may take, as destinations for what they keep.
pub(crate) const RESERVE: usize = 2;

/// Room for one item.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub segment: SegmentId,
    pub at: u64,
}

impl Core {
    /// The segments that are allocated so far.
    pub fn segments(&self) -> impl Iterator<Item = SegmentId> {
        (0..self.active_segments() as u32).map(SegmentId)
    }

    pub fn count_state(&self, kind: State) -> usize {
        self.segments().filter(|segment| self.state(*segment).kind() == Some(kind)).count()
    }

    #[inline]
    pub fn state(&self, segment: SegmentId) -> StateWord {
        StateWord(self.states.at(segment.0 as usize).state.load(Ordering::Acquire))
    }

    pub fn set_state(&self, segment: SegmentId, word: StateWord) {
        self.states.at(segment.0 as usize).state.store(word.0, Ordering::Release);
    }

    /// Changes a state word if it is `seen`. False: it is another one by now.
    pub fn change_state(&self, segment: SegmentId, seen: StateWord, next: StateWord) -> bool {
        let cell = &self.states.at(segment.0 as usize).state;
        cell.compare_exchange(seen.0, next.0, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// Flush epoch of everything in a segment.
    #[inline]
    pub fn epoch_of(&self, segment: SegmentId) -> u32 {
        self.states.at(segment.0 as usize).epoch.load(Ordering::Relaxed)
    }

    #[inline]
    pub fn header(&self, segment: SegmentId) -> &SegmentHeader {
        self.headers.at(segment.0 as usize)
    }

    /// Offset of a segment's first byte in the data region.
    #[inline]
    pub fn start(&self, segment: SegmentId) -> u64 {
        u64::from(segment.0) << self.map.geometry.segment_shift
    }

    #[inline]
    pub fn end(&self, segment: SegmentId) -> u64 {
        (u64::from(segment.0) + 1) << self.map.geometry.segment_shift
    }

    /// The segment of a place in the data region; None when there can be no such segment.
    #[inline]
    pub fn segment_at(&self, at: u64) -> Option<SegmentId> {
        let segment = at >> self.map.geometry.segment_shift;
        (segment < self.states.len() as u64).then_some(SegmentId(segment as u32))
    }

    /// Where the items of a segment end: never beyond the segment, and on a boundary of 8 whatever a damaged file says;
    /// the one above, for below it an item may still lie.
    pub fn written_end(&self, segment: SegmentId) -> u64 {
        let written = u64::from(self.header(segment).write_off.load(Ordering::Acquire)).next_multiple_of(8);
        self.start(segment) + written.min(self.map.geometry.segment_size())
    }

    /// Whoever sets a bit looks at the state word afterwards: a bit that says "used" wrongly would lose the segment.
    /// Whoever clears one has freed the segment before. Hence the orderings.
    pub fn set_used(&self, segment: SegmentId, used: bool) {
        let word = self.used_map.at(segment.0 as usize / 64);
        let bit = 1u64 << (segment.0 % 64);
        if used {
            word.fetch_or(bit, Ordering::AcqRel);
        } else {
            word.fetch_and(!bit, Ordering::AcqRel);
        }
    }

    /// Free segments by the map, counting no further than `limit`.
    pub fn count_free(&self, limit: usize) -> usize {
        let active = self.active_segments();
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

    /// Takes a free segment for `next`, whose generation must be new. The map is a hint, the state word decides. The
    /// caller holds the lock of the shard in `next`, whose recovery mends the map after a kill between the two.
    pub fn take_free(&self, next: StateWord) -> Option<SegmentId> {
        let active = self.active_segments();
        for word in 0..active.div_ceil(64) {
            let mut free = !self.used_map.at(word).load(Ordering::Relaxed);
            while free != 0 {
                let index = word * 64 + free.trailing_zeros() as usize;
                free &= free - 1;
                if index >= active {
                    return None;
                }
                let segment = SegmentId(index as u32);
                if self.is_sent_from(segment) {
                    continue;
                }
                self.set_used(segment, true);
                let found = self.state(segment);
                if found.kind() == Some(State::Free) && self.change_state(segment, found, next) {
                    // Whoever sees a byte that is written from now on also sees the new generation. Pairs with the
                    // fence between a reader's copy and its second look at the state.
                    fence(Ordering::Release);
                    return Some(segment);
                }
            }
        }
        None
    }

    /// Frees a segment that no slot and no record points at any more. A free segment is an empty one: whoever is killed
    /// right after taking it leaves nothing in it that could be taken for items.
    pub fn set_free(&self, segment: SegmentId) {
        // A kill sees this thread's stores in the order of its instructions, so only the compiler has to keep it: what
        // follows must not come before the stores to the slots.
        compiler_fence(Ordering::SeqCst);
        let header = self.header(segment);
        for word in [&header.write_off, &header.live_bytes, &header.live_items, &header.max_deadline] {
            word.store(0, Ordering::Relaxed);
        }
        // A kill in the middle of a hand-over leaves it.
        header.filler.store(0, Ordering::Relaxed);
        self.set_state(segment, self.state(segment).with(State::Free));
        self.set_used(segment, false);
    }
}

impl Locked<'_> {
    fn open_slots(&self) -> &[AtomicU32; OPEN_PER_SHARD] {
        &self.shard().open
    }

    /// The next number of a segment use in this shard, for ever new.
    pub fn next_generation(&self) -> u64 {
        self.shard().generation.fetch_add(1, Ordering::Relaxed).wrapping_add(1)
    }

    /// The segment behind an entry of the open list, unless the list is out of date.
    fn open_segment(&self, entry: usize) -> Option<(SegmentId, StateWord)> {
        let segment = SegmentId(self.open_slots()[entry].load(Ordering::Relaxed).checked_sub(1)?);
        let word = (segment.0 < self.core.states.len() as u32).then(|| self.core.state(segment))?;
        let current =
            word.kind() == Some(State::Open) && word.shard() == self.index && self.core.epoch_of(segment) == self.epoch;
        current.then_some((segment, word))
    }

    pub fn room_in(&self, segment: SegmentId) -> u64 {
        self.core.end(segment) - self.core.written_end(segment)
    }

    /// The half of the open list that belongs to a pool.
    pub fn entries(pool: Pool) -> std::ops::Range<usize> {
        let half = OPEN_PER_SHARD / 2;
        match pool {
            Pool::Small => 0..half,
            Pool::Main => half..OPEN_PER_SHARD,
        }
    }

    /// Room for `size` bytes: in an open segment of its class, for large items in the best fitting one of any class,
    /// else in a new one. `all`: also from the segments kept back for drains. None: something must be evicted first.
    #[inline(always)]
    pub fn reserve(&self, pool: Pool, class: u8, size: u64, all: bool) -> Option<Place> {
        // A sixteenth of a segment is worth more than items that die together.
        if size <= self.core.map.geometry.segment_size() / 16 {
            let wanted = StateWord::new(0, State::Open, self.index, pool, class);
            for entry in &self.open_slots()[Self::entries(pool)] {
                let segment = SegmentId(entry.load(Ordering::Relaxed).wrapping_sub(1));
                if (segment.0 as usize) < self.core.states.len()
                    && self.core.state(segment).is_like(wanted)
                    && self.core.epoch_of(segment) == self.epoch
                {
                    let at = self.core.written_end(segment);
                    if size <= self.core.end(segment) - at {
                        return Some(Place { segment, at });
                    }
                }
            }
        }
        self.reserve_best(pool, class, size, all)
    }

    #[cold]
    fn reserve_best(&self, pool: Pool, class: u8, size: u64, all: bool) -> Option<Place> {
        // A copy that gains a cas is larger than its item, which in a damaged file may fill its segment to the end.
        if size > self.core.map.geometry.segment_size() {
            return None;
        }
        // Where its items end is read once: somebody might write another number there between two looks.
        let open = || {
            Self::entries(pool).filter_map(|entry| {
                let (segment, word) = self.open_segment(entry)?;
                let at = self.core.written_end(segment);
                Some((entry, word, self.core.end(segment) - at, Place { segment, at }))
            })
        };
        let any_class = size > self.core.map.geometry.segment_size() / 16;
        let suits = |word: StateWord, room: u64| size <= room && (any_class || word.class() == class);
        if let Some((.., place)) =
            open().filter(|(_, word, room, _)| suits(*word, *room)).min_by_key(|(_, _, room, _)| *room)
        {
            return Some(place);
        }
        if !all && self.core.count_free(RESERVE + 1) <= RESERVE {
            return None;
        }
        let segment = self.open_new(pool, class)?;
        // Into an unused entry of the list, else in place of the fullest segment.
        let unused = Self::entries(pool).find(|entry| self.open_segment(*entry).is_none());
        let entry = unused.or_else(|| {
            open().min_by_key(|(_, _, room, _)| *room).map(|(entry, .., full)| {
                self.seal(full.segment);
                entry
            })
        })?;
        // In front: those before it are full for most that comes. A kill between the two leaves one segment listed
        // twice.
        let slots = self.open_slots();
        let front = Self::entries(pool).start;
        slots[entry].store(slots[front].load(Ordering::Relaxed), Ordering::Relaxed);
        slots[front].store(segment.0 + 1, Ordering::Relaxed);
        if !all {
            self.begin_ahead();
        }
        Some(Place { segment, at: self.core.start(segment) })
    }

    fn open_new(&self, pool: Pool, class: u8) -> Option<SegmentId> {
        let generation = self.next_generation();
        let segment = self.core.take_free(StateWord::new(generation, State::Open, self.index, pool, class))?;
        // A kill right here leaves an open, empty segment of an epoch gone by, which the next survey frees.
        self.core.states.at(segment.0 as usize).epoch.store(self.epoch, Ordering::Release);
        Some(segment)
    }

    pub fn seal(&self, segment: SegmentId) {
        let expiry = self.core.header(segment).max_deadline.load(Ordering::Relaxed);
        self.shard().next_expiry.fetch_min(expiry, Ordering::Relaxed);
        self.core.set_state(segment, self.core.state(segment).with(State::Sealed));
    }

    /// Makes the bytes of a new item part of its segment. The slot that points at it comes after.
    pub fn publish(&self, place: Place, size: u64, deadline: u32) {
        let header = self.core.header(place.segment);
        if header.max_deadline.load(Ordering::Relaxed) < deadline {
            header.max_deadline.store(deadline, Ordering::Relaxed);
        }
        header.write_off.store((place.at + size - self.core.start(place.segment)) as u32, Ordering::Release);
        add(&header.live_bytes, size as u32);
        add(&header.live_items, 1);
    }

    /// An item of `size` bytes in this segment is no longer reached by its slot.
    pub fn unpublish(&self, segment: SegmentId, size: u64) {
        // As in `set_free`: killed before the slot's store, a segment must not count less than it has.
        compiler_fence(Ordering::SeqCst);
        let header = self.core.header(segment);
        subtract(&header.live_bytes, size as u32);
        subtract(&header.live_items, 1);
        let dead = &self.shard().dead_bytes;
        dead.store(dead.load(Ordering::Relaxed).wrapping_add(size), Ordering::Relaxed);
    }
}

/// These counters are hints under a lock: a kill may leave them wrong, and nothing may depend on them for progress.
fn add(counter: &AtomicU32, by: u32) {
    counter.store(counter.load(Ordering::Relaxed).saturating_add(by), Ordering::Relaxed);
}

fn subtract(counter: &AtomicU32, by: u32) {
    counter.store(counter.load(Ordering::Relaxed).saturating_sub(by), Ordering::Relaxed);
}
