//! The plan: all results that the engine computes from a fabric before it writes routes.

use super::capacity::{Bands, Fallback, Limits};
use super::connect::{Connections, Entries, Needs, Steps, Turns, Unreachable};
use super::design::Design;
use super::options::{Faults, OnUnreachable, Options, RouteError, Timings};
use super::paths::Paths;
use super::routes::{Common, Inputs, RouteMemory, SwitchView};
use super::targets::{Destinations, Nids};
use super::threads::Threads;
use super::tree::{Groups, Ranking};
use crate::fabric::{Fabric, Lid, Merged};
use crate::lft::NO_PATH;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// All results that the engine computes from a fabric before it writes routes. Later it adds only the detours, which
/// [`crate::dmodc::Engine::fill`] searches while it writes, and turns for multicast.
#[derive(Clone, Debug)]
pub struct Plan {
    /// By switch of the fabric: its place. By place: its switch, `None` if the place is empty.
    place: Vec<u32>,
    switch: Vec<Option<u32>>,
    /// The levels of the fabric's switches.
    ranking: Ranking,
    order: Vec<u32>,
    unreachable: Unreachable,
    /// The first layer has no drained links; each further layer has more links, for pairs without a path before.
    layers: Vec<Layer>,
    /// The result for pairs without an up-down path, and the detours by layer.
    connected: OnceLock<(Connections, Vec<Steps>)>,
    /// Turns for multicast, computed on first use.
    more_turns: OnceLock<Turns>,
    on_unreachable: OnUnreachable,
    known: Option<Arc<(Merged, Ranking)>>,
    ranks_by_guid: Vec<u32>,
    bands: Bands,
    timings: Timings,
}

/// The routes over one set of links.
#[derive(Clone, Debug)]
struct Layer {
    inputs: Inputs,
    needs: Needs,
}

impl Plan {
    /// Plans a fabric.
    pub(super) fn new(
        fabric: &Fabric,
        reference: Option<&Fabric>,
        options: &Options,
        threads: &Threads,
    ) -> Result<Plan, RouteError> {
        let start = Instant::now();
        let design = Design::new(fabric, reference, options, threads)?;
        let ranked = Instant::now();
        let ranking = &design.ranking;
        let mut limits = Limits::new(fabric, &design, options);
        let layers = limits.layers(&design);
        let undrained = layers.first();
        // Under the paper's rule all links but drained ones are the nominal links; no others are expected.
        let is_paper = options.faults == Faults::Paper;
        let (expected, present) = match is_paper {
            true => (undrained, None),
            false => (None, undrained.or(design.present.as_ref())),
        };
        let groups = match expected {
            Some(links) => Groups::new(links, ranking, threads),
            None => design.groups.clone(),
        };
        let nominal = Arc::new(Paths::new(groups, ranking, threads));
        let nids = Nids::new(&design, &nominal.costs, options);
        let destinations = Arc::new(Destinations::new(&design, &nominal.costs, &nids));
        let common = Common {
            expected: expected.unwrap_or(&design.links),
            ranking,
            destinations,
            mirrored: !is_paper,
            threads,
        };
        let inputs = common.inputs(&nominal, present);
        let costed = Instant::now();
        limits.share_out(&design, &inputs, options);
        let there = design.present.as_ref().unwrap_or(&design.links);
        let bands = (limits.bands(there).into_iter())
            .map(|(steps, links)| (steps, common.inputs(&nominal, Some(&links))))
            .collect();
        let wider = layers.iter().skip(1).map(|links| match is_paper {
            true => common.inputs(&Arc::new(common.paths(links, &nominal)), None),
            false => common.inputs(&nominal, Some(links)),
        });
        let inputs: Vec<Inputs> = [inputs].into_iter().chain(wider).collect();
        let widest = inputs.last().filter(|_| inputs.len() > 1);
        let widest = widest.map(|inputs| &inputs.present().costs);
        let needs_of = |inputs: &Inputs| {
            let paths = inputs.present();
            Needs::new(&design.there, ranking, paths, widest, options.connect_roots)
        };
        let needs: Vec<Needs> = inputs.iter().map(needs_of).collect();
        let own = |place: u32| design.switch[place as usize];
        let of_hosts = needs.last().map(|needs| needs.of_hosts(&nominal.costs));
        let mut unreachable = of_hosts.unwrap_or_default();
        unreachable.first = (unreachable.first.iter())
            .filter_map(|&(from, to)| Some((own(from)?, own(to)?)))
            .collect();
        let detours = needs[0].joined.iter().map(|need| need.to);
        let bands = Bands::new(&inputs[0], bands, detours);
        let layers = (inputs.into_iter().zip(needs))
            .map(|(inputs, needs)| Layer { inputs, needs })
            .collect();
        let own = |node: &u32| design.node[*node as usize];
        let order = nids.order.iter().filter_map(own).collect();
        let ranking = ranking.of_some(&design.place);
        let timings = Timings {
            rank: ranked - start,
            cost: costed - ranked,
            nid: costed.elapsed(),
        };
        Ok(Plan {
            ranking,
            place: design.place,
            switch: design.switch,
            order,
            unreachable,
            layers,
            connected: OnceLock::new(),
            more_turns: OnceLock::new(),
            on_unreachable: options.on_unreachable,
            known: design.known,
            ranks_by_guid: design.ranks_by_guid,
            bands,
            timings,
        })
    }

