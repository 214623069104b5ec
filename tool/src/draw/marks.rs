//! The colours and strokes of links.

use super::scene::{Link, Scene, State};
use super::style::RAMP;
use dmodc::analysis::{Channels, Hop};
use dmodc::wiring::{End, Far, Kind, Slowness};
use dmodc_lab::xml::escaped;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

pub const MARGIN: f64 = 24.0;

/// The state of the links, as colours and strokes show it.
pub struct Marks<'a> {
    scene: &'a Scene<'a>,
    title: &'a str,
    channels: Channels,
    risks: Option<&'a [u32]>,
    worst: u32,
    /// The A2A bound: the least that the worst risk can be.
    bound: u32,
    /// Slow links by their lower ends.
    slow: BTreeMap<(u32, u8), Slowness>,
    /// The ends of drained and of wrong links.
    drained: &'a [(u32, u8)],
    wrong: BTreeSet<(u32, u8)>,
    /// The switches that a missing cable should join, the lower one first, and its caption.
    pub missing: Vec<([u32; 2], String)>,
}

impl Marks<'_> {
    /// The marks of a fabric in a state.
    pub fn new<'a>(scene: &'a Scene, state: &'a State) -> Marks<'a> {
        let risks = state.routes.map(|(_, risks)| risks);
        let slow = scene.slow.iter();
        let slow = slow.filter(|link| matches!(link.far, Far::Switch(..)));
        let missing = scene.differences.iter().filter(|d| d.kind == Kind::Missing);
        let missing = missing.filter_map(|d| {
            let pair = scene.expected(d)?;
            let ends: Vec<String> = d.ends.iter().map(end).collect();
            let reason = if d.reason.is_empty() { "" } else { ": " };
            let text = format!("missing: {}{reason}{}", ends.join(" -- "), d.reason);
            Some((pair, text))
        });
        Marks {
            channels: Channels::new(&scene.fabric),
            worst: risks.map_or(0, |risks| risks.iter().copied().max().unwrap_or(0)),
            bound: state.bound.unwrap_or(0),
            slow: slow.map(|link| (link.near, link.slowness)).collect(),
            drained: &state.drained,
            wrong: scene.stray().into_iter().collect(),
            missing: missing.collect(),
            title: state.title,
            risks,
            scene,
        }
    }

    /// The heading: the fabric, and the meaning of the colours; `marks` are the marks in use, and their meaning.
    pub fn head(&self, marks: &[(&str, String)]) -> String {
        let fabric = &self.scene.fabric;
        let (switches, nodes) = (fabric.switches().len(), fabric.end_nodes().len());
        let links = fabric.switch_links();
        let a2a = self.risks.map_or(String::new(), |_| {
            format!("; A2A {}, bound {}", self.worst, self.bound)
        });
        let mut text = format!(
            "<text class=\"title\" x=\"{MARGIN}\" y=\"28\">{switches} switches, {nodes} end nodes, \
             {links} links between switches{a2a}</text>\n"
        );
        if !self.title.is_empty() {
            let title = escaped(self.title);
            let _ = writeln!(text, "<text x=\"{MARGIN}\" y=\"77\">{title}</text>");
        }
        let mut x = MARGIN;
        let mut entry = |mark: &str, what: &str| {
            let _ = writeln!(
                text,
                "<path {mark} d=\"M{x:.0} 56h28\"/><text x=\"{:.0}\" y=\"60\">{what}</text>",
                x + 34.0
            );
            x += 54.0 + 6.2 * what.len() as f64;
        };
        if self.risks.is_some() {
            for (at, color) in RAMP.iter().enumerate() {
                let mut risks = (0..=self.worst).filter(|&risk| self.bin(risk) == at);
                if let Some(from) = risks.next() {
                    let range = match risks.next_back() {
                        None => from.to_string(),
                        Some(to) => format!("{from} to {to}"),
                    };
                    let style = format!("style=\"stroke:{color};stroke-width:4\"");
                    entry(&style, &format!("A2A risk {range}"));
                }
            }
        }
        for (mark, what) in marks {
            entry(mark, what);
        }
        text
    }

    /// The marks in use for the legend, as classes of paths; `slow` is the look of slow links.
    pub fn legend(&self, slow: &'static str) -> Vec<(&'static str, String)> {
        let counts = [
            ("class=\"missing\"", self.missing.len(), "missing"),
            ("class=\"slow\"", self.slow.len(), slow),
            ("class=\"drained\"", self.drained.len() / 2, "drained"),
            (
                "class=\"wrong\"",
                self.wrong.len() / 2,
                "where they should not be",
            ),
        ];
        let counts = counts.into_iter().filter(|(_, count, _)| *count > 0);
        let entry = |(class, count, what)| (class, format!("{count} {what}"));
        counts.map(entry).collect()
    }

    pub fn worst_of(&self, links: &[Link]) -> u32 {
        let ends = links.iter().flatten();
        ends.map(|&end| self.risk_at(end)).max().unwrap_or(0)
    }

    /// The colour of a risk; none without tables.
    pub fn color(&self, risk: u32) -> Option<&'static str> {
        self.risks.map(|_| RAMP[self.bin(risk)])
    }

    /// The colour of a risk, as an index: the first for none, then up to half of the bound, up to the bound,
    /// up to twice the bound, and beyond.
    fn bin(&self, risk: u32) -> usize {
        let limits = [0, self.bound / 2, self.bound, 2 * self.bound];
        limits.iter().filter(|&&limit| risk > limit).count()
    }

    fn risk_at(&self, (switch, port): (u32, u8)) -> u32 {
        match (self.risks, self.channels.hop(switch, port)) {
            (Some(risks), Hop::Switch { channel, .. }) => risks[channel as usize],
            _ => 0,
        }
    }

    /// The bandwidth of some links as a part of their expected bandwidth.
    pub fn carried(&self, links: &[Link]) -> f64 {
        let slow = links.iter().filter_map(|[low, _]| self.slow.get(low));
        let lost = |s: &Slowness| 1.0 - f64::from(s.now.mbps()) / f64::from(s.expected.mbps());
        1.0 - slow.map(lost).sum::<f64>() / links.len() as f64
    }

    /// The classes for the marks of some links.
    pub fn classes(&self, links: &[Link]) -> String {
        let ends = || links.iter().flatten();
        let class = |class: &'static str, is: bool| if is { class } else { "" };
        [
            class(" slow", ends().any(|end| self.slow.contains_key(end))),
            class(
                " drained",
                ends().any(|end| self.drained.binary_search(end).is_ok()),
            ),
            class(" wrong", ends().any(|end| self.wrong.contains(end))),
        ]
        .concat()
    }

    /// The caption of the links between two switches.
    pub fn title(&self, a: u32, b: u32, links: &[Link]) -> String {
        let [a, b] = [a, b].map(|s| &self.scene.names.switches[s as usize]);
        let mut title = format!("{a} -- {b}: {} links", links.len());
        if let ([[lower, upper]], Some(_)) = (links, self.risks) {
            let (up, down) = (self.risk_at(*lower), self.risk_at(*upper));
            let (p, q) = (lower.1, upper.1);
            title = format!("{a} [{p}] -- {b} [{q}]: A2A risk {up} up, {down} down");
        } else if self.risks.is_some() {
            title += &format!(", A2A risk up to {}", self.worst_of(links));
        }
        let slow = links.iter().filter_map(|[low, _]| self.slow.get(low));
        match slow.collect::<Vec<_>>()[..] {
            [] => {}
            [one] => title += &format!("; slow: {one}"),
            ref more => title += &format!("; {} slow", more.len()),
        }
        let classes = self.classes(links);
        for (class, word) in [
            (" drained", "drained"),
            (" wrong", "where it should not be"),
        ] {
            if classes.contains(class) {
                title += &format!("; {word}");
            }
        }
        title
    }
}

fn end(end: &End) -> String {
    match end.port {
        Some(port) => format!("{} [{port}]", end.name),
        None => end.name.clone(),
    }
}
