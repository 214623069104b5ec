//! The design: the fabric as it is meant to be, and the present part of it.
//!
//! All later stages work on its places, and take from it alone which equipment should exist.

mod cables;
mod holes;
mod leaves;
mod lost;
mod meant;
mod parts;
mod places;
mod siblings;
mod standing;

use super::options::{Faults, Options, RouteError};
use super::threads::{ALONE, Threads};
use super::tree::{Groups, Links, Ranking, Rule, SHARES, Sides, level_cycle};
use crate::fabric::{EndNode, Fabric, Merged};
use places::Places;

pub use cables::most_common;
pub use siblings::siblings;
pub use standing::standing;
use std::sync::Arc;

/// The fabric as it is meant to be, and the present part of it, over the same places: nominal ports depend on the first
/// alone. The cost is a second fabric where equipment is missing; else both share one.
#[derive(Clone, Debug)]
pub struct Design {
    /// All expected equipment, by place. Absent switches and nodes have LID 0.
    pub expected: Arc<Fabric>,
    /// The present equipment, by place. An absent switch has no links.
    pub there: Arc<Fabric>,
    /// The expected links, including the lost links, which siblings of a switch have and the switch has not.
    pub links: Links,
    /// The port groups of `links`.
    pub groups: Groups,
    /// The present links; `None` if nothing is missing or moved.
    pub present: Option<Links>,
    /// The levels of the places.
    pub ranking: Ranking,
    /// The leaves in the order of their numbers, dead leaves as `None`; `None` for the order of the paper (Algorithm
    /// 2).
    pub leaves: Option<Vec<Option<u32>>>,
    /// By place: a number for hashes, made of the ports on the paths to it, else of GUIDs.
    pub name: Vec<u64>,
    /// By switch of the fabric: its place.
    pub place: Vec<u32>,
    /// By place: the switch of the fabric there, if there is one.
    pub switch: Vec<Option<u32>>,
    /// By expected end node: its end node of the fabric, if it is present.
    pub node: Vec<Option<u32>>,
    /// The fabric's absent end nodes, ascending by place and port. No other field depends on them.
    pub absent: Vec<EndNode>,
    /// The fabric merged with the reference, and the levels of both; `None` without a reference.
    pub known: Option<Arc<(Merged, Ranking)>>,
    /// The ranks on which GUIDs, not ports, decide the places.
    pub ranks_by_guid: Vec<u32>,
}

/// The switches in the order of their places, and the other results of that order.
struct Order {
    /// By place: its switch.
    switches: Vec<u32>,
    leaves: Option<Vec<Option<u32>>>,
    /// By switch: [`Design::name`] of its place.
    names: Vec<u64>,
    ranks_by_guid: Vec<u32>,
}

impl Order {
    /// Adds the dead switches to the fabric, then orders all switches by ports.
    fn by_ports(merged: &mut Merged, ranking: &mut Ranking, groups: &Sides) -> Order {
        let mut places = Places::new(&merged.nominal, groups, ranking);
        let ranks_by_guid = places.cables.ranks_by_guid(ranking);
        let holes = holes::find(&merged.nominal, groups, ranking, &places);
        if !holes.is_empty() {
            let there = holes.iter().map(|_| &[][..]);
            Arc::make_mut(&mut merged.there).add_absent(there);
            let expected = holes.iter().map(|hole| hole.links.as_slice());
            Arc::make_mut(&mut merged.nominal).add_absent(expected);
            ranking.add(holes.iter().map(|hole| hole.rank));
            let groups = Sides::new(&Links::new(&merged.nominal), ranking);
            places = Places::new(&merged.nominal, &groups, ranking);
        }
        Order {
            switches: places.order,
            leaves: Some(places.leaves),
            names: places.name,
            ranks_by_guid,
        }
    }

    /// Orders the switches by GUID, as the paper does.
    fn by_guids(fabric: &Fabric) -> Order {
        Order {
            switches: (0..fabric.switches().len() as u32).collect(),
            leaves: None,
            names: fabric.switches().iter().map(|s| s.guid.0).collect(),
            ranks_by_guid: Vec::new(),
        }
    }
}

