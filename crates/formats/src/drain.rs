//! Reads the file of drained links, and counts the LFT entries that still use them.
//!
//! A line is `SWITCH` or `SWITCH:PORT`, by name, GUID or LID; `#` begins a comment. A port means its link, at both
//! ends; a switch means all its links to other switches.

use crate::input::{Lenient, Parsed, Warnings, lines};
use crate::names::{Directory, NameError, ThingsOrPort};
use crate::netlist::PortLabels;
use dmodc_fabric::{Drained, Fabric, Guid, Lid, PortNumber, SwitchId};
use std::collections::BTreeSet;
use typed_index_collections::{TiSlice, TiVec};

/// Errors in a line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum DrainReason {
    #[error("this line drains nothing: {0}")]
    Name(#[from] NameError),
    #[error("this line drains nothing: port {1} of {0} leads to no other switch")]
    NoLink(Guid, PortNumber),
}

/// A line of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// Its number.
    pub number: u32,
    /// What it names.
    pub name: String,
    /// Its comment.
    pub comment: String,
    /// What that is in the fabric.
    pub found: Result<Vec<Drained>, DrainReason>,
}

/// The lines of a file that name something. `names` are the names of the switches, `labels` the labels of their ports.
pub fn parse_lines(
    fabric: &Fabric,
    names: &TiSlice<SwitchId, String>,
    labels: &PortLabels,
    text: &[u8],
) -> Vec<Line> {
    let directory = Directory::of_switches(fabric, names, labels);
    let line = |(number, line): (u32, &[u8])| {
        let mut parts = line.splitn(2, |&b| b == b'#').map(<[u8]>::trim_ascii);
        let mut part = || String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned();
        let (name, comment) = (part(), part());
        (!name.is_empty()).then(|| Line {
            number,
            found: named(fabric, &directory, &name),
            name,
            comment,
        })
    };
    lines(text).filter_map(line).collect()
}

/// Parses a file. A line that names no link of the fabric gives a warning: the link may be pulled already. `names` are
/// the names of the switches, `labels` the labels of their ports. Each link has the comment of its line. Never an error:
/// a file of unusable lines drains nothing.
pub fn parse_leniently(
    fabric: &Fabric,
    names: &TiSlice<SwitchId, String>,
    labels: &PortLabels,
    text: &[u8],
) -> Parsed<Vec<(Drained, String)>, DrainReason> {
    let (mut drained, mut warnings) = (Vec::new(), Warnings::default());
    for line in parse_lines(fabric, names, labels, text) {
        match line.found {
            Ok(found) => drained.extend(found.into_iter().map(|d| (d, line.comment.clone()))),
            Err(reason) => warnings.add(line.number, reason),
        }
    }
    Ok(Lenient::new(drained, warnings))
}

fn named(
    fabric: &Fabric,
    directory: &Directory<SwitchId>,
    name: &str,
) -> Result<Vec<Drained>, DrainReason> {
    let drained = |s: SwitchId, port| Drained {
        switch: fabric.guid(s),
        port,
    };
    match directory.find_things_or_port(name)? {
        ThingsOrPort::Things(all) => Ok(all.into_iter().map(|s| drained(s, None)).collect()),
        ThingsOrPort::Port(s, port) => match fabric.far(s, port) {
            Some(_) => Ok(vec![drained(s, Some(port))]),
            None => Err(DrainReason::NoLink(fabric.guid(s), port)),
        },
    }
}

/// A drained switch or link, and the routes that still use it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Use {
    /// The switch.
    pub switch: SwitchId,
    /// Its port, and the switch and port at the other end; `None` for all links of the switch.
    pub link: Option<(PortNumber, SwitchId, PortNumber)>,
    /// LFT entries, at both ends of the link, that send packets between hosts over it.
    pub routes: usize,
    /// Other entries that use a drained link, such as entries for packets of the switches themselves.
    pub others: usize,
    /// The hosts on a drained switch. They stay connected until the switch is removed.
    pub hosts: usize,
}

