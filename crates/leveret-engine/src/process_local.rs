//! This process's private state of an arena: counters not yet published, mapped pages, back-off times, and values being
//! sent and received. None of it is shared, so a kill ends it.
use crate::counters::Counter;
use crate::map::geometry::Geometry;
use crate::map::layout::{Control, Shard};
use crate::map::mapping::{Data, Table};
use crate::pid::process_id;
use crate::program::Program;
use crate::sync::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use crate::time::{boottime, Time};
use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How many reads are counted privately before they are published.
const BATCH: u64 = 64;

/// This process's reads that are not published yet.
pub(crate) struct Reads {
    hits: AtomicU64,
    misses: AtomicU64,
    /// Hits that were answered by `is_current` alone.
    decoded: AtomicU64,
    /// Where they are published: by kind of program, and by shard.
    control: Table<Control>,
    shards: Table<Shard>,
}

#[derive(Clone, Copy)]
enum Read {
    Hit,
    Miss,
    Decoded,
}

impl Reads {
    pub fn new(control: Table<Control>, shards: Table<Shard>) -> Reads {
        let [hits, misses, decoded] = [const { AtomicU64::new(0) }; 3];
        Reads { hits, misses, decoded, control, shards }
    }

    #[inline]
    pub fn count_hit(&self) {
        self.count(&self.hits, Read::Hit);
    }

    #[inline]
    pub fn count_miss(&self) {
        self.count(&self.misses, Read::Miss);
    }

    /// Of a value that the caller still has.
    #[inline]
    pub fn count_decoded(&self) {
        self.count(&self.decoded, Read::Decoded);
    }

    /// A plain load and store: threads may lose a count to each other, which costs less than a locked instruction per
    /// get.
    #[inline]
    fn count(&self, counter: &AtomicU64, read: Read) {
        let count = counter.load(Ordering::Relaxed) + 1;
        counter.store(count, Ordering::Relaxed);
        if count >= BATCH {
            self.publish_one(counter, read);
        }
    }

    #[cold]
    fn publish_one(&self, counter: &AtomicU64, read: Read) {
        let count = counter.swap(0, Ordering::Relaxed);
        // Most calls of `publish` find nothing new: then no line is taken from others.
        if count == 0 {
            return;
        }
        // Any shard will do, since only the sum is shown; different processes take different ones.
        let shard = process_id() as usize % self.shards.len();
        let of_program = &self.control.at(0).reads[Program::of_this_process() as usize];
        let (counter, also) = match read {
            Read::Miss => (Counter::Misses, &of_program.misses),
            Read::Hit | Read::Decoded => (Counter::Hits, &of_program.hits),
        };
        self.shards.at(shard).counters[counter as usize].fetch_add(count, Ordering::Relaxed);
        also.fetch_add(count, Ordering::Relaxed);
        if matches!(read, Read::Decoded) {
            of_program.decoded.fetch_add(count, Ordering::Relaxed);
        }
    }

    pub fn publish(&self) {
        self.publish_one(&self.hits, Read::Hit);
        self.publish_one(&self.misses, Read::Miss);
        self.publish_one(&self.decoded, Read::Decoded);
    }
}

/// Pages are mapped in runs of this length: one call instead of a page fault for every 4 KiB.
const WINDOW: u64 = 64 << 10;

/// So little may be mapped by page faults once.
const FAULTS_LEN_MAX: u64 = 4 << 10;

/// A bit for each `WINDOW` of the data region whose pages this process has mapped for writing.
pub(crate) struct Touched {
    windows: Vec<AtomicU64>,
    segment_shift: u32,
    /// A process that stores once, and little, need not map what it does not write.
    has_stored: AtomicBool,
}

impl Touched {
    pub fn new(geometry: &Geometry) -> Touched {
        let data_len = u64::from(geometry.segments_max) << geometry.segment_shift;
        let windows = (0..data_len.div_ceil(WINDOW * 64)).map(|_| AtomicU64::new(0)).collect();
        Touched { windows, segment_shift: geometry.segment_shift, has_stored: AtomicBool::new(false) }
    }

    /// Maps the pages of a range that is about to be written, unless this process has done so before. `len` is above 0.
    #[inline]
    pub fn touch(&self, data: &Data, at: u64, len: u64) {
        debug_assert!(len > 0);
        let windows = at / WINDOW..=(at + len - 1) / WINDOW;
        if (windows.start() != windows.end() || !self.is_touched(*windows.start()))
            && (len > FAULTS_LEN_MAX || self.has_stored.swap(true, Ordering::Relaxed))
        {
            self.touch_windows(data, at, windows);
        }
    }

    #[inline]
    fn is_touched(&self, window: u64) -> bool {
        self.windows[(window / 64) as usize].load(Ordering::Relaxed) >> (window % 64) & 1 != 0
    }

    /// Never beyond the segment of `at`: the memory of the next one may have been given to the index.
    #[cold]
    fn touch_windows(&self, data: &Data, at: u64, windows: RangeInclusive<u64>) {
        let begin = at >> self.segment_shift << self.segment_shift;
        let end = begin + (1 << self.segment_shift);
        for window in windows.filter(|window| !self.is_touched(*window)) {
            self.windows[(window / 64) as usize].fetch_or(1 << (window % 64), Ordering::Relaxed);
            let from = begin.max(window * WINDOW);
            data.populate(from, end.min((window + 1) * WINDOW).saturating_sub(from));
        }
    }
}

/// Back-off: a time in which this process does not repeat what has just failed.
#[derive(Default)]
pub(crate) struct Pause(AtomicU32);

impl Pause {
    pub fn lasts(&self, now: Time) -> bool {
        Time(self.0.load(Ordering::Relaxed)) > now
    }

    pub fn begin(&self, now: Time, secs: u32) {
        self.0.store(now.0.saturating_add(secs), Ordering::Relaxed);
    }
}

/// How long threads that do not wait have met a lock that another process holds.
#[derive(Default)]
pub(crate) struct Met {
    since_ns: AtomicI64,
    last_ns: AtomicI64,
}

impl Met {
    /// A second without a meeting begins a new count.
    const FORGOTTEN_NS: i64 = 1_000_000_000;

    /// The lock is held now. Returns the time since the first meeting.
    pub fn again(&self) -> Duration {
        let now = boottime();
        let last = self.last_ns.swap(now, Ordering::Relaxed);
        if last == 0 || now - last > Met::FORGOTTEN_NS {
            self.since_ns.store(now, Ordering::Relaxed);
        }
        Duration::from_nanos((now - self.since_ns.load(Ordering::Relaxed)).max(0) as u64)
    }

    /// The lock was free.
    pub fn end(&self) {
        self.last_ns.store(0, Ordering::Relaxed);
    }
}

/// Which segments this process sends from, and how often at once. The first of its threads writes the name, the last
/// one takes it away.
#[derive(Default)]
pub(crate) struct Sending(Mutex<HashMap<u32, u32>>);

impl Sending {
    pub fn counts(&self) -> MutexGuard<'_, HashMap<u32, u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How many segments this process receives values into.
#[derive(Default)]
pub(crate) struct Receiving(AtomicUsize);

impl Receiving {
    /// Takes a share of `segments` out of the `most` that there may be. False: it would be more.
    pub fn take(&self, segments: usize, most: usize) -> bool {
        let is_room = self.0.fetch_add(segments, Ordering::Relaxed) + segments <= most;
        if !is_room {
            self.give_back(segments);
        }
        is_room
    }

    pub fn give_back(&self, segments: usize) {
        self.0.fetch_sub(segments, Ordering::Relaxed);
    }

    #[cfg(test)]
    pub fn segments(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}
