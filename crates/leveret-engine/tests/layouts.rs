//! Arenas of both layouts under one program: an upgrade, and a step back.
use std::os::unix::fs::FileExt;

use leveret_engine::{Arena, Deadline, Meta, Mode, OpenOptions, Time, Value, LAYOUT_VERSION};

fn options(layout: u32) -> OpenOptions {
    OpenOptions::new().memory(8 << 20).layout(layout)
}

fn fill(arena: &Arena, now: Time) {
    for number in 0..40_000u32 {
        let deadline =
            if number % 2 == 0 { Deadline::NEVER } else { Deadline::at_millis(u64::from(now.0) * 1000 + 60_500) };
        let meta = Meta::default().with_flags(number % 3);
        arena.store(&number.to_ne_bytes(), Value::Bytes(&[7; 300]), meta, deadline, Mode::Set, now).expect("room");
    }
    arena.set(b"large", &[1; 300_000], Deadline::at_millis(u64::from(now.0) * 1000 + 60_500), now).expect("room");
}

/// A program that is upgraded serves the arena of the one before it: the same reads and writes, and evictions.
#[test]
fn an_arena_of_layout_1_is_served() {
    for layout in [1, 2] {
        let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
        let path = dir.path().join("old.arena");
        let (made, _) = Arena::open(&path, &options(layout)).expect("an arena");
        let (arena, is_new) = Arena::open(&path, &options(LAYOUT_VERSION)).expect("an arena");
        assert_eq!((is_new, arena.layout(), made.layout(), arena.stats().layout), (false, layout, layout, layout));
        assert_eq!(arena.has_millis(), layout == 2);
        let now = Time::now();
        fill(&arena, now);
        assert!(arena.stats().evicted > 0 && arena.verify().is_clean(), "{:?}", arena.verify());
        let want = Deadline::at_millis(u64::from(now.0) * 1000 + 60_500);
        let want = if layout == 1 { Deadline::of_second(want.second()) } else { want };
        assert_eq!(arena.get(b"large", now).expect("there").deadline, want);
        let mortal = arena.iter(now).map(|item| item.expect("free")).filter(|item| item.deadline != Deadline::NEVER);
        assert!(mortal.map(|item| assert_eq!(item.deadline, want)).count() > 1000);
        for millis in [70_001, 80_000, 65_000] {
            let end = u64::from(now.0) * 1000 + millis;
            let told =
                arena.retime(b"large", now, &mut |_| Some(Deadline::at_millis(end))).expect("room").expect("there");
            let want = if layout == 1 { end.div_ceil(1000) * 1000 } else { end };
            assert_eq!(told.deadline.millis(), Some(want), "never down");
            assert_eq!(arena.get(b"large", now).expect("there").deadline.millis(), Some(want));
        }
    }
}

/// Where its layout is not known a program says both numbers, whatever else there is in the file.
#[test]
fn a_layout_of_another_program_is_refused_by_its_number() {
    let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
    let path = dir.path().join("new.arena");
    drop(Arena::open(&path, &options(2)).expect("an arena"));
    let mut bytes = std::fs::read(&path).expect("its bytes");
    bytes[8..12].copy_from_slice(&3u32.to_ne_bytes());
    bytes[16..24].fill(0xff);
    std::fs::write(&path, &bytes).expect("written");
    let error = Arena::open(&path, &options(2)).err().expect("another layout").to_string();
    assert!(error.contains("layout version 3") && error.contains("up to version 2"), "{error}");
}

/// Whoever has the old arena open goes on with it until he looks again.
#[test]
fn renew_puts_a_new_arena_in_the_place_of_an_old_one() {
    let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
    let path = dir.path().join("old.arena");
    let missing = leveret_engine::renew(&path, &options(2));
    assert!(matches!(missing, Err(leveret_engine::OpenError::Missing(_))), "{missing:?}");
    let (old, _) = Arena::open(&path, &options(1)).expect("an arena");
    let now = Time::now();
    fill(&old, now);
    leveret_engine::renew(&path, &options(2).memory(16 << 20)).expect("renewed");
    assert!(old.get(b"large", now).is_some() && old.check().is_err());
    let (new, is_new) = Arena::open(&path, &options(2)).expect("an arena");
    assert_eq!((is_new, new.layout(), new.memory(), new.stats().items), (false, 2, 16 << 20, 0));
    fill(&new, now);
    assert!(old.verify().is_clean() && new.verify().is_clean());
    assert_eq!(
        std::fs::read_dir(dir.path())
            .expect("a folder")
            .filter(|entry| entry
                .as_ref()
                .is_ok_and(|entry| entry.path() != path && entry.path().extension().is_none_or(|end| end != "lock")))
            .count(),
        0
    );
}

