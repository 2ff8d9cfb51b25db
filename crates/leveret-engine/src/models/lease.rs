//! A lease has one holder, which sees its predecessor's writes; a dead holder's lease is taken, a living holder's
//! never.
use super::world::{explore, Grain, World, NOW};
use crate::arena::Arena;
use crate::sync::{rest, Ordering};
use crate::Lease;
use std::sync::Mutex;

const KEY: &[u8] = b"key";

/// Counts in two plain steps, which another holder would disturb.
fn count(world: &World) {
    let cell = world.spare();
    cell.store(cell.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
}

/// Waits for the lease and counts under it.
fn compute(world: &World, arena: &Arena) {
    loop {
        match arena.hold(KEY) {
            Lease::Granted(ticket) => {
                count(world);
                return arena.release(&ticket);
            }
            Lease::Wait => rest(),
            Lease::NoLease => panic!("there are leases enough"),
        }
    }
}

fn counted(world: &World) -> u64 {
    world.spare().load(Ordering::Relaxed)
}

#[test]
fn a_lease_has_one_holder_at_a_time() {
    explore("lease: hand-over", Grain::Header, |world| {
        let [one, other] = [2, 3].map(|pid| world.registered(pid));
        world.run([Box::new(|| compute(world, &one)), Box::new(|| compute(world, &other))]);
        assert_eq!(counted(world), 2);
    });
}

#[test]
fn a_dead_holders_lease_is_taken() {
    explore("lease: steal", Grain::Header, |world| {
        let [dying, one] = [2, 3].map(|pid| world.registered(pid));
        world.run([
            Box::new(|| {
                if let Lease::Granted(_) = dying.hold(KEY) {
                    count(world);
                }
                world.kernel.clear_signs(2);
            }),
            Box::new(|| compute(world, &one)),
        ]);
        assert!((1..=2).contains(&counted(world)));
    });
}

/// A process in the slot of one that has ended, whose pid /proc still shows as ending, takes a lease that is given back
/// while another one asks for it.
#[test]
fn a_holder_is_not_judged_by_who_had_his_slot_before() {
    explore("lease: register and death", Grain::Header, |world| {
        let [_dead, waiter, holder, _] = [4, 1, 2, 3].map(|pid| world.registered(pid));
        world.kernel.end(4);
        world.kernel.clear_signs(4);
        let registers = world.process(5);
        let Lease::Granted(ticket) = holder.hold(KEY) else { panic!("free") };
        let granted = Mutex::new(0);
        let hold = |arena: &Arena| {
            if let Lease::Granted(_) = arena.hold(KEY) {
                *granted.lock().expect("no panic") += 1;
            }
        };
        world.run([Box::new(|| holder.release(&ticket)), Box::new(|| hold(&waiter)), Box::new(|| hold(&registers))]);
        assert!(granted.into_inner().expect("no panic") <= 1, "held by two living processes");
    });
}

/// A lease that is past its term is taken over by another thread of the process that has it, while its late holder gives
/// it back.
#[test]
fn a_late_release_is_of_its_own_use_only() {
    explore("lease: late release", Grain::Header, |world| {
        let [late, other] = [2, 3].map(|pid| world.registered(pid));
        let Lease::Granted(ticket) = late.hold(KEY) else { panic!("free") };
        late.core.leases.at(ticket.slot as usize).until.store(NOW.0, Ordering::Relaxed);
        let next = Mutex::new(Lease::Wait);
        world.run([Box::new(|| late.release(&ticket)), Box::new(|| *next.lock().expect("no panic") = late.hold(KEY))]);
        assert!(matches!(next.into_inner().expect("no panic"), Lease::Granted(_)), "past its term, and free then");
        assert_eq!(other.hold(KEY), Lease::Wait);
    });
}
