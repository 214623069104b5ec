//! Everything that the role table of a fabric tells, in one go.

use super::{
    Dividers, Kinds, Known, NodeTypes, Numbering, Numbers, Places, Reference, Uplinks, dividers,
    expected,
};
use crate::ids::{KindId, SwitchId};
use crate::options::Options;
use crate::spread::most_common;
use crate::tree::{Groups, Ranking};
use dmodc_fabric::Fabric;
use std::sync::Arc;
use typed_index_collections::TiVec;

/// What each port is for, and the numbers of all destinations.
#[derive(Clone, Debug)]
pub struct Roles {
    pub kinds: Kinds,
    pub uplinks: Uplinks,
    pub dividers: Arc<TiVec<KindId, Dividers>>,
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
        let reference = Reference::new(fabric, reference);
        let known = Known::new(fabric, ranking, groups, reference);
        let kinds = Kinds::new(&known);
        let places = Places::new(&known, &kinds);
        let expected = expected(&known, &kinds, &places);
        let uplinks = Uplinks::new(&known, &kinds, &places, &expected);
        let dividers = dividers(&known, &kinds, &uplinks);
        let leaves = known.switches().filter(|&s| known.is_leaf(s));
        let mut ways: Vec<u32> = leaves.map(|s| dividers[kinds.of_switch[s]].ways).collect();
        let numbering = Numbering {
            known: &known,
            kinds: &kinds,
            places: &places,
            expected: &expected,
            ways: most_common(&mut ways).0,
        };
        let numbers = Numbers::new(&numbering, &NodeTypes::new(options));
        let ranks_by_guid = places.ranks_by_guid(&kinds);
        Roles {
            kinds,
            uplinks,
            dividers: Arc::new(dividers),
            numbers,
            ranks_by_guid,
        }
    }

    /// The dividers of a switch.
    pub fn dividers_of(&self, s: SwitchId) -> Dividers {
        self.dividers[self.kinds.of_switch[s]]
    }
}
