//! Storms of SIGKILLs over arenas of several sizes. See docs/testing.md.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use leveret_testkit::rng;
use leveret_testkit::storm::{self, quantile, Outcome, Weather};

const EXAMPLES: &str = "\
Examples
  leveret-torture 600
  leveret-torture 60 --php build/leveret.so    every second process is PHP
  leveret-torture 60 --processes 4 --seed 7

Exit codes: 0 nothing wrong was read and everybody went on; 1 not so; 2 it could not be tried.";

#[derive(Parser)]
#[command(about = "Processes of Rust and PHP at one arena, killed every few milliseconds", after_help = EXAMPLES)]
struct Args {
    /// How long, in seconds
    #[arg(default_value_t = 60)]
    seconds: u64,
    /// Workers on the arena
    #[arg(long, default_value_t = 16)]
    processes: u64,
    /// Seed of everything random
    #[arg(long)]
    seed: Option<u64>,
    /// The PHP extension, build/leveret.so; without it only Rust takes part
    #[arg(long, value_name = "PATH")]
    php: Option<PathBuf>,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let seed = args.seed.unwrap_or_else(rng::fresh_seed);
    let extension = args.php.as_deref().and_then(|path| path.canonicalize().ok());
    match (&args.php, &extension) {
        (_, Some(_)) => println!("torture: {} processes, half of them PHP, seed {seed}", args.processes),
        (Some(path), None) => {
            println!(
                "torture: {} is not there, so no PHP: {} processes of Rust, seed {seed}",
                path.display(),
                args.processes
            )
        }
        (None, None) => println!("torture: no --php, so {} processes of Rust, seed {seed}", args.processes),
    }
    let sizes: &[u64] = if args.seconds < 12 { &[8] } else { &[8, 16, 64] };
    let mut failed = false;
    for (part, mib) in sizes.iter().enumerate() {
        let duration = Duration::from_secs(args.seconds) / sizes.len() as u32;
        let weather = Weather {
            processes: args.processes,
            extension: extension.clone(),
            duration,
            memory: mib << 20,
            seed: seed + part as u64,
        };
        match storm::rage(&weather) {
            Ok(outcome) => failed |= !show(*mib, duration, &outcome),
            Err(error) => {
                println!("the storm could not be held: {error}");
                return ExitCode::from(2);
            }
        }
    }
    if failed {
        println!("FAILED; again: leveret-torture {} --processes {} --seed {seed}", args.seconds, args.processes);
        return ExitCode::FAILURE;
    }
    println!("no torn, foreign, older or resurrected value was read; everybody went on; nothing leaked");
    ExitCode::SUCCESS
}

/// Prints a storm's table; whether all was well.
fn show(mib: u64, duration: Duration, outcome: &Outcome) -> bool {
    println!(
        "\narena of {mib} MiB, {} s: {} SIGKILLs, {} SIGSTOPs, {} calms in which everybody went on",
        duration.as_secs(),
        outcome.kills,
        outcome.stops,
        outcome.calms
    );
    println!(
        "  {:<8} {:>9} {:>12} {:>6} {:>9}   own keys: {:>8} {:>8} {:>8} {:>8}",
        "group", "processes", "operations", "busy", "no memory", "median", "99 %", "99.9 %", "longest"
    );
    for (group, processes, counts, latencies) in &outcome.groups {
        let [median, most, nearly, all] =
            [0.5, 0.99, 0.999, 1.0].map(|share| format!("{:.1?}", quantile(latencies, share)));
        println!(
            "  {:<8} {processes:>9} {:>12} {:>6} {:>9}             {median:>8} {most:>8} {nearly:>8} {all:>8}",
            format!("{group:?}"),
            counts.operations,
            counts.busy,
            counts.no_memory
        );
    }
    println!("  at the end: {}", outcome.inspection);
    for failure in &outcome.failures {
        println!("  FAILED: {failure}");
    }
    outcome.failures.is_empty()
}
