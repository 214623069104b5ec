//! The worst permutation: the most flows that any permutation sends over one port.
//!
//! The paper's risk of a port, min(#sources, #destinations), is an upper bound. It is reached only if the sources can
//! be paired with as many destinations so that the route of each pair goes over the port. In a permutation each node
//! sends to one node and receives from one. So the worst permutation of a port is a maximum matching between sources
//! and destinations, in the graph of the routes over the port; and any matching is part of a permutation. The worst
//! permutation of all is the greatest over the ports.
//!
//! The matching grows by shortest augmenting paths. The nodes of a leaf share their routes, so a leaf is one source of
//! as many units. Batches of ports are solved by falling bound, until no remaining bound is greater than the worst port
//! found. Where links differ in speed, the worst port over capacity may be another one: the remaining ports are then
//! solved by falling bound over capacity, likewise.

use super::congestion::{over_capacity, worst};
use super::traffic::elementwise;
use super::{ChannelId, Risk, Tick, Traffic};
use rayon::prelude::*;
use typed_index_collections::{TiSlice, TiVec};

/// The worst permutations: the most flows that any permutation sends over a port.
#[derive(Clone, PartialEq, Debug)]
pub struct Exact {
    /// The most flows over one port.
    pub value: u32,
    /// The greatest ratio of a port's most flows to its capacity, in flows over a link of the greatest capacity. `None`
    /// if all capacities are alike.
    pub over_capacity: Option<f64>,
    /// By channel: the most flows; `None` if the bound of the channel is too low to matter.
    pub by_channel: TiVec<ChannelId, Option<u32>>,
}

impl Exact {
    /// The `n` channels of the most flows, the worst first; of equal values the lowest. Channels whose bound is too
    /// low to matter are left out.
    pub fn worst(&self, n: usize) -> Vec<(ChannelId, u32)> {
        let known = self.by_channel.iter_enumerated();
        worst(known.filter_map(|(c, flows)| Some((c, (*flows)?))), n)
    }
}

/// Ports of the first batch; each later batch has twice as many as the one before.
const FIRST_BATCH: usize = 64;
/// The most (leaf, destination) pairs of a batch, if it has more than one port.
const PAIRS: u64 = 1 << 24;

impl Traffic {
    /// Finds the most flows that a permutation sends over each port that matters, or with `all` over each port.
    /// `bounds` is the risk of [all to all](Traffic::all_to_all). Ticks once per port.
    pub fn worst_permutation(&self, bounds: &Risk, all: bool, tick: Tick) -> Exact {
        let channels = self.channels();
        let mut settling = Settling {
            traffic: self,
            pairs: self.counted_routes(|_| 1),
            bounds: &bounds.by_channel,
            found: channels.each(None),
            tick,
        };
        settling.settle(all, |_, flows| flows.into());
        if channels.differ() {
            settling.settle(all, |c, flows| f64::from(flows) / channels.capacity(c));
        }
        let by_channel = settling.found;
        tick(by_channel.iter().filter(|found| found.is_none()).count() as u64);
        let flows = || by_channel.iter().map(|found| found.unwrap_or(0));
        Exact {
            value: flows().max().unwrap_or(0),
            over_capacity: channels.differ().then(|| over_capacity(flows(), channels)),
            by_channel,
        }
    }

    /// The routes over each channel of a batch: number of the leaf, and position of the destination.
    fn edges(&self, batch: &[ChannelId]) -> Vec<Vec<(u32, u32)>> {
        const NOT_IN_IT: u32 = u32::MAX;
        let mut place = self.channels().each(NOT_IN_IT);
        for (i, &c) in (0..).zip(batch) {
            place[c] = i;
        }
        self.over_routes(
            vec![Vec::new(); batch.len()],
            |edges, c, leaf, to| {
                let at = place[c];
                if at != NOT_IN_IT {
                    edges[at as usize].push((leaf as u32, to as u32));
                }
            },
            |one, other| elementwise(one, other, |edges, more| edges.extend(more)),
            &|_| (),
        )
    }
}

/// The search for the worst ports.
struct Settling<'a> {
    traffic: &'a Traffic,
    /// The number of routes from a leaf to a node over each channel.
    pairs: TiVec<ChannelId, u64>,
    /// By channel: the bound. No permutation sends more flows over it.
    bounds: &'a TiSlice<ChannelId, u32>,
    /// By channel: the most flows, once they are known.
    found: TiVec<ChannelId, Option<u32>>,
    tick: Tick<'a>,
}

