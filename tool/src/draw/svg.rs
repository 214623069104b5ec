//! A drawing for paper: SVG without external files, light or dark as the reader's system is. Boxes stand in a row for
//! each level that has switches.

use super::MOST;
use super::marks::{MARGIN, Marks};
use super::scene::{Bundles, Link, Scene, State};
use super::style::opening;
use super::svg_matrix::matrices;
use dmodc::fabric::NodeKind;
use dmodc_lab::xml::escaped;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The width of a drawing.
const WIDTH: f64 = 1080.0 + 2.0 * MARGIN;
const HEAD: f64 = 130.0;
const ROW: f64 = 150.0;
const FOOT: f64 = 30.0;
/// The height of a box whose name lies in it. A name that is wider than its box stands upright, and all boxes
/// with upright names are as tall as the longest of these names.
const BOX: f64 = 26.0;
/// The width of a letter, and of a small one.
const LETTER: f64 = 6.4;
const SMALL: f64 = 5.2;

pub fn svg(scene: &Scene, state: &State) -> String {
    let marks = Marks::new(scene, state);
    match scene.fabric.switches().len() > MOST {
        true => matrices(scene, &marks),
        false => Page::new(scene, marks).svg(),
    }
}

struct Page<'a> {
    scene: &'a Scene<'a>,
    marks: Marks<'a>,
    layout: Layout,
    height: f64,
}

