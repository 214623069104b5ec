//! The inputs of all rows.

use super::row_classes::RowClasses;
use crate::dmodc::paths::Paths;
use crate::dmodc::targets::Destinations;
use std::sync::Arc;

/// The inputs of all rows of one layer or band.
#[derive(Clone, Debug)]
pub struct Inputs {
    /// The paths of the design.
    pub nominal: Arc<Paths>,
    /// Whether the choice among several groups down mirrors the destination leaf's choice upward.
    pub mirrored: bool,
    /// The paths of the design without dead switches, if there are any.
    pub standing: Option<Paths>,
    /// The paths over the present links of this layer or band, if they differ from the design.
    pub present: Option<Paths>,
    /// Π of every switch.
    pub dividers: Arc<[u32]>,
    /// By switch, the number of different paths up to it.
    pub path_dividers: Arc<[u32]>,
    /// All destinations.
    pub destinations: Arc<Destinations>,
    /// The classes of switches that route alike.
    pub classes: RowClasses,
}

impl Inputs {
    /// Π of a switch.
    pub fn divider(&self, switch: u32) -> usize {
        self.dividers[switch as usize] as usize
    }

    /// The paths over the present links.
    pub fn present(&self) -> &Paths {
        match &self.present {
            Some(present) => present,
            None => &self.nominal,
        }
    }
}
