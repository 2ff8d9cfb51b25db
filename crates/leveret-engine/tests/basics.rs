//! What every entrance relies on, on a real arena.
use leveret_engine::{
    Arena, Codec, Counted, Deadline, Delta, Encoding, Error, Found, Marks, Meta, Missed, Mode, OpenOptions, Origin,
    ReadOptions, Stored, Terms, Time, Value, AHEAD,
};
use std::path::PathBuf;

struct Scratch {
    _dir: tempfile::TempDir,
    path: PathBuf,
    arena: Arena,
}

fn scratch(memory: u64) -> Scratch {
    let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
    let path = dir.path().join("test.arena");
    let (arena, created) = Arena::open(&path, &OpenOptions::new().memory(memory)).expect("a new arena");
    assert!(created);
    Scratch { _dir: dir, path, arena }
}

fn text(arena: &Arena, key: &str, now: Time) -> Option<String> {
    arena.get(key.as_bytes(), now).map(|item| String::from_utf8(item.value).expect("utf-8"))
}

const NOW: Time = Time(1000);

#[test]
fn stores_and_finds_and_deletes() {
    let scratch = scratch(8 << 20);
    let arena = &scratch.arena;
    assert_eq!(text(arena, "a", NOW), None);
    arena.set(b"a", b"1", Deadline::NEVER, NOW).unwrap();
    arena.set(b"", b"empty key", Deadline::NEVER, NOW).unwrap();
    arena.set(b"empty", b"", Deadline::NEVER, NOW).unwrap();
    arena.set(b"a\0b c", &[0xff; 300], Deadline::NEVER, NOW).unwrap();
    assert_eq!(text(arena, "a", NOW).as_deref(), Some("1"));
    assert_eq!(text(arena, "", NOW).as_deref(), Some("empty key"));
    assert_eq!(text(arena, "empty", NOW).as_deref(), Some(""));
    assert_eq!(arena.get(b"a\0b c", NOW).unwrap().value, vec![0xff; 300]);
    assert!(arena.delete(b"a", NOW).unwrap());
    assert!(!arena.delete(b"a", NOW).unwrap());
    assert_eq!(text(arena, "a", NOW), None);
    assert_eq!(arena.stats().items, 3);
    assert_eq!(arena.verify().problems, Vec::<String>::new());
}

#[test]
fn an_item_tells_what_it_takes_up() {
    let scratch = scratch(8 << 20);
    let arena = &scratch.arena;
    let flagged = Meta::default().with_flags(7);
    for (key, value, meta) in [
        ("k", Value::Bytes(b""), Meta::default()),
        ("key of some length", Value::Bytes(&[1; 1001]), Meta::default()),
        ("flagged", Value::Bytes(b"value"), flagged),
        ("number", Value::Integer(-123), Meta::native(Encoding::INTEGER)),
        ("flagged number", Value::Integer(5), flagged),
    ] {
        let before = arena.stats().item_bytes;
        arena.store(key.as_bytes(), value, meta, Deadline::NEVER, Mode::Set, NOW).unwrap();
        let found = arena.peek(key.as_bytes(), NOW).unwrap();
        assert_eq!(found.size(key.len()), arena.stats().item_bytes - before, "{key}");
    }
}

#[test]
fn hundred_thousand_items_are_all_found() {
    let scratch = scratch(64 << 20);
    let arena = &scratch.arena;
    for number in 0..100_000u32 {
        arena
            .set(format!("key-{number}").as_bytes(), format!("value {number}").as_bytes(), Deadline::NEVER, NOW)
            .unwrap();
    }
    for number in 0..100_000u32 {
        assert_eq!(text(arena, &format!("key-{number}"), NOW), Some(format!("value {number}")), "{number}");
    }
    let stats = arena.stats();
    assert_eq!((stats.items, stats.evicted, stats.retries), (100_000, 0, 0));
    let mut keys: Vec<Vec<u8>> = arena.iter(NOW).map(|item| item.unwrap().key).collect();
    assert_eq!(keys.len(), 100_000);
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), 100_000);
    assert_eq!(arena.verify().problems, Vec::<String>::new());
}

