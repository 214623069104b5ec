//! Which link ends are drained, and which exist for a share of the destinations only.

use super::shares::{End, Uplinks};
use super::steps::STEPS;
use crate::dmodc::design::Design;
use crate::dmodc::options::{Capacity, Drained, Faults, Options};
use crate::dmodc::routes::Inputs;
use crate::dmodc::tree::{Links, components};
use crate::fabric::{Fabric, NodeKind, Peer};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The links that do not exist for all destinations.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Both ends of drained links, ascending.
    drained: Vec<End>,
    /// Ends of links that exist for some destinations, with their shares; the lower end alone if lost upward only.
    share: BTreeMap<End, usize>,
}

impl Limits {
    /// The drained links of a fabric.
    pub fn new(fabric: &Fabric, design: &Design, options: &Options) -> Self {
        let ends = Drained::ends(fabric, &options.drain);
        let drained = ends
            .iter()
            .map(|&(s, port)| (design.place[s as usize], port));
        let mut drained: Vec<End> = drained.collect();
        drained.sort_unstable();
        Limits {
            drained,
            ..Limits::default()
        }
    }

    /// Finds the shares of slow links, which depend on the nominal routes.
    pub fn share_out(&mut self, design: &Design, inputs: &Inputs, options: &Options) {
        let is_blind = options.capacity == Capacity::Ignore || options.faults == Faults::Paper;
        if !is_blind && design.expected.speeds_differ() {
            self.share = Uplinks::of_all(design, inputs).shares();
        }
    }

    /// The sets of links of the layers, if links are drained: the others alone; these and the fewest drained links that
    /// join cut-off hosts, if some but not all are needed; all links.
    pub fn layers(&self, design: &Design) -> Vec<Links> {
        let all = design.present.as_ref().unwrap_or(&design.links);
        if self.drained.is_empty() {
            return Vec::new();
        }
        let first = self.undrained(all);
        let needed = self.needed(design, all, &first);
        let mut layers = vec![first];
        if (1..self.drained.len()).contains(&needed.len()) {
            let needless = |s, port| !needed.contains(&(s, port)) && self.is_drained(s, port);
            layers.push(all.filtered(|s, _, port| !needless(s, port)));
        }
        layers.push(all.clone());
        layers
    }

    /// Both ends of the drained links on the ways from parts with hosts to the greatest part, by the fewest drained
    /// links. A part is a set of switches that the other links join.
    fn needed(&self, design: &Design, all: &Links, others: &Links) -> BTreeSet<End> {
        let remote =
            |links: &Links, s| -> Vec<u32> { links.of(s).iter().map(|g| g.remote).collect() };
        let part = components(all.switches(), |s| remote(others, s).into_iter());
        let mut members: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        (0u32..)
            .zip(&part)
            .for_each(|(s, &part)| members.entry(part).or_default().push(s));
        let greatest = members
            .iter()
            .rev()
            .max_by_key(|(_, of)| of.len())
            .map(|(&part, _)| part);
        // By part: drained links on the way to the greatest part; and the parts, the nearest first.
        let mut far: BTreeMap<u32, u32> = greatest.iter().map(|&part| (part, 0)).collect();
        let mut order: Vec<u32> = greatest.into_iter().collect();
        let beside = |of: u32| {
            members[&of]
                .iter()
                .flat_map(|&s| remote(all, s))
                .map(|s| part[s as usize])
        };
        let mut at = 0;
        while let Some(&of) = order.get(at) {
            at += 1;
            for other in beside(of) {
                if !far.contains_key(&other) {
                    far.insert(other, far[&of] + 1);
                    order.push(other);
                }
            }
        }
        let is_host = |node: usize| design.there.end_nodes()[node].kind != NodeKind::Aggregation;
        let has_hosts =
            |&s: &u32| design.ranking.is_leaf(s) || design.there.end_nodes_of(s).any(is_host);
        let mut needs: BTreeSet<u32> = order
            .iter()
            .copied()
            .filter(|part| members[part].iter().any(has_hosts))
            .collect();
        for of in order.iter().rev() {
            if needs.contains(of) {
                needs.extend(beside(*of).filter(|other| far[other] < far[of]));
            }
        }
        let is_needed = |&&(s, port): &&End| match design.there.peer(s, port) {
            Peer::Switch { index, .. } => {
                let [a, b] = [s, index].map(|s| part[s as usize]);
                let further = if far.get(&a) > far.get(&b) { a } else { b };
                far.get(&a) != far.get(&b) && needs.contains(&further)
            }
            _ => false,
        };
        self.drained.iter().filter(is_needed).copied().collect()
    }

    fn is_drained(&self, s: u32, port: u8) -> bool {
        self.drained.binary_search(&(s, port)).is_ok()
    }

    /// The bands after the first: a range of steps, and the links that exist for these steps, without drained links.
    pub fn bands(&self, links: &Links) -> Vec<(Range<usize>, Links)> {
        let shares: BTreeSet<usize> = self.share.values().copied().collect();
        let ends = shares.iter().skip(1).copied().chain([STEPS]);
        let bands = shares.iter().zip(ends).map(|(&share, end)| {
            let is_gone = |s, port| self.share.get(&(s, port)).is_some_and(|&own| own <= share);
            let there = |s, _, port| !is_gone(s, port);
            (share..end, self.undrained(links).filtered(there))
        });
        bands.collect()
    }

    /// The links that are not drained.
    fn undrained(&self, links: &Links) -> Links {
        links.filtered(|s, _, port| !self.is_drained(s, port))
    }
}
