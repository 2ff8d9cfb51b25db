//! One turn of a chart of servers: the program that asks them, as PHP and Ruby programs are of other charts. Hidden, since its
//! only user is `leveret bench`.
use super::peer::PeerServer;
use crate::output::{self, CommandResult, Exit, Failure};
use clap::{Args, Subcommand, ValueEnum};
use leveret_load::failure::LoadFailure;
use leveret_load::load::{Load, Until};
use leveret_load::socket::Endpoint;
use leveret_load::usage::Usage;
use leveret_load::workload::{LoadDialect, LoadRequest, Task, Workload};
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

/// Where as many are asked for: more than the caches of a processor hold.
const KEYS_MAX: u32 = 100_000;
const VALUE_LEN: usize = 100;

/// Keys of a request that asks for many.
const MANY: u32 = 100;

/// Depth of requests that only prepare the measurement.
const DEPTH: u32 = 32;

/// Where the servers' processes are named, in the folder of a turn.
const PIDS: &str = "server/pids";

/// Measure a server, and verify its answers
#[derive(Args, Debug)]
pub struct TurnArgs {
    #[command(subcommand)]
    measure: Measure,
}

#[derive(Subcommand, Debug)]
enum Measure {
    /// The server's processor time
    Cpu {
        request: Kind,
        connections: usize,
        /// Requests under way on each
        depth: u32,
        #[command(flatten)]
        place: Place,
    },
    /// Latency of answers at a fixed rate of requests
    Latency {
        /// The part of all answers that did not take longer
        quantile: f64,
        /// Requests a second
        rate: u32,
        connections: usize,
        #[command(flatten)]
        place: Place,
    },
}

/// The kinds of requests.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Kind {
    Get,
    /// Many keys in one request
    Multiget,
    Set,
}

#[derive(Args, Debug)]
struct Place {
    server: PeerServer,
    /// How many keys are asked for
    count: u32,
    /// 127.0.0.1:PORT, or the path of a Unix socket
    address: String,
    /// Of arenas: not used here
    _folder: PathBuf,
}

impl TurnArgs {
    pub fn run(self) -> CommandResult {
        let told = match &self.measure {
            Measure::Cpu { request, connections, depth, place } => {
                cpu(*request, *connections, *depth, place).map_err(refused)?
            }
            Measure::Latency { quantile, rate, connections, place } => {
                latency(*quantile, *rate, *connections, place).map_err(refused)?
            }
        };
        let mut out = output::raw();
        output::json_line(&mut out, &told)?;
        out.flush()?;
        Ok(Exit::Yes)
    }
}

fn cpu(kind: Kind, connections: usize, depth: u32, place: &Place) -> Result<serde_json::Value, LoadFailure> {
    let (request, keys) = match kind {
        Kind::Get => (LoadRequest::Get, 1),
        Kind::Multiget => (LoadRequest::MultiGet(MANY), MANY),
        Kind::Set => (LoadRequest::Set, 1),
    };
    // Where a request has many keys, fewer ask for as many.
    let count = place.count.div_ceil(keys);
    let (mut load, mut workload) = place.prepare(request, connections)?;
    load.closed(&mut workload, Task::Measure, depth, Until::Asked(u64::from(count / 10)))?;
    let (server, own) = (servers()?, Usage::own()?);
    let measured = load.closed(&mut workload, Task::Measure, depth, Until::Asked(u64::from(count)))?;
    let (server, own) = (servers()?.saturating_sub(server), Usage::own()?.since(own));
    if let Kind::Set = kind {
        // Is that there which was stored last?
        workload.begin(0);
        load.closed(&mut workload, Task::ReadBack, DEPTH, Until::Asked(u64::from(place.keys())))?;
    }
    Ok(json!({"seconds": server.as_secs_f64(), "client_cpu": own.cpu.as_secs_f64(), "server_cpu": server.as_secs_f64(),
        "asked": place.count, "done": place.count, "right": (measured.answers * u64::from(keys)).min(u64::from(place.count))}))
}

fn latency(quantile: f64, rate: u32, connections: usize, place: &Place) -> Result<serde_json::Value, LoadFailure> {
    let (mut load, mut workload) = place.prepare(LoadRequest::Get, connections)?;
    load.open(&mut workload, f64::from(rate), Until::Asked(u64::from(place.count / 10)), 2)?;
    let server = servers()?;
    let measured = load.open(&mut workload, f64::from(rate), Until::Asked(u64::from(place.count)), 1)?;
    let server = servers()?.saturating_sub(server);
    let latency = Duration::from_nanos(measured.latency.value_at_quantile(quantile));
    Ok(json!({"seconds": latency.as_secs_f64(), "server_cpu": server.as_secs_f64(),
        "asked": place.count, "done": place.count, "right": measured.answers}))
}

impl Place {
    fn keys(&self) -> u32 {
        self.count.min(KEYS_MAX)
    }

    /// Connections to the server, in which all keys lie.
    fn prepare(&self, request: LoadRequest, connections: usize) -> Result<(Load, Workload), LoadFailure> {
        let transport = if self.address.starts_with('/') { "unix" } else { "tcp" };
        let endpoint: Endpoint = format!("{transport}:{}", self.address).parse().map_err(LoadFailure::Trouble)?;
        let is_redis = matches!(self.server, PeerServer::Redis | PeerServer::LeveretRedis);
        let dialect = if is_redis { LoadDialect::Redis } else { LoadDialect::Memcached };
        let pad = Workload::pad(VALUE_LEN);
        let mut workload = Workload::new(request, self.keys(), VALUE_LEN, &pad).speaking(dialect);
        let mut load = Load::connect(&endpoint, connections, &pad)?;
        load.closed(&mut workload, Task::Fill, DEPTH, Until::Asked(u64::from(self.keys())))?;
        workload.begin(1);
        Ok((load, workload))
    }
}

/// Processor time of the servers, all of their threads.
fn servers() -> Result<Duration, LoadFailure> {
    let pids = std::fs::read_to_string(PIDS)?;
    pids.lines().try_fold(Duration::ZERO, |sum, pid| Ok(sum + Usage::of(&format!("/proc/{pid}/task"))?.cpu))
}

fn refused(failure: LoadFailure) -> Failure {
    Failure::Refused(failure.to_string())
}
