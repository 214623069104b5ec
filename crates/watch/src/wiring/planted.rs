//! Faults planted in production fabrics: `wiring` finds them, one line each, and cries about nothing else.

mod swaps;

use super::{Cause, Difference, Kind, by_siblings, causes, slow_links};
use crate::against::against;
use dmodc_core::{Options, Ranking};
use dmodc_fabric::{Guid, PortNumber, Speed};
use dmodc_formats::netlist::{self, Netlist, Part};
use std::collections::BTreeSet;

type Side = (u32, PortNumber);

#[derive(Clone, Copy, Debug)]
enum Fault {
    Swapped,
    Missing,
    Slow,
    Moved,
    Replaced,
}

const FAULTS: [Fault; 5] = [
    Fault::Swapped,
    Fault::Missing,
    Fault::Slow,
    Fault::Moved,
    Fault::Replaced,
];

/// The fabrics with two levels or more, and how many findings each has as it is (by hand: true ones).
const FABRICS: [(&str, usize); 4] = [
    ("director-174sw", 7),
    ("gpu-cluster-206sw", 2),
    ("irregular-11sw", 0),
    ("leaf-to-leaf-8sw", 1),
];

/// The fabrics without a tree, in which nothing is found.
const OTHERS: [&str; 2] = ["ring-4sw", "small-2sw"];

fn read(name: &str) -> Netlist {
    let path = format!(
        "{}/../../tests/data/production/{name}.ibnetdiscover",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = std::fs::read(path).expect("a file");
    Netlist::parse_leniently(&text).expect("a netlist").value
}

/// What `wiring` prints.
fn found(net: &Netlist, reference: Option<&Netlist>) -> Vec<Cause> {
    let (fabric, names) = net.to_fabric(None).expect("LIDs for all");
    let ranking = Ranking::new(&fabric, &Options::default());
    let mut found = match reference {
        Some(reference) => against(net, reference),
        None => by_siblings(&fabric, &names, &ranking),
    };
    let designed = reference.map(|net| net.to_fabric(None).expect("LIDs for all").0);
    let slow = slow_links(&fabric, |s| ranking.rank(s), designed.as_ref());
    found.extend(slow.iter().map(|slow| slow.difference(&fabric, &names)));
    causes(found)
}

/// A small generator: the draws are the same everywhere.
struct Draws(u64);

impl Draws {
    fn below(&mut self, count: usize) -> usize {
        let product = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = product.wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % count as u64) as usize
    }

    fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }
}

fn slower(speed: Speed) -> Speed {
    let rates = [
        "4xSDR", "4xDDR", "4xQDR", "4xFDR", "4xEDR", "4xHDR", "4xNDR",
    ];
    let rates = rates.map(|rate| rate.parse::<Speed>().expect("a speed"));
    let lower = rates.into_iter().rev().find(|rate| *rate < speed);
    lower.unwrap_or(Speed::UNKNOWN)
}

/// The fabric with a fault, and the GUIDs of which a finding must name one. `None` if the draw is no fault.
fn plant(net: &Netlist, fault: Fault, draws: &mut Draws) -> Option<(Netlist, BTreeSet<Guid>)> {
    let links = net.links_between_switches();
    let link = draws.one(&links);
    let port = |(node, number): Side| net.nodes[node as usize].port(number).expect("a link");
    let guid = |(node, _): Side| net.nodes[node as usize].guid;
    let mut concerned: BTreeSet<Guid> = link.iter().map(|&side| guid(side)).collect();
    let mut hurt = net.clone();
    match fault {
        Fault::Missing => hurt = net.without(&[Part::Link(link)]),
        Fault::Slow => hurt.set_speed(link, slower(port(link[0]).speed())),
        Fault::Moved => {
            // One end goes to a free port of another switch.
            let nodes = (0..).zip(&net.nodes);
            let switches = nodes.filter(|(_, node)| node.kind == netlist::Kind::Switch);
            let others = switches.filter(|(_, node)| !concerned.contains(&node.guid));
            let (to, node) = draws.one(&others.collect::<Vec<(u32, _)>>());
            let mut ports = PortNumber::external(node.port_count);
            let free = ports.find(|&p| node.port(p).is_none())?;
            hurt = net.without(&[Part::Link(link)]);
            let ends = [link[draws.below(2)], (to, free)];
            fabrics::link(&mut hurt, ends[0], ends[1]);
            hurt.set_speed(ends, port(link[0]).speed());
        }
        Fault::Swapped => {
            let other = draws.one(&links);
            concerned.extend(other.iter().map(|&side| guid(side)));
            // Two cables between the same two switches do not matter.
            if concerned.len() < 3 {
                return None;
            }
            hurt = swaps::swapped(net, &[[link[1], other[1]]])?;
        }
        Fault::Replaced => {
            // Another box, of an older generation.
            let (node, _) = link[draws.below(2)];
            let is_link = |sides: &&[Side; 2]| sides.iter().any(|side| side.0 == node);
            for sides in links.iter().filter(is_link) {
                hurt.set_speed(*sides, slower(port(sides[0]).speed()));
            }
            let new = &mut hurt.nodes[node as usize];
            new.guid.0 ^= 0xff00;
            concerned = BTreeSet::from([new.guid]);
        }
    }
    Some((hurt, concerned))
}

