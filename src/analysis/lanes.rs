//! Credit loops lane by lane.
//!
//! Routes on different virtual lanes have separate buffers and never wait for one another. So routes with a
//! cycle on one lane may have none when spread over several. Tables do not have the lane of a route: the
//! engine gives the service level of each pair of hosts, and each level counts as a lane.

use super::channels::Channels;
use super::deadlock::{CreditLoops, Dependencies};
use super::walk::{Target, Walker};
use crate::fabric::{Fabric, Lid, NodeKind};
use crate::lft::Tables;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Service levels have four bits.
const LEVELS: usize = 16;

/// The credit loops of the routes from host to host on each lane in use. `level` gives the service level of a
/// pair of base LIDs, source and destination.
pub fn lane_loops(
    fabric: &Fabric,
    tables: &Tables,
    level: impl Fn(Lid, Lid) -> u8 + Sync,
) -> BTreeMap<u8, CreditLoops> {
    let channels = Channels::new(fabric);
    let switches = fabric.switches().len();
    let nodes = fabric.end_nodes().iter();
    let hosts: Vec<_> = nodes.filter(|n| n.kind != NodeKind::Aggregation).collect();
    let share = hosts.len().div_ceil(rayon::current_num_threads()).max(1);
    let lanes = hosts
        .par_chunks(share)
        .map(|destinations| {
            let mut lanes: BTreeMap<u8, Dependencies> = BTreeMap::new();
            let mut walker = Walker::new(switches, tables);
            let mut sends = vec![vec![false; switches]; LEVELS];
            let mut passed = vec![false; switches];
            let mut entries = vec![0; switches];
            for to in destinations {
                sends.iter_mut().for_each(|of_lane| of_lane.fill(false));
                for from in &hosts {
                    let lane = usize::from(level(from.lid, to.lid)) % LEVELS;
                    sends[lane][from.switch as usize] = true;
                }
                for (s, entry) in (0..).zip(&mut entries) {
                    *entry = tables.get(s, to.lid);
                }
                let target = Target {
                    switch: to.switch,
                    port: to.port,
                };
                walker.follow(&channels, &entries, target);
                for (lane, sends) in (0..).zip(&sends).filter(|(_, sends)| sends.contains(&true)) {
                    let of_lane = lanes.entry(lane);
                    let of_lane = of_lane.or_insert_with(|| Dependencies::new(&channels));
                    of_lane.add_routes(&channels, &walker, sends, &mut passed);
                }
            }
            lanes
        })
        .reduce(BTreeMap::new, |mut all, more| {
            for (lane, dependencies) in more {
                match all.get_mut(&lane) {
                    Some(of_lane) => Dependencies::merge(of_lane, &dependencies),
                    None => drop(all.insert(lane, dependencies)),
                }
            }
            all
        });
    lanes
        .into_iter()
        .map(|(lane, of_lane)| (lane, of_lane.loops(&channels)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Net, lids, send, shortest};
    use super::*;

    #[test]
    fn a_ring_routed_clockwise_needs_two_lanes() {
        let fabric = Net::new(&[(0, 1), (1, 2), (2, 3), (3, 0)], &[0, 1, 2, 3]).build();
        let mut tables = shortest(&fabric);
        for (lid, target, _) in lids(&fabric) {
            let path: Vec<u32> = (1..=4).map(|i| (target + i) % 4).collect();
            send(&fabric, &mut tables, lid, &path);
        }
        let counts = |level: fn(Lid, Lid) -> u8| -> Vec<(u8, usize)> {
            let loops = lane_loops(&fabric, &tables, level).into_iter();
            loops.map(|(lane, found)| (lane, found.count)).collect()
        };
        assert_eq!(counts(|_, _| 3), [(3, 1)]);
        // LIDs of hosts are 5 to 8. What two neighbours send ends before it meets its beginning.
        let halves: fn(Lid, Lid) -> u8 = |from, _| u8::from(from.0 > 6);
        assert_eq!(counts(halves), [(0, 0), (1, 0)]);
        // What two opposite ones send closes the circle again.
        assert_eq!(counts(|from, _| (from.0 % 2) as u8), [(0, 1), (1, 1)]);
    }
}
