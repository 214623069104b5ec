//! `dmodc analyze`: how the traffic patterns share the links.

use super::routed_as::Drain;
use super::tables::{Input, Judged};
use crate::failure::{Failure, Outcome};
use crate::output::{say, say_json};
use clap::ValueEnum;
use dmodc::analysis::{Ebb, Risk, Traffic, bound, bound_over_capacity};
use dmodc::dmodc::{Drained, Engine, NodeType, NodeTypes, Ranking};
use dmodc::fabric::NodeKind;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// The number of worst ports to print.
const WORST: usize = 10;

/// Measure the congestion risk of the forwarding tables of any routing engine
#[derive(clap::Args)]
#[command(after_help = "Examples:
  dmodc route fabric.net --lfts - | dmodc analyze fabric.net -
  dmodc analyze fabric.net opensm-lfts.dump --patterns sp --order opensm-ftree-ca-order.dump
  dmodc analyze opensm-subnet.lst opensm-lfts.dump --json | jq .a2a
  dmodc analyze fabric.net io.lfts --patterns cn2io --io-guids io.guids
  dmodc analyze fabric.net fabric.lfts --patterns a2a,ebb --permutations 200

The congestion risk of a port that leads from switch to switch is the number of sources or of
destinations of the routes through it, whichever is less; that of a pattern is the maximum over the
ports. The A2A bound is the least A2A that links allow to routes balanced by destination: min(h, (N-h)/u) for
a leaf or a larger subtree with h of N end nodes and u links up; likewise for the links of one switch above the
leaves that has hosts, which send to everyone over these alone. Effective bisection bandwidth (ebb) pairs one
random half of the nodes with the other; a flow gets 1/k of its most loaded link. Where links between switches differ
in speed, rows \"over capacity\" divide each risk by what its link carries, as a part of what the fastest does, and ebb
counts likewise; an unknown speed counts as the most common one. Aggregation nodes take no part, nor do end nodes
that the order file leaves out, nor pairs whose route does not arrive.

With adaptive routing (ar_updn, ar_ftree and the like of OpenSM 5.x) switches choose ports by load, and the tables have
only the port of packets that must stay in order: the figures say little then. An .fdbs does not tell. ibdiagnet2.far
tells, and is read in its place: a warning has the number of such entries.")]
pub struct Args {
    #[command(flatten)]
    input: Input,
    /// Traffic patterns, with commas between them
    #[arg(long, value_enum, value_delimiter = ',', default_values = ["a2a", "rp", "sp"])]
    patterns: Vec<Pattern>,
    /// Node order of the shifts, as opensm-ftree-ca-order.dump [default: topological NIDs]
    #[arg(long, value_name = "F")]
    order: Option<PathBuf>,
    #[command(flatten)]
    drain: Drain,
    /// Number of random permutations, and of random matchings
    #[arg(long, value_name = "N", default_value = "1000", value_parser = clap::value_parser!(u32).range(1..))]
    permutations: u32,
    /// Seed of the random permutations
    #[arg(long, value_name = "S", default_value = "1")]
    seed: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Pattern {
    /// All to all
    A2a,
    /// Random permutations: the median
    Rp,
    /// All shift permutations: the maximum
    Sp,
    /// Compute nodes to I/O nodes taking turns, all shifts: the maximum
    Cn2io,
    /// I/O nodes taking turns to compute nodes, all shifts: the maximum
    Io2cn,
    /// Effective bisection bandwidth over random matchings: the mean, in percent
    Ebb,
}

impl Pattern {
    fn key(self) -> &'static str {
        match self {
            Pattern::A2a => "a2a",
            Pattern::Rp => "rp",
            Pattern::Sp => "sp",
            Pattern::Cn2io => "cn2io",
            Pattern::Io2cn => "io2cn",
            Pattern::Ebb => "ebb",
        }
    }
}

