//! One arena as this process sees it: the mapping, its typed regions and the private copy of its geometry. All that
//! makes, maps and grows files is in this folder.
pub(crate) mod file;
mod folder;
pub(crate) mod geometry;
mod growth;
mod guard;
#[cfg_attr(loom, path = "../models/host.rs")]
pub(crate) mod host;
pub(crate) mod layout;
mod mapping;
pub mod place;
pub(crate) mod process;

use crate::error::{Error, OpenError};
use crate::send::Sending;
use crate::stats::ReadCounters;
use crate::sync::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use crate::time::{self, Moment};
use geometry::{Geometry, RegionId};
use layout::{
    Bucket, Control, LeaseSlot, ProcessSlot, SegmentHeader, SegmentState, ServiceSlot, Shard, LEASES_PER_SHARD,
    MASTERS, SERVICES,
};
use mapping::{Data, Mapping, Table};
use rustix::fd::OwnedFd;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, TryLockError, Weak};
use std::time::Duration;

pub use file::{remove, OpenOptions};

/// A cache in shared memory. Cheap to clone; one mapping per process and file, however often it is opened.
#[derive(Clone)]
pub struct Arena {
    pub(crate) core: Arc<Core>,
}

/// Everything behind an `Arena`.
pub(crate) struct Core {
    /// Which of all that this process has opened: an address may come back as another arena's.
    pub number: u64,
    pub path: PathBuf,
    /// The descriptor that `path` names, of an arena without a name.
    nameless: Option<OwnedFd>,
    pub identity: (u64, u64),
    pub geometry: Geometry,
    pub lock_timeout: Duration,
    pub evicts: bool,
    pub membership: process::Membership,
    pub reads: ReadCounters,
    /// Per shard the moment until which writers do not wait again for a lock owner that would not go on.
    pub stuck_until: Vec<AtomicU32>,
    /// The moment until which writers do not wait again for the file lock, whose holder would not go on.
    pub growth_stuck_until: AtomicU32,
    /// Per shard the moment until which nobody tries again to grow an index that could not grow.
    pub index_full_until: Vec<AtomicU32>,
    /// A bit for each `WINDOW` of the data region whose pages this process has mapped for writing.
    touched: Vec<AtomicU64>,
    /// Segments that this process sends values from.
    pub sending: Sending,
    /// Segments that this process receives values into.
    pub receiving: AtomicUsize,
    control: Table<Control>,
    pub processes: Table<ProcessSlot>,
    pub shards: Table<Shard>,
    pub states: Table<SegmentState>,
    pub headers: Table<SegmentHeader>,
    pub used_map: Table<AtomicU64>,
    pub overflow_map: Table<AtomicU64>,
    pub ghosts: Table<AtomicU32>,
    pub leases: Table<LeaseSlot>,
    pub masters: Table<AtomicU64>,
    pub services: Table<ServiceSlot>,
    pub index: Table<Bucket>,
    pub overflow: Table<Bucket>,
    pub data: Data,
    // Last, so that the views above never outlive it.
    mapping: Mapping,
}

/// Pages are mapped in runs of this length: one call instead of a page fault for every 4 KiB.
const WINDOW: u64 = 64 << 10;

/// The arenas that this process has open.
static OPEN: Mutex<Vec<Weak<Core>>> = Mutex::new(Vec::new());

/// How many it has opened so far.
static OPENED: AtomicU64 = AtomicU64::new(0);

/// The open arena of this number, if it is open. `Busy`: another thread opens one just now.
pub(crate) fn open_one(number: u64) -> Result<Option<Arc<Core>>, Error> {
    let open = match OPEN.try_lock() {
        Ok(open) => open,
        Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
        Err(TryLockError::WouldBlock) => return Err(Error::Busy),
    };
    let one = open.iter().filter_map(Weak::upgrade).find(|core| core.number == number);
    Ok(one)
}

