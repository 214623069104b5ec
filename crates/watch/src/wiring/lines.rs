//! Makes log lines about lost and new equipment.

use dmodc_fabric::{Fabric, Guid, PortNumber, SwitchId, counted, grouped};
use std::collections::{BTreeMap, HashMap, HashSet};

/// How many switches or hosts a line names.
const NAMED: usize = 16;

pub type Port = (Guid, PortNumber);

/// A link between two switches, the lower GUID first.
pub type Link = [Port; 2];

pub fn link(fabric: &Fabric, ends: [(SwitchId, PortNumber); 2]) -> Link {
    let mut ends = ends.map(|(switch, port)| (fabric.guid(switch), port));
    ends.sort_unstable();
    ends
}

/// A fabric by GUIDs, which stay the same from sweep to sweep.
#[derive(Default)]
pub struct View {
    pub switches: HashSet<Guid>,
    pub links: HashSet<Link>,
    /// By host, its switch and port.
    pub hosts: HashMap<Guid, Port>,
}

impl View {
    pub fn new(fabric: &Fabric) -> Self {
        let all = fabric.switches();
        let hosts = all.keys().flat_map(|s| fabric.hosts_of(s));
        View {
            switches: all.iter().map(|switch| switch.guid).collect(),
            links: fabric.links().map(|ends| link(fabric, ends)).collect(),
            hosts: hosts
                .map(|host| (host.guid, (all[host.switch].guid, host.port)))
                .collect(),
        }
    }
}

pub struct Names<'m> {
    switches: HashMap<&'m Guid, String>,
    pub hosts: HashMap<&'m Guid, String>,
}

/// Names in quotes; with the GUID where several switches or hosts share a name, or have none.
fn shown(names: &BTreeMap<Guid, String>) -> HashMap<&Guid, String> {
    let bearers = counted(names.values().map(String::as_str));
    let shown = |(guid, name): (_, &String)| match bearers[&**name] {
        1 if !name.is_empty() => (guid, format!("'{name}'")),
        _ => (guid, format!("{guid} '{name}'")),
    };
    names.iter().map(shown).collect()
}

impl<'m> Names<'m> {
    pub fn new(switches: &'m BTreeMap<Guid, String>, hosts: &'m BTreeMap<Guid, String>) -> Self {
        Names {
            switches: shown(switches),
            hosts: shown(hosts),
        }
    }

    pub fn switch(&self, switch: &Guid) -> &str {
        &self.switches[switch]
    }

    pub fn port(&self, (switch, port): &Port) -> String {
        format!("{} [{port}]", self.switches[switch])
    }

    /// Lines about switches of `here` that `there` lacks, one for each connected set.
    pub fn switches(
        &self,
        word: &str,
        here: &Fabric,
        there: &View,
        counts: impl Fn(&Guid) -> bool,
    ) -> Vec<String> {
        let is_gone = |s: SwitchId| {
            let guid = here.guid(s);
            !there.switches.contains(&guid) && counts(&guid)
        };
        let mut lines = Vec::new();
        for part in parts(here, is_gone) {
            let all = part.iter().flat_map(|&s| {
                let links = here.links_of(s);
                links.map(move |(port, far, far_port)| link(here, [(s, port), (far, far_port)]))
            });
            let links: HashSet<Link> = all.collect();
            let hosts = part.iter().flat_map(|&s| here.hosts_of(s));
            let hosts = hosts.filter(|host| !there.hosts.contains_key(&host.guid));
            let links = amount(links.len(), "link", "links");
            let what = format!("{links} and {}", amount(hosts.count(), "host", "hosts"));
            let names = part.iter().map(|&s| &self.switches[&here.guid(s)]);
            let mut names: Vec<&String> = names.collect();
            names.sort_unstable();
            lines.push(match *names {
                [name] => format!("{word}: switch {name} with {what}"),
                _ => {
                    let (count, names) = (names.len(), list(names.into_iter().cloned(), NAMED));
                    format!("{word}: {count} switches with {what}: {names}")
                }
            });
        }
        lines
    }

    pub fn links<'l>(&self, word: &str, links: impl Iterator<Item = &'l Link>) -> Vec<String> {
        let line = |[a, b]: &Link| format!("{word}: {} -- {}", self.port(a), self.port(b));
        let mut lines: Vec<String> = links.map(line).collect();
        lines.sort_unstable();
        lines
    }

    /// Lines about hosts of `here` that `there` lacks, on switches of both; one for each switch.
    pub fn hosts(
        &self,
        word: &str,
        here: &View,
        there: &View,
        counts: impl Fn(&Guid) -> bool,
    ) -> Vec<String> {
        let mut at: BTreeMap<&String, BTreeMap<PortNumber, &Guid>> = BTreeMap::new();
        for (host, (switch, port)) in &here.hosts {
            if !there.hosts.contains_key(host) && there.switches.contains(switch) && counts(host) {
                let at = at.entry(&self.switches[switch]).or_default();
                at.insert(*port, host);
            }
        }
        let line = |(switch, hosts): (&String, BTreeMap<PortNumber, &Guid>)| {
            let hosts = hosts.iter().map(|(port, host)| (&self.hosts[host], port));
            let hosts: Vec<(&String, &PortNumber)> = hosts.collect();
            match *hosts {
                [(host, port)] => format!("{word}: host {host} at {switch} [{port}]"),
                _ => {
                    let named = hosts.iter().map(|(host, port)| format!("{host} [{port}]"));
                    let named = list(named, NAMED);
                    format!("{word}: {} hosts at {switch}: {named}", hosts.len())
                }
            }
        };
        at.into_iter().map(line).collect()
    }
}

/// The connected sets of some switches, by the lowest switch of each.
pub fn parts(fabric: &Fabric, is_in: impl Fn(SwitchId) -> bool) -> Vec<Vec<SwitchId>> {
    let parts = fabric.parts(is_in).into_iter_enumerated();
    let parts = grouped(parts.filter_map(|(s, part)| Some((part?, s))));
    parts.into_values().collect()
}

/// At most so many names, and the number of the others.
pub fn list(names: impl Iterator<Item = String>, most: usize) -> String {
    let mut names: Vec<String> = names.collect();
    let more = names.len().saturating_sub(most);
    names.truncate(most);
    match more {
        0 => names.join(", "),
        _ => format!("{}, and {more} more", names.join(", ")),
    }
}

pub fn amount(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
