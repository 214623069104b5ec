//! Oddities in the wiring of a tree.

use super::{Unlike, unlike_siblings};
use crate::dmodc::{Groups, Ranking};
use crate::fabric::Fabric;

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
pub fn wiring_warnings(fabric: &Fabric, ranking: &Ranking) -> Vec<WiringWarning> {
    let groups = &Groups::of(fabric, ranking);
    let switches = || 0..fabric.switches().len() as u32;
    let further_up = switches()
        .filter(|&s| !ranking.is_leaf(s))
        .filter_map(|switch| {
            let nodes = fabric.hosts_of(switch).count() as u32;
            (nodes > 0).then_some(WiringWarning::NodesFurtherUp { switch, nodes })
        });
    let mut found: Vec<_> = further_up.collect();
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
