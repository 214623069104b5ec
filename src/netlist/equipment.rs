//! Random throws (the paper's section IV): the kind of fault that a throw makes, and how many pieces it hits.

use super::{Netlist, NotEnough};
use crate::random::Random;
use std::fmt;
use std::str::FromStr;

/// What is removed or becomes slow.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Equipment {
    /// Switches that carry no end nodes go.
    #[default]
    Switches,
    /// Links between switches go.
    Links,
    /// Links between switches become slow: a quarter of what they were.
    Slow,
    /// All links of planes become slow: half of what they were.
    Planes,
}

/// What is left of the speed of slow links, and of slow planes.
const SLOW_LINK: f64 = 0.25;
const SLOW_PLANE: f64 = 0.5;

/// All equipment, with its name, and what has happened to it, after its number.
const ALL: [(Equipment, &str, &str); 4] = [
    (Equipment::Switches, "switches", "switches removed"),
    (Equipment::Links, "links", "links removed"),
    (Equipment::Slow, "slow", "links at a quarter"),
    (Equipment::Planes, "planes", "planes at half"),
];

impl Equipment {
    /// What has happened to the equipment, after its number.
    pub fn faults(self) -> &'static str {
        ALL[self as usize].2
    }

    /// Whether links become slow, and none goes.
    pub fn slows(self) -> bool {
        matches!(self, Equipment::Slow | Equipment::Planes)
    }

    /// How many pieces there are.
    pub fn pieces(self, netlist: &Netlist) -> usize {
        match self {
            Equipment::Switches => netlist.removable_switches(false).len(),
            Equipment::Links => netlist.links_between_switches().len(),
            Equipment::Slow => netlist.links_to_slow(SLOW_LINK).len(),
            Equipment::Planes => netlist.planes_to_slow(SLOW_PLANE).len(),
        }
    }

    /// The default of the paper's `m`: the greatest whole number for which no throw hits more than half of the pieces.
    pub fn default_exponent(self, netlist: &Netlist) -> f64 {
        (self.pieces(netlist) / 2 + 1).ilog2().into()
    }

    /// The netlist with some pieces hit.
    pub fn hit(self, netlist: &Netlist, count: usize, seed: u64) -> Result<Netlist, NotEnough> {
        Ok(match self {
            Equipment::Switches => netlist.without_switches(count, seed, false)?.0,
            Equipment::Links => netlist.without_links(count, seed)?.0,
            Equipment::Slow => netlist.with_slow_links(count, SLOW_LINK, seed)?.0,
            Equipment::Planes => netlist.with_slow_planes(count, SLOW_PLANE, seed)?.0,
        })
    }
}

/// How many pieces throw `number` of a series of this exponent and seed hits, and the seed of their choice.
pub fn removal(max_exponent: f64, seed: u64, number: u32) -> (usize, u64) {
    let mut random = Random::stream(seed, number.into());
    let u = random.below(1 << 53) as f64 / (1u64 << 53) as f64;
    let seed = random.below(usize::MAX) as u64;
    match number {
        0 => (0, seed),
        _ => (((max_exponent * u).exp2() - 1.0) as usize, seed),
    }
}

impl fmt::Display for Equipment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(ALL[*self as usize].1)
    }
}

impl FromStr for Equipment {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let found = ALL.into_iter().find(|(_, name, _)| *name == s);
        found.map(|(found, ..)| found).ok_or_else(|| {
            let all = ALL.map(|(_, name, _)| format!("'{name}'"));
            format!("'{s}' is none of {}", all.join(", "))
        })
    }
}
