//! OpenSM's hop tables, filled for its dumps.
//!
//! The hop count from each port of a switch to each switch LID. OpenSM reads them in its own
//! multicast (Dmodc brings its own) and in the dumps that `-D 0x40` asks for: `opensm.fdbs`,
//! which prints "HOPS UNKNOWN" without them, and `opensm-lid-matrix.dump`. So they are filled only
//! when such a dump is coming, after routing, and cost a normal sweep nothing.
//!
//! A port has a hop count if the path that starts through it is up-down: any neighbour above with
//! a finite cost, any neighbour below that reaches the destination going down only.

use super::engine::Planned;
use super::live::Subnet;
use super::objects::Switch;
use crate::fabric::{Fabric, Lid, Peer};
use crate::lft::NO_PATH;
use std::collections::VecDeque;

/// Fills the tables of all switches that are there and in the plan.
pub fn fill(subnet: &Subnet<'_>, planned: &Planned) {
    let Planned {
        fabric,
        plan,
        ranks,
        ..
    } = planned;
    let live: Vec<Option<Switch<'_>>> = fabric
        .switches()
        .iter()
        .map(|s| subnet.switch(s.guid))
        .collect();
    let mut refused = 0;
    for (to, destination) in (0u32..).zip(fabric.switches()) {
        if destination.lid == Lid(0) {
            continue;
        }
        let down = down_hops(fabric, ranks, to);
        for (from, switch) in (0u32..).zip(&live) {
            let Some(switch) = switch else { continue };
            let row = row(fabric, ranks, from, to, &down, |n| plan.hops(n, to));
            if !switch.set_hops(subnet, destination.lid, &row) {
                refused += 1;
            }
        }
    }
    if refused > 0 {
        log::error!("OpenSM has no room for {refused} rows of its hop tables; dumps lack them");
    }
}

/// Hops from each switch to `to` going down only, [`NO_PATH`] if it cannot.
fn down_hops(fabric: &Fabric, ranks: &[u32], to: u32) -> Vec<u8> {
    let mut hops = vec![NO_PATH; ranks.len()];
    hops[to as usize] = 0;
    let mut queue = VecDeque::from([to]);
    while let Some(s) = queue.pop_front() {
        for peer in fabric.peers_of(s) {
            if let Peer::Switch { index, .. } = *peer
                && is_up(ranks, s, index)
                && hops[index as usize] == NO_PATH
            {
                hops[index as usize] = (hops[s as usize] + 1).min(NO_PATH - 1);
                queue.push_back(index);
            }
        }
    }
    hops
}

/// The row of one switch for one destination: the least of all at 0, then port by port.
fn row(
    fabric: &Fabric,
    ranks: &[u32],
    from: u32,
    to: u32,
    down: &[u8],
    cost: impl Fn(u32) -> Option<u8>,
) -> Vec<u8> {
    let hops_via = |peer: &Peer| match *peer {
        Peer::Switch { index, .. } if is_up(ranks, from, index) => cost(index),
        Peer::Switch { index, .. } => Some(down[index as usize]).filter(|&d| d != NO_PATH),
        _ => None,
    };
    let ports = fabric.peers_of(from).iter();
    let mut row = vec![NO_PATH];
    row.extend(ports.map(|p| hops_via(p).map_or(NO_PATH, |h| (h + 1).min(NO_PATH - 1))));
    row[0] = match from == to {
        true => 0,
        false => row.iter().copied().min().unwrap_or(NO_PATH),
    };
    row
}

/// The total order of SPEC: (rank, UUID).
fn is_up(ranks: &[u32], from: u32, to: u32) -> bool {
    (ranks[from as usize], from) < (ranks[to as usize], to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::{Builder, Guid};

    /// Leaves 0 and 1, spines 2 and 3; leaf 1 has lost its link to spine 3.
    fn fabric() -> (Fabric, [u32; 4]) {
        let mut b = Builder::default();
        for guid in 1..=4 {
            b.switch(Guid(guid), Lid(guid as u16), 0, 3);
        }
        b.link((0, 1), (2, 1));
        b.link((0, 2), (3, 1));
        b.link((1, 1), (2, 2));
        (b.finish().0, [0, 0, 1, 1])
    }

    #[test]
    fn only_up_down_paths_have_hops() {
        let (fabric, ranks) = fabric();
        let down = down_hops(&fabric, &ranks, 1);
        assert_eq!(down, [NO_PATH, 0, 1, NO_PATH]);
        let cost = |n: u32| [Some(2), Some(0), Some(1), None][n as usize];
        let row_of = |from| row(&fabric, &ranks, from, 1, &down, cost);
        assert_eq!(row_of(0), [2, 2, NO_PATH, NO_PATH]);
        assert_eq!(row_of(2), [1, NO_PATH, 1, NO_PATH]);
        assert_eq!(row_of(3), [NO_PATH; 4]);
        assert_eq!(row_of(1)[0], 0);
    }
}
