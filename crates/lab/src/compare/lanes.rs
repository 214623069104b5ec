//! Credit loops lane by lane.
//!
//! Routes on different virtual lanes have separate buffers and never wait for one another. So routes with a
//! cycle on one lane may have none when spread over several. Tables do not have the lane of a route: the
//! engine gives the service level of each pair of hosts, and each level counts as a lane.

use dmodc_analysis::{Channels, CreditLoops, Dependencies};
use dmodc_fabric::{EndNode, Fabric, Lid, NodeKind, PortNumber, SwitchId, Tables};
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap};
use typed_index_collections::TiVec;

/// Service levels have four bits.
const LEVELS: u8 = 16;

/// The service level that an engine gives each pair of end nodes, as the relay copied it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Levels {
    index: HashMap<Lid, usize>,
    /// By index of the source, then of the destination.
    levels: Vec<u8>,
}

impl Levels {
    /// Reads a file of the relay; `None` if it is cut short.
    pub(super) fn parse(bytes: &[u8]) -> Option<Levels> {
        let (count, rest) = bytes.split_first_chunk()?;
        let count = u32::from_le_bytes(*count) as usize;
        let (lids, levels) = rest.split_at_checked(2 * count)?;
        let lids = (lids.chunks(2)).map(|b| Lid(u16::from_le_bytes([b[0], b[1]])));
        (levels.len() == count * count).then(|| Levels {
            index: lids.zip(0..).collect(),
            levels: levels.to_owned(),
        })
    }

    /// The level of a pair of base LIDs; 0 if OpenSM did not find one of the two.
    pub fn level(&self, from: Lid, to: Lid) -> u8 {
        let index = |lid| self.index.get(&lid).copied();
        let at = index(from).zip(index(to));
        at.map_or(0, |(from, to)| self.levels[from * self.index.len() + to])
    }
}

/// The credit loops of the routes from host to host on each lane in use.
pub fn lane_loops(fabric: &Fabric, tables: &Tables, levels: &Levels) -> BTreeMap<u8, CreditLoops> {
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
                let lane = levels.level(from.lid, to.lid) % LEVELS;
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
