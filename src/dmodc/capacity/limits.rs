//! Which link ends are drained, and what share of the destinations each slow link is there for.

use crate::dmodc::design::Design;
use crate::dmodc::options::{Capacity, Drained, Faults, Options};
use crate::dmodc::tree::{Groups, Links};
use crate::fabric::{Fabric, Peer};
use std::collections::BTreeMap;

/// Steps of a share. A step is what a flapping link may move of the others at its switch; sixteen come within 2 % of
/// the even share where a plane of EDR stands beside planes of HDR, eight within 9 %.
pub const STEPS: u8 = 16;

/// A port of a place that leads to another.
type End = (u32, u8);

/// The links that are not there for all destinations.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Both ends of drained links, ascending.
    drained: Vec<End>,
    /// Both ends of links that are there for some destinations, and for how many steps: fewer than [`STEPS`].
    share: BTreeMap<End, u8>,
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
            share: BTreeMap::new(),
        }
    }

    /// Finds the shares of slow links, by the nominal uplinks of each place. What has lost its link, or does not say
    /// its speed, counts as what most of its siblings are.
    ///
    /// All uplinks of a switch carry alike over capacity: for a destination of the lowest steps all of them are
    /// there, then all but the slowest, and so on. Let a₁ < a₂ < … be the capacities, A the sum over the n uplinks.
    /// The slowest are there for c₁ = n a₁ / A of the destinations, the next for c₂ = c₁ + n₂ (a₂ − a₁) / A, where
    /// n₂ uplinks are faster than a₁; the fastest for all.
    pub fn share_out(&mut self, design: &Design, nominal: &Groups, options: &Options) {
        if options.capacity == Capacity::Ignore || options.faults == Faults::Paper {
            return;
        }
        let mut ports: Vec<(u32, u8)> = Vec::new();
        for s in 0..nominal.switches() as u32 {
            ports.clear();
            let uplinks = nominal.up(s).iter().flat_map(|g| nominal.ports(g));
            ports.extend(uplinks.map(|&port| (design.expected.speed(s, port), port)));
            let mut known = ports.iter().map(|p| p.0).filter(|&speed| speed != 0);
            let Some(first) = known.next() else { continue };
            if known.all(|speed| speed == first) {
                continue;
            }
            self.share_out_of(design, s, &mut ports);
        }
    }

    /// Shares out the uplinks of one place: speed, 0 if it is not known, and port.
    fn share_out_of(&mut self, design: &Design, s: u32, ports: &mut [(u32, u8)]) {
        let mut votes: BTreeMap<u32, usize> = BTreeMap::new();
        for &(speed, _) in ports.iter().filter(|p| p.0 != 0) {
            *votes.entry(speed).or_default() += 1;
        }
        // The fastest of several.
        let usual = votes.iter().max_by_key(|&(_, count)| count);
        let usual = usual.map_or(0, |(&speed, _)| speed);
        for (speed, _) in ports.iter_mut().filter(|p| p.0 == 0) {
            *speed = usual;
        }
        ports.sort_unstable();
        let all: f64 = ports.iter().map(|&(speed, _)| f64::from(speed)).sum();
        let (mut share, mut slower, mut left) = (0.0, 0, ports.len());
        for alike in ports.chunk_by(|a, b| a.0 == b.0) {
            share += left as f64 * f64::from(alike[0].0 - slower) / all;
            (slower, left) = (alike[0].0, left - alike.len());
            let steps = ((share * f64::from(STEPS)).round() as u8).max(1);
            for &(_, port) in alike.iter().filter(|_| left > 0 && steps < STEPS) {
                if let Peer::Switch { index, port: far } = design.there.peer(s, port) {
                    self.share.insert((s, port), steps);
                    self.share.insert((index, far), steps);
                }
            }
        }
    }

    /// Whether any link is drained.
    pub fn any_drained(&self) -> bool {
        !self.drained.is_empty()
    }

    /// The steps, ascending, from which on some link is not there any more.
    pub fn steps(&self) -> Vec<u8> {
        let mut steps: Vec<u8> = self.share.values().copied().collect();
        steps.sort_unstable();
        steps.dedup();
        steps
    }

    /// The links that are there for destinations of a step, drained ones left out.
    pub fn links(&self, links: &Links, step: u8) -> Links {
        links.without(|s, port| {
            self.drained.binary_search(&(s, port)).is_ok()
                || self
                    .share
                    .get(&(s, port))
                    .is_some_and(|&share| share <= step)
        })
    }
}
