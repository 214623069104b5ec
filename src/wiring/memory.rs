//! Logs the changes since the last look at the fabric.
//!
//! A switch that goes or comes is one line, with its links and hosts; so are several connected ones, such as
//! a pod. A link is a line, and so are all hosts that go or come at one switch. Equipment that comes is
//! *back* if it was there before, else *new*.

use super::lines::{Names, amount};
use super::slow::Slow;
use super::slow_memory::{SlowLink, SlowMemory};
use super::view::{Link, View};
use crate::fabric::{Fabric, Guid, Merged};
use std::collections::BTreeMap;
use std::sync::Arc;

/// All equipment ever seen of a fabric, and its last state.
#[derive(Default)]
pub struct Memory {
    last: Option<Fabric>,
    known: Arc<Fabric>,
    switch_names: BTreeMap<Guid, String>,
    host_names: BTreeMap<Guid, String>,
    slow: SlowMemory,
}

impl Memory {
    /// The fabric with all equipment ever seen, except where the present fabric contradicts it.
    pub fn known(&self) -> &Fabric {
        &self.known
    }

    /// The last name of a switch.
    pub fn switch_name(&self, switch: Guid) -> &str {
        self.switch_names.get(&switch).map_or("", |name| name)
    }

    /// The last name of a host.
    pub fn host_name(&self, host: Guid) -> &str {
        self.host_names.get(&host).map_or("", |name| name)
    }

    /// The slow links of the last look, and lines about new and mended ones. `found` is slow by its siblings
    /// or by the reference; a link that was faster before is slow as well, unless the reference has it so.
    /// `rank` gives the rank of a switch.
    pub fn slow(
        &mut self,
        fabric: &Fabric,
        found: &[Slow],
        rank: impl Fn(u32) -> u32,
        reference: Option<&Fabric>,
    ) -> (Vec<SlowLink>, Vec<String>) {
        let names = || Names::new(&self.switch_names, &self.host_names);
        self.slow.look(fabric, found, rank, reference, names)
    }

    /// Takes the present fabric, and returns lines about changes since the last time; none at the first. The
    /// functions name a switch and an end node, by index.
    pub fn look(
        &mut self,
        fabric: &Fabric,
        switch_name: impl Fn(u32) -> String,
        host_name: impl Fn(u32) -> String,
    ) -> Vec<String> {
        for (index, switch) in (0..).zip(fabric.switches()) {
            self.switch_names.insert(switch.guid, switch_name(index));
        }
        for (index, node) in (0..).zip(fabric.end_nodes()) {
            self.host_names.insert(node.guid, host_name(index));
        }
        let mut lines = match &self.last {
            Some(last) if last == fabric => return Vec::new(),
            Some(last) => self.changes([last, &self.known, fabric].map(View::new)),
            None => Vec::new(),
        };
        self.slow.compare(&self.known, fabric);
        self.known = Merged::new(fabric, &self.known).nominal;
        self.last = Some(fabric.clone());
        if !lines.is_empty() {
            lines.extend(gone(&View::new(&self.known), &View::new(fabric)));
        }
        lines
    }

    /// Lines about the differences of the views, the lost first.
    fn changes(&self, [last, known, now]: [View; 3]) -> Vec<String> {
        let names = Names::new(&self.switch_names, &self.host_names);
        let all = |of: &View, link: &Link| link.iter().all(|(guid, _)| of.switches.contains(guid));
        // A link that a switch has not brought back with it is lost only now.
        let lost = known.links.difference(&now.links);
        let lost = lost.filter(|l| all(&now, l) && (last.links.contains(*l) || !all(&last, l)));
        let mut lines = names.switches("lost", &last, &now, |_| true);
        lines.extend(names.links("lost", lost));
        lines.extend(names.hosts("lost", &last, &now, |_| true));
        for (word, was_known) in [("back", true), ("new", false)] {
            let is = |found: bool| found == was_known;
            let come = now.links.difference(&last.links);
            let come = come.filter(|l| all(&last, l) && is(known.links.contains(*l)));
            lines.extend(names.switches(word, &now, &last, |s| is(known.switches.contains(s))));
            lines.extend(names.links(word, come));
            lines.extend(names.hosts(word, &now, &last, |h| is(known.hosts.contains_key(h))));
        }
        let moved = now.hosts.iter().filter_map(|(host, to)| {
            let from = last.hosts.get(host).filter(|from| *from != to)?;
            let (from, to) = (names.port(from), names.port(to));
            Some(format!(
                "moved: host {} from {from} to {to}",
                names.hosts[host]
            ))
        });
        let mut moved: Vec<String> = moved.collect();
        moved.sort_unstable();
        lines.extend(moved);
        lines
    }
}

