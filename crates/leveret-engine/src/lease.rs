//! Leases: one process computes a missing value, the others wait for it. The holder is a registered process, so a
//! killed holder frees its leases; the binding reports an exit or a fatal error in the callback (`release_all`).
//!
//! Opposite nesting cannot deadlock: a waiter that holds a lease itself, or has waited ten seconds, computes without
//! one.
//!
//! A held lease (`hold`) is a lock: it has no term, and its waiters set their own time-outs.
//!
//! The hash of a key alone identifies its lease. Two keys with one hash wait for each other, which only costs time: the
//! value is always looked up by the whole key.
//!
//! Leases are granted under the lock of their shard and released without it, by one compare-exchange of the owner word:
//! a release must not fail because a lock is held.
use crate::arena::Arena;
use crate::core::Core;
use crate::error::Error;
use crate::map::layout::LEASES_PER_SHARD;
use crate::shard;
use crate::sync::{sleep_on, thread_local, wake, Ordering};
use crate::time::Time;
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
    pub(crate) hash: u64,
    /// Number of the lease.
    pub(crate) slot: u32,
    /// Which use of it.
    pub(crate) serial: u32,
}

/// The answer to a wish for a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lease {
    /// Compute, store, release.
    Granted(Ticket),
    /// Another caller has it; up to 20 ms have passed. Look for the value, then ask again.
    Wait,
    /// Do without one.
    NoLease,
}

/// How one try for a lease ended.
enum Taken {
    Ours(Ticket),
    /// Held. `futex` changes on release.
    Held {
        slot: usize,
        futex: u32,
    },
    /// All leases of the shard are held, for other keys.
    Full,
}

thread_local! {
    /// The tickets of this thread, each with the number of its arena.
    static HELD: RefCell<Vec<(u64, Ticket)>> = const { RefCell::new(Vec::new()) };
}

impl Arena {
    /// Requests the lease of a key. `waited`: the time that this caller has waited for it already.
    pub fn lease(&self, key: &[u8], waited: Duration) -> Lease {
        let gives_up = || waited >= LEASE_TIMEOUT || HELD.with_borrow(|held| !held.is_empty());
        let lease = acquire(&self.core, key, |now| now.0 + TERM_SECS, gives_up);
        if let Lease::Granted(ticket) = lease {
            HELD.with_borrow_mut(|held| held.push((self.core.number, ticket)));
        }
        lease
    }

    /// Asks for the lease of a key as a lock: until its release or the death of its process, and no part of
    /// `release_all`.
    pub fn hold(&self, key: &[u8]) -> Lease {
        acquire(&self.core, key, |_| NO_END, || false)
    }

    /// Releases a lease and wakes its waiters.
    pub fn release(&self, ticket: &Ticket) {
        HELD.with_borrow_mut(|held| held.retain(|(arena, held)| (*arena, held) != (self.core.number, ticket)));
        release(&self.core, ticket);
    }

    /// Releases all leases of this thread, after an exit or a fatal error.
    pub fn release_all(&self) {
        let number = self.core.number;
        let mine = HELD.with_borrow_mut(|held| {
            let mine: Vec<Ticket> =
                held.iter().filter(|(arena, _)| *arena == number).map(|(_, ticket)| *ticket).collect();
            held.retain(|(arena, _)| *arena != number);
            mine
        });
        for ticket in &mine {
            release(&self.core, ticket);
        }
    }
}

