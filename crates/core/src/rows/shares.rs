//! The shares of slow links: for which part of the destinations each is there.
//!
//! Where few links are slow, each is an exception: its share is its speed to the mean of its switch's uplinks. No link
//! counts as faster than the fastest other link of the switch above: a single fast one gains nothing. What a leaf gives up
//! by it comes up at other switches of its pod, and each leaf gives up something else. So where slow links take much of a
//! rank's capacity, they are a generation, and from there down leaves follow only what all leaves of a pod see alike: the
//! fastest link into the switch above, and the capacity that is left above that. That capacity counts for each switch where
//! it is uneven: a switch with one uplink can give up nothing, so those below it have to. Switches with more
//! sources than destinations, and those below the top, follow the speeds of their own links too. In a tree of two ranks the
//! links down do as well (half of all links at a quarter: RP 12 to 8).
//!
//! Where so many sources use a link that its nominal part is beyond 1.2 times the cut bound of the fabric, it is there for
//! at most bound · speed of them. All slow links are there for the destinations with the least u(t) = frac(φ t): those
//! that one gives up come up at no other that is as slow.
//!
//! A slow link carries nothing where the bound is less than 1/speed flows on it: at a quarter of the speed, four. One flow
//! more or less would be a quarter of the bound, and a shift of hosts with one flow there would take four times as long.
//! Nor does it within a rank if an uplink beside it is faster, since it alone leads there in one hop and takes all; nor in a
//! tree of two ranks where hosts limit what leaves a leaf, so that its slow uplinks gain nothing.
//!
//! Invariant: a link as fast as the mean has no share. Cost: as of [`Coming`].

use super::bands::{STEPS, Shares};
use super::come::Coming;
use super::counted::Counted;
use super::ways::Ways;
use crate::ids::{BySwitch, SwitchId};
use crate::kinds::{Roles, Uplink};
use crate::tree::Ranking;
use dmodc_fabric::{Fabric, PortNumber};

/// A rank is short if its uplinks lack this part of what they carried at the speed of the fastest at their switch. The slow
/// uplinks of a switch carry little if it is this part.
const SHORT: f64 = 0.1;

/// In a tree of more than two ranks, a link with this part of the best weight at its switch is not slow.
const NEAR: f64 = 0.7;

/// What is left above the uplinks of a switch is uneven below this part of the most.
const UNEVEN: f64 = 2.0 / 3.0;

/// An uplink: its port, its speed, and its weight.
type Weight = (u8, f64, f64);

/// Links of a switch of which some are slow.
struct Slow {
    all: Vec<Weight>,
    slow: Vec<Weight>,
    /// The mean weight, or the fastest uplink beside links within the rank, if that is more; and the latter alone.
    mean: f64,
    beside: f64,
    /// Whether all lead from the bottom to the top.
    at_edge: bool,
}

/// How many hosts of these have a step below `end`.
fn sum(of: &[&[i32; STEPS]], end: usize) -> f64 {
    f64::from(of.iter().flat_map(|of| &of[..end]).sum::<i32>())
}

/// The hosts below each switch, and what the links above can carry. Speeds are parts of the fastest.
pub struct Capacities<'l> {
    fabric: &'l Fabric,
    roles: &'l Roles,
    ways: &'l Ways,
    fastest: f64,
    /// By switch: the fastest link into it from below.
    into: BySwitch<Option<f64>>,
    /// By switch without hosts: the fastest of its links but one.
    onward: BySwitch<f64>,
    below: BySwitch<f64>,
    all: f64,
    /// Whether the rank of a switch, or one above, is short.
    is_short: BySwitch<bool>,
    /// The part of the capacity above a switch that is left.
    left: BySwitch<f64>,
    /// The cut bound of the fabric.
    bound: f64,
}

