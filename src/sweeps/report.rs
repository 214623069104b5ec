//! Logs a sweep: the line that programs read, and the pairs without a path.

use super::planned::{Called, Planned};
use super::sweep::Sweep;
use crate::dmodc::{OnUnreachable, PHASES};
use crate::fabric::EndPairs;
use log::Level;
use std::fmt::Write;

/// Maximum number of pairs without a path that the log names.
const NAMED: usize = 10;

/// Maximum number of named pairs in the line of left-out pairs other than hosts.
const FEW: usize = 3;

/// Logs the pairs without an up-down path, the first few by name. Then logs the left-out pairs: pairs of hosts as
/// errors, pairs with switches or aggregation nodes in one line. If the fabric is refused for such pairs, no pair is
/// logged as left out: another engine may route it.
pub fn unreachable(called: &dyn Called, planned: &Planned) {
    let Planned {
        fabric,
        plan,
        options,
        ..
    } = planned;
    let (unreachable, connections) = (plan.unreachable(), plan.connections());
    let is_refused = options.on_unreachable == OnUnreachable::Fail && unreachable.count > 0;
    let (hosts, others) = match is_refused {
        true => <(EndPairs, EndPairs)>::default(),
        false => connections.left_out_ends(fabric).split(),
    };
    let level = match hosts.is_empty() && !is_refused {
        true => Level::Info,
        false => Level::Error,
    };
    let name = |switch: u32| planned.name(called, switch);
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
        let (from, to) = (planned.end(called, from), planned.end(called, to));
        format!("{from} to {to}")
    };
    for ends in hosts.first() {
        log::error!("no route from {}", pair(ends));
    }
    if !hosts.is_empty() {
        log::error!("left out: {hosts}");
    }
    if !others.is_empty() {
        let named: Vec<String> = others.first().take(FEW).map(pair).collect();
        let is_all = others.count() == named.len() as u64;
        let more = if is_all { "" } else { ", ..." };
        log::info!("left out: {others}: {}{more}", named.join(", "));
    }
    if connections.cut_short {
        log::error!("the search for detours reached its limit: more pairs might have one");
    }
}

/// Logs the line of the sweep. Programs read it: a new field goes to the end.
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
