//! Which link ends are drained, and what share of the destinations each slow link is there for.

use crate::dmodc::design::Design;
use crate::dmodc::options::{Capacity, Drained, Faults, Options};
use crate::dmodc::tree::{Groups, Links, Ranking};
use crate::fabric::{Fabric, Peer};
use std::collections::BTreeMap;

/// Steps of a share: a link of a quarter of the speed is there for three of eleven, one of a half for six. A prime, so
/// that the numbers of the destinations of a port, which are those of a residue, have all steps evenly.
pub const STEPS: usize = 11;

/// Shares count while at most one of so many uplinks of a level is slow. A2A over capacity, worst port, where one of
/// 20, 10 and 5 links is at a half (512 links, oversubscribed): 36, 46 and 58 by shares, 42 ignored.
const FEW: usize = 8;

/// A slow link, from its lower end.
struct Slow {
    end: End,
    /// The rank of that end, and the position among its uplinks.
    level: (u32, usize),
    steps: u16,
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
    /// Both ends of links that are there for some destinations, and for which steps, a bit each.
    share: BTreeMap<End, u16>,
    /// Slow links whose speeds count for nothing, since too many are.
    ignored: usize,
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
    /// speed, counts as what most of its siblings are. A link that is as fast as the fastest is there for all; one of
    /// speed a for Σ min(a, b) / Σ b of the destinations, over the speeds b of all uplinks: then all of them carry
    /// alike over capacity, if they are there for the same destinations.
    ///
    /// Which steps these are depends on the position among the uplinks. So where a plane is slow, its links are there
    /// for the same destinations everywhere; and where links of all planes are, most of them are there for each.
    ///
    /// Where more than one of [`FEW`] uplinks of a level is slow, planes that are slow throughout left out, speeds
    /// count for nothing: what both ends of a way leave is worse than what ignores them.
    pub fn share_out(
        &mut self,
        design: &Design,
        ranking: &Ranking,
        nominal: &Groups,
        options: &Options,
    ) {
        if options.capacity == Capacity::Ignore || options.faults == Faults::Paper {
            return;
        }
        if !design.expected.speeds_differ() {
            return;
        }
        let speed = |s: u32, port: u8| design.expected.speed(s, port);
        let uplinks_of = |s: u32| -> Vec<u8> {
            let ports = nominal.up(s).iter().flat_map(|g| nominal.ports(g));
            ports.copied().collect()
        };
        let places = 0..nominal.switches() as u32;
        let uneven: Vec<u32> = places
            .clone()
            .filter(|&s| {
                let ports = nominal.up(s).iter().flat_map(|g| nominal.ports(g));
                let mut known = ports.map(|&p| speed(s, p)).filter(|&speed| speed != 0);
                let first = known.next();
                known.any(|speed| Some(speed) != first)
            })
            .collect();
        if uneven.is_empty() {
            return;
        }
        let mut slow: Vec<Slow> = Vec::new();
        for &s in &uneven {
            let uplinks = uplinks_of(s);
            let speeds = of_siblings(uplinks.iter().map(|&port| speed(s, port)));
            let all: f64 = speeds.iter().map(|&b| f64::from(b)).sum();
            for (position, (&port, &a)) in uplinks.iter().zip(&speeds).enumerate() {
                let part: f64 = speeds.iter().map(|&b| f64::from(a.min(b))).sum();
                let share = (part / all * STEPS as f64).round() as usize;
                if share < STEPS {
                    let first = position * STEPS / uplinks.len();
                    let steps = (first..first + share.max(1)).map(|step| 1 << (step % STEPS));
                    let steps = steps.sum();
                    slow.push(Slow {
                        end: (s, port),
                        level: (ranking.rank(s), position),
                        steps,
                    });
                }
            }
        }
        // Uplinks of each level, by position.
        let mut uplinks: BTreeMap<(u32, usize), (usize, usize)> = BTreeMap::new();
        for s in places {
            for position in 0..uplinks_of(s).len() {
                uplinks.entry((ranking.rank(s), position)).or_default().0 += 1;
            }
        }
        for one in &slow {
            uplinks.entry(one.level).or_default().1 += 1;
        }
        let is_plane = |level: (u32, usize)| {
            let (all, slow) = uplinks[&level];
            10 * slow >= 9 * all
        };
        let is_few = |rank: u32| {
            let of_rank = uplinks.range((rank, 0)..=(rank, usize::MAX));
            let scattered = of_rank.filter(|&(&level, _)| !is_plane(level));
            let (all, slow) = scattered.fold((0, 0), |sum, (_, of)| (sum.0 + of.0, sum.1 + of.1));
            FEW * slow <= all
        };
        for Slow { end, level, steps } in slow {
            let Peer::Switch { index, port: far } = design.there.peer(end.0, end.1) else {
                continue;
            };
            if is_plane(level) || is_few(level.0) {
                self.share.insert(end, steps);
                self.share.insert((index, far), steps);
            } else {
                self.ignored += 1;
            }
        }
    }

    /// How many slow links carry like all others, since more than one of [`FEW`] of their level are slow.
    pub fn ignored(&self) -> usize {
        self.ignored
    }

    /// Whether any link is drained.
    pub fn any_drained(&self) -> bool {
        !self.drained.is_empty()
    }

    /// The links of which some are not there for all destinations, drained ones left out: for each such choice of
    /// links, the steps that have it, a bit each.
    pub fn bands(&self, links: &Links) -> Vec<(u16, Links)> {
        let mut of_gone: BTreeMap<Vec<End>, u16> = BTreeMap::new();
        for step in 0..STEPS {
            let gone = self
                .share
                .iter()
                .filter(|(_, steps)| *steps >> step & 1 == 0);
            let gone: Vec<End> = gone.map(|(&end, _)| end).collect();
            if !gone.is_empty() {
                *of_gone.entry(gone).or_default() |= 1 << step;
            }
        }
        let bands = of_gone.into_iter().map(|(gone, steps)| {
            let is_gone = |s, port| gone.binary_search(&(s, port)).is_ok();
            (steps, self.undrained(links).without(is_gone))
        });
        bands.collect()
    }

    /// The links that are not drained.
    pub fn undrained(&self, links: &Links) -> Links {
        links.without(|s, port| self.drained.binary_search(&(s, port)).is_ok())
    }
}
