//! `dmodc forget`: takes places that will not come back out of a reference.

use super::reading::Reading;
use crate::failure::{Failure, Outcome, refused};
use crate::input::{is_dash, shown};
use crate::output::{complain, print};
use dmodc_fabric::Guid;
use dmodc_formats::files::{of_ports, replace_by, stamp};
use dmodc_formats::names::Directory;
use dmodc_formats::netlist::{Kind, Part};
use dmodc_formats::reference::{Dark, Reference, auto_paths};
use jiff::civil::Date;
use std::collections::HashMap;
use std::io;
use std::path::PathBuf;

/// Take switches, hosts and links that will not come back out of a reference
#[derive(clap::Args)]
#[command(after_help = "Examples:
  dmodc forget
  dmodc forget 'leaf 17' 'spine 3:12' 'node[001-004]'
  dmodc forget --reference as-designed.net 'spine 3'

Without THING all that is dark is listed, with the day when it was last seen: what the reference has and
the last sweep had not.

A THING is a switch with all its links and hosts, a host, a server with all its ports, the link at
SWITCH:PORT, or all matches of a pattern. Names are descriptions or parts of them, or GUIDs.

OpenSM may run: it reads the file again in its next sweep, and adds present equipment as new.
So forget only equipment that is gone for good. Other routes may move when a place is given up.")]
pub struct Args {
    /// The reference [default: the file that dmodc.reference=auto keeps in OpenSM's cache folder]
    #[arg(long, value_name = "F")]
    reference: Option<PathBuf>,
    /// What to forget
    things: Vec<String>,
    #[command(flatten)]
    reading: Reading,
}

pub fn run(args: Args) -> Outcome {
    let path = args.reference.map_or_else(kept, Ok)?;
    if is_dash(&path) && !args.things.is_empty() {
        return refused("a reference that is standard input cannot be changed");
    }
    let read = stamp(&path);
    let reference = args.reading.places(&path)?;
    let directory = Directory::of_netlist(&reference.netlist);
    if args.things.is_empty() {
        let seen = dark_by_name(&reference);
        let lines = seen.iter().map(|(day, what)| format!("{day} {what}\n"));
        return print(lines.collect::<String>() + &format!("{} dark\n", seen.len()));
    }
    let mut parts = Vec::new();
    for thing in &args.things {
        parts.extend(directory.parts(&reference.netlist, thing)?);
    }
    let (mut text, mut is_undated) = (String::new(), false);
    for &part in &parts {
        let seen = last_seen(&reference, part);
        is_undated |= seen.is_none();
        let seen = seen.map_or(String::new(), |day| format!(", last seen {day}"));
        text += &format!("forgotten: {}{seen}\n", reference.netlist.describe(part));
    }
    let less = reference.without(&parts);
    let written = match stamp(&path) == read {
        true => replace_by(&path, |out| less.write(out)),
        false => Err(io::Error::other("it has changed meanwhile; try again")),
    };
    written.map_err(Failure::unwritable(shown(&path)))?;
    if is_undated {
        complain(
            "dmodc: a part without a date is in the reference again after the next sweep, if it is present\n",
        );
    }
    print(text)
}

/// The file that `dmodc.reference=auto` keeps, if there is only one.
fn kept() -> Result<PathBuf, Failure> {
    let [by_port, of_no_port] = auto_paths();
    let mut there = of_ports(&by_port);
    match there.len() {
        0 => Ok(of_no_port),
        1 => Ok(there.remove(0)),
        _ => refused("there are references of several subnet managers: name one with --reference"),
    }
}

/// The day when a part of the netlist was last seen, if it is dark.
fn last_seen(reference: &Reference, part: Part) -> Option<Date> {
    let node = |node: u32| &reference.netlist.nodes[node as usize];
    let dark = match part {
        Part::Node(index) if node(index).kind == Kind::Switch => Dark::Switch(node(index).guid),
        Part::Node(index) => Dark::Host(node(index).guid),
        Part::Link(sides) => Dark::link(sides.map(|(index, port)| (node(index).guid, port))),
    };
    reference.dark.get(&dark).copied()
}

/// All dark parts, by day, with their names.
fn dark_by_name(reference: &Reference) -> Vec<(Date, String)> {
    let nodes = reference.netlist.nodes.iter();
    let names: HashMap<Guid, &str> = nodes.map(|n| (n.guid, &*n.description)).collect();
    let name = |guid: Guid| format!("{guid} '{}'", names.get(&guid).unwrap_or(&""));
    let shown = |dark: &Dark| match *dark {
        Dark::Switch(guid) => format!("switch {}", name(guid)),
        Dark::Host(guid) => format!("host {}", name(guid)),
        Dark::Link([(a, p), (b, q)]) => format!("link {} [{p}] -- {} [{q}]", name(a), name(b)),
    };
    let all = reference.dark.iter();
    let mut all: Vec<_> = all.map(|(dark, &day)| (day, shown(dark))).collect();
    all.sort_by_key(|&(day, _)| day);
    all
}
