//! The paper's two figures: measures over faults, and time over nodes. Both axes are logarithmic; "no
//! faults" is to the left of one fault.
//!
//! plotters draws the axes. This module draws points and lines, since plotters gives them no tooltips.

use super::axis;
use super::measures::Measure;
use super::sets::{Set, engines};
use super::stats::{Quartiles, bounds, points, running};
use super::style::{FONT, color, dash, number};
use crate::compare::{EngineSpec, ThrowRow};
use crate::xml::escaped;
use plotters::coord::ranged1d::Ranged;
use plotters::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

const PANEL: (usize, usize) = (490, 340);
const RUNTIME: (usize, usize) = (640, 420);
/// The position of 0 on a logarithmic axis of counts: "no faults", no flow, no block.
const NONE: f64 = 0.5;

/// A figure of panels of one size, each a picture of its own, so that a narrow window shows them one below the other.
pub struct Panels {
    pub size: (usize, usize),
    pub legend: Vec<EngineSpec>,
    pub panels: Vec<String>,
}

impl Panels {
    /// The legend and the panels as parts of a page.
    pub fn html(&self) -> String {
        let mut html = "<p class=legend>".to_owned();
        for spec in &self.legend {
            let (color, dash, name) = (color(spec), dash(spec), escaped(&spec.to_string()));
            let _ = write!(
                html,
                "<span><svg width=34 height=10><path d=\"M0 5h34\" stroke=\"{color}\" stroke-width=\"3\"{dash}/></svg>\
                 {name}</span> "
            );
        }
        html += "</p>\n<div class=panels>\n";
        for panel in &self.panels {
            let (wide, high) = self.size;
            let _ = writeln!(
                html,
                "<svg viewBox=\"0 0 {wide} {high}\" font-family=\"{FONT}\">{panel}</svg>"
            );
        }
        html + "</div>\n"
    }
}

/// Measures over removed equipment: a panel for each measure, with points and running medians. Times have a
/// figure of their own.
pub fn faults(set: &Set) -> Panels {
    let specs = set.specs();
    let mut measures = set.measures();
    measures.retain(|measure| ![Measure::Time, Measure::Entries].contains(measure));
    let panel = |measure| panel(set, &specs, measure);
    Panels {
        size: PANEL,
        panels: measures.into_iter().map(panel).collect(),
        legend: specs,
    }
}