impl<'l> Capacities<'l> {
    /// Weighs all uplinks over these ways.
    pub fn new(fabric: &'l Fabric, ranking: &Ranking, roles: &'l Roles, ways: &'l Ways) -> Self {
        let costs = &ways.paths.costs;
        let switches = || fabric.switches().keys();
        let mut hosts: BySwitch<f64> = switches()
            .map(|s| fabric.hosts_of(s).count() as f64)
            .collect();
        roles
            .absent
            .iter()
            .for_each(|node| hosts[node.switch] += 1.0);
        let at = |s: SwitchId| hosts[s];
        let below = |s: SwitchId| {
            let below = costs.columns_below(s).iter().map(|&c| costs.switch(c));
            // Links within a rank carry what they join alone.
            let lower = below.filter(|&to| ranking.rank(to) < ranking.rank(s));
            at(s) + lower.map(at).sum::<f64>()
        };
        let links = |s| {
            fabric
                .links_of(s)
                .map(move |(port, ..)| fabric.speed(s, port))
        };
        let mut capacities = Capacities {
            fabric,
            roles,
            ways,
            fastest: switches().flat_map(links).max().unwrap_or(0).into(),
            into: BySwitch::default(),
            onward: BySwitch::default(),
            below: switches().map(below).collect(),
            all: switches().map(at).sum(),
            is_short: vec![false; fabric.switches().len()].into(),
            left: vec![1.0; fabric.switches().len()].into(),
            bound: 0.0,
        };
        let onward = |s: SwitchId| {
            let links = fabric
                .links_of(s)
                .filter_map(|link| capacities.raw(s, link.0));
            let mut speeds: Vec<f64> = links.collect();
            speeds.sort_by(|a, b| b.total_cmp(a));
            let but_one = speeds.get(1).copied().filter(|_| at(s) == 0.0);
            but_one.unwrap_or(1.0)
        };
        capacities.onward = switches().map(onward).collect();
        let groups = &ways.paths.groups;
        let into = |s: SwitchId| {
            let down = groups.children(s).flat_map(|group| groups.ports(group));
            down.filter_map(|&port| capacities.own(s, port))
                .reduce(f64::max)
        };
        capacities.into = switches().map(into).collect();
        let mut is_short = false;
        let ascending = ranking.ascending();
        for rank in ascending
            .chunk_by(|a, b| ranking.rank(*a) == ranking.rank(*b))
            .rev()
        {
            let (mut sources, mut destinations) = (0.0, 0.0);
            let (mut sum, mut whole) = (0.0, 0.0);
            for &s in rank {
                let ports = ways
                    .classes
                    .of_switch(s)
                    .ports
                    .iter()
                    .filter(|up| up.is_up());
                let own =
                    |up: &Uplink| Some((capacities.own(s, up.port)?, capacities.left[up.to?]));
                let known: Vec<(f64, f64)> = ports.filter_map(own).collect();
                if known.is_empty() {
                    continue;
                }
                let best = known.iter().map(|up| up.0).fold(0.0, f64::max);
                let carry = known.iter().map(|up| up.0 * up.1);
                capacities.left[s] = carry.sum::<f64>() / known.len() as f64;
                sum += known.iter().map(|up| up.0).sum::<f64>();
                whole += best * known.len() as f64;
                let (from, to) = capacities.of_uplink(s);
                sources = f64::max(sources, from / best);
                destinations += to * known.len() as f64;
            }
            if whole > 0.0 {
                is_short |= sum < (1.0 - SHORT) * whole;
                capacities.bound = capacities.bound.max(sources.min(destinations / sum));
            }
            rank.iter().for_each(|&s| capacities.is_short[s] = is_short);
        }
        capacities
    }

    /// Finds the shares of all slow links.
    pub fn shares(&self, counted: &Counted) -> Shares {
        let mut shares = Shares::new();
        let mut coming = Coming::new(self.fabric, self.ways, self.roles, counted);
        for s in self.fabric.switches().keys() {
            self.add(s, true, &mut coming, &mut shares);
            self.add(s, false, &mut coming, &mut shares);
        }
        shares
    }

