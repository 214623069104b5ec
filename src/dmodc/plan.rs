//! What is known of a fabric before its routes are written.

use super::connect::{Connections, Needs, Steps, Turns};
use super::nominal::{complete, standing};
use super::options::{Faults, OnUnreachable, Options, RouteError, Timings};
use super::paths::{Costs, Paths, Unreachable, dividers, path_dividers};
use super::routes::{Inputs, RouteMemory, RowClasses, SwitchView};
use super::targets::{Destinations, Nids};
use super::threads::Threads;
use super::tree::{Groups, Links, Ranking, Rule, WiringWarning, level_cycle, wiring_warnings};
use crate::fabric::{Fabric, Merged};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// What is known of a fabric before its routes are written.
#[derive(Clone, Debug)]
pub struct Plan {
    ranking: Ranking,
    order: Vec<u32>,
    nid: Vec<u32>,
    unreachable: Unreachable,
    needs: Needs,
    /// The ways that turn, looked for while routes are written.
    connected: OnceLock<(Connections, Steps)>,
    /// Turns for multicast, when one was asked for.
    more_turns: OnceLock<Turns>,
    on_unreachable: OnUnreachable,
    inputs: Inputs,
    /// With a reference, rows are computed for switches of both.
    with_reference: Option<WithReference>,
    timings: Timings,
}

/// The switches of a fabric among those of the fabric and its reference.
#[derive(Clone, Debug)]
struct WithReference {
    /// Which switch each of the fabric's is, ascending.
    switch: Vec<u32>,
    /// The port groups of the fabric alone.
    groups: Groups,
}

impl Plan {
    /// Plans a fabric, in memory that another plan has left.
    pub(super) fn alone(
        fabric: &Fabric,
        options: &Options,
        spare: Vec<Vec<u8>>,
        threads: &Threads,
    ) -> Result<Plan, RouteError> {
        Plan::over(fabric, fabric, None, options, spare, threads)
    }

    /// Plans a fabric over its switches and those of its reference.
    pub(super) fn beside(
        reference: &Fabric,
        fabric: &Fabric,
        options: &Options,
        spare: Vec<Vec<u8>>,
        threads: &Threads,
    ) -> Result<Plan, RouteError> {
        let start = Instant::now();
        let merged = Merged::new(fabric, reference);
        let merging = start.elapsed();
        let (nominal, is_new) = (&merged.nominal, Some(&*merged.is_new));
        let mut plan = Plan::over(nominal, &merged.there, is_new, options, spare, threads)?;
        plan.timings.rank += merging;
        let planned = Instant::now();
        plan.narrow(fabric, merged);
        plan.timings.nid += planned.elapsed();
        Ok(plan)
    }

