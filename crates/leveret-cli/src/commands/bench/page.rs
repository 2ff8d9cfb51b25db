//! The charts as SVG, and all of a run on one page that needs nothing else.
use super::report::{BenchReport, Drawn, ReportRow, Unit};
use crate::units;

// Narrow, with names above their bars: on a telephone the letters are still large enough.
const WIDTH: f64 = 440.0;
const LEFT: f64 = 8.0;
const RIGHT: f64 = 160.0;
const STEP: f64 = 38.0;
const TOP: f64 = 34.0;
/// A letter of the font, in the mean; a little more than it is.
const LETTER: f64 = 7.5;
/// What fits beside the left edge.
const EXCUSE_MAX: usize = 58;

const SVG_STYLE: &str = "\
text{font:13px system-ui,sans-serif;fill:#222}.faint{fill:#777}.bar{fill:#8a9bb0}.ours{fill:#d52b1e}\
.spread{stroke:#222;stroke-width:1}.title{font-weight:600}\
@media(prefers-color-scheme:dark){text{fill:#e6e6e6}.faint{fill:#9a9a9a}.bar{fill:#5d7087}.ours{fill:#ff6a5c}\
.spread{stroke:#e6e6e6}}";

const PAGE_STYLE: &str = "\
:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem}\
svg{width:100%;max-width:36rem;height:auto;display:block}table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.2rem .6rem .2rem 0;\
vertical-align:top}pre{white-space:pre-wrap;overflow-wrap:anywhere;font-size:.8rem}.wide{overflow-x:auto}\
.warning{border-left:4px solid #d58a00;padding-left:.6rem}\
@media screen and (max-width:40rem){table{font-size:.72rem}td,th,p,h1,h2,h3{overflow-wrap:anywhere}td,th{padding-right:.3rem}}\
@media print{:root{color-scheme:light}body{max-width:none;font-size:10pt}details{display:none}.wide{overflow:visible}\
svg{max-width:11cm;break-inside:avoid}h2{break-before:page}h2,h3{break-after:avoid}tr,p{break-inside:avoid}td{overflow-wrap:anywhere}}";

/// One chart.
pub fn svg(chart: &Drawn) -> String {
    bars(chart, &chart.title, &chart.drawn().collect::<Vec<_>>())
}

/// The same in parts, one for each of what the chart varies, so that none is longer than a screen or a sheet of paper. All have one scale.
fn svgs(chart: &Drawn) -> String {
    let rows: Vec<&ReportRow> = chart.drawn().collect();
    let parts: Vec<&[&ReportRow]> = rows.chunk_by(|row, next| row.variant == next.variant).collect();
    if parts.len() <= 1 {
        return svg(chart);
    }
    let title = |rows: &[&ReportRow]| match rows[0].published {
        Some(_) => "As published".to_owned(),
        None => rows[0].variant.clone(),
    };
    parts.into_iter().map(|rows| bars(chart, &title(rows), rows)).collect()
}

