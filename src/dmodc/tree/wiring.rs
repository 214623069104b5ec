//! Checks the wiring once ranks are known: refuses what is no tree, and warns of oddities in a tree.
//!
//! A link between equal ranks is oriented by UUID, which is harmless here and there. Where such links alone
//! close a cycle (a ring, a torus, a mesh, a dragonfly) there are no levels, and the fabric is refused.

use super::groups::{Groups, Sides};
use super::leaves;
use super::rank::Ranking;
use crate::fabric::Fabric;
use crate::wiring::{Unlike, unlike_siblings};

/// An oddity in the wiring for the administrator. Switches by index.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WiringWarning {
    /// End nodes on a switch that is not a leaf.
    NodesFurtherUp {
        /// The switch.
        switch: u32,
        /// How many it carries, aggregation nodes not counted.
        nodes: u32,
    },
    /// A link between equal ranks.
    LevelLink {
        /// The end of lower UUID.
        below: u32,
        /// The end of higher UUID.
        above: u32,
    },
    /// A switch whose links up are not those of its siblings.
    Unlike(Unlike),
}

impl WiringWarning {
    /// The warning as a log line; `name` names a switch.
    pub fn describe(&self, name: impl Fn(u32) -> String) -> String {
        match self {
            WiringWarning::NodesFurtherUp { switch, nodes } => {
                format!("{nodes} end nodes above the leaves, on {}", name(*switch))
            }
            WiringWarning::LevelLink { below, above } => {
                format!(
                    "link between equal ranks: {} -- {}",
                    name(*below),
                    name(*above)
                )
            }
            WiringWarning::Unlike(unlike) => unlike.describe(name),
        }
    }
}

/// The oddities in the wiring, in ascending UUID of each kind.
pub fn wiring_warnings(fabric: &Fabric, ranking: &Ranking, groups: &Groups) -> Vec<WiringWarning> {
    let switches = || 0..fabric.switches().len() as u32;
    let mut found = Vec::new();
    for (switch, nodes) in leaves::host_counts(fabric).into_iter().enumerate() {
        let switch = switch as u32;
        if nodes > 0 && !ranking.is_leaf(switch) {
            found.push(WiringWarning::NodesFurtherUp { switch, nodes });
        }
    }
    for below in switches() {
        let level = groups.up(below).iter().filter(|g| g.level);
        found.extend(level.map(|g| WiringWarning::LevelLink {
            below,
            above: g.remote,
        }));
    }
    let unlike = unlike_siblings(fabric, groups, ranking);
    found.extend(unlike.into_iter().map(WiringWarning::Unlike));
    found
}

/// A cycle of links between equal ranks, as the switches along it, or `None`.
pub fn level_cycle(groups: &Sides) -> Option<Vec<u32>> {
    if !groups.has_level_links() {
        return None;
    }
    let mut parent: Vec<u32> = (0..groups.switches() as u32).collect();
    let mut tree: Vec<Vec<u32>> = vec![Vec::new(); parent.len()];
    for a in 0..parent.len() as u32 {
        for b in groups.up(a).iter().filter(|g| g.level).map(|g| g.remote) {
            let (root_a, root_b) = (root(&mut parent, a), root(&mut parent, b));
            if root_a == root_b {
                return Some(way(&tree, a, b));
            }
            parent[root_a as usize] = root_b;
            tree[a as usize].push(b);
            tree[b as usize].push(a);
        }
    }
    None
}

/// The root of a switch in a forest of parents (union-find); shortens paths on the way.
pub fn root(parent: &mut [u32], mut s: u32) -> u32 {
    while parent[s as usize] != s {
        parent[s as usize] = parent[parent[s as usize] as usize];
        s = parent[s as usize];
    }
    s
}

/// The switches on the path from `from` to `to` in a forest.
fn way(tree: &[Vec<u32>], from: u32, to: u32) -> Vec<u32> {
    let mut came_from = vec![u32::MAX; tree.len()];
    came_from[to as usize] = to;
    let mut reached = vec![to];
    let mut next = 0;
    while let Some(&s) = reached.get(next) {
        next += 1;
        for &other in &tree[s as usize] {
            if came_from[other as usize] == u32::MAX {
                came_from[other as usize] = s;
                reached.push(other);
            }
        }
    }
    let mut along = vec![from];
    let mut s = from;
    while s != to && came_from[s as usize] != u32::MAX {
        s = came_from[s as usize];
        along.push(s);
    }
    along
}