#[test]
fn a_full_arena_evicts_item_by_item() {
    let scratch = scratch(8 << 20);
    let arena = &scratch.arena;
    let value = vec![7u8; 1000];
    let mut hot_hits = 0;
    for number in 0..40_000u32 {
        arena.set(format!("k{number}").as_bytes(), &value, Deadline::NEVER, NOW).unwrap();
        if number % 10 == 0 {
            hot_hits += u32::from(arena.get(b"k0", NOW).is_some());
        }
        assert!(arena.get(format!("k{number}").as_bytes(), NOW).is_some(), "what was stored last is there");
    }
    let stats = arena.stats();
    assert!(stats.evicted > 30_000 && stats.evicted < 36_000, "evicted {}", stats.evicted);
    assert!(stats.items > 5_000, "{} items left", stats.items);
    assert_eq!(hot_hits, 4_000, "an item that is read stays");
    assert!(stats.memory_allocated <= stats.memory_limit);
    assert_eq!(arena.verify().problems, Vec::<String>::new());
}

#[test]
fn ttl_is_exact_to_the_second() {
    let scratch = scratch(8 << 20);
    let arena = &scratch.arena;
    arena.set(b"a", b"1", Deadline::after(NOW, 10), NOW).unwrap();
    assert!(arena.get(b"a", Time(1009)).is_some());
    assert!(arena.get(b"a", Time(1010)).is_none());
    assert!(arena.touch(b"a", Deadline::after(NOW, 20), NOW).unwrap());
    assert!(arena.get(b"a", Time(1019)).is_some());
    assert!(arena.touch(b"a", Deadline::after(NOW, 5), NOW).unwrap());
    assert!(arena.get(b"a", Time(1005)).is_none());
    assert!(!arena.touch(b"a", Deadline::NEVER, Time(1005)).unwrap());
    arena.set(b"b", b"1", Deadline::NEVER, NOW).unwrap();
    let last = arena.get_and_touch(b"b", Deadline::at(NOW), NOW).unwrap();
    assert_eq!(
        last.map(|item| item.value),
        Some(b"1".to_vec()),
        "a deadline that is past gives the item for the last time"
    );
    assert_eq!(arena.get_and_touch(b"b", Deadline::NEVER, NOW), Ok(None));
    assert_eq!(
        arena.store(b"a", Value::Bytes(b"2"), Meta::default(), Deadline::NEVER, Mode::Add, Time(1005)),
        Ok(Stored::Stored { cas: 0 })
    );
    assert_eq!(arena.stats().items, 2, "expired ones count until somebody meets them");
}

#[test]
fn expired_segments_are_reclaimed_whole() {
    let scratch = scratch(8 << 20);
    let arena = &scratch.arena;
    for number in 0..4_000u32 {
        arena.set(format!("k{number}").as_bytes(), &[1; 500], Deadline::after(NOW, 60), NOW).unwrap();
    }
    let free = arena.stats().segments_free;
    assert!(arena.tend(Time(2000), usize::MAX).freed > 50);
    let stats = arena.stats();
    assert!(stats.segments_free > free + 50);
    assert_eq!((stats.expired, stats.evicted, stats.items), (4_000, 0, 0));
    assert_eq!(arena.verify().problems, Vec::<String>::new());
}

