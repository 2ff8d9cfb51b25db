//! The eviction policy beside others on generated streams. See docs/eviction.md.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;

use clap::Parser;
use leveret_engine::{Arena, OpenOptions};
use leveret_simulator::{Trace, TraceOp};
use leveret_testkit::policy::{self, Contest, Others};
use leveret_testkit::{rng, scratch};

const EXAMPLES: &str = "\
Examples
  leveret-policy
  leveret-policy 2000000 --seed 7
  leveret-policy 1000000 --only scans --write /tmp/traces     the stream as a file, for `leveret simulate`
  leveret-policy 3000000 --only scans --at /dev/shm/scans.arena     beside `leveret record /dev/shm/scans.arena scans.csv`

Exit codes: 0 the arena missed less than all that do not look at sizes, on each stream; 1 it did not.";

#[derive(Parser)]
#[command(about = "Miss ratios of an arena and of other caches with the same memory", after_help = EXAMPLES)]
struct Args {
    /// Requests for each stream
    #[arg(default_value_t = 1_000_000)]
    requests: u64,
    /// Seed of everything random
    #[arg(long)]
    seed: Option<u64>,
    /// Streams with this word in their name
    #[arg(long, value_name = "WORD")]
    only: Option<String>,
    /// Write the streams as CSV into this folder, and replay nothing
    #[arg(long, value_name = "DIR")]
    write: Option<PathBuf>,
    /// Replay the stream on a new arena at this path for everybody to see, `leveret record` among them
    #[arg(long, value_name = "PATH", requires = "only")]
    at: Option<PathBuf>,
    /// With --at: requests in a second
    #[arg(long, value_name = "N", default_value_t = 50_000)]
    rate: u64,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let seed = args.seed.unwrap_or_else(rng::fresh_seed);
    let mut contests = policy::contests(args.requests, seed);
    contests.retain(|contest| args.only.as_ref().is_none_or(|word| contest.name.contains(word)));
    if let Some(folder) = &args.write {
        for contest in &contests {
            write(folder, contest).expect("the folder can be written to");
        }
        return ExitCode::SUCCESS;
    }
    if let Some(path) = &args.at {
        let contest = contests.first().expect("a stream of that name");
        let options = OpenOptions::new().memory(contest.memory);
        let (arena, _) = Arena::open(path, &options).expect("an arena");
        let outcome = policy::replay_in_time(arena, &contest.trace(), args.rate);
        println!("{}: {:.4} of {} gets missed", contest.name, outcome.miss_ratio(), outcome.gets);
        return ExitCode::SUCCESS;
    }
    println!("policy: {} requests a stream, seed {seed}", args.requests);
    println!(
        "{:<20} {:>7} | {:>7} {:>7} {:>9} {:>7} {:>7} | {:>9} {:>9} | {:>9} {:>9}",
        "stream",
        "arena",
        "LRU",
        "S3-FIFO",
        "memcached",
        "GDSF",
        "bound",
        "to blind",
        "to GDSF",
        "to memc.",
        "write amp"
    );
    let judged: Vec<Result<bool, String>> = contests.iter().map(judge).collect();
    let wrong = judged.iter().filter(|judged| !matches!(judged, Ok(true))).count();
    if wrong > 0 {
        println!("FAILED: {wrong} streams");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// Prints a contest's line. True: the arena missed less than all that do not look at sizes.
fn judge(contest: &Contest) -> Result<bool, String> {
    let trace = contest.trace();
    let folder = scratch::folder().expect("a temporary folder");
    let path = folder.path().join("contest.arena");
    let (replay, others) = thread::scope(|scope| {
        let others = scope.spawn(|| Others::of(&trace, contest.memory));
        let replay = policy::replay_on_arena(&path, contest.memory, &trace, contest.shape.seed);
        (replay, others.join().expect("it does not panic"))
    });
    let replay = replay.inspect_err(|why| println!("{:<20} FAILED: {why}", contest.name))?;
    let ours = replay.outcome.miss_ratio();
    let gdsf = others.gdsf.miss_ratio();
    println!(
        "{:<20} {ours:>7.4} | {:>7.4} {:>7.4} {:>9.4} {gdsf:>7.4} {:>7.4} | {:>+9.4} {:>+9.4} | {:>9.3} {:>9.2}",
        contest.name,
        others.lru.miss_ratio(),
        others.s3fifo.miss_ratio(),
        others.memcached.miss_ratio(),
        others.bound as f64 / replay.outcome.gets as f64,
        ours - others.best_size_blind(),
        ours - gdsf,
        ours / others.memcached.miss_ratio(),
        replay.stats.write_amplification(),
    );
    Ok(ours < others.best_size_blind())
}

fn write(folder: &Path, contest: &Contest) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let name: String =
        contest.name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' }).collect();
    let path = folder.join(format!("{}.csv", name.to_lowercase()));
    let mut out = BufWriter::new(File::create(&path)?);
    let trace: Trace = contest.trace();
    writeln!(out, "time,key,key_size,size,ttl,op")?;
    for request in &trace.requests {
        let op = match request.op {
            TraceOp::Get => "get",
            TraceOp::Set => "set",
            TraceOp::Delete => "delete",
        };
        let (at, key, key_len) = (request.at_secs, request.key, request.key_len);
        writeln!(out, "{at},{key:x},{key_len},{},{},{op}", request.value_len, request.ttl_secs)?;
    }
    out.flush()?;
    println!("{}: {} requests, to be replayed with {} MiB", path.display(), trace.requests.len(), contest.memory >> 20);
    Ok(())
}
