//! The role table: for each kind of switch and each port, how many members use it up, otherwise, or not at all.
//!
//! A *kind* is (rank, leaf or not, number of ports, odd, width). The width is the usual number of links to a child; of
//! a switch without children, that of its parents: pods of two generations spread numbers over other numbers of
//! groups, and one lost link changes no width. A switch is odd if fewer than three quarters of its uplinks are at
//! usual uplink ports of its kind; then switches are counted again, since votes of an odd switch would blur the table
//! of the others.
//!
//! Invariant: each known switch has one kind, kinds are in the order of their keys, which depends on no GUID. Links
//! within a rank are no uplinks. Cost: two passes over the ports at most.

use super::known::Known;
use super::reference::Was;
use crate::ids::{BySwitch, KindId, SwitchId};
use crate::spread::most_common;
use dmodc_fabric::Peer;
use typed_index_collections::TiVec;

/// How many members of a kind use a port, by its role.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Uses {
    /// For an uplink.
    pub up: u32,
    /// For a link down, or within the rank, or for an end node.
    pub other: u32,
}

impl Uses {
    /// How many members use the port at all.
    pub fn all(self) -> u32 {
        self.up + self.other
    }
}

/// The dividers of a kind. They saturate: beyond the number of nodes every quotient is 0 anyway.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dividers {
    /// Π: groups of the ranks below.
    pub below: u32,
    /// Π times the ports up.
    pub here: u32,
    /// `here` times the ways further up.
    pub ways: u32,
}

/// A kind of switches.
#[derive(Clone, Debug, Default)]
pub struct Kind {
    pub rank: u32,
    pub members: u32,
    /// By port number; port 0 is used by nobody.
    pub uses: Vec<Uses>,
    /// Whether the planes of parents are known.
    pub has_planes: bool,
    /// By port: its leader, if an uplink is expected there.
    pub expected: Vec<Option<u8>>,
    pub dividers: Dividers,
}

impl Kind {
    /// Ports and leaders of all expected uplinks, ascending.
    pub fn uplinks(&self) -> impl Iterator<Item = (u8, u8)> {
        let ports = (0..=u8::MAX).zip(&self.expected);
        ports.filter_map(|(port, leader)| Some((port, (*leader)?)))
    }
}

/// All kinds.
#[derive(Clone, Debug, Default)]
pub struct Kinds {
    pub of_switch: BySwitch<KindId>,
    pub kinds: TiVec<KindId, Kind>,
}

/// The key of a kind.
type Key = (u32, bool, u8, bool, usize);

impl Kinds {
    /// The kind of a switch.
    pub fn of_switch(&self, s: SwitchId) -> &Kind {
        &self.kinds[self.of_switch[s]]
    }

    /// Counts all known switches and ports.
    pub fn new(known: &Known) -> Self {
        let widths = widths(known);
        let model = |s| {
            let model = known.model(s);
            (model.rank, model.is_leaf, model.ports, false, widths[s])
        };
        let mut keys: BySwitch<Key> = known.switches().map(model).collect();
        let counted = Self::by_key(known, &keys);
        let mut any_odd = false;
        for s in known.switches() {
            let uses = &counted.of_switch(s).uses;
            let usual = most_used(uses);
            let (mut all, mut at_usual) = (0, 0);
            for group in known.up(s) {
                for &(port, _) in known.ports(group) {
                    all += 1;
                    at_usual += usize::from(2 * uses[usize::from(port)].up >= usual);
                }
            }
            // One cable at another port makes nobody odd.
            keys[s].3 = 4 * at_usual < 3 * all && all > at_usual + 1;
            any_odd |= keys[s].3;
        }
        match any_odd {
            true => Self::by_key(known, &keys),
            false => counted,
        }
    }

    fn by_key(known: &Known, keys: &BySwitch<Key>) -> Self {
        let mut distinct = keys.raw.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let kind = |key: &Key| KindId::from(distinct.partition_point(|known| known < key));
        let empty = |&(rank, _, ports, ..): &Key| Kind {
            rank,
            uses: vec![Uses::default(); usize::from(ports) + 1],
            expected: vec![None; usize::from(ports) + 1],
            ..Kind::default()
        };
        let mut counted = Kinds {
            of_switch: keys.iter().map(kind).collect(),
            kinds: distinct.iter().map(empty).collect(),
        };
        for s in known.switches() {
            let kind = &mut counted.kinds[counted.of_switch[s]];
            kind.members += 1;
            if known.is_there(s) {
                for (uses, peer) in kind.uses[1..].iter_mut().zip(known.fabric.peers_of(s)) {
                    match *peer {
                        Peer::None => {}
                        Peer::Switch { index, .. } if known.ranking.rank(index) > kind.rank => {
                            uses.up += 1;
                        }
                        Peer::Switch { .. } | Peer::EndNode(_) => uses.other += 1,
                    }
                }
            }
            for dark in known.reference.dark_of(s) {
                let uses = &mut kind.uses[usize::from(dark.port)];
                match dark.was {
                    Was::Switch(to, _) if known.rank(to) > kind.rank => uses.up += 1,
                    Was::Switch(..) | Was::Host(_) => uses.other += 1,
                }
            }
        }
        counted
    }
}

/// The widths of all switches.
fn widths(known: &Known) -> BySwitch<usize> {
    let below = |s| {
        let links = known.down(s).map(|(_, group)| known.ports(group).len());
        most_common(&mut links.collect::<Vec<_>>()).0
    };
    let below: BySwitch<usize> = known.switches().map(below).collect();
    let width = |s| {
        let parents = known.up(s).iter().map(|group| below[group.parent]);
        match known.down(s).len() {
            0 => most_common(&mut parents.collect::<Vec<_>>()).0,
            _ => below[s],
        }
    };
    known.switches().map(width).collect()
}

/// How many members use the most used uplink port.
pub fn most_used(uses: &[Uses]) -> u32 {
    uses.iter().map(|uses| uses.up).max().unwrap_or(0)
}
