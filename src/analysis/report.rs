//! What [`check()`](super::check()) reports: tallies with the first offenders.
//!
//! A *route* is a (source switch, destination LID): every source on a switch shares it. A *pair*
//! is a (source, destination LID), where the sources of a switch are its end nodes, aggregation
//! nodes included, and its own port 0 if that has a LID. A source is never paired with a LID of
//! its own. Defects of delivery are counted in pairs, those of shape (turns, minimality) in
//! routes; every tally knows both.

use super::deadlock::CreditLoops;
use crate::fabric::Lid;

/// How many offenders a tally names.
pub const FIRST: usize = 10;

/// The route from a switch to a LID.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Route {
    /// The source switch.
    pub switch: u32,
    /// The destination.
    pub lid: Lid,
}

/// How often something was found, and where first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Routes: (source switch, destination LID).
    pub routes: u64,
    /// Pairs: (source, destination LID).
    pub pairs: u64,
    /// The pairs of them whose source and destination are both end nodes.
    pub node_pairs: u64,
    /// The first [`FIRST`] routes in ascending (switch, LID) order.
    pub first: Vec<Route>,
}

impl Tally {
    pub(super) fn add(&mut self, route: Route, pairs: u64, node_pairs: u64) {
        self.routes += 1;
        self.pairs += pairs;
        self.node_pairs += node_pairs;
        self.offer(route);
    }

    pub(super) fn merge(&mut self, other: &Tally) {
        self.routes += other.routes;
        self.pairs += other.pairs;
        self.node_pairs += other.node_pairs;
        for &route in &other.first {
            self.offer(route);
        }
    }

    fn offer(&mut self, route: Route) {
        if self.first.len() == FIRST && self.first[FIRST - 1] < route {
            return;
        }
        let at = self.first.partition_point(|r| *r < route);
        self.first.insert(at, route);
        self.first.truncate(FIRST);
    }
}

/// What a check found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CheckReport {
    /// Everything that was looked at (its `first` are simply the first).
    pub checked: Tally,
    /// Undelivered: the packet comes to an entry 255, though there is an up-down path.
    pub no_entry: Tally,
    /// Undelivered: the packet leaves by a port with no link, or ends at the wrong place.
    pub wrong_port: Tally,
    /// Undelivered: the packet goes round for ever.
    pub looping: Tally,
    /// Not delivered for want of an entry, and rightly so: there is no up-down path. (A packet
    /// that loops or ends at the wrong place is undelivered even so.)
    pub unreachable: Tally,
    /// Delivered routes that go up after having gone down, save those of `roots_connected`.
    pub turns: Tally,
    /// Delivered routes to a switch's own LID between switches with no up-down path, which cannot
    /// but turn: management traffic that OpenSM's `connect_roots` asks for. No defect.
    pub roots_connected: Tally,
    /// Delivered routes longer than the shortest up-down path.
    pub nonminimal: Tally,
    /// Unordered pairs of switches with end nodes (aggregation nodes aside) that have no up-down
    /// path.
    pub unreachable_pairs: usize,
    /// The first [`FIRST`] of those.
    pub first_unreachable: Vec<(u32, u32)>,
    /// Cycles of the channel dependency graph of all routes that start at an end node.
    pub credit_loops: CreditLoops,
}

impl CheckReport {
    /// Pairs that are not delivered though they could be.
    pub fn undelivered(&self) -> u64 {
        self.no_entry.pairs + self.wrong_port.pairs + self.looping.pairs
    }

    /// Whether nothing is wrong. Pairs without an up-down path are the fabric's fault and not the
    /// tables'.
    pub fn passed(&self) -> bool {
        self.undelivered() == 0
            && self.turns.routes == 0
            && self.nonminimal.routes == 0
            && self.credit_loops.count == 0
    }

    pub(super) fn merge(&mut self, other: &CheckReport) {
        let mine = self.tallies_mut();
        for (mine, theirs) in mine.into_iter().zip(other.tallies()) {
            mine.merge(theirs);
        }
        self.unreachable_pairs += other.unreachable_pairs;
        self.first_unreachable.extend(&other.first_unreachable);
        self.first_unreachable.sort_unstable();
        self.first_unreachable.truncate(FIRST);
    }

    fn tallies(&self) -> [&Tally; 8] {
        [
            &self.checked,
            &self.no_entry,
            &self.wrong_port,
            &self.looping,
            &self.unreachable,
            &self.turns,
            &self.roots_connected,
            &self.nonminimal,
        ]
    }

    fn tallies_mut(&mut self) -> [&mut Tally; 8] {
        [
            &mut self.checked,
            &mut self.no_entry,
            &mut self.wrong_port,
            &mut self.looping,
            &mut self.unreachable,
            &mut self.turns,
            &mut self.roots_connected,
            &mut self.nonminimal,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_first_offenders_whatever_the_order_they_come_in() {
        let route = |i: u32| Route {
            switch: i / 4,
            lid: Lid(4 - (i % 4) as u16),
        };
        let (mut a, mut b) = (Tally::default(), Tally::default());
        for i in (0..40).rev() {
            if i % 3 == 0 { &mut a } else { &mut b }.add(route(i), 2, 1);
        }
        a.merge(&b);
        assert_eq!((a.routes, a.pairs, a.node_pairs), (40, 80, 40));
        let mut all: Vec<Route> = (0..40).map(route).collect();
        all.sort_unstable();
        assert_eq!(a.first, all[..FIRST]);
    }
}
