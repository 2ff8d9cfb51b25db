//! The charts, for terminals.
use super::report::{BenchReport, Drawn, JudgedLine, Unit};
use super::suite::Suite;
use crate::output::{BAD, FAINT, STRONG, WARNING};
use leveret_rounds::{RatioTarget, Spread};
use std::io::{self, Write};

const BAR: usize = 30;
/// Load of the last minute above which two processes do not have two CPUs for themselves on a small machine.
const BUSY: f64 = 0.5;

pub fn write(out: &mut impl Write, report: &BenchReport) -> io::Result<()> {
    write_machine(out, report)?;
    if let Some(caution) = report.caution() {
        writeln!(out, "{WARNING}{caution}{WARNING:#}")?;
    }
    let mut is_table = false;
    for chart in &report.charts {
        if chart.lines.is_empty() {
            write_chart(out, chart)?;
        } else {
            if !is_table {
                write_table_head(out)?;
            }
            chart.lines.iter().try_for_each(|line| write_line(out, chart, line, false))?;
        }
        is_table = !chart.lines.is_empty();
    }
    out.flush()
}

fn write_machine(out: &mut impl Write, report: &BenchReport) -> io::Result<()> {
    let machine = &report.machine;
    writeln!(out, "{FAINT}{}, {} CPUs, Linux {}, PHP {}", machine.cpu, machine.cpus, machine.kernel, machine.php)?;
    let versions: Vec<String> = machine.versions.iter().map(|(name, version)| format!("{name} {version}")).collect();
    writeln!(out, "{}{FAINT:#}", versions.join(", "))
}

/// What stands above the rows of a suite.
pub fn suite_head(out: &mut impl Write, suite: &Suite, report: &BenchReport, quick: bool) -> io::Result<()> {
    writeln!(out, "{STRONG}{}{STRONG:#}", suite.title)?;
    write_machine(out, report)?;
    writeln!(
        out,
        "{} rounds. A ratio is their median [10th percentile .. 90th percentile]: ours to peer, and as control peer to peer.\n\
         Where a control differs from itself by more than its spread and 5 %, its row is unreliable.",
        report.rounds
    )?;
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load: f64 = load.split_whitespace().next().and_then(|load| load.parse().ok()).unwrap_or(0.0);
    if load > BUSY && !quick {
        writeln!(
            out,
            "{WARNING}The load was {load:.1} in the minute before.{WARNING:#} If that is something else that still runs, the spread is wide \
             and rows with several processes mean little."
        )?;
    }
    write_table_head(out)?;
    out.flush()
}

fn write_table_head(out: &mut impl Write) -> io::Result<()> {
    writeln!(out)?;
    write_cells(out, ["row", "peer", "ours", "ratio", "control", "target", "verdict"].map(String::from))
}

/// The lines of a row, once it has been measured.
pub fn suite_lines(out: &mut impl Write, charts: &[Drawn], quick: bool) -> io::Result<()> {
    for chart in charts {
        chart.lines.iter().try_for_each(|line| write_line(out, chart, line, quick))?;
    }
    out.flush()
}

fn write_line(out: &mut impl Write, chart: &Drawn, line: &JudgedLine, quick: bool) -> io::Result<()> {
    let several = chart
        .rows
        .iter()
        .filter(|row| !row.ours)
        .map(|row| &row.title)
        .collect::<std::collections::BTreeSet<_>>()
        .len()
        > 1;
    let shown = |name: Option<&str>| {
        let row = chart.rows.iter().find(|row| Some(row.name.as_str()) == name);
        let figure = row.and_then(|row| Some((row, row.figure?)));
        figure.map_or_else(
            || "-".to_owned(),
            |(row, figure)| {
                let named = if several && !row.ours { format!(" {}", row.title) } else { String::new() };
                chart.unit.shown(figure.median) + &named
            },
        )
    };
    let spread = |spread: &Option<Spread>| spread.as_ref().map_or_else(|| "-".to_owned(), shown_spread);
    let target = match line.target {
        None => "-".to_owned(),
        Some(target) => {
            let (sign, limit) = match target {
                RatioTarget::AtLeast(limit) => (">=", limit),
                RatioTarget::AtMost(limit) => ("<=", limit),
            };
            // Of ours alone it is a figure.
            let limit = if line.ratio.is_some() { short(limit) } else { chart.unit.shown(limit) };
            format!("{sign} {limit}")
        }
    };
    let judged = match line.judged() {
        _ if quick && line.wrong == 0 && line.is_measured() => "verified".to_owned(),
        judged => judged,
    };
    let (peer, ours) = (shown(line.peer.as_deref()), shown(Some(&line.ours)));
    write_cells(out, [line.title.clone(), peer, ours, spread(&line.ratio), spread(&line.control), target, judged])?;
    line.notes.iter().try_for_each(|note| writeln!(out, "    {FAINT}{note}{FAINT:#}"))
}