    /// The links of a switch to higher ranks, or within its rank, if some are slow.
    fn slow(&self, s: SwitchId, is_up: bool) -> Option<Slow> {
        let class = self.ways.classes.of_switch(s);
        let ports = class.ports.iter().filter(|up| up.is_up() == is_up);
        let left = ports.clone().filter_map(|up| Some(self.left[up.to?]));
        let [least, most] = [left.clone().fold(1.0, f64::min), left.fold(0.0, f64::max)];
        let follows = is_up && (self.is_short[s] || least < UNEVEN * most);
        let weigh = |up: &Uplink| {
            let of_port = if is_up { Self::speed } else { Self::own };
            let speed = of_port(self, s, up.port)?;
            let left = if follows { self.left[up.to?] } else { 1.0 };
            Some((up.port, speed, speed * left))
        };
        let all: Vec<Weight> = ports.filter_map(weigh).collect();
        let ups = class.ports.iter().filter(|up| !is_up && up.is_up());
        let beside = ups.filter_map(|up| self.own(s, up.port));
        let beside = beside.fold(0.0, f64::max);
        let mean = all.iter().map(|up| up.2).sum::<f64>() / all.len() as f64;
        let mean = f64::max(mean, beside);
        let best = all.iter().map(|up| up.2).fold(beside, f64::max);
        let mut to = class.ports.iter().filter_map(|up| up.to);
        let at_edge = to.all(|to| self.is_edge(s, to));
        let near = if at_edge || follows { 1.0 } else { NEAR };
        let is_slow = |up: &&Weight| up.2 < mean.min(near * best) - 1e-6;
        let slow: Vec<Weight> = all.iter().filter(is_slow).copied().collect();
        (!slow.is_empty()).then_some(Slow {
            all,
            slow,
            mean,
            beside,
            at_edge,
        })
    }

    /// Adds the shares of slow links of a switch to higher ranks, or within its rank.
    fn add(&self, s: SwitchId, is_up: bool, coming: &mut Coming, shares: &mut Shares) {
        let Some(of) = self.slow(s, is_up) else {
            return;
        };
        let suffices = of.at_edge && self.suffices(s, &of);
        let class = self.ways.classes.of_switch(s);
        let counts = coming.counts(s);
        let is_at = |i: u8, port: u8| class.ports[usize::from(i)].port == port;
        let count = |port| counts.get(class.cycle.iter().position(|&i| is_at(i, port))?);
        for &(port, speed, weight) in &of.slow {
            // Links of one weight have one share, else what one gives up goes to another.
            let alike = of.slow.iter().filter(|up| (up.2 - weight).abs() < 1e-6);
            let alike: Vec<&[i32; STEPS]> = alike.filter_map(|up| count(up.0)).collect();
            let share = weight / of.mean;
            let nominal = share * sum(&alike, STEPS) / alike.len().max(1) as f64;
            let most = self.most(s, speed).min(nominal) + 0.5;
            // Leaves of a pod have to agree, but each has other hosts: there these links count together.
            let together = if of.at_edge { 1 } else { alike.len().max(1) };
            let fits = |&end: &usize| {
                let mut parts = alike.chunks(together);
                parts.all(|of| sum(of, end) <= most * of.len() as f64)
            };
            let is_used = !suffices && of.beside <= speed && self.bound * speed * speed >= 1.0;
            let ends = (0..=(share * STEPS as f64).ceil() as usize).rev();
            let end = ends.filter(|_| is_used).find(fits).unwrap_or(0);
            shares.insert((s, port), end);
            let far = self.fabric.far(s, PortNumber(port));
            let is_both_ways = |to| !is_up || !self.is_short[s] || self.is_edge(s, to);
            if let Some((to, far)) = far.filter(|far| is_both_ways(far.0)) {
                shares.insert((to, far.0), end);
            }
        }
    }

    /// Whether a switch has nothing below, and one that is above it nothing above: no rank follows what it gives up.
    fn is_edge(&self, s: SwitchId, above: SwitchId) -> bool {
        self.is_top(above) && self.ways.paths.groups.children(s).next().is_none()
    }

