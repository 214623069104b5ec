//! The worst permutation: the most flows that any permutation sends over one port.
//!
//! The paper's risk of a port, min(#sources, #destinations), is a bound. It is reached only if the sources can be
//! paired with as many destinations so that each pair's route goes over the port. In a permutation each node
//! sends to one and receives from one. So the worst permutation of a port is a maximum matching between
//! sources and destinations, where those are joined whose route goes over the port; and any matching is part of a
//! permutation. The worst permutation of all is the greatest over the ports.
//!
//! Hopcroft and Karp's algorithm, with the nodes of a leaf as one source of as many units, since they share
//! their routes. Ports are taken by falling bound, in batches, until no bound that is left is greater
//! than what has been found. Where links differ in speed, the worst port over capacity may be another one: the ports
//! that are left are taken by their bound over capacity, likewise.

use super::congestion::over_capacity;
use super::{Risk, Tick, Traffic};
use rayon::prelude::*;

/// What permutations can do at worst.
#[derive(Clone, PartialEq, Debug)]
pub struct Exact {
    /// The most flows over one port.
    pub value: u32,
    /// The most flows over one port, each port's divided by its capacity, in flows over a link of the greatest
    /// capacity. `None` if all capacities are alike.
    pub over_capacity: Option<f64>,
    /// By channel; `None` for those whose bound is too low to matter.
    pub by_channel: Vec<Option<u32>>,
}

impl Exact {
    /// The `n` channels of the greatest figures, the worst first; equal ones by number. Those whose bound was too low
    /// to matter are not among them.
    pub fn worst(&self, n: usize) -> Vec<(u32, u32)> {
        let known = (0..).zip(&self.by_channel);
        let mut all: Vec<(u32, u32)> = known.filter_map(|(c, v)| Some((c, (*v)?))).collect();
        all.sort_by_key(|&(channel, value)| (std::cmp::Reverse(value), channel));
        all.truncate(n);
        all
    }
}

/// Ports of the first batch; each later batch has twice as many as the one before.
const FIRST_BATCH: usize = 64;
/// The most (leaf, destination) pairs of a batch, if it has more than one port.
const PAIRS: u64 = 1 << 24;