fn write_cells(
    out: &mut impl Write,
    [row, peer, ours, ratio, control, target, verdict]: [String; 7],
) -> io::Result<()> {
    writeln!(out, "{row:<76}  {peer:>20}  {ours:>20}  {ratio:<24}  {control:<24}  {target:<14}  {verdict}")
}

fn shown_spread(spread: &Spread) -> String {
    let [median, p10, p90] = [spread.median, spread.p10, spread.p90].map(short);
    if p10 == p90 {
        median
    } else {
        format!("{median} [{p10} .. {p90}]")
    }
}

/// Three digits behind the point, or as many that say something.
fn short(ratio: f64) -> String {
    if ratio >= 0.1 || ratio == 0.0 {
        return format!("{ratio:.3}");
    }
    let digits = (2.0 - ratio.abs().log10().floor()) as usize;
    format!("{ratio:.digits$}")
}

fn write_chart(out: &mut impl Write, chart: &Drawn) -> io::Result<()> {
    writeln!(out, "\n{STRONG}{}{STRONG:#}", chart.title)?;
    let width = chart.drawn().map(|row| row.title.chars().count()).max().unwrap_or(0);
    let medians = || chart.rows.iter().filter_map(|row| Some(row.figure?.median));
    let least = medians().fold(f64::MAX, f64::min);
    let (most, unit) = (medians().fold(f64::MIN_POSITIVE, f64::max), chart.unit);
    for row in chart.drawn() {
        match (&row.figure, &row.failed) {
            (Some(figure), None) => {
                let bar = "█".repeat(((BAR as f64 * figure.median / most).round() as usize).max(1));
                let style = if row.ours { STRONG } else { FAINT };
                writeln!(
                    out,
                    "  {:width$}  {style}{bar:BAR$}{style:#} {:>9}  {:>8}  {FAINT}{} to {}, {} verified{}{}{FAINT:#}",
                    row.title,
                    unit.shown(figure.median),
                    Unit::times(figure.median, least),
                    unit.shown(figure.p10),
                    unit.shown(figure.p90),
                    row.verified,
                    row.cpu().map_or_else(String::new, |cpu| format!(", CPU {cpu}")),
                    row.profile(unit).map_or_else(String::new, |profile| format!("; {profile}"))
                )?;
            }
            _ => {
                let style = if row.published.is_some() { FAINT } else { BAD };
                writeln!(out, "  {:width$}  {style}{}{style:#}", row.title, row.excuse())?;
            }
        }
    }
    if let Some(missing) = chart.missing() {
        writeln!(out, "  {FAINT}{missing}{FAINT:#}")?;
    }
    match (&chart.control, &chart.control_of) {
        (Some(control), Some(title)) => writeln!(
            out,
            "  {FAINT}control: {title} beside itself {:.2} ({:.2} to {:.2}){FAINT:#}",
            control.median, control.p10, control.p90
        )?,
        _ => writeln!(out, "  {FAINT}no control: nothing could be measured twice{FAINT:#}")?,
    }
    if !chart.reliable {
        writeln!(out, "  {WARNING}unreliable:{WARNING:#} a cache differs from itself; measure again with more rounds")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_ratios_keep_three_digits() {
        for (ratio, want) in [
            (1.0, "1.000"),
            (0.64, "0.640"),
            (0.1, "0.100"),
            (0.05, "0.0500"),
            (0.000_512_3, "0.000512"),
            (0.0, "0.000"),
        ] {
            assert_eq!(short(ratio), want);
        }
        assert_eq!(shown_spread(&Spread { median: 1.0, p10: 1.0, p90: 1.0 }), "1.000");
        assert_eq!(shown_spread(&Spread { median: 1.0, p10: 0.9, p90: 1.25 }), "1.000 [0.900 .. 1.250]");
    }
}
