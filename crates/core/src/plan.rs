//! The plan: the pipeline on one screen, and its result, a value that does not change.
//!
//! ```text
//! fabric ─ ranking ─ paths (costs) ─┬─ roles (kinds, uplinks, numbers) ─ link sets ─┬─ rows
//!                                   └─ needs ─ detours ────────────────────────────┘
//! ```

use super::detours::{Connections, Ends, MayConnect, Needs, Steps, Turns, Unreachable, turned};
use super::ids::{BySwitch, SwitchId};
use super::kinds::Roles;
use super::options::{Faults, OnUnreachable, Options, RouteError, Timings};
use super::paper::Paper;
use super::paths::Paths;
use super::rows::{AllLinks, Counted, Fallback, LinkSets, SMALL};
use super::threads::{ALONE, Threads};
use super::tree::{Groups, Ranking, components};
use dmodc_fabric::{EndNode, Fabric, Lid, NO_PATH, NodeId, NodeKind, PortNumber, Tables};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// All that the engine computes from a fabric before it writes rows.
#[derive(Clone, Debug)]
pub struct Plan {
    ranking: Ranking,
    rule: Rule,
    /// The first layer has no drained links; the last has all links, for pairs without a path before; see
    /// [`drained_by_layer`].
    layers: Vec<Layer>,
    connections: Connections,
    /// The switches to which all entries are those over all links, ascending.
    over_all: Vec<SwitchId>,
    unreachable: Unreachable,
    /// Turns for multicast, computed on first use.
    more_turns: OnceLock<Turns>,
    on_unreachable: OnUnreachable,
    /// Whether the reference is in use.
    remembers: bool,
    timings: Timings,
}

/// The rule by which rows are written.
#[derive(Clone, Debug)]
enum Rule {
    Stable(Box<LinkSets>),
    Paper(Box<Paper>),
}

/// The paths over a set of links, and the detours over it.
#[derive(Clone, Debug)]
struct Layer {
    paths: Arc<Paths>,
    steps: Steps,
}

impl Plan {
    /// Plans a fabric.
    ///
    /// # Errors
    /// [`RouteError::NotATree`] if links between equal ranks alone close a cycle and no roots are given.
    pub(super) fn new(
        fabric: &Fabric,
        options: &Options,
        threads: &Threads,
    ) -> Result<Plan, RouteError> {
        let mut options = Cow::Borrowed(options);
        let mut plan = Self::by_levels(fabric, &options, threads, true)?;
        let unused = match &plan.rule {
            Rule::Stable(sets) => sets.unused(fabric),
            Rule::Paper(_) => Vec::new(),
        };
        if !unused.is_empty() {
            let mut drain = options.clone();
            drain.to_mut().drain.extend(unused);
            let drained = plan.again(fabric, &drain, threads, true)?;
            // In 2 of 12,000 random fabrics a switch would have no entry for another.
            let [was, is] = [&plan, &drained].map(|plan| plan.entries(fabric));
            if was.iter().zip(is).all(|(was, is)| is || !was) {
                (plan, options) = (drained, drain);
            }
        }
        // The paper's letter has its own levels.
        let may_connect =
            options.on_unreachable == OnUnreachable::Connect && options.faults == Faults::Stable;
        let Some(top) = plan.connections.top.filter(|_| may_connect) else {
            return Ok(plan);
        };
        // Pairs of hosts are left out: one switch above all others connects them.
        options.to_mut().root_guids = vec![fabric.guid(top)];
        plan.again(fabric, &options, threads, false)
    }

    /// By switch and LID: whether there is an entry. For few switches.
    fn entries(&self, fabric: &Fabric) -> Vec<bool> {
        let mut tables = Tables::for_fabric(fabric);
        self.write(fabric, &mut tables.rows_mut(), ALONE);
        let rows = fabric.switches().keys().map(|s| tables.row(s));
        rows.flat_map(|row| row.iter().map(|&entry| entry != NO_PATH))
            .collect()
    }