/// The faults found, missed, and findings that are of no planted fault or that repeat one.
type Score = [usize; 3];

/// The score of a planted fault, by what is found anew.
fn score(new: &[&Cause], concerned: &BTreeSet<Guid>) -> Score {
    let names = |cause: &&&Cause| {
        let ends = |d: &Difference| [d.ends.clone(), d.found.clone()].concat();
        let mut ends = cause.differences.iter().flat_map(ends);
        ends.any(|end| concerned.contains(&end.guid))
    };
    let found = new.iter().filter(names).count().min(1);
    [found, 1 - found, new.len() - found]
}

/// By fault, the scores without and with a reference, of `count` draws in turn over faults and fabrics.
fn scores(count: usize) -> [[Score; 2]; 5] {
    let whole: Vec<Netlist> = FABRICS.iter().map(|(name, _)| read(name)).collect();
    let keys = |net| found(net, None).iter().map(key).collect();
    let before: Vec<BTreeSet<_>> = whole.iter().map(keys).collect();
    let mut scores = [[Score::default(); 2]; 5];
    for draw in 0..count {
        let (fault, at) = (draw % FAULTS.len(), draw / FAULTS.len() % whole.len());
        let mut draws = Draws(draw as u64);
        draws.below(1);
        let drawn = std::iter::repeat_with(|| plant(&whole[at], FAULTS[fault], &mut draws));
        let (hurt, concerned) = drawn.flatten().next().expect("a fault");
        for (sum, reference) in scores[fault].iter_mut().zip([None, Some(&whole[at])]) {
            let all = found(&hurt, reference);
            let is_new = |cause: &&Cause| reference.is_some() || !before[at].contains(&key(cause));
            let new: Vec<&Cause> = all.iter().filter(is_new).collect();
            if std::env::var_os("DMODC_SHOW").is_some() {
                println!("{draw} {:?} {} {concerned:?}", FAULTS[fault], FABRICS[at].0);
                new.iter().for_each(|cause| println!("    {cause}"));
            }
            let score = score(&new, &concerned);
            *sum = std::array::from_fn(|at| sum[at] + score[at]);
        }
    }
    scores
}

/// What a cause is about, by names, which a replaced box keeps; its evidence may change by another fault.
fn key(cause: &Cause) -> (Kind, Vec<(String, Option<PortNumber>)>) {
    let first = &cause.differences[0];
    let ends = first.ends.iter().map(|end| (end.name.clone(), end.port));
    (first.kind, ends.collect())
}

#[test]
fn whole_fabrics_are_quiet() {
    for (name, count) in FABRICS.into_iter().chain(OTHERS.map(|name| (name, 0))) {
        let net = read(name);
        assert_eq!(found(&net, None).len(), count, "{name}");
        assert_eq!(found(&net, Some(&net)).len(), 0, "{name}");
    }
}

#[test]
fn planted_faults_are_found() {
    let table = scores(40);
    let [alone, against] = [0, 1].map(|i| table.map(|scores| scores[i]));
    assert_eq!(against, [[8, 0, 0]; 5]);
    assert_eq!(
        alone,
        [[5, 3, 0], [6, 2, 0], [8, 0, 0], [5, 3, 0], [7, 1, 0]]
    );
}

/// The long form prints the table of `docs/results/tables.md`.
#[test]
#[ignore = "minutes"]
fn planted_faults_are_found_in_200_draws() {
    for (fault, [alone, against]) in FAULTS.iter().zip(scores(200)) {
        let row = [alone, against].map(|s| s.map(|count| count.to_string()).join(" / "));
        println!("| {fault:?} | {} |", row.join(" | "));
    }
}
