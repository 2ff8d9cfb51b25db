//! Parents: a long-lived process that forks workers, a web server's main process say, whose restart is to begin with an
//! empty arena. The parent itself need not open it (it may be root); its first worker asks here. Pids and start times
//! are no proof of death, and need not be: a wrong guess empties a cache once too often, or once too seldom.
use crate::arena::Arena;
use crate::error::{Error, OpenError};
use crate::map::file::{renew_under_lock, OpenOptions};
use crate::map::file_lock::FileLock;
use crate::map::geometry::FORMAT;
use crate::map::host::stat_of;
use crate::sync::Ordering;
use crate::time::ticks_since_boot;
use std::io::ErrorKind;

/// `pid:22 | low bits of its start time:8 | when it was drawn:34`, both in ticks since boot: enough for five years. The
/// last part distinguishes a parent from its earlier incarnations and orders them: a parent that executes its program
/// again, or loads a library again, keeps pid and start time.
const DRAWN_BITS: u32 = 34;
const DRAWN: u64 = (1 << DRAWN_BITS) - 1;
const START: u64 = 0xff;

/// Names the calling process as it is now: call it in the parent, before it forks its workers.
pub fn parent_token() -> u64 {
    let pid = std::process::id();
    token(pid, stat_of(pid).map_or(0, |stat| stat.start_time), ticks_since_boot())
}

fn token(pid: u32, start: u64, drawn: u64) -> u64 {
    (u64::from(pid) << 8 | start & START) << DRAWN_BITS | drawn & DRAWN
}

fn pid_of(token: u64) -> u32 {
    (token >> DRAWN_BITS >> 8) as u32
}

/// The token of the parent that forked the calling worker. A parent that goes into the background draws its token,
/// forks, and exits: the new parent is a child of the process that the token names, forked after it was drawn.
fn of_own_parent(drawn: u64) -> u64 {
    let parent = std::os::unix::process::parent_id();
    if [parent, std::process::id()].contains(&pid_of(drawn)) {
        return drawn;
    }
    match stat_of(parent) {
        Some(stat) if stat.start_time >= drawn & DRAWN => token(parent, stat.start_time, stat.start_time),
        // The worker has outlived its parent.
        _ => drawn,
    }
}

/// Whether two tokens are of the same process.
fn same_process(one: u64, other: u64) -> bool {
    (one ^ other) >> DRAWN_BITS == 0
}

/// Whether the process of a token, which is not the newcomer's, still is the one that drew it.
fn lives(token: u64) -> bool {
    let (process, drawn, pid) = (token >> DRAWN_BITS, token & DRAWN, pid_of(token));
    match stat_of(pid) {
        // The dead may wait for ever for an init that takes no note of them, as in many containers.
        Some(stat) => stat.start_time & START == process & START && stat.start_time <= drawn && !stat.is_ending(),
        // /proc may hide other users' processes. EPERM is a sign of life.
        None => {
            // SAFETY: signal 0 sends nothing.
            pid > 1
                && unsafe { libc::kill(pid as i32, 0) } != 0
                && std::io::Error::last_os_error().raw_os_error() == Some(libc::EPERM)
        }
    }
}

impl Arena {
    /// A worker of the parent `token` comes. The first of a new parent empties the arena, unless another listed parent
    /// lives (a second server), or a later self of this parent is listed already: then the worker is one of before,
    /// with its last request. True: it was emptied. After an error it must write nothing: another worker of its parent
    /// will empty the arena. `Lost`: open it again. An arena of an older layout that no other process uses is replaced by a
    /// new one instead of being emptied.
    pub fn enter_parent(&self, token: u64) -> Result<bool, Error> {
        let token = of_own_parent(token);
        let core = &*self.core;
        let listed = || self.lists_parent(token);
        if listed() {
            return Ok(false);
        }
        let _lock = match FileLock::wait_unless(core.map.host.path(), core.lock_timeout, &listed) {
            Ok(lock) => lock,
            Err(_) if listed() => return Ok(false),
            // A user who may not use the lock file never enters, nor do that user's other workers: nothing is emptied.
            Err(OpenError::Io { source, .. }) if source.kind() == ErrorKind::PermissionDenied => return Ok(false),
            Err(_) => return Err(Error::Busy),
        };
        if listed() {
            return Ok(false);
        }
        if !core.map.host.is_current() {
            // Another worker has replaced it while this one waited for the lock.
            return Err(Error::Lost);
        }
        if self.layout() < FORMAT && self.is_for_alone(token, lives) {
            let options = OpenOptions::new().memory(self.memory());
            // Without room for it the old one is emptied, and serves on.
            if renew_under_lock(core.map.host.path(), &options).is_ok() {
                return Err(Error::Lost);
            }
        }
        self.list_parent(token, lives)
    }

