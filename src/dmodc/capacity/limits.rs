//! Which link ends are drained, and what share of the destinations each slow link is there for.

use crate::dmodc::connect::components;
use crate::dmodc::design::Design;
use crate::dmodc::options::{Capacity, Drained, Faults, Options};
use crate::dmodc::routes::Inputs;
use crate::dmodc::tree::Links;
use crate::fabric::{Fabric, NodeKind, Peer};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Steps of a share: a link is there for the destinations whose steps are below it. Of the 1,440 destinations of an
/// uplink of a leaf of 8,640 nodes each step has six.
const STEPS: usize = 251;

/// What numbers of destinations are multiplied by to give steps: near the golden ratio of [`STEPS`].
const TIMES: usize = 155;

/// The step of a destination.
pub fn step(number: usize) -> usize {
    number % STEPS * TIMES % STEPS
}

/// The longest share, of so many binary digits, that has at most so many of some destinations, counted by step; it has
/// one of them at least.
fn share_of(counts: &[u32; STEPS], most: f64, digits: u32) -> usize {
    let first = counts.iter().take_while(|&&count| count == 0).count() + 1;
    let mut sum = 0;
    let fits = |count: &&u32| {
        sum += **count;
        f64::from(sum) <= most + 1e-9
    };
    let share = counts.iter().take_while(fits).count();
    let all = usize::BITS - share.leading_zeros();
    let cut = if share < STEPS {
        all.saturating_sub(digits)
    } else {
        0
    };
    (share >> cut << cut).max(first).min(STEPS)
}

/// Digits of shares. Each share that occurs costs a computation of the routes, and where few differ, what one slow link
/// gives up finds the others gone.
const DIGITS: u32 = 2;

/// Where slow links take much of the capacity: with three digits the fast one of eight uplinks had 50 destinations where
/// 37 are its part.
const DIGITS_IF_SHORT: u32 = 5;

/// The uplinks of a place.
struct Uplinks {
    /// Port and speed.
    ports: Vec<(u8, u32)>,
    fastest: u32,
    /// Destinations at and below the place.
    sources: u32,
}

/// The uplinks of a rank.
#[derive(Default)]
struct Level {
    /// Destinations above, each once for the uplinks that share them; and the capacity of these.
    destinations: f64,
    capacity: f64,
    /// The most sources of a place, and the greatest capacity of an uplink.
    sources: f64,
    best: f64,
    /// By position: how many uplinks there are, how many of them are slow, and how much of them is missing.
    positions: BTreeMap<usize, (usize, usize, f64)>,
}

impl Level {
    /// The least A2A over capacity.
    fn bound(&self) -> f64 {
        (self.sources / self.best).min(self.destinations / self.capacity)
    }

    /// Whether slow links take more than a fifth of the capacity, planes that are slow throughout left out.
    fn is_short(&self) -> bool {
        let scattered = (self.positions.values()).filter(|&&(all, slow, _)| 10 * slow < 9 * all);
        let (all, missing) = scattered.fold((0, 0.0), |sum, of| (sum.0 + of.0, sum.1 + of.2));
        5.0 * missing > all as f64
    }
}

/// Speeds of the uplinks of a place; what is not known is what most are, the fastest of several.
fn of_siblings(speeds: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut speeds: Vec<u32> = speeds.collect();
    let mut votes: BTreeMap<u32, usize> = BTreeMap::new();
    for &speed in speeds.iter().filter(|&&speed| speed != 0) {
        *votes.entry(speed).or_default() += 1;
    }
    let usual = votes.iter().max_by_key(|&(_, count)| count);
    let usual = usual.map_or(0, |(&speed, _)| speed);
    for speed in speeds.iter_mut().filter(|speed| **speed == 0) {
        *speed = usual;
    }
    speeds
}

/// A port of a place that leads to another.
type End = (u32, u8);

/// The links that are not there for all destinations.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Both ends of drained links, ascending.
    drained: Vec<End>,
    /// Both ends of links that are there for some destinations, and their shares in steps.
    share: BTreeMap<End, usize>,
}

