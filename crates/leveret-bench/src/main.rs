//! `leveret-bench server`: Debian's memcached and `leveret serve` in turn under the same load, each answer checked.
//! `./x bench server` builds its parts and starts it.
#![forbid(unsafe_code)]

mod bench;
mod class;
mod floor;
mod idle;
mod latency;
mod report;
mod rows;
mod scraped;
mod server;
mod throughput;
mod watched;

use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use rustix::thread::{sched_getaffinity, CpuSet};

use bench::{Bench, TableLine};
use leveret_load::failure::LoadFailure;
use leveret_load::load::{Load, Until};
use leveret_load::socket::Endpoint;
use leveret_load::workload::{LoadDialect, Task, Workload};
use report::{About, ProgressLine};
use rows::{Measure, Row, RowTraffic, REDIS_ROWS, ROWS};
use server::Cpus;

#[derive(Parser)]
#[command(
    name = "leveret-bench",
    about = "Load generator and comparisons over sockets: each answer is checked, peers take turns"
)]
struct Program {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// memcached and `leveret serve` in turn: a table of ratios
    #[command(after_help = rows_help())]
    Server(ServerOptions),
    /// Redis and `leveret serve --redis` in turn: a table of ratios
    #[command(after_help = redis_rows_help())]
    Redis(ServerOptions),
    /// A row's load on a server that runs already, for a profiler beside it
    Load(LoadOptions),
    /// The server without a cache, that shows what the kernel costs
    #[command(hide = true)]
    Floor { endpoint: Endpoint, request_len: usize, answer: PathBuf },
}

#[derive(Args)]
struct ServerOptions {
    /// Only rows whose name contains one of these words
    #[arg(value_name = "ROW")]
    rows: Vec<String>,
    /// Few rounds, small sizes: shows that the benchmark runs and verifies, judges nothing
    #[arg(long)]
    quick: bool,
    /// Rounds of each row (11; with --quick 2); rows that are close to their target have three times as many
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: Option<u16>,
    /// Length of each side's turn in a round, in seconds (0.4; with --quick 0.02)
    #[arg(long)]
    seconds: Option<f64>,
    /// Also write everything, each round included, to FILE
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// The peer (memcached, or redis-server)
    #[arg(long, value_name = "FILE")]
    peer: Option<PathBuf>,
    /// Our command
    #[arg(long, value_name = "FILE", default_value = "build/leveret")]
    ours: PathBuf,
    /// Where arenas and Unix sockets are made and removed (/dev/shm, or the folder for temporary files)
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// The peer on both sides: what the measuring itself gives
    #[arg(long = "self")]
    peer_only: bool,
}

#[derive(Args)]
struct LoadOptions {
    /// Row whose requests are sent
    row: String,
    /// tcp:ADDRESS:PORT, unix:PATH or udp:ADDRESS:PORT
    target: Endpoint,
    #[arg(long, default_value_t = 5.0)]
    seconds: f64,
    /// Open loop at so many requests a second; without it as many as the server can do
    #[arg(long)]
    rate: Option<f64>,
    /// Where the keys are stored first, if the target takes datagrams
    #[arg(long)]
    fill: Option<Endpoint>,
}

fn main() -> ExitCode {
    let done = match Program::parse().verb {
        Verb::Server(options) => leveret_load::failure::watch_signals()
            .map_err(LoadFailure::from)
            .and_then(|()| compare(&options, LoadDialect::Memcached)),
        Verb::Redis(options) => leveret_load::failure::watch_signals()
            .map_err(LoadFailure::from)
            .and_then(|()| compare(&options, LoadDialect::Redis)),
        Verb::Load(options) => {
            leveret_load::failure::watch_signals().map_err(LoadFailure::from).and_then(|()| press(&options))
        }
        Verb::Floor { endpoint, request_len, answer } => fs::read(answer)
            .and_then(|answer| floor::run(&endpoint, request_len, answer))
            .map(|()| true)
            .map_err(LoadFailure::from),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(LoadFailure::Stopped) => ExitCode::from(130),
        Err(failure) => {
            eprintln!("leveret-bench: {failure}");
            ExitCode::FAILURE
        }
    }
}

