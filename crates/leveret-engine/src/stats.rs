//! An arena's state in numbers.
use crate::arena::Arena;
use crate::core::Core;
use crate::counters::Counter;
use crate::growth;
use crate::map::layout::ReadsOfProgram;
use crate::segment::{class_of, State};
use crate::sync::{AtomicU64, Ordering};
use crate::time::{Deadline, Time};

/// An arena's state in numbers. Counts may be off by what killed processes had not published: up to 63 reads each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[repr(C)]
#[non_exhaustive]
pub struct Stats {
    /// Live items, including expired ones that were not met yet.
    pub items: u64,
    /// Bytes of these items: header, key, value, padding.
    pub item_bytes: u64,
    /// The arena's limit, bytes.
    pub memory_limit: u64,
    /// Allocated bytes: metadata, index and data.
    pub memory_allocated: u64,
    /// Bytes that can be stored before eviction begins, an estimate: of what the arena may still grow by, as much as its
    /// file system has.
    pub memory_free: u64,
    /// Reads that found a live item.
    pub hits: u64,
    /// Reads that found none.
    pub misses: u64,
    /// Stores that succeeded, each way of storing, counts that created an integer included.
    pub sets: u64,
    /// Deletes that found an item.
    pub deletes: u64,
    /// Increments and decrements that succeeded.
    pub increments: u64,
    /// Of these, decrements.
    pub decrements: u64,
    /// Touches that found an item.
    pub touches: u64,
    /// Live items dropped to make room.
    pub evicted: u64,
    /// Dead items whose memory was reclaimed.
    pub expired: u64,
    /// Times a lock was taken from a dead process.
    pub recoveries: u64,
    /// Reads given up after 64 tries because the index changed each time.
    pub retries: u64,
    /// Times a writer had to sleep for a lock.
    pub lock_waits: u64,
    /// Flushes of the whole arena, those that are still to come included.
    pub flushes: u64,
    /// Bytes of items written for callers.
    pub written_bytes: u64,
    /// Bytes of items copied again when segments were drained.
    pub moved_bytes: u64,
    /// Bytes of segments that are past their deadline as a whole but not reclaimed yet.
    pub expired_bytes: u64,
    /// Index slots that pointed at nothing sensible and were cleared: 0 unless the file was damaged.
    pub mended: u64,
    /// Segments allocated.
    pub segments: u64,
    /// Of these, free.
    pub segments_free: u64,
    /// Bytes of a segment.
    pub segment_bytes: u64,
    /// Shards, each with its own lock.
    pub shards: u64,
    /// Main buckets of the index.
    pub buckets: u64,
    /// Unix time since which hits, misses and sets are counted: of the arena's creation, or of the last `Arena::clear`.
    pub created_unix: i64,
    /// Living processes that have written to the arena.
    pub attached: u32,
    /// Version of the file's layout.
    pub layout: u32,
    /// Of `attached`, by the numbers of `Program`.
    pub attached_by_program: [u32; 5],
    /// Reads that found a live item, by the numbers of `Program`. Processes of builds that did not count so are missing.
    pub hits_by_program: [u64; 5],
    /// Reads that found none, likewise.
    pub misses_by_program: [u64; 5],
    /// Of `hits_by_program`, those of values that the process had decoded before and found unchanged.
    pub decoded_by_program: [u64; 5],
    /// Of `evicted`, those that were stored less than a minute before.
    pub evicted_in_minute: u64,
    /// Of `evicted`, those that were stored a minute or more before, and less than an hour.
    pub evicted_in_hour: u64,
    /// Of `evicted`, those that were stored an hour or more before, and less than a day.
    pub evicted_in_day: u64,
    /// Stores of keys that were evicted not long before, as far as the arena remembers: reads before them would have been hits with
    /// more memory.
    pub returned: u64,
    /// How long writers have slept for locks, in microseconds.
    pub lock_wait_us: u64,
    /// Of `lock_waits`, those that took a millisecond or more, and less than ten.
    pub lock_waits_of_ms: u64,
    /// Of `lock_waits`, those that took 10 milliseconds or more, and less than 100.
    pub lock_waits_of_10ms: u64,
    /// Of `lock_waits`, those that took 100 milliseconds or more.
    pub lock_waits_of_100ms: u64,
    /// How long writers have held locks, of one section in 64: up to 1, 10, 50, 100 microseconds, 1, 10, 100 milliseconds, longer.
    pub lock_holds: [u64; 8],
    /// The sum of those times, in nanoseconds.
    pub lock_hold_ns: u64,
    /// Writes that were refused because nothing could be evicted for them.
    pub refused_no_memory: u64,
    /// Writes that were refused because other processes held, for the whole lock timeout, what could have been evicted.
    pub refused_busy: u64,
    /// Unix time of the last write that was refused; 0: there was none.
    pub refused_unix: i64,
}

impl Stats {
    /// Bytes written for each byte stored: 1 when nothing was ever copied.
    pub fn write_amplification(&self) -> f64 {
        1.0 + self.moved_bytes as f64 / self.written_bytes.max(1) as f64
    }
}

impl Arena {
    /// The process ids of `Stats::attached`; those of another PID namespace, a container's say, are left out.
    pub fn attached_pids(&self) -> Vec<u32> {
        self.core.presence.attached_pids()
    }

    /// Counts and sizes. Walks the segment headers (some microseconds per GiB); takes no lock.
    pub fn stats(&self) -> Stats {
        let attached = self.core.presence.attached();
        Stats { attached: attached.iter().sum(), attached_by_program: attached, ..self.counts(true) }
    }

