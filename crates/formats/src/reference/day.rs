//! Days of the calendar, in UTC.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::Offset;
use std::time::SystemTime;

/// The day of a time.
pub fn day_of(time: SystemTime) -> Date {
    let time = Timestamp::try_from(time).unwrap_or_default();
    Offset::UTC.to_datetime(time).date()
}

/// The present day.
pub fn today() -> Date {
    day_of(SystemTime::now())
}

/// Reads `2026-02-28`.
pub(super) fn day(text: &str) -> Option<Date> {
    Date::strptime("%Y-%m-%d", text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn days_are_of_utc_and_read_as_written() {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(20_513 * 86_400 - 1);
        assert_eq!(day_of(time).to_string(), "2026-02-28");
        assert_eq!(day("2026-02-28"), Some(day_of(time)));
        for none in ["", "2026-02-30", "2026-13-01", "2026-02-28T00:00"] {
            assert_eq!(day(none), None, "{none}");
        }
    }
}