/// False if a row could not be measured or an answer was wrong.
fn compare(options: &ServerOptions, dialect: LoadDialect) -> Result<bool, LoadFailure> {
    let (rows, peer) = match dialect {
        LoadDialect::Memcached => (ROWS, "memcached"),
        LoadDialect::Redis => (REDIS_ROWS, "redis-server"),
    };
    let chosen: Vec<&Row> = rows
        .iter()
        .filter(|row| options.rows.is_empty() || options.rows.iter().any(|word| row.name.contains(word)))
        .collect();
    if chosen.is_empty() {
        let names: Vec<&str> = rows.iter().map(|row| row.name).collect();
        return Err(LoadFailure::Trouble(format!(
            "no row is named like {}; the rows are {}",
            options.rows.join(" or "),
            names.join(" ")
        )));
    }
    if !options.peer_only && !options.ours.is_file() {
        return Err(LoadFailure::Trouble(format!("{} is not there: build it with ./x build", options.ours.display())));
    }
    let ours = (!options.peer_only).then(|| options.ours.clone());
    let rounds = options.rounds.map_or(if options.quick { 2 } else { 11 }, usize::from);
    let turn = Duration::from_secs_f64(options.seconds.unwrap_or(if options.quick { 0.02 } else { 0.4 }));
    let cpus = cpus()?;
    server::pin(cpus.load)?;
    // Arenas belong into shared memory.
    let dir = options.dir.clone().unwrap_or_else(|| {
        Some("/dev/shm".into()).filter(|dir: &PathBuf| dir.is_dir()).unwrap_or_else(std::env::temp_dir)
    });
    let folder = tempfile::Builder::new().prefix("leveret-bench-").tempdir_in(dir)?;
    let peer = options.peer.clone().unwrap_or_else(|| peer.into());
    let bench = Bench::new(peer, ours, cpus, rounds, turn, options.quick, folder).speaking(dialect);
    let about = About::new(&bench);
    let mut progress = ProgressLine::new(chosen.len());
    let mut outcomes = Vec::new();
    for row in chosen {
        progress.row(row.name);
        outcomes.push(match measure(&bench, row, &mut |what| progress.say(what)) {
            Err(LoadFailure::Stopped) => return Err(LoadFailure::Stopped),
            Err(failure) => TableLine::of_failure(row, &failure),
            Ok(outcome) => outcome,
        });
    }
    progress.end();
    report::print_table(&mut io::stdout().lock(), &about, &outcomes, options.quick)?;
    if let Some(path) = &options.json {
        report::write_json(path, &about, &outcomes)?;
    }
    Ok(outcomes.iter().all(|outcome| !outcome.failed))
}

fn measure(bench: &Bench, row: &Row, progress: &mut dyn FnMut(&str)) -> Result<TableLine, LoadFailure> {
    let size = |traffic: RowTraffic| if bench.quick { traffic.quick() } else { traffic };
    match row.measure {
        Measure::Throughput(traffic) => throughput::run(bench, row, &size(traffic), progress),
        Measure::Watched(traffic) => watched::run(bench, row, &size(traffic), progress),
        Measure::Latency(traffic) => latency::run(bench, row, &size(traffic), progress),
        Measure::Scraped { keys } => scraped::run(bench, row, if bench.quick { 1000 } else { keys }, progress),
        Measure::Class(work) => class::run(bench, row, work, progress),
        Measure::Idle { connections } => idle::run(bench, row, if bench.quick { 200 } else { connections }, progress),
    }
}

/// Puts load on an already running server, and reports its speed.
fn press(options: &LoadOptions) -> Result<bool, LoadFailure> {
    let row = ROWS.iter().find(|row| row.name == options.row);
    let Some(Measure::Throughput(traffic) | Measure::Watched(traffic) | Measure::Latency(traffic)) =
        row.map(|row| row.measure)
    else {
        return Err(LoadFailure::Trouble(format!("there is no row '{}' with requests", options.row)));
    };
    let pad = Workload::pad(traffic.value_len);
    let mut workload = Workload::new(traffic.request, traffic.keys, traffic.value_len, &pad);
    let mut filler = Load::connect(options.fill.as_ref().unwrap_or(&options.target), 4, &pad)?;
    filler.closed(&mut workload, Task::Fill, 1, Until::Asked(u64::from(traffic.keys)))?;
    let mut load = Load::connect(&options.target, traffic.connections, &pad)?;
    let time = Duration::from_secs_f64(options.seconds);
    workload.begin(1);
    let measured = match options.rate {
        Some(rate) => load.open(&mut workload, rate, Until::Elapsed(time), 1)?,
        None => load.closed(&mut workload, Task::Measure, traffic.depth, Until::Elapsed(time))?,
    };
    let at = |quantile: f64| measured.latency.value_at_quantile(quantile) as f64 / 1e3;
    println!(
        "{:.0} requests a second; p50 {:.0} us, p90 {:.0} us, p99 {:.0} us, p99.9 {:.0} us; {} lost datagrams",
        measured.answers as f64 / measured.wall.as_secs_f64(),
        at(0.5),
        at(0.9),
        at(0.99),
        at(0.999),
        measured.lost
    );
    Ok(true)
}

/// The last two CPUs that this process may use: the first one has most of a machine's interrupts.
fn cpus() -> Result<Cpus, LoadFailure> {
    let allowed = sched_getaffinity(None)?;
    let mut last = (0..CpuSet::MAX_CPU).rev().filter(|&cpu| allowed.is_set(cpu));
    let server = last.next().ok_or_else(|| LoadFailure::Trouble("no CPU is allowed".into()))?;
    Ok(Cpus { server, load: last.next().unwrap_or(server) })
}

fn rows_help() -> String {
    help_of(ROWS)
}

fn redis_rows_help() -> String {
    help_of(REDIS_ROWS)
}

fn help_of(rows: &[Row]) -> String {
    let rows: Vec<String> = rows.iter().map(|row| format!("  {:<20}{}", row.name, row.title)).collect();
    format!("Rows:\n{}", rows.join("\n"))
}
