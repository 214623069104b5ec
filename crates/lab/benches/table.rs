//! `make bench`: times Dmodc's plan and routes, from a snapshot in memory to finished tables, with one thread and with
//! two, and a memset for comparison. `dmodc compare` times the engines inside OpenSM.
//!
//! Phases and memset take turns, and a ratio is the median of the ratios of single turns, so that
//! a slow spell of the machine slows down both. Tables are touched before the clock starts.
//!
//! Environment: `BENCH_REPEATS`, how often each fabric is timed (15).

#[path = "../../core/benches/support/mod.rs"]
mod support;

use dmodc_core::multicast::Terrain;
use dmodc_core::{Engine, Options, Plan};
use dmodc_fabric::{Fabric, SwitchId, Tables};
use dmodc_formats::netlist::Netlist;
use dmodc_lab::report::median;
use std::env;
use std::error::Error;
use std::time::Instant;
use support::{A, B, C, SMALL};
use typed_index_collections::TiVec;

const SHAPES: [(&str, &str); 4] = [("648", SMALL), ("A", A), ("B", B), ("C", C)];

fn main() -> Result<(), Box<dyn Error>> {
    let repeats = match env::var("BENCH_REPEATS") {
        Ok(value) => value
            .parse()
            .map_err(|e| format!("BENCH_REPEATS={value}: {e}"))?,
        Err(_) => 15,
    };
    println!(
        "| fabric | switches | nodes | threads | plan, ms | routes, ms | all, ms | memset, ms \
         | routes to memset | all to memset | group of all, ms |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    );
    for (name, shape) in SHAPES {
        eprintln!("bench: {shape}");
        let whole = support::complete(shape);
        let less = support::degraded(&whole);
        measure(name, &whole, repeats);
        measure(&format!("{name}, degraded"), &less, repeats);
    }
    Ok(())
}

/// Times a fabric, and prints a row for each number of threads.
fn measure(name: &str, netlist: &Netlist, repeats: usize) {
    let fabric = support::snapshot(netlist);
    let mut tables = Tables::for_fabric(&fabric);
    let mut rows = tables.rows_mut();
    let options = Options::default();
    let (threads, mut turns) = ([1, 2], [Vec::new(), Vec::new()]);
    let engines = threads.map(|n| Engine::new(n).expect("the system gives threads"));
    // The first turn touches memory that later turns reuse; it does not count.
    for turn in 0..=repeats {
        for (engine, turns) in engines.iter().zip(&mut turns) {
            let mut clock = Instant::now();
            let mut lap = || {
                let took = clock.elapsed().as_secs_f64() * 1e3;
                clock = Instant::now();
                took
            };
            let plan = engine.plan(&fabric, &options).expect("it is a tree");
            let planned = lap();
            engine.fill(&fabric, &plan, &mut rows).expect("tables fit");
            let routed = lap();
            // As from sweep to sweep: the next plan reuses the memory of this one.
            drop(plan);
            lap();
            support::memset(engine, &mut rows);
            let set = lap();
            if turn > 0 {
                turns.push([planned, routed, planned + routed, set]);
            }
        }
    }
    let plan = engines[0].plan(&fabric, &options).expect("it is a tree");
    let group = middle((0..repeats).map(|_| build_tree(&fabric, &plan)));
    let (switches, nodes) = (fabric.switches().len(), fabric.end_nodes().len());
    for (threads, turns) in threads.into_iter().zip(&turns) {
        let [plan, routes, all, set] = [0, 1, 2, 3].map(|at| middle(turns.iter().map(|t| t[at])));
        let [routes_to, all_to] = [1, 2].map(|at| middle(turns.iter().map(|t| t[at] / t[3])));
        println!(
            "| {name} | {switches} | {nodes} | {threads} | {plan:.2} | {routes:.2} | {all:.2} | {set:.2} \
             | {routes_to:.1} | {all_to:.1} | {group:.2} |"
        );
    }
}

/// Builds the tree of a group with a member on every leaf; returns the milliseconds.
fn build_tree(fabric: &Fabric, plan: &Plan) -> f64 {
    let members: Vec<SwitchId> = plan.ranking().leaves().collect();
    let clock = Instant::now();
    let capable = TiVec::from(vec![true; fabric.switches().len()]);
    let may_turn = |from, at, to| plan.may_turn(from, at, to);
    let tree = Terrain::new(fabric, plan.ranking(), &capable, &may_turn).tree(&members, 0xC000);
    let took = clock.elapsed().as_secs_f64() * 1e3;
    let missed = tree.map(|tree| tree.left_out.len());
    if missed != Some(0) {
        eprintln!("bench: the tree of the group of all misses {missed:?} leaves");
    }
    took
}

/// The median.
fn middle(figures: impl Iterator<Item = f64>) -> f64 {
    median(figures.collect()).expect("at least one turn")
}
