//! Checks tables: every pair is delivered, on a shortest path that never turns from down to up, and there are
//! no credit loops.
//!
//! Destinations are all LIDs: every LID of an end node's LMC range and of every switch's port 0. Sources are
//! end nodes and switches ([`super::report`] defines how they count). The LIDs of one switch (its end nodes'
//! and its own) share their up-down distances, so one step checks them together. It first gathers their table
//! columns, row by row, since a walk in the tables themselves costs a cache miss per hop. Each LID then takes
//! one pass over the switches. The whole check is O(LIDs x switches), on the threads of rayon's current pool.
//!
//! A pair that does not arrive is undelivered, or left out. A pair is left out if no links join it, or if it has no
//! up-down path and the tables omit it on purpose: the source's switch has no entry for this LID, and no LID at the
//! destination's switch arrives from there. If another LID arrives, this one could.
//!
//! The channel dependency graph has the routes from every switch to every LID: they are the routes of its end nodes and
//! of its own port 0, which replies to hosts on their lanes. Routes that do not arrive count, too: a packet waits for
//! credits before it is lost. Each [`Kind`] of traffic has its own graph as well.

use super::channels::Channels;
use super::deadlock::Dependencies;
use super::report::{CheckReport, Route, Tally};
use super::updown::{UNREACHABLE, UpDown};
use super::walk::{Fate, NO_CHANNEL, Target, Walker};
use dmodc_fabric::{
    Endpoint, Fabric, Lid, NO_PATH, NodeKind, Peer, PortNumber, SwitchId, Tables, keep_first,
    lid_range,
};
use rayon::prelude::*;
use typed_index_collections::{TiSlice, TiVec};

/// Checks the tables of a fabric. `is_up(a, b)`, called for neighbours `a < b`, returns whether the links from switch
/// `a` to switch `b` go up.
pub fn check(
    fabric: &Fabric,
    tables: &Tables,
    is_up: impl Fn(SwitchId, SwitchId) -> bool,
) -> CheckReport {
    let channels = Channels::new(fabric);
    let judge = Judge {
        fabric,
        tables,
        paths: &UpDown::new(&channels, is_up),
        parts: fabric.parts(|_| true),
        sources: Sources::new(fabric),
        channels: &channels,
    };
    let switches = fabric.switches().len();
    let found = (0..switches)
        .into_par_iter()
        .with_min_len(switches / (8 * rayon::current_num_threads()) + 1)
        .fold(
            || Findings::new(&channels, tables),
            |found, t| judge.destination(SwitchId::from(t), found),
        )
        .reduce_with(Findings::merge);
    let Some(found) = found else {
        return CheckReport::default();
    };
    let loops = |kind: Kind| found.dependencies[kind as usize].loops(&channels);
    // The routes of hosts are among these: a host has the routes of its switch.
    let mut all = found.dependencies[Kind::HostsAndSwitches as usize].clone();
    all.merge(&found.dependencies[Kind::Switches as usize]);
    all.merge(&found.dependencies[Kind::Aggregation as usize]);
    CheckReport {
        credit_loops: all.loops(&channels),
        host_credit_loops: loops(Kind::Hosts),
        host_switch_credit_loops: loops(Kind::HostsAndSwitches),
        switch_credit_loops: loops(Kind::Switches),
        aggregation_credit_loops: loops(Kind::Aggregation),
        ..found.report
    }
}

/// A kind of traffic, by sender and receiver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Hosts,
    /// From hosts to switches, and from switches to hosts. A switch's route to a host is also its hosts' route.
    HostsAndSwitches,
    Switches,
    Aggregation,
}

const KINDS: usize = 4;

/// The numbers of end nodes at each switch.
struct Sources {
    /// End nodes.
    nodes: TiVec<SwitchId, u32>,
    /// End nodes other than aggregation nodes.
    hosts: TiVec<SwitchId, u32>,
}

impl Sources {
    fn new(fabric: &Fabric) -> Sources {
        let switches = || fabric.switches().keys();
        let nodes = switches().map(|s| fabric.end_nodes_of(s).len() as u32);
        let hosts = switches().map(|s| fabric.hosts_of(s).count() as u32);
        Sources {
            nodes: nodes.collect(),
            hosts: hosts.collect(),
        }
    }

    fn hosts(&self, switch: SwitchId) -> bool {
        self.hosts[switch] > 0
    }

    fn aggregates(&self, switch: SwitchId) -> bool {
        self.nodes[switch] > self.hosts[switch]
    }

