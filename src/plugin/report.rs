//! What a sweep leaves in the log: the line that programs read, the pairs that no path joins, and
//! the look at the wiring.

use super::ffi::{Subnet, Switch};
use super::metrics::{Found, Links};
use super::planned::Planned;
use super::sweep::Sweep;
use crate::dmodc::{PHASES, WiringWarning};
use crate::fabric::Peer;
use log::Level;
use std::collections::HashMap;
use std::fmt::Write;

/// Maximum number of pairs without a path, and of warnings of the wiring, that the log names.
const NAMED: usize = 10;

/// Maximum number of pairs left out that the line of those other than hosts names.
const FEW: usize = 3;

/// The pairs without an up-down path, the first few by name, and who is left out. It is an error if
/// hosts do not reach each other. What switches and aggregation nodes miss is one line.
pub fn unreachable(subnet: &Subnet<'_>, planned: &Planned) {
    let Planned { fabric, plan, .. } = planned;
    let (unreachable, connections) = (plan.unreachable(), plan.connections());
    let (hosts, others) = connections.left_out_ends(fabric).split();
    let level = match hosts.is_empty() {
        true => Level::Info,
        false => Level::Error,
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
    let pair = |(from, to)| {
        let (from, to) = (planned.end(subnet, from), planned.end(subnet, to));
        format!("{from} to {to}")
    };
    for ends in hosts.first() {
        log::error!("no way from {}", pair(ends));
    }
    if !hosts.is_empty() {
        log::error!("left out: {hosts}");
    }
    if !others.is_empty() {
        let named: Vec<String> = others.first().take(FEW).map(pair).collect();
        log::info!("left out: {others}: {}, ...", named.join(", "));
    }
    if connections.cut_short {
        log::error!("the search for ways that turn took too long and was ended");
    }
}

/// The line of the sweep. Programs read it: a new field goes to the end.
pub fn routed(sweep: &Sweep) {
    let mut phases = String::new();
    for (phase, time) in PHASES.iter().zip(sweep.phases) {
        // Writing to a string cannot fail.
        let _ = write!(phases, " {phase}_us={}", time.as_micros());
    }
    log::info!(
        "routed switches={} nodes={} lids={} ranks={} unreachable={} threads={} total_us={}{phases} \
         faults={} displaced={} changed_blocks={} turned={} left_out={}",
        sweep.switches,
        sweep.nodes,
        sweep.lids,
        sweep.ranks,
        sweep.unreachable,
        sweep.threads,
        sweep.total.as_micros(),
        sweep.faults,
        sweep.displaced,
        sweep.changed_blocks,
        sweep.turned,
        sweep.left_out,
    );
}

/// The switches of a sweep, for `dmodc.metrics`.
pub fn switches(
    subnet: &Subnet<'_>,
    planned: &Planned,
    warnings: &[WiringWarning],
) -> impl Iterator<Item = Found> {
    let Planned { fabric, plan, .. } = planned;
    let unlike = warnings.iter().filter_map(|warning| match warning {
        WiringWarning::Unlike(unlike) => Some((unlike.switch, unlike.missing())),
        _ => None,
    });
    let missing: HashMap<u32, u32> = unlike.collect();
    (0..).zip(fabric.switches()).map(move |(index, switch)| {
        let mut links = Links::default();
        for peer in fabric.peers_of(index) {
            if let Peer::Switch { index: other, .. } = *peer {
                links.all += 1;
                links.up += u32::from(plan.ranking().rank(other) > plan.ranking().rank(index));
            }
        }
        let live = planned.live(subnet, index);
        Found {
            guid: switch.guid,
            description: live.map(Switch::name).unwrap_or_default(),
            links,
            missing: missing.get(&index).copied().unwrap_or(0),
        }
    })
}

/// How the fabric was ranked, and what looks odd in its wiring, if it differs from what was said
/// `last`.
pub fn wiring(
    subnet: &Subnet<'_>,
    planned: &Planned,
    warnings: &[WiringWarning],
    last: &mut Vec<String>,
) {
    let plan = &planned.plan;
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
