//! `dmodc route`: Dmodc on a described fabric.

use super::{Failure, Outcome, load_fabric, one_stdin};
use crate::output::{is_dash, say, say_json, write_to};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use dmodc::dmodc::{Engine, OnUnreachable, Options, Plan};
use dmodc::fabric::{Fabric, Guid};
use dmodc::lft::{Tables, write_dump, write_order};
use dmodc::netlist::{Names, read_guids};
use indicatif::ProgressBar;
use serde_json::json;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// How many unreachable pairs, and how many oddities, are named.
const NAMED: usize = 10;

/// Route a fabric with Dmodc and write its forwarding tables
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ibnetdiscover | dmodc route - --lfts dmodc.lfts      then: opensm -R file -U dmodc.lfts
  dmodc route fabric.net --root-guids roots.txt --json
  dmodc route fabric.net --order order.txt --alternatives ports.txt

GUID files hold one GUID a line; '#' begins a comment. The order file has the format of
opensm-ftree-ca-order.dump. A line of the alternatives file is SWITCH_GUID LID PORT[,PORT..]: all
ports by which Dmodc could send from that switch to that end node.")]
pub struct Args {
    /// The fabric
    net: PathBuf,
    /// Write the forwarding tables here, as opensm-lfts.dump
    #[arg(long, value_name = "F")]
    lfts: Option<PathBuf>,
    /// Write the end nodes here in the order of their topological NIDs
    #[arg(long, value_name = "F")]
    order: Option<PathBuf>,
    /// Write all alternative output ports here
    #[arg(long, value_name = "F")]
    alternatives: Option<PathBuf>,
    /// Node GUIDs of the switches at the top of the tree
    #[arg(long, value_name = "F")]
    root_guids: Option<PathBuf>,
    /// Port GUIDs of the compute nodes
    #[arg(long, value_name = "F")]
    cn_guids: Option<PathBuf>,
    /// Port GUIDs of the I/O nodes
    #[arg(long, value_name = "F")]
    io_guids: Option<PathBuf>,
    /// LMC of all end nodes [default: what the netlist says]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=7))]
    lmc: Option<u8>,
    /// Connect switches that have no up-down path between them
    #[arg(long)]
    connect_roots: bool,
    /// Pairs of leaves without an up-down path: route all the rest, or refuse the fabric
    #[arg(long, value_name = "WHAT", default_value = "partial", value_parser =
        PossibleValuesParser::new(["partial", "fail"]).try_map(|s| s.parse::<OnUnreachable>()))]
    on_unreachable: OnUnreachable,
    /// Number of threads [default: one for each processor]
    #[arg(long, value_name = "N", default_value = "0", hide_default_value = true)]
    threads: usize,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs the subcommand.
