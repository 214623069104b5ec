//! Tests of the two memories of a fabric: equipment that comes and goes, and slow links.

use super::{Memory, Witness, among_siblings, slow_links};
use dmodc_core::{Options, Ranking};
use dmodc_fabric::{Fabric, Guid, PortNumber};
use dmodc_formats::netlist::generate::{Order, Pgft, build_with_speeds};
use dmodc_formats::netlist::{Names, Netlist, Part};
use fabrics::{named, node_at, pgft, without};
use std::collections::HashMap;

/// Two pods of two leaves and two spines below two roots, two hosts on each leaf.
fn pods() -> Netlist {
    pgft("PGFT(3;2,2,2;1,2,2;1,1,1)")
}

/// Two leaves with two hosts each, at ports 1 and 2, below four spines.
fn two_leaves() -> Netlist {
    pgft("PGFT(2;2,2;1,4;1,1)")
}

/// The netlist with another speed of the links at some ports of a node.
fn with_speed(
    net: &Netlist,
    name: &str,
    ports: impl IntoIterator<Item = u8>,
    speed: &str,
) -> Netlist {
    let mut net = net.clone();
    let at = node_at(&net, name);
    for number in ports.into_iter().map(PortNumber) {
        let port = net.nodes[at as usize].port(number).expect("a link");
        let ends = [(at, number), (port.peer, port.peer_port)];
        net.set_speed(ends, speed.parse().unwrap_or_default());
    }
    net
}

fn fabric(net: &Netlist) -> (Fabric, Names) {
    net.to_fabric(None).expect("LIDs for all")
}

/// The lines about changes.
fn look(memory: &mut Memory, net: &Netlist) -> Vec<String> {
    let (fabric, names) = fabric(net);
    memory.look(&fabric, &names)
}

/// The number of slow links, and the lines about them.
fn slow(memory: &mut Memory, net: &Netlist, reference: Option<&Netlist>) -> Vec<String> {
    look(memory, net);
    let (net, _) = fabric(net);
    let reference = reference.map(|net| fabric(net).0);
    let ranking = Ranking::new(&net, &Options::default());
    let lines = memory.slow(&net, |s| ranking.rank(s), reference.as_ref());
    [vec![memory.slow_links().count().to_string()], lines].concat()
}

#[test]
fn a_cable_and_a_host_go_and_come_back() {
    let (whole, mut memory) = (pods(), Memory::default());
    assert_eq!(look(&mut memory, &whole), [""; 0]);
    assert_eq!(look(&mut memory, &whole), [""; 0]);
    let less = without(&whole, &["L1-1:4", "node-2"]);
    let lines = [
        "lost: 'L1-1' [4] -- 'L2-1' [2]",
        "lost: host 'node-2' at 'L1-1' [1]",
        "gone, in all: 1 link, 1 host",
    ];
    assert_eq!(look(&mut memory, &less), lines);
    assert_eq!(look(&mut memory, &less), [""; 0]);
    // The lines name only the equipment that has just gone.
    let fewer = without(&less, &["node-0", "node-1"]);
    let lines = [
        "lost: 2 hosts at 'L1-0': 'node-0' [1], 'node-1' [2]",
        "gone, in all: 1 link, 3 hosts",
    ];
    assert_eq!(look(&mut memory, &fewer), lines);
    let lines = [
        "back: 'L1-1' [4] -- 'L2-1' [2]",
        "back: 2 hosts at 'L1-0': 'node-0' [1], 'node-1' [2]",
        "back: host 'node-2' at 'L1-1' [1]",
    ];
    assert_eq!(look(&mut memory, &whole), lines);
}

