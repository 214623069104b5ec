//! Events on regularly cabled fabrics: the equipment that goes or moves, chosen by place.

use super::fabrics::*;
use crate::long;
use dmodc::netlist::{Kind, Netlist, Part};
use dmodc::random::Random;

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

/// The shapes of at most 200 nodes, for `make test`; all in CI.
pub fn shapes() -> impl Iterator<Item = &'static str> {
    small(SHAPES, 200)
}

/// Each of these shapes with the seeds of `count` throws.
pub fn each(count: u64) -> impl Iterator<Item = (&'static str, u64)> {
    shapes().flat_map(move |shape| super::throws(count).map(move |seed| (shape, seed)))
}

/// The shapes that have at most `most` nodes; all in CI.
pub fn small<const N: usize>(
    shapes: [&'static str; N],
    most: u32,
) -> impl Iterator<Item = &'static str> {
    let is_long = long::runs("larger shapes");
    let nodes = |shape: &str| {
        let children = shape.split(';').nth(1).expect("children").split(',');
        children
            .map(|m| m.parse::<u32>().expect("a number"))
            .product::<u32>()
    };
    let all = shapes.into_iter();
    all.filter(move |shape| is_long || nodes(shape) <= most)
}

/// A switch of a PGFT, by index, with its level and digits.
struct Element {
    node: u32,
    level: usize,
    digits: Vec<usize>,
}

/// A PGFT and its elements.
pub struct Whole {
    pub netlist: Netlist,
    levels: usize,
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
    /// The PGFT with GUIDs at random.
    pub fn new(shape: &str, seed: u64) -> Whole {
        let netlist = super::names::at_random(&pgft(shape), seed);
        let parsed: dmodc::netlist::generate::Pgft = shape.parse().expect("a shape");
        let nodes = (0..).zip(&netlist.nodes);
        let elements = nodes.filter_map(|(node, n)| {
            let (level, index) = level_and_index(n)?;
            let digits = digits(shape, level, index);
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
            netlist,
        }
    }

    /// The PGFT with additions of real fabrics: two LIDs an end node, aggregation nodes, gateways on two top switches.
    pub fn furnished(shape: &str, seed: u64) -> Whole {
        let mut whole = Whole::new(shape, seed);
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
        let netlist = super::names::with_lids(netlist, 1, seed);
        whole.netlist = super::names::at_random(&netlist, seed);
        whole
    }

    /// Whether a switch is at an inner port of its neighbours above and below; or whether at least three siblings of
    /// each of these have a switch at the same port.
    fn may_go(&self, e: &Element, at: Where) -> bool {
        let children = |level: usize| self.bases[level - 1].0;
        let parents = |level: usize| self.bases[level - 1].1;
        let inside = |digit: usize, of: usize| digit > 0 && digit + 1 < of;
        let below: usize = (1..e.level).map(parents).product::<usize>();
        let beside: usize = (e.level + 1..=self.levels).map(children).product();
        let at_children = e.level == 1
            || match at {
                Where::Inside => inside(e.digits[e.level - 1], parents(e.level)),
                Where::Told => below * beside > 3,
            };
        let at_parents = e.level == self.levels
            || match at {
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
    pub fn switch(&self, level: usize, at: Where, random: &mut Random) -> Option<u32> {
        let these = self.nodes(|e| e.level == level && self.may_go(e, at));
        (!these.is_empty()).then(|| these[random.below(these.len())])
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

    /// The top switches of one plane.
    pub fn top_of(&self, plane: usize) -> Vec<u32> {
        self.nodes(|e| {
            let own = (1..self.levels - 1).rev();
            let number = own.fold(0, |sum, digit| sum * self.bases[digit].1 + e.digits[digit]);
            e.level == self.levels && number == plane
        })
    }

    pub fn levels(&self) -> usize {
        self.levels
    }

    pub fn last_leaf(&self) -> u32 {
        *self.nodes(|e| e.level == 1).last().expect("leaves")
    }
}

/// The switches of a pod of leaves and mids.
pub fn pod(netlist: &Netlist, pod: usize) -> Vec<u32> {
    let in_pod = |&s: &u32| {
        let place = &netlist.nodes[s as usize].description;
        let of = |word: &str| place.starts_with(&format!("{word} {pod}."));
        of("leaf") || of("mid")
    };
    switches(netlist).into_iter().filter(in_pod).collect()
}

/// Interleaves ports at the switches above: of each two neighbouring leaves one gets the odd ports, one the even ones.
pub fn interleaved(netlist: &Netlist, links: u8) -> Netlist {
    let mut other = netlist.clone();
    let port = |at: u8| {
        let (block, within) = ((at - 1) / (2 * links), (at - 1) % (2 * links));
        block * 2 * links + within % links * 2 + within / links + 1
    };
    let is_top = |node: u32| netlist.nodes[node as usize].description.starts_with("L2-");
    for (nth, node) in (0..).zip(&mut other.nodes) {
        for link in &mut node.ports {
            if is_top(nth) {
                link.number = port(link.number);
            } else if is_top(link.peer) {
                link.peer_port = port(link.peer_port);
            }
        }
        node.ports.sort_by_key(|link| link.number);
    }
    other
}

pub fn a_host(netlist: &Netlist, random: &mut Random) -> u32 {
    let is_host = |&n: &u32| {
        let node = &netlist.nodes[n as usize];
        node.kind == Kind::Ca && !node.is_aggregation()
    };
    let hosts: Vec<u32> = (0..netlist.nodes.len() as u32).filter(is_host).collect();
    hosts[random.below(hosts.len())]
}

/// Moves the end of a cable to another port of the same node.
pub fn moved_to_port(netlist: &Netlist, node: u32, from: u8, to: u8) -> Netlist {
    let mut netlist = netlist.clone();
    let ports = &mut netlist.nodes[node as usize].ports;
    let port = ports.iter_mut().find(|p| p.number == from);
    let port = port.expect("a cable");
    port.number = to;
    let (peer, peer_port) = (port.peer, port.peer_port);
    ports.sort_by_key(|p| p.number);
    let back = netlist.nodes[peer as usize].ports.iter_mut();
    let mut back = back.filter(|p| p.number == peer_port);
    back.next().expect("two ends").peer_port = to;
    netlist
}

/// The highest port of a switch: a spare one.
pub fn spare(netlist: &Netlist, switch: u32) -> u8 {
    netlist.nodes[switch as usize].port_count
}

/// The netlist without these nodes, and without the hosts of a switch that goes.
pub fn without(netlist: &Netlist, nodes: &[u32]) -> Netlist {
    let parts: Vec<Part> = nodes.iter().map(|&n| Part::Node(n)).collect();
    netlist.without(&parts)
}
