//! One colour for each engine (Okabe and Ito's, which colour-blind readers tell apart), one kind of
//! line for what it is told.

use crate::compare::Contestant;
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
pub fn color(contestant: &Contestant) -> RGBColor {
    let known = COLORS.iter().find(|(name, _)| *name == contestant.engine());
    known.map_or(OTHER, |(_, color)| *color)
}

/// How long its dashes are, in pixels; none for a solid line. Told the roots: solid; as shipped,
/// where the engine can be told them: dashed.
pub fn dash(contestant: &Contestant) -> Option<(i32, i32)> {
    let takes_roots = ["ftree", "updn"].contains(&contestant.engine());
    match (
        contestant.is_told_io(),
        takes_roots && !contestant.is_told_roots(),
    ) {
        (true, _) => Some((2, 4)),
        (false, true) => Some((8, 5)),
        (false, false) => None,
    }
}

/// A colour as CSS has it.
pub fn css(RGBColor(r, g, b): RGBColor) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}
