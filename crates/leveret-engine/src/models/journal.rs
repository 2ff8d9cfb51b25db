//! The journal: for any interleaving of reads and overlapping writes, each reported entry is one that was written.
use super::world::{explore, Grain, NOW};
use crate::sync::Ordering;
use crate::{Action, Missed, Topic};

const KEYS: [&[u8]; 3] = [b"one", b"another", b"the third"];

/// The ring has two places: the last writer may use that of the first, which has stopped in the middle.
#[test]
fn what_is_told_is_one_entry() {
    explore("journal: one place for two", Grain::Number, |world| {
        let [one, other, server] = [2, 3, 4].map(|pid| world.registered(pid));
        let mut journal = server.journal().expect("memory for it");
        journal.ask(Topic::Reads, NOW);
        let told = world.spare();
        let tell = |journal: &mut crate::Journal| {
            journal.read(&mut |entry| {
                let number = KEYS.iter().position(|key| *key == entry.key).expect("a key that somebody looked for");
                assert_eq!(entry.action, Action::Read(Err(Missed::Absent)));
                let before = told.fetch_or(1 << number, Ordering::Relaxed);
                assert_eq!(before >> number & 1, 0, "told once");
            });
        };
        world.run([
            Box::new(|| _ = one.find(KEYS[0], NOW)),
            Box::new(|| KEYS[1..].iter().for_each(|key| _ = other.find(key, NOW))),
            Box::new(|| tell(&mut journal)),
        ]);
        // Of those that still have a place each is told, now if not before.
        tell(&mut journal);
        assert!(told.load(Ordering::Relaxed).count_ones() >= 1);
    });
}
