//! How servers are started, and their keys stored.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use clap::ValueEnum;
use rustix::thread::{sched_getaffinity, CpuSet};

use crate::server::{BenchTransport, Cpus, ServerProcess, ServerProgram};
use crate::traffic::RowTraffic;
use leveret_load::failure::LoadFailure;
use leveret_load::load::{Load, Until};
use leveret_load::script::{Pad, Script};
use leveret_load::workload::{LoadDialect, Task, Workload};

/// The measured side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BenchServer {
    Memcached,
    Redis,
    Leveret,
    LeveretRedis,
    /// A server without a cache: see floor.rs.
    Floor,
    FloorRedis,
}

/// How servers are started.
pub struct Starter {
    kind: BenchServer,
    programs: BTreeMap<String, PathBuf>,
    cpus: Cpus,
    pub pad: Rc<Pad>,
    started: u32,
}

/// The last two CPUs that this process may use: the first one has most of a machine's interrupts.
pub fn cpus() -> Result<Cpus, LoadFailure> {
    let allowed = sched_getaffinity(None)?;
    let mut last = (0..CpuSet::MAX_CPU).rev().filter(|&cpu| allowed.is_set(cpu));
    let server = last.next().ok_or_else(|| LoadFailure::Trouble("no CPU is allowed".into()))?;
    Ok(Cpus { server, load: last.next().unwrap_or(server) })
}

impl Starter {
    pub fn new(kind: BenchServer, programs: BTreeMap<String, PathBuf>, cpus: Cpus) -> Starter {
        Starter { kind, programs, cpus, pad: Workload::pad(1 << 20), started: 0 }
    }

    pub fn dialect(&self) -> LoadDialect {
        match self.kind {
            BenchServer::Redis | BenchServer::LeveretRedis | BenchServer::FloorRedis => LoadDialect::Redis,
            _ => LoadDialect::Memcached,
        }
    }

    pub fn is_floor(&self) -> bool {
        matches!(self.kind, BenchServer::Floor | BenchServer::FloorRedis)
    }

    /// The figures mean little then.
    pub fn is_alone(&self) -> bool {
        self.cpus.server == self.cpus.load
    }

    pub fn start(&mut self, transport: BenchTransport, options: &[String]) -> Result<ServerProcess, LoadFailure> {
        let folder = self.next_folder();
        let program = |name: &str| {
            let path = self.programs.get(name);
            path.map(PathBuf::as_path).ok_or_else(|| LoadFailure::Trouble(format!("there is no {name}")))
        };
        let program = match self.kind {
            BenchServer::Memcached => ServerProgram::Memcached(program("memcached")?),
            BenchServer::Redis => ServerProgram::Redis(program("redis")?),
            _ => ServerProgram::Leveret(program("leveret")?, self.dialect()),
        };
        ServerProcess::start(&program, transport, options, self.cpus, &folder)
    }

    /// The floor answers each request with what a get or set of the first key would answer.
    pub fn start_floor(&mut self, traffic: &RowTraffic, workload: &mut Workload) -> Result<ServerProcess, LoadFailure> {
        let (mut request, mut answer) = (Script::default(), Script::default());
        workload.ask(Task::Measure, 0, traffic.connections, &mut request, &mut answer);
        let program = ServerProgram::Floor { request_len: request.len(), answer: answer.to_vec(&self.pad) };
        let folder = self.next_folder();
        ServerProcess::start(&program, traffic.transport, &[], self.cpus, &folder)
    }

    /// In the folder where this process was started.
    fn next_folder(&mut self) -> PathBuf {
        self.started += 1;
        let here = std::env::current_dir().unwrap_or_else(|_| Path::new(".").to_path_buf());
        here.join(format!("server{}", self.started))
    }

    /// Stores every key once, over a stream.
    pub fn fill(
        &self,
        server: &ServerProcess,
        traffic: &RowTraffic,
        workload: &mut Workload,
    ) -> Result<(), LoadFailure> {
        self.all(server, traffic, workload, Task::Fill)
    }

    /// Reads every key once, over a stream: it must hold what was stored last.
    pub fn read_back(
        &self,
        server: &ServerProcess,
        traffic: &RowTraffic,
        workload: &mut Workload,
    ) -> Result<(), LoadFailure> {
        self.all(server, traffic, workload, Task::ReadBack)
    }

    fn all(
        &self,
        server: &ServerProcess,
        traffic: &RowTraffic,
        workload: &mut Workload,
        task: Task,
    ) -> Result<(), LoadFailure> {
        let mut load = Load::connect(&server.stream, 4, &self.pad)?;
        workload.begin(0);
        load.closed(workload, task, traffic.deep(), Until::Asked(u64::from(traffic.keys)))?;
        Ok(())
    }
}