/// One call reclaimed all that had expired: 33 million items of one lifetime took 5.8 s, and whoever called had other
/// duties.
#[test]
fn what_has_expired_is_reclaimed_in_pieces_of_the_size_asked_for() {
    const ITEMS: u64 = 20_000;
    for (pieces, cores) in [(0, 1), (1, 1), (3, 2), (50, 4), (1000, 1), (usize::MAX, 4)] {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let options = OpenOptions::new().memory(16 << 20).cores(cores);
        let (arena, _) = Arena::open(&dir.path().join("tend.arena"), &options).expect("an arena");
        for number in 0..ITEMS {
            let deadline = if number % 10 == 0 { Deadline::NEVER } else { Deadline::after(NOW, 60) };
            arena.set(&number.to_ne_bytes(), &[1; 300], deadline, NOW).unwrap();
        }
        let (mut freed, mut calls) = (0, 0);
        loop {
            let before = arena.stats();
            let tended = arena.tend(Time(NOW.0 + 1000), pieces);
            let after = arena.stats();
            let met = (after.expired + after.evicted) - (before.expired + before.evicted);
            assert!(met <= (pieces.max(1) as u64).saturating_mul(64), "{met} items in {pieces} pieces");
            (freed, calls) = (freed + tended.freed, calls + 1);
            if !tended.has_more {
                break;
            }
            assert!(calls < 100_000, "no progress");
        }
        let stats = arena.stats();
        // What shares a segment with living items waits for a write.
        assert!(stats.items < ITEMS / 5 && freed > 50, "{} items left, {freed} segments freed", stats.items);
        assert_eq!(stats.evicted, 0);
        assert!(calls > 1 || pieces >= 1000, "{pieces} pieces did it all");
        assert_eq!(arena.tend(Time(NOW.0 + 1000), usize::MAX).freed, 0);
        assert_eq!(arena.verify().problems, Vec::<String>::new());
    }
}

#[test]
fn modes_follow_memcached() {
    let scratch = scratch(8 << 20);
    let arena = &scratch.arena;
    let store = |key: &str, value: &str, mode| {
        arena
            .store(key.as_bytes(), Value::Bytes(value.as_bytes()), Meta::default(), Deadline::NEVER, mode, NOW)
            .unwrap()
    };
    let stored = Stored::Stored { cas: 0 };
    assert_eq!(store("a", "1", Mode::Replace), Stored::Missing);
    assert_eq!(store("a", "1", Mode::Append), Stored::Missing);
    assert_eq!(store("a", "1", Mode::Cas(7)), Stored::Missing);
    assert_eq!(store("a", "1", Mode::Add), stored);
    assert_eq!(store("a", "2", Mode::Add), Stored::Exists);
    assert_eq!(store("a", "2", Mode::Append), stored);
    assert_eq!(store("a", "0", Mode::Prepend), stored);
    assert_eq!(text(arena, "a", NOW).as_deref(), Some("012"));
    let first = arena.get_with(b"a", ReadOptions::new().with_cas(), NOW).unwrap().unwrap().cas;
    assert_eq!(
        arena.get_with(b"a", ReadOptions::new().with_cas(), NOW).unwrap().unwrap().cas,
        first,
        "a token stays as long as the version"
    );
    assert_eq!(store("a", "3", Mode::Cas(first + 1)), Stored::Exists);
    assert_eq!(store("a", "3", Mode::Cas(first)), stored);
    let second = arena.get_with(b"a", ReadOptions::new().with_cas(), NOW).unwrap().unwrap().cas;
    assert!(second > first, "tokens grow");
    assert_eq!(store("a", "4", Mode::Cas(first)), Stored::Exists);
    let with_cas = Terms::new(Mode::Set).want_cas(true);
    let wanted = arena.store_if(b"a", Value::Bytes(b"5"), Meta::default(), Deadline::NEVER, &with_cas, NOW).unwrap();
    assert_eq!(
        wanted,
        Stored::Stored { cas: arena.get_with(b"a", ReadOptions::new().with_cas(), NOW).unwrap().unwrap().cas }
    );
    assert_eq!(arena.delete_version(b"a", second, NOW).unwrap(), Stored::Exists);
}

