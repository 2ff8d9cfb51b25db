//! `leveret simulate`: misses of a trace at other memory sizes, or with other caches.
mod chart;
mod run;

use crate::output::{self, CommandResult, Exit, Failure, LongWork, FAINT, STRONG};
use crate::units;
use clap::{Args, ValueEnum};
use leveret_engine::{MEMORY_MAX, MEMORY_MIN};
use leveret_simulator::trace::{Column, Format, TraceOptions};
use leveret_simulator::Trace;
use run::{Curve, CurvePoint};
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

/// Replay a trace of requests: what would more memory buy?
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct SimulateArgs {
    /// The trace: lines of time,key,size[,ttl][,op], or libCacheSim's oracleGeneral; '-' is standard input; zstd is
    /// unpacked
    #[arg(value_name = "TRACE")]
    trace: PathBuf,

    /// Memory sizes to simulate [default: doubled until everything fits]
    #[arg(long, short, value_name = "SIZE,…", value_delimiter = ',', value_parser = memory)]
    memory: Vec<u64>,

    /// Caches to compare [default: all]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    policy: Vec<Curve>,

    /// Format of the trace
    #[arg(long, value_enum, default_value_t = Written::Auto)]
    format: Written,

    /// Columns of a text without a header line; unknown names are ignored
    #[arg(long, value_name = "NAME,…")]
    columns: Option<String>,

    /// Read at most this many requests
    #[arg(long, value_name = "N")]
    limit: Option<u64>,

    /// Write the curves to this SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Written {
    /// Detected from the first bytes
    Auto,
    /// Lines of text
    Csv,
    /// libCacheSim's records of 24 bytes
    OracleGeneral,
}

const EXAMPLES: &str = "\
Examples:
  leveret simulate requests.csv
  leveret simulate requests.csv.zst --memory 64M,256M,1G --svg curves.svg
  leveret simulate cluster52.csv --columns time,key,key_size,size,client,op,ttl       Twitter's traces
  leveret simulate requests.csv --memory 64M --policy arena,lru --json | jq '.runs[].miss_ratio'

A trace has a request a line: time in seconds, key, bytes of the value, and if you know them its lifetime in seconds and
what was done (get, set, delete; nothing is a get). A first line may name the columns, also key_size. A get that misses
stores its item. A line '# sample=0.01' says that the trace has one key in a hundred: memory is scaled down for it.

'arena' is this program's own engine on an arena of that size. The others are models with the same memory: 'memcached' has
its headers and slab classes (its hash table is free, as with -m), 'lru', 's3fifo' and 'gdsf' have an arena's item sizes and no
other metadata. 'bound' is a lower bound for every cache (PFOO-L: Belady's rule for items of different sizes).

Exit codes: 0 done; 2 wrong usage, or an invalid trace; 3 a file cannot be read or written.";

fn memory(text: &str) -> Result<u64, String> {
    let bytes = units::parse_size(text)?;
    if !(MEMORY_MIN..=MEMORY_MAX).contains(&bytes) {
        return Err(format!("an arena has {} to {}", units::bytes(MEMORY_MIN), units::bytes(MEMORY_MAX)));
    }
    Ok(bytes)
}

#[derive(Serialize)]
struct Line<'a> {
    trace: String,
    requests: usize,
    keys: u32,
    seconds: u32,
    /// Bytes of all keys and values.
    footprint: u64,
    sample: Option<f64>,
    runs: &'a [CurvePoint],
}

impl SimulateArgs {
    pub fn run(self, json: bool) -> CommandResult {
        let trace = self.read()?;
        let memory = self.memories(&trace);
        let curves = if self.policy.is_empty() { Curve::value_variants().to_vec() } else { self.policy.clone() };
        let runs = run::all(&trace, &curves, &memory)?;
        if let Some(path) = &self.svg {
            chart::draw_svg(path, &self.name(), &runs)
                .map_err(|what| Failure::Unreachable(format!("cannot draw {}: {what}", path.display())))?;
        }
        if json {
            let mut out = output::raw();
            output::json_line(&mut out, &self.line(&trace, &runs))?;
            out.flush()?;
        } else {
            self.write(&trace, &curves, &memory, &runs)?;
        }
        Ok(Exit::Yes)
    }

    fn name(&self) -> String {
        self.trace.file_name().map_or_else(|| self.trace.display().to_string(), |name| name.to_string_lossy().into())
    }

