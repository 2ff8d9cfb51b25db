//! A get beside writers: it answers a version that was there while it ran, whole, or that there was none.
use super::world::{drain, explore, get, place_of, set, Grain, NOW};
use crate::counters::Counter;
use crate::map::layout::SLOTS;
use crate::{Arena, Deadline, Encoding, Item, Meta, Mode, ReadOptions, Terms, Value};

const KEY: &[u8] = b"key";
const LEN: usize = 8;

#[test]
fn an_overwritten_item_is_read_old_or_new() {
    explore("get: overwrite", Grain::Header, |world| {
        let [writer, reader] = [2, 3].map(|pid| world.registered(pid));
        set(&writer, KEY, b'a', LEN);
        world.run([
            Box::new(|| set(&writer, KEY, b'b', LEN)),
            Box::new(|| {
                let first = get(&reader, KEY).expect("never gone").0;
                let second = get(&reader, KEY).expect("never gone").0;
                assert!(first <= second, "from {first} back to {second}");
            }),
        ]);
        assert_eq!(get(&reader, KEY), Some((b'b', LEN)));
        assert!(reader.verify().is_clean());
    });
}

#[test]
fn a_new_item_is_read_whole_or_not_at_all() {
    explore("get: insert", Grain::Header, |world| {
        let [writer, reader] = [2, 3].map(|pid| world.registered(pid));
        world.run([
            Box::new(|| set(&writer, KEY, b'a', LEN)),
            Box::new(|| assert!(get(&reader, KEY).is_none_or(|value| value == (b'a', LEN)))),
        ]);
        assert!(reader.verify().is_clean());
    });
}

/// The item moves, and where it lay another one is written.
#[test]
fn a_drained_segment_that_is_used_anew_shows_nothing_foreign() {
    explore("get: drain and reuse", Grain::Header, |world| {
        let [writer, reader] = [2, 3].map(|pid| world.registered(pid));
        set(&writer, KEY, b'a', LEN);
        let (segment, at) = place_of(&writer, KEY);
        world.run([
            Box::new(|| {
                drain(&writer.core, segment);
                set(&writer, b"new", b'b', LEN);
            }),
            Box::new(|| assert_eq!(get(&reader, KEY), Some((b'a', LEN)))),
        ]);
        assert_eq!(place_of(&reader, b"new"), (segment, at), "or the model shows nothing");
        assert_eq!(get(&reader, KEY), Some((b'a', LEN)));
        assert!(reader.verify().is_clean());
    });
}

/// The item moves, and its next version is written where the first one lay: its slot holds the same word again.
#[test]
fn the_same_slot_word_again_is_another_version() {
    explore("get: republish", Grain::Header, |world| {
        let [writer, reader] = [2, 3].map(|pid| world.registered(pid));
        set(&writer, KEY, b'a', LEN);
        let first = place_of(&writer, KEY);
        world.run([
            Box::new(|| {
                drain(&writer.core, first.0);
                set(&writer, KEY, b'b', LEN);
            }),
            Box::new(|| {
                let value = get(&reader, KEY).expect("never gone");
                assert!([(b'a', LEN), (b'b', LEN)].contains(&value));
            }),
        ]);
        assert_eq!(place_of(&reader, KEY), first, "or the model shows nothing");
        assert_eq!(get(&reader, KEY), Some((b'b', LEN)));
        assert!(reader.verify().is_clean());
    });
}

/// Two items of equal length take each other's places: a value is never that of another version's key.
#[test]
fn the_decoded_value_cache_believes_no_version_that_has_gone() {
    explore("get: is it current", Grain::Header, |world| {
        let [writer, reader] = [2, 3].map(|pid| world.registered(pid));
        set(&writer, KEY, b'a', LEN);
        let (segment, _) = place_of(&writer, KEY);
        let version = reader.peek(KEY, NOW).expect("there").version;
        world.run([
            Box::new(|| {
                drain(&writer.core, segment);
                set(&writer, KEY, b'b', LEN);
            }),
            Box::new(|| {
                let seen = get(&reader, KEY).expect("never gone").0;
                assert!(!reader.is_current(&version, NOW) || seen == b'a', "an older version after a newer one");
            }),
        ]);
        assert!(!reader.is_current(&version, NOW));
    });
}

/// A value above a segment: its pieces are given back, and another one is written into them.
#[test]
fn a_large_value_is_read_whole() {
    let len = 600;
    explore("get: large value", Grain::Header, |world| {
        let [writer, reader] = [2, 3].map(|pid| world.registered(pid));
        set(&writer, KEY, b'a', len);
        world.run([
            Box::new(|| {
                writer.delete(KEY, NOW).expect("nobody's patience ends");
                set(&writer, KEY, b'b', len);
            }),
            Box::new(|| assert!(get(&reader, KEY).is_none_or(|(byte, read)| read == len && byte >= b'a'))),
        ]);
        assert_eq!(get(&reader, KEY), Some((b'b', len)));
        assert!(reader.verify().is_clean());
    });
}

