//! One fabric, one phase, a fixed number of times: the program whose instructions are counted.
//!
//! `phases 648|A|B complete|degraded none|plan|routes|proof`: each phase repeats the phase before and adds
//! its own part, so that the difference of two counts is the part. One thread: else the instructions
//! of idle threads that look for work would count, too.

#[path = "support/proof.rs"]
mod proof;
mod support;

use dmodc_core::{Engine, Options};
use dmodc_fabric::Tables;
use proof::prove_all;
use std::process::ExitCode;
use support::{A, SMALL, complete, degraded, snapshot};

/// The number of runs of a phase: scripts/instructions.sh divides by it.
const TIMES: usize = 4;

fn main() -> ExitCode {
    // Cargo adds --bench to the arguments.
    let args = std::env::args().skip(1).filter(|a| a != "--bench");
    let args: Vec<String> = args.collect();
    let [fabric, faults, phase] = &args[..] else {
        eprintln!("phases: 648|A|B complete|degraded none|plan|routes|proof");
        return ExitCode::from(2);
    };
    let whole = complete(match fabric.as_str() {
        "A" => A,
        "B" => support::B,
        _ => SMALL,
    });
    let netlist = match faults.as_str() {
        "degraded" => degraded(&whole),
        _ => whole,
    };
    let fabric = snapshot(&netlist);
    let mut tables = Tables::for_fabric(&fabric);
    let mut rows = tables.rows_mut();
    let engine = Engine::new(1).expect("the system gives threads");
    for _ in 0..TIMES {
        if phase != "none" {
            let plan = engine.plan(&fabric, &Options::default());
            let plan = plan.expect("it is a tree");
            if phase == "routes" || phase == "proof" {
                engine.fill(&fabric, &plan, &mut rows).expect("tables fit");
            }
            if phase == "proof" {
                prove_all(&fabric, &plan, &rows).expect("sound tables");
            }
        }
    }
    ExitCode::SUCCESS
}
