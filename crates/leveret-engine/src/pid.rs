//! Who this process is, without a system call: connections of a parent must not be spoken on by its child, and whoever
//! uses them asks before each use.
use crate::sync::{AtomicU32, Ordering};
use rustix::mm::{self, Advice, MapFlags, ProtFlags};
use std::ptr;
use std::sync::OnceLock;

/// The process id, kept in a page that the kernel gives to a child of fork with zeros in it.
#[inline]
pub fn process_id() -> u32 {
    static KEPT: OnceLock<Option<&'static AtomicU32>> = OnceLock::new();
    let Some(kept) = KEPT.get_or_init(page) else { return std::process::id() };
    match kept.load(Ordering::Relaxed) {
        0 => {
            let pid = std::process::id();
            kept.store(pid, Ordering::Relaxed);
            pid
        }
        pid => pid,
    }
}

/// None: this kernel does not wipe pages (before 4.14).
#[cold]
fn page() -> Option<&'static AtomicU32> {
    // SAFETY: a fresh private page that is never unmapped once it is returned; zeros are a valid atomic, and nobody
    // else knows it.
    unsafe {
        let page =
            mm::mmap_anonymous(ptr::null_mut(), 4096, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE).ok()?;
        if mm::madvise(page, 4096, Advice::LinuxWipeOnFork).is_err() {
            let _ = mm::munmap(page, 4096);
            return None;
        }
        Some(AtomicU32::from_ptr(page.cast()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_told_from_its_parent() {
        assert_eq!(process_id(), std::process::id());
        // SAFETY: the child only compares two numbers and ends.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let is_told = process_id() == std::process::id();
            // SAFETY: ends the child without running anything of its parent's.
            unsafe { libc::_exit(if is_told { 0 } else { 1 }) };
        }
        let mut status = -1;
        // SAFETY: waits for the child made above.
        unsafe { libc::waitpid(child, &mut status, 0) };
        assert_eq!(status, 0);
        assert_eq!(process_id(), std::process::id());
    }
}