fn panel(set: &Set, specs: &[EngineSpec], measure: Measure) -> String {
    let all: Vec<Vec<(usize, f64)>> = specs.iter().map(|c| points(set, c, measure)).collect();
    let bounds = bounds(set, measure);
    let points = || all.iter().chain([&bounds]).flatten();
    let most = points().map(|p| p.0).max().unwrap_or(1).max(2);
    let x = axis::round_from(NONE, NONE * 0.8..most as f64 * 1.25);
    // A percentage is no count.
    let least = if measure == Measure::Ebb { 0.0 } else { NONE };
    let range = around(points().map(|p| p.1.max(least)), 1.15);
    let y = match points().any(|p| p.1 < least) {
        true => axis::round_from(NONE, range),
        false => axis::round(range),
    };
    let count = |v| number(if v == NONE { 0.0 } else { v });
    let axes = Axes {
        size: PANEL,
        title: measure.name(),
        x_name: &format!("{} (log)", set.equipment.faults()),
        y_name: measure.axis(),
        x_label: &count,
        y_label: if least == 0.0 { &number } else { &count },
    };
    axes.draw(x, y, |pixels| {
        let mut svg = String::new();
        if !bounds.is_empty() {
            let line = running(&bounds).into_iter();
            let line = line.map(|q| pixels(q.x.max(NONE), q.median.max(least)));
            let dotted = " stroke-dasharray=\"1 3\"";
            svg += &polyline(line, ("currentColor", 2), dotted, "bound");
        }
        // Draws the first engine last, over the others.
        for (i, (spec, points)) in specs.iter().zip(&all).enumerate().rev() {
            let shift = aside(i, specs.len(), 0.75).round() as i32;
            let aside = aside(i, specs.len(), 0.025).exp();
            let at = |removed: f64, y: f64| pixels(removed.max(NONE) * aside, y.max(least));
            let (name, color) = (escaped(&spec.to_string()), color(spec));
            let _ = write!(svg, "<g fill=\"{color}\" fill-opacity=\"0.5\">");
            for same in points.chunk_by(|a, b| a == b) {
                let (removed, figure) = same[0];
                let mut title = format!("{name}, {removed} gone: {}", number(figure));
                if same.len() > 1 {
                    title += &format!(", {} throws", same.len());
                }
                svg += &circle(at(removed as f64, figure), "r=\"2.6\"", &title);
            }
            svg += "</g>\n";
            let line = running(points);
            // Engines with the same tables have the same line: a line behind others is wider and shows at both sides.
            let before = all[..i].iter().filter(|of| running(of) == line).count();
            let line_of = |of: fn(&Quartiles) -> f64| -> Vec<(i32, i32)> {
                let points = line.iter().map(|q| at(q.x, of(q)));
                points.map(|(x, y)| (x, y + shift)).collect()
            };
            let (low, high) = (line_of(|q| q.low), line_of(|q| q.high));
            let band = low.into_iter().chain(high.into_iter().rev());
            let style = format!("fill=\"{color}\" fill-opacity=\"0.1\"");
            let title = format!("{name}, running quartiles");
            svg += &shape("polygon", band, &style, &title);
            let medians = line_of(|q| q.median).into_iter();
            let title = format!("{name}, running median");
            svg += &polyline(medians, (color, 2 + 4 * before), dash(spec), &title);
        }
        svg
    })
}

/// Time of both callbacks over nodes: the fastest of all throws at a fabric, since other work on the
/// machine makes some throws many times slower. `None` if all fabrics have the same number of nodes.
pub fn runtime(sets: &[Set]) -> Option<Panels> {
    let timed = |row: &&ThrowRow| row.callbacks_ms().is_some();
    let rows = || sets.iter().flat_map(|set| &set.rows).filter(timed);
    let specs = engines(rows());
    let mut fastest: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    for row in rows() {
        let index = specs.iter().position(|spec| *spec == row.engine);
        let index = index.unwrap_or(0);
        let ms = row.callbacks_ms().unwrap_or(0.0).max(1e-3);
        let known = fastest.entry((index, row.nodes)).or_insert(ms);
        *known = known.min(ms);
    }
    let nodes: BTreeSet<usize> = fastest.keys().map(|key| key.1).collect();
    if nodes.len() < 2 {
        return None;
    }
    let around_nodes = around(nodes.iter().map(|&n| n as f64), 1.2);
    let x = axis::with_marks_at(around_nodes, nodes.iter().map(|&n| n as f64));
    let y = axis::round(around(fastest.values().copied(), 1.3));
    let axes = Axes {
        size: RUNTIME,
        title: "",
        x_name: "end nodes (log)",
        y_name: "both callbacks, ms (log)",
        x_label: &number,
        y_label: &number,
    };
    let panel = axes.draw(x, y, |pixels| {
        let mut svg = String::new();
        for (i, spec) in specs.iter().enumerate().rev() {
            let aside = aside(i, specs.len(), 0.012).exp();
            let (name, color) = (escaped(&spec.to_string()), color(spec));
            let of = || fastest.iter().filter(|(key, _)| key.0 == i);
            let line = of().map(|((_, nodes), &ms)| pixels(*nodes as f64 * aside, ms));
            svg += &polyline(line, (color, 2), dash(spec), &name);
            let style = format!("r=\"4\" fill=\"{color}\"");
            for ((_, nodes), &ms) in of() {
                let nodes = *nodes as f64;
                let title = format!("{name}, {} end nodes: {} ms", number(nodes), number(ms));
                svg += &circle(pixels(nodes * aside, ms), &style, &title);
                svg.push('\n');
            }
        }
        svg
    });
    Some(Panels {
        size: RUNTIME,
        legend: specs,
        panels: vec![panel],
    })
}

