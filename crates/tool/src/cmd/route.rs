//! `dmodc route`: routes the fabric of a file with Dmodc.

use super::args::Routing;
use super::proof::proven;
use super::several::{in_one, one_after_another, parts_json, parts_text};
use super::tables::switch_name;
use super::{drained, left_out};
use crate::failure::{Failure, Outcome};
use crate::input::{input, shown};
use crate::output::{add, print_beside, print_json, stdout_among, write_to};
use dmodc_core::{Engine, Filled, PHASES, Plan, hop_row};
use dmodc_fabric::{EndPairs, Fabric, Lid, NO_PATH, NodeId, PortNumber, SwitchId, Tables};
use dmodc_formats::drain::{self, Use};
use dmodc_formats::lft::{write_dump, write_lid_matrix, write_order};
use dmodc_formats::netlist::{Names, Netlist};
use dmodc_watch::wiring::wiring_warnings;
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
    /// Virtual ports beside NET, as ibdiagnet2.vports or ibdiagnet2.db_csv
    #[arg(long, value_name = "F", value_parser = input())]
    vports: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> Outcome {
    let named = args.lfts.iter().chain(&args.order);
    let named = named.chain(&args.alternatives).chain(&args.lid_matrix);
    let to_stdout = stdout_among(named, args.json)?;
    let start = Instant::now();
    let (routing, net) = (&args.routing, &args.net);
    let engine = routing.engine()?;
    let mut all = Vec::new();
    for netlist in routing.reading.fabrics(net)? {
        all.push(Routed::new(&netlist, &args, &engine)?);
    }
    let read = start.elapsed();
    let write_start = Instant::now();
    let each = |path: &Option<PathBuf>,
                write: &dyn Fn(&Routed, &mut dyn Write) -> io::Result<()>| {
        let Some(path) = path else {
            return Ok(ExitCode::SUCCESS);
        };
        write_to(path, |out| all.iter().try_for_each(|one| write(one, out)))
    };
    if args.lfts.is_some() && all.iter().any(|one| one.tables.is_empty()) {
        return Err(Failure::no_tables(shown(net).display()));
    }
    each(&args.lfts, &|one, out| {
        write_dump(&one.fabric, &one.names, &one.tables, args.plain, out)
    })?;
    each(&args.order, &|one, out| {
        let name = |node| &one.names.end_nodes[node];
        write_order(&one.fabric, one.plan.order(), name, out)
    })?;
    each(&args.alternatives, &|one, out| one.write_alternatives(out))?;
    each(&args.lid_matrix, &|one, out| {
        let (fabric, plan) = (&one.fabric, &one.plan);
        write_lid_matrix(fabric, |from, to| hop_row(fabric, plan, from, to), out)
    })?;
    let write = write_start.elapsed();
    let routing: Duration = all.iter().map(|one| one.took).sum();
    let read = read.saturating_sub(routing);
    let times = |one: &Routed| {
        let core = one.plan.timings();
        [read, core.rank, core.cost, core.nid, one.filled.time, write]
    };
    let seconds = start.elapsed().as_secs_f64();
    if args.json {
        let answers = all.iter().map(|one| one.json(times(one), seconds));
        return print_json(&in_one(answers.collect()));
    }
    let texts = all.iter();
    let texts = texts.map(|one| (&one.fabric, one.text(times(one), seconds)));
    print_beside(to_stdout, &one_after_another(texts.collect()))
}

/// The time of each of [`PHASES`].
type Times = [Duration; PHASES.len()];

/// A fabric with its tables.
struct Routed {
    fabric: Fabric,
    names: Names,
    plan: Plan,
    tables: Tables,
    filled: Filled,
    left_out: EndPairs,
    drained: Vec<Use>,
    /// The number of LIDs of virtual ports.
    virtual_lids: usize,
    /// The time of plan and tables.
    took: Duration,
}

impl Routed {
    fn new(netlist: &Netlist, args: &Args, engine: &Engine) -> Result<Routed, Failure> {
        let routing = &args.routing;
        let fabric = netlist.to_fabric(routing.lmc);
        let (fabric, names) = fabric.map_err(Failure::lids(&args.net))?;
        let options = routing.options(netlist, &fabric, &names)?;
        let vports = args.vports.as_deref();
        let lids = (routing.reading).virtual_lids(vports, (&args.net, netlist), &fabric)?;
        let start = Instant::now();
        let plan = engine.plan(&fabric, &options)?;
        let (tables, filled) = engine.tables(&fabric, &plan)?;
        proven(engine, &fabric, &plan, &options, &tables)?;
        let copy = |(lid, node): &(Lid, NodeId)| (*lid, fabric.end_nodes()[*node].lid);
        let copies: Vec<(Lid, Lid)> = lids.iter().map(copy).collect();
        let tables = match copies.is_empty() {
            true => tables,
            false => tables.with_copies(&copies),
        };
        Ok(Routed {
            took: start.elapsed(),
            left_out: plan.connections().left_out_ends(&fabric),
            drained: drain::uses(&fabric, &options.drain, |s| tables.row(s)),
            fabric,
            names,
            plan,
            tables,
            filled,
            virtual_lids: copies.len(),
        })
    }