impl Page<'_> {
    fn new<'a>(scene: &'a Scene, marks: Marks<'a>) -> Page<'a> {
        let mut layout = Layout::new(scene);
        let letters = |s: u32| scene.names.switches[s as usize].chars().count() as f64;
        let (mut tall, rows) = (BOX, layout.rows.clone());
        for item in &mut layout.items {
            let cell = (WIDTH - 2.0 * MARGIN) / rows[item.row] as f64;
            let (room, lying) = (cell * 0.86, LETTER * letters(item.switch) + 8.0);
            item.x = MARGIN + (item.column as f64 + 0.5) * cell;
            item.is_upright = lying > room;
            item.width = match item.is_upright {
                true => room.min(40.0),
                false => lying.max(120.0).min(room),
            };
            if item.is_upright {
                tall = tall.max(12.0 + SMALL * letters(item.switch));
            }
        }
        let gaps = rows.len().saturating_sub(1) as f64;
        let height = HEAD + gaps * (ROW + tall) + tall + FOOT;
        for item in &mut layout.items {
            item.y = height - FOOT - tall / 2.0 - (ROW + tall) * item.row as f64;
            item.half = if item.is_upright { tall } else { BOX } / 2.0;
        }
        Page {
            scene,
            marks,
            layout,
            height,
        }
    }

    fn svg(&self) -> String {
        let mut svg = opening(WIDTH, self.height);
        svg += &self.marks.head(&self.marks.legend("slow (thin)"));
        let mut bundles: Vec<_> = self.layout.bundles.iter().collect();
        // The worst last, so on top.
        bundles.sort_by_key(|(_, links)| self.marks.worst_of(links));
        svg.push_str("<g>\n");
        for (&(a, b), links) in bundles {
            self.bundle(a, b, links, &mut svg);
        }
        svg.push_str("</g>\n");
        for ([a, b], text) in self.marks.missing.iter().filter(|([a, b], _)| a != b) {
            let (path, title) = (self.bow(*a, *b), escaped(text));
            let _ = writeln!(
                svg,
                "<path class=\"missing\" d=\"{path}\"><title>{title}</title></path>"
            );
        }
        for item in &self.layout.items {
            self.item(item, &mut svg);
        }
        svg + "</svg>\n"
    }

    /// The two ends of the line from one box up to another.
    fn ends(&self, a: u32, b: u32) -> [(f64, f64); 2] {
        let [a, b] = [a, b].map(|s| &self.layout.items[s as usize]);
        let [from, to] = [a, b].map(|item| item.half.copysign(a.y - b.y));
        [(a.x, a.y - from), (b.x, b.y + to)]
    }

    /// The line from one box up to another; between two boxes of a row, a bow.
    fn path(&self, a: u32, b: u32) -> String {
        let [(x1, y1), (x2, y2)] = self.ends(a, b);
        let [a, b] = [a, b].map(|s| &self.layout.items[s as usize]);
        if a.row == b.row {
            let (middle, top) = ((x1 + x2) / 2.0, a.y - a.half);
            let bow = top - 20.0 - (x2 - x1).abs() / 12.0;
            return format!("M{x1:.1} {top:.1}Q{middle:.1} {bow:.1} {x2:.1} {top:.1}");
        }
        format!("M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}")
    }

    /// A bow beside the line of [`Page::path`].
    fn bow(&self, a: u32, b: u32) -> String {
        let [(x1, y1), (x2, y2)] = self.ends(a, b);
        let [a, b] = [a, b].map(|s| self.layout.items[s as usize].y);
        let (middle, half) = ((x1 + x2) / 2.0 + 28.0, (a + b) / 2.0);
        format!("M{x1:.1} {y1:.1}Q{middle:.1} {half:.1} {x2:.1} {y2:.1}")
    }

    fn bundle(&self, a: u32, b: u32, links: &[Link], svg: &mut String) {
        let marks = &self.marks;
        let width = (0.8 + (links.len() as f64).log2() * 0.6) * marks.carried(links);
        let (width, classes) = (width.max(0.3), marks.classes(links));
        let color = marks.color(marks.worst_of(links));
        let color = color.map_or(String::new(), |color| format!("stroke:{color};"));
        let (path, title) = (self.path(a, b), escaped(&marks.title(a, b, links)));
        let _ = writeln!(
            svg,
            "<path class=\"link{classes}\" style=\"{color}stroke-width:{width:.1}\" d=\"{path}\">\
             <title>{title}</title></path>"
        );
    }

    fn item(&self, item: &Item, svg: &mut String) {
        let &Item {
            x, y, half, width, ..
        } = item;
        let (left, top, height) = (x - width / 2.0, y - half, 2.0 * half);
        let guid = self.scene.fabric.switches()[item.switch as usize].guid;
        let hosts = match item.hosts {
            0 => String::new(),
            1 => "1 host".into(),
            n => format!("{n} hosts"),
        };
        let label = escaped(&self.scene.names.switches[item.switch as usize]);
        let _ = writeln!(
            svg,
            "<g><title>{label} {guid}\n{hosts}</title><rect class=\"switch\" x=\"{left:.1}\" y=\"{top:.1}\" \
             width=\"{width:.1}\" height=\"{height}\" rx=\"3\"/>"
        );
        if !item.is_upright {
            // Above the top row and below the lowest there are no links in the way.
            let beside = match item.row > 0 && item.row + 1 == self.layout.rows.len() {
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

#[derive(Default)]
struct Item {
    switch: u32,
    hosts: usize,
    /// The row, 0 for the lowest, and the position in it.
    row: usize,
    column: usize,
    /// The middle of the box.
    x: f64,
    y: f64,
    width: f64,
    /// Half of the box's height.
    half: f64,
    /// Whether the name stands upright.
    is_upright: bool,
}

struct Layout {
    /// The boxes, by switch.
    items: Vec<Item>,
    /// The links between switches, the lower one first.
    bundles: Bundles,
    rows: Vec<usize>,
}

impl Layout {
    fn new(scene: &Scene) -> Layout {
        let fabric = &scene.fabric;
        let switches = 0..fabric.switches().len() as u32;
        let ranks = switches.clone().map(|s| scene.ranking.rank(s));
        let used: Vec<u32> = ranks.collect::<BTreeSet<u32>>().into_iter().collect();
        let item = |s: u32| {
            let nodes = &fabric.end_nodes()[fabric.end_nodes_of(s)];
            let hosts = nodes.iter().filter(|n| n.kind != NodeKind::Aggregation);
            Item {
                switch: s,
                hosts: hosts.count(),
                row: used.partition_point(|&row| row < scene.ranking.rank(s)),
                ..Item::default()
            }
        };
        let mut layout = Layout {
            items: switches.map(item).collect(),
            bundles: scene.bundles(),
            rows: vec![0; used.len()],
        };
        layout.place(scene);
        layout
    }

    /// Places switches with hosts in the order of their hosts, other switches over the middle of the switches below.
    fn place(&mut self, scene: &Scene) {
        let mut middle = vec![f64::MAX; self.items.len()];
        for (at, &node) in scene.order.iter().enumerate().rev() {
            let switch = scene.fabric.end_nodes()[node as usize].switch;
            middle[switch as usize] = at as f64;
        }
        let row = |s: usize| self.items[s].row;
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); self.items.len()];
        for &(a, b) in self.bundles.keys() {
            let (a, b) = (a as usize, b as usize);
            if row(a) < row(b) {
                below[b].push(a);
            }
        }
        let mut by_row: Vec<usize> = (0..self.items.len()).collect();
        by_row.sort_by_key(|&item| row(item));
        for &item in by_row.iter().filter(|&&item| row(item) > 0) {
            let known = below[item].iter().map(|&other| middle[other]);
            let known: Vec<f64> = known.filter(|&middle| middle < f64::MAX).collect();
            if !known.is_empty() {
                middle[item] = known.iter().sum::<f64>() / known.len() as f64;
            }
        }
        by_row.sort_by(|&a, &b| {
            let rows = row(a).cmp(&row(b));
            rows.then(middle[a].total_cmp(&middle[b])).then(a.cmp(&b))
        });
        for item in by_row {
            let column = &mut self.rows[self.items[item].row];
            self.items[item].column = *column;
            *column += 1;
        }
    }
}
