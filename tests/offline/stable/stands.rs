//! With a reference, an entry is at the port that it has in the whole fabric if that port still leads nearer, else
//! at another that does: read at the tables alone, with a cost of its own, for every LID of a port, and with
//! hosts and aggregation nodes above the leaves.

use super::seed;
use crate::long;
use crate::random_fabrics::{Damage, damaged, with_end_nodes};
use crate::routed::pgft;
use crate::whole_graph::lids;
use dmodc::dmodc::{Engine, OnUnreachable, Options, Plan, Ranking};
use dmodc::fabric::{Fabric, NodeKind, Peer};
use dmodc::lft::{NO_PATH, Tables};
use dmodc::random::Random;
use proptest::prelude::*;
use std::sync::Arc;

/// The ports by which each switch may send to one: down to where it is nearer going down only, if there it leads
/// at all; else up to where the rest is the least.
fn candidates(fabric: &Fabric, ranking: &Ranking, to: u32) -> Vec<Vec<u8>> {
    let bottom_up = ranking.ascending();
    let mut down = vec![None; bottom_up.len()];
    let mut cost = vec![None; bottom_up.len()];
    let beside = |s: u32, above: bool| {
        let neighbours = fabric.neighbours(s).collect::<Vec<_>>().into_iter();
        neighbours.filter(move |&n| ranking.is_up(s, n) == above)
    };
    for &s in &bottom_up {
        let least = beside(s, false).filter_map(|n| down[n as usize]).min();
        down[s as usize] = if s == to {
            Some(0)
        } else {
            least.map(|d: u32| d + 1)
        };
    }
    for &s in bottom_up.iter().rev() {
        let least = beside(s, true).filter_map(|n| cost[n as usize]).min();
        cost[s as usize] = down[s as usize].or(least.map(|c: u32| c + 1));
    }
    let leads = |s: u32, peer: &Peer| {
        let &Peer::Switch { index, .. } = peer else {
            return false;
        };
        let (of, above) = match down[s as usize] {
            Some(_) => (&down, false),
            None => (&cost, true),
        };
        let nearer = of[index as usize].is_some_and(|c| of[s as usize].is_some_and(|own| c < own));
        ranking.is_up(s, index) == above && nearer
    };
    let ports = |s: u32| {
        let ports = (1..).zip(fabric.peers_of(s));
        let ports = ports.filter(|(_, peer)| s != to && leads(s, peer));
        ports.map(|(port, _)| port).collect()
    };
    (0..fabric.switches().len() as u32).map(ports).collect()
}

fn route(fabric: &Fabric, options: &Options) -> Option<(Plan, Tables, usize)> {
    let engine = Engine::new(1).expect("a thread");
    let plan = engine.plan(fabric, options).ok()?;
    let (tables, filled) = engine.tables(fabric, &plan).expect("tables that fit");
    Some((plan, tables, filled.displaced))
}

/// How many entries had to go to another port; `None` if the whole fabric has no port for each of its own.
fn stands(whole: Fabric, random: &mut Random) -> Result<Option<usize>, TestCaseError> {
    let partial = Options {
        on_unreachable: OnUnreachable::Partial,
        ..Options::default()
    };
    let Some((_, before, 0)) = route(&whole, &partial) else {
        return Ok(None);
    };
    let damage = Damage {
        switches: [0, 5, 15][random.below(3)],
        links: [1, 5, 20][random.below(3)],
    };
    let fabric = damaged(&whole, damage, random);
    let was: Vec<u32> = (fabric.switches().iter())
        .map(|s| whole.switch_by_guid(s.guid).expect("it was there"))
        .collect();
    let options = Options {
        reference: Some(Arc::new(whole)),
        ..partial
    };
    let (plan, after, _) = route(&fabric, &options).expect("a tree");
    let mut moved = 0;
    for (lid, to, _) in lids(&fabric) {
        let candidates = candidates(&fabric, plan.ranking(), to);
        for s in (0..was.len() as u32).filter(|&s| s != to) {
            let (port, open) = (after.get(s, lid), &candidates[s as usize]);
            let nominal = before.get(was[s as usize], lid);
            if open.contains(&nominal) {
                prop_assert_eq!(port, nominal, "switch {}, LID {} of {}", s, lid, to);
            } else if open.is_empty() {
                prop_assert_eq!(port, NO_PATH, "switch {}, LID {} of {}", s, lid, to);
            } else {
                prop_assert!(
                    open.contains(&port),
                    "switch {}, LID {} of {}: {}",
                    s,
                    lid,
                    to,
                    port
                );
                moved += 1;
            }
        }
    }
    Ok(Some(moved))
}

#[test]
fn entries_stay_where_their_ports_still_lead_nearer() {
    let (mut held, mut moved) = (0, 0);
    let cases = (25 * long::times()) as usize;
    for case in 0..cases as u64 {
        let seed = seed(case);
        let mut random = Random::new(seed);
        let shapes = [
            "PGFT(2;4,6;1,4;1,1)",
            "PGFT(2;3,5;1,3;1,2)",
            "PGFT(3;3,3,4;1,2,3;1,1,1)",
        ];
        let lmc = random.below(3) as u8;
        let whole = pgft(shapes[random.below(shapes.len())], seed);
        let (mut whole, _) = whole.to_fabric(Some(lmc)).expect("LIDs");
        let is_above: Vec<bool> = (0..whole.switches().len() as u32)
            .map(|s| whole.end_nodes_of(s).is_empty())
            .collect();
        let few = |s: u32, random: &mut Random| is_above[s as usize] && random.below(8) == 0;
        whole = match random.below(3) {
            0 => with_end_nodes(&whole, (NodeKind::Ca, lmc), |s| few(s, &mut random)),
            1 => with_end_nodes(&whole, (NodeKind::Aggregation, 0), |s| is_above[s as usize]),
            _ => whole,
        };
        let result = stands(whole, &mut random);
        let result = result.unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        held += usize::from(result.is_some());
        moved += result.unwrap_or(0);
    }
    println!("{held} fabrics, {moved} entries moved");
    assert!(2 * held > cases && moved > 10 * cases);
}