    /// Whether hosts limit what leaves a switch, not its uplinks, of which the slow ones carry little.
    fn suffices(&self, s: SwitchId, of: &Slow) -> bool {
        let (sources, destinations) = self.of_uplink(s);
        let [carry, by_slow] = [&of.all, &of.slow].map(|of| of.iter().map(|up| up.1).sum::<f64>());
        let best = of.all.iter().map(|up| up.1).fold(0.0, f64::max);
        let most = destinations * of.all.len() as f64 * best;
        sources * carry <= most && by_slow <= SHORT * carry
    }

    /// The sources and destinations of each uplink of a switch.
    fn of_uplink(&self, s: SwitchId) -> (f64, f64) {
        let class = self.ways.classes.of_switch(s);
        let paths = class.cycle.len().max(1) as f64 * f64::from(class.dividers.below);
        (self.below[s], (self.all - self.below[s]) / paths)
    }

    /// The speed of the link at a port, if that is known.
    fn raw(&self, s: SwitchId, port: PortNumber) -> Option<f64> {
        let speed = self.fabric.speed(s, port);
        (speed > 0).then_some(f64::from(speed) / self.fastest)
    }

    /// The speed as far as it counts: what comes over the link goes on by another one of the far switch.
    fn own(&self, s: SwitchId, port: u8) -> Option<f64> {
        let port = PortNumber(port);
        let to = self.fabric.far(s, port)?.0;
        Some(self.raw(s, port)?.min(self.onward[to]))
    }

    /// The speed of an uplink as its switch follows it, if that is known.
    fn speed(&self, s: SwitchId, port: u8) -> Option<f64> {
        let (sources, destinations) = self.of_uplink(s);
        let to = self.fabric.far(s, PortNumber(port))?.0;
        let own = self.own(s, port)?;
        if !self.is_short[s] || self.is_top(to) || sources >= destinations {
            return Some(own);
        }
        self.into[to]
    }

    /// What a destination counts at a port: the more, the slower.
    pub fn each(&self, s: SwitchId, port: u8) -> u32 {
        let speed = self.raw(s, PortNumber(port)).unwrap_or(1.0);
        (8.0 / speed).round() as u32
    }

    /// Whether nothing is above a switch.
    fn is_top(&self, s: SwitchId) -> bool {
        self.ways.paths.groups.parents(s).next().is_none()
    }

    /// The speed of an uplink as its switch follows it, in steps.
    pub fn weight(&self, s: SwitchId, port: u8) -> u32 {
        (self.speed(s, port).unwrap_or(1.0) * STEPS as f64).max(1.0) as u32
    }