pub fn run(args: Args) -> Outcome {
    let outputs = [&args.lfts, &args.order, &args.alternatives];
    let to_stdout = outputs
        .into_iter()
        .flatten()
        .filter(|path| is_dash(path))
        .count();
    if to_stdout + usize::from(args.json) > 1 {
        return Err(Failure::Usage(
            "only one of the outputs can go to standard output",
        ));
    }
    let guid_files = [&args.root_guids, &args.cn_guids, &args.io_guids];
    one_stdin(guid_files.into_iter().flatten().chain([&args.net]))?;
    let start = Instant::now();
    let (fabric, names) = load_fabric(&args.net, args.lmc)?;
    let options = Options {
        on_unreachable: args.on_unreachable,
        connect_roots: args.connect_roots,
        root_guids: guids(args.root_guids.as_deref())?,
        cn_guids: guids(args.cn_guids.as_deref())?,
        io_guids: guids(args.io_guids.as_deref())?,
    };
    let read = start.elapsed();
    let engine = Engine::new(args.threads)?;
    let plan = engine.plan(&fabric, &options)?;
    let mut tables = Tables::for_fabric(&fabric);
    let routes = engine.fill(&fabric, &plan, &mut tables.rows_mut())?;
    let write_start = Instant::now();
    if let Some(path) = &args.lfts {
        write_to(path, |mut out| {
            write_dump(&fabric, &names, &tables, &mut out)
        })?;
    }
    if let Some(path) = &args.order {
        write_to(path, |mut out| {
            write_order(&fabric, &names, plan.order(), &mut out)
        })?;
    }
    if let Some(path) = &args.alternatives {
        write_to(path, |out| write_alternatives(&fabric, &plan, out))?;
    }
    let times = times(&plan, read, routes, write_start.elapsed());
    let summary = Summary {
        fabric: &fabric,
        names: &names,
        plan: &plan,
        times,
    };
    let seconds = start.elapsed().as_secs_f64();
    if args.json {
        say_json(&summary.json(engine.threads(), seconds))?;
    } else {
        say(&summary.text(engine.threads(), seconds), to_stdout > 0)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn guids(path: Option<&Path>) -> Result<Vec<Guid>, Failure> {
    Ok(path.map(read_guids).transpose()?.unwrap_or_default())
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

/// The phases by name, in the order in which they run.
fn times(
    plan: &Plan,
    read: Duration,
    routes: Duration,
    write: Duration,
) -> [(&'static str, Duration); 6] {
    let core = plan.timings();
    [
        ("read", read),
        ("rank", core.rank),
        ("cost", core.cost),
        ("nid", core.nid),
        ("routes", routes),
        ("write", write),
    ]
}

struct Summary<'a> {
    fabric: &'a Fabric,
    names: &'a Names,
    plan: &'a Plan,
    times: [(&'static str, Duration); 6],
}

impl Summary<'_> {
    fn json(&self, threads: usize, seconds: f64) -> serde_json::Value {
        let phases: serde_json::Map<_, _> = self
            .times
            .iter()
            .map(|(name, time)| ((*name).into(), json!(time.as_secs_f64())))
            .collect();
        json!({
            "nodes": self.fabric.end_nodes().len(),
            "switches": self.fabric.switches().len(),
            "links": self.fabric.switch_links(),
            "lids": self.fabric.lid_count(),
            "ranks": self.plan.ranking().per_rank().len(),
            "unreachable_pairs": self.plan.unreachable().count,
            "threads": threads,
            "phases": phases,
            "seconds": seconds,
        })
    }

    fn text(&self, threads: usize, seconds: f64) -> String {
        let unreachable = self.plan.unreachable();
        let counts = [
            ("switches", self.fabric.switches().len()),
            ("end nodes", self.fabric.end_nodes().len()),
            ("links between switches", self.fabric.switch_links()),
            ("LIDs", self.fabric.lid_count()),
            ("ranks", self.plan.ranking().per_rank().len()),
            ("unreachable pairs", unreachable.count),
            ("threads", threads),
        ];
        let mut text = String::new();
        for (what, count) in counts {
            text += &format!("{what:<22}  {count:>10}\n");
        }
        text += &format!("ranked by: {}\n", self.plan.ranking());
        let pairs = unreachable
            .first
            .iter()
            .map(|&(a, b)| format!("no up-down path: {} -- {}", self.switch(a), self.switch(b)));
        text += &named(pairs, unreachable.count);
        let oddities = self.plan.oddities(self.fabric);
        let sentences = oddities.iter().map(|o| o.describe(|s| self.switch(s)));
        text += &named(sentences, oddities.len());
        for (phase, time) in self.times {
            text += &format!("{phase:<22}  {:>10.3} ms\n", time.as_secs_f64() * 1e3);
        }
        text + &format!("{:<22}  {:>10.3} ms\n", "total", seconds * 1e3)
    }

    fn switch(&self, index: u32) -> String {
        let guid = self.fabric.switches()[index as usize].guid;
        format!("{guid} '{}'", self.names.switches[index as usize])
    }
}

/// The first few of `count` things, one a line, and how many more there are.
fn named(things: impl Iterator<Item = String>, count: usize) -> String {
    let mut text: String = things
        .take(NAMED)
        .map(|thing| format!("  {thing}\n"))
        .collect();
    if count > NAMED {
        text += &format!("  and {} more\n", count - NAMED);
    }
    text
}
