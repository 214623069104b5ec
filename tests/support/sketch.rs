//! Small fabrics drawn by hand, and shapes that are no trees.

use super::fabrics::Net;
use ::fabrics::add;
use dmodc_fabric::PortNumber;
use dmodc_formats::netlist::{Kind, Netlist};

/// External ports of every switch drawn.
const RADIX: u8 = 36;

/// Switches by number, with hosts and routers of one port, each by its switch, and links. All take the lowest free ports,
/// end nodes first.
pub fn drawn(hosts: &[u32], routers: &[u32], links: impl IntoIterator<Item = (u32, u32)>) -> Net {
    let links: Vec<(u32, u32)> = links.into_iter().collect();
    let last = links.iter().map(|&(a, b)| a.max(b)).max();
    let mut netlist = Netlist::default();
    for switch in 0..=last.expect("a link") {
        add(
            &mut netlist,
            Kind::Switch,
            format!("switch {switch}"),
            RADIX,
        );
    }
    let mut all = Vec::new();
    for (kind, word, switches) in [(Kind::Ca, "host", hosts), (Kind::Router, "router", routers)] {
        for (nth, &switch) in switches.iter().enumerate() {
            let end = add(&mut netlist, kind, format!("{word} {nth}"), 1);
            all.push((switch, end));
        }
    }
    for (a, b) in all.into_iter().chain(links) {
        let free = |node: u32| PortNumber(netlist.nodes[node as usize].ports.len() as u8 + 1);
        let ends = [a, b].map(|node| (node, free(node)));
        ::fabrics::link(&mut netlist, ends[0], ends[1]);
    }
    Net::write(netlist)
}

/// So many hosts on each of these switches.
pub fn each(switches: u32, hosts: usize) -> Vec<u32> {
    (0..switches).flat_map(|s| vec![s; hosts]).collect()
}

/// A host on each switch.
fn linked(count: u32, links: impl IntoIterator<Item = (u32, u32)>) -> Net {
    drawn(&each(count, 1), &[], links)
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
    let links = (1..leaves).flat_map(|leaf| {
        let spine = leaves + leaf - 1;
        [(leaf - 1, spine), (leaf, spine)]
    });
    drawn(&each(leaves, 2), &[], links)
}
