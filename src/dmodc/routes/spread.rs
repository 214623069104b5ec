//! What cannot stay at its nominal port, spread over the candidates that there are.
//!
//! Consecutive NIDs that are equal modulo Π come to a switch from the same places, so what counts is
//! how many entries of one such residue class share a port, and how many ways there are further up
//! behind it: a displaced entry takes a port with the least `(entries of its class + 1) / ways`.
//! Counting all classes together is worse, since it ruins shifts and permutations.
//!
//! Where the ports carry many entries, all within a quarter of the least will do, and the NID alone
//! decides among these. Siblings that have lost the same link so send a node the same way, and do not
//! each make up for what a switch above has lost: with 100 links gone on 8,640 nodes the worst of five
//! throws has A2A 212 instead of 249. Where they carry few, that would cost shifts (SP 10 instead of 5).
//!
//! What has no slot (switch LIDs, end nodes above the leaves, extra LIDs) goes by the highest of some
//! hashes of number and port, which nobody else's coming or going changes.

use crate::dmodc::paths::Paths;
use crate::dmodc::tree::Group;
use crate::lft::NO_PATH;

/// The ports that may be taken for some destination.
pub struct Open {
    is_open: [bool; 256],
    /// The ports, by group, and the ways up behind each.
    ports: Vec<(u8, u64)>,
}

impl Default for Open {
    fn default() -> Self {
        Open {
            is_open: [false; 256],
            ports: Vec::new(),
        }
    }
}

impl Open {
    /// Opens the ports of some groups, and no others.
    pub fn set(&mut self, paths: &Paths, candidates: &[Group]) {
        self.is_open = [false; 256];
        self.ports.clear();
        for group in candidates {
            let ways = u64::from(paths.ways_up[group.remote as usize]);
            for &port in paths.groups.ports(group) {
                self.is_open[usize::from(port)] = true;
                self.ports.push((port, ways));
            }
        }
    }

    /// Whether a port may be taken.
    pub fn has(&self, port: u8) -> bool {
        self.is_open[usize::from(port)]
    }

    /// Whether none may.
    pub fn is_empty(&self) -> bool {
        self.ports.is_empty()
    }

    /// The port for a number of its own, with the greatest hash; [`NO_PATH`] if none is open.
    pub fn by_hash(&self, number: usize, offset: usize) -> u8 {
        let hash = |&&(port, _): &&(u8, u64)| {
            let all = (number as u64) << 24 | (offset as u64) << 8 | u64::from(port);
            let hash = all.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            (hash ^ (hash >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 16
        };
        let best = self.ports.iter().max_by_key(hash);
        best.map_or(NO_PATH, |&(port, _)| port)
    }
}

/// From so many entries on, loads within a quarter are equal.
const MANY: u64 = 64;

/// How many entries each port of a switch has, by residue class.
#[derive(Default)]
pub struct Load {
    of_port: Vec<u32>,
    divider: usize,
}

impl Load {
    /// Forgets all, for a switch of this divider and NIDs below `slots`.
    pub fn clear(&mut self, divider: usize, slots: usize) {
        self.divider = divider.min(slots).max(1);
        self.of_port.clear();
        self.of_port.resize(self.divider << 8, 0);
    }

    /// Counts the entries of consecutive NIDs from 0 on.
    pub fn count_all(&mut self, ports: &[u8]) {
        let classes = (0..self.divider).cycle();
        for (&port, class) in ports.iter().zip(classes) {
            self.of_port[class << 8 | usize::from(port)] += 1;
        }
    }

    /// Counts an entry.
    pub fn count(&mut self, nid: usize, port: u8) {
        self.of_port[(nid % self.divider) << 8 | usize::from(port)] += 1;
    }

    /// The port for a displaced NID, which is counted.
    pub fn take(&mut self, nid: usize, open: &Open, turn: Turn) -> u8 {
        let class = (nid % self.divider) << 8;
        let load = |port: u8| u64::from(self.of_port[class | usize::from(port)]) + 1;
        let fewest = open.ports.iter().map(|&(port, _)| load(port)).min();
        let best = match fewest {
            Some(fewest) if fewest < MANY => least_loaded(open, load, turn),
            _ => by_ways(open, load, turn),
        };
        self.count(nid, best);
        best
    }
}

/// The open port with the least load for its ways, the first of them from the one whose turn it is.
fn least_loaded(open: &Open, load: impl Fn(u8) -> u64, turn: Turn) -> u8 {
    let (after, first) = open.ports.split_at(turn.beyond % open.ports.len().max(1));
    let mut best = (NO_PATH, 1, 0);
    for &(port, ways) in first.iter().chain(after) {
        if best.0 == NO_PATH || load(port) * best.2 < best.1 * ways {
            best = (port, load(port), ways);
        }
    }
    best.0
}

/// One of the open ports whose load for its ways is within a quarter of the least, by turns, each as
/// often as it has ways.
fn by_ways(open: &Open, load: impl Fn(u8) -> u64, turn: Turn) -> u8 {
    let for_its_ways = |&(port, ways): &(u8, u64)| (load(port) << 20) / ways;
    let least = open.ports.iter().map(for_its_ways).min().unwrap_or(0);
    let near = || {
        open.ports
            .iter()
            .filter(|port| 4 * for_its_ways(port) <= 5 * least)
    };
    let all: u64 = near().map(|&(_, ways)| ways).sum();
    let mut at = (u64::from(turn.position) * all) >> 32;
    for &(port, ways) in near() {
        if at < ways {
            return port;
        }
        at -= ways;
    }
    NO_PATH
}

/// Whose turn it is among ports that are equally good. NIDs that go the same way further up get all
/// turns, and so do NIDs that follow one another.
#[derive(Clone, Copy)]
pub struct Turn {
    /// What is left of the NID when all ways up to the top have been told apart by it.
    beyond: usize,
    /// A place in a row of ports, in parts of 2^32.
    position: u32,
}

/// Steps that fill a circle evenly, however many are taken: the fractional parts of the golden ratio
/// and of the square roots of 2 and 3.
const STEPS: [u32; 3] = [0x9e37_79b9, 0x6a09_e667, 0xbb67_ae85];

impl Turn {
    /// The turn of a NID where `here` ways are told apart by what this switch chooses, and `all` by
    /// what those above it choose as well. The levels take steps of their own, or one that has chosen
    /// by the same NIDs would leave little choice to the next.
    pub fn new(nid: usize, here: usize, all: usize) -> Self {
        let (here, all) = (here.max(1), all.max(1));
        let (within, beyond) = (nid % all / here, nid / all);
        let steps = |count: usize, step: u32| (count as u32).wrapping_mul(step);
        let position = match all == here {
            true => steps(beyond, STEPS[2]),
            false => steps(within, STEPS[0]).wrapping_add(steps(beyond, STEPS[1])),
        };
        Turn { beyond, position }
    }
}
