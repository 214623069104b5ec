//! The effect of a moment on the hosts that stay.

use crate::storm::watch::Reaction;
use dmodc::analysis::Traffic;
use dmodc::dmodc::{Engine, Options};
use dmodc::fabric::{EndNode, Fabric, Lid, Peer};
use dmodc::lft::Tables;
use dmodc_lab::between::{Routed, between, blocks_as_sent};
use std::collections::BTreeMap;

/// Random permutations of each moment.
const PERMUTATIONS: usize = 100;

/// The columns of each moment. Pairs are of hosts that are there before and after it:
/// - hosts after it; blocks, sweeps and milliseconds to the last SUBNET UP; sweeps that another engine routed;
/// - ordered pairs whose route changed;
/// - pairs that lost packets at some time while OpenSM sent the tables: `hurt` where the old route still works, `cut`
///   where it does not;
/// - A2A, RP and SP.
pub const COLUMNS: [&str; 11] = [
    "hosts", "blocks", "sweeps", "ms", "others", "rerouted", "hurt", "cut", "a2a", "rp", "sp",
];

/// The figures of a moment, by column.
pub fn figures(
    reaction: &Reaction,
    before: &(Fabric, Tables),
    after: &(Fabric, Tables),
    engine: &Engine,
) -> [u64; COLUMNS.len()] {
    let (held, now) = ((&before.0, &before.1), (&after.0, &after.1));
    let met = between(held, now, &blocks_as_sent(held, now));
    let plan = engine.plan(now.0, &Options::default()).expect("a tree");
    let traffic = Traffic::new(now.0, now.1, plan.order());
    let tick = |_| ();
    let permutations = traffic.random_permutations(PERMUTATIONS, 1, &tick);
    [
        now.0.end_nodes().len() as u64,
        reaction.smps.blocks as u64,
        reaction.sweeps as u64,
        reaction.last.as_millis() as u64,
        reaction.others as u64,
        rerouted(held, now),
        met.standing.hurt,
        met.cut.hurt,
        traffic.all_to_all(&tick).value.into(),
        permutations.value.into(),
        traffic.shifts(&tick).value.into(),
    ]
}

/// The number of ordered pairs of hosts that are at their places before and after, and whose route differs.
fn rerouted(before: Routed, after: Routed) -> u64 {
    let ports = |fabric: &Fabric| -> BTreeMap<Lid, (u64, u8)> {
        let guid = |n: &EndNode| fabric.switches()[n.switch as usize].guid.0;
        let of = |n: &EndNode| (n.lid, (guid(n), n.port));
        fabric.end_nodes().iter().map(of).collect()
    };
    let (was, is) = (ports(before.0), ports(after.0));
    let stays = |n: &&EndNode| was.contains_key(&n.lid) && was.get(&n.lid) == is.get(&n.lid);
    let stay: Vec<&EndNode> = before.0.end_nodes().iter().filter(stays).collect();
    let mut hosts = vec![0u64; before.0.switches().len()];
    stay.iter().for_each(|n| hosts[n.switch as usize] += 1);
    let mut changed = 0;
    for node in stay {
        for (from, hosts) in (0..).zip(&hosts).filter(|&(from, _)| from != node.switch) {
            let differs = |(_, was, is)| Some(was) != is;
            if *hosts > 0 && hops(before, after, from, node.lid).any(differs) {
                changed += hosts;
            }
        }
    }
    changed
}

/// The route from a switch to a LID: each switch, its port before, and its port after if the switch is still there.
pub fn hops<'r>(
    before: Routed<'r>,
    after: Routed<'r>,
    from: u32,
    lid: Lid,
) -> impl Iterator<Item = (u32, u8, Option<u8>)> {
    let mut next = Some(from);
    let hop = move || {
        let at = next?;
        let port = before.1.get(at, lid);
        next = match before.0.peer(at, port) {
            Peer::Switch { index, .. } => Some(index),
            _ => None,
        };
        let now = after
            .0
            .switch_by_guid(before.0.switches()[at as usize].guid);
        Some((at, port, now.map(|s| after.1.get(s, lid))))
    };
    std::iter::from_fn(hop).take(before.0.switches().len())
}