/// All that an item says of itself, at the ends of each, whatever its key and value are.
#[test]
fn flags_origin_encoding_marks_and_times_come_back() {
    let scratch = scratch(8 << 20);
    let arena = &scratch.arena;
    let keys: Vec<Vec<u8>> = [0, 1, 7, 8, 9, 255, 256, arena.key_max()].map(|len| vec![b'k'; len]).into();
    let (large, full) = (vec![3; 100_000], vec![4; 24_000]);
    let bytes: [&[u8]; 5] = [b"", b"v", b"1234567", &full, &large];
    let values = bytes.map(Value::Bytes).into_iter().chain([Value::Integer(i64::MIN)]);
    let times = [0, 1, 1000, u32::MAX - 2];
    let mut number = 0;
    for value in values {
        for flags in [0, 1, 1 << 31, u32::MAX] {
            for names in 0..16u16 * 16 {
                // Each origin with each codec; the rest goes through its values at another pace.
                number += 1;
                let (key, now) = (&keys[number % keys.len()], Time(times[number % times.len()]));
                let meta = Meta::native(Encoding::new(number as u8 % 15))
                    .with_origin(Origin::new(names as u8 % 16))
                    .with_codec(Codec::new((names / 16) as u8))
                    .with_flags(flags)
                    .with_marks(Marks::from_bits(number as u8 % 4));
                let deadlines = [Deadline::NEVER, Deadline::after(now, 1), Deadline::of_second(u32::MAX - 1)];
                let deadline = deadlines[number % deadlines.len()];
                arena.store(key, value, meta, deadline, Mode::Set, now).unwrap();
                let item = arena.get_with(key, ReadOptions::new().with_cas(), now).unwrap().unwrap();
                // An integer is one, whatever else was said.
                let meta = match value {
                    Value::Bytes(_) => meta,
                    Value::Integer(_) => meta.with_encoding(Encoding::INTEGER).with_codec(Codec::NONE),
                };
                assert_eq!((item.meta, item.mtime, item.deadline), (meta, now, deadline));
                match value {
                    Value::Bytes(bytes) => assert!(item.value == bytes),
                    Value::Integer(number) => assert_eq!(item.number, Some(number)),
                }
            }
        }
    }
    assert_eq!(arena.verify().problems, Vec::<String>::new());
}

#[test]
fn counts_by_both_rules() {
    let scratch = scratch(8 << 20);
    let arena = &scratch.arena;
    assert_eq!(arena.count(b"n", Delta::Increment(1), None, NOW), Ok(Counted::Missing));
    arena.set(b"n", b"10", Deadline::NEVER, NOW).unwrap();
    let before = arena.get_with(b"n", ReadOptions::new().with_cas(), NOW).unwrap().unwrap().cas;
    assert_eq!(arena.count(b"n", Delta::Decrement(1), None, NOW), Ok(Counted::Value(9)));
    assert_eq!(text(arena, "n", NOW).as_deref(), Some("9 "), "the length never shrinks");
    assert!(arena.get_with(b"n", ReadOptions::new().with_cas(), NOW).unwrap().unwrap().cas > before);
    assert_eq!(arena.count(b"n", Delta::Increment(91), None, NOW), Ok(Counted::Value(100)));
    assert_eq!(arena.count(b"n", Delta::Decrement(1), None, NOW), Ok(Counted::Value(99)));
    assert_eq!(text(arena, "n", NOW).as_deref(), Some("99 "), "and it grows");
    assert_eq!(arena.count(b"n", Delta::Decrement(100), None, NOW), Ok(Counted::Value(0)));
    assert_eq!(arena.count(b"n", Delta::Increment(u64::MAX), None, NOW), Ok(Counted::Value(u64::MAX)));
    assert_eq!(arena.count(b"n", Delta::Increment(2), None, NOW), Ok(Counted::Value(1)));
    arena.set(b"t", b"text", Deadline::NEVER, NOW).unwrap();
    assert_eq!(arena.count(b"t", Delta::Increment(1), None, NOW), Ok(Counted::NotNumber));
    arena.set(b"t", b"18446744073709551616", Deadline::NEVER, NOW).unwrap();
    assert_eq!(arena.count(b"t", Delta::Increment(1), None, NOW), Ok(Counted::NotNumber));

    assert_eq!(arena.add_integer(b"i", 5, None, NOW), Ok(Counted::Missing));
    assert_eq!(arena.add_integer(b"i", -5, Some(Deadline::NEVER), NOW), Ok(Counted::Value(-5i64 as u64)));
    assert_eq!(
        arena.add_integer(b"i", i64::MIN, None, NOW),
        Ok(Counted::Value((-5i64).wrapping_add(i64::MIN) as u64)),
        "wraps"
    );
    assert_eq!(arena.get(b"i", NOW).unwrap().number, Some((-5i64).wrapping_add(i64::MIN)));
    assert_eq!(arena.add_integer(b"t", 1, None, NOW), Ok(Counted::NotNumber));
    assert_eq!(arena.cas_integer(b"i", 1, 2, NOW), Ok(Stored::Exists));
    arena.store(b"i", Value::Integer(1), Meta::default(), Deadline::NEVER, Mode::Set, NOW).unwrap();
    assert_eq!(arena.cas_integer(b"i", 1, -2, NOW), Ok(Stored::Stored { cas: 0 }));
    assert_eq!(text(arena, "i", NOW).as_deref(), Some("-2"));
    assert_eq!(arena.cas_integer(b"nothing", 1, 2, NOW), Ok(Stored::Missing));
}

