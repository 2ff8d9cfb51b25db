//! Typed items: hidden from whoever does not ask for them, and met by all who write.
use leveret_engine::{
    Arena, Counted, CountedSigned, Deadline, Delta, Encoding, Error, Meta, Mode, OpenOptions, Origin, ReadOptions,
    Stored, Terms, Time, Value,
};

struct Scratch {
    arena: Arena,
    _dir: tempfile::TempDir,
}

fn scratch(options: OpenOptions) -> Scratch {
    let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
    let (arena, _) = Arena::open(&dir.path().join("typed.arena"), &options).expect("an arena");
    Scratch { arena, _dir: dir }
}

fn small() -> OpenOptions {
    OpenOptions::new().memory(8 << 20)
}

fn meta() -> Meta {
    Meta::default().with_origin(Origin::new(5)).with_encoding(Encoding::new(10))
}

const STORED: Stored = Stored::Stored { cas: 0 };

#[test]
fn a_typed_item_is_hidden_from_readers_that_do_not_ask() {
    let Scratch { arena, _dir } = scratch(small());
    let now = Time::now();
    let soon = Deadline::at_millis(Time::now_millis() + 60_500);
    let asking = ReadOptions::new().typed();
    for (value, meta) in [(&b"1"[..], meta()), (&[7; 9_000], meta().with_flags(3))] {
        assert_eq!(arena.store_typed(b"k", value, meta, soon, &Mode::Set.into(), now), Ok(STORED));
        assert_eq!((arena.find(b"k", now), arena.peek(b"k", now), arena.get(b"k", now)), (None, None, None));
        assert!(!arena.contains(b"k", now));
        assert_eq!(arena.get_with(b"k", ReadOptions::new().with_cas(), now), Ok(None));
        assert_eq!(arena.iter(now).count(), 0);
        for options in [asking, asking.untraced(), asking.with_cas(), asking.with_cas().untraced()] {
            let found = arena.find_with(b"k", options, now).expect("free").expect("there");
            assert!(found.is_typed() && found.meta == meta && found.deadline == soon);
            let item = arena.get_with(b"k", options, now).expect("free").expect("there");
            assert_eq!((&item.value[..], item.deadline, item.number), (value, soon, None));
        }
        assert_eq!(arena.stats().items, 1);
        assert!(arena.verify().is_clean(), "{:?}", arena.verify());
    }
    // Of one who does not ask the others' deadlines and values stay as well.
    assert_eq!(arena.touch(b"k", Deadline::NEVER, now), Ok(false));
    assert_eq!(arena.get_and_touch(b"k", Deadline::NEVER, now), Ok(None));
    assert_eq!(arena.amend(b"k", now, &mut |_| panic!("there is nothing to see")), Ok(None));
    assert_eq!(arena.get_and_retime(b"k", now, &mut |_| panic!("there is nothing to see")), Ok(None));
    assert_eq!(arena.take(b"k", now), Ok(None));
    assert_eq!(arena.count(b"k", Delta::Increment(1), None, now), Ok(Counted::NotNumber));
    assert_eq!(arena.count_signed(b"k", 1, now), Ok(CountedSigned::NotNumber));
    assert_eq!(arena.add_integer(b"k", 1, None, now), Ok(Counted::NotNumber));
    for mode in [Mode::Append, Mode::Prepend] {
        assert_eq!(arena.store(b"k", Value::Bytes(b"x"), meta(), soon, mode, now), Ok(Stored::Missing));
    }
    let item = arena.get_with(b"k", asking, now).expect("free").expect("there");
    assert_eq!((item.value, item.deadline), (vec![7; 9_000], soon));
    // Expiry is anybody's.
    let later = Deadline::at_millis(soon.millis().expect("an end") + 1);
    let retimed =
        arena.retime(b"k", now, &mut |found| found.is_typed().then_some(later)).expect("room").expect("there");
    assert!(retimed.is_typed() && retimed.deadline == later);
    // An earlier one moves it.
    let earlier = Deadline::after(now, 30);
    arena.retime(b"k", now, &mut |_| Some(earlier)).expect("room").expect("there");
    let item = arena.get_with(b"k", asking, now).expect("free").expect("there");
    assert_eq!((item.value, item.deadline, item.meta), (vec![7; 9_000], earlier, meta().with_flags(3)));
}

