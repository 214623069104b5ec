//! The report of [`check()`](super::check()): counts, each with the first routes concerned.
//!
//! A *route* is a (source switch, destination LID): all sources on a switch share it. A *pair* is a (source,
//! destination LID). The sources of a switch are its end nodes, aggregation nodes included, and its own port
//! 0 if that has a LID. No source has a pair with its own LIDs. Defects of delivery are counted in pairs, defects of
//! shape (turns, minimality) in routes; a tally has both numbers.

use super::deadlock::CreditLoops;
use dmodc_fabric::{EndPairs, Lid, SwitchId, keep_first};

/// The route from a switch to a LID.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Route {
    /// The source switch.
    pub switch: SwitchId,
    /// The destination.
    pub lid: Lid,
}

/// The number of findings of one kind, and the first of them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Routes: (source switch, destination LID).
    pub routes: u64,
    /// Pairs: (source, destination LID).
    pub pairs: u64,
    /// The pairs whose source and destination are both end nodes.
    pub node_pairs: u64,
    /// The first [`FIRST`](dmodc_fabric::FIRST) routes in ascending (switch, LID) order.
    pub first: Vec<Route>,
}

impl Tally {
    pub(super) fn add(&mut self, route: Route, pairs: u64, node_pairs: u64) {
        self.routes += 1;
        self.pairs += pairs;
        self.node_pairs += node_pairs;
        keep_first(&mut self.first, route);
    }

    pub(super) fn merge(&mut self, other: &Tally) {
        self.routes += other.routes;
        self.pairs += other.pairs;
        self.node_pairs += other.node_pairs;
        for &route in &other.first {
            keep_first(&mut self.first, route);
        }
    }
}

/// The findings of a check.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CheckReport {
    /// All checked routes (its `first` are simply the first).
    pub checked: Tally,
    /// Undelivered: the packet reaches an entry 255, and the pair is not left out.
    pub no_entry: Tally,
    /// Undelivered: an entry names a port without a link, or the port of another node.
    pub wrong_port: Tally,
    /// Undelivered: the packet goes round for ever.
    pub looping: Tally,
    /// Left out, no defect: no links join source and destination; or there is no up-down path, the source's switch has
    /// no entry for the LID, and no LID at the destination's switch arrives from there. (A packet that loops counts as
    /// undelivered even then; so does a packet that ends at a wrong port, where links join the two.)
    pub left_out: Tally,
    /// Left out likewise, where neither switch has hosts and one has no end node at all: only OpenSM's `connect_roots`
    /// needs these pairs.
    pub roots_apart: Tally,
    /// Delivered routes that go up after they have gone down, although there is an up-down path. No defect,
    /// as long as they close no credit loop.
    pub turns: Tally,
    /// Delivered routes between switches without an up-down path, which must turn. No defect, as long as they
    /// close no credit loop.
    pub turned: Tally,
    /// Delivered routes longer than the shortest up-down path. No defect.
    pub nonminimal: Tally,
    /// Routes that come to a switch whose table is not known ([`dmodc_fabric::Tables::unknown`]).
    pub unjudged: Tally,
    /// Unordered pairs of switches with hosts (aggregation nodes are none) that have no up-down path.
    pub unreachable_pairs: usize,
    /// The first [`FIRST`](dmodc_fabric::FIRST) such pairs.
    pub first_unreachable: Vec<(SwitchId, SwitchId)>,
    /// The pairs of `left_out`.
    pub left_out_ends: EndPairs,
    /// Cycles of the channel dependency graph of all routes, management's included.
    pub credit_loops: CreditLoops,
    /// Cycles of the routes from hosts to hosts alone.
    pub host_credit_loops: CreditLoops,
    /// Cycles of the routes between hosts and switches, both ways. A switch's route to a host is also its hosts' route.
    pub host_switch_credit_loops: CreditLoops,
    /// Cycles of the routes from switch to switch.
    pub switch_credit_loops: CreditLoops,
    /// Cycles of the routes to and from aggregation nodes.
    pub aggregation_credit_loops: CreditLoops,
}

impl CheckReport {
    /// Pairs that the tables neither deliver nor leave out.
    pub fn undelivered(&self) -> u64 {
        self.no_entry.pairs + self.wrong_port.pairs + self.looping.pairs
    }

    /// Whether the tables are correct: every pair is delivered or left out, and there is no credit loop. Pairs without
    /// an up-down path are a fault of the fabric, not of the tables; turns and detours are the engine's choice.
    pub fn passed(&self) -> bool {
        self.undelivered() == 0 && self.credit_loops.count == 0
    }

    /// Whether the tables are correct, and each route is a shortest up-down path where an up-down path exists.
    pub fn is_minimal(&self) -> bool {
        self.passed() && self.turns.routes == 0 && self.nonminimal.routes == 0
    }

    /// The credit loops of all routes and by kind of traffic, under the names that outputs use.
    pub fn loops(&self) -> [(&'static str, &CreditLoops); 5] {
        [
            ("credit_loops", &self.credit_loops),
            ("host_credit_loops", &self.host_credit_loops),
            ("host_switch_credit_loops", &self.host_switch_credit_loops),
            ("switch_credit_loops", &self.switch_credit_loops),
            ("aggregation_credit_loops", &self.aggregation_credit_loops),
        ]
    }

    /// The counts that every output has, under the names that outputs use.
    pub fn counts(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let routes = [
            ("undelivered", self.undelivered()),
            ("turns", self.turns.routes),
            ("nonminimal", self.nonminimal.routes),
        ];
        let loops = self.loops().map(|(name, found)| (name, found.count as u64));
        routes.into_iter().chain(loops)
    }

    pub(super) fn merge(&mut self, other: &CheckReport) {
        for (mine, theirs) in [
            (&mut self.checked, &other.checked),
            (&mut self.no_entry, &other.no_entry),
            (&mut self.wrong_port, &other.wrong_port),
            (&mut self.looping, &other.looping),
            (&mut self.left_out, &other.left_out),
            (&mut self.roots_apart, &other.roots_apart),
            (&mut self.turns, &other.turns),
            (&mut self.turned, &other.turned),
            (&mut self.nonminimal, &other.nonminimal),
            (&mut self.unjudged, &other.unjudged),
        ] {
            mine.merge(theirs);
        }
        self.unreachable_pairs += other.unreachable_pairs;
        self.left_out_ends.merge(&other.left_out_ends);
        for &pair in &other.first_unreachable {
            keep_first(&mut self.first_unreachable, pair);
        }
    }
}
