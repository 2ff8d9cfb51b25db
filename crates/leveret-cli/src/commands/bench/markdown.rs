//! All charts of a run as Markdown: for a page of documentation, or to paste into an issue.
use super::report::{quoted, BenchReport, Drawn, ReportRow, Unit};
use crate::units;
use leveret_rounds::Spread;

/// With a folder of pictures: these, a ratio for each variant, and a link to the rows. Without: a table for each chart.
pub fn markdown(report: &BenchReport, pictures: Option<&str>) -> String {
    let machine = &report.machine;
    let versions: Vec<String> = machine.versions.iter().map(|(name, found)| format!("{name} {found}")).collect();
    let mut text = format!(
        "{}, {} CPUs, Linux {}, PHP {}, {}. {} alternating rounds of each chart; medians.{}\n\n{}",
        plain(&machine.cpu),
        machine.cpus,
        plain(&machine.kernel),
        plain(&machine.php),
        plain(&versions.join(", ")),
        report.rounds,
        if report.fair_defaults { " Everybody as installed." } else { "" },
        pictures.map_or_else(|| summary(report), |folder| ratios(report, folder)),
    );
    for (at, chart) in report.charts.iter().enumerate() {
        match pictures {
            Some(folder) => text.push_str(&illustrated(chart, &report.charts[..at], folder)),
            None => text.push_str(&section(chart)),
        }
    }
    text
}

fn cautioned(report: &BenchReport) -> String {
    report.caution().map_or(String::new(), |caution| format!("**{caution}**\n\n"))
}

fn summary(report: &BenchReport) -> String {
    let mut text = cautioned(report) + "| chart | | fastest other | fastest Leveret | ratio |\n|---|---|---|---|---|\n";
    for first in report.firsts() {
        let ratio = first.ratio();
        let (name, variant) = (&first.chart.name, plain(first.variant));
        let (other, ours) = (plain(&first.shown(first.other)), plain(&first.shown(first.ours)));
        text.push_str(&format!("| [{name}](#{name}) | {variant} | {other} | {ours} | {ratio} |\n"));
    }
    text
}

/// A line for each chart, since the pictures have the figures.
fn ratios(report: &BenchReport, folder: &str) -> String {
    let mut text = cautioned(report) + "| chart | fastest Leveret / fastest other | control |\n|---|---|---|\n";
    let firsts = report.firsts();
    for chart in &report.charts {
        let of_chart = firsts.iter().filter(|first| std::ptr::eq(first.chart, chart));
        let ratios: Vec<String> =
            of_chart.map(|first| format!("{} {}", plain(first.variant), first.ratio()).trim().to_owned()).collect();
        let control =
            chart.control.map_or(String::new(), |of| format!("{:.2} ({:.2} to {:.2})", of.median, of.p10, of.p90));
        let name = &chart.name;
        text.push_str(&format!("| [{name}](#{name}) | {} | {control} |\n", ratios.join("; ")));
    }
    text + &format!("\n[All rows]({folder}/rows.csv)\n")
}

/// The text omits what the picture shows: failed rows, missing caches, and whether the chart is reliable.
fn illustrated(chart: &Drawn, before: &[Drawn], folder: &str) -> String {
    let (name, title, means) = (&chart.name, plain(&chart.title), plain(&chart.means));
    let same = before.iter().find(|other| other.fairness == chart.fairness);
    let fairness =
        same.map_or_else(|| plain(&chart.fairness), |other| format!("Settings as in [{0}](#{0}).", other.name));
    format!("\n## {name}\n**{title}.** {means}\n\n{fairness}\n\n![{name}]({folder}/{name}.svg)\n")
}

