//! The fabrics of these tests are what they say.

use super::fabrics::*;
use super::*;
use dmodc::netlist::Port;

/// Whether every link is told by both ends.
fn has_both_ends(netlist: &Netlist) -> bool {
    let ports = netlist.nodes.iter().enumerate();
    let mut ports = ports.flat_map(|(n, node)| node.ports.iter().map(move |p| (n as u32, p)));
    ports.all(|(n, port): (u32, &Port)| {
        let back = netlist.nodes[port.peer as usize].ports.iter();
        let mut back = back.filter(|p| p.number == port.peer_port);
        back.next()
            .is_some_and(|p| (p.peer, p.peer_port) == (n, port.number))
    })
}

fn text(netlist: &Netlist) -> Vec<u8> {
    let mut text = Vec::new();
    netlist.write(&mut text).expect("memory");
    text
}

/// Netlists are written and read back as they are, and routed soundly.
#[test]
fn fabrics_are_sound() {
    let mut found = Findings::default();
    for seed in throws(3) {
        let mut drawn = vec![
            pgft("PGFT(3;4,4,6;1,4,4;1,1,1)"),
            uneven(seed, 0).draw(seed),
            uneven(seed, 5).draw(seed),
        ];
        let mut all = uneven(seed, 3).draw(seed);
        let spine = at(&all, "spine 1.0");
        let port = all.nodes[spine as usize].port_count + 1;
        add_gateway(&mut all, spine, port);
        add_aggregation_nodes(&mut all);
        drawn.push(names::with_lids(&names::in_order(&all), 2, seed));
        for whole in drawn {
            let random = names::at_random(&whole, seed);
            let shuffled = names::with_ports_shuffled(&random, seed);
            for (what, netlist) in [
                ("in order", &whole),
                ("at random", &random),
                ("shuffled", &shuffled),
            ] {
                let read = Netlist::parse(&text(netlist)).expect("a netlist");
                let same = read.to_fabric(None) == netlist.to_fabric(None);
                let count = netlist.nodes.len();
                found.add(
                    same && has_both_ends(netlist),
                    format!("{what}, {count} nodes: the same when read back: {same}"),
                );
                if let Some(routed) = found.route(netlist, what) {
                    let defect = routed.defect();
                    found.add(
                        defect.is_none(),
                        format!("{what}, {count} nodes: {defect:?}"),
                    );
                }
            }
        }
    }
    found.end();
}

/// Names leave all else as it is.
#[test]
fn names_change_names_alone() {
    let whole = uneven(1, 2).draw(1);
    let random = names::at_random(&whole, 7);
    assert_eq!(names::in_order(&random), whole);
    assert_ne!(random, whole);
    let spine = at(&whole, "spine 1.1");
    for above in [false, true] {
        let other = names::replaced(&random, spine, above);
        let guids: Vec<Guid> = random.switches().map(|n| n.guid).collect();
        let new = other.nodes[spine as usize].guid;
        assert!(guids.iter().all(|&guid| (new > guid) == above));
        let differing = random.nodes.iter().zip(&other.nodes);
        assert_eq!(differing.filter(|(a, b)| a != b).count(), 1);
    }
}

/// Digits are those of the generator: an element's children agree with it in all but one.
#[test]
fn digits_are_those_of_the_cables() {
    let shape = "PGFT(4;3,4,2,3;1,2,3,2;1,1,1,1)";
    let netlist = pgft(shape);
    for node in netlist.switches() {
        let (level, index) = level_and_index(node).expect("a switch");
        for port in &node.ports {
            let peer = &netlist.nodes[port.peer as usize];
            let Some((above, other)) = level_and_index(peer).filter(|p| p.0 > level) else {
                continue;
            };
            let (mut here, mut there) = (digits(shape, level, index), digits(shape, above, other));
            (here[level], there[level]) = (0, 0);
            assert_eq!((above, here), (level + 1, there));
        }
    }
}
