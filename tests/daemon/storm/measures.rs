//! The figures of a step, by column.

use super::watch::Reaction;
use crate::forced::forced;
use dmodc_analysis::Traffic;
use dmodc_analysis::between::{Group, Harm, Routed, between, blocks_as_sent};
use dmodc_core::{Engine, Options, Ranking};
use dmodc_fabric::random::Random;
use dmodc_fabric::{EndNode, Fabric, Guid, Lid, PortNumber, SwitchId};
use std::collections::{BTreeMap, BTreeSet};
use typed_index_collections::TiVec;

/// The fabric and the tables of its switches before and after a step, and OpenSM's reaction.
pub struct Step<'s> {
    pub before: Routed<'s>,
    pub after: Routed<'s>,
    pub reaction: &'s Reaction,
    pub core: &'s Engine,
}

/// Makes some columns.
pub type Measure = fn(&Step) -> Vec<(String, f64)>;

fn columns<const N: usize>(columns: [(&str, u64); N]) -> Vec<(String, f64)> {
    columns
        .map(|(name, figure)| (name.to_owned(), figure as f64))
        .into()
}

/// SMPs, milliseconds from the change to the first and the last SUBNET UP, and sweeps.
pub fn reaction(step: &Step) -> Vec<(String, f64)> {
    let Reaction { smps, .. } = step.reaction;
    columns([
        ("blocks", smps.blocks as u64),
        ("other Sets", smps.other_sets as u64),
        ("Gets", smps.gets as u64),
        ("first ms", step.reaction.first.as_millis() as u64),
        ("ms", step.reaction.last.as_millis() as u64),
        ("sweeps", step.reaction.sweeps as u64),
        ("others", step.reaction.others as u64),
    ])
}

/// Entries and blocks that changed, and that had to. OpenSM has sent at least the blocks that changed.
pub fn changed(step: &Step) -> Vec<(String, f64)> {
    let ranking = Ranking::new(step.after.0, &Options::default());
    let found = forced(step.before, step.after, |a, b| ranking.is_up(a, b));
    let (all, had_to) = (found.changed(), found.own + found.forced);
    let sent = step.reaction.smps.blocks;
    assert!(all.blocks <= sent, "{found:?} {:?}", step.reaction);
    columns([
        ("changed entries", all.entries as u64),
        ("had to", had_to.entries as u64),
        ("changed blocks", all.blocks as u64),
        ("had to", had_to.blocks as u64),
    ])
}

/// Entries that packets between hosts use, and that change where the switch stays.
pub fn changed_on_routes(step: &Step) -> Vec<(String, f64)> {
    let Step { before, after, .. } = *step;
    let senders: BTreeSet<SwitchId> = before.0.end_nodes().iter().map(|n| n.switch).collect();
    let mut changed = 0;
    for node in before.0.end_nodes() {
        let mut seen: TiVec<SwitchId, _> = vec![false; before.0.switches().len()].into();
        for &sender in &senders {
            let new = |&(at, ..): &(SwitchId, _, _)| !std::mem::replace(&mut seen[at], true);
            let hops = hops(before, after, sender, node.lid).take_while(new);
            changed += hops.filter(|(_, was, is)| Some(*was) != *is).count();
        }
    }
    columns([("entries of routes", changed as u64)])
}

/// Pairs of hosts, and those that lost packets at some time while OpenSM sent the tables: `hurt` where the old route
/// still works, `cut` where it does not.
pub fn lost(step: &Step) -> Vec<(String, f64)> {
    let blocks = blocks_as_sent(step.before, step.after);
    let met = between(step.before, step.after, &blocks);
    columns([
        ("pairs", met.standing.pairs + met.cut.pairs),
        ("hurt", met.standing.hurt),
        ("cut", met.cut.hurt),
    ])
}

