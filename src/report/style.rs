//! One colour per engine (Okabe and Ito's, which colour-blind readers can tell apart), and one line
//! style for what it knows of the fabric; and text as HTML.

use crate::compare::EngineSpec;
use plotters::style::RGBColor;

const COLORS: [(&str, RGBColor); 7] = [
    ("dmodc", RGBColor(213, 94, 0)),
    ("ftree", RGBColor(0, 114, 178)),
    ("updn", RGBColor(0, 158, 115)),
    ("minhop", RGBColor(204, 121, 167)),
    ("sssp", RGBColor(120, 94, 20)),
    ("dfsssp", RGBColor(86, 180, 233)),
    ("nue", RGBColor(60, 60, 60)),
];
const OTHER: RGBColor = RGBColor(150, 150, 150);

/// The colour of an engine.
pub fn color(spec: &EngineSpec) -> RGBColor {
    let known = COLORS.iter().find(|(name, _)| *name == spec.engine());
    known.map_or(OTHER, |(_, color)| *color)
}

/// Length of its dashes and gaps in pixels; none for a solid line. With the I/O nodes: dotted. Without
/// roots, if the engine can use them: dashed. Else: solid.
pub fn dash(spec: &EngineSpec) -> Option<(i32, i32)> {
    let takes_roots = ["ftree", "updn"].contains(&spec.engine());
    match (spec.is_told_io(), takes_roots && !spec.is_told_roots()) {
        (true, _) => Some((2, 4)),
        (false, true) => Some((8, 5)),
        (false, false) => None,
    }
}

/// A colour in CSS notation.
pub fn css(RGBColor(r, g, b): RGBColor) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Text as HTML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
