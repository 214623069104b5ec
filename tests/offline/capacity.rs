//! Slow links: each carries a share of the routes by its speed, and no pair loses its route.

use crate::drain::some_part;
use crate::forced::forced;
use crate::invariants::hold_on_each;
use crate::long;
use crate::random_fabrics::drawn;
use crate::routed::{Routed, options, pgft};
use crate::whole_graph::{is_wanted, no_pair_is_lost};
use dmodc_analysis::{Channels, Risk, Traffic, bounds};
use dmodc_core::{Capacity, Engine, Faults, OnUnreachable, Options};
use dmodc_fabric::random::Random;
use dmodc_fabric::{Fabric, Peer, PortNumber, Speed, SwitchId};
use dmodc_formats::netlist::{Kind, Netlist, Part};
use fabrics::way;
use std::sync::Arc;

fn ignoring() -> Options {
    options(|o| o.capacity = Capacity::Ignore)
}

type Link = [(u32, PortNumber); 2];

/// The netlist with some links at another speed.
fn with_speed(netlist: &Netlist, links: &[Link], speed: &str) -> Netlist {
    let speed: Speed = speed.parse().expect("a speed");
    let mut slow = netlist.clone();
    slow.set_speed(links.concat(), speed);
    slow
}

fn without(netlist: &Netlist, links: &[Link]) -> Netlist {
    let parts: Vec<Part> = links.iter().map(|&link| Part::Link(link)).collect();
    netlist.without(&parts)
}

/// Figures over capacity.
impl Routed {
    /// A2A, RP and SP over capacity.
    fn risks(&self) -> [f64; 3] {
        let traffic = Traffic::new(&self.fabric, &self.tables, self.plan.order());
        let over = |risk: Risk| risk.over_capacity.unwrap_or(risk.value.into());
        let tick = |_| ();
        [
            over(traffic.all_to_all(&tick)),
            over(traffic.random_permutations(20, 1, &tick)),
            over(traffic.shifts(&tick)),
        ]
    }

    /// The cut bound of A2A over capacity.
    fn least(&self) -> f64 {
        let rank = |s| self.plan.ranking().rank(s);
        let (nodes, channels) = (self.plan.order(), Channels::new(&self.fabric));
        let (_, over) = bounds(&self.fabric, nodes, rank, &channels);
        over.expect("speeds differ")
    }

    /// The number of end nodes to which packets of other end nodes leave a switch by a port.
    fn routes(&self, s: SwitchId, port: PortNumber) -> usize {
        let has_host = |&s: &SwitchId| !self.fabric.end_nodes_of(s).is_empty();
        let comes_by = |lid| {
            let mut starts = self.fabric.switches().keys().filter(has_host);
            starts.any(|from| way(&self.fabric, &self.tables, from, lid).any(|at| at == s))
        };
        let hosts = self.fabric.end_nodes().iter();
        hosts
            .filter(|node| self.tables.get(s, node.lid) == port.0 && comes_by(node.lid))
            .count()
    }
}

const SHAPES: [&str; 4] = [
    "PGFT(2;6,12;1,6;1,1)",
    "PGFT(3;6,6,6;1,6,6;1,1,1)",
    "PGFT(3;8,6,8;1,4,6;1,1,1)",
    "PGFT(3;6,6,4;1,3,6;1,2,1)",
];

fn shape(number: u64) -> Netlist {
    pgft(SHAPES[number as usize % SHAPES.len()], number)
}

/// Asserts that a fabric written as a netlist and read back has the same places, kinds of end nodes and speeds.
fn reads_back(fabric: &Fabric) {
    let written = Netlist::from_fabric(fabric);
    let (read, _) = written.to_fabric(None).expect("LIDs");
    assert!(read.has_equipment_of(fabric));
    let kinds = |of: &Fabric| of.end_nodes().iter().map(|n| n.kind).collect::<Vec<_>>();
    assert_eq!(kinds(&read), kinds(fabric));
    for s in fabric.switches().keys() {
        assert_eq!(read.speeds_of(s), fabric.speeds_of(s));
    }
}

