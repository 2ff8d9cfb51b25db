//! An arena as callers hold it: opening, closing, and what it says of itself.
use crate::core::Core;
use crate::error::{failed, Error, OpenError};
use crate::fork::{self, Uncut};
use crate::map::file::{self, Opened};
use crate::map::Map;
use crate::time;
use rustix::io::Errno;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError, Weak};
use std::time::Duration;

pub use crate::map::file::{remove, OpenOptions};

/// A cache in shared memory. Cheap to clone; one mapping per process and file, however often it is opened.
#[derive(Clone)]
pub struct Arena {
    pub(crate) core: Arc<Core>,
}

/// The arenas that this process has open. Locked only by `with_open`, so that no child of fork finds it half changed, or
/// locked by a thread that it does not have.
static OPEN: Mutex<Vec<Weak<Core>>> = Mutex::new(Vec::new());

/// None: another thread does not give the list up within `patience`, or this one has it already (a signal handler).
fn with_open<T>(patience: Duration, act: impl FnOnce(&mut Vec<Weak<Core>>) -> T) -> Option<T> {
    let _uncut = Uncut::within(patience)?;
    let mut open: MutexGuard<'_, _> = match OPEN.try_lock() {
        Ok(open) => open,
        Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
        Err(TryLockError::WouldBlock) => return None,
    };
    Some(act(&mut open))
}

/// The open arena of this number, if it is open. `Busy`: another thread opens one just now.
pub(crate) fn open_one(number: u64) -> Result<Option<Arc<Core>>, Error> {
    let find = |open: &mut Vec<Weak<Core>>| open.iter().filter_map(Weak::upgrade).find(|core| core.number == number);
    with_open(Duration::ZERO, find).ok_or(Error::Busy)
}

impl Arena {
    /// Opens the arena at `path`; makes it when there is none and the options say so. Also says whether this call made
    /// it.
    pub fn open(path: &Path, options: &OpenOptions) -> Result<(Arena, bool), OpenError> {
        if !time::is_known() {
            return Err(OpenError::TimeNamespace(path.to_owned()));
        }
        // Not under the lock: the maker of an arena may be waited for.
        let opened = file::open(path, options)?;
        fork::step();
        let created = opened.created;
        // One at a time: a mapping of the same file that another thread is about to make must be found.
        let share = |open: &mut Vec<Weak<Core>>| {
            open.retain(|core| core.strong_count() > 0);
            let is_known = |core: &Arc<Core>| core.map.host.is_of(path, opened.identity) && !core.is_lost();
            match open.iter().filter_map(Weak::upgrade).find(is_known) {
                Some(core) => Ok(core),
                None => keep(open, path, opened, options),
            }
        };
        let core = with_open(fork::PATIENCE, share).unwrap_or_else(|| Err(stuck(path)))?;
        Ok((Arena { core }, created))
    }

    /// The arena without a name that this process, the forks of it and nobody else have; makes it when there is none.
    /// Who wants to share it with a fork opens it before.
    pub fn of_this_process(options: &OpenOptions) -> Result<(Arena, bool), OpenError> {
        let nameless = Path::new("an arena without a name");
        if !time::is_known() {
            return Err(OpenError::TimeNamespace(nameless.to_owned()));
        }
        let share = |open: &mut Vec<Weak<Core>>| {
            let is_known = |core: &Arc<Core>| !core.map.host.has_name() && is_current(core);
            if let Some(core) = open.iter().filter_map(Weak::upgrade).find(is_known) {
                return Ok((Arena { core }, false));
            }
            let (path, opened) = file::open_nameless(options)?;
            keep(open, &path, opened, options).map(|core| (Arena { core }, true))
        };
        with_open(fork::PATIENCE, share).unwrap_or_else(|| Err(stuck(nameless)))
    }

    /// The arena's file. Of an arena without a name it leads there in the processes that have it, and nowhere in
    /// others.
    pub fn path(&self) -> &Path {
        self.core.map.host.path()
    }

    /// Which of all the arenas that this process has opened: the same for all handles of one mapping, and no number
    /// comes back, as an address may.
    #[inline]
    pub fn number(&self) -> u64 {
        self.core.number
    }

    /// The arena's limit in bytes: metadata, index and items together.
    pub fn memory(&self) -> u64 {
        self.core.map.geometry.memory
    }

    /// The largest value in bytes: an eighth of the arena, at most 64 GiB.
    pub fn value_max(&self) -> usize {
        self.core.map.geometry.value_max() as usize
    }

    /// The longest key in bytes: a quarter of a segment, at most 65,535.
    #[inline]
    pub fn key_max(&self) -> usize {
        self.core.map.geometry.key_max()
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
        self.core.reads.publish();
        if is_current(&self.core) {
            Ok(())
        } else {
            Err(Error::Lost)
        }
    }
}

/// Maps an arena and lists it as open.
fn keep(
    open: &mut Vec<Weak<Core>>,
    path: &Path,
    opened: Opened,
    options: &OpenOptions,
) -> Result<Arc<Core>, OpenError> {
    fork::step();
    let core = Arc::new(core(path, opened, options)?);
    fork::step();
    open.push(Arc::downgrade(&core));
    fork::step();
    Ok(core)
}

fn stuck(path: &Path) -> OpenError {
    failed("open", path, Errno::DEADLK)
}

fn core(path: &Path, opened: Opened, options: &OpenOptions) -> Result<Core, OpenError> {
    let made = Map::new(path.to_owned(), opened).and_then(|map| Core::new(map, options));
    made.map_err(|source| OpenError::Io { doing: "map", path: path.to_owned(), source })
}

/// Whether the path leads to this arena still.
fn is_current(core: &Core) -> bool {
    !core.is_lost() && core.map.host.is_current()
}
