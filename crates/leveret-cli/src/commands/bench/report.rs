//! Results of a run: as data, and compared with an older run.
use super::found::Machine;
use leveret_rounds::{RatioTarget, Spread};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub struct BenchReport {
    pub version: String,
    /// Unix seconds.
    pub time: u64,
    pub machine: Machine,
    pub rounds: usize,
    /// All caches as installed, without settings in favour of the peers.
    pub fair_defaults: bool,
    pub charts: Vec<Drawn>,
}

/// What the figures of a chart count. Less is better, but for what a target says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Of older reports too, which do not say.
    #[default]
    Seconds,
    /// Of memory, for each item.
    Bytes,
    /// Of gets, those that missed.
    Percent,
    /// Of memory, in all.
    Memory,
    /// Of something else in the same round.
    Times,
    /// Instructions, or whatever else can be counted.
    Count,
    /// Of a server, in a second of its processor time.
    Requests,
    /// Of a CPU, in percent.
    Share,
}

impl Unit {
    /// Three digits.
    pub fn shown(self, figure: f64) -> String {
        match (self, figure) {
            (Unit::Seconds, less) if less < 1e-5 => format!("{:.0} ns", less * 1e9),
            (Unit::Seconds, less) if less < 1e-3 => format!("{:.0} µs", less * 1e6),
            (Unit::Seconds, less) if less < 1.0 => format!("{:.1} ms", less * 1e3),
            (Unit::Seconds, more) => format!("{more:.2} s"),
            (Unit::Bytes, bytes) => format!("{bytes:.0} B"),
            (Unit::Share, percent) => format!("{percent:.2} %"),
            (Unit::Percent, percent) => format!("{percent:.1} %"),
            (Unit::Memory, bytes) => format!("{:.2} MB", bytes / 1e6),
            (Unit::Times, times) => format!("{times:.2} x"),
            (Unit::Count | Unit::Requests, many) if many >= 1e6 => format!("{:.3} M", many / 1e6),
            (Unit::Count | Unit::Requests, count) => format!("{count:.0}"),
        }
    }

    /// Beside the least of a chart, which may be nothing at all: of misses.
    pub fn times(figure: f64, least: f64) -> String {
        match figure / least {
            _ if least <= 0.0 => String::new(),
            // Beside a long bar there is little room.
            times if times >= 100.0 => format!("{times:.0}x"),
            times => format!("{times:.1}x"),
        }
    }

    /// The head of a column of figures.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Seconds => "seconds",
            Unit::Bytes => "bytes an item",
            Unit::Percent => "percent of gets missed",
            Unit::Memory => "bytes",
            Unit::Times => "times",
            Unit::Count => "count",
            Unit::Requests => "requests per CPU second",
            Unit::Share => "percent of a CPU",
        }
    }

    /// Counts hardly differ between rounds, unlike times.
    pub fn is_counted(self) -> bool {
        matches!(self, Unit::Bytes | Unit::Percent)
    }

    /// The unit of an older figure's part.
    fn then(self) -> &'static str {
        match self {
            Unit::Seconds => "the time that it took then",
            Unit::Bytes => "the memory that it took then",
            Unit::Percent => "its misses of then",
            Unit::Times => "its ratio of then",
            Unit::Count => "what was counted then",
            Unit::Requests => "its rate of then",
            Unit::Share => "its share of then",
            Unit::Memory => "the memory that it took then",
        }
    }
}

/// One chart.
#[derive(Serialize, Deserialize)]
pub struct Drawn {
    pub name: String,
    pub title: String,
    pub means: String,
    /// Settings in favour of the peers, and their limits.
    pub fairness: String,
    pub keys: u32,
    /// Of the figures of its rows.
    #[serde(default)]
    pub unit: Unit,
    /// Which cache was measured twice in each round.
    pub control_of: Option<String>,
    /// The second figure of each round over the first.
    pub control: Option<Spread>,
    /// False if the control differs from itself: draw no conclusion.
    pub reliable: bool,
    pub rows: Vec<ReportRow>,
    /// Where it is a row of a suite: ours beside the peer.
    #[serde(default)]
    pub lines: Vec<JudgedLine>,
}

pub const NOT_MEASURED: &str = "not measured";

/// Ours beside a peer, and what is to be said of that.
#[derive(Serialize, Deserialize)]
pub struct JudgedLine {
    pub title: String,
    /// Rows of the same chart.
    pub peer: Option<String>,
    pub ours: String,
    /// Of each round ours to the peer; where only ours is judged, nothing.
    pub ratio: Option<Spread>,
    /// What should be 1.
    pub control: Option<Spread>,
    /// What a server without a cache reaches, to the peer.
    pub floor: Option<Spread>,
    pub target: Option<RatioTarget>,
    pub verdict: Option<String>,
    /// Wrong answers of ours and of the peer.
    pub wrong: u64,
    pub notes: Vec<String>,
}