/// The harm that packets meet meanwhile, in percent of all pairs, with the blocks in the order in which OpenSM sends them
/// and in random order.
pub fn harm(step: &Step) -> Vec<(String, f64)> {
    let sent = blocks_as_sent(step.before, step.after);
    let mut random = sent.clone();
    Random::new(1).shuffle(&mut random);
    let mut all = Vec::new();
    for (order, blocks) in [("as sent", &sent), ("random", &random)] {
        let found = between(step.before, step.after, blocks);
        let pairs = (found.standing.pairs + found.cut.pairs).max(1) as f64;
        let mut add = |what: &str, figure| all.push((format!("{order}: {what}"), figure));
        let share = |pairs_met: u64| pairs_met as f64 * 100.0 / pairs;
        add("cut %", share(found.cut.pairs));
        for (name, group) in [("standing", &found.standing), ("cut", &found.cut)] {
            for harm in [Harm::Hole, Harm::DeadLink, Harm::NotActive, Harm::Loop] {
                add(&format!("{name}, {harm:?} %"), share(group.met(harm)));
            }
        }
        let cycle = |group: &Group| group.met(Harm::Cycle);
        add("cycle %", share(cycle(&found.standing) + cycle(&found.cut)));
    }
    all
}

/// Random permutations of each step.
const PERMUTATIONS: usize = 100;

/// Hosts after the step; ordered pairs of hosts that are there before and after it and whose route changed; A2A, RP and
/// SP.
pub fn traffic(step: &Step) -> Vec<(String, f64)> {
    let now = step.after;
    let plan = (step.core.plan(now.0, &Options::default())).expect("a tree");
    let traffic = Traffic::new(now.0, now.1, plan.order());
    let tick = |_| ();
    let permutations = traffic.random_permutations(PERMUTATIONS, 1, &tick);
    columns([
        ("hosts", now.0.end_nodes().len() as u64),
        ("rerouted", rerouted(step.before, now)),
        ("a2a", traffic.all_to_all(&tick).value.into()),
        ("rp", permutations.value.into()),
        ("sp", traffic.shifts(&tick).value.into()),
    ])
}

/// The number of ordered pairs of hosts that are at their places before and after, and whose route differs.
fn rerouted(before: Routed, after: Routed) -> u64 {
    let ports = |fabric: &Fabric| -> BTreeMap<Lid, (Guid, PortNumber)> {
        let place = |n: &EndNode| (n.lid, (fabric.guid(n.switch), n.port));
        fabric.end_nodes().iter().map(place).collect()
    };
    let (was, is) = (ports(before.0), ports(after.0));
    let stays = |n: &&EndNode| was.contains_key(&n.lid) && was.get(&n.lid) == is.get(&n.lid);
    let stay: Vec<&EndNode> = before.0.end_nodes().iter().filter(stays).collect();
    let mut hosts: TiVec<SwitchId, u64> = vec![0; before.0.switches().len()].into();
    stay.iter().for_each(|n| hosts[n.switch] += 1);
    let mut changed = 0;
    for node in stay {
        let others = hosts.iter_enumerated();
        for (from, hosts) in others.filter(|&(from, _)| from != node.switch) {
            let differs = |(_, was, is)| Some(was) != is;
            if *hosts > 0 && hops(before, after, from, node.lid).any(differs) {
                changed += hosts;
            }
        }
    }
    changed
}

/// The route from a switch to a LID: each switch, its port before, and its port after if the switch is still there.
fn hops<'r>(
    before: Routed<'r>,
    after: Routed<'r>,
    from: SwitchId,
    lid: Lid,
) -> impl Iterator<Item = (SwitchId, u8, Option<u8>)> {
    let mut next = Some(from);
    let hop = move || {
        let at = next?;
        let port = before.1.get(at, lid);
        let far = before.0.far(at, PortNumber(port));
        next = far.map(|(next, _)| next);
        let now = after.0.switch_by_guid(before.0.guid(at));
        Some((at, port, now.map(|s| after.1.get(s, lid))))
    };
    std::iter::from_fn(hop).take(before.0.switches().len())
}
