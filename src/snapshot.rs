//! Copies OpenSM's subnet into an owned [`Fabric`].
//!
//! One pass over the switches and their ports. The same links count as for OpenSM's own engines: both ports initialised
//! and healthy (`osm_link_is_healthy`), and the other end is a switch with a switch object, or a port of a CA or router
//! with a LID. The log names oddities (a link known at one end only, a LID that is 0, out of range or taken), and the
//! sweep goes on without them.
//!
//! The pass meets every link between switches at both ends and adds it at the end with the lesser GUID. There it reads
//! the speed of the other end, whose memory it reads anyway.

use super::ffi::{Port, Subnet, Switch};
use dmodc_core::Engine;
use dmodc_fabric::{Builder, EndNode, Fabric, Guid, Lid, NodeKind, PortNumber, Speed, SwitchId};
use typed_index_collections::{TiSlice, TiVec};

/// Maximum number of defects that the log of a sweep names.
const NAMED: usize = 10;

/// A switch, and the other ends of its ports.
struct Scan<'a> {
    switch: Switch<'a>,
    lid: Lid,
    lmc: u8,
    ports: u8,
    /// Links to switches of greater GUID: own port, that switch, port there.
    links: Vec<(PortNumber, SwitchId, PortNumber)>,
    end_nodes: Vec<EndNode>,
    /// The speeds of the links, by own port.
    speeds: Vec<(PortNumber, Speed)>,
    odd: Vec<(PortNumber, Odd)>,
}

/// Takes the snapshot, on the threads of the engine. Also returns, by switch, whether the switch forwards multicast.
pub fn read(subnet: &Subnet<'_>, engine: &Engine) -> (Fabric, TiVec<SwitchId, bool>) {
    let mut switches: TiVec<SwitchId, (Guid, Switch<'_>)> =
        subnet.switches().map(|sw| (sw.guid(), sw)).collect();
    switches.sort_unstable_by_key(|&(guid, _)| guid);
    let mut scans: Vec<Option<Scan<'_>>> = switches.iter().map(|_| None).collect();
    let jobs = switches.iter_enumerated().zip(&mut scans).collect();
    let (lmc_esp0, threads) = (subnet.lmc_esp0(), engine.threads(switches.len()));
    threads.for_each(jobs, |((handle, &(guid, switch)), done)| {
        *done = Some(scan(handle, guid, switch, lmc_esp0, &switches));
    });
    let scans: Vec<Scan<'_>> = scans.into_iter().flatten().collect();

    let mut defects = Vec::new();
    let mut builder = Builder::default();
    for (scan, (guid, _)) in scans.iter().zip(&switches) {
        if scan.lid == Lid(0) {
            let name = scan.switch.name();
            defects.push(format!("switch {guid} ({name}) has no LID yet"));
        }
        builder.switch(*guid, scan.lid, scan.lmc, scan.ports);
    }
    for ((handle, (guid, _)), scan) in switches.iter_enumerated().zip(scans) {
        for (port, peer, peer_port) in scan.links {
            builder.link((handle, port), (peer, peer_port));
        }
        for node in scan.end_nodes {
            builder.end_node(node);
        }
        for (port, speed) in scan.speeds {
            builder.speed(handle, port, speed);
        }
        for (port, odd) in scan.odd {
            let name = scan.switch.name();
            defects.push(format!("port {port} of {guid} ({name}): {odd}"));
        }
    }
    let (fabric, placement) = builder.finish();
    defects.extend(placement.defects.iter().map(ToString::to_string));
    for line in defects.iter().take(NAMED) {
        log::error!("{line}");
    }
    if defects.len() > NAMED {
        let more = defects.len() - NAMED;
        log::error!("{more} more parts of the subnet were left out");
    }
    let mut forwards: TiVec<SwitchId, _> = vec![false; fabric.switches().len()].into();
    for ((_, switch), place) in switches.iter().zip(placement.switches) {
        if let Some(index) = place {
            forwards[index] = switch.supports_multicast();
        }
    }
    (fabric, forwards)
}

/// Reads one switch, which is number `handle` of `all`.
fn scan<'a>(
    handle: SwitchId,
    guid: Guid,
    switch: Switch<'a>,
    lmc_esp0: bool,
    all: &TiSlice<SwitchId, (Guid, Switch<'a>)>,
) -> Scan<'a> {
    let mut scan = Scan {
        switch,
        lid: switch.lid(),
        lmc: switch.lmc(lmc_esp0),
        ports: switch.ports(),
        links: Vec::new(),
        end_nodes: Vec::new(),
        speeds: Vec::with_capacity(switch.ports().into()),
        odd: Vec::new(),
    };
    switch.prefetch_links();
    for number in PortNumber::external(scan.ports) {
        let Some(port) = switch.port(number) else {
            continue;
        };
        match usable(switch, port) {
            Ok(Link::None) => {}
            Ok(Link::Switch(peer, far)) => {
                let peer = peer.guid();
                if guid < peer
                    && let Ok(to) = all.binary_search_by_key(&peer, |&(guid, _)| guid)
                {
                    scan.links.push((number, to, far.number()));
                    scan.speeds.push((number, far.speed()));
                }
            }
            Ok(Link::End(end, kind)) => {
                scan.end_nodes.push(EndNode {
                    guid: end.guid(),
                    lid: end.lid(),
                    lmc: end.lmc(),
                    kind,
                    switch: handle,
                    port: number,
                });
                scan.speeds.push((number, end.speed()));
            }
            Err(odd) => scan.odd.push((number, odd)),
        }
    }
    scan
}

/// The other end of a switch port.
pub enum Link<'a> {
    /// No usable link.
    None,
    /// A switch, and its port.
    Switch(Switch<'a>, Port<'a>),
    /// A port of a CA or router, with a LID.
    End(Port<'a>, NodeKind),
}

/// Why a link is left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Odd {
    #[error("the link is known at one end only")]
    OneSided,
    #[error("the port at the other end ({0}) has no LID yet")]
    NoLid(Guid),
}

/// Follows the link of a switch port; the error is the reason for leaving the link out.
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
    match (node.switch(), node.kind()) {
        (Some(peer), _) if peer.guid() == sw.guid() => Ok(Link::None),
        _ if remote.remote() != Some(port) => Err(Odd::OneSided),
        (Some(peer), _) => Ok(Link::Switch(peer, remote)),
        (None, None) => Ok(Link::None),
        (None, _) if remote.lid() == Lid(0) => Err(Odd::NoLid(remote.guid())),
        (None, Some(kind)) => Ok(Link::End(remote, kind)),
    }
}