impl JudgedLine {
    /// Both sides have figures, where there are two.
    pub fn is_measured(&self) -> bool {
        self.verdict.as_deref() != Some(NOT_MEASURED)
    }

    /// In one word.
    pub fn judged(&self) -> String {
        if self.wrong > 0 {
            return format!("{} WRONG", self.wrong);
        }
        let uneven = self.control.is_some_and(|control| !control.is_even()).then(|| "unreliable".to_owned());
        let said: Vec<String> = self.verdict.clone().into_iter().chain(uneven).collect();
        if said.is_empty() {
            "-".to_owned()
        } else {
            said.join(", ")
        }
    }
}

#[derive(Clone, Serialize, Deserialize)]
pub struct ReportRow {
    pub name: String,
    pub title: String,
    /// What the chart varies, of this row.
    #[serde(default)]
    pub variant: String,
    pub ours: bool,
    /// Without a cache: the time that all rows include.
    #[serde(default)]
    pub baseline: bool,
    /// In the chart's unit.
    #[serde(alias = "seconds")]
    pub figure: Option<Spread>,
    /// Processor seconds of the process that was timed, while it was; null where the chart does not say.
    pub client_cpu: Option<Spread>,
    /// Those of its servers, together.
    pub server_cpu: Option<Spread>,
    /// Parts of the figure; empty if the chart does not tell them.
    #[serde(default)]
    pub parts: Vec<Part>,
    /// What else was measured, in the chart's unit.
    #[serde(default)]
    pub beside: Vec<Part>,
    /// Of each round.
    pub rounds: Vec<f64>,
    /// Values that were read and compared, in all rounds.
    pub asked: u64,
    /// Those of them that were right.
    pub verified: u64,
    /// Published seconds, of another machine and without verified values.
    pub published: Option<f64>,
    /// Why there is nothing to draw.
    pub failed: Option<String>,
    pub command: Option<String>,
    pub server: Option<String>,
    pub program: Option<String>,
}

/// A share of a row's figure.
#[derive(Clone, Serialize, Deserialize)]
pub struct Part {
    pub name: String,
    pub figure: Spread,
}

impl ReportRow {
    pub fn published(title: &str, seconds: f64) -> ReportRow {
        ReportRow {
            name: title.replace(':', "-"),
            title: title.to_owned(),
            variant: String::new(),
            ours: false,
            baseline: false,
            figure: None,
            client_cpu: None,
            server_cpu: None,
            parts: Vec::new(),
            beside: Vec::new(),
            rounds: Vec::new(),
            asked: 0,
            verified: 0,
            published: Some(seconds),
            failed: None,
            command: None,
            server: None,
            program: None,
        }
    }

    /// The processor time of a client, and of its servers if it has any.
    pub fn cpu(&self) -> Option<String> {
        let client = Unit::Seconds.shown(self.client_cpu?.median);
        let servers = self.server_cpu.map(|cpu| format!(" + servers {}", Unit::Seconds.shown(cpu.median)));
        Some(client + &servers.unwrap_or_default())
    }

    /// The figure's parts, and the rest.
    pub fn profile(&self, unit: Unit) -> Option<String> {
        let rest = self.figure?.median - self.parts.iter().map(|part| part.figure.median).sum::<f64>();
        let parts = self.parts.iter().map(|part| format!("{} {}", part.name, unit.shown(part.figure.median)));
        (!self.parts.is_empty())
            .then(|| parts.chain([format!("all else {}", unit.shown(rest))]).collect::<Vec<_>>().join(" + "))
    }

    /// Not installed on this machine. A failed attempt is another case.
    fn is_missing(&self) -> bool {
        self.figure.is_none() && self.published.is_none() && self.command.is_none()
    }

    /// Text in place of its bar.
    pub fn excuse(&self) -> String {
        if let Some(seconds) = self.published {
            return format!("published: {}, another machine, not verified", Unit::Seconds.shown(seconds));
        }
        let what = if self.command.is_none() { "missing" } else { "fails" };
        format!("{what}: {}", self.failed.as_deref().unwrap_or("no figures"))
    }
}

/// The fastest of a chart, or of one of its variants.
pub struct First<'a> {
    pub chart: &'a Drawn,
    pub variant: &'a str,
    pub other: Option<&'a ReportRow>,
    pub ours: Option<&'a ReportRow>,
}

