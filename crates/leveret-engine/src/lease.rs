//! Leases: one process computes a missing value, the others wait for it. A lease is held by a process whose death can be
//! proved, so a killed holder frees it; an exit or a fatal error in the callback is told by the binding (`release_all`).
//!
//! Opposite nesting cannot dead-lock: a waiter that holds a lease itself, or has waited ten seconds, computes without one.
//!
//! A lease that is held (`hold`) is a lock: it has no term, and whoever waits for it decides himself how long.
use crate::arena::layout::{LeaseSlot, LEASES_PER_SHARD};
use crate::arena::process::OWNER;
use crate::arena::{Arena, Core};
use crate::sync::Ordering;
use crate::time::Time;
use rustix::thread::futex;
use std::cell::RefCell;
use std::time::Duration;

/// How long a caller waits in all before it computes without a lease.
pub const LEASE_TIMEOUT: Duration = Duration::from_secs(10);
/// One sleep; then the holder's life is looked at.
const NAP: Duration = Duration::from_millis(20);
/// A holder that lives but has not come to an end by then is taken over.
const TERM_SECS: u32 = 60;
/// The end of a lease that ends only with its release or with its holder.
const NO_END: u32 = u32::MAX;

/// The right to compute the value of one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(C)]
pub struct Ticket {
    /// Hash of the key.
    pub hash: u64,
    /// Number of the lease.
    pub slot: u32,
    /// Which use of it.
    pub serial: u32,
}

/// The answer to a wish for a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lease {
    /// Compute, store, release.
    Granted(Ticket),
    /// Somebody else has it; up to 20 ms have passed. Look for the value, then ask again.
    Wait,
    /// Do without one.
    NoLease,
}

thread_local! {
    /// The tickets of this thread, each with the address of its arena.
    static HELD: RefCell<Vec<(usize, Ticket)>> = const { RefCell::new(Vec::new()) };
}

impl Arena {
    /// Asks for the lease of a key. `waited`: how long this caller has waited for it so far.
    pub fn lease(&self, key: &[u8], waited: Duration) -> Lease {
        let gives_up = || waited >= LEASE_TIMEOUT || HELD.with_borrow(|held| !held.is_empty());
        let lease = self.core.acquire(key, |now| now.0 + TERM_SECS, gives_up);
        if let Lease::Granted(ticket) = lease {
            HELD.with_borrow_mut(|held| held.push((self.core.address(), ticket)));
        }
        lease
    }

    /// Asks for the lease of a key as a lock: until its release or the death of its process, and no part of `release_all`.
    pub fn hold(&self, key: &[u8]) -> Lease {
        self.core.acquire(key, |_| NO_END, || false)
    }

    /// Gives a lease back and wakes who waits for it.
    pub fn release(&self, ticket: &Ticket) {
        HELD.with_borrow_mut(|held| held.retain(|(arena, held)| (*arena, held) != (self.core.address(), ticket)));
        self.core.release(ticket);
    }

    /// Gives back what this thread still holds: after an exit or a fatal error nobody else will.
    pub fn release_all(&self) {
        let address = self.core.address();
        let mine = HELD.with_borrow_mut(|held| {
            let mine: Vec<Ticket> = held.iter().filter(|(arena, _)| *arena == address).map(|(_, ticket)| *ticket).collect();
            held.retain(|(arena, _)| *arena != address);
            mine
        });
        for ticket in &mine {
            self.core.release(ticket);
        }
    }
}

impl Core {
    fn address(&self) -> usize {
        std::ptr::from_ref(self) as usize
    }

    fn acquire(&self, key: &[u8], end: impl Fn(Time) -> u32, gives_up: impl Fn() -> bool) -> Lease {
        let hash = self.hash(key);
        let shard = self.shard_of(hash);
        let Ok(owner) = self.owner() else { return Lease::NoLease };
        let now = Time::now();
        let Ok(locked) = self.lock(shard, now) else { return Lease::NoLease };

        let slots = || (0..LEASES_PER_SHARD).map(|index| shard * LEASES_PER_SHARD + index);
        let is_held = |lease: &LeaseSlot| lease.owner.load(Ordering::Relaxed) != 0;
        let same = slots().find(|slot| is_held(self.leases.at(*slot)) && self.leases.at(*slot).key_hash.load(Ordering::Relaxed) == hash);
        let free = || {
            slots()
                .find(|slot| !is_held(self.leases.at(*slot)))
                .or_else(|| slots().find(|slot| self.is_dead(self.leases.at(*slot).owner.load(Ordering::Relaxed))))
        };
        let Some(slot) = same.or_else(free) else { return Lease::NoLease };
        let lease = self.leases.at(slot);

        if same.is_some() && lease.until.load(Ordering::Relaxed) > now.0 && !self.is_dead(lease.owner.load(Ordering::Relaxed)) {
            if gives_up() {
                return Lease::NoLease;
            }
            let seen = lease.futex.load(Ordering::Acquire);
            drop(locked);
            let nap = futex::Timespec { tv_sec: 0, tv_nsec: NAP.as_nanos() as _ };
            let _ = futex::wait(&lease.futex, futex::Flags::empty(), seen, Some(&nap));
            return Lease::Wait;
        }
        let serial = lease.serial.load(Ordering::Relaxed).wrapping_add(1);
        lease.serial.store(serial, Ordering::Relaxed);
        lease.key_hash.store(hash, Ordering::Relaxed);
        lease.until.store(end(now), Ordering::Relaxed);
        lease.owner.store(owner, Ordering::Release);
        drop(locked);
        Lease::Granted(Ticket { hash, slot: slot as u32, serial })
    }

    fn release(&self, ticket: &Ticket) {
        let (Ok(owner), true) = (self.owner(), (ticket.slot as usize) < self.leases.len()) else { return };
        let Ok(locked) = self.lock(self.shard_of(ticket.hash), Time::now()) else { return };
        let lease = self.leases.at(ticket.slot as usize);
        // A child of fork has a copy of its parent's tickets, but is another owner.
        let is_ours = lease.owner.load(Ordering::Relaxed) & OWNER == owner && lease.serial.load(Ordering::Relaxed) == ticket.serial;
        if is_ours {
            lease.owner.store(0, Ordering::Release);
            lease.futex.fetch_add(1, Ordering::Release);
        }
        drop(locked);
        if is_ours {
            let _ = futex::wake(&lease.futex, futex::Flags::empty(), i32::MAX as u32);
        }
    }
}
