//! The SIGBUS guard. After a truncation of an arena's file, the next access would kill the process. The handler
//! replaces the *whole* mapping by private zeros: with some pages private and some shared, a process would take a free
//! lock word privately and write beside its real owner. From then on every operation answers `Lost`.
//!
//! The handler runs on any thread at any instruction, also in the middle of a copy, so it only reads atomics and calls
//! mmap. A fault elsewhere goes to the handler that was installed before.
use crate::sync::{AtomicBool, AtomicUsize, Ordering};
use std::io;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::Once;

const GUARDS_MAX: usize = 64;

struct Range {
    taken: AtomicBool,
    start: AtomicUsize,
    /// 0 = no range.
    len: AtomicUsize,
    lost: AtomicBool,
}

static RANGES: [Range; GUARDS_MAX] = [const {
    Range {
        taken: AtomicBool::new(false),
        start: AtomicUsize::new(0),
        len: AtomicUsize::new(0),
        lost: AtomicBool::new(false),
    }
}; GUARDS_MAX];

/// Guards the range of one mapping.
pub(crate) struct FaultGuard(usize);

impl FaultGuard {
    pub fn new(start: usize, len: usize) -> io::Result<FaultGuard> {
        install();
        let index = RANGES
            .iter()
            .position(|range| range.taken.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok());
        let index = index.ok_or_else(|| {
            io::Error::other(format!("this process has {GUARDS_MAX} arenas open, which is the limit"))
        })?;
        RANGES[index].lost.store(false, Ordering::Relaxed);
        RANGES[index].start.store(start, Ordering::Relaxed);
        RANGES[index].len.store(len, Ordering::Release);
        Ok(FaultGuard(index))
    }

    #[inline]
    pub fn is_lost(&self) -> bool {
        RANGES[self.0].lost.load(Ordering::Acquire)
    }
}

impl Drop for FaultGuard {
    /// The mapping is about to go.
    fn drop(&mut self) {
        RANGES[self.0].len.store(0, Ordering::Release);
        RANGES[self.0].taken.store(false, Ordering::Release);
    }
}

static mut PREVIOUS: MaybeUninit<libc::sigaction> = MaybeUninit::zeroed();

fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) = on_sigbus;
        // SAFETY: zero is a valid sigaction; the handler has the signature that SA_SIGINFO asks for. PREVIOUS is
        // written here, once, before the handler can run.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handler as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
            libc::sigemptyset(&mut action.sa_mask);
            libc::sigaction(libc::SIGBUS, ptr::null(), (&raw mut PREVIOUS).cast());
            libc::sigaction(libc::SIGBUS, &action, ptr::null_mut());
        }
    });
}

extern "C" fn on_sigbus(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel passes a valid siginfo; for SIGBUS it holds the address.
    let address = unsafe { (*info).si_addr() } as usize;
    for range in &RANGES {
        let len = range.len.load(Ordering::Acquire);
        let start = range.start.load(Ordering::Relaxed);
        if len == 0 || address < start || address - start >= len {
            continue;
        }
        range.lost.store(true, Ordering::Release);
        // SAFETY: replaces exactly our own mapping, which stays reserved for us until the `FaultGuard` is dropped.
        let zeros = unsafe {
            libc::mmap(
                start as *mut libc::c_void,
                len,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_FIXED | libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if zeros != libc::MAP_FAILED {
            return;
        }
    }
    // SAFETY: PREVIOUS was filled before this handler was installed; the call follows its own flags.
    unsafe {
        let previous: &libc::sigaction = &*(&raw const PREVIOUS).cast();
        match previous.sa_sigaction {
            libc::SIG_DFL | libc::SIG_IGN => {
                // Back to the default; the faulting instruction runs again and ends the process as it would have
                // without us. (A SIGBUS that was sent with kill(2) ends it the second time.)
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = libc::SIG_DFL;
                libc::sigaction(signal, &action, ptr::null_mut());
            }
            handler if previous.sa_flags & libc::SA_SIGINFO != 0 => {
                std::mem::transmute::<usize, extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void)>(
                    handler,
                )(signal, info, context);
            }
            handler => std::mem::transmute::<usize, extern "C" fn(libc::c_int)>(handler)(signal),
        }
    }
}
