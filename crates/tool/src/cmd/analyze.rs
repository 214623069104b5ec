//! `dmodc analyze`: the load of links under traffic patterns.

mod sets;
mod shown;

use super::args::{Drain, permutations};
use super::patterns::{Pattern, job, pairs, pattern};
use super::several::{in_one, one_after_another};
use super::tables::{Input, Judged};
use crate::failure::{Failure, Outcome, refused};
use crate::input::input;
use crate::output::{print_beside, print_json, progress, stdout_among, write_text};
use dmodc_analysis::{Exact, Risk, Tick, Traffic, bounds, check};
use dmodc_core::{Engine, NodeType, NodeTypes, Ranking};
use dmodc_fabric::{Drained, Fabric, NodeId, NodeKind};
use dmodc_formats::lft::parse_order_leniently;
use serde_json::Value;
use sets::Sets;
use shown::{Found, json, text};
use std::path::PathBuf;
use std::time::Instant;

/// Measure the congestion risk of the forwarding tables of any routing engine
#[derive(clap::Args)]
#[command(after_help = "Examples:
  dmodc route fabric.net --lfts - | dmodc analyze fabric.net -
  dmodc analyze fabric.net opensm-lfts.dump --patterns sp --order opensm-ftree-ca-order.dump
  dmodc analyze opensm-subnet.lst opensm-lfts.dump --json | jq .a2a
  dmodc analyze fabric.net io.lfts --patterns cn2io --io-guids io.guids
  dmodc analyze fabric.net fabric.lfts --patterns a2a,ebb --permutations 200
  dmodc analyze fabric.net fabric.lfts --patterns a2a --exact
  dmodc analyze fabric.net fabric.lfts --ports ports.csv
  dmodc analyze fabric.net fabric.lfts --patterns sp,pairs:ring.txt --job hosts.txt
  dmodc analyze fabric.net fabric.lfts --from 'gpu[01-32]' --to 'storage*'
  dmodc analyze fabric.net fabric.lfts --sets sets.txt --from compute --to 'spine 3'

The congestion risk of a port between switches is the lesser of the numbers of sources and of
destinations of the routes through it; that of a pattern is the maximum over the ports. The A2A bound
is the least A2A that links allow to routes balanced by destination: min(h, (N-h)/u) for a leaf or a
larger subtree with h of N end nodes and u links up; likewise for the links of one switch above the
leaves that has hosts, which send over these alone. Bound and risks are of the nodes that take part.
The A2A risk of a port is itself a bound: the worst permutation (--exact) is the most flows that any
permutation sends over one port, a maximum matching of its sources and destinations. Effective
bisection bandwidth (ebb) pairs one random half of the nodes with the other, which sends nothing, but
with --both. A flow gets 1/k of its most loaded link.

pairs:FILE: the traffic of a program, two hosts a line: sender, receiver. It prints the risk; the most
flows over one port, each flow counted; and the rates of the flows if each link is shared max-min fair,
hosts' links too, in parts of the fastest link between switches.

A SET is names with commas between them; a switch stands for its hosts. A file of --sets has lines such
as 'compute: node[001-100], login*'. Each host of one set sends to each of the other at once, then back.
It prints the most flows over one port, the mean of the ports that have any, and what a host gets on
the mean and at least, each link shared max-min fair, in parts of the fastest link between switches;
after 'of', the mean if only the hosts' own links were in the way. Each port of a host counts alone.

Where links between switches differ in speed, rows \"over capacity\" divide each risk by the link's
part of the fastest speed, and ebb counts likewise; an unknown speed counts as the most common one.
Aggregation nodes take no part, nor do end nodes that the order file leaves out, nor pairs whose route
does not arrive.

