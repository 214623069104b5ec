//! The routes between end nodes, in a layout that is fast to follow.
//!
//! Tables are stored by switch, but a route keeps its LID and changes the switch at each hop, so in the tables every
//! hop is a cache miss. Here the entries of one destination are together. If a route does not arrive, its first entry
//! is [`NO_PATH`] already: a caller follows a route to its end or does not begin it.
//!
//! The nodes are the end nodes of a given order, except aggregation nodes, which send nothing themselves. Of an end
//! node with several LIDs the base LID counts.

use super::Tick;
use super::channels::{ChannelId, Channels};
use super::walk::{Fate, Target, Walker};
use dmodc_fabric::{Fabric, NO_PATH, NodeId, NodeKind, PortNumber, SwitchId, Tables};
use rayon::prelude::*;
use typed_index_collections::{TiSlice, TiVec};

/// The routes between the end nodes of an order: a byte for each node and switch.
pub struct Traffic {
    channels: Channels,
    /// The nodes in the given order.
    nodes: Vec<NodeId>,
    /// The switch of each node, by position in the order.
    pub(super) switch: Vec<SwitchId>,
    /// The number of nodes at each switch.
    pub(super) weight: TiVec<SwitchId, u32>,
    /// The switches with nodes, in ascending order.
    pub(super) leaves: Vec<SwitchId>,
    /// The capacity of each node's link, as a part of the fastest link between switches, by position; 1 if either is
    /// unknown.
    pub(super) capacity: Vec<f64>,
    /// By position of the destination, then switch: the next port.
    ports: Vec<u8>,
}

/// Destinations per batch of columns: a cache line of the tables.
const BLOCK: usize = 64;

impl Traffic {
    /// Lays out the routes between the end nodes of `order`, each at most once.
    pub fn new(fabric: &Fabric, tables: &Tables, order: &[NodeId]) -> Traffic {
        let channels = Channels::new(fabric);
        let all = fabric.end_nodes();
        let takes_part = |&node: &NodeId| all[node].kind != NodeKind::Aggregation;
        let nodes: Vec<NodeId> = order.iter().copied().filter(takes_part).collect();
        let switch: Vec<SwitchId> = nodes.iter().map(|&n| all[n].switch).collect();
        let switches = channels.switches();
        let mut weight: TiVec<SwitchId, u32> = vec![0; switches].into();
        switch.iter().for_each(|&s| weight[s] += 1);
        let leaves = weight.keys().filter(|&s| weight[s] > 0).collect();
        let fastest = channels.iter().map(|c| fabric.speed(c.from, c.port)).max();
        let capacity = nodes.iter().map(|&n| {
            let node = &all[n];
            match (fabric.speed(node.switch, node.port), fastest) {
                (own @ 1.., Some(fastest @ 1..)) => f64::from(own) / f64::from(fastest),
                _ => 1.0,
            }
        });
        let capacity = capacity.collect();
        let mut ports = vec![NO_PATH; nodes.len() * switches];
        let columns = ports.par_chunks_mut((BLOCK * switches).max(1));
        let blocks = columns.zip(nodes.par_chunks(BLOCK));
        blocks.for_each_init(
            || Walker::new(switches, tables),
            |walker, (columns, nodes)| {
                for s in fabric.switches().keys() {
                    for (k, &node) in nodes.iter().enumerate() {
                        columns[k * switches + usize::from(s)] = tables.get(s, all[node].lid);
                    }
                }
                for (column, &node) in columns.chunks_mut(switches).zip(nodes) {
                    let column: &mut TiSlice<SwitchId, u8> = column.as_mut();
                    let node = &all[node];
                    let target = Target {
                        switch: node.switch,
                        port: node.port,
                    };
                    walker.follow(&channels, column, target);
                    for (s, port) in column.iter_mut_enumerated() {
                        if walker.fate[s] != Fate::Delivered {
                            *port = NO_PATH;
                        }
                    }
                }
            },
        );
        Traffic {
            channels,
            nodes,
            switch,
            weight,
            leaves,
            capacity,
            ports,
        }
    }

    /// The channels, which index the loads.
    pub fn channels(&self) -> &Channels {
        &self.channels
    }

