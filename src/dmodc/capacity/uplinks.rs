//! The uplinks of each place and of each rank: their speeds, and how many destinations share them.

use crate::dmodc::design::Design;
use crate::dmodc::routes::Inputs;
use crate::fabric::counted;
use std::collections::BTreeMap;

/// Slow uplinks that lack at most this part of the fastest one's speed are nearly as fast as the others.
const MILD: f64 = 0.25;

/// A link of a place to a place above it.
pub struct Uplink {
    pub port: u8,
    /// Mb/s, one direction. A lost link, or one of unknown speed, counts as fast as most of its siblings.
    pub speed: u32,
    /// The place above.
    pub above: u32,
}

/// The uplinks of a place.
pub struct Place {
    pub uplinks: Vec<Uplink>,
    /// The greatest speed of these.
    pub fastest: u32,
    /// Number of destinations at and below the place, and of all others.
    pub sources: u32,
    pub others: u32,
}

impl Place {
    /// Whether each uplink has more destinations than the place has sources, at a place of this divider.
    pub fn is_source_bound(&self, divider: usize) -> bool {
        self.sources as usize * self.uplinks.len() * divider < self.others as usize
    }
}

/// The uplinks of a rank.
#[derive(Default)]
pub struct Level {
    /// Number of destinations above, each once for the uplinks that share them; and the capacity of all uplinks.
    pub destinations: f64,
    pub capacity: f64,
    /// The most that an uplink lacks, as a part of the fastest one's speed at its place.
    pub most_missing: f64,
    /// The most sources of a place, and the greatest capacity of an uplink.
    pub sources: f64,
    pub best: f64,
    /// By position of an uplink at its place: number of uplinks, number of slow ones, and the sum of what these lack.
    pub positions: BTreeMap<usize, (usize, usize, f64)>,
}

impl Level {
    /// The cut bound of the level: the least A2A over capacity.
    pub fn bound(&self) -> f64 {
        (self.sources / self.best).min(self.destinations / self.capacity)
    }

    /// Whether slow links take more than a fifth of the capacity, without positions (planes) where nine tenths or more
    /// are slow; or all slow links are nearly as fast as the others.
    pub fn is_short(&self) -> bool {
        if self.most_missing > 0.0 && self.most_missing <= MILD {
            return true;
        }
        let scattered = (self.positions.values()).filter(|&&(all, slow, _)| 10 * slow < 9 * all);
        let (all, missing) = scattered.fold((0, 0.0), |sum, of| (sum.0 + of.0, sum.1 + of.2));
        5.0 * missing > all as f64
    }
}

/// The speeds of the uplinks of a place. An unknown speed counts as the most common one, the fastest of several.
fn of_siblings(speeds: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut speeds: Vec<u32> = speeds.collect();
    let votes = counted(speeds.iter().copied().filter(|&speed| speed != 0));
    let usual = votes.iter().max_by_key(|&(_, count)| count);
    let usual = usual.map_or(0, |(&speed, _)| speed);
    for speed in speeds.iter_mut().filter(|speed| **speed == 0) {
        *speed = usual;
    }
    speeds
}

/// The uplinks of each place.
pub fn places(design: &Design, inputs: &Inputs) -> Vec<Place> {
    let (costs, groups) = (&inputs.nominal.costs, &inputs.nominal.groups);
    let mut behind = vec![0; costs.switches()];
    for (column, nids) in inputs.destinations.runs() {
        behind[*column] += nids.len() as u32;
    }
    let all: u32 = behind.iter().sum();
    let places = (0..costs.switches() as u32).map(|s| {
        let ports = groups.up(s).iter();
        let ports = ports.flat_map(|g| groups.ports(g).iter().map(|&port| (port, g.remote)));
        let speeds = ports
            .clone()
            .map(|(port, _)| design.expected.speed(s, port));
        let speeds = of_siblings(speeds);
        let sources = own_and_below(inputs, s).map(|column| behind[column]).sum();
        let uplink = |((port, above), &speed)| Uplink { port, speed, above };
        Place {
            fastest: speeds.iter().copied().max().unwrap_or(0),
            uplinks: ports.zip(&speeds).map(uplink).collect(),
            sources,
            others: all - sources,
        }
    });
    places.collect()
}

/// The capacity of a link of this speed, as a part of the best one.
pub fn capacity(speed: u32, best: u32) -> f64 {
    f64::from(speed) / f64::from(best)
}

/// The levels, by rank.
pub fn levels(
    design: &Design,
    inputs: &Inputs,
    places: &[Place],
    best: u32,
) -> BTreeMap<u32, Level> {
    let mut levels: BTreeMap<u32, Level> = BTreeMap::new();
    for (s, place) in (0u32..).zip(places).filter(|(_, of)| of.fastest > 0) {
        let level = levels.entry(design.ranking.rank(s)).or_default();
        level.destinations += f64::from(place.others) / inputs.divider(s) as f64;
        level.sources = level.sources.max(place.sources.into());
        level.best = level.best.max(capacity(place.fastest, best));
        for (position, uplink) in place.uplinks.iter().enumerate() {
            let missing = 1.0 - capacity(uplink.speed, place.fastest);
            level.capacity += capacity(uplink.speed, best);
            level.most_missing = level.most_missing.max(missing);
            let of_position = level.positions.entry(position).or_default();
            of_position.0 += 1;
            of_position.1 += usize::from(missing > 0.0);
            of_position.2 += missing;
        }
    }
    levels
}

/// By place: the part that is left of the capacity above it.
pub fn left(design: &Design, places: &[Place], best: u32) -> Vec<f64> {
    let mut left = vec![1.0; places.len()];
    for &s in design.ranking.ascending().iter().rev() {
        let uplinks = &places[s as usize].uplinks;
        if !uplinks.is_empty() {
            let there = uplinks.iter();
            let there = there.map(|up| capacity(up.speed, best) * left[up.above as usize]);
            left[s as usize] = there.sum::<f64>() / uplinks.len() as f64;
        }
    }
    left
}

/// The columns at and below a place.
pub fn own_and_below(inputs: &Inputs, place: u32) -> impl Iterator<Item = usize> {
    let costs = &inputs.nominal.costs;
    let below = costs.columns_below(place).iter();
    let below = below.map(|&column| column as usize);
    below.chain([costs.column(place)])
}
