//! Growth: of two concurrent attempts one grows, and a process that sees new memory may use it.
use super::world::{explore, get, set, Grain, ACTIVE, NOW};
use crate::growth;
use crate::segment::{SegmentPool, State, StateWord};
use crate::shard::{self, edit};
use crate::sync::Ordering;

const LEN: usize = 8;

#[test]
fn data_grows_once_at_a_time() {
    explore("growth: data", Grain::Header, |world| {
        let [one, other] = [2, 3].map(|pid| world.registered(pid));
        let grow = |arena: &crate::Arena| {
            assert!(
                growth::grow_data(&arena.core) == Ok(true) || arena.core.segments.active() == 8,
                "the other has grown all"
            );
            set(arena, &[arena.core.presence.current() as u8], b'a', LEN);
        };
        world.run([Box::new(|| grow(&one)), Box::new(|| grow(&other))]);
        assert!(one.core.segments.active() > ACTIVE as usize);
        assert!(one.verify().is_clean());
    });
}

#[test]
fn the_index_grows_by_one_chunk() {
    explore("growth: index", Grain::Header, |world| {
        let [one, other] = [2, 3].map(|pid| world.registered(pid));
        let grow = |arena: &crate::Arena| {
            assert_eq!(growth::grow_index(&arena.core, 0, 1), Ok(true));
            edit::split(&shard::lock(&arena.core, 0, NOW).expect("nobody's patience ends"));
        };
        world.run([Box::new(|| grow(&one)), Box::new(|| grow(&other))]);
        assert_eq!(world.shard.chunks.load(Ordering::Relaxed), 2);
        assert_eq!(one.core.index.buckets(0), 10);
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
            let taken = |number| {
                core.segments
                    .take_free(StateWord::new(number, State::LargeFill, 0, SegmentPool::Small, 0), &core.presence)
                    .expect("room")
            };
            let (first, second) = (taken(generation), taken(generation + 1));
            assert_ne!(first, second);
            let header = core.segments.header(first);
            header.set_key_hash(generation);
            assert_eq!(core.segments.state(first).generation(), generation, "taken by somebody else too");
            assert_eq!(header.key_hash(), generation);
            core.segments.set_free(first);
            core.segments.set_free(second);
        };
        world.run([Box::new(|| take_and_free(&one, 10)), Box::new(|| take_and_free(&other, 20))]);
        assert_eq!(one.core.segments.count_free(usize::MAX), ACTIVE as usize);
        set(&one, b"key", b'a', LEN);
        assert_eq!(get(&other, b"key"), Some((b'a', LEN)));
    });
}

#[test]
fn what_is_shown_was_promised() {
    explore("growth: promise", Grain::Header, |world| {
        let [one, other] = [2, 3].map(|pid| world.registered(pid));
        let chunks = one.core.index.allocated(0);
        world.run([
            Box::new(|| {
                assert!(growth::grow_data(&one.core) == Ok(true) && growth::grow_index(&one.core, 0, 1) == Ok(true))
            }),
            Box::new(|| {
                let has_data = other.core.segments.active() > ACTIVE as usize;
                assert!(!has_data || world.kernel.has_promised(false));
                let has_index = other.core.index.allocated(0) > chunks;
                assert!(!has_index || world.kernel.has_promised(true));
            }),
        ]);
    });
}
