//! Everything that the role table of a fabric tells, in one go.

use super::{Kinds, Known, NodeTypes, Numbers, Places, Reference, Uplinks, divide, expect};
use crate::options::Options;
use crate::tree::{Groups, Ranking};
use dmodc_fabric::Fabric;

/// What each port is for, and the numbers of all destinations.
#[derive(Clone, Debug)]
pub struct Roles {
    pub kinds: Kinds,
    pub uplinks: Uplinks,
    pub numbers: Numbers,
    /// The ranks on which GUIDs decide places.
    pub ranks_by_guid: Vec<u32>,
}

impl Roles {
    /// Finds the roles of all ports. `reference` is a reference and its levels.
    pub fn new(
        fabric: &Fabric,
        ranking: &Ranking,
        groups: &Groups,
        reference: Option<(&Fabric, &Ranking)>,
        options: &Options,
    ) -> Self {
        let reference = Reference::new((fabric, ranking), reference);
        let known = Known::new(fabric, ranking, groups, reference);
        let mut kinds = Kinds::new(&known);
        let places = Places::new(&known, &mut kinds);
        expect(&known, &mut kinds);
        let uplinks = Uplinks::new(&known, &kinds, &places);
        divide(&known, &mut kinds, &uplinks);
        Roles {
            numbers: Numbers::new(&known, &kinds, &places, &NodeTypes::new(options)),
            ranks_by_guid: places.ranks_by_guid(&kinds),
            kinds,
            uplinks,
        }
    }
}
