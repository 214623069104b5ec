//! The paper's two figures: congestion risk over faults, and time over nodes. Both axes are
//! logarithmic; "no faults" is to the left of one fault.

use super::ReportError;
use super::axis::LogAxis;
use super::sets::{Pattern, Set};
use super::stats::{points, running_median};
use super::style::{color, dash};
use crate::compare::EngineSpec;
use plotters::coord::Shift;
use plotters::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Box<dyn Error>>;

const WIDTH: u32 = 980;
const PANEL: (u32, u32) = (490, 330);
const LEGEND: u32 = 30;
const FONT: &str = "sans-serif";
/// The place of "no faults" on the axis of faults.
const NONE: f64 = 0.5;

/// Congestion risk over removed equipment: one panel per pattern, with points and running medians.
pub fn risk(set: &Set) -> Result<String, ReportError> {
    let patterns = set.patterns();
    let height = LEGEND * 2 + PANEL.1 * patterns.len().div_ceil(2) as u32;
    drawn(&format!("risk of {}", set.slug()), height, |area| {
        let (head, rest) = area.split_vertically(LEGEND * 2);
        let specs = set.specs();
        legend(&head, &specs)?;
        let rows = patterns.len().div_ceil(2);
        for (panel, &pattern) in rest.split_evenly((rows, 2)).iter().zip(&patterns) {
            risk_panel(panel, set, &specs, pattern)?;
        }
        Ok(())
    })
}

fn risk_panel(area: &Area, set: &Set, specs: &[EngineSpec], pattern: Pattern) -> Drawn {
    // Engines that know the I/O nodes matter for traffic to these.
    let shown = |c: &&EngineSpec| pattern == Pattern::Cn2io || !c.is_told_io();
    let shown: Vec<&EngineSpec> = specs.iter().filter(shown).collect();
    let all: Vec<Vec<(usize, u32)>> = shown.iter().map(|c| points(set, c, pattern)).collect();
    let most = all.iter().flatten().map(|p| p.0).max().unwrap_or(1).max(2);
    let risks = || all.iter().flatten().map(|p| f64::from(p.1).max(1.0));
    let (low, high) = (
        risks().fold(f64::MAX, f64::min),
        risks().fold(1.0, f64::max),
    );
    let x = LogAxis::round(NONE * 0.8..most as f64 * 1.25).starting_at(NONE);
    let y = LogAxis::round(low.min(high) / 1.15..high * 1.3);
    let mut chart = ChartBuilder::on(area)
        .margin(8)
        .caption(pattern.name(), (FONT, 17))
        .x_label_area_size(42)
        .y_label_area_size(52)
        .build_cartesian_2d(x, y)?;
    let removed = |v: &f64| match *v < 1.0 {
        true => "0".into(),
        false => format!("{v:.0}"),
    };
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.1))
        .axis_style(BLACK.mix(0.5))
        .label_style((FONT, 13))
        .x_label_formatter(&removed)
        .y_label_formatter(&|v| format!("{v:.0}"))
        .x_desc(format!("{} removed", set.equipment))
        .y_desc("congestion risk")
        .draw()?;
    // Draws the first engine last, over the others.
    for (i, (spec, points)) in shown.iter().zip(&all).enumerate().rev() {
        let aside = aside(i, shown.len(), 0.025);
        let place = |removed: f64, risk: f64| (removed.max(NONE) * aside, risk.max(1.0));
        let color = color(spec);
        let mut distinct = points.clone();
        distinct.dedup();
        chart.draw_series(distinct.iter().map(|&(removed, risk)| {
            let at = place(removed as f64, risk.into());
            Circle::new(at, 2, color.mix(0.35).filled())
        }))?;
        let line = running_median(points);
        let line = line.iter().map(|&(removed, risk)| place(removed, risk));
        let style = color.stroke_width(2);
        match dash(spec) {
            None => chart.draw_series(LineSeries::new(line, style))?,
            Some((on, off)) => chart.draw_series(DashedLineSeries::new(line, on, off, style))?,
        };
    }
    Ok(())
}

