//! The harness of all tests that watch a fabric step by step: a step changes cables under a running OpenSM, and gives a
//! row of figures. Under Dmodc the tables in the switches are those that it makes offline, and its log is right.

use super::cables::Cables;
use super::live::Live;
use super::measures::{Measure, Step};
use super::truth::entry;
use super::watch::{Reaction, Smps, Watch};
use crate::reference::places;
use crate::support::*;
use dmodc_core::{Faults, OnUnreachable};
use dmodc_fabric::{BLOCK, Drained, Fabric, Guid, Tables};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A step: its kind, and its figures by column.
#[derive(Clone, Debug)]
pub struct Row {
    pub what: String,
    pub figures: Vec<(String, f64)>,
}

impl Row {
    pub fn figure(&self, column: &str) -> f64 {
        let mut figures = self.figures.iter();
        let found = figures.find(|(name, _)| name == column);
        found.unwrap_or_else(|| panic!("no {column}")).1
    }
}

/// The sum of a column over the rows of a kind; of all rows if it is empty.
pub fn sum(rows: &[Row], what: &str, column: &str) -> f64 {
    let of_kind = rows.iter().filter(|row| row.what.starts_with(what));
    of_kind.map(|row| row.figure(column)).sum()
}

/// Prints a line for each kind of step, in the order in which they come, and one for all steps.
pub fn print(name: &str, rows: &[Row]) {
    let mut kinds: Vec<&str> = Vec::new();
    for row in rows.iter().filter(|row| !row.figures.is_empty()) {
        if !kinds.contains(&&*row.what) {
            kinds.push(&row.what);
        }
    }
    let names = rows.first().map(|row| &row.figures[..]).unwrap_or_default();
    println!(
        "\n{name}, {} steps; of each column: sum, median, most\n",
        rows.len()
    );
    let heads = names.iter().map(|(column, _)| format!(" {column} |"));
    println!("| step | times |{}", heads.collect::<String>());
    println!("|---|{}", "--:|".repeat(1 + names.len()));
    for kind in kinds.into_iter().map(Some).chain([None]) {
        let is_it = |row: &&Row| kind.is_none_or(|kind| row.what == kind);
        let of_kind: Vec<&Row> = rows.iter().filter(is_it).collect();
        let cells = (0..names.len()).map(|column| {
            let mut all: Vec<f64> = of_kind.iter().map(|row| row.figures[column].1).collect();
            all.sort_by(f64::total_cmp);
            let (sum, median) = (all.iter().sum::<f64>(), all[all.len() / 2]);
            let figures = [sum, median, all[all.len() - 1]].map(|f| (f * 1e3).round() / 1e3);
            format!(" {}, {}, {} |", figures[0], figures[1], figures[2])
        });
        let (kind, times) = (kind.unwrap_or("all"), of_kind.len());
        println!("| {kind} | {times} |{}", cells.collect::<String>());
    }
}

/// A fabric under an engine of [`launch`].
pub struct Measured<'n> {
    engine: &'static str,
    pub live: Live<'n>,
    /// The options of Dmodc, if it is the engine.
    pub options: Option<Options>,
    /// The fabric, and the tables that its switches hold.
    pub held: (Fabric, Tables),
    /// These tables with entries for LIDs that no port has any more.
    pub tables: Held,
    measures: &'static [Measure],
    pub rows: Vec<Row>,
    /// The file that `reference=auto` keeps, if it is not in OpenSM's folder.
    places: Option<PathBuf>,
}

type Held = BTreeMap<Guid, Vec<u8>>;

/// The number of blocks that differ in the switches that are there before and after.
fn differing(before: &Held, after: &Held) -> usize {
    let both = before
        .iter()
        .filter_map(|(guid, was)| Some((was, after.get(guid)?)));
    let of_switch = both.map(|(was, is)| {
        let lids = 0..was.len().max(is.len());
        let differ = lids.filter(|&lid| entry(was, lid) != entry(is, lid));
        differ.map(|lid| lid / BLOCK).collect::<BTreeSet<_>>().len()
    });
    of_switch.sum()
}

