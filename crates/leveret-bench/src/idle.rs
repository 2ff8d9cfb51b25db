//! The row of memory: what connections cost that were used once and are idle now.

use rustix::process::{getrlimit, setrlimit, Resource, Rlimit};
use serde_json::json;

use crate::bench::{Bench, Side, TableLine};
use crate::rows::{Row, RowTraffic};
use crate::server::BenchTransport;
use crate::throughput::tell_side;
use leveret_load::failure::LoadFailure;
use leveret_load::load::{Load, Until};
use leveret_load::socket::Endpoint;
use leveret_load::workload::{LoadRequest, Task, Workload};
use leveret_rounds::{order, Spread};

const TRAFFIC: RowTraffic = RowTraffic {
    transport: BenchTransport::Tcp,
    request: LoadRequest::Get,
    connections: 50,
    depth: 1,
    keys: 1000,
    value_len: 100,
};

/// Memory hardly varies, so few rounds are enough.
const ROUNDS_MAX: usize = 3;

/// File descriptors besides connections.
const OTHER_FILES: u64 = 100;

pub fn run(
    bench: &Bench,
    row: &Row,
    connections: usize,
    progress: &mut dyn FnMut(&str),
) -> Result<TableLine, LoadFailure> {
    let connections = connections.min(files_allowed()?.saturating_sub(OTHER_FILES) as usize);
    let mut rounds: Vec<[f64; 3]> = Vec::new();
    let count = bench.rounds.min(ROUNDS_MAX);
    for round in 0..count {
        progress(&format!("round {} of {count}", round + 1));
        let mut bytes = [0.0; 3];
        for number in order(3, round) {
            let side = [Side::Peer, Side::Ours, Side::Control][number];
            bytes[number] = measure(bench, row, side, connections).map_err(|failure| tell_side(side, failure))?;
        }
        rounds.push(bytes);
    }
    let of = |side: Side| Spread::of(rounds.iter().map(|round| round[side as usize]));
    // A server whose memory did not grow at all is no division by zero.
    let ratios = |side: Side| Spread::of(rounds.iter().map(|round| round[side as usize] / round[0].max(1.0)));
    let (ratio, control) = (ratios(Side::Ours), ratios(Side::Control));
    let verdict = match (&ratio, &control) {
        (Some(ratio), Some(control)) => row.target.verdict(ratio, control, None),
        _ => "not measured",
    };
    Ok(TableLine {
        name: row.name,
        title: row.title,
        unit: "bytes each",
        peer: of(Side::Peer),
        ours: of(Side::Ours),
        ratio,
        control,
        floor: None,
        target: row.target,
        verdict: verdict.to_owned(),
        failed: false,
        notes: vec![format!(
            "growth of Pss by {connections} connections that have each read one item; the kernel's own buffers are not in it"
        )],
        rounds: json!(rounds),
    })
}

/// Raises this process's limit of open files, and with it that of the servers which it starts, as far as it may.
fn files_allowed() -> Result<u64, LoadFailure> {
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum })?;
    Ok(limit.maximum.unwrap_or(u64::MAX))
}

/// Bytes for each connection.
fn measure(bench: &Bench, row: &Row, side: Side, connections: usize) -> Result<f64, LoadFailure> {
    let server = bench.start(side, TRAFFIC.transport, row.options)?;
    let mut workload = Workload::new(TRAFFIC.request, TRAFFIC.keys, TRAFFIC.value_len, &bench.pad);
    bench.fill(&server, &TRAFFIC, &mut workload)?;
    // Some connections before: what the first ones cost (code, buffers of a thread) is not the price of a connection.
    // Every item is read, so that the pages of an arena are mapped.
    bench.read_back(&server, &TRAFFIC, &mut workload)?;
    let _first = used(bench, &server.stream, &mut workload, TRAFFIC.connections)?;
    let before = server.memory()?;
    let _idle = used(bench, &server.stream, &mut workload, connections)?;
    let after = server.memory()?;
    Ok((after as f64 - before as f64) / connections as f64)
}

fn used(bench: &Bench, endpoint: &Endpoint, workload: &mut Workload, connections: usize) -> Result<Load, LoadFailure> {
    let mut load = Load::connect(endpoint, connections, &bench.pad)?;
    load.closed(workload, Task::Measure, 1, Until::Asked(connections as u64))?;
    Ok(load)
}