impl First<'_> {
    /// A row with its figure.
    pub fn shown(&self, row: Option<&ReportRow>) -> String {
        let figure = row.and_then(|row| Some((row, row.figure?.median)));
        figure.map_or_else(
            || "none".to_owned(),
            |(row, figure)| {
                let name = row.title.strip_suffix(self.variant).unwrap_or(&row.title);
                format!("{}: {}", name.trim_end_matches(", "), self.chart.unit.shown(figure))
            },
        )
    }

    /// The time of ours over that of the other's, and whether it can be relied on.
    pub fn ratio(&self) -> String {
        let figures = || Some((self.ours?.figure?.median, self.other?.figure?.median));
        let ratio = figures().filter(|(_, other)| *other > 0.0).map(|(ours, other)| format!("{:.2}", ours / other));
        let mark = if self.chart.reliable { "" } else { " (unreliable)" };
        ratio.map_or(String::new(), |ratio| ratio + mark)
    }
}

impl Drawn {
    /// Rows that are drawn.
    pub fn drawn(&self) -> impl Iterator<Item = &ReportRow> {
        self.rows.iter().filter(|row| !row.is_missing())
    }

    /// All that this machine does not have, in one line: `Not on this machine: Relay and KeyDB (PHP 8.2 has no extension
    /// relay)`.
    pub fn missing(&self) -> Option<String> {
        let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
        for row in self.rows.iter().filter(|row| row.is_missing()) {
            let why = row.failed.as_deref().unwrap_or("no figures");
            match reasons.iter_mut().find(|(known, _)| *known == why) {
                Some((_, titles)) => titles.push(&row.title),
                None => reasons.push((why, vec![&row.title])),
            }
        }
        let said: Vec<String> =
            reasons.into_iter().map(|(why, titles)| format!("{} ({why})", titles.join(" and "))).collect();
        (!said.is_empty()).then(|| format!("Not on this machine: {}.", said.join("; ")))
    }

    fn first(&self, variant: &str, ours: bool) -> Option<&ReportRow> {
        let rows = self.rows.iter().filter(|row| row.ours == ours && row.variant == variant && !row.baseline);
        let figures = rows.filter_map(|row| Some((row.figure?.median, row)));
        figures.min_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, row)| row)
    }
}

impl BenchReport {
    /// Warning above unreliable figures.
    pub fn caution(&self) -> Option<&'static str> {
        (self.rounds == 1)
            .then_some("One round: do not quote these figures. Nothing shows how far they vary (--rounds 9 would).")
    }

    /// The fastest of each chart, ours or not.
    pub fn firsts(&self) -> Vec<First<'_>> {
        let mut firsts: Vec<First> = Vec::new();
        for chart in &self.charts {
            for row in chart.rows.iter().filter(|row| row.published.is_none()) {
                if !firsts.iter().any(|first| std::ptr::eq(first.chart, chart) && first.variant == row.variant) {
                    let (other, ours) = (chart.first(&row.variant, false), chart.first(&row.variant, true));
                    firsts.push(First { chart, variant: &row.variant, other, ours });
                }
            }
        }
        firsts
    }

    /// A line for each round, for spreadsheets.
    pub fn csv(&self) -> String {
        let mut text = String::from("chart,cache,round,figure,unit,verified,asked,failed\n");
        for chart in &self.charts {
            for row in &chart.rows {
                let failed = quoted(row.failed.as_deref().unwrap_or_default());
                let tail = format!("{},{},{},{failed}\n", chart.unit.name(), row.verified, row.asked);
                for (round, figure) in row.rounds.iter().enumerate() {
                    text.push_str(&format!("{},{},{},{figure},{tail}", chart.name, row.name, round + 1));
                }
                if row.rounds.is_empty() {
                    text.push_str(&format!("{},{},,,{tail}", chart.name, row.name));
                }
            }
        }
        text
    }

    /// What differs from an older report by more than the spreads of both.
    pub fn changes(&self, old: &BenchReport) -> Vec<String> {
        let mut changes = Vec::new();
        for chart in &self.charts {
            let Some(then) = old.charts.iter().find(|other| other.name == chart.name) else { continue };
            if chart.keys != then.keys {
                let (now, then) = (chart.keys, then.keys);
                changes.push(format!("{}: nothing to compare: {now} keys now, {then} then", chart.name));
                continue;
            }
            for row in &chart.rows {
                let Some(before) = then.rows.iter().find(|other| other.name == row.name) else { continue };
                let what = match (&row.figure, &before.figure) {
                    (Some(now), Some(then)) if now.is_apart_from(then) => {
                        format!("{:.2} of {}", now.median / then.median, chart.unit.then())
                    }
                    (Some(_), None) => "can be measured now".to_owned(),
                    (None, Some(_)) => format!("was measured then: {}", row.failed.as_deref().unwrap_or("no figures")),
                    _ => continue,
                };
                changes.push(format!("{}, {}: {what}", chart.name, row.title));
            }
        }
        changes
    }
}

