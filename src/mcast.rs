//! Multicast: OpenSM's `mcast_build_stree`, called for one group at a time under its lock.
//!
//! [`dmodc_core::multicast`] needs only the ranks of the last plan. OpenSM clears the group's entries at all switches
//! before the call and sends the tables after it.
//!
//! The last plan may be older than the subnet: with `use_ucast_cache` OpenSM drops and restores leaf switches without
//! routing anew. So this module looks up every link of a tree in the live subnet before it sets the first bit. If a
//! link has gone, it reads and plans the subnet again, once.

use super::engine::Dmodc;
use super::failure::McastError;
use super::ffi::{Group, Subnet, Switch};
use super::snapshot::{Link, usable};
use dmodc_core::multicast::{Edge, Terrain, Tree};
use dmodc_fabric::{Drained, Fabric, PortNumber, SwitchId};
use dmodc_watch::sweeps::Planned;
use std::collections::BTreeSet;

/// Maximum number of left-out switches that a line names.
const NAMED: usize = 10;

/// Sets the group's entries at all switches of its tree.
pub fn build(dmodc: &Dmodc, subnet: &Subnet<'_>, group: &Group<'_>) -> Result<(), McastError> {
    let (mlid, size) = (group.mlid, group.size);
    if size < 2 {
        log::debug!("MLID 0x{mlid:X} has {size} members: nothing to do");
        return Ok(());
    }
    let entries = dmodc.with_plan(subnet, |planned| entries(planned, subnet, group))?;
    for (switch, port) in entries {
        if !subnet.set_multicast(switch, mlid, port) {
            return Err(McastError::NoRoom(switch.guid()));
        }
    }
    Ok(())
}

/// The tree without drained links. If that leaves out switches: the tree with the drained links of these switches. If
/// that does not help: the tree over all links.
fn undrained(
    fabric: &Fabric,
    drained: &[(SwitchId, PortNumber)],
    grow: impl Fn(&Fabric) -> Option<Tree>,
) -> Option<Tree> {
    let without = grow(&fabric.without(drained))?;
    if without.left_out.is_empty() {
        return Some(without);
    }
    let is_left_out = |s: SwitchId| without.left_out.contains(&s);
    let stays_out = |&&(s, port): &&(SwitchId, PortNumber)| {
        let far = fabric.far(s, port);
        far.is_some_and(|(far, _)| !is_left_out(s) && !is_left_out(far))
    };
    let ends: Vec<(SwitchId, PortNumber)> = drained.iter().filter(stays_out).copied().collect();
    let more = [grow(&fabric.without(&ends))?, grow(fabric)?];
    // The first of the trees that leave out the fewest switches.
    let all = [without].into_iter().chain(more);
    all.min_by_key(|tree| tree.left_out.len())
}

/// The (switch, port) pairs that forward the group's packets, checked in the live subnet.
fn entries<'a>(
    planned: &Planned,
    subnet: &Subnet<'a>,
    group: &Group<'a>,
) -> Result<Vec<(Switch<'a>, PortNumber)>, McastError> {
    let (fabric, mlid) = (&planned.fabric, group.mlid);
    let index_of = |switch: Switch<'_>| {
        let guid = switch.guid();
        let index = fabric.switch_by_guid(guid);
        index.ok_or(McastError::SwitchChanged(guid))
    };
    let ports = group.members.iter();
    let ports = ports.map(|&(switch, port)| Ok((index_of(switch)?, switch, port)));
    let ports: Vec<(SwitchId, Switch<'a>, PortNumber)> =
        ports.collect::<Result<_, McastError>>()?;
    let members: BTreeSet<SwitchId> = ports.iter().map(|&(index, ..)| index).collect();
    let members = Vec::from_iter(members);

    let plan = &planned.plan;
    let may_turn = |from, at, to| plan.may_turn(from, at, to);
    let grow = |fabric: &Fabric| {
        let terrain = Terrain::new(fabric, plan.ranking(), &planned.multicast, &may_turn);
        terrain.tree(&members, mlid)
    };
    let drained = Drained::ends(fabric, &planned.options.drain);
    let tree = match drained.is_empty() {
        true => grow(fabric),
        false => undrained(fabric, &drained, grow),
    };
    let tree = tree.ok_or(McastError::NoSwitch)?;

    let mut entries = Vec::with_capacity(ports.len() + 2 * tree.edges.len());
    for &[from, to] in &tree.edges {
        let ends = link(fabric, subnet, [from, to]).ok_or_else(|| {
            let guid = fabric.guid(from.0);
            McastError::LinkChanged(guid, from.1)
        })?;
        entries.extend(ends);
    }
    let reached = ports.iter().filter(|(s, ..)| !tree.left_out.contains(s));
    entries.extend(reached.map(|&(_, sw, port)| (sw, port)));

    if !tree.up_down {
        log::info!("the tree of MLID 0x{mlid:X} turns: no switch is above all its members");
    }
    if !tree.left_out.is_empty() {
        let named = tree.left_out.iter().take(NAMED);
        let name = |&s: &SwitchId| {
            let guid = fabric.guid(s);
            let name = subnet.switch(guid).map(Switch::name).unwrap_or_default();
            format!("{guid} ({name})")
        };
        let names: Vec<String> = named.map(name).collect();
        let (count, names) = (tree.left_out.len(), names.join(", "));
        log::error!(
            "the tree of MLID 0x{mlid:X} leaves out {count} switches with members: {names}"
        );
    }
    Ok(entries)
}

/// The two live ends of a usable link.
fn link<'a>(
    fabric: &Fabric,
    subnet: &Subnet<'a>,
    [from, to]: Edge,
) -> Option<[(Switch<'a>, PortNumber); 2]> {
    let [near, far] = [from, to].map(|end| subnet.switch(fabric.guid(end.0)));
    let (near, far) = (near?, far?);
    match usable(near, near.port(from.1)?) {
        Ok(Link::Switch(peer, port)) if peer.guid() == far.guid() && port.number() == to.1 => {
            Some([(near, from.1), (far, to.1)])
        }
        _ => None,
    }
}