impl Limits {
    /// The drained links of a fabric.
    pub fn new(fabric: &Fabric, design: &Design, options: &Options) -> Self {
        let ends = Drained::ends(fabric, &options.drain);
        let drained = ends
            .iter()
            .map(|&(s, port)| (design.place[s as usize], port));
        let mut drained: Vec<End> = drained.collect();
        drained.sort_unstable();
        Limits {
            drained,
            ..Limits::default()
        }
    }

    /// Finds the shares of slow links by the nominal uplinks of each place. What has lost its link, or does not say its
    /// speed, counts as what most of its siblings are. A link that is as fast as the fastest of them is there for all;
    /// one of speed a for Σ min(a, b) / Σ b of the destinations that have it as their nominal port, over the speeds b of
    /// all uplinks: then all of them carry alike over capacity.
    ///
    /// All slow links are there for the same destinations first, those of a place that are equally fast for the same ones
    /// alone: what a slow link gives up goes to none that is slow.
    ///
    /// All S hosts of a leaf send over each of its uplinks, so its A2A over the capacity c is S/c, however few
    /// destinations it has, down to S. Where that is more than a fifth above the bound of the fabric, it has no more
    /// destinations than the bound allows.
    ///
    /// What leaves give up by different ports comes up everywhere in their pod. Where slow links take more than a fifth
    /// of the capacity of a level, A2A is best if links at half of their speed or more give up only what A2A asks for:
    /// nothing on the way down, and upwards only where they have fewer destinations than sources.
    pub fn share_out(&mut self, design: &Design, inputs: &Inputs, options: &Options) {
        let is_blind = options.capacity == Capacity::Ignore || options.faults == Faults::Paper;
        if is_blind || !design.expected.speeds_differ() {
            return;
        }
        let costs = &inputs.nominal.costs;
        let places = 0..costs.switches() as u32;
        let mut behind = vec![0; costs.switches()];
        for (column, nids) in inputs.destinations.runs() {
            behind[*column] += nids.len() as u32;
        }
        let own_and_below = |s: u32| {
            let below = costs.columns_below(s).iter().map(|&column| column as usize);
            below.chain([costs.column(s)])
        };
        let uplinks = places.map(|s| {
            let groups = inputs.nominal.groups.up(s).iter();
            let ports = groups.flat_map(|g| inputs.nominal.groups.ports(g));
            let ports: Vec<u8> = ports.copied().collect();
            let speeds = of_siblings(ports.iter().map(|&p| design.expected.speed(s, p)));
            Uplinks {
                fastest: speeds.iter().copied().max().unwrap_or(0),
                ports: ports.into_iter().zip(speeds).collect(),
                sources: own_and_below(s).map(|column| behind[column]).sum(),
            }
        });
        let uplinks: Vec<Uplinks> = uplinks.collect();
        let best = uplinks
            .iter()
            .map(|of| of.fastest)
            .max()
            .unwrap_or(0)
            .max(1);
        let capacity = |speed: u32| f64::from(speed) / f64::from(best);
        let all: u32 = behind.iter().sum();
        let mut levels: BTreeMap<u32, Level> = BTreeMap::new();
        for (s, of) in (0u32..).zip(&uplinks).filter(|(_, of)| of.fastest > 0) {
            let level = levels.entry(design.ranking.rank(s)).or_default();
            level.destinations += f64::from(all - of.sources) / inputs.divider(s) as f64;
            level.sources = level.sources.max(of.sources.into());
            level.best = level.best.max(capacity(of.fastest));
            for (position, &(_, speed)) in of.ports.iter().enumerate() {
                level.capacity += capacity(speed);
                let of_position = level.positions.entry(position).or_default();
                of_position.0 += 1;
                of_position.1 += usize::from(speed < of.fastest);
                of_position.2 += 1.0 - f64::from(speed) / f64::from(of.fastest);
            }
        }
        let bound = levels.values().map(Level::bound).fold(0.0, f64::max);
        for (s, of) in (0u32..).zip(&uplinks) {
            if of.ports.iter().all(|&(_, speed)| speed == of.fastest) {
                continue;
            }
            let is_short = levels[&design.ranking.rank(s)].is_short();
            let mut is_below = vec![false; behind.len()];
            own_and_below(s).for_each(|column| is_below[column] = true);
            let counts = nominal_by_step(inputs, s, &is_below);
            let speeds: f64 = of.ports.iter().map(|&(_, b)| f64::from(b)).sum();
            for (&(port, a), own) in of.ports.iter().zip(&counts) {
                let Peer::Switch { index, port: far } = design.there.peer(s, port) else {
                    continue;
                };
                if a == of.fastest {
                    continue;
                }
                // Links of one speed have one share, or what one gives up would go to another.
                let alike = of.ports.iter().zip(&counts).filter(|(of, _)| of.1 == a);
                let (mut links, mut above, mut below) = (0.0, [0; STEPS], [0; STEPS]);
                for (_, [up, down]) in alike {
                    links += 1.0;
                    above.iter_mut().zip(up).for_each(|(sum, of)| *sum += of);
                    below.iter_mut().zip(down).for_each(|(sum, of)| *sum += of);
                }
                let part = of
                    .ports
                    .iter()
                    .map(|&(_, b)| f64::from(a.min(b)))
                    .sum::<f64>()
                    / speeds;
                let total = |counts: &[u32; STEPS]| f64::from(counts.iter().sum::<u32>());
                let sources = f64::from(of.sources);
                let is_leaf = sources < total(&above) / links;
                let is_near = sources <= 1.2 * bound * capacity(a);
                if is_short && is_leaf && is_near {
                    continue;
                }
                let (digits, rounding) = match is_short {
                    true => (DIGITS_IF_SHORT, 0.5),
                    false => (DIGITS, 0.0),
                };
                let mut up = share_of(&above, part * total(&above) + links * rounding, digits);
                if is_leaf && !is_near {
                    up = up.min(share_of(&above, links * bound * capacity(a), DIGITS));
                }
                if is_leaf || !is_short || 2 * a < of.fastest {
                    // However little comes down, one destination goes up.
                    let least = share_of(&own[0], 0.0, digits);
                    let down = share_of(&below, (part * total(&below)).ceil(), digits);
                    up = up.min(down.max(least));
                    self.share.insert((index, far), up);
                }
                self.share.insert((s, port), up);
            }
        }
        self.share.retain(|_, share| *share < STEPS);
    }

