//! Stores, counts and amendments on terms: what the meta and binary protocols ask for.
use leveret_engine::{
    Amendment, Arena, CountTerms, CountedItem, Deadline, Delta, Error, Found, Marks, Meta, Mode, NewCas, OpenOptions,
    ReadOptions, Stored, Terms, Time, Value,
};
use std::collections::HashSet;

struct Scratch {
    arena: Arena,
    _dir: tempfile::TempDir,
}

fn scratch(options: OpenOptions) -> Scratch {
    let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
    let (arena, _) = Arena::open(&dir.path().join("terms.arena"), &options).expect("an arena");
    Scratch { arena, _dir: dir }
}

fn small() -> Scratch {
    scratch(OpenOptions::new().memory(8 << 20))
}

fn wire(flags: u32) -> Meta {
    Meta::default().with_flags(flags)
}

fn keep(found: &Found) -> Amendment {
    Amendment::new(found.deadline, found.meta.marks, NewCas::Keep)
}

#[test]
fn an_amended_item_keeps_its_value_whatever_its_kind() {
    let Scratch { arena, _dir } = small();
    let now = Time::now();
    let large = vec![7u8; 200_000];
    arena.store(b"bytes", Value::Bytes(b"some text"), wire(5), Deadline::NEVER, Mode::Set, now).expect("room");
    arena.store(b"plain", Value::Bytes(b"x"), wire(0), Deadline::NEVER, Mode::Set, now).expect("room");
    arena.store(b"number", Value::Integer(42), wire(5), Deadline::NEVER, Mode::Set, now).expect("room");
    arena.store(b"large", Value::Bytes(&large), wire(5), Deadline::NEVER, Mode::Set, now).expect("room");
    for (key, value) in [(&b"bytes"[..], &b"some text"[..]), (b"plain", b"x"), (b"number", b"42"), (b"large", &large)] {
        let before = arena.get_with(key, ReadOptions::new().with_cas(), now).expect("free").expect("there");
        for marks in [Marks::WON, Marks::STALE.with(Marks::WON), Marks::NONE, Marks::STALE] {
            let cas = arena.get_with(key, ReadOptions::new().with_cas(), now).expect("free").expect("there").cas;
            let amended =
                arena.amend(key, now, &mut |found| Some(keep(found).marks(marks))).expect("room").expect("there");
            assert_eq!((amended.meta.marks, amended.cas), (marks, cas));
            let item = arena.get_with(key, ReadOptions::new().with_cas(), now).expect("free").expect("there");
            assert_eq!(
                (&item.value[..], item.meta.flags, item.meta.marks, item.cas),
                (value, before.meta.flags, marks, cas)
            );
        }
        let soon = Deadline::after(now, 100);
        let next = |found: &Found| Some(keep(found).deadline(soon).cas(NewCas::Next));
        let amended = arena.amend(key, now, &mut |found| next(found)).expect("room").expect("there");
        assert!(amended.cas > before.cas && amended.deadline == soon);
        let fixed = arena.amend(key, now, &mut |found| Some(keep(found).cas(NewCas::Is(77)))).expect("room");
        assert_eq!(fixed.expect("there").cas, 77);
        assert_eq!(arena.get(key, now).expect("there").value, value);
    }
    assert!(arena.verify().is_clean(), "{:?}", arena.verify());
    let left = arena.amend(b"bytes", now, &mut |_| None).expect("free").expect("there");
    assert_eq!(left.cas, 77);
    assert_eq!(arena.amend(b"none", now, &mut |_| panic!("there is nothing to see")), Ok(None));
    let dropped = arena.amend(b"large", now, &mut |found| Some(keep(found).drop_value(true))).expect("room");
    assert_eq!((dropped.expect("there").value_len, arena.get(b"large", now).expect("there").meta.flags), (0, 0));
    assert!(arena.verify().is_clean(), "{:?}", arena.verify());
}

