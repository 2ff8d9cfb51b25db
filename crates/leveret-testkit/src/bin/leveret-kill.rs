//! Kills every operation after every instruction and proves that other processes are unharmed. See docs/testing.md.

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use leveret_testkit::kill::{self, KillTally, Thoroughness};
use leveret_testkit::rng::Rng;
use leveret_testkit::{operation, operations, rng, scratch, stepper};

const EXAMPLES: &str = "\
Examples
  leveret-kill                                 every operation, after every instruction
  leveret-kill set delete --kills 100          these two, with more real kills
  leveret-kill --every 1009 --seconds 30       the short form of the tests
  leveret-kill --list

Exit codes: 0 nobody was harmed; 1 somebody was; 2 it could not be tried.";

#[derive(Parser)]
#[command(about = "Single-steps operations on an arena and kills them after each instruction", after_help = EXAMPLES)]
struct Args {
    /// Only these operations (default: all)
    operations: Vec<String>,
    /// Look at the arena after every so many instructions
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    every: u64,
    /// Real SIGKILLs for each operation
    #[arg(long, default_value_t = 20)]
    kills: u64,
    /// Arenas for each operation on which the recovering process is killed too
    #[arg(long, default_value_t = 3)]
    recoveries: usize,
    /// Begin no further operation after so many seconds (for a short run; what was left out is said)
    #[arg(long)]
    seconds: Option<u64>,
    /// Seed of everything random
    #[arg(long)]
    seed: Option<u64>,
    /// List the operations
    #[arg(long)]
    list: bool,
}

fn main() -> ExitCode {
    let args = Args::parse();
    operation::now();
    stepper::stay_on_one_cpu();
    let seed = args.seed.unwrap_or_else(rng::fresh_seed);
    let mut chosen: Vec<_> = operations::all(seed)
        .into_iter()
        .filter(|operation| args.operations.is_empty() || args.operations.iter().any(|name| name == operation.name))
        .collect();
    if args.list {
        chosen.iter().for_each(|operation| println!("{}", operation.name));
        return ExitCode::SUCCESS;
    }
    if chosen.len() < args.operations.len() {
        eprintln!("There is no such operation. Take from `leveret-kill --list`.");
        return ExitCode::from(2);
    }
    if args.seconds.is_some() {
        // Each seed leaves out others.
        let by = |operation: &operation::KilledOperation| {
            Rng::new(seed ^ u64::from(crc32fast::hash(operation.name.as_bytes()))).bits()
        };
        chosen.sort_by_key(by);
    }
    let folder = scratch::folder().expect("a temporary folder");
    println!("kill harness: seed {seed}, every {}. instruction", args.every);
    for (what, proved) in [
        ("the stepper sees each state of a file", kill::toy(folder.path())),
        ("a planted defect is caught", kill::planted(folder.path(), seed)),
        (
            "whoever is killed while he makes an arena leaves nothing behind",
            kill::making(folder.path(), if args.seconds.is_some() { 20 } else { 1000 }, &mut Rng::new(seed)),
        ),
    ] {
        if let Err(why) = proved {
            println!("FAILED: {what}: {why}");
            return ExitCode::FAILURE;
        }
        println!("{what}");
    }
    println!(
        "{:<20} {:>9} {:>9} {:>7} {:>8} {:>6} {:>6} {:>10}",
        "operation", "steps", "looked", "images", "not done", "done", "kills", "recoverers"
    );
    let mut failures = Vec::new();
    let mut left_out = Vec::new();
    let begun = Instant::now();
    for operation in chosen {
        let name = operation.name;
        if args.seconds.is_some_and(|seconds| begun.elapsed().as_secs() >= seconds) {
            left_out.push(name);
            continue;
        }
        let recovery_every = 40 * args.every.min(100);
        let how = Thoroughness { every: args.every, kills: args.kills, recoveries: args.recoveries, recovery_every };
        match kill::kill(operation, folder.path(), how, seed) {
            Ok(KillTally { steps, looked, images, not_done, done, kills, recoveries }) => {
                println!(
                    "{name:<20} {steps:>9} {looked:>9} {images:>7} {not_done:>8} {done:>6} {kills:>6} {recoveries:>10}"
                );
            }
            Err(failure) => {
                println!("{name:<20} FAILED {}: {}", failure.place, failure.why);
                failures.push(failure);
            }
        }
    }
    if !left_out.is_empty() {
        println!("left out: {}", left_out.join(", "));
    }
    if failures.is_empty() {
        println!("every arena was lived on: nothing acknowledged lost, nothing half done, nobody waited for the dead");
        return ExitCode::SUCCESS;
    }
    for failure in &failures {
        println!(
            "FAILED {failure}\n    again: leveret-kill {} --every {} --seed {seed}",
            failure.operation, args.every
        );
    }
    ExitCode::FAILURE
}