    /// Whether a pair of switches needs a path: one of them has hosts, or both have end nodes.
    fn need(&self, from: SwitchId, to: SwitchId) -> bool {
        let carries = |s: SwitchId| self.nodes[s] > 0;
        self.hosts(from) || self.hosts(to) || (carries(from) && carries(to))
    }
}

/// The findings of one thread.
struct Findings {
    report: CheckReport,
    /// By [`Kind`].
    dependencies: [Dependencies; KINDS],
    walker: Walker,
    /// For the current LID, by switch: whether the route goes up somewhere.
    climbs: TiVec<SwitchId, bool>,
    /// For the current LID, by switch: whether the route goes up after it has gone down.
    turns: TiVec<SwitchId, bool>,
    /// For the current LID, by switch: whether the walk of a chosen source has passed it.
    passed: TiVec<SwitchId, bool>,
    /// For the LIDs at one switch, by switch: whether any of these LIDs is delivered from there.
    reached: TiVec<SwitchId, bool>,
}

impl Findings {
    fn new(channels: &Channels, tables: &Tables) -> Findings {
        let none = || vec![false; channels.switches()].into();
        Findings {
            report: CheckReport::default(),
            dependencies: std::array::from_fn(|_| Dependencies::new(channels)),
            walker: Walker::new(channels.switches(), tables),
            climbs: none(),
            turns: none(),
            passed: none(),
            reached: none(),
        }
    }

    fn merge(mut self, other: Findings) -> Findings {
        self.report.merge(&other.report);
        for (mine, theirs) in self.dependencies.iter_mut().zip(&other.dependencies) {
            mine.merge(theirs);
        }
        self
    }
}

struct Judge<'a> {
    fabric: &'a Fabric,
    tables: &'a Tables,
    channels: &'a Channels,
    paths: &'a UpDown,
    /// By switch, its connected part of the fabric.
    parts: TiVec<SwitchId, Option<SwitchId>>,
    sources: Sources,
}

