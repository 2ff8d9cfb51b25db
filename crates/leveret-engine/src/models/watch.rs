//! A sampler beside writers: its report about a key is true of one of that key's versions.
use super::world::{drain, explore, get, place_of, set, Grain, NOW};
use crate::sampler::{Sampled, Sampler, Seen};
use crate::Arena;

const KEY: &[u8] = b"key";
const NEW: &[u8] = b"another";

/// A pass's reports about each of two keys; it may report no other key.
fn pass(sampler: &mut Sampler, arena: &Arena) -> [Vec<Seen>; 2] {
    let hashes = [KEY, NEW].map(|key| arena.core.hasher.hash(key));
    let mut told = [Vec::new(), Vec::new()];
    let mut tell = |seen: Seen| {
        let which = hashes.iter().position(|hash| *hash == seen.hash).expect("one of the two");
        assert_eq!(seen.key_len, [KEY, NEW][which].len());
        told[which].push(seen);
    };
    sampler.pass(NOW, &mut tell).expect("there");
    told
}

fn events(seen: &[Seen]) -> Vec<(Sampled, u64)> {
    seen.iter().map(|seen| (seen.event, seen.value_len)).collect()
}

#[test]
fn a_version_is_described_whole() {
    explore("watch: overwrite", Grain::Header, |world| {
        let [writer, watcher] = [2, 3].map(|pid| world.registered(pid));
        set(&writer, KEY, b'a', 8);
        let mut sampler = watcher.sample(1.0);
        assert_eq!(events(&pass(&mut sampler, &watcher)[0]), [(Sampled::There, 8)]);
        let mut told = Vec::new();
        world.run([
            Box::new(|| set(&writer, KEY, b'b', 40)),
            Box::new(|| told = events(&pass(&mut sampler, &watcher)[0])),
        ]);
        told.append(&mut events(&pass(&mut sampler, &watcher)[0]));
        assert_eq!(told, [(Sampled::Replaced, 40)]);
    });
}

/// The item moves, and where it lay another one is written: neither is an event of the first key.
#[test]
fn a_segment_that_is_used_anew_shows_nothing_foreign() {
    explore("watch: drain and reuse", Grain::Header, |world| {
        let [writer, watcher] = [2, 3].map(|pid| world.registered(pid));
        set(&writer, KEY, b'a', 8);
        let (segment, at) = place_of(&writer, KEY);
        let mut sampler = watcher.sample(1.0);
        pass(&mut sampler, &watcher);
        let mut told = [Vec::new(), Vec::new()];
        world.run([
            Box::new(|| {
                drain(&writer.core, segment);
                set(&writer, NEW, b'b', 40);
            }),
            Box::new(|| told = pass(&mut sampler, &watcher)),
        ]);
        assert_eq!(place_of(&watcher, NEW), (segment, at), "or the model shows nothing");
        let last = pass(&mut sampler, &watcher);
        assert_eq!(events(&told[0]), []);
        assert_eq!(events(&last[0]), []);
        assert_eq!([events(&told[1]), events(&last[1])].concat(), [(Sampled::Stored, 40)]);
    });
}

/// As above, at a sampler's first pass: what it reads is the slot's own item, or it reads again.
#[test]
fn a_first_look_describes_the_item_of_the_slot() {
    explore("watch: first look", Grain::Header, |world| {
        let [writer, watcher] = [2, 3].map(|pid| world.registered(pid));
        set(&writer, KEY, b'a', 8);
        let (segment, at) = place_of(&writer, KEY);
        let mut sampler = watcher.sample(1.0);
        let mut told = [Vec::new(), Vec::new()];
        world.run([
            Box::new(|| {
                drain(&writer.core, segment);
                set(&writer, NEW, b'b', 40);
            }),
            Box::new(|| told = pass(&mut sampler, &watcher)),
        ]);
        assert_eq!(place_of(&watcher, NEW), (segment, at), "or the model shows nothing");
        let last = pass(&mut sampler, &watcher);
        let all = [0, 1].map(|which| [events(&told[which]), events(&last[which])].concat());
        // What moved all the time is met by the next pass.
        assert!([[(Sampled::There, 8)], [(Sampled::Stored, 8)]]
            .contains(&<[_; 1]>::try_from(&all[0][..]).expect("one event")));
        assert!([[(Sampled::There, 40)], [(Sampled::Stored, 40)]]
            .contains(&<[_; 1]>::try_from(&all[1][..]).expect("one event")));
    });
}

/// A read between two passes is reported by one of them, in any order of writes to the frequency byte.
#[test]
fn a_read_is_told() {
    explore("watch: a read", Grain::Header, |world| {
        let [reader, watcher] = [2, 3].map(|pid| world.registered(pid));
        set(&reader, KEY, b'a', 8);
        let mut sampler = watcher.sample(1.0);
        pass(&mut sampler, &watcher);
        let mut told = Vec::new();
        world.run([
            Box::new(|| assert!(get(&reader, KEY).is_some())),
            Box::new(|| told = events(&pass(&mut sampler, &watcher)[0])),
        ]);
        told.append(&mut events(&pass(&mut sampler, &watcher)[0]));
        assert_eq!(told, [(Sampled::Read(1), 8)]);
    });
}
