//! Figures of several panels, each a picture of its own, so that a narrow window shows them one below the other.

use super::style::{FONT, sample};
use crate::compare::EngineSpec;
use crate::xml::escaped;
use std::fmt::Write;

/// A figure of panels of one size.
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
