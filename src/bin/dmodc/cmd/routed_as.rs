//! The options that say on what fabric routes are computed, beside GUID files.

use super::reading::Reading;
use crate::failure::Failure;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use dmodc::dmodc::{Faults, Options};
use dmodc::fabric::Fabric;
use std::path::PathBuf;

/// The reference, and how faults are answered.
#[derive(clap::Args)]
pub struct RoutedAs {
    /// The fabric as designed, or as it was when healthy: what is gone keeps its place
    #[arg(long, value_name = "NET0")]
    pub reference: Option<PathBuf>,
    /// How routes answer to faults: moving only what they must, or as the paper computes them anew
    #[arg(
        long,
        value_name = "stable|paper",
        default_value_t,
        value_parser = PossibleValuesParser::new(["stable", "paper"]).try_map(|s| s.parse::<Faults>())
    )]
    faults: Faults,
}

impl RoutedAs {
    /// Puts them into these options.
    pub fn options(
        &self,
        reading: Reading,
        fabric: &Fabric,
        rest: Options,
    ) -> Result<Options, Failure> {
        Ok(Options {
            faults: self.faults,
            reference: reading.reference(self.reference.as_deref(), fabric)?,
            ..rest
        })
    }
}
