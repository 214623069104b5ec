//! How a drawing looks: SVG that needs nothing else, light or dark as the reader's system is.

use super::layout::{Bundle, Item, Layout};
use super::style::{RAMP, STYLE, escaped};
use crate::analysis::{Channels, Hop, bound};
use crate::dmodc::Ranking;
use crate::fabric::Fabric;
use crate::netlist::Names;
use crate::wiring::{Far, Slowness, doubts, slow_links};
use std::collections::BTreeMap;
use std::fmt::Write;

const MARGIN: f64 = 24.0;
const HEAD: f64 = 130.0;
/// Between the boxes of two rows.
const ROW: f64 = 150.0;
const FOOT: f64 = 30.0;
/// The height of a box with a name that lies in it. Names that are wider than their boxes stand upright,
/// and these boxes are as tall as the longest of them needs.
const BOX: f64 = 26.0;
/// The width of a letter, and of a small one.
const LETTER: f64 = 6.4;
const SMALL: f64 = 5.2;
/// More lines than this are drawn so that one shines through another.
const MANY: usize = 600;

/// Draws a fabric. `risks` is the A2A risk of each channel, if there are tables; `ranking` has the
/// levels, `order` the end nodes in the order in which they are to stand.
pub fn draw(
    fabric: &Fabric,
    names: &Names,
    ranking: &Ranking,
    order: &[u32],
    risks: Option<&[u32]>,
) -> String {
    let rank = |switch| ranking.rank(switch);
    let layout = Layout::new(fabric, rank, order);
    let slow = slow_links(fabric, rank, None).into_iter();
    let slow = slow.filter(|link| matches!(link.far, Far::Switch(..)));
    let widest = layout.rows.iter().copied().max().unwrap_or(1);
    let width = (widest as f64 * 22.0).clamp(1080.0, 4000.0) + 2.0 * MARGIN;
    let mut page = Page {
        fabric,
        names,
        channels: Channels::new(fabric),
        worst: risks.map_or(0, |risks| risks.iter().copied().max().unwrap_or(0)),
        bound: bound(fabric, rank).unwrap_or(0),
        slow: slow.map(|link| (link.near, link.slowness)).collect(),
        risks,
        layout,
        width,
        tall: BOX,
        height: 0.0,
    };
    let upright = (page.layout.items.iter()).filter(|item| page.is_upright(item));
    let longest = upright.map(|item| page.label(item).chars().count()).max();
    page.tall = longest
        .map_or(BOX, |letters| 12.0 + SMALL * letters as f64)
        .max(BOX);
    let gaps = page.layout.rows.len().saturating_sub(1) as f64;
    page.height = HEAD + gaps * page.row() + page.tall + FOOT;
    let (width, height) = (page.width, page.height);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         width=\"{width:.0}\" height=\"{height:.0}\">\n<style>{STYLE}</style>\n"
    );
    let missing: Vec<_> = doubts(fabric, ranking)
        .into_iter()
        .filter(|d| d.found.is_none())
        .collect();
    svg += &page.head(missing.len());
    let mut bundles: Vec<_> = page.layout.bundles.iter().collect();
    // The worst on top.
    bundles.sort_by_key(|(_, bundle)| page.risk(bundle));
    let class = if bundles.len() > MANY { "many" } else { "few" };
    let _ = writeln!(svg, "<g class=\"{class}\">");
    for (&(a, b), bundle) in bundles {
        page.bundle(a, b, bundle, &mut svg);
    }
    svg.push_str("</g>\n");
    for doubt in missing {
        let (here, above) = (doubt.switch as usize, doubt.above as usize);
        let (a, b) = (page.layout.of_switch[here], page.layout.of_switch[above]);
        if a != b {
            let (from, to) = (&names.switches[here], &names.switches[above]);
            let (port, have, all) = (doubt.port, doubt.have, doubt.siblings);
            let text =
                format!("missing: {from} [{port}] -- {to}: {have} of {all} siblings have it");
            let path = page.bow(a, b);
            let title = escaped(&text);
            let _ = writeln!(
                svg,
                "<path class=\"missing\" d=\"{path}\"><title>{title}</title></path>"
            );
        }
    }
    for item in &page.layout.items {
        page.item(item, &mut svg);
    }
    svg + "</svg>\n"
}

