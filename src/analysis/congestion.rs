//! Congestion risk (paper, section IV): what share of a traffic pattern's routes meet at one port.
//!
//! The risk of a directed switch-to-switch port is min(#sources, #destinations) of the pattern's
//! routes through it: so many flows could want the port at once while none of them is held up at
//! an end node. The risk of a pattern is the maximum over the ports. It is a static figure and no
//! throughput.
//!
//! - A2A, all to all: every ordered pair of nodes.
//! - RP, random permutation: every node sends to one node, drawn at random. The figure is the
//!   median over many permutations (the lower middle one of an even number).
//! - SP, shift permutation: node `i` of an order sends to node `i + k`. The figure is the maximum
//!   over all shifts `k`.
//!
//! In a permutation all flows through a port differ in source and in destination, so the risk of
//! the port is the number of its flows.
//!
//! Routes that do not arrive take no part, not even as far as they get
//! ([`Traffic::skipped`] counts them). All work runs in rayon's current pool; results do not
//! depend on its size.

use super::Traffic;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Called once per unit of work done: a destination, a permutation, a shift.
pub type Tick<'a> = &'a (dyn Fn() + Sync);

/// The congestion risk of a pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Risk {
    /// The risk of the pattern.
    pub value: u32,
    /// The risk of each channel, by number: for RP in the first permutation whose maximum is the
    /// median, for SP the greatest over all shifts.
    pub by_channel: Vec<u32>,
}

impl Risk {
    /// How many channels have each value, ascending.
    pub fn histogram(&self) -> BTreeMap<u32, usize> {
        let mut histogram = BTreeMap::new();
        for &value in &self.by_channel {
            *histogram.entry(value).or_insert(0) += 1;
        }
        histogram
    }

    /// The `n` channels of greatest risk and their values, the worst first, equals by number.
    pub fn worst(&self, n: usize) -> Vec<(u32, u32)> {
        let mut all: Vec<(u32, u32)> = (0..).zip(self.by_channel.iter().copied()).collect();
        all.sort_by_key(|&(channel, value)| (std::cmp::Reverse(value), channel));
        all.truncate(n);
        all
    }
}

impl Traffic {
    /// A2A. Ticks once per node.
    pub fn all_to_all(&self, tick: Tick) -> Risk {
        let mut weight = vec![0u32; self.channels().switches()];
        (0..self.nodes().len()).for_each(|place| weight[self.switch(place) as usize] += 1);
        let leaves: Vec<u32> = (0..weight.len() as u32)
            .filter(|&s| weight[s as usize] > 0)
            .collect();
        let places: Vec<usize> = (0..self.nodes().len()).collect();
        let share = places.len().div_ceil(rayon::current_num_threads()).max(1);
        let ends = places
            .par_chunks(share)
            .map(|destinations| self.ends(&leaves, destinations, tick))
            .reduce_with(Ends::merge)
            .unwrap_or_else(|| Ends::new(self.channels().len(), leaves.len()));
        let sources = |set: &[u64]| -> u32 {
            let sends = |&(i, _): &(usize, &u32)| set[i / 64] >> (i % 64) & 1 == 1;
            leaves
                .iter()
                .enumerate()
                .filter(sends)
                .map(|(_, &s)| weight[s as usize])
                .sum()
        };
        let sets = ends.sources.chunks(ends.words);
        let by_channel: Vec<u32> = sets
            .zip(&ends.destinations)
            .map(|(set, &n)| sources(set).min(n))
            .collect();
        Risk {
            value: by_channel.iter().copied().max().unwrap_or(0),
            by_channel,
        }
    }

    /// Who sends through each channel to some destinations, and to how many of them.
    fn ends(&self, leaves: &[u32], destinations: &[usize], tick: Tick) -> Ends {
        let mut ends = Ends::new(self.channels().len(), leaves.len());
        let mut last = vec![usize::MAX; self.channels().len()];
        for &to in destinations {
            for (i, &leaf) in leaves.iter().enumerate() {
                self.follow(leaf, to, |channel| {
                    let c = channel as usize;
                    ends.sources[c * ends.words + i / 64] |= 1 << (i % 64);
                    ends.destinations[c] += u32::from(std::mem::replace(&mut last[c], to) != to);
                });
            }
            tick();
        }
        ends
    }

