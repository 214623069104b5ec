//! `faults=stable` on random fabrics: what changes when something goes, comes or moves, and what never does. A
//! fabric that fails is printed as a netlist.
//!
//! The fabrics are the same in every run, so that a test that fails does so for what was changed. `make stable`
//! takes more of them, drawn anew.

mod events;
mod goals;
mod hosts;
mod links;
mod reference;
mod stands;
mod whole;

use crate::long;
use dmodc::analysis::{Forced, check, forced};
use dmodc::dmodc::{Engine, Faults, OnUnreachable, Options, Plan};
use dmodc::fabric::Fabric;
use dmodc::lft::Tables;
use dmodc::netlist::Netlist;
use dmodc::netlist::generate::{Order, Pgft, Rlft, build};
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestCaseResult};
use std::env;
use std::hash::{BuildHasher, RandomState};

/// A fabric with its tables.
struct Routed {
    fabric: Fabric,
    plan: Plan,
    tables: Tables,
}

impl Routed {
    fn new(netlist: &Netlist) -> Routed {
        Routed::with(netlist, Faults::Stable, 1)
    }

    fn with(netlist: &Netlist, faults: Faults, threads: usize) -> Routed {
        let options = Options {
            faults,
            ..Options::default()
        };
        Routed::asked(netlist, &options, threads)
    }

    /// No path where there is no up-down path.
    fn up_down(netlist: &Netlist) -> Routed {
        let options = Options {
            on_unreachable: OnUnreachable::Partial,
            ..Options::default()
        };
        Routed::asked(netlist, &options, 1)
    }

    fn asked(netlist: &Netlist, options: &Options, threads: usize) -> Routed {
        let (fabric, _) = netlist.to_fabric(None).expect("LIDs");
        let engine = Engine::new(threads).expect("threads");
        let plan = engine.plan(&fabric, options).expect("a tree");
        let mut tables = Tables::for_fabric(&fabric);
        let filled = engine.fill(&fabric, &plan, &mut tables.rows_mut());
        filled.expect("tables that fit");
        Routed {
            fabric,
            plan,
            tables,
        }
    }

    /// What changes when this becomes another.
    fn changes(&self, after: &Routed) -> Forced {
        let ranking = after.plan.ranking();
        let routed = (&self.fabric, &self.tables);
        forced(routed, (&after.fabric, &after.tables), |a, b| {
            ranking.is_up(a, b)
        })
    }

    /// All that has an up-down path is delivered, nothing turns, and there is no credit loop.
    fn holds(&self) -> TestCaseResult {
        let ranking = self.plan.ranking();
        let report = check(&self.fabric, &self.tables, |a, b| ranking.is_up(a, b));
        prop_assert_eq!(report.undelivered(), 0, "{:#?}", report);
        prop_assert_eq!(report.turns.routes, 0, "{:#?}", report);
        prop_assert_eq!(report.credit_loops.count, 0, "{:#?}", report);
        Ok(())
    }
}

/// Only entries of LIDs that came, went or moved are others.
fn only_their_own(what: &str, before: &Routed, after: &Routed) -> TestCaseResult {
    let changes = before.changes(after);
    prop_assert_eq!(changes.forced.entries, 0, "{}: {:?}", what, changes);
    prop_assert_eq!(changes.needless.entries, 0, "{}: {:?}", what, changes);
    Ok(())
}

/// A failure with its fabric.
fn printed(netlist: &Netlist, result: TestCaseResult) -> TestCaseResult {
    result.map_err(|e| {
        let mut text = Vec::new();
        netlist.write(&mut text).expect("writing to memory");
        TestCaseError::fail(format!("{e}\n{}", String::from_utf8_lossy(&text)))
    })
}

/// Whether cases are drawn anew: `DMODC_ANEW`.
fn is_anew() -> bool {
    env::var_os("DMODC_ANEW").is_some()
}

/// A quarter of so many cases, `DMODC_CASES` times.
fn quarter(count: u32) -> u32 {
    (count * long::times()).div_ceil(4)
}

/// The same for proptest; a failure prints its seed.
fn cases(count: u32) -> ProptestConfig {
    ProptestConfig {
        rng_seed: if is_anew() {
            RngSeed::Random
        } else {
            RngSeed::Fixed(1)
        },
        failure_persistence: None,
        ..ProptestConfig::with_cases(quarter(count))
    }
}

/// The seed of a case.
fn seed(case: u64) -> u64 {
    match is_anew() {
        true => RandomState::new().hash_one(case),
        false => case,
    }
}

/// As [`cases`], on fabrics of real size: a seed is not made smaller.
fn large(count: u32) -> ProptestConfig {
    ProptestConfig {
        max_shrink_iters: 0,
        ..cases(count)
    }
}

/// A tree with GUIDs and LIDs in random order.
fn shuffled(tree: &Rlft, seed: u64) -> Netlist {
    let order = Order {
        seed: Some(seed),
        lids: true,
    };
    build(tree, order)
}

/// A whole PGFT by its name.
fn named(shape: &str, seed: u64) -> Netlist {
    let shape: Pgft = shape.parse().expect("a shape");
    shuffled(&shape.into(), seed)
}

/// 648 nodes.
const SMALL: &str = "PGFT(2;18,36;1,18;1,1)";
/// 8,640 nodes.
const A: &str = "PGFT(3;24,15,24;1,6,15;1,1,1)";

/// PGFTs of two to four levels, three children or more per switch, `least` parents or more.
fn pgft(least: usize) -> impl Strategy<Value = Rlft> {
    (2usize..=4).prop_flat_map(move |levels| {
        let most = if levels == 4 { 4 } else { 6 };
        let list = |range| prop::collection::vec(range, levels);
        let lists = (list(3..=most), list(least..=most), list(1..=2));
        lists.prop_map(|(m, mut w, mut p)| {
            (w[0], p[0]) = (1, 1);
            Pgft::new(m, w, p).expect("a shape").into()
        })
    })
}

/// Real-life fat-trees, the last leaves of which may be missing or half empty.
fn rlft() -> impl Strategy<Value = Rlft> {
    (2usize..=12, 10usize..=200).prop_map(|(half_radix, nodes)| {
        let most = 2 * half_radix.pow(3);
        Rlft::new(nodes.min(most), 2 * half_radix).expect("few nodes")
    })
}

fn tree() -> impl Strategy<Value = Rlft> {
    prop_oneof![pgft(1), rlft()]
}
