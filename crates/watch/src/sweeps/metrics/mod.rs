//! `dmodc.metrics`: a file for Prometheus, which node_exporter's textfile collector reads.
//!
//! A thread of its own writes the whole file, so OpenSM never waits for the disk: from OpenSM's first sweep on, after
//! every sweep, also a refused one, and every 15 seconds. Counters and times are always in the file, the figures of the
//! fabric only while OpenSM is master and Dmodc has routed. The format is a few lines of text, written here: the crates
//! for it bring registries, locks and a second format along.

mod file;
mod text;

pub use self::file::File;

use self::text::Text;
use super::sweep::Sweep;
use dmodc_core::PHASES;
use dmodc_fabric::Guid;
use dmodc_formats::drain::Use;
use std::time::{SystemTime, UNIX_EPOCH};

/// The role of an OpenSM in its subnet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Role {
    /// It looks for the subnet and for other managers.
    #[default]
    Discovers,
    /// It manages the subnet.
    Master,
    /// Another OpenSM manages the subnet.
    Standby,
}

/// How far an OpenSM has got.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Activity {
    /// The number of management packets that it has sent.
    pub sent: u32,
    /// How often it looks at the subnet, in seconds; 0: never by itself.
    pub sweep_interval: u32,
}

/// What a sweep has found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// By present switch, the number of its missing uplinks to present switches.
    pub missing_uplinks: Numbers,
    /// By present switch that has or should have hosts, their number.
    pub leaf_hosts: Numbers,
    /// The lost switches: those that are linked to one another, by description.
    pub parts: Vec<Vec<Named>>,
    /// The hosts that are gone from present switches, by the GUIDs of their ports.
    pub hosts: Vec<Named>,
    /// The slow links.
    pub slow: Vec<FoundSlow>,
    /// By switch at which many links are slow, their number.
    pub slow_switches: Numbers,
}

/// GUID and description.
pub type Named = (Guid, String);

/// A number for each of some switches or hosts.
pub type Numbers = Vec<(Named, usize)>;