/// As a touch does, and as memcached does: whoever ends an item still gets it, but nobody after him.
#[test]
fn an_item_that_an_amendment_ends_is_given_for_the_last_time() {
    let Scratch { arena, _dir } = small();
    let now = Time::now();
    let large = vec![7u8; 200_000];
    arena.store(b"bytes", Value::Bytes(b"text"), wire(5), Deadline::NEVER, Mode::Set, now).expect("room");
    arena.store(b"number", Value::Integer(42), wire(5), Deadline::NEVER, Mode::Set, now).expect("room");
    arena.store(b"large", Value::Bytes(&large), wire(5), Deadline::NEVER, Mode::Set, now).expect("room");
    for (key, value) in [(&b"bytes"[..], &b"text"[..]), (b"number", b"42"), (b"large", &large)] {
        let end = |found: &Found| keep(found).deadline(Deadline::at(now)).marks(Marks::STALE).cas(NewCas::Is(77));
        let last = arena.amend(key, now, &mut |found| Some(end(found))).expect("room").expect("there");
        assert_eq!(
            (last.cas, last.meta.flags, last.meta.marks, last.deadline),
            (77, 5, Marks::STALE, Deadline::at(now))
        );
        assert_eq!(arena.copy_to_vec(&last).as_deref(), Some(value));
        assert!(!arena.contains(key, now));
    }
    arena.store(b"dropped", Value::Integer(42), wire(5), Deadline::NEVER, Mode::Set, now).expect("room");
    let end = |found: &Found| keep(found).deadline(Deadline::at(now)).drop_value(true);
    let last = arena.amend(b"dropped", now, &mut |found| Some(end(found))).expect("room").expect("there");
    assert_eq!((last.meta.flags, arena.copy_to_vec(&last)), (0, Some(Vec::new())));
    assert!(arena.verify().is_clean(), "{:?}", arena.verify());
}

#[test]
fn a_store_compares_in_every_mode() {
    let Scratch { arena, _dir } = small();
    let now = Time::now();
    let store = |value: &[u8], terms: Terms| {
        arena.store_if(b"k", Value::Bytes(value), wire(1), Deadline::NEVER, &terms, now).expect("room")
    };
    let terms = |mode: Mode, compare| Terms::new(mode).compare(compare).want_cas(true);
    assert_eq!(store(b"a", terms(Mode::Set, Some(1))), Stored::Missing);
    let Stored::Stored { cas } = store(b"a", terms(Mode::Set, None)) else { panic!("not stored") };
    for mode in [Mode::Set, Mode::Replace, Mode::Append, Mode::Prepend] {
        assert_eq!(store(b"b", terms(mode, Some(cas + 1))), Stored::Exists, "{mode:?}");
    }
    let Stored::Stored { cas } = store(b"b", terms(Mode::Append, Some(cas))) else { panic!("not stored") };
    assert_eq!(arena.get(b"k", now).expect("there").value, b"ab");
    // The mode says which version it wants; what else is asked for does not take that back.
    let of_mode = |token| Terms::new(Mode::Cas(token)).compare(None);
    assert_eq!(store(b"x", of_mode(cas + 1)), Stored::Exists);
    assert_eq!(store(b"c", terms(Mode::Set, Some(cas)).cas(Some(9_000))), Stored::Stored { cas: 9_000 });
    let older = terms(Mode::Set, Some(8_999)).older_is_stale(true);
    assert!(matches!(store(b"d", older), Stored::Stored { .. }));
    assert_eq!(arena.get(b"k", now).expect("there").meta.marks, Marks::STALE);
    assert_eq!(store(b"e", older.compare(Some(u64::MAX))), Stored::Exists);
    assert_eq!(store(b"e", older.mode(Mode::Append)), Stored::Exists);
    // It takes the place of the present version: with its deadline, and with its mark of who makes it anew.
    let soon = Deadline::after(now, 60);
    let mut won = |item: &Found| Some(Amendment::new(soon, item.meta.marks.with(Marks::WON), NewCas::Keep));
    arena.amend(b"k", now, &mut won).expect("room");
    assert!(matches!(store(b"f", older.compare(Some(1))), Stored::Stored { .. }));
    let item = arena.get(b"k", now).expect("there");
    assert_eq!((&item.value[..], item.deadline, item.meta.marks), (&b"f"[..], soon, Marks::STALE.with(Marks::WON)));
    assert!(arena.verify().is_clean());
}

