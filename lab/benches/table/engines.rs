//! Times the callbacks of OpenSM's engines in the stock OpenSM, with the relay of `libdmodc_lab.so`.
//!
//! Dmodc's callbacks are timed the same way. Dmodc fills hop tables later, outside its callbacks, and only if OpenSM
//! reads one; the lid matrices of the other engines are hop tables.

use super::core::Measured;
use dmodc::netlist::{Kind, Netlist};
use dmodc_lab::compare::{Callbacks, EngineSpec, time_callbacks};
use dmodc_lab::sim::{NoTables, Plugin};
use std::error::Error;
use std::fmt::Write as _;
use std::time::Duration;

pub struct Timed {
    pub name: &'static str,
    pub shape: &'static str,
    pub switches: usize,
    pub nodes: usize,
    pub engine: String,
    /// The time of the engine's callbacks, or the reason why there is none.
    pub outcome: Result<Callbacks, NoTables>,
}

pub fn total_ms(callbacks: &Callbacks) -> f64 {
    (callbacks.lid_matrices + callbacks.fwd_tables).as_secs_f64() * 1e3
}

pub fn measure(
    name: &'static str,
    shape: &'static str,
    netlist: &Netlist,
    engine: &str,
    plugin: &Plugin,
    limit: Duration,
) -> Result<Timed, Box<dyn Error>> {
    let spec: EngineSpec = engine.parse()?;
    Ok(Timed {
        name,
        shape,
        switches: netlist.switches().count(),
        nodes: netlist.nodes.iter().filter(|n| n.kind == Kind::Ca).count(),
        engine: engine.into(),
        outcome: time_callbacks(netlist, &spec, plugin, limit)?,
    })
}

/// All runs as a table in Markdown. Ratios are to Dmodc, and to a memset of the tables by two threads, on
/// the same fabric.
pub fn table(runs: &[Timed], fabrics: &[Measured]) -> String {
    let mut text =
        "| fabric | nodes | engine | lid matrices, ms | tables, ms | both, ms | to Dmodc \
                    | to memset | extra memory, MiB | group of all, ms |\n\
         |---|--:|---|--:|--:|--:|--:|--:|--:|--:|\n"
            .to_owned();
    for run in runs {
        let _ = write!(text, "| {} | {} | {} | ", run.name, run.nodes, run.engine);
        let callbacks = match &run.outcome {
            Ok(callbacks) => callbacks,
            Err(reason) => {
                let reason = reason.to_string().replace('|', "/");
                let _ = writeln!(text, "{reason} | | | | | | |");
                continue;
            }
        };
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let both = total_ms(callbacks);
        let is_ours = |other: &&Timed| other.name == run.name && other.engine == "dmodc";
        let ours = runs
            .iter()
            .find(is_ours)
            .and_then(|run| run.outcome.as_ref().ok());
        let ratio = ours.map_or(String::new(), |ours| {
            format!("{:.0}", both / total_ms(ours))
        });
        let group = (callbacks.group).map_or(String::new(), |group| format!("{:.1}", ms(group)));
        let is_same = |f: &&Measured| f.name == run.name && !f.degraded;
        let fabric = fabrics.iter().find(is_same).expect("its core is measured");
        let _ = writeln!(
            text,
            "{:.1} | {:.1} | {both:.1} | {ratio} | {:.0} | {:.0} | {group} |",
            ms(callbacks.lid_matrices),
            ms(callbacks.fwd_tables),
            both / fabric.phase(2, "memset").ms,
            callbacks.extra_kib as f64 / 1024.0
        );
    }
    text
}
