//! Small fabrics drawn by hand: switches, links and end nodes in the order in which a test adds
//! them; and shapes that are no trees.

use super::drawn;
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
        let [port_a, port_b] = [a, b].map(|node| self.0.nodes[node as usize].ports.len() as u8 + 1);
        for (node, port) in [(a, port_a), (b, port_b)] {
            let node = &self.0.nodes[node as usize];
            assert!(port <= node.port_count, "{} has a free port", node.id);
        }
        drawn::link(
            &mut self.0,
            (a, PortNumber(port_a)),
            (b, PortNumber(port_b)),
        );
    }

    pub fn net(self) -> Net {
        Net::write(self.0)
    }

    fn node(&mut self, kind: Kind, word: &str, port_count: u8) -> u32 {
        let description = format!("{word} {}", self.0.nodes.len());
        drawn::add(&mut self.0, kind, description, port_count)
    }
}

/// Switches in a cycle, a host on each.
pub fn ring(count: u32) -> Net {
    let mut sketch = Sketch::switches(count, 1);
    for s in 0..count {
        sketch.link(s, (s + 1) % count);
    }
    sketch.net()
}

/// Switches in rows and columns, a host on each.
pub fn mesh(width: u32, height: u32) -> Net {
    grid(width, height, false).net()
}

/// A mesh whose rows and columns are closed.
pub fn torus(width: u32, height: u32) -> Net {
    grid(width, height, true).net()
}

fn grid(width: u32, height: u32, closed: bool) -> Sketch {
    let mut sketch = Sketch::switches(width * height, 1);
    for y in 0..height {
        for x in 0..width {
            let at = |x: u32, y: u32| (y % height) * width + x % width;
            if closed || x + 1 < width {
                sketch.link(at(x, y), at(x + 1, y));
            }
            if closed || y + 1 < height {
                sketch.link(at(x, y), at(x, y + 1));
            }
        }
    }
    sketch
}

/// Groups of switches, all linked within a group, and one link between every two groups.
pub fn dragonfly(groups: u32, of: u32) -> Net {
    let mut sketch = Sketch::switches(groups * of, 1);
    for group in 0..groups {
        for a in 0..of {
            for b in a + 1..of {
                sketch.link(group * of + a, group * of + b);
            }
        }
        for other in group + 1..groups {
            sketch.link(group * of + other % of, other * of + group % of);
        }
    }
    sketch.net()
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
