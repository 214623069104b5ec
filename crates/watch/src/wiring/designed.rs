//! The speeds that links should have by a reference.

use dmodc_fabric::{Fabric, Peer, PortNumber, Speed, SwitchId, replaced};
use std::collections::HashMap;

/// The speeds of links by a reference, with boxes in the places of others.
pub struct Designed<'f> {
    fabric: &'f Fabric,
    reference: Option<&'f Fabric>,
    /// By box in the place of another one, that place.
    places: HashMap<SwitchId, SwitchId>,
}

impl<'f> Designed<'f> {
    pub fn new(fabric: &'f Fabric, reference: Option<&'f Fabric>) -> Self {
        let replaced = reference.map_or_else(Vec::new, |of| replaced(fabric, of));
        Designed {
            fabric,
            reference,
            places: replaced.into_iter().collect(),
        }
    }

    /// The speed of the link at a port, if the reference has the link.
    pub fn speed(&self, switch: SwitchId, port: PortNumber) -> Option<Speed> {
        let reference = self.reference?;
        let speed = reference.speed_in(self.fabric, switch, port);
        let speed = if speed.is_known() {
            speed
        } else {
            self.in_place(reference, switch, port)?
        };
        speed.is_known().then_some(speed)
    }

    /// The speed of a link of a replaced box, or of one with a moved end. The port at the far end identifies it, for
    /// another model may number its own ports differently.
    fn in_place(&self, reference: &Fabric, switch: SwitchId, port: PortNumber) -> Option<Speed> {
        let fabric = self.fabric;
        let place = |s: SwitchId| {
            let place = self.places.get(&s).copied();
            place.or_else(|| reference.switch_by_guid(fabric.guid(s)))
        };
        match fabric.peer(switch, port) {
            Peer::None => None,
            Peer::Switch { index, port: far } => {
                let sides = [((switch, port), index), ((index, far), switch)];
                let mut speeds = sides.into_iter().filter_map(|((near, port), far)| {
                    let near = place(near)?;
                    let is_same = reference.far(near, port)?.0 == place(far)?;
                    is_same.then(|| reference.link_speed(near, port))
                });
                speeds.next()
            }
            Peer::EndNode(node) => {
                let guid = fabric.end_nodes()[node].guid;
                let mut hosts = reference.hosts_of(place(switch)?);
                let host = hosts.find(|host| host.guid == guid)?;
                Some(reference.link_speed(host.switch, host.port))
            }
        }
    }
}
