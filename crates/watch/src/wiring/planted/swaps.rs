//! Swapped cables against the plan of the fabric: what `wiring` says is carried out, and then nothing differs.

use super::{Draws, FABRICS, Side, read};
use crate::against::against;
use crate::wiring::{Cause, End, causes};
use dmodc_formats::netlist::{self, Netlist, Plan, write_plan};

/// The fabric with the cables of each two of these sides swapped; `None` if a cable would join a node to itself.
pub fn swapped(net: &Netlist, sides: &[[Side; 2]]) -> Option<Netlist> {
    let mut hurt = net.clone();
    for &[a, b] in sides {
        let far = |(node, number): Side| {
            let port = hurt.nodes[node as usize].port(number)?;
            Some((port.peer, port.peer_port))
        };
        let (x, y) = (far(a)?, far(b)?);
        if a == y || x.0 == b.0 || y.0 == a.0 {
            return None;
        }
        for (near, far) in [(a, y), (y, a), (b, x), (x, b)] {
            let mut ports = hurt.nodes[near.0 as usize].ports.iter_mut();
            let port = ports.find(|port| port.number == near.1)?;
            (port.peer, port.peer_port) = far;
        }
    }
    Some(hurt)
}

/// All links of hosts and switches, by both sides.
fn sides(net: &Netlist) -> Vec<Side> {
    let counts = |node: &netlist::Node| !node.is_aggregation();
    let nodes = (0..).zip(&net.nodes).filter(|(_, node)| counts(node));
    let sides = nodes.flat_map(|(index, node)| {
        let ports = node.ports.iter();
        let ports =
            ports.filter(move |port| counts(&net.nodes[port.peer as usize]) && port.peer != index);
        ports.map(move |port| (index, port.number))
    });
    sides.collect()
}

/// A drawn swap: of two cables at one device, at two devices, or of two bundles at one device.
fn plant_swap(net: &Netlist, kind: usize, draws: &mut Draws) -> Option<(Netlist, usize)> {
    let all = sides(net);
    let one = draws.one(&all);
    let peer = |&(node, number): &Side| Some(net.nodes[node as usize].port(number)?.peer);
    let fits = |side: &Side| (side.0 == one.0) == (kind != 1) && peer(side) != peer(&one);
    let others: Vec<Side> = all.iter().copied().filter(|side| fits(side)).collect();
    let other = (!others.is_empty()).then(|| draws.one(&others))?;
    let pairs: Vec<[Side; 2]> = match kind {
        0 | 1 => vec![[one, other]],
        _ => {
            let bundle = |side: &Side| -> Vec<Side> {
                let like = |s: &&Side| s.0 == one.0 && peer(s) == peer(side);
                all.iter().filter(like).copied().collect()
            };
            let (ones, others) = (bundle(&one), bundle(&other));
            if ones.len() < 2 || others.len() < 2 {
                return None;
            }
            ones.into_iter().zip(others).map(|(a, b)| [a, b]).collect()
        }
    };
    Some((swapped(net, &pairs)?, pairs.len()))
}

/// Of `count` swaps, of two cables at one device, at two devices, and of two bundles, against the plan of the fabric:
/// those that one line puts right, those where what it says does not,
/// and those where no line says what to swap.
fn swaps_against_plans(count: usize) -> [[usize; 3]; 3] {
    let mut tally = [[0; 3]; 3];
    for draw in 0..count {
        let net = read(FABRICS[draw / 3 % FABRICS.len()].0);
        let mut draws = Draws((56 + draw as u64).wrapping_mul(0x9e37_79b9));
        draws.below(1);
        let kind = draw % 3;
        let planted = std::iter::repeat_with(|| plant_swap(&net, kind, &mut draws));
        let planted = planted.take(10_000).flatten().next();
        // No two bundles at one device: a pair of cables.
        let planted = planted.or_else(|| plant_swap(&net, 0, &mut Draws(draw as u64)));
        let (hurt, pairs) = planted.expect("a swap");
        let plan = Plan::parse_leniently(write_plan(&net).as_bytes(), None).expect("a plan");
        let plan = plan.value.reference(&hurt).value;
        let lines = causes(against(&hurt, &plan));
        let place = |end: &&End| {
            let node = hurt.nodes.iter().position(|node| node.guid == end.guid);
            (node.expect("a node") as u32, end.port.expect("a port"))
        };
        let told = lines.iter().flat_map(Cause::swaps);
        let told: Vec<[Side; 2]> = told.map(|at| at.each_ref().map(place)).collect();
        let back = swapped(&hurt, &told).filter(|back| against(back, &plan).is_empty());
        let is_right = lines.len() == 1 && back.is_some() && told.len() == pairs;
        let at = match is_right {
            true => 0,
            false if !told.is_empty() && back.is_none() => 1,
            false => 2,
        };
        let kind = if pairs > 1 { 2 } else { kind % 2 };
        tally[kind][at] += 1;
    }
    tally
}

#[test]
fn swaps_against_a_plan_are_put_right() {
    let all_right = [34, 33, 33].map(|right| [right, 0, 0]);
    assert_eq!(swaps_against_plans(100), all_right);
}
