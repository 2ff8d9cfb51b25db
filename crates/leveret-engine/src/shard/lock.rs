//! The lock of a shard. Its word names its owner, whose death can be proved; a process that takes it from a dead owner
//! is told so, and recovers before anything else (`enter.rs`). It is never taken from a living owner, however long that
//! sleeps: writers wait, then return `Busy`.
//!
//! Lock order: the file lock before a shard's; never two shards at once, except by `try_lock`.
use crate::core::Core;
use crate::counters::Counter;
use crate::error::Error;
use crate::map::layout::Shard;
use crate::patience::is_impatient;
use crate::presence::OWNER;
use crate::shard::hold_timer::Timer;
use crate::shard::standstill::{work_done, Standstill, STARVED};
use crate::sync::{self, sleep_on, spin, thread_local, AtomicU32, AtomicU64, Instant, Ordering, Slept};
use crate::time::Time;
use std::cell::Cell;
use std::time::Duration;

/// How a lock is taken. Acquire: the last owner's writes. Release: a process that sees this owner's name also sees the
/// owner's registration by `take_slot`; otherwise, on processors that reorder stores, it could check the slot's
/// previous process instead.
const TAKEN: Ordering = Ordering::AcqRel;
/// How a name is read that may be judged dead: the other half of that pair.
const SEEN: Ordering = Ordering::Acquire;
/// A thread sleeps on the lock word.
const WAITERS: u64 = 1 << 16;

/// A section takes some hundred nanoseconds, but its owner may be preempted: with few processors spinning only delays
/// it.
const SPINS: u32 = if cfg!(model) { 1 } else { 100 };
/// How long one sleep lasts before the owner's life is looked at.
const NAP: Duration = Duration::from_millis(2);
/// This thread's section: a signal handler, or code after a longjmp, may find it not empty.
struct Entered {
    /// A stack address of the function that took the lock; 0 = no section.
    frame: Cell<usize>,
    /// `Core::number` of the arena.
    arena: Cell<u64>,
    shard: Cell<usize>,
    timer: Timer,
}

thread_local! {
    static ENTERED: Entered = const {
        Entered { frame: Cell::new(0), arena: Cell::new(0), shard: Cell::new(0), timer: Timer::new() }
    };
}

/// The one section that a thread may be in. It never leaves its thread, so its pointers stay valid.
#[derive(Clone, Copy)]
pub(super) struct Section(*const Entered);

impl Section {
    #[inline(always)]
    pub fn of_this_thread() -> Section {
        Section(ENTERED.with(std::ptr::from_ref))
    }

    #[inline(always)]
    fn cells(&self) -> &Entered {
        // SAFETY: a thread's own cells live as long as the thread, which this never leaves.
        unsafe { &*self.0 }
    }

    #[inline(always)]
    pub fn is_entered(self) -> bool {
        self.cells().frame.get() != 0
    }

    /// Arena and shard of a section that was jumped out of. `Busy`: it was not, and this is called from inside it.
    pub fn abandoned(self) -> Result<(u64, usize), Error> {
        let marker = 0u8;
        // Deeper in the stack than the section: called from inside it. Waiting for ourselves would never end.
        if is_on_signal_stack() || (&raw const marker as usize) < self.cells().frame.get() {
            return Err(Error::Busy);
        }
        Ok((self.cells().arena.get(), self.cells().shard.get()))
    }

    pub fn forget(self) {
        self.cells().timer.forget();
        self.leave();
    }

    /// The lock is this thread's.
    #[inline(always)]
    fn enter(self, core: &Core, index: usize) {
        let marker = 0u8;
        let cells = self.cells();
        cells.arena.set(core.number);
        cells.shard.set(index);
        cells.frame.set(&raw const marker as usize);
        cells.timer.begin();
    }

    #[inline(always)]
    fn leave(self) {
        self.cells().frame.set(0);
    }
}

/// How the last owner of a lock left the guarded state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    Whole,
    /// He had died.
    HalfDone,
}

/// A lock that this thread holds.
pub(super) struct Guard<'a> {
    pub shard: &'a Shard,
    core: &'a Core,
    section: Section,
}

impl<'a> Guard<'a> {
    /// Of the lock of a section that this thread has entered.
    #[inline(always)]
    pub fn of_entered(core: &'a Core, index: usize, section: Section) -> Guard<'a> {
        Guard { shard: core.shards.at(index), core, section }
    }
}

impl Drop for Guard<'_> {
    #[inline]
    fn drop(&mut self) {
        self.section.cells().timer.end(self.core);
        self.section.leave();
        release(&self.shard.lock);
    }
}

