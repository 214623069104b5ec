//! Times the core: each phase on each fabric, with one thread and with two, and a memset for comparison.
//!
//! Phases and memset take turns, and a ratio is the median of the ratios of single turns, so that
//! a slow spell of the machine slows down both. Tables are touched before the clock starts.

use super::support;
use dmodc_core::multicast::Terrain;
use dmodc_core::{Engine, Options, Plan};
use dmodc_fabric::{Fabric, SwitchId, Tables};
use dmodc_formats::netlist::Netlist;
use std::fmt::Write as _;
use std::time::Instant;
use typed_index_collections::TiVec;

/// The times of one fabric, complete or degraded.
pub struct Measured {
    name: &'static str,
    degraded: bool,
    switches: usize,
    nodes: usize,
    phases: Vec<Phase>,
    /// Building the multicast tree of a group with a member on every leaf. Median.
    group_ms: f64,
}

/// One phase with a number of threads.
struct Phase {
    threads: usize,
    name: &'static str,
    /// Median.
    ms: f64,
    /// Median of the ratios to the memset of the same turn.
    to_memset: f64,
}

/// The phases, in the order of the columns. `all` is plan and routes.
const PHASES: [&str; 4] = ["plan", "routes", "all", "memset"];

impl Measured {
    fn phase(&self, threads: usize, name: &str) -> &Phase {
        let mut phases = self.phases.iter();
        let found = phases.find(|p| p.threads == threads && p.name == name);
        found.expect("every phase is measured")
    }
}

pub fn measure(name: &'static str, degraded: bool, netlist: &Netlist, repeats: usize) -> Measured {
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
    let group_ms = median((0..repeats).map(|_| build_tree(&fabric, &plan)));
    let mut phases = Vec::new();
    for (threads, turns) in threads.into_iter().zip(&turns) {
        for (column, name) in PHASES.into_iter().enumerate() {
            phases.push(Phase {
                threads,
                name,
                ms: median(turns.iter().map(|t| t[column])),
                to_memset: median(turns.iter().map(|t| t[column] / t[3])),
            });
        }
    }
    Measured {
        name,
        degraded,
        switches: fabric.switches().len(),
        nodes: fabric.end_nodes().len(),
        phases,
        group_ms,
    }
}

/// Builds the tree of a group with a member on every leaf; returns the milliseconds.
fn build_tree(fabric: &Fabric, plan: &Plan) -> f64 {
    let members: Vec<SwitchId> = plan.ranking().leaves().map(SwitchId).collect();
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

pub fn table(fabrics: &[Measured]) -> String {
    let mut text =
        "| fabric | switches | nodes | threads | plan, ms | routes, ms | all, ms | memset, ms \
         | routes to memset | all to memset | group of all, ms |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"
            .to_owned();
    for f in fabrics {
        for threads in [1, 2] {
            let phases = PHASES.map(|name| f.phase(threads, name));
            let times = phases.map(|phase| format!("{:.2}", phase.ms)).join(" | ");
            let _ = writeln!(
                text,
                "| {}{} | {} | {} | {threads} | {times} | {:.1} | {:.1} | {:.2} |",
                f.name,
                if f.degraded { ", degraded" } else { "" },
                f.switches,
                f.nodes,
                phases[1].to_memset,
                phases[2].to_memset,
                f.group_ms
            );
        }
    }
    text
}

fn median(figures: impl Iterator<Item = f64>) -> f64 {
    dmodc_lab::report::median(figures.collect()).expect("at least one turn")
}