impl Design {
    /// Computes the design of a fabric.
    ///
    /// # Errors
    /// [`RouteError::NotATree`] if links between equal ranks alone close a cycle and no roots are given.
    pub fn new(
        fabric: &Fabric,
        reference: Option<&Fabric>,
        options: &Options,
        threads: &Threads,
    ) -> Result<Design, RouteError> {
        let mut merged = match reference {
            Some(reference) => Merged::new(fabric, reference),
            None => Merged::alone(fabric),
        };
        let (sides, mut ranking) = levels(&mut merged, options)?;
        let known = reference.map(|_| Arc::new((merged.clone(), ranking.clone())));
        let order = match options.faults {
            Faults::Stable => Order::by_ports(&mut merged, &mut ranking, &sides),
            Faults::Paper => Order::by_guids(&merged.nominal),
        };
        let switches = &order.switches;
        let mut at = vec![0u32; switches.len()];
        for (place, &s) in (0u32..).zip(switches) {
            at[s as usize] = place;
        }
        let place: Vec<u32> = merged.switch.iter().map(|&s| at[s as usize]).collect();
        let mut switch = vec![None; at.len()];
        for (s, &place) in (0u32..).zip(&place) {
            switch[place as usize] = Some(s);
        }
        let (expected, nodes) = merged.nominal.arranged(switches);
        let node: Vec<Option<u32>> = nodes.iter().map(|&n| merged.node[n as usize]).collect();
        let expected = Arc::new(expected);
        let there = match Arc::ptr_eq(&merged.nominal, &merged.there) {
            true => expected.clone(),
            false => Arc::new(merged.there.arranged(switches).0),
        };
        let mut links = Links::new(&expected);
        let is_there = |s: u32| switch[s as usize].is_some();
        let expects_more = switch.contains(&None)
            || node.contains(&None)
            || expected.switch_links() > there.switch_links();
        let mut present = expects_more.then(|| match reference {
            Some(_) => Links::new(&there),
            None => links.filtered(|s, n, _| is_there(s) && is_there(n)),
        });
        let ranking = ranking.arranged(switches);
        let mut groups = Groups::new(&links, &ranking, threads);
        if options.faults == Faults::Stable
            && let Some(with_lost) = lost::with_lost(&expected, &links, &groups, &ranking)
        {
            groups = Groups::new(&with_lost, &ranking, threads);
            let before = std::mem::replace(&mut links, with_lost);
            present = present.or(Some(before));
        }
        let absent = fabric.absent().iter().map(|node| EndNode {
            switch: place[node.switch as usize],
            ..node.clone()
        });
        let mut absent: Vec<EndNode> = absent.collect();
        absent.sort_unstable_by_key(|node| (node.switch, node.port));
        let leaf = |s: &Option<u32>| s.map(|s| at[s as usize]);
        Ok(Design {
            leaves: order.leaves.map(|leaves| leaves.iter().map(leaf).collect()),
            name: switches.iter().map(|&s| order.names[s as usize]).collect(),
            ranks_by_guid: order.ranks_by_guid,
            expected,
            there,
            links,
            present,
            groups,
            ranking,
            place,
            switch,
            absent,
            node,
            known,
        })
    }
}

/// The levels of a merged fabric, and its port groups by these. Takes links that were never meant out of the fabric.
fn levels(merged: &mut Merged, options: &Options) -> Result<(Sides, Ranking), RouteError> {
    let by_share = |fabric: &Fabric, share: u32| {
        let links = Links::new(fabric);
        let ranking = Ranking::of(fabric, &links, options, share);
        (Sides::new(&links, &ranking), ranking)
    };
    let (mut sides, mut ranking) = by_share(&merged.nominal, SHARES[0]);
    let never = meant::never_meant(&sides, &ranking, merged.dark_links());
    if !never.is_empty() {
        merged.forget(&never);
        (sides, ranking) = by_share(&merged.nominal, SHARES[0]);
    }
    let Some(cycle) = level_cycle(&sides).filter(|_| ranking.rule() != Rule::Roots) else {
        return Ok((sides, ranking));
    };
    let mut further = SHARES[1..]
        .iter()
        .map(|&share| by_share(&merged.nominal, share));
    further
        .find(|(sides, _)| level_cycle(sides).is_none())
        .ok_or_else(|| {
            let guid = |s: u32| merged.nominal.switches()[s as usize].guid;
            RouteError::NotATree(cycle.into_iter().map(guid).collect())
        })
}

impl Ranking {
    /// The levels that [`Engine::plan`](crate::dmodc::Engine::plan) finds; if it refuses the fabric, places are GUIDs.
    pub fn new(fabric: &Fabric, options: &Options) -> Self {
        match Design::new(fabric, options.reference(), options, ALONE) {
            Ok(design) => design.ranking.of_some(&design.place),
            Err(_) => Self::of(fabric, &Links::new(fabric), options, SHARES[0]),
        }
    }
}