impl Arena {
    /// Opens the arena at `path`; makes it when there is none and the options say so. Also says whether this call made
    /// it.
    pub fn open(path: &Path, options: &OpenOptions) -> Result<(Arena, bool), OpenError> {
        // One at a time: a mapping of the same file that another thread is about to make must be found below.
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        let opened = file::open(path, options)?;
        open.retain(|core| core.strong_count() > 0);
        let known = open
            .iter()
            .filter_map(Weak::upgrade)
            .find(|core| core.identity == opened.identity && core.path == path && !core.mapping.is_lost());
        if let Some(core) = known {
            return Ok((Arena { core }, opened.created));
        }
        let created = opened.created;
        let failed = |source| OpenError::Io { doing: "map", path: path.to_owned(), source };
        let core = Arc::new(Core::of_file(path, &opened, options).map_err(failed)?);
        open.push(Arc::downgrade(&core));
        Ok((Arena { core }, created))
    }

    /// The arena without a name that this process, the forks of it and nobody else have; makes it when there is none.
    /// Who wants to share it with a fork opens it before.
    pub fn of_this_process(options: &OpenOptions) -> Result<(Arena, bool), OpenError> {
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        let known = open.iter().filter_map(Weak::upgrade).find(|core| core.nameless.is_some() && core.check().is_ok());
        if let Some(core) = known {
            return Ok((Arena { core }, false));
        }
        let (path, opened) = file::open_nameless(options)?;
        let failed = |source| OpenError::Io { doing: "map", path: path.clone(), source };
        let mut core = Core::of_file(&path, &opened, options).map_err(failed)?;
        core.nameless = Some(opened.file);
        let core = Arc::new(core);
        open.push(Arc::downgrade(&core));
        Ok((Arena { core }, true))
    }

    /// The arena's file. Of an arena without a name it leads there in the processes that have it, and nowhere in
    /// others.
    pub fn path(&self) -> &Path {
        &self.core.path
    }

    /// The arena's limit in bytes: metadata, index and items together.
    pub fn memory(&self) -> u64 {
        self.core.geometry.memory
    }

    /// The largest value in bytes: an eighth of the arena.
    pub fn value_max(&self) -> usize {
        (self.core.geometry.memory / 8) as usize
    }

    /// The longest key in bytes: a quarter of a segment, at most 65,535.
    #[inline]
    pub fn key_max(&self) -> usize {
        self.core.key_max()
    }

    /// Whether the file was truncated under this process: it sees nothing of the arena any more. Costs nothing to ask.
    #[inline]
    pub fn is_lost(&self) -> bool {
        self.core.is_lost()
    }

    /// Whether this is still the arena that the path names: not unlinked, replaced or truncated. One stat(2), for once
    /// a request; also measures the time spent in suspend anew and publishes this process's read counters.
    pub fn check(&self) -> Result<(), Error> {
        time::refresh();
        self.core.flush_read_counters();
        self.core.check()
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        // A process that ends in good order hands in what it has counted.
        if !self.is_lost() {
            self.flush_read_counters();
        }
    }
}

impl Core {
    fn check(&self) -> Result<(), Error> {
        if self.mapping.is_lost() || !file::is_same(&self.path, self.identity, self.geometry.file_len) {
            return Err(Error::Lost);
        }
        Ok(())
    }

    fn of_file(path: &Path, opened: &file::Opened, options: &OpenOptions) -> std::io::Result<Core> {
        use rustix::fd::AsFd;
        let mapping = Mapping::new(opened.file.as_fd(), opened.geometry.file_len)?;
        let mut core = Core::over(mapping, opened.geometry.clone(), options)?;
        (core.path, core.identity) = (path.to_owned(), opened.identity);
        Ok(core)
    }