/// Takes the lock of a shard and enters the section, waiting for a living owner up to the lock timeout. The thread is in no
/// section. A `Guard` must follow at once.
#[inline(always)]
pub(super) fn take(core: &Core, shard: usize, section: Section) -> Result<Left, Error> {
    let owner = core.presence.owner()?;
    let word = &core.shards.at(shard).lock;
    let left = match word.compare_exchange(0, owner, TAKEN, Ordering::Relaxed) {
        Ok(_) => Left::Whole,
        Err(_) => wait_for(core, shard, word, owner)?,
    };
    section.enter(core, shard);
    Ok(left)
}

/// As `take`, if the lock is free, or its owner is dead, at once.
pub(super) fn try_take(core: &Core, shard: usize, section: Section) -> Option<Left> {
    let owner = core.presence.owner().ok()?;
    let left = take_at_once(core, &core.shards.at(shard).lock, owner)?;
    section.enter(core, shard);
    Some(left)
}

/// Whether the lock of a shard is free. Acquire: its last owner has completed the guarded change.
pub(crate) fn is_free(core: &Core, shard: usize) -> bool {
    core.shards.at(shard).lock.load(Ordering::Acquire) == 0
}

fn take_at_once(core: &Core, word: &AtomicU64, owner: u64) -> Option<Left> {
    match word.compare_exchange(0, owner, TAKEN, SEEN) {
        Ok(_) => Some(Left::Whole),
        Err(held) => {
            let is_ours = core.presence.is_dead(held)
                && word.compare_exchange(held, owner | WAITERS, TAKEN, Ordering::Relaxed).is_ok();
            is_ours.then_some(Left::HalfDone)
        }
    }
}

#[cold]
fn wait_for(core: &Core, shard: usize, word: &AtomicU64, owner: u64) -> Result<Left, Error> {
    for _ in 0..SPINS {
        if word.load(Ordering::Relaxed) == 0 && word.compare_exchange(0, owner, TAKEN, Ordering::Relaxed).is_ok() {
            return Ok(Left::Whole);
        }
        spin();
    }
    if is_impatient() && core.stuck[shard].lasts(Time::now()) {
        return take_at_once(core, word, owner).ok_or(Error::Busy);
    }
    let begun = Instant::now();
    let left = sleep_for(core, shard, word, owner, begun);
    let us = begun.elapsed().as_micros() as u64;
    let counters = &core.shards.at(shard).counters;
    counters[Counter::LockWaitUs as usize].fetch_add(us, Ordering::Relaxed);
    if let Some(counter) = Counter::of_wait(us) {
        counters[counter as usize].fetch_add(1, Ordering::Relaxed);
    }
    left
}

