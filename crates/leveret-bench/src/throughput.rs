//! Rows of requests per CPU-second of the server.

use crate::answer::{LoadAnswer, Repeated};
use crate::server::ServerProcess;
use crate::starter::Starter;
use crate::traffic::{RequestKind, RowTraffic};
use leveret_load::failure::LoadFailure;
use leveret_load::load::{Load, Until};
use leveret_load::usage::Usage;
use leveret_load::workload::{Task, Workload};
use leveret_rounds::Spread;

/// Below this share of a core the server was waiting for the load, not the load for the server.
const BUSY: f64 = 0.9;

/// Above this share of foreign work on the CPUs the figures are worth little.
const DISTURBED: f64 = 0.05;

/// One server and its load during a row.
pub struct LoadedServer {
    pub starter: Starter,
    pub server: ServerProcess,
    pub load: Load,
    pub workload: Workload,
    pub traffic: RowTraffic,
    /// Of the next measurement.
    pub seed: u64,
}

/// One measurement.
#[derive(Clone, Copy)]
struct Sample {
    answers: u64,
    wall_s: f64,
    server_cpu_s: f64,
    /// Time in which the server could have run and something else had its CPU.
    server_waited_s: f64,
    /// The same of this program.
    load_waited_s: f64,
    p50_us: f64,
    p999_us: f64,
    p9999_us: f64,
    lost: u64,
    /// Sets that found no room: no work done.
    refused: u64,
}

pub struct Throughput {
    loaded: LoadedServer,
    samples: Vec<Sample>,
}

impl LoadedServer {
    pub fn start(mut starter: Starter, traffic: RowTraffic) -> Result<LoadedServer, LoadFailure> {
        let mut workload = traffic.workload(&starter.pad, starter.dialect());
        let server = if starter.is_floor() {
            // It has one key, since it has one answer.
            let one = RowTraffic { keys: 1, ..traffic.clone() };
            workload = one.workload(&starter.pad, starter.dialect());
            starter.start_floor(&traffic, &mut workload)?
        } else {
            starter.start(traffic.transport, &traffic.words())?
        };
        if !starter.is_floor() {
            starter.fill(&server, &traffic, &mut workload)?;
        }
        let load = Load::connect(&server.endpoint, traffic.connections, &starter.pad)?;
        let mut loaded = LoadedServer { starter, server, load, workload, traffic, seed: 0 };
        let warm = loaded.warm_up();
        loaded.explained(warm)?;
        Ok(loaded)
    }

    fn warm_up(&mut self) -> Result<(), LoadFailure> {
        self.workload.begin(0);
        let sets = self.traffic.warm_sets();
        if sets > 0 && !self.starter.is_floor() {
            // Not one by one: it is to be over soon.
            self.load.closed(&mut self.workload, Task::Measure, self.traffic.deep(), Until::Asked(sets))?;
        }
        self.load.closed(&mut self.workload, Task::Measure, self.traffic.depth, Until::Elapsed(self.traffic.turn()))?;
        Ok(())
    }

    /// Is that there which was stored last?
    pub fn read_back(&mut self) -> Result<(), LoadFailure> {
        if !self.traffic.stores() || self.starter.is_floor() {
            return Ok(());
        }
        let read = self.starter.read_back(&self.server, &self.traffic, &mut self.workload);
        self.explained(read)
    }

    /// With what the server says, if it has ended.
    pub fn explained<T>(&mut self, outcome: Result<T, LoadFailure>) -> Result<T, LoadFailure> {
        outcome.map_err(|failure| self.server.explain(failure))
    }

    fn sample(&mut self) -> Result<Sample, LoadFailure> {
        self.seed += 1;
        self.workload.begin(self.seed);
        let (server_before, load_before) = (self.server.usage()?, Usage::own()?);
        let until = Until::Elapsed(self.traffic.turn());
        let measured = self.load.closed(&mut self.workload, Task::Measure, self.traffic.depth, until)?;
        let (server, load) = (self.server.usage()?.since(server_before), Usage::own()?.since(load_before));
        let at = |quantile: f64| measured.latency.value_at_quantile(quantile) as f64 / 1e3;
        Ok(Sample {
            answers: measured.answers,
            wall_s: measured.wall.as_secs_f64(),
            server_cpu_s: server.cpu.as_secs_f64(),
            server_waited_s: server.waited.as_secs_f64(),
            load_waited_s: load.waited.as_secs_f64(),
            p50_us: at(0.5),
            p999_us: at(0.999),
            p9999_us: at(0.9999),
            lost: measured.lost,
            refused: measured.refused.len() as u64,
        })
    }
}

impl Throughput {
    pub fn new(loaded: LoadedServer) -> Throughput {
        Throughput { loaded, samples: Vec::new() }
    }

    /// What all measurements so far say.
    fn said(&self) -> Option<String> {
        let median =
            |of: fn(&Sample) -> f64| Spread::of(self.samples.iter().map(of)).map_or(0.0, |spread| spread.median);
        let sum = |of: fn(&Sample) -> u64| self.samples.iter().map(of).sum::<u64>();
        let mut said = Vec::new();
        if self.loaded.traffic.request == RequestKind::SetNew {
            let [half, rare, rarest] =
                [|s: &Sample| s.p50_us, |s: &Sample| s.p999_us, |s: &Sample| s.p9999_us].map(median);
            said.push(format!(
                "answers took {half:.0} us in the median, {rare:.0} us at p99.9, {rarest:.0} us at p99.99"
            ));
        }
        let (disturbed, busy) = (median(Sample::disturbed), median(Sample::busy));
        if disturbed > DISTURBED {
            let percent = disturbed * 100.0;
            said.push(format!(
                "something else had the CPUs for {percent:.0} % of the time: repeat it on a quiet machine"
            ));
        } else if busy < BUSY {
            let percent = busy * 100.0;
            said.push(format!("the server was busy for {percent:.0} % of its time only: there the load was the limit"));
        }
        let (lost, refused, answers) = (sum(|s| s.lost), sum(|s| s.refused), sum(|s| s.answers));
        if lost > 0 {
            said.push(format!("{lost} datagrams were lost and sent again"));
        }
        if refused > 0 {
            said.push(format!("it refused {refused} of {answers} sets for want of memory; they do not count"));
        }
        if self.loaded.starter.is_alone() {
            said.push("server and load share a CPU: the figures mean little".to_owned());
        }
        (!said.is_empty()).then(|| said.join("; "))
    }
}

impl Repeated for Throughput {
    fn measure(&mut self) -> Result<LoadAnswer, LoadFailure> {
        let sample = self.loaded.sample();
        let sample = self.loaded.explained(sample)?;
        self.loaded.read_back()?;
        self.samples.push(sample);
        Ok(LoadAnswer {
            figure: sample.rate(),
            asked: sample.answers,
            right: sample.answers,
            said: self.said(),
            ..LoadAnswer::default()
        })
    }
}

impl Sample {
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
