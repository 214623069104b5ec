//! What each port is for: one role table by kind of switch, and what follows from it.
//!
//! ```text
//! reference ─ known ─ kinds (role table) ─ places ─ expected ─ uplinks ─ classes ─ numbers
//! ```

mod classes;
mod digits;
mod expected;
mod known;
mod node_types;
mod numbers;
mod places;
mod reference;
mod table;
mod uplinks;

#[cfg(test)]
pub use classes::cycle;
pub use classes::{Class, Classes};
pub use node_types::{NodeType, NodeTypes};
pub use numbers::{HASHED, Numbers, SINGLE};
pub use table::{Dividers, Kinds};
pub use uplinks::{LEVEL, Uplink, Uplinks};

use crate::ids::BySwitch;
use crate::options::Options;
use crate::tree::{Groups, Ranking};
use classes::divide;
use dmodc_fabric::{EndNode, Fabric};
use expected::expect;
use known::Known;
use places::Places;
use reference::Reference;

/// What each port is for, and the numbers of all destinations.
#[derive(Clone, Debug)]
pub struct Roles {
    pub kinds: Kinds,
    pub uplinks: Uplinks,
    pub numbers: Numbers,
    /// All nodes that are not there: absent ones, then others that the reference has.
    pub absent: Vec<EndNode>,
    /// The ranks on which GUIDs decide places.
    pub ranks_by_guid: Vec<u32>,
    /// By switch: what orders them where ports do not tell.
    pub order: BySwitch<(u32, u64)>,
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
        let absent = [fabric.absent(), &reference.away(fabric)].concat();
        let known = Known::new(fabric, ranking, groups, reference);
        let mut kinds = Kinds::new(&known);
        let places = Places::new(&known, &mut kinds);
        expect(&known, &mut kinds);
        let uplinks = Uplinks::new(&known, &kinds, &places);
        divide(&known, &mut kinds, &uplinks);
        Roles {
            numbers: Numbers::new(&known, &kinds, &places, &absent, &NodeTypes::new(options)),
            absent,
            ranks_by_guid: places.ranks_by_guid(&kinds),
            kinds,
            uplinks,
            order: fabric.switches().keys().map(|s| known.order(s)).collect(),
        }
    }
}
