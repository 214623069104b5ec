//! Where displaced entries go.

use dmodc::lft::NO_PATH;
use std::collections::HashMap;

/// A port that leads nearer, and the ways up behind it.
pub type Port = (u8, u64);

/// Entries by residue class and port.
pub struct Load {
    divider: usize,
    entries: HashMap<(usize, u8), u64>,
}

/// Whose turn it is among ports that are equally good.
pub struct Turn {
    beyond: usize,
    position: u32,
}

impl Turn {
    /// `here` ways are told apart up to this switch's choice, `all` up to the top.
    pub fn new(nid: usize, here: usize, all: usize) -> Turn {
        let (here, all) = (here.max(1), all.max(1));
        let (within, beyond) = (nid % all / here, nid / all);
        let steps = |count: usize, step: u32| step.wrapping_mul(count as u32);
        // The golden ratio and the square roots of 2 and 3, in parts of 2^32.
        let position = match here == all {
            true => steps(beyond, 0xbb67_ae85),
            false => steps(within, 0x9e37_79b9).wrapping_add(steps(beyond, 0x6a09_e667)),
        };
        Turn { beyond, position }
    }
}

impl Load {
    pub fn new(divider: usize, slots: usize) -> Load {
        Load {
            divider: divider.min(slots).max(1),
            entries: HashMap::new(),
        }
    }

    pub fn count(&mut self, nid: usize, port: u8) {
        *self.entries.entry((nid % self.divider, port)).or_default() += 1;
    }

    /// The port for a displaced NID, which is counted.
    pub fn take(&mut self, nid: usize, open: &[Port], turn: Turn) -> u8 {
        let class = nid % self.divider;
        let load = |port: u8| 1 + self.entries.get(&(class, port)).copied().unwrap_or(0);
        let few = open.iter().any(|&(port, _)| load(port) < 64);
        let port = if few {
            let mut turned = open.to_vec();
            turned.rotate_left(turn.beyond % open.len().max(1));
            let mut best: Option<Port> = None;
            for (port, ways) in turned {
                if best.is_none_or(|(p, w)| load(port) * w < load(p) * ways) {
                    best = Some((port, ways));
                }
            }
            best.map_or(NO_PATH, |(port, _)| port)
        } else {
            let for_its_ways = |&(port, ways): &Port| (load(port) << 20) / ways;
            let least = open.iter().map(for_its_ways).min().unwrap_or(0);
            let near = open
                .iter()
                .filter(|port| 4 * for_its_ways(port) <= 5 * least);
            // Each port as often as it has ways.
            let turns: Vec<u8> = near
                .flat_map(|&(port, ways)| std::iter::repeat_n(port, ways as usize))
                .collect();
            let at = (u64::from(turn.position) * turns.len() as u64) >> 32;
            turns.get(at as usize).copied().unwrap_or(NO_PATH)
        };
        self.count(nid, port);
        port
    }
}

/// The port if it leads nearer, else the one with the greatest hash with the number.
pub fn stands_or_by_hash(port: u8, open: &[Port], number: usize) -> u8 {
    if open.iter().any(|&(p, _)| p == port) {
        return port;
    }
    let hash = |port: u8| {
        let hash = ((number as u64) << 24 | u64::from(port)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (hash ^ (hash >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 16
    };
    let best = open
        .iter()
        .map(|&(port, _)| port)
        .max_by_key(|&port| hash(port));
    best.unwrap_or(NO_PATH)
}
