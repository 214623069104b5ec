//! The options that change the fabric to route, beside GUID files.

use super::reading::Reading;
use crate::failure::Failure;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use dmodc::dmodc::{Capacity, Faults, Options};
use dmodc::fabric::Fabric;
use dmodc::netlist::Names;
use std::path::PathBuf;

/// The reference, and how a fault changes routes.
#[derive(clap::Args)]
pub struct RoutedAs {
    /// The fabric as designed, or as it was when healthy: gone equipment keeps its place
    #[arg(long, value_name = "NET0")]
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
    #[arg(long = "drain", value_name = "F")]
    pub file: Option<PathBuf>,
}

impl RoutedAs {
    /// The files that are given.
    pub fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.reference.iter().chain(&self.drain.file)
    }

    /// Puts them into these options.
    pub fn options(
        &self,
        reading: Reading,
        (fabric, names): (&Fabric, &Names),
        rest: Options,
    ) -> Result<Options, Failure> {
        Ok(Options {
            faults: self.faults,
            capacity: self.capacity,
            drain: reading.drain(self.drain.file.as_deref(), fabric, names)?,
            reference: reading.reference(self.reference.as_deref(), fabric)?,
            ..rest
        })
    }
}
