//! A fabric under an engine, and events: what each changed in the tables of the switches, what OpenSM sent, and how long
//! it took. Under Dmodc the tables are those that it makes offline.

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

/// An event: what changed, and what OpenSM did.
pub struct Event {
    pub what: String,
    pub changed: Forced,
    reaction: Reaction,
}

/// A fabric under an engine.
pub struct Measured<'n> {
    engine: &'static str,
    pub live: Live<'n>,
    /// How Dmodc is to route, if it is the engine.
    pub options: Option<Options>,
    /// What the switches hold.
    pub held: (Fabric, Tables),
    /// The same with entries for LIDs that nobody has any more.
    rows: Rows,
    pub events: Vec<Event>,
}

type Rows = BTreeMap<Guid, Vec<u8>>;

/// How many blocks differ in the switches that are there before and after.
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
    /// Starts an engine of [`engines`] on a fabric in which some cables are not plugged yet.
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

    /// Something happens. Returns what the switches held before.
    pub fn happens(&mut self, what: &str, change: impl FnOnce(&mut Cables)) -> (Fabric, Tables) {
        let from = self.live.log_len();
        let reaction = self.live.change(change);
        if let (Some(options), "auto" | "drained") = (&mut self.options, self.engine) {
            // The places seen so far, new ones included: Dmodc routes with what it is about to keep.
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
        // All entries of a switch that is new are changes, but its 255s need not be sent.
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

    /// Dmodc's log has the blocks that differ, and the entries that are not at their nominal ports. A switch that is new
    /// is sent its table, whatever the log says.
    fn log_is_right(&self, from: usize, what: &str, fabric: &Fabric, differing: Option<usize>) {
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
        // In one sweep, what changes is what differs.
        let holds = |found| told == found || (told > found && blocks.len() > 1);
        assert!(
            differing.is_none_or(holds),
            "{what}: {blocks:?} blocks in the log, {differing:?} in the switches"
        );
    }

    /// Nodes lose all their links, and come back without a memory.
    pub fn reboot(&mut self, [down, up]: [&str; 2], nodes: &[u32]) {
        let cables = self.live.cables.of(|n| nodes.contains(&n));
        self.happens(down, |c| cables.iter().for_each(|&cable| c.unplug(cable)));
        self.happens(up, |c| {
            c.forget(nodes);
            cables.iter().for_each(|&cable| c.plug(cable));
        });
    }
}

/// A line for each kind of event: medians, and the worst where two numbers stand.
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