    /// The arena of this shape in this memory. It has neither a path nor an identity.
    pub(crate) fn over(mapping: Mapping, geometry: Geometry, options: &OpenOptions) -> std::io::Result<Core> {
        let shards = geometry.shards() as usize;
        let segments = geometry.segments_max as usize;
        let off = |id| geometry.region(id).off;
        let data = geometry.region(RegionId::Data);
        // SAFETY: each of these types consists of atomics only.
        let core = unsafe {
            Core {
                number: OPENED.fetch_add(1, Ordering::Relaxed),
                control: mapping.table(off(RegionId::Control), 1),
                processes: mapping.table(off(RegionId::Processes), geometry.process_slots as usize),
                shards: mapping.table(off(RegionId::Shards), shards),
                states: mapping.table(off(RegionId::SegmentStates), segments),
                headers: mapping.table(off(RegionId::SegmentHeaders), segments),
                used_map: mapping.table(off(RegionId::UsedMap), segments.div_ceil(64)),
                overflow_map: mapping.table(off(RegionId::OverflowMap), shards * geometry.overflow_words()),
                ghosts: mapping.table(off(RegionId::Ghosts), shards * geometry.ghosts as usize),
                leases: mapping.table(off(RegionId::Leases), shards * LEASES_PER_SHARD),
                masters: mapping.table(off(RegionId::Masters), MASTERS),
                services: mapping.table(off(RegionId::Services), SERVICES),
                index: mapping.table(off(RegionId::Index), shards * geometry.buckets_max as usize),
                overflow: mapping.table(off(RegionId::Overflow), shards * geometry.overflow_max() as usize),
                data: mapping.data(data.off, data.len),
                path: PathBuf::new(),
                nameless: None,
                identity: (0, 0),
                lock_timeout: options.lock_timeout,
                evicts: options.evict,
                membership: process::Membership::new()?,
                reads: ReadCounters::default(),
                stuck_until: (0..shards).map(|_| AtomicU32::new(0)).collect(),
                growth_stuck_until: AtomicU32::new(0),
                index_full_until: (0..shards).map(|_| AtomicU32::new(0)).collect(),
                touched: (0..data.len.div_ceil(WINDOW * 64)).map(|_| AtomicU64::new(0)).collect(),
                sending: Sending::default(),
                receiving: AtomicUsize::new(0),
                geometry,
                mapping,
            }
        };
        Ok(core)
    }

    #[inline]
    pub fn control(&self) -> &Control {
        self.control.at(0)
    }

    /// Segments that are allocated so far; whatever the file says, never more than there can be.
    #[inline]
    pub fn active_segments(&self) -> usize {
        (self.control().active_segments.load(Ordering::Acquire) as usize).min(self.states.len())
    }

    #[inline]
    pub fn key_max(&self) -> usize {
        (self.geometry.segment_size() as usize / 4).min(usize::from(u16::MAX))
    }

    #[inline]
    pub fn is_lost(&self) -> bool {
        self.mapping.is_lost()
    }

    /// Maps the pages of a range that is about to be written, unless this process has done so before. `len` is above 0.
    #[inline]
    pub fn touch_pages(&self, at: u64, len: u64) {
        debug_assert!(len > 0);
        let windows = at / WINDOW..=(at + len - 1) / WINDOW;
        if windows.start() != windows.end() || !self.is_touched(*windows.start()) {
            self.touch_windows(at, windows);
        }
    }

    #[inline]
    fn is_touched(&self, window: u64) -> bool {
        self.touched[(window / 64) as usize].load(Ordering::Relaxed) >> (window % 64) & 1 != 0
    }

    /// Never beyond the segment of `at`: the memory of the next one may have been given to the index.
    #[cold]
    fn touch_windows(&self, at: u64, windows: RangeInclusive<u64>) {
        let begin = at >> self.geometry.segment_shift << self.geometry.segment_shift;
        let end = begin + self.geometry.segment_size();
        for window in windows.filter(|window| !self.is_touched(*window)) {
            self.touched[(window / 64) as usize].fetch_or(1 << (window % 64), Ordering::Relaxed);
            let from = begin.max(window * WINDOW);
            self.data.populate(from, end.min((window + 1) * WINDOW).saturating_sub(from));
        }
    }

    /// The flush epoch of this moment; carries out a delayed flush whose time has come.
    #[inline]
    pub fn epoch(&self, now: impl Moment) -> u32 {
        let flush = self.control().flush.load(Ordering::Acquire);
        if flush >> 32 == 0 {
            return flush as u32;
        }
        self.due_flush(flush, now.time())
    }
}
