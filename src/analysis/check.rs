//! Whether tables do what tables must: deliver every pair, by shortest paths that never turn from
//! down to up, without credit loops.
//!
//! Destinations are all LIDs: every LID of an end node's LMC range and of every switch's port 0.
//! Sources are end nodes and switches (see [`super::report`] for what is counted). The LIDs of one
//! switch (its end nodes' and its own) share their up-down distances and are judged together:
//! their table columns are gathered first, row by row, since walking in the tables themselves
//! would cost a cache miss per hop. Each LID then takes one pass over the switches, so the whole
//! check is O(LIDs x switches), spread over rayon's current pool.
//!
//! The channel dependency graph takes in what traffic can use: the routes to every LID that start
//! at an end node, also where they do not arrive (a packet waits for credits before anyone knows
//! that it is lost). Entries that no such route meets do not count, nor do routes from a switch's
//! port 0: what switches send by themselves to one another travels on virtual lane 15, which knows
//! no credits.

use super::channels::Channels;
use super::deadlock::Dependencies;
use super::report::{CheckReport, FIRST, Route, Tally};
use super::updown::{UNREACHABLE, UpDown};
use super::walk::{Fate, NO_CHANNEL, Target, Walker};
use crate::fabric::{Fabric, Lid, NodeKind, lid_range};
use crate::lft::{NO_PATH, Tables};
use rayon::prelude::*;

/// Checks the tables of a fabric. `is_up(a, b)`, asked for neighbours `a < b`, says whether the
/// links from switch `a` to switch `b` go up.
pub fn check(fabric: &Fabric, tables: &Tables, is_up: impl Fn(u32, u32) -> bool) -> CheckReport {
    let channels = Channels::new(fabric);
    let judge = Judge {
        fabric,
        tables,
        paths: &UpDown::new(&channels, is_up),
        sources: Sources::new(fabric),
        channels: &channels,
    };
    let switches = fabric.switches().len();
    let found = (0..switches as u32)
        .into_par_iter()
        .with_min_len(switches / (8 * rayon::current_num_threads()) + 1)
        .fold(
            || Findings::new(&channels),
            |found, t| judge.destination(t, found),
        )
        .reduce_with(Findings::merge);
    let Some(found) = found else {
        return CheckReport::default();
    };
    CheckReport {
        credit_loops: found.dependencies.loops(&channels),
        ..found.report
    }
}

/// What each switch has that sends and receives.
struct Sources {
    /// End nodes.
    nodes: Vec<u32>,
    /// Whether there is an end node other than aggregation nodes.
    hosts: Vec<bool>,
}

impl Sources {
    fn new(fabric: &Fabric) -> Sources {
        let switches = fabric.switches().len();
        let mut sources = Sources {
            nodes: vec![0; switches],
            hosts: vec![false; switches],
        };
        for node in fabric.end_nodes() {
            sources.nodes[node.switch as usize] += 1;
            sources.hosts[node.switch as usize] |= node.kind != NodeKind::Aggregation;
        }
        sources
    }
}

/// The part of the findings that one thread has made.
struct Findings {
    report: CheckReport,
    dependencies: Dependencies,
    walker: Walker,
    /// Of each switch and the LID at hand: whether the route goes up somewhere.
    climbs: Vec<bool>,
    /// .. and whether it goes up after it has gone down.
    turns: Vec<bool>,
    /// The last LID whose dependencies were taken from each switch on.
    taken: Vec<Lid>,
}

impl Findings {
    fn new(channels: &Channels) -> Findings {
        let switches = channels.switches();
        Findings {
            report: CheckReport::default(),
            dependencies: Dependencies::new(channels),
            walker: Walker::new(switches),
            climbs: vec![false; switches],
            turns: vec![false; switches],
            taken: vec![Lid(0); switches],
        }
    }

    fn merge(mut self, other: Findings) -> Findings {
        self.report.merge(&other.report);
        self.dependencies.merge(&other.dependencies);
        self
    }
}

struct Judge<'a> {
    fabric: &'a Fabric,
    tables: &'a Tables,
    channels: &'a Channels,
    paths: &'a UpDown,
    sources: Sources,
}