pub fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(rounds: &[f64]) -> BenchReport {
        let row = ReportRow {
            name: "a".to_owned(),
            title: "A".to_owned(),
            variant: String::new(),
            ours: false,
            baseline: false,
            figure: Spread::of(rounds.iter().copied()),
            client_cpu: None,
            server_cpu: None,
            parts: Vec::new(),
            beside: Vec::new(),
            rounds: rounds.to_vec(),
            asked: 2,
            verified: 2,
            published: None,
            failed: rounds.is_empty().then(|| "it said \"no\", twice".to_owned()),
            command: None,
            server: None,
            program: None,
        };
        let machine =
            Machine { cpu: String::new(), cpus: 1, kernel: String::new(), php: String::new(), versions: [].into() };
        let chart = Drawn {
            name: "read".to_owned(),
            title: String::new(),
            means: String::new(),
            fairness: String::new(),
            keys: 1,
            unit: Unit::Seconds,
            control_of: None,
            control: None,
            reliable: false,
            rows: vec![row],
            lines: Vec::new(),
        };
        BenchReport { version: String::new(), time: 0, machine, rounds: 1, fair_defaults: false, charts: vec![chart] }
    }

    #[test]
    fn only_what_is_beyond_both_spreads_has_changed() {
        let old = report(&[1.0, 1.1, 1.2]);
        assert!(report(&[1.15, 1.2, 1.3]).changes(&old).is_empty());
        assert_eq!(report(&[2.1, 2.2, 2.3]).changes(&old), ["read, A: 2.00 of the time that it took then"]);
        assert!(report(&[]).changes(&old)[0].contains("was measured then: it said"));
        assert_eq!(old.changes(&report(&[])), ["read, A: can be measured now"]);
    }

    #[test]
    fn a_report_of_the_time_when_all_figures_were_seconds_can_be_compared() {
        let now = serde_json::to_string(&report(&[1.0])).expect("it is plain");
        let then = now.replace("\"figure\"", "\"seconds\"").replace("\"unit\":\"seconds\",", "");
        let then: BenchReport = serde_json::from_str(&then).expect("the old form");
        assert_eq!(report(&[3.0]).changes(&then), ["read, A: 3.00 of the time that it took then"]);
    }

    #[test]
    fn what_is_missing_is_one_line_and_what_failed_stays_a_row() {
        let mut report = report(&[1.0, 2.0]);
        assert_eq!(report.charts[0].missing(), None);
        for (title, why, command) in [
            ("Relay", "no relay", None),
            ("KeyDB", "no relay", None),
            ("Yac", "no yac", None),
            ("X", "it crashed", Some("x")),
        ] {
            let row = ReportRow {
                failed: Some(why.to_owned()),
                command: command.map(str::to_owned),
                published: None,
                ..ReportRow::published(title, 1.0)
            };
            report.charts[0].rows.push(row);
        }
        report.charts[0].rows.push(ReportRow::published("somebody's", 1.0));
        let chart = &report.charts[0];
        assert_eq!(chart.missing().as_deref(), Some("Not on this machine: Relay and KeyDB (no relay); Yac (no yac)."));
        assert_eq!(chart.drawn().map(|row| row.title.as_str()).collect::<Vec<_>>(), ["A", "X", "somebody's"]);
    }

    #[test]
    fn one_round_is_not_to_be_quoted_and_unreliable_ratios_are_marked() {
        let mut report = report(&[1.0]);
        assert!(report.caution().is_some_and(|caution| caution.contains("do not quote")));
        report.rounds = 3;
        assert_eq!(report.caution(), None);
        let ours = ReportRow { ours: true, figure: Spread::of([0.5]), ..ReportRow::published("L", 1.0) };
        report.charts[0].rows.push(ours);
        assert_eq!(report.firsts()[0].ratio(), "0.50 (unreliable)");
        report.charts[0].reliable = true;
        assert_eq!(report.firsts()[0].ratio(), "0.50");
    }

    #[test]
    fn csv_has_a_line_a_round_and_quotes_what_needs_it() {
        assert_eq!(report(&[1.5, 2.0]).csv().lines().nth(2), Some("read,a,2,2,seconds,2,2,"));
        assert_eq!(report(&[]).csv().lines().nth(1), Some("read,a,,,seconds,2,2,\"it said \"\"no\"\", twice\""));
    }
}