    /// Plans what should be there (`nominal`) and what is, with the same switches. `is_new` says which of
    /// them the reference does not know; without a reference, both fabrics are one.
    fn over(
        nominal: &Fabric,
        there: &Fabric,
        is_new: Option<&[bool]>,
        options: &Options,
        spare: Vec<Vec<u8>>,
        threads: &Threads,
    ) -> Result<Plan, RouteError> {
        let start = Instant::now();
        let links = Links::new(nominal);
        let ranking = Ranking::of(nominal, &links, options);
        let groups = Groups::new(links, &ranking, threads);
        if ranking.rule() != Rule::Roots
            && let Some(cycle) = level_cycle(&groups)
        {
            let guid = |s: u32| nominal.switches()[s as usize].guid;
            return Err(RouteError::NotATree(cycle.into_iter().map(guid).collect()));
        }
        let completed = match options.faults {
            Faults::Stable => complete(&groups, &ranking),
            Faults::Paper => None,
        };
        let completed = completed.map(|links| Groups::new(links, &ranking, threads));
        let (groups, present) = match (is_new, completed) {
            (None, None) => (groups, None),
            (None, Some(completed)) => (completed, Some(groups)),
            (Some(_), completed) => {
                let present = Groups::new(Links::new(there), &ranking, threads);
                (completed.unwrap_or(groups), Some(present))
            }
        };
        let ranked = Instant::now();
        let mut spare = spare.into_iter();
        let mut memory = || spare.next().unwrap_or_default();
        let paths = Paths::new(groups, &ranking, memory(), threads);
        let present = present.map(|groups| paths.with(groups, memory(), threads));
        let now = present.as_ref().unwrap_or(&paths);
        let standing = standing(&paths.groups, &now.groups);
        let standing = standing.map(|links| Groups::new(links, &ranking, threads));
        let standing = standing.map(|groups| paths.with(groups, memory(), threads));
        let costed = Instant::now();
        let unreachable = Unreachable::new(there, &ranking, &now.costs);
        let needs = Needs::new(there, &ranking, now, options.connect_roots);
        let is_new = |leaf: u32| is_new.is_some_and(|is_new| is_new[leaf as usize]);
        let nids = Nids::new(nominal, &ranking, &paths.costs, options, is_new);
        let destinations = Destinations::new(nominal, &paths.costs, &nids);
        let dividers = dividers(&paths.groups);
        let path_dividers = path_dividers(&paths.groups);
        let all_groups = [&paths.groups, &now.groups];
        let classes = RowClasses::new(
            &all_groups[..1 + usize::from(present.is_some())],
            &dividers,
            &path_dividers,
        );
        let inputs = Inputs {
            nominal: paths,
            standing,
            present,
            dividers,
            path_dividers,
            destinations,
            classes,
        };
        let timings = Timings {
            rank: ranked - start,
            cost: costed - ranked,
            nid: costed.elapsed(),
            routes: Duration::ZERO,
        };
        Ok(Plan {
            ranking,
            order: nids.order().to_vec(),
            nid: nids.of_nodes().to_vec(),
            unreachable,
            needs,
            connected: OnceLock::new(),
            more_turns: OnceLock::new(),
            on_unreachable: options.on_unreachable,
            inputs,
            with_reference: None,
            timings,
        })
    }

    /// Leaves what is told of the fabric's own switches and end nodes.
    fn narrow(&mut self, fabric: &Fabric, merged: Merged) {
        let own = |node: &u32| merged.node[*node as usize];
        self.order = self.order.iter().filter_map(own).collect();
        let nids = self.nid.iter().zip(&merged.node);
        let nids = nids.filter(|(_, own)| own.is_some());
        self.nid = nids.map(|(&nid, _)| nid).collect();
        self.ranking = self.ranking.of_some(&merged.switch);
        self.with_reference = Some(WithReference {
            groups: Groups::of(fabric, &self.ranking),
            switch: merged.switch,
        });
        let mut unreachable = std::mem::take(&mut self.unreachable.first);
        for (from, to) in &mut unreachable {
            (*from, *to) = (self.own(*from), self.own(*to));
        }
        self.unreachable.first = unreachable;
    }

    /// Which switch one of the fabric is among those that rows are computed for.
    fn place(&self, switch: u32) -> u32 {
        let with_reference = self.with_reference.as_ref();
        with_reference.map_or(switch, |with| with.switch[switch as usize])
    }

    /// Which switch of the fabric one of those is that rows are computed for.
    fn own(&self, switch: u32) -> u32 {
        let with_reference = self.with_reference.as_ref();
        with_reference.map_or(switch, |with| {
            with.switch.binary_search(&switch).unwrap_or_default() as u32
        })
    }

