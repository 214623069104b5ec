//! `make bench`: one table, its CSV, and the plot of runtime over the number of nodes.
//!
//! - `core`: plan and routes of Dmodc, from a snapshot in memory to finished tables;
//! - `engines`: OpenSM's engines, and Dmodc among them, in the stock OpenSM on a simulated fabric;
//! - `plot`: the drawing.
//!
//! Environment: `BENCH_LIMIT`, seconds for each run of OpenSM (300); `BENCH_ENGINES`, comma-separated
//! (none if empty); `BENCH_FABRICS`, the named fabrics on which OpenSM runs (648,A,B);
//! `BENCH_REPEATS`, how often the core is timed (15).

mod core;
mod engines;
mod plot;
#[path = "../../../benches/support/mod.rs"]
mod support;

use dmodc_lab::sim::Plugin;
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;
use std::{env, fs};
use support::{A, B, C, SMALL};

/// From a few hundred nodes to the most that leave LIDs for the switches. The plot has all fabrics,
/// the table only the fabrics with a name.
const SHAPES: [(&str, &str); 9] = [
    ("", "PGFT(2;18,18;1,9;1,2)"),
    ("648", SMALL),
    ("", "PGFT(3;18,18,6;1,18,3;1,1,6)"),
    ("", "PGFT(3;18,18,12;1,18,6;1,1,3)"),
    ("A", A),
    ("", "PGFT(3;18,18,36;1,18,18;1,1,1)"),
    ("B", B),
    ("C", C),
    ("", "PGFT(3;32,32,44;1,32,32;1,1,1)"),
];
const ENGINES: &str = "dmodc,ftree+roots,updn+roots,minhop,sssp+roots";
/// The fabrics on which OpenSM runs. A run on C takes minutes before OpenSM calls an engine.
const ENGINE_FABRICS: &str = "648,A,B";

fn main() -> Result<(), Box<dyn Error>> {
    let number = |name: &str, default: u64| match env::var(name) {
        Ok(value) => value.parse().map_err(|e| format!("{name}={value}: {e}")),
        Err(_) => Ok(default),
    };
    let limit = Duration::from_secs(number("BENCH_LIMIT", 300)?);
    let repeats = number("BENCH_REPEATS", 15)?.max(1) as usize;
    let names = env::var("BENCH_ENGINES").unwrap_or(ENGINES.into());
    let target = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("target");

    let dir = target.join("bench");
    fs::create_dir_all(&dir)?;
    let plugin = Plugin::in_dir(&target.join("release"))?;
    let engines: Vec<&str> = names.split(',').filter(|n| !n.is_empty()).collect();
    let mut fabrics = Vec::new();
    for (name, shape) in SHAPES {
        eprintln!("bench: core, {shape}");
        let whole = support::complete(shape);
        let less = support::degraded(&whole);
        fabrics.push(core::measure(name, shape, false, &whole, repeats));
        fabrics.push(core::measure(name, shape, true, &less, repeats));
    }
    let on = env::var("BENCH_FABRICS").unwrap_or(ENGINE_FABRICS.into());
    let mut runs = Vec::new();
    for (name, shape) in SHAPES {
        if name.is_empty() || !on.split(',').any(|n| n == name) {
            continue;
        }
        let whole = support::complete(shape);
        for engine in &engines {
            eprintln!("bench: OpenSM, {engine} on {shape}");
            runs.push(engines::measure(
                name, shape, &whole, engine, &plugin, limit,
            )?);
        }
    }
    fs::write(dir.join("bench.csv"), csv(&fabrics, &runs))?;
    plot::draw(&dir.join("bench.svg"), &fabrics, &runs, limit)?;
    println!(
        "{}\n{}",
        core::table(&fabrics),
        engines::table(&runs, &fabrics)
    );
    println!("written to {}", dir.display());
    Ok(())
}

fn csv(fabrics: &[core::Measured], runs: &[engines::Timed]) -> String {
    let mut text: String =
        "fabric,shape,faults,switches,nodes,engine,threads,phase,ms,to_memset,extra_kib\n".into();
    for f in fabrics {
        let faults = if f.degraded { "degraded" } else { "complete" };
        for p in &f.phases {
            let _ = writeln!(
                text,
                "{},\"{}\",{faults},{},{},core,{},{},{:.4},{:.3},",
                f.name, f.shape, f.switches, f.nodes, p.threads, p.name, p.ms, p.to_memset
            );
        }
    }
    for r in runs {
        let ms = |time: Duration| format!("{:.3}", time.as_secs_f64() * 1e3);
        let lines = match &r.outcome {
            Err(_) => vec![("none", String::new(), String::new())],
            Ok(c) => {
                let group = c.group.map(|group| ("group", ms(group), String::new()));
                [
                    ("lid_matrices", ms(c.lid_matrices), c.extra_kib.to_string()),
                    ("fwd_tables", ms(c.fwd_tables), c.extra_kib.to_string()),
                ]
                .into_iter()
                .chain(group)
                .collect()
            }
        };
        for (phase, ms, kib) in lines {
            let _ = writeln!(
                text,
                "{},\"{}\",complete,{},{},{},,{phase},{ms},,{kib}",
                r.name, r.shape, r.switches, r.nodes, r.engine
            );
        }
    }
    text
}
