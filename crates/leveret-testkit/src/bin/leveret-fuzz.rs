//! Random operations against a map, and random damage, for as long as one likes. See docs/testing.md.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Parser, ValueEnum};
use leveret_testkit::corrupt::Ground;
use leveret_testkit::{model, rng, scratch};

const EXAMPLES: &str = "\
Examples
  leveret-fuzz model 600
  leveret-fuzz corrupt --rounds 1000
  leveret-fuzz model --seed 7 --rounds 1       a round that failed, once more

Exit codes: 0 nothing wrong; 1 something is, and how to see it again; 2 it could not be tried.";

#[derive(Parser)]
#[command(about = "Random operations, and random damage, for as long as one likes", after_help = EXAMPLES)]
struct Args {
    /// What to do
    what: What,
    /// How long, in seconds
    #[arg(default_value_t = 60)]
    seconds: u64,
    /// Stop after so many rounds
    #[arg(long)]
    rounds: Option<u64>,
    /// Seed of the first round
    #[arg(long)]
    seed: Option<u64>,
}

#[derive(Clone, Copy, ValueEnum)]
enum What {
    /// Sequences of operations against a plain map
    Model,
    /// Damaged arena files, used by a process that must not mind
    Corrupt,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let seed = args.seed.unwrap_or_else(rng::fresh_seed);
    let folder = scratch::folder().expect("a temporary folder");
    let mut ground = None;
    let end = Instant::now() + Duration::from_secs(args.seconds);
    let mut round = 0;
    while Instant::now() < end && args.rounds.is_none_or(|rounds| round < rounds) {
        let seed = seed + round;
        let failed = match args.what {
            What::Model => {
                model::run(folder.path(), seed, 600).err().map(|failure| format!("{}\n{}", failure.why, failure.ops))
            }
            What::Corrupt => {
                let fresh = match Ground::of(folder.path(), seed, ground.take()) {
                    Ok(fresh) => fresh,
                    Err(why) => {
                        println!("no arena to damage: {why}");
                        return ExitCode::from(2);
                    }
                };
                ground.insert(fresh).round(folder.path(), seed).err()
            }
        };
        if let Some(failure) = failed {
            println!("FAILED with seed {seed}: {failure}");
            return ExitCode::FAILURE;
        }
        round += 1;
    }
    println!("{round} rounds from seed {seed} on: nothing wrong");
    ExitCode::SUCCESS
}
