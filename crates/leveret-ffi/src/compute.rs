//! One process makes a missing value, the others wait for it: leases, with the order of the steps.
use crate::{leveret_arena, leveret_bytes};
use leveret_engine::{Arena, Lease, Ticket, Time};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Where a process stands: all zero begins. It belongs to one thread of one process, and to the arena that it began with.
#[repr(C)]
pub struct leveret_compute {
    /// The lease, while it is held.
    pub ticket: Ticket,
    /// When the wait began, in microseconds of a clock of this process; 0: there was none.
    pub began_us: u64,
    /// Private.
    pub state: u32,
    /// 0.
    pub unused: u32,
}

/// The next step.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum leveret_step {
    /// There is an item: fetch it. If it cannot be used, ask for the next step.
    LEVERET_STEP_LOOK = 0,
    /// Compute the value, store it, and end.
    LEVERET_STEP_COMPUTE,
    /// Another process computes: ask for the next step, unless the host is to stop.
    LEVERET_STEP_AGAIN,
}

use leveret_step::*;

// Not an enum: C may have left any number there. Any other one begins.
/// Another process has the lease.
const WAITS: u32 = 1;
/// This thread has it.
const HOLDS: u32 = 2;
/// There is none to be had: this thread computes beside others.
const ALONE: u32 = 3;

/// The next step of a thread that has looked for the value of a key and found none. Takes up to 20 ms. While this thread
/// has the lease the others wait, for ten seconds in all; that of a process that has died goes to one of them. A step that
/// looks for the item counts nothing.
///
/// # Safety
/// Pointers are live.
#[no_mangle]
pub unsafe extern "C" fn leveret_compute_next(
    arena: *const leveret_arena,
    key: leveret_bytes,
    now: u32,
    compute: *mut leveret_compute,
) -> leveret_step {
    // SAFETY: by contract.
    let (arena, key, compute) = unsafe { (&(*arena).0, key.as_slice(), &mut *compute) };
    if matches!(compute.state, HOLDS | ALONE) {
        return LEVERET_STEP_COMPUTE;
    }
    match arena.lease(key, compute.waited()) {
        Lease::Granted(ticket) => (compute.ticket, compute.state) = (ticket, HOLDS),
        Lease::Wait => compute.state = WAITS,
        Lease::NoLease => compute.state = ALONE,
    }
    // Also with the lease: its former holder may have stored just before it let go.
    match compute.state {
        _ if is_there(arena, key, now) => LEVERET_STEP_LOOK,
        WAITS => LEVERET_STEP_AGAIN,
        _ => LEVERET_STEP_COMPUTE,
    }
}

/// Ends the computation after any step: releases the lease and wakes its waiters. May be called more than once. A host
/// that jumps over it calls leveret_lease_release_all.
///
/// # Safety
/// Pointers are live.
#[no_mangle]
pub unsafe extern "C" fn leveret_compute_end(arena: *const leveret_arena, compute: *mut leveret_compute) {
    // SAFETY: by contract.
    let (arena, compute) = unsafe { (&(*arena).0, &mut *compute) };
    if compute.state == HOLDS {
        arena.release(&compute.ticket);
    }
    (compute.state, compute.began_us) = (0, 0);
}

fn is_there(arena: &Arena, key: &[u8], now: u32) -> bool {
    let now = if now == 0 { Time::now() } else { Time(now) };
    arena.contains(key, now)
}

impl leveret_compute {
    /// Time waited so far.
    fn waited(&mut self) -> Duration {
        static START: OnceLock<Instant> = OnceLock::new();
        let now = START.get_or_init(Instant::now).elapsed().as_micros() as u64 + 1;
        if self.state != WAITS {
            self.began_us = now;
        }
        Duration::from_micros(now.saturating_sub(self.began_us))
    }
}
