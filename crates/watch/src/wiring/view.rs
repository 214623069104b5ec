//! A fabric by GUIDs, which stay the same from sweep to sweep.

use dmodc_fabric::{Fabric, Guid, PortNumber, SwitchId};
use std::collections::{HashMap, HashSet};

/// A port of a switch.
pub type Port = (Guid, PortNumber);

/// A link between two switches, the lower GUID first.
pub type Link = [Port; 2];

/// The link between two ports.
pub fn link(fabric: &Fabric, ends: [(SwitchId, PortNumber); 2]) -> Link {
    let mut ends = ends.map(|(switch, port)| (fabric.guid(switch), port));
    ends.sort_unstable();
    ends
}

/// A fabric by GUIDs.
#[derive(Default)]
pub struct View {
    /// The switches.
    pub switches: HashSet<Guid>,
    /// The links between switches.
    pub links: HashSet<Link>,
    /// By host, its switch and port.
    pub hosts: HashMap<Guid, Port>,
}

impl View {
    /// The view of a fabric.
    pub fn new(fabric: &Fabric) -> Self {
        let all = fabric.switches();
        let hosts = all.keys().flat_map(|s| fabric.hosts_of(s));
        View {
            switches: all.iter().map(|switch| switch.guid).collect(),
            links: fabric.links().map(|ends| link(fabric, ends)).collect(),
            hosts: hosts
                .map(|host| (host.guid, (all[host.switch].guid, host.port)))
                .collect(),
        }
    }
}
