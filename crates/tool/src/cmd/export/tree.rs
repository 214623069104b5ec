//! The fabric as a tree of groups, for programs without a notion of fat-trees.
//!
//! A switch with hosts is a group. Level by level from below, groups that are connected without the switches
//! above that level join in a larger group; a group of a single group is left out. So a three-level fat-tree
//! has its leaves, its pods and a root.

use dmodc_fabric::{Fabric, NodeId, SwitchId};
use dmodc_formats::export::Labels;
use typed_index_collections::TiVec;

/// A group: hosts on one switch, or other groups, never both.
#[derive(Default)]
pub struct Group {
    /// The name of the switch, or `level2-1` and the like, which no switch has.
    pub name: String,
    /// Names of the hosts, each once; a host with ports at several switches is in each of their groups.
    pub hosts: Vec<String>,
    pub groups: Vec<Group>,
}

/// The tree of each connected part of a fabric. `rank` gives a switch's rank; `order` is the order of the end
/// nodes, and so of the groups.
pub fn groups(
    fabric: &Fabric,
    labels: &Labels,
    rank: impl Fn(SwitchId) -> u32,
    order: &[NodeId],
) -> Vec<Group> {
    // The groups found so far, each with one of its switches.
    let mut found: Vec<(SwitchId, Group)> = leaves(fabric, labels, order);
    let top = fabric.switches().keys().map(&rank).max().unwrap_or(0);
    for level in 0..=top {
        let part = fabric.parts(|s| rank(s) <= level);
        let (mut next, mut number): (Vec<(SwitchId, Vec<Group>)>, usize) = (Vec::new(), 0);
        for (switch, group) in found {
            let same = |(other, _): &&mut (SwitchId, Vec<Group>)| {
                let (a, b) = (part[switch], part[*other]);
                a.is_some() && a == b
            };
            match next.iter_mut().find(same) {
                Some((_, groups)) => groups.push(group),
                None => next.push((switch, vec![group])),
            }
        }
        let join = |(switch, mut groups): (SwitchId, Vec<Group>)| {
            if groups.len() == 1 {
                return (switch, groups.remove(0));
            }
            let name = |number| format!("level{}-{number}", level + 1);
            let is_free = |number: &usize| !labels.switches.iter().any(|s| *s == name(*number));
            number = (number + 1..).find(is_free).unwrap_or_default();
            let group = Group {
                name: name(number),
                hosts: Vec::new(),
                groups,
            };
            (switch, group)
        };
        found = next.into_iter().map(join).collect();
    }
    found.into_iter().map(|(_, group)| group).collect()
}

/// The switches with hosts, in the order of their first host.
fn leaves(fabric: &Fabric, labels: &Labels, order: &[NodeId]) -> Vec<(SwitchId, Group)> {
    let mut place: TiVec<SwitchId, _> = vec![None; fabric.switches().len()].into();
    let mut leaves: Vec<(SwitchId, Group)> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for &node in order {
        let switch = fabric.end_nodes()[node].switch;
        let host = labels.hosts[node].as_ref();
        let Some(host) = host.filter(|host| seen.insert((switch, *host))) else {
            continue;
        };
        let at = *place[switch].get_or_insert_with(|| {
            let group = Group {
                name: labels.switches[switch].clone(),
                ..Group::default()
            };
            leaves.push((switch, group));
            leaves.len() - 1
        });
        leaves[at].1.hosts.push(host.clone());
    }
    leaves
}