/// Runs the subcommand.
pub fn run(args: Args) -> Outcome {
    let start = Instant::now();
    let mut judged = args.input.load(args.order.iter().chain(&args.drain.file))?;
    let drain = args.drain.file.as_deref();
    judged.options.drain = (args.input.reading).drain(drain, &judged.fabric, &judged.names)?;
    let order = match &args.order {
        Some(path) => args.input.reading.order(path, &judged.fabric)?,
        None => topological_order(&judged)?,
    };
    let types = NodeTypes::new(&judged.options);
    let by_type = |p: &Pattern| matches!(p, Pattern::Cn2io | Pattern::Io2cn);
    if args.patterns.iter().any(by_type) && !types.are_given() {
        return Err(Failure::Usage(
            "the patterns cn2io and io2cn need --cn-guids, --io-guids or both",
        ));
    }
    let traffic = Traffic::new(&judged.fabric, &judged.tables, &order);
    let all = judged
        .fabric
        .end_nodes()
        .iter()
        .filter(|n| n.kind != NodeKind::Aggregation)
        .count();
    if traffic.nodes().len() < all {
        let left_out = all - traffic.nodes().len();
        log::warn!("{left_out} of {all} end nodes are not in the order and take no part");
    }
    let mut risks: Vec<(Pattern, Risk)> = Vec::new();
    let mut ebb = None;
    for &pattern in &args.patterns {
        if risks.iter().any(|(known, _)| *known == pattern) {
            continue;
        }
        match measure(&judged, &types, &traffic, pattern, &args) {
            Figure::Risk(risk) => risks.push((pattern, risk)),
            Figure::Ebb(found) => ebb = found,
        }
    }
    let ranking = Ranking::new(&judged.fabric, &judged.options);
    // What is drained carries nothing.
    let drained = Drained::ends(&judged.fabric, &judged.options.drain);
    let usable = judged.fabric.without(&drained);
    let found = Found {
        bound: bound(&usable, |switch| ranking.rank(switch)),
        bound_over_capacity: bound_over_capacity(
            &usable,
            |switch| ranking.rank(switch),
            traffic.channels(),
        ),
        risks,
        ebb,
        seconds: start.elapsed().as_secs_f64(),
    };
    if args.json {
        say_json(&json(&judged, &traffic, &found, &args))?;
    } else {
        say(&text(&judged, &traffic, &found), false)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// End nodes in the order of Dmodc's topological NIDs, or by switch GUID and port if the fabric is no tree.
fn topological_order(judged: &Judged) -> Result<Vec<u32>, Failure> {
    match Engine::new(0)?.plan(&judged.fabric, &judged.options) {
        Ok(plan) => Ok(plan.order().to_vec()),
        Err(reason) => {
            log::warn!("{reason}: end nodes are ordered by switch GUID and port instead");
            Ok((0..judged.fabric.end_nodes().len() as u32).collect())
        }
    }
}

/// What is measured of a pattern.
enum Figure {
    Risk(Risk),
    Ebb(Option<Ebb>),
}

fn measure(
    judged: &Judged,
    types: &NodeTypes,
    traffic: &Traffic,
    pattern: Pattern,
    args: &Args,
) -> Figure {
    let of_type =
        |t: NodeType| move |node: u32| types.of(judged.fabric.end_nodes()[node as usize].guid) == t;
    let (compute, io) = (of_type(NodeType::Compute), of_type(NodeType::Io));
    let nodes = traffic.nodes().len() as u64;
    let work = match pattern {
        Pattern::A2a => nodes,
        Pattern::Cn2io | Pattern::Io2cn => {
            let count = |is: &dyn Fn(u32) -> bool| {
                traffic.nodes().iter().filter(|&&node| is(node)).count() as u64
            };
            count(&compute).min(count(&io))
        }
        Pattern::Rp | Pattern::Ebb => args.permutations.into(),
        Pattern::Sp => nodes.saturating_sub(1),
    };
    let bar = progress(pattern, work);
    let tick = |done| bar.inc(done);
    let risk = match pattern {
        Pattern::A2a => traffic.all_to_all(&tick),
        Pattern::Rp => traffic.random_permutations(args.permutations as usize, args.seed, &tick),
        Pattern::Sp => traffic.shifts(&tick),
        Pattern::Cn2io => traffic.type_to_type(compute, io, &tick),
        Pattern::Io2cn => traffic.type_to_type(io, compute, &tick),
        Pattern::Ebb => {
            let count = args.permutations as usize;
            let ebb = traffic.effective_bisection_bandwidth(count, args.seed, &tick);
            bar.finish_and_clear();
            return Figure::Ebb(ebb);
        }
    };
    bar.finish_and_clear();
    Figure::Risk(risk)
}

fn progress(pattern: Pattern, work: u64) -> ProgressBar {
    let bar = ProgressBar::new(work).with_message(pattern.key());
    if let Ok(style) = ProgressStyle::with_template("{msg:>4} {wide_bar} {pos}/{len} {eta}") {
        bar.set_style(style);
    }
    bar
}

/// All that was measured.
struct Found {
    bound: Option<u32>,
    bound_over_capacity: Option<f64>,
    risks: Vec<(Pattern, Risk)>,
    ebb: Option<Ebb>,
    seconds: f64,
}

fn json(judged: &Judged, traffic: &Traffic, found: &Found, args: &Args) -> serde_json::Value {
    let mut object = json!({
        "nodes": judged.fabric.end_nodes().len(),
        "switches": judged.fabric.switches().len(),
        "links": judged.fabric.switch_links(),
        "taking_part": traffic.nodes().len(),
        "skipped": traffic.skipped(),
        "permutations": args.permutations,
        "seed": args.seed,
        "bound": found.bound,
        "seconds": found.seconds,
    });
    if let Some(bound) = found.bound_over_capacity {
        object["a2a_bound_capacity"] = json!(bound);
    }
    if let Some(ebb) = found.ebb {
        object["ebb"] = json!(ebb.percent);
        object["ebb_confidence"] = json!(ebb.confidence);
    }
    for (pattern, risk) in &found.risks {
        let histogram: serde_json::Map<_, _> = risk
            .histogram()
            .into_iter()
            .map(|(v, n)| (v.to_string(), json!(n)))
            .collect();
        let worst: Vec<_> = risk
            .worst(WORST)
            .into_iter()
            .map(|(c, v)| json!({ "risk": v, "port": judged.channel(traffic.channels().get(c)) }))
            .collect();
        object[pattern.key()] = json!(risk.value);
        if let Some(over) = risk.over_capacity {
            object[format!("{}_capacity", pattern.key())] = json!(over);
        }
        object[format!("{}_ports", pattern.key())] =
            json!({ "histogram": histogram, "worst": worst });
    }
    object
}

fn text(judged: &Judged, traffic: &Traffic, found: &Found) -> String {
    let risks = &found.risks;
    let mut text = String::new();
    for (pattern, risk) in risks {
        let name = pattern.key().to_uppercase();
        let mut row = |what: &str, value: String| {
            text += &format!("{:<26}  {value:>8}\n", format!("{name}{what}"));
        };
        row("", risk.value.to_string());
        if let (Pattern::A2a, Some(bound)) = (pattern, found.bound) {
            row(" bound", bound.to_string());
        }
        if let Some(over) = risk.over_capacity {
            row(" over capacity", format!("{over:.1}"));
        }
        if let (Pattern::A2a, Some(bound)) = (pattern, found.bound_over_capacity) {
            row(" bound over capacity", format!("{bound:.1}"));
        }
    }
    if let Some(ebb) = found.ebb {
        let (percent, confidence) = (ebb.percent, ebb.confidence);
        text += &format!("{:<26}  {percent:>8.1} % ± {confidence:.1}\n", "EBB");
    }
    text += &format!(
        "{:<26}  {:>8}\n",
        "end nodes taking part",
        traffic.nodes().len()
    );
    text += &format!("{:<26}  {:>8}\n", "pairs with no route", traffic.skipped());
    text += &format!("{:<26}  {:>8.3}\n", "seconds", found.seconds);
    for (pattern, risk) in risks {
        let name = pattern.key().to_uppercase();
        text += &format!("\n{name}: ports by risk\n");
        let histogram = risk.histogram();
        let most = histogram.values().copied().max().unwrap_or(1);
        for (value, ports) in histogram {
            let bar = "#".repeat((ports * 40).div_ceil(most));
            text += &format!("{value:>8}  {ports:>8}  {bar}\n");
        }
        text += &format!("{name}: worst ports\n");
        for (channel, value) in risk.worst(WORST) {
            text += &format!(
                "{value:>8}  {}\n",
                judged.channel(traffic.channels().get(channel))
            );
        }
    }
    text
}