/// Each shard counted by itself, from the same number: a cas with the token of another key succeeded.
#[test]
fn no_two_keys_have_the_same_token() {
    let Scratch { arena, _dir } = scratch(OpenOptions::new().memory(8 << 20).cores(4));
    let now = Time::now();
    let mut all = HashSet::new();
    // A first version is known by its place; a later one, and a number, by what its shard counts.
    for (round, kind) in ["placed", "counted", "counted once more"].iter().enumerate() {
        for key in 0..400 {
            let key = format!("key {key}");
            let value = format!("{round} {kind}");
            arena.set(key.as_bytes(), value.as_bytes(), Deadline::NEVER, now).expect("room");
            let cas =
                arena.get_with(key.as_bytes(), ReadOptions::new().with_cas(), now).expect("free").expect("there").cas;
            assert!(all.insert(cas), "{kind}: {key} has the token {cas:#x} of another");
            assert!(i64::try_from(cas).is_ok(), "PHP's integers are signed");
        }
    }
    for key in 0..400 {
        let key = format!("number {key}");
        arena.add_integer(key.as_bytes(), 1, Some(Deadline::NEVER), now).expect("room");
        let cas = arena.get_with(key.as_bytes(), ReadOptions::new().with_cas(), now).expect("free").expect("there").cas;
        assert!(all.insert(cas), "{key} has the token {cas:#x} of another");
    }
}

#[test]
fn counting_compares_dates_and_tells() {
    let Scratch { arena, _dir } = small();
    let now = Time::now();
    let count = |terms: CountTerms| {
        arena.count_if(b"n", Delta::Increment(5), Some((10, Deadline::NEVER)), &terms, now).expect("room")
    };
    let CountedItem::Value { value: 10, cas, is_new: true, .. } = count(CountTerms::new().want_cas(true)) else {
        panic!("not created")
    };
    assert_eq!(count(CountTerms::new().compare(Some(cas + 1))), CountedItem::Exists);
    let soon = Deadline::after(now, 60);
    let terms = CountTerms::new().compare(Some(cas)).cas(Some(4)).deadline(Some(soon)).want_cas(true);
    assert_eq!(count(terms), CountedItem::Value { value: 15, cas: 4, deadline: soon, is_new: false });
    let item = arena.get_with(b"n", ReadOptions::new().with_cas(), now).expect("free").expect("there");
    assert_eq!((&item.value[..], item.cas, item.deadline), (&b"15"[..], 4, soon));
    arena.store(b"minus", Value::Integer(-5), Meta::default(), Deadline::NEVER, Mode::Set, now).expect("room");
    let counted = arena.count_if(b"minus", Delta::Increment(1), None, &CountTerms::new(), now).expect("room");
    assert_eq!(counted, CountedItem::NotNumber);
    assert!(arena.verify().is_clean());
}

/// A cas of 0 says that none was asked for. Given to a new version it was told as its token, and a client that was told
/// so had no way to name that version.
#[test]
fn a_given_cas_of_0_is_none() {
    let Scratch { arena, _dir } = small();
    let (now, never) = (Time::now(), Deadline::NEVER);
    let token = || arena.get_with(b"k", ReadOptions::new().with_cas(), now).expect("free").expect("there").cas;
    let mut told = HashSet::from([0]);
    let mut check = |cas: u64, what: &str| {
        assert!(told.insert(cas), "{what}: {cas} was told before");
        assert_eq!(cas, token(), "{what}");
    };
    let large = vec![1; 100_000];
    for value in [Value::Bytes(b"5"), Value::Bytes(&large), Value::Integer(7), Value::Bytes(b"6")] {
        let modes = [Mode::Set, Mode::Replace, Mode::Append, Mode::Prepend];
        for mode in modes.into_iter().take(if matches!(value, Value::Bytes(_)) { 4 } else { 2 }) {
            let terms = Terms::new(mode).cas(Some(0)).want_cas(true);
            let stored = arena.store_if(b"k", value, wire(1), never, &terms, now).expect("room");
            let Stored::Stored { cas } = stored else { panic!("{mode:?}: {stored:?}") };
            check(cas, &format!("{mode:?}"));
        }
        for (drops, marks) in [(false, Marks::NONE), (false, Marks::STALE), (true, Marks::NONE)] {
            let amendment = Amendment::new(never, marks, NewCas::Is(0)).drop_value(drops);
            let amended = arena.amend(b"k", now, &mut |_| Some(amendment)).expect("room").expect("there");
            check(amended.cas, &format!("an amendment with {marks:?}, {drops}"));
        }
        arena.delete(b"k", now).expect("free");
        for what in ["a new count", "a count"] {
            let terms = CountTerms::new().cas(Some(0)).want_cas(true);
            let counted = arena.count_if(b"k", Delta::Increment(1), Some((1, never)), &terms, now).expect("room");
            let CountedItem::Value { cas, .. } = counted else { panic!("{what}: {counted:?}") };
            check(cas, what);
        }
    }
    assert!(arena.verify().is_clean());
}

