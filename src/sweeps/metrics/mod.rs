//! `dmodc.metrics`: a file for Prometheus, which node_exporter's textfile collector reads.
//!
//! A thread of its own writes the whole file, so OpenSM never waits for the disk: from OpenSM's first sweep on, after
//! every sweep, also a refused one, and every 15 seconds. Counters and times are always in the file, the figures of the
//! fabric only while OpenSM is master and has swept. The format is a few lines of text, written here: the crates for it
//! bring registries, locks and a second format along.

mod file;
mod text;

pub use self::file::File;

use self::text::Text;
use super::planned::Planned;
use super::sweep::Sweep;
use crate::dmodc::PHASES;
use crate::drain::Use;
use crate::fabric::Guid;
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

/// A switch that is present or should be.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its GUID.
    pub guid: Guid,
    /// Its description.
    pub description: String,
    /// The number of its missing uplinks.
    pub missing: u32,
    /// The number of hosts on it, if it has or should have any.
    pub hosts: Option<usize>,
}

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

/// Counters over all sweeps, and findings of the last sweep.
#[derive(Default)]
pub struct Metrics {
    sweeps: u64,
    refusals: u64,
    changed_blocks: u64,
    role: Role,
    /// Whether OpenSM has swept as master.
    swept: bool,
    in_use: bool,
    last: Option<SystemTime>,
    read: Option<SystemTime>,
    routed: Sweep,
    pairs: HostPairs,
    switches: Vec<Found>,
    slow: Vec<FoundSlow>,
    /// Switches and links that are drained, and the routes of hosts that still use them.
    drained: usize,
    drained_routes: usize,
}

impl Metrics {
    /// Counts a sweep that Dmodc has routed. `drained` is the use of drained links.
    pub fn routed(&mut self, sweep: &Sweep, drained: &[Use]) {
        self.sweeps += 1;
        self.changed_blocks += sweep.changed_blocks as u64;
        self.routed = sweep.clone();
        self.drained = drained.len();
        self.drained_routes = drained.iter().map(|used| used.routes).sum();
    }

    /// Counts a sweep that Dmodc has refused.
    pub fn refused(&mut self) {
        self.sweeps += 1;
        self.refusals += 1;
        self.swept(false);
    }

    /// Notes that OpenSM, as master, has finished routing; `by_dmodc`: with Dmodc's tables.
    pub fn swept(&mut self, by_dmodc: bool) {
        (self.role, self.swept) = (Role::Master, true);
        self.in_use = by_dmodc;
        self.last = Some(SystemTime::now());
    }

    /// Notes that the fabric has been read now.
    pub fn read(&mut self) {
        self.read = Some(SystemTime::now());
    }

    /// Sets the switches and slow links of the fabric.
    pub fn found(&mut self, switches: Vec<Found>, slow: Vec<FoundSlow>) {
        (self.switches, self.slow) = (switches, slow);
    }

    /// Sets the sizes of the fabric where OpenSM has not called Dmodc to route it.
    pub fn seen(&mut self, planned: &Planned) {
        self.routed.seen(planned);
    }

    /// Sets the pairs of hosts on detours or left out.
    pub fn pairs(&mut self, pairs: HostPairs) {
        self.pairs = pairs;
    }

    /// Sets OpenSM's role; returns whether it is new. A new role clears all but the counters and `last`.
    pub fn set_role(&mut self, role: Role) -> bool {
        let news = self.role != role;
        if news {
            *self = Metrics {
                sweeps: self.sweeps,
                refusals: self.refusals,
                changed_blocks: self.changed_blocks,
                last: self.last,
                role,
                ..Metrics::default()
            };
        }
        news
    }

    /// The text of the file.
    pub fn text(&self) -> String {
        let mut text = Text::default();
        let version = env!("CARGO_PKG_VERSION");
        text.head("build_info");
        text.sample("build_info", &[("version", version)], 1);
        text.single("sweeps_total", self.sweeps);
        text.single("refusals_total", self.refusals);
        text.single("changed_blocks_total", self.changed_blocks);
        let now = seconds(Some(SystemTime::now()));
        text.single("last_write_timestamp_seconds", now);
        text.single("last_sweep_timestamp_seconds", seconds(self.last));
        text.single("master", u8::from(self.role == Role::Master));
        if self.role != Role::Master || !self.swept {
            return text.0;
        }
        let routed = &self.routed;
        text.single("engine_in_use", u8::from(self.in_use));
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
        text.head("phase_seconds");
        for (phase, time) in PHASES.iter().zip(routed.phases) {
            text.sample("phase_seconds", &[("phase", phase)], time.as_secs_f64());
        }
        let missing = |found: &Found| Some(found.missing as usize);
        self.of_switches(&mut text, "missing_uplinks", missing);
        self.of_switches(&mut text, "leaf_hosts", |found| found.hosts);
        text.head("links_slow");
        for link in &self.slow {
            let labels = link.each_ref().map(|(name, value)| (*name, &**value));
            text.sample("links_slow", &labels, 1);
        }
        text.0
    }

    /// The text for tables that OpenSM reads from a file: also has the time since when they are stale, if they are.
    pub fn text_since(&self, stale: Option<SystemTime>) -> String {
        let mut text = Text(self.text());
        text.single("stale_since_timestamp_seconds", seconds(stale));
        text.0
    }

    /// Writes a figure of each switch that has a value.
    fn of_switches(&self, text: &mut Text, name: &str, value: impl Fn(&Found) -> Option<usize>) {
        text.head(name);
        for found in &self.switches {
            if let Some(value) = value(found) {
                let guid = found.guid.to_string();
                let labels = [("guid", &*guid), ("description", &found.description)];
                text.sample(name, &labels, value);
            }
        }
    }
}

fn seconds(time: Option<SystemTime>) -> String {
    let since = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    format!("{:.3}", since.unwrap_or_default().as_secs_f64())
}
