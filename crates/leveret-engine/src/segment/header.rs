//! State of each segment in shared memory, and its operations. Only this folder accesses its words.
use super::StateWord;
use crate::map::layout::{SEGMENT_HEADER, SEGMENT_STATE};
use crate::sync::{compiler_fence, AtomicU32, AtomicU64, Ordering};
use crate::time::Time;

/// The hot quarter line of a segment, read by each get.
#[repr(C)]
pub(crate) struct SegmentState {
    state: AtomicU64,
    /// Flush epoch of everything in it.
    epoch: AtomicU32,
    _spare: AtomicU32,
}

impl SegmentState {
    #[cfg_attr(model, track_caller)]
    #[inline]
    pub fn word(&self) -> StateWord {
        StateWord(self.state.load(Ordering::Acquire))
    }

    /// Whether bytes that were read under `seen` belong to that use of the segment. A fence stands between those reads
    /// and this one.
    #[cfg_attr(model, track_caller)]
    #[inline]
    pub fn is_still(&self, seen: StateWord) -> bool {
        seen.is_same_use(StateWord(self.state.load(Ordering::Relaxed)))
    }

    /// Whether the word is still `seen`, for callers that do not interpret it.
    #[cfg_attr(model, track_caller)]
    #[inline]
    pub fn is(&self, seen: StateWord) -> bool {
        self.state.load(Ordering::Relaxed) == seen.0
    }

    #[cfg_attr(model, track_caller)]
    #[inline]
    pub fn epoch(&self) -> u32 {
        self.epoch.load(Ordering::Relaxed)
    }

    #[cfg_attr(model, track_caller)]
    pub(super) fn set(&self, word: StateWord) {
        self.state.store(word.0, Ordering::Release);
    }

    #[cfg_attr(model, track_caller)]
    pub(super) fn change(&self, seen: StateWord, next: StateWord) -> bool {
        self.state.compare_exchange(seen.0, next.0, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    #[cfg_attr(model, track_caller)]
    pub(super) fn set_epoch(&self, epoch: u32) {
        self.epoch.store(epoch, Ordering::Relaxed);
    }
}

/// The cold line of a segment, for writers.
#[repr(C)]
pub(crate) struct SegmentHeader {
    /// Items end here; published before the slot that points at the last one.
    write_off: AtomicU32,
    live_bytes: AtomicU32,
    live_items: AtomicU32,
    /// No item in it lives beyond this moment.
    max_deadline: AtomicU32,
    /// Owner word of the process that fills it (LARGE_FILL).
    filler: AtomicU64,
    /// Hash of the key whose value it holds (LARGE).
    key_hash: AtomicU64,
    /// Owner word of a process that has the kernel read large values from it. Searches for a free segment skip it.
    sender: AtomicU64,
    /// Segments that the fill takes in all, in its first one (LARGE_FILL); 0 in the others.
    promised: AtomicU32,
    _spare: AtomicU32,
    _reserved: [AtomicU64; 2],
}

const _: () = {
    assert!(size_of::<SegmentState>() as u64 == SEGMENT_STATE);
    assert!(size_of::<SegmentHeader>() as u64 == SEGMENT_HEADER);
};

/// Items and their bytes. A kill may leave these counts wrong, never too low, and nothing may depend on them for
/// progress.
impl SegmentHeader {
    /// Bytes that are written, by this word alone.
    #[inline]
    pub fn written(&self) -> u64 {
        u64::from(self.write_off.load(Ordering::Relaxed))
    }

    /// Whether no item was ever written in this use.
    pub fn is_empty(&self) -> bool {
        self.write_off.load(Ordering::Relaxed) == 0
    }

    pub fn live_bytes(&self) -> u32 {
        self.live_bytes.load(Ordering::Relaxed)
    }

    pub fn live_items(&self) -> u32 {
        self.live_items.load(Ordering::Relaxed)
    }

    /// No item in it lives beyond this moment.
    pub fn expiry(&self) -> u32 {
        self.max_deadline.load(Ordering::Relaxed)
    }

    pub fn is_expired(&self, now: Time) -> bool {
        self.expiry() <= now.0
    }

    /// An item in it lives as long as this.
    pub fn prolong(&self, deadline: u32) {
        self.max_deadline.fetch_max(deadline, Ordering::Relaxed);
    }

    /// Makes the bytes of a new item, which end at `end` of the segment, part of it. The slot that points at it comes
    /// after. Under the lock a plain load and store will do.
    #[inline]
    pub fn publish(&self, end: u32, size: u64, deadline: u32) {
        if self.expiry() < deadline {
            self.max_deadline.store(deadline, Ordering::Relaxed);
        }
        self.write_off.store(end, Ordering::Release);
        self.live_bytes.store(self.live_bytes().saturating_add(size as u32), Ordering::Relaxed);
        self.live_items.store(self.live_items().saturating_add(1), Ordering::Relaxed);
    }

    /// An item of `size` bytes is no longer reached by its slot.
    #[inline]
    pub fn unpublish(&self, size: u64) {
        // Killed before the slot's store, a segment must not count less than it has. A kill sees this thread's stores
        // in the order of its instructions, so only the compiler has to keep it.
        compiler_fence(Ordering::SeqCst);
        self.live_bytes.store(self.live_bytes().saturating_sub(size as u32), Ordering::Relaxed);
        self.live_items.store(self.live_items().saturating_sub(1), Ordering::Relaxed);
    }

    /// Nothing is in it.
    pub(super) fn clear(&self) {
        // As in `unpublish`: what follows must not come before the stores to the slots.
        compiler_fence(Ordering::SeqCst);
        for word in [&self.write_off, &self.live_bytes, &self.live_items, &self.max_deadline] {
            word.store(0, Ordering::Relaxed);
        }
        // A kill in the middle of a hand-over leaves it.
        self.filler.store(0, Ordering::Relaxed);
    }

    #[cfg(test)]
    pub fn damage_live_bytes(&self) {
        self.live_bytes.store(u32::MAX, Ordering::Relaxed);
    }
}

/// Large values.
impl SegmentHeader {
    /// The filler's owner word; 0 = none.
    pub fn filler(&self) -> u64 {
        self.filler.load(Ordering::Acquire)
    }

    pub fn set_filler(&self, owner: u64) {
        self.filler.store(owner, Ordering::Release);
    }

    /// Takes a name off, unless another one is there by now.
    pub fn clear_filler(&self, seen: u64) {
        let _ = self.filler.compare_exchange(seen, 0, Ordering::Relaxed, Ordering::Relaxed);
    }

    pub fn key_hash(&self) -> u64 {
        self.key_hash.load(Ordering::Relaxed)
    }

    pub fn set_key_hash(&self, hash: u64) {
        self.key_hash.store(hash, Ordering::Relaxed);
    }

    /// Segments that its fill takes in all, if it is the first of them.
    pub fn promised(&self) -> u32 {
        self.promised.load(Ordering::Relaxed)
    }

    pub fn set_promised(&self, segments: u32) {
        self.promised.store(segments, Ordering::Relaxed);
    }

    /// The sender's owner word; 0 = none.
    pub fn sender(&self) -> u64 {
        self.sender.load(Ordering::Acquire)
    }

    /// Puts a name in the place of the one that was seen. False: another one is there by now.
    pub fn change_sender(&self, seen: u64, owner: u64) -> bool {
        self.sender.compare_exchange(seen, owner, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    pub fn clear_sender(&self) {
        self.sender.store(0, Ordering::Release);
    }

    #[cfg(test)]
    pub fn set_sender(&self, owner: u64) {
        self.sender.store(owner, Ordering::Relaxed);
    }
}
