//! `dmodc draw`: a picture of the fabric.

use super::guid_files::GuidFiles;
use super::reading::Reading;
use crate::failure::Outcome;
use crate::input::one_stdin;
use crate::output::write_to;
use dmodc::analysis::Traffic;
use dmodc::dmodc::{Engine, Options, Ranking};
use dmodc::draw::draw;
use std::path::PathBuf;
use std::process::ExitCode;

/// Draw a fabric by levels, its links coloured by congestion risk
#[derive(clap::Args)]
#[command(after_help = "Examples:
  dmodc draw fabric.net -o fabric.svg
  dmodc draw fabric.net fabric.lfts -o fabric.svg

One row for each level. With LFTS, links are coloured by their A2A congestion risk (see 'dmodc
analyze'): none, up to half of the A2A bound, up to the bound, up to twice the bound, more. Links that are
missing, as 'dmodc wiring' guesses without a reference, are dashed; slow ones are thin and dotted. Beyond 300
switches, subtrees are one box each. The mouse tells names, GUIDs, ports and risks. The drawing is light
or dark as the reader's system is.")]
pub struct Args {
    /// The fabric
    net: PathBuf,
    /// Its forwarding tables, as opensm-lfts.dump
    lfts: Option<PathBuf>,
    /// Write the drawing here
    #[arg(short, long, value_name = "F.svg")]
    output: PathBuf,
    #[command(flatten)]
    guid_files: GuidFiles,
    #[command(flatten)]
    reading: Reading,
}

/// Runs the subcommand.
pub fn run(args: Args) -> Outcome {
    let files = args.lfts.iter().chain([&args.net]);
    one_stdin(files.chain(args.guid_files.paths()))?;
    let (fabric, names) = args.reading.fabric(&args.net, None)?;
    let options = args
        .guid_files
        .options(args.reading, &fabric, Options::default())?;
    let ranking = Ranking::new(&fabric, &options);
    // A fabric that is no tree is drawn by its switches' GUIDs.
    let order = match Engine::new(0)?.plan(&fabric, &options) {
        Ok(plan) => plan.order().to_vec(),
        Err(_) => (0..fabric.end_nodes().len() as u32).collect(),
    };
    let mut risks = None;
    if let Some(lfts) = &args.lfts {
        let tables = args.reading.tables(lfts, &fabric)?;
        let traffic = Traffic::new(&fabric, &tables, &order);
        risks = Some(traffic.all_to_all(&|_| ()).by_channel);
    }
    let svg = draw(&fabric, &names, &ranking, &order, risks.as_deref());
    write_to(&args.output, |out| out.write_all(svg.as_bytes()))?;
    Ok(ExitCode::SUCCESS)
}
