//! What a process knows of itself, and what a child of fork knows by its parent: in which numbering of processes it has its
//! number, and when it was started. /proc tells both, in 30 microseconds.
use crate::time;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};

/// Whose the two below are. A child that was made without the handlers of fork(2) finds its parent's number.
static PID: AtomicI32 = AtomicI32::new(0);
/// As `pid_namespace` answers, plus 1; 0: it was not asked.
static NAMESPACE: AtomicU64 = AtomicU64::new(0);
/// As `started_at` answers, plus 1; 0: only /proc can tell.
static STARTED: AtomicU64 = AtomicU64::new(0);

/// The parent of a fork, and when it forks.
static PARENT: AtomicI32 = AtomicI32::new(0);
static FORKED: AtomicU64 = AtomicU64::new(0);

fn pid() -> i32 {
    // SAFETY: a system call that cannot fail.
    unsafe { libc::getpid() }
}

fn is_mine() -> bool {
    PID.load(Ordering::Relaxed) == pid()
}

/// Which numbering of processes this one and /proc go by; 0 where /proc does not say, or goes by another one.
pub(crate) fn pid_namespace() -> u64 {
    let known = NAMESPACE.load(Ordering::Relaxed);
    if known != 0 && is_mine() {
        return known - 1;
    }
    let found = ask_pid_namespace();
    if !is_mine() {
        STARTED.store(0, Ordering::Relaxed);
        PID.store(pid(), Ordering::Relaxed);
    }
    NAMESPACE.store(found + 1, Ordering::Relaxed);
    found
}

/// The same, without what was found before: after `unshare --pid` without `--mount-proc` each number there is somebody
/// else's.
pub(crate) fn ask_pid_namespace() -> u64 {
    let shown = std::fs::read_link("/proc/self").ok();
    if shown.is_none_or(|shown| shown.as_os_str() != std::process::id().to_string().as_str()) {
        return 0;
    }
    rustix::fs::stat("/proc/self/ns/pid").map_or(0, |stat| stat.st_ino)
}

/// When this process was started, in ticks since boot. None: only /proc can tell.
#[cfg_attr(model, allow(dead_code))]
pub(crate) fn started_at() -> Option<u64> {
    let started = STARTED.load(Ordering::Relaxed);
    (started != 0 && is_mine()).then(|| started - 1)
}

pub(crate) fn before_fork() {
    PARENT.store(pid(), Ordering::Relaxed);
    FORKED.store(time::ticks_since_boot(), Ordering::Relaxed);
}

/// A process is started in one tick with the fork, or /proc says in which. It counts processes as its parent does if it
/// sees that one under its number: from a new namespace nobody outside is seen.
pub(crate) fn after_fork_in_child() {
    let parent = PARENT.load(Ordering::Relaxed);
    let is_of_parent = PID.load(Ordering::Relaxed) == parent;
    let (forked, now) = (FORKED.load(Ordering::Relaxed), time::ticks_since_boot());
    let is_sure = time::is_of_the_machine() && forked == now;
    // SAFETY: a system call that cannot fail.
    if !is_of_parent || unsafe { libc::getppid() } != parent {
        NAMESPACE.store(0, Ordering::Relaxed);
    }
    STARTED.store(if is_sure { now + 1 } else { 0 }, Ordering::Relaxed);
    PID.store(pid(), Ordering::Relaxed);
}

#[cfg(all(test, not(model)))]
mod tests {
    use crate::map::host::stat_of;

    fn in_child(act: impl FnOnce() -> bool) -> bool {
        // SAFETY: the child reads /proc and ends.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let is_so = act();
            // SAFETY: ends the child without running anything of its parent's.
            unsafe { libc::_exit(if is_so { 0 } else { 1 }) };
        }
        let mut status = -1;
        // SAFETY: waits for the child made above.
        unsafe { libc::waitpid(child, &mut status, 0) };
        status == 0
    }

    /// What is inherited must be what /proc says, in children and in theirs; for the most part it must be known.
    #[test]
    fn a_child_knows_what_proc_would_say() {
        crate::prepare_for_forks();
        let is_right = || {
            let started = super::started_at();
            super::pid_namespace() == super::ask_pid_namespace()
                && started.is_none_or(|at| stat_of(std::process::id()).is_some_and(|stat| stat.start_time == at))
        };
        assert!(is_right());
        for _ in 0..50 {
            assert!(in_child(|| is_right() && in_child(is_right) && is_right()));
        }
        assert!((0..50).any(|_| in_child(|| super::started_at().is_some())));
    }
}
