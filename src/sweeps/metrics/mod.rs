//! `dmodc.metrics`: a file for Prometheus, which node_exporter's textfile collector reads.
//!
//! A thread of its own writes it whole, from OpenSM's first sweep on, after every sweep, also a refused one,
//! and every 15 seconds: OpenSM never waits for the disk. Findings in the fabric are in it while OpenSM is
//! master, all else always. The format is a few lines of text, written here: the crates that know it bring
//! registries, locks and a second format along.

mod file;
mod text;

pub use self::file::File;

use self::text::Text;
use super::planned::Planned;
use super::sweep::Sweep;
use crate::dmodc::PHASES;
use crate::drain::Use;
use crate::fabric::Guid;
use crate::wiring::{Beyond, SlowLink};
use std::fmt::Display;
use std::time::{SystemTime, UNIX_EPOCH};

/// The role of an OpenSM in its subnet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Role {
    /// It looks for the subnet and for other managers.
    #[default]
    Discovers,
    /// It manages the subnet.
    Master,
    /// Another OpenSM manages it.
    Standby,
}

/// A switch that is present or should be.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its GUID.
    pub guid: Guid,
    /// Its description.
    pub description: String,
    /// Links up that it should have and has not.
    pub missing: u32,
    /// Hosts on it, if it has or should have any.
    pub hosts: Option<usize>,
}

/// A link that is slow.
#[derive(Clone, Debug)]
pub struct FoundSlow {
    /// The link.
    pub link: SlowLink,
    /// The description of its lower end, or of its host's switch.
    pub near: String,
    /// The description of its other end.
    pub far: String,
}

/// Pairs of hosts, LMC counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HostPairs {
    /// Pairs on a detour.
    pub turned: u64,
    /// Pairs without a route.
    pub left_out: u64,
}

/// Counters over all sweeps, and findings of the last one.
#[derive(Default)]
pub struct Metrics {
    sweeps: u64,
    refusals: u64,
    changed_blocks: u64,
    role: Role,
    /// Whether it has swept as master.
    swept: bool,
    in_use: bool,
    last: Option<SystemTime>,
    read: Option<SystemTime>,
    routed: Sweep,
    pairs: HostPairs,
    switches: Vec<Found>,
    slow: Vec<FoundSlow>,
    /// Switches and links that are drained, and the routes of hosts that stay on them.
    drained: usize,
    drained_routes: usize,
}

impl Metrics {
    /// Dmodc has routed a sweep; `drained` is the use of drained links.
    pub fn routed(&mut self, sweep: &Sweep, drained: &[Use]) {
        self.sweeps += 1;
        self.changed_blocks += sweep.changed_blocks as u64;
        self.routed = sweep.clone();
        self.drained = drained.len();
        self.drained_routes = drained.iter().map(|used| used.routes).sum();
    }

    /// Dmodc has refused a sweep.
    pub fn refused(&mut self) {
        self.sweeps += 1;
        self.refusals += 1;
        self.swept(false);
    }

    /// OpenSM, as master, has finished routing, by Dmodc's tables or others.
    pub fn swept(&mut self, by_dmodc: bool) {
        (self.role, self.swept) = (Role::Master, true);
        self.in_use = by_dmodc;
        self.last = Some(SystemTime::now());
    }

    /// The fabric has been read.
    pub fn read(&mut self) {
        self.read = Some(SystemTime::now());
    }

    /// Sets the switches and slow links of the fabric.
    pub fn found(&mut self, switches: Vec<Found>, slow: Vec<FoundSlow>) {
        (self.switches, self.slow) = (switches, slow);
    }

    /// Sets the sizes of the fabric where OpenSM did not call Dmodc to route it.
    pub fn seen(&mut self, planned: &Planned) {
        self.routed.seen(planned);
    }

    /// Sets the pairs of hosts on detours or left out.
    pub fn pairs(&mut self, pairs: HostPairs) {
        self.pairs = pairs;
    }