    /// Plans a fabric once more. The time of this plan is the next one's.
    fn again(
        &self,
        fabric: &Fabric,
        options: &Options,
        threads: &Threads,
        keeps: bool,
    ) -> Result<Plan, RouteError> {
        let Timings { rank, cost, nid } = self.timings;
        let mut next = Self::by_levels(fabric, options, threads, keeps)?;
        next.timings.nid += rank + cost + nid;
        Ok(next)
    }

    /// Plans a fabric, by the levels of the reference if `keeps` is set and they hold.
    fn by_levels(
        fabric: &Fabric,
        options: &Options,
        threads: &Threads,
        keeps: bool,
    ) -> Result<Plan, RouteError> {
        let start = Instant::now();
        let pool = threads.to_fill(fabric.switches().len());
        let threads = threads.to_plan(fabric.switches().len());
        let reference = options.reference().and_then(|reference| {
            let before = Before::new(reference, fabric, options);
            if before.is_none() {
                log::error!("the reference is no tree; going on without it");
            }
            before
        });
        let before = reference.as_ref();
        let levels = before.map(|before| (before.fabric, &before.ranking));
        let (ranking, links) = Ranking::find(fabric, options, levels.filter(|_| keeps))?;
        let ranked = Instant::now();
        let groups = Groups::new(&links, &ranking, threads);
        let paths = Paths::new(groups, &ranking, threads);
        let costed = Instant::now();
        let drained = drained_by_layer(fabric, options.drained(fabric));
        let layers = LinkSets::layers(paths, &links, &drained, &ranking, threads);
        let known = before.map(|before| before.fabric);
        let widest = &layers[layers.len() - 1];
        let ends = Arc::new(Ends::new(fabric, known, widest, options.connect_roots));
        let needs: Vec<Needs> = layers
            .iter()
            .map(|paths| Needs::new(&ends, paths))
            .collect();
        let unreachable = needs[needs.len() - 1].of_hosts(&ends);
        let find_rule = || match options.faults {
            Faults::Paper => Rule::Paper(Box::new(Paper::new(fabric, &ranking, widest, options))),
            Faults::Stable => {
                let roles = Roles::new(fabric, &ranking, &widest.groups, levels, options);
                let all = AllLinks {
                    fabric,
                    ranking: &ranking,
                    links: &links,
                    layers: &layers,
                    drained,
                    before: before.and_then(|of| Some((of.fabric, of.counted.as_ref()?))),
                };
                Rule::Stable(Box::new(LinkSets::new(all, roles, options, threads)))
            }
        };
        let find_detours = || connect(fabric, &layers, &needs, ends, options);
        // Detours need paths alone. Side by side: 2.9 ms for 4.4 on 8,640 nodes with faults, two threads.
        let has_needs = needs.iter().any(|needs| !needs.joined.is_empty());
        let beside = if has_needs { pool } else { ALONE };
        let (mut rule, (connections, steps)) = beside.both(find_rule, find_detours);
        if let Rule::Stable(sets) = &mut rule {
            sets.add_detours(steps[0].all());
        }
        let layers = layers.into_iter().zip(steps);
        let layers = layers.map(|(paths, steps)| Layer { paths, steps });
        let mut plan = Plan {
            ranking,
            rule,
            layers: layers.collect(),
            connections,
            over_all: Vec::new(),
            unreachable,
            more_turns: OnceLock::new(),
            on_unreachable: options.on_unreachable,
            remembers: reference.is_some(),
            timings: Timings {
                rank: ranked - start,
                cost: costed - ranked,
                nid: Duration::ZERO,
            },
        };
        plan.settle(fabric, pool);
        plan.timings.nid = costed.elapsed();
        Ok(plan)
    }