impl Traffic {
    /// The worst permutation through each port that matters, or through all. `bounds` is the risk of
    /// [all to all](Traffic::all_to_all). Ticks once per port whose figure is settled.
    pub fn worst_permutation(&self, bounds: &Risk, all: bool, tick: Tick) -> Exact {
        let channels = self.channels();
        let mut weight = vec![0u32; channels.switches()];
        (0..self.nodes().len()).for_each(|place| weight[self.switch(place) as usize] += 1);
        let mut settling = Settling {
            traffic: self,
            pairs: self.pairs_by_channel(&weight),
            weight,
            bounds: &bounds.by_channel,
            found: vec![None; channels.len()],
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

    /// How many routes from a leaf to a node each channel has.
    fn pairs_by_channel(&self, weight: &[u32]) -> Vec<u64> {
        self.over_routes(weight, vec![0; self.channels().len()], |pairs, c, _, _| {
            pairs[c as usize] += 1;
        })
        .into_iter()
        .reduce(|mut sum, more| {
            sum.iter_mut().zip(more).for_each(|(a, b)| *a += b);
            sum
        })
        .unwrap_or_else(|| vec![0; self.channels().len()])
    }

    /// The routes over each of some channels: leaf, and place of the destination.
    fn edges(&self, batch: &[u32], weight: &[u32]) -> Vec<Vec<(u32, u32)>> {
        const NOT_IN_IT: u32 = u32::MAX;
        let mut place = vec![NOT_IN_IT; self.channels().len()];
        for (i, &c) in (0..).zip(batch) {
            place[c as usize] = i;
        }
        let parts = self.over_routes(
            weight,
            vec![Vec::new(); batch.len()],
            |edges, c, leaf, to| {
                let at = place[c as usize];
                if at != NOT_IN_IT {
                    edges[at as usize].push((leaf, to));
                }
            },
        );
        let mut all = vec![Vec::new(); batch.len()];
        for part in parts {
            all.iter_mut()
                .zip(part)
                .for_each(|(all, part): (&mut Vec<_>, _)| all.extend(part));
        }
        all
    }

    /// Visits each channel of each route from a leaf to a node, with leaf and place of the node; in parts.
    fn over_routes<T: Clone + Send + Sync>(
        &self,
        weight: &[u32],
        start: T,
        visit: impl Fn(&mut T, u32, u32, u32) + Sync,
    ) -> Vec<T> {
        let leaves: Vec<u32> = (0..weight.len() as u32)
            .filter(|&s| weight[s as usize] > 0)
            .collect();
        let places: Vec<u32> = (0..self.nodes().len() as u32).collect();
        let share = places.len().div_ceil(rayon::current_num_threads()).max(1);
        places
            .par_chunks(share)
            .map(|destinations| {
                let mut found = start.clone();
                for &to in destinations {
                    for &leaf in &leaves {
                        self.follow(leaf, to as usize, |c| visit(&mut found, c, leaf, to));
                    }
                }
                found
            })
            .collect()
    }
}

/// The ports on the way to the worst.
struct Settling<'a> {
    traffic: &'a Traffic,
    /// How many nodes each switch has.
    weight: Vec<u32>,
    /// How many routes from a leaf to a node each channel has.
    pairs: Vec<u64>,
    /// By channel: no permutation sends more over it.
    bounds: &'a [u32],
    /// By channel, once it is known.
    found: Vec<Option<u32>>,
    tick: Tick<'a>,
}

impl Settling<'_> {
    /// Finds the worst permutation of those channels that can have the greatest figure, or of all. The figure of a channel
    /// grows with its flows.
    fn settle(&mut self, all: bool, figure: impl Fn(u32, u32) -> f64) {
        let (traffic, bounds) = (self.traffic, self.bounds);
        let bound = |c: u32| bounds[c as usize];
        let most = |c: u32| figure(c, bound(c));
        let known = (0..).zip(&self.found);
        let known = known.filter_map(|(c, found)| Some(figure(c, (*found)?)));
        let mut worst = known.fold(0.0, f64::max);
        let mut open: Vec<u32> = (0..bounds.len() as u32).collect();
        open.retain(|&c| self.found[c as usize].is_none());
        open.sort_by(|&a, &b| most(b).total_cmp(&most(a)));
        let (mut rest, mut ports) = (&*open, FIRST_BATCH);
        while let Some(&next) = rest.first() {
            if !all && most(next) <= worst {
                break;
            }
            let mut sum = 0;
            let fits = rest.iter().take(ports).take_while(|&&c| {
                sum += self.pairs[c as usize];
                sum <= PAIRS
            });
            let (batch, later) = rest.split_at(fits.count().max(1));
            let edges = traffic.edges(batch, &self.weight);
            let found: Vec<u32> = batch
                .par_iter()
                .zip(edges)
                .map(|(&c, edges)| {
                    let found = matching(edges, &self.weight, traffic.nodes().len(), bound(c));
                    (self.tick)(1);
                    found
                })
                .collect();
            for (&c, &found) in batch.iter().zip(&found) {
                self.found[c as usize] = Some(found);
                worst = worst.max(figure(c, found));
            }
            (rest, ports) = (later, 2 * ports);
        }
    }
}

/// No leaf has this destination.
const FREE: u32 = u32::MAX;
/// The level of a leaf that no search has come to.
const UNSEEN: u32 = u32::MAX;

