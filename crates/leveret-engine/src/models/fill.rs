//! Fills of large values, which no lock guards: a dead filler's pieces are freed once, a living filler's never, and no
//! segment is lost.
use super::lock::with_a_dead_ones_slot;
use super::world::{explore, get, set, Grain, World, NOW};
use crate::arena::Arena;
use crate::large;
use crate::segment::State;
use crate::shard::{self, recover};
use std::sync::Mutex;

const KEY: &[u8] = b"key";
/// A piece and a tail.
const LEN: usize = 600;

fn fill(arena: &Arena, len: usize) -> large::Fill {
    arena.begin_fill(arena.core.hasher.hash(KEY), len, NOW).expect("room")
}

/// The map of used segments says what the state words say.
fn nothing_is_lost(arena: &Arena) {
    assert_eq!(arena.core.segments.count_free(usize::MAX), arena.core.segments.count_state(State::Free));
    assert!(arena.verify().is_clean());
}

/// One process frees a dead filler's pieces while another one takes a segment for its own value.
#[test]
fn a_dead_fillers_piece_is_freed_once() {
    explore("fill: death", Grain::Header, |world| {
        let [filler, sweeper, taker] = [2, 3, 4].map(|pid| world.registered(pid));
        let left = Mutex::new(None);
        world.run([
            Box::new(|| {
                *left.lock().expect("no panic") = Some(fill(&filler, 1));
                world.kernel.clear_signs(2);
            }),
            Box::new(|| large::sweep_fills(&sweeper.core, NOW)),
            Box::new(|| set(&taker, KEY, b'c', LEN)),
        ]);
        assert_eq!(get(&sweeper, KEY), Some((b'c', LEN)));
        large::sweep_fills(&taker.core, NOW);
        assert_eq!(taker.core.segments.count_state(State::LargeFill), 0);
        nothing_is_lost(&taker);
    });
}

/// A filler gives up while another process recovers the shard, whose lock it does not wait for.
#[test]
fn a_piece_that_is_given_back_beside_a_recovery_is_free() {
    explore("fill: give back", Grain::Header, |world| {
        let [filler, other] = [2, 3].map(|pid| world.registered(pid));
        let fill = fill(&filler, 1);
        world.run([
            Box::new(move || drop(fill)),
            Box::new(|| recover::recover(&shard::lock(&other.core, 0, NOW).expect("nobody's patience ends"))),
        ]);
        assert_eq!(other.core.segments.count_state(State::LargeFill), 0);
        nothing_is_lost(&other);
    });
}

/// A process in the slot of one that has ended, whose pid /proc still shows as ending, fills a value.
#[test]
fn a_filler_is_not_judged_by_who_had_his_slot_before() {
    explore("fill: register and death", Grain::Header, |world: &World| {
        let [registers, sweeper, _] = with_a_dead_ones_slot(world);
        let filled = Mutex::new(None);
        world.run([
            Box::new(|| *filled.lock().expect("no panic") = Some(fill(&registers, 1))),
            Box::new(|| large::sweep_fills(&sweeper.core, NOW)),
        ]);
        assert_eq!(sweeper.core.segments.count_state(State::LargeFill), 1, "its filler lives");
        drop(filled);
        nothing_is_lost(&sweeper);
    });
}
