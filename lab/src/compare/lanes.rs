//! Credit loops lane by lane.
//!
//! Routes on different virtual lanes have separate buffers and never wait for one another. So routes with a
//! cycle on one lane may have none when spread over several. Tables do not have the lane of a route: the
//! engine gives the service level of each pair of hosts, and each level counts as a lane.

use dmodc::analysis::{Channels, CreditLoops, Dependencies, Hop};
use dmodc::fabric::{EndNode, Fabric, Lid, NodeKind};
use dmodc::lft::Tables;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Service levels have four bits.
const LEVELS: u8 = 16;

/// The credit loops of the routes from host to host on each lane in use. `level` gives the service level of a
/// pair of base LIDs, source and destination.
pub fn lane_loops(
    fabric: &Fabric,
    tables: &Tables,
    level: impl Fn(Lid, Lid) -> u8 + Sync,
) -> BTreeMap<u8, CreditLoops> {
    let channels = Channels::new(fabric);
    let nodes = fabric.end_nodes().iter();
    let hosts: Vec<&EndNode> = nodes.filter(|n| n.kind != NodeKind::Aggregation).collect();
    let share = hosts.len().div_ceil(rayon::current_num_threads()).max(1);
    let of_destinations = |destinations: &[&EndNode]| {
        let mut lanes: BTreeMap<u8, Dependencies> = BTreeMap::new();
        for to in destinations {
            // By lane: the switches at which a packet to this host has been.
            let mut passed: BTreeMap<u8, Vec<bool>> = BTreeMap::new();
            for from in &hosts {
                let lane = level(from.lid, to.lid) % LEVELS;
                let passed = passed
                    .entry(lane)
                    .or_insert_with(|| vec![false; channels.switches()]);
                let dependencies = lanes
                    .entry(lane)
                    .or_insert_with(|| Dependencies::new(&channels));
                let (mut at, mut came_by) = (from.switch, None);
                while let Hop::Switch { channel, to: next } =
                    channels.hop(at, tables.get(at, to.lid))
                {
                    if let Some(before) = came_by {
                        dependencies.add(before, channels.get(channel).port);
                    }
                    if std::mem::replace(&mut passed[at as usize], true) {
                        break;
                    }
                    (at, came_by) = (next, Some(channel));
                }
            }
        }
        lanes
    };
    let lanes = hosts.par_chunks(share).map(of_destinations);
    let lanes = lanes.reduce(BTreeMap::new, |mut all, more| {
        for (lane, dependencies) in more {
            match all.get_mut(&lane) {
                Some(of_lane) => Dependencies::merge(of_lane, &dependencies),
                None => drop(all.insert(lane, dependencies)),
            }
        }
        all
    });
    let loops = |(lane, of_lane): (u8, Dependencies)| (lane, of_lane.loops(&channels));
    lanes.into_iter().map(loops).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use dmodc::fabric::{Builder, Guid};

    #[test]
    fn a_ring_routed_clockwise_needs_two_lanes() {
        // Port 1 of each switch leads to the next one, port 2 to the one before, port 3 to its host.
        let mut ring = Builder::default();
        for s in 0..4u16 {
            ring.switch(Guid(u64::from(s) + 1), Lid(s + 1), 0, 3);
            ring.link((s.into(), 1), (u32::from(s + 1) % 4, 2));
            ring.end_node(EndNode {
                guid: Guid(10 + u64::from(s)),
                lid: Lid(5 + s),
                lmc: 0,
                kind: NodeKind::Ca,
                switch: s.into(),
                port: 3,
            });
        }
        let fabric = ring.finish().0;
        let mut tables = Tables::for_fabric(&fabric);
        for switch in 0..4 {
            tables.row_mut(switch)[5..9].fill(1);
            tables.row_mut(switch)[5 + switch as usize] = 3;
        }
        let counts = |level: fn(Lid, Lid) -> u8| -> Vec<(u8, usize)> {
            let loops = lane_loops(&fabric, &tables, level).into_iter();
            loops.map(|(lane, found)| (lane, found.count)).collect()
        };
        assert_eq!(counts(|_, _| 3), [(3, 1)]);
        // LIDs of hosts are 5 to 8. The routes of two neighbours end before they meet their beginning.
        let halves: fn(Lid, Lid) -> u8 = |from, _| u8::from(from.0 > 6);
        assert_eq!(counts(halves), [(0, 0), (1, 0)]);
        // The routes of two opposite ones close the circle again.
        assert_eq!(counts(|from, _| (from.0 % 2) as u8), [(0, 1), (1, 1)]);
    }
}
