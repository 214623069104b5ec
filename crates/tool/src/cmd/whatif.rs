//! `dmodc whatif`: a fabric before and after planned work, or each single loss.
//!
//! Dmodc routes both fabrics, and both have the same figures. Equipment that stays keeps its LIDs, so the difference of
//! the tables is the blocks that OpenSM would send.

mod each;

use super::args::{Drain, Question, Removal, permutations};
use super::draw::{page_file, scene, whole_of, write_page};
use super::{drained, left_out};
use crate::draw::{Drawn, Routes, State};
use crate::failure::{Failure, Outcome};
use crate::input::{input, shown};
use crate::output::{print, print_beside, print_json, progress, stdout_among};
use dmodc_analysis::{Tick, Traffic, bounds};
use dmodc_core::{Engine, Options, RouteError};
use dmodc_fabric::{Drained, Fabric, Guid, NodeKind, PortNumber, SwitchId};
use dmodc_formats::drain;
use dmodc_formats::lft::{Dump, diff};
use dmodc_formats::netlist::{Names, Netlist, Part};
use dmodc_watch::wiring::slow_links;
use each::Each;
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// The number of hosts, and of removed parts, to print.
const NAMED: usize = 10;

/// Compare a fabric with the fabric after planned work, or find what each single loss does
#[derive(clap::Args)]
#[command(
    mut_arg("remove", |arg| arg.required_unless_present_any(["file", "each"])),
    after_help = "Examples:
  dmodc whatif fabric.net --remove 'spine 3'
  dmodc whatif fabric.net --remove node001 --remove 'node[010-019]'
  dmodc whatif fabric.net --remove 'leaf 17:24' --remove 'leaf 17:25' --json
  dmodc whatif opensm-subnet.lst --remove @tonight.txt
  dmodc whatif fabric.net --drain tonight.txt --remove @tonight.txt
  dmodc whatif fabric.net --remove 'spine 3' --draw tonight.html
  dmodc whatif fabric.net --each link
  dmodc whatif fabric.net --each switch --reference as-designed.net --json

Names are descriptions or parts of them, GUIDs or LIDs. The name of a server stands for all its ports,
and node[001-004] and node* for all matches; any other name with several matches is refused with a
list. A file of names has one a line, '#' begins a comment.

Dmodc routes both fabrics. Hosts that lose their last link count as unreachable, unless you name
them. A2A, RP, SP, the A2A bound and EBB are as in 'dmodc analyze', over capacity too if links differ
in speed before or after. OpenSM would send the changed entries and blocks of 64 LIDs.

--drain alone compares the fabric with the same drained; with --remove, the drained fabric with the rest of it.

--draw makes a page as 'dmodc draw' does. It opens on the fabric after, and tells what changed; its key
'b' shows the fabric before.

--each loses each link between switches alone, or each switch, and sorts the losses by harm: the ports
of hosts cut off from the rest; the pairs of leaves left out, without a route; the pairs that lose their
last up-down way; the ports with half their ways, whose leaf keeps half of its links to switches not
below it, or fewer (of those in the reference, if there is one); then A2A, SP and RP. A loss takes the
cable of a host, or the hosts of a lost switch, with it: these do not count. Losses that do the same are
one line; --json has each. Then come the pairs of leaves with one way left: those that have an up-down
way now, and none after one of the losses. Detours may connect them, with more load. Orders of
SP and permutations of RP are those before the loss.

Exit code 0, or 1 if the fabric before or after cannot be routed at all."
)]
pub struct Args {
    /// The fabric
    #[arg(value_parser = input())]
    net: PathBuf,
    #[command(flatten)]
    removal: Removal,
    /// Lose each link between switches alone, or each switch
    #[arg(long, value_name = "link|switch", conflicts_with_all = ["remove", "draw"])]
    each: Option<Each>,
    #[command(flatten)]
    drain: Drain,
    /// Number of random permutations, and of random matchings
    #[arg(long, value_name = "N", default_value = "1000", value_parser = permutations())]
    permutations: u32,
    /// Seed of the random permutations
    #[arg(long, value_name = "S", default_value = "1")]
    seed: u64,
    /// Write a page of before and after here
    #[arg(long, value_name = "F.html", value_parser = page_file())]
    draw: Option<PathBuf>,
    #[command(flatten)]
    question: Question,
}

