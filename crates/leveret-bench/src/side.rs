//! One side of a row: a server and its load. It reads a JSON command a line and answers each with one JSON line.

use std::collections::BTreeMap;
use std::io::{stdin, stdout, BufRead, Write};
use std::path::PathBuf;

use serde::Deserialize;

use crate::answer::Repeated;
use crate::server::pin;
use crate::starter::{cpus, BenchServer, Starter};
use crate::{idle, latency, scraped, throughput, watched};
use leveret_load::failure::LoadFailure;

/// The request.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
enum Asked {
    Prepare {
        workload: Measure,
        size: serde_json::Value,
        /// Servers by name.
        programs: BTreeMap<String, PathBuf>,
    },
    Measure,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Measure {
    /// Requests per CPU-second of the server.
    Throughput,
    /// CPU time of the server with a watcher of mutations to that without.
    Watched,
    /// 99th percentile at 70 % of the rate that the peer can do, in an open loop.
    Latency,
    /// CPU time of a scrape of metrics, with so many items.
    Scraped,
    /// Memory of so many idle connections.
    Idle,
}

pub fn run(kind: BenchServer) -> Result<(), LoadFailure> {
    let cpus = cpus()?;
    pin(cpus.load)?;
    let mut prepared: Option<Box<dyn Repeated>> = None;
    for line in stdin().lock().lines() {
        let asked = serde_json::from_str(&line?).map_err(|error| LoadFailure::Trouble(error.to_string()))?;
        let answer = match asked {
            Asked::Prepare { workload, size, programs } => {
                let starter = Starter::new(kind, programs, cpus);
                prepared = Some(prepare(workload, size, starter)?);
                "{}".to_owned()
            }
            Asked::Measure => {
                let prepared = prepared.as_mut().ok_or_else(|| LoadFailure::Trouble("nothing is prepared".into()))?;
                let answer = prepared.measure()?;
                serde_json::to_string(&answer).map_err(|error| LoadFailure::Trouble(error.to_string()))?
            }
        };
        let mut out = stdout().lock();
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

fn prepare(measure: Measure, size: serde_json::Value, starter: Starter) -> Result<Box<dyn Repeated>, LoadFailure> {
    let wrong = |error: serde_json::Error| LoadFailure::Trouble(format!("the row's size: {error}"));
    Ok(match measure {
        Measure::Throughput => {
            let traffic = serde_json::from_value(size).map_err(wrong)?;
            Box::new(throughput::Throughput::new(throughput::LoadedServer::start(starter, traffic)?))
        }
        Measure::Watched => {
            let traffic = serde_json::from_value(size).map_err(wrong)?;
            Box::new(watched::WatchedServer::new(throughput::LoadedServer::start(starter, traffic)?))
        }
        Measure::Latency => {
            let traffic = serde_json::from_value(size).map_err(wrong)?;
            Box::new(latency::Latency::new(throughput::LoadedServer::start(starter, traffic)?)?)
        }
        Measure::Scraped => Box::new(scraped::Scraped::new(starter, serde_json::from_value(size).map_err(wrong)?)?),
        Measure::Idle => Box::new(idle::Idle::new(starter, serde_json::from_value(size).map_err(wrong)?)?),
    })
}
