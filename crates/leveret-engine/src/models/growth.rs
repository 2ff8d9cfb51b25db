//! Growth: of two who grow at once one does, and whoever sees new memory may use it.
use super::world::{explore, get, set, Grain, ACTIVE, NOW};
use crate::segment::{Pool, State, StateWord};
use crate::sync::Ordering;

const LEN: usize = 8;

#[test]
fn data_grows_once_at_a_time() {
    explore("growth: data", Grain::Header, |world| {
        let [one, other] = [2, 3].map(|pid| world.registered(pid));
        let grow = |arena: &crate::Arena| {
            assert!(arena.core.grow_data() || arena.core.active_segments() == 8, "the other has grown all");
            set(arena, &[arena.core.presence.current() as u8], b'a', LEN);
        };
        world.run([Box::new(|| grow(&one)), Box::new(|| grow(&other))]);
        assert!(one.core.active_segments() > ACTIVE as usize);
        assert!(one.verify().is_clean());
    });
}

#[test]
fn the_index_grows_by_one_chunk() {
    explore("growth: index", Grain::Header, |world| {
        let [one, other] = [2, 3].map(|pid| world.registered(pid));
        let grow = |arena: &crate::Arena| {
            assert!(arena.core.grow_index(0, 1));
            arena.core.lock(0, NOW).expect("nobody's patience ends").split();
        };
        world.run([Box::new(|| grow(&one)), Box::new(|| grow(&other))]);
        assert_eq!(world.shard.chunks.load(Ordering::Relaxed), 2);
        assert_eq!(one.core.buckets(0), 10);
        assert!(one.verify().is_clean());
    });
}

/// Two shards' owners take from the same free segments: none is taken twice, none is lost.
#[test]
fn a_free_segment_is_taken_once() {
    explore("growth: free segments", Grain::Header, |world| {
        let [one, other] = [2, 3].map(|pid| world.registered(pid));
        let take_and_free = |arena: &crate::Arena, generation: u64| {
            let core = &arena.core;
            let taken =
                |number| core.take_free(StateWord::new(number, State::LargeFill, 0, Pool::Small, 0)).expect("room");
            let (first, second) = (taken(generation), taken(generation + 1));
            assert_ne!(first, second);
            let header = core.header(first);
            header.live_bytes.store(generation as u32, Ordering::Relaxed);
            assert_eq!(core.state(first).generation(), generation, "taken by somebody else too");
            assert_eq!(header.live_bytes.load(Ordering::Relaxed), generation as u32);
            core.set_free(first);
            core.set_free(second);
        };
        world.run([Box::new(|| take_and_free(&one, 10)), Box::new(|| take_and_free(&other, 20))]);
        assert_eq!(one.core.count_free(usize::MAX), ACTIVE as usize);
        set(&one, b"key", b'a', LEN);
        assert_eq!(get(&other, b"key"), Some((b'a', LEN)));
    });
}