#[test]
fn a_switch_is_one_line_and_so_is_a_pod() {
    let (whole, mut memory) = (pods(), Memory::default());
    look(&mut memory, &whole);
    let less = without(&whole, &["L1-3"]);
    let lines = [
        "lost: switch 'L1-3' with 2 links and 2 hosts",
        "gone, in all: 1 switch",
    ];
    assert_eq!(look(&mut memory, &less), lines);
    // The switch is back without one of its cables and one of its hosts.
    let hurt = without(&whole, &["L1-3:3", "node-7"]);
    let lines = [
        "lost: 'L1-3' [3] -- 'L2-2' [2]",
        "back: switch 'L1-3' with 1 link and 1 host",
        "gone, in all: 1 link, 1 host",
    ];
    assert_eq!(look(&mut memory, &hurt), lines);
    let lines = [
        "back: 'L1-3' [3] -- 'L2-2' [2]",
        "back: host 'node-7' at 'L1-3' [2]",
    ];
    assert_eq!(look(&mut memory, &whole), lines);
    let no_pod = without(&whole, &["L1-2", "L1-3", "L2-2", "L2-3"]);
    let pod = "4 switches with 8 links and 4 hosts: 'L1-2', 'L1-3', 'L2-2', 'L2-3'";
    assert_eq!(look(&mut memory, &no_pod)[0], format!("lost: {pod}"));
    assert_eq!(look(&mut memory, &whole), [format!("back: {pod}")]);
    // A pod that this memory has never seen is new.
    let mut memory = Memory::default();
    look(&mut memory, &no_pod);
    assert_eq!(look(&mut memory, &whole), [format!("new: {pod}")]);
}

/// After a restart, what the reference has comes back, and has its names.
#[test]
fn a_memory_begins_with_the_reference() {
    let whole = pods();
    let (reference, names) = fabric(&whole);
    let guids = reference.switches().iter().map(|s| s.guid);
    let names = names.switches.iter().map(|name| &**name);
    let names: HashMap<Guid, &str> = guids.zip(names).collect();
    let restarted = |net: &Netlist| {
        let mut memory = Memory::default();
        memory.learn(&reference, &names);
        assert_eq!(look(&mut memory, net), [""; 0]);
        memory
    };
    let mut memory = restarted(&without(&whole, &["L1-1:4"]));
    let back = "back: 'L1-1' [4] -- 'L2-1' [2]";
    assert_eq!(look(&mut memory, &whole), [back]);

    let mut memory = restarted(&without(&whole, &["L1-3"]));
    let mut other = whole.clone();
    let at = node_at(&other, "L1-3") as usize;
    (other.nodes[at].guid, other.nodes[at].description) = (Guid(77), "another".into());
    let replaces = "replaces: switch 'another' is in the place of 'L1-3'";
    assert_eq!(look(&mut memory, &other).pop().as_deref(), Some(replaces));
}

#[test]
fn moved_cables_and_ambiguous_names() {
    let (mut net, mut memory) = (pods(), Memory::default());
    for node in &mut net.nodes {
        if node.description.starts_with("L1-") {
            node.description = "leaf".into();
        }
    }
    look(&mut memory, &without(&net, &["node-1"]));
    // The first host of a leaf moves to the free port beside its own.
    let mut moved = without(&net, &["node-1"]);
    let host = node_at(&moved, "node-0") as usize;
    let leaf = moved.nodes[host].ports[0].peer as usize;
    let mut ports = moved.nodes[leaf].ports.iter_mut();
    let port = ports.find(|p| p.peer == host as u32);
    port.expect("linked").number = PortNumber(2);
    moved.nodes[host].ports[0].peer_port = PortNumber(2);
    let leaf = format!("{} 'leaf'", moved.nodes[leaf].guid);
    let line = format!("moved: host 'node-0' from {leaf} [1] to {leaf} [2]");
    assert_eq!(look(&mut memory, &moved), [line]);
}

