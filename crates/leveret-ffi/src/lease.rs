//! Leases: one process computes, the others wait; and locks of sessions.
use crate::{leveret_arena, leveret_bytes, leveret_status};
use leveret_engine::{Lease, Ticket};
use leveret_status::*;
use std::time::Duration;

/// Requests the right to compute a key's value. OK: compute, store, release. WAIT: look for the value, then ask again
/// with the time waited so far. NO_LEASE: compute without one.
///
/// # Safety
/// Pointers are live.
#[no_mangle]
pub unsafe extern "C" fn leveret_lease_acquire(
    arena: *const leveret_arena,
    key: leveret_bytes,
    waited_ms: u32,
    ticket: *mut Ticket,
) -> leveret_status {
    // SAFETY: by contract.
    let (arena, key) = unsafe { (&(*arena).0, key.as_slice()) };
    let lease = arena.lease(key, Duration::from_millis(u64::from(waited_ms)));
    // SAFETY: by contract.
    unsafe { answer_lease(lease, ticket) }
}

/// Takes a key's lease as a lock. OK: it lasts until its release or the death of this process;
/// leveret_lease_release_all does not release it. WAIT: another caller has it, up to 20 ms have passed; ask again.
/// NO_LEASE: none is free.
///
/// # Safety
/// Pointers are live.
#[no_mangle]
pub unsafe extern "C" fn leveret_lease_hold(
    arena: *const leveret_arena,
    key: leveret_bytes,
    ticket: *mut Ticket,
) -> leveret_status {
    // SAFETY: by contract.
    let (arena, key) = unsafe { (&(*arena).0, key.as_slice()) };
    // SAFETY: by contract.
    unsafe { answer_lease(arena.hold(key), ticket) }
}

/// # Safety
/// `ticket` is live.
unsafe fn answer_lease(lease: Lease, ticket: *mut Ticket) -> leveret_status {
    match lease {
        // SAFETY: by contract.
        Lease::Granted(granted) => unsafe {
            ticket.write(granted);
            LEVERET_OK
        },
        Lease::Wait => LEVERET_WAIT,
        Lease::NoLease => LEVERET_NO_LEASE,
    }
}

/// Releases a lease and wakes its waiters.
///
/// # Safety
/// Pointers are live.
#[no_mangle]
pub unsafe extern "C" fn leveret_lease_release(arena: *const leveret_arena, ticket: *const Ticket) {
    // SAFETY: by contract.
    unsafe { (*arena).0.release(&*ticket) };
}

/// Releases all leases of this thread: for the end of a request, since an exit or a fatal error skips the release.
///
/// # Safety
/// `arena` is live.
#[no_mangle]
pub unsafe extern "C" fn leveret_lease_release_all(arena: *const leveret_arena) {
    // SAFETY: by contract.
    unsafe { &(*arena).0 }.release_all();
}
