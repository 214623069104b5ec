//! Patterns for several names: `*` stands for any text, `[001-004,007]` for one of these numbers.

use std::collections::BTreeSet;

/// A pattern, in lower case.
pub struct Pattern(Vec<Piece>);

enum Piece {
    Text(String),
    /// Any text, or none.
    Any,
    Number(Vec<Range>),
}

/// A range of numbers, both ends included.
struct Range {
    from: u64,
    to: u64,
    /// The least number of digits; 1 without leading zeros.
    width: usize,
}

/// The most digits of a number in a name.
const LONGEST: usize = 18;

impl Pattern {
    /// Parses a text; `None` if it is no pattern. A single number in brackets is a port, not a pattern.
    pub fn parse(text: &str) -> Option<Pattern> {
        let (mut pieces, mut literal, mut found) = (Vec::new(), String::new(), false);
        let text = text.to_lowercase();
        let mut rest = text.as_str();
        while let Some(c) = rest.chars().next() {
            let numbers = rest.strip_prefix('[').and_then(|r| r.split_once(']'));
            let numbers = numbers.and_then(|(list, rest)| Some((ranges(list)?, rest)));
            let piece = match numbers {
                Some((ranges, after)) => {
                    rest = after;
                    Piece::Number(ranges)
                }
                None => {
                    rest = &rest[c.len_utf8()..];
                    if c != '*' {
                        literal.push(c);
                        continue;
                    }
                    Piece::Any
                }
            };
            found = true;
            pieces.push(Piece::Text(std::mem::take(&mut literal)));
            pieces.push(piece);
        }
        pieces.push(Piece::Text(literal));
        found.then_some(Pattern(pieces))
    }

    /// Whether a description, in lower case, begins with a match of the pattern, as a word.
    pub fn fits(&self, text: &str) -> bool {
        // Where matches of the pieces so far end.
        let mut ends = BTreeSet::from([0]);
        for piece in &self.0 {
            ends = match piece {
                Piece::Text(literal) => {
                    ends.retain(|&at| text[at..].starts_with(&**literal));
                    ends.iter().map(|at| at + literal.len()).collect()
                }
                Piece::Any => {
                    let first = ends.first().copied().unwrap_or(usize::MAX);
                    let is_end = |at: &usize| text.is_char_boundary(*at);
                    (first..=text.len()).filter(is_end).collect()
                }
                Piece::Number(ranges) => {
                    let after = |&at: &usize| {
                        let digits = text[at..].bytes().take(LONGEST);
                        let digits = digits.take_while(u8::is_ascii_digit).count();
                        let is_one = move |end: &usize| {
                            ranges.iter().any(|range| range.has(&text[at..*end]))
                        };
                        (at + 1..=at + digits).filter(is_one)
                    };
                    ends.iter().flat_map(after).collect()
                }
            };
        }
        let is_word = |&at: &usize| text[at..].chars().next().is_none_or(char::is_whitespace);
        ends.iter().any(is_word)
    }
}

/// Parses numbers and ranges, with commas between; `None` for a single number.
fn ranges(list: &str) -> Option<Vec<Range>> {
    let single = list.bytes().all(|b| b.is_ascii_digit());
    let range = |part: &str| {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| {
            let digits = text.bytes().all(|b| b.is_ascii_digit());
            (digits && text.len() <= LONGEST).then(|| text.parse().ok())?
        };
        let width = if from.starts_with('0') { from.len() } else { 1 };
        Some(Range {
            from: number(from)?,
            to: number(to)?,
            width,
        })
    };
    (!single).then(|| list.split(',').map(range).collect())?
}

impl Range {
    fn has(&self, text: &str) -> bool {
        let number: u64 = text.parse().unwrap_or_default();
        let width = self.width;
        (self.from..=self.to).contains(&number) && text == format!("{number:0width$}")
    }
}
