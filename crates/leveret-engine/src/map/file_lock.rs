//! The lock file beside an arena's, which serialises the rare things that have no other guard.
use crate::error::{failed, OpenError};
use crate::fork::{step, Unshared};
use crate::map::folder::Folder;
use crate::map::name::{beside, is_nameless, name_of, open_again, FOUND};
use rustix::fd::OwnedFd;
use rustix::fs::{self, AtFlags, FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// `<path>.lock`, held: creation, growth and the list of parents. Of an arena without a name it is its own file. The
/// kernel frees it when the holder dies.
pub(crate) struct FileLock {
    file: Unshared,
}

/// By word, not by closing: a child that was forked without the handlers of `fork.rs` has the file open too, and would keep
/// the lock for its life.
impl Drop for FileLock {
    fn drop(&mut self) {
        if let Some(file) = self.file.file() {
            let _ = fs::flock(file, FlockOperation::Unlock);
        }
    }
}

impl FileLock {
    /// Opens or creates the file. An existing one is checked as an arena is, and its mode is never changed.
    fn file(folder: &Folder, lock: &Path) -> Result<OwnedFd, OpenError> {
        loop {
            let name = name_of(lock);
            let file = match fs::openat(folder, name, FOUND, Mode::empty()) {
                Err(Errno::NOENT) => {
                    match fs::openat(folder, name, FOUND | OFlags::CREATE | OFlags::EXCL, folder.mode()) {
                        // The umask may have taken the group's rights.
                        Ok(file) => fs::fchmod(&file, folder.mode()).map(|()| file),
                        Err(Errno::EXIST) => continue,
                        refused => refused,
                    }
                }
                answer => answer,
            };
            let file = file.map_err(|error| failed("open the lock file", lock, error))?;
            let stat = fs::fstat(&file).map_err(|error| failed("look at", lock, error))?;
            return folder.check(name, &stat).map(|()| file);
        }
    }

    pub fn wait(path: &Path, patience: Duration) -> Result<FileLock, OpenError> {
        Self::wait_unless(path, patience, &|| false)
    }

    /// Waits up to `patience`, or until the holder has done what the lock was wanted for. A holder for which this process
    /// has waited in vain is not waited for again.
    #[cold]
    #[inline(never)]
    pub fn wait_unless(path: &Path, patience: Duration, is_done: &dyn Fn() -> bool) -> Result<FileLock, OpenError> {
        let begun = Instant::now();
        let take = |file: &Unshared| {
            let identity = identity_of(file)?;
            let patience = if is_stuck(identity) { Duration::ZERO } else { patience };
            let is_waited_for = |error| error == Errno::WOULDBLOCK && begun.elapsed() < patience && !is_done();
            let taken = lock(file, is_waited_for);
            match taken {
                Ok(()) => forget_stuck(identity),
                Err(Errno::WOULDBLOCK) if !patience.is_zero() && !is_done() => note_stuck(identity),
                Err(_) => {}
            }
            taken
        };
        if is_nameless(path) {
            let file = Unshared::open(|| open_again(path).map_err(|error| failed("open", path, error)))?;
            return take(&file).map_err(|error| failed("lock", path, error)).map(|()| FileLock { file });
        }
        let folder = Folder::of(path)?;
        let lock_path = beside(path, ".lock");
        loop {
            let file = Unshared::open(|| Self::file(&folder, &lock_path))?;
            step();
            take(&file).map_err(|error| failed("lock", &lock_path, error))?;
            step();
            // Else it was removed together with its arena meanwhile: others lock a new one.
            if is_named(&file, &folder, name_of(&lock_path)) {
                return Ok(FileLock { file });
            }
        }
    }
}

fn lock(file: &Unshared, is_waited_for: impl Fn(Errno) -> bool) -> Result<(), Errno> {
    loop {
        // Gone: a signal handler has forked, and this is the child.
        match fs::flock(file.file().ok_or(Errno::BADF)?, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::INTR) => {}
            Err(error) if is_waited_for(error) => std::thread::sleep(Duration::from_millis(1)),
            answer => return answer,
        }
    }
}

