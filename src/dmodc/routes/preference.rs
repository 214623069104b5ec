//! A displaced entry moves to the first available port of its list.
//!
//! The list has all nominal candidate ports and depends on the nominal fabric alone, so a further fault moves an
//! entry only if it takes the entry's own port. Siblings have the same list for a NID: siblings that have lost the same
//! link send a node by the same port.
//!
//! The ports stand in a circle, each as often as its nominal path count. The list starts at the nominal port. The
//! second port is an offset further on, computed from the part of the NID that the switches above do not use: so the
//! routes of a lost link spread evenly over the other ports, and over all paths behind each. From the third port on a
//! hash gives the offset: as good as counting there, and needed where most ports are lost.
//!
//! A destination without a slot (switch LIDs, end nodes above the leaves, further LIDs of a port), or without a nominal
//! candidate left, takes the port with the highest hash of number and port: a list as well.

use crate::dmodc::numbers::gcd;
use crate::dmodc::paths::Paths;
use crate::dmodc::tree::Group;
use crate::lft::NO_PATH;
use std::num::NonZeroU32;

/// The available ports for some destinations.
pub struct Open {
    is_open: [bool; 256],
    ports: Vec<u8>,
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
    /// Opens the ports of these groups alone.
    pub fn set<'g>(&mut self, paths: &Paths, candidates: impl Iterator<Item = &'g Group>) {
        self.is_open = [false; 256];
        self.ports.clear();
        for group in candidates {
            for &port in paths.groups.ports(group) {
                self.is_open[usize::from(port)] = true;
                self.ports.push(port);
            }
        }
    }

    /// The available ports.
    pub fn ports(&self) -> &[u8] {
        &self.ports
    }

    /// Whether a port is available.
    pub fn has(&self, port: u8) -> bool {
        self.is_open[usize::from(port)]
    }

    /// The available port with the greatest hash for a number; a port `taken` by other LIDs of the same destination
    /// port only if no other is available, [`NO_PATH`] if none is. With 12 of 120 links gone and two LIDs a port, both
    /// LIDs shared a link for 25 % of all pairs of hosts without this rule, for 17 % with it.
    pub fn by_hash(&self, number: usize, offset: usize, taken: &[u8]) -> u8 {
        let of = |port: u8| hash((number as u64) << 24 | (offset as u64) << 8 | u64::from(port));
        let rank = |port: &&u8| (!taken.contains(port), of(**port));
        self.ports
            .iter()
            .max_by_key(rank)
            .copied()
            .unwrap_or(NO_PATH)
    }
}

/// A hash of 48 bits.
pub fn hash(number: u64) -> u64 {
    let hash = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (hash ^ (hash >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 16
}

/// The circle of nominal candidate ports of a switch for some destinations.
#[derive(Default)]
pub struct Ring {
    /// By group: each port, and how often it stands in the circle.
    ports: Vec<(u8, u32)>,
    /// Where each group starts, and its size.
    groups: Vec<(usize, usize)>,
    /// Number of positions in the circle.
    positions: u64,
}

impl Ring {
    /// Sets the candidates.
    pub fn set<'g>(
        &mut self,
        nominal: &Paths,
        candidates: impl Iterator<Item = &'g Group> + Clone,
    ) {
        self.ports.clear();
        self.groups.clear();
        let count = |group: &Group| nominal.path_counts[group.remote as usize];
        let all = candidates.clone().map(|group| u64::from(count(group)));
        let common = all.fold(0, gcd).max(1) as u32;
        for group in candidates {
            self.groups.push((self.ports.len(), group.size()));
            let ports = nominal.groups.ports(group).iter();
            self.ports
                .extend(ports.map(|&port| (port, count(group) / common)));
        }
        let positions = self
            .ports
            .iter()
            .map(|&(_, positions)| u64::from(positions));
        self.positions = positions.sum();
    }

    /// Number of ports.
    pub fn len(&self) -> usize {
        self.ports.len()
    }

    /// The first available port of a list, its nominal port left out: `q` is the quotient of equations (3) and (4),
    /// `offset` the offset of the second port. `None` if no such port is available.
    pub fn first_open(&self, q: usize, offset: usize, open: &Open) -> Option<u8> {
        if open.ports.is_empty() {
            return None;
        }
        let groups = self.groups.len();
        let (start, size) = *self.groups.get(q.checked_rem(groups)?)?;
        let mut at = start + q / groups % size;
        let ports = self.ports.len();
        if self.positions == ports as u64 && ports > 1 {
            // One position for each port: no count of them. Saves a seventh of the routes of a degraded fabric.
            let (second, _) = self.ports[(at + 1 + offset % (ports - 1)) % ports];
            if open.has(second) {
                return Some(second);
            }
        }
        let mut tried = [false; 256];
        let mut positions = self.positions;
        for nth in 1.. {
            tried[at] = true;
            positions -= u64::from(self.ports[at].1);
            let further = match nth {
                _ if positions == 0 => break,
                1 => offset as u64 % positions,
                _ => hash((offset as u64) << 8 | nth) % positions,
            };
            at = self.after(at, further, &tried);
            if open.has(self.ports[at].0) {
                return Some(self.ports[at].0);
            }
        }
        None
    }

    /// The port this many positions after another, skipping ports already tried.
    fn after(&self, mut at: usize, mut further: u64, tried: &[bool; 256]) -> usize {
        loop {
            at = if at + 1 == self.ports.len() {
                0
            } else {
                at + 1
            };
            if !tried[at] {
                let positions = u64::from(self.ports[at].1);
                if further < positions {
                    return at;
                }
                further -= positions;
            }
        }
    }
}

/// The offsets of the lists of one switch.
pub struct Digits {
    divider: NonZeroU32,
    /// Π times the number of the switch's ports up, and Π times its path count.
    here: NonZeroU32,
    all: NonZeroU32,
}

impl Digits {
    /// The offsets at a switch with this divider.
    pub fn new(nominal: &Paths, switch: u32, divider: usize) -> Self {
        let up = nominal.groups.up(switch).iter();
        let ports = up.map(|g| g.size() as u32).sum();
        let times = |count: u32| NonZeroU32::new((divider as u32).saturating_mul(count));
        Digits {
            divider: times(1).unwrap_or(NonZeroU32::MIN),
            here: times(ports).unwrap_or(NonZeroU32::MIN),
            all: times(nominal.path_counts[switch as usize]).unwrap_or(NonZeroU32::MIN),
        }
    }

    /// The digits of a NID: the switch's own choice, the choices of the switches above, and the rest.
    pub fn of(&self, nid: usize) -> [usize; 3] {
        // 32 bits hold a NID, and these divisions are a tenth of the routes of a degraded fabric.
        let nid = nid as u32;
        let digits = [
            nid % self.here / self.divider,
            nid % self.all / self.here,
            nid / self.all,
        ];
        digits.map(|digit| digit as usize)
    }

    /// How many of so many NIDs share one path up, at most.
    pub fn per_path(&self, nids: usize) -> usize {
        nids.div_ceil(self.all.get() as usize)
    }

    /// The offset of a NID. NIDs with the same path further up get all offsets, and so do consecutive NIDs; the last
    /// term separates levels with equally many ports.
    pub fn offset(&self, nid: usize) -> usize {
        let [_, above, beyond] = self.of(nid);
        above + beyond + (beyond as u32 / self.divider) as usize
    }
}
