//! The sets of links by which destinations are reached: at most four, and one more for drained links.
//!
//! A slow link is dark for the destinations beyond its share. At most three shares stay, whatever the speeds, so there are
//! three bands of destinations beyond: numbers, kinds and cycles stay, only which ports are open differs. A switch without an
//! entry in the band takes the entry over all links, and so does one at which a detour would make a turn that is not taken.
//! If a *leaf* does, or what follows going down does not go down, the whole LID uses all links.
//!
//! Drained links are in none of these sets. Further layers have some, then all, for what only a drained link can reach.
//! Cost: costs once for each set; rows over all links, and in each band for its own destinations. An entry counts as
//! displaced once over all links, and once in its band.

use super::bands::{STEPS, round, step};
use super::counted::{Counted, Counting, Remembered, SMALL};
use super::shares::Capacities;
use super::targets::Targets;
use super::ways::Ways;
use super::write::Rows;
use crate::detours::MayTurn;
use crate::ids::{BySwitch, SwitchId};
use crate::kinds::Roles;
use crate::options::{Capacity, Options};
use crate::paths::Paths;
use crate::threads::Threads;
use crate::tree::{Links, Ranking};
use dmodc_fabric::{Drained, Fabric, Lid, NO_PATH, PortNumber, Tables};
use std::ops::Range;
use std::sync::Arc;

/// The most bands beyond the destinations that have all links.
const BANDS: usize = 3;

/// A fabric, and what is known of its links.
pub struct AllLinks<'a> {
    pub fabric: &'a Fabric,
    pub ranking: &'a Ranking,
    pub links: &'a Links,
    /// The paths of each layer.
    pub layers: &'a [Arc<Paths>],
    /// By layer, both ends of the drained links that it lacks, as (switch, port), ascending.
    pub drained: Vec<Vec<(SwitchId, PortNumber)>>,
    /// A small reference, and the ports counted there.
    pub before: Remembered<'a>,
}

/// The ways over each set of links.
#[derive(Clone, Debug)]
pub struct LinkSets {
    pub roles: Roles,
    ranking: Ranking,
    targets: Targets,
    /// At first, and at last: over what drained and slow links leave.
    pub counted: [Counted; 2],
    /// The first layer has no drained links, the last has all.
    layers: Vec<Ways>,
    /// Both ends of drained links, as (switch, port), ascending.
    drained: Vec<(SwitchId, PortNumber)>,
    /// The bands of the first layer and their steps; none if no link is slow.
    bands: Vec<(Range<usize>, Ways)>,
    /// By switch: the steps of detours to it, as (at, next).
    detours: BySwitch<Vec<(SwitchId, SwitchId)>>,
}

/// Whether a port is at no end of drained links.
fn is_open(drained: &[(SwitchId, PortNumber)], s: SwitchId, port: u8) -> bool {
    drained.binary_search(&(s, PortNumber(port))).is_err()
}

impl LinkSets {
    /// The paths of each layer: `paths` are those over all links.
    pub fn layers(
        paths: Paths,
        links: &Links,
        drained: &[Vec<(SwitchId, PortNumber)>],
        ranking: &Ranking,
        threads: &Threads,
    ) -> Vec<Arc<Paths>> {
        let some = drained.iter().filter(|drained| !drained.is_empty());
        let some = some.map(|drained| {
            let is_open = |s, port| is_open(drained, s, port);
            Arc::new(paths.over(links, is_open, ranking, threads))
        });
        let mut layers: Vec<Arc<Paths>> = some.collect();
        layers.push(Arc::new(paths));
        layers
    }

