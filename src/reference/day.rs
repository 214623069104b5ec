//! Days of the calendar, in UTC.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

/// A day, counted from 1970-01-01.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Day(u64);

const SECONDS: u64 = 24 * 60 * 60;

impl Day {
    /// The day of a time; one before 1970 counts as the first.
    pub fn of(time: SystemTime) -> Day {
        let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
        Day(since.as_secs() / SECONDS)
    }

    /// The day that is now.
    pub fn today() -> Day {
        Day::of(SystemTime::now())
    }

    /// Reads `2026-02-28`.
    pub fn parse(text: &str) -> Option<Day> {
        let mut parts = text.splitn(3, '-').map(|part| part.parse::<u64>().ok());
        let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
        if !(1970..10_000).contains(&year) || !(1..=12).contains(&month) || day == 0 {
            return None;
        }
        // Years that begin with March end with the day that some have more.
        let (y, m) = if month > 2 {
            (year, month - 3)
        } else {
            (year - 1, month + 9)
        };
        let days = y * 365 + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1;
        let read = Day(days.checked_sub(EPOCH)?);
        (read.to_string() == text).then_some(read)
    }
}

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
    fn days_are_those_of_the_calendar() {
        for (day, text) in [
            (0, "1970-01-01"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_512, "2026-02-28"),
            (20_513, "2026-03-01"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
        ] {
            assert_eq!(Day(day).to_string(), text);
            assert_eq!(Day::parse(text), Some(Day(day)));
        }
        for text in [
            "",
            "2026-02-30",
            "2026-2-28",
            "2026-13-01",
            "-1-01-01",
            "1969-12-31",
        ] {
            assert_eq!(Day::parse(text), None, "{text}");
        }
    }
}
