//! One colour per engine (close to Okabe and Ito's, which colour-blind readers can distinguish, and readable
//! on white and on black), and one line style for its options and its roots; and
//! numbers as people write them.

use crate::compare::EngineSpec;

const COLORS: [(&str, &str); 7] = [
    ("dmodc", "#e0600d"),
    ("ftree", "#2f86d6"),
    ("updn", "#109e73"),
    ("minhop", "#cc6fa6"),
    ("sssp", "#b08d1e"),
    ("dfsssp", "#45b5e8"),
    ("nue", "#8b7be0"),
];
/// The colours of all other engines, by name.
const OTHERS: [&str; 5] = ["#8a8a8a", "#c2473d", "#5f7f2a", "#7a5230", "#3f6f8f"];

pub const FONT: &str = "sans-serif";

pub fn color(spec: &EngineSpec) -> &'static str {
    let known = COLORS.iter().find(|(name, _)| *name == spec.engine());
    let sum = spec.engine().bytes().map(usize::from).sum::<usize>();
    known.map_or(OTHERS[sum % OTHERS.len()], |(_, color)| *color)
}

/// The dashes of an engine's lines, as an SVG attribute: solid for an engine without options that gets the roots,
/// or takes none, as Dmodc; dotted with a reference; else dashed.
pub fn dash(spec: &EngineSpec) -> &'static str {
    let takes_roots = ["ftree", "updn"].contains(&spec.engine());
    if spec.variant().ends_with(":reference") {
        " stroke-dasharray=\"2 4\""
    } else if takes_roots && !spec.gets_roots || spec.variant() != spec.engine() {
        " stroke-dasharray=\"8 5\""
    } else {
        ""
    }
}

/// A number with commas between thousands, and one decimal at most; two below 1, none from 1,000 on.
pub fn number(value: f64) -> String {
    let decimals = match value.abs() {
        ..1.0 => 2,
        ..1000.0 => 1,
        _ => 0,
    };
    let text = format!("{value:.decimals$}");
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let mut out = String::new();
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    match fraction.trim_end_matches('0') {
        "" => out,
        fraction => out + "." + fraction,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_that_people_write() {
        let pairs = [
            (0.0, "0"),
            (0.1 + 0.2, "0.3"),
            (0.05, "0.05"),
            (9.96, "10"),
            (168.5, "168.5"),
            (8640.0, "8,640"),
            (15_294.4, "15,294"),
            (1_234_567.0, "1,234,567"),
        ];
        for (value, text) in pairs {
            assert_eq!(number(value), text);
        }
    }
}