/// Starts OpenSM with an engine. Also returns the engine's name in its log. `dmodc` has no reference, `auto` is Dmodc with
/// its default, `paper` with `faults=paper`, `partial` with `on_unreachable=partial`; updn and ftree get the roots,
/// `minhop+cache` uses OpenSM's unicast cache. `drained` has the options of `auto`, and reads drained switches from the
/// file `drain` in ibsim's folder; `drained-alone` has no reference.
fn launch(engine: &'static str, net: &Net, sim: &Ibsim) -> (OpenSm, &'static str) {
    let name = match engine {
        "minhop+cache" => "minhop",
        "updn" | "ftree" | "minhop" | "sssp" => engine,
        _ => "dmodc",
    };
    let file = |name: &str, text: String| {
        let path = sim.dir().join(name);
        fs::write(&path, text).expect("a file of the fabric's");
        path.display().to_string()
    };
    let drain = || format!("dmodc.drain={}", file("drain", String::new()));
    let config = match engine {
        "dmodc" => Config::dmodc().options("dmodc.reference=none"),
        "auto" => Config::dmodc(),
        "drained-alone" => Config::dmodc().options(&format!("dmodc.reference=none {}", drain())),
        "drained" => Config::dmodc().options(&drain()),
        "paper" => Config::dmodc().options("dmodc.faults=paper"),
        "partial" => Config::dmodc().options("dmodc.reference=none dmodc.on_unreachable=partial"),
        "updn" | "ftree" => {
            let tops = net.netlist.switches();
            let tops = tops.filter(|s| s.description.starts_with("L3-"));
            let roots = file("roots", tops.map(|s| format!("{}\n", s.guid)).collect());
            // minhop routes the fabrics that ftree refuses.
            let others = if engine == "ftree" { ",minhop" } else { "" };
            let config = Config::engines(&format!("{engine}{others}"));
            config.line(format!("root_guid_file {roots}"))
        }
        "minhop+cache" => Config::engines("minhop").line("use_ucast_cache TRUE"),
        _ => Config::engines(engine),
    };
    (OpenSm::launch(sim, &config.log_flags("0x03")), name)
}

