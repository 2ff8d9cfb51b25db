//! The row of memory: what connections cost that were used once and are idle now.

use rustix::process::{getrlimit, setrlimit, Resource, Rlimit};
use serde::Deserialize;

use crate::answer::{LoadAnswer, Repeated};
use crate::starter::Starter;
use crate::traffic::{RequestKind, RowTraffic};
use leveret_load::failure::LoadFailure;
use leveret_load::load::{Load, Until};
use leveret_load::socket::Endpoint;
use leveret_load::workload::{Task, Workload};

/// File descriptors besides connections.
const OTHER_FILES: u64 = 100;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IdleSize {
    /// Idle ones.
    connections: usize,
}

/// Each measurement starts its own server.
pub struct Idle {
    starter: Starter,
    connections: usize,
    traffic: RowTraffic,
}

impl Idle {
    pub fn new(starter: Starter, size: IdleSize) -> Result<Idle, LoadFailure> {
        let connections = size.connections.min(files_allowed()?.saturating_sub(OTHER_FILES) as usize);
        let traffic = RowTraffic {
            transport: Default::default(),
            request: RequestKind::Get,
            connections: 50,
            depth: 1,
            keys: 1000,
            value_len: 100,
            milliseconds: 0,
            memory: 64,
            options: vec!["-c".to_owned(), (connections + 200).to_string()],
            warm: false,
        };
        Ok(Idle { starter, connections, traffic })
    }
}

/// Raises this process's limit of open files, and with it that of the servers which it starts, as far as it may.
fn files_allowed() -> Result<u64, LoadFailure> {
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum })?;
    Ok(limit.maximum.unwrap_or(u64::MAX))
}

impl Repeated for Idle {
    /// Bytes for each connection.
    fn measure(&mut self) -> Result<LoadAnswer, LoadFailure> {
        let (traffic, connections) = (&self.traffic, self.connections);
        let server = self.starter.start(traffic.transport, &traffic.words())?;
        let mut workload = traffic.workload(&self.starter.pad, self.starter.dialect());
        self.starter.fill(&server, traffic, &mut workload)?;
        // Some connections before: what the first ones cost (code, buffers of a thread) is not the price of a connection.
        // Every item is read, so that the pages of an arena are mapped.
        self.starter.read_back(&server, traffic, &mut workload)?;
        let _first = used(&self.starter, &server.stream, &mut workload, traffic.connections)?;
        let before = server.memory()?;
        let _idle = used(&self.starter, &server.stream, &mut workload, connections)?;
        let after = server.memory()?;
        Ok(LoadAnswer {
            // A server whose memory did not grow at all is no division by zero.
            figure: ((after as f64 - before as f64) / connections as f64).max(1.0),
            asked: connections as u64,
            right: connections as u64,
            said: Some(format!(
                "growth of Pss by {connections} connections that have each read one item; the kernel's own buffers are not in it"
            )),
            ..LoadAnswer::default()
        })
    }
}

fn used(
    starter: &Starter,
    endpoint: &Endpoint,
    workload: &mut Workload,
    connections: usize,
) -> Result<Load, LoadFailure> {
    let mut load = Load::connect(endpoint, connections, &starter.pad)?;
    load.closed(workload, Task::Measure, 1, Until::Asked(connections as u64))?;
    Ok(load)
}
