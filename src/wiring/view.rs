//! A fabric by GUIDs, which stay the same from sweep to sweep.

use crate::fabric::{Fabric, Guid};
use std::collections::{HashMap, HashSet};

/// A port of a switch.
pub type Port = (Guid, u8);

/// A link between two switches, the lower GUID first.
pub type Link = [Port; 2];

/// The link between two ports.
pub fn link(fabric: &Fabric, ends: [(u32, u8); 2]) -> Link {
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
        let hosts = (0..all.len() as u32).flat_map(|s| fabric.hosts_of(s));
        View {
            switches: all.iter().map(|switch| switch.guid).collect(),
            links: fabric.links().map(|ends| link(fabric, ends)).collect(),
            hosts: hosts
                .map(|host| (host.guid, (all[host.switch as usize].guid, host.port)))
                .collect(),
        }
    }
}
