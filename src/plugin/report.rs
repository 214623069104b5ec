//! What a sweep leaves in the log: the line that programs read, the pairs that no path joins, and
//! the look at the wiring.

use super::ffi::Subnet;
use super::planned::Planned;
use crate::dmodc::{Faults, Filled};
use crate::fabric::End;
use log::Level;
use std::time::Duration;

/// Maximum number of pairs without a path, and of warnings of the wiring, that the log names.
const NAMED: usize = 10;

/// The fields of a sweep's line that the plan does not have.
pub struct Sweep {
    /// Time in the callback.
    pub total: Duration,
    /// Time to read the subnet.
    pub read: Duration,
    /// How the routes were written.
    pub filled: Filled,
    /// How routes answer to faults.
    pub faults: Faults,
    /// Blocks of tables that differ from those last sent.
    pub changed_blocks: usize,
}

/// The pairs without an up-down path, the first few by name: errors unless ways that turn connect all.
pub fn unreachable(subnet: &Subnet<'_>, planned: &Planned) {
    let Planned { fabric, plan, .. } = planned;
    let (unreachable, connections) = (plan.unreachable(), plan.connections());
    let pairs = connections.left_out_ends(fabric);
    let is_host = |end: End| matches!(end, End::Host(_));
    let hosts_left_out = (pairs.first()).any(|(from, to)| is_host(from) || is_host(to));
    let level = match hosts_left_out {
        true => Level::Error,
        false => Level::Info,
    };
    let name = |switch: u32| planned.name(subnet, switch);
    for &(from, to) in unreachable.first.iter().take(NAMED) {
        let (from, to) = (name(from), name(to));
        log::log!(level, "no up-down path between {from} and {to}");
    }
    let count = unreachable.count;
    if count > 0 {
        log::log!(
            level,
            "{count} pairs of switches with end nodes have no up-down path"
        );
    }
    for (from, to) in pairs.first() {
        let (from, to) = (planned.end(subnet, from), planned.end(subnet, to));
        log::log!(level, "no way from {from} to {to}");
    }
    if connections.left_out > 0 {
        log::log!(level, "left out: {pairs}");
    }
    if connections.cut_short {
        log::error!("the search for ways that turn took too long and was ended");
    }
}

/// The line of the sweep. Programs read it: a new field goes to the end.
pub fn routed(planned: &Planned, sweep: &Sweep) {
    let Planned { fabric, plan, .. } = planned;
    let (timings, filled) = (plan.timings(), &sweep.filled);
    let phases = sweep.read + timings.rank + timings.cost + timings.nid + filled.time;
    log::info!(
        "routed switches={} nodes={} lids={} ranks={} unreachable={} threads={} \
         total_us={} read_us={} rank_us={} cost_us={} nid_us={} routes_us={} write_us={} \
         faults={} displaced={} changed_blocks={} turned={} left_out={}",
        fabric.switches().len(),
        fabric.end_nodes().len(),
        fabric.lid_count(),
        plan.ranking().per_rank().len(),
        plan.unreachable().count,
        filled.threads,
        sweep.total.as_micros(),
        sweep.read.as_micros(),
        timings.rank.as_micros(),
        timings.cost.as_micros(),
        timings.nid.as_micros(),
        filled.time.as_micros(),
        sweep.total.saturating_sub(phases).as_micros(),
        sweep.faults,
        filled.displaced,
        sweep.changed_blocks,
        plan.connections().turned,
        plan.connections().left_out,
    );
}

/// How the fabric was ranked, and what looks odd in its wiring, if it differs from what was said
/// `last`. Looks only if OpenSM logs it.
pub fn wiring(subnet: &Subnet<'_>, planned: &Planned, last: &mut Vec<String>) {
    if !log::log_enabled!(log::Level::Info) {
        return;
    }
    let Planned { fabric, plan, .. } = planned;
    let warnings = plan.wiring_warnings(fabric);
    let mut lines = vec![format!("ranks: {}", plan.ranking())];
    let named = warnings.iter().take(NAMED);
    lines.extend(named.map(|o| o.describe(|switch| planned.name(subnet, switch))));
    if warnings.len() > NAMED {
        lines.push(format!(
            "{} more such places in the wiring",
            warnings.len() - NAMED
        ));
    }
    if lines != *last {
        lines.iter().for_each(|line| log::info!("{line}"));
        *last = lines;
    }
}
