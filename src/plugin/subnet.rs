//! OpenSM's subnet, copied into an owned [`Fabric`].
//!
//! One pass over the switches and their ports. What counts is what OpenSM's own engines count:
//! a link whose two ports are initialised and healthy (`osm_link_is_healthy`), to a switch that
//! OpenSM has a switch object for, or to a port of a CA or router that has a LID. Whatever is odd
//! (a link known at one end only, a LID that is 0, out of range or taken) is logged by name, left
//! out, and does not stop the sweep.
//!
//! Every link between switches is met from both ends and given to the builder from the end with
//! the lesser GUID.

use super::live::{Port, Subnet, Switch};
use crate::fabric::{Builder, EndNode, Fabric, Guid, Lid, NodeKind};

/// How many defects of a sweep are named in the log.
const NAMED: usize = 10;

/// Collects defects for the log: the first few by name, and how many there were.
#[derive(Default)]
struct Defects {
    count: usize,
}

impl Defects {
    fn report(&mut self, text: impl FnOnce() -> String) {
        self.count += 1;
        if self.count <= NAMED {
            log::error!("{}", text());
        }
    }
}

/// Takes the snapshot; with it, for each switch, whether it forwards multicast.
pub fn read(subnet: &Subnet<'_>) -> (Fabric, Vec<bool>) {
    let mut defects = Defects::default();
    let mut switches: Vec<Switch<'_>> = subnet.switches().collect();
    switches.sort_by_key(|sw| sw.guid());
    let guids: Vec<Guid> = switches.iter().map(|sw| sw.guid()).collect();
    let mut builder = Builder::default();
    let lmc_esp0 = subnet.lmc_esp0();
    for &sw in &switches {
        if sw.lid() == Lid(0) {
            defects.report(|| format!("switch {} ({}) has no LID yet", sw.guid(), sw.name()));
        }
        builder.switch(sw.guid(), sw.lid(), sw.lmc(lmc_esp0), sw.ports());
    }
    for (handle, &sw) in (0u32..).zip(&switches) {
        for number in 1..=sw.ports() {
            let Some(port) = sw.port(number) else {
                continue;
            };
            match usable(sw, port) {
                Ok(Link::None) => {}
                Ok(Link::Switch(peer, peer_port)) => {
                    if sw.guid() < peer.guid()
                        && let Ok(to) = guids.binary_search(&peer.guid())
                    {
                        builder.link((handle, number), (to as u32, peer_port));
                    }
                }
                Ok(Link::End(end)) => builder.end_node(EndNode {
                    guid: end.guid(),
                    lid: end.lid(),
                    lmc: end.lmc(),
                    kind: end.node().map_or(NodeKind::Ca, |n| n.kind()),
                    switch: handle,
                    port: number,
                }),
                Err(odd) => defects
                    .report(|| format!("port {number} of {} ({}): {odd}", sw.guid(), sw.name())),
            }
        }
    }
    let (fabric, placement) = builder.finish();
    for defect in placement.defects {
        defects.report(|| defect.to_string());
    }
    if defects.count > NAMED {
        log::error!(
            "{} more parts of the subnet were left out",
            defects.count - NAMED
        );
    }
    let mut multicast = vec![false; fabric.switches().len()];
    for (sw, place) in switches.iter().zip(placement.switches) {
        if let Some(index) = place {
            multicast[index as usize] = sw.supports_multicast();
        }
    }
    (fabric, multicast)
}

/// What a switch port leads to.
pub enum Link<'a> {
    /// Nothing that can be routed over or to.
    None,
    /// A switch, by this port of its own.
    Switch(Switch<'a>, u8),
    /// A port of a CA or router, with a LID.
    End(Port<'a>),
}

/// Why a link is left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Odd {
    /// The other end does not point back.
    #[error("the link is known at one end only")]
    OneSided,
    /// The port at the other end has LID 0.
    #[error("the port at the other end ({0}) has no LID yet")]
    NoLid(Guid),
}

/// Follows the link of a switch port.
pub fn usable<'a>(sw: Switch<'a>, port: Port<'a>) -> Result<Link<'a>, Odd> {
    let Some(remote) = port.remote() else {
        return Ok(Link::None);
    };
    let Some(node) = remote.node() else {
        return Ok(Link::None);
    };
    if !port.is_healthy() || !remote.is_healthy() {
        return Ok(Link::None);
    }
    match node.switch() {
        Some(peer) if peer.guid() == sw.guid() => Ok(Link::None),
        _ if remote.remote() != Some(port) => Err(Odd::OneSided),
        Some(peer) => Ok(Link::Switch(peer, remote.number())),
        None if !node.is_end_node() => Ok(Link::None),
        None if remote.lid() == Lid(0) => Err(Odd::NoLid(remote.guid())),
        None => Ok(Link::End(remote)),
    }
}