impl Judge<'_> {
    /// Judges all routes to the LIDs that live at one switch.
    fn destination(&self, switch: u32, mut found: Findings) -> Findings {
        let mut lids: Vec<(Lid, Target)> = Vec::new();
        let mut push = |base, lmc, port| {
            for lid in lid_range(base, lmc).into_iter().flatten() {
                lids.push((Lid(lid), Target { switch, port }));
            }
        };
        for node in &self.fabric.end_nodes()[self.fabric.end_nodes_of(switch)] {
            push(node.lid, node.lmc, node.port);
        }
        let own = &self.fabric.switches()[switch as usize];
        push(own.lid, own.lmc, 0);

        let distances = self.paths.distances(switch);
        self.unreachable_leaves(switch, &distances, &mut found.report);
        let switches = distances.len();
        let mut columns = vec![NO_PATH; lids.len() * switches];
        for s in 0..switches {
            let row = self.tables.row(s as u32);
            for (k, (lid, _)) in lids.iter().enumerate() {
                columns[k * switches + s] = row.get(lid.index()).copied().unwrap_or(NO_PATH);
            }
        }
        for (&(lid, target), entries) in lids.iter().zip(columns.chunks(switches)) {
            found.walker.follow(self.channels, entries, target);
            self.shapes(&mut found);
            self.routes(lid, target, &distances, &mut found);
            self.dependencies(lid, target, &mut found);
        }
        found
    }

    fn unreachable_leaves(&self, switch: u32, distances: &[u16], report: &mut CheckReport) {
        if !self.sources.hosts[switch as usize] {
            return;
        }
        for other in switch + 1..distances.len() as u32 {
            if self.sources.hosts[other as usize] && distances[other as usize] == UNREACHABLE {
                report.unreachable_pairs += 1;
                if report.first_unreachable.len() < FIRST {
                    report.first_unreachable.push((switch, other));
                }
            }
        }
    }

    /// Finds out which delivered routes climb and which turn, from the destination outwards.
    fn shapes(&self, found: &mut Findings) {
        for &s in found.walker.delivered() {
            let at = s as usize;
            let channel = found.walker.next(s);
            (found.climbs[at], found.turns[at]) = if channel == NO_CHANNEL {
                (false, false)
            } else {
                let up = self.paths.is_up(channel);
                let then = self.channels.get(channel).to as usize;
                let turns = found.turns[then] || (!up && found.climbs[then]);
                (up || found.climbs[then], turns)
            };
        }
    }

    /// Counts the routes of one LID from every switch.
    fn routes(&self, lid: Lid, target: Target, distances: &[u16], found: &mut Findings) {
        let to_node = target.port != 0;
        let (walker, report) = (&found.walker, &mut found.report);
        for (switch, info) in (0..).zip(self.fabric.switches()) {
            let at = switch as usize;
            let here = switch == target.switch;
            let nodes = u64::from(self.sources.nodes[at]) - u64::from(here && to_node);
            let own = u64::from(info.lid != Lid(0) && (to_node || !here));
            let (pairs, node_pairs) = (nodes + own, if to_node { nodes } else { 0 });
            if pairs == 0 {
                continue;
            }
            let route = Route { switch, lid };
            let found_in = |tally: &mut Tally| tally.add(route, pairs, node_pairs);
            found_in(&mut report.checked);
            let reachable = distances[at] != UNREACHABLE;
            match walker.fate(switch) {
                Fate::Delivered => {
                    if !reachable && !to_node {
                        found_in(&mut report.roots_connected);
                    } else if found.turns[at] {
                        found_in(&mut report.turns);
                    }
                    if reachable && walker.hops(switch) > distances[at] {
                        found_in(&mut report.nonminimal);
                    }
                }
                Fate::NoEntry if reachable => found_in(&mut report.no_entry),
                Fate::NoEntry => found_in(&mut report.unreachable),
                Fate::Loop => found_in(&mut report.looping),
                Fate::WrongPort | Fate::Unknown | Fate::Walking => found_in(&mut report.wrong_port),
            }
        }
    }

    /// Takes the dependencies of one LID's routes from every switch with end nodes that send to it.
    fn dependencies(&self, lid: Lid, target: Target, found: &mut Findings) {
        for (start, &nodes) in (0..).zip(&self.sources.nodes) {
            let itself = u32::from(start == target.switch && target.port != 0);
            if nodes == itself {
                continue;
            }
            let mut at = start;
            while found.taken[at as usize] != lid {
                found.taken[at as usize] = lid;
                let channel = found.walker.next(at);
                if channel == NO_CHANNEL {
                    break;
                }
                at = self.channels.get(channel).to;
                let onward = found.walker.next(at);
                if onward != NO_CHANNEL {
                    found
                        .dependencies
                        .add(channel, self.channels.get(onward).port);
                }
            }
        }
    }
}
