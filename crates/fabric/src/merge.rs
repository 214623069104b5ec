//! Merges a fabric with a reference: the present equipment, and the places that only the reference has.
//!
//! Places are the positions of switches, links and end nodes. A switch of the reference keeps its place even if its
//! cables have moved; an unknown box takes the place of a switch that is gone if it has most of that switch's cables
//! (module `boxes`). The present fabric wins: the merged fabric lacks a link of the reference if one of its ports has
//! another cable now, and a place if most ports that it was cabled to have. Dark equipment stays, with its speed in the
//! reference.

use super::boxes;
use super::ids::{Guid, Lid, NodeId, PortNumber, SwitchId};
use super::snapshot::{EndNode, Fabric, Peer, Switch};
use std::collections::{BTreeMap, HashMap, HashSet};
use typed_index_collections::{TiSlice, TiVec};

/// A fabric merged with a reference.
#[derive(Clone, Debug)]
pub struct Merged {
    /// The union: present equipment and empty places. An absent end node or switch has LID 0. Switches are in
    /// the order of their eras and keys.
    pub nominal: Fabric,
    /// By switch of `nominal`, whether it is present.
    pub has_switch: TiVec<SwitchId, bool>,
    /// By end node of `nominal`, whether it is present.
    pub has_node: TiVec<NodeId, bool>,
    /// The missing links, dark at both ends: (switch, port) at both ends, each link once.
    pub missing_links: Vec<[(SwitchId, PortNumber); 2]>,
}

impl Merged {
    /// A fabric without a reference.
    pub fn alone(fabric: &Fabric) -> Self {
        Merged {
            nominal: fabric.clone(),
            has_switch: vec![true; fabric.switches().len()].into(),
            has_node: vec![true; fabric.end_nodes().len()].into(),
            missing_links: Vec::new(),
        }
    }

    /// Merges a fabric with a reference.
    pub fn new(fabric: &Fabric, reference: &Fabric) -> Self {
        let before = boxes::known(fabric, reference);
        let mut now: TiVec<SwitchId, _> = vec![None; reference.switches().len()].into();
        for (s, before) in before.iter_enumerated() {
            if let Some(before) = before {
                now[*before] = Some(s);
            }
        }
        let gone = now.iter_enumerated().filter(|(_, now)| now.is_none());
        let gone = gone.map(|(s, _)| s);
        let gone = gone.filter(|&s| stays(fabric, reference, &now, s));
        // Switches that the reference lacks come after all others, so that new switches change no order.
        let eras = reference.switches().iter().map(|s| s.era);
        let era = eras.max().map_or(0, |last| last.saturating_add(1));
        // All places: era and key, the present switch, and the switch of the reference.
        let of = |place: SwitchId| {
            let place = &reference.switches()[place];
            (place.era, place.key)
        };
        let here = fabric.switches().iter_enumerated().zip(&before);
        let here = here
            .map(|((s, switch), before)| (before.map_or((era, switch.key), of), Some(s), *before));
        let gone = gone.map(|g| (of(g), None, Some(g)));
        let mut places: TiVec<SwitchId, _> = here.chain(gone).collect();
        places.sort_unstable();
        let mut nominal = Fabric {
            max_lid: fabric.max_lid(),
            ..Fabric::default()
        };
        let mut switch: TiVec<_, _> = vec![SwitchId(0); fabric.switches().len()].into();
        let mut known: TiVec<SwitchId, _> = vec![None; reference.switches().len()].into();
        for (place, &((era, key), here, before)) in places.iter_enumerated() {
            if let Some(s) = here {
                switch[s] = place;
            }
            if let Some(s) = before {
                known[s] = Some(place);
            }
            let here = here.map(|s| &fabric.switches()[s]);
            let before = before.map(|s| &reference.switches()[s]);
            let ports = |s: Option<&Switch>| s.map_or(0, |s| s.ports);
            nominal.push_switch(Switch {
                key,
                era,
                lid: here.map_or(Lid(0), |s| s.lid),
                lmc: here.map_or(0, |s| s.lmc),
                ..Switch::new(
                    here.or(before).map_or(Guid(0), |s| s.guid),
                    ports(here).max(ports(before)),
                )
            });
        }
        for (s, &of) in switch.iter_enumerated() {
            nominal.take_ports(of, fabric, s, &switch);
        }
        let missing_links = add_dark(&mut nominal, fabric, reference, &known);
        let nodes = fabric.end_nodes().len();
        let named = nominal.settle(|node| match usize::from(node).checked_sub(nodes) {
            None => fabric.end_nodes()[node].clone(),
            Some(of_reference) => EndNode {
                lid: Lid(0),
                lmc: 0,
                ..reference.end_nodes()[NodeId::from(of_reference)].clone()
            },
        });
        Merged {
            nominal,
            has_switch: places.iter().map(|(_, here, _)| here.is_some()).collect(),
            has_node: named.iter().map(|&n| usize::from(n) < nodes).collect(),
            missing_links,
        }
    }

