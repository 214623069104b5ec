//! Draws one throw by level, once per engine: what was removed, and the worst ports.
//!
//! This is not a chart, so it does not use plotters: all engines share one background, which SVG can
//! refer to. A port is the half of its link at its own switch, so that up and down differ.

use super::panels::Panels;
use super::style::color;
use crate::compare::{DrawnSwitch, EngineSpec, ThrowDrawing, WorstPort};
use crate::xml::escaped;
use dmodc::netlist::Equipment;
use std::fmt::Write;

const COLUMNS: usize = 2;
const PANEL: (f64, f64) = (490.0, 200.0);
const MARGIN: f64 = 12.0;
/// Colours from low risk to the worst: red, green, blue. All can be seen on white and on black.
const RAMP: [[u8; 3]; 3] = [[236, 182, 72], [240, 90, 40], [200, 0, 80]];

/// Draws a throw, a panel for each engine.
pub fn draw(drawing: &ThrowDrawing) -> Panels {
    let specs = specs(drawing);
    let places = Places::new(&drawing.switches);
    let risks = || drawing.ports.iter().map(|port| port.risk);
    let (least, most) = (risks().min().unwrap_or(0), risks().max().unwrap_or(1));
    let id = format!("fabric-{}-{}", drawing.fabric, drawing.equipment);
    let id: String = id
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    let panel = |spec: &EngineSpec| {
        let ports = drawing.ports.iter().filter(|port| port.spec == *spec);
        let mut ports: Vec<&WorstPort> = ports.collect();
        ports.sort_by_key(|port| port.risk);
        let mut svg = format!(
            "<g transform=\"translate({MARGIN} 4)\"><text x=\"0\" y=\"14\" font-size=\"14\" \
             fill=\"{}\" font-weight=\"bold\">{spec}</text><text x=\"{}\" y=\"14\" \
             font-size=\"12.5\" text-anchor=\"end\" fill=\"currentColor\">{}</text>\
             <use href=\"#{id}\"/>",
            color(spec),
            PANEL.0 - 2.0 * MARGIN,
            says(drawing, spec, &ports)
        );
        let name = |place: usize| {
            let switch = &drawing.switches[place];
            match &*switch.name {
                "" => switch.guid.to_string(),
                name => escaped(name),
            }
        };
        for port in ports {
            let ((x1, y1), (x2, y2)) = (places.at(port.from), places.at(port.to));
            let (mx, my) = ((x1 + x2) / 2.0, (y1 + y2) / 2.0);
            let _ = writeln!(
                svg,
                "<path d=\"M{x1:.1} {y1:.1}L{mx:.1} {my:.1}\" stroke=\"{}\" stroke-width=\"1.6\">\
                 <title>{} to {}: {}</title></path>",
                ramp(port.risk, least, most),
                name(port.from),
                name(port.to),
                port.risk
            );
        }
        svg + "</g>\n"
    };
    let mut panels: Vec<String> = specs.iter().map(panel).collect();
    panels.push(legend(drawing.equipment, least, most));
    Panels {
        caption: String::new(),
        size: (PANEL.0 as usize, PANEL.1 as usize),
        columns: COLUMNS,
        defs: format!(
            "<defs><g id=\"{id}\">{}</g></defs>",
            background(drawing, &places)
        ),
        legend: vec![],
        panels,
    }
}