fn acquire(core: &Core, key: &[u8], end: impl Fn(Time) -> u32, gives_up: impl Fn() -> bool) -> Lease {
    let hash = core.hasher.hash(key);
    let Ok(owner) = core.presence.owner() else { return Lease::NoLease };
    // Once more for each holder that turns out to be dead: that is found out without the lock, since it takes
    // system calls.
    for _ in 0..=LEASES_PER_SHARD {
        let now = Time::now();
        let (slot, seen) = match take(core, hash, owner, now, end(now)) {
            Ok(Taken::Ours(ticket)) => return Lease::Granted(ticket),
            Ok(Taken::Held { slot, futex }) => (slot, futex),
            Ok(Taken::Full)
                if leases_of(core.hasher.shard_of(hash)).any(|slot| core.presence.is_dead(holder(core, slot))) =>
            {
                continue
            }
            Ok(Taken::Full) | Err(_) => return Lease::NoLease,
        };
        if core.presence.is_dead(holder(core, slot)) {
            continue;
        }
        if gives_up() {
            return Lease::NoLease;
        }
        sleep_on(&core.leases.at(slot).futex, seen, NAP);
        return Lease::Wait;
    }
    Lease::NoLease
}

fn leases_of(shard: usize) -> std::ops::Range<usize> {
    shard * LEASES_PER_SHARD..(shard + 1) * LEASES_PER_SHARD
}

/// Acquire: a caller that finds a lease free sees what the last holder wrote before its release, in any shard; and a
/// caller that checks a holder sees the holder's registration.
fn holder(core: &Core, slot: usize) -> u64 {
    core.leases.at(slot).owner.load(Ordering::Acquire)
}

/// One try, under the lock of the key's shard.
fn take(core: &Core, hash: u64, owner: u64, now: Time, until: u32) -> Result<Taken, Error> {
    let shard = core.hasher.shard_of(hash);
    let _locked = shard::lock(core, shard, now)?;
    let is_held = |slot: &usize| holder(core, *slot) != 0;
    let is_over = |slot: &usize| {
        core.leases.at(*slot).until.load(Ordering::Relaxed) <= now.0 || core.presence.is_known_dead(holder(core, *slot))
    };
    let mut slots = leases_of(shard);
    let same =
        slots.clone().find(|slot| is_held(slot) && core.leases.at(*slot).key_hash.load(Ordering::Relaxed) == hash);
    let free = || slots.clone().find(|slot| !is_held(slot)).or_else(|| slots.find(is_over));
    let Some(slot) = same.or_else(free) else { return Ok(Taken::Full) };
    let lease = core.leases.at(slot);
    // Loaded before the owner: a release in between changes it, and the waiter does not sleep.
    let futex = lease.futex.load(Ordering::Acquire);
    if same.is_some() && !is_over(&slot) {
        return Ok(Taken::Held { slot, futex });
    }
    // Zero while it changes hands: after a kill before the last store the lease is free. Otherwise the old holder,
    // which may live, would keep it without knowing.
    lease.owner.store(0, Ordering::Relaxed);
    let serial = lease.serial.load(Ordering::Relaxed).wrapping_add(1);
    lease.serial.store(serial, Ordering::Release);
    lease.key_hash.store(hash, Ordering::Relaxed);
    lease.until.store(until, Ordering::Relaxed);
    lease.owner.store(holding(owner, serial), Ordering::Release);
    Ok(Taken::Ours(Ticket { hash, slot: slot as u32, serial }))
}

/// Owner word of a held lease: its flag bits carry the number of this use. Another thread of the same process may take
/// over an expired lease, and a late release must not free that.
fn holding(owner: u64, serial: u32) -> u64 {
    owner | u64::from(serial as u16) << 16
}