/// The size of a maximum matching between leaves and destinations: each leaf has as many units as its weight says,
/// each destination one. No matching is greater than `most`.
fn matching(mut edges: Vec<(u32, u32)>, weight: &[u32], destinations: usize, most: u32) -> u32 {
    edges.sort_unstable();
    // Of the leaves that have edges.
    let (mut units, mut ranges) = (Vec::new(), Vec::new());
    let mut from = 0;
    for of_leaf in edges.chunk_by(|a, b| a.0 == b.0) {
        units.push(weight[of_leaf[0].0 as usize]);
        ranges.push(from..from + of_leaf.len());
        from += of_leaf.len();
    }
    let mut search = Search {
        edges: edges.iter().map(|&(_, to)| to).collect(),
        owner: vec![FREE; destinations],
        level: vec![UNSEEN; units.len()],
        next: vec![0; units.len()],
        units,
        ranges,
    };
    let mut size = 0;
    while size < most && search.levels() {
        for leaf in 0..search.units.len() as u32 {
            while search.units[leaf as usize] > 0 && search.augment(leaf) {
                search.units[leaf as usize] -= 1;
                size += 1;
            }
        }
    }
    size
}

/// The state of a matching.
struct Search {
    /// The destinations of all leaves, leaf by leaf.
    edges: Vec<u32>,
    /// Where those of a leaf are.
    ranges: Vec<std::ops::Range<usize>>,
    /// The units of a leaf that are free still.
    units: Vec<u32>,
    /// The leaf that each destination is matched with.
    owner: Vec<u32>,
    /// The length of the shortest way from a leaf with a free unit.
    level: Vec<u32>,
    /// The edge of each leaf to be tried next.
    next: Vec<usize>,
}

impl Search {
    /// Finds the levels of all leaves; whether a free destination can be reached.
    fn levels(&mut self) -> bool {
        let mut queue = std::collections::VecDeque::new();
        for (leaf, units) in (0u32..).zip(&self.units) {
            self.level[leaf as usize] = if *units > 0 { 0 } else { UNSEEN };
            self.next[leaf as usize] = self.ranges[leaf as usize].start;
            if *units > 0 {
                queue.push_back(leaf);
            }
        }
        let mut reached = false;
        while let Some(leaf) = queue.pop_front() {
            let onward = self.level[leaf as usize] + 1;
            for &to in &self.edges[self.ranges[leaf as usize].clone()] {
                match self.owner[to as usize] {
                    FREE => reached = true,
                    owner if self.level[owner as usize] == UNSEEN => {
                        self.level[owner as usize] = onward;
                        queue.push_back(owner);
                    }
                    _ => {}
                }
            }
        }
        reached
    }

    /// Matches one more unit of a leaf, along a way that climbs the levels; whether there is one.
    fn augment(&mut self, leaf: u32) -> bool {
        let mut way = vec![leaf];
        while let Some(&at) = way.last() {
            let a = at as usize;
            if self.next[a] == self.ranges[a].end {
                // Nothing comes of this leaf.
                way.pop();
                if let Some(&before) = way.last() {
                    self.next[before as usize] += 1;
                }
                continue;
            }
            match self.owner[self.edges[self.next[a]] as usize] {
                FREE => {
                    for &leaf in &way {
                        let to = self.edges[self.next[leaf as usize]];
                        self.owner[to as usize] = leaf;
                    }
                    return true;
                }
                owner if self.level[owner as usize] == self.level[a] + 1 => way.push(owner),
                _ => self.next[a] += 1,
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matchings_by_hand() {
        let size = |edges: &[(u32, u32)], weight: &[u32]| matching(edges.to_vec(), weight, 4, 99);
        assert_eq!(size(&[], &[2]), 0);
        // Three sources and three destinations; two sources want the same one.
        let edges = [(0, 0), (0, 1), (0, 2), (1, 0), (2, 0)];
        assert_eq!(size(&edges, &[1, 1, 1]), 2);
        // With two units the first leaf takes the others.
        assert_eq!(size(&edges, &[2, 1, 1]), 3);
        // The first choice of each has to give way, one after the other.
        assert_eq!(
            size(&[(0, 0), (0, 1), (1, 0), (1, 2), (2, 0)], &[1, 1, 1]),
            3
        );
        let more = [(0, 0), (0, 1), (1, 1), (1, 2), (2, 2), (2, 3), (3, 0)];
        assert_eq!(size(&more, &[1, 1, 1, 1]), 4);
    }
}