/// Slow and drained links on a random fabric: no pair of hosts or switches loses its route, and no cycle closes.
fn hold(engine: &Engine, number: u64) {
    let (fabric, reference) = drawn(number);
    let mut random = Random::new(number);
    let mut netlist = Netlist::from_fabric(&fabric);
    let links = netlist.links_between_switches();
    let every = 1 + random.below(4);
    let some = links.into_iter().filter(|_| random.below(every) == 0);
    let some: Vec<Link> = some.collect();
    for speed in ["1xEDR", "2xEDR", "4xHDR"] {
        let few = some.iter().copied().filter(|_| random.below(2) == 0);
        netlist = with_speed(&netlist, &few.collect::<Vec<Link>>(), speed);
    }
    let (slow, _) = netlist.to_fabric(None).expect("LIDs");
    reads_back(&fabric);
    reads_back(&slow);
    let mut options = options(|o| {
        o.reference = reference.map(Arc::new);
        o.faults = [Faults::Stable, Faults::Paper][usize::from(random.below(5) == 0)];
    });
    let ignoring = Options {
        capacity: Capacity::Ignore,
        ..options.clone()
    };
    let is_drained = random.below(4) == 0;
    if is_drained {
        let count = 1 + random.below(6);
        options.drain = (0..count).map(|_| some_part(&slow, &mut random)).collect();
        options.on_unreachable = [OnUnreachable::Connect, OnUnreachable::Partial][random.below(2)];
    }
    let before = Options {
        on_unreachable: options.on_unreachable,
        ..ignoring
    };
    let Ok(before) = Routed::by(engine, fabric, &before) else {
        return;
    };
    let now = Routed::by(engine, slow, &options).expect("a tree still");
    no_pair_is_lost(&before, &now, |from, to| {
        !is_drained || is_wanted(&now.fabric, &options, from, to)
    });
}

#[test]
fn no_pair_is_lost_on_any_fabric() {
    hold_on_each(300, hold);
    // A fabric where Dmodc connects all hosts only after its first tries have failed.
    hold(&Engine::new(1).expect("a thread"), 2773);
}

#[test]
fn equal_speeds_change_nothing() {
    for number in 0..8 {
        let netlist = shape(number);
        let links = netlist.links_between_switches();
        let tables = |netlist: &Netlist| Routed::new(netlist).tables;
        let ignored = Routed::by_options(&netlist, &ignoring()).tables;
        assert_eq!(tables(&netlist), ignored);
        assert_eq!(tables(&with_speed(&netlist, &links, "1xSDR")), ignored);
        // One slow link changes the tables unless speeds are ignored; at full speed it does not.
        let slow = with_speed(&netlist, &links[..1], "1xEDR");
        assert_ne!(tables(&slow), ignored, "{number}");
        assert_eq!(Routed::by_options(&slow, &ignoring()).tables, ignored);
        assert_eq!(tables(&with_speed(&slow, &links[..1], "4xEDR")), ignored);
    }
}

/// A spine that has no fast link is without any in its band: routes over it stayed, at four times the bound.
#[test]
fn a_spine_whose_links_are_all_slow_carries_its_part() {
    let netlist = pgft("PGFT(3;12,6,9;1,6,6;1,1,1)", 1);
    let spine = netlist
        .nodes
        .iter()
        .rposition(|node| node.kind == Kind::Switch);
    let is_its = |link: &Link| link.iter().any(|end| Some(end.0 as usize) == spine);
    let links = netlist.links_between_switches();
    let links: Vec<Link> = links.into_iter().filter(is_its).collect();
    let slow = with_speed(&netlist, &links, "1xEDR");
    let routed = Routed::new(&slow);
    assert!(
        routed.risks()[0] < 1.3 * routed.least(),
        "{:?} {}",
        routed.risks(),
        routed.least()
    );
}

/// One link at a part of its speed carries about that part of its siblings' routes; only entries it gives up change.
#[test]
fn a_slow_link_carries_its_part() {
    for number in 0..12 * u64::from(long::times()) {
        let netlist = shape(number);
        let whole = Routed::new(&netlist);
        let mut random = Random::new(number);
        let links = netlist.links_between_switches();
        let link = links[random.below(links.len())];
        let lost = Routed::new(&without(&netlist, &[link]));
        for (speed, part) in [("2xEDR", 0.5), ("1xEDR", 0.25), ("1xFDR", 0.136)] {
            let slow = Routed::new(&with_speed(&netlist, &[link], speed));
            let ends = link.map(|(node, port)| {
                let guid = netlist.nodes[node as usize].guid;
                (slow.fabric.switch_by_guid(guid).expect("there"), port)
            });
            let ranking = slow.plan.ranking();
            let is_up = |a, b| ranking.is_up(a, b);
            let (low, port) = match is_up(ends[0].0, ends[1].0) {
                true => ends[0],
                false => ends[1],
            };
            let uplinks = slow.fabric.ports_of(low).filter(|&(_, peer)| match peer {
                Peer::Switch { index, .. } => is_up(low, index),
                _ => false,
            });
            let others = uplinks
                .filter(|&(p, _)| p != port)
                .map(|(p, _)| slow.routes(low, p));
            let others: Vec<usize> = others.collect();
            let mean = others.iter().sum::<usize>() as f64 / others.len() as f64;
            let carried = slow.routes(low, port) as f64;
            // At most what the A2A bound allows, where all hosts of a leaf use the link.
            let (hosts, bound) = (slow.fabric.end_nodes_of(low).len() as f64, slow.least());
            let wanted = match hosts <= 1.2 * bound * part {
                true => mean * part,
                false => mean.min(bound) * part,
            };
            // The bound is less than 1/part flows, or hosts are the limit, not uplinks, as in the shape of two ranks.
            if bound * part * part < 1.0 || slow.plan.ranking().per_rank().len() == 2 {
                assert_eq!(carried, 0.0, "{number}, {speed}");
            } else {
                assert!(carried >= 1.0, "{number}, {speed}");
                assert!(
                    (carried - wanted).abs() <= (0.5 * wanted).max(3.5),
                    "{number}, {speed}: {carried} of {mean}, {wanted}"
                );
            }
            // Only entries that used the link change.
            let changed = forced(whole.pair(), (&lost.fabric, &slow.tables), is_up);
            let needless = changed.needless.entries;
            assert_eq!(needless, 0, "{number}, {speed}: {changed:?}");
        }
    }
}