    /// RP over `count` permutations drawn by `seed`. They depend on the fabric and the seed alone,
    /// not on the order given. Ticks once per permutation.
    pub fn random_permutations(&self, count: usize, seed: u64, tick: Tick) -> Risk {
        let mut places: Vec<u32> = (0..self.nodes().len() as u32).collect();
        places.sort_by_key(|&place| self.nodes()[place as usize]);
        let load = |number: usize, load: &mut Load| {
            let flows = places.iter().zip(permutation(&places, seed, number as u64));
            let maximum = load.count(self, flows.map(|(&from, to)| (from as usize, to as usize)));
            tick();
            maximum
        };
        let new = || Load::new(self.channels().len());
        let maxima: Vec<u16> = (0..count)
            .into_par_iter()
            .map_init(new, |state, number| load(number, state))
            .collect();
        let mut sorted = maxima.clone();
        sorted.sort_unstable();
        let median = sorted
            .get(sorted.len().saturating_sub(1) / 2)
            .copied()
            .unwrap_or(0);
        let mut example = new();
        if let Some(number) = maxima.iter().position(|&m| m == median) {
            load(number, &mut example);
        }
        let by_channel = example.flows.iter().map(|&n| u32::from(n)).collect();
        Risk {
            value: median.into(),
            by_channel,
        }
    }

    /// SP over all shifts of the order given. Ticks once per shift.
    pub fn shifts(&self, tick: Tick) -> Risk {
        let nodes = self.nodes().len();
        let channels = self.channels().len();
        let greatest = (1..nodes)
            .into_par_iter()
            .fold(
                || (Load::new(channels), vec![0; channels]),
                |(mut load, mut greatest), shift| {
                    let to = |from| {
                        if from + shift < nodes {
                            from + shift
                        } else {
                            from + shift - nodes
                        }
                    };
                    load.count(self, (0..nodes).map(|from| (from, to(from))));
                    raise(&mut greatest, &load.flows);
                    tick();
                    (load, greatest)
                },
            )
            .map(|(_, greatest)| greatest)
            .reduce(
                || vec![0; channels],
                |mut a, b| {
                    raise(&mut a, &b);
                    a
                },
            );
        let by_channel: Vec<u32> = greatest.into_iter().map(u32::from).collect();
        Risk {
            value: by_channel.iter().copied().max().unwrap_or(0),
            by_channel,
        }
    }
}

/// For each channel the switches that send through it, as a set, and the number of destinations.
struct Ends {
    words: usize,
    sources: Vec<u64>,
    destinations: Vec<u32>,
}

impl Ends {
    fn new(channels: usize, leaves: usize) -> Ends {
        let words = leaves.div_ceil(64).max(1);
        Ends {
            words,
            sources: vec![0; words * channels],
            destinations: vec![0; channels],
        }
    }

    /// Joins the findings of disjoint destinations.
    fn merge(mut self, other: Ends) -> Ends {
        self.sources
            .iter_mut()
            .zip(other.sources)
            .for_each(|(a, b)| *a |= b);
        self.destinations
            .iter_mut()
            .zip(other.destinations)
            .for_each(|(a, b)| *a += b);
        self
    }
}

/// Flows per channel. LIDs have 16 bits, so flows of a permutation are never too many for `u16`;
/// the counters of a large fabric then stay in the first-level cache.
struct Load {
    flows: Vec<u16>,
}

impl Load {
    fn new(channels: usize) -> Load {
        Load {
            flows: vec![0; channels],
        }
    }

    /// Counts the flows of a permutation afresh, given as places of the order, and returns the
    /// maximum.
    fn count(&mut self, traffic: &Traffic, flows: impl Iterator<Item = (usize, usize)>) -> u16 {
        self.flows.fill(0);
        let mut maximum = 0;
        for (from, to) in flows {
            traffic.follow(traffic.switch(from), to, |channel| {
                let flows = &mut self.flows[channel as usize];
                *flows += 1;
                maximum = maximum.max(*flows);
            });
        }
        maximum
    }
}

fn raise(greatest: &mut [u16], values: &[u16]) {
    greatest
        .iter_mut()
        .zip(values)
        .for_each(|(g, &v)| *g = (*g).max(v));
}

/// The `number`th random permutation of `places` (Fisher and Yates), on a stream of its own so
/// that permutations can be drawn in any order. The remainder of 64 random bits is uneven by less
/// than one part in 2^47.
pub(super) fn permutation(places: &[u32], seed: u64, number: u64) -> Vec<u32> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(number);
    let mut permuted = places.to_vec();
    for i in (1..permuted.len()).rev() {
        permuted.swap(i, (random.next_u64() % (i as u64 + 1)) as usize);
    }
    permuted
}