    /// Leaves out pairs with a detour over the first layers alone, if the rows of all layers cannot serve all pairs to a
    /// switch: where the last has none, entries of the first would turn. Of 120 random fabrics with a third of their
    /// links drained the proof refused 24.
    fn settle(&mut self, fabric: &Fabric, threads: &Threads) {
        let all = std::mem::take(&mut self.connections.left_over_all);
        if all.len() == self.connections.left.len() {
            return;
        }
        let mut tables = Tables::for_fabric(fabric);
        let turning = self.write_layers(fabric, &mut tables.rows_mut(), threads).1;
        let Rule::Stable(sets) = &self.rule else {
            return;
        };
        self.over_all = turning
            .into_iter()
            .filter_map(|lid| sets.switch(lid))
            .collect();
        self.over_all.sort_unstable();
        self.over_all.dedup();
        let present = |s: SwitchId| lids(fabric, s, &[]).collect();
        self.connections.leave_out(&all, &self.over_all, &present);
    }

    /// The error for a fabric in which pairs of hosts have no up-down path, if the options are to fail then.
    pub(super) fn refusal(&self) -> Option<RouteError> {
        let count = self.unreachable.count;
        let refused = count > 0 && self.on_unreachable == OnUnreachable::Fail;
        refused.then_some(RouteError::Unreachable(count))
    }

    /// Writes all rows, each long enough. Returns the number of displaced entries.
    pub(super) fn write(
        &self,
        fabric: &Fabric,
        rows: &mut [&mut [u8]],
        threads: &Threads,
    ) -> usize {
        self.write_layers(fabric, rows, threads).0
    }

    /// As [`Plan::write`]; also returns the LIDs for which the layers make a turn that is not taken.
    fn write_layers(
        &self,
        fabric: &Fabric,
        rows: &mut [&mut [u8]],
        threads: &Threads,
    ) -> (usize, Vec<Lid>) {
        let sets = match &self.rule {
            Rule::Stable(sets) => sets,
            Rule::Paper(paper) => {
                paper.write(fabric, self.paths(), rows, threads);
                self.write_detours(fabric, 0, rows, threads);
                return (0, Vec::new());
            }
        };
        let may_turn = |from, at, to| self.may_turn(from, at, to);
        let displaced = sets.write(fabric, 0, rows, &may_turn, threads);
        self.write_detours(fabric, 0, rows, threads);
        let mut turning = Vec::new();
        let last = self.layers.len() - 1;
        for layer in 1..=last {
            let row = vec![NO_PATH; fabric.max_lid().index() + 1];
            let mut wide: BySwitch<Vec<u8>> = vec![row; rows.len()].into();
            let mut wide_rows: Vec<&mut [u8]> = wide.iter_mut().map(Vec::as_mut_slice).collect();
            sets.write(fabric, layer, &mut wide_rows, &may_turn, threads);
            self.write_detours(fabric, layer, &mut wide_rows, threads);
            let is_over_all = |to: SwitchId| self.over_all.binary_search(&to).is_ok();
            turning = Fallback {
                fabric,
                ranking: &self.ranking,
                may_turn: &may_turn,
                is_whole: &|lid| layer == last && sets.switch(lid).is_some_and(is_over_all),
                spare: &|s, lid, port| sets.spare(s, lid, port),
            }
            .write(rows, &wide, turning);
        }
        (displaced, turning)
    }

