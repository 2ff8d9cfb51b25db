//! `leveret bench`: published comparisons of caches, measured anew on this machine.
mod charts;
mod found;
pub mod load;
mod markdown;
mod page;
mod peer;
mod place;
mod report;
mod run;
mod suite;
mod text;

use crate::output::{self, CommandResult, Exit, Failure, LongWork};
use crate::units;
use charts::Chart;
use clap::Args;
use found::FoundPrograms;
use peer::CachePeer;
use place::BenchFolder;
use report::{BenchReport, Drawn, JudgedLine};
use run::{BenchRun, Stopped};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use suite::{Suite, SuiteRow, SuiteRun};

/// Compare Leveret with the other caches on this machine.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct BenchArgs {
    /// Charts to measure [default: all]; with --suite, rows whose name contains this
    #[arg(value_name = "CHART")]
    charts: Vec<String>,

    /// Measure the rows of suite.toml in this folder instead of charts
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["keys", "only", "peers", "fair_defaults"])]
    suite: Option<PathBuf>,

    /// List the charts and the caches, and what is missing on this machine
    #[arg(long)]
    list: bool,

    /// Few keys, one round, and only the first and last variant of a chart: under a minute; do not quote its figures
    #[arg(long)]
    quick: bool,

    /// Turns of each cache; charts that count instead of timing take at most 3 [default: 11]
    #[arg(long, value_name = "N", value_parser = rounds)]
    rounds: Option<usize>,

    /// Keys of each turn [default: the chart's own, such as 10000; 50000 were published]
    #[arg(long, value_name = "N", value_parser = keys)]
    keys: Option<u32>,

    /// Only caches whose name contains this; may be repeated
    #[arg(long, value_name = "WORD")]
    only: Vec<String>,

    /// Add the caches of this TOML file
    #[arg(long, value_name = "FILE")]
    peers: Option<PathBuf>,

    /// Use all caches as installed, without settings in their favour
    #[arg(long)]
    fair_defaults: bool,

    /// Time-out of a turn
    #[arg(long, value_name = "DURATION", default_value = "5m", value_parser = units::parse_duration)]
    patience: Duration,

    /// PHP's command line
    #[arg(long, value_name = "PROGRAM", default_value = "php")]
    php: PathBuf,

    /// Our extension [default: leveret.so in PHP's folder of extensions]
    #[arg(long, value_name = "FILE", env = "LEVERET_EXTENSION")]
    extension: Option<PathBuf>,

    /// Ruby
    #[arg(long, value_name = "PROGRAM", default_value = "ruby")]
    ruby: PathBuf,

    /// Folders of our gem, with ':' between them, where it is not installed
    #[arg(long, value_name = "FOLDERS", env = "LEVERET_GEM", value_delimiter = ':')]
    gem: Vec<PathBuf>,

    /// Another memcached than the one in PATH, such as a newer one: for the charts of servers
    #[arg(long, value_name = "PROGRAM", env = "LEVERET_MEMCACHED_NEWER")]
    memcached_newer: Option<PathBuf>,

    /// Write one line a round to this file
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Write a page with all charts and data to this file
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Write all charts to this file: as tables, or with --svg as pictures and rows.csv beside them
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,

    /// Write an SVG for each chart into this folder
    #[arg(long, value_name = "FOLDER")]
    svg: Option<PathBuf>,

    /// Measure nothing: show an older run from its --json file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["charts", "suite", "list", "quick", "rounds", "keys", "only", "peers", "fair_defaults"])]
    from: Option<PathBuf>,

    /// Compare with an older run from its --json file
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  leveret bench --quick
  leveret bench read write --only apcu --rounds 15
  leveret bench --html report.html --json > new.json
  leveret bench --compare old.json
  leveret bench --from old.json --html report.html
  leveret bench --suite crates/leveret-bench/suites/apcu fetch

Each turn starts its own server, on loopback or a Unix socket, and its own PHP processes: one writes, another reads.
Every value is compared. A cache with a wrong or missing value, a crash or a time-out gets the reason in place of a figure.

Exit codes: 0 done; 1 nothing could be measured; 2 wrong usage; 3 no PHP, or a file cannot be read or written.";

fn rounds(text: &str) -> Result<usize, String> {
    units::parse_number(text, 1, 1000)
}

fn keys(text: &str) -> Result<u32, String> {
    units::parse_number(text, 1, 10_000_000)
}

