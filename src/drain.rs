//! Reads the file of drained links, and counts the LFT entries that still use them.
//!
//! A line is `SWITCH` or `SWITCH:PORT`, by name, GUID or LID; `#` begins a comment. A port means its link, at both
//! ends; a switch means all its links to other switches.

use crate::dmodc::Drained;
use crate::fabric::{Fabric, Guid};
use crate::input::{Lenient, Parsed, Warnings, lines};
use crate::names::{Directory, NameError, ThingsOrPort};
use std::collections::BTreeSet;

/// Errors in a line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum DrainReason {
    #[error("nothing is drained: {0}")]
    Name(#[from] NameError),
    #[error("nothing is drained: port {1} of {0} leads to no other switch")]
    NoLink(Guid, u8),
}

/// Parses a file. A line that names no link of the fabric gives a warning: the link may be pulled already. `names` are
/// the names of the switches. Never an error: a file of unusable lines drains nothing.
pub fn parse_leniently(
    fabric: &Fabric,
    names: &[String],
    text: &[u8],
) -> Parsed<Vec<Drained>, DrainReason> {
    let directory = Directory::of_switches(fabric, names);
    let (mut drained, mut warnings) = (Vec::new(), Warnings::default());
    for (number, line) in lines(text) {
        let name = line.split(|&b| b == b'#').next().unwrap_or_default();
        let name = String::from_utf8_lossy(name.trim_ascii());
        if name.is_empty() {
            continue;
        }
        match named(fabric, &directory, &name) {
            Ok(found) => drained.extend(found),
            Err(reason) => warnings.add(number, reason),
        }
    }
    Ok(Lenient::new(drained, warnings))
}

/// The links that a line names.
fn named(
    fabric: &Fabric,
    directory: &Directory<u32>,
    name: &str,
) -> Result<Vec<Drained>, DrainReason> {
    let drained = |s: u32, port| Drained {
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
    pub switch: u32,
    /// Its port, and the switch and port at the other end; `None` for all links of the switch.
    pub link: Option<(u8, u32, u8)>,
    /// LFT entries, at both ends of the link, that send packets between hosts over it.
    pub routes: usize,
    /// Other entries that use a drained link, such as entries for packets of the switches themselves.
    pub others: usize,
    /// The hosts on a drained switch. They stay connected until the switch is removed.
    pub hosts: usize,
}

/// The use of each drained switch and link that is in the fabric, ascending. `row` gives the LFT of a switch.
pub fn uses<'t>(fabric: &Fabric, drain: &[Drained], row: impl Fn(u32) -> &'t [u8]) -> Vec<Use> {
    let index = |d: &Drained| Some((fabric.switch_by_guid(d.switch)?, d.port));
    let all: BTreeSet<(u32, Option<u8>)> = drain.iter().filter_map(index).collect();
    let hosts = |s: u32| fabric.hosts_of(s).count();
    let mut is_host = vec![false; fabric.max_lid().index() + 1];
    for node in (0..fabric.switches().len() as u32).flat_map(|s| fabric.hosts_of(s)) {
        is_host[node.lid.index()..][..1 << node.lmc].fill(true);
    }
    // Whether packets from hosts pass a switch on their way to a LID.
    let is_passed = |s: u32, lid: usize| {
        let (mut seen, mut open) = (BTreeSet::from([s]), vec![s]);
        while let Some(at) = open.pop() {
            if fabric.hosts_of(at).next().is_some() {
                return true;
            }
            for (_, index, port) in fabric.links_of(at) {
                if row(index)[lid] == port && seen.insert(index) {
                    open.push(index);
                }
            }
        }
        false
    };
    // How many entries at one end of a link use it: for packets between hosts, and others.
    let at = |s: u32, port: u8| {
        let by_port = row(s).iter().enumerate().filter(|&(_, &e)| e == port);
        let (of_hosts, others): (Vec<usize>, Vec<usize>) = by_port
            .map(|(lid, _)| lid)
            .partition(|&lid| is_host.get(lid) == Some(&true) && is_passed(s, lid));
        [of_hosts.len(), others.len()]
    };
    let used = |&(switch, only): &(u32, Option<u8>)| {
        let mut used = Use {
            switch,
            link: None,
            routes: 0,
            others: 0,
            hosts: only.map_or(hosts(switch), |_| 0),
        };
        let all = 1..=fabric.switches()[switch as usize].ports;
        for port in only.map_or(all, |port| port..=port) {
            if let Some((index, far)) = fabric.far(switch, port) {
                used.link = only.map(|port| (port, index, far));
                for [routes, others] in [at(switch, port), at(index, far)] {
                    used.routes += routes;
                    used.others += others;
                }
            }
        }
        (only.is_none() || used.link.is_some()).then_some(used)
    };
    all.iter().filter_map(used).collect()
}

impl Use {
    /// The log line: the switch or link, and its use. `name` gives the name of a switch.
    pub fn describe(&self, name: impl Fn(u32) -> String) -> String {
        let what = match self.link {
            None => format!("switch '{}'", name(self.switch)),
            Some((p, far, q)) => {
                format!("'{}' [{p}] -- '{}' [{q}]", name(self.switch), name(far))
            }
        };
        let hosts = match self.hosts {
            0 => String::new(),
            1 => ", 1 host".into(),
            hosts => format!(", {hosts} hosts"),
        };
        match (self.routes, self.others) {
            (0, 0) => format!("drained: {what}: empty"),
            (0, _) => format!("drained: {what}: empty but for what switches send and receive"),
            (routes, _) => format!("drained: {what}: {routes} routes have no other way{hosts}"),
        }
    }
}
