//! `dmodc export`: the fabric in the formats of other programs.

use super::guid_files::GuidFiles;
use super::reading::Reading;
use crate::failure::Outcome;
use crate::input::one_stdin;
use crate::output::write_to;
use clap::ValueEnum;
use dmodc::dmodc::{Engine, Options};
use dmodc::export::{Labels, graphviz, groups, slurm_conf, slurm_yaml};
use std::path::PathBuf;
use std::process::ExitCode;

/// Write a fabric for Slurm, for Graphviz, or as a list of hosts
#[derive(clap::Args)]
#[command(after_help = "Examples:
  dmodc export fabric.net slurm > topology.conf
  dmodc export fabric.net slurm-yaml > topology.yaml
  dmodc export fabric.net hosts > hostfile
  dmodc export fabric.net dot | dot -Tsvg > fabric.svg

A host is called by the first word of its description, a switch by its description; where that cannot
be told from another, its GUID is added. A host with several ports stands where its first one is.

slurm and slurm-yaml have a switch for each switch with hosts, one for each larger subtree (levelL-N),
and a root; fabrics that are not connected have a root each. hosts is in the order of topological NIDs:
ranks placed in this order shift along the links that Dmodc balances best.

Exit code 1 if the fabric is no tree.")]
pub struct Args {
    /// The fabric
    net: PathBuf,
    /// The format
    format: Format,
    /// Write it here
    #[arg(short, long, value_name = "F", default_value = "-")]
    output: PathBuf,
    #[command(flatten)]
    guid_files: GuidFiles,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// Slurm's topology.conf
    Slurm,
    /// Slurm's topology.yaml
    SlurmYaml,
    /// Host names, one a line, in topological order
    Hosts,
    /// Graphviz
    Dot,
}

/// Runs the subcommand.
pub fn run(args: Args) -> Outcome {
    one_stdin(args.guid_files.paths().chain([&args.net]))?;
    let (fabric, names) = args.reading.fabric(&args.net, None)?;
    let options = args
        .guid_files
        .options(args.reading, &fabric, Options::default())?;
    let plan = Engine::new(0)?.plan(&fabric, &options)?;
    let rank = |switch| plan.ranking().rank(switch);
    let labels = Labels::new(&fabric, &names);
    let tree = || groups(&fabric, &labels, rank, plan.order());
    let text = match args.format {
        Format::Slurm => slurm_conf(&tree()),
        Format::SlurmYaml => slurm_yaml(&tree()),
        Format::Dot => graphviz(&fabric, &labels, rank),
        Format::Hosts => {
            let hosts = labels.each_once(plan.order().iter().copied());
            hosts.iter().map(|host| format!("{host}\n")).collect()
        }
    };
    write_to(&args.output, |out| out.write_all(text.as_bytes()))?;
    Ok(ExitCode::SUCCESS)
}
