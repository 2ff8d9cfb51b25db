//! Output: progress, the table, the JSON file.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::Command;

use serde::Serialize;
use serde_json::json;

use crate::bench::{Bench, TableLine};
use leveret_rounds::{RatioTarget, Spread};

/// Load of the last minute above which server and load generator do not have two CPUs for themselves on a small
/// machine.
const LOADED: f64 = 0.5;

/// Conditions of a measurement.
#[derive(Serialize)]
pub struct About {
    machine: String,
    system: String,
    peer: String,
    ours: String,
    command: String,
    load: f64,
    cpus: String,
    rounds: usize,
    turn_s: f64,
}

impl About {
    pub fn new(bench: &Bench) -> About {
        let cpus = if bench.cpus.server == bench.cpus.load {
            format!("server and load share CPU {}: the figures mean little", bench.cpus.server)
        } else {
            format!("server on CPU {} with one thread, load on CPU {}", bench.cpus.server, bench.cpus.load)
        };
        let system = line_with("/etc/os-release", "PRETTY_NAME=").trim_matches('"').to_owned();
        About {
            machine: format!("{}, {} CPUs", line_with("/proc/cpuinfo", "model name\t: "), cpu_count()),
            system: format!("{system}, Linux {}", read("/proc/sys/kernel/osrelease").trim()),
            peer: version(&bench.peer, bench.version_option()),
            ours: bench
                .ours
                .as_ref()
                .map_or_else(|| version(&bench.peer, bench.version_option()), |ours| version(ours, "--version")),
            command: std::env::args().skip(1).collect::<Vec<_>>().join(" "),
            load: read("/proc/loadavg").split_whitespace().next().and_then(|load| load.parse().ok()).unwrap_or(0.0),
            cpus,
            rounds: bench.rounds,
            turn_s: bench.turn.as_secs_f64(),
        }
    }
}

/// One line on the terminal; nothing where there is none.
pub struct ProgressLine {
    rows: usize,
    row: usize,
    name: &'static str,
    shown: bool,
}

impl ProgressLine {
    pub fn new(rows: usize) -> ProgressLine {
        ProgressLine { rows, row: 0, name: "", shown: io::stderr().is_terminal() }
    }

    pub fn row(&mut self, name: &'static str) {
        self.row += 1;
        self.name = name;
    }

    pub fn say(&mut self, what: &str) {
        if self.shown {
            eprint!("\r\x1b[K[{}/{}] {}: {what}", self.row, self.rows, self.name);
            let _ = io::stderr().flush();
        }
    }

    pub fn end(&mut self) {
        if self.shown {
            eprint!("\r\x1b[K");
        }
    }
}

pub fn print_table(out: &mut impl Write, about: &About, outcomes: &[TableLine], quick: bool) -> io::Result<()> {
    for (name, text) in [
        ("machine", &about.machine),
        ("system", &about.system),
        ("peer", &about.peer),
        ("ours", &about.ours),
        ("cpus", &about.cpus),
    ] {
        writeln!(out, "{name:<9}{text}")?;
    }
    writeln!(out, "load     {:.1} in the minute before", about.load)?;
    writeln!(
        out,
        "rounds   {} of {:.2} s a side, of rows close to their target three times as many;\n         a ratio is their median [10th percentile .. 90th percentile]: ours to peer,",
        about.rounds, about.turn_s
    )?;
    writeln!(out, "         as control a second peer to the peer, as floor a server without a cache to the peer")?;
    if about.load > LOADED {
        writeln!(out, "         If that load was something else that still runs, the spread is wide and the latencies mean little.")?;
    }
    writeln!(out)?;
    let header = ["row", "unit", "peer", "ours", "ratio", "control", "floor", "target", "verdict"].map(String::from);
    let mut lines = vec![header];
    lines.extend(outcomes.iter().map(|outcome| line(outcome, quick)));
    let widths: Vec<usize> =
        (0..lines[0].len()).map(|cell| lines.iter().map(|line| line[cell].len()).max().unwrap_or(0)).collect();
    for line in &lines {
        let padded: Vec<String> = line.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}")).collect();
        writeln!(out, "{}", padded.join("  ").trim_end())?;
    }
    writeln!(out)?;
    for outcome in outcomes {
        for note in &outcome.notes {
            writeln!(out, "{}: {note}", outcome.name)?;
        }
    }
    if quick {
        writeln!(out, "\nA quick run shows that the benchmark works. Its figures say nothing.")?;
    }
    Ok(())
}

fn line(outcome: &TableLine, quick: bool) -> [String; 9] {
    let value = |spread: &Option<Spread>| spread.as_ref().map_or_else(|| "-".into(), |spread| figure(spread.median));
    let ratio = |spread: &Option<Spread>| {
        spread.as_ref().map_or_else(
            || "-".into(),
            |spread| format!("{:.2} [{:.2} .. {:.2}]", spread.median, spread.p10, spread.p90),
        )
    };
    let target = match outcome.target {
        RatioTarget::AtLeast(limit) => format!(">= {limit:?}"),
        RatioTarget::AtMost(limit) => format!("<= {limit:?}"),
    };
    let verdict = if quick && !outcome.failed { "verified".into() } else { outcome.verdict.clone() };
    [
        outcome.title.into(),
        outcome.unit.into(),
        value(&outcome.peer),
        value(&outcome.ours),
        ratio(&outcome.ratio),
        ratio(&outcome.control),
        ratio(&outcome.floor),
        target,
        verdict,
    ]
}

fn figure(value: f64) -> String {
    match value {
        value if value >= 1e6 => format!("{:.2} M", value / 1e6),
        value if value >= 1e4 => format!("{:.0} k", value / 1e3),
        value if value >= 100.0 => format!("{value:.0}"),
        _ => format!("{value:.2}"),
    }
}

pub fn write_json(path: &Path, about: &About, outcomes: &[TableLine]) -> io::Result<()> {
    let text = serde_json::to_string_pretty(&json!({ "about": about, "rows": outcomes }))?;
    fs::write(path, text + "\n")
}

fn version(program: &Path, option: &str) -> String {
    let said = Command::new(program).arg(option).output().ok();
    let said = said.map(|output| String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_owned());
    said.unwrap_or_else(|| program.display().to_string())
}

fn line_with(file: &str, begin: &str) -> String {
    read(file).lines().find_map(|line| line.strip_prefix(begin)).unwrap_or("unknown").to_owned()
}

fn cpu_count() -> usize {
    read("/proc/cpuinfo").lines().filter(|line| line.starts_with("processor")).count()
}

fn read(file: &str) -> String {
    fs::read_to_string(file).unwrap_or_default()
}
