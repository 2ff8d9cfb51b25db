//! Full arenas: is any value refused? See docs/testing.md.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use leveret_testkit::{full, rng, scratch};

const EXAMPLES: &str = "\
Examples
  leveret-full 3600
  leveret-full 60 --memory 8 --seed 7 --show     each phase with its outcome

Exit codes: 0 nothing was refused and little was copied; 1 not so.";

/// Sizes of arenas, MiB.
const MEMORIES: [u64; 9] = [8, 8, 9, 16, 32, 64, 128, 256, 1024];

#[derive(Parser)]
#[command(about = "Stores values of every size and mix into full arenas: none may be refused", after_help = EXAMPLES)]
struct Args {
    /// How long, in seconds
    #[arg(default_value_t = 60)]
    seconds: u64,
    /// Memory of each arena, in MiB; without it all sizes from 8 to 1024 have their turns
    #[arg(long, value_name = "MIB")]
    memory: Option<u64>,
    /// Seed of the first arena, the next one of the second
    #[arg(long)]
    seed: Option<u64>,
    /// Phases at each arena
    #[arg(long, value_name = "N", default_value_t = 8)]
    phases: u64,
    /// Print each phase
    #[arg(long)]
    show: bool,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let seed = args.seed.unwrap_or_else(rng::fresh_seed);
    println!("full: {} seconds, seed {seed}", args.seconds);
    let folder = scratch::folder().expect("a temporary folder");
    let begun = Instant::now();
    let (mut arenas, mut stores, mut bytes, mut moved, mut evicted) = (0u64, 0, 0u64, 0u64, 0);
    while begun.elapsed() < Duration::from_secs(args.seconds) {
        let memory = args.memory.unwrap_or(MEMORIES[arenas as usize % MEMORIES.len()]) << 20;
        let run = full::run_any(folder.path(), memory, seed + arenas, args.phases, |phase, outcome| {
            stores += outcome.stores;
            bytes += outcome.bytes;
            moved += outcome.moved;
            evicted += outcome.evicted;
            if args.show {
                println!(
                    "{:>5} MiB  {:>9} stores, {:>9} evicted, copied {:>5.2} times, {:>3} % used  {phase}",
                    memory >> 20,
                    outcome.stores,
                    outcome.evicted,
                    outcome.moved as f64 / outcome.bytes.max(1) as f64,
                    outcome.used_percent,
                );
            }
        });
        if let Err(why) = run {
            println!("FAILED: {why}");
            println!("again: leveret-full 1 --memory {} --seed {} --show", memory >> 20, seed + arenas);
            return ExitCode::FAILURE;
        }
        arenas += 1;
    }
    let copied = moved as f64 / bytes.max(1) as f64;
    println!("{arenas} arenas, {stores} stores, {evicted} evicted, each stored byte copied {copied:.2} times again; none was refused");
    ExitCode::SUCCESS
}