struct Page<'a> {
    fabric: &'a Fabric,
    names: &'a Names,
    channels: Channels,
    risks: Option<&'a [u32]>,
    /// Slow links by their lower ends.
    slow: BTreeMap<(u32, u8), Slowness>,
    worst: u32,
    /// What the worst risk is at best.
    bound: u32,
    layout: Layout,
    width: f64,
    height: f64,
    /// The height of the boxes with upright names.
    tall: f64,
}

impl Page<'_> {
    /// What it is, and what the colours mean.
    fn head(&self, missing: usize) -> String {
        let (switches, nodes) = (self.fabric.switches().len(), self.fabric.end_nodes().len());
        let links = self.fabric.switch_links();
        let a2a = match self.risks {
            Some(_) => format!("; A2A {}, bound {}", self.worst, self.bound),
            None => String::new(),
        };
        let mut text = format!(
            "<text class=\"title\" x=\"{MARGIN}\" y=\"28\">{switches} switches, {nodes} end nodes, \
             {links} links between switches{a2a}</text>\n"
        );
        let mut x = MARGIN;
        let mut entry = |mark: &str, what: String| {
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
                    entry(
                        &format!("style=\"stroke:{color};stroke-width:4\""),
                        format!("A2A risk {range}"),
                    );
                }
            }
        }
        if missing > 0 {
            entry(
                "class=\"missing\"",
                format!("{missing} missing (siblings have them)"),
            );
        }
        if !self.slow.is_empty() {
            entry("class=\"slow\"", format!("{} slow (thin)", self.slow.len()));
        }
        text
    }

    /// The middle of an item.
    fn at(&self, item: &Item) -> (f64, f64) {
        let cell = self.cell(item);
        let x = MARGIN + (item.column as f64 + 0.5) * cell;
        let lowest = self.height - FOOT - self.tall / 2.0;
        (x, lowest - self.row() * f64::from(item.row))
    }

    /// The distance of two rows.
    fn row(&self) -> f64 {
        ROW + self.tall
    }

    fn cell(&self, item: &Item) -> f64 {
        (self.width - 2.0 * MARGIN) / self.layout.rows[item.row as usize] as f64
    }

    /// What stands in a box: a name as a whole.
    fn label(&self, item: &Item) -> String {
        match item.switches[..] {
            [one] => self.names.switches[one as usize].clone(),
            _ if self.cell(item) < 100.0 => format!("{} sw.", item.switches.len()),
            _ => format!("{} switches", item.switches.len()),
        }
    }

    /// The width of the name in a box, lying.
    fn lying(&self, item: &Item) -> f64 {
        LETTER * self.label(item).chars().count() as f64 + 8.0
    }

    fn is_upright(&self, item: &Item) -> bool {
        self.lying(item) > self.cell(item) * 0.86
    }

    /// The width of a box.
    fn width(&self, item: &Item) -> f64 {
        let room = self.cell(item) * 0.86;
        match self.is_upright(item) {
            true => room.min(40.0),
            false => self.lying(item).max(120.0).min(room),
        }
    }

    /// Half of the height of a box.
    fn half(&self, item: &Item) -> f64 {
        let height = if self.is_upright(item) {
            self.tall
        } else {
            BOX
        };
        height / 2.0
    }

    /// A way from one item up to another; a bow between two of a row.
    fn path(&self, a: usize, b: usize) -> String {
        let (a, b) = (&self.layout.items[a], &self.layout.items[b]);
        let ((x1, y1), (x2, y2)) = (self.at(a), self.at(b));
        if a.row == b.row {
            let (middle, top) = ((x1 + x2) / 2.0, y1 - self.half(a));
            let bow = top - 20.0 - (x2 - x1).abs() / 12.0;
            return format!("M{x1:.1} {top:.1}Q{middle:.1} {bow:.1} {x2:.1} {top:.1}");
        }
        let [from, to] = [a, b].map(|item| self.half(item).copysign(y1 - y2));
        format!("M{x1:.1} {:.1}L{x2:.1} {:.1}", y1 - from, y2 + to)
    }

    /// As [`Page::path`], beside it.
    fn bow(&self, a: usize, b: usize) -> String {
        let (a, b) = (&self.layout.items[a], &self.layout.items[b]);
        let ((x1, y1), (x2, y2)) = (self.at(a), self.at(b));
        let [from, to] = [a, b].map(|item| self.half(item).copysign(y1 - y2));
        let (middle, half) = ((x1 + x2) / 2.0 + 28.0, (y1 + y2) / 2.0);
        let (y1, y2) = (y1 - from, y2 + to);
        format!("M{x1:.1} {y1:.1}Q{middle:.1} {half:.1} {x2:.1} {y2:.1}")
    }

    /// The worst risk in a bundle.
    fn risk(&self, bundle: &Bundle) -> u32 {
        let ends = bundle.links.iter().flatten();
        ends.map(|&end| self.risk_at(end)).max().unwrap_or(0)
    }

    /// Which colour a risk has: the first for none, then up to half of the bound, up to the bound, up to
    /// twice the bound, and beyond.
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

    fn bundle(&self, a: usize, b: usize, bundle: &Bundle, svg: &mut String) {
        let risk = self.risk(bundle);
        let count = bundle.links.len();
        let slow = bundle
            .links
            .iter()
            .filter_map(|[low, _]| self.slow.get(low));
        let slow: Vec<&Slowness> = slow.collect();
        let lost = |s: &&Slowness| 1.0 - f64::from(s.now.mbps()) / f64::from(s.expected.mbps());
        let carried = 1.0 - slow.iter().map(lost).sum::<f64>() / count as f64;
        let width = ((0.8 + (count as f64).log2() * 0.6) * carried).max(0.3);
        let class = if slow.is_empty() { "link" } else { "link slow" };
        let color = RAMP[self.bin(risk)];
        let style = match self.risks {
            Some(_) => format!("style=\"stroke:{color};stroke-width:{width:.1}\""),
            None => format!("style=\"stroke-width:{width:.1}\""),
        };
        let mut title = format!("{} -- {}: {count} links", self.name(a), self.name(b));
        if let ([[lower, upper]], Some(_)) = (&bundle.links[..], self.risks) {
            let (up, down) = (self.risk_at(*lower), self.risk_at(*upper));
            title = format!(
                "{} [{}] -- {} [{}]: A2A risk {up} up, {down} down",
                self.name(a),
                lower.1,
                self.name(b),
                upper.1
            );
        } else if self.risks.is_some() {
            title += &format!(", A2A risk up to {risk}");
        }
        match slow[..] {
            [] => {}
            [one] => title += &format!("; slow: {one}"),
            _ => title += &format!("; {} slow", slow.len()),
        }
        let (path, title) = (self.path(a, b), escaped(&title));
        let _ = writeln!(
            svg,
            "<path class=\"{class}\" {style} d=\"{path}\"><title>{title}</title></path>"
        );
    }

    fn name(&self, item: usize) -> String {
        match self.layout.items[item].switches[..] {
            [one] => self.names.switches[one as usize].clone(),
            [first, ..] => {
                let count = self.layout.items[item].switches.len();
                format!(
                    "{count} switches with {}",
                    self.names.switches[first as usize]
                )
            }
            [] => String::new(),
        }
    }

    fn item(&self, item: &Item, svg: &mut String) {
        let ((x, y), half) = (self.at(item), self.half(item));
        let folded = item.switches.len() > 1;
        let width = self.width(item);
        let (left, top, height) = (x - width / 2.0, y - half, 2.0 * half);
        let class = if folded { "folded" } else { "switch" };
        let full: Vec<String> = item
            .switches
            .iter()
            .map(|&s| {
                let guid = self.fabric.switches()[s as usize].guid;
                format!("{} {guid}", self.names.switches[s as usize])
            })
            .collect();
        let hosts = match item.hosts {
            0 => String::new(),
            1 => "1 host".into(),
            n => format!("{n} hosts"),
        };
        let title = escaped(&format!("{}\n{hosts}", full.join("\n")));
        let _ = writeln!(
            svg,
            "<g><title>{title}</title><rect class=\"{class}\" x=\"{left:.1}\" y=\"{top:.1}\" \
             width=\"{width:.1}\" height=\"{height}\" rx=\"3\"/>"
        );
        let label = escaped(&self.label(item));
        if !self.is_upright(item) {
            // Above the top row and below the lowest there are no links in the way.
            let beside = match item.row > 0 && item.row as usize + 1 == self.layout.rows.len() {
                true => top - 5.0,
                false => y + half + 13.0,
            };
            let _ = writeln!(
                svg,
                "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>\n\
                 <text class=\"small\" x=\"{x:.1}\" y=\"{beside:.1}\" text-anchor=\"middle\">{hosts}</text>",
                y + 4.0
            );
        } else {
            let _ = writeln!(
                svg,
                "<text class=\"small\" transform=\"translate({:.1} {y:.1}) rotate(-90)\" \
                 text-anchor=\"middle\">{label}</text>",
                x + 3.0
            );
        }
        svg.push_str("</g>\n");
    }
}
