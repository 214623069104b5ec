//! Slots: the numbers for end nodes on each leaf.
//!
//! The paper counts the nodes of a leaf, so a host that leaves moves the NIDs of all later nodes. Under `faults=stable`
//! a leaf has as many *slots* as leaves usually have nodes. The slot of a host that leaves stays empty until the host
//! is back.
//!
//! A *position* is the number of a port among the ports of a leaf that are no uplinks. All leaves vote on positions:
//! - The slots end where the votes fall most behind the positions that half of the leaves use, since hosts fill leaves
//!   up to some port. Ports further on share slots, so the first host at a new port moves no other host.
//! - Between the ends every position has a slot, also for hosts that are off. If a third of the positions or more have
//!   few votes, they are dark by design and have none.
//! - Every position has a slot if one host could decide where the slots end. Among many leaves: if the votes fall step
//!   by step and not at an end. Among few: if uplinks are at different ports, or if leaves end at different positions,
//!   with dark positions behind the last host of a leaf but not between its hosts.
//! - Leaves that are equally full number their nodes in port order, if the nodes are at different ports (cables at
//!   random) or many ports between are dark.
//! - Hosts that only a reference has vote, too, so that numbers stay; but not at positions where hardly any of them is
//!   present: a reference with many hosts that are gone does not bend the routes of the others.
//! - Where leaves are filled unequally, slots within a leaf rotate with the number of the leaf. Without this, low
//!   positions would be crowded everywhere.
//!
//! On a whole PGFT slots are the counts of the paper. No rule has these counts, the best routes on a regular half of a
//! PGFT, and hosts that move no other host, at once: such a half is the whole fabric with hosts that are off.

use super::node_types::{NodeType, NodeTypes};
use crate::dmodc::design::{Design, most_common};
use crate::dmodc::numbers::golden_step;
use crate::dmodc::options::Faults;
use crate::fabric::{EndNode, Fabric, Lid, NodeKind, range_of};
use std::collections::BTreeMap;

/// The slots for nodes of one type. Empty slots cost numbers, but keep the numbers of other nodes.
pub struct Slots {
    /// How many slots each leaf has.
    pub count: Vec<u32>,
    /// By end node: its slot on its leaf, and whether the slot is its own: nodes at unusual ports share slots. `None`
    /// if the node is not on a leaf, or of another type.
    pub of_node: Vec<Option<(u32, bool)>>,
    /// The same for absent nodes.
    pub of_absent: Vec<Option<(u32, bool)>>,
    /// How many numbers a dead leaf keeps free.
    pub gone: usize,
}

/// A position is usual if it has at least one in this many of the votes of the position with most votes.
const USUAL: u32 = 4;
/// Positions that are not usual are dark by design if at least one position in this many is not usual.
const DARK: usize = 3;
/// Hosts at a position are off for good if many are known there, and less than one in this many is present.
const OFF: u32 = 4;
/// A leaf is cabled like the others if at least this many of four of its uplinks are at the usual ports.
const AGREE: usize = 3;
/// Leaves are equally full if at most one in this many has another number of hosts.
const OTHERS: usize = 8;
/// With at least this many leaves, one host does not decide how leaves are filled.
const MANY: u32 = 16;
/// Leaves are filled unequally if half of the positions have at least this many votes for four of the other half.
const UNEQUAL: u32 = 7;