/// What layout 2 reserves stays zero, whatever is done: later versions find it so.
#[test]
fn what_is_reserved_stays_zero() {
    let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
    let path = dir.path().join("reserved.arena");
    let (arena, _) = Arena::open(&path, &options(2)).expect("an arena");
    fill(&arena, Time::now());
    let bytes = std::fs::read(&path).expect("its bytes");
    let long = |at: usize| u64::from_ne_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
    let regions = u32::from_ne_bytes(bytes[124..128].try_into().expect("four bytes")) as usize;
    let region = |id: u64| {
        let at = (0..regions).map(|index| 1024 + 24 * index).find(|at| long(*at) == id).expect("the region");
        (long(at + 8) as usize, long(at + 16) as usize)
    };
    assert_eq!((long(16), long(24)), (0, 0), "feature bits");
    let (control, len) = region(1);
    // But for the policy.
    let reserved = (control + 576..control + 672).chain(control + 676..control + len);
    assert!(reserved.clone().all(|at| bytes[at] == 0), "control page");
    assert_eq!(bytes[control + 672..control + 676], 1u32.to_ne_bytes(), "all may be dropped");
    let (processes, len) = region(2);
    assert!((processes..processes + len).step_by(64).all(|at| bytes[at + 28..at + 32] == [0; 4]), "processes");
    let (tags, len) = region(17);
    assert!(len == 8 << 13 && bytes[tags..tags + len].iter().all(|byte| *byte == 0), "tags");

    // `verify` tells of each word that is not.
    assert_eq!(arena.verify().problems, Vec::<String>::new());
    let file = std::fs::File::options().write(true).open(&path).expect("the file");
    let words = [576, 640, 648, 656, 664, 668].map(|at| (control + at, "control page: a reserved word"));
    let policies = [(control + 672, "no policy has the number")];
    let knows = [0, 1, 1023].map(|slot| (processes + 64 * slot + 28, "process"));
    for (at, want) in words.into_iter().chain(policies).chain(knows) {
        let old: [u8; 4] = bytes[at..at + 4].try_into().expect("four bytes");
        file.write_all_at(&(1u32 << 31 | 4).to_ne_bytes(), at as u64).expect("written");
        let problems = arena.verify().problems;
        assert!(problems.len() == 1 && problems[0].contains(want), "byte {at}: {problems:?}");
        file.write_all_at(&old, at as u64).expect("written");
    }
    assert!(arena.verify().is_clean());
}

/// An item says nothing in bits that are reserved: the class of cost, the tenant, a fraction that is none.
#[test]
fn verify_tells_of_reserved_bits_of_an_item() {
    let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
    let path = dir.path().join("bits.arena");
    let (arena, _) = Arena::open(&path, &options(2)).expect("an arena");
    let (now, key) = (Time::now(), b"a key that is found again in the file");
    let deadline = Deadline::at_millis(u64::from(now.0) * 1000 + 60_500);
    arena.store(key, Value::Bytes(b"value"), Meta::default(), deadline, Mode::Set, now).expect("room");
    let bytes = std::fs::read(&path).expect("its bytes");
    let at = bytes.windows(key.len()).position(|part| part == key).expect("the key");
    let word = |at: usize| u32::from_ne_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    let file = std::fs::File::options().write(true).open(&path).expect("the file");
    let (extension, names) = (at - 4, at - 4 - 16 + 4);
    assert_eq!((word(extension), word(names) & 0xffff), (500 << 8, key.len() as u32));
    let bits = (28..32).map(|bit| (names, word(names) | 1 << bit));
    let bits = bits.chain((18..32).map(|bit| (extension, word(extension) | 1 << bit)));
    for (at, changed) in bits.chain([1000, 1023].map(|fraction| (extension, fraction << 8))) {
        file.write_all_at(&changed.to_ne_bytes(), at as u64).expect("written");
        let problems = arena.verify().problems;
        assert!(problems.len() == 1 && problems[0].contains("reserved bits"), "{changed:x}: {problems:?}");
        file.write_all_at(&word(at).to_ne_bytes(), at as u64).expect("written");
    }
    assert!(arena.verify().is_clean());
}
