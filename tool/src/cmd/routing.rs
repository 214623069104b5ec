//! How a fabric is routed: the options that `route` and `follow` share.

use super::guid_files::GuidFiles;
use super::reading::Reading;
use super::routed_as::RoutedAs;
use crate::failure::Failure;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use dmodc::dmodc::{Engine, OnUnreachable, Options};
use dmodc::fabric::Fabric;
use dmodc::netlist::Names;
use std::path::PathBuf;

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
    /// Number of threads [default: one for each processor]
    #[arg(long, value_name = "N", default_value = "0", hide_default_value = true)]
    threads: usize,
    /// How files are read
    #[command(flatten)]
    pub reading: Reading,
}

impl Routing {
    /// The files that are given.
    pub fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.guid_files.paths().chain(self.routed_as.paths())
    }

    /// Reads them into options for a fabric.
    pub fn options(&self, fabric: &Fabric, names: &Names) -> Result<Options, Failure> {
        let rest = Options {
            on_unreachable: self.on_unreachable,
            connect_roots: self.connect_roots,
            ..Options::default()
        };
        let rest = (self.routed_as).options(self.reading, (fabric, names), rest)?;
        self.guid_files.options(self.reading, fabric, rest)
    }

    /// An engine with this many threads.
    pub fn engine(&self) -> Result<Engine, Failure> {
        Ok(Engine::new(self.threads)?)
    }
}
