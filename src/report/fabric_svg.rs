//! Draws one throw by level, once per engine: what was removed, and the worst ports.
//!
//! This is not a chart, so it does not use plotters: all engines share one background, which SVG can
//! refer to. A port is the half of its link at its own switch, so that up and down differ.

use super::style::{color, css};
use crate::compare::{DrawnSwitch, EngineSpec, ThrowDrawing, WorstPort};
use plotters::style::RGBColor;
use std::fmt::Write;

const WIDTH: f64 = 980.0;
const COLUMNS: usize = 2;
const PANEL: (f64, f64) = (478.0, 190.0);
const MARGIN: f64 = 12.0;
const HEAD: f64 = 46.0;
/// Colours from low risk to the worst.
const RAMP: [RGBColor; 3] = [
    RGBColor(253, 204, 138),
    RGBColor(240, 80, 50),
    RGBColor(120, 0, 20),
];

/// Draws a throw.
pub fn draw(drawing: &ThrowDrawing) -> String {
    let specs = specs(drawing);
    let places = Places::new(&drawing.switches);
    let rows = specs.len().div_ceil(COLUMNS);
    let height = HEAD + rows as f64 * PANEL.1;
    let risks = || drawing.ports.iter().map(|port| port.risk);
    let (least, most) = (risks().min().unwrap_or(0), risks().max().unwrap_or(1));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         width=\"{WIDTH}\" height=\"{height}\" font-family=\"sans-serif\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    let id = format!("fabric-{}-{}", drawing.fabric, drawing.equipment);
    let _ = writeln!(
        svg,
        "<defs><g id=\"{id}\">{}</g></defs>",
        background(drawing, &places)
    );
    svg += &ramp_legend(least, most);
    for (i, spec) in specs.iter().enumerate() {
        let x = MARGIN + (i % COLUMNS) as f64 * PANEL.0;
        let y = HEAD + (i / COLUMNS) as f64 * PANEL.1;
        let mut ports: Vec<&WorstPort> = drawing
            .ports
            .iter()
            .filter(|port| port.spec == *spec)
            .collect();
        ports.sort_by_key(|port| port.risk);
        let worst = ports.last().map_or(0, |port| port.risk);
        let _ = writeln!(
            svg,
            "<g transform=\"translate({x} {y})\"><text x=\"0\" y=\"14\" font-size=\"14\" \
             fill=\"{}\" font-weight=\"bold\">{spec}</text><text x=\"{}\" y=\"14\" \
             font-size=\"13\" text-anchor=\"end\">worst port: {worst}</text>\
             <use href=\"#{id}\"/>",
            css(color(spec)),
            PANEL.0 - 2.0 * MARGIN,
        );
        for port in ports {
            let ((x1, y1), (x2, y2)) = (places.at(port.from), places.at(port.to));
            let (mx, my) = ((x1 + x2) / 2.0, (y1 + y2) / 2.0);
            let _ = writeln!(
                svg,
                "<path d=\"M{x1:.1} {y1:.1}L{mx:.1} {my:.1}\" stroke=\"{}\" stroke-width=\"1.4\"/>",
                css(ramp(port.risk, least, most))
            );
        }
        svg += "</g>\n";
    }
    svg + "</svg>\n"
}

/// The engines of the drawing. Those that know the I/O nodes are left out: it shows all to all.
fn specs(drawing: &ThrowDrawing) -> Vec<EngineSpec> {
    let mut all: Vec<EngineSpec> = Vec::new();
    for port in &drawing.ports {
        if !all.contains(&port.spec) && !port.spec.is_told_io() {
            all.push(port.spec.clone());
        }
    }
    all
}

struct Places {
    at: Vec<(f64, f64)>,
}

