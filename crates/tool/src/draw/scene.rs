//! The input of drawings: a fabric with its oddities, and the state of its links.

use dmodc_analysis::ChannelId;
use dmodc_core::{Engine, Options, Ranking};
use dmodc_fabric::{Drained, Fabric, NodeId, PortNumber, SwitchId, Tables};
use dmodc_formats::netlist::Names;
use dmodc_watch::wiring::{Difference, End, Kind, Slow, low_first};
use std::collections::HashSet;
use typed_index_collections::TiVec;

/// A link by its two ends, switch and port, the lower one first.
pub use dmodc_watch::wiring::Uplink as Link;

/// A fabric, with its switches and end nodes in the order of a drawing.
pub struct Drawn {
    pub fabric: Fabric,
    pub names: Names,
    pub ranking: Ranking,
    /// All switches in the order of their places; without a plan, by levels and GUIDs.
    pub places: Vec<SwitchId>,
    /// End nodes in their order in the drawing: without a plan, by number.
    pub order: Vec<NodeId>,
}

impl Drawn {
    /// A fabric in the order of Dmodc's plan, if it has one.
    pub fn new((fabric, names): (Fabric, Names), engine: &Engine, options: &Options) -> Drawn {
        let ranking = Ranking::new(&fabric, options);
        let (places, order) = match engine.plan(&fabric, options) {
            Ok(plan) => (plan.places(), plan.order().to_vec()),
            Err(_) => {
                let mut places: Vec<SwitchId> = fabric.switches().keys().collect();
                places.sort_by_key(|&s| ranking.rank(s));
                (places, fabric.end_nodes().keys().collect())
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
    /// Suspect links, each with its reason.
    pub suspects: Vec<(Drained, String)>,
    /// Whether missing cables are those of a cabling plan.
    pub is_planned: bool,
}

/// Tables, and the A2A risk of each channel.
pub type Routes = (Tables, TiVec<ChannelId, u32>);

/// A state of a fabric: its drained links, and how the routes of tables share all links.
pub struct State<'a> {
    /// The name of the state, as "before".
    pub title: &'a str,
    /// The present part of the fabric, with the same LIDs.
    pub fabric: &'a Fabric,
    pub bound: Option<u32>,
    /// Both ends of drained links, as (switch, port), ascending.
    pub drained: Vec<(SwitchId, PortNumber)>,
    pub routes: Option<&'a Routes>,
}

impl Scene<'_> {
    /// All links between switches, ascending by their lower ends.
    pub fn links(&self) -> Vec<Link> {
        let links = self.drawn.fabric.links();
        let mut links: Vec<Link> = links.map(|link| self.low_first(link)).collect();
        links.sort_unstable();
        links
    }

    fn low_first(&self, link: Link) -> Link {
        low_first(link, |switch| self.drawn.ranking.rank(switch))
    }

    /// The switches that a cable should join, the lower one first, if both are present.
    pub fn expected(&self, difference: &Difference) -> Option<[SwitchId; 2]> {
        match (&difference.ends[..], difference.kind) {
            (_, Kind::Extra) => None,
            ([a, b], _) => {
                let [a, b] = [a, b].map(|end| self.drawn.fabric.switch_by_guid(end.guid));
                let ends = [a?, b?].map(|switch| (switch, PortNumber::ZERO));
                Some(self.low_first(ends).map(|(switch, _)| switch))
            }
            _ => None,
        }
    }

    /// The ports of cables that should not be there.
    pub fn stray(&self) -> HashSet<(SwitchId, PortNumber)> {
        let ends = self.differences.iter().flat_map(|d| match d.kind {
            Kind::Extra => &d.ends[..],
            _ => &d.found[..],
        });
        let port = |end: &End| Some((self.drawn.fabric.switch_by_guid(end.guid)?, end.port?));
        ends.filter_map(port).collect()
    }
}