/// What the panel of an engine shows. `ports` are those drawn, the worst last.
fn says(drawing: &ThrowDrawing, spec: &EngineSpec, ports: &[&WorstPort]) -> String {
    let Some((mildest, worst)) = ports.first().zip(ports.last()) else {
        return String::new();
    };
    let (drawn, risk) = (ports.len(), worst.risk);
    let equal = ports.iter().filter(|port| port.risk == risk).count();
    let known = drawing.worst.iter().find(|worst| worst.spec == *spec);
    let plural = |n: usize| if n == 1 { "port" } else { "ports" };
    match known.map(|worst| worst.ports) {
        Some(all) if all > drawn => format!("worst: {risk}, at {all} ports; {drawn} of them drawn"),
        None if equal == drawn => format!("worst: {risk}, at {drawn} ports or more"),
        _ if equal == drawn => format!("worst: {risk}, at {equal} {}", plural(equal)),
        _ => format!(
            "worst: {risk}, at {equal} {}; {drawn} drawn, down to {}",
            plural(equal),
            mildest.risk
        ),
    }
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
        let (wide, high) = (PANEL.0 - 2.0 * MARGIN, PANEL.1 - 52.0);
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

/// Links in grey, removed and slow ones in blue; switches as dots, removed ones as crosses.
fn background(drawing: &ThrowDrawing, places: &Places) -> String {
    let (mut path, mut removed) = (String::new(), String::new());
    for link in &drawing.links {
        let ((x1, y1), (x2, y2)) = (places.at(link.a), places.at(link.b));
        // The links of a switch that is gone would hide all others.
        let path = match (link.gone, drawing.equipment) {
            (false, _) => &mut path,
            (true, Equipment::Switches) => continue,
            (true, _) => &mut removed,
        };
        let _ = write!(path, "M{x1:.0} {y1:.0}L{x2:.0} {y2:.0}");
    }
    // More links: fainter links.
    let faint = (40.0 / drawing.links.len().max(1) as f64).clamp(0.03, 0.3);
    let mut svg = format!(
        "<path d=\"{path}\" stroke=\"currentColor\" stroke-opacity=\"{faint:.3}\" \
         stroke-width=\"0.6\"/><path d=\"{removed}\" stroke=\"#2f86d6\" stroke-width=\"0.8\"/>"
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
        "<path d=\"{dots}\" stroke=\"currentColor\" stroke-width=\"0.9\"/>\
         <path d=\"{crosses}\" stroke=\"#2f86d6\" stroke-width=\"1.5\"/>"
    );
    svg
}

fn ramp(risk: u32, least: u32, most: u32) -> String {
    let span = (most - least).max(1);
    let at = f64::from(risk - least) / f64::from(span) * (RAMP.len() - 1) as f64;
    let index = (at as usize).min(RAMP.len() - 2);
    let (a, b, share) = (RAMP[index], RAMP[index + 1], at - index as f64);
    let mix = |i: usize| (f64::from(a[i]) + (f64::from(b[i]) - f64::from(a[i])) * share) as u8;
    format!("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2))
}

/// What colours and signs mean.
fn legend(equipment: Equipment, least: u32, most: u32) -> String {
    // If all ports are equal, there is no scale.
    const STEPS: u32 = 24;
    let steps = if least < most { STEPS } else { 1 };
    let text = |x: f64, y: u32, text: &str| {
        format!("<text x=\"{x}\" y=\"{y}\" font-size=\"13\" fill=\"currentColor\">{text}</text>\n")
    };
    let mut svg = text(MARGIN, 44, &format!("risk {least}"));
    let start = 90.0;
    for step in 0..steps {
        let color = ramp(step, 0, STEPS - 1);
        let x = start + f64::from(step) * 6.0;
        let _ = write!(
            svg,
            "<rect x=\"{x}\" y=\"33\" width=\"6.2\" height=\"13\" fill=\"{color}\"/>"
        );
    }
    if least < most {
        svg += &text(start + f64::from(steps) * 6.0 + 6.0, 44, &most.to_string());
    }
    svg += &text(
        MARGIN,
        70,
        "Risk of all to all, in flows. A port is the half of its link at its own switch.",
    );
    svg += &text(
        MARGIN,
        92,
        match equipment {
            Equipment::Switches => "Blue crosses are switches removed.",
            Equipment::Links => "Blue lines are links removed.",
            Equipment::Slow | Equipment::Planes => "Blue lines are slow links.",
        },
    );
    svg
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Worst;

    #[test]
    fn the_ramp_runs_from_the_mild_to_the_worst() {
        assert_eq!(ramp(3, 3, 9), "#ecb648");
        assert_eq!(ramp(6, 3, 9), "#f05a28");
        assert_eq!(ramp(9, 3, 9), "#c80050");
        assert_eq!(ramp(5, 5, 5), "#ecb648");
    }

    #[test]
    fn ports_that_tie_for_the_worst_are_counted() {
        let spec: EngineSpec = "dmodc".parse().unwrap();
        let port = |risk| WorstPort {
            from: 0,
            to: 1,
            risk,
            spec: spec.clone(),
        };
        let drawing = |ports: Option<usize>| ThrowDrawing {
            fabric: "x".into(),
            equipment: Equipment::Links,
            throw: 1,
            removed: 1,
            switches: vec![],
            links: vec![],
            ports: vec![],
            worst: ports
                .map(|ports| Worst {
                    risk: 9,
                    ports,
                    spec: spec.clone(),
                })
                .into_iter()
                .collect(),
        };
        let says = |ports, risks: &[u32]| {
            let drawn: Vec<WorstPort> = risks.iter().map(|&risk| port(risk)).collect();
            says(&drawing(ports), &spec, &drawn.iter().collect::<Vec<_>>())
        };
        assert_eq!(
            says(Some(1), &[4, 5, 9]),
            "worst: 9, at 1 port; 3 drawn, down to 4"
        );
        assert_eq!(says(Some(2), &[9, 9]), "worst: 9, at 2 ports");
        assert_eq!(
            says(Some(300), &[9, 9]),
            "worst: 9, at 300 ports; 2 of them drawn"
        );
        assert_eq!(says(None, &[9, 9]), "worst: 9, at 2 ports or more");
    }
}