fn sleep_for(core: &Core, shard: usize, word: &AtomicU64, owner: u64, begun: Instant) -> Result<Left, Error> {
    let mut rests_since = begun;
    let head = core.shards.at(shard);
    head.counters[Counter::LockWaits as usize].fetch_add(1, Ordering::Relaxed);
    let mut stand = Standstill::new(work_done(head), begun);
    while begun.elapsed() < core.lock_timeout.saturating_add(NAP).saturating_mul(STARVED) {
        let held = word.load(SEEN);
        if held == 0 {
            // Others may sleep behind us: we cannot know, so the unlock wakes one.
            if word.compare_exchange(0, owner | WAITERS, TAKEN, Ordering::Relaxed).is_ok() {
                return Ok(Left::Whole);
            }
            continue;
        }
        if held & WAITERS == 0
            && word.compare_exchange(held, held | WAITERS, Ordering::Relaxed, Ordering::Relaxed).is_err()
        {
            continue;
        }
        let held = held | WAITERS;
        match sleep_on(low_half(word), held as u32, NAP) {
            // Owners come and go.
            Slept::Changed => {
                rests_since = Instant::now();
                continue;
            }
            // By the clock: signals may come faster than naps end.
            Slept::Interrupted if rests_since.elapsed() < NAP => continue,
            _ => rests_since = Instant::now(),
        }
        if held & OWNER != owner && core.presence.is_dead(held) {
            if word.compare_exchange(held, owner | WAITERS, TAKEN, Ordering::Relaxed).is_ok() {
                return Ok(Left::HalfDone);
            }
            continue;
        }
        // Once an owner has not gone on for the whole timeout, others need not wait as long for the same one. An
        // impatient thread has no other measure than this nap.
        let stuck = &core.stuck[shard];
        match stand.look(work_done(head)) {
            true if is_impatient() => return Err(Error::Busy),
            true => {}
            false if stuck.lasts(Time::now()) || is_impatient() || stand.is_over(core.lock_timeout, NAP) => {
                stuck.begin(Time::now(), 1);
                return Err(Error::Busy);
            }
            false => {}
        }
        if core.is_lost() {
            return Err(Error::Lost);
        }
    }
    Err(Error::Busy)
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

/// A load and a store in place of a swap, which would wait until the bytes of the new item have reached the cache. A
/// thread that goes to sleep between the two is not woken: its sleep ends after 2 ms.
#[inline]
fn release(word: &AtomicU64) {
    let held = word.load(Ordering::Relaxed);
    word.store(0, Ordering::Release);
    if held & WAITERS != 0 {
        wake(word);
    }
}

#[cold]
fn wake(word: &AtomicU64) {
    sync::wake(low_half(word), 1);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shard;
    use crate::sync::AtomicBool;
    use crate::{Arena, Deadline, OpenOptions};
    use std::io::{BufRead, BufReader};
    use std::path::Path;
    use std::process::{Child, Command, Stdio};

    const PATH: &str = "LEVERET_TEST_HOLDS_LOCKS_OF";

    fn open(path: &Path, lock_timeout: Duration) -> Arena {
        let options = OpenOptions::new().memory(8 << 20).lock_timeout(lock_timeout);
        Arena::open(path, &options).expect("an arena").0
    }

    /// Waits for a lock that will not be released.
    const SOON: Duration = Duration::from_millis(100);

    /// Waits for a lock that will be released, even on a busy machine.
    const LATE: Duration = Duration::from_secs(3600);

    /// Not a test of its own: run as another process, it takes every lock and waits to be killed.
    #[test]
    fn holder() {
        let Some(path) = std::env::var_os(PATH) else { return };
        let arena = open(Path::new(&path), LATE);
        // One section per thread, as everywhere.
        std::thread::scope(|scope| {
            for shard in 0..arena.core.shards.len() {
                let core = &arena.core;
                scope.spawn(move || {
                    let _locked = shard::lock(core, shard, Time::now()).expect("free");
                    println!("held");
                    std::thread::sleep(Duration::from_secs(3600));
                });
            }
        });
    }

    fn start_holder(path: &Path, locks: usize) -> Child {
        let program = std::env::current_exe().expect("this program");
        let mut command = Command::new(program);
        command.args(["--exact", "shard::lock::tests::holder", "--nocapture"]).env(PATH, path).stdout(Stdio::piped());
        let mut child = command.spawn().expect("started");
        let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let held = lines.map_while(Result::ok).filter(|line| line.ends_with("held")).take(locks).count();
        assert_eq!(held, locks);
        child
    }

    /// A lock that is held at every check, by an owner that makes progress, is waited for beyond the time-out: the word
    /// is the same each time that a thread of one process takes it.
    #[test]
    fn an_owner_who_goes_on_is_waited_for() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let options = OpenOptions::new().memory(8 << 20).cores(1).lock_timeout(SOON);
        let (arena, _) = Arena::open(&dir.path().join("lock.arena"), &options).expect("an arena");
        let (core, now) = (&*arena.core, Time::now());
        let shard = core.hasher.shard_of(core.hasher.hash(b"a"));
        let (is_held, works) = (AtomicBool::new(false), AtomicBool::new(true));
        std::thread::scope(|scope| {
            let holder = scope.spawn(|| {
                let locked = shard::lock(core, shard, now).expect("free");
                is_held.store(true, Ordering::Release);
                for _ in 0..60 {
                    core.shards.at(shard).eviction.writes.fetch_add(1, Ordering::Relaxed);
                    std::thread::sleep(SOON / 10);
                }
                works.store(false, Ordering::Release);
                std::thread::sleep(SOON / 10);
                drop(locked);
            });
            while !is_held.load(Ordering::Acquire) {
                std::thread::yield_now();
            }
            arena.set(b"a", b"1", Deadline::NEVER, now).expect("the lock, after six timeouts");
            assert!(!works.load(Ordering::Acquire));
            holder.join().expect("no panic");
        });
    }

    #[test]
    fn a_living_owner_is_waited_for_and_a_dead_one_is_not() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let arena = open(&dir.path().join("lock.arena"), SOON);
        let now = Time::now();
        arena.set(b"a", b"1", Deadline::NEVER, now).expect("room");
        let mut holder = start_holder(arena.path(), arena.core.shards.len());
        assert_eq!(arena.set(b"a", b"2", Deadline::NEVER, now), Err(Error::Busy));
        assert_eq!(arena.get(b"a", now).expect("readers do not wait").value, b"1");
        holder.kill().expect("killed");
        holder.wait().expect("reaped");
        arena.set(b"a", b"2", Deadline::NEVER, now).expect("a dead owner's lock is taken");
        assert_eq!(arena.get(b"a", now).expect("there").value, b"2");
        assert!(arena.verify().is_clean());
        assert_eq!(arena.stats().recoveries, arena.core.shards.len() as u64);
    }

    /// Signals that came faster than naps end kept a waiter from ever looking whether the owner lives.
    #[test]
    fn a_dead_owner_is_found_dead_by_a_waiter_whom_signals_wake_all_the_time() {
        extern "C" fn nothing(_signal: libc::c_int) {}
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let arena = open(&dir.path().join("lock.arena"), LATE);
        let mut holder = start_holder(arena.path(), arena.core.shards.len());
        holder.kill().expect("killed");
        holder.wait().expect("reaped");
        let handler: extern "C" fn(libc::c_int) = nothing;
        let every = libc::timespec { tv_sec: 0, tv_nsec: NAP.as_nanos() as i64 / 10 };
        let mut timer: libc::timer_t = std::ptr::null_mut();
        // SAFETY: a handler that does nothing, for a signal that no other test uses; the kernel sends it to this
        // thread, until the timer is deleted below.
        unsafe {
            libc::signal(libc::SIGUSR1, handler as libc::sighandler_t);
            let mut event: libc::sigevent = std::mem::zeroed();
            (event.sigev_notify, event.sigev_signo) = (libc::SIGEV_THREAD_ID, libc::SIGUSR1);
            event.sigev_notify_thread_id = libc::gettid();
            assert_eq!(libc::timer_create(libc::CLOCK_MONOTONIC, &mut event, &mut timer), 0);
            let often = libc::itimerspec { it_interval: every, it_value: every };
            assert_eq!(libc::timer_settime(timer, 0, &often, std::ptr::null_mut()), 0);
        }
        let taken = shard::lock(&arena.core, 0, Time::now()).map(|locked| locked.index);
        // SAFETY: the timer made above.
        unsafe { libc::timer_delete(timer) };
        assert_eq!(taken, Ok(0));
    }

    /// A process that keeps changing the word, as none of ours does, kept a waiter from ever timing out.
    #[test]
    fn a_word_that_never_rests_does_not_hold_a_writer_for_ever() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let arena = open(&dir.path().join("lock.arena"), Duration::from_millis(10));
        let word = &arena.core.shards.at(0).lock;
        let is_over = AtomicBool::new(false);
        let owner = arena.core.presence.owner().expect("registered");
        word.store(owner, Ordering::Relaxed);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    // A bit that means nothing.
                    word.fetch_xor(1 << 20, Ordering::Relaxed);
                }
            });
            let taken = shard::lock(&arena.core, 0, Time::now()).map(|_| ());
            is_over.store(true, Ordering::Relaxed);
            assert_eq!(taken, Err(Error::Busy));
        });
    }

    #[test]
    fn whoever_waits_for_nobody_still_takes_the_lock_of_the_dead() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let arena = open(&dir.path().join("lock.arena"), Duration::ZERO);
        let mut holder = start_holder(arena.path(), arena.core.shards.len());
        assert_eq!(shard::lock(&arena.core, 0, Time::now()).map(|_| ()), Err(Error::Busy));
        // For a second after that no thread waits here: the code below must not need the lock.
        holder.kill().expect("killed");
        holder.wait().expect("reaped");
        assert_eq!(shard::lock(&arena.core, 0, Time::now()).map(|_| ()), Ok(()));
    }

    #[test]
    fn a_thread_waits_for_another_of_its_process() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let arena = open(&dir.path().join("lock.arena"), LATE);
        let locked = shard::lock(&arena.core, 0, Time::now()).expect("free");
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| shard::lock(&arena.core, 0, Time::now()).map(|locked| locked.index));
            std::thread::sleep(Duration::from_millis(20));
            assert!(!waiter.is_finished());
            drop(locked);
            assert_eq!(waiter.join().expect("no panic"), Ok(0));
        });
        assert_eq!(arena.stats().recoveries, 0);
    }

    #[inline(never)]
    fn jump_out(arena: &Arena) {
        // In a frame of its own, which lies below this one's space on each processor.
        #[inline(never)]
        fn enter(arena: &Arena) {
            std::mem::forget(shard::lock(&arena.core, 0, Time::now()).expect("free"));
        }
        // Some stack between the section and the code after the jump.
        let space = std::hint::black_box([0u8; 4096]);
        enter(arena);
        std::hint::black_box(space);
    }

    #[test]
    fn a_section_that_was_jumped_out_of_is_recovered_by_its_thread() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let arena = open(&dir.path().join("lock.arena"), LATE);
        jump_out(&arena);
        assert!(shard::lock(&arena.core, 0, Time::now()).is_ok());
        assert_eq!(arena.stats().recoveries, 1);
    }

    /// A thread that has jumped out of a section of one arena was refused at every other until it came back to the
    /// first.
    #[test]
    fn a_section_that_was_jumped_out_of_bars_no_other_arena() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let first = open(&dir.path().join("first.arena"), LATE);
        let second = open(&dir.path().join("second.arena"), LATE);
        jump_out(&first);
        assert!(shard::lock(&second.core, 0, Time::now()).is_ok());
        assert_eq!((first.stats().recoveries, second.stats().recoveries), (1, 0));

        // The first arena is closed everywhere: its lock belongs to a process that is gone.
        jump_out(&first);
        let path = first.path().to_owned();
        drop(first);
        assert!(shard::lock(&second.core, 0, Time::now()).is_ok());
        let again = open(&path, LATE);
        assert!(shard::lock(&again.core, 0, Time::now()).is_ok());
        assert_eq!((again.stats().recoveries, second.stats().recoveries), (2, 0));
    }

    /// Asked for the lock of a dead owner from inside a section, `try_lock` took it, was refused, and let it go: free,
    /// and never recovered.
    #[test]
    fn inside_a_section_nothing_is_taken_from_the_dead() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let path = dir.path().join("lock.arena");
        let options = OpenOptions::new().memory(8 << 20).cores(4).lock_timeout(LATE);
        let (arena, _) = Arena::open(&path, &options).expect("an arena");
        let core = &arena.core;
        let shards = core.shards.len();
        assert!(shards > 1);
        let mut holder = start_holder(&path, shards);
        holder.kill().expect("killed");
        holder.wait().expect("reaped");
        let locked = shard::lock(core, 0, Time::now()).expect("its owner is dead");
        #[inline(never)]
        fn handler(core: &Core) -> bool {
            let space = std::hint::black_box([0u8; 8192]);
            let is_taken = shard::try_lock(core, 1, Time::now()).is_some();
            std::hint::black_box(space);
            is_taken
        }
        assert!(!handler(core));
        drop(locked);
        for shard in 0..shards {
            drop(shard::lock(core, shard, Time::now()).expect("its owner is dead"));
        }
        assert_eq!(arena.stats().recoveries, shards as u64);
    }

    /// A kill may leave bits of the map of used segments set over free ones: lost, if recovery did not look at the
    /// state words.
    #[test]
    fn recovery_finds_every_free_segment() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let arena = open(&dir.path().join("lock.arena"), LATE);
        arena.set(b"a", b"1", Deadline::NEVER, Time::now()).expect("room");
        let core = &arena.core;
        let free = core.segments.count_free(usize::MAX);
        assert!(free > 0);
        jump_out(&arena);
        core.segments.all().for_each(|segment| core.segments.set_used(segment, true));
        assert_eq!(core.segments.count_free(usize::MAX), 0);
        drop(shard::lock(core, 0, Time::now()).expect("this thread's own"));
        assert_eq!((arena.stats().recoveries, core.segments.count_free(usize::MAX)), (1, free));
    }

    #[test]
    fn inside_a_section_a_second_one_is_refused_at_once() {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let arena = open(&dir.path().join("lock.arena"), LATE);
        let locked = shard::lock(&arena.core, 0, Time::now()).expect("free");
        #[inline(never)]
        fn handler(arena: &Arena) -> Result<(), Error> {
            // As far below as the kernel would put a signal handler's frame.
            let space = std::hint::black_box([0u8; 8192]);
            let answer = arena.set(b"a", b"1", Deadline::NEVER, Time::now());
            std::hint::black_box(space);
            answer
        }
        // It would wait an hour for anybody else.
        assert_eq!(handler(&arena), Err(Error::Busy));
        drop(locked);
        assert_eq!(handler(&arena), Ok(()));
    }
}