    /// The numbers: key in JSON, name, number.
    fn counts(&self) -> [(&'static str, &'static str, usize); 10] {
        let (fabric, plan) = (&self.fabric, &self.plan);
        let (connections, unreachable) = (plan.connections(), plan.unreachable().count);
        let filled = &self.filled;
        [
            ("switches", "switches", fabric.switches().len()),
            ("nodes", "end nodes", fabric.end_nodes().len()),
            ("links", "links between switches", fabric.switch_links()),
            ("lids", "LIDs", fabric.lid_count()),
            ("ranks", "ranks", plan.ranking().per_rank().len()),
            ("unreachable_pairs", "unreachable pairs", unreachable),
            ("turned", "turned", connections.turned),
            ("left_out", "left out", connections.left_out),
            ("displaced_entries", "displaced entries", filled.displaced),
            ("threads", "threads", filled.threads),
        ]
    }

    fn json(&self, times: Times, seconds: f64) -> Value {
        let phases = PHASES.iter().zip(times);
        let phases = phases.map(|(&name, time)| (name, time.as_secs_f64()));
        let mut object = json!({
            "left_out_pairs": left_out::json(&self.fabric, &self.names, &self.left_out),
            "drained": drained::json(&self.names, &self.fabric, &self.drained),
            "phases": Value::from_iter(phases),
            "seconds": seconds,
        });
        for (key, _, count) in self.counts() {
            object[key] = json!(count);
        }
        add(&mut object, "parts", parts_json(&self.fabric));
        let virtual_lids = Some(self.virtual_lids).filter(|&lids| lids > 0);
        add(&mut object, "virtual_lids", virtual_lids);
        object
    }

    fn text(&self, times: Times, seconds: f64) -> String {
        let mut text = String::new();
        for (_, what, count) in self.counts() {
            text += &format!("{what:<22}  {count:>10}\n");
        }
        text += &parts_text(&self.fabric);
        let lids = self.virtual_lids;
        if lids > 0 {
            text += &format!("{:<22}  {lids:>10}\n", "LIDs of virtual ports");
        }
        text += &format!("ranked by: {}\n", self.plan.ranking());
        let unreachable = self.plan.unreachable();
        let pair =
            |&(a, b): &_| format!("no up-down path: {} -- {}", self.switch(a), self.switch(b));
        let pairs = unreachable.first.iter().map(pair);
        text += &named(pairs, unreachable.count);
        text += &left_out::text(&self.fabric, &self.names, &self.left_out);
        text += &drained::text(&self.names, &self.drained);
        if self.plan.connections().cut_short {
            text += "the search for detours reached its limit: more pairs might have one\n";
        }
        let (fabric, ranking) = (&self.fabric, self.plan.ranking());
        let warnings = wiring_warnings(fabric, ranking, |s| self.switch(s));
        text += &named(warnings.iter().cloned(), warnings.len());
        for (phase, time) in PHASES.iter().zip(times) {
            text += &format!("{phase:<22}  {:>10.3} ms\n", time.as_secs_f64() * 1e3);
        }
        text + &format!("{:<22}  {:>10.3} ms\n", "total", seconds * 1e3)
    }

    fn switch(&self, index: SwitchId) -> String {
        switch_name(&self.fabric, &self.names, index)
    }

    /// One line for each switch and end node to which it sends: the switch's GUID, the node's base LID, the ports; on a
    /// detour the port of the tables alone.
    fn write_alternatives(&self, out: &mut dyn Write) -> io::Result<()> {
        let (fabric, switches) = (&self.fabric, self.fabric.switches());
        let bar = ProgressBar::new(switches.len() as u64).with_message("alternatives");
        for (index, switch) in switches.iter_enumerated() {
            let row = self.tables.row(index);
            for (node, end_node) in fabric.end_nodes().iter_enumerated() {
                let (guid, lid) = (switch.guid, end_node.lid);
                let mut ports = self.plan.alternatives(fabric, index, node);
                if ports.is_empty() && row[lid] != NO_PATH {
                    ports.push(PortNumber(row[lid]));
                }
                if !ports.is_empty() {
                    let ports: Vec<String> = ports.iter().map(ToString::to_string).collect();
                    writeln!(out, "{guid} 0x{:04x} {}", lid.0, ports.join(","))?;
                }
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        Ok(())
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
