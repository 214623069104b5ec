//! Error counters of ports, as tools print them: `ibqueryerrors`, `perfquery` (any number of ports one after the other),
//! and ibdiagnet 2.x: every section of a `db_csv` with a node, a port and a known counter (PM_INFO, PHY_DB16 and
//! others), and the `net_dump_ext`.
//!
//! A file is one reading; its formats may be mixed. Of several values of one counter the greatest counts, since the
//! extended counter goes on where the plain one stops. Lines of all ports together (`port ALL`, port 255) and of
//! port 0 are left out.

mod read;

use crate::input::{Lenient, Warnings};
use crate::netlist::Names;
use dmodc_fabric::{Fabric, Guid, Lid, NodeId, PortNumber, SwitchId};
use std::collections::{BTreeMap, HashMap};

/// The counters that are taken, by their names in current tools and in old ones. Others do not speak of the port's own
/// link: PortRcvRemotePhysicalErrors counts packets that another link spoilt, PortXmitDiscards and PortXmitWait count
/// congestion.
pub const COUNTERS: [(&str, &str); 5] = [
    ("LinkDownedCounter", "LinkDowned"),
    ("LinkErrorRecoveryCounter", "LinkRecovers"),
    ("LocalLinkIntegrityErrors", "LinkIntegrityErrors"),
    ("PortRcvErrors", "RcvErrors"),
    ("SymbolErrorCounter", "SymbolErrors"),
];

/// What a port counted.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Counts {
    /// In the order of [`COUNTERS`].
    pub counters: [u64; COUNTERS.len()],
    /// Part of the bits that are wrong after forward error correction: the effective BER.
    pub effective_ber: Option<f64>,
    /// Part of the symbols that stay wrong: the symbol BER, the one that counts from HDR on.
    pub symbol_ber: Option<f64>,
}

impl Counts {
    /// Takes a counter by its name in any tool; whether it is one of those taken.
    fn take(&mut self, name: &str, value: u64) -> bool {
        let name = name.trim_end_matches("ended").trim_end_matches("Ext");
        let is = |known: &str| name.eq_ignore_ascii_case(known);
        let at = COUNTERS.iter().position(|(new, old)| is(new) || is(old));
        if let Some(at) = at {
            self.counters[at] = self.counters[at].max(value);
        }
        at.is_some()
    }

    fn join(&mut self, other: &Counts) {
        for (own, other) in self.counters.iter_mut().zip(other.counters) {
            *own = (*own).max(other);
        }
        self.effective_ber = other.effective_ber.or(self.effective_ber);
        self.symbol_ber = other.symbol_ber.or(self.symbol_ber);
    }
}

/// A port as a tool names it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Port {
    /// By the GUID of its node, or its own, and its number.
    Guid(Guid, u64),
    /// By the LID of a switch or of the port, and its number.
    Lid(Lid, u64),
}

/// A port of a fabric.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum CountedPort {
    Switch(SwitchId, PortNumber),
    Host(NodeId),
}

/// The counts of ports at one time.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Reading(BTreeMap<Port, (u32, Counts)>);

/// Why a text was refused, or a warning about a line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum CounterReason {
    #[error(
        "no counters: not the output of ibqueryerrors or perfquery, nor ibdiagnet's db_csv with PM_INFO"
    )]
    None,
    #[error("a line of counters that is cut or spoilt, left out: '{0}'")]
    Bad(String),
    #[error("ends within a section: the file is cut")]
    Truncated,
    #[error("ibqueryerrors ends with '## Summary', this does not: the file may be cut")]
    NoSummary,
    #[error("port {1} of {0} is not in this fabric: left out")]
    NoPort(String, u64),
}

impl Reading {
    fn add(&mut self, line: u32, port: Port, counts: &Counts) {
        if !matches!(port, Port::Guid(_, 0 | 255) | Port::Lid(_, 0 | 255)) {
            let (_, known) = self.0.entry(port).or_insert((line, Counts::default()));
            known.join(counts);
        }
    }

    /// The counts by ports of a fabric. A port that is not there is a warning.
    pub fn ports(
        self,
        fabric: &Fabric,
        names: &Names,
    ) -> Lenient<BTreeMap<CountedPort, Counts>, CounterReason> {
        let (mut guids, mut lids) = (HashMap::new(), HashMap::new());
        for (index, node) in fabric.end_nodes().iter_enumerated() {
            let of_node: &mut Vec<NodeId> = guids.entry(names.node_guids[index]).or_default();
            of_node.push(index);
            lids.insert(node.lid, CountedPort::Host(index));
        }
        let ports = fabric.end_nodes().iter_enumerated();
        let ports: HashMap<Guid, NodeId> = ports.map(|(index, node)| (node.guid, index)).collect();
        let at = |s: SwitchId, port: u64| {
            let port = PortNumber(u8::try_from(port).ok()?);
            let there = fabric.switches()[s].port_numbers().any(|own| own == port);
            there.then_some(CountedPort::Switch(s, port))
        };
        let find = |port: &Port| match *port {
            Port::Guid(guid, number) => match fabric.switch_by_guid(guid) {
                Some(s) => at(s, number),
                None => {
                    // The GUID of a port; or of a node, of which the port is the only one, or has the usual GUID.
                    let usual = Guid(guid.0.wrapping_add(number));
                    let host = match guids.get(&guid).map(Vec::as_slice) {
                        None => ports.get(&guid).copied(),
                        Some(&[one]) => Some(one),
                        Some(several) => {
                            let mut several = several.iter().copied();
                            several.find(|&n| fabric.end_nodes()[n].guid == usual)
                        }
                    };
                    host.map(CountedPort::Host)
                }
            },
            Port::Lid(lid, number) => {
                let mut switches = fabric.switches().iter_enumerated();
                match switches.find(|(_, switch)| switch.lid == lid) {
                    Some((s, _)) => at(s, number),
                    None => lids.get(&lid).copied(),
                }
            }
        };
        let (mut found, mut warnings) = (BTreeMap::<_, Counts>::new(), Warnings::default());
        for (port, (line, counts)) in &self.0 {
            match find(port) {
                Some(port) => found.entry(port).or_default().join(counts),
                None => {
                    let (owner, number) = match port {
                        Port::Guid(guid, number) => (guid.to_string(), *number),
                        Port::Lid(lid, number) => (format!("LID {lid}"), *number),
                    };
                    warnings.add(*line, CounterReason::NoPort(owner, number));
                }
            }
        }
        Lenient::new(found, warnings)
    }
}

/// What ports counted from the first of several readings to the last. A counter that went down was cleared, and counts
/// from there. One reading is what was counted since the counters were cleared. Of bit error rates the last one counts.
pub fn counted(readings: &[BTreeMap<CountedPort, Counts>]) -> BTreeMap<CountedPort, Counts> {
    if let [one] = readings {
        return one.clone();
    }
    let mut all: BTreeMap<CountedPort, Counts> = BTreeMap::new();
    for two in readings.windows(2) {
        for (port, now) in &two[1] {
            let before = two[0].get(port).copied().unwrap_or_default();
            let sum = all.entry(*port).or_default();
            for at in 0..COUNTERS.len() {
                let (now, before) = (now.counters[at], before.counters[at]);
                let more = now.checked_sub(before).unwrap_or(now);
                sum.counters[at] = sum.counters[at].saturating_add(more);
            }
            sum.effective_ber = now.effective_ber.or(sum.effective_ber);
            sum.symbol_ber = now.symbol_ber.or(sum.symbol_ber);
        }
    }
    all
}
