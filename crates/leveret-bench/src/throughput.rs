//! Rows of requests per CPU-second of the server.

use std::time::Duration;

use serde::Serialize;
use serde_json::json;

use crate::bench::{deep, Bench, Side, TableLine};
use crate::rows::{Row, RowTraffic};
use crate::server::{BenchTransport, ServerProcess};
use leveret_load::failure::LoadFailure;
use leveret_load::load::{Load, Until};
use leveret_load::usage::Usage;
use leveret_load::workload::{LoadRequest, Task, Workload};
use leveret_rounds::{order, Spread};

/// Below this share of a core the server was waiting for the load, not the load for the server.
const BUSY: f64 = 0.9;

/// Above this share of foreign work on the CPUs the figures are worth little.
const DISTURBED: f64 = 0.05;

/// Bytes written by the sets of a warm-up: 1.5 times the memory of the rows with small values.
const WARM_BYTES: u64 = 96 << 20;
const WARM_BYTES_LARGE: u64 = 384 << 20;

/// One server and its load during a row.
pub struct LoadedServer {
    pub side: Side,
    pub server: ServerProcess,
    pub load: Load,
    pub workload: Workload,
}

/// One turn of one side.
#[derive(Clone, Copy, Serialize)]
pub struct TurnSample {
    pub answers: u64,
    pub wall_s: f64,
    pub server_cpu_s: f64,
    /// Time in which the server could have run and something else had its CPU.
    pub server_waited_s: f64,
    /// The same of this program.
    pub load_cpu_s: f64,
    pub load_waited_s: f64,
    pub p50_us: f64,
    pub p99_us: f64,
    pub p999_us: f64,
    pub p9999_us: f64,
    pub lost: u64,
    /// Sets that found no room: no work done.
    pub refused: u64,
}

pub fn run(
    bench: &Bench,
    row: &Row,
    traffic: &RowTraffic,
    progress: &mut dyn FnMut(&str),
) -> Result<TableLine, LoadFailure> {
    let mut places = Vec::new();
    for side in [Side::Peer, Side::Ours, Side::Control, Side::Floor] {
        // The floor speaks no TLS.
        if side == Side::Floor && traffic.transport == BenchTransport::Tls {
            continue;
        }
        progress("preparing");
        places.push(prepare(bench, row, traffic, side)?);
    }
    let mut rounds: Vec<[Option<TurnSample>; 4]> = Vec::new();
    let count = bench.rounds * row.patience;
    for round in 0..count {
        progress(&format!("round {} of {count}", round + 1));
        let mut turns = [None; 4];
        for number in order(places.len(), round) {
            let place = &mut places[number];
            let turn = place.turn(traffic, bench.turn, round as u64 + 1).map_err(|failure| place.failed(failure))?;
            turns[number] = Some(turn);
        }
        rounds.push(turns);
    }
    if traffic.stores() {
        for place in places.iter_mut().filter(|place| place.side != Side::Floor) {
            bench.read_back(&place.server, traffic, &mut place.workload).map_err(|failure| place.failed(failure))?;
        }
    }
    let mut outcome = outcome(row, &rounds);
    if traffic.request == LoadRequest::SetNew {
        outcome.notes.extend(tails(&rounds));
    }
    Ok(outcome)
}

/// Latencies, with this many requests under way at a time.
fn tails(rounds: &[[Option<TurnSample>; 4]]) -> Option<String> {
    let told = |side: Side| {
        let at = |of: fn(&TurnSample) -> f64| {
            Spread::of(rounds.iter().filter_map(|round| round[side as usize]).map(|turn| of(&turn)))
        };
        let (median, rare, rarest) = (at(|turn| turn.p50_us)?, at(|turn| turn.p999_us)?, at(|turn| turn.p9999_us)?);
        Some(format!("{:.0}, {:.0} and {:.0} us", median.median, rare.median, rarest.median))
    };
    Some(format!(
        "answers took in the median, at p99.9 and at p99.99: ours {}, the peer's {}",
        told(Side::Ours)?,
        told(Side::Peer)?
    ))
}

pub fn prepare(bench: &Bench, row: &Row, traffic: &RowTraffic, side: Side) -> Result<LoadedServer, LoadFailure> {
    let (server, mut workload) = match side {
        Side::Floor => bench.start_floor(traffic)?,
        _ => {
            let workload = Workload::new(traffic.request, traffic.keys, traffic.value_len, &bench.pad);
            let workload = workload.speaking(bench.dialect);
            (bench.start(side, traffic.transport, row.options)?, workload)
        }
    };
    if side != Side::Floor {
        let filled = bench.fill(&server, traffic, &mut workload);
        filled.map_err(|failure| tell_side(side, failure))?;
    }
    let load = Load::connect(&server.endpoint, traffic.connections, &bench.pad)?;
    let mut place = LoadedServer { side, server, load, workload };
    place.warm_up(bench, row, traffic).map_err(|failure| place.failed(failure))?;
    Ok(place)
}

