//! What Redis' commands ask of an arena: other deadlines for items that stay as they are, and its way of counting.
use leveret_engine::{
    Arena, CountedItem, CountedSigned, Deadline, Delta, Encoding, Found, Marks, Meta, Mode, OpenOptions, Origin,
    ReadOptions, Terms, Time, Value,
};

struct Scratch {
    arena: Arena,
    _dir: tempfile::TempDir,
}

fn small() -> Scratch {
    let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
    let (arena, _) =
        Arena::open(&dir.path().join("redis.arena"), &OpenOptions::new().memory(8 << 20)).expect("an arena");
    Scratch { arena, _dir: dir }
}

fn meta() -> Meta {
    Meta::default().with_flags(5).with_marks(Marks::WON)
}

/// Numbers, and values in one segment and in several.
fn values() -> [(&'static [u8], Vec<u8>); 5] {
    [
        (b"empty", Vec::new()),
        (b"short", b"some text".to_vec()),
        (b"border", vec![1; 4096]),
        (b"long", vec![2; 4097]),
        (b"large", vec![3; 200_000]),
    ]
}

#[test]
fn a_retimed_item_keeps_all_but_its_deadline() {
    let Scratch { arena, _dir } = small();
    let now = Time::now();
    let (soon, late) = (Deadline::after(now, 100), Deadline::after(now, 1000));
    let check = |key: &[u8], value: &[u8], deadline| {
        let item = arena.get(key, now).expect("there");
        assert_eq!(
            (&item.value[..], item.meta, item.deadline),
            (value, meta().with_encoding(item.meta.encoding), deadline)
        );
    };
    arena.store(b"number", Value::Integer(-7), meta(), soon, Mode::Set, now).expect("room");
    for (key, value) in values() {
        arena.store(key, Value::Bytes(&value), meta(), soon, Mode::Set, now).expect("room");
    }
    for (key, value) in values().into_iter().chain([(&b"number"[..], b"-7".to_vec())]) {
        for (from, to) in [(soon, late), (late, Deadline::NEVER), (Deadline::NEVER, late), (late, soon)] {
            let seen = arena.retime(key, now, &mut |found| {
                assert_eq!((found.deadline, found.value_len, found.cas), (from, value.len() as u64, 0));
                None
            });
            assert_eq!(seen.expect("free").expect("there").deadline, from);
            check(key, &value, from);
            let told = arena.retime(key, now, &mut |_| Some(to)).expect("room").expect("there");
            assert_eq!((told.deadline, told.meta.flags), (to, 5));
            check(key, &value, to);
            let back = arena.get_and_retime(key, now, &mut |_| Some(from)).expect("room").expect("there");
            assert_eq!((&back.value, back.deadline), (&value, from));
            check(key, &value, from);
            let item = arena.get_and_retime(key, now, &mut |_| Some(to)).expect("room").expect("there");
            assert_eq!((&item.value, item.deadline), (&value, to));
        }
        // Past: it is handed out for the last time.
        let end = |_: &Found| Some(Deadline::at(now));
        let last = arena.get_and_retime(key, now, &mut |found| end(found)).expect("room").expect("there");
        assert_eq!((&last.value, last.deadline), (&value, Deadline::at(now)));
        assert!(!arena.contains(key, now));
        assert_eq!(arena.retime(key, now, &mut |_| panic!("there is nothing to see")), Ok(None));
        assert_eq!(arena.get_and_retime(key, now, &mut |_| panic!("there is nothing to see")), Ok(None));
    }
    assert_eq!((arena.stats().deletes, arena.stats().items), (6, 0));
    assert!(arena.verify().is_clean(), "{:?}", arena.verify());
}

/// An amendment marks every item it sees as one whose cas a copy must keep: 8 bytes more when it moves.
#[test]
fn a_retimed_item_has_no_explicit_cas() {
    let Scratch { arena, _dir } = small();
    let now = Time::now();
    arena.set(b"key", b"value", Deadline::after(now, 1000), now).expect("room");
    let before = arena.stats().moved_bytes + arena.stats().written_bytes;
    for secs in [900, 950, 800] {
        arena.retime(b"key", now, &mut |_| Some(Deadline::after(now, secs))).expect("room").expect("there");
    }
    let item = arena.get_with(b"key", ReadOptions::new().with_cas(), now).expect("free").expect("there");
    assert!(item.cas < 1 << 62, "the cas of its place");
    assert_eq!(arena.stats().moved_bytes + arena.stats().written_bytes, before);
    // Told, it stays.
    arena.retime(b"key", now, &mut |_| Some(Deadline::after(now, 100))).expect("room").expect("there");
    assert_eq!(arena.get_with(b"key", ReadOptions::new().with_cas(), now).expect("free").expect("there").cas, item.cas);
}

#[test]
fn only_canonical_signed_text_counts() {
    let Scratch { arena, _dir } = small();
    let now = Time::now();
    let max = i64::MAX.to_string();
    for text in ["0", "1", "-1", "42", &max, "-9223372036854775808", "9223372036854775806"] {
        arena.set(b"k", text.as_bytes(), Deadline::after(now, 100), now).expect("room");
        assert_eq!(arena.count_signed(b"k", 0, now), Ok(CountedSigned::Value(text.parse().expect("a number"))));
        let item = arena.get(b"k", now).expect("there");
        assert_eq!((&item.value[..], item.deadline), (text.as_bytes(), Deadline::after(now, 100)));
        assert_eq!(item.number, Some(text.parse().expect("a number")));
    }
    for text in [
        "",
        " 1",
        "1 ",
        "+1",
        "01",
        "-0",
        "-",
        "1.0",
        "1e3",
        "0x1",
        "\u{662}",
        "9223372036854775808",
        "-9223372036854775809",
    ] {
        arena.set(b"k", text.as_bytes(), Deadline::NEVER, now).expect("room");
        assert_eq!(arena.count_signed(b"k", 1, now), Ok(CountedSigned::NotNumber), "{text:?}");
        assert_eq!(arena.get(b"k", now).expect("there").value, text.as_bytes());
    }
    arena.set(b"k", &vec![b'1'; 200_000], Deadline::NEVER, now).expect("room");
    assert_eq!(arena.count_signed(b"k", 1, now), Ok(CountedSigned::NotNumber));
    for encoding in [Encoding::new(5), Encoding::new(8), Encoding::new(9)] {
        arena.store(b"k", Value::Bytes(b"1"), Meta::native(encoding), Deadline::NEVER, Mode::Set, now).expect("room");
        assert_eq!(arena.count_signed(b"k", 1, now), Ok(CountedSigned::NotNumber), "{encoding:?}");
    }
    let counted = |delta| arena.count_signed(b"missing", delta, now).expect("room");
    assert_eq!((counted(-5), counted(7)), (CountedSigned::Value(-5), CountedSigned::Value(2)));
    let item = arena.get(b"missing", now).expect("there");
    let wire = Meta::default().with_origin(Origin::WIRE).with_encoding(Encoding::INTEGER);
    assert_eq!((&item.value[..], item.meta, item.deadline), (&b"2"[..], wire, Deadline::NEVER));
}

#[test]
fn nothing_wraps_and_a_sum_too_large_changes_nothing() {
    let Scratch { arena, _dir } = small();
    let now = Time::now();
    for (start, delta, want) in [
        (i64::MAX, 1, None),
        (i64::MAX, i64::MAX, None),
        (i64::MIN, -1, None),
        (i64::MIN, i64::MIN, None),
        (-1, i64::MIN, None),
        (i64::MAX - 1, 1, Some(i64::MAX)),
        (i64::MIN + 1, -1, Some(i64::MIN)),
        (0, i64::MIN, Some(i64::MIN)),
        (i64::MAX, i64::MIN, Some(-1)),
        (i64::MIN, i64::MAX, Some(-1)),
    ] {
        let wanted = want.map_or(CountedSigned::Overflow, CountedSigned::Value);
        // As text, and as a number.
        arena.set(b"k", start.to_string().as_bytes(), Deadline::NEVER, now).expect("room");
        assert_eq!(arena.count_signed(b"k", delta, now), Ok(wanted));
        assert_eq!(arena.get(b"k", now).expect("there").value, want.unwrap_or(start).to_string().as_bytes());
        arena.store(b"k", Value::Integer(start), Meta::default(), Deadline::NEVER, Mode::Set, now).expect("room");
        assert_eq!(arena.count_signed(b"k", delta, now), Ok(wanted));
        assert_eq!(arena.get(b"k", now).expect("there").value, want.unwrap_or(start).to_string().as_bytes());
    }
}

/// memcached pads a number that became shorter with spaces, and its numbers have no sign.
#[test]
fn a_number_of_memcached_is_written_anew_without_its_width() {
    let Scratch { arena, _dir } = small();
    let now = Time::now();
    let deadline = Deadline::after(now, 50);
    let store = |text: &[u8]| {
        arena.store(b"k", Value::Bytes(text), meta(), deadline, Mode::Set, now).expect("room");
    };
    store(b"100");
    assert!(matches!(
        arena.count_if(b"k", Delta::Decrement(1), None, &Default::default(), now),
        Ok(CountedItem::Value { value: 99, .. })
    ));
    assert_eq!(arena.get(b"k", now).expect("there").value, b"99 ");
    assert_eq!(arena.count_signed(b"k", -1, now), Ok(CountedSigned::Value(98)));
    let item = arena.get(b"k", now).expect("there");
    assert_eq!(
        (&item.value[..], item.meta, item.deadline),
        (&b"98"[..], meta().with_encoding(Encoding::INTEGER), deadline)
    );
    assert_eq!(arena.count_signed(b"k", -90, now), Ok(CountedSigned::Value(8)));
    assert_eq!(arena.get(b"k", now).expect("there").value, b"8");
    assert_eq!(arena.count_signed(b"k", -9, now), Ok(CountedSigned::Value(-1)));
    assert_eq!(arena.get(b"k", now).expect("there").value, b"-1");
    // Above the signed numbers.
    store(u64::MAX.to_string().as_bytes());
    arena.count(b"k", Delta::Decrement(0), None, now).expect("room");
    assert_eq!(arena.count_signed(b"k", -1, now), Ok(CountedSigned::NotNumber));
    store(i64::MAX.to_string().as_bytes());
    arena.count(b"k", Delta::Increment(0), None, now).expect("room");
    assert_eq!(arena.count_signed(b"k", -1, now), Ok(CountedSigned::Value(i64::MAX - 1)));
    // Nothing is written anew but once, and memcached counts on.
    assert_eq!(arena.count(b"k", Delta::Increment(3), None, now), Ok(leveret_engine::Counted::Value(1 << 63 | 1)));
    assert!(arena.verify().is_clean(), "{:?}", arena.verify());
}

/// A token that was told before does not hold for the number after.
#[test]
fn a_count_changes_the_cas() {
    let Scratch { arena, _dir } = small();
    let now = Time::now();
    let cas = || arena.get_with(b"k", ReadOptions::new().with_cas(), now).expect("free").expect("there").cas;
    arena.set(b"k", b"1", Deadline::NEVER, now).expect("room");
    let mut before = cas();
    for _ in 0..3 {
        arena.count_signed(b"k", 1, now).expect("room");
        let stored =
            arena.store_if(b"k", Value::Bytes(b"x"), meta(), Deadline::NEVER, &Terms::new(Mode::Cas(before)), now);
        assert_eq!(stored, Ok(leveret_engine::Stored::Exists));
        assert!(cas() > before);
        before = cas();
    }
}

/// Two threads count, and nothing is lost.
#[test]
fn counts_of_two_threads_add_up() {
    let Scratch { arena, _dir } = small();
    let now = Time::now();
    std::thread::scope(|scope| {
        for delta in [3, -1] {
            let arena = &arena;
            scope.spawn(move || {
                for _ in 0..10_000 {
                    arena.count_signed(b"k", delta, now).expect("free");
                }
            });
        }
    });
    assert_eq!(arena.count_signed(b"k", 0, now), Ok(CountedSigned::Value(20_000)));
}

fn sleep_until(millis: u64) {
    while Time::now_millis() < millis {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

/// A deadline between two seconds, however the item came by it, and whatever kind it is of.
#[test]
fn an_item_dies_in_its_millisecond() {
    let Scratch { arena, _dir } = small();
    let start = Time::now_millis();
    // In the middle of a second, so that neither its begin nor its end is near.
    let end = start / 1000 * 1000 + 2500;
    let (deadline, whole) = (Deadline::at_millis(end), Deadline::of_second((end / 1000) as u32 + 1));
    assert_eq!((deadline.millis(), deadline.second()), (Some(end), whole.second()));
    let now = Time::now();
    let late = Deadline::after(now, 1000);
    for (key, value) in values() {
        let name = |how: &str| [key, how.as_bytes()].concat();
        let set = |how: &str, meta, deadline| {
            arena.store(&name(how), Value::Bytes(&value), meta, deadline, Mode::Set, now).expect("room");
        };
        set(" stored", Meta::default(), deadline);
        set(" with flags and marks", meta(), deadline);
        for how in [" retimed", " advanced"] {
            let first = if how == " retimed" { Deadline::at_millis(end - 700) } else { late };
            for (what, meta) in [("", Meta::default()), (" with flags and marks", meta())] {
                let how = [how, what].concat();
                set(&how, meta, first);
                arena.retime(&name(&how), now, &mut |_| Some(deadline)).expect("room").expect("there");
            }
        }
        set(" touched", Meta::default(), Deadline::at_millis(end - 1));
        assert_eq!(arena.touch(&name(" touched"), deadline, now), Ok(true));
        set(" from a whole second", Meta::default(), Deadline::of_second(whole.second() - 1));
        assert_eq!(arena.touch(&name(" from a whole second"), deadline, now), Ok(true));
        set(" kept", Meta::default(), deadline);
        let kept = Terms::new(Mode::Set).keep_deadline(true);
        arena.store_if(&name(" kept"), Value::Bytes(b"new"), meta(), late, &kept, now).expect("room");
        set(" appended", Meta::default(), deadline);
        arena.store(&name(" appended"), Value::Bytes(b"more"), Meta::default(), late, Mode::Append, now).expect("room");
        set(" amended", meta(), late);
        let amend = |found: &Found| {
            Some(leveret_engine::Amendment::new(
                deadline,
                found.meta.marks.with(Marks::STALE),
                leveret_engine::NewCas::Keep,
            ))
        };
        arena.amend(&name(" amended"), now, &mut |found| amend(found)).expect("room").expect("there");
        set(" lives a second more", meta(), deadline);
        arena.touch(&name(" lives a second more"), Deadline::of_second(whole.second() + 1), now).expect("room");
    }
    arena.store(b"number", Value::Integer(8), Meta::default(), deadline, Mode::Set, now).expect("room");
    // The number grows a digit, which takes marks away and nothing else.
    arena.count(b"number", Delta::Increment(2), None, now).expect("room");
    arena.count(b"number", Delta::Increment(90), None, now).expect("room");
    arena.count_signed(b"number", 1, now).expect("room");
    let all: Vec<_> = arena.iter(now).map(|item| item.expect("free")).collect();
    let dying = |item: &&leveret_engine::Item| !item.key.ends_with(b"second more");
    for item in all.iter().filter(dying) {
        assert_eq!(item.deadline, deadline, "{}", item.key.escape_ascii());
    }
    assert_eq!(all.len(), 12 * values().len() + 1);
    assert!(arena.verify().is_clean(), "{:?}", arena.verify());
    assert!(Time::now_millis() < end - 20, "the machine is too slow for this test");
    sleep_until(end - 12);
    let early = Time::now_millis();
    let alive = all.iter().filter(|item| arena.contains(&item.key, Time::now())).count();
    // Unless the clock has come there meanwhile.
    if Time::now_millis() < end {
        assert_eq!(alive, all.len(), "at {early} of {end}");
    }
    sleep_until(end);
    let now = Time::now();
    assert_eq!(now.0 + 1, whole.second(), "the second is not over");
    for item in &all {
        assert_eq!(arena.contains(&item.key, now), !dying(&item), "{}", item.key.escape_ascii());
        assert_eq!(arena.is_current(&arena.peek(&item.key, now).unwrap_or_default().version, now), !dying(&item));
    }
    assert_eq!(arena.iter(now).count(), values().len());
    let swept = arena.sweep(&mut Default::default(), now, usize::MAX).expect("there");
    assert_eq!((swept.removed, swept.mortal), (11 * values().len() as u64 + 1, values().len() as u64));
}
