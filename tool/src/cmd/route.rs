//! `dmodc route`: routes the fabric of a file with Dmodc.

use super::args::Routing;
use super::tables::switch_name;
use super::{drained, left_out};
use crate::failure::{Failure, Outcome};
use crate::input::{input, is_dash, shown};
use crate::output::{print_json, print_text, write_to};
use dmodc::dmodc::{Filled, PHASES, Plan, hop_row};
use dmodc::drain::{self, Use};
use dmodc::fabric::{EndPairs, Fabric};
use dmodc::lft::{write_dump, write_lid_matrix, write_order};
use dmodc::netlist::Names;
use dmodc::wiring::wiring_warnings;
use indicatif::ProgressBar;
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// The number of unreachable pairs, and of warnings of the wiring, to print.
const NAMED: usize = 10;

/// Route a fabric with Dmodc and write its forwarding tables
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ibnetdiscover | dmodc route - --lfts dmodc.lfts      then: opensm -R file -U dmodc.lfts
  dmodc route fabric.net --root-guids roots.txt --json
  dmodc route fabric.net --lfts F --lid-matrix M       then: opensm -R file -U F -M M
  dmodc route fabric.net --order order.txt --alternatives ports.txt
  dmodc route fabric.net --lfts fabric.lfts.gz --plain

