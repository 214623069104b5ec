//! All switches and uplinks that are known: those that are there, and those that the reference adds.
//!
//! Invariant: the groups of a switch stand in the order of their parents ([`Model::order`]), their ports ascending.
//! Links within a rank are no uplinks. Cost: linear in the links.

use super::reference::{Model, Reference, Was};
use crate::ids::{BySwitch, SwitchId};
use crate::tree::{Groups, Ranking};
use dmodc_fabric::{Fabric, PortNumber};
use std::ops::Range;

/// All links between a switch and one parent.
#[derive(Clone, Debug)]
pub struct UpGroup {
    /// The switch.
    pub child: SwitchId,
    /// Its parent.
    pub parent: SwitchId,
    /// The lowest port of the parent that leads to the switch: it names the slot.
    pub slot_port: u8,
    ports: Range<u32>,
}

/// All known switches, and their uplinks.
pub struct Known<'f> {
    pub fabric: &'f Fabric,
    pub ranking: &'f Ranking,
    pub groups: &'f Groups,
    pub reference: Reference,
    up: Vec<UpGroup>,
    /// Ports of the groups, and whether the link is up.
    ports: Vec<(u8, bool)>,
    /// By switch: where its groups start in `up`.
    start: BySwitch<u32>,
    /// The groups by parent, and where each parent's start.
    down: Vec<u32>,
    down_start: BySwitch<u32>,
}

impl<'f> Known<'f> {
    /// Collects the uplinks.
    pub fn new(
        fabric: &'f Fabric,
        ranking: &'f Ranking,
        groups: &'f Groups,
        reference: Reference,
    ) -> Self {
        let mut known = Known {
            fabric,
            ranking,
            groups,
            reference,
            up: Vec::new(),
            ports: Vec::new(),
            start: BySwitch::default(),
            down: Vec::new(),
            down_start: BySwitch::default(),
        };
        // Parent, port, port of the parent, whether it is up.
        let mut links: Vec<(SwitchId, u8, u8, bool)> = Vec::new();
        for s in known.switches() {
            links.clear();
            if known.is_there(s) {
                for group in groups.parents(s) {
                    let far = |port: u8| fabric.far(s, PortNumber(port)).map_or(0, |far| far.1.0);
                    let ports = groups.ports(group).iter();
                    links.extend(ports.map(|&port| (group.remote, port, far(port), true)));
                }
            }
            let there = links.len();
            for dark in known.reference.dark_of(s) {
                if let Was::Switch(parent, far) = dark.was
                    && known.rank(parent) > known.rank(s)
                {
                    links.push((parent, dark.port, far, false));
                }
            }
            if links.len() > there {
                links.sort_unstable_by_key(|&(parent, port, ..)| {
                    (known.order(parent), parent, port)
                });
            }
            known.start.push(known.up.len() as u32);
            for group in links.chunk_by(|a, b| a.0 == b.0) {
                let first = known.ports.len() as u32;
                known
                    .ports
                    .extend(group.iter().map(|&(_, port, _, is_up)| (port, is_up)));
                known.up.push(UpGroup {
                    child: s,
                    parent: group[0].0,
                    slot_port: group.iter().map(|link| link.2).min().unwrap_or(0),
                    ports: first..known.ports.len() as u32,
                });
            }
        }
        known.start.push(known.up.len() as u32);
        known.sort_by_parent();
        known
    }

    fn sort_by_parent(&mut self) {
        let mut next = vec![0u32; self.switches().len() + 1];
        for group in &self.up {
            next[usize::from(group.parent) + 1] += 1;
        }
        for at in 1..next.len() {
            next[at] += next[at - 1];
        }
        self.down_start = next.clone().into();
        self.down = vec![0; self.up.len()];
        for (at, group) in (0..).zip(&self.up) {
            let to = &mut next[usize::from(group.parent)];
            self.down[*to as usize] = at;
            *to += 1;
        }
    }

    /// All switches, those that are gone last.
    pub fn switches(&self) -> impl ExactSizeIterator<Item = SwitchId> + Clone + use<> {
        self.reference.switches.keys()
    }

    /// All leaves.
    pub fn leaves(&self) -> impl Iterator<Item = SwitchId> {
        self.switches().filter(|&s| self.model(s).is_leaf)
    }

    /// Whether a switch is there.
    pub fn is_there(&self, s: SwitchId) -> bool {
        usize::from(s) < self.fabric.switches().len()
    }

    /// A switch, as it is or was.
    pub fn model(&self, s: SwitchId) -> &Model {
        &self.reference.switches[s]
    }

    /// The rank of a switch.
    pub fn rank(&self, s: SwitchId) -> u32 {
        self.model(s).rank
    }

    /// See [`Model::order`].
    pub fn order(&self, s: SwitchId) -> (u32, u64) {
        self.model(s).order
    }

    /// All groups of uplinks, by child.
    pub fn all_up(&self) -> &[UpGroup] {
        &self.up
    }

    /// The range of a switch's groups in [`Known::all_up`].
    pub fn range_up(&self, s: SwitchId) -> Range<usize> {
        let at = usize::from(s);
        self.start.raw[at] as usize..self.start.raw[at + 1] as usize
    }

    /// The groups of a switch.
    pub fn up(&self, s: SwitchId) -> &[UpGroup] {
        &self.up[self.range_up(s)]
    }

    /// The groups of the children of a switch, each with its index in [`Known::all_up`].
    pub fn down(&self, s: SwitchId) -> impl ExactSizeIterator<Item = (usize, &UpGroup)> + Clone {
        let at = usize::from(s);
        let range = self.down_start.raw[at] as usize..self.down_start.raw[at + 1] as usize;
        let groups = self.down[range].iter();
        groups.map(|&at| (at as usize, &self.up[at as usize]))
    }

    /// The ports of a group, ascending, and whether each is up.
    pub fn ports(&self, group: &UpGroup) -> &[(u8, bool)] {
        &self.ports[group.ports.start as usize..group.ports.end as usize]
    }

    /// The lowest port of a group: it names the plane.
    pub fn plane_port(&self, group: &UpGroup) -> u8 {
        self.ports(group)[0].0
    }

    /// The number of known ranks.
    pub fn ranks(&self) -> u32 {
        self.switches().map(|s| self.rank(s) + 1).max().unwrap_or(0)
    }
}