impl Judge<'_> {
    /// Checks all routes to the LIDs at one switch.
    fn destination(&self, switch: SwitchId, mut found: Findings) -> Findings {
        // Each LID, its target, and the kind of the traffic from switches to it.
        let mut lids: Vec<(Lid, Target, Kind)> = Vec::new();
        let mut push = |base, lmc, port, kind| {
            for lid in lid_range(base, lmc).into_iter().flatten() {
                lids.push((Lid(lid), Target { switch, port }, kind));
            }
        };
        for node in self.fabric.end_nodes_of(switch) {
            let kind = match node.kind {
                NodeKind::Aggregation => Kind::Aggregation,
                _ => Kind::HostsAndSwitches,
            };
            push(node.lid, node.lmc, node.port, kind);
        }
        let own = &self.fabric.switches()[switch];
        push(own.lid, own.lmc, PortNumber::ZERO, Kind::Switches);

        let distances = self.paths.distances(switch);
        self.unreachable_leaves(switch, &distances, &mut found.report);
        let switches = distances.len();
        let mut columns = vec![NO_PATH; lids.len() * switches];
        for s in distances.keys() {
            let row = self.tables.row(s);
            for (k, (lid, ..)) in lids.iter().enumerate() {
                let entry = row.get(*lid).copied().unwrap_or(NO_PATH);
                columns[k * switches + usize::from(s)] = entry;
            }
        }
        let columns = || columns.chunks(switches).map(TiSlice::from_ref);
        let routed = || lids.iter().zip(columns());
        found.reached.fill(false);
        if distances.contains(&UNREACHABLE) {
            for (&(_, target, _), entries) in routed() {
                found.walker.follow(self.channels, entries, target);
                for &s in &found.walker.delivered {
                    found.reached[s] = true;
                }
            }
        }
        for (&(lid, target, kind), entries) in routed() {
            found.walker.follow(self.channels, entries, target);
            self.shapes(&mut found);
            self.routes(lid, target, &distances, &mut found);
            self.dependencies(|_| true, kind, &mut found);
            let of_hosts = match kind {
                Kind::HostsAndSwitches => Kind::Hosts,
                Kind::Switches => Kind::HostsAndSwitches,
                _ => continue,
            };
            let sources = &self.sources;
            self.dependencies(|s| sources.hosts(s), of_hosts, &mut found);
            self.dependencies(|s| sources.aggregates(s), Kind::Aggregation, &mut found);
        }
        found
    }

    /// Whether the tables leave out a pair of switches that has no up-down path.
    fn is_left_out(&self, from: SwitchId, to: SwitchId, found: &Findings) -> bool {
        let are_apart = self.parts[from] != self.parts[to];
        match found.walker.fate[from] {
            Fate::WrongPort => are_apart,
            Fate::NoEntry => {
                let is_not_sent = found.walker.hops[from] == 0 && !found.reached[from];
                are_apart || is_not_sent || !self.sources.need(from, to)
            }
            _ => false,
        }
    }

    fn unreachable_leaves(
        &self,
        switch: SwitchId,
        distances: &TiSlice<SwitchId, u16>,
        report: &mut CheckReport,
    ) {
        if !self.sources.hosts(switch) {
            return;
        }
        for other in distances.keys().filter(|&other| other > switch) {
            if self.sources.hosts(other) && distances[other] == UNREACHABLE {
                report.unreachable_pairs += 1;
                keep_first(&mut report.first_unreachable, (switch, other));
            }
        }
    }

    /// Finds which delivered routes go up and which turn, from the destination outwards.
    fn shapes(&self, found: &mut Findings) {
        for &at in &found.walker.delivered {
            let channel = found.walker.next[at];
            if channel == NO_CHANNEL {
                (found.climbs[at], found.turns[at]) = (false, false);
                continue;
            }
            let up = self.paths.is_up(channel);
            let then = self.channels.get(channel).to;
            found.turns[at] = found.turns[then] || (!up && found.climbs[then]);
            found.climbs[at] = up || found.climbs[then];
        }
    }

    /// Counts the routes to one LID from every switch.
    fn routes(
        &self,
        lid: Lid,
        target: Target,
        distances: &TiSlice<SwitchId, u16>,
        found: &mut Findings,
    ) {
        let to_node = target.port != PortNumber::ZERO;
        for (switch, info) in self.fabric.switches().iter_enumerated() {
            let here = switch == target.switch;
            let nodes = u64::from(self.sources.nodes[switch]) - u64::from(here && to_node);
            let own = u64::from(info.lid != Lid(0) && (to_node || !here));
            let (pairs, node_pairs) = (nodes + own, if to_node { nodes } else { 0 });
            if pairs == 0 {
                continue;
            }
            let reachable = distances[switch] != UNREACHABLE;
            let fate = found.walker.fate[switch];
            let left_out = !reachable && self.is_left_out(switch, target.switch, found);
            let (walker, report) = (&found.walker, &mut found.report);
            let route = Route { switch, lid };
            let found_in = |tally: &mut Tally| tally.add(route, pairs, node_pairs);
            found_in(&mut report.checked);
            match fate {
                Fate::Delivered => {
                    if !reachable {
                        found_in(&mut report.turned);
                    } else if found.turns[switch] {
                        found_in(&mut report.turns);
                    }
                    if reachable && walker.hops[switch] > distances[switch] {
                        found_in(&mut report.nonminimal);
                    }
                }
                _ if left_out && self.sources.need(switch, target.switch) => {
                    found_in(&mut report.left_out);
                    let to = match self.fabric.peer(target.switch, target.port) {
                        Peer::EndNode(node) => Endpoint::of_node(self.fabric, node),
                        _ => Endpoint::Switch(target.switch),
                    };
                    report.left_out_ends.add(self.fabric, switch, to, 1);
                }
                _ if left_out => found_in(&mut report.roots_apart),
                Fate::NoEntry => found_in(&mut report.no_entry),
                Fate::Loop => found_in(&mut report.looping),
                Fate::NoTable => found_in(&mut report.unjudged),
                Fate::WrongPort | Fate::Unvisited | Fate::Walking => {
                    found_in(&mut report.wrong_port);
                }
            }
        }
    }

    /// Records the dependencies of the routes to one LID from the switches that send, the LID's own switch included.
    fn dependencies(&self, sends: impl Fn(SwitchId) -> bool, kind: Kind, found: &mut Findings) {
        found.passed.fill(false);
        for start in found.passed.keys().filter(|&s| sends(s)) {
            let mut at = start;
            while !std::mem::replace(&mut found.passed[at], true) {
                let channel = found.walker.next[at];
                if channel == NO_CHANNEL {
                    break;
                }
                at = self.channels.get(channel).to;
                let onward = found.walker.next[at];
                if onward != NO_CHANNEL {
                    let port = self.channels.get(onward).port;
                    found.dependencies[kind as usize].add(channel, port);
                }
            }
        }
    }
}