/// Seen by processes that took the short cut to a server's arena: above PHP_INT_MAX a count was negative, and then
/// refused; a float or bool, whose text the server itself counts, was refused at once.
#[test]
fn what_a_class_has_stored_counts_as_the_text_that_it_is() {
    let scratch = scratch(8 << 20);
    let arena = &scratch.arena;
    /// Of a family whose floats and booleans are texts.
    const TEXTS: Origin = Origin::new(1);
    let of = |origin: Origin, encoding: Encoding| Meta::native(encoding).with_origin(origin).with_flags(3);
    let up = |key: &[u8], by| arena.count(key, Delta::Increment(by), None, NOW);

    let meta = of(TEXTS, Encoding::INTEGER);
    arena.store(b"n", Value::Integer(i64::MAX), meta, Deadline::NEVER, Mode::Set, NOW).unwrap();
    for (by, sum) in [(1, 1 << 63), (1, (1 << 63) + 1), (u64::MAX >> 1, 0), (5, 5)] {
        assert_eq!(up(b"n", by), Ok(Counted::Value(sum)));
        let item = arena.get(b"n", NOW).unwrap();
        assert_eq!(String::from_utf8(item.value).unwrap().trim_end(), sum.to_string());
        assert_eq!((item.meta.flags, item.meta.origin), (3, TEXTS));
    }

    for (origin, encoding, text, want) in [
        (TEXTS, Encoding::DOUBLE, "5", Counted::Value(6)),
        (TEXTS, Encoding::DOUBLE, ".1", Counted::NotNumber),
        (TEXTS, Encoding::BOOL, "1", Counted::Value(2)),
        (Origin::new(2), Encoding::BOOL, "0", Counted::Value(1)),
        (TEXTS, Encoding::new(5), "5", Counted::NotNumber),
        (Origin::NATIVE, Encoding::DOUBLE, "5", Counted::NotNumber),
    ] {
        arena
            .store(b"v", Value::Bytes(text.as_bytes()), of(origin, encoding), Deadline::NEVER, Mode::Set, NOW)
            .unwrap();
        assert_eq!(up(b"v", 1), Ok(want), "{origin:?} {encoding:?} {text}");
        assert_eq!(arena.get(b"v", NOW).unwrap().meta.encoding, encoding);
    }
}

#[test]
fn large_values_up_to_an_eighth_of_the_arena() {
    let scratch = scratch(8 << 20);
    let arena = &scratch.arena;
    let value: Vec<u8> = (0..arena.value_max()).map(|at| (at * 31 / 8) as u8).collect();
    for len in [32_000, 32_768, 32_769, 65_536, 100_000, value.len()] {
        arena.set(b"big", &value[..len], Deadline::NEVER, NOW).unwrap();
        assert_eq!(arena.get(b"big", NOW).unwrap().value, &value[..len], "{len} bytes");
        assert_eq!(arena.verify().problems, Vec::<String>::new(), "{len} bytes");
    }
    arena.store(b"big", Value::Bytes(b"+"), Meta::default(), Deadline::NEVER, Mode::Append, NOW).unwrap_err();
    arena.set(b"big", &value[..40_000], Deadline::NEVER, NOW).unwrap();
    arena.store(b"big", Value::Bytes(b"+"), Meta::default(), Deadline::NEVER, Mode::Append, NOW).unwrap();
    assert_eq!(arena.get(b"big", NOW).unwrap().value.len(), 40_001);
    assert!(arena.touch(b"big", Deadline::after(NOW, 3), NOW).unwrap());
    assert_eq!(arena.get(b"big", NOW).unwrap().value.len(), 40_001);
    let too_large = vec![0; arena.value_max() + 1];
    assert_eq!(
        arena.set(b"big", &too_large, Deadline::NEVER, NOW),
        Err(Error::ValueTooLarge { len: too_large.len(), max: arena.value_max() })
    );
    assert!(arena.get(b"big", NOW).is_none(), "a set that was refused leaves no stale value");
    for number in 0..100u32 {
        arena.set(format!("big{number}").as_bytes(), &value[number as usize..], Deadline::NEVER, NOW).unwrap();
        assert_eq!(arena.get(format!("big{number}").as_bytes(), NOW).unwrap().value, &value[number as usize..]);
    }
    assert_eq!(arena.verify().problems, Vec::<String>::new());
    for number in 0..100u32 {
        arena.delete(format!("big{number}").as_bytes(), NOW).unwrap();
    }
    assert!(arena.stats().segments_free > 150, "{:?}", arena.stats());
}

