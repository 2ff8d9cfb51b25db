//! Services of the operating system for an open arena: life signs, and memory for its file. A model replaces this file.
use crate::error::{reason, Error, OpenError};
use crate::fork::Uncut;
use crate::lineage;
use crate::map::file::{self, OpenedFile};
use crate::map::name;
use crate::time;
use rustix::fd::{AsFd, AsRawFd, OwnedFd};
use rustix::fs::{self, FallocateFlags, SeekFrom};
use rustix::io::Errno;
use rustix::mm::{self, Advice, MapFlags, ProtFlags};
use std::ffi::c_void;
use std::io;
use std::path::{Path, PathBuf};
use std::ptr;
use std::time::Duration;

pub(crate) use crate::map::file_lock::FileLock;

/// Byte `LIFE + slot` of the file is locked by the process of that slot.
const LIFE: i64 = 1 << 60;
/// Bytes of the mapping that keeps it.
const LIFE_LEN: usize = 4096;

/// The signs of life of an arena's processes, seen through a description of the file of its own.
pub(crate) struct Signs(OwnedFd);

impl Signs {
    /// Takes the sign of a slot. False: a living process has it.
    pub fn take(&self, slot: usize) -> bool {
        // SAFETY: a live descriptor and a live flock.
        unsafe { libc::fcntl(self.0.as_raw_fd(), libc::F_OFD_SETLK, &flock_of(slot)) == 0 }
    }

    /// Whether no description but this one has the slot's lock. An error counts as "held": never take over in doubt.
    pub fn is_gone(&self, slot: usize) -> bool {
        let mut lock = flock_of(slot);
        // SAFETY: a live descriptor and a live flock that the kernel fills.
        let result = unsafe { libc::fcntl(self.0.as_raw_fd(), libc::F_OFD_GETLK, &mut lock) };
        result == 0 && lock.l_type == libc::F_UNLCK as i16
    }

    /// Keeps the lock while this process lives and the returned mapping exists.
    pub fn keep(self) -> Result<*mut c_void, Error> {
        // SAFETY: a fresh mapping; it is never read or written, it only keeps the description, and with it the lock,
        // alive.
        let life = unsafe { mm::mmap(ptr::null_mut(), LIFE_LEN, ProtFlags::READ, MapFlags::SHARED, self.0.as_fd(), 0) };
        let life = life.map_err(|error| Error::NoLifeSign(reason(&error.into())))?;
        // SAFETY: the page mapped just now.
        unsafe { mm::madvise(life, LIFE_LEN, Advice::LinuxDontFork) }
            .map_err(|error| Error::NoLifeSign(reason(&error.into())))?;
        Ok(life)
    }
}

/// Ends the life sign that such a mapping keeps.
///
/// # Safety
/// `life` came from `keep`, and is not used again.
pub(crate) unsafe fn give_up(life: *mut c_void) {
    // SAFETY: by contract.
    let _ = unsafe { mm::munmap(life, LIFE_LEN) };
}

fn flock_of(slot: usize) -> libc::flock {
    // SAFETY: zero is a valid flock; l_pid must be 0 for OFD locks.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = libc::F_WRLCK as i16;
    lock.l_whence = libc::SEEK_SET as i16;
    lock.l_start = LIFE + slot as i64;
    lock.l_len = 1;
    lock
}

/// A process as `ProcessSlot` describes it.
pub(crate) struct Myself {
    pub pid: u32,
    pub start_time: u64,
    pub pid_namespace: u64,
}

/// What /proc says of a process.
pub(crate) struct Stat {
    pub flags: u64,
    pub threads: u64,
    pub start_time: u64,
}

impl Stat {
    /// Its last thread is on its way out, or is out and waits for its parent to take note.
    pub fn is_ending(&self) -> bool {
        const PF_EXITING: u64 = 4;
        self.threads == 1 && self.flags & PF_EXITING != 0
    }
}

/// None where there is no such process, or /proc does not show it.
pub(crate) fn stat_of(pid: u32) -> Option<Stat> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is the program's name in brackets and may itself hold brackets and spaces.
    let fields: Vec<&str> = text[text.rfind(')')? + 2..].split(' ').collect();
    let number = |field: usize| fields.get(field - 3)?.trim().parse().ok();
    let start_time: u64 = number(22)?;
    // In a time namespace it is shown ahead of the machine's time, or behind. Processes of others record it.
    let start_time = start_time.wrapping_sub(time::ticks_ahead() as u64);
    Some(Stat { flags: number(9)?, threads: number(20)?, start_time })
}

/// The file behind a map: how it is found again, and what the kernel does for it.
pub(crate) struct Host {
    path: PathBuf,
    /// Device and number of the file.
    identity: (u64, u64),
    len: u64,
    /// The descriptor that `path` names, of an arena without a name.
    nameless: Option<OwnedFd>,
}

