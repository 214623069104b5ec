//! What all rows are computed from.

use super::row_classes::RowClasses;
use crate::dmodc::paths::{Costs, Paths};
use crate::dmodc::targets::Destinations;
use std::sync::Arc;

/// What all rows are computed from.
#[derive(Clone, Debug)]
pub struct Inputs {
    /// The fabric as it should be, as far as that is known.
    pub nominal: Arc<Paths>,
    /// Several groups down are chosen among as the destination's leaf would choose upward.
    pub mirrored: bool,
    /// The fabric as it should be without the switches that are gone, if any are.
    pub standing: Option<Paths>,
    /// The fabric as it is, where it differs.
    pub present: Option<Paths>,
    /// Π of every switch.
    pub dividers: Arc<[u32]>,
    /// Different ways below every switch.
    pub path_dividers: Arc<[u32]>,
    /// What is routed to.
    pub destinations: Arc<Destinations>,
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
        match &self.present {
            Some(present) => present,
            None => &self.nominal,
        }
    }

    /// The memory of the costs.
    pub fn into_memory(self) -> impl Iterator<Item = Vec<u8>> {
        let nominal = Arc::into_inner(self.nominal);
        let paths = [nominal, self.present, self.standing];
        paths
            .into_iter()
            .flatten()
            .map(|paths| Costs::into_memory(paths.costs))
    }
}
