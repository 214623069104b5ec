//! Switches and their links, with all that follows from them.

use super::switch;
use dmodc::fabric::{Fabric, NodeKind};
use std::collections::BTreeMap;

/// No path.
pub const FAR: usize = usize::MAX;

#[derive(Clone)]
pub struct Graph {
    /// Hops to the nearest leaf.
    pub rank: Vec<usize>,
    /// The ports of each switch to each neighbour; "no path" stands for a lost one.
    pub ports: Vec<BTreeMap<u32, Vec<u8>>>,
    /// Hops from a switch to another going down only, and by the up-down path that is taken.
    pub down: Vec<Vec<usize>>,
    cost: Vec<Vec<usize>>,
    /// The paper's divider, and the ways up to the top by links.
    pub divider: Vec<usize>,
    pub ways_up: Vec<usize>,
}

/// The switches that carry end nodes.
pub fn is_leaf(fabric: &Fabric, s: u32) -> bool {
    let nodes = &fabric.end_nodes()[fabric.end_nodes_of(s)];
    nodes.iter().any(|n| n.kind != NodeKind::Aggregation)
}

impl Graph {
    pub fn of(fabric: &Fabric) -> Graph {
        let switches = 0..fabric.switches().len() as u32;
        let mut ports: Vec<BTreeMap<u32, Vec<u8>>> = vec![BTreeMap::new(); switches.len()];
        for s in switches.clone() {
            for (port, peer) in (1..).zip(fabric.peers_of(s)) {
                if let Some(other) = switch(peer) {
                    ports[s as usize].entry(other).or_default().push(port);
                }
            }
        }
        let mut rank: Vec<usize> =
            (switches.map(|s| if is_leaf(fabric, s) { 0 } else { FAR })).collect();
        for level in 0..rank.len() {
            for s in 0..rank.len() {
                if rank[s] == level {
                    for &r in ports[s].keys() {
                        rank[r as usize] = rank[r as usize].min(level + 1);
                    }
                }
            }
        }
        Graph::new(rank, ports)
    }

    pub fn new(rank: Vec<usize>, ports: Vec<BTreeMap<u32, Vec<u8>>>) -> Graph {
        let n = rank.len();
        let mut graph = Graph {
            rank,
            ports,
            down: vec![vec![FAR; n]; n],
            cost: Vec::new(),
            divider: vec![1; n],
            ways_up: vec![1; n],
        };
        let mut upwards: Vec<u32> = (0..n as u32).collect();
        upwards.sort_by_key(|&s| (graph.rank[s as usize], s));
        for &s in &upwards {
            let below: Vec<u32> = graph.below(s).collect();
            for t in 0..n {
                let hops = below.iter().map(|&r| graph.down[r as usize][t]).min();
                let hops = hops.map_or(FAR, |hops| hops.saturating_add(1));
                graph.down[s as usize][t] = if s as usize == t { 0 } else { hops };
            }
            let parents: Vec<u32> = graph.parents(s).collect();
            let product = graph.divider[s as usize] * parents.len();
            for r in parents {
                let divider = &mut graph.divider[r as usize];
                *divider = product.max(*divider);
            }
        }
        graph.cost = graph.down.clone();
        for &s in upwards.iter().rev() {
            let above: Vec<u32> = graph.up(s).collect();
            for t in 0..n {
                if graph.cost[s as usize][t] == FAR {
                    let hops = above.iter().map(|&r| graph.cost[r as usize][t]).min();
                    graph.cost[s as usize][t] = hops.map_or(FAR, |hops| hops.saturating_add(1));
                }
            }
            let ways = |r: u32| graph.ports[s as usize][&r].len() * graph.ways_up[r as usize];
            graph.ways_up[s as usize] = graph.parents(s).map(ways).sum::<usize>().max(1);
        }
        graph
    }

    /// Neighbours above, by rank and then by GUID.
    pub fn up(&self, s: u32) -> impl Iterator<Item = u32> {
        let key = |s: u32| (self.rank[s as usize], s);
        let neighbours = self.ports[s as usize].keys().copied();
        neighbours.filter(move |&r| key(r) > key(s))
    }

    pub fn below(&self, s: u32) -> impl Iterator<Item = u32> {
        let key = |s: u32| (self.rank[s as usize], s);
        let neighbours = self.ports[s as usize].keys().copied();
        neighbours.filter(move |&r| key(r) < key(s))
    }

    /// Neighbours of higher rank.
    pub fn parents(&self, s: u32) -> impl Iterator<Item = u32> {
        self.up(s)
            .filter(move |&r| self.rank[r as usize] > self.rank[s as usize])
    }

    pub fn hops(&self, from: u32, to: u32) -> usize {
        self.cost[from as usize][to as usize]
    }

    /// Equation (1) for a switch that goes up.
    pub fn nearer_above(&self, s: u32, to: u32) -> Vec<u32> {
        let least = self.up(s).map(|r| self.hops(r, to)).min().unwrap_or(FAR);
        let nearer = self
            .up(s)
            .filter(|&r| least != FAR && self.hops(r, to) == least);
        nearer.collect()
    }

    /// Equation (1) for a switch that goes down.
    pub fn nearer_below(&self, s: u32, to: u32) -> Vec<u32> {
        let hops = self.down[s as usize][to as usize];
        let nearer = self
            .below(s)
            .filter(|&r| self.down[r as usize][to as usize] < hops);
        nearer.collect()
    }
}
