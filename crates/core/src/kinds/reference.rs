//! What was up before: the part of a reference that the fabric lacks.
//!
//! A reference is the fabric as designed, or as it was. Of it counts what is dark now: switches that are gone, and the
//! former use of dark ports. Both are counted in the role tables beside what is up, where majorities decide; so a wrong
//! cable of the reference is outvoted. There is no second fabric.
//!
//! Invariant: a port has one use: what is up, else what the reference has there. A link of the reference is dark if both
//! its ends are dark or gone. A switch is gone if most ports to which it was cabled are dark; else it was taken out.
//! Cost: one pass over the ports of the reference.

use crate::ids::{BySwitch, SwitchId};
use crate::tree::Ranking;
use dmodc_fabric::{EndNode, Fabric, Guid, Lid, NodeKind, Peer, PortNumber, known_boxes};
use std::collections::BTreeSet;

/// A switch as it is, or as it was if it is gone.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    pub rank: u32,
    pub is_leaf: bool,
    /// Its number of ports.
    pub ports: u8,
    /// Orders all switches where ports do not tell: by the reference first, so that a replaced box keeps its place.
    pub order: (u32, u64),
}

impl Model {
    fn new(fabric: &Fabric, ranking: &Ranking, s: SwitchId) -> Self {
        let switch = &fabric.switches()[s];
        Model {
            rank: ranking.rank(s),
            is_leaf: ranking.is_leaf(s),
            ports: switch.ports,
            order: (switch.era, switch.key),
        }
    }
}

/// A dark port.
#[derive(Clone, Copy, Debug)]
pub struct Dark {
    /// The switch, which may be gone.
    pub switch: SwitchId,
    /// Its port.
    pub port: u8,
    /// What was at the other end.
    pub was: Was,
}

/// What was at the other end of a dark port.
#[derive(Clone, Copy, Debug)]
pub enum Was {
    /// A switch, at this port.
    Switch(SwitchId, u8),
    /// A host with this GUID.
    Host(Guid),
}

/// A fabric, and what a reference adds to it.
#[derive(Clone, Debug)]
pub struct Reference {
    /// Switches that are gone follow those of the fabric.
    pub switches: BySwitch<Model>,
    /// Dark ports, ascending by switch and port.
    pub dark: Vec<Dark>,
}

impl Reference {
    /// Compares a fabric with its reference; both have levels.
    pub fn new(
        (fabric, ranking): (&Fabric, &Ranking),
        reference: Option<(&Fabric, &Ranking)>,
    ) -> Self {
        let own = fabric.switches().keys();
        let mut switches: BySwitch<Model> = own.map(|s| Model::new(fabric, ranking, s)).collect();
        let mut dark = Vec::new();
        let Some((before, ranking)) = reference else {
            return Reference { switches, dark };
        };
        let eras = before.switches().iter().map(|s| s.era);
        let newer = eras.max().map_or(0, |era| era.saturating_add(1));
        // By switch of the reference: the same one now.
        let mut now: BySwitch<Option<SwitchId>> = vec![None; before.switches().len()].into();
        for (s, known) in known_boxes(fabric, before).into_iter_enumerated() {
            let order = &mut switches[s].order;
            match known {
                Some(r) => {
                    *order = Model::new(before, ranking, r).order;
                    now[r] = Some(s);
                }
                None => order.0 = newer,
            }
        }
        let is_there = |s: &SwitchId| usize::from(*s) < fabric.switches().len();
        let is_dark = |s: SwitchId, port: PortNumber| {
            port.0 <= fabric.switches()[s].ports && fabric.peer(s, port) == Peer::None
        };
        for r in before.switches().keys() {
            if now[r].is_some() {
                continue;
            }
            let links = before.links_of(r).filter_map(|(_, far, port)| {
                let s = now[far].filter(is_there)?;
                Some(is_dark(s, port))
            });
            let links: Vec<bool> = links.collect();
            if 2 * links.iter().filter(|is_dark| **is_dark).count() >= links.len() {
                now[r] = Some(switches.push_and_get_key(Model::new(before, ranking, r)));
            }
        }
        for (r, s) in now.iter_enumerated() {
            let Some(s) = *s else { continue };
            let is_free = |s: SwitchId, port: PortNumber| !is_there(&s) || is_dark(s, port);
            for (port, peer) in before.ports_of(r) {
                let was = match peer {
                    Peer::Switch { index, port } => match now[index] {
                        Some(to) if is_free(to, port) => Was::Switch(to, port.0),
                        _ => continue,
                    },
                    Peer::EndNode(node) => match &before.end_nodes()[node] {
                        node if node.kind != NodeKind::Aggregation => Was::Host(node.guid),
                        _ => continue,
                    },
                    Peer::None => continue,
                };
                if is_free(s, port) {
                    dark.push(Dark {
                        switch: s,
                        port: port.0,
                        was,
                    });
                }
            }
        }
        dark.sort_unstable_by_key(|dark| (dark.switch, dark.port));
        Reference { switches, dark }
    }

    /// Hosts of the reference that are away from present switches, without LIDs: neither present nor absent in the fabric.
    pub fn away(&self, fabric: &Fabric) -> Vec<EndNode> {
        let lmc = fabric.end_nodes().iter().map(|node| node.lmc).max();
        let away = |dark: &Dark| match dark.was {
            Was::Host(guid) if usize::from(dark.switch) < fabric.switches().len() => {
                Some(EndNode {
                    guid,
                    lid: Lid(0),
                    lmc: lmc.unwrap_or(0),
                    kind: NodeKind::Ca,
                    switch: dark.switch,
                    port: PortNumber(dark.port),
                })
            }
            _ => None,
        };
        let mut away: Vec<EndNode> = self.dark.iter().filter_map(away).collect();
        // Mostly there are none, and GUIDs need no look.
        if !away.is_empty() {
            let known = fabric.end_nodes().iter().chain(fabric.absent());
            let known: BTreeSet<Guid> = known.map(|node| node.guid).collect();
            away.retain(|node| !known.contains(&node.guid));
        }
        away
    }

    /// The dark ports of a switch.
    pub fn dark_of(&self, s: SwitchId) -> &[Dark] {
        let first = self.dark.partition_point(|dark| dark.switch < s);
        let end = self.dark.partition_point(|dark| dark.switch <= s);
        &self.dark[first..end]
    }

    /// What was at a port that is dark now.
    pub fn was(&self, s: SwitchId, port: u8) -> Option<Was> {
        let dark = self.dark_of(s);
        let at = dark.binary_search_by_key(&port, |dark| dark.port).ok()?;
        Some(dark[at].was)
    }
}
