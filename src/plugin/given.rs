//! Options of OpenSM that are read at its start alone, and changed in its file since.
//!
//! OpenSM reads its file again before each heavy sweep, a `SIGHUP` included, and takes up some options.
//! Others it passes over in silence; those of them that concern Dmodc are named here.

use super::files::{Stamp, stamp};
use std::fs;

/// What is not taken up before a restart.
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

/// The options in OpenSM's file, over all sweeps.
#[derive(Default)]
pub struct Given {
    /// When the file was read last.
    stamp: Option<Stamp>,
    /// The values at the first sweep.
    first: Option<[String; ONCE.len()]>,
    /// What was said last.
    said: Vec<&'static str>,
}

impl Given {
    /// Looks at the file, if it is new, and says what a restart would take up.
    pub fn look(&mut self, file: &str) {
        let stamp = fs::metadata(file).ok().and_then(|m| stamp(&m));
        if stamp.is_none() || stamp == self.stamp {
            return;
        }
        self.stamp = stamp;
        // OpenSM says what is wrong with its file.
        let Ok(text) = fs::read(file) else { return };
        let names = self.changed(values(&String::from_utf8_lossy(&text)));
        if names != self.said {
            if !names.is_empty() {
                log::warn!(
                    "{file}: changed, and read only when OpenSM starts: {}",
                    names.join(", ")
                );
            }
            self.said = names;
        }
    }

    /// The options that are not what they were.
    fn changed(&mut self, now: [String; ONCE.len()]) -> Vec<&'static str> {
        let first = self.first.get_or_insert_with(|| now.clone());
        let pairs = ONCE.into_iter().zip(first.iter().zip(&now));
        pairs
            .filter(|(_, (a, b))| a != b)
            .map(|(name, _)| name)
            .collect()
    }
}

/// The values in the text of a file; empty where there is none.
fn values(text: &str) -> [String; ONCE.len()] {
    let mut values: [String; ONCE.len()] = Default::default();
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_whitespace();
        let at = words
            .next()
            .and_then(|name| ONCE.iter().position(|once| *once == name));
        if let Some(at) = at {
            values[at] = words.collect::<Vec<_>>().join(" ");
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_restart_would_take_up_counts() {
        let mut given = Given::default();
        let mut changed = |text: &str| given.changed(values(text));
        assert_eq!(
            changed("routing_engine dmodc\nsweep_interval 10\n"),
            [""; 0]
        );
        assert_eq!(
            changed("# a comment\n  routing_engine\tdmodc # and one\nlog_flags 3"),
            [""; 0]
        );
        assert_eq!(
            changed("routing_engine dmodc,updn\nlmc 1"),
            ["routing_engine", "lmc"]
        );
        assert_eq!(
            changed("routing_engine updn\nrouting_engine dmodc"),
            [""; 0]
        );
        assert_eq!(changed(""), ["routing_engine"]);
    }
}
