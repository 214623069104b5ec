//! Arguments that subcommands share.

use super::reading::{Known, Reading, remark};
use crate::failure::{Failure, refused};
use crate::input::{count, each_line, input};
use clap::builder::{
    PossibleValuesParser, RangedI64ValueParser, RangedU64ValueParser, TypedValueParser,
};
use dmodc_core::{Capacity, Engine, Faults, OnUnreachable, Options};
use dmodc_fabric::Fabric;
use dmodc_formats::names::{Directory, PartError};
use dmodc_formats::netlist::{GuidsOf, Names, Netlist, Part, none_found, parse_guids_leniently};
use dmodc_watch::sweeps::roots_of;
use std::convert::Infallible;
use std::path::{Path, PathBuf};

/// A number of random permutations. All risks are kept: more take gigabytes.
pub fn permutations() -> RangedI64ValueParser<u32> {
    RangedI64ValueParser::new().range(1..=10_000_000)
}

/// GUID files, one GUID a line.
#[derive(clap::Args)]
pub struct GuidFiles {
    /// Node GUIDs of the switches at the top of the tree
    #[arg(long, value_name = "F", value_parser = input())]
    root_guids: Option<PathBuf>,
    /// Port GUIDs of the compute nodes
    #[arg(long, value_name = "F", value_parser = input())]
    cn_guids: Option<PathBuf>,
    /// Port GUIDs of the I/O nodes
    #[arg(long, value_name = "F", value_parser = input())]
    io_guids: Option<PathBuf>,
}

impl GuidFiles {
    /// The files that are given.
    pub fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        let files = [&self.root_guids, &self.cn_guids, &self.io_guids];
        files.into_iter().flatten()
    }

    /// Reads a fabric as `draw` and `whatif` need it.
    pub fn meant(
        &self,
        reading: Reading,
        net: &Path,
        reference: Option<&Path>,
        drain: &Drain,
    ) -> Result<Meant, Failure> {
        let netlist = reading.netlist(net)?;
        let (fabric, names) = netlist.to_fabric(None).map_err(Failure::lids(net))?;
        let known = reading.known(reference, &fabric, &netlist)?;
        let rest = Options {
            drain: reading.drain(drain.file.as_deref(), &fabric, &names)?,
            reference: known.as_ref().map(|(_, fabric)| fabric.clone()),
            ..Options::default()
        };
        Ok(Meant {
            options: self.options(reading, &fabric, rest)?,
            netlist,
            fabric,
            names,
            known,
        })
    }

    /// Reads the files into options. Warns on standard error of a file without any GUID of the fabric, and
    /// of odd roots.
    pub fn options(
        &self,
        reading: Reading,
        fabric: &Fabric,
        rest: Options,
    ) -> Result<Options, Failure> {
        let read = |file: &Option<PathBuf>, of| {
            let guids = reading.given(file.as_deref(), parse_guids_leniently)?;
            if let (Some(path), Some(none)) = (file, none_found(fabric, &guids, of)) {
                remark(path, none);
            }
            Ok::<_, Failure>(guids)
        };
        let options = Options {
            root_guids: read(&self.root_guids, GuidsOf::Switches)?,
            cn_guids: read(&self.cn_guids, GuidsOf::Ports)?,
            io_guids: read(&self.io_guids, GuidsOf::Ports)?,
            ..rest
        };
        let roots = roots_of(fabric, &options);
        if let Some(path) = &self.root_guids {
            roots.odd.iter().for_each(|odd| remark(path, odd));
        }
        Ok(Options {
            root_guids: roots.guids,
            ..options
        })
    }
}

/// A fabric with its names, its reference if there is one, and its options.
pub struct Meant {
    pub netlist: Netlist,
    pub fabric: Fabric,
    pub names: Names,
    pub known: Option<Known>,
    pub options: Options,
}

/// The reference, and how a fault changes routes.
#[derive(clap::Args)]
pub struct RoutedAs {
    /// The fabric as designed, or as it was when healthy: gone equipment keeps its place. Or a cabling plan (NDT)
    #[arg(long, value_name = "NET0", value_parser = input())]
    pub reference: Option<PathBuf>,
    /// How a fault changes routes: moving only what it must, or as the paper computes them anew
    #[arg(
        long,
        value_name = "stable|paper",
        default_value_t,
        value_parser = PossibleValuesParser::new(["stable", "paper"]).try_map(|s| s.parse::<Faults>())
    )]
    pub faults: Faults,
    /// Slow links carry routes by their speed, or as many as all others
    #[arg(
        long,
        value_name = "use|ignore",
        default_value = "use",
        value_parser = PossibleValuesParser::new(["use", "ignore"]).try_map(|s| s.parse::<Capacity>())
    )]
    capacity: Capacity,
    #[command(flatten)]
    pub drain: Drain,
}

