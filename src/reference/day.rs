//! Days of the calendar, in UTC.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

/// A day, counted from 1970-01-01.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Day(u64);

const SECONDS: u64 = 24 * 60 * 60;

impl Day {
    /// The day of a time; a time before 1970 counts as the first day.
    pub fn of(time: SystemTime) -> Day {
        let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
        Day(since.as_secs() / SECONDS)
    }

    /// The present day.
    pub fn today() -> Day {
        Day::of(SystemTime::now())
    }

    /// Reads `2026-02-28`.
    pub fn parse(text: &str) -> Option<Day> {
        // All texts of days have one length, so a binary search finds the day in their order.
        let (mut day, mut beyond) = (0, BEYOND);
        while day < beyond {
            let middle = (day + beyond) / 2;
            match Day(middle).to_string().as_str() < text {
                true => day = middle + 1,
                false => beyond = middle,
            }
        }
        (Day(day).to_string() == text).then_some(Day(day))
    }
}

/// 10000-01-01: the first day with a longer text.
const BEYOND: u64 = 2_932_897;

/// 1970-01-01, counted from 0000-03-01.
const EPOCH: u64 = 719_468;

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Days of 400 years, of a century and of a year that begin with March.
        let days = self.0 + EPOCH;
        let (era, of_era) = (days / 146_097, days % 146_097);
        let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let month = (5 * of_year + 2) / 153;
        let day = of_year - (153 * month + 2) / 5 + 1;
        let (year, month) = match month < 10 {
            true => (era * 400 + year, month + 3),
            false => (era * 400 + year + 1, month - 9),
        };
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_agree_with_the_calendar() {
        for (day, text) in [
            (0, "1970-01-01"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_512, "2026-02-28"),
            (20_513, "2026-03-01"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
            (2_932_896, "9999-12-31"),
        ] {
            assert_eq!(Day(day).to_string(), text);
            assert_eq!(Day::parse(text), Some(Day(day)));
        }
        let none = " 2026-02-30 2026-2-28 2026-13-01 -1-01-01 1969-12-31 10000-01-01";
        for text in none.split(' ') {
            assert_eq!(Day::parse(text), None, "{text}");
        }
    }
}
