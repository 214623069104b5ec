//! Fabrics on which events happen, and the equipment that an event hits, chosen by place.

use super::fabrics::*;
use super::names;
use super::throws;
use crate::long;
use dmodc_fabric::random::Random;
use dmodc_formats::netlist::generate::Pgft;
use dmodc_formats::netlist::{Kind, Netlist};

/// The shapes on which events happen: two, three and four levels, parallel links, small and large.
pub const SHAPES: [&str; 10] = [
    "PGFT(2;6,8;1,4;1,1)",
    "PGFT(2;6,7;1,3;1,2)",
    "PGFT(2;12,24;1,12;1,1)",
    "PGFT(2;18,36;1,18;1,1)",
    "PGFT(3;4,4,6;1,4,4;1,1,1)",
    "PGFT(3;6,4,5;1,3,4;1,2,1)",
    "PGFT(3;5,5,6;1,4,5;1,1,2)",
    "PGFT(3;12,8,12;1,4,8;1,1,1)",
    "PGFT(4;3,3,4,5;1,3,3,4;1,1,1,1)",
    "PGFT(4;4,4,4,4;1,3,3,4;1,2,1,1)",
];

/// The shapes that have at most `most` nodes; all in CI.
pub fn small<const N: usize>(
    shapes: [&'static str; N],
    most: usize,
) -> impl Iterator<Item = &'static str> {
    let is_long = long::runs("larger shapes");
    let nodes = |shape: &str| {
        let shape: Pgft = shape.parse().expect("a shape");
        shape.elements(0)
    };
    let all = shapes.into_iter();
    all.filter(move |shape| is_long || nodes(shape) <= most)
}

/// These shapes, each with the seeds of `count` throws.
pub fn thrown<const N: usize>(
    shapes: [&'static str; N],
    count: u64,
) -> impl Iterator<Item = (&'static str, u64)> {
    let shapes = shapes.into_iter();
    shapes.flat_map(move |shape| throws(count).map(move |seed| (shape, seed)))
}

/// The shapes of at most 200 nodes, all in CI, with the seeds of one throw.
pub fn each() -> impl Iterator<Item = (&'static str, u64)> {
    small(SHAPES, 200).flat_map(|shape| throws(1).map(move |seed| (shape, seed)))
}

/// A switch of a PGFT, by index, with its level and digits.
struct Element {
    node: u32,
    level: usize,
    digits: Vec<usize>,
}

/// A fabric with GUIDs at random, and its elements if it is a PGFT.
pub struct Whole {
    /// Its name, with the seed.
    pub what: String,
    pub seed: u64,
    pub netlist: Netlist,
    /// If it has uneven pods.
    pub pods: Option<Pods>,
    pub levels: usize,
    bases: Vec<(usize, usize)>,
    elements: Vec<Element>,
}

/// Which switches an event may hit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Where {
    /// At neither the first nor the last used port of a neighbour: it leaves a hole between used ports.
    Inside,
    /// At any port, if at least three siblings of its neighbours have a switch at the same port.
    Told,
}

impl Whole {
    pub fn named(what: &str, seed: u64, netlist: Netlist) -> Whole {
        Whole {
            what: format!("{what}, seed {seed}"),
            seed,
            netlist,
            pods: None,
            levels: 0,
            bases: Vec::new(),
            elements: Vec::new(),
        }
    }

    pub fn pgft((shape, seed): (&str, u64)) -> Whole {
        let netlist = names::at_random(&pgft(shape), seed);
        let parsed: Pgft = shape.parse().expect("a shape");
        let nodes = (0..).zip(&netlist.nodes);
        let elements = nodes.filter_map(|(node, n)| {
            let (level, index) = level_and_index(n)?;
            let digits = digits(&parsed, level, index);
            Some(Element {
                node,
                level,
                digits,
            })
        });
        let levels = parsed.levels();
        let bases = (1..=levels).map(|l| (parsed.children(l), parsed.parents(l)));
        Whole {
            elements: elements.collect(),
            bases: bases.collect(),
            levels,
            ..Whole::named(shape, seed, netlist.clone())
        }
    }

    /// The PGFT with additions of real fabrics: two LIDs an end node, aggregation nodes, gateways on two top switches.
    pub fn furnished((shape, seed): (&str, u64)) -> Whole {
        let mut whole = Whole::pgft((shape, seed));
        let tops = whole.nodes(|e| e.level == whole.levels);
        let netlist = &mut whole.netlist;
        for &top in tops.iter().take(2) {
            let port = spare(netlist, top);
            add_gateway(netlist, top, port);
        }
        add_aggregation_nodes(netlist);
        for switch in netlist.nodes.iter_mut().filter(|n| n.kind == Kind::Switch) {
            switch.port_count += SPARE;
        }
        let netlist = names::with_lids(netlist, 1, seed);
        whole.netlist = names::at_random(&netlist, seed);
        whole.what += ", furnished";
        whole
    }

