//! `check` on our own tables, whatever they were routed with, passes; on tables that are broken in one entry it
//! fails.
//!
//! `make invariants` takes 100,000 pairs of fabric and reference; every test run takes some.

use crate::drain::some_part;
use crate::left_out::{drawn, hold_on_each};
use crate::routed::Routed;
use crate::whole_graph::{arrives, lids};
use dmodc::dmodc::{Engine, Faults, OnUnreachable, Options};
use dmodc::fabric::{Fabric, Guid, Peer};
use dmodc::lft::NO_PATH;
use dmodc::random::Random;
use std::sync::Arc;

/// What the tables are routed with: a reference, the paper's rule, GUID files.
fn options(fabric: &Fabric, reference: Option<Fabric>, random: &mut Random) -> Options {
    let mut some = |guids: Vec<Guid>, of: usize| -> Vec<Guid> {
        let is_given = random.below(of) == 0;
        let all = guids.into_iter();
        all.filter(|_| is_given && random.below(3) == 0).collect()
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

/// Wants one entry on the way from a host's switch to another host to matter, in each way that it can be wrong.
fn broken_ones_fail(mut routed: Routed, random: &mut Random) {
    let mut hosts = lids(&routed.fabric);
    hosts.retain(|to| to.2 > 0);
    if hosts.len() < 2 {
        return;
    }
    let [(_, from, _), to] = [(); 2].map(|()| hosts[random.below(hosts.len())]);
    let fabric = &routed.fabric;
    let own = (fabric.switches()[to.1 as usize].lid, to.1, 0);
    let arrives = |to| arrives(fabric, &routed.tables, from, to) == Some(true);
    if !arrives(to) || !arrives(own) {
        return;
    }
    let mut wrong = [NO_PATH, 0, 200].map(|entry| (from, entry)).to_vec();
    if let Peer::Switch { index, port } = fabric.peer(from, routed.tables.get(from, to.0)) {
        wrong.extend([(index, NO_PATH), (index, port)]);
    }
    for (at, entry) in wrong {
        let good = std::mem::replace(&mut routed.tables.row_mut(at)[to.0.index()], entry);
        let what = format!("switch {at}, LID {}: {entry}", to.0);
        assert!(!routed.report().passed(), "{what}");
        routed.tables.row_mut(at)[to.0.index()] = good;
    }
}

fn hold(engine: &Engine, number: u64) -> bool {
    let (fabric, reference) = drawn(number);
    let mut random = Random::new(number);
    let options = options(&fabric, reference, &mut random);
    let Ok(routed) = Routed::by(engine, fabric, &options) else {
        return false;
    };
    assert!(routed.report().passed());
    broken_ones_fail(routed, &mut random);
    true
}

#[test]
fn our_own_tables_pass_and_broken_ones_fail() {
    hold_on_each(125, hold);
}