#[test]
fn a_slow_link_is_logged_once_and_when_it_is_mended() {
    let (net, mut memory) = (two_leaves(), Memory::default());
    assert_eq!(slow(&mut memory, &net, None), ["0"]);
    let host = with_speed(&net, "node-0", [1], "1xEDR");
    let two = with_speed(&host, "L1-1", [4], "1xEDR");
    let lines = [
        "2",
        "slow: 'L1-1' [4] -- 'L2-1' [2] 1xEDR, siblings 4xEDR",
        "slow: host 'node-0' at 'L1-0' [1] 1xEDR, siblings 4xEDR",
    ];
    assert_eq!(slow(&mut memory, &two, None), lines);
    assert_eq!(slow(&mut memory, &two, None), ["2"]);
    let three = with_speed(&two, "L1-0", [6], "1xSDR");
    let lines = [
        "3",
        "slow: 'L1-0' [6] -- 'L2-3' [1] 1xSDR, siblings 4xEDR",
        "slow links as before: 2",
    ];
    assert_eq!(slow(&mut memory, &three, None), lines);
    let lines = [
        "1",
        "mended: 'L1-0' [6] -- 'L2-3' [1] 4xEDR",
        "mended: 'L1-1' [4] -- 'L2-1' [2] 4xEDR",
        "slow links as before: 1",
    ];
    assert_eq!(slow(&mut memory, &host, None), lines);
    let alone = without(&net, &["node-0"]);
    assert_eq!(slow(&mut memory, &alone, None), ["0"]);
}

#[test]
fn a_link_slow_from_the_start_stays_slow_though_all_become_as_slow() {
    let (net, mut memory) = (two_leaves(), Memory::default());
    let mut now = net.clone();
    let leaves = ["L1-0", "L1-1"].map(|leaf| (3..=6).map(move |port| (leaf, port)));
    for (count, (leaf, port)) in (1..).zip(leaves.into_iter().flatten()) {
        now = with_speed(&now, leaf, [port], "2xEDR");
        let lines = slow(&mut memory, &now, None);
        let end = match (leaf, port) {
            // A spine whose two links are slow is slower than the other three.
            ("L1-0", 3..6) | ("L1-1", 3) => "2xEDR, siblings 4xEDR",
            _ => "2xEDR, before 4xEDR",
        };
        assert!(lines[1].ends_with(end), "{leaf} {port} {lines:?}");
        assert_eq!(lines[0], count.to_string());
    }
    let one = with_speed(&net, "L1-0", [3], "2xEDR");
    let lines = slow(&mut memory, &one, None);
    assert_eq!((&*lines[0], lines.len()), ("1", 4), "{lines:?}");
    assert_eq!(lines[3], "slow links as before: 1");
    // A link that was faster before is slow without siblings, also after it was dark in between.
    let mut memory = Memory::default();
    slow(&mut memory, &net, None);
    let links = net.links_between_switches();
    let dark = net.without(&[links[0], links[1]].map(Part::Link));
    assert_eq!(slow(&mut memory, &dark, None), ["0"]);
    let lines = slow(&mut memory, &now, None);
    assert_eq!(lines[0], "8");
    let all = ["L1-0", "L1-1"].map(|leaf| format!("slow: 4 links of '{leaf}' 2xEDR, before 4xEDR"));
    assert_eq!(lines[1..], all);
}

#[test]
fn a_reference_that_has_it_so_ends_it() {
    let (net, mut memory) = (two_leaves(), Memory::default());
    let less = with_speed(&net, "L1-1", [4], "2xEDR");
    look(&mut memory, &net);
    assert_eq!(slow(&mut memory, &less, Some(&less)), ["0"]);
    let line = "slow: 'L1-1' [4] -- 'L2-1' [2] 2xEDR, reference 4xEDR";
    assert_eq!(slow(&mut memory, &less, Some(&net)), ["1", line]);
    // It is not mended: it never had its expected speed.
    assert_eq!(slow(&mut memory, &less, Some(&less)), ["0"]);
}

#[test]
fn of_many_slow_links_the_first_few_are_named() {
    let mut net = pgft("PGFT(2;2,14;1,16;1,1)");
    for leaf in 0..12 {
        net = with_speed(&net, &format!("L1-{leaf}"), [3 + leaf], "1xEDR");
    }
    let lines = slow(&mut Memory::default(), &net, None);
    assert_eq!((lines.len(), &*lines[11]), (12, "slow: 2 more links"));
}

#[test]
fn three_slow_links_of_a_switch_are_one_line_and_two_are_two() {
    let net = pgft("PGFT(2;2,4;1,8;1,1)");
    let two = with_speed(&net, "L1-0", 3..=4, "1xEDR");
    assert_eq!(slow(&mut Memory::default(), &two, None).len(), 3);
    let three = with_speed(&net, "L1-0", 3..=5, "1xEDR");
    are_slow(&three, &["slow: 3 links of 'L1-0' 1xEDR, siblings 4xEDR"]);
}

