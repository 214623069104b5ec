//! Links that came up slow, under OpenSM: the log names each once, and `dmodc.metrics` has a series for it.

use crate::changes::said;
use crate::metrics::{Metrics, TREE, wait_for_use, when, with_reference};
use crate::support::*;
use dmodc_formats::netlist::Netlist;
use std::fs;

/// The series of slow links in the metrics.
fn slow(metrics: &Metrics) -> Vec<String> {
    let names = metrics.names();
    names
        .filter(|name| name.starts_with("dmodc_links_slow"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_link_and_a_host_that_came_up_at_1x_are_told_while_they_are_there() {
    let tree = Net::pgft(TREE);
    let [spine, host] = ["L2-4", "node-7"].map(|name| tree.node(name));
    let (up, at) = (&spine.ports[2], &host.ports[0]);
    let slow_ports = [
        (spine.guid, up.number),
        (tree.netlist.nodes[up.peer as usize].guid, up.peer_port),
        (host.guid, at.number),
        (tree.netlist.nodes[at.peer as usize].guid, at.peer_port),
    ];
    // As people write netlists for ibsim: the enabled width of the slow ports, and no speed elsewhere.
    let mut netlist = tree.netlist.clone();
    for node in &mut netlist.nodes {
        for port in &mut node.ports {
            let is_slow = slow_ports.contains(&(node.guid, port.number));
            port.link = if is_slow { "w=1" } else { "" }.into();
        }
    }
    let written = Net::write(netlist);
    let net = Net::open(written.path.clone());
    let mut sim = Ibsim::start(&net.path);
    let (metrics, config) = with_reference(&sim, "auto");
    let sm = OpenSm::start(&sim, &config);
    let leaf = (&tree.netlist.nodes[up.peer as usize], up.peer_port);
    let expected = [
        format!(
            "slow: '{}' [{}] -- 'L2-4' [3] 1xSDR, siblings 4xSDR",
            leaf.0.description, leaf.1
        ),
        format!(
            "slow: host 'node-7' at '{}' [{}] 1xSDR, siblings 4xSDR",
            tree.netlist.nodes[at.peer as usize].description, at.peer_port
        ),
    ];
    assert_eq!(said(&sm, 0)[1..3], expected);
    let found = slow(&wait_for_use(&metrics, true));
    assert_eq!(found.len(), 2, "{found:?}");
    let of_link = found
        .iter()
        .find(|name| name.contains("peer_description=\"L2-4\""))
        .expect("a series");
    let labels = format!("description=\"{}\",port=\"{}\"", leaf.0.description, leaf.1);
    has(of_link, &labels);
    assert!(of_link.ends_with("speed=\"1xSDR\",expected=\"4xSDR\"}"));
    // The reference that `auto` keeps has no speed for these two links.
    let places = fs::read(sm.files.by_port(Files::REFERENCE)).expect("the places");
    let places = Netlist::parse(&places).expect("a netlist");
    let ports = places.nodes.iter().flat_map(|node| &node.ports);
    let mut links: Vec<&str> = ports.map(|port| &*port.link).collect();
    links.sort_unstable();
    assert_eq!(
        (links.len(), links.partition_point(|l| *l == "4x")),
        (72, 4)
    );
    assert!(links[4..].iter().all(|link| *link == "4xSDR"), "{links:?}");
    // A further sweep logs and counts nothing new. OpenSM's dump and the netlist have the same speeds.
    sm.resweep();
    assert_eq!(sm.files.log_lines("dmodc: slow").len(), 2);
    assert_eq!(slow(&wait_for_use(&metrics, true)), found);
    let (fabric, _) = net.netlist.to_fabric(None).expect("LIDs");
    let (live, _) = sm.files.subnet().to_fabric(None).expect("LIDs");
    for (s, switch) in fabric.switches().iter_enumerated() {
        assert_eq!(live.speeds_of(s), fabric.speeds_of(s), "{}", switch.guid);
    }
    // A slow link that goes is not logged as mended; one that comes back slow is logged anew.
    let mut change = |change: fn(&mut Ibsim, &str, PortNumber), count: usize| {
        let from = sm.files.log_len();
        change(&mut sim, &leaf.0.id, leaf.1);
        sm.resweep();
        when(&metrics, |m| slow(m).len() == count);
        said(&sm, from)
    };
    let lines = change(Ibsim::unlink, 1);
    assert!(
        lines.iter().all(|line| !line.contains("mended")),
        "{lines:#?}"
    );
    let lines = change(Ibsim::relink, 2);
    assert!(lines.contains(&expected[0]), "{lines:#?}");
}
