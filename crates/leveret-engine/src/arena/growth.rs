//! An arena starts small and grows to its limit: data segments in steps of at most 16 MiB, the index by chunks. Both happen
//! under the file lock and never under a shard's, since allocating takes milliseconds. A kill in the middle leaves allocated
//! bytes that the next grower allocates again.
use super::file::{self, FileLock};
use super::layout::{RegionId, BUCKET_SIZE};
use super::Core;
use crate::segment::{SegmentId, State};
use crate::sync::Ordering;
use std::time::{Duration, Instant};

const STEP_MAX: u64 = 16 << 20;
/// A grower needs some milliseconds for a step; whoever waits longer makes room by eviction instead.
const PATIENCE: Duration = Duration::from_millis(50);

impl Core {
    /// Bytes promised so far: metadata, index chunks and data segments that were not retired.
    pub fn allocated(&self) -> u64 {
        let chunks: u64 = (0..self.shards.len()).map(|shard| u64::from(self.shards.at(shard).chunks.load(Ordering::Relaxed))).sum();
        let active = self.active_segments();
        let retired = (0..active).filter(|segment| self.state(SegmentId(*segment as u32)).kind() == Some(State::Retired)).count();
        self.geometry
            .metadata_len()
            .saturating_add(chunks.saturating_mul(self.geometry.chunk_len()))
            .saturating_add(((active - retired) as u64) * self.geometry.segment_size())
    }

    fn lock_for_growth(&self) -> Option<FileLock> {
        let begun = Instant::now();
        loop {
            if let Some(lock) = FileLock::try_now(&self.path) {
                return Some(lock);
            }
            if begun.elapsed() > PATIENCE {
                return None;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Allocates more data segments. False: the arena has reached its limit, or the file system has no room.
    #[cold]
    pub fn grow_data(&self) -> bool {
        let seen = self.active_segments();
        if seen >= self.states.len() || self.allocated() + self.geometry.segment_size() > self.geometry.memory {
            return false;
        }
        let Some(_lock) = self.lock_for_growth() else { return false };
        let active = self.active_segments();
        if active > seen {
            return true;
        }
        let room = self.geometry.memory.saturating_sub(self.allocated()) >> self.geometry.segment_shift;
        // Doubling: small arenas stay small, large ones grow in few steps.
        let step = (active as u64).min(STEP_MAX >> self.geometry.segment_shift).max(1).min(room).min((self.states.len() - active) as u64);
        if step == 0 {
            return false;
        }
        let Ok(file) = super::process::open_again(&self.path, self.identity) else { return false };
        let off = self.geometry.region(RegionId::Data).off + ((active as u64) << self.geometry.segment_shift);
        if file::allocate(&file, off, step << self.geometry.segment_shift).is_err() {
            return false;
        }
        self.control().active_segments.store(active as u32 + step as u32, Ordering::Release);
        true
    }

    /// Allocates one more chunk of a shard's index. False: no room within the limit, or on the file system.
    #[cold]
    pub fn grow_index(&self, shard: usize, seen: u32) -> bool {
        let chunk = self.geometry.chunk_buckets;
        if (u64::from(seen) + 1) * u64::from(chunk) > u64::from(self.geometry.buckets_max) {
            return false;
        }
        let Some(_lock) = self.lock_for_growth() else { return false };
        let word = &self.shards.at(shard).chunks;
        if word.load(Ordering::Acquire) != seen {
            return true;
        }
        if self.allocated() + self.geometry.chunk_len() > self.geometry.memory {
            return false;
        }
        let Ok(file) = super::process::open_again(&self.path, self.identity) else { return false };
        let main = (shard as u64 * u64::from(self.geometry.buckets_max) + u64::from(seen) * u64::from(chunk)) * BUCKET_SIZE;
        let overflow = (shard as u64 * u64::from(self.geometry.overflow_max()) + u64::from(seen) * u64::from(chunk) / 2) * BUCKET_SIZE;
        let len = u64::from(chunk) * BUCKET_SIZE;
        let allocated = file::allocate(&file, self.geometry.region(RegionId::Index).off + main, len)
            .and_then(|()| file::allocate(&file, self.geometry.region(RegionId::Overflow).off + overflow, len / 2));
        if allocated.is_err() {
            return false;
        }
        word.store(seen + 1, Ordering::Release);
        true
    }

    /// Gives the memory of a retired segment back to the file system.
    pub fn punch(&self, segment: SegmentId) {
        let Ok(file) = super::process::open_again(&self.path, self.identity) else { return };
        let off = self.geometry.region(RegionId::Data).off + self.start(segment);
        let hole = rustix::fs::FallocateFlags::PUNCH_HOLE | rustix::fs::FallocateFlags::KEEP_SIZE;
        // Failing leaves memory allocated that nobody uses: no error, and counted as free.
        let _ = rustix::fs::fallocate(&file, hole, off, self.geometry.segment_size());
    }
}