impl Slots {
    /// Finds the slots for nodes of a type.
    pub fn new(design: &Design, types: &NodeTypes, of_type: NodeType, faults: Faults) -> Self {
        let fabric = &design.expected;
        let mut slots = Slots {
            count: vec![0; fabric.switches().len()],
            of_node: vec![None; fabric.end_nodes().len()],
            of_absent: vec![None; design.absent.len()],
            gone: 0,
        };
        let is_of_type = |node: &EndNode| {
            let is = || !types.are_given() || types.of(node.guid) == of_type;
            node.kind != NodeKind::Aggregation && is()
        };
        let nodes = |leaf: u32| {
            let nodes = fabric.end_nodes_of(leaf);
            nodes.filter(|&n| is_of_type(&fabric.end_nodes()[n]))
        };
        let leaves = || design.ranking.leaves();
        if faults == Faults::Paper {
            for leaf in leaves() {
                slots.count[leaf as usize] = nodes(leaf).count() as u32;
                for (nth, node) in (0..).zip(nodes(leaf)) {
                    slots.of_node[node] = Some((nth, true));
                }
            }
            return slots;
        }
        let positions = Positions::new(design);
        let position_of = |node: &EndNode| {
            let of_port = &positions.of_port[node.switch as usize];
            of_port.get(usize::from(node.port))?.map(usize::from)
        };
        let of_node: Vec<Option<usize>> = fabric.end_nodes().iter().map(position_of).collect();
        let position = |n: usize| of_node[n];
        let is_there = |n: usize| fabric.end_nodes()[n].lid != Lid(0);
        let (mut votes, mut there) = ([0u32; 256], [0u32; 256]);
        for n in leaves().flat_map(nodes) {
            if let Some(position) = position(n) {
                votes[position] += 1;
                there[position] += u32::from(is_there(n));
            }
        }
        // Known hosts at a position where hardly any is present are off for good, and do not vote.
        let is_off = |&at: &usize| votes[at] >= MANY && OFF * there[at] < votes[at];
        let off: Vec<usize> = (0..votes.len()).filter(is_off).collect();
        off.iter().for_each(|&at| votes[at] = there[at]);
        let counts = |n: &usize| is_there(*n) || position(*n).is_none_or(|at| !off.contains(&at));
        let is_many = leaves().count() >= MANY as usize;
        let mut usual = Usual::new(&votes, is_many);
        let filled = || {
            let of_leaf = leaves().map(|leaf| nodes(leaf).filter(counts).map(position).collect());
            of_leaf.filter(|at: &Vec<_>| !at.is_empty()).collect()
        };
        let takes_all = usual.slots > 0
            && match is_many {
                true => !usual.ends_sharply(&votes),
                false => !positions.are_known || usual.is_uneven(filled()),
            };
        if takes_all && (usual.slots as usize) < positions.most {
            let ways = is_many.then(|| ways_up(design, positions.most as u64));
            usual = Usual::all(positions.most, ways);
        }
        let filled = leaves().map(|leaf| nodes(leaf).filter(counts).count());
        let mut filled: Vec<usize> = filled.filter(|&count| count > 0).collect();
        let slots_at = votes.iter().filter(|&&votes| votes > 0).count();
        if let Some(count) = equally_full(&mut filled)
            && count != usual.slots as usize
            && (slots_at > count
                || !takes_all
                    && OTHERS * count.abs_diff(usual.slots as usize) > usual.slots as usize)
        {
            usual = Usual::counted(count as u32);
        }
        let order = design.leaves.iter().flatten();
        for (nth, leaf) in order
            .enumerate()
            .filter_map(|(i, leaf)| Some((i, (*leaf)?)))
        {
            slots.count[leaf as usize] = usual.slots;
            let mut on_leaf = 0..;
            for node in nodes(leaf) {
                let port = usize::from(fabric.end_nodes()[node].port);
                let position = match usual.counts {
                    true if counts(&node) => on_leaf.next(),
                    true => None,
                    false => position(node),
                };
                slots.of_node[node] = Some(usual.slot(nth, position, port));
            }
            for absent in range_of(&design.absent, leaf) {
                let node = &design.absent[absent];
                if !is_of_type(node) {
                    continue;
                }
                let before = nodes(leaf).filter(|&n| fabric.end_nodes()[n].port < node.port);
                let position = match usual.counts {
                    true => Some(before.count()),
                    false => position_of(node),
                };
                let slot = usual.slot(nth, position, usize::from(node.port));
                slots.of_absent[absent] = Some(slot);
            }
        }
        slots.gone = usual.slots as usize;
        slots
    }
}

/// The positions of the ports of leaves; `None` at an uplink.
struct Positions {
    /// By switch and port.
    of_port: Vec<Vec<Option<u8>>>,
    /// The most positions that a leaf has.
    most: usize,
    /// Whether most leaves have uplinks at the same ports.
    are_known: bool,
}

