//! GUID files for OpenSM's other engines: the order of switches, the compute nodes.
//!
//! A line has a GUID, for some options a number, and a comment for people, which OpenSM skips.

use dmodc_core::{Options, Ranking, roots};
use dmodc_fabric::{Fabric, Guid, NodeId, NodeKind, SwitchId, grouped};

/// The hosts by their role for the engine `ftree`, which wants all compute nodes at one distance from the roots: those at
/// the distance that most have, then the others.
pub fn by_role(fabric: &Fabric, ranking: &Ranking) -> (Vec<NodeId>, Vec<NodeId>) {
    let roots = roots(fabric, ranking);
    let root_guids = roots.iter().map(|&s| fabric.guid(s));
    let options = Options {
        root_guids: root_guids.collect(),
        ..Options::default()
    };
    let counted_down = Ranking::new(fabric, &options);
    let hosts = fabric.end_nodes().iter_enumerated();
    let hosts = hosts.filter(|(_, node)| node.kind == NodeKind::Ca);
    let mut at = grouped(hosts.map(|(n, node)| (counted_down.rank(node.switch), n)));
    // Of several ranks with as many hosts, the lowest.
    let most = at.iter().rev().max_by_key(|(_, hosts)| hosts.len());
    let most = most.map(|(&rank, _)| rank);
    let compute = most.and_then(|rank| at.remove(&rank)).unwrap_or_default();
    let mut io: Vec<NodeId> = at.into_values().flatten().collect();
    io.sort_unstable();
    (compute, io)
}

/// A GUID file of some nodes, each with its name.
pub fn guid_file<'n>(nodes: impl IntoIterator<Item = (Guid, &'n str)>) -> String {
    let line = |(guid, name)| format!("{guid} # {name}\n");
    nodes.into_iter().map(line).collect()
}

/// The lines of `ids_guid_file`: all switches from the top down, numbered. Of two switches that `updn` finds
/// at one level, the switch with the lesser number is above.
pub fn rank_file<'n>(
    fabric: &Fabric,
    ranking: &Ranking,
    name: impl Fn(SwitchId) -> &'n str,
) -> String {
    let from_above = ranking.ascending().into_iter().rev();
    let line = |(number, switch): (u32, SwitchId)| {
        let guid = fabric.guid(switch);
        let (rank, name) = (ranking.rank(switch), name(switch));
        format!("{guid} {number} # rank {rank}: {name}\n")
    };
    (1..).zip(from_above).map(line).collect()
}
