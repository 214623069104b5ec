//! Credit loops lane by lane.
//!
//! Routes on different virtual lanes have separate buffers and never wait for one another. So routes with a
//! cycle on one lane may have none when spread over several. Tables do not have the lane of a route: the
//! engine gives the service level of each pair of hosts, and each level counts as a lane.

use dmodc_analysis::{Channels, CreditLoops, Dependencies};
use dmodc_fabric::{EndNode, Fabric, Lid, NodeKind, PortNumber, SwitchId, Tables};
use rayon::prelude::*;
use std::collections::BTreeMap;
use typed_index_collections::TiVec;

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
            // By lane: the switches that packets to this host have passed.
            let mut passed: BTreeMap<u8, TiVec<SwitchId, bool>> = BTreeMap::new();
            for from in &hosts {
                let lane = level(from.lid, to.lid) % LEVELS;
                let passed = passed.entry(lane);
                let passed = passed.or_insert_with(|| vec![false; channels.switches()].into());
                let dependencies = lanes.entry(lane);
                let dependencies = dependencies.or_insert_with(|| Dependencies::new(&channels));
                let (mut at, mut came_by) = (from.switch, None);
                let hop = |at| channels.hop(at, PortNumber(tables.get(at, to.lid)));
                while let Some((channel, next)) = hop(at) {
                    if let Some(before) = came_by {
                        dependencies.add(before, channels.get(channel).port);
                    }
                    if std::mem::replace(&mut passed[at], true) {
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
