//! Reads of millions of keys in random order, from small pages and from huge ones: part of `./x bench engine`.
//!
//! Three arenas hold the same items; one is moved to huge pages. In each round all of them are read, in an order that
//! changes: the median of the rounds' ratios is what huge pages gain, and that of the two others shows what a ratio is
//! worth on this machine. In time of the processor.
use leveret_engine::{Arena, Deadline, OpenOptions, Time};
use std::io::IsTerminal;
use std::time::Duration;

const KEYS: u64 = 10_000_000;
const MEMORY: u64 = 4 << 30;
const READS: u64 = 1_000_000;
const ROUNDS: usize = 11;

fn key(number: u64) -> [u8; 16] {
    let mut key = [0; 16];
    key[..8].copy_from_slice(&number.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_ne_bytes());
    key[8..].copy_from_slice(&number.to_ne_bytes());
    key
}

/// Processor time of this thread.
fn used() -> Duration {
    // SAFETY: zero is a valid timespec; the call only fills it.
    unsafe {
        let mut time: libc::timespec = std::mem::zeroed();
        assert_eq!(libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time), 0);
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    }
}

/// Nanoseconds for each of so many reads, of keys that follow from `seed`; each value is looked at.
fn read(arena: &Arena, keys: u64, reads: u64, seed: u64) -> f64 {
    let now = Time::now();
    let mut state = seed;
    let begun = used();
    for _ in 0..reads {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let number = state % keys;
        let found = arena.get(&key(number), now).expect("all of them fit");
        assert_eq!(found.value, number.to_ne_bytes());
    }
    (used() - begun).as_nanos() as f64 / reads as f64
}

fn progress(what: &str) {
    if std::io::stderr().is_terminal() {
        eprint!("\r\x1b[K{what}");
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    // Cargo says `--bench` where it is to measure; a test only wants to know that it runs.
    let is_quick = !words.iter().any(|word| word == "--bench") || words.iter().any(|word| word == "--quick");
    let (keys, memory, reads) = if is_quick { (50_000, 64 << 20, 10_000) } else { (KEYS, MEMORY, READS) };
    let dir = tempfile::tempdir_in("/dev/shm").expect("a folder in /dev/shm");
    let arenas = ["small", "huge", "control"].map(|name| {
        progress(&format!("filling the arena {name}"));
        let options = OpenOptions::new().memory(memory);
        let (arena, _) = Arena::open(&dir.path().join(format!("{name}.arena")), &options).expect("an arena");
        for number in 0..keys {
            arena.set(&key(number), &number.to_ne_bytes(), Deadline::NEVER, Time::now()).expect("room");
        }
        arena
    });
    progress("moving one to huge pages");
    let moved = arenas[1].use_huge_pages(|_| true).expect("huge pages");
    let mut rounds = Vec::new();
    for round in 0..ROUNDS {
        progress(&format!("round {} of {ROUNDS}", round + 1));
        let mut times = [0.0; 3];
        for turn in 0..3 {
            let which = (round + turn) % 3;
            times[which] = read(&arenas[which], keys, reads, 1 + round as u64);
        }
        rounds.push(times);
    }
    progress("");
    let sorted = |of: &dyn Fn(&[f64; 3]) -> f64| {
        let mut all: Vec<f64> = rounds.iter().map(of).collect();
        all.sort_by(f64::total_cmp);
        all
    };
    let spread = |all: Vec<f64>| format!("{:.2} [{:.2} .. {:.2}]", all[ROUNDS / 2], all[1], all[ROUNDS - 2]);
    println!(
        "{keys} keys read in random order, {} of {} pieces on huge pages",
        moved.done - moved.refused,
        moved.pieces
    );
    println!("small pages      {:>6.0} ns", sorted(&|times| times[0])[ROUNDS / 2]);
    println!("huge pages       {:>6.0} ns", sorted(&|times| times[1])[ROUNDS / 2]);
    println!("huge to small    {}", spread(sorted(&|times| times[1] / times[0])));
    println!("small to small   {}  (control)", spread(sorted(&|times| times[2] / times[0])));
}
