//! Congestion risk (paper, section IV; `docs/research.md`): how many routes of a traffic pattern meet at one port.
//!
//! A2A is all to all; RP is random permutations; in SP node `i` of an order sends to node `i + k`, for each shift `k`.
//! From one type of node to another, both in the given order, node `i` of the larger type is paired with node `i + k`
//! of the smaller type, modulo the size of the latter; the figure is the maximum over all shifts `k`.
//!
//! In a permutation all flows through a port differ in source and in destination, so the risk of
//! the port is the number of its flows. LIDs have 16 bits, so a `u16` can hold that number, and
//! counters of that size stay in the nearer caches.
//!
//! Routes that do not arrive do not count, not even on the links that they cross ([`Traffic::skipped`] has their
//! number). All work runs in rayon's current pool; results do not depend on its size.

use super::traffic::{elementwise, greatest};
use super::{ChannelId, Channels, Traffic};
use dmodc_fabric::random::Random;
use dmodc_fabric::{NodeId, SwitchId, counted};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;
use typed_index_collections::{TiSlice, TiVec};

/// A callback with the units of work done since its last call: destinations, permutations, shifts.
pub type Tick<'a> = &'a (dyn Fn(u64) + Sync);

/// Shifts per batch. The nodes of a leaf share their route to a destination, and neighbours in the order mostly share
/// their leaf. So a batch follows each route once, for all shifts in which a node of the leaf takes it. These shifts
/// are consecutive: it is enough to note the first one and the one after the last. All shifts of 8,640 nodes take 0.3 s
/// this way, and 3 s if each shift follows its own routes.
const SHIFTS: usize = 63;

/// The change of a channel's flows from each shift of a batch to the next, modulo 2^16.
type Steps = [u16; SHIFTS + 1];

/// The congestion risk of a pattern.
#[derive(Clone, PartialEq, Debug)]
pub struct Risk {
    /// The risk of the pattern.
    pub value: u32,
    /// The risk of each channel. RP: in the first permutation whose maximum is the median.
    /// SP: the greatest over all shifts.
    pub by_channel: TiVec<ChannelId, u32>,
    /// Like [`value`](Self::value), of the channels' risks divided by their capacities, in flows over a link of the
    /// greatest capacity. `None` if all capacities are alike.
    pub over_capacity: Option<f64>,
}

impl Risk {
    /// The risk of a pattern: the greatest risk of a channel.
    pub(super) fn new(by_channel: TiVec<ChannelId, u32>, channels: &Channels) -> Risk {
        let over = || over_capacity(by_channel.iter().copied(), channels);
        Risk {
            value: by_channel.iter().copied().max().unwrap_or(0),
            over_capacity: channels.differ().then(over),
            by_channel,
        }
    }

    /// How many channels have each value, ascending.
    pub fn histogram(&self) -> BTreeMap<u32, usize> {
        counted(self.by_channel.iter().copied())
    }

    /// The `n` channels of greatest risk with their values, the worst first; of equal values the lowest.
    pub fn worst(&self, n: usize) -> Vec<(ChannelId, u32)> {
        let all = self.by_channel.iter_enumerated();
        worst(all.map(|(c, &value)| (c, value)), n)
    }
}

/// The `n` channels of the greatest values, the worst first; of equal values the lowest.
pub(super) fn worst(
    channels: impl Iterator<Item = (ChannelId, u32)>,
    n: usize,
) -> Vec<(ChannelId, u32)> {
    let mut all: Vec<(ChannelId, u32)> = channels.collect();
    all.sort_by_key(|&(channel, value)| (Reverse(value), channel));
    all.truncate(n);
    all
}

impl Traffic {
    /// A2A. Ticks once per node.
    pub fn all_to_all(&self, tick: Tick) -> Risk {
        let ends = self.ends_by_channel(tick).into_iter();
        let by_channel = ends.map(|(sources, destinations)| sources.min(destinations));
        Risk::new(by_channel.collect(), self.channels())
    }

