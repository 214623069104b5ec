//! `dmodc.metrics`: a file for Prometheus, which node_exporter's textfile collector reads.
//!
//! Written when the plugin is loaded and after every sweep, also one that Dmodc refuses, each time as a
//! whole: every series is there from the first file on, and stays. The format is a few lines of text,
//! written here: the crates that know it bring registries, locks and a second format along.

mod text;
mod uplinks;

pub use uplinks::{Found, Links};

use self::text::Text;
use self::uplinks::Uplinks;
use super::files::replace;
use super::sweep::Sweep;
use crate::dmodc::PHASES;
use std::fmt::Display;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

/// What is counted over all sweeps, and the file.
pub struct Metrics {
    path: PathBuf,
    sweeps: u64,
    refusals: u64,
    changed_blocks: u64,
    in_use: bool,
    last: Option<SystemTime>,
    routed: Sweep,
    uplinks: Uplinks,
    /// The last error line.
    said: String,
}

impl Metrics {
    /// Writes the first file.
    pub fn new(path: PathBuf) -> Self {
        let mut metrics = Metrics {
            path,
            sweeps: 0,
            refusals: 0,
            changed_blocks: 0,
            in_use: false,
            last: None,
            routed: Sweep::default(),
            uplinks: Uplinks::default(),
            said: String::new(),
        };
        metrics.write();
        metrics
    }

    /// Dmodc has routed a sweep.
    pub fn routed(&mut self, sweep: &Sweep) {
        self.sweeps += 1;
        self.changed_blocks += sweep.changed_blocks as u64;
        self.routed = sweep.clone();
    }

    /// Dmodc has refused a sweep.
    pub fn refused(&mut self) {
        self.sweeps += 1;
        self.refusals += 1;
        self.swept(false);
    }

    /// OpenSM has done with routing, by Dmodc's tables or others.
    pub fn swept(&mut self, by_dmodc: bool) {
        self.in_use = by_dmodc;
        self.last = Some(SystemTime::now());
    }

    /// The switches of a sweep that Dmodc has routed.
    pub fn found(&mut self, switches: impl Iterator<Item = Found>) {
        self.uplinks.found(switches);
    }

    /// Writes the file. A failure is an error line, once for each reason.
    pub fn write(&mut self) {
        let written = replace(&self.path, self.text().as_bytes());
        let said = written.map_or_else(|e| e.to_string(), |()| String::new());
        if !said.is_empty() && said != self.said {
            log::error!("metrics {}: cannot be written: {said}", self.path.display());
        }
        self.said = said;
    }

