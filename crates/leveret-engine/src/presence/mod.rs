//! The registered writers of an arena, and the proof that a writer is dead.
//!
//! A registered process holds an OFD lock on one byte of the file, far beyond its data. The lock belongs to an open
//! file description that a mapping keeps alive, not a descriptor: no code of the host program can close it, a forked
//! child does not inherit it (MADV_DONTFORK), exec drops it, and the kernel drops it when the process dies, after its
//! last thread has run its last instruction. So the byte is never free while the process could still write. When the
//! arena is closed no call is under way, so releasing it then is safe too. Before the byte is free, /proc may show that
//! the process is exiting with one thread left, which proves the same.
//!
//! An owner word is `{incarnation: high 32, slot + 1: low 16}`; bits 16..32 are flags of the lock word that carries it.
use crate::error::Error;
use crate::fork::step;
use crate::map::host::{self, Host};
use crate::map::layout::ProcessSlot;
use crate::map::mapping::Table;
use crate::program::{Program, PROGRAMS};
use crate::sync::{rest, AtomicPtr, AtomicU32, AtomicU64, Instant, Ordering};
use rustix::mm::{self, Advice, MapFlags, ProtFlags};
use std::ffi::c_void;
use std::io;
use std::ptr;
use std::sync::Arc;
use std::time::Duration;

/// The bits of a lock word that name its owner.
pub(crate) const OWNER: u64 = 0xffff_ffff_0000_ffff;

/// The writers of one arena: this process, and what it knows of the others.
pub(crate) struct Presence {
    processes: Table<ProcessSlot>,
    host: Arc<Host>,
    /// How long a thread waits for another one of this process to register it.
    patience: Duration,
    membership: Membership,
    dead: Dead,
}

/// This process's registration in one arena. After a fork the child finds its page wiped and registers again.
struct Membership {
    page: *mut Page,
}

/// Owners that this process has found dead, the last few of them. The dead stay dead, so nothing here is ever wrong.
#[derive(Default)]
struct Dead {
    owners: [AtomicU64; 16],
    next: AtomicU32,
}

impl Dead {
    fn add(&self, owner: u64) {
        let next = self.next.fetch_add(1, Ordering::Relaxed) as usize % self.owners.len();
        // Release: a thread that learns of the death here sees the dead owner's writes, as if it had asked the kernel.
        self.owners[next].store(owner, Ordering::Release);
    }

    fn has(&self, owner: u64) -> bool {
        self.owners.iter().any(|known| known.load(Ordering::Acquire) == owner)
    }
}

#[repr(C)]
struct Page {
    owner: AtomicU64,
    /// The mapping that keeps the lock.
    life: AtomicPtr<c_void>,
    /// The thread that registers this process just now; 0 = none.
    registering: AtomicU32,
}

// SAFETY: the page holds atomics only.
unsafe impl Send for Membership {}
// SAFETY: as above.
unsafe impl Sync for Membership {}

impl Membership {
    fn new() -> io::Result<Membership> {
        // SAFETY: a fresh private page; zeroed, which is a valid `Page`.
        let page = unsafe {
            mm::mmap_anonymous(ptr::null_mut(), 4096, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE)?
        };
        let membership = Membership { page: page.cast() };
        // SAFETY: the page mapped just now.
        unsafe { mm::madvise(page, 4096, Advice::LinuxWipeOnFork)? };
        Ok(membership)
    }

    fn page(&self) -> &Page {
        // SAFETY: mapped for the life of `self`, and made of atomics.
        unsafe { &*self.page }
    }

    #[inline]
    fn current(&self) -> u64 {
        self.page().owner.load(Ordering::Acquire)
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        let life = self.page().life.load(Ordering::Relaxed);
        // SAFETY: both pages are ours; a forked child finds no life mapping in its wiped page, and has none. No thread
        // of this process uses this arena, whose last user is gone, so other processes may take over what it owned. A
        // kept mapping would keep all memory of an arena whose file was removed.
        unsafe {
            if !life.is_null() {
                host::give_up(life);
            }
            let _ = mm::munmap(self.page.cast(), 4096);
        }
    }
}

