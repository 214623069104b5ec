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
use super::table::{Kinds, Uses, most_used};
use crate::ids::KindId;
use crate::spread::most_common;
use typed_index_collections::TiVec;

/// Finds the expected uplinks of all kinds.
pub fn expect(known: &Known, kinds: &mut Kinds) {
    // By kind: port and leader of each known uplink; and the widths of groups.
    let mut leaders: TiVec<KindId, Vec<(u8, u8)>> = vec![Vec::new(); kinds.kinds.len()].into();
    let mut widths: TiVec<KindId, Vec<usize>> = vec![Vec::new(); kinds.kinds.len()].into();
    for group in known.all_up() {
        let (kind, leader) = (kinds.of_switch[group.child], known.plane_port(group));
        let ports = known.ports(group);
        widths[kind].push(ports.len());
        leaders[kind].extend(ports.iter().map(|&(port, _)| (port, leader)));
    }
    let kinds = kinds.kinds.iter_mut_enumerated();
    for (id, kind) in kinds.filter(|(_, kind)| kind.has_planes) {
        let top = most_used(&kind.uses);
        leaders[id].sort_unstable();
        for of_port in leaders[id].chunk_by(|a, b| a.0 == b.0) {
            let port = usize::from(of_port[0].0);
            let uses = kind.uses[port];
            if 3 * uses.up >= top && uses.up >= uses.other {
                let mut leaders: Vec<u8> = of_port.iter().map(|&(_, leader)| leader).collect();
                kind.expected[port] = Some(most_common(&mut leaders).0);
            }
        }
        let width = most_common(&mut widths[id]).0.max(1);
        add_holes(&mut kind.expected, &kind.uses, kind.members, width);
    }
}

/// Adds the holes: they lead to planes that are gone as a whole.
fn add_holes(expected: &mut [Option<u8>], uses: &[Uses], members: u32, width: usize) {
    let ports = 0..uses.len();
    let usual: Vec<usize> = ports.filter(|&port| expected[port].is_some()).collect();
    let (Some(&first), Some(&last)) = (usual.first(), usual.last()) else {
        return;
    };
    let is_used = |port: &usize| 8 * uses[*port].all() > members;
    // Two uplinks have no usual stride; all used ports have.
    let used: Vec<usize> = (1..uses.len()).filter(is_used).collect();
    let ports = if usual.len() > 2 { &usual } else { &used };
    let mut strides: Vec<usize> = ports.windows(2).map(|two| two[1] - two[0]).collect();
    let stride = most_common(&mut strides).0.max(1);
    let grid = (first..last).step_by(stride);
    let holes: Vec<usize> = grid.filter(|port| !is_used(port)).collect();
    if holes.len() > usual.len() {
        return;
    }
    for port in holes {
        let nth = (port - first) / stride % width;
        expected[port] = Some((port - nth * stride) as u8);
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

    /// What a kind of eight members expects, if so many use each port up. Groups begin at port 1.
    fn expects(up: &[u32], width: usize) -> Vec<(usize, u8)> {
        let uses: Vec<Uses> = up.iter().map(|&up| Uses { up, other: 0 }).collect();
        let leader = |port: usize| (port - (port - 1) % width) as u8;
        let is_usual = |port: usize| 3 * up[port] >= 8;
        let ports = 0..up.len();
        let expected = ports.map(|port| is_usual(port).then(|| leader(port)));
        let mut expected: Vec<Option<u8>> = expected.collect();
        add_holes(&mut expected, &uses, 8, width);
        let all = (0..).zip(expected);
        all.filter_map(|(port, leader)| Some((port, leader?)))
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