#[test]
fn writers_meet_a_typed_item() {
    let Scratch { arena, _dir } = scratch(small());
    let now = Time::now();
    let never = Deadline::NEVER;
    let typed = |mode: Mode| arena.store_typed(b"k", b"typed", meta(), never, &mode.into(), now).expect("room");
    let plain = |mode| arena.store(b"k", Value::Bytes(b"plain"), Meta::default(), never, mode, now).expect("room");
    assert_eq!((typed(Mode::Replace), typed(Mode::Add), typed(Mode::Add)), (Stored::Missing, STORED, Stored::Exists));
    assert_eq!(plain(Mode::Add), Stored::Exists);
    let cas = arena.get_with(b"k", ReadOptions::new().typed().with_cas(), now).expect("free").expect("there").cas;
    assert_eq!((typed(Mode::Cas(cas + 1)), typed(Mode::Cas(cas))), (Stored::Exists, STORED));
    assert_eq!(plain(Mode::Replace), STORED);
    assert_eq!(arena.get(b"k", now).expect("there").value, b"plain");
    assert_eq!(typed(Mode::Set), STORED);
    let swap = arena.swap(b"k", Value::Bytes(b"x"), Meta::default(), never, &Terms::new(Mode::Set), now).expect("room");
    assert_eq!(swap, (STORED, None), "its value is hidden, and it makes way");
    assert_eq!(typed(Mode::Set), STORED);
    assert_eq!((arena.delete(b"k", now), arena.delete(b"k", now)), (Ok(true), Ok(false)));
    assert_eq!(arena.stats().items, 0);
    typed(Mode::Set);
    arena.flush().expect("free");
    assert_eq!(arena.get_with(b"k", ReadOptions::new().typed(), now), Ok(None));
    // It lies in one segment.
    let longest = (1..40_000)
        .rev()
        .find(|len| arena.store_typed(b"k", &vec![1; *len], meta(), never, &Mode::Set.into(), now).is_ok());
    assert!(longest.is_some_and(|len| (32_000..32_768).contains(&len)), "{longest:?}");
    let too_long = arena.store_typed(b"k", &[1; 40_000], meta(), never, &Mode::Set.into(), now);
    assert!(matches!(too_long, Err(Error::ValueTooLarge { len: 40_000, .. })), "{too_long:?}");
    assert!(arena.verify().is_clean(), "{:?}", arena.verify());
}

/// Drains keep typed items and drop them, as all others.
#[test]
fn typed_items_are_evicted() {
    let Scratch { arena, _dir } = scratch(small());
    let now = Time::now();
    let asking = ReadOptions::new().typed();
    let key = |number: u32| number.to_ne_bytes();
    for number in 0..60_000u32 {
        let value = number.to_ne_bytes().repeat(75);
        if number % 2 == 0 {
            arena.store_typed(&key(number), &value, meta(), Deadline::NEVER, &Mode::Set.into(), now).expect("room");
        } else {
            arena.set(&key(number), &value, Deadline::NEVER, now).expect("room");
        }
        // What is asked for again and again is kept.
        if number > 5_000 {
            (0..100u32).step_by(2).for_each(|hot| assert!(arena.find_with(&key(hot), asking, now).is_ok()));
        }
    }
    let stats = arena.stats();
    assert!(stats.evicted > 10_000, "{stats:?}");
    let hot =
        (0..100u32).step_by(2).filter(|number| arena.get_with(&key(*number), asking, now).expect("free").is_some());
    assert!(hot.count() > 40);
    for number in 0..60_000u32 {
        let item = arena.get_with(&key(number), asking, now).expect("free");
        assert!(item.is_none_or(|item| item.value == number.to_ne_bytes().repeat(75)));
        assert!(number % 2 == 1 || !arena.contains(&key(number), now));
    }
    assert!(arena.verify().is_clean(), "{:?}", arena.verify());
}

#[test]
fn an_arena_of_layout_1_takes_none() {
    let Scratch { arena, _dir } = scratch(small().layout(1));
    let stored = arena.store_typed(b"k", b"v", meta(), Deadline::NEVER, &Mode::Set.into(), Time::now());
    assert_eq!(stored, Err(Error::OldLayout { layout: 1 }));
    assert!(stored.expect_err("refused").to_string().contains("leveret renew"));
}