    /// Where links are drained: the others alone; with the drained ones that join those with hosts which the others do
    /// not join, as few as possible one after the other; and all.
    pub fn layers(&self, design: &Design) -> Vec<Links> {
        let all = design.present.as_ref().unwrap_or(&design.links);
        if self.drained.is_empty() {
            return Vec::new();
        }
        let first = self.undrained(all);
        let needed = self.needed(design, all, &first);
        let mut layers = vec![first];
        if (1..self.drained.len()).contains(&needed.len()) {
            let needless = |s, port| !needed.contains(&(s, port)) && self.is_drained(s, port);
            layers.push(all.without(needless));
        }
        layers.push(all.clone());
        layers
    }

    /// Both ends of the drained links that lead from a part with hosts to the greatest one over the fewest of them. A
    /// part is what the other links hold together.
    fn needed(&self, design: &Design, all: &Links, others: &Links) -> BTreeSet<End> {
        let remote =
            |links: &Links, s| -> Vec<u32> { links.of(s).iter().map(|g| g.remote).collect() };
        let part = components(all.switches(), |s| remote(others, s).into_iter());
        let mut members: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        (0u32..)
            .zip(&part)
            .for_each(|(s, &part)| members.entry(part).or_default().push(s));
        let greatest = members
            .iter()
            .rev()
            .max_by_key(|(_, of)| of.len())
            .map(|(&part, _)| part);
        // Drained links from the greatest part, by part; and the parts, the nearest first.
        let mut far: BTreeMap<u32, u32> = greatest.iter().map(|&part| (part, 0)).collect();
        let mut order: Vec<u32> = greatest.into_iter().collect();
        let beside = |of: u32| {
            members[&of]
                .iter()
                .flat_map(|&s| remote(all, s))
                .map(|s| part[s as usize])
        };
        let mut at = 0;
        while let Some(&of) = order.get(at) {
            at += 1;
            for other in beside(of) {
                if !far.contains_key(&other) {
                    far.insert(other, far[&of] + 1);
                    order.push(other);
                }
            }
        }
        let is_host = |node: usize| design.there.end_nodes()[node].kind != NodeKind::Aggregation;
        let has_hosts =
            |&s: &u32| design.ranking.is_leaf(s) || design.there.end_nodes_of(s).any(is_host);
        let mut needs: BTreeSet<u32> = order
            .iter()
            .copied()
            .filter(|part| members[part].iter().any(has_hosts))
            .collect();
        for of in order.iter().rev() {
            if needs.contains(of) {
                needs.extend(beside(*of).filter(|other| far[other] < far[of]));
            }
        }
        let is_needed = |&&(s, port): &&End| match design.there.peer(s, port) {
            Peer::Switch { index, .. } => {
                let [a, b] = [s, index].map(|s| part[s as usize]);
                let further = if far.get(&a) > far.get(&b) { a } else { b };
                far.get(&a) != far.get(&b) && needs.contains(&further)
            }
            _ => false,
        };
        self.drained.iter().filter(is_needed).copied().collect()
    }

