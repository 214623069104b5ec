//! Makes a snapshot with all its invariants from the parts of a source, in any order and with any defect.
//!
//! The builder leaves out a part that breaks an invariant (a port used twice, a LID out of range), reports it as a
//! [`Defect`], and keeps the rest. The source decides whether a defect is an error: a file with a defect is refused, a
//! live subnet is routed without the part.

use super::ids::{Guid, Lid, NodeId, PortNumber, SwitchId, lid_range};
use super::snapshot::{EndNode, Fabric, Peer, Switch};
use super::speed::Speed;
use typed_index_collections::{TiSlice, TiVec};

/// A part of a source that breaks an invariant. The snapshot lacks it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum Defect {
    #[error("switch GUID {0} appears twice")]
    DuplicateSwitch(Guid),
    #[error("switch {0} has no port {1}")]
    NoSuchPort(Guid, PortNumber),
    #[error("port {1} of switch {0} has two links")]
    PortTaken(Guid, PortNumber),
    #[error("{0}: LID {1} with LMC {2} is out of range (1..=49151)")]
    LidOutOfRange(Guid, Lid, u8),
    #[error("{0}: LID {1} is taken by {2}")]
    DuplicateLid(Guid, Lid, Guid),
}

/// Collects the parts of a fabric in any order and makes a [`Fabric`] of them.
#[derive(Default)]
pub struct Builder {
    switches: TiVec<SwitchId, Switch>,
    links: Vec<[(SwitchId, PortNumber); 2]>,
    end_nodes: TiVec<NodeId, EndNode>,
    speeds: Vec<(SwitchId, PortNumber, Speed)>,
}

/// The indices of the parts given to a [`Builder`], and the parts left out.
pub struct Placement {
    /// The index in the fabric of each switch, by its handle.
    pub switches: TiVec<SwitchId, Option<SwitchId>>,
    /// The parts left out, and why.
    pub defects: Vec<Defect>,
}

impl Builder {
    /// Adds a switch and returns its handle, which is valid for this builder alone.
    pub fn switch(&mut self, guid: Guid, lid: Lid, lmc: u8, ports: u8) -> SwitchId {
        self.switches.push_and_get_key(Switch {
            lid,
            lmc,
            ..Switch::new(guid, ports)
        })
    }

    /// Adds a link between two switch ports; call it once per link. A link from a switch to itself is ignored.
    pub fn link(&mut self, a: (SwitchId, PortNumber), b: (SwitchId, PortNumber)) {
        if a.0 != b.0 {
            self.links.push([a, b]);
        }
    }

    /// Adds an end node behind a port of a switch. `node.switch` is the switch's handle.
    pub fn end_node(&mut self, node: EndNode) {
        self.end_nodes.push(node);
    }

    /// Sets the speed of the link at a switch port, as this end reports it. The link gets the lesser speed of its two
    /// ends. Ports without a link are ignored.
    pub fn speed(&mut self, switch: SwitchId, port: PortNumber, speed: Speed) {
        if speed.is_known() {
            self.speeds.push((switch, port, speed));
        }
    }