pub fn run(args: Args) -> Outcome {
    let start = Instant::now();
    let Question { guid_files, .. } = &args.question;
    let to_stdout = stdout_among(&args.draw, args.question.json)?;
    let reference = args.question.reference.as_deref();
    let meant = guid_files.meant(args.question.reading, &args.net, reference, &args.drain)?;
    let (netlist, fabric, options) = (&meant.netlist, &meant.fabric, &meant.options);
    if let Some(each) = args.each {
        let answer = each::each(each, &meant, (args.permutations, args.seed), start);
        let (json, text) = answer.map_err(|reason| match reason {
            Failure::Invalid(reason) => {
                Failure::Invalid(format!("{}: {reason}", shown(&args.net).display()))
            }
            other => other,
        })?;
        return match args.question.json {
            true => print_json(&json),
            false => print(text),
        };
    }
    let parts = args.removal.parts(netlist)?;
    let ports = netlist.nodes.iter().map(|node| node.ports.len() as u64);
    // Two fabrics; each permutation and each matching is a tick.
    let ticks = 2 * (ports.sum::<u64>() + 2 * u64::from(args.permutations));
    let bar = progress(ticks, "{wide_bar} {percent} %");
    let less = netlist.with_lids(fabric).without(&parts).to_fabric(None);
    let less = less.map_err(Failure::lids(&args.net))?;
    let cut_off = cut_off(netlist, &parts, (fabric, &meant.names), &less.0);
    let mut first = options.clone();
    if parts.is_empty() {
        first.drain.clear();
    }
    let measure = Measure {
        engine: Engine::new(0)?,
        permutations: args.permutations as usize,
        seed: args.seed,
        expected: options.reference.clone(),
        tick: &|done| bar.inc(done),
    };
    let before = measure.look((fabric.clone(), meant.names.clone()), &first, vec![]);
    let invalid = |when: &str, reason: RouteError| {
        let file = shown(&args.net).display();
        Failure::Invalid(format!("{file}: {when}: {reason}"))
    };
    let before = before.map_err(|reason| invalid("before", reason))?;
    let mut then = options.clone();
    // The plugin remembers what it has seen.
    let seen = || Arc::new(fabric.clone());
    then.reference.get_or_insert_with(seen);
    let after = measure.look(less, &then, cut_off);
    let after = after.map_err(|reason| invalid("after", reason))?;
    bar.finish_and_clear();
    if let Some(to) = &args.draw {
        let whole = whole_of(&meant, &measure.engine);
        let drawn = whole.as_ref().unwrap_or(&before.drawn);
        let scene = scene(netlist, drawn, meant.known.as_ref());
        let states = [before.state("before"), after.state("after")];
        write_page(&scene, &states, &args.net, to)?;
    }
    let dump = |look: &Look| Dump::from_tables(&look.drawn.fabric, &look.routes.0);
    let diff = diff(&dump(&before), &dump(&after));
    let removed: Vec<_> = parts.iter().map(|&part| netlist.describe(part)).collect();
    let found = json!({
        "removed": removed,
        "before": before.figures,
        "after": after.figures,
        "changed_entries": diff.entries(),
        "changed_blocks": diff.blocks(),
        "changed_switches": diff.switches.iter().filter(|s| s.entries > 0).count(),
        "seconds": start.elapsed().as_secs_f64(),
    });
    match args.question.json {
        true => print_json(&found),
        false => print_beside(to_stdout, &text(&removed, &found)),
    }
}

pub struct Look {
    drawn: Drawn,
    /// Both ends of drained links, as (switch, port), ascending.
    drained: Vec<(SwitchId, PortNumber)>,
    routes: Routes,
    bound: Option<u32>,
    /// The figures, as `--json` has them.
    pub figures: Value,
}

impl Look {
    fn state<'a>(&'a self, title: &'a str) -> State<'a> {
        State {
            title,
            fabric: &self.drawn.fabric,
            bound: self.bound,
            drained: self.drained.clone(),
            routes: Some(&self.routes),
        }
    }
}

pub struct Measure<'a> {
    pub engine: Engine,
    pub permutations: usize,
    pub seed: u64,
    /// The reference for speeds.
    pub expected: Option<Arc<Fabric>>,
    pub tick: Tick<'a>,
}

