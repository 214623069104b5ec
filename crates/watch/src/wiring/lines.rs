//! Makes log lines about lost and new equipment.

use super::view::{Link, Port, View};
use dmodc_fabric::{Guid, PortNumber, counted};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// How many switches or hosts a line names.
const NAMED: usize = 16;

/// The names of switches and hosts.
pub struct Names<'m> {
    switches: HashMap<&'m Guid, String>,
    /// Hosts.
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
    /// The names of switches and hosts.
    pub fn new(switches: &'m BTreeMap<Guid, String>, hosts: &'m BTreeMap<Guid, String>) -> Self {
        Names {
            switches: shown(switches),
            hosts: shown(hosts),
        }
    }

    /// A switch.
    pub fn switch(&self, switch: &Guid) -> &str {
        &self.switches[switch]
    }

    /// A port of a switch.
    pub fn port(&self, (switch, port): &Port) -> String {
        format!("{} [{port}]", self.switches[switch])
    }

    /// Lines about switches of `here` that `there` lacks, one for each connected set.
    pub fn switches(
        &self,
        word: &str,
        here: &View,
        there: &View,
        counts: impl Fn(&Guid) -> bool,
    ) -> Vec<String> {
        let gone = here.switches.difference(&there.switches);
        let mut gone: BTreeSet<Guid> = gone.filter(|s| counts(s)).copied().collect();
        let mut of_switch: HashMap<Guid, Vec<&Link>> = HashMap::new();
        for link in &here.links {
            for (switch, _) in link {
                of_switch.entry(*switch).or_default().push(link);
            }
        }
        let mut lines = Vec::new();
        while let Some(first) = gone.pop_first() {
            let mut part = vec![first];
            let mut links: HashSet<&Link> = HashSet::new();
            let mut next = 0;
            while let Some(at) = part.get(next) {
                next += 1;
                for link in of_switch.get(at).into_iter().flatten() {
                    links.insert(link);
                    part.extend(link.iter().map(|(s, _)| *s).filter(|s| gone.remove(s)));
                }
            }
            let hosts = here.hosts.iter().filter(|(host, (switch, _))| {
                part.contains(switch) && !there.hosts.contains_key(host)
            });
            let links = amount(links.len(), "link", "links");
            let what = format!("{links} and {}", amount(hosts.count(), "host", "hosts"));
            let mut names: Vec<&String> = part.iter().map(|s| &self.switches[s]).collect();
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

    /// Lines about links, one for each.
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

/// A number of things.
pub fn amount(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
