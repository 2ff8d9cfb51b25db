//! The row of latencies: an open loop at one rate for all sides.

use std::fs;
use std::path::Path;

use crate::answer::{LoadAnswer, Repeated};
use crate::throughput::LoadedServer;
use leveret_load::failure::LoadFailure;
use leveret_load::load::Until;
use leveret_load::workload::Task;
use leveret_rounds::Spread;

const SHARE_OF_MAXIMUM: f64 = 0.7;

/// A measurement here is longer than elsewhere: its 99th percentile needs many requests and the odd slow one among them.
const TURNS: u32 = 3;

/// Beside the folders of all sides: what the first one, which is the peer, has found.
const RATE: &str = "../rate";

pub struct Latency {
    loaded: LoadedServer,
    rate: f64,
}

impl Latency {
    pub fn new(mut loaded: LoadedServer) -> Result<Latency, LoadFailure> {
        let rate = match fs::read_to_string(Path::new(RATE)) {
            Ok(text) => text.trim().parse().map_err(|error| LoadFailure::Trouble(format!("{RATE}: {error}")))?,
            Err(_) => {
                let rate = maximum(&mut loaded)? * SHARE_OF_MAXIMUM;
                fs::write(RATE, rate.to_string())?;
                rate
            }
        };
        Ok(Latency { loaded, rate })
    }
}

/// Requests a second in a closed loop.
fn maximum(loaded: &mut LoadedServer) -> Result<f64, LoadFailure> {
    let mut maxima = Vec::new();
    for seed in 0..3 {
        loaded.workload.begin(seed);
        let until = Until::Elapsed(loaded.traffic.turn());
        let measured = loaded.load.closed(&mut loaded.workload, Task::Measure, loaded.traffic.depth, until)?;
        maxima.push(measured.answers as f64 / measured.wall.as_secs_f64());
    }
    Ok(Spread::of(maxima).map_or(0.0, |spread| spread.median))
}

impl Repeated for Latency {
    fn measure(&mut self) -> Result<LoadAnswer, LoadFailure> {
        let loaded = &mut self.loaded;
        loaded.seed += 1;
        loaded.workload.begin(loaded.seed);
        let until = Until::Elapsed(loaded.traffic.turn() * TURNS);
        let measured = loaded.load.open(&mut loaded.workload, self.rate, until, loaded.seed);
        let measured = loaded.explained(measured)?;
        let at = |quantile: f64| measured.latency.value_at_quantile(quantile) as f64 / 1e9;
        Ok(LoadAnswer {
            figure: at(0.99),
            beside: vec![
                ("p50", at(0.5)),
                ("p90", at(0.9)),
                ("p99.9", at(0.999)),
                ("sent late by (p99)", measured.lateness.value_at_quantile(0.99) as f64 / 1e9),
            ],
            asked: measured.answers,
            right: measured.answers,
            said: Some(format!("offered {:.0} requests a second", self.rate)),
            ..LoadAnswer::default()
        })
    }
}
