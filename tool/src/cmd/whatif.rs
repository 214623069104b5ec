//! `dmodc whatif`: a fabric before and after planned work.

use super::draw::{Drawn, scene, write_page};
use super::left_out;
use super::question::Question;
use super::removal::Removal;
use super::routed_as::Drain;
use crate::dash::{is_dash, shown};
use crate::failure::{Failure, Outcome};
use crate::input::one_stdin;
use crate::output::{progress, say, say_json};
use crate::whatif::{Effort, State, WhatIf, ticks, whatif};
use dmodc::dmodc::{Engine, Options};
use dmodc::netlist::{Netlist, Part};
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// How many hosts, and how many parts taken away, are named.
const NAMED: usize = 10;

/// Compare a fabric with the fabric after planned work
#[derive(clap::Args)]
#[command(
    mut_arg("remove", |arg| arg.required_unless_present("file")),
    after_help = "Examples:
  dmodc whatif fabric.net --remove 'spine 3'
  dmodc whatif fabric.net --remove node001 --remove 'node[010-019]'
  dmodc whatif fabric.net --remove 'leaf 17:24' --remove 'leaf 17:25' --json
  dmodc whatif opensm-subnet.lst --remove @tonight.txt
  dmodc whatif fabric.net --drain tonight.txt --remove @tonight.txt
  dmodc whatif fabric.net --remove 'spine 3' --draw tonight.html

Names are descriptions or parts of them, GUIDs or LIDs. The name of a server stands for all its ports,
and node[001-004] and node* for all matches; any other name with several matches is refused with a
list. A file of names has one a line, '#' begins a comment.

Dmodc routes both fabrics. Hosts that lose their last link count as hosts that nobody reaches, unless
they are named themselves. A2A, RP, SP, the A2A bound and EBB are those of 'dmodc analyze', over
capacity too if links differ in speed before or after. OpenSM would send the changed entries and
blocks of 64 LIDs.

--drain alone compares the fabric with the same drained; with --remove, the drained fabric with what is left.

--draw makes a page as 'dmodc draw' does, with the fabric before and after.

Exit code 0, or 1 if the fabric before or after cannot be routed at all."
)]
pub struct Args {
    /// The fabric
    net: PathBuf,
    #[command(flatten)]
    removal: Removal,
    #[command(flatten)]
    drain: Drain,
    /// Number of random permutations, and of random matchings
    #[arg(long, value_name = "N", default_value = "1000", value_parser = clap::value_parser!(u32).range(1..))]
    permutations: u32,
    /// Seed of the random permutations
    #[arg(long, value_name = "S", default_value = "1")]
    seed: u64,
    /// Write a page of before and after here
    #[arg(long, value_name = "F.html")]
    draw: Option<PathBuf>,
    #[command(flatten)]
    question: Question,
}

