//! `dmodc.metrics`: a file for Prometheus, which node_exporter's textfile collector reads.
//!
//! Written when the plugin is loaded and after every sweep, also one that Dmodc refuses, each time as a
//! whole: every series is there from the first file on, and stays. The format is a few lines of text,
//! written here: the crates that know it bring registries, locks and a second format along.
//!
//! The missing uplinks of a switch are counted against the most that it has had or its siblings have,
//! while this process lives. So a switch that is gone lacks all of them. What it lacks is never more
//! than all the links to switches that it has lost: if only the levels are seen otherwise, because all
//! hosts of a leaf are off, nothing is missing.

use super::files::replace;
use super::report::{PHASES, Sweep};
use crate::fabric::Guid;
use std::collections::BTreeMap;
use std::fmt::{Display, Write};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

/// The links of a switch to other switches.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Links {
    /// Those up.
    pub up: u32,
    /// All.
    pub all: u32,
}

/// A switch as it is found in a sweep.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its GUID.
    pub guid: Guid,
    /// Its description.
    pub description: String,
    /// Its links.
    pub links: Links,
    /// Links up that its siblings have and it has not.
    pub missing: u32,
}

/// A switch over all sweeps.
#[derive(Default)]
struct Known {
    description: String,
    now: Links,
    most: Links,
}

impl Known {
    fn missing(&self) -> u32 {
        (self.most.up - self.now.up).min(self.most.all - self.now.all)
    }
}

/// What is counted over all sweeps, and the file.
pub struct Metrics {
    path: PathBuf,
    sweeps: u64,
    refusals: u64,
    changed_blocks: u64,
    in_use: bool,
    last: Option<SystemTime>,
    routed: Sweep,
    switches: BTreeMap<Guid, Known>,
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
            switches: BTreeMap::new(),
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
        for known in self.switches.values_mut() {
            known.now = Links::default();
        }
        for found in switches {
            let known = self.switches.entry(found.guid).or_default();
            known.description = found.description;
            known.now = found.links;
            known.most.up = known.most.up.max(found.links.up + found.missing);
            known.most.all = known.most.all.max(found.links.all + found.missing);
        }
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
        for (guid, known) in &self.switches {
            let labels = [
                ("guid", &*guid.to_string()),
                ("description", &known.description),
            ];
            text.sample(name, &labels, known.missing());
        }
        text.0
    }
}

/// Prometheus' text format.
#[derive(Default)]
struct Text(String);

impl Text {
    /// What comes before the samples of a name.
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        self.0 += name;
        for (at, (label, text)) in labels.iter().enumerate() {
            let open = if at == 0 { '{' } else { ',' };
            let _ = write!(self.0, "{open}{label}=\"{}\"", escaped(text));
        }
        if !labels.is_empty() {
            self.0.push('}');
        }
        let _ = writeln!(self.0, " {value}");
    }

    /// A name with one sample.
    fn single(&mut self, name: &str, kind: &str, help: &str, value: impl Display) {
        self.head(name, kind, help);
        self.sample(name, &[], value);
    }
}

/// The value of a label.
fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    text.replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::cases;
    use proptest::prelude::*;
    use std::fs;

    fn metrics() -> (tempfile::TempDir, Metrics) {
        let folder = tempfile::tempdir().expect("a folder");
        let metrics = Metrics::new(folder.path().join("dmodc.prom"));
        (folder, metrics)
    }

    fn found(guid: u64, description: &str, up: u32, all: u32, missing: u32) -> Found {
        Found {
            guid: Guid(guid),
            description: description.into(),
            links: Links { up, all },
            missing,
        }
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

    fn missing(metrics: &Metrics) -> Vec<f64> {
        let samples = samples(&metrics.text(), "dmodc_missing_uplinks");
        samples.into_iter().map(|(_, value)| value).collect()
    }

    #[test]
    fn a_series_stays_when_its_switch_or_its_link_goes() {
        let (_folder, mut metrics) = metrics();
        let mut sweep = |found: Vec<Found>| {
            metrics.found(found.into_iter());
            missing(&metrics)
        };
        let [leaf, spine] = [found(1, "leaf", 4, 4, 0), found(2, "spine", 0, 8, 0)];
        assert_eq!(sweep(vec![leaf.clone(), spine.clone()]), [0.0, 0.0]);
        // A link goes, and its siblings have it or have lost the like.
        let hurt = [found(1, "leaf", 3, 3, 1), found(1, "leaf", 3, 3, 0)];
        for hurt in hurt {
            assert_eq!(sweep(vec![hurt, spine.clone()]), [1.0, 0.0]);
        }
        assert_eq!(sweep(vec![spine.clone()]), [4.0, 0.0]);
        // It is back, and its siblings have one more than it ever had.
        assert_eq!(
            sweep(vec![found(1, "leaf", 4, 4, 1), spine.clone()]),
            [1.0, 0.0]
        );
        assert_eq!(sweep(vec![found(1, "leaf", 5, 5, 0), spine]), [0.0, 0.0]);
    }

    #[test]
    fn what_only_looks_otherwise_is_not_missing() {
        let (_folder, mut metrics) = metrics();
        // The hosts of a leaf are off: it is taken for a top switch, and the middle one has one link
        // up more.
        for (middle, leaf) in [((6, 18), (4, 4)), ((7, 18), (0, 4)), ((6, 18), (4, 4))] {
            let middle = found(1, "middle", middle.0, middle.1, 0);
            let leaf = found(2, "leaf", leaf.0, leaf.1, 0);
            metrics.found([middle, leaf].into_iter());
            assert_eq!(missing(&metrics), [0.0, 0.0]);
        }
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
            let switches = (1..).zip(&names).map(|(guid, name)| found(guid, name, 2, 3, guid as u32));
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
