//! What a sweep leaves in the log: the line that programs read, the pairs that no path joins, and
//! the look at the wiring.

use super::engine::Planned;
use super::live::Subnet;
use crate::fabric::Fabric;
use std::time::Duration;

/// How many pairs without a path, and how many oddities of the wiring, are named.
const NAMED: usize = 10;

/// The pairs without a path, the first few by name.
pub fn unreachable(subnet: &Subnet<'_>, planned: &Planned) {
    let Planned { fabric, plan, .. } = planned;
    let (count, pairs) = (plan.unreachable().count, &plan.unreachable().first);
    let name = |switch: u32| name(subnet, fabric, switch);
    for &(from, to) in pairs.iter().take(NAMED) {
        log::error!("no up-down path between {} and {}", name(from), name(to));
    }
    if count > 0 {
        log::error!("{count} pairs of switches with end nodes have no up-down path");
    }
}

/// The line of the sweep.
pub fn routed(
    planned: &Planned,
    threads: usize,
    total: Duration,
    read: Duration,
    routes: Duration,
) {
    let Planned { fabric, plan, .. } = planned;
    let count = plan.unreachable().count;
    let timings = plan.timings();
    let phases = read + timings.rank + timings.cost + timings.nid + routes;
    log::info!(
        "routed switches={} nodes={} lids={} ranks={} unreachable={count} threads={threads} \
         total_us={} read_us={} rank_us={} cost_us={} nid_us={} routes_us={} write_us={}",
        fabric.switches().len(),
        fabric.end_nodes().len(),
        fabric.lid_count(),
        plan.ranking().per_rank().len(),
        total.as_micros(),
        read.as_micros(),
        timings.rank.as_micros(),
        timings.cost.as_micros(),
        timings.nid.as_micros(),
        routes.as_micros(),
        total.saturating_sub(phases).as_micros(),
    );
}

/// How the fabric was ranked, and what looks odd in it: said when it differs from the last sweep.
pub fn wiring(subnet: &Subnet<'_>, planned: &Planned, last: &mut Vec<String>) {
    let Planned { fabric, plan, .. } = planned;
    let oddities = plan.oddities(fabric);
    let mut lines = vec![format!("ranks: {}", plan.ranking())];
    let named = oddities.iter().take(NAMED);
    lines.extend(named.map(|o| o.describe(|switch| name(subnet, fabric, switch))));
    if oddities.len() > NAMED {
        lines.push(format!(
            "{} more such places in the wiring",
            oddities.len() - NAMED
        ));
    }
    if lines != *last {
        lines.iter().for_each(|line| log::info!("{line}"));
        *last = lines;
    }
}

fn name(subnet: &Subnet<'_>, fabric: &Fabric, switch: u32) -> String {
    let guid = fabric.switches()[switch as usize].guid;
    let name = subnet.switch(guid).map(|s| s.name()).unwrap_or_default();
    format!("{guid} ({name})")
}