    /// The numbers of sources and of destinations of all to all, by channel. Ticks once per node.
    pub fn ends_by_channel(&self, tick: Tick) -> TiVec<ChannelId, (u32, u32)> {
        let channels = self.channels();
        let words = self.leaves.len().div_ceil(64).max(1);
        let ends = self.over_routes(
            Ends {
                sources: vec![0; words * channels.len()],
                destinations: channels.each(0),
                last: channels.each(usize::MAX),
            },
            |ends, channel, leaf, to| {
                ends.sources[usize::from(channel) * words + leaf / 64] |= 1 << (leaf % 64);
                let last = std::mem::replace(&mut ends.last[channel], to);
                ends.destinations[channel] += u32::from(last != to);
            },
            |one, other| Ends {
                sources: elementwise(one.sources, other.sources, |a, b| *a |= b),
                destinations: elementwise(one.destinations, other.destinations, |a, b| *a += b),
                ..one
            },
            tick,
        );
        let sources = |set: &[u64]| -> u32 {
            let sends = |&(i, _): &(usize, &SwitchId)| set[i / 64] >> (i % 64) & 1 == 1;
            let leaves = self.leaves.iter().enumerate().filter(sends);
            leaves.map(|(_, &s)| self.weight[s]).sum()
        };
        let sets = ends.sources.chunks(words).zip(ends.destinations);
        sets.map(|(set, n)| (sources(set), n)).collect()
    }

    /// RP over `count` permutations drawn from `seed`. The permutations depend on the fabric and the seed alone, not on
    /// the order of the nodes. Ticks once per permutation.
    pub fn random_permutations(&self, count: usize, seed: u64, tick: Tick) -> Risk {
        let (positions, differ) = (self.positions_by_node(), self.channels().differ());
        let maximum = |number| {
            let flows = self.permuted(&positions, seed, number);
            tick(1);
            let loads = || flows.iter().copied();
            let over = differ.then(|| over_capacity(loads(), self.channels()));
            (loads().max().unwrap_or(0), over.unwrap_or(0.0))
        };
        let numbers = (0..count as u64).into_par_iter();
        let (maxima, mut over): (Vec<u16>, Vec<f64>) = numbers.map(maximum).unzip();
        let middle = maxima.len().saturating_sub(1) / 2;
        let mut sorted = maxima.clone();
        sorted.sort_unstable();
        over.sort_unstable_by(f64::total_cmp);
        let median = sorted.get(middle).copied().unwrap_or(0);
        let by_channel = match maxima.iter().position(|&m| m == median) {
            Some(number) => widen(&self.permuted(&positions, seed, number as u64)),
            None => self.channels().each(0),
        };
        Risk {
            value: median.into(),
            by_channel,
            over_capacity: differ.then(|| over.get(middle).copied().unwrap_or(0.0)),
        }
    }

    /// The positions of the nodes, in the fabric's order.
    pub(super) fn positions_by_node(&self) -> Vec<u32> {
        let mut positions: Vec<u32> = (0..self.nodes().len() as u32).collect();
        positions.sort_by_key(|&position| self.nodes()[position as usize]);
        positions
    }

    /// The flows per channel of a random permutation.
    fn permuted(&self, positions: &[u32], seed: u64, number: u64) -> TiVec<ChannelId, u16> {
        let mut flows = self.channels().each(0);
        for (&from, &to) in permutation(positions, seed, number).iter().zip(positions) {
            let from = self.switch[from as usize];
            self.follow(from, to as usize, |channel| flows[channel] += 1);
        }
        flows
    }

    /// SP over all shifts of the given order. Ticks once per shift.
    pub fn shifts(&self, tick: Tick) -> Risk {
        let nodes = self.nodes().len();
        let channels = self.channels();
        let positions: Vec<usize> = (0..nodes).collect();
        let leaves = positions.chunk_by(|&a, &b| self.switch[a] == self.switch[b]);
        let leaves: Vec<&[usize]> = leaves.collect();
        let blocks: Vec<usize> = (1..nodes).step_by(SHIFTS).collect();
        let most = blocks
            .into_par_iter()
            .fold(
                || (channels.each([0; SHIFTS + 1]), channels.each(0)),
                |(mut steps, mut greatest): (TiVec<_, Steps>, TiVec<_, u16>), first| {
                    let shifts = first..nodes.min(first + SHIFTS);
                    for leaf in &leaves {
                        self.shift(leaf, shifts.clone(), &mut steps);
                    }
                    for (greatest, steps) in greatest.iter_mut().zip(&mut steps) {
                        let mut flows = 0u16;
                        for step in steps {
                            flows = flows.wrapping_add(std::mem::take(step));
                            *greatest = flows.max(*greatest);
                        }
                    }
                    tick(shifts.len() as u64);
                    (steps, greatest)
                },
            )
            .map(|(_, greatest)| greatest)
            .reduce(|| channels.each(0), greatest);
        Risk::new(widen(&most), self.channels())
    }