/// These rows of it. Bars of times are on a logarithmic scale: some are a thousand times others.
fn bars(chart: &Drawn, title: &str, rows: &[&ReportRow]) -> String {
    let height = TOP + STEP * rows.len() as f64 + 26.0;
    let medians = || chart.rows.iter().filter_map(|row| Some(row.figure?.median));
    let shortest = medians().fold(f64::MAX, f64::min);
    let (least, logarithmic) = (shortest / 2.0, chart.unit == Unit::Seconds);
    let most = medians().fold(f64::MIN_POSITIVE, f64::max).max(least * 2.0);
    let wide = WIDTH - LEFT - RIGHT;
    let place = |figure: f64| {
        let part = if logarithmic { (figure / least).ln() / (most / least).ln() } else { figure / most };
        LEFT + (wide * part).clamp(0.0, wide)
    };
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\">\
         <title>{0}</title><style>{SVG_STYLE}</style><text class=\"title\" x=\"8\" y=\"20\"{1}>{0}</text>\n",
        escaped(title),
        squeezed(title)
    );
    for (number, row) in rows.iter().enumerate() {
        let top = TOP + STEP * number as f64;
        let (name_base, base) = (top + 13.0, top + 30.0);
        let verified = match row.figure {
            Some(_) => format!(" <tspan class=\"faint\">{} verified</tspan>", units::thousands(row.verified)),
            None => String::new(),
        };
        let title = escaped(&row.title);
        let whole = match row.figure {
            Some(_) => format!("{} {} verified", row.title, units::thousands(row.verified)),
            None => row.title.clone(),
        };
        let squeezed = squeezed(&whole);
        text.push_str(&format!("<text x=\"{LEFT}\" y=\"{name_base}\"{squeezed}>{title}{verified}</text>"));
        match &row.figure {
            Some(figure) => {
                let class = if row.ours { "ours" } else { "bar" };
                let (end, low, high) = (place(figure.median), place(figure.p10), place(figure.p90));
                let (bar_top, middle, wide) = (top + 18.0, top + 25.0, (end - LEFT).max(1.0));
                let after = end.max(high) + 6.0;
                let said = [chart.unit.shown(figure.median), Unit::times(figure.median, shortest)].join(" · ");
                text.push_str(&format!(
                    "<rect class=\"{class}\" x=\"{LEFT}\" y=\"{bar_top}\" width=\"{wide:.1}\" height=\"14\"/>\
                     <line class=\"spread\" x1=\"{low:.1}\" x2=\"{high:.1}\" y1=\"{middle}\" y2=\"{middle}\"/>\
                     <text x=\"{after:.1}\" y=\"{base}\">{said}</text>\n"
                ));
            }
            None => {
                let why = row.excuse();
                let short: String = why.chars().take(EXCUSE_MAX).collect();
                let dots = if short.len() < why.len() { "…" } else { "" };
                text.push_str(&format!(
                    "<text class=\"faint\" x=\"{LEFT}\" y=\"{base}\">{}{dots}</text>\n",
                    escaped(&short)
                ));
            }
        }
    }
    let verdict = if chart.reliable { "" } else { "Unreliable: a cache differs from itself. " };
    let scale = if logarithmic { "Logarithmic; shorter is better" } else { "Shorter is better" };
    let foot = format!("{verdict}{scale}");
    text.push_str(&format!(
        "<text class=\"faint\" x=\"{LEFT}\" y=\"{}\"{}>{foot}</text></svg>\n",
        height - 8.0,
        squeezed(&foot)
    ));
    text
}

/// A line that is longer than the picture is wide is drawn narrower, so that its end is not cut off.
fn squeezed(line: &str) -> String {
    let width = WIDTH - 2.0 * LEFT;
    if line.chars().count() as f64 * LETTER <= width {
        return String::new();
    }
    format!(" textLength=\"{width}\" lengthAdjust=\"spacingAndGlyphs\"")
}

