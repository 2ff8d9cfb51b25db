//! Numbers that count in place: no count is lost, and a cas belongs to the value that it is shown with.
use super::world::{explore, Grain, NOW};
use crate::arena::Arena;
use crate::{Counted, Deadline, Delta, Error, Item, Meta, Mode, ReadOptions, Stored, Value};

const KEY: &[u8] = b"n";

fn add(arena: &Arena) -> u64 {
    match arena.count(KEY, Delta::Increment(1), Some((1, Deadline::NEVER)), NOW) {
        Ok(Counted::Value(value)) => value,
        other => panic!("{other:?}"),
    }
}

#[test]
fn no_count_is_lost() {
    explore("count: two count", Grain::Number, |world| {
        let [one, other] = [2, 3].map(|pid| world.registered(pid));
        world.run([Box::new(|| _ = add(&one)), Box::new(|| _ = add(&other))]);
        assert_eq!(add(&one), 3);
    });
}

fn gets(arena: &Arena) -> Result<Option<Item>, Error> {
    arena.get_with(KEY, ReadOptions::new().with_cas(), NOW)
}

/// A reader's cas succeeds only over the value that it was shown with.
#[test]
fn a_cas_belongs_to_its_value() {
    a_cas_belongs("count: cas", true);
    a_cas_belongs("count: first cas", false);
}

/// `is_told`: the number's token was handed out before.
fn a_cas_belongs(name: &str, is_told: bool) {
    explore(name, Grain::Number, |world| {
        let [writer, reader] = [2, 3].map(|pid| world.registered(pid));
        add(&writer);
        if is_told {
            gets(&reader).expect("free");
        }
        world.run([
            Box::new(|| drop((add(&writer), gets(&writer), add(&writer)))),
            Box::new(|| {
                let seen = gets(&reader).expect("nobody's patience ends").expect("there");
                let value = seen.number.expect("a number") as u64;
                let next = Value::Integer(100 + value as i64);
                let stored = reader.store(KEY, next, Meta::default(), Deadline::NEVER, Mode::Cas(seen.cas), NOW);
                if let Ok(Stored::Stored { .. }) = stored {
                    // No count between the look and the store: later counts add to the stored number.
                    world.spare().store(100 + value, crate::sync::Ordering::Relaxed);
                }
            }),
        ]);
        let end = add(&writer) - 1;
        let swapped = world.spare().load(crate::sync::Ordering::Relaxed);
        // Three counts in all: those before the swap are in the value that it was based on.
        assert_eq!(end, if swapped == 0 { 3 } else { 103 }, "a count was lost");
    });
}

/// The same for bytes, whose token is drawn when it is first asked for.
#[test]
fn of_two_who_swap_one_loses() {
    explore("count: two swap", Grain::Header, |world| {
        let [one, other] = [2, 3].map(|pid| world.registered(pid));
        one.set(KEY, b"0", Deadline::NEVER, NOW).expect("room");
        let swap = |arena: &Arena| loop {
            let seen = gets(arena).expect("nobody's patience ends").expect("there");
            let next = [seen.value[0] + 1];
            let mode = Mode::Cas(seen.cas);
            match arena.store(KEY, Value::Bytes(&next), Meta::default(), Deadline::NEVER, mode, NOW) {
                Ok(Stored::Stored { .. }) => return,
                Ok(Stored::Exists) => {}
                other => panic!("{other:?}"),
            }
        };
        world.run([Box::new(|| swap(&one)), Box::new(|| swap(&other))]);
        assert_eq!(one.get(KEY, NOW).expect("there").value, b"2");
    });
}