    /// The text of the file.
    fn text(&self) -> String {
        let mut text = Text::default();
        let version = env!("CARGO_PKG_VERSION");
        text.head("dmodc_build_info", "gauge", "The version of Dmodc.");
        text.sample("dmodc_build_info", &[("version", version)], 1);
        let counters = [
            (
                "sweeps",
                "Sweeps that Dmodc was asked to route.",
                self.sweeps,
            ),
            (
                "refusals",
                "Sweeps that Dmodc was asked to route and did not.",
                self.refusals,
            ),
            (
                "changed_blocks",
                "Blocks of 64 LIDs that differed from those last sent, in all routed sweeps.",
                self.changed_blocks,
            ),
        ];
        for (name, help, value) in counters {
            text.single(&format!("dmodc_{name}_total"), "counter", help, value);
        }
        let since = |time: SystemTime| time.duration_since(UNIX_EPOCH).unwrap_or_default();
        let last = self.last.map(since).unwrap_or_default();
        let mut gauge = |name: &str, help: &str, value: &dyn Display| {
            text.single(&format!("dmodc_{name}"), "gauge", help, value);
        };
        gauge(
            "engine_in_use",
            "Whether the last sweep was routed by Dmodc: 1, or 0.",
            &u8::from(self.in_use),
        );
        gauge(
            "last_sweep_timestamp_seconds",
            "When the last sweep was routed by any engine, or refused by Dmodc; 0 before.",
            &format_args!("{:.3}", last.as_secs_f64()),
        );
        let routed = &self.routed;
        gauge(
            "sweep_seconds",
            "Time in Dmodc in the last sweep that it routed, as all that follows.",
            &routed.total.as_secs_f64(),
        );
        let counts = [
            ("switches", "Switches.", routed.switches),
            ("nodes", "End nodes.", routed.nodes),
            ("lids", "LIDs routed.", routed.lids),
            ("ranks", "Levels of the tree.", routed.ranks),
            (
                "unreachable_pairs",
                "Pairs of switches with end nodes that have no up-down path.",
                routed.unreachable,
            ),
            (
                "turned_pairs",
                "Pairs of switch and LID with a route that turns from down to up.",
                routed.turned,
            ),
            (
                "left_out_pairs",
                "Pairs of switch and LID without a route.",
                routed.left_out,
            ),
            (
                "displaced_entries",
                "Entries of tables that are not at their nominal ports.",
                routed.displaced,
            ),
        ];
        for (name, help, value) in counts {
            gauge(name, help, &value);
        }
        let name = "dmodc_phase_seconds";
        text.head(
            name,
            "gauge",
            "Time in a phase; all phases make dmodc_sweep_seconds.",
        );
        for (phase, time) in PHASES.iter().zip(routed.phases) {
            text.sample(name, &[("phase", phase)], time.as_secs_f64());
        }
        let name = "dmodc_missing_uplinks";
        text.head(
            name,
            "gauge",
            "Links up that the switch has had or its siblings have, and it has not.",
        );
        for (guid, description, missing) in self.uplinks.missing() {
            let labels = [("guid", &*guid.to_string()), ("description", description)];
            text.sample(name, &labels, missing);
        }
        text.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::Guid;
    use crate::testing::cases;
    use proptest::prelude::*;
    use std::fs;

    fn metrics() -> (tempfile::TempDir, Metrics) {
        let folder = tempfile::tempdir().expect("a folder");
        let metrics = Metrics::new(folder.path().join("dmodc.prom"));
        (folder, metrics)
    }

    /// The labels and the value of each sample of a name, read as the format's document has it.
    fn samples(text: &str, name: &str) -> Vec<(Vec<(String, String)>, f64)> {
        let lines = text.lines().filter_map(|line| line.strip_prefix(name));
        let lines = lines.filter(|rest| rest.starts_with(['{', ' ']));
        lines
            .map(|rest| {
                let mut chars = rest.chars().peekable();
                let mut labels = Vec::new();
                while chars.next_if(|c| "{,".contains(*c)).is_some() {
                    let label: String = chars.by_ref().take_while(|c| *c != '=').collect();
                    assert_eq!(chars.next(), Some('"'));
                    let mut value = String::new();
                    loop {
                        match chars.next().expect("a closing quote") {
                            '"' => break,
                            '\\' => match chars.next() {
                                Some('n') => value.push('\n'),
                                Some(c @ ('\\' | '"')) => value.push(c),
                                other => panic!("{other:?} after a backslash"),
                            },
                            c => value.push(c),
                        }
                    }
                    labels.push((label, value));
                }
                chars.next_if_eq(&'}');
                assert_eq!(chars.next(), Some(' '));
                (labels, chars.collect::<String>().parse().expect("a number"))
            })
            .collect()
    }

    #[test]
    fn counters_count_and_the_last_routed_sweep_stays() {
        let (folder, mut metrics) = metrics();
        let value = |metrics: &Metrics, name| samples(&metrics.text(), name)[0].1;
        let sweep = Sweep {
            nodes: 648,
            changed_blocks: 7,
            ..Sweep::default()
        };
        assert_eq!(value(&metrics, "dmodc_last_sweep_timestamp_seconds"), 0.0);
        for _ in 0..2 {
            metrics.routed(&sweep);
            metrics.swept(true);
        }
        assert_eq!(value(&metrics, "dmodc_engine_in_use"), 1.0);
        metrics.refused();
        for (name, expected) in [
            ("dmodc_sweeps_total", 3.0),
            ("dmodc_refusals_total", 1.0),
            ("dmodc_changed_blocks_total", 14.0),
            ("dmodc_engine_in_use", 0.0),
            ("dmodc_nodes", 648.0),
        ] {
            assert_eq!(value(&metrics, name), expected, "{name}");
        }
        assert!(value(&metrics, "dmodc_last_sweep_timestamp_seconds") > 1e9);
        metrics.write();
        let file = fs::read_to_string(folder.path().join("dmodc.prom")).expect("written");
        assert_eq!(file, metrics.text());
        drop(folder);
        metrics.write();
        assert!(metrics.said.contains("No such file"), "{}", metrics.said);
    }

    proptest! {
        #![proptest_config(cases(300))]

        /// Whatever a switch is called, its label says so, and a line is a line.
        #[test]
        fn descriptions_are_told_as_they_are(
            names in prop::collection::vec("(\\PC|[\"\\\\{}=, \n\t\r]){0,12}", 1..5),
        ) {
            let (_folder, mut metrics) = metrics();
            let switches = (1..).zip(&names).map(|(guid, name)| Found {
                guid: Guid(guid),
                description: name.clone(),
                links: Links { up: 2, all: 3 },
                missing: guid as u32,
            });
            metrics.found(switches);
            let text = metrics.text();
            let (samples, first) = (samples(&text, "dmodc_missing_uplinks"), "0x0000000000000001");
            prop_assert_eq!(&*samples[0].0[0].1, first);
            for (at, (name, (labels, value))) in names.iter().zip(&samples).enumerate() {
                prop_assert_eq!(&labels[1], &("description".to_owned(), name.clone()));
                prop_assert_eq!(*value, at as f64 + 1.0);
            }
            prop_assert_eq!(samples.len(), names.len());
            for line in text.split_terminator('\n') {
                prop_assert!(line.starts_with("# ") || line.starts_with("dmodc_"), "{}", line);
            }
        }
    }
}