    /// The missing links between present switches.
    pub fn dark_links(&self) -> impl Iterator<Item = [(SwitchId, PortNumber); 2]> {
        let are_there = |link: &[(SwitchId, _); 2]| link.iter().all(|&(s, _)| self.has_switch[s]);
        let links = self.missing_links.iter().copied();
        links.filter(are_there)
    }

    /// The missing end nodes of present switches, in order.
    pub fn dark_nodes(&self) -> impl Iterator<Item = &EndNode> {
        let nodes = self.nominal.end_nodes().iter().zip(&self.has_node);
        let missing = nodes
            .filter(|(_, is_there)| !**is_there)
            .map(|(node, _)| node);
        missing.filter(|node| self.has_switch[node.switch])
    }
}

/// Adds the links and end nodes of a reference at dark ports; returns the links. Numbers of its end nodes continue those
/// of the fabric. `known` has the merged index of each switch of the reference.
fn add_dark(
    nominal: &mut Fabric,
    fabric: &Fabric,
    reference: &Fabric,
    known: &TiSlice<SwitchId, Option<SwitchId>>,
) -> Vec<[(SwitchId, PortNumber); 2]> {
    let mut links = Vec::new();
    // A host that is at another port now has left its port in the reference.
    let here: HashSet<Guid> = fabric.end_nodes().iter().map(|n| n.guid).collect();
    let nodes = fabric.end_nodes().len();
    for (s, &of) in known.iter_enumerated() {
        let Some(of) = of else { continue };
        for (number, peer) in reference.ports_of(s) {
            let Some(at) = nominal.dark(of, number) else {
                continue;
            };
            let speed = reference.link_speed(s, number);
            match peer {
                Peer::None => {}
                Peer::EndNode(node) => {
                    if !here.contains(&reference.end_nodes()[node].guid) {
                        nominal.peers[at] = Peer::EndNode(NodeId::from(nodes + usize::from(node)));
                        nominal.speeds[at] = speed;
                    }
                }
                Peer::Switch { index, port } => {
                    let Some(index) = known[index] else { continue };
                    if let Some(far) = nominal.dark(index, port) {
                        nominal.connect((of, number), (index, port));
                        links.push([(of, number), (index, port)]);
                        (nominal.speeds[at], nominal.speeds[far]) = (speed, speed);
                    }
                }
            }
        }
    }
    links
}

/// Whether the place of a gone switch of the reference stays: at least half of the ports to which it had cables are
/// dark. A single cable may have been a mistake: then another switch must have a single cable to the same switch, too.
/// `now` has the switch of the fabric at each place.
fn stays(
    fabric: &Fabric,
    reference: &Fabric,
    now: &TiSlice<SwitchId, Option<SwitchId>>,
    gone: SwitchId,
) -> bool {
    let links = reference.links_of(gone);
    let links: Vec<(SwitchId, PortNumber)> = links.map(|(_, index, port)| (index, port)).collect();
    let is_free = |&&(s, port): &&(SwitchId, PortNumber)| {
        now[s].is_none_or(|now| fabric.peer(now, port) == Peer::None)
    };
    let free = links.iter().filter(is_free).count();
    match links[..] {
        [] => false,
        [(above, _)] => {
            let has_one = |s: SwitchId| reference.neighbours(s).take(2).count() == 1;
            let mut others = reference.neighbours(above).filter(|&s| s != gone);
            free == 1 && others.any(has_one)
        }
        _ => 2 * free >= links.len(),
    }
}

