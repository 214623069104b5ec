//! The design: the fabric as it is meant to be, and what is there of it.
//!
//! Everything behind this point works on places, and asks nobody else what should be there.

mod holes;
mod leaves;
mod parts;
mod places;
mod told;

use super::options::{Faults, Options, RouteError};
use super::tree::{Links, Ranking, Rule, Sides, level_cycle};
use crate::fabric::{EndNode, Fabric, Merged};
use places::Places;
pub use places::most_common;
use std::sync::Arc;

/// The fabric as it is meant to be, and what is there of it, over the same places.
#[derive(Clone, Debug)]
pub struct Design {
    /// Everything that should be there, by place. What is not there now has LID 0.
    pub expected: Arc<Fabric>,
    /// What is there, by place. A switch that is gone has no links.
    pub there: Arc<Fabric>,
    /// The links of what should be there.
    pub links: Links,
    /// The levels of the places.
    pub ranking: Ranking,
    /// The leaves in the order of their numbers, without those that are gone; nothing for the order of the
    /// paper (Algorithm 2).
    pub leaves: Option<Vec<Option<u32>>>,
    /// Per place: a number that others coming and going do not change.
    pub name: Vec<u64>,
    /// Per switch of the fabric: its place.
    pub place: Vec<u32>,
    /// Per place: the switch of the fabric that is there.
    pub switch: Vec<Option<u32>>,
    /// Per expected end node: which it is of the fabric's, if it is there.
    pub node: Vec<Option<u32>>,
    /// The fabric's absent end nodes, ascending by place and port. They decide nothing.
    pub absent: Vec<EndNode>,
    /// The fabric and the reference, if there is one, and their levels.
    pub known: Option<Arc<(Merged, Ranking)>>,
    /// The ranks on which ports do not tell the places, so that GUIDs do.
    pub untold: Vec<u32>,
}

impl Design {
    /// Finds out what a fabric is meant to be.
    ///
    /// # Errors
    /// [`RouteError::NotATree`] if links between equal ranks alone close a cycle and no roots are given.
    pub fn new(
        fabric: &Fabric,
        reference: Option<&Fabric>,
        options: &Options,
    ) -> Result<Design, RouteError> {
        let mut merged = match reference {
            Some(reference) => Merged::new(fabric, reference),
            None => Merged::alone(fabric),
        };
        let mut links = Links::new(&merged.nominal);
        let mut ranking = Ranking::of(&merged.nominal, &links, options);
        let mut groups = Sides::new(&links, &ranking);
        let never = told::never_meant(&groups, &ranking, merged.dark_links());
        if !never.is_empty() {
            merged.forget(&never);
            links = Links::new(&merged.nominal);
            ranking = Ranking::of(&merged.nominal, &links, options);
            groups = Sides::new(&links, &ranking);
        }
        let known = reference.map(|_| Arc::new((merged.clone(), ranking.clone())));
        if ranking.rule() != Rule::Roots
            && let Some(cycle) = level_cycle(&groups)
        {
            let guid = |s: u32| merged.nominal.switches()[s as usize].guid;
            return Err(RouteError::NotATree(cycle.into_iter().map(guid).collect()));
        }
        let mut untold = Vec::new();
        let (order, leaves, names) = match options.faults {
            Faults::Stable => {
                let mut places = Places::new(&merged.nominal, &groups, &ranking);
                untold = places.untold(&ranking);
                let holes = holes::find(&merged.nominal, &groups, &ranking, &places);
                if !holes.is_empty() {
                    let there = holes.iter().map(|_| &[][..]);
                    Arc::make_mut(&mut merged.there).add_expected(there);
                    let expected = holes.iter().map(|hole| hole.links.as_slice());
                    Arc::make_mut(&mut merged.nominal).add_expected(expected);
                    ranking.add(holes.iter().map(|hole| hole.rank));
                    links = Links::new(&merged.nominal);
                    let groups = Sides::new(&links, &ranking);
                    places = Places::new(&merged.nominal, &groups, &ranking);
                }
                (places.order, Some(places.leaves), places.name)
            }
            Faults::Paper => {
                let guids = merged.nominal.switches().iter().map(|s| s.guid.0);
                (
                    (0..merged.nominal.switches().len() as u32).collect(),
                    None,
                    guids.collect(),
                )
            }
        };
        let mut at = vec![0u32; order.len()];
        for (place, &s) in (0u32..).zip(&order) {
            at[s as usize] = place;
        }
        let (expected, nodes) = merged.nominal.arranged(&order);
        let expected = Arc::new(expected);
        let there = match Arc::ptr_eq(&merged.nominal, &merged.there) {
            true => expected.clone(),
            false => Arc::new(merged.there.arranged(&order).0),
        };
        let place: Vec<u32> = merged.switch.iter().map(|&s| at[s as usize]).collect();
        let mut switch = vec![None; order.len()];
        for (s, &place) in (0u32..).zip(&place) {
            switch[place as usize] = Some(s);
        }
        let absent = fabric.absent().iter().map(|node| EndNode {
            switch: place[node.switch as usize],
            ..node.clone()
        });
        let mut absent: Vec<EndNode> = absent.collect();
        absent.sort_unstable_by_key(|node| (node.switch, node.port));
        Ok(Design {
            links: links.arranged(&order, &at),
            expected,
            there,
            ranking: ranking.arranged(&order),
            leaves: leaves.map(|leaves| leaves.iter().map(|s| s.map(|s| at[s as usize])).collect()),
            name: order.iter().map(|&s| names[s as usize]).collect(),
            place,
            switch,
            absent,
            node: nodes.iter().map(|&n| merged.node[n as usize]).collect(),
            known,
            untold,
        })
    }

    /// Whether more is expected than is there.
    pub fn expects_more(&self) -> bool {
        !Arc::ptr_eq(&self.expected, &self.there)
            && (self.switch.contains(&None)
                || self.node.contains(&None)
                || self.expected.switch_links() > self.there.switch_links())
    }
}