fn release(core: &Core, ticket: &Ticket) {
    // A child of fork has a copy of its parent's tickets, but is another owner.
    let (Ok(owner), true) = (core.presence.owner(), (ticket.slot as usize) < core.leases.len()) else { return };
    let lease = core.leases.at(ticket.slot as usize);
    let is_ours = lease.serial.load(Ordering::Relaxed) == ticket.serial
        && lease.owner.compare_exchange(holding(owner, ticket.serial), 0, Ordering::Release, Ordering::Relaxed).is_ok();
    if is_ours {
        lease.futex.fetch_add(1, Ordering::Release);
        wake(&lease.futex, i32::MAX as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OpenOptions;

    fn scratch() -> (Arena, tempfile::TempDir) {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let options = OpenOptions::new().memory(8 << 20).cores(1).lock_timeout(Duration::from_millis(20));
        (Arena::open(&dir.path().join("lease.arena"), &options).expect("an arena").0, dir)
    }

    fn granted(lease: Lease) -> Ticket {
        let Lease::Granted(ticket) = lease else { panic!("{lease:?}") };
        ticket
    }

    /// A release was lost if the shard's lock was not available: the lock of a session stayed for the life
    /// of a worker.
    #[test]
    fn a_release_waits_for_nobody_and_is_never_lost() {
        let (arena, _dir) = scratch();
        let ticket = granted(arena.hold(b"key"));
        let locked = shard::lock(&arena.core, arena.core.hasher.shard_of(ticket.hash), Time::now()).expect("free");
        std::thread::scope(|scope| scope.spawn(|| arena.release(&ticket)).join()).expect("no panic");
        drop(locked);
        granted(arena.hold(b"key"));
    }

    /// Holders that never ended kept all leases of a shard beyond their terms.
    #[test]
    fn a_lease_past_its_term_is_free_for_another_key() {
        let (arena, _dir) = scratch();
        let core = &*arena.core;
        let shard = core.hasher.shard_of(core.hasher.hash(b"one more"));
        let keys = (0u32..).map(u32::to_ne_bytes).filter(|key| core.hasher.shard_of(core.hasher.hash(key)) == shard);
        let tickets: Vec<Ticket> = keys.take(LEASES_PER_SHARD).map(|key| granted(arena.hold(&key))).collect();
        assert_eq!(arena.hold(b"one more"), Lease::NoLease);
        core.leases.at(tickets[7].slot as usize).until.store(Time::now().0, Ordering::Relaxed);
        assert_eq!(granted(arena.hold(b"one more")).slot, tickets[7].slot);
        // The old holder's late release has no effect.
        arena.release(&tickets[7]);
        assert_eq!(arena.hold(b"one more"), Lease::Wait);
    }

    /// Keys whose hashes are at the ends share no lease with each other, and have one holder each, also where the number
    /// of a lease's uses begins again, as a whole or in the part of it that the owner word has.
    #[test]
    fn hashes_and_numbers_at_their_ends_are_like_others() {
        let (arena, _dir) = scratch();
        let core = &*arena.core;
        let owner = core.presence.owner().expect("a free slot");
        let now = Time::now();
        for serial in [0, 1, u32::from(u16::MAX) - 1, u32::from(u16::MAX), u32::MAX - 1, u32::MAX] {
            for slot in 0..core.leases.len() {
                core.leases.at(slot).serial.store(serial, Ordering::Relaxed);
            }
            let hashes = [0, 1, u64::MAX, u64::MAX - 1, 1 << 63, (1 << 63) - 1];
            let ask = |hash, until| take(core, hash, owner, now, until).expect("the lock is free");
            let tickets = hashes.map(|hash| match ask(hash, NO_END) {
                Taken::Ours(ticket) => ticket,
                _ => panic!("{hash:#x} after use {serial}"),
            });
            for ticket in &tickets {
                assert_eq!(ticket.serial, serial.wrapping_add(1));
                assert!(matches!(ask(ticket.hash, NO_END), Taken::Held { .. }), "{ticket:?}");
                // One of another use is a late one, and frees nothing.
                release(core, &Ticket { serial, ..*ticket });
                assert!(matches!(ask(ticket.hash, NO_END), Taken::Held { .. }), "{ticket:?}");
                release(core, ticket);
                let Taken::Ours(again) = ask(ticket.hash, now.0) else { panic!("{ticket:?} was given back") };
                // This one is past its term at once.
                assert!(matches!(ask(ticket.hash, NO_END), Taken::Ours(_)), "{again:?}");
            }
            for slot in 0..core.leases.len() {
                core.leases.at(slot).owner.store(0, Ordering::Relaxed);
            }
        }
        release(core, &Ticket { hash: 0, slot: u32::MAX, serial: 0 });
    }
}