    /// Finds the sets of links.
    pub fn new(all: AllLinks, roles: Roles, options: &Options, threads: &Threads) -> Self {
        let AllLinks {
            fabric,
            ranking,
            links,
            layers,
            drained: lacks,
            before,
        } = all;
        let drained = lacks[0].clone();
        let paths = &layers[layers.len() - 1];
        let targets = Targets::new(fabric, &paths.costs, &roles.numbers);
        let counting = Counting {
            fabric,
            ranking,
            roles: &roles,
            costs: &paths.costs,
            before,
        };
        let mut first = match options.forgets {
            true => Counted::default(),
            false => counting.count(),
        };
        let mut counted = first.clone();
        if !drained.is_empty() {
            let is_open = |s, port| is_open(&drained, s, port);
            counting
                .over(&layers[0].costs)
                .again(&mut counted, is_open, |_| true, |_, _| 1);
        }
        let ways = |(drained, paths): (&Vec<_>, &Arc<Paths>)| {
            let is_there = |s: SwitchId, port: u8| is_open(drained, s, port);
            Ways::new(paths.clone(), &roles, |_, _| 1, is_there)
        };
        let of_layers: Vec<Ways> = lacks.iter().zip(layers).map(ways).collect();
        let mut bands = Vec::new();
        if options.capacity == Capacity::Use && fabric.speeds_differ() {
            if counted.is_empty() {
                let rule = Rows {
                    fabric,
                    ways: &of_layers[0],
                    targets: &targets,
                    counted: &Counted::default(),
                };
                first = counting.by_rule(|rows| rule.write(rows, threads));
                counted = first.clone();
            }
            let capacities = Capacities::new(fabric, ranking, &roles, &of_layers[0]);
            let mut shares = capacities.shares(&counted);
            let starts = round(&mut shares, BANDS, ranking.per_rank().len() > 2);
            let ends = starts.iter().skip(1).copied().chain([STEPS]);
            for (&start, end) in starts.iter().zip(ends) {
                let is_there = |s: SwitchId, port: u8| {
                    is_open(&drained, s, port)
                        && shares.get(&(s, port)).is_none_or(|&share| share >= end)
                };
                let is_due = |number| (start..end).contains(&step(number));
                let over = Arc::new(paths.over(links, is_there, ranking, threads));
                counting
                    .over(&over.costs)
                    .again(&mut counted, is_there, is_due, |s, port| {
                        capacities.each(s, port)
                    });
                let capacity = |s, port| capacities.weight(s, port);
                let ways = Ways::new(over, &roles, capacity, is_there);
                bands.push((start..end, ways));
            }
        }
        LinkSets {
            detours: vec![Vec::new(); fabric.switches().len()].into(),
            ranking: ranking.clone(),
            roles,
            targets,
            counted: [first, counted],
            layers: of_layers,
            drained,
            bands,
        }
    }

    /// Adds the steps of detours over the first layer, as (to, at, next).
    pub fn add_detours(&mut self, steps: impl Iterator<Item = (SwitchId, SwitchId, SwitchId)>) {
        if !self.bands.is_empty() {
            steps.for_each(|(to, at, next)| self.detours[to].push((at, next)));
        }
    }

    /// The slow links of a rack that carry nothing, if hosts have no up-down path without them. Drained, they leave these
    /// hosts to detours, which are faster: of 709 racks with up to 30 % of the links at a quarter 10 / 0 / 20 are worse
    /// than without these links, else 20 / 7 / 40.
    pub fn unused(&self, fabric: &Fabric) -> Vec<Drained> {
        let is_rack = fabric.switches().len() <= SMALL && self.ranking.per_rank().len() == 2;
        let first = self.bands.first().filter(|(steps, _)| steps.start == 0);
        let Some((_, without)) = first.filter(|_| is_rack) else {
            return Vec::new();
        };
        let (all, without) = (&*self.layers[0].paths, &*without.paths);
        let switches = fabric.switches().keys();
        let ends: Vec<SwitchId> = switches
            .filter(|&s| fabric.hosts_of(s).next().is_some())
            .collect();
        let is_cut = |a, b| without.costs.hops(a, b).is_none() && all.costs.hops(a, b).is_some();
        if !ends.iter().any(|&a| ends.iter().any(|&b| is_cut(a, b))) {
            return Vec::new();
        }
        let is_dark = |s, to, port: PortNumber| {
            let group = without.groups.to(s, to);
            !group.is_some_and(|group| without.groups.ports(group).contains(&port.0))
        };
        let links = fabric.links();
        let dark = links.filter(|&[(a, p), (b, q)]| is_dark(a, b, p) && is_dark(b, a, q));
        let drained = dark.map(|[(s, port), _]| Drained {
            switch: fabric.guid(s),
            port: Some(port),
        });
        drained.collect()
    }

    /// The switch at which a LID is.
    pub fn switch(&self, lid: Lid) -> Option<SwitchId> {
        self.targets.switch(lid)
    }

    /// A port that leads nearer over all links and is not drained, in place of a drained one; the same without any.
    pub fn spare(&self, s: SwitchId, lid: Lid, port: u8) -> u8 {
        let is_open = |port: &u8| is_open(&self.drained, s, *port);
        let Some(to) = self.targets.switch(lid).filter(|_| !is_open(&port)) else {
            return port;
        };
        let paths = &self.layers[self.layers.len() - 1].paths;
        let ports = paths
            .candidates(s, to)
            .flat_map(|group| paths.groups.ports(group));
        let ports: Vec<u8> = ports.copied().filter(is_open).collect();
        ports
            .get(lid.index() % ports.len().max(1))
            .copied()
            .unwrap_or(port)
    }