impl Presence {
    pub fn new(processes: Table<ProcessSlot>, host: Arc<Host>, patience: Duration) -> io::Result<Presence> {
        Ok(Presence { processes, host, patience, membership: Membership::new()?, dead: Dead::default() })
    }

    /// This process's owner word, or 0 before it has registered.
    #[inline]
    pub fn current(&self) -> u64 {
        self.membership.current()
    }

    /// This process's owner word, registering it on first use and after a fork.
    #[inline]
    pub fn owner(&self) -> Result<u64, Error> {
        match self.membership.current() {
            0 => self.register(),
            owner => Ok(owner),
        }
    }

    /// Registers this process, or waits for the thread that does.
    #[cold]
    fn register(&self) -> Result<u64, Error> {
        let page = self.membership.page();
        let begun = Instant::now();
        loop {
            let owner = self.membership.current();
            if owner != 0 {
                return Ok(owner);
            }
            let thread = rustix::thread::gettid().as_raw_nonzero().get() as u32;
            let Err(other) = page.registering.compare_exchange(0, thread, Ordering::Acquire, Ordering::Relaxed) else {
                // Another thread may have come to its end since the look above.
                let result = match self.membership.current() {
                    0 => self.take_slot().map(|(owner, life)| {
                        page.life.store(life, Ordering::Relaxed);
                        page.owner.store(owner, Ordering::Release);
                        owner
                    }),
                    owner => Ok(owner),
                };
                page.registering.store(0, Ordering::Release);
                return result;
            };
            // A signal handler that has interrupted this very thread there, or code behind a longjmp out of it: it
            // would wait for itself.
            if other == thread || begun.elapsed() >= self.patience {
                return Err(Error::Busy);
            }
            rest();
        }
    }

    /// The owner word, and the mapping that is its life sign.
    fn take_slot(&self) -> Result<(u64, *mut c_void), Error> {
        // A child that was forked in here would keep the description open, and with it the life sign of its parent.
        let _uncut = self.host.keep_forks_out()?;
        let signs = self.host.signs()?;
        let slots = self.processes.len();
        let myself = self.host.myself();
        let start = myself.pid as usize;
        let order = || (0..slots).map(|step| (start + step) % slots);
        // Never used slots first: asking the kernel for each slot of a busy table would cost more than looking.
        let fresh = order().filter(|slot| self.processes.at(*slot).pid.load(Ordering::Relaxed) == 0);
        let slot = fresh.chain(order()).find(|slot| signs.take(*slot)).ok_or(Error::ProcessTableFull { max: slots })?;
        step();
        // Some file systems (FUSE, gVisor, NFS) accept such locks and forget them.
        if self.host.signs()?.is_gone(slot) {
            return Err(Error::NoLifeSign("a lock that was taken is not seen by others".to_owned()));
        }
        step();
        let life = signs.keep()?;
        step();

        let entry = self.processes.at(slot);
        // The new incarnation first: from here on every lock word of an earlier one has a provably dead owner, and a
        // process that sees it sees all writes of that owner.
        let incarnation = entry.incarnation.load(Ordering::Relaxed).wrapping_add(1).max(1);
        entry.incarnation.store(incarnation, Ordering::Release);
        entry.start_time.store(myself.start_time, Ordering::Relaxed);
        entry.pid_namespace.store(myself.pid_namespace, Ordering::Relaxed);
        entry.program.store(Program::of_this_process() as u32, Ordering::Relaxed);
        entry.pid.store(myself.pid, Ordering::Relaxed);
        step();
        Ok((u64::from(incarnation) << 32 | (slot as u64 + 1), life))
    }