    /// The place of a switch of the fabric.
    fn place(&self, switch: u32) -> u32 {
        self.place[switch as usize]
    }

    /// The switch of the fabric at a place; `None` if the place is empty.
    fn own(&self, place: u32) -> Option<u32> {
        self.switch[place as usize]
    }

    /// The paths over all links, drained ones included.
    fn paths(&self) -> &Paths {
        self.layers[self.layers.len() - 1].inputs.present()
    }

    /// The paths to use from one place to another: over drained links only where no others exist.
    fn paths_between(&self, from: u32, to: u32) -> &Paths {
        let mut layers = self.layers.iter().map(|layer| layer.inputs.present());
        let found = layers.find(|paths| paths.costs.hops(from, to).is_some());
        found.unwrap_or(self.paths())
    }

    fn own_pair(&self, (from, to): (u32, u32)) -> Option<(u32, u32)> {
        Some((self.own(from)?, self.own(to)?))
    }

    /// The error for a fabric in which pairs of hosts have no up-down path, if the options are to fail then.
    pub(super) fn refusal(&self) -> Option<RouteError> {
        let count = self.unreachable.count;
        let refused = count > 0 && self.on_unreachable == OnUnreachable::Fail;
        refused.then_some(RouteError::Unreachable(count))
    }

    /// Writes all rows, each long enough. Returns the number of displaced entries of the first layer and band.
    pub(super) fn write(
        &self,
        fabric: &Fabric,
        rows: &mut [&mut [u8]],
        memory: &RouteMemory,
        threads: &Threads,
    ) -> usize {
        self.write_from(0, fabric, rows, memory, threads)
    }

    /// Writes the layers from `number` on. Returns the number of displaced entries of this layer in the first band.
    fn write_from(
        &self,
        number: usize,
        fabric: &Fabric,
        rows: &mut [&mut [u8]],
        memory: &RouteMemory,
        threads: &Threads,
    ) -> usize {
        let place = |s| self.place(s);
        let inputs = &self.layers[number].inputs;
        let (displaced, (_, steps)) = threads.both(
            || inputs.write(fabric, place, rows, memory, threads),
            || self.connected(),
        );
        if number == 0 {
            self.bands.write(fabric, place, rows, memory, threads);
        }
        inputs.write_detours(&steps[number], place, rows, threads);
        if number + 1 < self.layers.len() {
            let mut wide = vec![vec![NO_PATH; fabric.max_lid().index() + 1]; rows.len()];
            let mut own: Vec<&mut [u8]> = wide.iter_mut().map(Vec::as_mut_slice).collect();
            self.write_from(number + 1, fabric, &mut own, memory, threads);
            Fallback {
                fabric,
                ranking: &self.ranking,
                may_turn: &|from, at, to| self.may_turn(from, at, to),
            }
            .write(rows, &wide);
        }
        displaced
    }

    /// The detours of each layer, and the pairs that no layer serves. The first layer takes its turns first; but the
    /// last layer does, if that serves a pair that is left out otherwise.
    fn connected(&self) -> &(Connections, Vec<Steps>) {
        self.connected.get_or_init(|| {
            let layers = 0..self.layers.len();
            let (mut found, mut steps) = self.connect(layers.clone());
            if found.left_out > 0 && layers.len() > 1 {
                let (others, mut by_others) = self.connect(layers.rev());
                if found.left.iter().any(|pair| !others.left.contains(pair)) {
                    by_others.reverse();
                    (found, steps) = (others, by_others);
                }
            }
            let left = std::mem::take(&mut found.left).into_iter();
            found.left = left.filter_map(|pair| self.own_pair(pair)).collect();
            (found, steps)
        })
    }

