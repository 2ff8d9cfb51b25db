//! Replaces `map/host.rs` in a model: a kernel of a few words beside the arena. Each question changes one of them, as
//! the kernel answers under its own lock: it never returns an outdated answer.
#![cfg_attr(not(test), allow(dead_code))]
use crate::error::Error;
use crate::map::file::OpenedFile;
use crate::models::sync::{rest, AtomicU32, Ordering};
use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub(crate) const SLOTS: usize = 4;
pub(crate) const PIDS: usize = 8;
const ASKED: Ordering = Ordering::AcqRel;

/// What the kernel knows.
#[repr(C)]
pub(crate) struct Kernel {
    /// The process that has the life sign of each slot; 0 = none.
    signs: [AtomicU32; SLOTS],
    processes: [AtomicU32; PIDS],
    file_lock: AtomicU32,
    /// Whether memory was promised to data, and to the index.
    promised: [AtomicU32; 2],
}

const LIVES: u32 = 1;
/// Dead, and its parent has not taken note of it.
const ENDING: u32 = 2;

impl Kernel {
    /// A process begins.
    pub fn start(&self, pid: u32) {
        self.processes[pid as usize].swap(LIVES, ASKED);
    }

    /// A process ends: /proc shows that at once, its life signs go when its memory has gone.
    pub fn end(&self, pid: u32) {
        self.processes[pid as usize].swap(ENDING, ASKED);
    }

    /// Whether more memory was promised to data, or to the index.
    pub fn has_promised(&self, index: bool) -> bool {
        self.promised[usize::from(index)].load(Ordering::Relaxed) != 0
    }

    /// The life signs of a process go.
    pub fn clear_signs(&self, pid: u32) {
        for sign in &self.signs {
            let _ = sign.compare_exchange(pid, 0, ASKED, Ordering::Acquire);
        }
    }
}

/// A process of an arena, and its kernel.
#[derive(Clone, Copy)]
pub(crate) struct Host {
    pub pid: u32,
    pub kernel: &'static Kernel,
}

pub(crate) struct Signs(Host);

impl Signs {
    pub fn take(&self, slot: usize) -> bool {
        self.0.kernel.signs[slot].compare_exchange(0, self.0.pid, ASKED, Ordering::Acquire).is_ok()
    }

    pub fn is_gone(&self, slot: usize) -> bool {
        self.0.kernel.signs[slot].fetch_add(0, ASKED) == 0
    }

    pub fn keep(self) -> Result<*mut c_void, Error> {
        Ok(std::ptr::null_mut())
    }
}

/// # Safety
/// None is needed: there is nothing to give up.
pub(crate) unsafe fn give_up(_life: *mut c_void) {}

pub(crate) struct Myself {
    pub pid: u32,
    pub start_time: u64,
    pub pid_namespace: u64,
}

pub(crate) struct Stat {
    pub start_time: u64,
    is_ending: bool,
}

impl Stat {
    pub fn is_ending(&self) -> bool {
        self.is_ending
    }
}

/// How /proc tells of parents is in no model.
pub(crate) fn stat_of(_pid: u32) -> Option<Stat> {
    None
}

fn start_time_of(pid: u32) -> u64 {
    u64::from(pid) * 10
}

/// The file lock, held.
pub(crate) struct FileLock(&'static Kernel);

impl Drop for FileLock {
    fn drop(&mut self) {
        self.0.file_lock.swap(0, ASKED);
    }
}

impl Host {
    /// Models have no files.
    pub fn new(_path: PathBuf, _opened: OpenedFile) -> Host {
        unimplemented!("a model opens no file")
    }

    pub fn path(&self) -> &Path {
        Path::new("a model")
    }

    pub fn has_name(&self) -> bool {
        false
    }

    pub fn is_of(&self, _path: &Path, _identity: (u64, u64)) -> bool {
        false
    }

    pub fn is_current(&self) -> bool {
        true
    }

    /// No model forks.
    pub fn keep_forks_out(&self) -> Result<(), Error> {
        Ok(())
    }

    pub fn signs(&self) -> Result<Signs, Error> {
        Ok(Signs(*self))
    }

    pub fn myself(&self) -> Myself {
        Myself { pid: self.pid, start_time: start_time_of(self.pid), pid_namespace: self.pid_namespace() }
    }

    pub fn pid_namespace(&self) -> u64 {
        1
    }

    pub fn stat_of(&self, pid: u32) -> Option<Stat> {
        match self.kernel.processes.get(pid as usize)?.fetch_add(0, ASKED) {
            0 => None,
            state => Some(Stat { start_time: start_time_of(pid), is_ending: state == ENDING }),
        }
    }

    pub fn room(&self) -> u64 {
        u64::MAX
    }

    pub fn lock_file(&self, _patience: Duration, is_done: impl Fn() -> bool) -> Option<FileLock> {
        while self.kernel.file_lock.compare_exchange(0, self.pid, ASKED, Ordering::Acquire).is_err() {
            if is_done() {
                return None;
            }
            rest();
        }
        Some(FileLock(self.kernel))
    }

    pub fn lock_file_at_once(&self) -> Result<FileLock, Error> {
        let taken = self.kernel.file_lock.compare_exchange(0, self.pid, ASKED, Ordering::Acquire);
        taken.map(|_| FileLock(self.kernel)).map_err(|_| Error::Busy)
    }

    /// Models have no pages.
    pub fn written(&self) -> Result<Vec<(u64, u64)>, Error> {
        Ok(Vec::new())
    }

    pub fn allocate(&self, parts: &[(u64, u64)]) -> bool {
        // The index has two parts.
        self.kernel.promised[parts.len() - 1].store(1, Ordering::Relaxed);
        true
    }

    pub fn give_back(&self, _off: u64, _len: u64) {}
}
