//! The rounds: each cache has one turn in each, in rotating order.
use super::charts::{Chart, ChartLanguage, Variant};
use super::found::FoundPrograms;
use super::peer::{CachePeer, PeerServer};
use super::place::{BenchFolder, Running, TurnTrouble};
use super::report::{Drawn, Part, ReportRow};
use crate::output::LongWork;
use leveret_rounds::{order, Spread};
use serde::Deserialize;
use std::path::Path;
use std::time::Duration;

pub struct BenchRun<'a> {
    pub place: &'a BenchFolder,
    pub found: &'a FoundPrograms,
    /// Instead of each chart's own number.
    pub keys: Option<u32>,
    pub quick: bool,
    pub rounds: usize,
    pub patience: Duration,
    pub fair_defaults: bool,
}

/// What the program of a turn prints.
#[derive(Deserialize)]
struct Figures {
    #[serde(alias = "seconds", alias = "bytes", alias = "percent")]
    figure: f64,
    #[serde(default)]
    client_cpu: Option<f64>,
    #[serde(default)]
    server_cpu: Option<f64>,
    /// Parts of the figure.
    #[serde(default)]
    parts: Vec<(String, f64)>,
    asked: u64,
    done: u64,
    right: u64,
    said: Option<String>,
}

/// Subject of a row.
struct Side<'a> {
    peer: &'a CachePeer,
    variant: &'a Variant,
}

/// A signal has ended the run.
pub struct Stopped;