/// The labels of a slow link.
pub type FoundSlow = [(&'static str, String); 8];

/// Pairs of hosts, LMC counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HostPairs {
    /// Pairs on a detour.
    pub turned: u64,
    /// Pairs without a route.
    pub left_out: u64,
}

/// The figures of a fabric.
#[derive(Clone, Default)]
pub struct Figures {
    /// When the fabric was read.
    pub read: Option<SystemTime>,
    /// The figures of the sweep, or where OpenSM has not called Dmodc to route it, at least the sizes.
    pub routed: Sweep,
    /// Pairs of hosts on detours or left out.
    pub pairs: HostPairs,
    /// Switches, lost equipment and slow links.
    pub found: Found,
    /// Switches and links that are drained, and the routes of hosts that still use them.
    drained: usize,
    drained_routes: usize,
    /// Lines of the drain file that drain nothing by fault, if they are counted.
    pub drain_odd_lines: Option<usize>,
    /// Other subnet managers, if OpenSM knows them.
    pub other_managers: Option<usize>,
}

/// Counters over all sweeps, and the figures of the last one.
///
/// A sweep fills in its figures at several moments, and the file may be written at any. So they are shown together,
/// once the sweep has ended: no series ever has a value that was not true.
#[derive(Default)]
pub struct Metrics {
    /// The subnet manager, as a label of each sample.
    port: Option<Guid>,
    sweeps: u64,
    refusals: u64,
    proof_failures: u64,
    changed_blocks: u64,
    role: Role,
    /// Since when, if it is known.
    role_since: Option<SystemTime>,
    /// Whether OpenSM has swept as master.
    swept: bool,
    in_use: bool,
    last: Option<SystemTime>,
    /// How far OpenSM has got, and when it got there; `None` where OpenSM is another process.
    activity: Option<(Activity, SystemTime)>,
    /// The figures so far of the sweep that runs.
    pub next: Figures,
    /// The figures of the last sweep that Dmodc has routed as master.
    shown: Option<Figures>,
}

impl Metrics {
    /// Gives each sample a label for the subnet manager at this port: a host may have several.
    pub fn of_port(&mut self, port: Guid) {
        self.port = Some(port);
    }

    /// Counts a sweep that Dmodc has routed.
    pub fn routed(&mut self, sweep: &Sweep) {
        self.sweeps += 1;
        self.changed_blocks += sweep.changed_blocks as u64;
        self.next.routed = sweep.clone();
    }

    /// Sets the use of drained links, by the tables in use.
    pub fn drained(&mut self, drained: &[Use]) {
        self.next.drained = drained.len();
        self.next.drained_routes = drained.iter().map(|used| used.routes).sum();
    }

    /// Counts a sweep whose tables failed the proof. It is a refusal, too.
    pub fn refuted(&mut self) {
        self.proof_failures += 1;
    }

    /// Counts a sweep that Dmodc has refused.
    pub fn refused(&mut self) {
        self.sweeps += 1;
        self.refusals += 1;
        self.swept(false);
    }

    /// Notes that OpenSM, as master, has finished routing; `by_dmodc`: with Dmodc's tables.
    pub fn swept(&mut self, by_dmodc: bool) {
        self.set_role(Role::Master);
        self.swept = true;
        self.in_use = by_dmodc;
        self.last = Some(SystemTime::now());
        if by_dmodc {
            self.shown = Some(self.next.clone());
        }
    }

    /// Notes how far OpenSM has got.
    pub fn active(&mut self, activity: Activity) {
        let since = match self.activity {
            Some((before, since)) if before.sent == activity.sent => since,
            _ => SystemTime::now(),
        };
        self.activity = Some((activity, since));
    }

    /// Sets OpenSM's role; returns whether it is new. A role other than master clears all but the counters and `last`.
    /// A new master keeps its figures: its first sweep may have ended before anybody has looked at its role.
    pub fn set_role(&mut self, role: Role) -> bool {
        let news = self.role != role;
        self.role = role;
        if news || self.role_since.is_none() {
            self.role_since = Some(SystemTime::now());
        }
        if news && role != Role::Master {
            (self.swept, self.in_use) = (false, false);
            (self.next, self.shown) = (Figures::default(), None);
        }
        news
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        self.figures().text
    }

    fn figures(&self) -> Text {
        let mut text = Text {
            port: self.port,
            ..Text::default()
        };
        let version = env!("CARGO_PKG_VERSION");
        text.head("build_info");
        text.sample("build_info", &[("version", version)], 1);
        text.single("sweeps_total", self.sweeps);
        text.single("refusals_total", self.refusals);
        text.single("proof_failures_total", self.proof_failures);
        text.single("changed_blocks_total", self.changed_blocks);
        let now = seconds(Some(SystemTime::now()));
        text.single("last_write_timestamp_seconds", now);
        text.single("last_sweep_timestamp_seconds", seconds(self.last));
        if let Some((activity, since)) = self.activity {
            text.single("last_activity_timestamp_seconds", seconds(Some(since)));
            text.single("sweep_interval_seconds", activity.sweep_interval);
        }
        text.single("role_since_timestamp_seconds", seconds(self.role_since));
        text.single("master", u8::from(self.role == Role::Master));
        if self.role != Role::Master || !self.swept {
            return text;
        }
        text.single("engine_in_use", u8::from(self.in_use));
        if let Some(figures) = &self.shown {
            figures.write(&mut text);
        }
        text
    }

    /// The text for tables that OpenSM reads from a file: also has the time since when they are stale, if they are.
    pub fn text_since(&self, stale: Option<SystemTime>) -> String {
        let mut text = self.figures();
        text.single("stale_since_timestamp_seconds", seconds(stale));
        text.text
    }
}

impl Figures {
    fn write(&self, text: &mut Text) {
        let routed = &self.routed;
        text.single("last_read_timestamp_seconds", seconds(self.read));
        text.single("sweep_seconds", routed.total.as_secs_f64());
        text.single("switches", routed.switches);
        text.single("nodes", routed.nodes);
        text.single("lids", routed.lids);
        text.single("ranks", routed.ranks);
        text.single("unreachable_pairs", routed.unreachable);
        text.single("turned_pairs", routed.turned);
        text.single("left_out_pairs", routed.left_out);
        text.single("turned_host_pairs", self.pairs.turned);
        text.single("left_out_host_pairs", self.pairs.left_out);
        text.single("displaced_entries", routed.displaced);
        text.single("drained", self.drained);
        text.single("drained_routes", self.drained_routes);
        if let Some(count) = self.drain_odd_lines {
            text.single("drain_odd_lines", count);
        }
        if let Some(count) = self.other_managers {
            text.single("other_managers", count);
        }
        text.head("phase_seconds");
        for (phase, time) in PHASES.iter().zip(routed.phases) {
            text.sample("phase_seconds", &[("phase", phase)], time.as_secs_f64());
        }
        let found = &self.found;
        text.of_nodes("missing_uplinks", found.missing_uplinks.iter().cloned());
        text.of_nodes("leaf_hosts", found.leaf_hosts.iter().cloned());
        let lost = found.parts.iter().flatten();
        text.of_nodes("switch_lost", lost.map(|switch| (switch.clone(), 1)));
        // The first by description stands for all.
        let parts = found.parts.iter();
        text.of_nodes("part_lost", parts.map(|part| (part[0].clone(), part.len())));
        let hosts = found.hosts.iter();
        text.of_nodes("host_lost", hosts.map(|host| (host.clone(), 1)));
        text.head("links_slow");
        for link in &found.slow {
            let labels = link.each_ref().map(|(name, value)| (*name, &**value));
            text.sample("links_slow", &labels, 1);
        }
        text.of_nodes("switch_slow", found.slow_switches.iter().cloned());
    }
}

fn seconds(time: Option<SystemTime>) -> String {
    let since = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    format!("{:.3}", since.unwrap_or_default().as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(metrics: &Metrics, name: &str) -> Option<String> {
        let text = metrics.text();
        let mut lines = text.lines().map(str::to_owned);
        lines.find(|line| line.starts_with(&format!("dmodc_{name} ")))
    }

    /// The thread that looks at OpenSM's role may see the new master at any moment of its first sweep.
    #[test]
    fn a_new_master_has_the_figures_of_its_first_sweep() {
        let sweep = Sweep {
            switches: 7,
            ..Sweep::default()
        };
        for look_before in [true, false] {
            let mut metrics = Metrics::default();
            if look_before {
                assert!(metrics.set_role(Role::Master));
            }
            metrics.routed(&sweep);
            metrics.set_role(Role::Master);
            assert_eq!(shown(&metrics, "switches"), None);
            metrics.swept(true);
            let figure = Some("dmodc_switches 7".to_owned());
            assert_eq!(shown(&metrics, "switches"), figure);
            assert!(!metrics.set_role(Role::Master));
            assert_eq!(shown(&metrics, "switches"), figure);
            metrics.set_role(Role::Standby);
            assert_eq!(shown(&metrics, "switches"), None);
        }
    }

    #[test]
    fn of_a_fabric_that_dmodc_has_not_routed_there_are_no_figures() {
        let mut metrics = Metrics::default();
        metrics.refused();
        assert_eq!(shown(&metrics, "switches"), None);
        assert_eq!(
            shown(&metrics, "engine_in_use").as_deref(),
            Some("dmodc_engine_in_use 0")
        );
    }
}
