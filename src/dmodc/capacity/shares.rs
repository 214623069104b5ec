//! Shares: for how many destinations a slow link exists.
//!
//! Shares follow from the nominal uplinks of each place. An uplink that has lost its link, or whose speed is unknown,
//! counts as fast as most of its siblings. The fastest uplinks of a place exist for all destinations; an uplink of
//! speed a exists for Σ min(a, b) / Σ b of the destinations whose nominal port it is, over the speeds b of all uplinks
//! of the place: then all uplinks carry the same load over capacity.
//!
//! All slow links exist for the destinations of the lowest steps, equally fast uplinks of a place for the same steps:
//! so the destinations that a slow link gives up move to no link that is as slow.
//!
//! All S hosts of a leaf send over each of its uplinks, so the A2A of an uplink over its capacity c is S/c, as long as
//! it has S destinations or more. Where S/c is more than 1.2 times the bound of the fabric, the uplink has no more
//! destinations than the bound allows.
//!
//! Destinations that leaves give up by different ports come up everywhere in their pod. So where slow links take much
//! of the capacity of a level, or are nearly as fast as the others, the shares of leaves follow the capacity that is
//! left above their neighbours alone, in which all leaves of a pod agree. Uplinks of upper switches then give up
//! nothing on the way down: else these routes come by the few whole links of the far pod.

use super::steps::{STEPS, nominal_by_step, share_of};
use super::uplinks::{Level, Place, Uplink, capacity, left, levels, places};
use crate::dmodc::design::Design;
use crate::dmodc::routes::Inputs;
use crate::fabric::Peer;
use std::collections::BTreeMap;

/// A port of a place that leads to another place, as (place, port).
pub type End = (u32, u8);

/// Binary digits of shares. Each share that occurs costs a computation of the routes. With few different shares, the
/// destinations that one slow link gives up find the others lost too.
const DIGITS: u32 = 2;

/// The same where slow links take much of the capacity. With three, the fast one of eight uplinks had 50 destinations
/// where 37 are its part; with three at leaves, A2A of 8,640 nodes with half of the links at a half was 211, not 153.
const DIGITS_IF_SHORT: u32 = 5;

/// The weight of an uplink with its whole capacity; others have a part of it.
const WHOLE: f64 = 1000.0;

/// What the shares of the uplinks of a place follow.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// Their speeds.
    Speed,
    /// Their speeds and the capacity left above them: slow links take much of a level.
    SpeedAndLeft,
    /// The capacity left above them alone, in which all leaves of a pod agree.
    Left,
}

/// The uplinks of all places, from which the shares of slow links follow.
pub struct Uplinks<'d> {
    design: &'d Design,
    inputs: &'d Inputs,
    places: Vec<Place>,
    best: u32,
    levels: BTreeMap<u32, Level>,
    /// By place: the part that is left of the capacity above it.
    left: Vec<f64>,
}

impl<'d> Uplinks<'d> {
    /// The nominal uplinks of a design.
    pub fn of_all(design: &'d Design, inputs: &'d Inputs) -> Self {
        let places = places(design, inputs);
        let best = places.iter().map(|place| place.fastest).max().unwrap_or(0);
        let best = best.max(1);
        Uplinks {
            design,
            inputs,
            best,
            levels: levels(design, inputs, &places, best),
            left: left(design, &places, best),
            places,
        }
    }

    /// The capacity of a link of this speed.
    fn capacity(&self, speed: u32) -> f64 {
        capacity(speed, self.best)
    }

    /// The shares of the ends of slow links, in steps. An end without a share exists for all destinations.
    pub fn shares(&self) -> BTreeMap<End, usize> {
        let mut shares = BTreeMap::new();
        let bound = self.levels.values().map(Level::bound).fold(0.0, f64::max);
        let come = self.come();
        for (s, &come) in (0u32..).zip(&come) {
            self.add_of(s, bound, come, &mut shares);
        }
        shares.retain(|_, share| *share < STEPS);
        shares
    }

    /// Whether no switch is below a place.
    fn is_bottom(&self, s: u32) -> bool {
        self.inputs.nominal.groups.down(s).is_empty()
    }

    /// The rule for the uplinks of a place.
    fn rule(&self, s: u32) -> Rule {
        let mut levels = self.levels.range(self.design.ranking.rank(s)..);
        let place = &self.places[s as usize];
        let is_root = |s: u32| self.places[s as usize].uplinks.is_empty();
        if !levels.any(|(_, level)| level.is_short()) {
            Rule::Speed
        } else if place.is_source_bound(self.inputs.divider(s))
            && !place.uplinks.iter().any(|up| is_root(up.above))
        {
            Rule::Left
        } else {
            Rule::SpeedAndLeft
        }
    }

