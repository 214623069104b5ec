//! Events on a fabric under an engine: the entries that each changes in the switches, the SMPs that OpenSM sends, and
//! the time. Under Dmodc the tables are those that it makes offline.

use super::cables::Cables;
use super::live::Live;
use super::smps::Smps;
use super::watch::Reaction;
use super::{engines, median_and_worst};
use crate::forced::{Forced, forced};
use crate::support::*;
use dmodc::dmodc::{Faults, OnUnreachable, Ranking};
use dmodc::fabric::{Fabric, Guid};
use dmodc::lft::{NO_PATH, Tables};
use dmodc::netlist::Netlist;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// An event: its name, the changed entries, and OpenSM's reaction.
pub struct Event {
    pub what: String,
    pub changed: Forced,
    reaction: Reaction,
}

/// A fabric under an engine.
pub struct Measured<'n> {
    engine: &'static str,
    pub live: Live<'n>,
    /// The options of Dmodc, if it is the engine.
    pub options: Option<Options>,
    /// The fabric, and the tables that its switches hold.
    pub held: (Fabric, Tables),
    /// These tables with entries for LIDs that no port has any more.
    rows: Rows,
    pub events: Vec<Event>,
}

type Rows = BTreeMap<Guid, Vec<u8>>;

/// The number of blocks that differ in the switches that are there before and after.
fn differing(before: &Rows, after: &Rows) -> usize {
    let both = before
        .iter()
        .filter_map(|(guid, was)| Some((was, after.get(guid)?)));
    let of_switch = both.map(|(was, is)| {
        let width = was.len().max(is.len()).next_multiple_of(64);
        let padded = |row: &[u8]| {
            let mut row = row.to_vec();
            row.resize(width, NO_PATH);
            row
        };
        let (was, is) = (padded(was), padded(is));
        let blocks = was.chunks(64).zip(is.chunks(64));
        blocks.filter(|(was, is)| was != is).count()
    });
    of_switch.sum()
}

