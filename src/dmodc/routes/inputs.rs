//! What all rows are computed from.

use super::row_classes::RowClasses;
use crate::dmodc::paths::Paths;
use crate::dmodc::targets::Destinations;

/// What all rows are computed from.
#[derive(Clone, Debug)]
pub struct Inputs {
    /// The fabric as it should be, as far as that is known.
    pub nominal: Paths,
    /// Several groups down are chosen among as the destination's leaf would choose upward.
    pub mirrored: bool,
    /// The fabric as it should be without the switches that are gone, if any are.
    pub standing: Option<Paths>,
    /// The fabric as it is, where it differs.
    pub present: Option<Paths>,
    /// Π of every switch.
    pub dividers: Vec<u32>,
    /// Different ways below every switch.
    pub path_dividers: Vec<u32>,
    /// What is routed to.
    pub destinations: Destinations,
    /// Which switches route alike.
    pub classes: RowClasses,
}

impl Inputs {
    /// Π of a switch.
    pub fn divider(&self, switch: u32) -> usize {
        self.dividers[switch as usize] as usize
    }

    /// The fabric as it is.
    pub fn present(&self) -> &Paths {
        self.present.as_ref().unwrap_or(&self.nominal)
    }
}
