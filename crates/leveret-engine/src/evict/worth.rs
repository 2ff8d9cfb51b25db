//! An item's worth: its reads for each byte of memory. Eviction by reads alone would keep one long value in place of
//! ten short ones that together are read more often.
//!
//! Items are not sorted by worth. A drain compares each item of the main pool with the shard's threshold and moves the
//! threshold a little: up if the item is above, down if it is below, in proportion to the item's bytes in a segment.
//! The steps are in the ratio 18 up to 46 down. So the threshold settles where nearly three quarters of the drained
//! bytes are above it, and it follows the workload. An item that was read in the small pool lowers it a little: where
//! few items are promoted, more of the main pool is kept.
//!
//! The same threshold places new items. An item that a drain would keep goes to the main pool at once and is not
//! written twice. A long value does not take the memory of many short ones only because its key was seen before.
use crate::evict::ghosts;
use crate::segment::SegmentPool;
use crate::shard::Locked;
use crate::sync::Ordering;

/// Logarithm to the base of 2, sixteen bits of it behind the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Worth(u32);

const ONE: u32 = 1 << 16;

/// An item's part of the index, bytes (docs/memory-layout.md).
const INDEX_SHARE: u64 = 11;
/// Initial threshold: the worth of an unread item of 256 bytes.
const FIRST_THRESHOLD: u32 = 16 * ONE;
/// How far a whole segment of the small pool, if all of it was read, lowers the threshold. Without that a threshold that
/// nothing reaches would stay forever: nothing would be promoted, and no drain of the main pool would come
/// that could lower it. Unread items do not count: a flood of them is no reason to keep them.
const THRESHOLD_DECAY: u64 = ONE as u64;
/// How far the threshold would move over a whole segment if all of it were above and only one step counted: two octaves and a
/// third. Where all items are worth the same, it has passed them by after one segment or two.
const STRIDE: u64 = 7 * ONE as u64 / 3;
/// Target: this many of 64 drained bytes of the main pool are above the threshold. A higher value copies more, and from
/// 50 on misses more often where all items are about equally popular; a lower one evicts items that are still
/// requested.
const ABOVE: u64 = 46;
/// An item must exceed the threshold by this much to be promoted: where all items are worth about the same, none is
/// moved for nothing.
const PROMOTION: u32 = ONE / 4;
/// Reads credited to a new key that was evicted recently: it is requested again and again.
const RETURNED: u8 = 2;

impl Worth {
    /// Worth of an item of `bytes`. An unread item counts as half a read.
    pub fn of(reads: u8, bytes: u64) -> Worth {
        let density = (u64::from(2 * u32::from(reads) + 1) << 24) / (bytes + INDEX_SHARE);
        Worth(log2(density.max(1)))
    }
}

/// Exact for powers of two, straight lines in between.
fn log2(number: u64) -> u32 {
    let whole = number.ilog2();
    let part = ((number as u128) << 16 >> whole) as u32 & (ONE - 1);
    whole << 16 | part
}

/// Reads that still count after a drain of the main pool: a third is forgotten, at least one. An item that was not read
/// since the last drain counts as unread, so that an item that was popular once is evicted by the next drain.
pub(crate) fn aged(reads: u8, was_read: bool) -> u8 {
    if was_read {
        reads - (reads + 1) / 3
    } else {
        0
    }
}

/// Whether a drain of this pool keeps an item of this worth.
pub(crate) fn is_worth_keeping(locked: &Locked<'_>, worth: Worth, pool: SegmentPool) -> bool {
    let threshold = threshold(locked);
    match pool {
        SegmentPool::Small => worth.0 >= threshold.saturating_add(PROMOTION),
        SegmentPool::Main => worth.0 >= threshold,
    }
}

/// The pool for an item of `bytes` whose key is new. Nothing goes to the main pool before the first drain has set the
/// threshold.
pub(crate) fn pool_of_new(locked: &Locked<'_>, hash: u64, bytes: u64) -> SegmentPool {
    if locked.shard().drain.threshold.load(Ordering::Relaxed) == 0 {
        return SegmentPool::Small;
    }
    let is_worthy = if ghosts::was_evicted_lately(locked, hash) {
        is_worth_keeping(locked, Worth::of(RETURNED, bytes), SegmentPool::Main)
    } else {
        is_worth_keeping(locked, Worth::of(0, bytes), SegmentPool::Small)
    };
    if is_worthy {
        SegmentPool::Main
    } else {
        SegmentPool::Small
    }
}

fn threshold(locked: &Locked<'_>) -> u32 {
    match locked.shard().drain.threshold.load(Ordering::Relaxed) {
        0 => FIRST_THRESHOLD,
        threshold => threshold,
    }
}

/// Moves the threshold for an item of `bytes` that a drain of this pool has met, and has found worth keeping or not. An
/// unread item about to be promoted raises it, as a kept one of the main pool does.
pub(crate) fn learn_worth(locked: &Locked<'_>, is_worthy: bool, bytes: u64, pool: SegmentPool, reads: u8) {
    let threshold = u64::from(threshold(locked));
    let segment = 64 * locked.core.segments.size();
    let next = match (pool, reads) {
        (SegmentPool::Small, 0) if !is_worthy => threshold,
        (SegmentPool::Small, 1..) => threshold.saturating_sub((64 * bytes * THRESHOLD_DECAY / segment).max(1)),
        _ if is_worthy => threshold + bytes * STRIDE * (64 - ABOVE) / segment,
        _ => threshold.saturating_sub(bytes * STRIDE * ABOVE / segment),
    };
    // Clamped, since the arena may be damaged: between the worth of one byte that is always read and of the largest
    // item that never is.
    locked.shard().drain.threshold.store(next.clamp(1, u64::from(32 * ONE)) as u32, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shard;
    use crate::{Arena, OpenOptions, Time};

    #[test]
    fn short_and_read_is_worth_more() {
        assert_eq!(log2(1), 0);
        assert_eq!(log2(1 << 20), 20 * ONE);
        assert_eq!(log2(3), ONE + ONE / 2);
        assert!(Worth::of(1, 100) > Worth::of(0, 100));
        assert!(Worth::of(1, 100) > Worth::of(1, 101));
        assert!(Worth::of(2, 1000) < Worth::of(1, 100));
        assert!(Worth::of(15, 1 << 37) == Worth::of(0, 1 << 40), "nothing is too large");
        assert_eq!([0, 1, 2, 3, 15].map(|reads| aged(reads, true)), [0, 1, 1, 2, 10]);
        assert_eq!([0, 1, 15].map(|reads| aged(reads, false)), [0; 3]);
    }

    /// Items of 100 to 1000 bytes, read equally often: in the long run 46 of 64 bytes are kept.
    #[test]
    fn the_threshold_comes_to_rest_where_most_bytes_are_above() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let options = OpenOptions::new().memory(8 << 20).cores(1);
        let (arena, _) = Arena::open(&dir.path().join("worth.arena"), &options).expect("an arena");
        let locked = shard::lock(&arena.core, 0, Time::now()).expect("free");
        let (mut kept, mut all) = (0, 0);
        for number in 0..40_000u64 {
            let bytes = 100 + number * 7919 % 901;
            let is_worthy = is_worth_keeping(&locked, Worth::of(3, bytes), SegmentPool::Main);
            if number >= 20_000 {
                all += bytes;
                kept += if is_worthy { bytes } else { 0 };
            }
            learn_worth(&locked, is_worthy, bytes, SegmentPool::Main, 3);
        }
        let share = kept as f64 / all as f64;
        assert!((0.67..0.77).contains(&share), "{share}");
    }
}