impl<'n> Measured<'n> {
    /// Starts an engine of [`engines`] on a fabric in which some cables are not plugged in yet.
    pub fn start(
        engine: &'static str,
        net: &'n Net,
        unplug: impl FnOnce(&mut Cables),
    ) -> Measured<'n> {
        let mut name = "";
        let mut live = Live::start_without(net, unplug, |sim| {
            let (sm, of_log) = engines::launch(engine, net, sim);
            name = of_log;
            (sm, name)
        });
        Smps::logged(&live.watch.sm);
        let mut options = Options::default();
        match engine {
            "paper" => options.faults = Faults::Paper,
            "partial" => options.on_unreachable = OnUnreachable::Partial,
            _ => {}
        }
        let truth = live.truth();
        Measured {
            engine,
            held: truth.fabric_and_tables(),
            rows: truth.rows,
            live,
            options: (name == "dmodc").then_some(options),
            events: Vec::new(),
        }
    }

    /// Makes an event and measures it. Returns the fabric and the tables before it.
    pub fn happens(&mut self, what: &str, change: impl FnOnce(&mut Cables)) -> (Fabric, Tables) {
        let from = self.live.log_len();
        let reaction = self.live.change(change);
        if let (Some(options), "auto" | "drained") = (&mut self.options, self.engine) {
            // The reference that Dmodc has just written: it routes with the new places included.
            let file = self.live.watch.sm.files.path("opensm-dmodc-reference.net");
            let places = Netlist::read(&file).expect("the places seen so far");
            let (places, _) = places.to_fabric(None).expect("LIDs");
            options.reference = Some(Arc::new(places));
        }
        let truth = self.live.truth();
        if let Some(options) = &self.options {
            truth.assert_routed(&self.live.core, options);
            assert_eq!(reaction.others, 0, "{what}: {}", self.live.watch.log_end());
        }
        let (fabric, tables) = truth.fabric_and_tables();
        let ranking = Ranking::new(&fabric, &Options::default());
        let (before, after) = ((&self.held.0, &self.held.1), (&fabric, &tables));
        let changed = forced(before, after, |a, b| ranking.is_up(a, b));
        let is_new = fabric.switches().len() > self.held.0.switches().len();
        let differing = (!is_new).then(|| differing(&self.rows, &truth.rows));
        self.log_is_right(from, what, &fabric, differing);
        // OpenSM has sent at least the blocks that changed.
        assert!(
            changed.changed().blocks <= reaction.smps.blocks,
            "{what}: {changed:?} {reaction:?}"
        );
        self.events.push(Event {
            what: what.to_owned(),
            changed,
            reaction,
        });
        self.rows = truth.rows;
        std::mem::replace(&mut self.held, (fabric, tables))
    }

    /// Asserts that Dmodc's log has the numbers of blocks that differ and of displaced entries. With a new switch,
    /// blocks do not count (`differing` is `None`): OpenSM sends such a switch its whole table.
    fn log_is_right(&self, from: u64, what: &str, fabric: &Fabric, differing: Option<usize>) {
        let Some(options) = &self.options else {
            return;
        };
        let files = &self.live.watch.sm.files;
        let [blocks, displaced] =
            ["changed_blocks", "displaced"].map(|name| files.numbers(from, name));
        let core = &self.live.core;
        let plan = core.plan(fabric, options).expect("a tree");
        let (_, filled) = core.tables(fabric, &plan).expect("tables that fit");
        assert_eq!(displaced.last(), Some(&filled.displaced), "{what}");
        let told: usize = blocks.iter().sum();
        // One sweep changes exactly the blocks that differ; several may change a block again.
        let holds = |found| told == found || (told > found && blocks.len() > 1);
        assert!(
            differing.is_none_or(holds),
            "{what}: {blocks:?} blocks in the log, {differing:?} in the switches"
        );
    }

    /// Nodes lose all their links, and come back without their LIDs.
    pub fn reboot(&mut self, [down, up]: [&str; 2], nodes: &[u32]) {
        let cables = self.live.cables.of(|n| nodes.contains(&n));
        self.happens(down, |c| cables.iter().for_each(|&cable| c.unplug(cable)));
        self.happens(up, |c| {
            c.forget(nodes);
            cables.iter().for_each(|&cable| c.plug(cable));
        });
    }
}

/// Prints a line for each kind of event: the most of all counts, and the median and the worst of all times.
pub fn print(events: &[Event]) {
    println!(
        "| event | times | entries changed (had to), most | blocks changed (had to), most | blocks sent, most \
         | other Sets | Gets | first SUBNET UP, ms | last, ms | other engine |"
    );
    println!("|---|{}", "--:|".repeat(9));
    let mut kinds: Vec<&str> = Vec::new();
    for event in events {
        if !kinds.contains(&&*event.what) {
            kinds.push(&event.what);
        }
    }
    for kind in kinds {
        let of_kind: Vec<&Event> = events.iter().filter(|e| e.what == kind).collect();
        let most =
            |number: &dyn Fn(&Event) -> usize| of_kind.iter().map(|e| number(e)).max().unwrap_or(0);
        let had_to = |e: &Event| e.changed.own + e.changed.forced;
        let times = |part: fn(&Reaction) -> Duration| {
            let (median, worst) =
                median_and_worst(of_kind.iter().map(|e| part(&e.reaction)).collect());
            format!("{median}, {worst}")
        };
        println!(
            "| {kind} | {} | {} ({}) | {} ({}) | {} | {} | {} | {} | {} | {} |",
            of_kind.len(),
            most(&|e| e.changed.changed().entries),
            most(&|e| had_to(e).entries),
            most(&|e| e.changed.changed().blocks),
            most(&|e| had_to(e).blocks),
            most(&|e| e.reaction.smps.blocks),
            most(&|e| e.reaction.smps.other_sets),
            most(&|e| e.reaction.smps.gets),
            times(|r| r.first),
            times(|r| r.last),
            of_kind.iter().filter(|e| e.reaction.others > 0).count(),
        );
    }
}