impl Measure<'_> {
    /// Routes a fabric and measures it. `cut_off` are hosts that planned work cuts off from it.
    pub fn look(
        &self,
        (fabric, names): (Fabric, Names),
        options: &Options,
        cut_off: Vec<(Guid, String)>,
    ) -> Result<Look, RouteError> {
        let plan = self.engine.plan(&fabric, options)?;
        let (tables, _) = self.engine.tables(&fabric, &plan)?;
        let traffic = Traffic::new(&fabric, &tables, plan.order());
        let (count, seed, tick) = (self.permutations, self.seed, self.tick);
        // Drained links carry nothing.
        let drained = Drained::ends(&fabric, &options.drain);
        let usable = fabric.without(&drained);
        let rank = |switch| plan.ranking().rank(switch);
        let (bound, bound_over) = bounds(&usable, traffic.nodes(), rank, traffic.channels());
        let a2a = traffic.all_to_all(tick);
        let rp = traffic.random_permutations(count, seed, tick);
        let sp = traffic.shifts(tick);
        let ebb = traffic.effective_bisection_bandwidth(count, seed, false, tick);
        let unreached = traffic.unreached().into_iter().map(|node| {
            let guid = fabric.end_nodes()[node].guid;
            (guid, names.end_nodes[node].clone())
        });
        let unreached: Vec<_> = (unreached.chain(cut_off))
            .map(|(guid, name)| json!({ "guid": guid.to_string(), "name": name }))
            .collect();
        let uses = drain::uses(&fabric, &options.drain, |s| tables.row(s));
        let connections = plan.connections();
        let mut figures = json!({
            "switches": fabric.switches().len(),
            "nodes": traffic.nodes().len(),
            "links": fabric.switch_links(),
            "slow_links": slow_links(&fabric, rank, self.expected.as_deref()).len(),
            "unreached_hosts": unreached,
            "left_out": connections.left_out,
            "left_out_pairs": { "counts": left_out::counts(&connections.left_out_ends(&fabric)) },
            "a2a": a2a.value,
            "bound": bound,
            "rp": rp.value,
            "sp": sp.value,
            "ebb": ebb.map(|ebb| ebb.percent),
            "ebb_confidence": ebb.map(|ebb| ebb.confidence),
            "drained": drained::lines(&names, &uses),
            // A host has several ports, each of which is an end node.
            "hosts": hosts(&fabric, &names),
        });
        if let Some(over) = a2a.over_capacity {
            figures["a2a_capacity"] = json!(over);
            figures["a2a_bound_capacity"] = json!(bound_over);
            figures["rp_capacity"] = json!(rp.over_capacity);
            figures["sp_capacity"] = json!(sp.over_capacity);
        }
        Ok(Look {
            drawn: Drawn {
                ranking: plan.ranking().clone(),
                places: plan.places(),
                order: plan.order().to_vec(),
                fabric,
                names,
            },
            drained,
            routes: (tables, a2a.by_channel),
            bound,
            figures,
        })
    }
}

/// The number of hosts. Ports are of one host if the first words of their descriptions are the same, the host name
/// mostly; but not if two nodes have the same whole description, such as "localhost mlx5_0".
fn hosts(fabric: &Fabric, names: &Names) -> usize {
    let mut by_word: HashMap<&str, BTreeSet<(&str, Guid)>> = HashMap::new();
    for (index, node) in fabric.end_nodes().iter_enumerated() {
        if node.kind != NodeKind::Aggregation {
            let name = &*names.end_nodes[index];
            let word = name.split_whitespace().next().unwrap_or_default();
            let nodes = by_word.entry(word).or_default();
            nodes.insert((name, names.node_guids[index]));
        }
    }
    let hosts = by_word.values().map(|nodes| {
        let names: BTreeSet<&str> = nodes.iter().map(|(name, _)| *name).collect();
        match names.len() == nodes.len() {
            true => 1,
            false => nodes.len(),
        }
    });
    hosts.sum()
}

