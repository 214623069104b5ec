//! Measured pairs of hosts: `FROM TO [figure]`, one a line, as tests of the bandwidth between two hosts print.
//!
//! Tabs, commas or blanks are between them; names that have blanks need tabs or commas. A figure is a bandwidth in any
//! unit, or one of the words `slow` and `fast`. `#` begins a comment.

use crate::input::{Fault, Lenient, Parsed, Warnings, lines, plain, quoted};
use crate::scan::text;

/// What was measured.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Figure {
    /// Nothing: then no line has a figure, and all are slow pairs.
    None,
    /// A bandwidth: more is better.
    Of(f64),
    /// Whether the pair is slow.
    IsSlow(bool),
}

/// A line.
#[derive(Clone, PartialEq, Debug)]
pub struct Pair {
    /// Its number.
    pub line: u32,
    /// The name of the sender.
    pub from: String,
    /// The name of the receiver.
    pub to: String,
    /// What was measured.
    pub figure: Figure,
}

/// Why a file was refused, or a warning about a line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum PairReason {
    #[error("no pair in the file: FROM TO [figure], one a line")]
    Empty,
    #[error(
        "no pair, left out: '{0}'; FROM TO [figure], names with blanks need tabs or commas between them"
    )]
    Bad(String),
    #[error("no bandwidth, and neither slow nor fast: '{0}': left out")]
    NoFigure(String),
}

/// Parses a file; lines that are not understood are warnings.
///
/// # Errors
/// If no line is a pair.
pub fn parse_pairs_leniently(bytes: &[u8]) -> Parsed<Vec<Pair>, PairReason> {
    let (mut pairs, mut warnings) = (Vec::new(), Warnings::default());
    for (number, line) in lines(bytes) {
        let line = plain(line).unwrap_or_default();
        let line = text(line.split(|&b| b == b'#').next().unwrap_or_default());
        let line = line.trim();
        let between = ['\t', ','].into_iter().find(|&c| line.contains(c));
        let words: Vec<&str> = match between {
            Some(between) => line.split(between).map(str::trim).collect(),
            None => line.split_whitespace().collect(),
        };
        let (from, to, figure) = match words[..] {
            [] | [""] => continue,
            [from, to] => (from, to, Figure::None),
            [from, to, word] => {
                let known = match word.to_lowercase().as_str() {
                    "slow" => Some(Figure::IsSlow(true)),
                    "fast" => Some(Figure::IsSlow(false)),
                    "" => Some(Figure::None),
                    word => {
                        let value = word.parse::<f64>().ok();
                        value.filter(|v| v.is_finite() && *v >= 0.0).map(Figure::Of)
                    }
                };
                let Some(figure) = known else {
                    warnings.add(number, PairReason::NoFigure(quoted(word.as_bytes())));
                    continue;
                };
                (from, to, figure)
            }
            _ => {
                warnings.add(number, PairReason::Bad(quoted(line.as_bytes())));
                continue;
            }
        };
        pairs.push(Pair {
            line: number,
            from: from.to_owned(),
            to: to.to_owned(),
            figure,
        });
    }
    let is_without = |pair: &Pair| pair.figure == Figure::None;
    if !pairs.iter().all(is_without) {
        for pair in pairs.iter().filter(|pair| is_without(pair)) {
            let words = format!("{} {}", pair.from, pair.to);
            warnings.add(pair.line, PairReason::NoFigure(quoted(words.as_bytes())));
        }
        pairs.retain(|pair| !is_without(pair));
    }
    match pairs.is_empty() {
        true => Err((warnings.into_first()).unwrap_or(Fault::whole(PairReason::Empty))),
        false => Ok(Lenient::new(pairs, warnings)),
    }
}