    /// Whether the fabric is to be refused, since pairs of leaves have no up-down path.
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
        self.inputs.write_turns(steps, place, rows, threads);
        displaced
    }

    /// The ways that turn, and who is left out.
    fn connected(&self) -> &(Connections, Steps) {
        self.connected.get_or_init(|| {
            let paths = self.inputs.present();
            let connect = self.on_unreachable == OnUnreachable::Connect;
            let behind = |s| self.inputs.destinations.lids_behind(paths.costs.column(s));
            let found = Connections::find(&self.needs, paths, connect, |s| behind(s).len());
            let (mut connections, steps) = found;
            for (from, to) in &mut connections.left {
                (*from, *to) = (self.own(*from), self.own(*to));
            }
            (connections, steps)
        })
    }

    /// The memory of the costs.
    pub(super) fn into_memory(self) -> Vec<Vec<u8>> {
        let Inputs {
            nominal,
            standing,
            present,
            ..
        } = self.inputs;
        let paths = [Some(nominal), present, standing];
        let costs = paths.into_iter().flatten().map(|p| p.costs);
        costs.map(Costs::into_memory).collect()
    }

    /// End nodes (indices into [`Fabric::end_nodes`]) in ascending topological NID.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// The topological NID of an end node: t of the paper.
    pub fn nid(&self, end_node: u32) -> u32 {
        self.nid[end_node as usize]
    }

    /// The levels of the fabric.
    pub fn ranking(&self) -> &Ranking {
        &self.ranking
    }

    /// What the wiring warns of.
    pub fn wiring_warnings(&self, fabric: &Fabric) -> Vec<WiringWarning> {
        wiring_warnings(fabric, &self.ranking, self.groups())
    }

    /// The port groups of the fabric.
    pub fn groups(&self) -> &Groups {
        match &self.with_reference {
            Some(with_reference) => &with_reference.groups,
            None => &self.inputs.present().groups,
        }
    }

    /// The divider of a switch: Π of the paper.
    pub fn divider(&self, switch: u32) -> u32 {
        self.inputs.dividers[self.place(switch) as usize]
    }

    /// Hops of the up-down path from switch `from` to switch `to`, `None` if there is none.
    pub fn hops(&self, from: u32, to: u32) -> Option<u8> {
        let costs = &self.inputs.present().costs;
        costs.hops(self.place(from), self.place(to))
    }

    /// Hops of the path from switch `from` to switch `to` that only goes down, `None` if there is
    /// none.
    pub fn hops_down(&self, from: u32, to: u32) -> Option<u8> {
        let costs = &self.inputs.present().costs;
        costs.hops_down(self.place(from), self.place(to))
    }

    /// The neighbour by which switch `from` goes to switch `to`, and the hops, where no path is up-down
    /// and a way turns.
    pub fn turned(&self, from: u32, to: u32) -> Option<(u32, u8)> {
        let (mut at, to) = (self.place(from), self.place(to));
        let next = |at: u32| {
            let steps = self.connected().1.get(at as usize)?;
            let step = steps.binary_search_by_key(&to, |step| step.0).ok()?;
            Some(steps[step].1)
        };
        let first = next(at)?;
        let mut hops = 0u8;
        while let Some(then) = next(at) {
            (at, hops) = (then, hops.saturating_add(1));
        }
        let rest = self.inputs.present().costs.hops(at, to)?;
        Some((self.own(first), hops.saturating_add(rest)))
    }

    /// Pairs of leaves without an up-down path.
    pub fn unreachable(&self) -> &Unreachable {
        &self.unreachable
    }

    /// What becomes of pairs without an up-down path.
    pub fn connections(&self) -> &Connections {
        &self.connected().0
    }

    /// Whether multicast packets that come down from one switch to another may go up to a third: no
    /// credit loop comes of it, nor of all such turns and the unicast routes together.
    pub fn may_turn(&self, from: u32, at: u32, to: u32) -> bool {
        let paths = self.inputs.present();
        let turns = (self.more_turns).get_or_init(|| self.connections().more_turns(paths));
        turns.may_turn(paths, self.place(from), self.place(at), self.place(to))
    }

    /// The alternative output ports P(s,d) of the paper's equation (2) from a switch to an end
    /// node, ascending by group and port; its own port where the node hangs off the switch.
    pub fn alternatives(&self, fabric: &Fabric, switch: u32, end_node: u32) -> Vec<u8> {
        let node = &fabric.end_nodes()[end_node as usize];
        if node.switch == switch {
            return vec![node.port];
        }
        let view = SwitchView::new(self.inputs.present(), self.place(switch));
        let set = view.candidates(view.all.column(self.place(node.switch)));
        let ports = |g| view.groups.ports(g).to_vec();
        view.groups(set).flat_map(ports).collect()
    }

    /// Time spent so far; routes come on top, see [`crate::dmodc::Engine::fill`].
    pub fn timings(&self) -> Timings {
        self.timings
    }
}
