//! The paper's algorithms as printed, naive and literal; tests compare the engine with them.
//!
//! This module shares only the snapshot with the engine. It differs from the print in two places: a leaf
//! leaves the set X of Algorithm 2 once visited, and leaves are the switches with hosts.

use dmodc_fabric::{Fabric, SwitchId};
use std::collections::BTreeMap;

/// The cost of no path.
pub const INFINITY: u64 = u64::MAX;

/// The paper's results, by the paper's names.
pub struct Oracle {
    /// c: cost of a switch to a leaf.
    pub c: Vec<BTreeMap<u32, u64>>,
    /// The same after the upward sweep: the cost going down only.
    pub down: Vec<BTreeMap<u32, u64>>,
    /// Level of a switch.
    pub rank: Vec<u64>,
    /// Π: divider of a switch.
    pub divider: Vec<u64>,
    /// t: topological NID of a node.
    pub t: Vec<u64>,
    /// G: port groups of a switch, (remote switch, ports).
    pub g: Vec<Vec<(u32, Vec<u8>)>>,
}

impl Oracle {
    /// Computes everything up to the routes.
    pub fn new(fabric: &Fabric) -> Oracle {
        let switches = fabric.switches().len() as u32;
        let leaves: Vec<u32> = (0..switches)
            .filter(|&s| fabric.hosts_of(SwitchId(s)).next().is_some())
            .collect();

        // Rank: levels by distance from the leaves.
        let mut rank = vec![INFINITY; switches as usize];
        for &l in &leaves {
            rank[l as usize] = 0;
        }
        for level in 0..u64::from(switches) {
            for s in 0..switches {
                for SwitchId(other) in fabric.neighbours(SwitchId(s)) {
                    if rank[s as usize] == level && rank[other as usize] > level + 1 {
                        rank[other as usize] = level + 1;
                    }
                }
            }
        }
        let above = |s: u32, other: u32| rank[other as usize] > rank[s as usize];

        // Port groups, sorted by UUID.
        let g: Vec<Vec<(u32, Vec<u8>)>> = (0..switches)
            .map(|s| {
                let mut groups: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
                for (port, SwitchId(other), _) in fabric.links_of(SwitchId(s)) {
                    groups.entry(other).or_default().push(port.0);
                }
                groups.into_iter().collect()
            })
            .collect();

        // Algorithm 1.
        let mut c: Vec<BTreeMap<u32, u64>> =
            vec![leaves.iter().map(|&l| (l, INFINITY)).collect(); switches as usize];
        let mut divider = vec![1u64; switches as usize];
        for &l in &leaves {
            c[l as usize].insert(l, 0);
        }
        let mut upwards: Vec<u32> = (0..switches).collect();
        upwards.sort_by_key(|&s| rank[s as usize]);
        let push = |c: &mut Vec<BTreeMap<u32, u64>>, from: u32, to: u32| {
            for &l in &leaves {
                let further = c[from as usize][&l].saturating_add(1);
                if further < c[to as usize][&l] {
                    c[to as usize].insert(l, further);
                }
            }
        };
        for &s in &upwards {
            let up: Vec<u32> = g[s as usize]
                .iter()
                .map(|&(r, _)| r)
                .filter(|&r| above(s, r))
                .collect();
            let product = divider[s as usize] * up.len() as u64;
            for r in up {
                push(&mut c, s, r);
                divider[r as usize] = divider[r as usize].max(product);
            }
        }
        let down = c.clone();
        for &s in upwards.iter().rev() {
            if leaves.contains(&s) {
                continue;
            }
            for &(r, _) in g[s as usize].iter().filter(|&&(r, _)| above(r, s)) {
                push(&mut c, s, r);
            }
        }

        // Algorithm 2.
        let mut t = vec![0; fabric.end_nodes().len()];
        let mut next = 0;
        let mut x = leaves.clone();
        while !x.is_empty() {
            let l = x[0];
            let others = x.iter().filter(|&&other| other != l);
            let mu = others
                .map(|other| c[l as usize][other])
                .min()
                .unwrap_or(INFINITY);
            let visited: Vec<u32> = x
                .iter()
                .copied()
                .filter(|other| c[l as usize][other] <= mu)
                .collect();
            for other in visited {
                for n in fabric.node_ids_of(SwitchId(other)) {
                    t[usize::from(n)] = next;
                    next += 1;
                }
                x.retain(|&still| still != other);
            }
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
    pub fn closer(&self, s: u32, leaf: u32) -> Vec<&(u32, Vec<u8>)> {
        let cost = |switch: u32| self.c[switch as usize][&leaf];
        self.g[s as usize]
            .iter()
            .filter(|(r, _)| cost(*r) < cost(s))
            .collect()
    }

    /// Equation (1) under the up-down guarantee: a switch that reaches the leaf going down only takes the
    /// groups below whose cost going down only is lower; any other takes the groups above of lower cost.
    pub fn closer_up_down(&self, s: u32, leaf: u32) -> Vec<&(u32, Vec<u8>)> {
        let (c, down) = (
            |s: u32| self.c[s as usize][&leaf],
            |s: u32| self.down[s as usize][&leaf],
        );
        let above = |r: u32| self.rank[r as usize] > self.rank[s as usize];
        let lower = |r: u32| match down(s) {
            INFINITY => above(r) && c(r) < c(s),
            d => !above(r) && down(r) < d,
        };
        self.g[s as usize]
            .iter()
            .filter(|(r, _)| lower(*r))
            .collect()
    }

    /// Equations (3) and (4): the output port of switch `s` for node `d` among the candidates; `None` without
    /// any. Where several candidates lead down, which no PGFT has, Π is 1.
    pub fn port(&self, s: u32, d: usize, closer: &[&(u32, Vec<u8>)]) -> Option<u8> {
        let (t, mut pi, n) = (self.t[d], self.divider[s as usize], closer.len() as u64);
        if n > 1 && self.rank[closer[0].0 as usize] < self.rank[s as usize] {
            pi = 1;
        }
        let (_, ports) = closer.get((t / pi).checked_rem(n)? as usize)?;
        Some(ports[(t / (pi * n) % ports.len() as u64) as usize])
    }
}
