//! Separates entries that a change of the fabric *forces* to change from those that change needlessly.
//!
//! An entry can stay while its port has a link that leads nearer by equation (1) of the paper (under the
//! up-down guarantee) on the new fabric. So after a fault each changed entry is one of
//! - *own*: its LID came, went, or is at another port now;
//! - *forced*: the old port does not lead nearer any more, or there was none;
//! - *needless*: the old port would still do.
//!
//! A subnet manager sends blocks of 64 LIDs. The reason of a block is the first of these three among its
//! changed entries, so needless blocks are those sent for needless changes alone. Switches that only one of
//! the fabrics has do not count.

use dmodc::fabric::{Fabric, Guid, Lid, Peer, lid_range};
use dmodc::lft::Tables;
use dmodc::netlist::generate::{Order, Pgft, build};
use std::collections::{HashMap, HashSet};
use std::ops::Add;

/// A number of entries, and of blocks of 64 LIDs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    pub entries: usize,
    pub blocks: usize,
}

impl Add for Count {
    type Output = Count;

    fn add(self, other: Count) -> Count {
        Count {
            entries: self.entries + other.entries,
            blocks: self.blocks + other.blocks,
        }
    }
}

/// The changed entries by their reason.
#[derive(Clone, Copy, Debug, Default)]
pub struct Forced {
    pub own: Count,
    pub forced: Count,
    pub needless: Count,
}

impl Forced {
    pub fn changed(&self) -> Count {
        self.own + self.forced + self.needless
    }

    fn of(&mut self, reason: Reason) -> &mut Count {
        match reason {
            Reason::Own => &mut self.own,
            Reason::Forced => &mut self.forced,
            Reason::Needless => &mut self.needless,
        }
    }
}

/// Why an entry changed, the weightiest reason first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reason {
    Own,
    Forced,
    Needless,
}

pub type Routed<'r> = (&'r Fabric, &'r Tables);

/// Compares the tables before and after a change of the fabric. `is_up(a, b)` tells whether the links from
/// switch `a` to its neighbour `b` go up in the new fabric.
pub fn forced(before: Routed, after: Routed, is_up: impl Fn(u32, u32) -> bool) -> Forced {
    let (old_fabric, new_fabric) = (before.0, after.0);
    let switches = new_fabric.switches().len() as u32;
    // Per switch of the fabric after: its number in the one before.
    let was: Vec<Option<u32>> = (new_fabric.switches().iter())
        .map(|switch| old_fabric.switch_by_guid(switch.guid))
        .collect();
    let (old_places, new_places) = (places(old_fabric), places(new_fabric));
    let mut changed: Vec<(u32, Lid, Reason)> = Vec::new();
    let moved = |lid: &Lid| old_places.get(lid) != new_places.get(lid);
    let lids = new_places.keys().chain(old_places.keys()).copied();
    for lid in lids.filter(moved).collect::<HashSet<Lid>>() {
        for (s, was) in (0..).zip(&was) {
            let Some(was) = *was else { continue };
            if before.1.get(was, lid) != after.1.get(s, lid) {
                changed.push((s, lid, Reason::Own));
            }
        }
    }
    let mut behind = vec![Vec::new(); switches as usize];
    for (&lid, &(guid, port)) in new_places.iter().filter(|(lid, _)| !moved(lid)) {
        if let Some(switch) = new_fabric.switch_by_guid(guid) {
            behind[switch as usize].push((lid, port));
        }
    }
    let links = Oriented::new(new_fabric, is_up);
    for (target, lids) in (0..).zip(&behind) {
        let costs = links.costs(target);
        for (s, was) in (0..).zip(&was) {
            let Some(was) = *was else { continue };
            for &(lid, port) in lids {
                let old = before.1.get(was, lid);
                if old == after.1.get(s, lid) {
                    continue;
                }
                let stands = match s == target {
                    true => old == port,
                    false => links.leads_nearer(&costs, s, new_fabric.peer(s, old)),
                };
                let reason = match stands {
                    true => Reason::Needless,
                    false => Reason::Forced,
                };
                changed.push((s, lid, reason));
            }
        }
    }
    count(&changed)
}

/// Counts entries by their reason, and blocks by their weightiest one.
fn count(changed: &[(u32, Lid, Reason)]) -> Forced {
    let mut found = Forced::default();
    let mut blocks: HashMap<(u32, usize), Reason> = HashMap::new();
    for &(switch, lid, reason) in changed {
        found.of(reason).entries += 1;
        let of_block = blocks.entry((switch, lid.index() / 64));
        let of_block = of_block.or_insert(reason);
        *of_block = reason.min(*of_block);
    }
    for reason in blocks.into_values() {
        found.of(reason).blocks += 1;
    }
    found
}