/// Machine, charts, and all that is behind each bar.
pub fn html(report: &BenchReport) -> String {
    let machine = &report.machine;
    let mut text = format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>leveret bench</title>\
         <style>{PAGE_STYLE}</style>\n<h1>Caches compared</h1>\n<p>{}, {} CPUs, Linux {}. PHP {}, leveret {}. \
         {} alternating rounds, medians; the thin line is where four fifths of the rounds lie.{}</p>\n<p>{}</p>\n",
        escaped(&machine.cpu),
        machine.cpus,
        escaped(&machine.kernel),
        escaped(&machine.php),
        escaped(&report.version),
        report.rounds,
        if report.fair_defaults { " Everybody as installed." } else { " Peers are tuned: see the command lines." },
        escaped(&machine.versions.iter().map(|(name, found)| format!("{name} {found}")).collect::<Vec<_>>().join(", ")),
    );
    if let Some(caution) = report.caution() {
        text.push_str(&format!("<p class=\"warning\">{caution}</p>\n"));
    }
    text.push_str(
        "<div class=\"wide\"><table><thead><tr><th>chart<th><th>fastest other<th>fastest Leveret<th>ratio<tbody>\n",
    );
    for first in report.firsts() {
        let ratio = first.ratio();
        let (other, ours) = (escaped(&first.shown(first.other)), escaped(&first.shown(first.ours)));
        let (name, variant) = (escaped(&first.chart.name), escaped(first.variant));
        text.push_str(&format!(
            "<tr><td><a href=\"#{name}\">{name}</a><td>{variant}<td>{other}<td>{ours}<td>{ratio}\n"
        ));
    }
    text.push_str("</table></div>\n");
    for chart in &report.charts {
        text.push_str(&format!(
            "<h2 id=\"{}\">{}</h2>\n<p>{}</p>\n",
            escaped(&chart.name),
            escaped(&chart.title),
            escaped(&chart.means)
        ));
        if !chart.fairness.is_empty() {
            text.push_str(&format!("<p>Fairness: {}</p>\n", escaped(&chart.fairness)));
        }
        if !chart.reliable {
            text.push_str("<p class=\"warning\">Unreliable: a cache differs from itself here.</p>\n");
        }
        text.push_str(&svgs(chart));
        if let Some(missing) = chart.missing() {
            text.push_str(&format!("<p>{}</p>\n", escaped(&missing)));
        }
        if let (Some(control), Some(title)) = (&chart.control, &chart.control_of) {
            text.push_str(&format!(
                "<p>Control: {} beside itself {:.2} ({:.2} to {:.2}).</p>\n",
                escaped(title),
                control.median,
                control.p10,
                control.p90
            ));
        }
        let is_profiled = chart.rows.iter().any(|row| !row.parts.is_empty());
        text.push_str("<div class=\"wide\"><table class=\"data\"><thead><tr><th>cache<th>verified<th>CPU<th>");
        text.push_str(if is_profiled { "where the time goes<th>" } else { "" });
        text.push_str(&format!("{} in each round<tbody>\n", chart.unit.name()));
        chart.drawn().for_each(|row| text.push_str(&data(row, is_profiled.then_some(chart.unit))));
        text.push_str("</table></div>\n<details><summary>Command lines and programs</summary>\n");
        for row in chart.rows.iter().filter(|row| row.command.is_some()) {
            text.push_str(&format!("<h3>{}</h3><pre>", escaped(&row.title)));
            for line in [&row.server, &row.command, &row.program].into_iter().flatten() {
                text.push_str(&escaped(line));
                text.push('\n');
            }
            text.push_str("</pre>\n");
        }
        text.push_str("</details>\n");
    }
    text.push_str("</html>\n");
    text
}

/// With a column for its profile, if that has a unit.
fn data(row: &ReportRow, profiled: Option<Unit>) -> String {
    let rounds: Vec<String> = row.rounds.iter().map(|figure| format!("{figure:.6}")).collect();
    let said = match &row.failed {
        None if row.published.is_none() => rounds.join(" "),
        _ => row.excuse(),
    };
    let cpu = row.cpu().unwrap_or_default();
    let profile = profiled.map(|unit| format!("<td>{}", row.profile(unit).unwrap_or_default())).unwrap_or_default();
    let title = escaped(&row.title);
    format!("<tr><td>{title}<td>{} of {}<td>{cpu}{profile}<td>{}\n", row.verified, row.asked, escaped(&said))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_squeezed_and_short_ones_are_not() {
        assert_eq!(squeezed("short"), "");
        assert!(squeezed(&"l".repeat(60)).contains("textLength=\"424\""));
    }

    #[test]
    fn what_a_cache_says_is_no_markup() {
        assert_eq!(escaped("<b a=\"1\">&"), "&lt;b a=&quot;1&quot;&gt;&amp;");
    }
}