impl Settling<'_> {
    /// Finds the most flows over each channel that can have the greatest figure, or over all. `figure`, of a channel
    /// and its flows, grows with the flows.
    fn settle(&mut self, all: bool, figure: impl Fn(ChannelId, u32) -> f64) {
        let (traffic, bounds) = (self.traffic, self.bounds);
        let bound = |c: ChannelId| bounds[c];
        let most = |c: ChannelId| figure(c, bound(c));
        let known = self.found.iter_enumerated();
        let known = known.filter_map(|(c, found)| Some(figure(c, (*found)?)));
        let mut worst = known.fold(0.0, f64::max);
        let mut open: Vec<ChannelId> = bounds.keys().collect();
        open.retain(|&c| self.found[c].is_none());
        open.sort_by(|&a, &b| most(b).total_cmp(&most(a)));
        let (mut rest, mut ports) = (&*open, FIRST_BATCH);
        while let Some(&next) = rest.first() {
            if !all && most(next) <= worst {
                break;
            }
            let mut sum = 0;
            let fits = rest.iter().take(ports).take_while(|&&c| {
                sum += self.pairs[c];
                sum <= PAIRS
            });
            let (batch, later) = rest.split_at(fits.count().max(1));
            let edges = traffic.edges(batch);
            let found: Vec<u32> = batch
                .par_iter()
                .zip(edges)
                .map(|(&c, edges)| {
                    let found = matching(edges, traffic, bound(c));
                    (self.tick)(1);
                    found
                })
                .collect();
            for (&c, &found) in batch.iter().zip(&found) {
                self.found[c] = Some(found);
                worst = worst.max(figure(c, found));
            }
            (rest, ports) = (later, 2 * ports);
        }
    }
}

/// The owner of a destination that no leaf has.
const FREE: u32 = u32::MAX;

/// The size of a maximum matching between leaves and destinations: each leaf has as many units as it has nodes, each
/// destination one. No matching is greater than `most`.
fn matching(mut edges: Vec<(u32, u32)>, traffic: &Traffic, most: u32) -> u32 {
    edges.sort_unstable();
    let leaves: Vec<_> = edges.chunk_by(|a, b| a.0 == b.0).collect();
    let mut search = Search {
        owner: vec![FREE; traffic.nodes().len()],
        next: vec![0; leaves.len()],
        seen: vec![false; leaves.len()],
        leaves: &leaves,
    };
    let mut size = 0;
    for (number, edges) in (0..).zip(&leaves) {
        let leaf = traffic.leaves[edges[0].0 as usize];
        for _ in 0..traffic.weight[leaf] {
            if size == most || !search.augment(number) {
                break;
            }
            size += 1;
        }
    }
    size
}

/// The state of a matching. Leaves without edges have no number here.
struct Search<'a> {
    /// The edges of each leaf.
    leaves: &'a [&'a [(u32, u32)]],
    /// The leaf that each destination is matched with.
    owner: Vec<u32>,
    /// By leaf: no edge before this one has a free destination. A matched destination is never free again.
    next: Vec<usize>,
    /// By leaf: whether the search has reached it. A failed search leaves its marks: no later search succeeds there.
    seen: Vec<bool>,
}

impl Search<'_> {
    /// Matches one more unit of a leaf, maybe by moving other leaves to other destinations; false if impossible.
    fn augment(&mut self, leaf: u32) -> bool {
        if std::mem::replace(&mut self.seen[leaf as usize], true) {
            return false;
        }
        // Leaf, destination that it gives up, and queue index of the leaf that takes this destination.
        let mut queue = vec![(leaf, FREE, 0)];
        let mut place = 0;
        while let Some(&(leaf, ..)) = queue.get(place) {
            let edges = self.leaves[leaf as usize];
            let next = &mut self.next[leaf as usize];
            let taken = |&(_, to): &(u32, u32)| self.owner[to as usize] != FREE;
            *next += edges[*next..].iter().take_while(|edge| taken(edge)).count();
            if let Some(&(_, mut to)) = edges.get(*next) {
                while to != FREE {
                    let (leaf, given_up, before) = queue[place];
                    self.owner[to as usize] = leaf;
                    (to, place) = (given_up, before);
                }
                for (leaf, ..) in queue {
                    self.seen[leaf as usize] = false;
                }
                return true;
            }
            for &(_, to) in edges {
                let owner = self.owner[to as usize];
                if !std::mem::replace(&mut self.seen[owner as usize], true) {
                    queue.push((owner, to, place));
                }
            }
            place += 1;
        }
        false
    }
}