    /// Searches the detours of some layers, one after the other.
    fn connect(&self, layers: impl Iterator<Item = usize>) -> (Connections, Vec<Steps>) {
        let connect = self.on_unreachable == OnUnreachable::Connect;
        let mut found: Option<Connections> = None;
        let steps = layers.map(|number| {
            let Layer { inputs, needs } = &self.layers[number];
            let row = |s| match number {
                0 => self.bands.row_up(inputs, s),
                _ => inputs.row_up(s),
            };
            let entries = Entries {
                destinations: &inputs.destinations,
                row: &row,
            };
            let before = found.take();
            let paths = [inputs.present(), self.paths()];
            let (now, steps) = Connections::find(needs, paths, connect, &entries, before);
            found = Some(now);
            steps
        });
        let steps: Vec<Steps> = steps.collect();
        let mut found = found.unwrap_or_default();
        if let [_, _, ..] = *steps {
            let mut pairs: Vec<(u32, Lid)> = steps.iter().flat_map(Steps::pairs).collect();
            pairs.sort_unstable();
            pairs.dedup();
            found.turned = pairs.len();
        }
        (found, steps)
    }

    /// End nodes (indices into [`Fabric::end_nodes`]) in ascending topological NID.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// All switches in the order of their places.
    pub fn places(&self) -> Vec<u32> {
        self.switch.iter().flatten().copied().collect()
    }

    /// The fabric merged with its reference, and the levels of the merged fabric; `None` without a reference. Wrong
    /// cables of the reference are not in it.
    pub fn known(&self) -> Option<(&Merged, &Ranking)> {
        let (merged, ranking) = self.known.as_deref()?;
        Some((merged, ranking))
    }

    /// The ranks on which GUIDs, not ports, decide places. With a reference a replaced box would keep its place there.
    pub fn ranks_by_guid(&self) -> &[u32] {
        &self.ranks_by_guid
    }

    /// The levels of the fabric.
    pub fn ranking(&self) -> &Ranking {
        &self.ranking
    }

    /// The divider of a switch: Π of the paper.
    pub fn divider(&self, switch: u32) -> u32 {
        self.layers[0].inputs.nominal.dividers[self.place(switch) as usize]
    }

    /// Hops of the up-down path from switch `from` to switch `to`, `None` if there is none.
    pub fn hops(&self, from: u32, to: u32) -> Option<u8> {
        let [from, to] = [from, to].map(|s| self.place(s));
        self.paths_between(from, to).costs.hops(from, to)
    }

    /// Hops of the path from switch `from` to switch `to` that only goes down, `None` if there is none.
    pub fn hops_down(&self, from: u32, to: u32) -> Option<u8> {
        let [from, to] = [from, to].map(|s| self.place(s));
        self.paths_between(from, to).costs.hops_down(from, to)
    }

    /// The next switch on the detour from `from` to `to`, and the hops of the detour; `None` if there is no detour.
    pub fn turned(&self, from: u32, to: u32) -> Option<(u32, u8)> {
        let [from, to] = [from, to].map(|s| self.place(s));
        let mut layers = self.layers.iter().zip(&self.connected().1);
        layers.find_map(|(layer, steps)| {
            let target = steps.target(to)?;
            let first = steps.next(from, target)?;
            let (mut at, mut hops) = (from, 0u8);
            while let Some(then) = steps.next(at, target) {
                (at, hops) = (then, hops.saturating_add(1));
            }
            let rest = layer.inputs.present().costs.hops(at, to)?;
            Some((self.own(first)?, hops.saturating_add(rest)))
        })
    }

    /// Pairs of switches with hosts that have no up-down path.
    pub fn unreachable(&self) -> &Unreachable {
        &self.unreachable
    }

    /// The result for pairs without an up-down path: which have detours, which have none.
    pub fn connections(&self) -> &Connections {
        &self.connected().0
    }

    /// Whether multicast packets that come down from switch `from` to `at` may go up to `to`: all such turns and the
    /// unicast routes together close no credit loop.
    pub fn may_turn(&self, from: u32, at: u32, to: u32) -> bool {
        let paths = self.paths();
        let turns = (self.more_turns).get_or_init(|| self.connections().more_turns(paths));
        turns.has(self.place(from), self.place(at), self.place(to))
    }

    /// The alternative output ports P(s,d) of the paper's equation (2) from a switch to an end node, ascending by group
    /// and port; at the node's own switch, the node's port alone.
    pub fn alternatives(&self, fabric: &Fabric, switch: u32, end_node: u32) -> Vec<u8> {
        let node = &fabric.end_nodes()[end_node as usize];
        if node.switch == switch {
            return vec![node.port];
        }
        let (from, to) = (self.place(switch), self.place(node.switch));
        let view = SwitchView::new(self.paths_between(from, to), from);
        let set = view.candidates(view.all.column(to));
        let ports = |g| view.groups.ports(g).to_vec();
        view.groups(set).flat_map(ports).collect()
    }

    /// Time spent on the plan. [`crate::dmodc::Engine::fill`] returns the time of the routes.
    pub fn timings(&self) -> Timings {
        self.timings
    }
}