fn identity_of(file: &Unshared) -> Result<(u64, u64), Errno> {
    let stat = fs::fstat(file.file().ok_or(Errno::BADF)?)?;
    Ok((stat.st_dev, stat.st_ino))
}

/// Whether a name leads to this open file still.
fn is_named(file: &Unshared, folder: &Folder, name: &OsStr) -> bool {
    let named = fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW);
    let open = identity_of(file);
    matches!((open, named), (Ok(open), Ok(named)) if open == (named.st_dev, named.st_ino))
}

/// The lock files that this process has waited for in vain, the last few of them.
static STUCK: [AtomicU64; 8] = [const { AtomicU64::new(0) }; 8];
static NEXT_STUCK: AtomicU64 = AtomicU64::new(0);

/// Never 0. Two files that share a mark cost a wait that is not made.
fn mark_of((device, number): (u64, u64)) -> u64 {
    device.rotate_left(32) ^ number | 1 << 63
}

fn is_stuck(identity: (u64, u64)) -> bool {
    STUCK.iter().any(|place| place.load(Ordering::Relaxed) == mark_of(identity))
}

fn note_stuck(identity: (u64, u64)) {
    let next = NEXT_STUCK.fetch_add(1, Ordering::Relaxed) as usize % STUCK.len();
    STUCK[next].store(mark_of(identity), Ordering::Relaxed);
}

fn forget_stuck(identity: (u64, u64)) {
    for place in &STUCK {
        let _ = place.compare_exchange(mark_of(identity), 0, Ordering::Relaxed, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_that_a_fork_has_made_keeps_no_lock() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("forked.arena");
        let lock = FileLock::wait(&path, Duration::from_millis(100)).expect("free");
        let _copy = lock.file.file().expect("ours").try_clone().expect("a copy");
        drop(lock);
        FileLock::wait(&path, Duration::from_millis(100)).expect("free again");
    }

    /// `remove` also removes the lock file. A waiter must not end up with the lock of a file that no other process will
    /// ask for.
    #[test]
    fn a_lock_file_that_was_removed_is_no_lock() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let path = dir.path().join("locked.arena");
        let removed = FileLock::wait(&path, Duration::ZERO).expect("free");
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| FileLock::wait(&path, Duration::from_secs(3600)).map(drop));
            std::thread::sleep(Duration::from_millis(20));
            fs::unlink(beside(&path, ".lock")).expect("removed");
            let current = FileLock::wait(&path, Duration::ZERO).expect("a new one is free");
            drop(removed);
            std::thread::sleep(Duration::from_millis(20));
            assert!(!waiter.is_finished());
            drop(current);
            waiter.join().expect("no panic").expect("free at last");
        });
    }

    /// A lock that was never given up cost every attempt the whole wait, of a process that tries again each second most of
    /// its time.
    #[test]
    fn a_holder_that_does_not_go_on_is_waited_for_once() {
        const FOR_EVER: Duration = Duration::from_secs(100 * 365 * 86_400);
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let path = dir.path().join("held.arena");
        for _ in 0..2 {
            let held = FileLock::wait(&path, Duration::ZERO).expect("free");
            assert!(FileLock::wait(&path, Duration::from_millis(20)).is_err());
            for _ in 0..100 {
                let refused = FileLock::wait(&path, FOR_EVER).map(drop).expect_err("held").to_string();
                assert!(refused.contains("another process holds it"), "{refused}");
            }
            drop(held);
            // After one success the next waits again.
            drop(FileLock::wait(&path, FOR_EVER).expect("free"));
            let held = FileLock::wait(&path, FOR_EVER).expect("free");
            std::thread::scope(|scope| {
                let waiter = scope.spawn(|| FileLock::wait(&path, FOR_EVER).map(drop));
                std::thread::sleep(Duration::from_millis(20));
                drop(held);
                waiter.join().expect("no panic").expect("waited for");
            });
        }
    }
}