    /// Whether the owner of a lock word can never run again. "No" is always a safe answer. May take system calls, so it
    /// is never called under a lock.
    pub fn is_dead(&self, word: u64) -> bool {
        let owner = word & OWNER;
        if owner == self.membership.current() {
            // Another thread of this process: F_OFD_GETLK would not see our own lock.
            return false;
        }
        if self.is_known_dead(owner) {
            return true;
        }
        let slot = slot_of(owner);
        let is_dead =
            self.is_exiting(self.processes.at(slot)) || self.host.signs().is_ok_and(|signs| signs.is_gone(slot));
        if is_dead {
            self.dead.add(owner);
        }
        is_dead
    }

    /// As `is_dead`, from memory alone: for callers under a lock, after `is_dead` was called without one.
    pub fn is_known_dead(&self, word: u64) -> bool {
        let owner = word & OWNER;
        // A slot beyond the table: no process writes such a word, so the file is damaged, and the lock will never be
        // released.
        let Some(entry) = (slot_of(owner) < self.processes.len()).then(|| self.processes.at(slot_of(owner))) else {
            return true;
        };
        u64::from(entry.incarnation.load(Ordering::Acquire)) != owner >> 32 || self.dead.has(owner)
    }

    /// How the process of an owner word numbers itself; None where the word names no slot.
    pub fn pid_of(&self, owner: u64) -> Option<u32> {
        let slot = slot_of(owner);
        (slot < self.processes.len()).then(|| self.processes.at(slot).pid.load(Ordering::Relaxed))
    }

    /// The kernel frees the byte only after it has torn down the address space: 40 ms for each GiB touched. An owner that
    /// provably runs no more (one thread, already exiting, same pid namespace, same start time) need not be waited for.
    fn is_exiting(&self, entry: &ProcessSlot) -> bool {
        let pid = entry.pid.load(Ordering::Relaxed);
        let recorded = entry.start_time.load(Ordering::Relaxed);
        let namespace = self.host.pid_namespace();
        if pid <= 1 || recorded == 0 || namespace == 0 || entry.pid_namespace.load(Ordering::Relaxed) != namespace {
            return false;
        }
        let is_seen_ending =
            || self.host.stat_of(pid).is_some_and(|stat| stat.start_time == recorded && stat.is_ending());
        // The kernel counts the threads first and reads the flags of the first thread later: in between that one may have
        // started another and ended. Once it is exiting it starts none, so a second count is the true one.
        is_seen_ending() && is_seen_ending()
    }

    /// The slots whose word `knows` is not zero, as it is reserved to be.
    pub fn knowing(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.processes.len()).filter(|slot| self.processes.at(*slot).knows.load(Ordering::Relaxed) != 0)
    }

    /// How many registered processes live, by `Program`.
    pub fn attached(&self) -> [u32; PROGRAMS] {
        let mut attached = [0; PROGRAMS];
        for entry in self.living() {
            attached[Program::of_number(entry.program.load(Ordering::Relaxed)) as usize] += 1;
        }
        attached
    }

    /// The pids of registered processes that live, of those that go by the numbering of this one.
    pub fn attached_pids(&self) -> Vec<u32> {
        let namespace = self.host.pid_namespace();
        self.living()
            .into_iter()
            .filter(|entry| namespace != 0 && entry.pid_namespace.load(Ordering::Relaxed) == namespace)
            .map(|entry| entry.pid.load(Ordering::Relaxed))
            .collect()
    }

    /// Whether no other process has a life sign here. False where that cannot be told.
    pub fn is_alone(&self) -> bool {
        let own = usize::from(self.membership.current() != 0);
        self.host.signs().is_ok() && self.living().len() == own
    }

    fn living(&self) -> Vec<&ProcessSlot> {
        let Ok(signs) = self.host.signs() else { return Vec::new() };
        let own = slot_of(self.membership.current());
        let lives = |slot: &usize| {
            *slot == own || self.processes.at(*slot).pid.load(Ordering::Relaxed) != 0 && !signs.is_gone(*slot)
        };
        (0..self.processes.len()).filter(lives).map(|slot| self.processes.at(slot)).collect()
    }
}

/// The slot that an owner word names; beyond every table where it names none.
fn slot_of(owner: u64) -> usize {
    ((owner & 0xffff) as usize).wrapping_sub(1)
}