    /// The same with cables at random: the ports of every switch are shuffled.
    pub fn shuffled((shape, seed): (&str, u64)) -> Whole {
        let mut whole = Whole::pgft((shape, seed));
        whole.netlist = names::with_ports_shuffled(&whole.netlist, seed);
        whole.what += ", cables at random";
        whole
    }

    pub fn pods(pods: Pods, seed: u64) -> Whole {
        let netlist = names::at_random(&pods.draw(seed), seed);
        let what = format!(
            "pods of {:?} leaves, {} on spines",
            pods.leaves, pods.on_spines
        );
        Whole {
            pods: Some(pods),
            ..Whole::named(&what, seed, netlist)
        }
    }

    /// The description of a node: its place.
    pub fn place(&self, node: u32) -> &str {
        &self.netlist.nodes[node as usize].description
    }

    pub fn node(&self, place: &str) -> u32 {
        node_at(&self.netlist, place)
    }

    /// Whether a switch is at an inner port of its neighbours above and below; or whether at least three siblings of
    /// each of these have a switch at the same port.
    fn may_go(&self, e: &Element, which: Where) -> bool {
        let children = |level: usize| self.bases[level - 1].0;
        let parents = |level: usize| self.bases[level - 1].1;
        let inside = |digit: usize, of: usize| digit > 0 && digit + 1 < of;
        let below: usize = (1..e.level).map(parents).product::<usize>();
        let beside: usize = (e.level + 1..=self.levels).map(children).product();
        let at_children = e.level == 1
            || match which {
                Where::Inside => inside(e.digits[e.level - 1], parents(e.level)),
                Where::Told => below * beside > 3,
            };
        let at_parents = e.level == self.levels
            || match which {
                Where::Inside => inside(e.digits[e.level], children(e.level + 1)),
                Where::Told => {
                    let siblings = parents(e.level) * below;
                    let cousins: usize = (e.level + 2..=self.levels).map(children).product();
                    siblings * cousins > 3 && (e.level > 1 || cousins > 3)
                }
            };
        at_children && at_parents
    }

    /// A switch of a level that may go, drawn.
    pub fn switch(&self, level: usize, which: Where, random: &mut Random) -> Option<u32> {
        let these = self.nodes(|e| e.level == level && self.may_go(e, which));
        (!these.is_empty()).then(|| these[random.below(these.len())])
    }

    /// A switch of each level, as far as there is one.
    pub fn switches(&self, which: Where, random: &mut Random) -> Vec<u32> {
        let levels = 1..=self.levels;
        levels
            .filter_map(|level| self.switch(level, which, random))
            .collect()
    }

    /// Two switches at neighbouring places, which go together as with a line card.
    pub fn line_card(&self, level: usize, random: &mut Random) -> Option<Vec<u32>> {
        let one = self.switch(level, Where::Inside, random)?;
        let element = self.elements.iter().find(|e| e.node == one)?;
        // The next place: one more in the digit that is its port at the neighbours.
        let digit = level - usize::from(level == self.levels);
        let mut wanted = element.digits.clone();
        wanted[digit] += 1;
        let mut all = self.elements.iter();
        let next = all.find(|e| e.level == level && e.digits == wanted)?;
        let may_go = self.may_go(next, Where::Inside);
        may_go.then(|| vec![one, next.node])
    }

    /// All switches of a pod below the top level, drawn, but not of the first or last pod.
    pub fn pod(&self, random: &mut Random) -> Option<Vec<u32>> {
        let pods = self.bases[self.levels - 1].0;
        (self.levels > 2 && pods > 2).then(|| self.nth_pod(1 + random.below(pods - 2)))
    }

    pub fn last_pod(&self) -> Vec<u32> {
        self.nth_pod(self.bases[self.levels - 1].0 - 1)
    }

    fn nth_pod(&self, pod: usize) -> Vec<u32> {
        self.nodes(|e| e.level < self.levels && e.digits[self.levels - 1] == pod)
    }

    fn nodes(&self, are: impl Fn(&Element) -> bool) -> Vec<u32> {
        let these = self.elements.iter().filter(|e| are(e));
        these.map(|e| e.node).collect()
    }

    /// The switches at one uplink of all leaves, and all above them: a plane, drawn, but not the first or last.
    pub fn plane(&self, random: &mut Random) -> Option<Vec<u32>> {
        let planes = self.bases[1].1;
        if self.levels < 3 || planes < 3 {
            return None;
        }
        let plane = 1 + random.below(planes - 2);
        Some(self.nodes(|e| e.level > 1 && e.digits[1] == plane))
    }

    /// The number of planes at the top level. Top switches above the same switches are one plane.
    pub fn planes(&self) -> usize {
        let bases = self.bases[1..self.levels - 1].iter();
        bases.map(|base| base.1).product()
    }

    pub fn top_of(&self, plane: usize) -> Vec<u32> {
        self.nodes(|e| {
            let own = (1..self.levels - 1).rev();
            let number = own.fold(0, |sum, digit| sum * self.bases[digit].1 + e.digits[digit]);
            e.level == self.levels && number == plane
        })
    }

    pub fn last_leaf(&self) -> u32 {
        *self.nodes(|e| e.level == 1).last().expect("leaves")
    }
}