    fn read(&self) -> Result<Trace, Failure> {
        let columns = self.columns.as_deref().map(Column::parse_all).transpose();
        let columns = columns.map_err(|what| Failure::Usage(format!("--columns: {what}")))?;
        let format = match self.format {
            Written::Auto => Format::Auto,
            Written::Csv => Format::Csv,
            Written::OracleGeneral => Format::OracleGeneral,
        };
        let options = TraceOptions { format, columns, limit: self.limit };
        let progress = LongWork::of("reading the trace");
        let mut report = |count| progress.reached(count);
        if self.trace.as_os_str() == "-" {
            let read = Trace::read(io::stdin().lock(), &options, &mut report);
            return read.map_err(|what| Failure::Usage(format!("standard input: {what}")));
        }
        std::fs::File::open(&self.trace).map_err(|error| {
            Failure::Unreachable(format!("cannot read {}: {}", self.trace.display(), leveret_engine::reason(&error)))
        })?;
        Trace::open(&self.trace, &options, &mut report).map_err(|what| Failure::Usage(what.to_string()))
    }

    fn memories(&self, trace: &Trace) -> Vec<u64> {
        if !self.memory.is_empty() {
            let mut memory = self.memory.clone();
            memory.sort_unstable();
            memory.dedup();
            return memory;
        }
        // Beside its key and value an item takes some 40 bytes.
        let all = (trace.footprint() + 40 * u64::from(trace.keys)) as f64 / trace.sample.unwrap_or(1.0);
        let most = (all as u64).next_power_of_two().clamp(MEMORY_MIN, MEMORY_MAX.min(1 << 40));
        let steps = (most / MEMORY_MIN).ilog2().min(6);
        (0..=steps).rev().map(|step| most >> step).collect()
    }

    fn line<'a>(&self, trace: &Trace, runs: &'a [CurvePoint]) -> Line<'a> {
        Line {
            trace: self.name(),
            requests: trace.requests.len(),
            keys: trace.keys,
            seconds: trace.span_secs(),
            footprint: trace.footprint(),
            sample: trace.sample,
            runs,
        }
    }

    fn write(&self, trace: &Trace, curves: &[Curve], memory: &[u64], runs: &[CurvePoint]) -> io::Result<()> {
        let mut out = output::text();
        write!(
            out,
            "{STRONG}{}{STRONG:#}: {} for {} in {}, {} in all",
            self.name(),
            units::counted(trace.requests.len() as u64, "request"),
            units::counted(u64::from(trace.keys), "key"),
            units::span(u64::from(trace.span_secs())),
            units::bytes(trace.footprint())
        )?;
        match trace.sample {
            Some(sample) => writeln!(out, "; a sample of 1 key in {:.0}", 1.0 / sample)?,
            None => writeln!(out)?,
        }
        type Ratio = fn(&CurvePoint) -> f64;
        let tables: [(&str, Ratio); 2] =
            [("gets missed", |run| run.miss_ratio), ("bytes missed", |run| run.byte_miss_ratio)];
        for (title, ratio) in tables {
            writeln!(out)?;
            write!(out, "{STRONG}{title:<14}{STRONG:#}")?;
            for memory in memory {
                write!(out, "{:>12}", units::bytes(*memory))?;
            }
            writeln!(out)?;
            for curve in curves {
                let style = if *curve == Curve::Arena { STRONG } else { FAINT };
                write!(out, "{style}{:<14}", curve.name())?;
                for run in runs.iter().filter(|run| run.policy == *curve) {
                    write!(out, "{:>10.2} %", 100.0 * ratio(run))?;
                }
                writeln!(out, "{style:#}")?;
            }
        }
        let of_arenas = runs.iter().filter_map(|run| run.write_amplification);
        if curves.contains(&Curve::Arena) {
            write!(out, "\n{STRONG}{:<14}{STRONG:#}", "bytes written")?;
            { of_arenas }.try_for_each(|factor| write!(out, "{factor:>10.2} ×"))?;
            writeln!(out, "\n{FAINT}for each byte that is stored in the arena: making room copies items{FAINT:#}")?;
        }
        if memory.len() > 1 {
            writeln!(out, "\n{}", chart::draw_text(curves, runs))?;
        }
        for pair in runs.iter().filter(|run| run.policy == Curve::Arena).collect::<Vec<_>>().windows(2) {
            let (less, more) = (pair[0], pair[1]);
            if less.misses > 0 {
                writeln!(
                    out,
                    "{} instead of {}: {:.1} % fewer misses",
                    units::bytes(more.memory),
                    units::bytes(less.memory),
                    100.0 * (1.0 - more.misses as f64 / less.misses as f64)
                )?;
            }
        }
        out.flush()
    }
}