impl Positions {
    fn new(design: &Design) -> Self {
        let fabric = &design.expected;
        let mut votes: BTreeMap<u8, (u32, [u32; 256])> = BTreeMap::new();
        for leaf in design.ranking.leaves() {
            let ports = fabric.switches()[leaf as usize].ports;
            let (voters, votes) = votes.entry(ports).or_insert((0, [0; 256]));
            *voters += 1;
            uplinks(fabric, leaf).for_each(|port| votes[port] += 1);
        }
        // By number of ports: the ports that are uplinks on half of the leaves or more.
        let usual = votes.into_iter().map(|(ports, (voters, votes))| {
            let is_uplink = votes.map(|votes| votes > 0 && 2 * votes >= voters);
            // Where cables are at random, some ports are uplinks of half of the leaves by chance: none counts then.
            let sum = |least: u32| votes.iter().filter(|&&n| n >= least).sum::<u32>();
            match 4 * sum(voters - voters / 3) >= 3 * sum(0) {
                true => (ports, is_uplink),
                false => (ports, [false; 256]),
            }
        });
        let usual: BTreeMap<u8, [bool; 256]> = usual.collect();
        let mut all = Positions {
            of_port: vec![Vec::new(); fabric.switches().len()],
            most: 0,
            are_known: usual.values().flatten().any(|&is_uplink| is_uplink),
        };
        for leaf in design.ranking.leaves() {
            let ports = fabric.switches()[leaf as usize].ports;
            let usual = &usual[&ports];
            let own = || uplinks(fabric, leaf);
            let agree = 4 * own().filter(|&port| usual[port]).count() >= AGREE * own().count();
            let mut is_uplink = *usual;
            if !agree {
                // This leaf is cabled differently: its own uplinks count.
                is_uplink = [false; 256];
                own().for_each(|port| is_uplink[port] = true);
            }
            let of_port = &mut all.of_port[leaf as usize];
            of_port.resize(usize::from(ports) + 1, None);
            let others = (1..of_port.len()).filter(|&port| !is_uplink[port]);
            for (at, port) in (0..).zip(others) {
                of_port[port] = Some(at);
            }
            let free = usual[1..=usize::from(ports)].iter().filter(|&&is| !is);
            all.most = all.most.max(free.count());
        }
        all
    }
}

/// The ports of a leaf that lead to switches.
fn uplinks(fabric: &Fabric, leaf: u32) -> impl Iterator<Item = usize> {
    fabric.links_of(leaf).map(|(port, ..)| usize::from(port))
}

/// The number of nodes that nearly all leaves have.
fn equally_full(counts: &mut [usize]) -> Option<usize> {
    let (count, leaves) = most_common(counts);
    (leaves >= counts.len() - counts.len() / OTHERS).then_some(count)
}

/// The number of ways up that most leaves have, over as many levels as keep it at most `most`.
fn ways_up(design: &Design, most: u64) -> u64 {
    let ways = |mut s: u32| {
        let mut ways = 1;
        while let Some(first) = design.groups.parents(s).next() {
            let parents = design.groups.parents(s).count() as u64;
            if ways * parents > most {
                break;
            }
            (ways, s) = (ways * parents, first.remote);
        }
        ways
    };
    let mut ways: Vec<u64> = design.ranking.leaves().map(ways).collect();
    most_common(&mut ways).0
}

/// By how much the slots rotate from one leaf to the next.
fn rotation(slots: u32) -> u32 {
    match slots {
        0..=2 => 0,
        _ => golden_step(slots.into()) as u32,
    }
}

/// The usual positions.
#[derive(Default)]
struct Usual {
    slots: u32,
    /// The position behind the last usual one.
    end: usize,
    /// Whether the position of a node is its count on the leaf, not the position of its port.
    counts: bool,
    /// By position: its slot.
    slot: Vec<Option<u32>>,
    /// By how much the slots rotate from one leaf to the next.
    rotation: u32,
}