/// A chart and its caches.
type Sheet = (&'static Chart, Vec<CachePeer>);

impl BenchArgs {
    pub fn run(self, json: bool) -> CommandResult {
        let old = self.compare.as_deref().map(read_report).transpose()?;
        if let Some(path) = &self.from {
            return self.tell(&read_report(path)?, old.as_ref(), json);
        }
        if let Some(folder) = &self.suite {
            return self.run_suite(&Suite::read(folder)?, old.as_ref(), json);
        }
        let mut sheets = Vec::new();
        let named = self.charts.iter().map(|name| charts::named(name).map_err(Failure::Usage));
        let named: Vec<&'static Chart> = named.collect::<Result<_, _>>()?;
        for chart in if named.is_empty() { charts::all() } else { named } {
            let mut peers = chart.peers(self.peers.as_deref())?;
            peers.retain(|peer| self.only.is_empty() || self.only.iter().any(|word| peer.name.contains(word)));
            if !peers.is_empty() {
                sheets.push((chart, peers));
            }
        }
        if sheets.is_empty() {
            return Err(Failure::Usage("--only leaves no cache: 'leveret bench --list' shows their names".to_owned()));
        }
        self.try_outputs()?;
        let mut found = self.look()?;
        for peer in sheets.iter().flat_map(|(_, peers)| peers) {
            found.look_for_gem(peer);
        }
        if self.list {
            return list(&sheets, &found);
        }
        for peer in sheets.iter().flat_map(|(_, peers)| peers) {
            if found.missing(peer).is_none() {
                found.learn_versions(peer);
            }
        }
        let (report, stopped) = self.measure(&sheets, &found)?;
        if !stopped {
            return self.tell(&report, old.as_ref(), json);
        }
        // Hours may have gone into them.
        let (whole, all) = (report.charts.len(), sheets.len());
        if whole > 0 {
            self.tell(&report, old.as_ref(), json)?;
        }
        Err(Failure::Refused(format!("stopped after {whole} of {all} charts; nothing is left running")))
    }

    /// Measuring takes long: what cannot be written should be known before.
    fn try_outputs(&self) -> Result<(), Failure> {
        for path in [&self.csv, &self.html, &self.markdown].into_iter().flatten() {
            std::fs::write(path, "").map_err(|error| cannot_write(path, &error))?;
        }
        if let Some(folder) = &self.svg {
            std::fs::create_dir_all(folder).map_err(|error| cannot_write(folder, &error))?;
        }
        Ok(())
    }

    fn look(&self) -> Result<FoundPrograms, Failure> {
        let (extension, newer) = (self.extension.clone(), self.memcached_newer.clone());
        FoundPrograms::look(&self.php, extension, &self.ruby, self.gem.clone(), newer).map_err(Failure::Unreachable)
    }

    /// Rows are told as they are measured. Exit code 1 where an answer was wrong or a row has no figure.
    fn run_suite(&self, suite: &Suite, old: Option<&BenchReport>, json: bool) -> CommandResult {
        let rows = suite.chosen(&self.charts)?;
        self.try_outputs()?;
        let mut found = self.look()?;
        let sides = || rows.iter().flat_map(|row| suite.sides_of(row).unwrap_or_default());
        sides().for_each(|side| found.look_for_gem(side.side));
        if self.list {
            return list_suite(suite, &rows, &found);
        }
        for side in sides().filter(|side| found.missing(side.side).is_none()).collect::<Vec<_>>() {
            found.learn_versions(side.side);
            side.place.and_then(|place| place.server).into_iter().for_each(|server| found.learn_server(server));
        }
        let place = BenchFolder::new()?;
        let rounds = self.rounds.unwrap_or(suite.rounds);
        let run = SuiteRun {
            suite,
            place: &place,
            found: &found,
            quick: self.quick,
            rounds: if self.quick { rounds.min(2) } else { rounds },
            patience: self.patience,
        };
        let progress = LongWork::of_turns(rows.iter().map(|row| run.turns(row) as u64).sum());
        let mut report = self.report(&found, run.rounds, Vec::new());
        if !json {
            progress.aside(|| text::suite_head(&mut output::text(), suite, &report, self.quick))?;
        }
        let mut stopped = false;
        for row in &rows {
            let Ok(drawn) = run.row(row, &progress) else {
                stopped = true;
                break;
            };
            if !json {
                progress.aside(|| text::suite_lines(&mut output::text(), &drawn, self.quick))?;
            }
            report.charts.extend(drawn);
        }
        drop(progress);
        self.save(&report)?;
        if json {
            let mut out = output::raw();
            output::json_line(&mut out, &report)?;
            out.flush()?;
        } else if self.quick {
            let mut out = output::text();
            writeln!(out, "\nA quick run shows that the benchmark works. Its figures say nothing.")?;
            out.flush()?;
        }
        tell_changes(&report, old);
        if stopped {
            return Err(Failure::Refused("stopped before all rows were measured; nothing is left running".to_owned()));
        }
        let is_right = |line: &JudgedLine| line.wrong == 0 && line.is_measured();
        let is_whole = |chart: &Drawn| {
            chart.rows.iter().filter(|row| row.ours).all(|row| row.figure.is_some()) && chart.lines.iter().all(is_right)
        };
        Ok(Exit::from(report.charts.iter().all(is_whole)))
    }

    fn report(&self, found: &FoundPrograms, rounds: usize, charts: Vec<Drawn>) -> BenchReport {
        BenchReport {
            version: leveret_server::RELEASE.to_owned(),
            time: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
            machine: found.machine.clone(),
            rounds,
            fair_defaults: self.fair_defaults,
            charts,
        }
    }

    /// Writes the results in all requested forms.
    fn tell(&self, report: &BenchReport, old: Option<&BenchReport>, json: bool) -> CommandResult {
        self.save(report)?;
        if json {
            let mut out = output::raw();
            output::json_line(&mut out, report)?;
            out.flush()?;
        } else {
            text::write(&mut output::text(), report)?;
        }
        tell_changes(report, old);
        Ok(Exit::from(report.charts.iter().flat_map(|chart| &chart.rows).any(|row| row.figure.is_some())))
    }

    /// The charts that are whole, and whether a signal has ended the run before all were.
    fn measure(&self, sheets: &[Sheet], found: &FoundPrograms) -> Result<(BenchReport, bool), Failure> {
        let place = BenchFolder::new()?;
        let run = BenchRun {
            place: &place,
            found,
            keys: self.keys,
            quick: self.quick,
            rounds: self.rounds.unwrap_or(if self.quick { 1 } else { 11 }),
            patience: self.patience,
            fair_defaults: self.fair_defaults,
        };
        let turns: usize = sheets.iter().map(|(chart, peers)| run.turns(chart, peers)).sum();
        let progress = LongWork::of_turns(turns as u64);
        let mut drawn = Vec::new();
        let mut stopped = false;
        for (chart, peers) in sheets {
            match run.chart(chart, peers, &progress) {
                Ok(chart) => drawn.push(chart),
                Err(Stopped) => {
                    stopped = true;
                    break;
                }
            }
        }
        Ok((self.report(found, run.rounds, drawn), stopped))
    }

    fn save(&self, report: &BenchReport) -> Result<(), Failure> {
        let write = |path: &Path, text: String| std::fs::write(path, text).map_err(|error| cannot_write(path, &error));
        if let Some(path) = &self.csv {
            write(path, report.csv())?;
        }
        if let Some(path) = &self.html {
            write(path, page::html(report))?;
        }
        if let Some(path) = &self.markdown {
            let pictures = self.svg.as_deref().map(|folder| beside(path, folder));
            write(path, markdown::markdown(report, pictures.as_deref()))?;
        }
        if let Some(folder) = &self.svg {
            std::fs::create_dir_all(folder).map_err(|error| cannot_write(folder, &error))?;
            for chart in &report.charts {
                write(&folder.join(format!("{}.svg", chart.name)), page::svg(chart))?;
            }
            if self.markdown.is_some() {
                write(&folder.join("rows.csv"), markdown::rows(report))?;
            }
        }
        Ok(())
    }
}

/// How a file names a folder: from where it lies, if the folder lies there too.
fn beside(file: &Path, folder: &Path) -> String {
    let from = file.parent().and_then(|parent| folder.strip_prefix(parent).ok());
    from.unwrap_or(folder).display().to_string()
}

fn tell_changes(report: &BenchReport, old: Option<&BenchReport>) {
    let Some(old) = old else { return };
    let mut out = anstream::stderr();
    let changes = report.changes(old);
    let none = changes.is_empty().then(|| "nothing beyond the spread".to_owned());
    for line in changes.into_iter().chain(none) {
        let _ = writeln!(out, "changed: {line}");
    }
}

fn list_suite(suite: &Suite, rows: &[&SuiteRow], found: &FoundPrograms) -> CommandResult {
    let mut out = output::text();
    for row in rows {
        writeln!(out, "{:<20} {}", row.name, row.title)?;
        for side in suite.sides_of(row).unwrap_or_default() {
            if let Some(why) = found.missing(side.side) {
                writeln!(out, "    {} is missing: {why}", side.title)?;
            }
        }
    }
    out.flush()?;
    Ok(Exit::Yes)
}

fn list(sheets: &[Sheet], found: &FoundPrograms) -> CommandResult {
    let mut out = output::text();
    let mut before: Vec<&str> = Vec::new();
    for (chart, peers) in sheets {
        writeln!(out, "{:<20} {}", chart.name, chart.title(chart.keys))?;
        let names: Vec<&str> = peers.iter().map(|peer| peer.name.as_str()).collect();
        // Charts of one kind have the same caches.
        if names != before {
            for peer in peers {
                let missing = found.missing(peer).map_or_else(String::new, |why| format!(" (missing: {why})"));
                writeln!(out, "    {:<24} {}{missing}", peer.name, peer.title)?;
            }
        }
        before = names;
    }
    out.flush()?;
    Ok(Exit::Yes)
}

fn read_report(path: &Path) -> Result<BenchReport, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        Failure::Unreachable(format!("cannot read {}: {}", path.display(), leveret_engine::reason(&error)))
    })?;
    serde_json::from_str(&text)
        .map_err(|error| Failure::Usage(format!("{} is not what --json writes: {error}", path.display())))
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Unreachable(format!("cannot write {}: {}", path.display(), leveret_engine::reason(error)))
}
