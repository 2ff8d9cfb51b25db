//! Storms of SIGKILLs over arenas of several sizes. See docs/testing.md.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use leveret_testkit::rng::{self, Rng};
use leveret_testkit::storm::{self, quantile, StormOutcome, Weather};

const EXAMPLES: &str = "\
Examples
  leveret-torture 600
  leveret-torture 60 --php build/leveret.so    every second process is PHP
  leveret-torture 60 --php build/leveret.so --ruby ruby/lib --ruby build/ruby/lib
                                               a third each of Rust, PHP and Ruby
  leveret-torture 60 --redis                   every second process is a client of Redis at a server, which is killed too
  leveret-torture 60 --processes 4 --seed 7

Exit codes: 0 nothing wrong was read and everybody went on; 1 not so; 2 it could not be tried.";

#[derive(Parser)]
#[command(about = "Processes of Rust, PHP and Ruby at one arena, killed every few milliseconds", after_help = EXAMPLES)]
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
    /// The PHP extension, build/leveret.so; without it PHP takes no part
    #[arg(long, value_name = "PATH")]
    php: Option<PathBuf>,
    /// A folder of the Ruby gem, once for each: ruby/lib, and the one of the compiled library; without them Ruby takes no part
    #[arg(long, value_name = "PATH")]
    ruby: Vec<PathBuf>,
    /// Clients of Redis take part, and a server of the arena
    #[arg(long)]
    redis: bool,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let seed = args.seed.unwrap_or_else(rng::fresh_seed);
    let extension = args.php.as_deref().and_then(|path| path.canonicalize().ok());
    let ruby: Vec<PathBuf> = args.ruby.iter().filter_map(|path| path.canonicalize().ok()).collect();
    for path in args.php.iter().chain(&args.ruby).filter(|path| !path.exists()) {
        println!("torture: {} is not there, so who needs it takes no part", path.display());
    }
    let ruby = if ruby.len() == args.ruby.len() { ruby } else { Vec::new() };
    let groups = [(true, "Rust"), (extension.is_some(), "PHP"), (!ruby.is_empty(), "Ruby"), (args.redis, "Redis")];
    let groups: Vec<&str> = groups.iter().filter(|(is_here, _)| *is_here).map(|(_, name)| *name).collect();
    println!("torture: {} processes of {}, seed {seed}", args.processes, groups.join(", "));
    let mut rng = Rng::new(seed);
    // The smallest, and others of chance; a short storm has one of both.
    let any = rng.between(9, 20);
    let sizes = if args.seconds >= 12 { vec![8, any, 64] } else { vec![*rng.pick(&[8, any])] };
    let mut failed = false;
    for (part, mib) in sizes.iter().enumerate() {
        let duration = Duration::from_secs(args.seconds) / sizes.len() as u32;
        let weather = Weather {
            processes: args.processes,
            extension: extension.clone(),
            ruby: ruby.clone(),
            redis: args.redis,
            duration,
            memory: mib << 20,
            cores: *rng.pick(&[1, 2, 4, 16, 64]),
            seed: seed + part as u64,
        };
        match storm::rage(&weather) {
            Ok(outcome) => failed |= !show(*mib, &weather, &outcome),
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
fn show(mib: u64, weather: &Weather, outcome: &StormOutcome) -> bool {
    println!(
        "\narena of {mib} MiB for {} cores, {} s: {} SIGKILLs ({} of them of the server), {} SIGSTOPs, {} calms in which everybody went on",
        weather.cores,
        weather.duration.as_secs(),
        outcome.kills,
        outcome.server_kills,
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
