//! Small fabrics drawn by hand: switches, links and end nodes in the order in which a test adds
//! them; and shapes that are no trees.

use super::fabrics::Net;
use dmodc_fabric::PortNumber;
use dmodc_formats::netlist::{Kind, Netlist};

/// External ports of every switch drawn.
const RADIX: u8 = 36;

/// A fabric being drawn. Nodes are numbered in the order in which they are added.
#[derive(Default)]
pub struct Sketch(Netlist);

impl Sketch {
    /// `count` switches, each with `hosts` end nodes, and no links between them.
    pub fn switches(count: u32, hosts: u32) -> Sketch {
        let mut sketch = Sketch::default();
        for _ in 0..count {
            sketch.switch();
        }
        for switch in 0..count {
            for _ in 0..hosts {
                sketch.host(switch);
            }
        }
        sketch
    }

    pub fn switch(&mut self) -> u32 {
        self.node(Kind::Switch, "switch", RADIX)
    }

    /// Adds a CA of one port and links it to a switch.
    pub fn host(&mut self, switch: u32) -> u32 {
        let host = self.node(Kind::Ca, "host", 1);
        self.link(switch, host);
        host
    }

    /// Adds a router of one port and links it to a switch.
    pub fn router(&mut self, switch: u32) -> u32 {
        let router = self.node(Kind::Router, "router", 1);
        self.link(switch, router);
        router
    }

    /// Links two nodes by the lowest port that is free at each.
    pub fn link(&mut self, a: u32, b: u32) {
        let free = |node: u32| PortNumber(self.0.nodes[node as usize].ports.len() as u8 + 1);
        let ends = [a, b].map(|node| (node, free(node)));
        ::fabrics::link(&mut self.0, ends[0], ends[1]);
    }

    pub fn net(self) -> Net {
        Net::write(self.0)
    }

    fn node(&mut self, kind: Kind, word: &str, port_count: u8) -> u32 {
        let description = format!("{word} {}", self.0.nodes.len());
        ::fabrics::add(&mut self.0, kind, description, port_count)
    }
}

/// Switches with these links, a host on each.
fn linked(count: u32, links: impl IntoIterator<Item = (u32, u32)>) -> Net {
    let mut sketch = Sketch::switches(count, 1);
    links.into_iter().for_each(|(a, b)| sketch.link(a, b));
    sketch.net()
}

pub fn ring(count: u32) -> Net {
    linked(count, (0..count).map(|s| (s, (s + 1) % count)))
}

/// Switches in rows and columns, which are closed in a torus.
pub fn grid(width: u32, height: u32, closed: bool) -> Net {
    let links = (0..width * height).flat_map(|s| {
        let (x, y) = (s % width, s / width);
        let right = (closed || x + 1 < width).then_some((s, y * width + (x + 1) % width));
        let below = (closed || y + 1 < height).then_some((s, (s + width) % (width * height)));
        right.into_iter().chain(below)
    });
    linked(width * height, links)
}

/// Groups of switches, all linked within a group, and one link between every two groups.
pub fn dragonfly(groups: u32, of: u32) -> Net {
    let pairs = |count: u32| (0..count).flat_map(move |a| (a + 1..count).map(move |b| (a, b)));
    let within = (0..groups).flat_map(|g| pairs(of).map(move |(a, b)| (g * of + a, g * of + b)));
    let between = pairs(groups).map(|(a, b)| (a * of + b % of, b * of + a % of));
    linked(groups * of, within.chain(between))
}

/// Leaves and spines in one line, in turn: every spine joins two leaves, and every leaf but the
/// first and the last has two spines. Only the two leaves of a spine have an up-down path.
pub fn zigzag(leaves: u32) -> Net {
    let mut sketch = Sketch::switches(leaves, 2);
    for leaf in 1..leaves {
        let spine = sketch.switch();
        sketch.link(leaf - 1, spine);
        sketch.link(leaf, spine);
    }
    sketch.net()
}