/// Four leaves with eight hosts each at ports 1 to 8, below four spines.
fn two_generations() -> Netlist {
    let shape: Pgft = "PGFT(2;8,4;1,4;1,1)".parse().expect("a shape");
    let speeds = ["2xHDR", "4xHDR"].map(|text| text.parse().expect("a speed"));
    build_with_speeds(&shape.into(), Order::default(), &speeds)
}

/// Checks which links are slow at the first look.
fn are_slow(net: &Netlist, expected: &[&str]) {
    let lines = slow(&mut Memory::default(), net, None);
    assert_eq!(lines[1..], *expected);
}

#[test]
fn most_links_of_a_switch_may_be_slow() {
    let net = two_generations();
    are_slow(&net, &[]);
    let count = |net: &Netlist| slow(&mut Memory::default(), net, None)[0].clone();
    let net = with_speed(&net, "L1-2", 10..=12, "1xHDR");
    assert_eq!(count(&net), "3");
    // All four: no design has one lane, but a design may have a lower speed, for more switches than one.
    let net = with_speed(&net, "L1-2", [9], "1xHDR");
    assert_eq!(count(&net), "4");
    let net = with_speed(&net, "L1-2", 9..=12, "4xEDR");
    let net = with_speed(&net, "L1-3", 9..=12, "4xEDR");
    are_slow(&net, &[]);
    let net = with_speed(&net, "L1-2", [9], "4xFDR");
    let line = "slow: 'L1-2' [9] -- 'L2-0' [3] 4xFDR, siblings 4xEDR";
    are_slow(&net, &[line]);
}

#[test]
fn a_slow_box_alone_among_four_is_found() {
    let net = two_generations();
    let spine = with_speed(&net, "L2-3", 1..=4, "4xEDR");
    are_slow(&spine, &["slow: 4 links of 'L2-3' 4xEDR, siblings 4xHDR"]);
    // Two are a generation; of three, the one is no worse evidence than the two.
    are_slow(&with_speed(&spine, "L2-2", 1..=4, "4xEDR"), &[]);
    let three = without(&spine, &["L2-0"]);
    are_slow(&three, &[]);
}

#[test]
fn a_box_in_the_place_of_another_has_its_speed_by_the_reference() {
    let whole = two_generations();
    let mut net = with_speed(&whole, "L2-3", 1..=4, "4xEDR");
    net = with_speed(&net, "L2-2", 1..=4, "4xEDR");
    for spine in 0..4 {
        named(&mut net, &format!("L2-{spine}")).guid.0 += 0x1000;
    }
    let (fabric, _) = fabric(&net);
    let ranking = Ranking::new(&fabric, &Options::default());
    let reference = whole.to_fabric(None).expect("LIDs for all").0;
    let slow = slow_links(&fabric, |s| ranking.rank(s), Some(&reference));
    assert_eq!(slow.len(), 8);
    assert!(
        slow.iter()
            .all(|slow| slow.slowness.witness == Witness::Reference)
    );
}

#[test]
fn two_generations_are_no_fault() {
    // Two old spines; old leaves; old hosts on an old leaf, and on half of another.
    let mut net = with_speed(&two_generations(), "L2-3", 1..=4, "4xEDR");
    net = with_speed(&net, "L2-2", 1..=4, "4xEDR");
    are_slow(&net, &[]);
    for leaf in [["L1-0", "L1-1"], ["L1-2", "L1-2"]] {
        net = with_speed(&net, leaf[0], 9..=12, "4xEDR");
        net = with_speed(&net, leaf[1], 9..=12, "4xEDR");
        are_slow(&net, &[]);
    }
    net = with_speed(&net, "L1-0", 1..=8, "4xFDR");
    net = with_speed(&net, "L1-3", 1..=4, "4xFDR");
    are_slow(&net, &[]);
    // A slow link between old switches is found all the same.
    net = with_speed(&net, "L1-0", [12], "2xEDR");
    let line = "slow: 'L1-0' [12] -- 'L2-3' [1] 2xEDR, siblings 4xEDR";
    are_slow(&net, &[line]);
}