/// A full bucket gets an overflow bucket, which takes its last entry over.
#[test]
fn a_chain_that_grows_loses_nothing() {
    explore("get: overflow", Grain::Header, |world| {
        let [writer, reader] = [2, 3].map(|pid| world.registered(pid));
        let bucket = |key: &[u8]| crate::hash::bucket(writer.core.hasher.hash(key), writer.core.index.buckets(0));
        let same = (0u16..).map(u16::to_ne_bytes).filter(|key| bucket(key) == 0);
        let keys: Vec<[u8; 2]> = same.take(SLOTS + 1).collect();
        keys[..SLOTS].iter().for_each(|key| set(&writer, key, b'a', 1));
        world.run([
            Box::new(|| set(&writer, &keys[SLOTS], b'b', 1)),
            Box::new(|| {
                assert!(get(&reader, &keys[SLOTS]).is_none_or(|value| value == (b'b', 1)));
                assert_eq!(get(&reader, &keys[SLOTS - 1]), Some((b'a', 1)));
            }),
        ]);
        assert_eq!(get(&reader, &keys[SLOTS]), Some((b'b', 1)));
        assert!(reader.verify().is_clean());
    });
}

/// As `a_large_value_is_read_whole`, for the part in the item: the item moves, and another one is written there.
#[test]
fn the_tail_of_a_large_value_is_its_own() {
    let len = 600;
    explore("get: large value, drained", Grain::Header, |world| {
        let [writer, reader] = [2, 3].map(|pid| world.registered(pid));
        set(&writer, KEY, b'a', len);
        let (segment, at) = place_of(&writer, KEY);
        world.run([
            Box::new(|| {
                drain(&writer.core, segment);
                set(&writer, b"new", b'b', 120);
            }),
            Box::new(|| assert_eq!(get(&reader, KEY), Some((b'a', len)))),
        ]);
        assert_eq!(place_of(&reader, b"new"), (segment, at), "or the model shows nothing");
    });
}

fn gets(arena: &Arena) -> Item {
    arena.get_with(KEY, ReadOptions::new().with_cas(), NOW).expect("nobody's patience ends").expect("there")
}

/// A token lies in the item, which moves; another one of its form, with a token of its own, is written there.
#[test]
fn a_token_is_that_of_its_item() {
    explore("get: its cas", Grain::Header, |world| {
        let [writer, reader] = [2, 3].map(|pid| world.registered(pid));
        set(&writer, KEY, b'a', LEN);
        gets(&writer);
        // Of an item whose token was told the next version has a token of its own.
        set(&writer, KEY, b'a', LEN);
        let cas = gets(&writer).cas;
        let place @ (segment, _) = place_of(&writer, KEY);
        world.run([
            Box::new(|| {
                drain(&writer.core, segment);
                set(&writer, b"one", b'b', LEN);
                let terms = Terms::new(Mode::Set).cas(Some(1));
                let (value, meta) = (Value::Bytes(&[b'b'; LEN]), Meta::native(Encoding::RAW));
                writer.store_if(b"two", value, meta, Deadline::NEVER, &terms, NOW).expect("room");
            }),
            Box::new(|| assert_eq!(gets(&reader).cas, cas)),
        ]);
        assert_eq!(place_of(&reader, b"two"), place, "or the model shows nothing");
        assert_eq!(gets(&reader).cas, cas);
    });
}

/// No bucket is left to go on with a chain: the new item takes the place of another one.
#[test]
fn what_pushes_another_item_out_is_read_whole() {
    explore("get: a full chain", Grain::Header, |world| {
        let [writer, reader] = [2, 3].map(|pid| world.registered(pid));
        let bucket = |key: &[u8]| crate::hash::bucket(writer.core.hasher.hash(key), writer.core.index.buckets(0));
        let mut keys = (0u16..).map(u16::to_ne_bytes).filter(|key| bucket(key) == 0);
        // Seven in each of five buckets, and one more in the last.
        keys.by_ref().take((SLOTS - 1) * 5 + 1).for_each(|key| set(&writer, &key, b'a', 1));
        let key = keys.next().expect("one more");
        world.run([
            Box::new(|| set(&writer, &key, b'b', 1)),
            Box::new(|| assert!(get(&reader, &key).is_none_or(|value| value == (b'b', 1)))),
        ]);
        assert_eq!(world.count(Counter::Evicted), 1, "or the model shows nothing");
        assert!(reader.verify().is_clean());
    });
}
