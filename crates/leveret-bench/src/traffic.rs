//! Who asks what: the size of a row, as its suite tells it.

use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use serde::Deserialize;

use crate::server::BenchTransport;
use leveret_load::failure::LoadFailure;
use leveret_load::script::Pad;
use leveret_load::workload::{LoadDialect, LoadRequest, Workload};

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowTraffic {
    #[serde(default)]
    pub transport: BenchTransport,
    pub request: RequestKind,
    pub connections: usize,
    /// Requests under way on each connection.
    pub depth: u32,
    pub keys: u32,
    pub value_len: usize,
    /// Length of a measurement.
    pub milliseconds: u64,
    /// The server's memory, in MiB.
    pub memory: u64,
    /// More words of the server's command line.
    #[serde(default)]
    pub options: Vec<String>,
    /// Writes all memory once before the first measurement: the first touch of memory is another measure.
    #[serde(default)]
    pub warm: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RequestKind {
    Get,
    /// Of a hundred keys.
    Multiget,
    Set,
    /// Of keys that never come again.
    SetNew,
}

/// Keys of a get of many.
const MANY: u32 = 100;

/// Sets of a warm-up write so much: 1.5 times the memory of the rows with small values.
const WARM_BYTES: u64 = 96 << 20;
const WARM_BYTES_LARGE: u64 = 384 << 20;

impl RowTraffic {
    /// Of a row that another suite has.
    pub fn of_row(path: &Path, name: &str) -> Result<RowTraffic, LoadFailure> {
        let trouble = |what: String| LoadFailure::Trouble(format!("{}: {what}", path.display()));
        let suite: toml::Table = std::fs::read_to_string(path)?.parse().map_err(|error| trouble(format!("{error}")))?;
        let rows = suite.get("row").and_then(|rows| rows.as_array()).ok_or_else(|| trouble("it has no rows".into()))?;
        let row = rows.iter().find(|row| row.get("name").and_then(|name| name.as_str()) == Some(name));
        let full = row.and_then(|row| row.get("full")).ok_or_else(|| trouble(format!("there is no row '{name}'")))?;
        full.clone().try_into().map_err(|error| trouble(format!("row '{name}' has no requests: {error}")))
    }

    pub fn workload(&self, pad: &Rc<Pad>, dialect: LoadDialect) -> Workload {
        let request = match self.request {
            RequestKind::Get => LoadRequest::Get,
            RequestKind::Multiget => LoadRequest::MultiGet(MANY),
            RequestKind::Set => LoadRequest::Set,
            RequestKind::SetNew => LoadRequest::SetNew,
        };
        Workload::new(request, self.keys, self.value_len, pad).speaking(dialect)
    }

    /// Of the server's command line.
    pub fn words(&self) -> Vec<String> {
        let memory = ["-m".to_owned(), self.memory.to_string()];
        memory.into_iter().chain(self.options.iter().cloned()).collect()
    }

    pub fn turn(&self) -> Duration {
        Duration::from_millis(self.milliseconds)
    }

    pub fn stores(&self) -> bool {
        matches!(self.request, RequestKind::Set | RequestKind::SetNew)
    }

    /// A depth for what is not measured.
    pub fn deep(&self) -> u32 {
        if self.value_len > 64 << 10 {
            1
        } else {
            32
        }
    }

    /// Sets of a warm-up; none, where memory need not be written.
    pub fn warm_sets(&self) -> u64 {
        let bytes = match self.request {
            _ if !self.warm || !self.stores() => 0,
            RequestKind::SetNew => (self.memory << 20) / 2 * 3,
            _ if self.deep() == 1 => WARM_BYTES_LARGE,
            _ => WARM_BYTES,
        };
        let item_overhead = 64;
        bytes / (self.value_len as u64 + item_overhead)
    }
}
