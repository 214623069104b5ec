//! The inputs of all rows.

use super::row_classes::RowClasses;
use crate::dmodc::design::standing;
use crate::dmodc::paths::Paths;
use crate::dmodc::targets::Destinations;
use crate::dmodc::threads::Threads;
use crate::dmodc::tree::{Groups, Links, Ranking};
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
    /// All destinations.
    pub destinations: Arc<Destinations>,
    /// The classes of switches that route alike.
    pub classes: RowClasses,
}

/// What the inputs of all layers and bands have in common.
pub struct Common<'c> {
    /// The expected links.
    pub expected: &'c Links,
    /// The levels.
    pub ranking: &'c Ranking,
    /// All destinations.
    pub destinations: Arc<Destinations>,
    /// As [`Inputs::mirrored`].
    pub mirrored: bool,
    /// The threads that compute.
    pub threads: &'c Threads,
}

impl Common<'_> {
    /// The paths over some links, with the columns of other paths.
    pub fn paths(&self, links: &Links, columns_of: &Paths) -> Paths {
        let groups = Groups::new(links, self.ranking, self.threads);
        columns_of.with(groups, self.threads)
    }

    /// The inputs for nominal paths and, if they differ from the nominal links, the present links.
    pub fn inputs(&self, nominal: &Arc<Paths>, present: Option<&Links>) -> Inputs {
        let present = present.map(|links| self.paths(links, nominal));
        let groups = present.as_ref().map(|paths| &paths.groups);
        let dead = standing(self.expected, groups.unwrap_or(&nominal.groups));
        Inputs {
            standing: dead.map(|links| self.paths(&links, nominal)),
            classes: RowClasses::new(nominal, groups),
            nominal: nominal.clone(),
            mirrored: self.mirrored,
            present,
            destinations: self.destinations.clone(),
        }
    }
}

impl Inputs {
    /// Π of a switch.
    pub fn divider(&self, switch: u32) -> usize {
        self.nominal.dividers[switch as usize] as usize
    }

    /// The paths over the present links.
    pub fn present(&self) -> &Paths {
        self.present.as_ref().unwrap_or(&self.nominal)
    }
}
