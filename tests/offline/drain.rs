//! Drained links carry only routes that have no other path, and pulling them changes no other entry. The tool's output
//! is tested in `tests/data/answers/drain.txt`; that no pair loses its route, in `capacity`.

use crate::long;
use crate::routed::{Routed, partial, pgft, with_reference};
use dmodc_core::Options;
use dmodc_fabric::random::Random;
use dmodc_fabric::{Drained, Fabric, Guid, NO_PATH, Peer, PortNumber, SwitchId};
use dmodc_formats::netlist::{Netlist, Part};

/// A switch or one of its links, drawn.
pub fn some_part(fabric: &Fabric, random: &mut Random) -> Drained {
    if fabric.switches().is_empty() {
        return Drained {
            switch: Guid(1),
            port: None,
        };
    }
    let s = SwitchId::from(random.below(fabric.switches().len()));
    let switch = &fabric.switches()[s];
    let is_link = |&p: &PortNumber| matches!(fabric.peer(s, p), Peer::Switch { .. });
    let ports: Vec<PortNumber> = switch.port_numbers().filter(is_link).collect();
    let port = match random.below(4) == 0 || ports.is_empty() {
        true => None,
        false => Some(ports[random.below(ports.len())]),
    };
    let switch = switch.guid;
    Drained { switch, port }
}

const SHAPES: [&str; 5] = [
    "PGFT(2;6,8;1,4;1,1)",
    "PGFT(2;6,8;1,4;1,2)",
    "PGFT(3;6,6,4;1,3,6;1,1,1)",
    "PGFT(3;4,4,4;1,2,4;1,2,1)",
    "PGFT(4;3,3,3,3;1,3,3,3;1,1,1,1)",
];

/// A tree, and the same with some links lost.
fn tree(random: &mut Random) -> (Netlist, Netlist) {
    let shape = SHAPES[random.below(SHAPES.len())];
    let whole = pgft(shape, random.below(1000) as u64);
    let links = whole.links_between_switches();
    let lost = (0..4).map(|_| Part::Link(links[random.below(links.len())]));
    let less = whole.without(&lost.collect::<Vec<_>>());
    (whole, less)
}

/// The drained equipment as parts of a netlist.
fn parts(netlist: &Netlist, drain: &[Drained]) -> Vec<Part> {
    let node = |guid| {
        let at = netlist.nodes.iter().position(|n| n.guid == guid);
        at.expect("it is there") as u32
    };
    let part = |drained: &Drained| match drained.port {
        None => Part::Node(node(drained.switch)),
        Some(number) => {
            let at = node(drained.switch);
            let ports = &netlist.nodes[at as usize].ports;
            let port = ports.iter().find(|p| p.number == number).expect("a link");
            Part::Link([(at, number), (port.peer, port.peer_port)])
        }
    };
    drain.iter().map(part).collect()
}

/// Pulling drained links changes no entry but those without another path, which become "no path"; the others avoid the
/// drained links already. On whole and damaged trees, without detours, with the whole tree as reference.
#[test]
fn pulling_a_drained_switch_changes_nothing() {
    for number in 0..100 * u64::from(long::times()) {
        let mut random = Random::new(number);
        let (whole, less) = tree(&mut random);
        let options = partial(with_reference(&whole));
        let netlist = if random.below(2) == 0 { whole } else { less };
        let (fabric, _) = netlist.to_fabric(None).expect("LIDs");
        let drain: Vec<Drained> = (0..=random.below(3))
            .map(|_| some_part(&fabric, &mut random))
            .collect();
        let less = netlist.without(&parts(&netlist, &drain));
        let pulled = Routed::by_options(&less, &options);
        let ends = Drained::ends(&fabric, &drain);
        let drained = Options { drain, ..options };
        let drained = Routed::by_options(&netlist, &drained);
        for (to, (lid, ..)) in pulled.fabric.lids().enumerate() {
            for (now, switch) in pulled.fabric.switches().iter_enumerated() {
                let before = fabric.switch_by_guid(switch.guid).expect("it is there");
                let (was, is) = (drained.tables.get(before, lid), pulled.tables.get(now, lid));
                let is_empty = ends.binary_search(&(before, PortNumber(was))).is_err();
                assert!(
                    is == NO_PATH || (was == is && is_empty),
                    "{number}: {ends:?}: {switch:?} to {to}, {lid}: {was} {is}"
                );
            }
        }
    }
}
