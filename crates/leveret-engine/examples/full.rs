//! What a store into a full arena takes: `full [MEBIBYTES] [VALUE_BYTES]`. Prints mean, median and the slowest ones, in
//! nanoseconds. All time that the machine takes away from the process is in them, so compare two builds in alternating
//! runs.
use leveret_engine::{Arena, Deadline, OpenOptions, Time};
use std::time::Instant;

const STORES: usize = 1_000_000;

fn main() {
    let mut numbers = std::env::args().skip(1).map(|word| word.parse::<usize>().expect("a number"));
    let (mebibytes, len) = (numbers.next().unwrap_or(64), numbers.next().unwrap_or(100));
    let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
    let options = OpenOptions { memory: (mebibytes as u64) << 20, ..OpenOptions::default() };
    let (arena, _) = Arena::open(&dir.path().join("full.arena"), &options).expect("an arena");
    let value = vec![7; len];
    let mut key = 0u64;
    let mut store = |arena: &Arena| {
        key += 1;
        arena.set(&key.to_ne_bytes(), &value, Deadline::NEVER, Time::now()).expect("room");
    };
    while arena.stats().evicted == 0 {
        (0..10_000).for_each(|_| store(&arena));
    }
    (0..STORES / 2).for_each(|_| store(&arena));
    let mut times: Vec<u64> = (0..STORES)
        .map(|_| {
            let begun = Instant::now();
            store(&arena);
            begun.elapsed().as_nanos() as u64
        })
        .collect();
    let mean = times.iter().sum::<u64>() / times.len() as u64;
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    let (median, rare, rarest, longest) = (at(0.5), at(0.999), at(0.9999), at(1.0));
    println!(
        "mean {mean}, median {median}, p99.9 {rare}, p99.99 {rarest}, longest {longest} ns; {} evicted",
        arena.stats().evicted
    );
}
