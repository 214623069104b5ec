//! Logs the changes of the fabric since the last call.
//!
//! A switch that goes or comes gives one line, with its links and hosts; so do several connected switches, such as a
//! pod. A link gives one line, and so do all hosts that go or come at one switch. Equipment that comes is *back* if it
//! was there before or is in the reference, else *new*. A box that comes into the place of another one *replaces* it.

use super::causes::by_switch;
use super::lines::{Link, Names, View, amount};
use super::slow_memory::{SlowLink, SlowMemory};
use dmodc_fabric::{Fabric, Guid, Merged, NodeKind, Peer, SwitchId, replaced};
use dmodc_formats::netlist;
use std::collections::{BTreeMap, HashMap};

/// All equipment ever seen of a fabric, and its last state.
#[derive(Default)]
pub struct Memory {
    last: Option<Fabric>,
    /// The fabric with all equipment ever seen, without equipment that the present fabric contradicts.
    pub known: Fabric,
    switch_names: BTreeMap<Guid, String>,
    host_names: BTreeMap<Guid, String>,
    slow: SlowMemory,
}

impl Memory {
    /// The last known name of a switch.
    pub fn switch_name(&self, switch: Guid) -> &str {
        self.switch_names.get(&switch).map_or("", |name| name)
    }

    /// The last known name of a host.
    pub fn host_name(&self, host: Guid) -> &str {
        self.host_names.get(&host).map_or("", |name| name)
    }

    /// The slow links at the last call of [`Memory::slow`].
    pub fn slow_links(&self) -> impl Iterator<Item = &SlowLink> {
        self.slow.last.values()
    }

    /// The switches at which many links are slow, with their number: each is one cause.
    pub fn slow_switches(&self) -> impl Iterator<Item = (Guid, usize)> {
        let links = self.slow.last.values().collect();
        let bundles = by_switch(links, |link| link.switches()).into_iter();
        bundles.filter_map(|(switch, links)| Some((switch?, links.len())))
    }

    /// Finds the slow links in the fabric of the last [`Memory::look`]: links that are slow by their siblings or by the
    /// reference, and links that were faster before, unless they are as fast as in the reference. Returns lines about
    /// new and mended ones. `rank` gives the rank of a switch.
    pub fn slow(
        &mut self,
        fabric: &Fabric,
        rank: impl Fn(SwitchId) -> u32,
        reference: Option<&Fabric>,
    ) -> Vec<String> {
        let names = || Names::new(&self.switch_names, &self.host_names);
        self.slow.look(fabric, rank, reference, names)
    }

    /// Begins with a reference: what it has is known. Takes its names, by GUID, for equipment without one.
    pub fn learn(&mut self, reference: &Fabric, names: &HashMap<Guid, &str>) {
        let learn = |known: &mut BTreeMap<Guid, String>, guid| {
            let known = known.entry(guid).or_default();
            if known.is_empty() {
                *known = names.get(&guid).copied().unwrap_or_default().to_owned();
            }
        };
        for switch in reference.switches() {
            learn(&mut self.switch_names, switch.guid);
        }
        for node in reference.end_nodes() {
            learn(&mut self.host_names, node.guid);
        }
        if self.last.is_none() {
            self.known = reference.clone();
        }
    }

    /// Compares the present fabric with the last one and keeps it. Returns lines about the changes; none at the first
    /// call.
    pub fn look(&mut self, fabric: &Fabric, names: &netlist::Names) -> Vec<String> {
        let switches = fabric.switches().iter().map(|switch| switch.guid);
        (self.switch_names).extend(switches.zip(names.switches.iter().cloned()));
        let hosts = fabric.end_nodes().iter().map(|node| node.guid);
        (self.host_names).extend(hosts.zip(names.end_nodes.iter().cloned()));
        let mut lines = match &self.last {
            Some(last) if last == fabric => return Vec::new(),
            Some(last) => [self.changes([last, fabric]), self.replacements(fabric)].concat(),
            None => Vec::new(),
        };
        self.slow.compare(&self.known, fabric);
        let merged = Merged::new(fabric, &self.known);
        if !lines.is_empty() {
            lines.extend(gone(&merged));
        }
        self.known = merged.nominal;
        self.last = Some(fabric.clone());
        lines
    }

