//! Sweeping a shard out after a flush: one walk over its index costs less than finding the slot of each dead item later.
use crate::segment::{SegmentId, State};
use crate::shard::{edit, Locked};
use crate::sync::Ordering;

/// Buckets that may be swept under the lock: some milliseconds. Larger shards are drained segment by segment.
const SWEEP_MAX: u32 = 1 << 18;

/// Whether this is the first write to the shard since a flush.
#[inline]
pub(crate) fn is_new_epoch(locked: &Locked<'_>) -> bool {
    locked.shard().tally.epoch.load(Ordering::Relaxed) != locked.epoch
}

/// Empties the index and frees the segments of a shard that was flushed. Each slot is emptied by a store of its own, as
/// if its item were deleted; after a kill, the remaining segments are drained like any other flushed segment.
#[cold]
pub(crate) fn begin_epoch(locked: &Locked<'_>) {
    let core = locked.core;
    let own = || core.segments.all().filter(|segment| core.segments.state(*segment).shard() == locked.index);
    let holds_items = |segment: &SegmentId| core.segments.state(*segment).holds_items_of(locked.index);
    let buckets = core.index.buckets(locked.index);
    let has_new = own().any(|segment| {
        holds_items(&segment)
            && core.segments.epoch_of(segment) == locked.epoch
            && core.segments.header(segment).live_items() > 0
    });
    if buckets <= SWEEP_MAX && !has_new {
        for bucket in 0..buckets {
            for slot in &core.index.bucket(locked.index, bucket).slots {
                slot.store(0, Ordering::Release);
            }
        }
        edit::clear_overflow_map(locked);
        for segment in own() {
            if holds_items(&segment) || core.segments.state(segment).kind() == Some(State::Large) {
                core.segments.set_free(segment);
            }
        }
        locked.shard().tally.occupied.store(0, Ordering::Relaxed);
        locked.shard().eviction.dead_bytes.store(0, Ordering::Relaxed);
    }
    locked.shard().tally.items.store(0, Ordering::Relaxed);
    locked.shard().tally.epoch.store(locked.epoch, Ordering::Relaxed);
}
