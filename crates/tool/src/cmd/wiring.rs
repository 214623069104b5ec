//! `dmodc wiring`: cables that are missing, extra, moved, at the wrong port, on the wrong rail, or slow.

use super::args::Question;
use crate::failure::{Failure, Outcome, refused};
use crate::input::{input, shown};
use crate::output::{print, print_json, write_to};
use dmodc_core::{Options, Ranking};
use dmodc_formats::names::natural;
use dmodc_formats::netlist::Plan;
use dmodc_formats::reference::{Dark, Reference};
use dmodc_watch::against::{against, is_of_another};
use dmodc_watch::wiring::{Cause, Difference, End, Kind, by_siblings, causes, slow_links};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// Find cables that are missing, extra, moved, at the wrong port, on the wrong rail, or slow
#[derive(clap::Args)]
#[command(
    mut_arg("reference", |arg| arg.help("The fabric as it should be; a plan by --plan")),
    after_help = "Examples:
  dmodc wiring fabric.net
  dmodc wiring fabric.net --reference as-designed.net
  ibnetdiscover | dmodc wiring - --reference last-week.net --csv > cables.csv
  dmodc wiring fabric.net --plan cables.csv --columns 'Device A,Port A,Device B,Port B'

With a reference, an ibnetdiscover output or opensm-subnet.lst of the fabric as it should be, or with a
cabling plan (--plan: StartDevice, StartPort, EndDevice, EndPort, or --columns; ports as 7, Port 7 or
1/4/1), it lists every difference; those from a plan by rack, if it has StartRack and EndRack or their
locations, then by device. 'dmodc export fabric.net plan' writes one. Nodes are the same if their GUIDs are, else if each is the only one with its
description: a replaced switch or host keeps its place. The file of dmodc.reference=auto has the day
when missing equipment was last seen.

Without one, it compares a switch with its siblings: the switches of its level and number of ports
with mostly the same switches above them. It lists a link that three in four of them, at least four
with this switch, have at the same port and that the switch lacks, if the switch has more than half of
such links: a switch with few uplinks was meant to have few. That is a guess, and ignores links between
equal levels. It compares servers with several ports with servers whose names differ in digits alone:
if three in four of at least four that share switches have their ports at the same switches, it lists
ports elsewhere, and two ports at one switch. The numbers of adapters are no evidence, so it does not
find two swapped cables of one server.

One line is one thing to do: a switch that is gone with its hosts, two swapped cables, three or more
links of one switch. --all has a line for every port, as --csv.

missing: not there. extra: not in the reference. moved: one end is right, the other is at another
switch or host. wrong port: between the right two, at another port. wrong rail: a server's port at a
switch where servers cabled alike have none. same switch: beside another port of its server. slow:
below its speed in the reference. Without that, below its siblings': the other links of both switches
on the same side, or the other hosts. A switch whose links are all alike has no slow one, for it may be
an older one, unless it is the only one among four or more of its level and number of ports, or its
links have one lane each and others have more.

A reference that has neither most of the switches nor, by name, most of the links is of another
fabric, and is not compared, nor is a plan none of whose devices is there.

Exit code 0 if nothing differs, 1 if something does, 2 if the reference or plan is of another fabric."
)]
pub struct Args {
    /// The fabric
    #[arg(value_parser = input())]
    net: PathBuf,
    #[command(flatten)]
    question: Question,
    /// The fabric as planned: a table with commas in the columns of UFM's NDT files, by names
    #[arg(long, value_name = "F.csv", value_parser = input(), conflicts_with = "reference")]
    plan: Option<PathBuf>,
    /// Its columns, if they are not NDT's: a device, its port, the other device, its port
    #[arg(
        long,
        value_name = "A,B,C,D",
        value_delimiter = ',',
        requires = "plan",
        conflicts_with = "reference",
        num_args = 1
    )]
    columns: Vec<String>,
    /// Name every port, not every cause: both cables of a swapped pair, each link of a box
    #[arg(long)]
    all: bool,
    /// Print a table with commas, of every port
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

