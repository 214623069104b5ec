//! Pairs of senders and receivers by kind: hosts, aggregation nodes, switches.
//!
//! A pair of a switch and a LID stands for as many pairs as there are senders on the switch: its end nodes
//! and its own port 0. All tools count and name pairs by this module.

use super::ids::{Lid, NodeId, SwitchId};
use super::snapshot::{Fabric, NodeKind};
use std::collections::BTreeMap;
use std::fmt;

/// The most findings of a kind that are kept.
pub const FIRST: usize = 10;

/// Inserts an item into a sorted list of the [`FIRST`] lowest items, each once.
pub fn keep_first<T: Ord>(first: &mut Vec<T>, item: T) {
    if first.len() == FIRST && first[FIRST - 1] < item {
        return;
    }
    let at = first.partition_point(|known| *known < item);
    if first.get(at) != Some(&item) {
        first.insert(at, item);
        first.truncate(FIRST);
    }
}

/// The number of occurrences of each item.
pub fn counted<T: Ord>(items: impl IntoIterator<Item = T>) -> BTreeMap<T, usize> {
    let mut counts = BTreeMap::new();
    for item in items {
        *counts.entry(item).or_default() += 1;
    }
    counts
}

/// The items of each key, in their order.
pub fn grouped<K: Ord, V>(items: impl IntoIterator<Item = (K, V)>) -> BTreeMap<K, Vec<V>> {
    let mut groups: BTreeMap<K, Vec<V>> = BTreeMap::new();
    for (key, item) in items {
        groups.entry(key).or_default().push(item);
    }
    groups
}

/// A sender or receiver.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Endpoint {
    /// A CA or router port, by index.
    Host(NodeId),
    /// An aggregation node, by index.
    AggregationNode(NodeId),
    /// Port 0 of a switch, by index.
    Switch(SwitchId),
}

/// The kinds in words.
const WORDS: [&str; 3] = ["host", "aggregation node", "switch"];

impl Endpoint {
    /// An end node of a fabric.
    pub fn of_node(fabric: &Fabric, node: NodeId) -> Endpoint {
        match fabric.end_nodes()[node].kind {
            NodeKind::Aggregation => Endpoint::AggregationNode(node),
            NodeKind::Ca | NodeKind::Router => Endpoint::Host(node),
        }
    }

    /// Its kind in a word or two.
    pub fn word(self) -> &'static str {
        WORDS[self.kind()]
    }

    fn kind(self) -> usize {
        match self {
            Endpoint::Host(_) => 0,
            Endpoint::AggregationNode(_) => 1,
            Endpoint::Switch(_) => 2,
        }
    }
}

/// Counted pairs, and the first of them: hosts before others.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EndPairs {
    /// By kind of sender and receiver.
    counts: [[u64; 3]; 3],
    /// In order; of the senders of one kind on a switch, only the first.
    first: Vec<(usize, Endpoint, Endpoint)>,
}

impl EndPairs {
    /// Adds the pairs of all senders on a switch with this many LIDs of one receiver.
    pub fn add(&mut self, fabric: &Fabric, switch: SwitchId, to: Endpoint, lids: u64) {
        let mut seen = [false; 3];
        let nodes = fabric.node_ids_of(switch);
        let senders = nodes.map(|n| Endpoint::of_node(fabric, n));
        let own = fabric.switches()[switch].lid != Lid(0);
        for from in senders.chain(own.then_some(Endpoint::Switch(switch))) {
            self.counts[from.kind()][to.kind()] += lids;
            if !std::mem::replace(&mut seen[from.kind()], true) {
                keep_first(&mut self.first, (from.kind() + to.kind(), from, to));
            }
        }
    }

    /// Adds the pairs of all senders on the switch `from` with all LIDs at the switch `to`.
    pub fn add_all(&mut self, fabric: &Fabric, from: SwitchId, to: SwitchId) {
        for node in fabric.node_ids_of(to) {
            let lids = 1 << fabric.end_nodes()[node].lmc;
            self.add(fabric, from, Endpoint::of_node(fabric, node), lids);
        }
        let own = &fabric.switches()[to];
        if own.lid != Lid(0) {
            self.add(fabric, from, Endpoint::Switch(to), 1 << own.lmc);
        }
    }

    /// Adds all pairs of `other`.
    pub fn merge(&mut self, other: &EndPairs) {
        let theirs = other.counts.iter().flatten();
        for (mine, theirs) in self.counts.iter_mut().flatten().zip(theirs) {
            *mine += theirs;
        }
        let theirs = other.first.iter();
        theirs.for_each(|&pair| keep_first(&mut self.first, pair));
    }

    /// Splits into the pairs of two hosts, and all other pairs.
    pub fn split(self) -> (EndPairs, EndPairs) {
        let (mut hosts, mut others) = (EndPairs::default(), self);
        std::mem::swap(&mut hosts.counts[0][0], &mut others.counts[0][0]);
        let is_of_hosts = |&(kinds, ..): &(usize, Endpoint, Endpoint)| kinds == 0;
        (hosts.first, others.first) = others.first.into_iter().partition(is_of_hosts);
        (hosts, others)
    }

    /// Whether there are no pairs.
    pub fn is_empty(&self) -> bool {
        self.counts().next().is_none()
    }

    /// The first pairs, as (from, to).
    pub fn first(&self) -> impl ExactSizeIterator<Item = (Endpoint, Endpoint)> + '_ {
        self.first.iter().map(|&(_, from, to)| (from, to))
    }

    /// The number of all pairs.
    pub fn count(&self) -> u64 {
        self.counts.as_flattened().iter().sum()
    }

    /// Kind of sender, kind of receiver, and the number of pairs, where there are any.
    pub fn counts(&self) -> impl Iterator<Item = (&'static str, &'static str, u64)> + '_ {
        let kinds = (0..3).flat_map(|from| (0..3).map(move |to| (from, to)));
        let counted = kinds.map(|(from, to)| (WORDS[from], WORDS[to], self.counts[from][to]));
        counted.filter(|&(_, _, count)| count > 0)
    }
}

impl fmt::Display for EndPairs {
    /// As in "host to host 50, host to switch 29".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (from, to, count)) in self.counts().enumerate() {
            let comma = if i > 0 { ", " } else { "" };
            write!(f, "{comma}{from} to {to} {count}")?;
        }
        Ok(())
    }
}