    /// Writes the entries of detours, and pins those at which detours turn. LIDs alternate over the links of one group,
    /// dark ones among them, so that a lost link moves its own LIDs alone.
    fn write_detours(
        &self,
        fabric: &Fabric,
        layer: usize,
        rows: &mut [&mut [u8]],
        threads: &Threads,
    ) {
        let Layer { paths, steps } = &self.layers[layer];
        if steps.of_switch.is_empty() {
            return;
        }
        let groups = &paths.groups;
        let of_target = steps.lids(&|s| lids(fabric, s, fabric.absent_of(s)).collect());
        threads.for_each((0..).map(SwitchId).zip(rows).collect(), |(s, row)| {
            let pinned = steps.pinned[s].iter();
            for &(target, next) in steps.of_switch[s].iter().chain(pinned) {
                let lids = of_target[target].iter();
                match groups.to(s, next).map(|group| groups.ports(group)) {
                    Some([port]) => lids.for_each(|lid| row[lid.index()] = *port),
                    Some(ports) => {
                        let known = self.ports_to(fabric, s, next);
                        lids.for_each(|lid| {
                            let at = lid.index();
                            let port = known.get(at % known.len().max(1)).copied().flatten();
                            let other = || ports[at / known.len().max(1) % ports.len()];
                            if !ports.contains(&row[at]) {
                                row[at] = port.filter(|p| ports.contains(p)).unwrap_or_else(other);
                            }
                        });
                    }
                    None => {}
                }
            }
        });
    }

    /// The ports of a switch to another, in the order of the lower one's uplinks; `None` for each dark uplink.
    fn ports_to(&self, fabric: &Fabric, from: SwitchId, to: SwitchId) -> Vec<Option<u8>> {
        let Rule::Stable(sets) = &self.rule else {
            return Vec::new();
        };
        let is_up = self.ranking.is_up(from, to);
        let (low, high) = if is_up { (from, to) } else { (to, from) };
        let uplinks = sets.roles.uplinks.of_switch(low).iter();
        let group = uplinks
            .clone()
            .find(|up| up.to == Some(high))
            .map(|up| up.group);
        let own = |port: u8| match is_up {
            true => Some(port),
            false => fabric.far(low, PortNumber(port)).map(|far| far.1.0),
        };
        let ports = uplinks.filter(|up| Some(up.group) == group);
        ports.map(|up| up.to.and_then(|_| own(up.port))).collect()
    }

    /// The paths over all links, drained ones included.
    fn paths(&self) -> &Paths {
        &self.layers[self.layers.len() - 1].paths
    }

    /// The paths to use from one switch to another: over drained links only where no others exist.
    fn paths_between(&self, from: SwitchId, to: SwitchId) -> &Paths {
        let mut layers = self.layers.iter().map(|layer| &*layer.paths);
        let found = layers.find(|paths| paths.costs.hops(from, to).is_some());
        found.unwrap_or(self.paths())
    }

    /// End nodes (indices into [`Fabric::end_nodes`]) in ascending topological NID.
    pub fn order(&self) -> &[NodeId] {
        match &self.rule {
            Rule::Stable(sets) => &sets.roles.numbers.order,
            Rule::Paper(paper) => &paper.order,
        }
    }

    /// All switches by rank, and within a rank in the order of their numbers.
    pub fn places(&self) -> Vec<SwitchId> {
        let mut switches = self.ranking.ascending();
        if let Rule::Stable(sets) = &self.rule {
            let first = &sets.roles.numbers.first;
            switches.sort_by_key(|&s| (self.ranking.rank(s), first[s]));
        }
        switches
    }

    /// Whether the reference is in use: there is one, and it is a tree.
    pub fn remembers(&self) -> bool {
        self.remembers
    }

    /// The ranks on which GUIDs, not ports, decide places. With a reference a replaced box would keep its place there.
    pub fn ranks_by_guid(&self) -> &[u32] {
        match &self.rule {
            Rule::Stable(sets) => &sets.roles.ranks_by_guid,
            Rule::Paper(_) => &[],
        }
    }

    /// The levels of the fabric.
    pub fn ranking(&self) -> &Ranking {
        &self.ranking
    }

    /// The divider of a switch: Π of the paper.
    pub fn divider(&self, switch: SwitchId) -> u32 {
        match &self.rule {
            Rule::Stable(sets) => sets.roles.kinds.of_switch(switch).dividers.below,
            Rule::Paper(paper) => paper.dividers[switch],
        }
    }

