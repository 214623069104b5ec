//! Dmodc's lines in OpenSM's log, or in that of `dmodc follow`.
//!
//! OpenSM begins a line with `Nov 27 12:41:29 579702 [28C2F6C0] 0x02 -> `, a journal with the time and names. Neither
//! has a year.

use crate::scan::{Scan, text};
use jiff::civil::{Date, DateTime, date};
use jiff::fmt::strtime::BrokenDownTime;
use std::fmt;

/// A time without its year: in a year that has all days.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Time(DateTime);

const LEAP_YEAR: Date = date(2000, 1, 1);

/// The seconds of a leap year: see [`Time::in_year`].
pub const YEAR: u64 = 366 * 86400;

const FORMAT: &str = "%b %d %H:%M:%S";

impl Time {
    /// The time at the beginning of a line.
    pub fn parse(line: &[u8]) -> Option<Time> {
        let (mut parts, _) = BrokenDownTime::parse_prefix(FORMAT, line).ok()?;
        parts.set_year(Some(LEAP_YEAR.year())).ok()?;
        parts.to_datetime().ok().map(Time)
    }

    /// Seconds since a leap year began.
    pub fn in_year(self) -> u64 {
        let since = self.0.duration_since(LEAP_YEAR.into());
        since.as_secs().unsigned_abs()
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.strftime(FORMAT).fmt(f)
    }
}

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
