//! `dmodc draw`: the fabric as a page to explore.

use super::args::{Drain, GuidFiles, Meant};
use super::reading::{Known, Reading};
use super::wiring::add_last_seen;
use crate::draw::{Drawn, Routes, Scene, State, page};
use crate::failure::{Failure, Outcome};
use crate::input::{input, shown};
use crate::output::write_to;
use clap::builder::{PathBufValueParser, TypedValueParser};
use dmodc_analysis::{Traffic, bound};
use dmodc_core::{Engine, Ranking};
use dmodc_fabric::{Drained, NodeId};
use dmodc_formats::netlist::Netlist;
use dmodc_watch::against::{against, with_missing};
use dmodc_watch::wiring::{among_siblings, slow_links};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Draw a fabric as a page to explore
#[derive(clap::Args)]
#[command(
    mut_arg("file", |arg| arg.help("Mark what F names as drained: SWITCH or SWITCH:PORT, one a line")),
    after_help = "Examples:
  dmodc draw fabric.net fabric.lfts -o fabric.html
  dmodc draw fabric.net new.lfts --before old.lfts -o change.html
  dmodc draw fabric.net fabric.lfts --reference as-designed.net -o fabric.html
  dmodc draw fabric.net fabric.lfts --suspects tonight.txt -o fabric.html

The page is one file, for any browser of 2023 or later, without a network: for each two levels a matrix of lower switches by upper ones, pods and planes as blocks, all in the order of their
places. It finds hosts, servers and switches by name, shows the route between two and its other users,
and filters missing, planned (in a cabling plan alone), slow, suspect, drained and wrong cables, the
worst ports, one pod or one plane. With --before it compares two tables, and marks loads that rose or
fell; 'dmodc whatif --draw' does so for planned work. The key '?' lists its keys: no mouse is needed.

Its button 'Save as SVG' saves the picture that it shows.

With LFTS, links are coloured by their A2A congestion risk (see 'dmodc analyze'): blue up to the A2A
bound, orange or red above it; dark blue or red from twice the median of the matrix on. 'dmodc wiring'
defines missing and wrong cables."
)]
pub struct Args {
    /// The fabric
    #[arg(value_parser = input())]
    net: PathBuf,
    /// Its forwarding tables, as opensm-lfts.dump
    #[arg(value_parser = input())]
    lfts: Option<PathBuf>,
    /// Other tables of the fabric, to compare with
    #[arg(long, value_name = "LFTS0", requires = "lfts", value_parser = input())]
    before: Option<PathBuf>,
    /// The fabric as designed, or as it was when healthy: differences are marked
    #[arg(long, value_name = "NET0", value_parser = input())]
    reference: Option<PathBuf>,
    #[command(flatten)]
    drain: Drain,
    /// Mark what F names as suspect, with its comments: a file as 'dmodc suspects --drain' writes
    #[arg(long, value_name = "F", value_parser = input())]
    suspects: Option<PathBuf>,
    /// Write the page here
    #[arg(short, long, value_name = "F.html", value_parser = page_file())]
    output: PathBuf,
    #[command(flatten)]
    guid_files: GuidFiles,
    #[command(flatten)]
    reading: Reading,
}

pub fn run(args: Args) -> Outcome {
    let reading = args.reading;
    let reference = args.reference.as_deref();
    let meant = (args.guid_files).meant(reading, &args.net, reference, &args.drain)?;
    if args.lfts.is_some() && meant.netlist.has_several_fabrics() {
        let text = "draw takes tables with a file of one fabric";
        return Err(Failure::other(text));
    }
    let (fabric, options) = (&meant.fabric, &meant.options);
    let ranking = Ranking::new(fabric, options);
    let engine = Engine::new(0)?;
    let drawn = whole_of(&meant, &engine)
        .unwrap_or_else(|| Drawn::new((fabric.clone(), meant.names.clone()), &engine, options));
    let mut scene = scene(&meant.netlist, &drawn, meant.known.as_ref());
    scene.suspects = reading.commented(args.suspects.as_deref(), fabric, &meant.names)?;
    let drained = Drained::ends(fabric, &options.drain);
    let usable = fabric.without(&drained);
    let bound = bound(&usable, |s| ranking.rank(s));
    let routes = |lfts: &Option<PathBuf>| -> Result<Option<Routes>, Failure> {
        let Some(lfts) = lfts else { return Ok(None) };
        let tables = reading.tables(lfts, &reading.dump(lfts)?, fabric)?;
        let order: Vec<NodeId> = fabric.end_nodes().keys().collect();
        let risks = Traffic::new(fabric, &tables, &order).all_to_all(&|_| ());
        Ok(Some((tables, risks.by_channel)))
    };
    let (before, now) = (routes(&args.before)?, routes(&args.lfts)?);
    let state = |title, routes| State {
        title,
        fabric,
        bound,
        drained: drained.clone(),
        routes,
    };
    let states = match &before {
        None => vec![state("now", now.as_ref())],
        Some(_) => vec![
            state("before", before.as_ref()),
            state("after", now.as_ref()),
        ],
    };
    write_page(&scene, &states, &args.net, &args.output)
}

/// The fabric and the equipment that only its reference has: a page shows missing switches and links, too.
pub fn whole_of(meant: &Meant, engine: &Engine) -> Option<Drawn> {
    let (reference, _) = meant.known.as_ref()?;
    let now = meant.netlist.with_lids(&meant.fabric);
    let whole = with_missing(now, &reference.netlist).to_fabric(None);
    Some(Drawn::new(whole.ok()?, engine, &meant.options))
}

pub fn scene<'a>(netlist: &Netlist, drawn: &'a Drawn, known: Option<&Known>) -> Scene<'a> {
    let differences = match known {
        Some((reference, _)) => {
            let mut found = against(netlist, &reference.netlist);
            found.iter_mut().for_each(|f| add_last_seen(f, reference));
            found
        }
        None => among_siblings(&drawn.fabric, &drawn.names, &drawn.ranking),
    };
    let reference = known.map(|(_, fabric)| &**fabric);
    Scene {
        drawn,
        differences,
        slow: slow_links(&drawn.fabric, |s| drawn.ranking.rank(s), reference),
        suspects: Vec::new(),
        is_planned: known.is_some_and(|(reference, _)| reference.is_plan),
    }
}

pub fn write_page(scene: &Scene, states: &[State], net: &Path, to: &Path) -> Outcome {
    let name = shown(net).file_name().unwrap_or(net.as_os_str());
    write_to(to, |out| page(scene, states, &name.to_string_lossy(), out))
}

/// Parses the name of a page. An SVG is refused: earlier versions wrote one.
pub fn page_file() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|file| {
        let is_svg = |e: &OsStr| e.eq_ignore_ascii_case("svg");
        match file.extension().is_some_and(is_svg) {
            false => Ok(file),
            true => Err(format!(
                "it is a page: {}; its button 'Save as SVG' saves the picture",
                file.with_extension("html").display()
            )),
        }
    })
}
