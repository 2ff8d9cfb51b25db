//! Forks of this process. A child has one thread, and its parent's memory and descriptors as they were at the fork.
//!
//! One lock of the process, `Uncut`, guards what a fork must not interrupt: the list of open arenas, and the
//! registration of a process, whose descriptor a child would inherit. fork(2) handlers take that lock before the fork
//! and release it afterwards, in both processes. Each wait for it is bounded.
//!
//! A lock file may be held for longer than a fork can wait. A child closes its copies of such descriptors (`Unshared`)
//! at once, so that the lock ends with the parent.
use crate::lineage;
use crate::time;
use rustix::fd::{AsRawFd, OwnedFd};
// The process's own, which no model changes.
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Sections take milliseconds. A longer wait is for a thread that was stopped, or that jumped out of its section.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// The thread in a section: pid in the high half, so that a child recognizes a thread of its parent; 0 = none.
static OWNER: AtomicU64 = AtomicU64::new(0);
/// A thread that kept the lock beyond the time-out. Until it leaves its section, no thread waits for it again.
static STUCK: AtomicU64 = AtomicU64::new(0);
/// The thread that forks, while it has the lock.
static FORKING: AtomicU64 = AtomicU64::new(0);
static HAS_HANDLERS: AtomicBool = AtomicBool::new(false);

/// A section that no fork cuts in half.
pub(crate) struct Uncut(());

impl Uncut {
    /// None: another thread does not leave its section, or this one is in it already (a signal handler).
    pub fn take() -> Option<Uncut> {
        Uncut::within(PATIENCE)
    }

    pub fn within(patience: Duration) -> Option<Uncut> {
        let uncut = acquire(patience).then(|| Uncut(()))?;
        if !HAS_HANDLERS.load(Ordering::Relaxed) {
            // SAFETY: the handlers use atomics, sleep and close descriptors of ours. The C library forgets them when
            // this library is unloaded. Should there be no memory for them, forks are as they were without them.
            unsafe { libc::pthread_atfork(Some(before_fork), Some(after_fork), Some(after_fork_in_child)) };
            HAS_HANDLERS.store(true, Ordering::Relaxed);
        }
        Some(uncut)
    }
}

impl Drop for Uncut {
    fn drop(&mut self) {
        release();
    }
}

fn this_thread() -> u64 {
    let thread = rustix::thread::gettid().as_raw_nonzero().get() as u32;
    u64::from(std::process::id()) << 32 | u64::from(thread)
}

fn acquire(patience: Duration) -> bool {
    let this = this_thread();
    let begun = Instant::now();
    loop {
        let owner = match OWNER.compare_exchange(0, this, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => break,
            Err(owner) => owner,
        };
        // A thread of the parent: the fork came before there were handlers, or they have waited in vain.
        if owner >> 32 != this >> 32 {
            if OWNER.compare_exchange(owner, this, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                break;
            }
            continue;
        }
        if owner == this || STUCK.load(Ordering::Relaxed) == owner {
            return false;
        }
        if begun.elapsed() >= patience {
            if patience == PATIENCE {
                STUCK.store(owner, Ordering::Relaxed);
            }
            return false;
        }
        std::thread::sleep(Duration::from_micros(50));
    }
    STUCK.store(0, Ordering::Relaxed);
    true
}

fn release() {
    STUCK.store(0, Ordering::Relaxed);
    OWNER.store(0, Ordering::Release);
}

/// What children of this process inherit is found out now, and need not be in each of them. For a process that is going to
/// fork, before it does.
pub fn prepare_for_forks() {
    // With it come the handlers.
    drop(Uncut::take());
    time::is_known();
    lineage::pid_namespace();
    // What the standard library and the C library make on first use.
    std::hint::black_box(std::hash::RandomState::new());
}

extern "C" fn before_fork() {
    lineage::before_fork();
    if acquire(PATIENCE) {
        FORKING.store(this_thread(), Ordering::Relaxed);
    }
}

extern "C" fn after_fork() {
    if FORKING.load(Ordering::Relaxed) == this_thread() {
        FORKING.store(0, Ordering::Relaxed);
        release();
    }
}

extern "C" fn after_fork_in_child() {
    FORKING.store(0, Ordering::Relaxed);
    release();
    time::check_after_fork();
    lineage::after_fork_in_child();
    for place in &UNSHARED {
        let descriptor = place.swap(0, Ordering::Relaxed) - 1;
        if descriptor >= 0 {
            // SAFETY: this process's copy of a descriptor whose `Unshared` finds its place empty, and so never closes it.
            unsafe { libc::close(descriptor) };
        }
    }
}

/// Descriptors plus 1; 0 = none.
static UNSHARED: [AtomicI32; 64] = [const { AtomicI32::new(0) }; 64];

