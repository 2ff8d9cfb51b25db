//! The row of latencies: an open loop at one rate for both sides.

use serde::Serialize;
use serde_json::json;

use crate::bench::{Bench, Side, TableLine};
use crate::rows::{Row, RowTraffic};
use crate::throughput::prepare;
use leveret_load::failure::LoadFailure;
use leveret_load::load::Until;
use leveret_load::workload::Task;
use leveret_rounds::{order, Spread};

const SHARE_OF_MAXIMUM: f64 = 0.7;

/// A turn here is longer than elsewhere: its 99th percentile needs many requests and the odd slow one among them.
const TURNS: u32 = 3;

#[derive(Clone, Copy, Serialize)]
struct Turn {
    answers: u64,
    p50_us: f64,
    p90_us: f64,
    p99_us: f64,
    p999_us: f64,
    max_us: f64,
    /// By how much this program itself sent too late.
    late_p99_us: f64,
}

pub fn run(
    bench: &Bench,
    row: &Row,
    traffic: &RowTraffic,
    progress: &mut dyn FnMut(&str),
) -> Result<TableLine, LoadFailure> {
    progress("preparing");
    let mut places = Vec::new();
    for side in [Side::Peer, Side::Ours, Side::Control] {
        places.push(prepare(bench, row, traffic, side)?);
    }
    let mut maxima = Vec::new();
    for seed in 0..3 {
        let peer = &mut places[0];
        peer.workload.begin(seed);
        let measured =
            peer.load.closed(&mut peer.workload, Task::Measure, traffic.depth, Until::Elapsed(bench.turn))?;
        maxima.push(measured.answers as f64 / measured.wall.as_secs_f64());
    }
    let maximum = Spread::of(maxima).map_or(0.0, |spread| spread.median);
    let rate = maximum * SHARE_OF_MAXIMUM;
    let mut rounds: Vec<[Option<Turn>; 3]> = Vec::new();
    for round in 0..bench.rounds {
        progress(&format!("round {} of {}", round + 1, bench.rounds));
        let mut turns = [None; 3];
        for number in order(places.len(), round) {
            let place = &mut places[number];
            place.workload.begin(round as u64 + 1);
            let measured =
                place.load.open(&mut place.workload, rate, Until::Elapsed(bench.turn * TURNS), round as u64 + 1);
            let measured = measured.map_err(|failure| place.failed(failure))?;
            let at = |quantile: f64| measured.latency.value_at_quantile(quantile) as f64 / 1e3;
            turns[number] = Some(Turn {
                answers: measured.answers,
                p50_us: at(0.5),
                p90_us: at(0.9),
                p99_us: at(0.99),
                p999_us: at(0.999),
                max_us: measured.latency.max() as f64 / 1e3,
                late_p99_us: measured.lateness.value_at_quantile(0.99) as f64 / 1e3,
            });
        }
        rounds.push(turns);
    }
    Ok(outcome(row, &rounds, rate))
}

fn outcome(row: &Row, rounds: &[[Option<Turn>; 3]], rate: f64) -> TableLine {
    let turns = |side: Side| rounds.iter().filter_map(move |round| round[side as usize]);
    let median =
        |side: Side, figure: fn(Turn) -> f64| Spread::of(turns(side).map(figure)).map_or(0.0, |spread| spread.median);
    let ratios =
        |side: Side| Spread::of(turns(side).zip(turns(Side::Peer)).map(|(turn, peer)| turn.p99_us / peer.p99_us));
    let (ratio, control) = (ratios(Side::Ours), ratios(Side::Control));
    let verdict = match (&ratio, &control) {
        (Some(ratio), Some(control)) => row.target.verdict(ratio, control, None),
        _ => "not measured",
    };
    let mut notes = vec![format!("offered {rate:.0} requests a second to each")];
    for side in [Side::Peer, Side::Ours] {
        notes.push(format!(
            "{}: p50 {:.0} us, p90 {:.0} us, p99 {:.0} us, p99.9 {:.0} us; sent late by (p99) {:.0} us",
            side.name(),
            median(side, |turn| turn.p50_us),
            median(side, |turn| turn.p90_us),
            median(side, |turn| turn.p99_us),
            median(side, |turn| turn.p999_us),
            median(side, |turn| turn.late_p99_us),
        ));
    }
    TableLine {
        name: row.name,
        title: row.title,
        unit: "us",
        peer: Spread::of(turns(Side::Peer).map(|turn| turn.p99_us)),
        ours: Spread::of(turns(Side::Ours).map(|turn| turn.p99_us)),
        ratio,
        control,
        floor: None,
        target: row.target,
        verdict: verdict.to_owned(),
        failed: false,
        notes,
        rounds: json!(rounds),
    }
}
