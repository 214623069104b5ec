//! Logs a sweep: the line that programs read, and the pairs without a path.

use super::planned::Planned;
use super::sweep::Sweep;
use dmodc_core::{OnUnreachable, PHASES};
use dmodc_fabric::{EndPairs, SwitchId, counted};
use dmodc_formats::netlist::Names;
use log::Level;
use std::cmp::Reverse;
use std::fmt::Write;

/// Maximum number of pairs without a path that the log names.
const NAMED: usize = 10;

/// Maximum number of named pairs in the line of left-out pairs other than hosts, and of causes.
const FEW: usize = 3;

/// Logs the pairs without an up-down path, the first few by name. Then logs the left-out pairs: pairs of hosts as
/// errors, pairs with switches or aggregation nodes in one line; and the switches that most of them share. That the
/// search reached its limit is an error for pairs of hosts alone. If the fabric is refused for such pairs, no pair is
/// logged as left out: another engine may route it.
pub fn unreachable(names: &Names, planned: &Planned) {
    let (fabric, plan, options) = (&planned.fabric, &planned.plan, &planned.options);
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
    let name = |switch: SwitchId| planned.name(names, switch);
    for &(from, to) in unreachable.first.iter().take(NAMED) {
        let (from, to) = (name(from), name(to));
        log::log!(level, "no up-down path between {from} and {to}");
    }
    let count = unreachable.count;
    if count > 0 {
        let what = "pairs of switches with end nodes have no up-down path";
        log::log!(level, "{count} {what}");
    }
    let pair = |(from, to)| {
        let (from, to) = (planned.end(names, from), planned.end(names, to));
        format!("{from} to {to}")
    };
    for ends in hosts.first() {
        log::error!("no route from {}", pair(ends));
    }
    if !hosts.is_empty() {
        log::error!("left out: {hosts}");
    }
    if !others.is_empty() {
        // The first pairs that are kept may all be of hosts.
        let named: Vec<String> = others.first().take(FEW).map(pair).collect();
        let colon = if named.is_empty() { "" } else { ": " };
        let is_all = named.is_empty() || others.count() == named.len() as u64;
        let more = if is_all { "" } else { ", ..." };
        log::info!("left out: {others}{colon}{}{more}", named.join(", "));
    }
    if !is_refused {
        for cause in causes(planned, name) {
            log::log!(level, "left out: {cause}");
        }
    }
    if connections.cut_short {
        // Pairs without hosts are left to this limit on purpose.
        let limit = "the search for detours reached its limit: more pairs might have one";
        log::log!(level, "{limit}");
    }
}

/// The switches that most of the left-out pairs have in common, if several pairs have: each as a line's text.
fn causes(planned: &Planned, name: impl Fn(SwitchId) -> String) -> Vec<String> {
    let ranking = planned.plan.ranking();
    let mut left: Vec<_> = planned.plan.connections().all_left().collect();
    let mut causes = Vec::new();
    while causes.len() < FEW {
        let pairs = left.iter();
        let ends = pairs.flat_map(|&(from, to)| [(true, from), (false, to)]);
        // Of ends that occur as often, the lowest sender.
        let most = counted(ends).into_iter();
        let most = most.max_by_key(|&((is_from, at), count)| (count, is_from, Reverse(at)));
        let Some(((is_from, at), count)) = most.filter(|&(_, count)| count > 1) else {
            break;
        };
        let far = |&(f, t): &(SwitchId, SwitchId)| match is_from {
            true => (f == at).then_some(t),
            false => (t == at).then_some(f),
        };
        let are_leaves = left.iter().filter_map(far).all(|s| ranking.is_leaf(s));
        let others = if are_leaves { "leaves" } else { "switches" };
        let at_name = name(at);
        causes.push(match (is_from, are_leaves && !ranking.is_leaf(at)) {
            (true, true) => format!("{at_name} has no way down to {count} {others}"),
            (true, false) => format!("{at_name} has no way to {count} {others}"),
            (false, _) => format!("{at_name} is out of reach for {count} {others}"),
        });
        left.retain(|pair| far(pair).is_none());
    }
    causes
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
         faults={} displaced={} changed_blocks={} turned={} left_out={} \
         proof_us={} proof=passed",
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
        sweep.proof.as_micros(),
    );
}
