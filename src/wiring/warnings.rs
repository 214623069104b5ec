//! Finds oddities in the wiring of a tree, as log lines.

use super::unlike_siblings;
use crate::dmodc::{Groups, Ranking};
use crate::fabric::Fabric;

/// Hosts on switches that are no leaves, and links between equal ranks; each kind in ascending GUID of the switch.
/// `groups` are the port groups of the fabric; `name` names a switch.
pub fn odd_places(
    fabric: &Fabric,
    groups: &Groups,
    ranking: &Ranking,
    name: impl Fn(u32) -> String,
) -> Vec<String> {
    let switches = || 0..fabric.switches().len() as u32;
    let mut odd = Vec::new();
    for switch in switches().filter(|&s| !ranking.is_leaf(s)) {
        let nodes = fabric.hosts_of(switch).count();
        if nodes > 0 {
            let name = name(switch);
            odd.push(format!("{nodes} end nodes above the leaves, on {name}"));
        }
    }
    for below in switches() {
        for group in groups.up(below).iter().filter(|g| g.level) {
            let (below, above) = (name(below), name(group.remote));
            odd.push(format!("link between equal ranks: {below} -- {above}"));
        }
    }
    odd
}

/// The lines of [`odd_places`], and lines about switches whose uplinks differ from their siblings'.
pub fn wiring_warnings(
    fabric: &Fabric,
    ranking: &Ranking,
    name: impl Fn(u32) -> String,
) -> Vec<String> {
    let groups = Groups::of(fabric, ranking);
    let mut odd = odd_places(fabric, &groups, ranking, &name);
    let unlike = unlike_siblings(fabric, &groups, ranking);
    odd.extend(unlike.iter().map(|unlike| unlike.describe(&name)));
    odd
}
