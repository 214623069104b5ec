//! Logs the options that OpenSM reads only when it starts, if they have changed in its file since.
//!
//! OpenSM ignores such changes without a log line (`docs/options.md`). This module logs those that concern Dmodc, and
//! the removal of `connect_roots`: OpenSM then keeps its last value.

use crate::files::{self, Stamp, stamp};
use crate::sweeps::Logged;
use std::path::Path;

/// Options whose changes need a restart of OpenSM.
const ONCE: [&str; 10] = [
    "event_plugin_name",
    "event_plugin_options",
    "routing_engine",
    "root_guid_file",
    "cn_guid_file",
    "io_guid_file",
    "lmc",
    "lmc_esp0",
    "dump_files_dir",
    "use_ucast_cache",
];

/// An option whose new value OpenSM applies, but whose removal it ignores.
const WHILE_THERE: &str = "connect_roots";

/// The options in OpenSM's file, over all sweeps.
#[derive(Default)]
pub struct Given {
    stamp: Option<Stamp>,
    /// The values at the first sweep.
    first: Option<[String; ONCE.len()]>,
    /// The last value of [`WHILE_THERE`]; empty if the file has never had the option.
    kept: String,
    logged: Logged,
}

impl Given {
    /// Reads the file, if it is new, and logs the changes that OpenSM does not apply.
    pub fn look(&mut self, file: &Path) {
        let stamp = stamp(file);
        if stamp.is_none() || stamp == self.stamp {
            return;
        }
        self.stamp = stamp;
        // OpenSM itself logs the faults of its file.
        let Ok(text) = files::read(file) else {
            return;
        };
        let lines = self.changed(&String::from_utf8_lossy(&text));
        for line in self.logged.news(lines) {
            log::warn!("{}: changed, and {line}", file.display());
        }
    }

    /// Lines about the options in the file that OpenSM does not apply.
    fn changed(&mut self, text: &str) -> Vec<String> {
        let now = ONCE.map(|name| value(text, name));
        let first = self.first.get_or_insert_with(|| now.clone());
        let pairs = ONCE.into_iter().zip(first.iter().zip(&now));
        let changed = pairs.filter(|(_, (a, b))| a != b);
        let names: Vec<&str> = changed.map(|(name, _)| name).collect();
        let mut lines = Vec::new();
        if !names.is_empty() {
            lines.push(format!(
                "read only when OpenSM starts: {}",
                names.join(", ")
            ));
        }
        let (given, kept) = (value(text, WHILE_THERE), &mut self.kept);
        if !given.is_empty() {
            *kept = given;
        } else if !kept.is_empty() {
            lines.push(format!(
                "OpenSM keeps the removed option: {WHILE_THERE} {kept}"
            ));
        }
        lines
    }
}

/// The value of an option in the text of a file; empty if the file lacks the option.
fn value(text: &str, name: &str) -> String {
    let mut value = String::new();
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_whitespace();
        if words.next() == Some(name) {
            value = words.collect::<Vec<_>>().join(" ");
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_without_its_comment_counts() {
        let text = "# lmc 1\n  routing_engine\tupdn\nrouting_engine dmodc,  updn # and one\n";
        assert_eq!(value(text, "routing_engine"), "dmodc, updn");
        assert_eq!(value(text, "lmc"), "");
    }
}
