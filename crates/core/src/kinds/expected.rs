//! Expected uplinks: the ports at which each member of a kind should have an uplink.
//!
//! Expected is a port that at least a third as many members use upward as use the most used uplink port, and not fewer than
//! use it otherwise; and a *hole*: a port on the grid of these (first to last, usual stride) that at most an eighth of
//! the members use, if holes are not more than the others. So a lost link, a dead parent and a dead plane are one thing:
//! an expected port that is dark. A wrong expectation costs little as long as the number of ports is right.
//!
//! The *leader* of a port is the lowest port of its group, by majority: its plane, if its parent is gone.
//!
//! Invariant: a kind without planes expects nothing. Cost: linear in ports and links.

use super::known::Known;
use super::places::Places;
use super::table::{Kinds, Uses, most_used};
use crate::ids::KindId;
use crate::spread::most_common;
use typed_index_collections::TiVec;

/// The expected uplinks of a kind.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    /// By port: whether an uplink is expected.
    pub is: Vec<bool>,
    /// By port: its leader.
    pub leader: Vec<u8>,
    /// Ports and leaders of all expected uplinks, ascending.
    pub ports: Vec<(u8, u8)>,
}

/// Finds the expected uplinks of all kinds.
pub fn expected(known: &Known, kinds: &Kinds, places: &Places) -> TiVec<KindId, Expected> {
    // By kind: port and leader of each known uplink; and the widths of groups.
    let mut leaders: TiVec<KindId, Vec<(u8, u8)>> = vec![Vec::new(); kinds.kinds.len()].into();
    let mut widths: TiVec<KindId, Vec<usize>> = vec![Vec::new(); kinds.kinds.len()].into();
    for group in known.all_up() {
        let (kind, leader) = (kinds.of_switch[group.child], known.plane_port(group));
        let ports = known.ports(group);
        widths[kind].push(ports.len());
        leaders[kind].extend(ports.iter().map(|&(port, _)| (port, leader)));
    }
    let of_kind = kinds.kinds.iter_enumerated().map(|(id, kind)| {
        let ports = kind.uses.len();
        let mut of_kind = Expected {
            is: vec![false; ports],
            leader: (0..ports).map(|port| port as u8).collect(),
            ports: Vec::new(),
        };
        if places.has_planes[id] {
            let top = most_used(&kind.uses);
            let is_usual = |u: &Uses| u.up > 0 && 3 * u.up >= top && u.up >= u.down + u.host;
            of_kind.is = kind.uses.iter().map(is_usual).collect();
            leaders[id].sort_unstable();
            for of_port in leaders[id].chunk_by(|a, b| a.0 == b.0) {
                let mut leaders: Vec<u8> = of_port.iter().map(|&(_, leader)| leader).collect();
                of_kind.leader[usize::from(of_port[0].0)] = most_common(&mut leaders).0;
            }
            let width = most_common(&mut widths[id]).0;
            of_kind.add_holes(&kind.uses, kind.members, width.max(1));
        }
        let all = (0..=u8::MAX).zip(&of_kind.is).zip(&of_kind.leader);
        let ports = all.filter(|((_, is), _)| **is);
        of_kind.ports = ports.map(|((port, _), &leader)| (port, leader)).collect();
        of_kind
    });
    of_kind.collect()
}

impl Expected {
    /// Adds the holes: they lead to planes that are gone as a whole.
    fn add_holes(&mut self, uses: &[Uses], members: u32, width: usize) {
        let usual: Vec<usize> = (0..uses.len()).filter(|&port| self.is[port]).collect();
        let (Some(&first), Some(&last)) = (usual.first(), usual.last()) else {
            return;
        };
        // Two uplinks have no usual stride; all used ports have.
        let used: Vec<usize> = (1..uses.len())
            .filter(|&port| 8 * uses[port].all() > members)
            .collect();
        let ports = if usual.len() > 2 { &usual } else { &used };
        let mut strides: Vec<usize> = ports.windows(2).map(|two| two[1] - two[0]).collect();
        let stride = most_common(&mut strides).0.max(1);
        let grid = (first..last).step_by(stride);
        let holes: Vec<usize> = grid
            .filter(|&port| 8 * uses[port].all() <= members)
            .collect();
        if holes.len() > usual.len() {
            return;
        }
        for port in holes {
            self.is[port] = true;
            let nth = (port - first) / stride % width;
            self.leader[port] = (port - nth * stride) as u8;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use crate::tests::route;
    use dmodc_fabric::SwitchId;
    use fabrics::Net;
    use std::collections::BTreeSet;

    /// What a kind of eight members expects, if so many use each port up.
    fn expects(up: &[u32], width: usize) -> Vec<(usize, u8)> {
        let uses: Vec<Uses> = up
            .iter()
            .map(|&up| Uses {
                up,
                ..Uses::default()
            })
            .collect();
        let mut expected = Expected {
            is: up.iter().map(|&up| 3 * up >= 8).collect(),
            // Groups begin at port 1.
            leader: (0..up.len())
                .map(|port| (port.max(1) - (port.max(1) - 1) % width) as u8)
                .collect(),
            ports: Vec::new(),
        };
        expected.add_holes(&uses, 8, width);
        let all = (0..).zip(expected.is).zip(expected.leader);
        all.filter(|((_, is), _)| *is)
            .map(|((port, _), leader)| (port, leader))
            .collect()
    }

    /// Ports were counted in eight bits, one beyond the last: a debug build ended here.
    #[test]
    fn a_switch_has_up_to_254_ports() {
        let links = [vec![(0, 2); 100], vec![(1, 2); 100]].concat();
        let fabric = Net::new(&links, &[[0; 153], [1; 153]].concat()).build();
        assert_eq!(fabric.switches()[SwitchId(0)].ports, 254);
        let tables = route(&fabric, &Options::default(), 1).1;
        let all = fabric.end_nodes().iter();
        let ports: BTreeSet<u8> = all.map(|node| tables.get(SwitchId(0), node.lid)).collect();
        assert_eq!(ports.len(), 253);
    }

    #[test]
    fn a_plane_that_is_gone_leaves_a_hole_on_the_grid() {
        assert_eq!(
            expects(&[0, 8, 0, 8, 7], 1),
            [(1, 1), (2, 2), (3, 3), (4, 4)]
        );
        // Both links of the second plane.
        let pairs = expects(&[0, 8, 8, 0, 0, 8, 8], 2);
        assert_eq!(pairs, [(1, 1), (2, 1), (3, 3), (4, 3), (5, 5), (6, 5)]);
        // Every second port: the ports between are no holes.
        assert_eq!(
            expects(&[0, 8, 0, 8, 0, 0, 0, 8], 1),
            [(1, 1), (3, 3), (5, 5), (7, 7)]
        );
        // A port that two of eight members use is used otherwise.
        assert_eq!(expects(&[0, 8, 2, 8, 8], 1), [(1, 1), (3, 3), (4, 4)]);
        // More holes than ports: two ports far apart are no grid.
        assert_eq!(expects(&[0, 8, 8, 0, 0, 0, 0, 8], 1).len(), 3);
    }
}
