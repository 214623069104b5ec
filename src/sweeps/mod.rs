//! What whoever routes sweep after sweep remembers and tells: the plugin inside OpenSM, and `dmodc follow`
//! beside one. The words of the log and the figures are the same for both.
//!
//! [`Planned`] is what one sweep found. [`report`] has the line of the sweep, [`Findings`] what has changed and
//! what looks odd, [`Metrics`] the figures, [`Reference`] the places. Who knows what things are called hands in
//! a [`Called`].

mod findings;
mod metrics;
mod planned;
mod reference;
pub mod report;
mod sweep;

pub use findings::{Findings, host_pairs};
pub use metrics::{File, Found, HostPairs, Metrics, Role};
pub use planned::{Called, Planned};
pub use reference::{Reference, Source};
pub use sweep::Sweep;

use log::Level;

/// A line of the log as all programs write it: with its prefix, with `ERR` if it is an error, and without
/// control characters.
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