/// Runs the subcommand.
pub fn run(args: Args) -> Outcome {
    let start = Instant::now();
    let Question {
        reference,
        guid_files,
        reading,
        ..
    } = &args.question;
    let removals = args.removal.files();
    let inputs = removals.iter().chain([&args.net]);
    one_stdin(inputs.chain(args.question.paths()).chain(&args.drain.file))?;
    let to_stdout = args.draw.as_deref().is_some_and(is_dash);
    if to_stdout && args.question.json {
        return Err(Failure::Usage(
            "only one of the outputs can go to standard output",
        ));
    }
    let netlist = reading.netlist(&args.net)?;
    let parts = args.removal.parts(&netlist)?;
    let effort = Effort {
        permutations: args.permutations as usize,
        seed: args.seed,
    };
    let bar = progress(ticks(&netlist, effort), "{wide_bar} {percent} %");
    let fabric = netlist.to_fabric(None);
    let (fabric, names) = fabric.map_err(Failure::lids(&args.net))?;
    let known = reading.known(reference.as_deref(), &fabric)?;
    let rest = Options {
        reference: known.as_ref().map(|(_, fabric)| fabric.clone()),
        drain: reading.drain(args.drain.file.as_deref(), &fabric, &names)?,
        ..Options::default()
    };
    let options = guid_files.options(*reading, &fabric, rest)?;
    let engine = Engine::new(0)?;
    let tick = |done| bar.inc(done);
    let found = whatif(&engine, &netlist, &parts, &options, effort, &tick);
    bar.finish_and_clear();
    let file = shown(&args.net).display();
    let found = found.map_err(|reason| Failure::Invalid(format!("{file}: {reason}")))?;
    if let Some(to) = &args.draw {
        let [before, after] = &found.routed;
        let whole = known
            .as_ref()
            .and_then(|known| Drawn::whole(&netlist, &before.fabric, known, &engine, &options));
        let drawn = whole.unwrap_or_else(|| Drawn {
            fabric: before.fabric.clone(),
            names: before.names.clone(),
            ranking: before.ranking.clone(),
            places: before.places.clone(),
            order: before.order.clone(),
        });
        let scene = scene(&netlist, &drawn, known.as_ref());
        let states = [
            before.state("before", found.before.bound),
            after.state("after", found.after.bound),
        ];
        write_page(&scene, &states, &args.net, to)?;
    }
    if args.question.json {
        let seconds = start.elapsed().as_secs_f64();
        say_json(&json(&netlist, &parts, &found, seconds))?;
    } else {
        say(&text(&netlist, &parts, &found), to_stdout)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn json(netlist: &Netlist, parts: &[Part], found: &WhatIf, seconds: f64) -> serde_json::Value {
    let state = |state: &State| {
        let unreached: Vec<_> = state
            .unreached
            .iter()
            .map(|(guid, name)| json!({ "guid": guid.to_string(), "name": name }))
            .collect();
        let mut object = json!({
            "switches": state.switches,
            "nodes": state.hosts,
            "links": state.links,
            "slow_links": state.slow,
            "unreached_hosts": unreached,
            "left_out": state.left_out,
            "left_out_pairs": { "counts": left_out::counts(&state.left_out_ends) },
            "a2a": state.a2a,
            "bound": state.bound,
            "rp": state.rp,
            "sp": state.sp,
            "ebb": state.ebb.map(|ebb| ebb.percent),
            "ebb_confidence": state.ebb.map(|ebb| ebb.confidence),
            "drained": state.drained,
        });
        if let Some(over) = state.over_capacity {
            object["a2a_capacity"] = json!(over.a2a);
            object["a2a_bound_capacity"] = json!(over.bound);
            object["rp_capacity"] = json!(over.rp);
            object["sp_capacity"] = json!(over.sp);
        }
        object
    };
    let removed: Vec<_> = parts.iter().map(|&part| netlist.describe(part)).collect();
    json!({
        "removed": removed,
        "before": state(&found.before),
        "after": state(&found.after),
        "changed_entries": found.diff.entries(),
        "changed_blocks": found.diff.blocks(),
        "changed_switches": found.diff.switches.iter().filter(|s| s.entries > 0).count(),
        "seconds": seconds,
    })
}

/// The rows of the table.
fn counts(state: &State) -> [(&'static str, Option<f64>); 10] {
    [
        ("switches", Some(state.switches as f64)),
        ("links between switches", Some(state.links as f64)),
        ("slow links", Some(state.slow as f64)),
        ("hosts", Some(state.hosts as f64)),
        ("hosts nobody reaches", Some(state.unreached.len() as f64)),
        ("left out", Some(state.left_out as f64)),
        ("A2A", Some(state.a2a.into())),
        ("A2A bound", state.bound.map(f64::from)),
        ("RP", Some(state.rp.into())),
        ("SP", Some(state.sp.into())),
    ]
}

/// The rows that follow if links differ in speed.
fn over_capacity(state: &State) -> [(&'static str, Option<f64>); 4] {
    let over = state.over_capacity();
    [
        ("A2A over capacity", Some(over.a2a)),
        ("its bound", over.bound),
        ("RP over capacity", Some(over.rp)),
        ("SP over capacity", Some(over.sp)),
    ]
}

fn text(netlist: &Netlist, parts: &[Part], found: &WhatIf) -> String {
    let (before, after, diff) = (&found.before, &found.after, &found.diff);
    let mut text = String::new();
    for &part in parts.iter().take(NAMED) {
        text += &format!("without {}\n", netlist.describe(part));
    }
    if parts.len() > NAMED {
        text += &format!("without … {} in all\n", parts.len());
    }
    text += &format!(
        "\n{:<24} {:>12} {:>12} {:>12}\n",
        "", "before", "after", "change"
    );
    let mut row = |what: &str, before: Option<f64>, after: Option<f64>, decimals: usize| {
        let number = |n: Option<f64>| n.map_or("-".into(), |n| format!("{n:.decimals$}"));
        let change = before.zip(after).map(|(before, after)| after - before);
        let (before, after) = (number(before), number(after));
        let change = match change {
            Some(change) if before != after => format!("{change:+.decimals$}"),
            _ => String::new(),
        };
        text += format!("{what:<24} {before:>12} {after:>12} {change:>12}").trim_end();
        text.push('\n');
    };
    for ((what, before), (_, after)) in counts(before).into_iter().zip(counts(after)) {
        row(what, before, after, 0);
    }
    if before.over_capacity.or(after.over_capacity).is_some() {
        let (before, after) = (over_capacity(before), over_capacity(after));
        for ((what, before), (_, after)) in before.into_iter().zip(after) {
            row(what, before, after, 1);
        }
    }
    let percent = |state: &State| {
        state
            .ebb
            .map_or("-".into(), |ebb| format!("{:.1}", ebb.percent))
    };
    text += &format!(
        "{:<24} {:>12} {:>12}\n",
        "EBB, %",
        percent(before),
        percent(after)
    );
    let switches = diff.switches.iter().filter(|s| s.entries > 0).count();
    let sent = [
        ("entries that change", diff.entries()),
        ("blocks that change", diff.blocks()),
        ("switches that change", switches),
    ];
    for (what, count) in sent {
        text += &format!("{what:<24} {:>12} {count:>12}\n", "");
    }
    for line in &after.drained {
        text += &format!("{line}\n");
    }
    for (guid, name) in after.unreached.iter().take(NAMED) {
        text += &format!("nobody reaches {guid} '{name}'\n");
    }
    if after.unreached.len() > NAMED {
        text += &format!("nobody reaches … {} hosts in all\n", after.unreached.len());
    }
    text
}
