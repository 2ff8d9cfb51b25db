//! Web-server masters: a restart of php-fpm or Apache empties the arena of `apcu_*`, as people expect it of APCu. The master
//! itself opens nothing (it runs as root); its first worker asks here. Pids and start times are no proof of death, and need not
//! be: a wrong guess empties a cache once too often, or once too seldom.
use crate::arena::file::FileLock;
use crate::arena::process::stat_of;
use crate::arena::Arena;
use crate::error::{Error, OpenError};
use crate::sync::Ordering;
use crate::time::ticks_since_boot;
use std::io::ErrorKind;

/// `pid:22 | low bits of its start time:8 | when it was drawn:34`, both in ticks since boot: enough for five years. The last
/// part tells a master from its former selves, and says which of them came later: a reload of php-fpm is an exec and a graceful
/// restart of Apache loads PHP anew, which keeps pid and start time.
const DRAWN_BITS: u32 = 34;
const DRAWN: u64 = (1 << DRAWN_BITS) - 1;
const START: u64 = 0xff;

/// Names the calling process as it is now: call it in the master, before it forks.
pub fn master_token() -> u64 {
    let pid = std::process::id();
    let start = stat_of(pid).map_or(0, |stat| stat.start_time & START);
    (u64::from(pid) << 8 | start) << DRAWN_BITS | ticks_since_boot() & DRAWN
}

/// Whether two tokens are of the same process.
fn same_process(one: u64, other: u64) -> bool {
    (one ^ other) >> DRAWN_BITS == 0
}

/// Whether the process of a token, which is not the newcomer's, still is the one that drew it.
fn lives(token: u64) -> bool {
    let (process, drawn) = (token >> DRAWN_BITS, token & DRAWN);
    let pid = (process >> 8) as u32;
    match stat_of(pid) {
        Some(stat) => stat.start_time & START == process & START && stat.start_time <= drawn,
        // /proc may hide other users' processes. EPERM is a sign of life.
        // SAFETY: signal 0 sends nothing.
        None => pid > 1 && unsafe { libc::kill(pid as i32, 0) } != 0 && std::io::Error::last_os_error().raw_os_error() == Some(libc::EPERM),
    }
}

impl Arena {
    /// A worker of the master `token` comes. The first of a new master empties the arena, unless another listed master lives
    /// (a second server), or a later self of this master is listed already: then the worker is one of before, with its last request.
    /// True: it was emptied. After an error it must write nothing: another worker of its master will empty the arena.
    pub fn enter_master(&self, token: u64) -> Result<bool, Error> {
        let core = &*self.core;
        let listed = || (0..core.masters.len()).any(|slot| core.masters.at(slot).load(Ordering::Acquire) == token);
        if listed() {
            return Ok(false);
        }
        let _lock = match FileLock::wait_unless(&core.path, core.lock_timeout, listed) {
            Ok(lock) => lock,
            Err(_) if listed() => return Ok(false),
            // Whoever may not use the lock file never enters, nor do the other workers of that user: nothing is emptied.
            Err(OpenError::Io { source, .. }) if source.kind() == ErrorKind::PermissionDenied => return Ok(false),
            Err(_) => return Err(Error::Busy),
        };
        if listed() {
            return Ok(false);
        }
        let mut others_live = false;
        let mut free = 0;
        for slot in 0..core.masters.len() {
            let cell = core.masters.at(slot);
            match cell.load(Ordering::Acquire) {
                0 => free = slot,
                later if same_process(later, token) && later > token => return Ok(false),
                other if !same_process(other, token) && lives(other) => others_live = true,
                _ => {
                    cell.store(0, Ordering::Release);
                    free = slot;
                }
            }
        }
        // Emptied before the master is listed: its other workers wait for the file lock meanwhile.
        if !others_live {
            self.flush()?;
        }
        core.masters.at(free).store(token, Ordering::Release);
        Ok(!others_live)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Deadline, OpenOptions, Time};

    /// A child of Apache that outlived a graceful restart and came to the cache only then emptied it, and so did the next worker of
    /// the restarted master.
    #[test]
    fn a_worker_of_a_former_self_empties_nothing() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let (arena, _) = Arena::open(&dir.path().join("master.arena"), &OpenOptions::default()).expect("an arena");
        let now = Time::now();
        let store = || arena.set(b"k", b"v", Deadline::NEVER, now).expect("room");
        let kept = || arena.get(b"k", now).is_some();
        let before = master_token();
        let after = before + 1;
        store();
        assert!(arena.enter_master(before).expect("entered") && !kept());
        store();
        assert!(arena.enter_master(after).expect("entered") && !kept());
        store();
        for late in [before, after, before] {
            assert!(!arena.enter_master(late).expect("entered") && kept());
        }
    }

    #[test]
    fn a_token_lives_as_long_as_its_process() {
        let own = master_token();
        assert!(lives(own));
        assert!(same_process(own, own + 1));
        let started = stat_of(std::process::id()).expect("this process").start_time;
        assert!(!lives(own & !DRAWN | (started - 1)), "of one that had the pid before");
        assert!(!lives(own ^ 1 << DRAWN_BITS), "of one that started at another time");
    }
}