impl BenchRun<'_> {
    /// One cache has two turns in each round: the ratio of the second to the first is the control.
    pub fn chart(&self, chart: &Chart, peers: &[CachePeer], progress: &LongWork) -> Result<Drawn, Stopped> {
        let sides: Vec<Side> =
            self.variants(chart).flat_map(|variant| peers.iter().map(move |peer| Side { peer, variant })).collect();
        let mut rows: Vec<ReportRow> = sides.iter().map(|side| self.row(side)).collect();
        let mut turns: Vec<Vec<Figures>> = rows.iter().map(|_| Vec::new()).collect();
        let mut control: Option<usize> = None;
        let mut again: Vec<Option<f64>> = vec![None; self.rounds_of(chart)];
        let mut first: Vec<Option<f64>> = vec![None; self.rounds_of(chart)];
        for round in 0..self.rounds_of(chart) {
            for side in order(rows.len() + 1, round) {
                let is_control = side == rows.len();
                if is_control && round == 0 {
                    control = rows.iter().position(|row| row.failed.is_none());
                }
                let number = if is_control { control } else { Some(side) };
                if let Some(number) = number.filter(|number| rows[*number].failed.is_none()) {
                    progress.now(format!("{}: {}", chart.name, rows[number].title));
                    // What the control verifies is not the row's.
                    let mut second = self.row(&sides[number]);
                    let row = if is_control { &mut second } else { &mut rows[number] };
                    match self.turn(chart, &sides[number], row) {
                        Ok(figures) if is_control => again[round] = Some(figures.figure),
                        Ok(figures) => {
                            rows[number].rounds.push(figures.figure);
                            if control.is_none_or(|control| control == number) {
                                first[round] = first[round].or(Some(figures.figure));
                            }
                            turns[number].push(figures);
                        }
                        Err(TurnTrouble::Stopped) => return Err(Stopped),
                        Err(TurnTrouble::Failed(why)) => rows[number].failed = Some(shortened(&why)),
                    }
                }
                progress.advance(1);
            }
        }
        for (row, turns) in rows.iter_mut().zip(turns).filter(|(row, _)| row.failed.is_none()) {
            row.figure = Spread::of(row.rounds.iter().copied());
            row.client_cpu = Spread::of(turns.iter().filter_map(|turn| turn.client_cpu));
            row.server_cpu = Spread::of(turns.iter().filter_map(|turn| turn.server_cpu));
            row.parts = parts_of(&turns);
        }
        let ratios = again.iter().zip(&first).filter_map(|(again, first)| Some(ratio((*again)?, (*first)?)));
        let published = chart.published.iter().map(|(title, seconds)| ReportRow::published(title, *seconds));
        let control_spread = Spread::of(ratios);
        Ok(Drawn {
            name: chart.name.to_owned(),
            title: chart.title(self.keys_of(chart)),
            means: chart.means.to_owned(),
            fairness: chart.fairness.to_owned(),
            keys: self.keys_of(chart),
            unit: chart.unit,
            control_of: control.map(|number| rows[number].title.clone()),
            reliable: control_spread.is_some_and(|spread| spread.is_even()),
            control: control_spread,
            rows: rows.into_iter().chain(published).collect(),
            lines: Vec::new(),
        })
    }

    /// Three are enough to see whether counts differ.
    fn rounds_of(&self, chart: &Chart) -> usize {
        if chart.unit.is_counted() {
            self.rounds.min(3)
        } else {
            self.rounds
        }
    }

    /// The turns of this chart, the control's among them.
    pub fn turns(&self, chart: &Chart, peers: &[CachePeer]) -> usize {
        self.rounds_of(chart) * (peers.len() * self.variants(chart).count() + 1)
    }

    /// A quick run only has the first and the last variant.
    fn variants<'c>(&self, chart: &'c Chart) -> impl Iterator<Item = &'c Variant> {
        let step = if self.quick { (chart.variants.len() - 1).max(1) } else { 1 };
        chart.variants.iter().step_by(step)
    }

    fn keys_of(&self, chart: &Chart) -> u32 {
        let own = if self.quick { chart.keys_if_quick() } else { chart.keys };
        self.keys.unwrap_or(own)
    }

    fn with_cpus(&self, text: &str) -> String {
        text.replace("{cpus}", &self.found.machine.cpus.max(4).to_string())
    }

    fn row(&self, Side { peer, variant }: &Side) -> ReportRow {
        let joined = |first: &str, between: &str, second: &str| match second {
            "" => first.to_owned(),
            _ => format!("{first}{between}{second}"),
        };
        ReportRow {
            name: joined(&peer.name, "-", variant.name),
            title: joined(&peer.title, ", ", &self.with_cpus(variant.title)),
            variant: self.with_cpus(variant.title),
            ours: peer.is_ours(),
            baseline: peer.baseline,
            figure: None,
            client_cpu: None,
            server_cpu: None,
            parts: Vec::new(),
            beside: Vec::new(),
            rounds: Vec::new(),
            asked: 0,
            verified: 0,
            published: None,
            failed: self.found.missing(peer),
            command: None,
            server: None,
            program: None,
        }
    }

    fn turn(&self, chart: &Chart, Side { peer, variant }: &Side, row: &mut ReportRow) -> Result<Figures, TurnTrouble> {
        let turn = self.place.turn()?;
        let (program, keys) = (chart.program_of(peer), self.keys_of(chart));
        let file = match chart.language {
            ChartLanguage::Php => "turn.php",
            ChartLanguage::Ruby => "turn.rb",
            ChartLanguage::Own => "bench-turn",
        };
        if chart.language != ChartLanguage::Own {
            std::fs::write(turn.folder.join(file), &program)?;
            row.program = Some(program);
        }
        let mut servers: Vec<Running> = Vec::new();
        let mut address = turn.folder.join("client").display().to_string();
        if let (Some(kind), Some(by)) = (peer.server, peer.by) {
            let path =
                self.found.server(kind).ok_or_else(|| TurnTrouble::Failed("its server is not there".to_owned()))?;
            let (mut addresses, mut lines) = (Vec::new(), Vec::new());
            for number in 0..variant.servers {
                let (running, reached, line) = turn.serve(&path, kind, by, number, (chart.memory_mib)(keys))?;
                addresses.push(reached);
                lines.push(line);
                servers.push(running);
            }
            address = addresses.join(",");
            row.server = Some(lines.join("\n"));
        }
        let pids: String = servers.iter().map(|server| format!("{}\n", server.pid())).collect();
        std::fs::write(turn.folder.join("server/pids"), pids)?;
        let folder = turn.folder.join(if peer.short_cut { "server" } else { "client" });
        let own = self.found.server(PeerServer::Leveret).unwrap_or_default();
        let (language, mut words) = match chart.language {
            ChartLanguage::Php => (self.found.php.as_path(), self.php_words(chart, peer, &folder)),
            ChartLanguage::Ruby => (self.found.ruby(), self.found.ruby_words()),
            ChartLanguage::Own => (own.as_path(), Vec::new()),
        };
        words.push(file.to_owned());
        words.extend(chart.words.iter().chain(variant.words).map(|word| self.with_cpus(word)));
        if let (ChartLanguage::Own, Some(server)) = (chart.language, peer.server) {
            words.push(server.name());
        }
        words.extend([keys.to_string(), address, folder.display().to_string()]);
        row.command = Some(format!("{} {}", language.display(), words.join(" ")));
        let (status, said) = turn.run(language, &words, self.patience)?;
        if let Some(how) = servers.iter_mut().find_map(Running::ended) {
            return Err(TurnTrouble::Failed(format!("its server has ended in the middle, {how}")));
        }
        drop(servers);
        // A library may print something before it.
        let line = said.lines().last().unwrap_or_default();
        let figures: Figures = serde_json::from_str(line).map_err(|_| {
            TurnTrouble::Failed(if said.is_empty() {
                format!("ended with {status}")
            } else {
                format!("{status}: {said}")
            })
        })?;
        if !status.success() {
            return Err(TurnTrouble::Failed(format!("ended with {status}")));
        }
        row.asked += figures.asked;
        row.verified += figures.right;
        let why = figures.said.as_ref().map_or_else(String::new, |said| format!("; {said}"));
        if figures.right != figures.asked || figures.asked != u64::from(keys) {
            return Err(TurnTrouble::Failed(format!("{} of {} values were right{why}", figures.right, keys)));
        }
        if figures.done != figures.asked {
            return Err(TurnTrouble::Failed(format!("{} of {} stores said yes{why}", figures.done, figures.asked)));
        }
        Ok(figures)
    }

    fn php_words(&self, chart: &Chart, peer: &CachePeer, arenas: &Path) -> Vec<String> {
        let mut settings = vec!["memory_limit=-1".to_owned(), "display_errors=stderr".to_owned()];
        settings.extend(peer.extensions.iter().map(|name| self.found.extension(name)));
        if peer.is_ours() {
            settings.push(format!("leveret.dir={}", arenas.display()));
        }
        settings.extend(peer.ini.iter().cloned());
        settings.extend(peer.tuned.iter().filter(|_| !self.fair_defaults).cloned());
        let (keys, memory) = (self.keys_of(chart), (chart.memory_mib)(self.keys_of(chart)));
        let filled =
            |setting: String| setting.replace("{memory}", &memory.to_string()).replace("{keys}", &keys.to_string());
        let words = settings.into_iter().flat_map(|setting| ["-d".to_owned(), filled(setting)]);
        ["-n".to_owned()].into_iter().chain(words).collect()
    }
}

/// In the order of the first turn.
fn parts_of(turns: &[Figures]) -> Vec<Part> {
    let names = turns.first().into_iter().flat_map(|turn| &turn.parts).map(|(name, _)| name);
    names
        .filter_map(|name| {
            let of_turn =
                |turn: &Figures| turn.parts.iter().find(|(other, _)| other == name).map(|(_, figure)| *figure);
            Some(Part { name: name.clone(), figure: Spread::of(turns.iter().filter_map(of_turn))? })
        })
        .collect()
}

/// One where both are nothing, as misses can be.
fn ratio(again: f64, first: f64) -> f64 {
    if again == first {
        1.0
    } else {
        again / first
    }
}

/// For one line of a table.
pub fn shortened(why: &str) -> String {
    let line = why.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= 200 {
        return line;
    }
    line.chars().take(199).chain(['…']).collect()
}