/// Time of both callbacks over nodes: the fastest of all throws at a fabric, since other work on the
/// machine slows some of them many times.
pub fn runtime(sets: &[Set]) -> Result<String, ReportError> {
    let mut fastest: BTreeMap<(usize, usize), f64> = BTreeMap::new();
    let mut specs: Vec<EngineSpec> = Vec::new();
    for row in sets.iter().flat_map(|set| &set.rows) {
        let Some(took) = row.callbacks().filter(|_| !row.spec.is_told_io()) else {
            continue;
        };
        let known = specs.iter().position(|c| *c == row.spec);
        let index = known.unwrap_or_else(|| {
            specs.push(row.spec.clone());
            specs.len() - 1
        });
        let ms = took.as_secs_f64() * 1e3;
        let known = fastest.entry((index, row.nodes)).or_insert(ms);
        *known = known.min(ms);
    }
    drawn("runtime", LEGEND * 2 + 460, |area| {
        let (head, rest) = area.split_vertically(LEGEND * 2);
        legend(&head, &specs)?;
        runtime_panel(&rest, &specs, &fastest)
    })
}

fn runtime_panel(
    area: &Area,
    specs: &[EngineSpec],
    fastest: &BTreeMap<(usize, usize), f64>,
) -> Drawn {
    let nodes: BTreeSet<usize> = fastest.keys().map(|key| key.1).collect();
    let (fewest, most) = (nodes.first().unwrap_or(&1), nodes.last().unwrap_or(&10));
    let all = || fastest.values().copied();
    let (low, high) = (all().fold(f64::MAX, f64::min), all().fold(1.0, f64::max));
    let marks = nodes.iter().map(|&n| n as f64).collect();
    let x = LogAxis::new(*fewest as f64 * 0.8..*most as f64 * 1.25, marks);
    let y = LogAxis::round(low.min(high) / 1.3..high * 1.3);
    let mut chart = ChartBuilder::on(area)
        .margin(8)
        .x_label_area_size(42)
        .y_label_area_size(64)
        .build_cartesian_2d(x, y)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.1))
        .axis_style(BLACK.mix(0.5))
        .label_style((FONT, 13))
        .x_label_formatter(&|v| format!("{v:.0}"))
        .y_label_formatter(&|v| format!("{v}"))
        .x_desc("end nodes")
        .y_desc("both callbacks, ms")
        .draw()?;
    for (i, spec) in specs.iter().enumerate() {
        let aside = aside(i, specs.len(), 0.012);
        let color = color(spec);
        let of = fastest.iter().filter(|(key, _)| key.0 == i);
        let line: Vec<(f64, f64)> = of
            .map(|((_, nodes), ms)| (*nodes as f64 * aside, *ms))
            .collect();
        let dots = line.iter().map(|&at| Circle::new(at, 4, color.filled()));
        chart.draw_series(dots)?;
        let style = color.stroke_width(2);
        match dash(spec) {
            None => chart.draw_series(LineSeries::new(line, style))?,
            Some((on, off)) => chart.draw_series(DashedLineSeries::new(line, on, off, style))?,
        };
    }
    Ok(())
}

/// A line and a name for each engine, in two rows.
fn legend(area: &Area, specs: &[EngineSpec]) -> Drawn {
    const SAMPLE: i32 = 34;
    let (mut x, mut y) = (60, 14);
    for spec in specs {
        let name = spec.to_string();
        // About the width of a letter of this size.
        let width = SAMPLE + 10 + 8 * name.len() as i32;
        if x + width > WIDTH as i32 - 10 {
            (x, y) = (60, y + LEGEND as i32 - 6);
        }
        let style = color(spec).stroke_width(3);
        let (on, off) = dash(spec).unwrap_or((SAMPLE, 1));
        for from in (0..SAMPLE).step_by((on + off) as usize) {
            let to = (from + on).min(SAMPLE);
            area.draw(&PathElement::new([(x + from, y), (x + to, y)], style))?;
        }
        let text = (FONT, 15).into_font();
        area.draw(&Text::new(name, (x + SAMPLE + 6, y - 7), text))?;
        x += width + 12;
    }
    Ok(())
}

fn drawn(
    what: &str,
    height: u32,
    draw: impl FnOnce(&Area) -> Drawn,
) -> Result<String, ReportError> {
    let mut svg = String::new();
    let done = {
        let area = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
        let filled = area.fill(&WHITE).map_err(Into::into);
        filled
            .and_then(|()| draw(&area))
            .and_then(|()| area.present().map_err(Into::into))
    };
    done.map_err(|reason: Box<dyn Error>| ReportError::Draw {
        what: what.into(),
        reason: reason.to_string(),
    })?;
    Ok(svg)
}

/// The sideways shift of engine `i` of `count`, so that engines with equal values do not hide each
/// other.
fn aside(i: usize, count: usize, step: f64) -> f64 {
    ((i as f64 - (count as f64 - 1.0) / 2.0) * step).exp()
}
