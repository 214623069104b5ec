//! The paper's algorithms as printed, naive and literal; tests compare the engine with them.
//!
//! This module shares only the snapshot with the engine. It differs from the print in two places: a leaf
//! leaves the set X of Algorithm 2 once visited, and leaves are the switches with hosts.

use dmodc_fabric::{Fabric, NodeId, PortNumber, SwitchId};
use std::collections::BTreeMap;
use typed_index_collections::TiVec;

/// The cost of no path.
pub const INFINITY: u64 = u64::MAX;

/// A port group: the remote switch, and the ports.
pub type Group = (SwitchId, Vec<PortNumber>);

/// A value for each switch, of each switch.
type Matrix = TiVec<SwitchId, TiVec<SwitchId, u64>>;

/// The paper's results, by the paper's names.
pub struct Oracle {
    /// c: cost of a switch to a leaf.
    pub c: Matrix,
    /// The same after the upward sweep: the cost going down only.
    pub down: Matrix,
    /// Level of a switch.
    pub rank: TiVec<SwitchId, u64>,
    /// Π: divider of a switch.
    pub divider: TiVec<SwitchId, u64>,
    /// t: topological NID of a node.
    pub t: TiVec<NodeId, u64>,
    /// G: port groups of a switch.
    pub g: TiVec<SwitchId, Vec<Group>>,
}

impl Oracle {
    /// Computes everything up to the routes.
    pub fn new(fabric: &Fabric) -> Oracle {
        let switches = || fabric.switches().keys();
        let count = switches().len();
        let leaves: Vec<SwitchId> = switches()
            .filter(|&s| fabric.hosts_of(s).next().is_some())
            .collect();

        // Rank: levels by distance from the leaves.
        let mut rank: TiVec<SwitchId, u64> = vec![INFINITY; count].into();
        leaves.iter().for_each(|&l| rank[l] = 0);
        for level in 0..count as u64 {
            for s in switches().filter(|&s| rank[s] == level).collect::<Vec<_>>() {
                for other in fabric.neighbours(s) {
                    rank[other] = rank[other].min(level + 1);
                }
            }
        }

        // Port groups, sorted by UUID.
        let group = |s: SwitchId| {
            let mut groups: BTreeMap<SwitchId, Vec<PortNumber>> = BTreeMap::new();
            for (port, other, _) in fabric.links_of(s) {
                groups.entry(other).or_default().push(port);
            }
            groups.into_iter().collect()
        };
        let g: TiVec<SwitchId, Vec<Group>> = switches().map(group).collect();
        let above = |s: SwitchId| {
            let groups = g[s].iter().map(|group| group.0);
            groups.filter(|&r| rank[r] > rank[s]).collect::<Vec<_>>()
        };

        // Algorithm 1.
        let mut c: Matrix = vec![vec![INFINITY; count].into(); count].into();
        let mut divider: TiVec<SwitchId, u64> = vec![1; count].into();
        leaves.iter().for_each(|&l| c[l][l] = 0);
        let mut upwards: Vec<SwitchId> = switches().collect();
        upwards.sort_by_key(|&s| rank[s]);
        let push = |c: &mut Matrix, from: SwitchId, to: SwitchId| {
            for &l in &leaves {
                c[to][l] = c[to][l].min(c[from][l].saturating_add(1));
            }
        };
        for &s in &upwards {
            let up = above(s);
            let product = divider[s] * up.len() as u64;
            for r in up {
                push(&mut c, s, r);
                divider[r] = divider[r].max(product);
            }
        }
        let down = c.clone();
        for &s in upwards.iter().rev().filter(|s| !leaves.contains(s)) {
            for &(r, _) in g[s].iter().filter(|group| rank[group.0] < rank[s]) {
                push(&mut c, s, r);
            }
        }

        // Algorithm 2.
        let mut t: TiVec<NodeId, u64> = vec![0; fabric.end_nodes().len()].into();
        let mut next = 0;
        let mut x = leaves.clone();
        while let Some(&l) = x.first() {
            let mu = x[1..].iter().map(|&other| c[l][other]).min();
            let is_visited = |other: &SwitchId| c[l][*other] <= mu.unwrap_or(INFINITY);
            for n in (x.iter().copied().filter(is_visited)).flat_map(|s| fabric.node_ids_of(s)) {
                t[n] = next;
                next += 1;
            }
            x.retain(|other| !is_visited(other));
        }
        Oracle {
            c,
            down,
            rank,
            divider,
            t,
            g,
        }
    }

    /// Equation (1): the groups of `s` that lead closer to the leaf.
    pub fn closer(&self, s: SwitchId, leaf: SwitchId) -> Vec<&Group> {
        let is_closer = |group: &&Group| self.c[group.0][leaf] < self.c[s][leaf];
        self.g[s].iter().filter(is_closer).collect()
    }

    /// Equation (1) under the up-down guarantee: a switch that reaches the leaf going down only takes the
    /// groups below whose cost going down only is lower; any other takes the groups above of lower cost.
    pub fn closer_up_down(&self, s: SwitchId, leaf: SwitchId) -> Vec<&Group> {
        let lower = |&&(r, _): &&Group| {
            let is_above = self.rank[r] > self.rank[s];
            match self.down[s][leaf] {
                INFINITY => is_above && self.c[r][leaf] < self.c[s][leaf],
                d => !is_above && self.down[r][leaf] < d,
            }
        };
        self.g[s].iter().filter(lower).collect()
    }

    /// Equations (3) and (4): the output port of switch `s` for node `d` among the candidates; `None` without
    /// any. Where several candidates lead down, which no PGFT has, Π is 1.
    pub fn port(&self, s: SwitchId, d: NodeId, closer: &[&Group]) -> Option<PortNumber> {
        let (t, mut pi, n) = (self.t[d], self.divider[s], closer.len() as u64);
        if n > 1 && self.rank[closer[0].0] < self.rank[s] {
            pi = 1;
        }
        let (_, ports) = closer.get((t / pi).checked_rem(n)? as usize)?;
        Some(ports[(t / (pi * n) % ports.len() as u64) as usize])
    }
}
