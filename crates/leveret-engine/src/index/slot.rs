//! One slot of the index: its word, and how often the item behind it was read.
use crate::hash::{self, LINK, PLACE_BITS};
use crate::map::layout::{Bucket, SLOTS};
use crate::sync::{AtomicU64, Ordering};

/// The frequency byte: four bits count reads up to 15, the next says that there was one.
pub(crate) const FREQUENCY_MAX: u8 = 15;
pub(crate) const FETCHED: u8 = 16;
/// Bit that a watch sets and the next read clears, since a read writes the byte again (`sampler.rs`). It has no other
/// meaning.
pub(crate) const WATCHED: u8 = 32;
/// Bit that a drain sets on a kept item and the next read clears: not read since that drain.
pub(crate) const UNREAD: u8 = 64;

const PLACE: u64 = (1 << PLACE_BITS) - 1;

/// A slot word: tag and place of an item, a link, or 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SlotWord(pub u64);

impl SlotWord {
    pub const EMPTY: SlotWord = SlotWord(0);

    pub fn item(hash: u64, at: u64) -> SlotWord {
        SlotWord(hash::tag(hash) << PLACE_BITS | at >> 3)
    }

    /// The word of the same item at another place.
    pub fn moved_to(self, at: u64) -> SlotWord {
        SlotWord(self.0 & !PLACE | at >> 3)
    }

    pub fn link(bucket: u32) -> SlotWord {
        SlotWord(LINK << PLACE_BITS | u64::from(bucket))
    }

    #[inline]
    pub fn tag(self) -> u64 {
        self.0 >> PLACE_BITS
    }

    /// Offset of the item in the data region; not yet checked against anything.
    #[inline]
    pub fn at(self) -> u64 {
        (self.0 & PLACE) << 3
    }

    pub fn is_item(self) -> bool {
        self.0 != 0 && self.tag() != LINK
    }

    /// The overflow bucket that a link leads to.
    #[inline]
    pub fn linked(self) -> Option<u32> {
        (self.tag() == LINK).then_some((self.0 & PLACE).min(u64::from(u32::MAX)) as u32)
    }
}

impl Bucket {
    /// Counts a read. Racy by design: a late or lost update is harmless, and the byte of a hot item saturates and is
    /// not written any more.
    #[inline]
    pub fn note_read(&self, slot: usize) {
        let frequency = self.frequency[slot].load(Ordering::Relaxed);
        // A store over a hot item clears `FETCHED` and leaves the count where it was, which may be the highest.
        if frequency != (FREQUENCY_MAX | FETCHED) {
            let count = ((frequency & FREQUENCY_MAX) + 1).min(FREQUENCY_MAX);
            self.frequency[slot].store(count | FETCHED, Ordering::Relaxed);
        }
    }

    /// The overflow bucket that goes on where this one ends: its last slot leads there.
    #[inline]
    #[cfg_attr(model, track_caller)]
    pub fn link(&self, ordering: Ordering) -> Option<u32> {
        SlotWord(self.slots[SLOTS - 1].load(ordering)).linked()
    }
}

/// A slot of a bucket, and the word found in it.
#[derive(Clone, Copy)]
pub(crate) struct Spot<'a> {
    pub bucket: &'a Bucket,
    pub slot: usize,
    pub word: SlotWord,
}

impl Spot<'_> {
    pub fn cell(&self) -> &AtomicU64 {
        &self.bucket.slots[self.slot]
    }

    #[inline]
    pub fn note_read(&self) {
        self.bucket.note_read(self.slot);
    }

    pub fn frequency(&self) -> u8 {
        self.bucket.frequency[self.slot].load(Ordering::Relaxed)
    }

    pub fn set_frequency(&self, frequency: u8) {
        self.bucket.frequency[self.slot].store(frequency, Ordering::Relaxed);
    }

    /// Marks the byte and returns its old value. One instruction: a concurrent read either clears the mark or is part
    /// of the returned value.
    pub fn mark(&self) -> u8 {
        self.bucket.frequency[self.slot].fetch_or(WATCHED, Ordering::Relaxed)
    }

    pub fn unmark(&self) {
        self.bucket.frequency[self.slot].fetch_and(!WATCHED, Ordering::Relaxed);
    }
}
