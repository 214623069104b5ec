//! `dmodc wiring`: cables that are missing, extra, moved, at the wrong port, on the wrong rail, or slow.

use super::args::Question;
use crate::against::{against, is_of_another};
use crate::failure::{Failure, Outcome};
use crate::input::{input, shown};
use crate::output::{print_json, print_text, write_to};
use dmodc::dmodc::{Options, Ranking};
use dmodc::reference::{Dark, Reference};
use dmodc::wiring::{Difference, End, Kind, Slowness, among_servers, among_siblings, slow_links};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// Find cables that are missing, extra, moved, at the wrong port, on the wrong rail, or slow
#[derive(clap::Args)]
#[command(
    mut_arg("reference", |arg| arg.help("The fabric as it should be")),
    after_help = "Examples:
  dmodc wiring fabric.net
  dmodc wiring fabric.net --reference as-designed.net
  ibnetdiscover | dmodc wiring - --reference last-week.net --csv > cables.csv

With a reference, an ibnetdiscover output or opensm-subnet.lst of the fabric as it should be, it lists
every difference. Nodes are the same if their GUIDs are, else if each is the only one with its
description: a replaced switch or host keeps its place. The file of dmodc.reference=auto has the day
when missing equipment was last seen.

Without one, it compares a switch with its siblings: the switches of its level and number of ports
with mostly the same switches above them. It lists a link that two thirds of them have at the same
port and that the switch lacks, if the switch has more than half of such links: a switch with few
uplinks was meant to have few. That is a guess, and ignores links between equal levels. It compares
servers with several ports with servers whose names differ in digits alone. If four fifths of their
ports or more are on rails (a switch has the same port of each, as mlx5_3), it lists a port on another
rail; and two ports of one server at a switch where two thirds of the other servers with as many ports
have one.

missing: not there. extra: not in the reference. moved: one end is right, the other is at another
switch or host. wrong port: between the right two, at another port. wrong rail: a server's port among
ports of another rail. same switch: beside another port of its server. slow: below its speed in the
reference. Without that, below its siblings': the other links of both switches on the same side, or
the other hosts. A switch whose links are all alike has no slow one, for it may be an older one,
unless they have one lane each and others have more.

A reference that has neither most of the switches nor, by name, most of the links is of another
fabric, and is not compared.

Exit code 0 if nothing differs, 1 if something does, 2 if the reference is of another fabric."
)]
pub struct Args {
    /// The fabric
    #[arg(value_parser = input())]
    net: PathBuf,
    #[command(flatten)]
    question: Question,
    /// Print a table with commas
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

pub fn run(args: Args) -> Outcome {
    let start = Instant::now();
    let Question {
        reading,
        guid_files,
        ..
    } = &args.question;
    let netlist = reading.netlist(&args.net)?;
    let (fabric, names) = (netlist.to_fabric(None)).map_err(Failure::lids(&args.net))?;
    let options = guid_files.options(*reading, &fabric, Options::default())?;
    let ranking = Ranking::new(&fabric, &options);
    let mut designed = None;
    let found = match &args.question.reference {
        Some(path) => {
            let reference = reading.places(path)?;
            if is_of_another(&netlist, &reference.netlist) {
                let what = "of another fabric: most switches and links are not in it";
                let text = format!("{}: {what}", shown(path).display());
                return Err(Failure::Other(text.into()));
            }
            let mut found = against(&netlist, &reference.netlist);
            found.iter_mut().for_each(|f| add_last_seen(f, &reference));
            designed = Some(reference.fabric().map_err(Failure::lids(path))?);
            found
        }
        None => {
            let mut found = among_siblings(&fabric, &names, &ranking);
            found.extend(among_servers(&fabric, &names));
            found
        }
    };
    let slow = slow_links(&fabric, |switch| ranking.rank(switch), designed.as_ref());
    let slow = (slow.iter()).map(|slow| (slow.difference(&fabric, &names), Some(slow.slowness)));
    let found: Vec<Found> = found.into_iter().map(|f| (f, None)).chain(slow).collect();
    if args.question.json {
        let seconds = start.elapsed().as_secs_f64();
        let all: Vec<_> = found.iter().map(json).collect();
        print_json(&json!({ "differences": all, "count": found.len(), "seconds": seconds }))?;
    } else if args.csv {
        write_to(Path::new("-"), |out| csv(&found, out))?;
    } else {
        let lines: String = found.iter().map(|(f, _)| format!("{f}\n")).collect();
        print_text(&format!("{lines}{} differences\n", found.len()), false)?;
    }
    Ok(ExitCode::from(u8::from(!found.is_empty())))
}

/// A difference, and the slowness of a slow link.
type Found = (Difference, Option<Slowness>);

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

fn json((found, slowness): &Found) -> Value {
    let end =
        |end: &End| json!({ "guid": end.guid.to_string(), "name": end.name, "port": end.port });
    let ends = |ends: &[End]| -> Value { ends.iter().map(end).collect() };
    let mut value = json!({
        "kind": found.kind.to_string(),
        "ends": ends(&found.ends),
        "found": ends(&found.found),
        "reason": found.reason,
    });
    if let Some(slowness) = slowness {
        value["speed"] = slowness.now.to_string().into();
        value["expected"] = slowness.expected.to_string().into();
        value["by"] = slowness.witness.to_string().into();
    }
    value
}

fn csv(found: &[Found], out: &mut dyn Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    let mut head = vec!["kind".to_owned()];
    for what in ["", "peer_", "found_", "found_peer_"] {
        head.extend(["guid", "name", "port"].map(|column| format!("{what}{column}")));
    }
    head.push("reason".into());
    writer.write_record(head)?;
    for (difference, _) in found {
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