    /// Lines about boxes in the places of others, and whether they are slower or have fewer links.
    fn replacements(&self, fabric: &Fabric) -> Vec<String> {
        let names = Names::new(&self.switch_names, &self.host_names);
        let line = |(now, place): (SwitchId, SwitchId)| {
            let (before, now) = ((&self.known, place), (fabric, now));
            let [place, guid] = [before, now].map(|(of, s)| of.guid(s));
            let links = |(of, s): (&Fabric, SwitchId)| {
                of.peers_of(s).iter().filter(|p| **p != Peer::None).count()
            };
            let speed = |(of, s): (&Fabric, SwitchId)| {
                let speeds = of.speeds_of(s).iter().copied();
                speeds.filter(|speed| speed.is_known()).max()
            };
            let (new, old) = (names.switch(&guid), names.switch(&place));
            let mut line = format!("replaces: switch {new} is in the place of {old}");
            let [links_before, links_now] = [before, now].map(links);
            if links_now < links_before {
                line += &format!(", with {links_now} of {links_before} links");
            }
            if let (Some(was), Some(is)) = (speed(before), speed(now))
                && is < was
            {
                line += &format!(", at {is} instead of {was}");
            }
            line
        };
        let replaced = replaced(fabric, &self.known).into_iter();
        replaced.map(line).collect()
    }

    /// Lines about the differences of two fabrics, lost equipment first.
    fn changes(&self, [before, fabric]: [&Fabric; 2]) -> Vec<String> {
        let [last, known, now] = [before, &self.known, fabric].map(View::new);
        let names = Names::new(&self.switch_names, &self.host_names);
        let all = |of: &View, link: &Link| link.iter().all(|(guid, _)| of.switches.contains(guid));
        // If a switch comes back without one of its links, the line about the lost link comes only now.
        let lost = known.links.difference(&now.links);
        let lost = lost.filter(|l| all(&now, l) && (last.links.contains(*l) || !all(&last, l)));
        let mut lines = names.switches("lost", before, &now, |_| true);
        lines.extend(names.links("lost", lost));
        lines.extend(names.hosts("lost", &last, &now, |_| true));
        for (word, was_known) in [("back", true), ("new", false)] {
            let is = |found: bool| found == was_known;
            let come = now.links.difference(&last.links);
            let come = come.filter(|l| all(&last, l) && is(known.links.contains(*l)));
            lines.extend(names.switches(word, fabric, &last, |s| is(known.switches.contains(s))));
            lines.extend(names.links(word, come));
            lines.extend(names.hosts(word, &now, &last, |h| is(known.hosts.contains_key(h))));
        }
        let moved = now.hosts.iter().filter_map(|(host, to)| {
            let from = last.hosts.get(host).filter(|from| *from != to)?;
            let (from, to, host) = (names.port(from), names.port(to), &names.hosts[host]);
            Some(format!("moved: host {host} from {from} to {to}"))
        });
        let mut moved: Vec<String> = moved.collect();
        moved.sort_unstable();
        lines.extend(moved);
        lines
    }
}

/// A line that counts all gone equipment, if there is any.
fn gone(merged: &Merged) -> Option<String> {
    let switches = merged.has_switch.iter().filter(|is_there| !**is_there);
    let nodes = merged.dark_nodes();
    let hosts = nodes.filter(|node| node.kind != NodeKind::Aggregation);
    let counts = [
        (switches.count(), "switch", "switches"),
        (merged.dark_links().count(), "link", "links"),
        (hosts.count(), "host", "hosts"),
    ];
    let counts = counts.into_iter().filter(|(count, ..)| *count > 0);
    let counts: Vec<String> = counts.map(|(n, one, many)| amount(n, one, many)).collect();
    let list = counts.join(", ");
    (!list.is_empty()).then(|| format!("gone, in all: {list}"))
}