#[cfg(test)]
mod tests {
    use crate::sync::Ordering;
    use crate::{Arena, Deadline, Error, Lease, OpenOptions, Time};
    use std::sync::Barrier;

    /// A thread that had waited for another one's registration could register the process once more. Leases and
    /// announcements under its first name were never given back.
    #[test]
    fn threads_that_write_first_at_the_same_time_get_one_name() {
        const THREADS: usize = 4;
        for _ in 0..300 {
            let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
            let options = OpenOptions::new().memory(8 << 20).cores(1);
            let (arena, _) = Arena::open(&dir.path().join("name.arena"), &options).expect("an arena");
            let begin = Barrier::new(THREADS);
            let register = || {
                begin.wait();
                arena.core.presence.owner().expect("a free slot")
            };
            let names: Vec<u64> = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(register)).collect();
                threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
            });
            assert_eq!(names, [names[0]; THREADS]);
        }
    }

    fn scratch() -> (Arena, tempfile::TempDir) {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let options = OpenOptions::new().memory(8 << 20).cores(1);
        (Arena::open(&dir.path().join("name.arena"), &options).expect("an arena").0, dir)
    }

    /// Slots are taken by other processes one after the other: this process takes the last, reads but cannot write when
    /// none is free, and writes once a slot is free again.
    #[test]
    fn a_full_table_refuses_writers_by_name_and_nobody_else() {
        let (arena, _dir) = scratch();
        let (presence, now) = (&arena.core.presence, Time::now());
        let slots = presence.processes.len();
        let path = arena.path().to_owned();
        let others = arena.core.map.host.signs().expect("signs");
        assert!((0..slots).all(|slot| others.take(slot)));
        assert_eq!(presence.owner(), Err(Error::ProcessTableFull { max: slots }));
        let refused = Err(Error::ProcessTableFull { max: slots });
        assert_eq!(arena.set(b"key", b"value", Deadline::NEVER, now), refused);
        assert_eq!((arena.get(b"key", now), arena.hold(b"key"), arena.iter(now).count()), (None, Lease::NoLease, 0));
        drop(others);
        drop(arena);
        for free in [0, 1, slots / 2, slots - 2, slots - 1] {
            let (arena, _) = Arena::open(&path, &OpenOptions::new()).expect("an arena");
            let others = arena.core.map.host.signs().expect("signs");
            assert!((0..slots).filter(|slot| *slot != free).all(|slot| others.take(slot)));
            arena.set(b"key", &[free as u8], Deadline::NEVER, now).expect("the slot that is left");
            assert_eq!(super::slot_of(arena.core.presence.current()), free);
            assert_eq!(arena.get(b"key", now).expect("there").value, [free as u8]);
        }
    }

    /// The number of a slot's registrations begins again, and passes by 0, which no owner has.
    #[test]
    fn a_slot_outlives_its_last_number() {
        let (arena, dir) = scratch();
        let path = dir.path().join("name.arena");
        let numbers = |arena: &Arena, number| {
            let processes = &arena.core.presence.processes;
            (0..processes.len()).for_each(|slot| processes.at(slot).incarnation.store(number, Ordering::Relaxed));
        };
        numbers(&arena, u32::MAX - 1);
        let mut before = arena.core.presence.owner().expect("a free slot");
        assert_eq!(before >> 32, u64::from(u32::MAX));
        drop(arena);
        for want in [1, 2] {
            let (arena, _) = Arena::open(&path, &OpenOptions::new()).expect("an arena");
            // In the slot of the one before, as all are where the table was used up once.
            let others = arena.core.map.host.signs().expect("signs");
            let slots = arena.core.presence.processes.len();
            assert!((0..slots).filter(|slot| *slot != super::slot_of(before)).all(|slot| others.take(slot)));
            let owner = arena.core.presence.owner().expect("a free slot");
            assert_eq!((owner >> 32, super::slot_of(owner)), (want, super::slot_of(before)));
            assert!(arena.core.presence.is_known_dead(before) && !arena.core.presence.is_dead(owner));
            before = owner;
        }
    }
}
