//! Ways between switches that have no up-down path, for OpenSM's `connect_roots`.
//!
//! Two switches at the top of a tree share no switch above them. Up-down routing leaves them apart;
//! `connect_roots` asks to connect them all the same, in violation of the up-down rule and so of
//! the guarantee against credit loops. So only the LIDs of switches are reached that way, as with
//! ftree (`fabric_route_roots`), and never those of end nodes.
//!
//! A switch without an up-down path hands over to the neighbour nearest to one that has it. The
//! distance falls with every hop, so no route loops.

use super::cost::{Costs, HOPS, INFINITE};
use super::groups::{Group, Groups};

/// Distances over any links, for destinations that some switch has no up-down path to.
#[derive(Clone, Debug, Default)]
pub struct Detours {
    /// Per column: nothing where it is not needed, else hops by switch.
    hops: Vec<Vec<u8>>,
}

impl Detours {
    /// No detours: the up-down rule is kept.
    pub fn none() -> Self {
        Self::default()
    }

    /// Detours to every switch that is not a leaf.
    pub fn new(groups: &Groups, costs: &Costs) -> Self {
        let switches = groups.bottom_up().len();
        let mut detours = Detours {
            hops: vec![Vec::new(); switches],
        };
        for column in costs.leaves()..switches {
            let to = costs.switch(column);
            let hops: Vec<u8> = (0..switches as u32)
                .map(|from| match costs.byte(from, to) {
                    INFINITE => INFINITE,
                    byte => byte & HOPS,
                })
                .collect();
            if hops.contains(&INFINITE) {
                detours.hops[column] = spread(groups, hops);
            }
        }
        detours
    }

    /// The columns that have detours.
    pub fn columns(&self) -> impl Iterator<Item = usize> {
        (0..self.hops.len()).filter(|&column| !self.hops[column].is_empty())
    }

    /// The groups of `switch` that lead nearer to the switch of a column, in ascending UUID.
    pub fn candidates(&self, groups: &Groups, switch: u32, column: usize) -> Vec<Group> {
        let hops = &self.hops[column];
        let nearer = move |g: &&Group| hops[g.remote as usize] < hops[switch as usize];
        let mut found: Vec<Group> = groups
            .down(switch)
            .iter()
            .chain(groups.up(switch))
            .filter(nearer)
            .copied()
            .collect();
        found.sort_unstable_by_key(|g| g.remote);
        found
    }
}

/// Spreads known distances to the switches that have none, nearest first.
fn spread(groups: &Groups, mut hops: Vec<u8>) -> Vec<u8> {
    for distance in 0..INFINITE - 1 {
        let mut reached = false;
        for s in 0..hops.len() {
            if hops[s] != distance {
                continue;
            }
            reached = true;
            for g in groups.down(s as u32).iter().chain(groups.up(s as u32)) {
                let to = &mut hops[g.remote as usize];
                if *to == INFINITE {
                    *to = distance + 1;
                }
            }
        }
        if !reached && !hops.iter().any(|&h| h > distance && h != INFINITE) {
            break;
        }
    }
    hops
}
