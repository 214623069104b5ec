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
    let beside = |s: u32| {
        let all = groups.up(s).iter().chain(groups.down(s));
        all.filter(|g| g.level).map(|g| g.remote)
    };
    // What is beside one other at most is in no cycle: it goes, and then whatever is so without it.
    let switches = 0..groups.switches() as u32;
    let mut others: Vec<usize> = switches.clone().map(|s| beside(s).count()).collect();
    let mut open: Vec<u32> = switches.filter(|&s| others[s as usize] == 1).collect();
    while let Some(s) = open.pop() {
        for other in beside(s) {
            let left = &mut others[other as usize];
            *left = left.saturating_sub(1);
            if *left == 1 {
                open.push(other);
            }
        }
    }
    // From one that is left a walk comes back to where it was.
    let mut along = vec![others.iter().position(|&others| others > 1)? as u32];
    loop {
        let before = along.iter().nth_back(1).copied();
        let mut next = beside(*along.last()?);
        let next = next.find(|&s| others[s as usize] > 1 && Some(s) != before)?;
        if let Some(at) = along.iter().position(|&s| s == next) {
            return Some(along.split_off(at));
        }
        along.push(next);
    }
}

/// The root of a switch in a forest of parents (union-find); shortens paths on the way.
pub fn root(parent: &mut [u32], mut s: u32) -> u32 {
    while parent[s as usize] != s {
        parent[s as usize] = parent[parent[s as usize] as usize];
        s = parent[s as usize];
    }
    s
}