    /// Hops of the up-down path from switch `from` to switch `to`, `None` if there is none.
    pub fn hops(&self, from: SwitchId, to: SwitchId) -> Option<u8> {
        self.paths_between(from, to).costs.hops(from, to)
    }

    /// Hops of the path from switch `from` to switch `to` that only goes down, `None` if there is none.
    pub fn hops_down(&self, from: SwitchId, to: SwitchId) -> Option<u8> {
        let paths = self.paths_between(from, to);
        paths.costs.hops_down(from, to)
    }

    /// The next switch on the detour from `from` to `to`, and the hops of the detour; `None` if there is no detour.
    pub fn turned(&self, from: SwitchId, to: SwitchId) -> Option<(SwitchId, u8)> {
        self.layers.iter().find_map(|layer| {
            let target = layer.steps.target(to)?;
            let first = layer.steps.next(from, target)?;
            let (mut at, mut hops) = (from, 0u8);
            while let Some(then) = layer.steps.next(at, target) {
                (at, hops) = (then, hops.saturating_add(1));
            }
            let rest = layer.paths.costs.hops(at, to)?;
            Some((first, hops.saturating_add(rest)))
        })
    }

    /// Pairs of switches with hosts that have no up-down path.
    pub fn unreachable(&self) -> &Unreachable {
        &self.unreachable
    }

    /// The result for pairs without an up-down path: which have detours, which have none.
    pub fn connections(&self) -> &Connections {
        &self.connections
    }

    /// Pairs of switches (from, to), ascending: the first has a detour to LIDs at the second.
    pub fn detours(&self) -> Vec<(SwitchId, SwitchId)> {
        let switches = self.layers.iter().map(|layer| layer.steps.of_switch.len());
        let switches = switches.max().unwrap_or(0);
        let mut pairs = Vec::new();
        for at in (0..switches).map(SwitchId::from) {
            // Sorting all pairs takes a fifth of the proof's instructions, 8,640 nodes with faults.
            let mut has_detour: BySwitch<bool> = vec![false; switches].into();
            for steps in self.layers.iter().map(|layer| &layer.steps) {
                let own = steps.of_switch.get(at).into_iter().flatten();
                let to = own.flat_map(|step| &steps.targets[step.0]);
                to.for_each(|share| has_detour[share.to] = true);
            }
            let to = has_detour.keys().filter(|&to| has_detour[to]);
            pairs.extend(to.map(|to| (at, to)));
        }
        pairs
    }

    /// Pairs of switches (from, to), ascending, that links join: the first has no entry for LIDs at the second.
    pub fn left_out(&self) -> Vec<(SwitchId, SwitchId)> {
        let mut left = self.connections.left.clone();
        left.sort_unstable();
        left
    }

    /// Whether multicast packets that come down from switch `from` to `at` may go up to `to`: all such turns and the
    /// unicast routes together close no credit loop.
    pub fn may_turn(&self, from: SwitchId, at: SwitchId, to: SwitchId) -> bool {
        let turns = self
            .more_turns
            .get_or_init(|| self.connections.more_turns(self.paths()));
        turns.has(from, at, to)
    }

    /// The alternative output ports P(s,d) of the paper's equation (2) from a switch to an end node, ascending by group
    /// and port; at the node's own switch, the node's port alone.
    pub fn alternatives(
        &self,
        fabric: &Fabric,
        switch: SwitchId,
        end_node: NodeId,
    ) -> Vec<PortNumber> {
        let node = &fabric.end_nodes()[end_node];
        if node.switch == switch {
            return vec![node.port];
        }
        let paths = self.paths_between(switch, node.switch);
        let ports = |group| paths.groups.ports(group).iter().copied().map(PortNumber);
        let candidates = paths.candidates(switch, node.switch);
        candidates.flat_map(ports).collect()
    }

    /// Time spent on the plan. [`crate::Engine::fill`] returns the time of the routes.
    pub fn timings(&self) -> Timings {
        self.timings
    }
}

