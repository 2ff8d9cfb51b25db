//! What the rows share: where servers live, and how long and how often is measured.

use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde::Serialize;
use tempfile::TempDir;

use crate::rows::{Row, RowTraffic};
use crate::server::{BenchTransport, Cpus, ServerProcess, ServerProgram};
use leveret_load::failure::LoadFailure;
use leveret_load::load::{Load, Until};
use leveret_load::script::{Pad, Script};
use leveret_load::workload::{LoadDialect, LoadRequest, Task, Workload};
use leveret_rounds::{RatioTarget, Spread};

pub struct Bench {
    pub peer: PathBuf,
    /// None: the peer on both sides, which shows what the measuring itself gives.
    pub ours: Option<PathBuf>,
    pub cpus: Cpus,
    pub rounds: usize,
    pub turn: Duration,
    pub quick: bool,
    pub dialect: LoadDialect,
    folder: TempDir,
    servers: AtomicU32,
    pub pad: Rc<Pad>,
}

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    Peer,
    Ours,
    /// The peer a second time: the difference between two equal servers.
    Control,
    Floor,
}

/// One line of the table.
#[derive(Serialize)]
pub struct TableLine {
    pub name: &'static str,
    pub title: &'static str,
    pub unit: &'static str,
    pub peer: Option<Spread>,
    pub ours: Option<Spread>,
    pub ratio: Option<Spread>,
    pub control: Option<Spread>,
    pub floor: Option<Spread>,
    pub target: RatioTarget,
    pub verdict: String,
    /// True where an answer was wrong or a server could not be measured.
    pub failed: bool,
    pub notes: Vec<String>,
    pub rounds: serde_json::Value,
}

impl Bench {
    pub fn new(
        peer: PathBuf,
        ours: Option<PathBuf>,
        cpus: Cpus,
        rounds: usize,
        turn: Duration,
        quick: bool,
        folder: TempDir,
    ) -> Bench {
        let dialect = LoadDialect::Memcached;
        Bench {
            peer,
            ours,
            cpus,
            rounds,
            turn,
            quick,
            dialect,
            folder,
            servers: AtomicU32::new(0),
            pad: Workload::pad(1 << 20),
        }
    }

    /// In another protocol.
    pub fn speaking(self, dialect: LoadDialect) -> Bench {
        Bench { dialect, ..self }
    }

    /// How the peer is asked which version it is.
    pub fn version_option(&self) -> &'static str {
        match self.dialect {
            LoadDialect::Memcached => "-V",
            LoadDialect::Redis => "--version",
        }
    }

    /// The peer or ours; for the floor see `start_floor`.
    pub fn start(&self, side: Side, transport: BenchTransport, options: &[&str]) -> Result<ServerProcess, LoadFailure> {
        let program = match &self.ours {
            Some(ours) if side == Side::Ours => ServerProgram::Leveret(ours, self.dialect),
            _ if self.dialect == LoadDialect::Redis => ServerProgram::Redis(&self.peer),
            _ => ServerProgram::Memcached(&self.peer),
        };
        ServerProcess::start(&program, transport, options, self.cpus, &self.new_folder())
    }

    /// The floor answers each request as a get or set of the first key would be.
    pub fn start_floor(&self, traffic: &RowTraffic) -> Result<(ServerProcess, Workload), LoadFailure> {
        let mut workload = Workload::new(traffic.request, 1, traffic.value_len, &self.pad).speaking(self.dialect);
        let (mut request, mut answer) = (Script::default(), Script::default());
        workload.ask(Task::Measure, 0, traffic.connections, &mut request, &mut answer);
        let program = ServerProgram::Floor { request_len: request.len(), answer: answer.to_vec(&self.pad) };
        let server = ServerProcess::start(&program, traffic.transport, &[], self.cpus, &self.new_folder())?;
        Ok((server, workload))
    }

    /// Stores every key once, over a stream.
    pub fn fill(
        &self,
        server: &ServerProcess,
        traffic: &RowTraffic,
        workload: &mut Workload,
    ) -> Result<(), LoadFailure> {
        let mut load = Load::connect(&server.stream, 4, &self.pad)?;
        workload.begin(0);
        load.closed(workload, Task::Fill, deep(traffic), Until::Asked(u64::from(traffic.keys)))?;
        Ok(())
    }

    /// Reads every key once, over a stream: it must hold the last stored value.
    pub fn read_back(
        &self,
        server: &ServerProcess,
        traffic: &RowTraffic,
        workload: &mut Workload,
    ) -> Result<(), LoadFailure> {
        let mut load = Load::connect(&server.stream, 4, &self.pad)?;
        workload.begin(0);
        load.closed(workload, Task::ReadBack, deep(traffic), Until::Asked(u64::from(traffic.keys)))?;
        Ok(())
    }

    fn new_folder(&self) -> PathBuf {
        self.folder.path().join(self.servers.fetch_add(1, Ordering::Relaxed).to_string())
    }
}

impl TableLine {
    pub fn of_failure(row: &Row, failure: &LoadFailure) -> TableLine {
        TableLine {
            name: row.name,
            title: row.title,
            unit: "-",
            peer: None,
            ours: None,
            ratio: None,
            control: None,
            floor: None,
            target: row.target,
            verdict: if matches!(failure, LoadFailure::Wrong(_)) { "WRONG".into() } else { "failed".into() },
            failed: true,
            notes: vec![failure.to_string()],
            rounds: serde_json::Value::Null,
        }
    }
}

/// Depth of requests that are not measured.
pub fn deep(traffic: &RowTraffic) -> u32 {
    if traffic.value_len > 64 << 10 {
        1
    } else {
        32
    }
}

impl Side {
    pub fn name(self) -> &'static str {
        match self {
            Side::Peer => "the peer",
            Side::Ours => "ours",
            Side::Control => "the second peer",
            Side::Floor => "the floor",
        }
    }
}

impl RowTraffic {
    /// Sets that write `bytes` in all.
    pub fn sets_of(&self, bytes: u64) -> u64 {
        let item_overhead = 64;
        bytes / (self.value_len as u64 + item_overhead)
    }

    pub fn stores(&self) -> bool {
        matches!(self.request, LoadRequest::Set | LoadRequest::SetNew)
    }
}