/// The use of each drained switch and link that is in the fabric, ascending. `row` gives the LFT of a switch.
pub fn uses<'t>(
    fabric: &Fabric,
    drain: &[Drained],
    row: impl Fn(SwitchId) -> &'t TiSlice<Lid, u8>,
) -> Vec<Use> {
    let index = |d: &Drained| Some((fabric.switch_by_guid(d.switch)?, d.port));
    let all: BTreeSet<(SwitchId, Option<PortNumber>)> = drain.iter().filter_map(index).collect();
    let hosts = |s: SwitchId| fabric.hosts_of(s).count();
    let mut is_host: TiVec<Lid, _> = vec![false; fabric.max_lid().index() + 1].into();
    let switches = fabric.switches().keys();
    for node in switches.flat_map(|s| fabric.hosts_of(s)) {
        is_host.raw[node.lid.index()..][..1 << node.lmc].fill(true);
    }
    // Whether packets from hosts pass a switch on their way to a LID.
    let is_passed = |s: SwitchId, lid: Lid| {
        let (mut seen, mut open) = (BTreeSet::from([s]), vec![s]);
        while let Some(at) = open.pop() {
            if fabric.hosts_of(at).next().is_some() {
                return true;
            }
            for (_, index, port) in fabric.links_of(at) {
                if row(index)[lid] == port.0 && seen.insert(index) {
                    open.push(index);
                }
            }
        }
        false
    };
    // How many entries at one end of a link use it: for packets between hosts, and others.
    let at = |s: SwitchId, port: PortNumber| {
        let by_port = row(s).iter_enumerated();
        let by_port = by_port.filter(|&(_, &e)| e == port.0);
        let mut counts = [0, 0];
        for (lid, _) in by_port {
            let is_of_hosts = is_host.get(lid) == Some(&true) && is_passed(s, lid);
            counts[usize::from(!is_of_hosts)] += 1;
        }
        counts
    };
    let used = |&(switch, only): &(SwitchId, Option<PortNumber>)| {
        let mut used = Use {
            switch,
            link: None,
            routes: 0,
            others: 0,
            hosts: only.map_or(hosts(switch), |_| 0),
        };
        let is_used = |port| only.is_none_or(|only| only == port);
        let links = fabric.links_of(switch);
        for (port, index, far) in links.filter(|&(port, ..)| is_used(port)) {
            used.link = only.map(|port| (port, index, far));
            for [routes, others] in [at(switch, port), at(index, far)] {
                used.routes += routes;
                used.others += others;
            }
        }
        (only.is_none() || used.link.is_some()).then_some(used)
    };
    all.iter().filter_map(used).collect()
}

impl Use {
    /// The switches that can send packets over it.
    pub fn switches(&self, fabric: &Fabric) -> BTreeSet<SwitchId> {
        let far = match self.link {
            Some((_, far, _)) => vec![far],
            None => fabric.neighbours(self.switch).collect(),
        };
        far.into_iter().chain([self.switch]).collect()
    }

    /// The switch or link. `name` gives the name of a switch, `port` one of its ports.
    pub fn what(
        &self,
        name: impl Fn(SwitchId) -> String,
        port: impl Fn(SwitchId, PortNumber) -> String,
    ) -> String {
        match self.link {
            None => format!("switch '{}'", name(self.switch)),
            Some((p, far, q)) => {
                let (p, q) = (port(self.switch, p), port(far, q));
                format!("'{}' [{p}] -- '{}' [{q}]", name(self.switch), name(far))
            }
        }
    }

    /// The log line: the switch or link, and its use.
    pub fn describe(
        &self,
        name: impl Fn(SwitchId) -> String,
        port: impl Fn(SwitchId, PortNumber) -> String,
    ) -> String {
        let what = self.what(name, port);
        let hosts = match self.hosts {
            0 => String::new(),
            1 => ", 1 host".into(),
            hosts => format!(", {hosts} hosts"),
        };
        match (self.routes, self.others) {
            (0, 0) => format!("drained: {what}: empty"),
            (0, _) => format!("drained: {what}: empty but for what switches send and receive"),
            (routes, _) => format!("drained: {what}: {routes} routes stay{hosts}"),
        }
    }
}