fn key(number: u32) -> Vec<u8> {
    format!("key-{number}").into_bytes()
}

const VALUE: [u8; 1000] = [1; 1000];

/// An arena as of memcached's -M, filled until it refuses, and how many keys it took.
fn filled(now: Time) -> (Scratch, u32) {
    let scratch = scratch(OpenOptions::new().memory(8 << 20).evict(false));
    let full = (0..20_000)
        .find(|number| scratch.arena.set(&key(*number), &VALUE, Deadline::NEVER, now) == Err(Error::NoMemory));
    (scratch, full.expect("8 MiB hold less than 20 MB"))
}

/// A full cache refuses, loses nothing, and takes values again once something is gone.
#[test]
fn without_eviction_a_full_arena_refuses_and_loses_nothing() {
    let now = Time::now();
    let (Scratch { arena, _dir }, full) = filled(now);
    assert!(full > 5_000, "only {full} items fitted");
    assert!((0..full).all(|number| arena.contains(&key(number), now)));
    assert_eq!(arena.stats().evicted, 0);
    for number in 0..full {
        assert!(arena.delete(&key(number), now).expect("free"));
    }
    for number in 0..full / 2 {
        arena.set(&key(number), &VALUE, Deadline::NEVER, now).expect("deleted memory is used again");
    }
}

/// A set that finds no room once left the value that it was to replace, out of date; one that is too large never did.
#[test]
fn a_set_that_is_refused_leaves_no_old_value() {
    let now = Time::now();
    let (Scratch { arena, _dir }, full) = filled(now);
    // The shard that was full first is not the only one: what is left in the other's open segment is filled as well.
    for number in full..full + 200 {
        let _ = arena.set(&key(number), &VALUE, Deadline::NEVER, now);
    }
    let store = |number, len, mode| {
        let value = vec![1; len];
        arena
            .store(&key(number), Value::Bytes(&value), Meta::default(), Deadline::NEVER, mode, now)
            .expect_err("no room")
    };
    for (number, len) in [(0, 20_000), (1, 300_000)] {
        assert_eq!(store(number, len, Mode::Replace), Error::NoMemory);
        assert!(arena.contains(&key(number), now), "it does nothing, as any failed change but a set");
        assert_eq!(store(number, len, Mode::Set), Error::NoMemory);
        assert!(!arena.contains(&key(number), now));
    }
}

/// With keys and values this small it is the index that is full first: chains are as long as they may be, and nothing
/// may make way.
#[test]
fn without_eviction_a_full_index_refuses_and_loses_nothing() {
    let Scratch { arena, _dir } = scratch(OpenOptions::new().memory(8 << 20).cores(1).evict(false));
    let now = Time::now();
    let mut stored = Vec::new();
    let mut refusals = 0;
    for number in 0..400_000u32 {
        match arena.set(&number.to_le_bytes(), b"", Deadline::NEVER, now) {
            Ok(()) => stored.push(number),
            Err(Error::NoMemory) => refusals += 1,
            Err(error) => panic!("{error}"),
        }
        if refusals == 1000 {
            break;
        }
    }
    assert_eq!((refusals, arena.stats().evicted), (1000, 0));
    assert!(stored.iter().all(|number| arena.contains(&number.to_le_bytes(), now)));
    assert!(arena.verify().is_clean(), "{:?}", arena.verify());
}

/// Deleted here and there, no segment is empty enough to be freed as it is: the living move together, and none is lost.
#[test]
fn without_eviction_the_room_between_the_living_is_used_again() {
    let now = Time::now();
    let (Scratch { arena, _dir }, full) = filled(now);
    for number in (0..full).step_by(2) {
        assert!(arena.delete(&key(number), now).expect("free"));
    }
    for number in 0..full * 2 / 5 {
        arena
            .set(format!("new-{number}").as_bytes(), &VALUE, Deadline::NEVER, now)
            .expect("deleted memory is used again");
    }
    assert!((1..full).step_by(2).all(|number| arena.contains(&key(number), now)));
    assert_eq!(arena.stats().evicted, 0);
    assert!(arena.verify().is_clean(), "{:?}", arena.verify());
}
