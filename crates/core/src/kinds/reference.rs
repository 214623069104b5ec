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
use dmodc_fabric::{Fabric, Guid, NodeKind, Peer, PortNumber, known_boxes};

/// A switch that only the reference has.
#[derive(Clone, Copy, Debug)]
pub struct Gone {
    /// Its rank there.
    pub rank: u32,
    /// Whether it was a leaf.
    pub is_leaf: bool,
    /// Its number of ports.
    pub ports: u8,
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

/// What a reference adds to a fabric.
#[derive(Clone, Debug, Default)]
pub struct Reference {
    /// Switches that are gone. Their numbers follow those of the fabric.
    pub gone: Vec<Gone>,
    /// Dark ports, ascending by switch and port.
    pub dark: Vec<Dark>,
    /// Orders all switches where ports do not tell: by the reference first, so that a replaced box keeps its place.
    pub order: BySwitch<(u32, u64)>,
}

impl Reference {
    /// Compares a fabric with its reference and the levels of that.
    pub fn new(fabric: &Fabric, reference: Option<(&Fabric, &Ranking)>) -> Self {
        let own = fabric.switches().iter();
        let Some((before, ranking)) = reference else {
            return Reference {
                order: own.map(|s| (s.era, s.key)).collect(),
                ..Reference::default()
            };
        };
        let place = |r: SwitchId| {
            let switch = &before.switches()[r];
            (switch.era, switch.key)
        };
        let newer = before
            .switches()
            .iter()
            .map(|s| s.era.saturating_add(1))
            .max();
        let matched = known_boxes(fabric, before);
        let mut order: BySwitch<(u32, u64)> = own
            .zip(&matched)
            .map(|(s, known)| known.map_or((newer.unwrap_or(0), s.key), place))
            .collect();
        let mut now: BySwitch<Option<SwitchId>> = vec![None; before.switches().len()].into();
        for (s, known) in matched.iter_enumerated() {
            if let Some(r) = known {
                now[*r] = Some(s);
            }
        }
        let is_dark = |s: SwitchId, port: PortNumber| {
            port.0 <= fabric.switches()[s].ports && fabric.peer(s, port) == Peer::None
        };
        let mut gone = Vec::new();
        let missing: Vec<SwitchId> = now
            .iter_enumerated()
            .filter(|(_, s)| s.is_none())
            .map(|(r, _)| r)
            .collect();
        for r in missing {
            let (mut all, mut dark) = (0, 0);
            for (_, far, port) in before.links_of(r) {
                if let Some(s) = now[far].filter(|s| usize::from(*s) < matched.len()) {
                    all += 1;
                    dark += usize::from(is_dark(s, port));
                }
            }
            if 2 * dark >= all {
                now[r] = Some(SwitchId(order.len() as u32));
                order.push(place(r));
                gone.push(Gone {
                    rank: ranking.rank(r),
                    is_leaf: ranking.is_leaf(r),
                    ports: before.switches()[r].ports,
                });
            }
        }
        let mut dark = Vec::new();
        for (r, s) in now.iter_enumerated() {
            let Some(s) = *s else { continue };
            let is_free =
                |s: SwitchId, port: PortNumber| usize::from(s) >= matched.len() || is_dark(s, port);
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
        Reference { gone, dark, order }
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
