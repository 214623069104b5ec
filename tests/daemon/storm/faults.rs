//! The faults of a storm, one in each round, drawn by a seed.

use super::cables::Cables;
use dmodc_fabric::random::Random;
use dmodc_formats::netlist::{Kind as NodeKind, Netlist, Node};

/// The most faults that are open at a time; then one is repaired before each new one.
const MOST_OPEN: usize = 6;

/// The kind of a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A switch that was not there joins.
    Join,
    /// A link breaks.
    Link,
    /// One link of a hundred breaks.
    Burst,
    /// All links of a switch break.
    Switch,
    /// All links of a pod break, those of its end nodes included.
    Pod,
    /// Pods restart: all links go and come back at once, and their ports forget their LIDs.
    Islet,
    /// Some switches lose a part of the MADs sent to them for a while.
    Loss,
    /// Ports get other LIDs, some of which other ports have too.
    Lids,
    /// CAs change places, so that other LIDs are behind the same ports.
    Places,
    /// OpenSM's CA is plugged in elsewhere.
    Home,
    /// All faults are repaired.
    Repair,
}

impl Kind {
    /// The kinds that are drawn.
    pub const DRAWN: [Kind; 9] = [
        Kind::Link,
        Kind::Burst,
        Kind::Switch,
        Kind::Pod,
        Kind::Islet,
        Kind::Loss,
        Kind::Lids,
        Kind::Places,
        Kind::Home,
    ];

    /// Whether a switch sends a trap, which may be lost.
    pub fn sends_traps(self) -> bool {
        !matches!(self, Kind::Loss | Kind::Lids)
    }
}

pub struct Faults<'n> {
    netlist: &'n Netlist,
    random: Random,
    /// The cables that each fault has unplugged.
    open: Vec<Vec<usize>>,
    /// Switches that are still to join, each by its cables.
    late: Vec<Vec<usize>>,
    /// The kinds that are left before all are shuffled anew.
    deck: Vec<Kind>,
    losing: Vec<u32>,
    pods: Vec<Vec<u32>>,
}

impl<'n> Faults<'n> {
    pub fn new(netlist: &'n Netlist, seed: u64) -> Self {
        Faults {
            netlist,
            random: Random::new(seed),
            open: Vec::new(),
            late: Vec::new(),
            deck: Vec::new(),
            losing: Vec::new(),
            pods: pods(netlist),
        }
    }

    /// Unplugs three switches that join later.
    pub fn hold_back(&mut self, cables: &mut Cables) {
        for _ in 0..3 {
            let switch = self.switch(cables);
            let of_it = cables.cables_of(|n| n == switch);
            cables.unplug(&of_it);
            self.late.push(of_it);
        }
    }

    /// Whether nothing is broken, and no switch is still to join.
    pub fn is_whole(&self) -> bool {
        self.open.is_empty() && self.late.is_empty()
    }

    pub fn next(&mut self, cables: &mut Cables) -> Kind {
        if let Some(unplugged) = self.late.pop() {
            cables.plug(&unplugged);
            return Kind::Join;
        }
        if self.open.len() >= MOST_OPEN {
            let open = self.open.swap_remove(self.random.below(self.open.len()));
            cables.plug(&open);
        }
        if self.deck.is_empty() {
            self.deck = Kind::DRAWN.to_vec();
            self.random.shuffle(&mut self.deck);
        }
        let kind = self.deck.pop().expect("just filled");
        match kind {
            Kind::Link => self.links(cables, 1),
            Kind::Burst => self.links(cables, cables.len().div_ceil(100)),
            Kind::Switch => {
                let switch = self.switch(cables);
                self.break_all(cables, &[switch]);
            }
            Kind::Pod => {
                let pod = self.pod(cables);
                self.break_all(cables, &pod);
            }
            Kind::Islet => {
                let mut nodes = Vec::new();
                for _ in 0..self.pods.len().div_ceil(6) {
                    nodes.extend(self.pod(cables));
                }
                nodes.sort_unstable();
                nodes.dedup();
                cables.reboot(&nodes);
            }
            Kind::Loss => {
                for _ in 0..8 {
                    let switch = self.switch(cables);
                    cables.lose(switch, 30);
                    self.losing.push(switch);
                }
            }
            Kind::Lids => self.lids(cables),
            Kind::Places => self.places(cables),
            Kind::Home => {
                let hosts = cables.of_hosts();
                let host = hosts[self.random.below(hosts.len())];
                cables.move_home(host);
            }
            Kind::Join | Kind::Repair => unreachable!("these are not drawn"),
        }
        kind
    }

