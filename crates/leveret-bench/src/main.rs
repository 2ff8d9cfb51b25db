//! `leveret-bench`: a side of `leveret bench --suite crates/leveret-bench/suites/server` (and `redis`): a server, and the load on it, each
//! answer checked. `./x bench server` builds its parts and starts it.
#![forbid(unsafe_code)]

mod answer;
mod bare;
mod floor;
mod idle;
mod latency;
mod scraped;
mod server;
mod side;
mod starter;
mod throughput;
mod traffic;
mod watched;

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};

use leveret_load::failure::LoadFailure;
use leveret_load::load::{Load, Until};
use leveret_load::socket::Endpoint;
use leveret_load::workload::{LoadDialect, Task, Workload};
use traffic::RowTraffic;

#[derive(Parser)]
#[command(name = "leveret-bench", about = "Servers and the load on them: each answer is checked")]
struct Program {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// One server and its load, as `leveret bench --suite` asks for them: a JSON command a line, and a JSON line for each
    #[command(hide = true)]
    Side { server: starter::BenchServer },
    /// A row's load on a server that runs already, for a profiler beside it
    Load(LoadOptions),
    /// The server without a cache, that shows what the kernel costs
    #[command(hide = true)]
    Floor { endpoint: Endpoint, request_len: usize, answer: PathBuf },
    /// A client that only sends a request and receives its reply, again and again: what the kernel costs
    #[command(hide = true)]
    Bare { endpoint: Endpoint, request: PathBuf, reply: PathBuf, count: u32 },
}

#[derive(Args)]
struct LoadOptions {
    /// Row whose requests are sent
    row: String,
    /// tcp:ADDRESS:PORT, unix:PATH or udp:ADDRESS:PORT
    target: Endpoint,
    /// Where the row is
    #[arg(long, value_name = "FOLDER", default_value = "crates/leveret-bench/suites/server")]
    suite: PathBuf,
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
    let verb = Program::parse().verb;
    let done = leveret_load::failure::watch_signals().map_err(LoadFailure::from).and_then(|()| match verb {
        Verb::Side { server } => side::run(server),
        Verb::Load(options) => press(&options),
        Verb::Floor { endpoint, request_len, answer } => Ok(floor::run(&endpoint, request_len, fs::read(answer)?)?),
        Verb::Bare { endpoint, request, reply, count } => {
            bare::run(&endpoint, &fs::read(request)?, &fs::read(reply)?, count)
        }
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(LoadFailure::Stopped) => ExitCode::from(130),
        Err(failure) => {
            eprintln!("leveret-bench: {failure}");
            ExitCode::FAILURE
        }
    }
}

/// Puts load on an already running server, and reports its speed.
fn press(options: &LoadOptions) -> Result<(), LoadFailure> {
    let traffic = RowTraffic::of_row(&options.suite.join("suite.toml"), &options.row)?;
    let pad = Workload::pad(traffic.value_len);
    let mut workload = traffic.workload(&pad, LoadDialect::Memcached);
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
    Ok(())
}