impl Fabric {
    /// The index of a switch's port among all ports, if the switch has that port and the port has no link.
    fn dark(&self, switch: SwitchId, port: PortNumber) -> Option<usize> {
        let slot = self.slot(switch, port);
        slot.filter(|&slot| self.peers[slot] == Peer::None)
    }

    /// Copies to `switch` the peers and the speeds of the switch `s` of another fabric; `place` maps the switches of
    /// that fabric to switches of this one.
    fn take_ports(
        &mut self,
        switch: SwitchId,
        of: &Fabric,
        s: SwitchId,
        place: &TiSlice<SwitchId, SwitchId>,
    ) {
        let first = self.switches[switch].first_port;
        for (mine, peer) in self.peers[first..].iter_mut().zip(of.peers_of(s)) {
            *mine = match *peer {
                Peer::Switch { index, port } => Peer::Switch {
                    index: place[index],
                    port,
                },
                other => other,
            };
        }
        let speeds = of.speeds_of(s);
        self.speeds[first..][..speeds.len()].copy_from_slice(speeds);
    }

    /// Fills the list of end nodes in the order of the ports, and replaces the number of each end node by its index in
    /// the list; `node` returns the end node of a number. Returns the former numbers.
    pub(super) fn settle(&mut self, node: impl Fn(NodeId) -> EndNode) -> TiVec<NodeId, NodeId> {
        let mut named = TiVec::new();
        for (index, s) in self.switches.iter_mut_enumerated() {
            let first = named.next_key();
            let ports = &mut self.peers[s.first_port..][..usize::from(s.ports)];
            for (peer, port) in ports.iter_mut().zip(PortNumber::external(s.ports)) {
                if let Peer::EndNode(name) = *peer {
                    *peer = Peer::EndNode(named.push_and_get_key(name));
                    self.end_nodes.push(EndNode {
                        switch: index,
                        port,
                        ..node(name)
                    });
                }
            }
            if first < named.next_key() {
                s.end_nodes = (first, named.next_key());
            }
        }
        named
    }

    /// The fabric with other keys and eras for some switches, by GUID.
    pub fn with_keys(mut self, keys: &BTreeMap<Guid, (u64, u32)>) -> Fabric {
        for switch in &mut self.switches {
            if let Some(&(key, era)) = keys.get(&switch.guid) {
                (switch.key, switch.era) = (key, era);
            }
        }
        self
    }

    /// Whether most switches of a fabric are not in this one: then this one is no reference for it.
    pub fn is_of_another_fabric(&self, fabric: &Fabric) -> bool {
        let known = |s: &&Switch| fabric.switch_by_guid(s.guid).is_some();
        2 * self.switches.iter().filter(known).count() < fabric.switches.len()
    }

    /// Whether two fabrics have the same equipment: switches, links, and ports of end nodes, in any order.
    pub fn has_equipment_of(&self, other: &Fabric) -> bool {
        let guids = other.switches.iter_enumerated();
        let at: HashMap<Guid, SwitchId> = guids.map(|(s, switch)| (switch.guid, s)).collect();
        let is_same = |(own, their): (&Peer, &Peer)| match (*own, *their) {
            (Peer::Switch { index: a, port: p }, Peer::Switch { index: b, port: q }) => {
                p == q && self.guid(a) == other.guid(b)
            }
            (Peer::EndNode(_), Peer::EndNode(_)) | (Peer::None, Peer::None) => true,
            _ => false,
        };
        self.switches.len() == other.switches.len()
            && self.switches.iter_enumerated().all(|(s, switch)| {
                at.get(&switch.guid).is_some_and(|&t| {
                    let their = &other.switches[t];
                    (switch.key, switch.era, switch.ports) == (their.key, their.era, their.ports)
                        && self.peers_of(s).iter().zip(other.peers_of(t)).all(is_same)
                })
            })
    }
}
