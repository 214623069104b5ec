//! `check` on our own tables, whatever they were routed with, passes; on tables that are broken in one entry it
//! fails.
//!
//! `make invariants` takes 100,000 pairs of fabric and reference; every test run takes some.

use crate::drain::some_part;
use crate::left_out::{drawn, hold_on_each};
use crate::whole_graph::{arrives, lids};
use dmodc::analysis::check;
use dmodc::dmodc::{Engine, Faults, OnUnreachable, Options, Plan};
use dmodc::fabric::{Fabric, Guid, Peer};
use dmodc::lft::{NO_PATH, Tables};
use dmodc::random::Random;
use std::sync::Arc;

/// What the tables are routed with: a reference, the paper's rule, GUID files.
fn options(fabric: &Fabric, reference: Option<Fabric>, random: &mut Random) -> Options {
    let mut some = |guids: Vec<Guid>, of: usize| -> Vec<Guid> {
        let is_given = random.below(of) == 0;
        let few = guids
            .into_iter()
            .filter(|_| is_given && random.below(3) == 0);
        few.collect()
    };
    let nodes: Vec<Guid> = fabric.end_nodes().iter().map(|n| n.guid).collect();
    let switches = fabric.switches().iter().map(|s| s.guid).collect();
    Options {
        root_guids: some(switches, 8),
        cn_guids: some(nodes.clone(), 6),
        io_guids: some(nodes, 6),
        reference: reference.map(Arc::new),
        faults: [Faults::Stable, Faults::Paper][usize::from(random.below(5) == 0)],
        on_unreachable: [OnUnreachable::Connect, OnUnreachable::Partial][random.below(2)],
        drain: match random.below(4) {
            0 => vec![some_part(fabric, random), some_part(fabric, random)],
            _ => Vec::new(),
        },
        ..Options::default()
    }
}

fn passes(fabric: &Fabric, plan: &Plan, tables: &Tables) -> bool {
    let ranking = plan.ranking();
    check(fabric, tables, |a, b| ranking.is_up(a, b)).passed()
}

/// Wants one entry on the way from a host's switch to another host to matter, in each way that it can be wrong.
fn broken_ones_fail(fabric: &Fabric, plan: &Plan, tables: &Tables, random: &mut Random) {
    let hosts: Vec<_> = lids(fabric).into_iter().filter(|to| to.2 > 0).collect();
    if hosts.len() < 2 {
        return;
    }
    let (from, to) = (
        hosts[random.below(hosts.len())].1,
        hosts[random.below(hosts.len())],
    );
    let own = (fabric.switches()[to.1 as usize].lid, to.1, 0);
    let arrives = |to| arrives(fabric, tables, from, to) == Some(true);
    if !arrives(to) || !arrives(own) {
        return;
    }
    let broken = |at: u32, entry: u8| {
        let mut broken = tables.clone();
        broken.row_mut(at)[to.0.index()] = entry;
        let what = format!("switch {at}, LID {}: {entry}", to.0);
        assert!(!passes(fabric, plan, &broken), "{what}");
    };
    for wrong in [NO_PATH, 0, 200] {
        broken(from, wrong);
    }
    if let Peer::Switch { index, port } = fabric.peer(from, tables.get(from, to.0)) {
        broken(index, NO_PATH);
        broken(index, port);
    }
}

fn hold(engine: &Engine, number: u64) -> bool {
    let (fabric, reference) = drawn(number);
    let mut random = Random::new(number);
    let options = options(&fabric, reference, &mut random);
    let Ok(plan) = engine.plan(&fabric, &options) else {
        return false;
    };
    let (tables, _) = engine
        .tables(&fabric, &plan)
        .expect("tables of the right size");
    assert!(passes(&fabric, &plan, &tables));
    broken_ones_fail(&fabric, &plan, &tables, &mut random);
    true
}

#[test]
fn our_own_tables_pass_and_broken_ones_fail() {
    hold_on_each(125, hold);
}
