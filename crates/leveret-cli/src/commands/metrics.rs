//! `leveret metrics`: the statistics of arenas for Prometheus, without a server.
use crate::commands::list;
use crate::output::{self, CommandResult, Exit, Failure};
use crate::target::{self, TargetArgs};
use clap::Args;
use leveret_engine::OpenError;
use leveret_server::metrics::{self, Source};
use std::io::Write;
use std::path::Path;

/// Print metrics of arenas for Prometheus, without a server
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct MetricsArgs {
    /// The arenas [default: all of the folder]
    #[arg(value_name = "NAME|PATH")]
    arenas: Vec<String>,
}

const EXAMPLES: &str = "\
Examples:
  leveret metrics                                        all arenas of the folder
  leveret metrics apcu default                           these two
  leveret metrics --arena apcu | promtool check metrics
  leveret metrics > cache.prom.tmp && mv cache.prom.tmp /var/lib/prometheus/node-exporter/cache.prom
  leveret serve --metrics 9150                           the same, and the server's own, over HTTP

For an arena that cannot be opened memcached_up is 0, and standard error says why.";

impl MetricsArgs {
    pub fn run(self, target: &TargetArgs, json: bool) -> CommandResult {
        if json {
            return Err(Failure::Usage(
                "--json: metrics have Prometheus' text format only; 'leveret stats --json' has the numbers".to_owned(),
            ));
        }
        let named: Vec<&String> = target.arena.iter().chain(&self.arenas).collect();
        let mut sources = Vec::new();
        for name in &named {
            sources.push(Source::arena(&target::attach(&target::resolve(name, target.dir())?, None)?));
        }
        if named.is_empty() {
            sources.extend(list::arenas(target)?.1.iter().filter_map(|path| source(path)));
        }
        let mut out = output::raw();
        out.write_all(metrics::text(&sources).as_bytes())?;
        out.flush()?;
        Ok(Exit::Yes)
    }
}

/// None: it went while we looked.
fn source(path: &Path) -> Option<Source> {
    match target::attach(path, None) {
        Ok(arena) => Some(Source::arena(&arena)),
        Err(leveret_place::PlaceError::Open(OpenError::Missing(_))) => None,
        Err(error) => {
            eprintln!("leveret: {error}");
            Some(Source::lost(&path.file_stem().unwrap_or_default().to_string_lossy()))
        }
    }
}