impl<'n> Measured<'n> {
    /// Starts an engine on a fabric in which some cables are not plugged in yet.
    pub fn start(
        engine: &'static str,
        net: &'n Net,
        unplug: impl FnOnce(&mut Cables),
        measures: &'static [Measure],
    ) -> Measured<'n> {
        let mut name = "";
        let mut live = Live::start_without(net, unplug, |sim| {
            let (sm, of_log) = launch(engine, net, sim);
            name = of_log;
            (sm, name)
        });
        Smps::logged(&live.watch.sm);
        let mut options = Options {
            forgets: matches!(engine, "dmodc" | "partial" | "drained-alone"),
            ..Options::default()
        };
        match engine {
            "paper" => options.faults = Faults::Paper,
            "partial" => options.on_unreachable = OnUnreachable::Partial,
            _ => {}
        }
        let truth = live.truth();
        Measured {
            engine,
            held: truth.fabric_and_tables(),
            tables: truth.rows,
            live,
            options: (name == "dmodc").then_some(options),
            measures,
            rows: Vec::new(),
            places: None,
        }
    }

    /// Drains these switches from the next step on, and no others.
    pub fn drain(&mut self, switches: &[u32]) {
        let nodes = switches
            .iter()
            .map(|&n| &self.live.netlist.nodes[n as usize]);
        let guids: Vec<Guid> = nodes.map(|node| node.guid).collect();
        let file: String = guids.iter().map(|guid| format!("{guid}\n")).collect();
        let drained = guids
            .into_iter()
            .map(|switch| Drained { switch, port: None });
        if let Some(options) = &mut self.options {
            options.drain = drained.collect();
        }
        fs::write(self.live.sim.dir().join("drain"), file).expect("written");
    }

    /// Makes a step with cables and measures it.
    pub fn happens(&mut self, what: &str, change: impl FnOnce(&mut Cables)) -> Reaction {
        self.step(what, |live| live.change(change))
    }

    /// Another OpenSM manages the fabric from this step on, with Dmodc and this file of `reference=auto`.
    pub fn managed_by(&mut self, what: &str, places: &Path, sm: impl FnOnce(&mut Live) -> OpenSm) {
        self.places = Some(places.to_owned());
        self.options.get_or_insert_default();
        self.taken_over(what, sm);
    }

    /// Makes a step to another OpenSM with Dmodc. Before [`Measured::managed_by`] it may be of another version: nothing
    /// says what its tables should be.
    pub fn taken_over(&mut self, what: &str, sm: impl FnOnce(&mut Live) -> OpenSm) {
        self.step(what, |live| {
            let sm = sm(live);
            let (watch, reaction) = Watch::first_sweep(sm, &live.sim, "dmodc");
            live.watch = watch;
            reaction
        });
    }

    /// Makes a step and measures it.
    pub fn step(&mut self, what: &str, act: impl FnOnce(&mut Live) -> Reaction) -> Reaction {
        let (from, pid) = (self.live.log_len(), self.live.watch.sm.pid());
        let reaction = act(&mut self.live);
        let is_new_opensm = self.live.watch.sm.pid() != pid;
        let keeps = matches!(self.engine, "auto" | "drained") || self.places.is_some();
        if let (Some(options), true) = (&mut self.options, keeps) {
            // The reference that Dmodc has just written: it routes with the new places included.
            let file = self.places.clone();
            let file = file.unwrap_or_else(|| self.live.watch.sm.files.by_port(Files::REFERENCE));
            options.reference = Some(Arc::new(places(&file)));
        }
        let truth = self.live.truth();
        if let Some(options) = &self.options {
            truth.assert_routed(&self.live.core, options);
            assert_eq!(reaction.others, 0, "{what}: {}", self.live.watch.log_end());
        }
        let (fabric, tables) = truth.fabric_and_tables();
        let step = Step {
            before: (&self.held.0, &self.held.1),
            after: (&fabric, &tables),
            reaction: &reaction,
            core: &self.live.core,
        };
        let mut switches = fabric.switches().iter();
        let is_new = switches.any(|switch| self.held.0.switch_by_guid(switch.guid).is_none());
        let is_new = is_new || is_new_opensm;
        let differing = (!is_new).then(|| differing(&self.tables, &truth.rows));
        let from = if is_new_opensm { 0 } else { from };
        self.log_is_right(from, what, &fabric, differing);
        self.rows.push(Row {
            what: what.to_owned(),
            figures: self.measures.iter().flat_map(|of| of(&step)).collect(),
        });
        self.tables = truth.rows;
        self.held = (fabric, tables);
        reaction
    }

    /// Asserts that Dmodc's log has the numbers of blocks that differ and of displaced entries. With a new switch or
    /// OpenSM, blocks do not count (`differing` is `None`): whole tables are sent.
    fn log_is_right(&self, from: u64, what: &str, fabric: &Fabric, differing: Option<usize>) {
        let Some(options) = &self.options else { return };
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

    /// Cables are unplugged, and plugged in again. These nodes have forgotten everything then.
    pub fn goes_and_comes(&mut self, [down, up]: [&str; 2], cables: &[usize], forget: &[u32]) {
        self.happens(down, |c| c.unplug(cables));
        self.happens(up, |c| {
            c.forget(forget);
            c.plug(cables);
        });
    }

    /// Nodes lose all their links, and come back without their LIDs.
    pub fn reboot(&mut self, names: [&str; 2], nodes: &[u32]) {
        let cables = self.live.cables.cables_of(|n| nodes.contains(&n));
        self.goes_and_comes(names, &cables, nodes);
    }
}
