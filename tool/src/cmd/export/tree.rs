//! The fabric as a tree of groups, for programs without a notion of fat-trees.
//!
//! A switch with hosts is a group. Level by level from below, groups that are connected without the switches
//! above that level join in a larger group; a group of a single group is left out. So a three-level fat-tree
//! has its leaves, its pods and a root.

use dmodc::export::Labels;
use dmodc::fabric::Fabric;

/// A group: hosts on one switch, or other groups, never both.
#[derive(Default)]
pub struct Group {
    /// The name of the switch, or `level2-1` and the like.
    pub name: String,
    /// Names of the hosts; a host with ports in several groups is in the first.
    pub hosts: Vec<String>,
    pub groups: Vec<Group>,
}

impl Group {
    pub fn leaves(&self) -> usize {
        let inside: usize = self.groups.iter().map(Group::leaves).sum();
        inside + usize::from(self.groups.is_empty())
    }
}

/// The tree of each connected part of a fabric. `rank` gives a switch's rank; `order` is the order of the end
/// nodes, and so of the groups.
pub fn groups(
    fabric: &Fabric,
    labels: &Labels,
    rank: impl Fn(u32) -> u32,
    order: &[u32],
) -> Vec<Group> {
    let switches = fabric.switches().len();
    // The groups found so far, each with one of its switches.
    let mut found: Vec<(u32, Group)> = leaves(fabric, labels, order);
    let top = (0..switches as u32).map(&rank).max().unwrap_or(0);
    for level in 0..=top {
        let part = fabric.parts(|s| rank(s) <= level);
        let (mut next, mut number): (Vec<(u32, Vec<Group>)>, usize) = (Vec::new(), 0);
        for (switch, group) in found {
            let same = |(other, _): &&mut (u32, Vec<Group>)| {
                let (a, b) = (part[switch as usize], part[*other as usize]);
                a.is_some() && a == b
            };
            match next.iter_mut().find(same) {
                Some((_, groups)) => groups.push(group),
                None => next.push((switch, vec![group])),
            }
        }
        let join = |(switch, mut groups): (u32, Vec<Group>)| {
            if groups.len() == 1 {
                return (switch, groups.remove(0));
            }
            number += 1;
            let name = format!("level{}-{number}", level + 1);
            let hosts = Vec::new();
            (
                switch,
                Group {
                    name,
                    hosts,
                    groups,
                },
            )
        };
        found = next.into_iter().map(join).collect();
    }
    found.into_iter().map(|(_, group)| group).collect()
}

/// The switches with hosts, in the order of their first host.
fn leaves(fabric: &Fabric, labels: &Labels, order: &[u32]) -> Vec<(u32, Group)> {
    let mut place = vec![None; fabric.switches().len()];
    let mut leaves: Vec<(u32, Group)> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for &node in order {
        let Some(host) = labels.hosts[node as usize]
            .as_ref()
            .filter(|host| seen.insert(*host))
        else {
            continue;
        };
        let switch = fabric.end_nodes()[node as usize].switch;
        let at = *place[switch as usize].get_or_insert_with(|| {
            let group = Group {
                name: labels.switches[switch as usize].clone(),
                ..Group::default()
            };
            leaves.push((switch, group));
            leaves.len() - 1
        });
        leaves[at].1.hosts.push(host.clone());
    }
    leaves
}
