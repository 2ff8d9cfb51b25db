//! The arenas that this process has open: one mapping for each file, however often it is opened.
use crate::core::Core;
use crate::error::{failed, Error, OpenError};
use crate::fork::{self, Uncut};
use crate::map::file::{self, OpenOptions, OpenedFile};
use crate::map::Map;
use crate::time;
use rustix::io::Errno;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError, Weak};
use std::time::Duration;

/// Locked only by `with_open`, so that no child of fork finds it half changed, or locked by a thread that it does not
/// have.
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

/// The arena at `path`; made when there is none and the options say so. Also says whether this call made it.
pub(crate) fn at(path: &Path, options: &OpenOptions) -> Result<(Arc<Core>, bool), OpenError> {
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
    Ok((core, created))
}

/// The arena without a name; made when there is none. Also says whether this call made it.
pub(crate) fn nameless(options: &OpenOptions) -> Result<(Arc<Core>, bool), OpenError> {
    let nameless = Path::new("an arena without a name");
    if !time::is_known() {
        return Err(OpenError::TimeNamespace(nameless.to_owned()));
    }
    let share = |open: &mut Vec<Weak<Core>>| {
        let is_known = |core: &Arc<Core>| !core.map.host.has_name() && is_current(core);
        if let Some(core) = open.iter().filter_map(Weak::upgrade).find(is_known) {
            return Ok((core, false));
        }
        let (path, opened) = file::open_nameless(options)?;
        keep(open, &path, opened, options).map(|core| (core, true))
    };
    with_open(fork::PATIENCE, share).unwrap_or_else(|| Err(stuck(nameless)))
}

/// Whether the path leads to this arena still.
pub(crate) fn is_current(core: &Core) -> bool {
    !core.is_lost() && core.map.host.is_current()
}

/// Maps an arena and lists it as open.
fn keep(
    open: &mut Vec<Weak<Core>>,
    path: &Path,
    opened: OpenedFile,
    options: &OpenOptions,
) -> Result<Arc<Core>, OpenError> {
    fork::step();
    let core = Arc::new(core(path, opened, options)?);
    fork::step();
    open.push(Arc::downgrade(&core));
    fork::step();
    Ok(core)
}

fn core(path: &Path, opened: OpenedFile, options: &OpenOptions) -> Result<Core, OpenError> {
    let made = Map::new(path.to_owned(), opened).and_then(|map| Core::new(map, options));
    made.map_err(|source| OpenError::Io { doing: "map", path: path.to_owned(), source })
}

fn stuck(path: &Path) -> OpenError {
    failed("open", path, Errno::DEADLK)
}
