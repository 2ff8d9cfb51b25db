//! This process's id without a system call: a child must not use its parent's connections, so it is checked before each
//! use.
use crate::sync::{AtomicPtr, AtomicU32, Ordering};
use rustix::mm::{self, Advice, MapFlags, ProtFlags};
use std::ptr;

/// The process id, kept in a page that the kernel gives to a child of fork with zeros in it.
#[inline]
pub fn process_id() -> u32 {
    let Some(kept) = kept() else { return std::process::id() };
    match kept.load(Ordering::Relaxed) {
        0 => {
            let pid = std::process::id();
            kept.store(pid, Ordering::Relaxed);
            pid
        }
        pid => pid,
    }
}

/// That page's first word. Without a lock, which a fork might leave held by a thread that the child does not have.
#[inline]
fn kept() -> Option<&'static AtomicU32> {
    static KEPT: AtomicPtr<AtomicU32> = AtomicPtr::new(ptr::null_mut());
    let mut kept = KEPT.load(Ordering::Acquire);
    if kept.is_null() {
        let page = ptr::from_ref(page()?).cast_mut();
        kept = match KEPT.compare_exchange(ptr::null_mut(), page, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => page,
            Err(other) => {
                // SAFETY: mapped just now, and no other thread has seen it.
                let _ = unsafe { mm::munmap(page.cast(), 4096) };
                other
            }
        };
    }
    // SAFETY: what KEPT holds came from `page` and is never unmapped.
    Some(unsafe { &*kept })
}

/// None: this kernel does not wipe pages (before 4.14).
#[cold]
fn page() -> Option<&'static AtomicU32> {
    // SAFETY: a fresh private page, which only `kept` unmaps; zeros are a valid atomic, and no other thread knows it.
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
