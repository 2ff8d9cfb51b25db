//! What a store takes where memory is full, so that for each new key something else has to go: part of `./x bench
//! engine`. Rows are chosen by words of their names: `./x bench engine --bench full -- 64 100`.
//!
//! The mean is told in time of the processor. The slow stores are looked at one by one, in blocks: one in which the
//! kernel gave the processor to somebody else says nothing of a store and is left out. Interrupts are in the figures.
//! How long a lock is held at most is counted in instructions, by the testkit's `leveret-holds`.
use leveret_engine::{Arena, Deadline, OpenOptions, Time};
use std::io::IsTerminal;
use std::time::Instant;

const STORES: usize = 1_000_000;
const BLOCK: usize = 32;
/// Seconds that keys live; 0 = for ever.
const FOR_EVER: [u32; 1] = [0];
const MIXED: [u32; 4] = [0, 1, 60, 3600];

/// Stores keys that never come again.
struct Writer {
    arena: Arena,
    value: Vec<u8>,
    number: u64,
}

impl Writer {
    fn store(&mut self, lifetimes: &[u32]) {
        let lifetime = lifetimes[self.number as usize % lifetimes.len()];
        let now = Time::now();
        let deadline = if lifetime == 0 { Deadline::NEVER } else { Deadline::of_second(now.0 + lifetime) };
        let mut key = [0; 16];
        key[..8].copy_from_slice(&self.number.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_ne_bytes());
        key[8..].copy_from_slice(&self.number.to_ne_bytes());
        self.number += 1;
        self.arena.set(&key, &self.value, deadline, now).expect("room");
    }

    /// Goes on until all of memory has been written once more than it holds.
    fn fill(&mut self, memory: u64, stores: usize) {
        while self.arena.stats().evicted == 0 {
            (0..10_000).for_each(|_| self.store(&FOR_EVER));
        }
        let size = 16 + 16 + self.value.len() as u64;
        (0..(memory / 4 / size).max(stores as u64)).for_each(|_| self.store(&FOR_EVER));
    }
}

/// Processor time of this thread in nanoseconds, and how often it has lost the processor.
fn usage() -> (u64, i64) {
    // SAFETY: zero is a valid rusage and a valid timespec; the calls only fill them.
    unsafe {
        let mut used: libc::rusage = std::mem::zeroed();
        let mut time: libc::timespec = std::mem::zeroed();
        assert_eq!(libc::getrusage(libc::RUSAGE_THREAD, &mut used), 0);
        assert_eq!(libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time), 0);
        (time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64, used.ru_nivcsw)
    }
}

fn measure(writer: &mut Writer, lifetimes: &[u32], stores: usize) -> String {
    let (begun, _) = usage();
    (0..stores).for_each(|_| writer.store(lifetimes));
    let mean = (usage().0 - begun) as f64 / stores as f64;
    let mut times: Vec<u64> = Vec::with_capacity(stores);
    let (_, mut switches) = usage();
    for _ in 0..stores / BLOCK {
        let before = times.len();
        for _ in 0..BLOCK {
            let begun = Instant::now();
            writer.store(lifetimes);
            times.push(begun.elapsed().as_nanos() as u64);
        }
        let (_, now) = usage();
        if switches != now {
            times.truncate(before);
            switches = now;
        }
    }
    let left_out = 1.0 - times.len() as f64 / (stores / BLOCK * BLOCK) as f64;
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    let (median, rare, rarest, longest) = (at(0.5), at(0.999), at(0.9999), at(1.0));
    format!("{mean:>7.0} {median:>7} {rare:>7} {rarest:>7} {longest:>9} {:>8.1} %", left_out * 100.0)
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    // Cargo says `--bench` where it is to measure; a test only wants to know that it runs.
    let is_quick = !words.iter().any(|word| word == "--bench") || words.iter().any(|word| word == "--quick");
    let words: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
    let stores = if is_quick { 10_000 } else { STORES };
    println!("Stores of new keys into full memory, in nanoseconds. Left out: stores beside which something else ran.");
    println!(
        "{:<40} {:>7} {:>7} {:>7} {:>7} {:>9} {:>10}",
        "", "mean", "median", "p99.9", "p99.99", "longest", "left out"
    );
    for mebibytes in [64, 4096] {
        for len in [10, 100, 1000, 8192] {
            let name = |kind: &str| format!("{mebibytes} MiB, values of {len} B, {kind}");
            let rows = [("for ever", &FOR_EVER[..]), ("mixed lives", &MIXED[..])];
            let chosen = |(kind, _): &(&'static str, &[u32])| words.iter().all(|word| name(kind).contains(*word));
            if !rows.iter().any(chosen) || is_quick && mebibytes > 64 {
                continue;
            }
            if std::io::stderr().is_terminal() {
                eprint!("\r\x1b[Kfilling {mebibytes} MiB");
            }
            let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
            let memory = mebibytes << 20;
            let options = OpenOptions::new().memory(memory);
            let (arena, _) = Arena::open(&dir.path().join("full.arena"), &options).expect("an arena");
            let mut writer = Writer { arena, value: vec![7; len], number: 0 };
            writer.fill(memory, stores);
            if std::io::stderr().is_terminal() {
                eprint!("\r\x1b[K");
            }
            for (kind, lifetimes) in rows.into_iter().filter(chosen) {
                println!("{:<40} {}", name(kind), measure(&mut writer, lifetimes, stores));
            }
        }
    }
}
