//! Values that a full arena once refused for ever. The whole domain is `leveret-full`'s.

use leveret_engine::{Arena, Deadline, OpenOptions, Time};
use leveret_testkit::full::{self, Manners, Mix, Phase, PhaseOutcome};
use leveret_testkit::rng::Rng;
use leveret_testkit::{scratch, seeded};

const PLAIN: Manners = Manners { overwrites: false, deadlines: false, deletes: false, flushes: false, reads: false };

/// Runs phases of these mixes at an arena of `memory` MiB; what came of the last.
fn fill(memory: u64, writers: u64, mixes: &[Mix]) -> PhaseOutcome {
    let folder = scratch::folder().expect("a temporary folder");
    let options = OpenOptions::new().memory(memory << 20).cores(2);
    let arena: Arena = seeded::open(&folder.path().join("full.arena"), &options, 1).expect("an arena");
    let (mut stores, mut bytes, mut last) = (0, 0, PhaseOutcome::default());
    for mix in mixes {
        let phase = Phase { mix: *mix, writers, manners: PLAIN, percent: 120 };
        last = full::run(&arena, &phase, &Rng::new(7));
        assert_eq!(last.failures, Vec::<String>::new(), "{phase} at {memory} MiB");
        assert!(last.evicted > 0, "{phase} at {memory} MiB: it never was full");
        (stores, bytes) = (stores + last.stores, bytes + last.bytes);
    }
    let stats = arena.stats();
    assert!(stats.moved_bytes <= full::moved_max(&arena, stores, bytes), "{mixes:?} at {memory} MiB: {stats:?}");
    assert_eq!((stats.refused_no_memory, stats.refused_busy), (0, 0));
    assert!(arena.verify().is_clean());
    last
}

/// One item above half a segment, or two above a third, leave the rest of theirs empty, and of the next one too. Drains took
/// such a segment for one that is worth gathering: each freed one and took one, until the store was refused.
#[test]
fn an_item_that_leaves_much_of_its_segment_empty_is_stored() {
    for (memory, len) in [(32, 17_000), (64, 35_000), (64, 22_200), (128, 70_000), (128, 86_848), (256, 140_000)] {
        fill(memory, 1, &[Mix::One(len)]);
        fill(memory, 2, &[Mix::Two(len, 200), Mix::One(len), Mix::One(200)]);
    }
}

/// What lies behind the whole segments of a large value may leave much of its segment empty as well.
#[test]
fn a_large_value_with_any_tail_is_stored() {
    fill(48, 1, &[Mix::One(573_440), Mix::One(221_184)]);
    for whole in [1, 3, 17] {
        fill(16, 2, &[Mix::Tails(whole), Mix::One(17_000), Mix::Tails(whole)]);
    }
}

/// Writers of large values took their segments one by one, until each had some and nobody enough.
#[test]
fn large_values_of_many_writers_are_stored() {
    for writers in [2, 8, 32] {
        fill(64, writers, &[Mix::One(1_000_000)]);
        fill(8, writers, &[Mix::One(1 << 20), Mix::Two(1 << 20, 17_000)]);
    }
}

/// A large value goes alone: the head of many lie in one segment, and all of them went with it.
#[test]
fn large_values_are_evicted_one_by_one() {
    // Eight segments each, with nothing behind them.
    let outcome = fill(16, 1, &[Mix::One(8 << 15)]);
    assert!(outcome.used_percent > 80, "{outcome:?}");
}

/// An item that nearly fills a segment opened one and sealed another for it that was nearly empty, where each span of lifetimes
/// has one.
#[test]
fn an_item_that_fills_a_segment_leaves_no_other_half_empty() {
    for evicts in [true, false] {
        let folder = scratch::folder().expect("a temporary folder");
        let options = OpenOptions::new().memory(32 << 20).cores(1).evict(evicts);
        let arena: Arena = seeded::open(&folder.path().join("full.arena"), &options, 1).expect("an arena");
        let (now, segment) = (Time::now(), arena.stats().segment_bytes as usize);
        let deadlines =
            [Deadline::NEVER, Deadline::after(now, 200), Deadline::after(now, 5000), Deadline::after(now, 90_000)];
        let is_full = (0..4000u32).any(|number| {
            let big = arena.set(format!("big {number}").as_bytes(), &vec![1; segment - 200], Deadline::NEVER, now);
            let small = deadlines
                .map(|deadline| arena.set(format!("small {number} {deadline:?}").as_bytes(), &[1; 500], deadline, now));
            big.is_err() || small.iter().any(Result::is_err)
        });
        assert_eq!(is_full, !evicts);
        let stats = arena.stats();
        let used = stats.item_bytes * 100 / (stats.segments * stats.segment_bytes);
        assert!(used > 85, "evicts: {evicts}, {used} % used: {stats:?}");
    }
}