    /// The nodes, in the given order.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// By switch: the next port to the node at position `to`.
    #[inline]
    fn ports_to(&self, to: usize) -> &TiSlice<SwitchId, u8> {
        let switches = self.channels.switches();
        self.ports[to * switches..][..switches].as_ref()
    }

    /// Whether the route from a switch to the node at position `to` arrives.
    pub(super) fn arrives(&self, from: SwitchId, to: usize) -> bool {
        self.ports_to(to)[from] != NO_PATH
    }

    /// Calls `visit` with each channel of the route from a switch to the node at position `to`; not at all if
    /// the route does not arrive.
    #[inline]
    pub(super) fn follow(&self, from: SwitchId, to: usize, mut visit: impl FnMut(ChannelId)) {
        let end = self.switch[to];
        let ports = self.ports_to(to);
        let mut at = from;
        while at != end {
            let Some((channel, to)) = self.channels.hop(at, PortNumber(ports[at])) else {
                return;
            };
            visit(channel);
            at = to;
        }
    }

    /// Visits each channel of each route from a leaf to a node: `visit` gets the channel, the number of the leaf among
    /// the leaves, and the node's position. Each thread takes some of the nodes and begins with `start`; `join` merges
    /// two results. Ticks once per node.
    pub(super) fn over_routes<T: Clone + Send + Sync>(
        &self,
        start: T,
        visit: impl Fn(&mut T, ChannelId, usize, usize) + Sync,
        join: impl Fn(T, T) -> T + Sync + Send,
        tick: Tick,
    ) -> T {
        let nodes: Vec<usize> = (0..self.nodes.len()).collect();
        let share = nodes.len().div_ceil(rayon::current_num_threads()).max(1);
        let found = nodes.par_chunks(share).map(|destinations| {
            let mut found = start.clone();
            for &to in destinations {
                for (number, &leaf) in self.leaves.iter().enumerate() {
                    self.follow(leaf, to, |channel| visit(&mut found, channel, number, to));
                }
                tick(1);
            }
            found
        });
        found.reduce_with(join).unwrap_or_else(|| start.clone())
    }

    /// The routes from leaves to nodes over each channel, each counted as often as `weight` says of its leaf.
    pub(super) fn counted_routes(
        &self,
        weight: impl Fn(SwitchId) -> u32 + Sync,
    ) -> TiVec<ChannelId, u64> {
        self.over_routes(
            self.channels.each(0),
            |routes, c, leaf, _| routes[c] += u64::from(weight(self.leaves[leaf])),
            |one, other| elementwise(one, other, |a, b| *a += b),
            &|_| (),
        )
    }

    /// The nodes that no other node reaches.
    pub fn unreached(&self) -> Vec<NodeId> {
        let reached = |&to: &usize| {
            let others = |s: SwitchId| self.weight[s] - u32::from(s == self.switch[to]);
            let mut leaves = self.leaves.iter();
            leaves.any(|&s| others(s) > 0 && self.arrives(s, to))
        };
        let positions = (0..self.nodes.len()).into_par_iter();
        let unreached = positions.filter(|to| !reached(to));
        unreached.map(|to| self.nodes[to]).collect()
    }

    /// Number of ordered pairs of different nodes whose route does not arrive: no pattern counts them.
    pub fn skipped(&self) -> u64 {
        let to = |to: usize| {
            let lost = self.leaves.iter().filter(|&&s| !self.arrives(s, to));
            let itself = u64::from(!self.arrives(self.switch[to], to));
            lost.map(|&s| u64::from(self.weight[s])).sum::<u64>() - itself
        };
        (0..self.nodes.len()).into_par_iter().map(to).sum()
    }
}

/// Joins two lists element by element.
pub(super) fn elementwise<L, T>(mut one: L, other: L, join: impl Fn(&mut T, T)) -> L
where
    L: IntoIterator<Item = T>,
    for<'a> &'a mut L: IntoIterator<Item = &'a mut T>,
{
    for (one, other) in (&mut one).into_iter().zip(other) {
        join(one, other);
    }
    one
}

/// The greater of the two elements at each index of two lists.
pub(super) fn greatest<T: Ord>(
    one: TiVec<ChannelId, T>,
    other: TiVec<ChannelId, T>,
) -> TiVec<ChannelId, T> {
    elementwise(one, other, |one, other| {
        if other > *one {
            *one = other;
        }
    })
}
