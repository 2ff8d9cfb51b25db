//! The longest hold of a lock where memory is full. See docs/testing.md.

use std::process::ExitCode;

use clap::Parser;
use leveret_testkit::holds::{self, Stores};
use leveret_testkit::rng::{self, Rng};
use leveret_testkit::{scratch, stepper};

/// The target is 50 microseconds. A processor of 2 GHz that waits for memory half of its time does an instruction a
/// nanosecond.
const LIMIT: u64 = 50_000;

const EXAMPLES: &str = "\
Examples
  leveret-holds            all rows: some minutes, and 5 GB of memory
  leveret-holds --short    what ./x test counts: two rows, and one with values of chance

Exit codes: 0 no lock was held for more than 50,000 instructions; 1 one was.";

#[derive(Parser)]
#[command(about = "Counts instructions under a shard's lock, of stores into full memory", after_help = EXAMPLES)]
struct Args {
    /// Small arenas and few stores
    #[arg(long)]
    short: bool,
    /// Only arenas of so many MiB
    #[arg(long, value_name = "MEBIBYTES")]
    memory: Option<u64>,
    /// Only values of so many bytes
    #[arg(long, value_name = "BYTES")]
    value: Option<usize>,
}

fn main() -> ExitCode {
    let args = Args::parse();
    stepper::stay_on_one_cpu();
    // Sizes that leave much of their segment empty, nearly fill one, or lie in two.
    let awkward = [0, 7000, 11_000, 17_000, 22_000, 31_000, 35_000, 60_000];
    let mut rows: Vec<(u64, usize, u32)> = match args.short {
        true => vec![(8, 100, 70), (64, 8192, 8)],
        false => vec![
            (64, 10, 4000),
            (64, 100, 2500),
            (64, 1000, 800),
            (64, 8192, 200),
            (4096, 100, 40_000),
            (4096, 1000, 5000),
            (4096, 8192, 1200),
        ],
    };
    match args.value {
        Some(len) if rows.iter().all(|(_, known, _)| *known != len) => rows.push((args.memory.unwrap_or(64), len, 12)),
        Some(_) => {}
        None if args.short => rows.push((8, *Rng::new(rng::fresh_seed()).pick(&awkward), 2)),
        None => rows.extend(awkward.map(|len| (64, len, 12))),
    }
    let folder = scratch::folder().expect("a temporary folder");
    println!(
        "Instructions from taking a shard's lock to giving it up; the target is {LIMIT} at most, 50 microseconds."
    );
    println!(
        "{:>9} {:>8} {:<12} {:>7} {:>8} {:>7} {:>8}",
        "arena", "values", "keys live", "stores", "evicted", "mean", "longest"
    );
    let mut is_long = false;
    for (mebibytes, value_len, count) in rows {
        let is_chosen =
            args.memory.is_none_or(|memory| memory == mebibytes) && args.value.is_none_or(|len| len == value_len);
        if !is_chosen {
            continue;
        }
        for (lives, mixed_lives, is_read) in
            [("for ever", false, false), ("a while", true, false), ("read", false, true)]
        {
            let path = folder.path().join("holds.arena");
            match holds::count(&path, Stores { memory: mebibytes << 20, value_len, mixed_lives, is_read, count }) {
                Ok(holds) => {
                    println!(
                        "{mebibytes:>5} MiB {value_len:>6} B {lives:<12} {count:>7} {:>8} {:>7} {:>8}",
                        holds.evicted, holds.mean, holds.longest
                    );
                    let places: Vec<String> =
                        holds.places.iter().map(|(name, count)| format!("{name} {count}")).collect();
                    println!("          {}", places.join(", "));
                    is_long |= holds.longest > LIMIT;
                }
                Err(why) => {
                    println!("{mebibytes:>5} MiB {value_len:>6} B {lives:<12} FAILED: {why}");
                    is_long = true;
                }
            }
            let _ = std::fs::remove_file(&path);
        }
    }
    if is_long {
        println!("FAILED: a lock was held for more than {LIMIT} instructions");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