#[test]
fn a_reference_without_the_speed_leaves_it_to_the_siblings() {
    let whole = two_generations();
    let net = with_speed(&whole, "L1-2", [10], "1xHDR");
    let net = with_speed(&net, "node-3", [1], "1xHDR");
    // The reference has no speed for the leaf's links, and another host at the other link.
    let mut reference = with_speed(&whole, "L1-2", 1..=12, "4x");
    named(&mut reference, "node-3").ports[0].guid = Some(Guid(99));
    let found = slow(&mut Memory::default(), &net, Some(&reference));
    assert_eq!(found, slow(&mut Memory::default(), &net, None));
    assert_eq!(found[0], "2");
}

#[test]
fn a_box_that_replaces_another_is_told_with_what_it_lacks() {
    let (whole, mut memory) = (two_leaves(), Memory::default());
    look(&mut memory, &whole);
    let mut new = with_speed(&without(&whole, &["L2-1:2"]), "L2-1", [1], "1xSDR");
    named(&mut new, "L2-1").guid = Guid(77);
    let lines = look(&mut memory, &new);
    let replaces: Vec<&String> = lines.iter().filter(|l| l.starts_with("replaces")).collect();
    let line = "replaces: switch 0x000000000000004d 'L2-1' is in the place of 0x0002000200000001 \
                'L2-1', with 1 of 2 links, at 1xSDR instead of 4xEDR";
    assert_eq!(replaces, [line]);
    assert_eq!(look(&mut memory, &new), [""; 0]);
    // The first one is put back.
    let lines = look(&mut memory, &whole);
    let line = "replaces: switch 0x0002000200000001 'L2-1' is in the place of 0x000000000000004d";
    let back = |found: &&String| found.starts_with(line);
    assert_eq!(lines.iter().filter(back).count(), 1, "{lines:#?}");
}

/// The netlist with the uplinks of some leaves at other ports: 5 to 8 become 9 to 12.
fn at_other_ports(net: &Netlist, leaves: &[&str]) -> Netlist {
    let mut net = net.clone();
    for leaf in leaves
        .iter()
        .map(|leaf| node_at(&net, leaf))
        .collect::<Vec<_>>()
    {
        let ports = net.nodes.iter_mut().flat_map(|n| &mut n.ports);
        for port in ports.filter(|p| p.peer == leaf && p.peer_port.0 > 4) {
            port.peer_port.0 += 4;
        }
        let ports = net.nodes[leaf as usize].ports.iter_mut();
        ports.skip(4).for_each(|port| port.number.0 += 4);
    }
    // All leaves have as many ports, as siblings have.
    let leaves = net.nodes.iter_mut();
    let leaves = leaves.filter(|n| n.description.starts_with("L1-"));
    leaves.for_each(|leaf| leaf.port_count = 12);
    net
}

/// The number of findings among siblings.
fn unlike(net: &Netlist) -> usize {
    let (fabric, names) = fabric(net);
    let ranking = Ranking::new(&fabric, &Options::default());
    among_siblings(&fabric, &names, &ranking).len()
}

#[test]
fn two_against_two_have_no_usual_place() {
    let four = pgft("PGFT(2;4,4;1,4;1,1)");
    assert_eq!(unlike(&at_other_ports(&four, &["L1-2"])), 4);
    // Otherwise each of a rack's links is at a wrong port.
    assert_eq!(unlike(&at_other_ports(&four, &["L1-2", "L1-3"])), 0);
    // Nor have three in five.
    let five = pgft("PGFT(2;4,5;1,4;1,1)");
    assert_eq!(unlike(&at_other_ports(&five, &["L1-2"])), 4);
    assert_eq!(unlike(&at_other_ports(&five, &["L1-2", "L1-3"])), 0);
}

#[test]
fn three_leaves_are_too_few_to_vote() {
    // Otherwise the two leaves that happen to be alike make the third wrong.
    let three = pgft("PGFT(2;4,3;1,4;1,1)");
    assert_eq!(unlike(&at_other_ports(&three, &["L1-2"])), 0);
}