/// The port of each LID: the GUID of the switch, and the port there, 0 for the switch itself.
fn places(fabric: &Fabric) -> HashMap<Lid, (Guid, u8)> {
    let guid = |s: u32| fabric.switches()[s as usize].guid;
    let nodes = fabric.end_nodes().iter();
    let nodes = nodes.map(|n| (n.lid, n.lmc, guid(n.switch), n.port));
    let switches = fabric.switches().iter().map(|s| (s.lid, s.lmc, s.guid, 0));
    let lids = nodes.chain(switches).flat_map(|(lid, lmc, guid, port)| {
        let lids = lid_range(lid, lmc).into_iter().flatten();
        lids.map(move |lid| (Lid(lid), (guid, port)))
    });
    lids.collect()
}

/// The neighbours above and below each switch, once per link.
struct Oriented {
    above: Vec<Vec<u32>>,
    below: Vec<Vec<u32>>,
}

/// Hops to a switch: going down only, and by the up-down path taken.
struct Hops {
    down: Vec<Option<u16>>,
    taken: Vec<Option<u16>>,
}

impl Oriented {
    fn new(fabric: &Fabric, is_up: impl Fn(u32, u32) -> bool) -> Oriented {
        let switches = 0..fabric.switches().len() as u32;
        let (mut above, mut below) = (Vec::new(), Vec::new());
        for s in switches {
            let (up, down) = fabric.neighbours(s).partition(|&r| is_up(s, r));
            above.push(up);
            below.push(down);
        }
        Oriented { above, below }
    }

    /// A switch that can go down only, does; any other goes up, by the least hops above it.
    fn costs(&self, target: u32) -> Hops {
        let mut down = vec![None; self.above.len()];
        down[target as usize] = Some(0);
        let mut reached = vec![target];
        let mut next = 0;
        while let Some(&s) = reached.get(next) {
            next += 1;
            for &above in &self.above[s as usize] {
                if down[above as usize].is_none() {
                    down[above as usize] = down[s as usize].map(|hops: u16| hops + 1);
                    reached.push(above);
                }
            }
        }
        let mut taken = down.clone();
        // Nearest first; what is found on the way is one further than what finds it.
        let mut at_distance: Vec<Vec<u32>> = vec![Vec::new(); self.above.len() + 1];
        for &s in &reached {
            at_distance[usize::from(down[s as usize].unwrap_or(0))].push(s);
        }
        for distance in 0..self.above.len() {
            for s in std::mem::take(&mut at_distance[distance]) {
                for &below in &self.below[s as usize] {
                    if taken[below as usize].is_none() {
                        taken[below as usize] = Some(distance as u16 + 1);
                        at_distance[distance + 1].push(below);
                    }
                }
            }
        }
        Hops { down, taken }
    }

    /// Equation (1): whether a switch may send packets for the target of these costs to a neighbour.
    fn leads_nearer(&self, hops: &Hops, switch: u32, peer: Peer) -> bool {
        let Peer::Switch { index, .. } = peer else {
            return false;
        };
        let (here, there) = (switch as usize, index as usize);
        match (hops.down[here], hops.taken[here]) {
            (Some(down), _) => {
                let below = self.below[here].contains(&index);
                below && hops.down[there].is_some_and(|hops| hops < down)
            }
            (None, Some(taken)) => {
                let above = self.above[here].contains(&index);
                above && hops.taken[there].is_some_and(|hops| hops < taken)
            }
            (None, None) => false,
        }
    }
}

/// Leaf 0 sends one LID of leaf 1 up by port 3, and no longer by port 2.
#[test]
fn reasons_by_hand() {
    let shape: Pgft = "PGFT(2;1,2;1,2;1,1)".parse().expect("a shape");
    let netlist = build(&shape.into(), Order::default());
    let (fabric, _) = netlist.to_fabric(None).expect("LIDs");
    let (gone, _) = netlist.without_nodes(&[5]).to_fabric(None).expect("LIDs");
    let lid = fabric.end_nodes()[1].lid;
    let by_port = |port| {
        let mut tables = Tables::for_fabric(&fabric);
        tables.row_mut(0)[lid.index()] = port;
        tables
    };
    let reasons = |after: &Fabric| {
        let (before, now) = (by_port(2), by_port(3));
        let found = forced((&fabric, &before), (after, &now), |a, b| a < b);
        [found.own, found.forced, found.needless].map(|count| (count.entries, count.blocks))
    };
    assert_eq!(reasons(&fabric), [(0, 0), (0, 0), (1, 1)]);
    let less = fabric.without(&[(0, 2), (2, 1)]);
    assert_eq!(reasons(&less), [(0, 0), (1, 1), (0, 0)]);
    assert_eq!(reasons(&gone), [(1, 1), (0, 0), (0, 0)]);
}