    /// Traffic from the nodes of one type to the nodes of another, over all shifts of the smaller type. `sends` and
    /// `receives` get end nodes. Ticks once per shift.
    pub fn type_to_type(
        &self,
        sends: impl Fn(NodeId) -> bool,
        receives: impl Fn(NodeId) -> bool,
        tick: Tick,
    ) -> Risk {
        let positions = |takes_part: &dyn Fn(NodeId) -> bool| -> Vec<usize> {
            let all = 0..self.nodes().len();
            all.filter(|&position| takes_part(self.nodes()[position]))
                .collect()
        };
        let (from, to) = (positions(&sends), positions(&receives));
        let shifts = (0..from.len().min(to.len())).into_par_iter();
        let risks = shifts.map(|shift| {
            let pairs = (0..from.len().max(to.len())).map(|i| match from.len() < to.len() {
                true => (from[(i + shift) % from.len()], to[i]),
                false => (from[i], to[(i + shift) % to.len()]),
            });
            let risks = self.ends_met(pairs.collect());
            tick(1);
            risks
        });
        let by_channel = risks.reduce(|| self.channels().each(0), greatest);
        Risk::new(by_channel, self.channels())
    }

    /// For each channel min(#sources, #destinations) of the routes of `pairs`, positions of source and destination.
    pub(super) fn ends_met(&self, mut pairs: Vec<(usize, usize)>) -> TiVec<ChannelId, u32> {
        let mut count = |end: fn(&(usize, usize)) -> usize| {
            pairs.sort_by_key(end);
            let mut met = self.channels().each(0u32);
            let mut last = self.channels().each(usize::MAX);
            for pair in &pairs {
                let (from, to) = *pair;
                self.follow(self.switch[from], to, |c| {
                    let before = std::mem::replace(&mut last[c], end(pair));
                    met[c] += u32::from(before != end(pair));
                });
            }
            met
        };
        let (sources, destinations) = (count(|pair| pair.0), count(|pair| pair.1));
        let both = sources.into_iter().zip(destinations);
        both.map(|(sources, destinations)| sources.min(destinations))
            .collect()
    }

    /// Adds the flows of sources at consecutive positions on one switch, under consecutive shifts.
    fn shift(
        &self,
        sources: &[usize],
        shifts: Range<usize>,
        steps: &mut TiSlice<ChannelId, Steps>,
    ) {
        let (Some(&lowest), Some(&highest)) = (sources.first(), sources.last()) else {
            return;
        };
        for sum in lowest + shifts.start..highest + shifts.end {
            // `sum` is source + shift: the destination, before it wraps around.
            let from = sum.saturating_sub(highest).max(shifts.start) - shifts.start;
            let to = (sum - lowest).min(shifts.end - 1) - shifts.start;
            let destination = sum % self.nodes().len();
            self.follow(self.switch[lowest], destination, |channel| {
                let steps = &mut steps[channel];
                steps[from] = steps[from].wrapping_add(1);
                steps[to + 1] = steps[to + 1].wrapping_sub(1);
            });
        }
    }
}

/// By channel: the ends of the routes over it.
#[derive(Clone)]
struct Ends {
    /// The leaves that send over the channel, as a set of bits.
    sources: Vec<u64>,
    /// The number of destinations, and the last destination.
    destinations: TiVec<ChannelId, u32>,
    last: TiVec<ChannelId, usize>,
}

/// The greatest ratio of load to capacity; `loads` has the load of each channel, in their order.
pub(super) fn over_capacity<L: Into<f64>>(
    loads: impl Iterator<Item = L>,
    channels: &Channels,
) -> f64 {
    let over = channels.ids().zip(loads);
    let over = over.map(|(c, load)| load.into() / channels.capacity(c));
    over.fold(0.0, f64::max)
}

fn widen(flows: &TiSlice<ChannelId, u16>) -> TiVec<ChannelId, u32> {
    flows.iter().copied().map(u32::from).collect()
}

/// The `number`th random permutation of some items from a seed.
pub(super) fn permutation<T: Clone>(items: &[T], seed: u64, number: u64) -> Vec<T> {
    let mut permuted = items.to_vec();
    Random::stream(seed, number).shuffle(&mut permuted);
    permuted
}
