//! The state word of a segment: its use, its owner, and its generation, the number of times it has been reused. These
//! words and the slots of the index are the truth that a crash must not lose.
use crate::time::{Deadline, Moment};

/// Use of a segment.
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

/// Small: new items. Main: items that were requested again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum SegmentPool {
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
    pub fn new(generation: u64, state: State, shard: usize, pool: SegmentPool, class: u8) -> StateWord {
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

    pub fn pool(self) -> SegmentPool {
        if self.0 >> 56 & 1 == 0 {
            SegmentPool::Small
        } else {
            SegmentPool::Main
        }
    }

    pub fn class(self) -> u8 {
        (self.0 >> 57) as u8
    }

    /// The same with another class.
    pub fn with_class(self, class: u8) -> StateWord {
        StateWord(self.0 & !(0x7f << 57) | u64::from(class) << 57)
    }

    /// Whether both are equal except for the generation.
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