    /// The most destinations of an uplink of this speed by the bound.
    fn most(&self, s: SwitchId, speed: f64) -> f64 {
        match self.of_uplink(s).0 / speed > 1.2 * self.bound {
            true => self.bound * speed,
            false => f64::INFINITY,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::route;
    use crate::{Capacity, Options};
    use dmodc_fabric::Lid;
    use fabrics::{Net, pgft, with_slow, with_speeds};
    use std::collections::BTreeMap;

    /// Two leaves with six hosts each, joined by four cables, one of them at a quarter of the speed.
    #[test]
    fn a_slow_cable_between_leaves_has_fewer_destinations() {
        let fabric = Net::new(&[(0, 1); 4], &[[0; 6], [1; 6]].concat()).build();
        for slow in 1..=4 {
            let speed = |_, port: PortNumber| match port.0 {
                port if port == slow => "1xEDR",
                _ => "4xEDR",
            };
            let fabric = with_speeds(fabric.clone(), speed);
            let (_, tables) = route(&fabric, &Options::default(), 1);
            for leaf in fabric.switches().keys() {
                let mut count = [0; 16];
                for node in fabric.end_nodes().iter().filter(|n| n.switch != leaf) {
                    count[usize::from(tables.get(leaf, node.lid))] += 1;
                }
                let others = (1..=4).filter(|&port| port != slow);
                let least = others.map(|port| count[usize::from(port)]).min();
                assert!(Some(count[usize::from(slow)]) < least, "{slow}: {count:?}");
            }
        }
    }

    /// How many hosts elsewhere a leaf reaches by a port that is as slow as `speed`, all others being 4xEDR.
    fn over_slow(fabric: &Fabric, leaf: SwitchId, slow: PortNumber, speed: &str) -> usize {
        let fabric = with_slow(fabric, &[(leaf, slow)], speed);
        let (_, tables) = route(&fabric, &Options::default(), 1);
        let others = fabric.end_nodes().iter().filter(|n| n.switch != leaf);
        others.filter(|n| tables.get(leaf, n.lid) == slow.0).count()
    }

    /// Where ports are counted, numbers do not tell how many destinations a slow port has: two had eight. The cut bound is
    /// 40 destinations over 3.5 links of the first leaf.
    #[test]
    fn a_counted_port_is_there_for_its_share() {
        let widths = [
            (0, 3, 1),
            (0, 4, 3),
            (1, 3, 4),
            (1, 4, 1),
            (2, 3, 2),
            (2, 4, 3),
        ];
        let links = widths.map(|(leaf, spine, width)| vec![(leaf, spine); width]);
        let hosts = [[0; 20], [1; 20], [2; 20]].concat();
        let fabric = Net::new(&links.concat(), &hosts).build();
        for leaf in (0..3).map(SwitchId) {
            for slow in fabric.links_of(leaf).map(|link| link.0) {
                let count = over_slow(&fabric, leaf, slow, "2xEDR");
                assert!((1..=6).contains(&count), "{leaf:?}, {slow:?}: {count}");
            }
        }
    }

    /// The cut bound is 12. At a quarter of the speed one shift of hosts would take four times as long.
    #[test]
    fn a_link_with_fewer_flows_than_it_is_slow_carries_nothing() {
        let netlist = pgft("PGFT(2;14,6;1,6;1,1)");
        let (fabric, _) = netlist.to_fabric(None).expect("LIDs");
        let slow = fabric.links_of(SwitchId(0)).map(|link| link.0).max();
        let over = |speed| over_slow(&fabric, SwitchId(0), slow.expect("an uplink"), speed);
        assert_eq!(["1xEDR", "2xEDR", "4xEDR"].map(over), [0, 6, 12]);
    }

    /// Where leaves differ, destinations that the other leaves would have were taken as its own: six came for four.
    #[test]
    fn the_bound_is_in_destinations() {
        let widths = (0..).zip([2, 3, 2, 4, 2, 3, 2]);
        let links = widths.flat_map(|(leaf, width)| vec![(leaf, 7); width]);
        let hosts: Vec<u32> = (0..56).map(|host| host / 8).collect();
        let fabric = Net::new(&links.collect::<Vec<_>>(), &hosts).build();
        for port in [1, 2].map(PortNumber) {
            let count = over_slow(&fabric, SwitchId(0), port, "2xEDR");
            assert!((1..=4).contains(&count), "{port}: {count}");
        }
    }

    /// Leaf 0 was taken to send what the leaves joined to it do, so that the bound was twice as high: 7 destinations for 5.
    #[test]
    fn hosts_of_joined_leaves_count_at_their_own() {
        let links = (0..5).flat_map(|leaf| [(leaf, 5), (leaf, 6), (leaf, 7)]);
        let links: Vec<(u32, u32)> = links.chain([(0, 1), (0, 2), (1, 2)]).collect();
        let hosts: Vec<u32> = (0..50).map(|host| host / 10).collect();
        let fabric = Net::new(&links, &hosts).build();
        for leaf in (0..5).map(SwitchId) {
            let over = over_slow(&fabric, leaf, PortNumber(3), "2xEDR");
            assert!((1..=5).contains(&over), "{leaf:?}: {over}");
        }
    }

    /// It alone leads there in one hop, so it took all: at a quarter of the speed A2A 24 over capacity for 2. Beside a faster
    /// one, and no faster uplink, it has its share.
    #[test]
    fn a_slow_link_between_leaves_carries_nothing_that_faster_uplinks_can() {
        let links = [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4)];
        let fabric = Net::new(&links, &[[0; 6], [1; 6]].concat()).build();
        let over = |speed| over_slow(&fabric, SwitchId(0), PortNumber(1), speed);
        assert_eq!(["1xEDR", "2xEDR", "4xEDR"].map(over), [0, 0, 6]);
        let links = [&links[..1], &links].concat();
        let fabric = Net::new(&links, &[[0; 16], [1; 16]].concat()).build();
        let over_fast = over_slow(&fabric, SwitchId(0), PortNumber(1), "4xHDR");
        assert!((8..16).contains(&over_fast), "{over_fast}");
        // Where a rank is short, too, and from both ends: leaf 2 sent its hosts' packets over it alone.
        let links = [&[(1, 2)][..], &[(0, 3); 4], &[(1, 3); 4], &[(2, 3); 4]].concat();
        let fabric = Net::new(&links, &[[0; 9], [1; 9], [2; 9]].concat()).build();
        let slow =
            [(1, 1), (0, 2), (0, 3), (0, 4)].map(|(s, port)| (SwitchId(s), PortNumber(port)));
        let fabric = with_slow(&fabric, &slow, "2xEDR");
        let (_, tables) = route(&fabric, &Options::default(), 1);
        for leaf in [1, 2].map(SwitchId) {
            let mut others = fabric.end_nodes().iter().filter(|n| n.switch != leaf);
            assert!(others.all(|n| tables.get(leaf, n.lid) != 1), "{leaf:?}");
        }
    }

    /// In 216 nodes a third of the links at three quarters had A2A 23 over capacity for 8; one fast link of all had 188 for
    /// 80.
    #[test]
    fn nearly_as_fast_or_alone_fast_is_no_exception() {
        let netlist = pgft("PGFT(3;4,4,4;1,4,4;1,1,1)");
        let links = netlist.links_between_switches();
        let some = links.len() / 4 + 1;
        for (usual, other, count) in [("4xFDR", "4xFDR10", some), ("1xEDR", "4xEDR", 1)] {
            for first in [0, links.len() / 2, links.len() - some] {
                let mut netlist = netlist.clone();
                netlist.set_speed(links.concat(), usual.parse().expect("a speed"));
                let others = links[first..first + count].concat();
                netlist.set_speed(others, other.parse().expect("a speed"));
                let (fabric, _) = netlist.to_fabric(None).expect("LIDs");
                let ignore = Options {
                    capacity: Capacity::Ignore,
                    ..Options::default()
                };
                let [use_, ignore] = [Options::default(), ignore].map(|o| route(&fabric, &o, 1).1);
                assert!(fabric.speeds_differ() && use_ == ignore, "{other} {first}");
            }
        }
    }

    /// If each leaf followed its own slow links, the switches of its pod would have up to twice their destinations.
    #[test]
    fn where_many_links_are_slow_leaves_of_a_pod_agree() {
        let mut netlist = pgft("PGFT(3;4,4,4;1,4,4;1,1,1)");
        let links = netlist.links_between_switches().into_iter().enumerate();
        let slow = links
            .filter(|(at, _)| at * at % 7 < 2)
            .flat_map(|(_, link)| link);
        netlist.set_speed(slow, "2xEDR".parse().expect("a speed"));
        let (fabric, _) = netlist.to_fabric(None).expect("LIDs");
        let (plan, tables) = route(&fabric, &Options::default(), 1);
        let next = |s: SwitchId, lid: Lid| fabric.far(s, PortNumber(tables.get(s, lid)));
        let mut pods: BTreeMap<Vec<SwitchId>, Vec<SwitchId>> = BTreeMap::new();
        for leaf in plan.ranking().leaves() {
            let mut above: Vec<SwitchId> = fabric.neighbours(leaf).collect();
            above.sort_unstable();
            pods.entry(above).or_default().push(leaf);
        }
        assert_eq!(pods.len(), 4);
        for leaves in pods.values() {
            let nodes = fabric.end_nodes().iter();
            for node in nodes.filter(|node| !leaves.contains(&node.switch)) {
                let to = |leaf: &SwitchId| next(*leaf, node.lid).map(|far| far.0);
                assert!(leaves.iter().all(|leaf| to(leaf) == to(&leaves[0])));
            }
        }
    }
}
