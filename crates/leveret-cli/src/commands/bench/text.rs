//! The charts, for terminals.
use super::report::{BenchReport, Drawn, Unit};
use crate::output::{BAD, FAINT, STRONG, WARNING};
use std::io::{self, Write};

const BAR: usize = 30;

pub fn write(out: &mut impl Write, report: &BenchReport) -> io::Result<()> {
    let machine = &report.machine;
    writeln!(out, "{FAINT}{}, {} CPUs, Linux {}, PHP {}", machine.cpu, machine.cpus, machine.kernel, machine.php)?;
    let versions: Vec<String> = machine.versions.iter().map(|(name, version)| format!("{name} {version}")).collect();
    writeln!(out, "{}{FAINT:#}", versions.join(", "))?;
    if let Some(caution) = report.caution() {
        writeln!(out, "{WARNING}{caution}{WARNING:#}")?;
    }
    for chart in &report.charts {
        write_chart(out, chart)?;
    }
    out.flush()
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