impl Host {
    pub fn new(path: PathBuf, opened: OpenedFile) -> Host {
        let nameless = name::is_nameless(&path).then_some(opened.file);
        Host { path, identity: opened.identity, len: opened.geometry.file_len, nameless }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn has_name(&self) -> bool {
        self.nameless.is_none()
    }

    pub fn is_of(&self, path: &Path, identity: (u64, u64)) -> bool {
        self.path == path && self.identity == identity
    }

    /// Whether the path leads to this very file still, whole.
    pub fn is_current(&self) -> bool {
        fs::stat(&self.path)
            .is_ok_and(|stat| (stat.st_dev, stat.st_ino) == self.identity && stat.st_size as u64 == self.len)
    }

    /// No fork of this process comes in between, as long as that is held.
    pub fn keep_forks_out(&self) -> Result<Uncut, Error> {
        Uncut::take().ok_or(Error::Busy)
    }

    pub fn signs(&self) -> Result<Signs, Error> {
        self.open_again().map(Signs)
    }

    pub fn myself(&self) -> Myself {
        let (pid, pid_namespace) = (std::process::id(), lineage::pid_namespace());
        let asked = || stat_of(pid).map_or(0, |stat| stat.start_time);
        let start_time = if pid_namespace == 0 { 0 } else { lineage::started_at().unwrap_or_else(asked) };
        Myself { pid, start_time, pid_namespace }
    }

    /// See `lineage::ask_pid_namespace`.
    pub fn pid_namespace(&self) -> u64 {
        lineage::ask_pid_namespace()
    }

    pub fn stat_of(&self, pid: u32) -> Option<Stat> {
        stat_of(pid)
    }

    /// Opens the arena's file once more: a description of its own, unless the path leads to another file by now.
    fn open_again(&self) -> Result<OwnedFd, Error> {
        let file = name::open_again(&self.path).map_err(|error| match error {
            Errno::NOENT | Errno::NOTDIR | Errno::ISDIR | Errno::LOOP => Error::Lost,
            error => Error::FileRefused(reason(&error.into())),
        })?;
        let stat = fs::fstat(&file).map_err(|_| Error::Lost)?;
        if (stat.st_dev, stat.st_ino) != self.identity {
            return Err(Error::Lost);
        }
        Ok(file)
    }

    /// The parts of the file that have been written, each `(begin, end)`; the rest has no memory, or none in use yet.
    pub fn written(&self) -> Result<Vec<(u64, u64)>, Error> {
        let file = self.open_again()?;
        let mut parts = Vec::new();
        let mut end = 0;
        // Past the last one there is nothing to seek.
        while let Ok(begin) = fs::seek(&file, SeekFrom::Data(end)) {
            end = fs::seek(&file, SeekFrom::Hole(begin)).map_err(|_| Error::Lost)?;
            parts.push((begin, end));
        }
        Ok(parts)
    }

    /// The held lock file; `None` after the time-out `patience`, or once `is_done` says that the lock is not needed any
    /// more.
    pub fn lock_file(&self, patience: Duration, is_done: &dyn Fn() -> bool) -> Option<FileLock> {
        FileLock::wait_unless(&self.path, patience, is_done).ok()
    }

    /// The same without waiting. `Busy`: another process holds it.
    pub fn lock_file_at_once(&self) -> Result<FileLock, Error> {
        FileLock::wait(&self.path, Duration::ZERO).map_err(|error| match error {
            OpenError::Io { source, .. } if source.kind() == io::ErrorKind::WouldBlock => Error::Busy,
            _ => Error::Lost,
        })
    }

    /// Bytes that the file system can still provide; its limit may be infinite.
    pub fn room(&self) -> u64 {
        fs::statvfs(&self.path)
            .ok()
            .filter(|system| system.f_blocks != 0)
            .map_or(u64::MAX, |system| system.f_bavail.saturating_mul(system.f_frsize))
    }

    /// Promises parts of the file, each `(off, len)`, real memory. False: there is no room.
    pub fn allocate(&self, parts: &[(u64, u64)]) -> bool {
        let Ok(file) = self.open_again() else { return false };
        parts.iter().all(|(off, len)| file::allocate(&file, *off, *len).is_ok())
    }

    /// Returns a part of the file's memory to the system. On failure the memory stays allocated and unused: no error,
    /// and it counts as free.
    pub fn give_back(&self, off: u64, len: u64) {
        let Ok(file) = self.open_again() else { return };
        let _ = fs::fallocate(&file, FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE, off, len);
    }
}

#[cfg(test)]
mod tests {
    use crate::{Arena, OpenOptions};
    use std::path::Path;
    use std::process::Command;

    const PATH: &str = "LEVERET_TEST_SAYS_WHO_IT_IS_IN";

    fn numbers(path: &Path) -> String {
        let (arena, _) = Arena::open(path, &OpenOptions::new().memory(8 << 20)).expect("an arena");
        let myself = arena.core.map.host.myself();
        format!("starts {} of {}", myself.start_time, myself.pid_namespace)
    }

    /// Not a test of its own: run in another numbering of processes.
    #[test]
    fn says_who_it_is() {
        let Some(path) = std::env::var_os(PATH) else { return };
        println!("{}", numbers(Path::new(&path)));
    }

    /// There the start time of some other process was recorded, and when that one ended the lock of a living owner was
    /// taken.
    #[test]
    fn where_proc_is_of_another_numbering_no_start_time_is_told() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let path = dir.path().join("numbers.arena");
        assert!(!numbers(&path).ends_with(" 0"), "{}", numbers(&path));
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--pid", "--fork"]).arg(std::env::current_exe().expect("this program"));
        command.args(["--exact", "map::host::tests::says_who_it_is", "--nocapture"]).env(PATH, &path);
        let said = command.output().expect("util-linux has it");
        let (told, why) = (String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr));
        if why.contains("unshare: ") {
            return eprintln!("no user namespaces here: {why}");
        }
        assert!(told.contains("starts 0 of 0"), "{told}{why}");
    }
}
