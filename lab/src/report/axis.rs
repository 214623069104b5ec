//! A logarithmic axis with round numbers. plotters' own has marks at powers of ten only; a range from
//! 8 to 30 would have almost none.

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use std::ops::Range;

/// A logarithmic axis, with its marks.
pub struct LogAxis {
    range: Range<f64>,
    marks: Vec<f64>,
}

impl LogAxis {
    /// An axis with marks at the round numbers of the range: 1, 2 and 5 of each decade, more in a short
    /// range, fewer in a long one. From 1 on only whole numbers have marks.
    pub fn round(range: Range<f64>) -> LogAxis {
        let digits: &[f64] = match range.end / range.start {
            ..5.0 => &[1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0],
            ..20.0 => &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0],
            ..5000.0 => &[1.0, 2.0, 5.0],
            _ => &[1.0],
        };
        // A tenth of 3 is the 0.3 that people write, 3 times 0.1 is a little more.
        let scaled = |digit: f64, power: i32| match power {
            ..0 => digit / 10f64.powi(-power),
            _ => digit * 10f64.powi(power),
        };
        let round = (-3..20).flat_map(|power| digits.iter().map(move |&d| scaled(d, power)));
        let inside = round.filter(|v| range.contains(v) && (*v < 1.0 || v.fract() == 0.0));
        LogAxis {
            marks: inside.collect(),
            range,
        }
    }

    /// An axis with marks at these numbers, but for those that would touch the one before.
    pub fn with_marks_at(range: Range<f64>, numbers: impl IntoIterator<Item = f64>) -> LogAxis {
        let apart = (range.end / range.start).powf(0.07);
        let mut marks: Vec<f64> = Vec::new();
        for number in numbers {
            if marks.last().is_none_or(|last| number / last > apart) {
                marks.push(number);
            }
        }
        LogAxis { range, marks }
    }

    /// The same axis with one more mark at its start, and without the others below 1.
    pub fn starting_at(mut self, mark: f64) -> LogAxis {
        self.marks.retain(|&v| v >= 1.0);
        self.marks.insert(0, mark);
        self
    }
}

impl Ranged for LogAxis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, pixels: (i32, i32)) -> i32 {
        let (start, end) = (self.range.start.ln(), self.range.end.ln());
        let share = (value.ln() - start) / (end - start);
        pixels.0 + (f64::from(pixels.1 - pixels.0) * share).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.marks.clone()
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_and_as_many_as_fit() {
        let marks = |range| LogAxis::round(range).marks;
        assert_eq!(marks(9.5..31.0), [10.0, 12.0, 15.0, 20.0, 25.0, 30.0]);
        assert_eq!(marks(0.9..12.0), [1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0]);
        assert_eq!(marks(0.9..130.0), [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]);
        assert_eq!(marks(0.09..0.9)[..3], [0.1, 0.15, 0.2]);
        let times = marks(0.02..12.0)
            .iter()
            .map(f64::to_string)
            .collect::<Vec<_>>();
        assert_eq!(
            times,
            ["0.02", "0.05", "0.1", "0.2", "0.5", "1", "2", "5", "10"]
        );
        let nodes = LogAxis::with_marks_at(100.0..1000.0, [324.0, 330.0, 648.0]).marks;
        assert_eq!(nodes, [324.0, 648.0]);
        let faults = LogAxis::round(0.4..6.0).starting_at(0.5);
        assert_eq!(faults.marks, [0.5, 1.0, 2.0, 3.0, 4.0, 5.0]);
    }

    #[test]
    fn equal_ratios_are_equal_lengths() {
        let axis = LogAxis::round(1.0..100.0);
        assert_eq!(
            [1.0, 10.0, 100.0].map(|v| axis.map(&v, (0, 200))),
            [0, 100, 200]
        );
        assert_eq!(axis.map(&10.0, (300, 100)), 200);
    }
}
