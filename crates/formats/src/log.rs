//! Dmodc's lines in OpenSM's log, or in that of `dmodc follow`.
//!
//! OpenSM begins a line with `Nov 27 12:41:29 579702 [28C2F6C0] 0x02 -> `, a journal with the time and names. Neither
//! has a year.

use crate::scan::{Scan, text};
use std::fmt;

/// A time without its year.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Time {
    month: u8,
    day: u8,
    /// Since midnight.
    second: u32,
}

const MONTHS: [&[u8]; 12] = [
    b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec",
];

impl Time {
    /// The time at the beginning of a line.
    pub fn parse(line: &[u8]) -> Option<Time> {
        let mut scan = Scan(line);
        let month = MONTHS.iter().position(|month| scan.eat(month))?;
        let day = scan
            .blanks()
            .decimal()
            .filter(|day| (1..=31).contains(day))?;
        let hour = scan.blanks().decimal().filter(|&hour| hour < 24)?;
        let [minute, second] = [0; 2].map(|_| {
            let part = scan.eat(b":").then(|| scan.decimal()).flatten();
            part.filter(|&part| part <= 60)
        });
        Some(Time {
            month: month as u8,
            day: day as u8,
            second: (hour * 3600 + minute? * 60 + second?) as u32,
        })
    }

    /// Seconds since the year began, if all months had 31 days.
    pub fn in_year(self) -> u64 {
        (u64::from(self.month) * 31 + u64::from(self.day)) * 86400 + u64::from(self.second)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let month = text(MONTHS[usize::from(self.month)]);
        let [hour, minute, second] = [self.second / 3600, self.second / 60 % 60, self.second % 60];
        write!(
            f,
            "{month} {:02} {hour:02}:{minute:02}:{second:02}",
            self.day
        )
    }
}

/// The seconds of a year of months of 31 days: see [`Time::in_year`].
pub const YEAR: u64 = 12 * 31 * 86400;

/// A line of Dmodc.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// When, if the line says it.
    pub time: Option<Time>,
    /// Whether it is an error.
    pub is_error: bool,
    /// The rest.
    pub text: String,
}

impl Line {
    /// Parses a line; `None` if it is not Dmodc's.
    pub fn parse(line: &[u8]) -> Option<Line> {
        let mut scan = Scan(line);
        scan.until(b"dmodc: ")?;
        let is_error = scan.eat(b"ERR: ");
        Some(Line {
            time: Time::parse(line),
            is_error,
            text: text(scan.0.trim_ascii_end()),
        })
    }

    /// Whether it is the line of a sweep that Dmodc has routed.
    pub fn is_routed(&self) -> bool {
        self.text.starts_with("routed ")
    }

    /// A figure of the line of a sweep: `changed_blocks`, `proof`.
    pub fn figure(&self, name: &str) -> Option<&str> {
        let mut words = self.text.split(' ');
        words.find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
    }
}
