//! Logarithmic axes with round numbers. plotters marks powers of ten only; a range from 8 to 30 would have
//! almost none.

use plotters::coord::combinators::{BindKeyPoints, IntoLogRange, LogCoord, WithKeyPoints};
use std::ops::Range;

pub type Log = WithKeyPoints<LogCoord<f64>>;

pub fn round(range: Range<f64>) -> Log {
    let marks = round_numbers(&range);
    range.log_scale().with_key_points(marks)
}

/// As [`round`], with a mark at `first` and no other below 1.
pub fn round_from(first: f64, range: Range<f64>) -> Log {
    let mut marks = round_numbers(&range);
    marks.retain(|&v| v >= 1.0);
    marks.insert(0, first);
    range.log_scale().with_key_points(marks)
}

/// Round numbers in a range: 1, 2 and 5 of each decade, more in a short range, fewer in a long one. From 1 on they are
/// whole.
fn round_numbers(range: &Range<f64>) -> Vec<f64> {
    let digits: &[f64] = match range.end / range.start {
        ..5.0 => &[1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0],
        ..20.0 => &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0],
        ..5000.0 => &[1.0, 2.0, 5.0],
        _ => &[1.0],
    };
    // 3 / 10 is the 0.3 that people write; 3 times 0.1 is a little more.
    let scaled = |digit: f64, power: i32| match power {
        ..0 => digit / 10f64.powi(-power),
        _ => digit * 10f64.powi(power),
    };
    let round = (-3..20).flat_map(|power| digits.iter().map(move |&d| scaled(d, power)));
    let inside = round.filter(|v| range.contains(v) && (*v < 1.0 || v.fract() == 0.0));
    inside.collect()
}

/// An axis with marks at these numbers, without marks that would touch the mark before.
pub fn with_marks_at(range: Range<f64>, numbers: impl IntoIterator<Item = f64>) -> Log {
    let apart = (range.end / range.start).powf(0.07);
    let mut marks: Vec<f64> = Vec::new();
    for number in numbers {
        if marks.last().is_none_or(|last| number / last > apart) {
            marks.push(number);
        }
    }
    range.log_scale().with_key_points(marks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_and_as_many_as_fit() {
        let marks = |range| round(range).bold_points().to_vec();
        assert_eq!(marks(9.5..31.0), [10.0, 12.0, 15.0, 20.0, 25.0, 30.0]);
        assert_eq!(marks(0.9..12.0), [1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0]);
        assert_eq!(marks(0.9..130.0), [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]);
        let times: Vec<String> = marks(0.02..12.0).iter().map(f64::to_string).collect();
        assert_eq!(times.join(" "), "0.02 0.05 0.1 0.2 0.5 1 2 5 10");
        let nodes = with_marks_at(100.0..1000.0, [324.0, 330.0, 648.0]);
        assert_eq!(nodes.bold_points(), [324.0, 648.0]);
        let faults = round_from(0.5, 0.4..6.0);
        assert_eq!(faults.bold_points(), [0.5, 1.0, 2.0, 3.0, 4.0, 5.0]);
    }
}