    /// Whether no other process has a life sign here, and no other parent lives.
    fn is_for_alone(&self, token: u64, lives: impl Fn(u64) -> bool) -> bool {
        let parents = &self.core.parents;
        let is_other = |listed: u64| match same_process(listed, token) {
            true => listed > token,
            false => listed != 0 && lives(listed),
        };
        !(0..parents.len()).any(|slot| is_other(parents.at(slot).load(Ordering::Relaxed)))
            && self.core.presence.is_alone()
    }

    /// Acquire: a worker whose parent is listed sees the arena emptied.
    pub(crate) fn lists_parent(&self, token: u64) -> bool {
        let parents = &self.core.parents;
        (0..parents.len()).any(|slot| parents.at(slot).load(Ordering::Acquire) == token)
    }

    /// Lists a parent that is not listed, under the file lock. True: the arena was emptied for it.
    pub(crate) fn list_parent(&self, token: u64, lives: impl Fn(u64) -> bool) -> Result<bool, Error> {
        let core = &*self.core;
        let mut others_live = false;
        let mut free = 0;
        for slot in 0..core.parents.len() {
            let cell = core.parents.at(slot);
            match cell.load(Ordering::Relaxed) {
                0 => free = slot,
                later if same_process(later, token) && later > token => return Ok(false),
                other if !same_process(other, token) && lives(other) => others_live = true,
                _ => {
                    cell.store(0, Ordering::Relaxed);
                    free = slot;
                }
            }
        }
        // Emptied before the parent is listed: its other workers wait for the file lock meanwhile.
        if !others_live {
            self.clear()?;
        }
        core.parents.at(free).store(token, Ordering::Release);
        Ok(!others_live)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Deadline, OpenOptions, Time};

    /// A worker that outlived a restart of its parent and came to the cache only then emptied it, and so did the next
    /// worker of the restarted parent.
    #[test]
    fn a_worker_of_a_former_self_empties_nothing() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let (arena, _) = Arena::open(&dir.path().join("parent.arena"), &OpenOptions::new()).expect("an arena");
        let now = Time::now();
        let store = || arena.set(b"k", b"v", Deadline::NEVER, now).expect("room");
        let kept = || arena.get(b"k", now).is_some();
        let before = parent_token();
        let after = before + 1;
        store();
        assert!(arena.enter_parent(before).expect("entered") && !kept());
        store();
        assert!(arena.enter_parent(after).expect("entered") && !kept());
        store();
        for late in [before, after, before] {
            assert!(!arena.enter_parent(late).expect("entered") && kept());
        }
    }

    /// An older layout goes with the restart that empties the arena anyway, unless somebody else uses the arena.
    #[test]
    fn the_first_worker_replaces_an_arena_of_an_older_layout() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let path = dir.path().join("older.arena");
        let options = OpenOptions::new().memory(20 << 20);
        let now = Time::now();
        // An older one of init, which lives: another web server.
        let init = token(1, stat_of(1).expect("init").start_time, ticks_since_boot());
        let (arena, _) = Arena::open(&path, &options.layout(1)).expect("an arena");
        arena.set(b"k", b"v", Deadline::NEVER, now).expect("room");
        arena.core.parents.at(0).store(init, Ordering::Release);
        assert_eq!(arena.enter_parent(parent_token()), Ok(false));
        assert!(arena.get(b"k", now).is_some() && arena.check().is_ok());
        // A later self of this parent: the worker is one of before.
        let own = parent_token();
        (0..arena.core.parents.len()).for_each(|slot| arena.core.parents.at(slot).store(0, Ordering::Release));
        arena.core.parents.at(3).store(own + 2, Ordering::Release);
        assert_eq!(arena.enter_parent(own), Ok(false));
        assert!(arena.get(b"k", now).is_some() && arena.check().is_ok());
        // Two workers come at once: one replaces it, and the other sees that.
        assert_eq!(arena.enter_parent(own + 3), Err(Error::Lost));
        assert_eq!(arena.enter_parent(own + 3), Err(Error::Lost));
        assert!(arena.check().is_err());
        let (new, is_new) = Arena::open(&path, &options.memory(8 << 20)).expect("an arena");
        assert_eq!((is_new, new.layout(), new.memory()), (false, FORMAT, 20 << 20));
        assert_eq!(new.enter_parent(own + 3), Ok(true));
        new.set(b"k", b"v", Deadline::NEVER, now).expect("room");
        assert_eq!(new.enter_parent(own + 3), Ok(false));
        assert!(new.get(b"k", now).is_some());
    }

    #[test]
    fn a_token_lives_as_long_as_its_process() {
        let own = parent_token();
        assert!(lives(own));
        assert!(same_process(own, own + 1));
        let started = stat_of(std::process::id()).expect("this process").start_time;
        assert!(!lives(own & !DRAWN | (started - 1)), "of one that had the pid before");
        assert!(!lives(own ^ 1 << DRAWN_BITS), "of one that started at another time");
    }
}
