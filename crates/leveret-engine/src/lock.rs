//! The lock of a shard. Its word names its owner, whose death can be proved; whoever takes it from a dead owner runs recovery
//! before anything else. It is never taken from a living owner, however long that sleeps: writers wait, then answer `Busy`.
//!
//! Lock order: the file lock before a shard's; never two shards at once, except by `try_lock`.
use crate::arena::layout::Shard;
use crate::arena::process::OWNER;
use crate::arena::Core;
use crate::error::Error;
use crate::stats::Counter;
use crate::sync::{AtomicU32, AtomicU64, Ordering};
use crate::time::Time;
use rustix::thread::futex;
use std::cell::Cell;
use std::time::{Duration, Instant};

/// Somebody sleeps on the lock word.
const WAITERS: u64 = 1 << 16;

/// A section takes some hundred nanoseconds, but its owner may be preempted: with few processors spinning only delays it.
const SPINS: u32 = 100;
/// How long one sleep lasts before the owner's life is looked at.
const NAP: Duration = Duration::from_millis(2);

/// A shard whose lock this thread holds. All that changes the index or the segments of a shard hangs on this type.
pub(crate) struct Locked<'a> {
    pub core: &'a Core,
    pub index: usize,
    /// The flush epoch, read once: everything that this section writes belongs to it.
    pub epoch: u32,
    pub now: Time,
}

/// The section that this thread is in: a signal handler, or code after a longjmp, may find it not empty.
#[derive(Clone, Copy)]
struct Section {
    core: *const Core,
    shard: usize,
    frame: usize,
}

thread_local! {
    static SECTION: Cell<Option<Section>> = const { Cell::new(None) };
}

impl Core {
    /// Takes the lock of a shard, waiting for a living owner up to the lock timeout.
    #[inline]
    pub fn lock(&self, shard: usize, now: Time) -> Result<Locked<'_>, Error> {
        let owner = self.owner()?;
        let word = &self.shards.at(shard).lock;
        let clean = word.compare_exchange(0, owner, Ordering::Acquire, Ordering::Relaxed).is_ok() || self.wait_for(shard, word, owner)?;
        self.entered(shard, clean, now)
    }

    /// The lock if it is free, or its owner is dead, at once.
    pub fn try_lock(&self, shard: usize, now: Time) -> Option<Locked<'_>> {
        let owner = self.owner().ok()?;
        let word = &self.shards.at(shard).lock;
        match word.compare_exchange(0, owner, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => self.entered(shard, true, now).ok(),
            Err(held) => {
                let stolen =
                    self.is_dead(held) && word.compare_exchange(held, owner | WAITERS, Ordering::Acquire, Ordering::Relaxed).is_ok();
                stolen.then(|| self.entered(shard, false, now).ok())?
            }
        }
    }

    #[inline]
    fn entered(&self, shard: usize, clean: bool, now: Time) -> Result<Locked<'_>, Error> {
        let marker = 0u8;
        let section = Section { core: self, shard, frame: &raw const marker as usize };
        let abandoned = SECTION.replace(Some(section));
        let locked = Locked { core: self, index: shard, epoch: self.epoch(now), now };
        if self.is_lost() {
            return Err(Error::Lost);
        }
        if let Some(abandoned) = abandoned {
            self.leave_abandoned(abandoned)?;
            SECTION.set(Some(section));
        }
        if !clean {
            locked.recover();
        }
        Ok(locked)
    }

    /// This thread was inside a section already: either this is a signal handler that interrupted it, or somebody jumped out.
    #[cold]
    fn leave_abandoned(&self, section: Section) -> Result<(), Error> {
        let marker = 0u8;
        // Deeper in the stack than the section: called from inside it. Waiting for ourselves would never end.
        if is_on_signal_stack() || (&raw const marker as usize) < section.frame || !std::ptr::eq(section.core, self) {
            return Err(Error::Busy);
        }
        // Somebody longjmped out. The lock is still this thread's, and what it guards is as a kill would have left it.
        let now = Time::now();
        let locked = Locked { core: self, index: section.shard, epoch: self.epoch(now), now };
        locked.recover();
        Ok(())
    }

    /// False: the lock was taken from a dead owner, so recovery is due.
    #[cold]
    fn wait_for(&self, shard: usize, word: &AtomicU64, owner: u64) -> Result<bool, Error> {
        if let Some(section) = SECTION.get() {
            self.leave_abandoned(section)?;
        }
        for _ in 0..SPINS {
            if word.load(Ordering::Relaxed) == 0 && word.compare_exchange(0, owner, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                return Ok(true);
            }
            std::hint::spin_loop();
        }
        let begun = Instant::now();
        self.shards.at(shard).counters[Counter::LockWaits as usize].fetch_add(1, Ordering::Relaxed);
        loop {
            let held = word.load(Ordering::Relaxed);
            if held == 0 {
                // Others may sleep behind us: we cannot know, so the unlock wakes one.
                if word.compare_exchange(0, owner | WAITERS, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                    return Ok(true);
                }
                continue;
            }
            if held & WAITERS == 0 && word.compare_exchange(held, held | WAITERS, Ordering::Relaxed, Ordering::Relaxed).is_err() {
                continue;
            }
            let held = held | WAITERS;
            let timeout = futex::Timespec { tv_sec: 0, tv_nsec: NAP.as_nanos() as _ };
            let woken = futex::wait(low_half(word), futex::Flags::empty(), held as u32, Some(&timeout));
            if woken != Err(rustix::io::Errno::TIMEDOUT) {
                continue;
            }
            if held & OWNER != owner && self.is_dead(held) {
                if word.compare_exchange(held, owner | WAITERS, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                    return Ok(false);
                }
                continue;
            }
            // Once an owner has not gone on for the whole timeout, others need not wait as long for the same one.
            let stuck = Time(self.stuck_until[shard].load(Ordering::Relaxed)) > Time::now();
            if stuck || begun.elapsed() >= self.lock_timeout {
                self.stuck_until[shard].store(Time::now().0 + 1, Ordering::Relaxed);
                return Err(Error::Busy);
            }
            if self.is_lost() {
                return Err(Error::Lost);
            }
        }
    }
}

/// The futex sleeps on the half of the word that names the slot and the waiters.
fn low_half(word: &AtomicU64) -> &AtomicU32 {
    let low = if cfg!(target_endian = "little") { 0 } else { 1 };
    // SAFETY: half of a live atomic; only its address and, in the kernel, its value are used.
    unsafe { AtomicU32::from_ptr(word.as_ptr().cast::<u32>().add(low)) }
}

fn is_on_signal_stack() -> bool {
    // SAFETY: zero is a valid stack_t; the call only fills it.
    unsafe {
        let mut stack: libc::stack_t = std::mem::zeroed();
        libc::sigaltstack(std::ptr::null(), &mut stack) == 0 && stack.ss_flags & libc::SS_ONSTACK != 0
    }
}

impl<'a> Locked<'a> {
    pub fn shard(&self) -> &'a Shard {
        self.core.shards.at(self.index)
    }

    pub fn count(&self, counter: Counter, by: u64) {
        let cell = &self.shard().counters[counter as usize];
        cell.store(cell.load(Ordering::Relaxed).wrapping_add(by), Ordering::Relaxed);
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        SECTION.set(None);
        let word = &self.shard().lock;
        if word.swap(0, Ordering::Release) & WAITERS != 0 {
            let _ = futex::wake(low_half(word), futex::Flags::empty(), 1);
        }
    }
}
