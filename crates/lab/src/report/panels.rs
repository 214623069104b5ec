//! Figures of several panels: one SVG file with all panels, and HTML in which each panel is a picture of its
//! own, so that a narrow window shows the panels one below the other.

use super::style::{FONT, SCHEME, sample};
use crate::compare::EngineSpec;
use crate::xml::escaped;
use std::fmt::Write;

const WIDTH: usize = 980;
const LEGEND: usize = 26;

/// A figure of panels of one size.
pub struct Panels {
    pub size: (usize, usize),
    pub columns: usize,
    /// Lines below the panels: fabric, throws, seed and versions; the meaning of lines and points.
    pub caption: String,
    pub legend: Vec<EngineSpec>,
    pub panels: Vec<String>,
}

impl Panels {
    pub fn svg(&self) -> String {
        let legend = self.legend_rows();
        let top = legend.len() * LEGEND + 8;
        let (wide, high) = self.size;
        let rows = self.panels.len().div_ceil(self.columns);
        let bottom = top + rows * high;
        let lines = self.caption.lines().count();
        let (width, height) = (WIDTH.max(wide * self.columns), bottom + LEGEND * lines);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             width=\"{width}\" height=\"{height}\" font-family=\"{FONT}\">{SCHEME}\n"
        );
        for (row, entries) in legend.iter().enumerate() {
            for (x, spec) in entries {
                let _ = writeln!(
                    svg,
                    "<g transform=\"translate({x} {})\">{}<text x=\"40\" y=\"10\" font-size=\"14\" \
                     fill=\"currentColor\">{spec}</text></g>",
                    row * LEGEND + 8,
                    sample(spec)
                );
            }
        }
        for (i, panel) in self.panels.iter().enumerate() {
            let (x, y) = (i % self.columns * wide, top + i / self.columns * high);
            let _ = writeln!(
                svg,
                "<svg x=\"{x}\" y=\"{y}\" width=\"{wide}\" height=\"{high}\">{panel}</svg>"
            );
        }
        for (row, line) in self.caption.lines().enumerate() {
            let _ = writeln!(
                svg,
                "<text x=\"20\" y=\"{}\" font-size=\"12\" fill=\"currentColor\">{}</text>",
                bottom + row * LEGEND + LEGEND / 2,
                escaped(line)
            );
        }
        svg + "</svg>\n"
    }

    /// The legend's entries with their positions, row by row.
    fn legend_rows(&self) -> Vec<Vec<(usize, &EngineSpec)>> {
        let mut rows: Vec<Vec<_>> = Vec::new();
        let mut x = WIDTH;
        for spec in &self.legend {
            // About the width of a letter of this size.
            let wide = 62 + 8 * spec.to_string().len();
            if x + wide > WIDTH {
                rows.push(Vec::new());
                x = 20;
            }
            rows.last_mut().expect("there is one").push((x, spec));
            x += wide;
        }
        rows
    }

    /// The legend and the panels as parts of a page.
    pub fn html(&self) -> String {
        let mut html = "<p class=legend>".to_owned();
        for spec in &self.legend {
            let _ = write!(
                html,
                "<span><svg width=34 height=10>{}</svg>{}</span> ",
                sample(spec),
                escaped(&spec.to_string())
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