impl Usual {
    /// Finds the usual positions by the votes of many or few leaves.
    fn new(votes: &[u32; 256], is_many: bool) -> Self {
        let most = votes.iter().copied().max().unwrap_or(0);
        let mut usual = Usual::default();
        if most == 0 {
            return usual;
        }
        // The steepest fall (the last of several) and the steepest rise before it, outside the positions that half of
        // the leaves use: the ends of all, not of a gap between such positions.
        let steeper =
            |low: usize, high: usize| f64::from(votes[high] + 1) / f64::from(votes[low] + 1);
        let is_common = |&at: &usize| 2 * votes[at] > most;
        let last_common = (0..256).rfind(is_common).unwrap_or(0);
        let first_common = (0..256).find(is_common).unwrap_or(0);
        let last =
            (last_common..255).max_by(|&a, &b| steeper(a + 1, a).total_cmp(&steeper(b + 1, b)));
        let last = last.unwrap_or(last_common);
        let rise = |at: usize| match at {
            0 => f64::from(votes[0] + 1),
            _ => steeper(at - 1, at),
        };
        let first = (0..=first_common)
            .rev()
            .max_by(|&a, &b| rise(a).total_cmp(&rise(b)));
        let mut positions: Vec<usize> = (first.unwrap_or(0)..=last).collect();
        let is_usual = |&at: &usize| USUAL * votes[at] >= most;
        let dark = positions.len() - positions.iter().filter(|at| is_usual(at)).count();
        if DARK * dark >= positions.len() {
            positions.retain(is_usual);
        }
        usual.slot.resize(last + 1, None);
        for (slot, &at) in (0..).zip(&positions) {
            usual.slot[at] = Some(slot);
        }
        usual.slots = positions.len() as u32;
        let sum = |part: &[usize]| part.iter().map(|&at| votes[at]).sum::<u32>();
        let half = positions.len() / 2;
        let (low, high) = (&positions[..half], &positions[positions.len() - half..]);
        let (low, high) = (sum(low), sum(high));
        let is_unequal = is_many && 4 * low.max(high) >= UNEQUAL * low.min(high);
        if is_unequal {
            usual.rotation = rotation(usual.slots);
        }
        usual.end = last + 1;
        usual
    }

    /// A slot for each of these positions. Nodes are at the first positions; where leaves are many, further slots make
    /// the first numbers of one leaf after the other go round the ways up evenly.
    fn all(positions: usize, ways: Option<u64>) -> Self {
        let positions = positions as u32;
        let (slots, rotation) = match ways {
            Some(ways) => {
                let step = golden_step(ways);
                let is_even =
                    |&slots: &u32| [step, ways - step].contains(&(u64::from(slots) % ways));
                ((positions..).find(is_even).unwrap_or(positions), 0)
            }
            None => (positions, rotation(positions)),
        };
        Usual {
            slots,
            slot: (0..slots).map(Some).collect(),
            rotation,
            ..Usual::default()
        }
    }

    /// Whether half as many leaves as use a position end at the last position: then no host decides where slots end.
    fn ends_sharply(&self, votes: &[u32; 256]) -> bool {
        let behind = votes.get(self.end).copied().unwrap_or(0);
        let end_here = votes[self.end - 1].saturating_sub(behind);
        2 * self.slots * end_here >= votes[..self.end].iter().sum()
    }

    /// Whether leaves with nodes at these positions end elsewhere than the slots. One may: the last of a real fat-tree.
    fn is_uneven(&self, leaves: Vec<Vec<Option<usize>>>) -> bool {
        let (mut nodes, mut between, mut all_away, mut most) = (0, 0, 0, 0);
        for leaf in &leaves {
            let before = || leaf.iter().flatten().filter(|&&at| at < self.end);
            let (count, end) = (before().count(), before().max().map_or(0, |at| at + 1));
            let away = self.end - end + leaf.len() - count;
            nodes += count;
            between += end.saturating_sub(count);
            all_away += away;
            most = most.max(away);
        }
        // If hosts are off by chance, as many are behind the last host of a leaf as before each.
        4 * (all_away - most) * nodes > leaves.len() * (nodes + 8 * between)
    }

    /// This many nodes on each leaf, at any ports.
    fn counted(slots: u32) -> Self {
        Usual {
            slots,
            counts: true,
            slot: (0..slots).map(Some).collect(),
            ..Usual::default()
        }
    }

    /// The slot of a node on the `nth` leaf, at a position and port, and whether the slot is its own. A node at an
    /// unusual position takes a slot by the number of its port alone, so it moves no other node.
    fn slot(&self, nth: usize, position: Option<usize>, port: usize) -> (u32, bool) {
        let (slot, is_own) = match position.and_then(|at| *self.slot.get(at)?) {
            Some(slot) => (slot, true),
            None => (port as u32 % self.slots.max(1), false),
        };
        let rotated = u64::from(slot) + u64::from(self.rotation) * nth as u64;
        ((rotated % u64::from(self.slots.max(1))) as u32, is_own)
    }
}