    pub fn repair_all(&mut self, cables: &mut Cables) -> Kind {
        let all = self.open.drain(..).chain(self.late.drain(..));
        all.for_each(|unplugged| cables.plug(&unplugged));
        cables.put_back();
        Kind::Repair
    }

    /// Ends the loss of MADs at all switches.
    pub fn stop_losing(&mut self, cables: &mut Cables) {
        self.losing
            .drain(..)
            .for_each(|switch| cables.lose(switch, 0));
    }

    fn links(&mut self, cables: &mut Cables, count: usize) {
        let mut all = cables.cables_of(|_| true);
        self.random.shuffle(&mut all);
        all.truncate(count);
        cables.unplug(&all);
        self.open.push(all);
    }

    fn break_all(&mut self, cables: &mut Cables, nodes: &[u32]) {
        let of_them = cables.cables_of(|n| nodes.contains(&n));
        cables.unplug(&of_them);
        self.open.push(of_them);
    }

    fn lids(&mut self, cables: &mut Cables) {
        let nodes = self.netlist.nodes.len();
        for _ in 0..8 {
            let node = self.random.below(nodes) as u32;
            if node != cables.home() {
                // LIDs that other ports have, and free LIDs above these.
                let lid = 1 + self.random.below(nodes + 100) as u16;
                cables.overwrite_lid(node, lid);
            }
        }
    }

    fn places(&mut self, cables: &mut Cables) {
        let mut hosts = cables.of_hosts();
        self.random.shuffle(&mut hosts);
        let pairs = hosts.as_chunks().0.iter().take(4);
        pairs.for_each(|&[a, b]| cables.exchange(a, b));
    }

    /// A switch with a link, but not the switch of OpenSM's CA.
    fn switch(&mut self, cables: &Cables) -> u32 {
        let switches: Vec<u32> = (0..self.netlist.nodes.len() as u32)
            .filter(|&n| self.netlist.nodes[n as usize].kind == NodeKind::Switch)
            .filter(|&n| n != cables.home_switch() && is_linked(cables, &[n]))
            .collect();
        switches[self.random.below(switches.len())]
    }

    /// The nodes of a pod with a link, but not of the pod of OpenSM's CA.
    fn pod(&mut self, cables: &Cables) -> Vec<u32> {
        let home = cables.home_switch();
        let there = |pod: &&Vec<u32>| !pod.contains(&home) && is_linked(cables, pod);
        let pods: Vec<&Vec<u32>> = self.pods.iter().filter(there).collect();
        let pod = pods[self.random.below(pods.len())].clone();
        pod.into_iter().filter(|&n| n != cables.home()).collect()
    }
}

fn is_linked(cables: &Cables, nodes: &[u32]) -> bool {
    !cables.cables_of(|n| nodes.contains(&n)).is_empty()
}

/// The parts into which a generated tree falls without its top switches; each with its end nodes.
pub fn pods(netlist: &Netlist) -> Vec<Vec<u32>> {
    let nodes = &netlist.nodes;
    let level = |node: &Node| {
        node.description
            .split_once('-')
            .map(|(level, _)| level.to_owned())
    };
    let top = netlist.switches().filter_map(level).max();
    let is_top = |n: &Node| n.kind == NodeKind::Switch && level(n) == top;
    parts(netlist, nodes.iter().map(is_top).collect())
}

/// The parts into which a fabric falls without the nodes that are `seen` already.
pub fn parts(netlist: &Netlist, mut seen: Vec<bool>) -> Vec<Vec<u32>> {
    let nodes = &netlist.nodes;
    let mut parts = Vec::new();
    for start in 0..nodes.len() as u32 {
        let (mut part, mut todo) = (Vec::new(), vec![start]);
        while let Some(n) = todo.pop() {
            if !std::mem::replace(&mut seen[n as usize], true) {
                part.push(n);
                todo.extend(nodes[n as usize].ports.iter().map(|p| p.peer));
            }
        }
        if !part.is_empty() {
            parts.push(part);
        }
    }
    parts
}
