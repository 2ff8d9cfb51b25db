//! What an arena drops when it is full: everything, what has a deadline, or nothing, as its policy says to all processes.
use leveret_engine::{Arena, Deadline, Error, EvictionPolicy, OpenOptions, Time};
use std::time::Instant;

struct Scratch {
    arena: Arena,
    dir: tempfile::TempDir,
}

fn scratch(options: OpenOptions, policy: EvictionPolicy) -> Scratch {
    let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
    let (arena, _) = Arena::open(&dir.path().join("policy.arena"), &options).expect("an arena");
    assert!(arena.set_policy(policy));
    Scratch { arena, dir }
}

fn small() -> OpenOptions {
    OpenOptions::new().memory(8 << 20)
}

fn key(kind: &str, number: u32) -> Vec<u8> {
    format!("{kind}-{number}").into_bytes()
}

/// Values of these lengths in turn: most are small, some fill a quarter of a segment, a few take several.
fn len(number: u32) -> usize {
    match number % 500 {
        0 => 100_000,
        1..10 => 8_000,
        _ => 300,
    }
}

#[test]
fn volatile_drops_only_what_has_a_deadline() {
    for cores in [1, 4] {
        let Scratch { arena, dir: _dir } = scratch(small().cores(cores), EvictionPolicy::Volatile);
        let now = Time::now();
        let kept = 4_000;
        for number in 0..60_000 {
            let value = vec![number as u8; len(number)];
            // One in so many lives for ever, until there are enough of them.
            if number % 4 == 0 && number / 4 < kept {
                arena.set(&key("kept", number / 4), &value, Deadline::NEVER, now).expect("room");
            }
            let deadline = Deadline::after(now, [60, 3_000, 100_000][number as usize % 3]);
            arena.set(&key("mortal", number), &value, deadline, now).expect("room");
        }
        let stats = arena.stats();
        assert!(stats.evicted > 10_000, "{}", stats.evicted);
        for number in 0..kept {
            let item = arena.get(&key("kept", number), now).expect("never evicted");
            assert_eq!((item.value.len(), item.value[0]), (len(number * 4), (number * 4) as u8));
        }
        let recent = (59_000..60_000).filter(|number| arena.contains(&key("mortal", *number), now)).count();
        assert!(recent > 500, "{recent} of the last thousand");
        assert!(arena.verify().is_clean(), "{:?}", arena.verify());
    }
}

/// Where nothing has a deadline the refusal comes at once: after a round, and not after 64.
#[test]
fn volatile_without_deadlines_refuses_and_loses_nothing() {
    let Scratch { arena, dir: _dir } = scratch(small(), EvictionPolicy::Volatile);
    let now = Time::now();
    let set = |number: u32| arena.set(&key("k", number), &[7; 1000], Deadline::NEVER, now);
    let full = (0..20_000).find(|number| set(*number) == Err(Error::NoMemory)).expect("8 MiB hold less than 20 MB");
    assert!(full > 5_000, "only {full} items fitted");
    let begun = Instant::now();
    let refused = (20_000..20_200).filter(|number| set(*number) == Err(Error::NoMemory)).count();
    assert!(refused > 100, "{refused}");
    assert!(begun.elapsed().as_millis() < 5_000, "{:?} for 200 refusals", begun.elapsed());
    assert!((0..full).all(|number| arena.contains(&key("k", number), now)));
    assert_eq!(arena.stats().evicted, 0);
    assert!(arena.verify().is_clean(), "{:?}", arena.verify());
}

/// Items whose deadline is taken away lie where items with deadlines do.
#[test]
fn volatile_keeps_what_was_persisted() {
    let Scratch { arena, dir: _dir } = scratch(small(), EvictionPolicy::Volatile);
    let now = Time::now();
    let soon = Deadline::after(now, 1000);
    for number in 0..4_000 {
        arena.set(&key("k", number), &[7; 300], soon, now).expect("room");
        if number % 3 == 0 {
            arena.retime(&key("k", number), now, &mut |_| Some(Deadline::NEVER)).expect("in place").expect("there");
        }
    }
    for number in 0..60_000 {
        arena.set(&key("mortal", number), &[7; 300], soon, now).expect("room");
    }
    assert!(arena.stats().evicted > 10_000);
    assert!((0..4_000).step_by(3).all(|number| arena.contains(&key("k", number), now)));
    assert!(arena.verify().is_clean(), "{:?}", arena.verify());
}

/// With keys and values this small it is the index that is full first.
#[test]
fn a_full_index_goes_by_the_policy() {
    let Scratch { arena, dir: _dir } = scratch(small().cores(1), EvictionPolicy::Volatile);
    let now = Time::now();
    let (mut kept, mut refusals) = (Vec::new(), 0);
    for number in 0..400_000u32 {
        match arena.set(&number.to_le_bytes(), b"", Deadline::NEVER, now) {
            Ok(()) => kept.push(number),
            Err(Error::NoMemory) => refusals += 1,
            Err(error) => panic!("{error}"),
        }
        if refusals == 1000 {
            break;
        }
    }
    assert_eq!((refusals, arena.stats().evicted), (1000, 0));
    assert!(kept.iter().all(|number| arena.contains(&number.to_le_bytes(), now)));
    assert!(arena.verify().is_clean(), "{:?}", arena.verify());
}

/// In an arena that has evicted for long, drains ahead of writes have begun: they must end with the policy.
#[test]
fn a_policy_holds_from_the_next_search_for_room_on() {
    let Scratch { arena, dir } = scratch(small(), EvictionPolicy::All);
    let (other, is_new) = Arena::open(&dir.path().join("policy.arena"), &small().evict(true)).expect("an arena");
    assert!(!is_new && other.policy() == EvictionPolicy::All);
    let now = Time::now();
    let set = |number: u32| arena.set(&key("k", number), &[7; 300], Deadline::NEVER, now);
    (0..60_000).for_each(|number| set(number).expect("room"));
    assert!(other.set_policy(EvictionPolicy::None) && arena.policy() == EvictionPolicy::None);
    let before = arena.stats().evicted;
    assert!(before > 10_000);
    let results: Vec<_> = (60_000..80_000).map(set).collect();
    assert!(results[10_000..].contains(&Err(Error::NoMemory)));
    assert_eq!(arena.stats().evicted, before, "nothing that lives is dropped");
    let refused = arena.stats().refused_no_memory;
    assert!(refused > 100, "{refused}");
    arena.set_policy(EvictionPolicy::All);
    (80_000..120_000).for_each(|number| set(number).expect("room"));
    assert!(arena.stats().evicted > before && arena.verify().is_clean(), "{:?}", arena.verify());
}

/// How an arena was made counts for everybody; who opens it without eviction drops nothing himself.
#[test]
fn the_option_of_the_maker_is_the_policy() {
    let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
    for (evicts, wanted) in [(true, EvictionPolicy::All), (false, EvictionPolicy::None)] {
        let path = dir.path().join(format!("{evicts}.arena"));
        drop(Arena::open(&path, &small().evict(evicts)).expect("an arena"));
        let (arena, _) = Arena::open(&path, &small().evict(true)).expect("an arena");
        assert_eq!(arena.policy(), wanted);
        drop(arena);
        let (arena, _) = Arena::open(&path, &small().evict(false)).expect("an arena");
        assert_eq!(arena.policy(), EvictionPolicy::None);
    }
    let (old, _) = Arena::open(&dir.path().join("old.arena"), &small().layout(1)).expect("an arena");
    assert!(!old.set_policy(EvictionPolicy::Volatile));
    assert_eq!(old.policy(), EvictionPolicy::All);
}
