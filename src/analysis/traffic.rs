//! The routes between end nodes, laid out for following many of them.
//!
//! Tables are stored by switch, but a route keeps its LID and changes the switch at each hop: in
//! the tables themselves every hop is a cache miss. Here the entries of one destination lie
//! together, and an entry that leads nowhere is [`NO_PATH`] at the first switch already, so that a
//! route is either followed to its end or not begun.
//!
//! The nodes that take part are those of a given order, aggregation nodes left out, since they
//! send nothing of their own. Of an end node with several LIDs the base LID is meant.

use super::channels::{Channels, Hop};
use super::walk::{Fate, Target, Walker};
use crate::fabric::{Fabric, NodeKind};
use crate::lft::{NO_PATH, Tables};
use rayon::prelude::*;

/// The routes between the end nodes of an order.
pub struct Traffic {
    channels: Channels,
    /// The nodes that take part (indices into the fabric's end nodes), in the given order.
    nodes: Vec<u32>,
    /// The switch of each, by place in the order.
    switch: Vec<u32>,
    /// By place of the destination, then switch: the next port.
    ports: Vec<u8>,
}

/// Destinations whose columns are gathered together: a cache line of the tables.
const BLOCK: usize = 64;

impl Traffic {
    /// Lays out the routes between the end nodes of `order` (indices into
    /// [`Fabric::end_nodes`], each at most once).
    pub fn new(fabric: &Fabric, tables: &Tables, order: &[u32]) -> Traffic {
        let channels = Channels::new(fabric);
        let all = fabric.end_nodes();
        let takes_part = |&node: &u32| all[node as usize].kind != NodeKind::Aggregation;
        let nodes: Vec<u32> = order.iter().copied().filter(takes_part).collect();
        let switch = nodes.iter().map(|&n| all[n as usize].switch).collect();
        let switches = channels.switches();
        let mut ports = vec![NO_PATH; nodes.len() * switches];
        let blocks = ports
            .par_chunks_mut((BLOCK * switches).max(1))
            .zip(nodes.par_chunks(BLOCK));
        blocks.for_each_init(
            || Walker::new(switches),
            |walker, (columns, nodes)| {
                for s in 0..switches {
                    for (k, &node) in nodes.iter().enumerate() {
                        columns[k * switches + s] = tables.get(s as u32, all[node as usize].lid);
                    }
                }
                for (column, &node) in columns.chunks_mut(switches).zip(nodes) {
                    let node = &all[node as usize];
                    let target = Target {
                        switch: node.switch,
                        port: node.port,
                    };
                    walker.follow(&channels, column, target);
                    for (s, port) in (0..).zip(column) {
                        if walker.fate(s) != Fate::Delivered {
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
            ports,
        }
    }

    /// The channels by whose numbers loads are reported.
    pub fn channels(&self) -> &Channels {
        &self.channels
    }

    /// The end nodes that take part, in the given order.
    pub fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    /// The switch of the node at a place of the order.
    pub(super) fn switch(&self, place: usize) -> u32 {
        self.switch[place]
    }

    /// Whether the route from a switch to the node at place `to` arrives.
    pub(super) fn arrives(&self, from: u32, to: usize) -> bool {
        self.ports[to * self.channels.switches() + from as usize] != NO_PATH
    }

    /// Calls `visit` with each channel of the route from a switch to the node at place `to`; with
    /// none if the route does not arrive.
    #[inline]
    pub(super) fn follow(&self, from: u32, to: usize, mut visit: impl FnMut(u32)) {
        let end = self.switch[to];
        let switches = self.channels.switches();
        let ports = &self.ports[to * switches..][..switches];
        let mut at = from;
        while at != end {
            let Hop::Switch { channel, to } = self.channels.hop(at, ports[at as usize]) else {
                return;
            };
            visit(channel);
            at = to;
        }
    }

    /// Ordered pairs of different nodes whose route does not arrive: no pattern counts them.
    pub fn skipped(&self) -> u64 {
        let mut weight = vec![0u64; self.channels.switches()];
        self.switch.iter().for_each(|&s| weight[s as usize] += 1);
        let sources: Vec<u32> = (0..weight.len() as u32)
            .filter(|&s| weight[s as usize] > 0)
            .collect();
        let to = |to: usize| {
            let lost = sources.iter().filter(|&&s| !self.arrives(s, to));
            let itself = u64::from(!self.arrives(self.switch[to], to));
            lost.map(|&s| weight[s as usize]).sum::<u64>() - itself
        };
        (0..self.nodes.len()).into_par_iter().map(to).sum()
    }
}
