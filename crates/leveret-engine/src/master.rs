//! Web-server masters: a restart of php-fpm empties the arena of `apcu_*`, as people expect it of APCu. The master itself
//! opens nothing (it runs as root); its first worker asks here. Pids and start times are no proof of death, and need not be:
//! a wrong guess empties a cache once too often, or once too seldom.
use crate::arena::file::FileLock;
use crate::arena::process::stat_of;
use crate::arena::Arena;
use crate::error::{Error, OpenError};
use crate::sync::Ordering;
use std::io::ErrorKind;

/// `pid:22 | start time:26 | nonce:16`. The nonce tells a master from its former self: a reload of php-fpm is an exec, which
/// keeps pid and start time.
const NONCE: u64 = 0xffff;
const START: u64 = (1 << 26) - 1;

/// Names the calling process as it is now: call it in the master, before it forks.
pub fn master_token() -> u64 {
    let pid = std::process::id();
    let nanos = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.subsec_nanos());
    let start = stat_of(pid).map_or(0, |stat| stat.start_time & START);
    u64::from(pid) << 42 | start << 16 | u64::from(nanos >> 8) & NONCE
}

/// Whether the process of a token still is the one that drew it.
fn lives(token: u64, newcomer: u64) -> bool {
    if (token ^ newcomer) & !NONCE == 0 {
        return false;
    }
    let pid = (token >> 42) as u32;
    match stat_of(pid) {
        Some(stat) => stat.start_time & START == token >> 16 & START,
        // /proc may hide other users' processes. EPERM is a sign of life.
        // SAFETY: signal 0 sends nothing.
        None => pid > 1 && unsafe { libc::kill(pid as i32, 0) } != 0 && std::io::Error::last_os_error().raw_os_error() == Some(libc::EPERM),
    }
}

impl Arena {
    /// A worker of the master `token` comes. The first of a new master empties the arena, unless another listed master lives
    /// (a graceful restart, or a second server). True: it was emptied. After an error it must write nothing: another worker of its
    /// master will empty the arena.
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
                other if lives(other, token) => others_live = true,
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