    /// Sets OpenSM's role; returns whether it is new. Without the role of master it forgets all findings.
    pub fn is(&mut self, role: Role) -> bool {
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
        let mut gauge = |name: &str, help: &str, value: &dyn Display| {
            text.single(&format!("dmodc_{name}"), "gauge", help, value);
        };
        gauge(
            "last_write_timestamp_seconds",
            "When this file was written: every 15 seconds while OpenSM lives, and after each sweep.",
            &seconds(Some(SystemTime::now())),
        );
        gauge(
            "last_sweep_timestamp_seconds",
            "When the last sweep was routed by any engine, or refused by Dmodc; 0 before.",
            &seconds(self.last),
        );
        gauge(
            "master",
            "Whether this OpenSM manages the subnet: 1, or 0. What follows is told by a master that has swept.",
            &u8::from(self.role == Role::Master),
        );
        if self.role != Role::Master || !self.swept {
            return text.0;
        }
        gauge(
            "engine_in_use",
            "Whether the last sweep was routed by Dmodc: 1, or 0.",
            &u8::from(self.in_use),
        );
        gauge(
            "last_read_timestamp_seconds",
            "When the fabric was read whose switches, nodes, LIDs and ranks are told; 0 before.",
            &seconds(self.read),
        );
        let routed = &self.routed;
        gauge(
            "sweep_seconds",
            "Time in Dmodc in the last sweep that it routed.",
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
                "turned_host_pairs",
                "Pairs of hosts with a route that turns, hosts above the leaves among one another aside.",
                self.pairs.turned as usize,
            ),
            (
                "left_out_host_pairs",
                "Pairs of hosts without a route.",
                self.pairs.left_out as usize,
            ),
            (
                "displaced_entries",
                "Entries of tables that are not at their nominal ports.",
                routed.displaced,
            ),
            (
                "drained",
                "Switches and links that are there and are to be drained.",
                self.drained,
            ),
            (
                "drained_routes",
                "Entries that take packets between hosts over drained links: 0 when all may be pulled.",
                self.drained_routes,
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
        self.of_switches(
            &mut text,
            (
                "dmodc_missing_uplinks",
                "Links up that the switch should have and has not.",
            ),
            |found| Some(found.missing as usize),
        );
        self.of_switches(
            &mut text,
            (
                "dmodc_leaf_hosts",
                "Hosts on the switch, if it has or should have any.",
            ),
            |found| found.hosts,
        );
        self.of_slow_links(&mut text);
        text.0
    }

    /// The same for tables that OpenSM takes from a file: with the moment since when they are stale, if they are.
    pub fn text_since(&self, stale: Option<SystemTime>) -> String {
        let mut text = Text(self.text());
        text.single(
            "dmodc_stale_since_timestamp_seconds",
            "gauge",
            "Since when the tables are not those of the fabric; 0 while they are.",
            seconds(stale),
        );
        text.0
    }

    /// Each slow link.
    fn of_slow_links(&self, text: &mut Text) {
        let name = "dmodc_links_slow";
        text.head(
            name,
            "gauge",
            "1 for each link that is slower than it should be, until it is mended.",
        );
        for FoundSlow { link, near, far } in &self.slow {
            let (peer, peer_port) = match link.far {
                Beyond::Switch((guid, port)) => (guid, port.to_string()),
                Beyond::Host(guid) => (guid, String::new()),
            };
            let labels = [
                ("guid", link.near.0.to_string()),
                ("description", near.clone()),
                ("port", link.near.1.to_string()),
                ("peer_guid", peer.to_string()),
                ("peer_description", far.clone()),
                ("peer_port", peer_port),
                ("speed", link.slowness.now.to_string()),
                ("expected", link.slowness.expected.to_string()),
            ];
            let labels: Vec<(&str, &str)> = labels.iter().map(|(n, v)| (*n, &**v)).collect();
            text.sample(name, &labels, 1);
        }
    }

    /// A metric of each switch that has it.
    fn of_switches(
        &self,
        text: &mut Text,
        (name, help): (&str, &str),
        value: impl Fn(&Found) -> Option<usize>,
    ) {
        text.head(name, "gauge", help);
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
