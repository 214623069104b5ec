//! The input of drawings: a fabric with its oddities, and the state of its links.

use dmodc::dmodc::{Engine, Options, Ranking};
use dmodc::fabric::{Fabric, Guid};
use dmodc::lft::Tables;
use dmodc::netlist::Names;
use dmodc::wiring::{Difference, Kind, Slow, low_first};
use std::collections::BTreeMap;
use std::ops::Deref;

/// A link by its two ends, switch and port, the lower one first.
pub use dmodc::wiring::Uplink as Link;

/// The links of each pair of linked switches, the lower switch first.
pub type Bundles = BTreeMap<(u32, u32), Vec<Link>>;

/// A fabric, with its switches and end nodes in the order of a drawing.
pub struct Drawn {
    pub fabric: Fabric,
    pub names: Names,
    pub ranking: Ranking,
    /// All switches in the order of their places; without a plan, by levels and GUIDs.
    pub places: Vec<u32>,
    /// End nodes in their order in the drawing: without a plan, by number.
    pub order: Vec<u32>,
}

impl Drawn {
    /// A fabric in the order of Dmodc's plan, if it has one.
    pub fn new((fabric, names): (Fabric, Names), engine: &Engine, options: &Options) -> Drawn {
        let ranking = Ranking::new(&fabric, options);
        let (places, order) = match engine.plan(&fabric, options) {
            Ok(plan) => (plan.places(), plan.order().to_vec()),
            Err(_) => {
                let mut places: Vec<u32> = (0..fabric.switches().len() as u32).collect();
                places.sort_by_key(|&s| ranking.rank(s));
                (places, (0..fabric.end_nodes().len() as u32).collect())
            }
        };
        Drawn {
            fabric,
            names,
            ranking,
            places,
            order,
        }
    }
}

pub struct Scene<'a> {
    pub drawn: &'a Drawn,
    /// Cables that are not as they should be.
    pub differences: Vec<Difference>,
    pub slow: Vec<Slow>,
}

impl Deref for Scene<'_> {
    type Target = Drawn;

    fn deref(&self) -> &Drawn {
        self.drawn
    }
}

/// A state of a fabric: its drained links, and how the routes of tables share all links.
pub struct State<'a> {
    /// The name of the state; an SVG shows it in a line of its own.
    pub title: &'a str,
    /// The present part of the fabric, with the same LIDs.
    pub fabric: &'a Fabric,
    pub bound: Option<u32>,
    /// Both ends of drained links, as (switch, port), ascending.
    pub drained: Vec<(u32, u8)>,
    /// The tables, and the A2A risk of each channel, if there are tables.
    pub routes: Option<(&'a Tables, &'a [u32])>,
}

impl Scene<'_> {
    /// A link with its lower end first.
    fn low_first(&self, link: Link) -> Link {
        low_first(link, |switch| self.ranking.rank(switch))
    }

    /// All links between switches, ascending by their lower ends.
    pub fn links(&self) -> Vec<Link> {
        let links = self.fabric.links().map(|link| self.low_first(link));
        let mut links: Vec<Link> = links.collect();
        links.sort_unstable();
        links
    }

    /// All links between switches, by the two switches that they join.
    pub fn bundles(&self) -> Bundles {
        let mut bundles = Bundles::new();
        for link in self.links() {
            let [(a, _), (b, _)] = link;
            bundles.entry((a, b)).or_default().push(link);
        }
        bundles
    }

    /// A switch of the fabric by its GUID.
    pub fn switch(&self, guid: Guid) -> Option<u32> {
        self.fabric.switch_by_guid(guid)
    }

    /// The switches that a cable should join, the lower one first, if both are present.
    pub fn expected(&self, difference: &Difference) -> Option<[u32; 2]> {
        match (&difference.ends[..], difference.kind) {
            (_, Kind::Extra) => None,
            ([a, b], _) => {
                let ends = [(self.switch(a.guid)?, 0), (self.switch(b.guid)?, 0)];
                Some(self.low_first(ends).map(|(switch, _)| switch))
            }
            _ => None,
        }
    }

    pub fn stray(&self) -> Vec<(u32, u8)> {
        let ends = self.differences.iter().flat_map(|d| match d.kind {
            Kind::Extra => &d.ends[..],
            _ => &d.found[..],
        });
        ends.filter_map(|end| Some((self.switch(end.guid)?, end.port?)))
            .collect()
    }
}