/// A reference: its levels, and the ports counted there if it is small.
struct Before<'r> {
    fabric: &'r Fabric,
    ranking: Ranking,
    counted: Option<[Counted; 2]>,
}

impl<'r> Before<'r> {
    /// Plans a reference of this fabric now.
    fn new(fabric: &'r Fabric, now: &Fabric, options: &Options) -> Option<Self> {
        let options = &Options {
            reference: None,
            ..options.clone()
        };
        if fabric.switches().len() > SMALL {
            let (ranking, _) = Ranking::find(fabric, options, None).ok()?;
            return Some(Before {
                fabric,
                ranking,
                counted: None,
            });
        }
        // With its own levels, as those of a large reference: not with one switch above all others.
        let plan = Plan::by_levels(&fabric.as_now(now), options, ALONE, true).ok()?;
        Some(Before {
            fabric,
            ranking: plan.ranking,
            counted: match plan.rule {
                Rule::Stable(sets) => Some(sets.counted),
                Rule::Paper(_) => None,
            },
        })
    }
}

/// By layer, the drained links, as [`Options::drained`]: all of them, then none. Between, all but those that join parts
/// with hosts: hosts of a drained leaf use its links, and no others that are drained.
fn drained_by_layer(
    fabric: &Fabric,
    drained: Vec<(SwitchId, PortNumber)>,
) -> Vec<Vec<(SwitchId, PortNumber)>> {
    if drained.is_empty() {
        return vec![drained];
    }
    let is_open = |&(_, (s, port)): &(SwitchId, (SwitchId, PortNumber))| {
        drained.binary_search(&(s, port)).is_err()
    };
    let part = components(fabric.switches().len(), |s| {
        let links = fabric.links_of(s).map(move |(port, to, _)| (to, (s, port)));
        links.filter(is_open).map(|(to, _)| to)
    });
    let hosts = fabric.end_nodes().iter();
    let hosts = hosts.filter(|node| node.kind != NodeKind::Aggregation);
    let with_hosts: BTreeSet<SwitchId> = hosts.map(|node| part[node.switch]).collect();
    let joins_hosts = |&(s, port): &(SwitchId, PortNumber)| {
        let parts = fabric.far(s, port).map(|far| [part[s], part[far.0]]);
        parts.is_some_and(|[a, b]| a != b && with_hosts.contains(&a) && with_hosts.contains(&b))
    };
    let mut others = drained.clone();
    others.retain(|link| !joins_hosts(link));
    match [0, drained.len()].contains(&others.len()) {
        true => vec![drained, Vec::new()],
        false => vec![drained, others, Vec::new()],
    }
}

/// The LIDs of present nodes at a switch, of absent ones, and its own; each with a position that no LID changes: the port of
/// its node, and the offset of the LID.
fn lids<'f>(
    fabric: &'f Fabric,
    s: SwitchId,
    absent: &'f [EndNode],
) -> impl Iterator<Item = (Lid, usize)> + 'f {
    let nodes = fabric.end_nodes_of(s).iter().chain(absent);
    let own = &fabric.switches()[s];
    let ports = nodes.map(|node| (node.lid, node.lmc, node.port.0));
    let ports = ports.chain([(own.lid, own.lmc, 0)]);
    let there = ports.filter(|&(lid, ..)| lid != Lid(0));
    there.flat_map(|(lid, lmc, port)| {
        (0..1u16 << lmc).map(move |k| (Lid(lid.0 + k), usize::from(port) + usize::from(k)))
    })
}