/// A descriptor that a forked child closes at once.
pub(crate) struct Unshared {
    file: Option<OwnedFd>,
    /// None: there are too many, and this one is inherited.
    place: Option<&'static AtomicI32>,
}

impl Unshared {
    /// Opens it where no fork comes in between.
    pub fn open<E>(open: impl FnOnce() -> Result<OwnedFd, E>) -> Result<Unshared, E> {
        let _uncut = Uncut::take();
        let file = open()?;
        let number = file.as_raw_fd() + 1;
        let take = |place: &&AtomicI32| place.compare_exchange(0, number, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        let place = UNSHARED.iter().find(take);
        Ok(Unshared { file: Some(file), place })
    }

    /// None: this is a child of the process that opened it.
    pub fn file(&self) -> Option<&OwnedFd> {
        let file = self.file.as_ref()?;
        self.place.is_none_or(|place| place.load(Ordering::Relaxed) == file.as_raw_fd() + 1).then_some(file)
    }
}

impl Drop for Unshared {
    fn drop(&mut self) {
        let (Some(file), Some(place)) = (self.file.take(), self.place) else { return };
        let number = file.as_raw_fd() + 1;
        if place.compare_exchange(number, 0, Ordering::Relaxed, Ordering::Relaxed).is_err() {
            // Closed by the handler, and its number may be another file's by now.
            std::mem::forget(file);
        }
    }
}

/// A place at which tests fork, or end the process.
#[inline(always)]
pub(crate) fn step() {
    #[cfg(test)]
    tests::at_step();
}

#[cfg(test)]
mod tests {
    use crate::{Arena, Deadline, OpenOptions, Time};
    use std::cell::RefCell;
    use std::fs::File;
    use std::io::{Read, Write};
    use std::os::fd::FromRawFd;
    use std::panic::{catch_unwind, AssertUnwindSafe};
    use std::path::Path;
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
    use std::sync::Arc;
    use std::time::Duration;

    thread_local! {
        static AT_STEP: RefCell<Option<Box<dyn FnMut()>>> = const { RefCell::new(None) };
    }

    pub(super) fn at_step() {
        let _ = AT_STEP.try_with(|hook| {
            if let Some(hook) = hook.borrow_mut().as_mut() {
                hook();
            }
        });
    }

    const OPTIONS: OpenOptions = OpenOptions::new().memory(8 << 20).cores(2);
    /// Ends a child that hangs.
    const ALARM_SECS: u32 = 60;

    /// Runs `act` in a child, which ends with its result.
    fn fork(act: impl FnOnce() -> i32) -> i32 {
        // SAFETY: the child runs `act`, which uses no lock that another thread of this process can hold but those
        // that fork(2) takes and those under test.
        match unsafe { libc::fork() } {
            0 => {
                // SAFETY: a system call that cannot fail.
                unsafe { libc::alarm(ALARM_SECS) };
                let status = catch_unwind(AssertUnwindSafe(act)).unwrap_or(99);
                // SAFETY: ends the child without running anything of its parent's.
                unsafe { libc::_exit(status) }
            }
            child => child,
        }
    }

    /// How a child has ended: its result, or the negative number of the signal.
    fn ending_of(child: i32) -> i32 {
        let mut status = 0;
        // SAFETY: waits for a child of this process.
        unsafe { libc::waitpid(child, &mut status, 0) };
        if libc::WIFEXITED(status) {
            libc::WEXITSTATUS(status)
        } else {
            -libc::WTERMSIG(status)
        }
    }

    fn pipe() -> (File, File) {
        let mut ends = [0; 2];
        // SAFETY: two new descriptors that only this function closes.
        unsafe {
            assert_eq!(libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC), 0);
            (File::from_raw_fd(ends[0]), File::from_raw_fd(ends[1]))
        }
    }

    fn opens_and_writes(path: &Path, key: &[u8]) -> Arena {
        let (arena, _) = Arena::open(path, &OPTIONS).expect("an arena");
        arena.set(key, b"value", Deadline::NEVER, Time::now()).expect("room");
        assert!(arena.get(key, Time::now()).is_some());
        arena
    }

    const NO_SUCH_STEP: i32 = 77;