impl LoadedServer {
    fn warm_up(&mut self, bench: &Bench, row: &Row, traffic: &RowTraffic) -> Result<(), LoadFailure> {
        self.workload.begin(0);
        if traffic.stores() && !bench.quick && self.side != Side::Floor {
            // Not one by one: it is to be over soon.
            let bytes = match traffic.request {
                LoadRequest::SetNew => row.memory() / 2 * 3,
                _ if deep(traffic) == 1 => WARM_BYTES_LARGE,
                _ => WARM_BYTES,
            };
            self.load.closed(&mut self.workload, Task::Measure, deep(traffic), Until::Asked(traffic.sets_of(bytes)))?;
        }
        self.load.closed(&mut self.workload, Task::Measure, traffic.depth, Until::Elapsed(bench.turn))?;
        Ok(())
    }

    pub fn turn(&mut self, traffic: &RowTraffic, time: Duration, seed: u64) -> Result<TurnSample, LoadFailure> {
        self.workload.begin(seed);
        let (server_before, load_before) = (self.server.usage()?, Usage::own()?);
        let measured = self.load.closed(&mut self.workload, Task::Measure, traffic.depth, Until::Elapsed(time))?;
        let (server, load) = (self.server.usage()?.since(server_before), Usage::own()?.since(load_before));
        Ok(TurnSample {
            answers: measured.answers,
            wall_s: measured.wall.as_secs_f64(),
            server_cpu_s: server.cpu.as_secs_f64(),
            server_waited_s: server.waited.as_secs_f64(),
            load_cpu_s: load.cpu.as_secs_f64(),
            load_waited_s: load.waited.as_secs_f64(),
            p50_us: measured.latency.value_at_quantile(0.5) as f64 / 1e3,
            p99_us: measured.latency.value_at_quantile(0.99) as f64 / 1e3,
            p999_us: measured.latency.value_at_quantile(0.999) as f64 / 1e3,
            p9999_us: measured.latency.value_at_quantile(0.9999) as f64 / 1e3,
            lost: measured.lost,
            refused: measured.refused.len() as u64,
        })
    }

    pub fn failed(&mut self, failure: LoadFailure) -> LoadFailure {
        tell_side(self.side, self.server.explain(failure))
    }
}

pub fn tell_side(side: Side, failure: LoadFailure) -> LoadFailure {
    match failure {
        LoadFailure::Wrong(what) => LoadFailure::Wrong(format!("{}: {what}", side.name())),
        LoadFailure::Trouble(what) => LoadFailure::Trouble(format!("{}: {what}", side.name())),
        LoadFailure::Stopped => LoadFailure::Stopped,
    }
}

impl TurnSample {
    fn rate(&self) -> f64 {
        (self.answers - self.refused) as f64 / self.server_cpu_s.max(1e-9)
    }

    /// Share of the time in which the server ran, of that in which it could have had its CPU.
    fn busy(&self) -> f64 {
        self.server_cpu_s / (self.wall_s - self.server_waited_s).max(1e-9)
    }

    /// Share of the time that something else took from server or load.
    fn disturbed(&self) -> f64 {
        self.server_waited_s.max(self.load_waited_s) / self.wall_s.max(1e-9)
    }
}

fn outcome(row: &Row, rounds: &[[Option<TurnSample>; 4]]) -> TableLine {
    let turns = |side: Side| rounds.iter().filter_map(move |round| round[side as usize]);
    let rates = |side: Side| Spread::of(turns(side).map(|turn| turn.rate()));
    let ratios =
        |side: Side| Spread::of(turns(side).zip(turns(Side::Peer)).map(|(turn, peer)| turn.rate() / peer.rate()));
    let (ratio, control, floor) = (ratios(Side::Ours), ratios(Side::Control), ratios(Side::Floor));
    let verdict = match (&ratio, &control) {
        (Some(ratio), Some(control)) => row.target.verdict(ratio, control, floor.as_ref()),
        _ => "not measured",
    };
    let mut notes = Vec::new();
    let disturbed = Spread::of([Side::Peer, Side::Ours].into_iter().flat_map(turns).map(|turn| turn.disturbed()));
    if let Some(disturbed) = disturbed.filter(|disturbed| disturbed.median > DISTURBED) {
        notes.push(format!(
            "something else had the CPUs for {:.0} % of the time: repeat it on a quiet machine",
            disturbed.median * 100.0
        ));
    } else {
        for side in [Side::Peer, Side::Ours] {
            if let Some(busy) = Spread::of(turns(side).map(|turn| turn.busy())).filter(|busy| busy.median < BUSY) {
                notes.push(format!(
                    "{} was busy for {:.0} % of its time only: there the load was the limit",
                    side.name(),
                    busy.median * 100.0
                ));
            }
        }
    }
    let lost: u64 = [Side::Peer, Side::Ours, Side::Control].into_iter().flat_map(turns).map(|turn| turn.lost).sum();
    if lost > 0 {
        notes.push(format!("{lost} datagrams were lost and sent again"));
    }
    for side in [Side::Peer, Side::Ours] {
        let refused: u64 = turns(side).map(|turn| turn.refused).sum();
        if refused > 0 {
            let of = turns(side).map(|turn| turn.answers).sum::<u64>();
            notes.push(format!("{} refused {refused} of {of} sets for want of memory; they do not count", side.name()));
        }
    }
    TableLine {
        name: row.name,
        title: row.title,
        unit: "per CPU-second",
        peer: rates(Side::Peer),
        ours: rates(Side::Ours),
        ratio,
        control,
        floor,
        target: row.target,
        verdict: verdict.to_owned(),
        failed: false,
        notes,
        rounds: json!(rounds),
    }
}