fn section(chart: &Drawn) -> String {
    let mut text = format!("\n## {}\n**{}.** {}\n", chart.name, plain(&chart.title), plain(&chart.means));
    if !chart.reliable {
        text.push_str("\nUnreliable: a cache differs from itself here.\n");
    }
    text.push_str(&table(chart));
    if let Some(missing) = chart.missing() {
        text.push_str(&format!("\n{}\n", plain(&missing)));
    }
    if let (Some(control), Some(title)) = (&chart.control, &chart.control_of) {
        let (median, p10, p90) = (control.median, control.p10, control.p90);
        text.push_str(&format!("\nControl: {} beside itself {median:.2} ({p10:.2} to {p90:.2}). ", plain(title)));
    } else {
        text.push('\n');
    }
    text.push_str(&format!("{}\n", plain(&chart.fairness)));
    text
}

fn table(chart: &Drawn) -> String {
    let mut text = String::new();
    let has = |what: fn(&ReportRow) -> bool| chart.rows.iter().any(what);
    let (has_cpu, has_profile) = (has(|row| row.client_cpu.is_some()), has(|row| !row.parts.is_empty()));
    let mut columns = vec!["cache", "median", "of the least", "four fifths of the rounds", "verified"];
    columns.extend(has_cpu.then_some("CPU"));
    columns.extend(has_profile.then_some("where the time goes"));
    text.push_str(&format!("\n| {} |\n|{}\n", columns.join(" | "), "---|".repeat(columns.len())));
    let least = chart.rows.iter().filter_map(|row| Some(row.figure?.median)).fold(f64::MAX, f64::min);
    for row in chart.drawn() {
        let title = if row.ours { format!("**{}**", plain(&row.title)) } else { plain(&row.title) };
        let mut cells = vec![title];
        match row.figure {
            Some(figure) => {
                let shown = |figure| chart.unit.shown(figure);
                cells.push(shown(figure.median));
                cells.push(Unit::times(figure.median, least));
                cells.push(format!("{} to {}", shown(figure.p10), shown(figure.p90)));
                cells.push(units::thousands(row.verified));
                cells.extend(has_cpu.then(|| row.cpu().unwrap_or_default()));
                cells.extend(has_profile.then(|| row.profile(chart.unit).unwrap_or_default()));
            }
            None => {
                cells.push(plain(&row.excuse()));
                cells.resize(columns.len(), String::new());
            }
        }
        text.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    text
}

/// A line for each row of all charts, beside the pictures. Times are seconds.
pub fn rows(report: &BenchReport) -> String {
    let mut text = String::from("chart,cache,unit,median,p10,p90,verified,client_cpu,server_cpu,parts,note\n");
    for chart in &report.charts {
        for row in &chart.rows {
            let cpu = |spread: &Option<Spread>| spread.map_or(String::new(), |cpu| format!("{:.6}", cpu.median));
            let figure =
                row.figure.map_or(",,".to_owned(), |of| format!("{:.7},{:.7},{:.7}", of.median, of.p10, of.p90));
            let parts = quoted(&row.profile(chart.unit).unwrap_or_default());
            let note = quoted(&row.figure.map_or_else(|| row.excuse(), |_| String::new()));
            let (title, unit) = (quoted(&row.title), chart.unit.name());
            let (client, server) = (cpu(&row.client_cpu), cpu(&row.server_cpu));
            text.push_str(&format!(
                "{},{title},{unit},{figure},{},{client},{server},{parts},{note}\n",
                chart.name, row.verified
            ));
        }
    }
    text
}

/// Neither a cell's end, nor HTML, nor emphasis.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for letter in text.split_whitespace().collect::<Vec<_>>().join(" ").chars() {
        if "|\\*`[]".contains(letter) {
            plain.push('\\');
        }
        match letter {
            '<' => plain.push_str("&lt;"),
            '&' => plain.push_str("&amp;"),
            letter => plain.push(letter),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_cache_says_stays_in_its_cell() {
        assert_eq!(plain("a|b\n<i> `x` *y* Leveret\\Cache"), "a\\|b &lt;i> \\`x\\` \\*y\\* Leveret\\\\Cache");
    }
}
