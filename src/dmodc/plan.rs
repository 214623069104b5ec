//! All that is computed of a fabric before its routes are written.

use super::capacity::{Bands, Fallback, Limits};
use super::connect::{Connections, Entries, Needs, Steps, Turns, Unreachable};
use super::design::{Design, standing};
use super::options::{Drained, Faults, OnUnreachable, Options, RouteError, Timings};
use super::paths::{Paths, dividers, path_dividers};
use super::routes::{Inputs, RouteMemory, RowClasses, SwitchView};
use super::targets::{Destinations, Nids};
use super::threads::Threads;
use super::tree::{Groups, Links, Ranking};
use crate::fabric::{Fabric, Merged};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// All that is computed of a fabric before its routes are written. It is not changed afterwards, but for the
/// detours, which [`crate::dmodc::Engine::fill`] searches while it writes.
#[derive(Clone, Debug)]
pub struct Plan {
    /// By switch of the fabric its place, and by place its switch.
    place: Vec<u32>,
    switch: Vec<Option<u32>>,
    /// The levels of the fabric's switches.
    ranking: Ranking,
    order: Vec<u32>,
    unreachable: Unreachable,
    needs: Needs,
    /// The detours.
    connected: OnceLock<(Connections, Steps)>,
    /// Turns for multicast, computed on first use.
    more_turns: OnceLock<Turns>,
    on_unreachable: OnUnreachable,
    known: Option<Arc<(Merged, Ranking)>>,
    untold: Vec<u32>,
    inputs: Inputs,
    bands: Bands,
    /// Both ends of drained links, as (switch, port), ascending.
    drained: Vec<(u32, u8)>,
    timings: Timings,
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
        let ranking = &design.ranking;
        let mut limits = Limits::new(fabric, &design, options);
        let drained = limits.any_drained();
        let there = design.present.as_ref().unwrap_or(&design.links);
        let undrained = drained.then(|| limits.undrained(there));
        // The paper knows of no link that is meant to be and is not there.
        let (expected, present) = match options.faults {
            Faults::Paper => (undrained.as_ref(), None),
            Faults::Stable => (None, undrained.as_ref().or(design.present.as_ref())),
        };
        let groups_of = |links: &Links| Groups::new(links, ranking, threads);
        let groups = match expected {
            Some(links) => groups_of(links),
            None => design.groups.clone(),
        };
        let present = present.map(groups_of);
        let ranked = Instant::now();
        let nominal = Arc::new(Paths::new(groups, ranking, threads));
        let with = |groups| nominal.with(groups, threads);
        let nids = Nids::new(&design, &nominal.costs, options);
        let destinations = Arc::new(Destinations::new(&design, &nominal.costs, &nids));
        let dividers: Arc<[u32]> = dividers(&nominal.groups).into();
        let path_dividers: Arc<[u32]> = path_dividers(&nominal.groups).into();
        let expected = expected.unwrap_or(&design.links);
        // The inputs of the rows: nominal paths, and the present groups where they differ.
        let inputs_of = |present: Option<Groups>| {
            let present = present.map(with);
            let now = present.as_ref().unwrap_or(&nominal);
            let standing = standing(expected, &now.groups);
            let standing = standing.map(|links| with(groups_of(&links)));
            let all_groups = [&nominal.groups, &now.groups];
            let all_groups = &all_groups[..1 + usize::from(present.is_some())];
            Inputs {
                classes: RowClasses::new(all_groups, &dividers, &path_dividers),
                nominal: nominal.clone(),
                mirrored: options.faults == Faults::Stable,
                standing,
                present,
                dividers: dividers.clone(),
                path_dividers: path_dividers.clone(),
                destinations: destinations.clone(),
            }
        };
        let inputs = inputs_of(present);
        let costed = Instant::now();
        limits.share_out(&design, &inputs, options);
        let bands = limits.bands(there).into_iter();
        let further = bands.map(|(steps, links)| (steps, inputs_of(Some(groups_of(&links)))));
        let further = further.collect();
        let all = drained.then(|| with(groups_of(there)));
        let now = inputs.present();
        let needs = Needs::new(
            &design.there,
            ranking,
            now,
            all.as_ref(),
            options.connect_roots,
        );
        let own = |place: u32| design.switch[place as usize];
        let mut unreachable = needs.of_hosts(&all.as_ref().unwrap_or(now).costs);
        let named = unreachable.first.iter();
        unreachable.first = named
            .filter_map(|&(from, to)| Some((own(from)?, own(to)?)))
            .collect();
        let bands = Bands::new(&inputs, further, all, needs.joined.iter().map(|n| n.to));
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
            needs,
            connected: OnceLock::new(),
            more_turns: OnceLock::new(),
            on_unreachable: options.on_unreachable,
            known: design.known,
            untold: design.untold,
            inputs,
            bands,
            drained: Drained::ends(fabric, &options.drain),
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
        self.bands.all().unwrap_or(self.inputs.present())
    }

    /// The paths to use from one place to another: over drained links only where no others exist.
    fn paths_between(&self, from: u32, to: u32) -> &Paths {
        let now = self.inputs.present();
        match now.costs.hops(from, to) {
            Some(_) => now,
            None => self.paths(),
        }
    }

    fn own_pair(&self, (from, to): (u32, u32)) -> Option<(u32, u32)> {
        Some((self.own(from)?, self.own(to)?))
    }

    /// The refusal of a fabric with pairs of leaves without an up-down path, if the options want it.
    pub(super) fn refusal(&self) -> Option<RouteError> {
        let count = self.unreachable.count;
        let refused = count > 0 && self.on_unreachable == OnUnreachable::Fail;
        refused.then_some(RouteError::Unreachable(count))
    }

    /// Writes all rows, which are long enough. Returns how many entries are not at their nominal ports.
    pub(super) fn write(
        &self,
        fabric: &Fabric,
        rows: &mut [&mut [u8]],
        memory: &RouteMemory,
        threads: &Threads,
    ) -> usize {
        let place = |s| self.place(s);
        let (displaced, (_, steps)) = threads.both(
            || self.inputs.write(fabric, place, rows, memory, threads),
            || self.connected(),
        );
        self.bands.write(fabric, place, rows, memory, threads);
        self.inputs.write_detours(steps, place, rows, threads);
        if let Some(all) = self.bands.all() {
            Fallback {
                fabric,
                ranking: &self.ranking,
                drained: &self.drained,
                joins: &|from, to| all.costs.hops(place(from), place(to)).is_some(),
            }
            .write(rows);
        }
        displaced
    }

    /// The detours, and the pairs left out.
    fn connected(&self) -> &(Connections, Steps) {
        self.connected.get_or_init(|| {
            let paths = self.inputs.present();
            let connect = self.on_unreachable == OnUnreachable::Connect;
            let row = |s| self.bands.row_up(&self.inputs, s);
            let entries = Entries {
                destinations: &self.inputs.destinations,
                row: &row,
            };
            let found = Connections::find(&self.needs, [paths, self.paths()], connect, &entries);
            let (mut connections, steps) = found;
            let left = std::mem::take(&mut connections.left).into_iter();
            connections.left = left.filter_map(|pair| self.own_pair(pair)).collect();
            (connections, steps)
        })
    }

    /// End nodes (indices into [`Fabric::end_nodes`]) in ascending topological NID.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// All switches in the order of their places.
    pub fn places(&self) -> Vec<u32> {
        self.switch.iter().flatten().copied().collect()
    }

    /// The fabric merged with its reference, and the levels of both, if it was planned with one. Wrong cables
    /// of the reference are not in it.
    pub fn known(&self) -> Option<(&Merged, &Ranking)> {
        let (merged, ranking) = self.known.as_deref()?;
        Some((merged, ranking))
    }

    /// The ranks on which GUIDs, not ports, decide places. With a reference a replaced box would keep its
    /// place there.
    pub fn untold(&self) -> &[u32] {
        &self.untold
    }

    /// The levels of the fabric.
    pub fn ranking(&self) -> &Ranking {
        &self.ranking
    }

    /// The divider of a switch: Π of the paper.
    pub fn divider(&self, switch: u32) -> u32 {
        self.inputs.dividers[self.place(switch) as usize]
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

    /// The neighbour by which switch `from` goes to switch `to` on a detour, and the hops, where no path is up-down.
    pub fn turned(&self, from: u32, to: u32) -> Option<(u32, u8)> {
        let (mut at, to) = (self.place(from), self.place(to));
        let steps = &self.connected().1;
        let target = steps.target(to)?;
        let first = steps.next(at, target)?;
        let mut hops = 0u8;
        while let Some(then) = steps.next(at, target) {
            (at, hops) = (then, hops.saturating_add(1));
        }
        let rest = self.paths().costs.hops(at, to)?;
        Some((self.own(first)?, hops.saturating_add(rest)))
    }

    /// Pairs of leaves without an up-down path.
    pub fn unreachable(&self) -> &Unreachable {
        &self.unreachable
    }

    /// The detours of pairs without an up-down path.
    pub fn connections(&self) -> &Connections {
        &self.connected().0
    }

    /// Whether multicast packets that come down from one switch to another may go up to a third: all such
    /// turns and the unicast routes together close no credit loop.
    pub fn may_turn(&self, from: u32, at: u32, to: u32) -> bool {
        let paths = self.paths();
        let turns = (self.more_turns).get_or_init(|| self.connections().more_turns(paths));
        turns.has(self.place(from), self.place(at), self.place(to))
    }

    /// The alternative output ports P(s,d) of the paper's equation (2) from a switch to an end node,
    /// ascending by group and port; the node's own port on its switch.
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

    /// Time spent so far, without the routes: [`crate::dmodc::Engine::fill`] adds them.
    pub fn timings(&self) -> Timings {
        self.timings
    }
}