/// Links and switches to empty.
#[derive(clap::Args)]
pub struct Drain {
    /// Route nothing that has another path over the links in F: SWITCH or SWITCH:PORT, one a line
    #[arg(long = "drain", value_name = "F", value_parser = input())]
    pub file: Option<PathBuf>,
}

impl RoutedAs {
    pub fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.reference.iter().chain(&self.drain.file)
    }

    /// Refuses arguments on which the routes of these faults do not depend.
    pub fn refuse_idle(&self) -> Result<(), Failure> {
        let is_idle = self.paths().next().is_some() || self.capacity == Capacity::Ignore;
        match self.faults == Faults::Paper && is_idle {
            true => refused("--faults paper takes no --reference, --drain or --capacity"),
            false => Ok(()),
        }
    }

    /// Adds these arguments to `rest`.
    pub fn options(
        &self,
        reading: Reading,
        (fabric, names): (&Fabric, &Names),
        netlist: &Netlist,
        rest: Options,
    ) -> Result<Options, Failure> {
        let known = reading.known(self.reference.as_deref(), fabric, netlist)?;
        Ok(Options {
            faults: self.faults,
            capacity: self.capacity,
            drain: reading.drain(self.drain.file.as_deref(), fabric, names)?,
            reference: known.map(|(_, reference)| reference),
            ..rest
        })
    }
}

/// How a fabric is routed.
#[derive(clap::Args)]
pub struct Routing {
    #[command(flatten)]
    guid_files: GuidFiles,
    /// LMC of all end nodes [default: the netlist's]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=7))]
    pub lmc: Option<u8>,
    /// Connect switches without end nodes too, where they have no up-down path between them
    #[arg(long)]
    connect_roots: bool,
    /// Pairs without an up-down path: connect them where no credit loop comes of it, route all the
    /// rest, or refuse the fabric if they are of hosts
    #[arg(long, value_name = "WHAT", default_value = "connect", value_parser =
        PossibleValuesParser::new(["connect", "partial", "fail"]).try_map(|s| s.parse::<OnUnreachable>()))]
    on_unreachable: OnUnreachable,
    /// How routes are computed
    #[command(flatten)]
    pub routed_as: RoutedAs,
    /// Number of threads, up to 256 [default: one for each processor]
    #[arg(long, value_name = "N", default_value = "0", hide_default_value = true, value_parser =
        RangedU64ValueParser::<usize>::new().range(..=256))]
    threads: usize,
    /// How files are read
    #[command(flatten)]
    pub reading: Reading,
}

impl Routing {
    pub fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.guid_files.paths().chain(self.routed_as.paths())
    }

    /// Reads these arguments and their files into options for a fabric.
    pub fn options(
        &self,
        netlist: &Netlist,
        fabric: &Fabric,
        names: &Names,
    ) -> Result<Options, Failure> {
        let rest = Options {
            on_unreachable: self.on_unreachable,
            connect_roots: self.connect_roots,
            ..Options::default()
        };
        let as_now = (fabric, names);
        let rest = (self.routed_as).options(self.reading, as_now, netlist, rest)?;
        self.guid_files.options(self.reading, fabric, rest)
    }

    pub fn engine(&self) -> Result<Engine, Failure> {
        self.routed_as.refuse_idle()?;
        Ok(Engine::new(self.threads)?)
    }
}

/// The arguments beside the fabric itself.
#[derive(clap::Args)]
pub struct Question {
    /// The fabric as designed, or as it was when healthy: gone equipment keeps its place. Or a cabling plan (NDT)
    #[arg(long, value_name = "NET0", value_parser = input())]
    pub reference: Option<PathBuf>,
    #[command(flatten)]
    pub guid_files: GuidFiles,
    #[command(flatten)]
    pub reading: Reading,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// The parts to remove.
#[derive(clap::Args)]
pub struct Removal {
    /// Remove a switch, a host, a server with all its ports, the link at SWITCH:PORT, or all parts in FILE,
    /// one a line
    #[arg(long, value_name = "THING|@FILE", value_parser = thing)]
    remove: Vec<String>,
}

fn thing(name: &str) -> Result<String, Infallible> {
    count(name == "@-");
    Ok(name.to_owned())
}

impl Removal {
    pub fn parts(&self, netlist: &Netlist) -> Result<Vec<Part>, Failure> {
        let directory = Directory::of_netlist(netlist);
        let mut parts = Vec::new();
        let mut add = |name: &str| -> Result<(), PartError> {
            parts.extend(directory.parts(netlist, name)?);
            Ok(())
        };
        for name in &self.remove {
            match name.strip_prefix('@') {
                None => add(name)?,
                Some(file) => each_line(Path::new(file), &mut add)?,
            }
        }
        Ok(parts)
    }
}