    /// As `stats`, without the living processes, which only the kernel knows: none are reported. Without `room`,
    /// `Stats::memory_free` assumes an unlimited file system, which saves a system call.
    pub fn counts(&self, room: bool) -> Stats {
        let core = &*self.core;
        core.reads.publish();
        let now = Time::now();
        let epoch = core.epoch(now);
        let sum = |counter: Counter| {
            (0..core.shards.len())
                .map(|shard| core.shards.at(shard).counters[counter as usize].load(Ordering::Relaxed))
                .fold(0u64, u64::wrapping_add)
        };
        let reads = |of: fn(&ReadsOfProgram) -> &AtomicU64| {
            core.control().reads.each_ref().map(|reads| of(reads).load(Ordering::Relaxed))
        };
        let mut stats = Stats {
            memory_limit: core.map.geometry.memory,
            memory_allocated: growth::allocated(core),
            hits: sum(Counter::Hits),
            misses: sum(Counter::Misses),
            sets: sum(Counter::Sets),
            deletes: sum(Counter::Deletes),
            increments: sum(Counter::Increments),
            decrements: sum(Counter::Decrements),
            touches: sum(Counter::Touches),
            evicted: sum(Counter::Evicted),
            expired: sum(Counter::Expired),
            recoveries: sum(Counter::Recoveries),
            retries: sum(Counter::Retries),
            lock_waits: sum(Counter::LockWaits),
            flushes: sum(Counter::Flushes),
            written_bytes: sum(Counter::WrittenBytes),
            moved_bytes: sum(Counter::MovedBytes),
            mended: sum(Counter::Repaired),
            segments: core.segments.active() as u64,
            segment_bytes: core.segments.size(),
            shards: core.shards.len() as u64,
            created_unix: core.map.geometry.created_unix.max(core.control().cleared_unix.load(Ordering::Relaxed))
                as i64,
            evicted_in_minute: sum(Counter::EvictedInMinute),
            evicted_in_hour: sum(Counter::EvictedInHour),
            evicted_in_day: sum(Counter::EvictedInDay),
            returned: sum(Counter::Returned),
            lock_wait_us: sum(Counter::LockWaitUs),
            lock_waits_of_ms: sum(Counter::LockWaitsOfMs),
            lock_waits_of_10ms: sum(Counter::LockWaitsOf10Ms),
            lock_waits_of_100ms: sum(Counter::LockWaitsOf100Ms),
            lock_holds: core.control().holds.buckets.each_ref().map(|bucket| bucket.load(Ordering::Relaxed)),
            lock_hold_ns: core.control().holds.ns.load(Ordering::Relaxed),
            refused_no_memory: core.control().refused.no_memory.load(Ordering::Relaxed),
            refused_busy: core.control().refused.busy.load(Ordering::Relaxed),
            refused_unix: core.control().refused.at.load(Ordering::Relaxed) as i64,
            hits_by_program: reads(|reads| &reads.hits),
            misses_by_program: reads(|reads| &reads.misses),
            decoded_by_program: reads(|reads| &reads.decoded),
            layout: core.map.geometry.layout,
            ..Stats::default()
        };
        stats.buckets = (0..core.shards.len()).map(|shard| u64::from(core.index.buckets(shard))).sum();
        stats.items = items_of(core, epoch);
        let mut behind_items = 0;
        for segment in core.segments.all() {
            let word = core.segments.state(segment);
            let header = core.segments.header(segment);
            match word.kind() {
                Some(State::Free) => stats.segments_free += 1,
                Some(State::Large | State::LargeFill) => stats.item_bytes += core.segments.size(),
                Some(State::Open | State::Sealed | State::Draining) if core.segments.epoch_of(segment) == epoch => {
                    let live = u64::from(header.live_bytes());
                    stats.item_bytes += live;
                    if header.live_items() > 0 && header.is_expired(now) {
                        stats.expired_bytes += live;
                    }
                    if word.kind() == Some(State::Open) {
                        behind_items += core.segments.room_in(segment);
                    }
                }
                _ => {}
            }
        }
        let mut growth = core.map.geometry.memory.saturating_sub(stats.memory_allocated);
        if room && growth > 0 {
            growth = growth.min(core.map.host.room());
        }
        stats.memory_free = stats.segments_free * stats.segment_bytes + behind_items + growth;
        stats
    }

    /// Number of live items, and their bytes as `Found::size` counts them, from existing counters. `None`: the counters
    /// do not suffice, since some items may be past their deadline, or large.
    pub fn totals(&self, now: Time) -> Option<(u64, u64)> {
        let core = &*self.core;
        let epoch = core.epoch(now);
        let mut bytes = 0;
        for segment in core.segments.all() {
            let word = core.segments.state(segment);
            match word.kind() {
                Some(State::Large) => return None,
                Some(State::Open | State::Sealed | State::Draining) if core.segments.epoch_of(segment) == epoch => {
                    let header = core.segments.header(segment);
                    if word.class() != class_of(Deadline::NEVER, now) && header.live_items() > 0 {
                        return None;
                    }
                    bytes += u64::from(header.live_bytes());
                }
                _ => {}
            }
        }
        Some((items_of(core, epoch), bytes))
    }
}

/// Items of this flush epoch.
fn items_of(core: &Core, epoch: u32) -> u64 {
    let tallies = (0..core.shards.len()).map(|shard| &core.shards.at(shard).tally);
    tallies
        .filter(|tally| tally.epoch.load(Ordering::Relaxed) == epoch)
        .fold(0, |items, tally| items.saturating_add(tally.items.load(Ordering::Relaxed)))
}
