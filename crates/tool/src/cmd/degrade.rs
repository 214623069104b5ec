//! `dmodc degrade`: faults, random or named.

use super::args::Removal;
use super::reading::Reading;
use crate::failure::Outcome;
use crate::input::input;
use crate::output::{print_beside, stdout_among, write_to};
use dmodc_formats::netlist::{Part, SlowedLink};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Remove links, switches or hosts from a fabric, at random or by name, or make links slow
#[derive(clap::Args)]
#[command(
    group(clap::ArgGroup::new("what").required(true).args(["links", "switches", "slow", "remove"])),
    after_help = "Examples:
  dmodc degrade 8640.net --links 20 --seed 1 -o degraded.net --list
  dmodc degrade 8640.net --switches 5 --seed 1 | dmodc route -
  dmodc degrade 8640.net --slow 3 --seed 1 -o slow.net --list
  dmodc degrade 8640.net --slow 3:1/2 --seed 1 -o slow.net
  dmodc degrade fabric.net --remove 'spine 3' --remove 'leaf 17:24' --remove node042 -o less.net
  dmodc degrade fabric.net --remove 'node[001-004]' -o less.net
  dmodc degrade fabric.net --remove @decommissioned.txt -o less.net

The same seed removes the same parts of the same fabric on any machine, and a larger number contains
the parts of a smaller one; so with slow links. These get fewer lanes, or a lower speed if that is
nearer to the requested part. Names are descriptions or parts of them, GUIDs or LIDs. The name of a
server stands for all its ports, and node[001-004] and node* for all matches; any other name with
several matches is refused with a list. A file of names has one a line, '#' begins a comment. End
nodes that lose their last link go too. --list without -o prints only the list."
)]
pub struct Args {
    /// The fabric
    #[arg(value_parser = input())]
    net: PathBuf,
    /// Remove N links between switches
    #[arg(long, value_name = "N")]
    links: Option<usize>,
    /// Remove N switches that carry no end nodes
    #[arg(long, value_name = "N")]
    switches: Option<usize>,
    /// Make N links between switches slow: PART of their speed (1/2, 0.25) [default part: 1/4, as 1x of 4x]
    #[arg(long, value_name = "N[:PART]", value_parser = slow)]
    slow: Option<(usize, f64)>,
    /// With --switches: remove leaves as well, and their end nodes
    #[arg(long, conflicts_with_all = ["links", "slow", "remove"])]
    leaves: bool,
    /// Seed of the random choice
    #[arg(
        long,
        value_name = "S",
        required_unless_present = "remove",
        conflicts_with = "remove"
    )]
    seed: Option<u64>,
    #[command(flatten)]
    removal: Removal,
    /// Print the removed or slowed parts, by name, GUID and port
    #[arg(long)]
    list: bool,
    /// Write the degraded netlist here [default: standard output, unless --list]
    #[arg(short, long, value_name = "NET2")]
    output: Option<PathBuf>,
    #[command(flatten)]
    reading: Reading,
}

pub fn run(args: Args) -> Outcome {
    let netlist = args.reading.netlist(&args.net)?;
    // --remove uses no seed.
    let seed = args.seed.unwrap_or(1);
    let words = |parts: Vec<Part>| -> String {
        let parts = parts.into_iter();
        parts.map(|part| netlist.describe(part) + "\n").collect()
    };
    let (degraded, list) = if let Some(count) = args.links {
        let (degraded, links) = netlist.without_links(count, seed)?;
        (degraded, words(links))
    } else if let Some((count, part)) = args.slow {
        let (degraded, slowed) = netlist.with_slow_links(count, part, seed)?;
        let line = |SlowedLink { link, before, now }| {
            format!("slow {} {now} of {before}\n", netlist.describe(link))
        };
        (degraded, slowed.into_iter().map(line).collect())
    } else if let Some(count) = args.switches {
        let (degraded, switches) = netlist.without_switches(count, seed, args.leaves)?;
        (degraded, words(switches))
    } else {
        let parts = args.removal.parts(&netlist)?;
        (netlist.without(&parts), words(parts))
    };
    let default = (!args.list).then_some(Path::new("-"));
    let output = args.output.as_deref().or(default);
    if let Some(path) = output {
        write_to(path, |mut out| degraded.write(&mut out))?;
    }
    if args.list {
        print_beside(stdout_among(output, false)?, &list)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// `3`, `3:1/4` or `3:0.25`.
fn slow(text: &str) -> Result<(usize, f64), String> {
    let (count, part) = text.split_once(':').unwrap_or((text, "1/4"));
    let count = count.parse().map_err(|e| format!("{e}"))?;
    let number = |text: &str| text.parse::<f64>().ok();
    let part = match part.split_once('/') {
        Some((a, b)) => number(a).zip(number(b)).map(|(a, b)| a / b),
        None => number(part),
    };
    let part = part.filter(|part| *part > 0.0 && *part < 1.0);
    let part = part.ok_or("the part is not between 0 and 1")?;
    Ok((count, part))
}