With adaptive routing (ar_updn, ar_ftree and the like of OpenSM 5.x) switches choose ports by load,
and the tables have only the port of packets that must stay in order: the figures mean little then. An
.fdbs does not show this; ibdiagnet2.far does: a warning has the number of such entries.")]
pub struct Args {
    #[command(flatten)]
    input: Input,
    /// Traffic patterns, with commas between them: a2a (or all-to-all), rp, sp, cn2io, io2cn, ebb, pairs:FILE
    /// [default: a2a,rp,sp; with sets none]
    #[arg(long, alias = "pattern", value_name = "LIST", value_delimiter = ',', value_parser = pattern)]
    patterns: Vec<Pattern>,
    #[command(flatten)]
    sets: Sets,
    /// Node order of the shifts, as opensm-ftree-ca-order.dump [default: topological NIDs]
    #[arg(long, value_name = "F", value_parser = input())]
    order: Option<PathBuf>,
    /// The hosts of a job in the order of its ranks, one a line. Others take no part
    #[arg(long, value_name = "F", conflicts_with = "order", value_parser = input())]
    job: Option<PathBuf>,
    #[command(flatten)]
    drain: Drain,
    /// Find the worst permutation as well, by maximum matching
    #[arg(long)]
    exact: bool,
    /// Write a CSV row for each port between switches here
    #[arg(long, value_name = "F")]
    ports: Option<PathBuf>,
    /// In ebb, have both halves send to each other at once
    #[arg(long)]
    both: bool,
    /// Number of random permutations, and of random matchings
    #[arg(long, value_name = "N", default_value = "1000", value_parser = permutations())]
    permutations: u32,
    /// Seed of the random permutations
    #[arg(long, value_name = "S", default_value = "1")]
    seed: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(mut args: Args) -> Outcome {
    let start = Instant::now();
    let to_stdout = stdout_among(&args.ports, args.json)?;
    if args.patterns.is_empty() && !args.sets.are_given() {
        args.patterns = vec![Pattern::A2a, Pattern::Rp, Pattern::Sp];
    }
    if args.both && !args.patterns.contains(&Pattern::Ebb) {
        return refused("--both needs the pattern ebb");
    }
    let all = args.input.load(None)?;
    let for_one = [&args.ports, &args.order, &args.job];
    if all.len() > 1 && (for_one.iter().any(|file| file.is_some()) || args.sets.are_given()) {
        return refused("--ports, --order, --job and sets take a file with one fabric");
    }
    let mut answers = Vec::new();
    for judged in all {
        answers.push(one(judged, &args, start)?);
    }
    if args.json {
        let answers = answers.into_iter().map(|(.., json)| json);
        return print_json(&in_one(answers.collect()));
    }
    let texts = answers.iter().map(|(fabric, text, _)| (fabric, &**text));
    print_beside(to_stdout, &one_after_another(texts.collect()))
}

/// A fabric, and the answer about it as text and as JSON.
fn one(
    mut judged: Judged,
    args: &Args,
    start: Instant,
) -> Result<(Fabric, String, Value), Failure> {
    let drain = args.drain.file.as_deref();
    judged.options.drain = (args.input.reading).drain(drain, &judged.fabric, &judged.names)?;
    let order = match (&args.order, &args.job) {
        (Some(path), _) => {
            let parse = |text: &[u8]| parse_order_leniently(&judged.fabric, text);
            args.input.reading.read(path, parse)?
        }
        (_, Some(path)) => job(path, &judged)?,
        _ => topological_order(&judged)?,
    };
    let types = NodeTypes::new(&judged.options);
    let by_type = |p: &Pattern| matches!(p, Pattern::Cn2io | Pattern::Io2cn);
    if args.patterns.iter().any(by_type) && !types.are_given() {
        return refused("the patterns cn2io and io2cn need --cn-guids, --io-guids or both");
    }
    let traffic = Traffic::new(&judged.fabric, &judged.tables, &order);
    let nodes = judged.fabric.end_nodes().iter();
    let all = nodes.filter(|n| n.kind != NodeKind::Aggregation).count();
    let left_out = all - traffic.nodes().len();
    if left_out > 0 {
        let what = if args.job.is_some() { "job" } else { "order" };
        log::warn!("{left_out} of {all} end nodes are not in the {what} and take no part");
    }
    let ranking = Ranking::new(&judged.fabric, &judged.options);
    // Drained links carry nothing.
    let drained = Drained::ends(&judged.fabric, &judged.options.drain);
    let usable = judged.fabric.without(&drained);
    let rank = |switch| ranking.rank(switch);
    let (bound, bound_over_capacity) = bounds(&usable, traffic.nodes(), rank, traffic.channels());
    let mut found = Found {
        bound,
        bound_over_capacity,
        exact: None,
        check: check(&judged.fabric, &judged.tables, |a, b| ranking.is_up(a, b)),
        risks: Vec::new(),
        ebb: None,
        pairs: None,
        ways: args.sets.ways(&judged, &traffic)?,
        seconds: 0.0,
    };
    for pattern in &args.patterns {
        if !found.risks.iter().any(|(known, _)| known == pattern) {
            measure(&judged, &types, &traffic, pattern, args, &mut found)?;
        }
    }
    if let Some(path) = &args.ports {
        write_text(path, shown::ports(&judged, &traffic, found.pairs.as_ref()))?;
    }
    if args.exact {
        found.exact = Some(worst_permutation(&traffic, &found.risks, false));
    }
    found.seconds = start.elapsed().as_secs_f64();
    let json = json(&judged, &traffic, &found, args);
    let text = text(&judged, &traffic, &found, args.both);
    Ok((judged.fabric, text, json))
}

/// End nodes in the order of Dmodc's topological NIDs, or by switch GUID and port if the fabric is no tree.
fn topological_order(judged: &Judged) -> Result<Vec<NodeId>, Failure> {
    match Engine::new(0)?.plan(&judged.fabric, &judged.options) {
        Ok(plan) => Ok(plan.order().to_vec()),
        Err(reason) => {
            log::warn!("{reason}: end nodes are ordered by switch GUID and port instead");
            Ok(judged.fabric.end_nodes().keys().collect())
        }
    }
}

/// Measures a pattern, and adds its figures to `found`.
fn measure(
    judged: &Judged,
    types: &NodeTypes,
    traffic: &Traffic,
    pattern: &Pattern,
    args: &Args,
    found: &mut Found,
) -> Result<(), Failure> {
    let of_type =
        |t: NodeType| move |node: NodeId| types.type_of(judged.fabric.end_nodes()[node].guid) == t;
    let (compute, io) = (of_type(NodeType::Compute), of_type(NodeType::Io));
    let (count, seed, name) = (args.permutations as usize, args.seed, pattern.to_string());
    let all = traffic.nodes().len() as u64;
    let of_both_types = || {
        let nodes = || traffic.nodes().iter();
        let compute = nodes().filter(|&&node| compute(node)).count();
        compute.min(nodes().filter(|&&node| io(node)).count()) as u64
    };
    let mut risk = |work: u64, measure: &dyn Fn(Tick) -> Risk| {
        let risk = with_bar(&name, work, measure);
        found.risks.push((pattern.clone(), risk));
    };
    match pattern {
        Pattern::A2a => risk(all, &|tick| traffic.all_to_all(tick)),
        Pattern::Rp => risk(count as u64, &|tick| {
            traffic.random_permutations(count, seed, tick)
        }),
        Pattern::Sp => risk(all.saturating_sub(1), &|tick| traffic.shifts(tick)),
        Pattern::Cn2io => risk(of_both_types(), &|tick| {
            traffic.type_to_type(compute, io, tick)
        }),
        Pattern::Io2cn => risk(of_both_types(), &|tick| {
            traffic.type_to_type(io, compute, tick)
        }),
        Pattern::Ebb => {
            found.ebb = with_bar(&name, count as u64, |tick| {
                traffic.effective_bisection_bandwidth(count, seed, args.both, tick)
            });
        }
        Pattern::Pairs(_) if found.pairs.is_some() => {
            return refused("analyze takes one pairs:FILE");
        }
        Pattern::Pairs(file) => {
            let pairs = pairs(file, judged, traffic.nodes())?;
            found.pairs = Some(traffic.workload(&pairs));
        }
    }
    Ok(())
}

fn worst_permutation(traffic: &Traffic, risks: &[(Pattern, Risk)], all: bool) -> Exact {
    let known = risks.iter().find(|(p, _)| *p == Pattern::A2a);
    let bounds = known.map_or_else(|| traffic.all_to_all(&|_| ()), |(_, risk)| risk.clone());
    let ports = traffic.channels().len() as u64;
    with_bar("exact", ports, |tick| {
        traffic.worst_permutation(&bounds, all, tick)
    })
}

fn with_bar<T>(what: &str, work: u64, measure: impl FnOnce(Tick) -> T) -> T {
    let bar = progress(work, "{msg:>5} {wide_bar} {pos}/{len} {eta}").with_message(what.to_owned());
    let done = measure(&|done| bar.inc(done));
    bar.finish_and_clear();
    done
}
