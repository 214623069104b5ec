//! The state and the log lines of a router over many sweeps: of the plugin inside OpenSM, and of `dmodc follow` beside
//! an OpenSM. Both write the same lines and metrics.
//!
//! [`Planned`] holds the results of one sweep, [`report`] writes its line, [`Findings`] logs changes and oddities,
//! [`Metrics`] keeps the figures, [`ReferenceFile`] the reference; [`roots_of`] compares given roots
//! with the cables, [`DrainedPlaces`] says what the lines of a drain file mean, [`Writer`] keeps the disk away. The
//! caller names switches and hosts by a [`Called`].

mod findings;
mod logged;
mod lost;
mod metrics;
mod places;
mod planned;
mod proof;
mod reference;
pub mod report;
mod roots;
mod sweep;
mod writer;

pub use findings::{Findings, host_pairs};
pub use logged::Logged;
pub use metrics::{Activity, File, Found, FoundSwitch, HostPairs, Metrics, Named, Role};
pub use places::{DrainedNow, DrainedPlaces};
pub use planned::{Called, Planned};
pub use proof::prove;
pub use reference::{ReferenceFile, Source};
pub use roots::{Roots, roots_of};
pub use sweep::Sweep;
pub use writer::{Job, Writer};

use log::Level;

/// A log line as all programs write it: with the prefix, with `ERR` for an error, and with a blank for each control
/// character.
pub fn line_of(level: Level, text: &str) -> String {
    let mark = if level == Level::Error { "ERR: " } else { "" };
    format!("dmodc: {mark}{}", text.trim_end()).replace(char::is_control, " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_line() {
        assert_eq!(line_of(Level::Info, "routed\n"), "dmodc: routed");
        assert_eq!(line_of(Level::Error, "a\nb\0c"), "dmodc: ERR: a b c");
        assert_eq!(line_of(Level::Warn, "100%s"), "dmodc: 100%s");
    }
}
