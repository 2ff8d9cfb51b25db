//! The eviction policy against an exact LRU on generated streams. See docs/testing.md.

use std::process::ExitCode;

use clap::Parser;
use leveret_testkit::{policy, rng, scratch};

const EXAMPLES: &str = "\
Examples
  leveret-policy
  leveret-policy 10000000 --seed 7

Exit codes: 0 no stream missed more often than an exact LRU; 1 one did.";

#[derive(Parser)]
#[command(about = "Miss ratios of an arena and of an exact LRU with the same memory", after_help = EXAMPLES)]
struct Args {
    /// Requests for each stream
    #[arg(default_value_t = 1_000_000)]
    requests: u64,
    /// Seed of everything random
    #[arg(long)]
    seed: Option<u64>,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let seed = args.seed.unwrap_or_else(rng::fresh_seed);
    let folder = scratch::folder().expect("a temporary folder");
    println!("policy: {} requests a stream, seed {seed}", args.requests);
    println!(
        "{:<22} {:>8} {:>8} {:>8} {:>8} {:>8} {:>9} {:>14}",
        "stream", "misses", "LRU's", "ratio", "items", "LRU's", "write amp", "expired, at most"
    );
    let mut above = 0;
    for (index, (name, memory, shape)) in policy::streams(args.requests, seed).into_iter().enumerate() {
        match policy::replay(&folder.path().join(format!("{index}.arena")), memory, &shape) {
            Ok(replay) => {
                above += u64::from(replay.misses > replay.lru_misses);
                println!(
                    "{name:<22} {:>8.4} {:>8.4} {:>8.3} {:>8} {:>8} {:>9.2} {:>12} KiB",
                    replay.miss_ratio(),
                    replay.lru_miss_ratio(),
                    replay.misses as f64 / replay.lru_misses as f64,
                    replay.stats.items,
                    replay.lru_items,
                    replay.write_amplification(),
                    replay.expired_bytes_max >> 10
                );
            }
            Err(why) => {
                println!("{name:<22} FAILED: {why}");
                above += 1;
            }
        }
    }
    if above > 0 {
        println!("FAILED: {above} streams missed more often than an exact LRU");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