#[test]
fn long_keys_and_their_limit() {
    let scratch = scratch(8 << 20);
    let arena = &scratch.arena;
    let key = vec![b'k'; arena.key_max()];
    arena.set(&key, b"v", Deadline::NEVER, NOW).unwrap();
    assert!(arena.get(&key, NOW).is_some());
    let longer = vec![b'k'; arena.key_max() + 1];
    assert_eq!(
        arena.set(&longer, b"v", Deadline::NEVER, NOW),
        Err(Error::KeyTooLong { len: longer.len(), max: arena.key_max() })
    );
    assert!(arena.get(&longer, NOW).is_none());
}

#[test]
fn flush_hides_everything_before_and_nothing_after() {
    let scratch = scratch(8 << 20);
    let arena = &scratch.arena;
    arena.set(b"a", b"1", Deadline::NEVER, NOW).unwrap();
    arena.flush().unwrap();
    assert!(arena.get(b"a", NOW).is_none());
    assert_eq!(arena.stats().items, 0);
    arena.set(b"b", b"2", Deadline::NEVER, NOW).unwrap();
    assert_eq!(text(arena, "b", NOW).as_deref(), Some("2"));
    assert_eq!(arena.iter(NOW).count(), 1);
    let now = Time::now();
    arena.flush_at(Time(now.0 + 100)).unwrap();
    assert!(arena.get(b"b", now).is_some());
    assert_eq!(arena.stats().flushes, 2, "counted when it is ordered");
    assert!(arena.get(b"b", Time(now.0 + 100)).is_none());
    assert_eq!(arena.stats().flushes, 2, "and not again when it is carried out");
    assert_eq!(arena.verify().problems, Vec::<String>::new());
}

#[test]
fn a_miss_says_whether_something_dead_was_there_and_that_can_be_removed() {
    let scratch = scratch(8 << 20);
    let arena = &scratch.arena;
    let missed = |key: &[u8], now| {
        let mut found = Found::default();
        (!arena.find_into(key, ReadOptions::new(), now, &mut found).unwrap()).then(|| found.missed())
    };
    let later = Time(NOW.0 + 10);
    for key in [b"a", b"b"] {
        arena.set(key, b"1", Deadline::after(NOW, 5), NOW).unwrap();
    }
    arena.set(b"c", b"1", Deadline::NEVER, NOW).unwrap();
    assert_eq!((missed(b"a", NOW), missed(b"no", NOW)), (None, Some(Missed::Absent)));
    assert_eq!(arena.remove_dead(b"a", NOW), Ok(false), "it lives");
    assert_eq!(missed(b"a", later), Some(Missed::Expired));
    assert_eq!(arena.remove_dead(b"a", later), Ok(true));
    assert_eq!((missed(b"a", later), missed(b"b", later)), (Some(Missed::Absent), Some(Missed::Expired)));
    assert_eq!(arena.remove_dead(b"a", later), Ok(false), "it is gone");
    assert_eq!((arena.stats().items, arena.stats().expired), (2, 1));
    arena.flush().unwrap();
    assert_eq!(missed(b"c", later), Some(Missed::Flushed));
    arena.remove_dead(b"c", later).unwrap();
    assert_eq!(missed(b"c", later), Some(Missed::Absent));
    assert_eq!(arena.verify().problems, Vec::<String>::new());
}

