//! Random throws (the paper's section IV): the kind of fault that a throw makes, and how many pieces it hits.

use super::{Netlist, NotEnough};
use dmodc_fabric::random::Random;
use std::fmt;
use std::str::FromStr;

/// The equipment that a throw removes or slows down.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Equipment {
    /// Switches without end nodes are removed.
    #[default]
    Switches,
    /// Links between switches are removed.
    Links,
    /// Links between switches fall to a quarter of their speed.
    Slow,
}

const SLOW_LINK: f64 = 0.25;

/// All equipment: its name, and the words after the number of pieces hit.
const ALL: [(Equipment, &str, &str); 3] = [
    (Equipment::Switches, "switches", "switches removed"),
    (Equipment::Links, "links", "links removed"),
    (Equipment::Slow, "slow", "links at a quarter"),
];

impl Equipment {
    /// The words after the number of pieces hit.
    pub fn faults(self) -> &'static str {
        ALL[self as usize].2
    }

    /// The number of pieces in a netlist.
    pub fn pieces(self, netlist: &Netlist) -> usize {
        match self {
            Equipment::Switches => netlist.removable_switches(false).len(),
            Equipment::Links => netlist.links_between_switches().len(),
            Equipment::Slow => netlist.links_to_slow(SLOW_LINK).len(),
        }
    }

    /// The default of the paper's `m`: the greatest whole number for which no throw hits more than half of the pieces.
    pub fn default_exponent(self, netlist: &Netlist) -> f64 {
        (self.pieces(netlist) / 2 + 1).ilog2().into()
    }

    /// The netlist after a throw that hits `count` random pieces.
    pub fn hit(self, netlist: &Netlist, count: usize, seed: u64) -> Result<Netlist, NotEnough> {
        Ok(match self {
            Equipment::Switches => netlist.without_switches(count, seed, false)?.0,
            Equipment::Links => netlist.without_links(count, seed)?.0,
            Equipment::Slow => netlist.with_slow_links(count, SLOW_LINK, seed)?.0,
        })
    }
}

/// The number of pieces that throw `number` of the series of a seed hits, and the seed that chooses them.
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