pub fn run(args: Args) -> Outcome {
    let start = Instant::now();
    let (reading, reference) = (args.question.reading, &args.question.reference);
    let netlist = reading.netlist(&args.net)?;
    let (fabric, names) = (netlist.to_fabric(None)).map_err(Failure::lids(&args.net))?;
    let guid_files = &args.question.guid_files;
    let options = guid_files.options(reading, &fabric, Options::default())?;
    let ranking = Ranking::new(&fabric, &options);
    let mut designed = None;
    let columns = match args.columns.len() {
        0 => None,
        4 => args.columns.try_into().ok(),
        _ => {
            let why = "--columns takes four names: device, port, device, port";
            return refused(why);
        }
    };
    let mut plan = None;
    let mut found = match (&args.plan, reference) {
        (Some(path), _) => {
            let parse = |text: &[u8]| Plan::parse_leniently(text, columns.as_ref());
            let read = plan.insert(reading.read(path, parse)?);
            let planned = reading.take(path, read.reference(&netlist))?;
            let here = &planned.nodes[..netlist.nodes.len()];
            if here.iter().all(|node| node.ports.is_empty()) {
                let what = "of another fabric: none of its devices is there by name";
                return Err(Failure::other(format!("{}: {what}", shown(path).display())));
            }
            against(&netlist, &planned)
        }
        (_, Some(path)) => {
            let reference = reading.places(path)?;
            if is_of_another(&netlist, &reference.netlist) {
                let what = "of another fabric: most switches and links are not in it";
                let text = format!("{}: {what}", shown(path).display());
                return refused(text);
            }
            let mut found = against(&netlist, &reference.netlist);
            found.iter_mut().for_each(|f| add_last_seen(f, &reference));
            designed = Some(reference.fabric().map_err(Failure::lids(path))?);
            found
        }
        (None, None) => by_siblings(&fabric, &names, &ranking),
    };
    let slow = slow_links(&fabric, |switch| ranking.rank(switch), designed.as_ref());
    found.extend(slow.iter().map(|slow| slow.difference(&fabric, &names)));
    let code = ExitCode::from(u8::from(!found.is_empty()));
    if args.csv {
        write_to(Path::new("-"), |out| csv(&found, out))?;
        return Ok(code);
    }
    let all = found.len();
    let mut found: Vec<Cause> = match args.all {
        true => found.into_iter().map(Cause::alone).collect(),
        false => causes(found),
    };
    // The way of a technician through the racks.
    let rack = |end: &End| plan.as_ref()?.rack(&end.name);
    let natural = |name: &str| natural(&name.to_lowercase());
    if plan.is_some() {
        found.sort_by_cached_key(|cause| {
            let ends = cause.differences.iter().flat_map(|link| &link.ends);
            let place = |end: &End| {
                let rack = rack(end).map(natural);
                (rack.is_none(), rack, natural(&end.name), end.port)
            };
            ends.map(place).min()
        });
    }
    if args.question.json {
        let seconds = start.elapsed().as_secs_f64();
        let differences: Vec<_> = found.iter().map(json).collect();
        let count = found.len();
        print_json(&json!({ "differences": differences, "count": count, "seconds": seconds }))?;
    } else {
        let line = |cause: &Cause| {
            let ends = cause.differences.iter().flat_map(|link| &link.ends);
            let racks = ends.filter_map(rack).map(|rack| (natural(rack), rack));
            let racks = BTreeSet::from_iter(racks).into_iter();
            let racks: Vec<&str> = racks.map(|(_, rack)| rack).collect();
            match racks.is_empty() {
                true => format!("{cause}\n"),
                false => format!("{}: {cause}\n", racks.join(", ")),
            }
        };
        let lines: String = found.iter().map(line).collect();
        let more = match all > found.len() {
            true => format!(" ({all} with --all)"),
            false => String::new(),
        };
        print(format!("{lines}{} differences{more}\n", found.len()))?;
    }
    Ok(code)
}

/// Adds the day when a missing part was last seen, if the reference has it.
pub fn add_last_seen(found: &mut Difference, reference: &Reference) {
    let dark = match found.ends[..] {
        [ref one] => vec![Dark::Switch(one.guid), Dark::Host(one.guid)],
        [ref a, ref b] => {
            let end = |end: &End| (end.guid, end.port.unwrap_or_default());
            vec![Dark::link([end(a), end(b)])]
        }
        _ => Vec::new(),
    };
    let day = dark.iter().find_map(|dark| reference.dark.get(dark));
    if let Some(day) = day.filter(|_| found.kind == Kind::Missing) {
        let comma = if found.reason.is_empty() { "" } else { ", " };
        found.reason += &format!("{comma}last seen {day}");
    }
}

fn json(cause: &Cause) -> Value {
    let mut all = cause.differences.iter().map(one_json);
    let mut value = all.next().unwrap_or_default();
    let also: Vec<Value> = all.collect();
    if !also.is_empty() {
        value["also"] = also.into();
    }
    let swaps = cause.swaps();
    if !swaps.is_empty() {
        let swaps = swaps.into_iter().map(|at| at.map(end_json));
        value["swap"] = swaps.map(Value::from_iter).collect();
    }
    value
}

fn end_json(end: &End) -> Value {
    let port = end.port.map(|port| port.0);
    let mut one = json!({ "guid": end.guid.to_string(), "name": end.name, "port": port });
    if let Some(label) = &end.label {
        one["label"] = (**label).into();
    }
    one
}

fn one_json(found: &Difference) -> Value {
    let ends = |ends: &[End]| -> Value { ends.iter().map(end_json).collect() };
    let mut value = json!({
        "kind": found.kind.to_string(),
        "ends": ends(&found.ends),
        "found": ends(&found.found),
        "reason": found.reason,
    });
    if let Some(slowness) = found.slowness {
        value["speed"] = slowness.now.to_string().into();
        value["expected"] = slowness.expected.to_string().into();
        value["by"] = slowness.witness.to_string().into();
    }
    value
}

fn csv(found: &[Difference], out: &mut dyn Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    let mut head = vec!["kind".to_owned()];
    for what in ["", "peer_", "found_", "found_peer_"] {
        head.extend(["guid", "name", "port"].map(|column| format!("{what}{column}")));
    }
    head.push("reason".into());
    writer.write_record(head)?;
    for difference in found {
        let mut record = vec![difference.kind.to_string()];
        for ends in [&difference.ends, &difference.found] {
            for at in 0..2 {
                record.extend(ends.get(at).map_or_else(Default::default, |end| {
                    let port = end.port.map_or(String::new(), |port| port.to_string());
                    [end.guid.to_string(), end.name.clone(), port]
                }));
            }
        }
        record.push(difference.reason.clone());
        writer.write_record(record)?;
    }
    writer.flush()
}
