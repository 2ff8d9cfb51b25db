//! A lease has one holder, who sees what the last one did; that of a dead one is taken, that of a living one never.
use super::world::{explore, Grain, World, USUAL};
use crate::arena::Arena;
use crate::sync::{rest, Ordering};
use crate::Lease;

const KEY: &[u8] = b"key";

/// Counts in two plain steps, which another holder would disturb.
fn count(world: &World) {
    let cell = &world.shard.counters[31];
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
    world.shard.counters[31].load(Ordering::Relaxed)
}

#[test]
fn a_lease_has_one_holder_at_a_time() {
    explore("lease: hand-over", USUAL, Grain::Header, |world| {
        let [one, other] = [2, 3].map(|pid| world.registered(pid));
        world.run([Box::new(|| compute(world, &one)), Box::new(|| compute(world, &other))]);
        assert_eq!(counted(world), 2);
    });
}

#[test]
fn a_dead_holders_lease_is_taken() {
    explore("lease: steal", USUAL, Grain::Header, |world| {
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

/// The holder has the slot of a process that has ended, whose pid /proc still shows as ending.
#[test]
fn a_holder_is_not_judged_by_who_had_his_slot_before() {
    explore("lease: register and death", USUAL, Grain::Header, |world| {
        let [_dead, waiter, ..] = [4, 1, 2, 3].map(|pid| world.registered(pid));
        world.kernel.end(4);
        world.kernel.clear_signs(4);
        let registers = world.process(5);
        let hold = |arena: &Arena| u64::from(matches!(arena.hold(KEY), Lease::Granted(_)));
        let granted = [const { std::sync::atomic::AtomicU64::new(0) }; 2];
        world.run([
            Box::new(|| granted[0].store(hold(&registers), Ordering::Relaxed)),
            Box::new(|| granted[1].store(hold(&waiter) + hold(&waiter), Ordering::Relaxed)),
        ]);
        let [one, other] = granted.map(std::sync::atomic::AtomicU64::into_inner);
        assert!(one + other <= 1 || one == 0, "held by two living processes");
    });
}