    fn is_drained(&self, s: u32, port: u8) -> bool {
        self.drained.binary_search(&(s, port)).is_ok()
    }

    /// The links that are there for some steps, drained ones left out, for all steps for which some link is not there.
    pub fn bands(&self, links: &Links) -> Vec<(Range<usize>, Links)> {
        let shares: BTreeSet<usize> = self.share.values().copied().collect();
        let ends = shares.iter().skip(1).copied().chain([STEPS]);
        let bands = shares.iter().zip(ends).map(|(&share, end)| {
            let is_gone = |s, port| self.share.get(&(s, port)).is_some_and(|&own| own <= share);
            (share..end, self.undrained(links).without(is_gone))
        });
        bands.collect()
    }

    /// The links that are not drained.
    fn undrained(&self, links: &Links) -> Links {
        links.without(|s, port| self.is_drained(s, port))
    }
}

/// How many destinations have each uplink of a place as their nominal port, above it and below it, by step.
fn nominal_by_step(inputs: &Inputs, place: u32, is_below: &[bool]) -> Vec<[[u32; STEPS]; 2]> {
    let groups = &inputs.nominal.groups;
    // The choices of those below that lead here: divider, groups, and which of these.
    let mut choices = Vec::new();
    let mut at = place;
    while let Some(below) = groups.down(at).first().map(|g| g.remote) {
        let up = groups.up(below);
        choices.extend(
            up.iter()
                .position(|g| g.remote == at)
                .map(|i| (inputs.divider(below), up.len(), i)),
        );
        at = below;
    }
    let groups = groups.up(place);
    let ends = groups.iter().scan(0, |end, group| {
        *end += group.size();
        Some(*end)
    });
    let ends: Vec<usize> = ends.collect();
    let mut counts = vec![[[0; STEPS]; 2]; ends.last().copied().unwrap_or(0)];
    for (column, nids) in inputs.destinations.runs() {
        for nid in nids.clone() {
            if choices
                .iter()
                .any(|&(divider, of, i)| nid / divider % of != i)
            {
                continue;
            }
            let q = nid / inputs.divider(place);
            let (group, size) = (q % groups.len(), groups[q % groups.len()].size());
            let port = ends[group] - size + q / groups.len() % size;
            counts[port][usize::from(is_below[*column])][step(nid)] += 1;
        }
    }
    counts
}