    /// Writes the rows of a layer. Returns the number of displaced entries.
    pub fn write(
        &self,
        fabric: &Fabric,
        layer: usize,
        rows: &mut [&mut [u8]],
        may_turn: MayTurn,
        threads: &Threads,
    ) -> usize {
        let write = |ways: &_, targets: &_, rows: &mut [&mut [u8]]| {
            let [_, counted] = &self.counted;
            Rows {
                fabric,
                ways,
                targets,
                counted,
            }
            .write(rows, threads)
        };
        let mut displaced = write(&self.layers[layer], &self.targets, rows);
        if layer > 0 || self.bands.is_empty() {
            return displaced;
        }
        let mut of_band = Tables::for_fabric(fabric);
        for (steps, ways) in &self.bands {
            let targets = self.targets.only(|number| steps.contains(&step(number)));
            displaced += write(ways, &targets, &mut of_band.rows_mut());
            let numbers = targets.numbers().iter();
            let mut is_taken: Vec<bool> = numbers.map(Option::is_some).collect();
            let mut lacks = vec![false; is_taken.len()];
            for (s, row) in rows.iter().enumerate() {
                let of_band = &of_band.row(SwitchId::from(s)).raw;
                for ((lacks, &entry), &over_all) in lacks.iter_mut().zip(of_band).zip(&**row) {
                    *lacks |= (entry == NO_PATH) & (over_all != NO_PATH);
                }
            }
            for (at, is_taken) in is_taken.iter_mut().enumerate().filter(|(_, is)| **is) {
                let lid = Lid::from(at);
                *is_taken = self.targets.switch(lid).is_some_and(|to| {
                    let is_whole = !lacks[at] && self.detours[to].is_empty();
                    is_whole || self.complete(fabric, ways, (lid, to), &mut of_band, rows, may_turn)
                });
            }
            // All bits where it is taken, so that many entries are written at once.
            let taken: Vec<u8> = is_taken
                .iter()
                .map(|&is| if is { 0xff } else { 0 })
                .collect();
            let pairs = rows.iter_mut().zip(of_band.rows_mut()).collect();
            threads.for_each(pairs, |(row, of_band): (&mut &mut [u8], _)| {
                for ((entry, of_band), taken) in row.iter_mut().zip(of_band).zip(&taken) {
                    *entry ^= (*entry ^ *of_band) & taken;
                }
            });
        }
        displaced
    }

    /// Gives switches that lack an entry for a LID in the tables of its band, or where it makes a turn of a detour that is
    /// not taken, the entry over all links. Returns `false` if one is a leaf, or what follows going down does not.
    fn complete(
        &self,
        fabric: &Fabric,
        ways: &Ways,
        (lid, to): (Lid, SwitchId),
        of_band: &mut Tables,
        rows: &[&mut [u8]],
        may_turn: MayTurn,
    ) -> bool {
        for &(from, at) in &self.detours[to] {
            let entry = &mut of_band.row_mut(at)[lid];
            let next = fabric.far(at, PortNumber(*entry));
            let up = next.filter(|(next, _)| self.ranking.is_up(at, *next));
            if up.is_some_and(|(to, _)| self.ranking.is_up(at, from) && !may_turn(from, at, to)) {
                *entry = NO_PATH;
            }
        }
        let mut goes_down: BySwitch<bool> = vec![false; rows.len()].into();
        // In the band a switch can be without links, and so at no height.
        let bottom_up = self.layers[0].paths.groups.bottom_up();
        for &s in bottom_up {
            goes_down[s] = ways.paths.costs.hops_down(s, to).is_some();
            let over_all = rows[usize::from(s)][lid.index()];
            if of_band.get(s, lid) == NO_PATH && over_all != NO_PATH {
                let next = fabric
                    .far(s, PortNumber(over_all))
                    .map_or(s, |(next, _)| next);
                let is_up = self.ranking.is_up(s, next);
                if self.ranking.is_leaf(s) || !is_up && !goes_down[next] {
                    return false;
                }
                (of_band.row_mut(s)[lid], goes_down[s]) = (over_all, !is_up);
            }
        }
        true
    }
}