/// A range around positive numbers, wide enough for two marks.
fn around(numbers: impl Iterator<Item = f64>, margin: f64) -> std::ops::Range<f64> {
    let wider = |(low, high): (f64, f64), v| (low.min(v), high.max(v));
    let (low, high) = numbers.fold((f64::MAX, 0.0), wider);
    let (low, high) = if high > 0.0 { (low, high) } else { (1.0, 1.0) };
    let low = low.max(1e-3);
    low / margin..(high.max(low) * margin).max(low * 2.2)
}

struct Axes<'a> {
    size: (usize, usize),
    title: &'a str,
    x_name: &'a str,
    y_name: &'a str,
    x_label: &'a dyn Fn(f64) -> String,
    y_label: &'a dyn Fn(f64) -> String,
}

/// Maps a point to pixels.
type Pixels<'a> = &'a dyn Fn(f64, f64) -> (i32, i32);

impl Axes<'_> {
    /// Draws the axes, and over them the marks of `marks`, as SVG elements.
    fn draw(&self, x: axis::Log, y: axis::Log, marks: impl FnOnce(Pixels) -> String) -> String {
        const DRAWN: &str = "memory can be drawn on";
        let mut svg = String::new();
        let marks = {
            let size = (self.size.0 as u32, self.size.1 as u32);
            let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
            let mut chart = ChartBuilder::on(&area)
                .margin(10)
                .margin_right(22)
                .caption(self.title, (FONT, 17))
                .x_label_area_size(42)
                .y_label_area_size(if y.range().end < 1e4 { 58 } else { 76 })
                .build_cartesian_2d(x, y)
                .expect(DRAWN);
            chart
                .configure_mesh()
                .light_line_style(TRANSPARENT)
                .bold_line_style(BLACK.mix(0.12))
                .axis_style(BLACK.mix(0.5))
                .label_style((FONT, 13))
                .x_label_formatter(&|v| (self.x_label)(*v))
                .y_label_formatter(&|v| (self.y_label)(*v))
                .x_desc(self.x_name)
                .y_desc(self.y_name)
                .draw()
                .expect(DRAWN);
            let marks = marks(&|x, y| chart.plotting_area().map_coordinate(&(x, y)));
            area.present().expect(DRAWN);
            marks
        };
        // The elements alone, in the colour of the page's text.
        let svg = svg.split_once("<svg").map_or("", |(_, svg)| svg);
        let inner = svg.split_once('>').map_or("", |(_, inner)| inner);
        let inner = inner.trim_end().trim_end_matches("</svg>");
        inner.replace("#000000", "currentColor") + &marks
    }
}

fn circle((x, y): (i32, i32), style: &str, title: &str) -> String {
    format!("<circle cx=\"{x}\" cy=\"{y}\" {style}><title>{title}</title></circle>")
}

fn polyline(
    points: impl Iterator<Item = (i32, i32)>,
    (color, width): (&str, usize),
    dash: &str,
    name: &str,
) -> String {
    let style = format!("fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\"{dash}");
    shape("polyline", points, &style, name)
}

fn shape(what: &str, points: impl Iterator<Item = (i32, i32)>, style: &str, name: &str) -> String {
    let points: Vec<String> = points.map(|(x, y)| format!("{x},{y}")).collect();
    let points = points.join(" ");
    format!("<{what} points=\"{points}\" {style}><title>{name}</title></{what}>\n")
}

/// The place of engine `i` of `count` beside the middle, in steps, so that engines with equal values do not hide each
/// other.
fn aside(i: usize, count: usize, step: f64) -> f64 {
    (i as f64 - (count as f64 - 1.0) / 2.0) * step
}