impl Places {
    fn new(switches: &[DrawnSwitch]) -> Places {
        let levels = switches.iter().map(|s| s.level).max().unwrap_or(0);
        let mut counts = vec![0usize; levels as usize + 1];
        switches.iter().for_each(|s| counts[s.level as usize] += 1);
        let mut next = vec![0usize; counts.len()];
        let (wide, high) = (PANEL.0 - 2.0 * MARGIN, PANEL.1 - 48.0);
        let place = |s: &DrawnSwitch| {
            let level = s.level as usize;
            let x = (next[level] as f64 + 0.5) / counts[level] as f64 * wide;
            next[level] += 1;
            let step = high / f64::from(levels.max(1));
            (x, 26.0 + high - step * f64::from(s.level))
        };
        Places {
            at: switches.iter().map(place).collect(),
        }
    }

    fn at(&self, place: usize) -> (f64, f64) {
        self.at[place]
    }
}

/// Links in grey, switches as dots, removed ones as crosses.
fn background(drawing: &ThrowDrawing, places: &Places) -> String {
    let mut path = String::new();
    for link in drawing.links.iter().filter(|link| !link.gone) {
        let ((x1, y1), (x2, y2)) = (places.at(link.a), places.at(link.b));
        let _ = write!(path, "M{x1:.0} {y1:.0}L{x2:.0} {y2:.0}");
    }
    // More links: fainter links.
    let faint = (40.0 / drawing.links.len().max(1) as f64).clamp(0.03, 0.3);
    let mut svg = format!(
        "<path d=\"{path}\" stroke=\"#555\" stroke-opacity=\"{faint:.3}\" stroke-width=\"0.6\"/>"
    );
    let (mut dots, mut crosses) = (String::new(), String::new());
    for (switch, &(x, y)) in drawing.switches.iter().zip(&places.at) {
        if switch.gone {
            let (top, low) = (y - 3.0, y + 3.0);
            let (left, right) = (x - 3.0, x + 3.0);
            let _ = write!(
                crosses,
                "M{left:.1} {top:.1}L{right:.1} {low:.1}M{left:.1} {low:.1}L{right:.1} {top:.1}"
            );
        } else {
            let _ = write!(dots, "M{x:.1} {:.1}v4", y - 2.0);
        }
    }
    let _ = write!(
        svg,
        "<path d=\"{dots}\" stroke=\"#222\" stroke-width=\"0.9\"/>\
         <path d=\"{crosses}\" stroke=\"#0072b2\" stroke-width=\"1.5\"/>"
    );
    svg
}

fn ramp(risk: u32, least: u32, most: u32) -> RGBColor {
    let span = (most - least).max(1);
    let at = f64::from(risk - least) / f64::from(span) * (RAMP.len() - 1) as f64;
    let index = (at as usize).min(RAMP.len() - 2);
    let (a, b, share) = (RAMP[index], RAMP[index + 1], at - index as f64);
    let mix = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * share) as u8;
    RGBColor(mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2))
}

fn ramp_legend(least: u32, most: u32) -> String {
    // If all ports are equal, there is no scale.
    const STEPS: u32 = 24;
    let steps = if least < most { STEPS } else { 1 };
    let mut svg = format!("<text x=\"{MARGIN}\" y=\"24\" font-size=\"13\">risk {least}</text>");
    let start = 80.0;
    for step in 0..steps {
        let color = css(ramp(step, 0, STEPS - 1));
        let x = start + f64::from(step) * 6.0;
        let _ = write!(
            svg,
            "<rect x=\"{x}\" y=\"13\" width=\"6.2\" height=\"13\" fill=\"{color}\"/>"
        );
    }
    let end = start + f64::from(steps) * 6.0;
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"24\" font-size=\"13\">{most}</text>\
         <text x=\"{}\" y=\"24\" font-size=\"13\">a port is the half of its link at its own \
         switch; blue crosses are switches removed</text>",
        end + 6.0,
        end + 60.0
    );
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ramp_runs_from_the_mild_to_the_worst() {
        assert_eq!(ramp(3, 3, 9), RAMP[0]);
        assert_eq!(ramp(6, 3, 9), RAMP[1]);
        assert_eq!(ramp(9, 3, 9), RAMP[2]);
        assert_eq!(ramp(5, 5, 5), RAMP[0]);
    }
}
