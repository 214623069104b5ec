//! Matrices for paper: one below the other, the blocks of a matrix side by side.

use super::marks::{MARGIN, Marks};
use super::matrix::{Block, Tab, tabs};
use super::scene::{Bundles, Scene};
use super::style::opening;
use dmodc_lab::xml::escaped;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The width of a drawing, unless a block is wider.
const WIDTH: f64 = 1600.0;
const HEAD: f64 = 84.0;
/// The gap between blocks, and between rows of blocks.
const GAP: f64 = 16.0;
const TITLE: f64 = 30.0;
/// The sides of cells: the largest, the smallest, and the least with readable names beside it.
const LARGE: f64 = 14.0;
const SMALL: f64 = 3.0;
const NAMED: f64 = 9.0;
const LETTER: f64 = 4.6;

pub fn matrices(scene: &Scene, marks: &Marks) -> String {
    let (tabs, bundles) = (tabs(scene, &scene.links()), scene.bundles());
    let mut body = String::new();
    let (mut y, mut width) = (HEAD, WIDTH);
    for tab in &tabs {
        let sheet = Sheet::new(scene, tab);
        let _ = writeln!(
            body,
            "<text class=\"title\" x=\"{MARGIN}\" y=\"{:.0}\">level {} (down) by level {} (across)</text>",
            y + 18.0,
            tab.low,
            tab.high
        );
        y += TITLE;
        let (mut x, mut tallest) = (MARGIN, 0f64);
        for block in &tab.blocks {
            let (wide, high) = sheet.size(block);
            if x > MARGIN && x + wide > WIDTH - MARGIN {
                (x, y, tallest) = (MARGIN, y + tallest + GAP, 0.0);
            }
            sheet.block(block, (x, y), marks, &bundles, &mut body);
            x += wide + GAP;
            width = width.max(x + MARGIN);
            tallest = tallest.max(high);
        }
        y += tallest + GAP;
    }
    let head = opening(width, y + GAP) + &marks.head(&marks.legend("slow (dotted)"));
    head + "<g class=\"matrix\">\n" + &body + "</g>\n</svg>\n"
}

struct Sheet<'a> {
    scene: &'a Scene<'a>,
    cell: f64,
    /// The longest names of rows and of columns, in letters; 0 without names.
    names: [usize; 2],
}

impl Sheet<'_> {
    fn new<'a>(scene: &'a Scene, tab: &Tab) -> Sheet<'a> {
        let widest = tab.blocks.iter().map(|block| block.columns.len()).max();
        let cell = (WIDTH - 300.0) / widest.unwrap_or(1) as f64;
        let cell = cell.clamp(SMALL, LARGE);
        let longest = |switches: fn(&Block) -> &Vec<u32>| {
            let all = tab.blocks.iter().flat_map(switches);
            let letters = all.map(|&s| scene.names.switches[s as usize].chars().count());
            letters.max().filter(|_| cell >= NAMED).unwrap_or(0)
        };
        Sheet {
            scene,
            cell,
            names: [longest(|b| &b.rows), longest(|b| &b.columns)],
        }
    }

    /// The room that names need beside the rows and above the columns.
    fn room(&self) -> (f64, f64) {
        let [rows, columns] = self.names.map(|letters| LETTER * letters as f64 + 4.0);
        (rows, columns)
    }

    fn size(&self, block: &Block) -> (f64, f64) {
        let (left, top) = self.room();
        let cells = |switches: &Vec<u32>| self.cell * switches.len() as f64;
        (left + cells(&block.columns), top + cells(&block.rows))
    }

    fn block(
        &self,
        block: &Block,
        (x, y): (f64, f64),
        marks: &Marks,
        bundles: &Bundles,
        svg: &mut String,
    ) {
        let (cell, (left, top)) = (self.cell, self.room());
        let (x, y) = (x + left, y + top);
        let name = |s: u32| escaped(&self.scene.names.switches[s as usize]);
        let (rows, columns) = (numbered(&block.rows), numbered(&block.columns));
        let at = |number: usize| (number as f64) * cell;
        if cell >= NAMED {
            for (&s, &row) in &rows {
                let (x, y) = (x - 3.0, y + at(row) + cell * 0.75);
                let _ = writeln!(
                    svg,
                    "<text class=\"tiny\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"end\">{}</text>",
                    name(s)
                );
            }
            for (&s, &column) in &columns {
                let (x, y) = (x + at(column) + cell * 0.75, y - 3.0);
                let _ = writeln!(
                    svg,
                    "<text class=\"tiny\" transform=\"translate({x:.1} {y:.1}) rotate(-90)\">{}</text>",
                    name(s)
                );
            }
        }
        let class = if block.stray { "stray block" } else { "block" };
        let _ = writeln!(
            svg,
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>",
            at(columns.len()),
            at(rows.len())
        );
        let side = cell - (cell * 0.12).max(0.3);
        let square = |a: u32, b: u32| {
            let (row, column) = (rows.get(&a)?, columns.get(&b)?);
            Some((x + at(*column), y + at(*row)))
        };
        for &a in rows.keys() {
            for (&(_, b), links) in bundles.range((a, 0)..=(a, u32::MAX)) {
                let Some((x, y)) = square(a, b) else { continue };
                let color = marks.color(marks.worst_of(links));
                let style = color.map_or(String::new(), |color| format!(" style=\"fill:{color}\""));
                let (classes, title) = (marks.classes(links), escaped(&marks.title(a, b, links)));
                let _ = writeln!(
                    svg,
                    "<rect class=\"cell{classes}\"{style} x=\"{x:.1}\" y=\"{y:.1}\" width=\"{side:.1}\" \
                     height=\"{side:.1}\"><title>{title}</title></rect>"
                );
            }
        }
        for ([a, b], text) in &marks.missing {
            if let Some((x, y)) = square(*a, *b) {
                let title = escaped(text);
                let _ = writeln!(
                    svg,
                    "<path class=\"missing\" d=\"M{x:.1} {y:.1}l{side:.1} {side:.1}m0 -{side:.1}l-{side:.1} \
                     {side:.1}\"><title>{title}</title></path>"
                );
            }
        }
    }
}

/// The position of each switch in a list.
fn numbered(switches: &[u32]) -> BTreeMap<u32, usize> {
    switches.iter().copied().zip(0..).collect()
}