/// The ports of hosts that lose their last link and are not in `parts` themselves.
fn cut_off(
    netlist: &Netlist,
    parts: &[Part],
    (fabric, names): (&Fabric, &Names),
    less: &Fabric,
) -> Vec<(Guid, String)> {
    let named = parts.iter().filter_map(|part| match *part {
        Part::Node(node) => Some(netlist.nodes[node as usize].guid),
        Part::Link(_) => None,
    });
    let named: HashSet<Guid> = named.collect();
    let left: HashSet<_> = less.end_nodes().iter().map(|n| (n.guid, n.lid)).collect();
    let mut cut_off = Vec::new();
    for (index, node) in fabric.end_nodes().iter_enumerated() {
        let is_left = left.contains(&(node.guid, node.lid));
        let is_named = named.contains(&names.node_guids[index]);
        if node.kind != NodeKind::Aggregation && !is_left && !is_named {
            cut_off.push((node.guid, names.end_nodes[index].clone()));
        }
    }
    cut_off
}

/// Rows of the table, and the keys of their figures.
const ROWS: [(&str, &str); 11] = [
    ("switches", "switches"),
    ("links between switches", "links"),
    ("slow links", "slow_links"),
    ("hosts", "hosts"),
    ("ports of hosts", "nodes"),
    ("ports nobody reaches", "unreached_hosts"),
    ("left out", "left_out"),
    ("A2A", "a2a"),
    ("A2A bound", "bound"),
    ("RP", "rp"),
    ("SP", "sp"),
];

/// The rows that follow if links differ in speed; the last key is for a state in which links are alike.
const OVER_CAPACITY: [(&str, &str, &str); 4] = [
    ("A2A over capacity", "a2a_capacity", "a2a"),
    ("its bound", "a2a_bound_capacity", "bound"),
    ("RP over capacity", "rp_capacity", "rp"),
    ("SP over capacity", "sp_capacity", "sp"),
];

fn text(removed: &[String], found: &Value) -> String {
    let states = [&found["before"], &found["after"]];
    let first = removed.iter().take(NAMED);
    let mut text: String = first.map(|part| format!("without {part}\n")).collect();
    if removed.len() > NAMED {
        text += &format!("without … {} in all\n", removed.len());
    }
    let [before, after, change] = ["before", "after", "change"];
    text += &format!("\n{:<24} {before:>12} {after:>12} {change:>12}\n", "");
    let shown =
        |n: Option<f64>, decimals: usize| n.map_or("-".into(), |n| format!("{n:.decimals$}"));
    let mut row = |what: &str, figures: [&Value; 2], decimals: usize| {
        let [before, after] = figures.map(|figure| match figure {
            Value::Array(all) => Some(all.len() as f64),
            figure => figure.as_f64(),
        });
        let change = before.zip(after).map(|(before, after)| after - before);
        let (before, after) = (shown(before, decimals), shown(after, decimals));
        let change = change.filter(|_| before != after);
        let change = change.map_or(String::new(), |change| format!("{change:+.decimals$}"));
        text += format!("{what:<24} {before:>12} {after:>12} {change:>12}").trim_end();
        text.push('\n');
    };
    for (what, key) in ROWS {
        row(what, states.map(|state| &state[key]), 0);
    }
    let differs = |state: &Value| state.get("a2a_capacity").is_some();
    if states.into_iter().any(differs) {
        for (what, key, alike) in OVER_CAPACITY {
            let figure = |state| if differs(state) { key } else { alike };
            row(what, states.map(|state| &state[figure(state)]), 1);
        }
    }
    let [before, after] = states.map(|state| shown(state["ebb"].as_f64(), 1));
    text += &format!("{:<24} {before:>12} {after:>12}\n", "EBB, %");
    for what in ["entries", "blocks", "switches"] {
        let count = found[format!("changed_{what}")].to_string();
        let what = format!("{what} that change");
        text += &format!("{what:<24} {:>12} {count:>12}\n", "");
    }
    let list = |key: &str| found["after"][key].as_array().into_iter().flatten();
    let words = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    for line in list("drained") {
        text += &(words(line) + "\n");
    }
    for host in list("unreached_hosts").take(NAMED) {
        let (guid, name) = (words(&host["guid"]), words(&host["name"]));
        text += &format!("nobody reaches {guid} '{name}'\n");
    }
    let count = list("unreached_hosts").count();
    if count > NAMED {
        text += &format!("nobody reaches … {count} ports in all\n");
    }
    text
}