#[test]
fn a_second_handle_sees_the_same_items() {
    let Scratch { arena, path, _dir } = &scratch(8 << 20);
    arena.set(b"a", b"1", Deadline::NEVER, NOW).unwrap();
    let (again, created) = Arena::open(path, &OpenOptions::new().memory(32 << 20)).unwrap();
    assert!(!created);
    assert_eq!(again.memory(), 8 << 20, "an existing arena's size wins");
    assert_eq!(text(&again, "a", NOW).as_deref(), Some("1"));
    std::fs::remove_file(path).unwrap();
    assert_eq!(arena.check(), Err(Error::Lost));
    let (fresh, created) = Arena::open(path, &OpenOptions::new()).unwrap();
    assert!(created);
    assert_eq!(text(&fresh, "a", NOW), None);
}

#[test]
fn frequencies_and_times_are_told() {
    let scratch = scratch(8 << 20);
    let arena = &scratch.arena;
    arena.set(b"a", b"1", Deadline::after(NOW, 7), Time(900)).unwrap();
    assert_eq!(arena.peek(b"a", NOW).map(|found| (found.hits, found.is_fetched())), Some((0, false)));
    for _ in 0..5 {
        arena.find(b"a", NOW);
    }
    let found = arena.peek(b"a", NOW).unwrap();
    assert_eq!(
        (found.hits, found.is_fetched(), found.mtime, found.deadline),
        (5, true, Time(900), Deadline::of_second(1007))
    );
    assert!(arena.is_current(&found.version, NOW));
    assert!(!arena.is_current(&found.version, Time(1007)));
    arena.set(b"a", b"1", Deadline::NEVER, NOW).unwrap();
    assert!(!arena.is_current(&found.version, NOW));
}

#[test]
fn a_flushed_arena_is_as_good_as_a_new_one() {
    let scratch = scratch(8 << 20);
    let arena = &scratch.arena;
    let large = vec![3u8; 300_000];
    for round in 0..20u32 {
        for number in 0..5_000u32 {
            arena.set(format!("k{number}").as_bytes(), &[round as u8; 500], Deadline::NEVER, NOW).unwrap();
        }
        for number in 0..8u32 {
            arena.set(format!("large{number}").as_bytes(), &large, Deadline::NEVER, NOW).unwrap();
        }
        assert_eq!(arena.stats().evicted, 0, "round {round}");
        assert_eq!(arena.verify().problems, Vec::<String>::new());
        arena.flush().unwrap();
        assert_eq!(arena.iter(NOW).count(), 0);
        assert_eq!(arena.stats().items, 0);
    }
}

/// More keys than are asked for at once, in an index with overflow buckets, some of them missing and some there twice.
#[test]
fn many_keys_at_once_are_found_like_single_ones() {
    let scratch = scratch(8 << 20);
    let arena = &scratch.arena;
    let names: Vec<String> = (0..20_000).map(|number| format!("key {number}")).collect();
    for name in names.iter().step_by(3) {
        arena.set(name.as_bytes(), name.as_bytes(), Deadline::NEVER, NOW).unwrap();
    }
    let keys: Vec<&[u8]> = names.iter().chain(&names[..100]).map(|name| name.as_bytes()).collect();
    let mut hashes = [0; AHEAD];
    assert_eq!(arena.ask_for(keys.iter().copied(), &mut hashes), AHEAD, "and no more");
    for keys in keys.chunks(AHEAD) {
        assert_eq!(arena.ask_for(keys.iter().copied(), &mut hashes), keys.len());
        for (key, hash) in keys.iter().zip(hashes) {
            let mut found = Found::default();
            let is_there = arena.find_into(key, ReadOptions::new().hashed(hash), NOW, &mut found).unwrap();
            let value = if is_there { arena.copy_to_vec(&found) } else { None };
            assert_eq!(value, arena.get(key, NOW).map(|item| item.value), "{}", key.escape_ascii());
        }
    }
}
