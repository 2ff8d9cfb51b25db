//! The lock of a shard: one owner at a time, who sees what the last one wrote; taken from the dead, never from the
//! living.
use super::world::{explore, Grain, NOW, USUAL};
use crate::core::Core;
use crate::counters::Counter;

/// What a section writes, in two plain steps that another owner would disturb.
fn count(core: &Core) {
    core.lock(0, NOW).expect("nobody's patience ends").count(Counter::Sets, 1);
}

#[test]
fn each_owner_sees_what_the_last_one_wrote() {
    explore("lock: hand-over", USUAL, Grain::Header, |world| {
        let [one, other] = [2, 3].map(|pid| world.registered(pid));
        world.run([Box::new(|| count(&one.core)), Box::new(|| count(&other.core))]);
        assert_eq!(world.count(Counter::Sets), 2);
        assert_eq!(world.count(Counter::Recoveries), 0, "both lived");
    });
}

/// Its owner ends with the lock in his hand: one of the next recovers, and sees all that he wrote.
#[test]
fn a_dead_owners_lock_is_taken_by_one() {
    explore("lock: steal", USUAL, Grain::Header, |world| {
        let [dying, one, other] = [2, 3, 4].map(|pid| world.registered(pid));
        let dies = || {
            let locked = dying.core.lock(0, NOW).expect("nobody's patience ends");
            locked.count(Counter::Sets, 1);
            std::mem::forget(locked);
            world.kernel.clear_signs(2);
        };
        world.run([Box::new(dies), Box::new(|| count(&one.core)), Box::new(|| count(&other.core))]);
        assert_eq!(world.count(Counter::Sets), 3);
        assert_eq!(world.count(Counter::Recoveries), 1);
    });
}

/// A process takes the slot of one that has ended, whose pid /proc still shows as ending, and a lock: whoever waits for
/// that judges the living one.
#[test]
fn nobody_is_judged_by_who_had_his_slot_before() {
    explore("lock: register and death", USUAL, Grain::Header, |world| {
        // All slots are taken, so that the new one gets that of the dead.
        let [_dead, waiter, ..] = [4, 1, 2, 3].map(|pid| world.registered(pid));
        world.kernel.end(4);
        world.kernel.clear_signs(4);
        let registers = world.process(5);
        world.run([Box::new(|| count(&registers.core)), Box::new(|| count(&waiter.core))]);
        assert_eq!(world.count(Counter::Sets), 2);
        assert_eq!(world.count(Counter::Recoveries), 0, "both lived");
    });
}
