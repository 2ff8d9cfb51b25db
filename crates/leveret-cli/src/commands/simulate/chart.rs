//! The curves, for terminals and as SVG.
use super::run::{Curve, CurvePoint};
use crate::units;
use plotters::prelude::*;
use std::path::Path;
use textplots::{AxisBuilder, Chart, ColorPlot, LabelBuilder, LabelFormat, LineStyle, Shape};

impl Curve {
    fn color(self) -> (u8, u8, u8) {
        match self {
            Curve::Arena => (213, 43, 30),
            Curve::Lru => (31, 119, 180),
            Curve::Memcached => (44, 140, 60),
            Curve::S3Fifo => (148, 103, 189),
            Curve::Gdsf => (214, 140, 0),
            Curve::Bound => (127, 127, 127),
        }
    }
}

/// Memory doubles from step to step.
fn points(runs: &[CurvePoint], curve: Curve) -> Vec<(f32, f32)> {
    let of_curve = runs.iter().filter(|run| run.policy == curve);
    of_curve.map(|run| ((run.memory as f32).log2(), 100.0 * run.miss_ratio as f32)).collect()
}

fn highest(runs: &[CurvePoint]) -> f64 {
    runs.iter().map(|run| run.miss_ratio).fold(0.0, f64::max) * 100.0
}

/// Lines in colours; without colours the table above has to do, which says the same.
pub fn draw_text(curves: &[Curve], runs: &[CurvePoint]) -> String {
    let lines: Vec<(Curve, Vec<(f32, f32)>)> = curves.iter().map(|curve| (*curve, points(runs, *curve))).collect();
    let shapes: Vec<Shape<'_>> = lines.iter().map(|(_, points)| Shape::Lines(points)).collect();
    let ends = |points: &[(f32, f32)]| Some((points.first()?.0, points.last()?.0));
    let Some((least, most)) = lines.first().and_then(|(_, points)| ends(points)) else { return String::new() };
    let mut chart = Chart::new_with_y_range(160, 60, least, most, 0.0, highest(runs).ceil() as f32);
    let labelled = chart
        .x_axis_style(LineStyle::None)
        .y_axis_style(LineStyle::None)
        .x_label_format(LabelFormat::Custom(Box::new(|log| units::bytes(log.exp2().round() as u64))))
        .y_label_format(LabelFormat::Custom(Box::new(|percent| format!("{percent:.0} % missed"))));
    let drawn = lines.iter().zip(&shapes).fold(labelled, |chart, ((curve, _), shape)| {
        let (red, green, blue) = curve.color();
        chart.linecolorplot(shape, rgb::RGB8::new(red, green, blue))
    });
    drawn.figures();
    let mut text = drawn.to_string();
    for (curve, _) in &lines {
        let (red, green, blue) = curve.color();
        let style = anstyle::RgbColor(red, green, blue).on_default();
        text.push_str(&format!("{style}━━ {}{style:#}   ", curve.name()));
    }
    text.push('\n');
    text
}

/// As a picture for reports.
pub fn draw_svg(path: &Path, title: &str, runs: &[CurvePoint]) -> Result<(), String> {
    let memory = || runs.iter().map(|run| run.memory as f64);
    let (least, most) = (memory().fold(f64::MAX, f64::min), memory().fold(0.0, f64::max));
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, (720, 420)).into_drawing_area();
        area.fill(&WHITE).map_err(|error| error.to_string())?;
        let mut chart = ChartBuilder::on(&area)
            .caption(title, ("sans-serif", 18))
            .margin(12)
            .x_label_area_size(36)
            .y_label_area_size(56)
            .build_cartesian_2d((least..most.max(least * 2.0)).log_scale().base(2.0), 0.0..highest(runs).max(1.0))
            .map_err(|error| error.to_string())?;
        chart
            .configure_mesh()
            .x_desc("memory")
            .y_desc("gets missed")
            .x_label_formatter(&|bytes| units::bytes(*bytes as u64))
            .y_label_formatter(&|percent| format!("{percent:.0} %"))
            .light_line_style(TRANSPARENT)
            .draw()
            .map_err(|error| error.to_string())?;
        let mut curves: Vec<Curve> = runs.iter().map(|run| run.policy).collect();
        curves.dedup();
        for curve in curves {
            let (red, green, blue) = curve.color();
            let style = RGBColor(red, green, blue).stroke_width(if curve == Curve::Arena { 3 } else { 1 });
            let points: Vec<(f64, f64)> = runs
                .iter()
                .filter(|run| run.policy == curve)
                .map(|run| (run.memory as f64, 100.0 * run.miss_ratio))
                .collect();
            chart
                .draw_series(LineSeries::new(points, style).point_size(2))
                .map_err(|error| error.to_string())?
                .label(curve.name())
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], style));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperRight)
            .background_style(WHITE.mix(0.8))
            .draw()
            .map_err(|error| error.to_string())?;
        area.present().map_err(|error| error.to_string())?;
    }
    std::fs::write(path, text).map_err(|error| leveret_engine::reason(&error))
}
