//! `dmodc degrade`: random faults.

use super::Outcome;
use crate::output::{is_dash, say, write_to};
use dmodc::netlist::{NamedSwitch, Netlist};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Take random links or switches away from a fabric
#[derive(clap::Args)]
#[command(
    group(clap::ArgGroup::new("what").required(true).args(["links", "switches"])),
    after_help = "Examples:
  dmodc degrade 8640.net --links 20 --seed 1 -o degraded.net --list
  dmodc degrade 8640.net --switches 5 --seed 1 | dmodc route -

The same seed removes the same parts of the same fabric on any machine, and the larger number
removes all that the smaller one does. With --list and no -o only the list is printed."
)]
pub struct Args {
    /// The fabric
    net: PathBuf,
    /// Remove N links between switches
    #[arg(long, value_name = "N")]
    links: Option<usize>,
    /// Remove N switches that carry no end nodes
    #[arg(long, value_name = "N")]
    switches: Option<usize>,
    /// With --switches: remove leaves as well, and their end nodes
    #[arg(long, conflicts_with = "links")]
    leaves: bool,
    /// Seed of the random choice
    #[arg(long, value_name = "S")]
    seed: u64,
    /// Print what was removed, by name, GUID and port
    #[arg(long)]
    list: bool,
    /// Write the degraded netlist here [default: standard output, unless --list]
    #[arg(short, long, value_name = "NET2")]
    output: Option<PathBuf>,
}

/// Runs the subcommand.
pub fn run(args: Args) -> Outcome {
    let netlist = Netlist::read(&args.net)?;
    let mut list = String::new();
    let degraded = if let Some(count) = args.links {
        let (degraded, links) = netlist.without_links(count, args.seed)?;
        for [(a, a_port), (b, b_port)] in links.into_iter().map(|link| link.sides) {
            list += &format!(
                "link {} [{a_port}] -- {} [{b_port}]\n",
                named(&a),
                named(&b)
            );
        }
        degraded
    } else {
        let count = args.switches.unwrap_or_default();
        let (degraded, switches) = netlist.without_switches(count, args.seed, args.leaves)?;
        for switch in &switches {
            list += &format!("switch {}\n", named(switch));
        }
        degraded
    };
    let output = match &args.output {
        Some(path) => Some(path.as_path()),
        None if args.list => None,
        None => Some(Path::new("-")),
    };
    if let Some(path) = output {
        write_to(path, |mut out| degraded.write(&mut out))?;
    }
    if args.list {
        say(&list, output.is_some_and(is_dash))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn named(switch: &NamedSwitch) -> String {
    format!("{} '{}'", switch.guid, switch.name)
}