/// All gone equipment in one line, if there is any.
fn gone(known: &View, now: &View) -> Option<String> {
    let is_there = |switch: &Guid| now.switches.contains(switch);
    let links = known.links.difference(&now.links);
    let hosts = known
        .hosts
        .iter()
        .filter(|(host, (switch, _))| is_there(switch) && !now.hosts.contains_key(host));
    let links = links.filter(|l| l.iter().all(|(s, _)| is_there(s)));
    let switches = known.switches.difference(&now.switches);
    let counts = [
        (switches.count(), "switch", "switches"),
        (links.count(), "link", "links"),
        (hosts.count(), "host", "hosts"),
    ];
    let counts = counts.into_iter().filter(|(count, ..)| *count > 0);
    let counts: Vec<String> = counts.map(|(n, one, many)| amount(n, one, many)).collect();
    let list = counts.join(", ");
    (!list.is_empty()).then(|| format!("gone since the first sweep, in all: {list}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::Directory;
    use crate::netlist::Netlist;
    use crate::testing::pgft;

    /// Two pods of two leaves and two spines below two roots, two hosts on each leaf.
    fn whole() -> Netlist {
        pgft("PGFT(3;2,2,2;1,2,2;1,1,1)")
    }

    fn without(net: &Netlist, parts: &[&str]) -> Netlist {
        let directory = Directory::of_netlist(net);
        let parts = parts
            .iter()
            .flat_map(|part| directory.parts(net, part).expect("parts"));
        net.without(&parts.collect::<Vec<_>>())
    }

    fn look(memory: &mut Memory, net: &Netlist) -> Vec<String> {
        let (fabric, names) = net.to_fabric(None).expect("LIDs for all");
        let switch = |s: u32| names.switches[s as usize].clone();
        let host = |h: u32| names.end_nodes[h as usize].clone();
        memory.look(&fabric, switch, host)
    }

    #[test]
    fn a_cable_and_a_host_go_and_come_back() {
        let (whole, mut memory) = (whole(), Memory::default());
        assert_eq!(look(&mut memory, &whole), [""; 0]);
        assert_eq!(look(&mut memory, &whole), [""; 0]);
        let less = without(&whole, &["L1-1:4", "node-2"]);
        assert_eq!(
            look(&mut memory, &less),
            [
                "lost: 'L1-1' [4] -- 'L2-1' [2]",
                "lost: host 'node-2' at 'L1-1' [1]",
                "gone since the first sweep, in all: 1 link, 1 host",
            ]
        );
        assert_eq!(look(&mut memory, &less), [""; 0]);
        // Only the equipment that has just gone is named.
        let fewer = without(&less, &["node-0", "node-1"]);
        assert_eq!(
            look(&mut memory, &fewer),
            [
                "lost: 2 hosts at 'L1-0': 'node-0' [1], 'node-1' [2]",
                "gone since the first sweep, in all: 1 link, 3 hosts",
            ]
        );
        assert_eq!(
            look(&mut memory, &whole),
            [
                "back: 'L1-1' [4] -- 'L2-1' [2]",
                "back: 2 hosts at 'L1-0': 'node-0' [1], 'node-1' [2]",
                "back: host 'node-2' at 'L1-1' [1]",
            ]
        );
    }

    #[test]
    fn a_switch_is_one_line_and_so_is_a_pod() {
        let (whole, mut memory) = (whole(), Memory::default());
        look(&mut memory, &whole);
        let less = without(&whole, &["L1-3"]);
        assert_eq!(
            look(&mut memory, &less),
            [
                "lost: switch 'L1-3' with 2 links and 2 hosts",
                "gone since the first sweep, in all: 1 switch",
            ]
        );
        // It is back without one of its cables and one of its hosts.
        let hurt = without(&whole, &["L1-3:3", "node-7"]);
        assert_eq!(
            look(&mut memory, &hurt),
            [
                "lost: 'L1-3' [3] -- 'L2-2' [2]",
                "back: switch 'L1-3' with 1 link and 1 host",
                "gone since the first sweep, in all: 1 link, 1 host",
            ]
        );
        assert_eq!(
            look(&mut memory, &whole),
            [
                "back: 'L1-3' [3] -- 'L2-2' [2]",
                "back: host 'node-7' at 'L1-3' [2]"
            ]
        );
        let no_pod = without(&whole, &["L1-2", "L1-3", "L2-2", "L2-3"]);
        let pod = "4 switches with 8 links and 4 hosts: 'L1-2', 'L1-3', 'L2-2', 'L2-3'";
        assert_eq!(look(&mut memory, &no_pod)[0], format!("lost: {pod}"));
        assert_eq!(look(&mut memory, &whole), [format!("back: {pod}")]);
        // One that was never there, beside one that was.
        let mut memory = Memory::default();
        look(&mut memory, &no_pod);
        assert_eq!(look(&mut memory, &whole), [format!("new: {pod}")]);
    }

    #[test]
    fn what_moves_and_names_that_several_have() {
        let (mut net, mut memory) = (whole(), Memory::default());
        for node in &mut net.nodes {
            if node.description.starts_with("L1-") {
                node.description = "leaf".into();
            }
        }
        look(&mut memory, &without(&net, &["node-1"]));
        // The first host of a leaf is plugged in beside itself.
        let mut moved = without(&net, &["node-1"]);
        let host = moved.nodes.iter().position(|n| n.description == "node-0");
        let host = host.expect("there");
        let leaf = moved.nodes[host].ports[0].peer as usize;
        let mut ports = moved.nodes[leaf].ports.iter_mut();
        let port = ports.find(|p| p.peer == host as u32);
        port.expect("linked").number = 2;
        moved.nodes[host].ports[0].peer_port = 2;
        let leaf = format!("{} 'leaf'", moved.nodes[leaf].guid);
        let line = format!("moved: host 'node-0' from {leaf} [1] to {leaf} [2]");
        assert_eq!(look(&mut memory, &moved), [line]);
    }
}