    /// A process with one thread that opens an arena and writes to it. At step `number` another thread forks. The child
    /// then opens the arena, writes, and counts the registered processes.
    fn parent(path: &Path, number: u32, ends: bool, mut answers: File) -> i32 {
        let reached = Arc::new(AtomicU32::new(0));
        let has_forked = Arc::new(AtomicBool::new(false));
        let (at, forked, mine) = (reached.clone(), has_forked.clone(), path.to_owned());
        let thread = std::thread::spawn(move || {
            let (mut step, here) = (0, at.clone());
            AT_STEP.set(Some(Box::new(move || {
                step += 1;
                if step == number {
                    here.store(1, Ordering::Release);
                    // Within a section the fork waits for this thread, not this thread for the fork.
                    for _ in 0..50 {
                        if !forked.load(Ordering::Acquire) {
                            std::thread::sleep(Duration::from_millis(1));
                        }
                    }
                }
            })));
            let arena = opens_and_writes(&mine, b"parent");
            AT_STEP.set(None);
            let _ = at.compare_exchange(0, 2, Ordering::Release, Ordering::Relaxed);
            arena
        });
        while reached.load(Ordering::Acquire) == 0 {
            std::thread::yield_now();
        }
        if reached.load(Ordering::Acquire) == 2 {
            return NO_SUCH_STEP;
        }
        let (mut gone, mut goes) = pipe();
        let parent = std::process::id();
        fork(|| {
            if ends {
                // SAFETY: a system call that cannot fail.
                while unsafe { libc::getppid() } as u32 == parent {
                    std::thread::yield_now();
                }
            }
            let arena = opens_and_writes(path, b"child");
            if !ends {
                answers.write_all(b"w").expect("somebody listens");
                assert_eq!(gone.read(&mut [0; 1]).expect("told"), 1);
            }
            assert_eq!(arena.stats().attached, 1, "this process, and nobody who has left or ended");
            assert!(arena.verify().is_clean());
            answers.write_all(b"!").expect("somebody listens");
            0
        });
        has_forked.store(true, Ordering::Release);
        if ends {
            return 0;
        }
        drop(thread.join().expect("opened and written"));
        goes.write_all(b"g").expect("the child listens");
        // SAFETY: waits for the only child.
        ending_of(-1)
    }

    /// A child inherited a locked list of open arenas if another thread was opening one at the fork. It kept its
    /// parent's life sign if a thread was registering, and the lock file if a thread held it: an exited parent counted
    /// as alive, and others waited for its locks.
    #[test]
    fn a_child_of_any_step_opens_and_writes_and_keeps_no_sign_of_its_parent() {
        for ends in [false, true] {
            let mut steps = 0;
            for number in 1.. {
                let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
                let path = dir.path().join("fork.arena");
                let (mut said, answers) = pipe();
                let child = fork(|| parent(&path, number, ends, answers.try_clone().expect("a copy")));
                drop(answers);
                let mut text = String::new();
                said.read_to_string(&mut text).expect("a pipe");
                match ending_of(child) {
                    NO_SUCH_STEP => break,
                    ending => assert_eq!((ending, &*text), (0, if ends { "!" } else { "w!" }), "step {number}"),
                }
                steps = number;
            }
            assert!(steps >= 15, "only {steps} steps were met");
        }
    }

    /// At any other moment, also of an arena without a name.
    #[test]
    fn children_open_and_write_while_other_threads_open_and_close() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let path = |name: u32| dir.path().join(format!("{name}.arena"));
        let shared = opens_and_writes(&path(0), b"parent");
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for thread in 0..2 {
                let (path, stop) = (&path, &stop);
                scope.spawn(move || {
                    for turn in 0.. {
                        if stop.load(Ordering::Relaxed) {
                            break;
                        }
                        match thread {
                            0 => drop(opens_and_writes(&path(1 + turn % 3), b"other")),
                            _ => drop(Arena::of_this_process(&OPTIONS).expect("an arena")),
                        }
                    }
                });
            }
            let ending = |number: u32| {
                ending_of(fork(|| {
                    let arena = opens_and_writes(&path(0), &number.to_ne_bytes());
                    drop(opens_and_writes(&path(1 + number % 3), b"child"));
                    let (own, _) = Arena::of_this_process(&OPTIONS).expect("an arena");
                    own.set(b"k", b"v", Deadline::NEVER, Time::now()).expect("room");
                    i32::from(arena.get(b"parent", Time::now()).is_none())
                }))
            };
            let failed = (0..150).map(ending).find(|ending| *ending != 0);
            stop.store(true, Ordering::Relaxed);
            assert_eq!(failed, None);
        });
        assert_eq!(shared.stats().attached, 1);
    }

    /// Code that was jumped out of leaves its section locked. That costs one wait, and nothing hangs.
    #[test]
    fn a_section_that_is_never_left_costs_an_error_and_no_fork() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let path = dir.path().join("left.arena");
        let child = fork(|| {
            let thread = std::thread::spawn(|| std::mem::forget(super::Uncut::take()));
            thread.join().expect("no panic");
            let refused = Arena::open(&path, &OPTIONS).map(drop).expect_err("locked").to_string();
            assert!(refused.contains("another thread of this process"), "{refused}");
            let child = fork(|| {
                opens_and_writes(&path, b"child");
                0
            });
            ending_of(child)
        });
        assert_eq!(ending_of(child), 0);
    }
}