    /// Sorts and checks all parts and lays out the fabric.
    pub fn finish(self) -> (Fabric, Placement) {
        let mut defects = Vec::new();
        let mut order: Vec<SwitchId> = self.switches.keys().collect();
        order.sort_by_key(|&i| self.switches[i].guid);
        let mut fabric = Fabric::default();
        let mut place: TiVec<SwitchId, _> = vec![None; order.len()].into();
        for &old in &order {
            let s = &self.switches[old];
            let last = fabric.switches.last();
            if last.is_some_and(|last| last.guid == s.guid) {
                defects.push(Defect::DuplicateSwitch(s.guid));
                continue;
            }
            place[old] = Some(fabric.switches.next_key());
            fabric.push_switch(s.clone());
        }
        for [a, b] in self.links {
            let (Some(sa), Some(sb)) = (place[a.0], place[b.0]) else {
                continue;
            };
            match (fabric.free_slot(sa, a.1), fabric.free_slot(sb, b.1)) {
                (Ok(_), Ok(_)) => fabric.connect((sa, a.1), (sb, b.1)),
                (Err(e), _) | (_, Err(e)) => defects.push(e),
            }
        }
        let mut lids = LidOwners::default();
        let mut claim = |guid, lid, lmc| {
            lids.claim(lid, lmc, guid).map_err(|no| match no {
                NoLids::OutOfRange => Defect::LidOutOfRange(guid, lid, lmc),
                NoLids::Taken(lid, holder) => Defect::DuplicateLid(guid, lid, holder),
            })
        };
        for s in &mut fabric.switches {
            if s.lid != Lid(0)
                && let Err(e) = claim(s.guid, s.lid, s.lmc)
            {
                defects.push(e);
                s.lid = Lid(0);
            }
            // Nobody checked the LMC of a switch without LID.
            if s.lid == Lid(0) {
                s.lmc = 0;
            }
        }
        let mut by_port: Vec<NodeId> = self.end_nodes.keys().collect();
        by_port.sort_by_key(|&node| {
            let node = &self.end_nodes[node];
            (place[node.switch], node.port)
        });
        fabric.end_nodes.reserve_exact(by_port.len());
        for handle in by_port {
            let node = &self.end_nodes[handle];
            let Some(switch) = place[node.switch] else {
                continue;
            };
            let claimed = fabric
                .free_slot(switch, node.port)
                .and_then(|slot| claim(node.guid, node.lid, node.lmc).map(|()| slot));
            match claimed {
                Ok(slot) => fabric.peers[slot] = Peer::EndNode(handle),
                Err(e) => defects.push(e),
            }
        }
        fabric.settle(|handle| self.end_nodes[handle].clone());
        fabric.max_lid = lids.max();
        fabric.take_speeds(&self.speeds, &place);
        let placement = Placement {
            switches: place,
            defects,
        };
        (fabric, placement)
    }
}

impl Fabric {
    fn free_slot(&self, switch: SwitchId, port: PortNumber) -> Result<usize, Defect> {
        let guid = self.guid(switch);
        let slot = self.slot(switch, port);
        let slot = slot.ok_or(Defect::NoSuchPort(guid, port))?;
        match self.peers[slot] {
            Peer::None => Ok(slot),
            _ => Err(Defect::PortTaken(guid, port)),
        }
    }

    /// Takes the speeds given for ports; `place` gives the switch of each handle.
    fn take_speeds(
        &mut self,
        given: &[(SwitchId, PortNumber, Speed)],
        place: &TiSlice<SwitchId, Option<SwitchId>>,
    ) {
        for &(handle, port, speed) in given {
            let Some(s) = place[handle] else { continue };
            let Some(near) = self.slot(s, port) else {
                continue;
            };
            let far = match self.peers[near] {
                Peer::None => continue,
                Peer::EndNode(_) => near,
                Peer::Switch { index, port } => self.slot(index, port).unwrap_or(near),
            };
            let both = self.speeds[near].of_both_ends(speed);
            (self.speeds[near], self.speeds[far]) = (both, both);
        }
    }
}

/// The owner of each LID.
#[derive(Default)]
pub struct LidOwners<T>(Vec<Option<T>>);

/// Why a port gets no LIDs.
pub enum NoLids<T> {
    /// The LIDs are not all unicast, or the LMC is above 7.
    OutOfRange,
    /// This LID already has this owner.
    Taken(Lid, T),
}

impl<T: Copy> LidOwners<T> {
    /// Gives all LIDs of a port to an owner, or none of them.
    pub fn claim(&mut self, base: Lid, lmc: u8, owner: T) -> Result<(), NoLids<T>> {
        let range = lid_range(base, lmc).ok_or(NoLids::OutOfRange)?;
        let (from, to) = (usize::from(*range.start()), usize::from(*range.end()));
        if self.0.len() <= to {
            self.0.resize(to + 1, None);
        }
        let mut taken = range.zip(&self.0[from..=to]);
        if let Some((lid, owner)) = taken.find_map(|(lid, owner)| Some((lid, (*owner)?))) {
            return Err(NoLids::Taken(Lid(lid), owner));
        }
        self.0[from..=to].fill(Some(owner));
        Ok(())
    }

    /// The highest LID that has an owner.
    fn max(&self) -> Lid {
        Lid(self.0.iter().rposition(Option::is_some).unwrap_or(0) as u16)
    }
}
