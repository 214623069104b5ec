//! Finds oddities in the wiring of a tree, as log lines.

use super::lines::list;
use super::{Doubt, Kind, Unlike, by_switch, unlike_siblings};
use dmodc_core::{Groups, Ranking};
use dmodc_fabric::{Fabric, SwitchId};

/// How many switches a line names.
const NAMED: usize = 4;

/// Hosts on switches that are no leaves, and links between equal ranks; each kind in ascending GUID of the switch.
/// `groups` are the port groups of the fabric; `name` names a switch.
pub fn odd_places(
    fabric: &Fabric,
    groups: &Groups,
    ranking: &Ranking,
    name: impl Fn(SwitchId) -> String,
) -> Vec<String> {
    let switches = || fabric.switches().keys();
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

/// The lines of `odd_places`, and lines about switches whose uplinks differ from their siblings'.
pub fn wiring_warnings(
    fabric: &Fabric,
    ranking: &Ranking,
    name: impl Fn(SwitchId) -> String,
) -> Vec<String> {
    let groups = Groups::of_fabric(fabric, ranking);
    let mut odd = odd_places(fabric, &groups, ranking, &name);
    let unlike = unlike_siblings(fabric, &groups, ranking);
    odd.extend(describe_unlike(unlike, &name));
    odd
}

/// Lines about switches whose uplinks differ from their siblings': one for a switch to which many lack their link, and
/// one for each switch with other differences.
pub fn describe_unlike(mut unlike: Vec<Unlike>, name: impl Fn(SwitchId) -> String) -> Vec<String> {
    let doubts = unlike.iter().flat_map(|unlike| &unlike.doubts).copied();
    let missing = doubts.filter(|doubt| doubt.kind == Kind::Missing).collect();
    let mut lines = Vec::new();
    for (above, doubts) in by_switch(missing, |doubt: &Doubt| vec![doubt.above]) {
        let Some(above) = above else { continue };
        let names = list(doubts.iter().map(|d| name(d.switch)), NAMED);
        let (links, above) = (doubts.len(), name(above));
        let what = "links that siblings have are missing, to";
        lines.push(format!("{above}: {links} {what} {names}"));
        for unlike in &mut unlike {
            unlike.doubts.retain(|doubt| !doubts.contains(doubt));
        }
    }
    unlike.retain(|unlike| !unlike.doubts.is_empty());
    lines.extend(unlike.iter().map(|unlike| unlike.describe(&name)));
    lines
}