/// With up to 5 % of the links slow, A2A, RP and SP over capacity are at most those without them, or one flow on a slow
/// link, plus two such flows (RP: one). RP is at most one such flow above the RP that ignores speeds.
#[test]
fn slow_links_are_never_worse_than_none() {
    for number in 0..24 * u64::from(long::times()) {
        let netlist = shape(number);
        let mut random = Random::new(number);
        let mut links = netlist.links_between_switches();
        let count = 1 + random.below(links.len() / 20);
        let some: Vec<Link> = (0..count)
            .map(|_| links.swap_remove(random.below(links.len())))
            .collect();
        let lost = Routed::new(&without(&netlist, &some)).risks();
        let (speed, part) = [("2xEDR", 0.5), ("1xEDR", 0.25)][random.below(2)];
        let slow = with_speed(&netlist, &some, speed);
        let ignored = Routed::by_options(&slow, &ignoring()).risks();
        let slow = Routed::new(&slow).risks();
        let all =
            format!("{number}, {count} at {speed}: {slow:?}, lost {lost:?}, ignored {ignored:?}");
        for ((slow, lost), more) in slow.iter().zip(lost).zip([2.0, 1.0, 2.0]) {
            assert!(*slow <= lost.max(1.0 / part) + more / part, "{all}");
        }
        assert!(slow[1] <= ignored[1] + 1.0 / part, "{all}");
    }
}

/// With half of all links slow, the median of A2A is near the bound, and the median of RP is no worse than where speeds are
/// ignored. With a set of links for each share, A2A was within a fifth of the bound on all shapes.
#[test]
fn half_of_all_links_are_slow() {
    for (shape, fast, slow, most) in [
        ("PGFT(3;12,8,8;1,4,8;1,1,1)", "4xEDR", "2xEDR", 1.35),
        ("PGFT(3;12,8,8;1,4,8;1,1,1)", "4xEDR", "1xEDR", 1.2),
        ("PGFT(3;8,6,8;1,4,6;1,1,1)", "4xFDR10", "4xQDR", 1.35),
        ("PGFT(2;18,12;1,18;1,1)", "4xEDR", "2xEDR", 1.25),
        ("PGFT(2;18,12;1,18;1,1)", "4xEDR", "1xEDR", 1.6),
    ] {
        let (mut over, mut used, mut ignored) = (Vec::new(), Vec::new(), Vec::new());
        for number in 0..12.max(3 * u64::from(long::times())) {
            let netlist = pgft(shape, number);
            let mut random = Random::new(number);
            let links = netlist.links_between_switches();
            let whole = with_speed(&netlist, &links, fast);
            let half = links.into_iter().filter(|_| random.below(2) == 0);
            let slow = with_speed(&whole, &half.collect::<Vec<Link>>(), slow);
            let routed = Routed::new(&slow);
            let risks = routed.risks();
            over.push(risks[0] / routed.least());
            used.push(risks[1]);
            ignored.push(Routed::by_options(&slow, &ignoring()).risks()[1]);
        }
        let [over, used, ignored] = [over, used, ignored].map(|mut of| {
            of.sort_by(f64::total_cmp);
            of[of.len() / 2]
        });
        let all = format!("{shape}, {slow}: A2A {over} of the bound, RP {used}, ignored {ignored}");
        assert!(over <= most && used <= ignored, "{all}");
    }
}
