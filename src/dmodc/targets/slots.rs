//! Slots: the places for end nodes on each leaf.
//!
//! The paper counts the nodes that a leaf has, so a host that goes moves the NIDs of all that come after it. Under
//! `faults=stable` a leaf has as many *slots* as leaves usually carry nodes, whether a node answers there or not: a
//! host that goes leaves a hole, and finds it when it is back.
//!
//! A *position* is the place of a port among those that are no uplinks. All leaves vote on positions:
//! - The slots end where the votes fall most behind all that half of the leaves use, since hosts fill leaves up to some
//!   port. What lies beyond shares a slot, so the first host at a new port moves nobody.
//! - Between the ends every position has a slot, so hosts that are off leave holes. If a third of the positions
//!   or more are dark on all leaves, they are dark by design and have none.
//! - Every position has a slot if one host could decide where the slots end: among many leaves if the votes fall step
//!   by step and not at an end; among few if uplinks are at different ports, or if leaves end at different positions:
//!   their last ones are dark, and those between hosts are not.
//! - Leaves that are equally full count off their nodes, if these are at different ports (cables at random) or many ports
//!   between are dark.
//! - Hosts that only a reference has vote, too, so that numbers stay; but not at positions where hardly any of them is
//!   there: a file of a half-filled room does not bend the routes of the other half.
//! - Where leaves are filled unequally, numbers within a leaf turn with the place of the leaf. Low positions would else
//!   be crowded everywhere.
//!
//! On a whole PGFT slots are the counts of the paper. That, regular halves of it at their best, and hosts that move
//! nobody, cannot be had together: a half is the whole fabric with hosts that are off.

use super::node_types::{NodeType, NodeTypes};
use crate::dmodc::design::{Design, most_common};
use crate::dmodc::numbers::golden_step;
use crate::dmodc::options::Faults;
use crate::fabric::{EndNode, Fabric, Lid, NodeKind, range_of};
use std::collections::BTreeMap;

/// The slots for nodes of one type.
pub struct Slots {
    /// How many slots each leaf has.
    pub count: Vec<u32>,
    /// By end node: its slot on its leaf, and whether the slot is its own: nodes at unusual ports share one. `None` if
    /// the node is not on a leaf, or of another type.
    pub of_node: Vec<Option<(u32, bool)>>,
    /// The same of absent nodes.
    pub of_absent: Vec<Option<(u32, bool)>>,
    /// How many numbers a dead leaf keeps free.
    pub gone: usize,
}

/// A position is usual if it has at least one of this many votes of the position with most.
const USUAL: u32 = 4;
/// Positions are dark by design if at least one in this many is.
const DARK: usize = 3;
/// Hosts at a position are off for good if many are known there, and fewer than one in this many is present.
const OFF: u32 = 4;
/// The cables of a leaf are like those of the others if this many of four uplinks are at their ports.
const AGREE: usize = 3;
/// Leaves are equally full if at most one in this many is not.
const OTHERS: usize = 8;
/// With at least this many leaves, one host does not decide how they are filled.
const MANY: u32 = 16;
/// Leaves are filled unequally if one half of the positions has so many votes for four of the other half.
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
        // Hosts that a reference has where hardly one is there are off for good, and do not vote.
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
                false => !positions.are_told || usual.is_uneven(filled()),
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

/// The positions of ports among those of a leaf that are no uplinks; `None` at an uplink.
struct Positions {
    /// By switch and port.
    of_port: Vec<Vec<Option<u8>>>,
    /// The most positions that a leaf has.
    most: usize,
    /// Whether most leaves have uplinks at the same ports.
    are_told: bool,
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
            // Where cables are at random, some ports are uplinks of half of the leaves by chance.
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
            are_told: usual.values().flatten().any(|&is_uplink| is_uplink),
        };
        for leaf in design.ranking.leaves() {
            let ports = fabric.switches()[leaf as usize].ports;
            let usual = &usual[&ports];
            let own = || uplinks(fabric, leaf);
            let agree = 4 * own().filter(|&port| usual[port]).count() >= AGREE * own().count();
            let mut is_uplink = *usual;
            if !agree {
                // The cables of this leaf are not as those of the others.
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

/// In how many ways most leaves send up, over as many levels as have at most so many.
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

/// How far so many numbers turn from one leaf to the next.
fn turn(slots: u32) -> u32 {
    match slots {
        0..=2 => 0,
        _ => golden_step(slots.into()) as u32,
    }
}

/// The usual positions.
#[derive(Default)]
struct Usual {
    slots: u32,
    /// Behind the last one.
    end: usize,
    /// Nodes are counted off on each leaf, and a position is a count.
    counts: bool,
    /// By position.
    slot: Vec<Option<u32>>,
    /// How far numbers turn from one leaf to the next.
    turn: u32,
}

impl Usual {
    /// Takes the votes of leaves, many or few.
    fn new(votes: &[u32; 256], is_many: bool) -> Self {
        let most = votes.iter().copied().max().unwrap_or(0);
        let mut usual = Usual::default();
        if most == 0 {
            return usual;
        }
        // The steepest fall, the last of several, and the steepest rise before it: the ends of all, not of a hole amid
        // ports that half of the leaves use.
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
            usual.turn = turn(usual.slots);
        }
        usual.end = last + 1;
        usual
    }

    /// A slot for each of so many positions. Nodes are at the first ones, so where leaves are many, their first numbers
    /// go round the ways up evenly.
    fn all(positions: usize, ways: Option<u64>) -> Self {
        let positions = positions as u32;
        let (slots, turn) = match ways {
            Some(ways) => {
                let step = golden_step(ways);
                let is_even =
                    |&slots: &u32| [step, ways - step].contains(&(u64::from(slots) % ways));
                ((positions..).find(is_even).unwrap_or(positions), 0)
            }
            None => (positions, turn(positions)),
        };
        Usual {
            slots,
            slot: (0..slots).map(Some).collect(),
            turn,
            ..Usual::default()
        }
    }

    /// Whether half as many leaves as use a position end at the last one: no host decides then where the slots end.
    fn ends_sharply(&self, votes: &[u32; 256]) -> bool {
        let behind = votes.get(self.end).copied().unwrap_or(0);
        let end_here = votes[self.end - 1].saturating_sub(behind);
        2 * self.slots * end_here >= votes[..self.end].iter().sum()
    }

    /// Whether leaves with nodes at these positions end elsewhere: one, the last of a real-life fat-tree, may.
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
        // Where hosts are off by chance, as many are behind the last one of a leaf as before each.
        4 * (all_away - most) * nodes > leaves.len() * (nodes + 8 * between)
    }

    /// So many nodes on each leaf, at any ports.
    fn counted(slots: u32) -> Self {
        Usual {
            slots,
            counts: true,
            slot: (0..slots).map(Some).collect(),
            ..Usual::default()
        }
    }

    /// The slot of a node on the `nth` leaf, at a position and port, and whether it is its own. A node
    /// elsewhere takes one by the number of the port alone, so that nobody else's moves.
    fn slot(&self, nth: usize, position: Option<usize>, port: usize) -> (u32, bool) {
        let (slot, is_own) = match position.and_then(|at| *self.slot.get(at)?) {
            Some(slot) => (slot, true),
            None => (port as u32 % self.slots.max(1), false),
        };
        let turned = u64::from(slot) + u64::from(self.turn) * nth as u64;
        ((turned % u64::from(self.slots.max(1))) as u32, is_own)
    }
}