    /// The weights of the uplinks of a place.
    fn weights(&self, s: u32, rule: Rule) -> Vec<u32> {
        let weight = |up: &Uplink| {
            let left = WHOLE * self.left[up.above as usize];
            match rule {
                Rule::Speed => up.speed,
                Rule::SpeedAndLeft => (left * self.capacity(up.speed)).round() as u32,
                Rule::Left => left.round() as u32,
            }
        };
        self.places[s as usize].uplinks.iter().map(weight).collect()
    }

    /// By place: the number of destinations that leaves send there, as a part of the nominal number. Without this
    /// factor, the slow ones of eight uplinks had 19 destinations and the fast one 18.
    fn come(&self) -> Vec<f64> {
        let mut come = vec![(0.0, 0); self.places.len()];
        for s in (0..self.places.len() as u32).filter(|&s| self.is_bottom(s)) {
            let weights = self.weights(s, self.rule(s));
            let mean = weights.iter().sum::<u32>() as f64 / weights.len() as f64;
            for (up, weight) in self.places[s as usize].uplinks.iter().zip(weights) {
                let (sum, links) = &mut come[up.above as usize];
                *sum += f64::from(weight) / mean.max(1.0);
                *links += 1;
            }
        }
        let part = |(place, (sum, links)): (u32, (f64, u32))| match links {
            1.. if self.rule(place) != Rule::Speed => sum / f64::from(links),
            _ => 1.0,
        };
        (0..).zip(come).map(part).collect()
    }

    /// Adds the shares of the uplinks of a place, to which leaves send the part `come` of its nominal destinations.
    fn add_of(&self, s: u32, bound: f64, come: f64, shares: &mut BTreeMap<End, usize>) {
        let place = &self.places[s as usize];
        let rule = self.rule(s);
        let weights = self.weights(s, rule);
        let heaviest = weights.iter().copied().max().unwrap_or(0);
        if weights.iter().all(|&weight| weight == heaviest) {
            return;
        }
        let counts = nominal_by_step(self.inputs, s);
        let sum: f64 = weights.iter().map(|&b| f64::from(b)).sum();
        let is_short = rule != Rule::Speed;
        let sources = f64::from(place.sources);
        for ((up, own), &a) in place.uplinks.iter().zip(&counts).zip(&weights) {
            let Peer::Switch { index, port: far } = self.design.there.peer(s, up.port) else {
                continue;
            };
            if a == heaviest {
                continue;
            }
            // Links of one weight have one share; else what one gives up would go to another.
            let alike = weights.iter().zip(&counts).filter(|&(&b, _)| b == a);
            let alike: Vec<&[[u32; STEPS]; 2]> = alike.map(|(_, counts)| counts).collect();
            let links = alike.len() as f64;
            let all = |way: usize| {
                let mut all = [0; STEPS];
                for counts in &alike {
                    all.iter_mut()
                        .zip(&counts[way])
                        .for_each(|(sum, of)| *sum += of);
                }
                (all, f64::from(all.iter().sum::<u32>()))
            };
            let ((above, all_above), (below, all_below)) = (all(0), all(1));
            let part = weights.iter().map(|&b| f64::from(a.min(b))).sum::<f64>() / sum;
            let is_source_bound = rule != Rule::Left && sources < all_above / links;
            let most = bound * self.capacity(up.speed);
            let is_near = sources <= 1.2 * most;
            if is_short && is_source_bound && is_near {
                continue;
            }
            let (digits, rounding) = match is_short {
                true => (DIGITS_IF_SHORT, 0.5),
                false => (DIGITS, 0.0),
            };
            let mut share = share_of(&above, come * part * all_above + links * rounding, digits);
            let is_bottom = rule != Rule::Left && self.is_bottom(s);
            if (is_source_bound || is_bottom) && !is_near {
                let shares = alike.iter().map(|[up, _]| share_of(up, most, DIGITS));
                share = shares.fold(share, usize::min);
            }
            if is_source_bound || !is_short || is_bottom && 2 * a < heaviest {
                // However few destinations come down by it, the link keeps one on the way up.
                let least = share_of(&own[0], 0.0, digits);
                let down = share_of(&below, (part * all_below).ceil(), digits);
                share = share.min(down.max(least));
                shares.insert((index, far), share);
            }
            shares.insert((s, up.port), share);
        }
    }
}
