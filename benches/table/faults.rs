//! What events change in the tables: entries, and blocks of 64 LIDs that have to be sent to the switches,
//! beside those that had to change.
//!
//! Dmodc's tables are the core's, which OpenSM gets to the byte; the other engines make theirs in the stock
//! OpenSM, anew on each fabric. In a running OpenSM, minhop and updn keep entries that are still shortest, so
//! there they change far less than here, and end elsewhere: `make events` has that.

use super::events::Events;
use super::support;
use dmodc::analysis::{Count, Forced, forced};
use dmodc::compare::{EngineSpec, MultiEngineRun, Outcome};
use dmodc::dmodc::{Engine, Faults, Options, Plan};
use dmodc::fabric::Fabric;
use dmodc::lft::Tables;
use dmodc::netlist::Netlist;
use std::error::Error;
use std::fmt::Write as _;
use std::sync::Arc;

/// One engine and one event.
pub struct Changed {
    pub fabric: &'static str,
    pub event: &'static str,
    pub engine: String,
    /// `None` where the engine refuses one of the fabrics.
    pub changes: Option<Forced>,
}

/// A fabric and the tables of each engine for it.
struct Routed {
    fabric: Fabric,
    /// Says which way is up.
    plan: Plan,
    tables: Vec<(String, Option<Tables>)>,
}

/// Lets events happen to a whole fabric, under Dmodc and these engines.
pub fn measure(
    name: &'static str,
    whole: &Netlist,
    engines: &[EngineSpec],
    runs: &MultiEngineRun,
) -> Result<Vec<Changed>, Box<dyn Error>> {
    let Events { fabrics, events } = Events::new(whole)?;
    let reference = Arc::new(support::snapshot(whole));
    let mut routed = Vec::new();
    for (number, netlist) in (1..).zip(&fabrics) {
        eprintln!(
            "bench: events on {name}, fabric {number} of {}",
            fabrics.len()
        );
        routed.push(route(netlist, &reference, engines, runs)?);
    }
    let mut all = Vec::new();
    for (event, before, after) in events {
        let [before, after] = [before, after].map(|fabric| &routed[fabric]);
        let is_up = |a, b| after.plan.ranking().is_up(a, b);
        for ((engine, old), (_, new)) in before.tables.iter().zip(&after.tables) {
            let both = old.as_ref().zip(new.as_ref());
            all.push(Changed {
                fabric: name,
                event,
                engine: engine.clone(),
                changes: both
                    .map(|(old, new)| forced((&before.fabric, old), (&after.fabric, new), is_up)),
            });
        }
    }
    Ok(all)
}

fn route(
    netlist: &Netlist,
    reference: &Arc<Fabric>,
    engines: &[EngineSpec],
    runs: &MultiEngineRun,
) -> Result<Routed, Box<dyn Error>> {
    let fabric = support::snapshot(netlist);
    let engine = Engine::new(0)?;
    let stable = Options::default();
    let with_reference = Options {
        reference: Some(reference.clone()),
        ..Options::default()
    };
    let paper = Options {
        faults: Faults::Paper,
        ..Options::default()
    };
    let mut tables = Vec::new();
    for (name, options) in [
        ("stable", &stable),
        ("stable, reference", &with_reference),
        ("paper", &paper),
    ] {
        let plan = engine.plan(&fabric, options)?;
        let mut of_engine = Tables::for_fabric(&fabric);
        engine.fill(&fabric, &plan, &mut of_engine.rows_mut())?;
        tables.push((name.to_owned(), Some(of_engine)));
    }
    let others = match engines {
        [] => Vec::new(),
        some => runs.route(netlist, some)?.outcomes,
    };
    for (spec, outcome) in engines.iter().zip(others) {
        let copied = match outcome {
            Outcome::Routed(copied, ..) => Some(copied.tables(&fabric)),
            Outcome::NoTables(_) => None,
        };
        tables.push((spec.to_string(), copied));
    }
    let plan = engine.plan(&fabric, &stable)?;
    Ok(Routed {
        fabric,
        plan,
        tables,
    })
}

/// What had to change: the forced entries, and those of LIDs that came, went or moved.
fn had_to(changes: &Forced) -> Count {
    let mut count = changes.own;
    count += changes.forced;
    count
}

/// All of them, as Markdown: one table of entries, one of blocks.
pub fn table(all: &[Changed]) -> String {
    let entries = |count: Count| count.entries;
    let blocks = |count: Count| count.blocks;
    let mut text =
        "Each engine anew on each fabric; `make events` has a running OpenSM.\n\n".to_owned();
    for (what, figure) in [
        ("entries", &entries as &dyn Fn(Count) -> usize),
        ("blocks", &blocks),
    ] {
        let events: Vec<&[Changed]> = all.chunk_by(|a, b| a.event == b.event).collect();
        let Some(engines) = events.first() else {
            return text;
        };
        let names = engines.iter().map(|c| format!(" {} |", c.engine));
        let _ = writeln!(
            text,
            "| {what} changed (of them had to) |{}\n|---|{}",
            names.collect::<String>(),
            "--:|".repeat(engines.len())
        );
        for of_event in events {
            let cells = of_event.iter().map(|c| match &c.changes {
                Some(c) => format!(" {} ({}) |", figure(c.changed()), figure(had_to(c))),
                None => " refused |".into(),
            });
            let _ = writeln!(
                text,
                "| {} |{}",
                of_event[0].event,
                cells.collect::<String>()
            );
        }
        text.push('\n');
    }
    text
}

/// The same, one figure a line.
pub fn csv(all: &[Changed]) -> String {
    let mut text = "fabric,event,engine,entries,entries_forced,blocks,blocks_forced\n".to_owned();
    for c in all {
        let figures = c.changes.as_ref().map_or(",,,".into(), |changes| {
            let (all, had_to) = (changes.changed(), had_to(changes));
            format!(
                "{},{},{},{}",
                all.entries, had_to.entries, all.blocks, had_to.blocks
            )
        });
        let _ = writeln!(text, "{},{},\"{}\",{figures}", c.fabric, c.event, c.engine);
    }
    text
}
