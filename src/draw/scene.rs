//! The input of drawings.

use crate::dmodc::Ranking;
use crate::fabric::{Fabric, Guid, Peer};
use crate::lft::Tables;
use crate::netlist::Names;
use crate::wiring::{Difference, Kind, Slow};

/// A link by its two ends, switch and port, the lower one first.
pub type Link = [(u32, u8); 2];

/// A fabric, and its oddities.
pub struct Scene<'a> {
    /// The fabric.
    pub fabric: &'a Fabric,
    /// The names in it.
    pub names: &'a Names,
    /// Its levels.
    pub ranking: &'a Ranking,
    /// All switches in the order of their places.
    pub places: Vec<u32>,
    /// End nodes in their order in the drawing.
    pub order: Vec<u32>,
    /// Cables that differ from what they should be.
    pub differences: Vec<Difference>,
    /// Links that are slow.
    pub slow: Vec<Slow>,
}

/// The links of a fabric in a state: which are drained, and how the routes of tables share them.
pub struct State<'a> {
    /// Its name.
    pub title: &'a str,
    /// The present part of the fabric, with the same LIDs.
    pub fabric: &'a Fabric,
    /// The least A2A risk that links allow.
    pub bound: Option<u32>,
    /// Both ends of drained links, as (switch, port), ascending.
    pub drained: Vec<(u32, u8)>,
    /// The tables, and the A2A risk of each channel, if there are tables.
    pub routes: Option<(&'a Tables, &'a [u32])>,
}

impl Scene<'_> {
    /// The lower one of two ends first: the one of lower rank, of equal ranks the one of lower GUID.
    pub fn low_first(&self, [a, b]: Link) -> Link {
        let key = |(s, _): (u32, u8)| (self.ranking.rank(s), s);
        if key(a) <= key(b) { [a, b] } else { [b, a] }
    }

    /// All links between switches, ascending by their lower ends.
    pub fn links(&self) -> Vec<Link> {
        let mut links = Vec::with_capacity(self.fabric.switch_links());
        for switch in 0..self.fabric.switches().len() as u32 {
            for (port, peer) in (1..).zip(self.fabric.peers_of(switch)) {
                if let Peer::Switch { index, port: far } = *peer {
                    let link = [(switch, port), (index, far)];
                    links.extend((self.low_first(link) == link).then_some(link));
                }
            }
        }
        links
    }

    /// A switch of the fabric by its GUID.
    pub fn switch(&self, guid: Guid) -> Option<u32> {
        self.fabric.switch_by_guid(guid)
    }

    /// The switches that a cable should join, as far as they are present.
    pub fn expected(&self, difference: &Difference) -> Option<[u32; 2]> {
        match (&difference.ends[..], difference.kind) {
            (_, Kind::Extra) => None,
            ([a, b], _) => Some([self.switch(a.guid)?, self.switch(b.guid)?]),
            _ => None,
        }
    }

    /// The ends of misplaced cables.
    pub fn stray(&self) -> Vec<(u32, u8)> {
        let ends = self.differences.iter().flat_map(|d| match d.kind {
            Kind::Extra => &d.ends[..],
            _ => &d.found[..],
        });
        let ends = ends.filter_map(|end| Some((self.switch(end.guid)?, end.port?)));
        ends.collect()
    }
}
