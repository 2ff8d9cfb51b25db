//! The lock of a shard: one owner at a time, which sees its predecessor's writes; taken from dead owners, never from
//! living ones.
use super::world::{explore, Grain, World, NOW};
use crate::arena::Arena;
use crate::core::Core;
use crate::counters::Counter;
use crate::shard;
use std::sync::Mutex;

/// The writes of a section, in two plain steps that another owner would disturb.
fn count(core: &Core) {
    shard::lock(core, 0, NOW).expect("nobody's patience ends").count(Counter::Sets, 1);
}

#[test]
fn each_owner_sees_what_the_last_one_wrote() {
    explore("lock: hand-over", Grain::Header, |world| {
        let [one, other] = [2, 3].map(|pid| world.registered(pid));
        world.run([Box::new(|| count(&one.core)), Box::new(|| count(&other.core))]);
        assert_eq!(world.count(Counter::Sets), 2);
        assert_eq!(world.count(Counter::Recoveries), 0, "both lived");
    });
}

/// The owner ends while it holds the lock: one of the next recovers and sees all its writes.
#[test]
fn a_dead_owners_lock_is_taken_by_one() {
    explore("lock: steal", Grain::Header, |world| {
        let [dying, one, other] = [2, 3, 4].map(|pid| world.registered(pid));
        let dies = || {
            let locked = shard::lock(&dying.core, 0, NOW).expect("nobody's patience ends");
            locked.count(Counter::Sets, 1);
            std::mem::forget(locked);
            world.kernel.clear_signs(2);
        };
        world.run([Box::new(dies), Box::new(|| count(&one.core)), Box::new(|| count(&other.core))]);
        assert_eq!(world.count(Counter::Sets), 3);
        count(&one.core);
        assert_eq!(world.count(Counter::Recoveries), 1, "also if the dying one came last");
    });
}

/// A process that gets the slot of one that has ended, whose pid /proc still shows as ending, and two others.
pub(super) fn with_a_dead_ones_slot(world: &World) -> [Arena; 3] {
    // All slots are taken, so the new process gets the dead one's slot.
    let [_dead, one, other, _] = [4, 1, 2, 3].map(|pid| world.registered(pid));
    world.kernel.end(4);
    world.kernel.clear_signs(4);
    [world.process(5), one, other]
}

/// Waiters for a lock of the new process judge the living one.
#[test]
fn nobody_is_judged_by_who_had_his_slot_before() {
    explore("lock: register and death", Grain::Header, |world| {
        let [registers, waiter, _] = with_a_dead_ones_slot(world);
        world.run([Box::new(|| count(&registers.core)), Box::new(|| count(&waiter.core))]);
        assert_eq!(world.count(Counter::Sets), 2);
        assert_eq!(world.count(Counter::Recoveries), 0, "both lived");
    });
}

/// The new process takes the lock while another one waits for the old owner's.
#[test]
fn nobody_is_judged_by_a_name_that_he_has_just_met() {
    explore("lock: register beside a waiter", Grain::Header, |world| {
        let [registers, waiter, holder] = with_a_dead_ones_slot(world);
        let [registers, waiter, holder] = [&registers, &waiter, &holder].map(|arena| &*arena.core);
        world.run([Box::new(|| count(holder)), Box::new(|| count(waiter)), Box::new(|| count(registers))]);
        assert_eq!(world.count(Counter::Sets), 3);
        assert_eq!(world.count(Counter::Recoveries), 0, "all lived");
    });
}

#[test]
fn who_does_not_wait_judges_nobody_wrongly() {
    explore("lock: register and try", Grain::Header, |world| {
        let [registers, other, _] = with_a_dead_ones_slot(world);
        world.run([Box::new(|| count(&registers.core)), Box::new(|| drop(shard::try_lock(&other.core, 0, NOW)))]);
        assert_eq!(world.count(Counter::Sets), 1);
        assert_eq!(world.count(Counter::Recoveries), 0, "both lived");
    });
}

/// Counts if the lock is to be had at once.
fn try_to_count(core: &Core) -> u64 {
    let locked = shard::try_lock(core, 0, NOW);
    locked.iter().for_each(|locked| locked.count(Counter::Sets, 1));
    u64::from(locked.is_some())
}

#[test]
fn who_does_not_wait_sees_what_the_last_one_wrote() {
    explore("lock: try", Grain::Header, |world| {
        let [one, other] = [2, 3].map(|pid| world.registered(pid));
        let counted = Mutex::new(0);
        let count = |core: &Core| *counted.lock().expect("no panic") += try_to_count(core);
        world.run([Box::new(|| count(&one.core)), Box::new(|| count(&other.core))]);
        assert_eq!(world.count(Counter::Sets), counted.into_inner().expect("no panic"));
    });
}

#[test]
fn who_does_not_wait_is_not_judged_by_who_had_his_slot_before() {
    explore("lock: register by a try", Grain::Header, |world| {
        let [registers, waiter, _] = with_a_dead_ones_slot(world);
        world.run([Box::new(|| _ = try_to_count(&registers.core)), Box::new(|| count(&waiter.core))]);
        assert!((1..=2).contains(&world.count(Counter::Sets)));
        assert_eq!(world.count(Counter::Recoveries), 0, "both lived");
    });
}

/// The new process takes the lock from a dead owner.
#[test]
fn a_thief_is_not_judged_by_who_had_his_slot_before() {
    for (name, waits) in [("lock: register and steal", true), ("lock: register and try to steal", false)] {
        explore(name, Grain::Header, |world| {
            let [registers, waiter, dying] = with_a_dead_ones_slot(world);
            // In a thread that ends with it.
            let dies = || std::mem::forget(shard::lock(&dying.core, 0, NOW).expect("free"));
            std::thread::scope(|scope| scope.spawn(dies).join().expect("no panic"));
            world.kernel.end(2);
            world.kernel.clear_signs(2);
            let steal = || if waits { count(&registers.core) } else { _ = try_to_count(&registers.core) };
            world.run([Box::new(steal), Box::new(|| count(&waiter.core))]);
            assert_eq!(world.count(Counter::Recoveries), 1, "one of two was dead");
        });
    }
}

/// The dead owner's slot has a new process: the incarnation alone proves the death, and makes the dead owner's writes
/// visible.
#[test]
fn the_next_one_in_a_slot_tells_what_the_dead_one_wrote() {
    explore("lock: the next in his slot", Grain::Header, |world| {
        let [dying, one, _, _] = [2, 1, 3, 4].map(|pid| world.registered(pid));
        let registers = world.process(5);
        let dies = || {
            let locked = shard::lock(&dying.core, 0, NOW).expect("nobody's patience ends");
            locked.count(Counter::Sets, 1);
            std::mem::forget(locked);
            world.kernel.clear_signs(2);
        };
        world.run([
            Box::new(dies),
            // There may be no slot yet.
            Box::new(|| drop(registers.core.presence.owner())),
            Box::new(|| count(&one.core)),
        ]);
        assert_eq!(world.count(Counter::Sets), 2);
    });
}