/// Searches detours over each set of links. The first takes its turns first; but the last does, if that serves a pair
/// that is left out otherwise; not if the search for pairs of hosts ended at its limit of work, since then ranks are
/// counted down from a top: of 1,200 switches at random it would take 3.4 s for 1.8.
fn connect(
    fabric: &Fabric,
    sets: &[Arc<Paths>],
    needs: &[Needs],
    ends: Arc<Ends>,
    options: &Options,
) -> (Connections, Vec<Steps>) {
    let present = |s: SwitchId| lids(fabric, s, &[]).collect();
    let may = MayConnect {
        turn: options.on_unreachable == OnUnreachable::Connect,
        // The paper's letter moves no entry that it has.
        pin: options.faults == Faults::Stable,
    };
    let in_order = |order: &mut dyn Iterator<Item = usize>| {
        let mut found: Option<Connections> = None;
        let mut steps = vec![Steps::default(); sets.len()];
        let mut left_over_all = Vec::new();
        for at in order {
            let paths = [at, sets.len() - 1].map(|at| &*sets[at]);
            let before = found.take();
            let (now, of_set) = Connections::find(&ends, &needs[at], paths, may, &present, before);
            if at + 1 == sets.len() {
                left_over_all.clone_from(&now.left_over_all);
            }
            (found, steps[at]) = (Some(now), of_set);
        }
        let mut found = found.unwrap_or_default();
        found.left_over_all = left_over_all;
        (found, steps)
    };
    let (mut found, mut steps) = in_order(&mut (0..sets.len()));
    let is_by_top = found.cut_short && found.find_top(&ends).is_some();
    if !found.left.is_empty() && !is_by_top && sets.len() > 1 {
        let (others, by_others) = in_order(&mut (0..sets.len()).rev());
        let is_left = others.is_left(fabric.switches().len());
        if found.left.iter().any(|&pair| !is_left(pair)) {
            (found, steps) = (others, by_others);
        }
    }
    found.turned = turned(&steps, &present);
    found.close(ends, &present);
    (found, steps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{links::with_hosts_on_spines, route};
    use dmodc_fabric::Drained;
    use fabrics::Net;
    use std::collections::BTreeSet;

    /// With a drained link most detours are found twice: over all links, and over those without it.
    #[test]
    fn a_detour_over_two_sets_of_links_counts_once() {
        let fabric = with_hosts_on_spines();
        let options = Options {
            drain: vec![Drained {
                switch: fabric.guid(SwitchId(0)),
                port: Some(PortNumber(1)),
            }],
            ..Options::default()
        };
        let (plan, _) = route(&fabric, &options, 1);
        let mut all: Vec<(SwitchId, Lid)> = Vec::new();
        for Layer { steps, .. } in &plan.layers {
            let lids = steps.lids(&|s| super::lids(&fabric, s, &[]).collect());
            for (at, steps) in steps.of_switch.iter_enumerated() {
                for (target, _) in steps {
                    all.extend(lids[*target].iter().map(|lid| (at, *lid)));
                }
            }
        }
        let different: BTreeSet<_> = all.iter().collect();
        assert!(different.len() < all.len());
        assert_eq!(plan.connections().turned, different.len());
    }

    /// From these roots two pairs of hosts have no route: the ranks count down from one switch in their stead.
    #[test]
    fn roots_leave_no_pair_of_hosts_out() {
        let links = [(0, 1), (0, 2), (0, 4), (0, 5), (1, 3), (1, 5), (2, 4)];
        let fabric = Net::new(&links, &[0, 1, 2, 4, 5]).build();
        let options = Options {
            root_guids: [5, 2].map(|s| fabric.guid(SwitchId(s))).to_vec(),
            ..Options::default()
        };
        let (plan, _) = route(&fabric, &options, 1);
        assert_eq!(plan.connections().left_out, 0);
    }

    /// Were others listed, the proof would let their routes turn.
    #[test]
    fn detours_are_for_pairs_without_a_path() {
        let (plan, _) = route(&with_hosts_on_spines(), &Options::default(), 1);
        assert!(plan.connections().turned > 0);
        for (from, to) in plan.detours() {
            assert_eq!(plan.hops(from, to), None);
        }
    }
}