GUID files hold one GUID a line; '#' begins a comment. The order file has the format of
opensm-ftree-ca-order.dump. A line of the alternatives file is SWITCH_GUID LID PORT[,PORT..]: all
ports by which Dmodc could send from that switch to that end node. Without --lid-matrix OpenSM's
engine file counts the hops itself, which takes a minute on large fabrics. A file whose name ends in .gz is
packed; the tool reads it as it is, OpenSM does not.")]
pub struct Args {
    /// The fabric
    #[arg(value_parser = input())]
    net: PathBuf,
    /// Write the forwarding tables here, as opensm-lfts.dump
    #[arg(long, value_name = "F")]
    lfts: Option<PathBuf>,
    /// Leave out the comments of the tables, which name the owner of each LID and are most of the file
    #[arg(long, requires = "lfts")]
    plain: bool,
    /// Write the hosts here in the order of their topological NIDs
    #[arg(long, value_name = "F")]
    order: Option<PathBuf>,
    /// Write all alternative output ports here
    #[arg(long, value_name = "F")]
    alternatives: Option<PathBuf>,
    /// Write the hop counts between switches here, as opensm-lid-matrix.dump
    #[arg(long, value_name = "F")]
    lid_matrix: Option<PathBuf>,
    #[command(flatten)]
    routing: Routing,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Outcome {
    let named = args.lfts.iter().chain(&args.order);
    let named = named.chain(&args.alternatives).chain(&args.lid_matrix);
    let to_stdout = named.filter(|path| is_dash(path)).count();
    if to_stdout + usize::from(args.json) > 1 {
        return Err(Failure::Usage(
            "only one of the outputs can go to standard output",
        ));
    }
    let start = Instant::now();
    let (fabric, names) = args.routing.reading.fabric(&args.net, args.routing.lmc)?;
    let options = args.routing.options(&fabric, &names)?;
    let read = start.elapsed();
    let engine = args.routing.engine()?;
    let plan = engine.plan(&fabric, &options)?;
    let (tables, routed) = engine.tables(&fabric, &plan)?;
    let write_start = Instant::now();
    if let Some(path) = &args.lfts {
        if tables.is_empty() {
            return Err(Failure::no_tables(shown(&args.net).display()));
        }
        write_to(path, |out| {
            write_dump(&fabric, &names, &tables, args.plain, out)
        })?;
    }
    if let Some(path) = &args.order {
        write_to(path, |out| {
            let name = |node| &names.end_nodes[node as usize];
            write_order(&fabric, plan.order(), name, out)
        })?;
    }
    if let Some(path) = &args.alternatives {
        write_to(path, |out| write_alternatives(&fabric, &plan, out))?;
    }
    if let Some(path) = &args.lid_matrix {
        write_to(path, |out| {
            write_lid_matrix(&fabric, |from, to| hop_row(&fabric, &plan, from, to), out)
        })?;
    }
    let (core, write) = (plan.timings(), write_start.elapsed());
    let times = [read, core.rank, core.cost, core.nid, routed.time, write];
    let summary = Summary {
        fabric: &fabric,
        names: &names,
        plan: &plan,
        left_out: plan.connections().left_out_ends(&fabric),
        drained: drain::uses(&fabric, &options.drain, |s| tables.row(s)),
        routed,
        times,
        seconds: start.elapsed().as_secs_f64(),
    };
    if args.json {
        print_json(&summary.json())?;
    } else {
        print_text(&summary.text(), to_stdout > 0)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// One line for each switch and end node: the switch's GUID, the node's base LID, the ports.
fn write_alternatives(fabric: &Fabric, plan: &Plan, out: &mut dyn Write) -> io::Result<()> {
    let bar = ProgressBar::new(fabric.switches().len() as u64).with_message("alternatives");
    for (index, switch) in (0..).zip(fabric.switches()) {
        for (node, end_node) in (0..).zip(fabric.end_nodes()) {
            let ports = plan.alternatives(fabric, index, node);
            let ports: Vec<String> = ports.iter().map(u8::to_string).collect();
            writeln!(
                out,
                "{} 0x{:04x} {}",
                switch.guid,
                end_node.lid.0,
                ports.join(",")
            )?;
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(())
}

struct Summary<'a> {
    fabric: &'a Fabric,
    names: &'a Names,
    plan: &'a Plan,
    left_out: EndPairs,
    drained: Vec<Use>,
    routed: Filled,
    /// The time of each of [`PHASES`].
    times: [Duration; PHASES.len()],
    seconds: f64,
}

impl Summary<'_> {
    /// The numbers: key in JSON, name, number.
    fn counts(&self) -> [(&'static str, &'static str, usize); 10] {
        let (fabric, plan) = (self.fabric, self.plan);
        let connections = plan.connections();
        [
            ("switches", "switches", fabric.switches().len()),
            ("nodes", "end nodes", fabric.end_nodes().len()),
            ("links", "links between switches", fabric.switch_links()),
            ("lids", "LIDs", fabric.lid_count()),
            ("ranks", "ranks", plan.ranking().per_rank().len()),
            (
                "unreachable_pairs",
                "unreachable pairs",
                plan.unreachable().count,
            ),
            ("turned", "turned", connections.turned),
            ("left_out", "left out", connections.left_out),
            (
                "displaced_entries",
                "displaced entries",
                self.routed.displaced,
            ),
            ("threads", "threads", self.routed.threads),
        ]
    }

    fn json(&self) -> Value {
        let phases = PHASES.iter().zip(self.times);
        let phases = phases.map(|(&name, time)| (name.to_owned(), json!(time.as_secs_f64())));
        let mut object = json!({
            "left_out_pairs": left_out::json(self.fabric, self.names, &self.left_out),
            "drained": drained::json(self.names, self.fabric, &self.drained),
            "phases": phases.collect::<serde_json::Map<_, _>>(),
            "seconds": self.seconds,
        });
        for (key, _, count) in self.counts() {
            object[key] = json!(count);
        }
        object
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for (_, what, count) in self.counts() {
            text += &format!("{what:<22}  {count:>10}\n");
        }
        text += &format!("ranked by: {}\n", self.plan.ranking());
        let unreachable = self.plan.unreachable();
        let pairs = unreachable
            .first
            .iter()
            .map(|&(a, b)| format!("no up-down path: {} -- {}", self.switch(a), self.switch(b)));
        text += &named(pairs, unreachable.count);
        text += &left_out::text(self.fabric, self.names, &self.left_out);
        text += &drained::text(self.names, &self.drained);
        if self.plan.connections().cut_short {
            text += "the search for detours reached its limit: more pairs might have one\n";
        }
        let warnings = wiring_warnings(self.fabric, self.plan.ranking(), |s| self.switch(s));
        text += &named(warnings.iter().cloned(), warnings.len());
        for (phase, time) in PHASES.iter().zip(self.times) {
            text += &format!("{phase:<22}  {:>10.3} ms\n", time.as_secs_f64() * 1e3);
        }
        text + &format!("{:<22}  {:>10.3} ms\n", "total", self.seconds * 1e3)
    }

    fn switch(&self, index: u32) -> String {
        switch_name(self.fabric, self.names, index)
    }
}

/// The first few of `count` things, one a line, and the number of the others.
fn named(things: impl Iterator<Item = String>, count: usize) -> String {
    let first = things.take(NAMED).map(|thing| format!("  {thing}\n"));
    let mut text: String = first.collect();
    if count > NAMED {
        text += &format!("  and {} more\n", count - NAMED);
    }
    text
}
